//! Plays a CLI from the script that the environment names, whatever its arguments are.

use std::path::PathBuf;

use paddock_tests::script::{BAD_SCRIPT, LOG_ENV, SCRIPT_ENV, play};

fn main() {
    let code = match std::env::var_os(SCRIPT_ENV) {
        Some(script) => play(
            &PathBuf::from(script),
            std::env::var_os(LOG_ENV).map(PathBuf::from),
        ),
        None => BAD_SCRIPT,
    };
    std::process::exit(code);
}
