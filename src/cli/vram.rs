//! `plan vram`: the memory of one device.

pub mod cases;
pub mod question;
