//! Memory of one device.

mod attention;
pub mod document;
pub mod floor;
mod layer;
mod dev;
mod pen;
pub mod stack;
mod states;
mod tape;
