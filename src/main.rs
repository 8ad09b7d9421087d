//! Arguments in, exit status out.

use plan::cli::{Env, run};
use std::process::ExitCode;

fn main() -> ExitCode {
    let exit =
        run(std::env::args_os(), &Env::of_process(), &mut std::io::stdout().lock(), &mut std::io::stderr());
    ExitCode::from(exit.status())
}
