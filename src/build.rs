//! Packs `pricing/` for the binary with the crate's own reader, so that no text is parsed at start. A mistake in a
//! price file fails the build with the message that `plan catalog check` would give.
#![allow(
    dead_code,
    unused_imports,
    unreachable_pub,
    clippy::trivially_copy_pass_by_ref,
    reason = "the reader is a part of the crate; not all is used"
)]

mod catalog;
mod diag;
mod names;
mod terms;
mod units;

/// The parts of the reader that prices need; a workload's would bring half the crate along.
mod read {
    pub mod catalog;
    mod source;
    pub mod table;

    pub use source::{Located, Source};
}

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    match pack() {
        Ok(()) => ExitCode::SUCCESS,
        Err(messages) => {
            for message in messages {
                #[expect(clippy::print_stderr, reason = "how a build script speaks")]
                {
                    eprintln!("{message}");
                }
            }
            ExitCode::FAILURE
        }
    }
}

fn pack() -> Result<(), Vec<String>> {
    let one = |message: String| vec![message];
    #[expect(clippy::disallowed_methods, reason = "how cargo speaks to a build script")]
    let variable = |name: &str| std::env::var(name).map_err(|error| one(format!("{name}: {error}")));
    println!("cargo::rerun-if-changed=pricing");
    let pricing = PathBuf::from(variable("CARGO_MANIFEST_DIR")?).join("pricing");
    let mut diags = diag::Diagnostics::new();
    let catalog = catalog::extra(&catalog::Catalog::default(), &[pricing], &mut diags);
    if !diags.is_empty() {
        return Err(diags.sorted().iter().map(ToString::to_string).collect());
    }
    let packed = catalog::pack::pack(&catalog).map_err(|error| one(error.to_string()))?;
    let unpacked = catalog::pack::unpack(Box::leak(packed.clone().into_boxed_slice()))
        .map_err(|error| one(error.to_string()))?;
    if unpacked.offers != catalog.offers
        || unpacked.instances != catalog.instances
        || unpacked.kinds() != catalog.kinds()
    {
        return Err(one("the packed catalog is not the one that was read".to_owned()));
    }
    let folder = PathBuf::from(variable("OUT_DIR")?);
    pack_accelerators(&catalog, &folder)?;
    let target = folder.join("catalog.bin");
    std::fs::write(&target, packed).map_err(|error| one(format!("{}: {error}", target.display())))
}

/// The cards once more by themselves, for commands that need no prices.
fn pack_accelerators(catalog: &catalog::Catalog, folder: &std::path::Path) -> Result<(), Vec<String>> {
    let packed = postcard::to_stdvec(&catalog.accelerators).map_err(|error| vec![error.to_string()])?;
    let target = folder.join("accelerators.bin");
    std::fs::write(&target, packed).map_err(|error| vec![format!("{}: {error}", target.display())])
}
