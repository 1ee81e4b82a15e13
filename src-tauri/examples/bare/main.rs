//! A window with nothing in it, of the same versions and the same profile: what the start of Paddock is measured beside
//! (`node .dev/measure/run.mjs start`). One page of one colour, no command, no plugin, no tray.

use std::process::ExitCode;

fn main() -> ExitCode {
    let built = tauri::Builder::default().run(tauri::generate_context!("examples/bare/tauri.conf.json"));
    if built.is_err() {
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
