//! Memory of one device: what the tensors of a model take at their peak, from a closed form.
//!
//! ```text
//! name, config.json, parameters ──describe──▶ Request ──estimate──▶ Estimate { allocated, needed, shown, components, phase }
//! ```
//!
//! The peak is a maximum over three moments, not a sum: the end of the forward pass, the backward pass, the optimizer's
//! step. For transformers both passes are followed operation by operation on a [`tape`] of one layer, so that a kind of
//! layer nobody measured gets the same arithmetic as one that was. Image models come from measured bytes per sample.
//! [`document`] is the documents' rule, [`floor`] what is needed whatever the framework does, [`ladder`] what to try
//! when it does not fit.

mod allocator;
mod attention;
pub mod describe;
pub mod document;
pub mod estimate;
pub mod floor;
pub mod images;
pub mod ladder;
mod layer;
pub mod need;
mod pen;
pub mod request;
mod stack;
mod states;
mod tape;
pub mod trial;
pub mod zero;

pub use estimate::{Components, Estimate, Phase, cache_bytes, estimate};
pub use images::ImageModel;
pub use request::{Basis, Request, Subject, Targets};
pub use states::Division;
