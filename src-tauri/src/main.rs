//! The binary: a window, or `paddock turn` without one.

#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use paddock_host::headless::{self, EXIT_USAGE, TurnOptions};

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    match args.next().as_deref() {
        Some("turn") => turn(args),
        Some("--version" | "-V") => say(&format!("paddock {}\n", env!("CARGO_PKG_VERSION"))),
        Some("--help" | "-h") => say(HELP),
        first => match paddock_lib::WindowOptions::parse(first.map(str::to_owned).into_iter().chain(args)) {
            Ok(options) => paddock_lib::run(options),
            Err(unknown) => {
                // Nothing can be done about a closed standard error.
                let _ = writeln!(
                    std::io::stderr(),
                    "paddock: unknown option {unknown}; see paddock --help"
                );
                ExitCode::from(EXIT_USAGE)
            }
        },
    }
}

const HELP: &str = "Paddock: run coding agents in your own folders and stay in charge.

paddock [--practice] [--safe-graphics]   opens the window
    --practice        starts a practice chat: scripted answers, no account
    --safe-graphics   for a blank or flickering window (Linux)
paddock turn [OPTIONS] -- PROMPT         one turn without a window; see paddock turn --help
paddock --version
";

fn say(text: &str) -> ExitCode {
    match std::io::stdout().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn turn(args: impl Iterator<Item = String>) -> ExitCode {
    let options = match TurnOptions::parse_args(args, std::io::stdin().is_terminal()) {
        Ok(options) => options,
        Err(error) if error.help => return say(&error.text),
        Err(error) => {
            // Nothing can be done about a closed standard error.
            let _ = write!(std::io::stderr(), "{}", error.text);
            return ExitCode::from(EXIT_USAGE);
        }
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "paddock: {error}");
            return ExitCode::FAILURE;
        }
    };
    let code = runtime.block_on(headless::run(
        options,
        Box::new(std::io::stdout()),
        &mut std::io::stderr(),
    ));
    // A terminal that is still read, as by --decide ask, must not hold the exit up.
    runtime.shutdown_background();
    ExitCode::from(code)
}
