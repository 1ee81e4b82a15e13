//! The walls of the house: which crate may see which, and what may stand where. Each rule is also shown to be red on a
//! planted violation.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use paddock_tests::sources::{self, Source};
use serde_json::{Value, json};

/// Normal dependencies between our crates, as the table of rooms has them.
fn allowed() -> BTreeMap<&'static str, &'static [&'static str]> {
    BTreeMap::from([
        ("agent-domain", &[] as &[&str]),
        ("agent-adapters", &["agent-domain"]),
        ("agent-exec", &["agent-domain"]),
        ("agent-runtime", &["agent-domain", "agent-adapters", "agent-exec"]),
        ("paddock-store", &["agent-domain"]),
        (
            "paddock-host",
            &[
                "agent-domain",
                "agent-adapters",
                "agent-exec",
                "agent-runtime",
                "paddock-store",
                "practice-model",
            ],
        ),
        ("practice-model", &[]),
        ("paddock", &["paddock-host", "agent-domain"]),
        ("outside-adapter", &["agent-runtime"]),
        (
            "paddock-tests",
            &["agent-domain", "agent-runtime", "paddock-host", "practice-model"],
        ),
    ])
}

/// Crates that others embed.
const LIBRARIES: &[&str] = &["agent-domain", "agent-adapters", "agent-exec", "agent-runtime"];
/// Rust that they promise to build with.
const LIBRARY_RUST: (u32, u32) = (1, 88);

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn metadata() -> Value {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = |args: &[&str]| {
        let output = Command::new(&cargo)
            .args(args)
            .current_dir(root())
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap()
    };
    let about = output(&["-vV"]);
    let host = about
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .unwrap();
    let args = [
        "metadata",
        "--offline",
        "--locked",
        "--format-version",
        "1",
        "--filter-platform",
        host,
    ];
    serde_json::from_str(&output(&args)).unwrap()
}

fn all(sources: &[Source], rule: impl Fn(&Source) -> Vec<String>) -> Vec<String> {
    assert!(!sources.is_empty(), "nothing was read");
    sources.iter().flat_map(rule).collect()
}

fn none(wrong: &[String]) {
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

fn rust() -> Vec<Source> {
    sources::collect(&root(), &["src-tauri"], &["rs"])
}

fn planted(edges: &[(&str, &str)]) -> BTreeMap<String, Vec<(String, String)>> {
    let mut graph: BTreeMap<String, Vec<(String, String)>> = allowed()
        .keys()
        .map(|name| ((*name).to_owned(), vec![]))
        .collect();
    for (from, to) in edges {
        graph
            .entry((*from).to_owned())
            .or_default()
            .push(((*to).to_owned(), "normal".to_owned()));
    }
    graph
}

#[test]
fn crates_see_only_what_is_below_them() {
    let dependencies = sources::dependencies(&metadata());
    assert_eq!(
        dependencies.len(),
        allowed().len(),
        "crates: {:?}",
        dependencies.keys()
    );
    none(&sources::forbidden_edges(&dependencies, &allowed()));
}

#[test]
fn a_forbidden_edge_is_found() {
    let siblings = planted(&[("agent-adapters", "agent-exec"), ("agent-runtime", "agent-exec")]);
    assert_eq!(
        sources::forbidden_edges(&siblings, &allowed()),
        ["agent-adapters → agent-exec"]
    );
    let unknown = planted(&[("agent-common", "agent-domain")]);
    assert_eq!(
        sources::forbidden_edges(&unknown, &allowed()),
        ["agent-common has no place in the table"]
    );
}

#[test]
fn tauri_is_the_shell_s_alone() {
    none(&sources::dependents(
        &sources::dependencies(&metadata()),
        "tauri",
        &["paddock"],
    ));
    let wrong = planted(&[("paddock-host", "tauri-plugin-opener")]);
    assert_eq!(
        sources::dependents(&wrong, "tauri", &["paddock"]),
        ["paddock-host → tauri-plugin-opener"]
    );
}

#[test]
fn the_database_is_the_store_s_alone() {
    none(&sources::dependents(
        &sources::dependencies(&metadata()),
        "sqlx",
        &["paddock-store"],
    ));
    let wrong = planted(&[("paddock-host", "sqlx")]);
    assert_eq!(sources::dependents(&wrong, "sqlx", &["paddock-store"]).len(), 1);
    none(&all(&rust(), sources::sql));
}

#[test]
fn sql_outside_the_store_is_found() {
    for text in [
        "let q = \"SELECT id FROM chats\";",
        "run(\"UPDATE chats SET title = ?\")",
        "sqlx::query(\"x\")",
    ] {
        let path = "src-tauri/crates/paddock-host/src/chats.rs";
        assert_eq!(sources::sql(&Source::new(path, text)).len(), 1, "{text}");
        assert!(sources::sql(&Source::new("src-tauri/crates/paddock-store/src/chats.rs", text)).is_empty());
    }
}

#[test]
fn processes_are_started_in_one_module() {
    none(&all(&rust(), sources::spawns));
}

#[test]
fn a_process_started_elsewhere_is_found() {
    let text = "fn f() {\n    std::process::Command::new(\"ls\");\n}\n";
    assert_eq!(
        sources::spawns(&Source::new("src-tauri/crates/paddock-host/src/x.rs", text)).len(),
        1
    );
    assert_eq!(
        sources::spawns(&Source::new("src-tauri/src/main.rs", text)).len(),
        1
    );
    assert!(
        sources::spawns(&Source::new(
            "src-tauri/crates/agent-exec/src/process/mod.rs",
            text
        ))
        .is_empty()
    );
    assert!(sources::spawns(&Source::new("src-tauri/crates/agent-exec/tests/local.rs", text)).is_empty());
    let test = format!("fn f() {{}}\n#[cfg(test)]\nmod tests {{\n{text}}}\n");
    assert!(sources::spawns(&Source::new("src-tauri/crates/agent-exec/src/files.rs", &test)).is_empty());
    let spec = "let command = CommandSpec::new(\"ls\");";
    assert!(sources::spawns(&Source::new("src-tauri/src/main.rs", spec)).is_empty());
}

#[test]
fn the_web_ui_knows_tauri_in_one_folder() {
    let ui = sources::collect(&root(), &["ui/src"], &["ts", "tsx"]);
    none(&all(&ui, sources::tauri_imports));
    let text = "import { invoke } from '@tauri-apps/api/core'";
    assert_eq!(
        sources::tauri_imports(&Source::new("ui/src/features/chat/send.ts", text)).len(),
        1
    );
    assert!(sources::tauri_imports(&Source::new("ui/src/host/bridge.ts", text)).is_empty());
}

#[test]
fn the_runtime_names_no_harness() {
    let runtime = sources::collect(&root(), &["src-tauri/crates/agent-runtime/src"], &["rs"]);
    none(&all(&runtime, sources::harness_names));
}

#[test]
fn a_harness_named_in_the_runtime_is_found() {
    let path = "src-tauri/crates/agent-runtime/src/turn/drive.rs";
    let named = "if provider == \"claude\" { extra() }";
    assert_eq!(sources::harness_names(&Source::new(path, named)).len(), 1);
    let joined = "#[cfg(feature = \"claude\")]\npub use agent_adapters::claude::Claude;\nuse codex::X;";
    assert_eq!(
        sources::harness_names(&Source::new(path, joined)),
        [format!("{path}:3: use codex::X;")]
    );
    assert!(sources::harness_names(&Source::new(path, "// claude is named in a comment")).is_empty());
}

#[test]
fn the_libraries_build_with_the_promised_rust() {
    none(&sources::too_new(&metadata(), LIBRARIES, LIBRARY_RUST));
}

#[test]
fn a_dependency_that_needs_a_newer_rust_is_found() {
    let package = |name: &str, source: Value, rust: Value| json!({"name": name, "id": name, "version": "1.0.0", "source": source, "rust_version": rust});
    let dep = |name: &str, kind: Value| json!({"pkg": name, "dep_kinds": [{"kind": kind}]});
    let graph = json!({
        "packages": [
            package("agent-domain", Value::Null, json!("1.88")),
            package("middle", json!("registry"), Value::Null),
            package("new", json!("registry"), json!("1.89.1")),
            package("new-in-tests", json!("registry"), json!("1.95")),
        ],
        "resolve": {"nodes": [
            {"id": "agent-domain", "deps": [dep("middle", Value::Null), dep("new-in-tests", json!("dev"))]},
            {"id": "middle", "deps": [dep("new", Value::Null)]},
            {"id": "new", "deps": []},
            {"id": "new-in-tests", "deps": []},
        ]},
    });
    let found = sources::too_new(&graph, &["agent-domain"], LIBRARY_RUST);
    assert_eq!(found, ["\"new\" \"1.0.0\" needs Rust 1.89.1"]);
}

#[test]
fn long_files_say_why() {
    let mut files = rust();
    files.extend(sources::collect(
        &root(),
        &["ui/src", "ui/tests"],
        &["ts", "tsx", "css"],
    ));
    files.extend(sources::collect(&root(), &["tests"], &["rs", "mjs"]));
    none(&all(&files, sources::long_files));
}

#[test]
fn a_long_file_without_a_word_is_found() {
    let body = "x\n".repeat(sources::LONG_FILE_LINES + 1);
    assert_eq!(sources::long_files(&Source::new("a.rs", &body)).len(), 1);
    assert_eq!(
        sources::long_files(&Source::new("a.rs", &format!("//! Frames.\n{body}"))).len(),
        1
    );
    let said = format!(
        "//! Frames. Longer than most files: one state machine, and half of it are its tests.\n{body}"
    );
    assert!(sources::long_files(&Source::new("a.rs", &said)).is_empty());
    let late = format!(
        "{}// generated by x\n{body}",
        "\n".repeat(sources::EXPLAINED_WITHIN)
    );
    assert_eq!(sources::long_files(&Source::new("a.ts", &late)).len(), 1);
}

#[test]
fn the_top_level_holds_what_was_agreed() {
    let names: Vec<String> = std::fs::read_dir(root())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    none(&sources::top_level(names.iter().map(String::as_str)));
    assert_eq!(
        sources::top_level(["README.md", "notes.txt", ".npmrc", "scripts"]),
        ["notes.txt", "scripts"]
    );
}

/// A path that prose names in backticks: below the root, below the crates, or beside the file that was named before it.
fn named_paths(text: &str) -> Vec<&str> {
    let ends = [".rs", ".ts", ".tsx", ".mjs", ".json", ".md", ".in", ".txt"];
    text.split('`')
        .skip(1)
        .step_by(2)
        .filter(|name| name.contains('/') && ends.iter().any(|end| name.ends_with(end)))
        .filter(|name| !name.contains(['*', ' ', '<', '{', '~']))
        .collect()
}

#[test]
fn the_files_that_the_documents_name_exist() {
    let mut wrong = Vec::new();
    let mut found = 0;
    for document in ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md", "SECURITY.md"] {
        let text = std::fs::read_to_string(root().join(document)).unwrap();
        for name in named_paths(&text) {
            found += 1;
            let there = [root().join(name), root().join("src-tauri/crates").join(name)];
            if !there.iter().any(|path| path.exists()) {
                wrong.push(format!("{document}: {name}"));
            }
        }
    }
    assert!(found > 15, "only {found} were read");
    none(&wrong);
}

#[test]
fn a_path_in_prose_is_found() {
    assert_eq!(named_paths("see `a/b.rs` and `c.rs`, `d/*.rs`"), ["a/b.rs"]);
}
