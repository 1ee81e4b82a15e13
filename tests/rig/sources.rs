//! The rules of the house as functions over text and metadata. Each returns what breaks it, one line each, so that a
//! planted violation can be shown to be found.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

/// Longest source file that needs no explanation, in lines.
pub const LONG_FILE_LINES: usize = 500;
/// Lines at the top of a long file that may hold the explanation.
pub const EXPLAINED_WITHIN: usize = 5;

/// A file of the checkout.
#[derive(Debug, Clone)]
pub struct Source {
    /// Path from the top, with slashes.
    pub path: String,
    /// Its text.
    pub text: String,
}

impl Source {
    /// For planted violations.
    pub fn new(path: &str, text: &str) -> Self {
        Self {
            path: path.into(),
            text: text.into(),
        }
    }

    /// Lines with their numbers, without comments and without the tests at the end.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let tests = self.text.find("#[cfg(test)]\nmod ").unwrap_or(self.text.len());
        let lines = self.text[..tests].lines().enumerate();
        lines
            .map(|(n, line)| (n + 1, line.trim()))
            .filter(|(_, line)| !line.starts_with("//"))
    }

    fn found(&self, wrong: impl Fn(&str) -> bool) -> Vec<String> {
        self.code()
            .filter(|(_, line)| wrong(line))
            .map(|(n, line)| format!("{}:{n}: {line}", self.path))
            .collect()
    }

    fn is_test(&self) -> bool {
        ["/tests/", "/examples/", "/benches/"]
            .iter()
            .any(|part| self.path.contains(part))
            || self.path.starts_with("tests/")
            || self.path.ends_with("build.rs")
            || self.path.ends_with("_tests.rs")
    }
}

/// Text files below `folders` with one of these extensions. Build outputs and packages are not entered.
pub fn collect(root: &Path, folders: &[&str], extensions: &[&str]) -> Vec<Source> {
    fn walk(root: &Path, folder: &Path, extensions: &[&str], found: &mut Vec<Source>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            if path.is_dir() {
                let skipped = [
                    "target",
                    "node_modules",
                    "dist",
                    "dist-mock",
                    "gen",
                    ".artifacts",
                    "recordings",
                ];
                if !skipped.contains(&name.as_str()) {
                    walk(root, &path, extensions, found);
                }
            } else if path
                .extension()
                .is_some_and(|end| extensions.iter().any(|wanted| end == *wanted))
                && let (Ok(text), Ok(short)) = (std::fs::read_to_string(&path), path.strip_prefix(root))
            {
                found.push(Source {
                    path: short.to_string_lossy().replace('\\', "/"),
                    text,
                });
            }
        }
    }
    let mut found = Vec::new();
    for folder in folders {
        walk(root, &root.join(folder), extensions, &mut found);
    }
    found
}

/// Dependencies of the workspace's own crates, by crate: name and kind (`normal`, `dev`, `build`).
pub fn dependencies(metadata: &Value) -> BTreeMap<String, Vec<(String, String)>> {
    let packages = metadata["packages"].as_array().expect("packages");
    let own = packages.iter().filter(|package| package["source"].is_null());
    own.map(|package| {
        let listed = package["dependencies"].as_array().expect("dependencies");
        let dependency = |dependency: &Value| {
            let kind = dependency["kind"].as_str().unwrap_or("normal");
            (text(&dependency["name"]), kind.to_owned())
        };
        (text(&package["name"]), listed.iter().map(dependency).collect())
    })
    .collect()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Edges between our crates that the table of rooms does not have. A crate that the table lacks is one too.
pub fn forbidden_edges(
    dependencies: &BTreeMap<String, Vec<(String, String)>>,
    allowed: &BTreeMap<&str, &[&str]>,
) -> Vec<String> {
    let mut wrong = Vec::new();
    for (name, listed) in dependencies {
        let Some(may) = allowed.get(name.as_str()) else {
            wrong.push(format!("{name} has no place in the table"));
            continue;
        };
        let ours = listed
            .iter()
            .filter(|(to, kind)| kind == "normal" && dependencies.contains_key(to));
        wrong.extend(
            ours.filter(|(to, _)| !may.contains(&to.as_str()))
                .map(|(to, _)| format!("{name} → {to}")),
        );
    }
    wrong
}

/// Crates outside `may` that depend on a crate of this name or family (`tauri`, `tauri-…`).
pub fn dependents(
    dependencies: &BTreeMap<String, Vec<(String, String)>>,
    family: &str,
    may: &[&str],
) -> Vec<String> {
    let is_of = |name: &str| name == family || name.starts_with(&format!("{family}-"));
    let outside = dependencies
        .iter()
        .filter(|(name, _)| !may.contains(&name.as_str()));
    outside
        .flat_map(|(name, listed)| listed.iter().map(move |(to, _)| (name, to)))
        .filter(|(_, to)| is_of(to))
        .map(|(name, to)| format!("{name} → {to}"))
        .collect()
}

/// Normal dependencies of `roots`, transitively, that need a Rust newer than `most` (major, minor).
pub fn too_new(metadata: &Value, roots: &[&str], most: (u32, u32)) -> Vec<String> {
    let packages = metadata["packages"].as_array().expect("packages");
    let nodes = metadata["resolve"]["nodes"].as_array().expect("a resolved graph");
    let by_id: BTreeMap<String, &Value> = packages.iter().map(|p| (text(&p["id"]), p)).collect();
    let is_root = |p: &&Value| {
        roots
            .iter()
            .any(|root| p["name"] == *root && p["source"].is_null())
    };
    let mut waiting: Vec<String> = packages.iter().filter(is_root).map(|p| text(&p["id"])).collect();
    assert_eq!(waiting.len(), roots.len(), "every root exists");
    let mut seen = BTreeSet::new();
    while let Some(id) = waiting.pop() {
        if !seen.insert(id.clone()) {
            continue;
        }
        let node = nodes
            .iter()
            .find(|node| node["id"] == id.as_str())
            .expect("a node");
        let deps = node["deps"].as_array().expect("deps").iter();
        let normal = |dep: &&Value| {
            let mut kinds = dep["dep_kinds"].as_array().expect("dep_kinds").iter();
            kinds.any(|kind| kind["kind"].is_null())
        };
        waiting.extend(deps.filter(normal).map(|dep| text(&dep["pkg"])));
    }
    let newer = |id: &String| {
        let package = by_id.get(id)?;
        let version = package["rust_version"].as_str()?;
        let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
        let needs = (parts.next()?, parts.next().unwrap_or(0));
        (needs > most).then(|| format!("{} {} needs Rust {version}", package["name"], package["version"]))
    };
    seen.iter().filter_map(newer).collect()
}

/// Processes started outside the one module that may.
pub fn spawns(source: &Source) -> Vec<String> {
    let allowed = source
        .path
        .starts_with("src-tauri/crates/agent-exec/src/process/");
    if allowed || source.is_test() {
        return Vec::new();
    }
    source.found(|line| {
        [
            "Command::new(",
            "process::Command",
            "CommandWrap",
            "posix_spawn",
            "std::process::Child",
        ]
        .iter()
        .any(|sign| line.contains(sign))
    })
}

/// SQL outside the store.
pub fn sql(source: &Source) -> Vec<String> {
    if source.path.starts_with("src-tauri/crates/paddock-store/") || source.is_test() {
        return Vec::new();
    }
    source.found(|line| {
        [
            "INSERT INTO ",
            "DELETE FROM ",
            "CREATE TABLE ",
            "PRAGMA ",
            "sqlx::",
        ]
        .iter()
        .any(|sign| line.contains(sign))
            || line.contains("SELECT ") && line.contains(" FROM ")
            || line.contains("UPDATE ") && line.contains(" SET ")
    })
}

/// Tauri in the web UI outside its one folder.
pub fn tauri_imports(source: &Source) -> Vec<String> {
    if source.path.starts_with("ui/src/host/") {
        return Vec::new();
    }
    source.found(|line| line.contains("@tauri-apps/"))
}

/// Harnesses named in the runtime. A line under `cfg(feature = …)` may: it joins an adapter in or leaves it out.
pub fn harness_names(source: &Source) -> Vec<String> {
    // The one-shot document names its agents in an enum; tests need one to try.
    if source.path.ends_with("agent-runtime/src/oneshot/agent.rs") {
        return Vec::new();
    }
    const NAMES: &[&str] = &["claude", "codex", "opencode", "copilot", "anthropic", "openai"];
    let mut wrong = Vec::new();
    let mut joined = false;
    for (n, line) in source.code() {
        let gate = line.starts_with("#[cfg(feature");
        let lower = line.to_lowercase();
        if !gate && !joined && NAMES.iter().any(|name| lower.contains(name)) {
            wrong.push(format!("{}:{n}: {line}", source.path));
        }
        joined = gate;
    }
    wrong
}

/// Files that are long and do not say why at their top.
pub fn long_files(source: &Source) -> Vec<String> {
    let lines = source.text.lines().count();
    let explained = source.text.lines().take(EXPLAINED_WITHIN).any(|line| {
        let line = line.trim().to_lowercase();
        let comment = ["//", "/*", "*", "#"].iter().any(|start| line.starts_with(start));
        comment
            && ["longer than", "more than 500", "generated by", "one piece"]
                .iter()
                .any(|why| line.contains(why))
    });
    if lines <= LONG_FILE_LINES || explained {
        return Vec::new();
    }
    vec![format!(
        "{}: {lines} lines and no word about why in the first {EXPLAINED_WITHIN}",
        source.path
    )]
}

/// Names at the top of the checkout that were not agreed on.
pub fn top_level<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    const AGREED: &[&str] = &[
        "Cargo.toml",
        "Cargo.lock",
        "package.json",
        "package-lock.json",
        "README.md",
        "LICENSE",
        "CHANGELOG.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "migrations",
        "src-tauri",
        "ui",
        "tests",
    ];
    // Made by the build and ignored by git.
    const MADE: &[&str] = &["target", "node_modules"];
    names
        .into_iter()
        .filter(|name| !name.starts_with('.') && !AGREED.contains(name) && !MADE.contains(name))
        .map(str::to_owned)
        .collect()
}
