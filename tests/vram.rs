//! The VRAM estimate: against measured peaks of many architectures, against published points, and on the command line.

mod command;
mod golden;
mod measured;

use plan::vram::{Request, describe};

/// A named architecture, as it is asked by default.
fn request(name: &str) -> Request {
    let found = describe::named(name).unwrap();
    Request { seq: 512.0, target: 512.0, ..Request::new(found.subject, found.family, found.basis) }
}
