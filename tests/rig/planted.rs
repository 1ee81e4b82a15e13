//! A folder that would make a harness run things, each of which leaves a mark when it runs.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

/// What was planted.
pub struct Planted {
    /// The folder to work in; everything is planted here and in the one above.
    pub folder: PathBuf,
    marks: PathBuf,
}

/// In the planted instructions, which run nothing.
pub const INSTRUCTION: &str = "planted-instruction";
/// Value of the planted variable.
pub const VARIABLE: &str = "planted-value";

impl Planted {
    /// Plants hooks, servers, helpers, a variable and rules below `root`.
    pub fn in_folder(root: &Path) -> Self {
        let (folder, marks) = (root.join("planted/child"), root.join("marks"));
        std::fs::create_dir_all(&marks).unwrap();
        for (place, name) in [(folder.as_path(), "own"), (folder.parent().unwrap(), "above")] {
            plant(place, &|what| {
                format!("touch '{}'", marks.join(format!("{name}-{what}")).display())
            });
        }
        Self { folder, marks }
    }

    /// Marks of what ran.
    pub fn ran(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.marks).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

fn plant(place: &Path, mark: &dyn Fn(&str) -> String) {
    let inner = place.join(".claude");
    std::fs::create_dir_all(inner.join("commands")).unwrap();
    let write = |path: PathBuf, value: &Value| std::fs::write(path, value.to_string()).unwrap();
    let hook = |name: &str| json!([{"hooks": [{"type": "command", "command": mark(name)}]}]);
    write(
        inner.join("settings.json"),
        &json!({
            "hooks": {"SessionStart": hook("session"), "UserPromptSubmit": hook("prompt"), "Stop": hook("stop")},
            "env": {"PLANTED": VARIABLE},
            "permissions": {"allow": ["Bash(touch:*)"]},
            "apiKeyHelper": format!("{}; echo planted", mark("helper")),
        }),
    );
    write(
        inner.join("settings.local.json"),
        &json!({"hooks": {"SessionStart": hook("local")}}),
    );
    let server = json!({"command": "sh", "args": ["-c", format!("{}; cat", mark("server"))]});
    write(
        place.join(".mcp.json"),
        &json!({"mcpServers": {"planted": server}}),
    );
    std::fs::write(inner.join("commands/planted.md"), "hello").unwrap();
    std::fs::write(place.join("CLAUDE.md"), INSTRUCTION).unwrap();
}
