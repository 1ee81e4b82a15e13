//! What a tool call touches, read from its arguments.

use agent_domain::{Payload, ToolDetail};
use serde::Deserialize;

use super::reading::lenient;

/// Arguments of the tools that are told apart, as seen on 2.1.332.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Arguments {
    #[serde(deserialize_with = "lenient")]
    command: Option<String>,
    #[serde(deserialize_with = "lenient")]
    run_in_background: Option<bool>,
    #[serde(deserialize_with = "lenient")]
    file_path: Option<String>,
    #[serde(deserialize_with = "lenient")]
    notebook_path: Option<String>,
    #[serde(deserialize_with = "lenient")]
    path: Option<String>,
    #[serde(deserialize_with = "lenient")]
    content: Option<String>,
    #[serde(deserialize_with = "lenient")]
    old_string: Option<String>,
    #[serde(deserialize_with = "lenient")]
    new_string: Option<String>,
    #[serde(deserialize_with = "lenient")]
    new_source: Option<String>,
    #[serde(deserialize_with = "lenient")]
    replace_all: Option<bool>,
    #[serde(deserialize_with = "lenient")]
    edits: Option<Vec<OneEdit>>,
    #[serde(deserialize_with = "lenient")]
    pattern: Option<String>,
    #[serde(deserialize_with = "lenient")]
    url: Option<String>,
    #[serde(deserialize_with = "lenient")]
    query: Option<String>,
    #[serde(deserialize_with = "lenient")]
    description: Option<String>,
    #[serde(deserialize_with = "lenient")]
    prompt: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct OneEdit {
    #[serde(deserialize_with = "lenient")]
    old_string: Option<String>,
    #[serde(deserialize_with = "lenient")]
    new_string: Option<String>,
    #[serde(deserialize_with = "lenient")]
    replace_all: Option<bool>,
}

/// The detail of a call. Arguments that lack what their tool needs are shown as they are: [`ToolDetail::Other`].
pub(super) fn detail(tool: &str, input: &str) -> ToolDetail {
    if let Some((server, tool)) = mcp_name(tool) {
        return ToolDetail::Mcp {
            server: server.to_owned(),
            tool: tool.to_owned(),
        };
    }
    match tool {
        "AskUserQuestion" => return ToolDetail::Question,
        "ExitPlanMode" => return ToolDetail::Plan,
        _ => {}
    }
    serde_json::from_str(input)
        .ok()
        .and_then(|arguments| known(tool, arguments))
        .unwrap_or(ToolDetail::Other)
}

/// Server and tool of `mcp__server__tool`.
pub(super) fn mcp_name(tool: &str) -> Option<(&str, &str)> {
    tool.strip_prefix("mcp__")?.split_once("__")
}

fn known(tool: &str, a: Arguments) -> Option<ToolDetail> {
    let edited = |path: Option<String>, old: String, new: String, all: bool| {
        Some(ToolDetail::Edit {
            path: path?,
            old: Payload::whole(old),
            new: Payload::whole(new),
            all,
        })
    };
    match tool {
        "Bash" => Some(ToolDetail::Command {
            command: a.command?,
            background: a.run_in_background.unwrap_or(false),
        }),
        "Write" => Some(ToolDetail::Write {
            path: a.file_path?,
            content: Payload::whole(a.content?),
        }),
        "Edit" => edited(
            a.file_path,
            a.old_string?,
            a.new_string?,
            a.replace_all.unwrap_or(false),
        ),
        "MultiEdit" => {
            let edits = a.edits?;
            let joined = |text: fn(&OneEdit) -> Option<&String>| {
                edits
                    .iter()
                    .filter_map(text)
                    .map(String::as_str)
                    .collect::<Vec<_>>()
                    .join("\n")
            };
            let (old, new) = (
                joined(|edit| edit.old_string.as_ref()),
                joined(|edit| edit.new_string.as_ref()),
            );
            edited(
                a.file_path,
                old,
                new,
                edits.iter().any(|edit| edit.replace_all == Some(true)),
            )
        }
        "NotebookEdit" => edited(
            a.notebook_path,
            String::new(),
            a.new_source.unwrap_or_default(),
            false,
        ),
        "Read" => Some(ToolDetail::Read { path: a.file_path? }),
        "Glob" | "Grep" => Some(ToolDetail::Search {
            query: match (a.pattern?, a.path) {
                (pattern, Some(path)) => format!("{pattern} in {path}"),
                (pattern, None) => pattern,
            },
        }),
        "WebFetch" => Some(ToolDetail::Fetch { target: a.url? }),
        "WebSearch" => Some(ToolDetail::Fetch { target: a.query? }),
        "Agent" | "Task" => Some(ToolDetail::Task {
            description: a.description.or(a.prompt)?,
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_become_details() {
        let command = ToolDetail::Command {
            command: "ls".into(),
            background: true,
        };
        assert_eq!(
            detail("Bash", r#"{"command":"ls","run_in_background":true}"#),
            command
        );
        let edit = |old: &str, new: &str, all| ToolDetail::Edit {
            path: "/a".into(),
            old: Payload::whole(old),
            new: Payload::whole(new),
            all,
        };
        let one = r#"{"file_path":"/a","old_string":"x","new_string":"y","replace_all":true}"#;
        assert_eq!(detail("Edit", one), edit("x", "y", true));
        let two = r#"{"file_path":"/a","edits":[{"old_string":"1","new_string":"2"},{"old_string":"3","new_string":"4"}]}"#;
        assert_eq!(detail("MultiEdit", two), edit("1\n3", "2\n4", false));
        let mcp = ToolDetail::Mcp {
            server: "my_srv".into(),
            tool: "add__up".into(),
        };
        assert_eq!(detail("mcp__my_srv__add__up", "{}"), mcp);
        assert_eq!(
            detail("WebFetch", r#"{"url":"https://h/"}"#),
            ToolDetail::Fetch {
                target: "https://h/".into()
            }
        );
        assert_eq!(
            detail("Task", r#"{"description":"d"}"#),
            ToolDetail::Task {
                description: "d".into()
            }
        );
    }

    #[test]
    fn incomplete_or_strange_arguments_are_shown_as_they_are() {
        for (tool, input) in [
            ("Bash", "{}"),
            ("Bash", r#"{"command":7}"#),
            ("Write", "[]"),
            ("Edit", "nonsense"),
            ("New", "{}"),
        ] {
            assert_eq!(detail(tool, input), ToolDetail::Other, "{tool} {input}");
        }
    }
}
