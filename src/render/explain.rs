//! `--explain`: for every stage the rules with their facts, how the time and the cost came about, what was rejected
//! by which rule; and every value with where it came from.

use super::Style;
use super::text::{heading, section};
use crate::decide::{Reason, Rejection};
use crate::job::Origin;
use crate::plan::{Choice, Compared, Plan, StagePlan};
use crate::rules::Finding;
use crate::units::number::{things, thousands};
use crate::vram::need::NeedBy;
use std::io::{self, Write};

/// Writes the explanation of a plan.
pub fn write(plan: &Plan, style: Style, out: &mut dyn Write) -> io::Result<()> {
    for stage in &plan.stages {
        writeln!(out)?;
        heading(&format!("Why: {}", stage.name), style, out)?;
        section("rules", &rules(&stage.findings), style, out)?;
        if let Ok(choice) = &stage.outcome {
            section("time", &choice.derivation, style, out)?;
            section("day of the service", &super::report::service::day(choice), style, out)?;
            section("memory of one device", &memory(choice), style, out)?;
            section("bill", &bill(plan, choice), style, out)?;
        }
        super::ways::write(stage, style, out)?;
        section("rejected offers", &rejected(stage), style, out)?;
    }
    section("Why: the whole", &rules(&plan.findings), style, out)?;
    section(
        "Sensitivity: one machine changes, all else stays",
        &super::report::sensitivity(plan),
        style,
        out,
    )?;
    section("Further remarks", &super::report::further_notes(plan), style, out)?;
    let values: Vec<String> = plan
        .settings
        .iter()
        .map(|s| {
            let origin = match &s.origin {
                Origin::Flag => "flag".to_owned(),
                Origin::File(place) if place.is_flag() => place.file.to_string(),
                Origin::File(place) => format!("line {}", place.line),
                Origin::Model(name) => format!("from {name}"),
                Origin::Default(why) => format!("default: {why}"),
            };
            format!("{} = {} ({origin})", s.key, s.value)
        })
        .collect();
    section("Values and where they come from", &values, style, out)
}

/// Every rule with what it says here.
fn rules(findings: &[Finding]) -> Vec<String> {
    findings.iter().map(|f| format!("{} {}: {}", f.id, f.verdict, f.reason)).collect()
}

fn memory(choice: &Choice) -> Vec<String> {
    let Some(m) = choice.memory_need else { return Vec::new() };
    let band = if m.needed.low == m.needed.high {
        String::new()
    } else {
        format!(" ({} to {})", m.needed.low.gib(), m.needed.high.gib())
    };
    vec![format!("{} needed{band}, {}; {} usable", m.needed.expected.gib(), how(m.by), m.usable.gib())]
}

/// How a need of memory is known, in words.
pub fn how(by: NeedBy) -> &'static str {
    match by {
        NeedBy::Measured => "as measured",
        NeedBy::Components => "estimated from the architecture",
        NeedBy::Family => "a rough estimate from family and parameters",
    }
}

fn bill(plan: &Plan, choice: &Choice) -> Vec<String> {
    let mut lines: Vec<String> = choice
        .bill
        .lines()
        .iter()
        .map(|l| format!("{} {}: {} {}", l.kind, l.text, l.amount.amount(), plan.currency))
        .collect();
    lines.push(format!("sum: {} {}", choice.expected_cost().amount(), plan.currency));
    let date = choice.as_of.map_or_else(|| "undated".to_owned(), |d| d.to_string());
    lines.push(format!("price of {date} from {}", choice.source));
    lines
}

fn rejected(stage: &StagePlan) -> Vec<String> {
    let mut lines: Vec<String> =
        stage.rejected.iter().map(|r| rejection(&r.rejection, r.nearest.as_deref())).collect();
    let Compared { quotes, dominated } = stage.compared;
    if dominated > 0 {
        let count = |n: usize| thousands(f64::from(u32::try_from(n).unwrap_or(u32::MAX)));
        lines.push(format!(
            "dominated: {} of {} quotes; another one is no dearer and no slower",
            count(dominated),
            count(quotes)
        ));
    }
    lines
}

/// What turned offers away, with the nearest miss: `memory: 44 offers; nearest aws/g3.4xlarge: has 7.4 GiB of the
/// 13.3 GiB needed`.
pub fn rejection(rejection: &Rejection, nearest: Option<&str>) -> String {
    let count = thousands(f64::from(u32::try_from(rejection.offers).unwrap_or(u32::MAX)));
    let mut text = format!("{}: {}", rejection.reason, things(count, "offer"));
    if let (Some(near), Some(name)) = (rejection.near, nearest) {
        text += &match rejection.reason {
            Reason::Overload => {
                format!("; nearest {name}: {} cannot keep up, at least {}", near.has, near.needs)
            }
            Reason::SpotRefused => {
                format!("; nearest {name}: λ(W+R) is {}, at most {}", near.has, near.needs)
            }
            Reason::Latency => {
                format!("; nearest {name}: takes {}, at most {}", near.has.precise(), near.needs.precise())
            }
            // Of several machines of the type as many as are fastest.
            Reason::TooSlow => {
                format!("; nearest {name}: takes {} at best, at most {}", near.has, near.needs)
            }
            Reason::FallbackTight => {
                format!("; nearest {name}: takes {}, at most {}", near.has, near.needs)
            }
            _ => format!("; nearest {name}: has {} of the {} needed", near.has, near.needs),
        };
    }
    if let Some(fact) = rejection.needs {
        text += &format!("; {fact}");
    }
    text
}
