#![allow(
    clippy::print_stdout,
    reason = "a build script speaks to Cargo on standard output"
)]

//! Names every command for the access list: a command that no capability names is refused.

macro_rules! with_commands {
    ($($module:ident: $($command:ident),+;)+) => { &[$($(stringify!($command)),+),+] };
}

const COMMANDS: &[&str] = include!("src/commands/list.in");

fn main() {
    println!("cargo:rerun-if-changed=src/commands/list.in");
    let attributes =
        tauri_build::Attributes::new().app_manifest(tauri_build::AppManifest::new().commands(COMMANDS));
    if let Err(error) = tauri_build::try_build(attributes) {
        println!("cargo:error={error:#}");
        std::process::exit(1);
    }
}
