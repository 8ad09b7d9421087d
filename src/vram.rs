//! Memory of one device.

mod allocator;
mod attention;
mod dev;
pub mod document;
pub mod floor;
mod layer;
mod pen;
pub mod stack;
mod states;
mod tape;
