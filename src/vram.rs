//! Memory of one device.

mod allocator;
mod attention;
pub mod describe;
#[cfg(test)]
mod dev;
pub mod document;
pub mod estimate;
pub mod floor;
pub mod images;
pub mod ladder;
mod layer;
mod pen;
pub mod request;
mod stack;
mod states;
mod tape;
pub mod zero;

pub use estimate::{Components, Estimate, Phase, cache_bytes, estimate};
pub use images::ImageModel;
pub use request::{Basis, Request, Subject, Targets};
pub use states::Division;
