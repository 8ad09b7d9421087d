//! All integration tests, in one binary.

#[cfg(test)]
mod accuracy;
#[cfg(test)]
#[expect(clippy::float_cmp, reason = "figures that come out exactly")]
mod buying;
#[cfg(test)]
mod catalog;
#[cfg(test)]
mod cli;
#[cfg(test)]
mod commands;
#[cfg(test)]
mod exact;
#[cfg(test)]
mod layers;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod lots;
#[cfg(test)]
mod plan;
#[cfg(test)]
mod readme;
#[cfg(test)]
mod remedies;
#[cfg(test)]
mod rules;
#[cfg(test)]
mod scenarios;
#[cfg(test)]
mod seller;
#[cfg(test)]
mod service;
#[cfg(test)]
mod spot;
#[cfg(test)]
mod texts;
#[cfg(test)]
mod ties;
#[cfg(test)]
mod time;
#[cfg(test)]
mod vram;
#[cfg(test)]
mod whole;
#[cfg(test)]
#[expect(clippy::float_cmp, reason = "figures that were read are the figures that were written")]
mod workload;
