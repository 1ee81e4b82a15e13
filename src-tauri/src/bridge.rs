//! The list of commands for the page, from the one list that the build script and the capability share.

use tauri_specta::{Builder, ErrorHandlingMode};

use crate::Runtime;
use crate::commands;

macro_rules! with_commands {
    ($($module:ident: $($command:ident),+;)+) => {
        tauri_specta::collect_commands![$($(commands::$module::$command),+),+]
    };
}

/// Commands and types that cross the bridge.
pub(crate) fn builder() -> Builder<Runtime> {
    Builder::<Runtime>::new()
        .commands(include!("commands/list.in"))
        .typ::<paddock_host::api::Batch>()
        .error_handling(ErrorHandlingMode::Result)
        .dangerously_cast_bigints_to_number()
        .disable_serde_phases()
}

#[cfg(test)]
mod tests {
    macro_rules! with_commands {
        ($($module:ident: $($command:ident),+;)+) => { [$($(stringify!($command)),+),+] };
    }

    #[test]
    fn export_bindings() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../ui/src/host/bindings.ts");
        super::builder()
            .export(specta_typescript::Typescript::default(), path)
            .unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        assert!(text.contains("createChat"), "the commands are in the bindings");
    }

    #[test]
    fn the_capability_names_every_command_and_no_other() {
        let text = include_str!("../capabilities/main.json");
        let capability: serde_json::Value = serde_json::from_str(text).unwrap();
        let mut named: Vec<String> = capability["permissions"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|name| name.as_str())
            .filter(|name| name.starts_with("allow-"))
            .map(|name| name["allow-".len()..].replace('-', "_"))
            .collect();
        named.sort();
        let mut listed: Vec<String> = include!("commands/list.in")
            .iter()
            .map(|name| (*name).to_owned())
            .collect();
        listed.sort();
        assert_eq!(named, listed);
    }
}
