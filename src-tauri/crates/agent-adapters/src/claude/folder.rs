//! What a folder would make Claude Code run, by its files. Tried on 2.1.332: headless, it runs all of it unasked, from the
//! folder and from those above it; only the allow rules wait for a trust that a terminal gives.

use std::path::Path;

use agent_domain::{FolderFile, FolderItem, FolderItemKind as Kind, FolderProbe};
use serde_json::{Map, Value};

use super::Claude;

/// Settings whose value is a command (the vendor's settings reference, and the names that 2.1.332 knows).
const HELPERS: [&str; 8] = [
    "apiKeyHelper",
    "awsAuthRefresh",
    "awsCredentialExport",
    "fileSuggestion",
    "gcpAuthRefresh",
    "otelHeadersHelper",
    "proxyAuthHelper",
    "statusLine",
];
/// Settings that are told in their own kind.
const TOLD: [&str; 5] = ["hooks", "env", "permissions", "enabledPlugins", "$schema"];
/// Folders below `.claude` whose files are extensions.
const EXTENSIONS: [&str; 6] = [
    "agents",
    "commands",
    "skills",
    "plugins",
    "output-styles",
    "workflows",
];

impl FolderProbe for Claude {
    fn places(&self) -> &'static [&'static str] {
        &[".claude", ".mcp.json"]
    }

    fn looks_above(&self) -> bool {
        true
    }

    fn is_the_user_s(&self, place: &Path, home: &Path) -> bool {
        place == home.join(".claude")
    }

    fn items(&self, files: &[FolderFile]) -> Vec<FolderItem> {
        files.iter().flat_map(items_of).collect()
    }
}

fn items_of(file: &FolderFile) -> Vec<FolderItem> {
    let name = file
        .path
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let reader: fn(&Path, &Map<String, Value>) -> Vec<FolderItem> = match name {
        ".mcp.json" => servers,
        "settings.json" | "settings.local.json" => settings,
        _ => return extension(&file.path).into_iter().collect(),
    };
    match serde_json::from_slice::<Map<String, Value>>(&file.bytes) {
        Ok(object) => reader(&file.path, &object),
        Err(error) => vec![item(Kind::Unreadable, name, Some(error.to_string()), &file.path)],
    }
}

fn item(kind: Kind, name: &str, detail: Option<String>, file: &Path) -> FolderItem {
    FolderItem {
        kind,
        name: name.to_owned(),
        detail,
        file: file.to_owned(),
    }
}

fn extension(path: &Path) -> Option<FolderItem> {
    let parts: Vec<&str> = path.iter().filter_map(|part| part.to_str()).collect();
    let below = parts.iter().rposition(|part| *part == ".claude")? + 1;
    let kind = parts.get(below).filter(|part| EXTENSIONS.contains(part))?;
    Some(item(
        Kind::Extension,
        &parts[below + 1..].join("/"),
        Some((*kind).to_owned()),
        path,
    ))
}

fn servers(file: &Path, object: &Map<String, Value>) -> Vec<FolderItem> {
    let listed = object
        .get("mcpServers")
        .and_then(Value::as_object)
        .unwrap_or(object);
    listed
        .iter()
        .map(|(name, server)| item(Kind::McpServer, name, Some(runs(server)), file))
        .collect()
}

fn settings(file: &Path, object: &Map<String, Value>) -> Vec<FolderItem> {
    let inner = |key: &str| object.get(key).and_then(Value::as_object).into_iter().flatten();
    let hooks = inner("hooks").flat_map(|(event, groups)| hooks(file, event, groups));
    let variables = inner("env").map(|(name, _)| item(Kind::Environment, name, None, file));
    let plugins = inner("enabledPlugins").map(|(name, _)| item(Kind::Plugin, name, None, file));
    let rules = inner("permissions").flat_map(|(list, rules)| permissions(file, list, rules));
    let rest = object.iter().filter(|(name, _)| !TOLD.contains(&name.as_str()));
    let rest = rest.map(|(name, value)| {
        let kind = if HELPERS.contains(&name.as_str()) {
            Kind::Helper
        } else {
            Kind::Setting
        };
        item(kind, name, Some(runs(value)), file)
    });
    hooks
        .chain(variables)
        .chain(plugins)
        .chain(rules)
        .chain(rest)
        .collect()
}

/// `{"PreToolUse": [{"matcher": …, "hooks": [{"type": "command", "command": …}]}]}`.
fn hooks(file: &Path, event: &str, groups: &Value) -> Vec<FolderItem> {
    let groups = groups.as_array().into_iter().flatten();
    let each = groups.flat_map(|group| group.get("hooks").and_then(Value::as_array).into_iter().flatten());
    each.map(|hook| item(Kind::Hook, event, Some(runs(hook)), file))
        .collect()
}

/// What is denied or asked takes nothing away from anybody.
fn permissions(file: &Path, list: &str, rules: &Value) -> Vec<FolderItem> {
    if ["deny", "ask"].contains(&list) {
        return Vec::new();
    }
    match rules.as_array() {
        Some(rules) => rules
            .iter()
            .map(|rule| item(Kind::AllowRule, list, Some(runs(rule)), file))
            .collect(),
        None => vec![item(Kind::AllowRule, list, Some(runs(rules)), file)],
    }
}

/// What a value would run: its command with arguments, its address, or the value itself.
fn runs(value: &Value) -> String {
    if let Some(text) = value.as_str() {
        return text.to_owned();
    }
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    if let Some(command) = text("command") {
        let args = value.get("args").and_then(Value::as_array).into_iter().flatten();
        let words = args.map(|arg| arg.as_str().map_or_else(|| arg.to_string(), str::to_owned));
        return std::iter::once(command.to_owned())
            .chain(words)
            .collect::<Vec<_>>()
            .join(" ");
    }
    text("url").map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(path: &str, text: &str) -> Vec<(Kind, String, Option<String>)> {
        let file = FolderFile {
            path: path.into(),
            bytes: text.into(),
        };
        let items = Claude::default().items(&[file]);
        items
            .into_iter()
            .map(|item| (item.kind, item.name, item.detail))
            .collect()
    }

    #[test]
    fn settings_are_told_by_what_they_run() {
        let text = r#"{"hooks":{"Stop":[{"matcher":"*","hooks":[{"type":"command","command":"./a.sh"},{"type":"prompt","prompt":"b"}]}]},
            "env":{"KEY":"secret-canary"},"permissions":{"allow":["Bash(rm:*)"],"deny":["Read"],"defaultMode":"acceptEdits"},
            "apiKeyHelper":"./key.sh","enabledPlugins":{"p@m":true},"model":"opus"}"#;
        let told = told("/w/.claude/settings.json", text);
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            told,
            [
                (Kind::Hook, "Stop".into(), some("./a.sh")),
                (
                    Kind::Hook,
                    "Stop".into(),
                    some(r#"{"type":"prompt","prompt":"b"}"#)
                ),
                (Kind::Environment, "KEY".into(), None),
                (Kind::Plugin, "p@m".into(), None),
                (Kind::AllowRule, "allow".into(), some("Bash(rm:*)")),
                (Kind::AllowRule, "defaultMode".into(), some("acceptEdits")),
                (Kind::Helper, "apiKeyHelper".into(), some("./key.sh")),
                (Kind::Setting, "model".into(), some("opus")),
            ]
        );
        assert!(
            !format!("{told:?}").contains("canary"),
            "values of variables stay out"
        );
    }

    #[test]
    fn servers_and_extensions_are_told_and_other_files_are_not() {
        let some = |text: &str| Some(text.to_owned());
        let servers = r#"{"mcpServers":{"a":{"command":"sh","args":["-c","x"]},"b":{"type":"http","url":"https://h/"}}}"#;
        assert_eq!(
            told("/w/.mcp.json", servers),
            [
                (Kind::McpServer, "a".into(), some("sh -c x")),
                (Kind::McpServer, "b".into(), some("https://h/"))
            ]
        );
        assert_eq!(
            told("/w/.claude/skills/s/SKILL.md", ""),
            [(Kind::Extension, "s/SKILL.md".into(), some("skills"))]
        );
        assert!(told("/w/.claude/notes.txt", "").is_empty());
        assert!(
            told("/w/.claude/rules/r.md", "").is_empty(),
            "instructions run nothing"
        );
    }

    #[test]
    fn what_cannot_be_read_is_told_as_that() {
        for text in ["", "[]", "{", "\u{0}"] {
            let told = told("/w/.claude/settings.local.json", text);
            assert_eq!(told[0].0, Kind::Unreadable, "{text:?}");
        }
        // Any shape of a known key.
        for text in [
            r#"{"hooks":7}"#,
            r#"{"hooks":{"Stop":[1,{"hooks":2}]}}"#,
            r#"{"permissions":[]}"#,
        ] {
            let _ = told("/w/.claude/settings.json", text);
        }
    }
}
