//! Every copy of a program, and which one is used.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::login_shell::EnvironmentSource;
use crate::process::shebang;

/// Most versions of a version manager that are looked at.
const MAX_VERSIONS: usize = 64;

/// Why a folder is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PathOrigin {
    /// In the `PATH` of the login shell.
    LoginShell,
    /// In the `PATH` this app was started with.
    Process,
    /// A place where installers put programs.
    Known,
    /// A version that its version manager has not selected. Searched, not passed on to children.
    OtherVersion,
}

/// A folder that is searched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathEntry {
    /// The folder.
    pub folder: PathBuf,
    /// Why.
    pub origin: PathOrigin,
}

/// How a copy was probably installed, judged by where it lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum InstallKind {
    /// A package of a Node that no version manager keeps.
    Npm,
    /// A package of a Node kept by nvm.
    Nvm,
    /// A package of a Node kept by fnm.
    Fnm,
    /// Volta's shim.
    Volta,
    /// asdf's shim.
    Asdf,
    /// mise's shim.
    Mise,
    /// Bun's global folder.
    Bun,
    /// pnpm's global folder.
    Pnpm,
    /// Homebrew or Linuxbrew.
    Homebrew,
    /// Cargo.
    Cargo,
    /// Snap.
    Snap,
    /// Nix.
    Nix,
    /// A vendor's installer in the user's home.
    Native,
    /// The system's own folders.
    System,
    /// None of these.
    Other,
}

/// Whether a copy can run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum ExecutableState {
    /// It can.
    Ready,
    /// It is a script, and what runs it was not found.
    InterpreterMissing {
        /// What it names, for example `node`.
        interpreter: String,
    },
    /// The file's permissions forbid it.
    NotExecutable,
}

/// One copy of a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundExecutable {
    /// Where it was found.
    pub path: PathBuf,
    /// What it leads to.
    pub resolved: PathBuf,
    /// How it was probably installed.
    pub install: InstallKind,
    /// Whether it can run.
    pub state: ExecutableState,
    /// Its folder is searched for this reason.
    pub origin: PathOrigin,
    /// This copy is started when the program is named.
    pub used: bool,
    /// Why it is used or not, for display.
    pub reason: String,
}

/// All copies of a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExecutableSearch {
    /// In the order in which they would be used.
    pub found: Vec<FoundExecutable>,
    /// Where was looked, in that order.
    pub looked_in: Vec<PathBuf>,
    /// Where the search path came from.
    pub source: EnvironmentSource,
}

impl ExecutableSearch {
    /// The copy that is started when the program is named.
    pub fn used(&self) -> Option<&FoundExecutable> {
        self.found.iter().find(|found| found.used)
    }
}

/// The folders to search: the login shell's, the process's, then known places that exist. Each once.
pub fn search_path(
    shell: Option<&OsStr>,
    process: Option<&OsStr>,
    home: &Path,
    more: &[PathBuf],
) -> Vec<PathEntry> {
    let mut seen = HashSet::new();
    let listed = |list: Option<&OsStr>| {
        list.map(|l| std::env::split_paths(l).collect())
            .unwrap_or_default()
    };
    let (shell, process): (Vec<PathBuf>, Vec<PathBuf>) = (listed(shell), listed(process));
    let (selected, others) = node_versions(home);
    let known = more
        .iter()
        .cloned()
        .chain(known_folders(home))
        .chain(selected)
        .filter(|folder| folder.is_dir());
    let tagged = |origin| move |folder| PathEntry { folder, origin };
    shell
        .into_iter()
        .map(tagged(PathOrigin::LoginShell))
        .chain(process.into_iter().map(tagged(PathOrigin::Process)))
        .chain(known.map(tagged(PathOrigin::Known)))
        .chain(others.into_iter().map(tagged(PathOrigin::OtherVersion)))
        // A relative entry would mean another folder in every chat.
        .filter(|entry| entry.folder.is_absolute() && seen.insert(entry.folder.clone()))
        .collect()
}

/// The `PATH` of a child.
pub fn joined(path: &[PathEntry]) -> OsString {
    let folders = path
        .iter()
        .filter(|entry| entry.origin != PathOrigin::OtherVersion)
        .map(|entry| &entry.folder);
    // A folder with the separator in its name cannot be in a PATH.
    let separator = if cfg!(windows) { ';' } else { ':' };
    let folders = folders.filter(|folder| !folder.to_string_lossy().contains(separator));
    std::env::join_paths(folders).unwrap_or_default()
}

fn known_folders(home: &Path) -> Vec<PathBuf> {
    let in_home = [
        ".local/bin",
        "bin",
        ".cargo/bin",
        ".bun/bin",
        ".npm-global/bin",
        ".volta/bin",
        ".asdf/shims",
        ".local/share/mise/shims",
        ".local/share/pnpm",
        "Library/pnpm",
        ".nix-profile/bin",
        "AppData/Roaming/npm",
    ];
    let anywhere = [
        "/usr/local/bin",
        "/opt/homebrew/bin",
        "/home/linuxbrew/.linuxbrew/bin",
        "/usr/bin",
        "/bin",
        "/snap/bin",
    ];
    in_home
        .iter()
        .map(|folder| home.join(folder))
        .chain(anywhere.iter().map(PathBuf::from))
        .collect()
}

/// The `bin` folder of the selected Node of nvm and fnm, and those of the others, newest first.
fn node_versions(home: &Path) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let nvm = home.join(".nvm/versions/node");
    let fnm = home.join(".local/share/fnm/node-versions");
    let alias = std::fs::read_to_string(home.join(".nvm/alias/default")).unwrap_or_default();
    let mut selected = Vec::new();
    let mut others = Vec::new();
    for (root, inner, wanted) in [(nvm, "bin", alias.trim()), (fnm, "installation/bin", "")] {
        let mut versions = versions(&root);
        if versions.is_empty() {
            continue;
        }
        let wanted = wanted.trim_start_matches('v');
        let is_wanted = |name: &str| {
            let name = name.trim_start_matches('v');
            !wanted.is_empty() && (name == wanted || name.starts_with(&format!("{wanted}.")))
        };
        let index = versions.iter().position(|(_, name)| is_wanted(name)).unwrap_or(0);
        let (_, chosen) = versions.remove(index);
        selected.push(root.join(chosen).join(inner));
        others.extend(versions.into_iter().map(|(_, name)| root.join(name).join(inner)));
    }
    (selected, others)
}

/// Version folders, newest first.
fn versions(root: &Path) -> Vec<((u64, u64, u64), String)> {
    let Ok(entries) = std::fs::read_dir(root) else {
        return Vec::new();
    };
    let names = entries
        .take(MAX_VERSIONS)
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut all: Vec<_> = names
        .filter_map(|name| Some((agent_domain::harness::version_triple(&name)?, name)))
        .collect();
    all.sort_by(|a, b| b.cmp(a));
    all
}

/// Looks for a program. Blocking. A name with a separator is a path and only that is looked at.
pub fn search(name: &str, path: &[PathEntry], home: &Path, source: EnvironmentSource) -> ExecutableSearch {
    let mut found: Vec<FoundExecutable> = Vec::new();
    let mut seen = HashSet::new();
    let candidates: Vec<(PathBuf, PathOrigin)> = if is_path(name) {
        vec![(PathBuf::from(name), PathOrigin::Known)]
    } else {
        let names = file_names(name);
        let all = path
            .iter()
            .flat_map(|entry| names.iter().map(|n| (entry.folder.join(n), entry.origin)));
        all.collect()
    };
    for (file, origin) in candidates {
        let Ok(resolved) = file.canonicalize() else {
            continue;
        };
        if resolved.is_file() && seen.insert(resolved.clone()) {
            let state = state(&file, &resolved, path);
            let install = install_kind(&file, &resolved, home);
            let reason = String::new();
            found.push(FoundExecutable {
                path: file,
                resolved,
                install,
                state,
                origin,
                used: false,
                reason,
            });
        }
    }
    explain(&mut found);
    ExecutableSearch {
        found,
        looked_in: path.iter().map(|entry| entry.folder.clone()).collect(),
        source,
    }
}

/// Says of each copy why it is used or not.
fn explain(found: &mut [FoundExecutable]) {
    let first = found.iter().position(|copy| copy.state == ExecutableState::Ready);
    let winner = first.map(|index| found[index].path.display().to_string());
    for (index, copy) in found.iter_mut().enumerate() {
        copy.used = Some(index) == first;
        copy.reason = match (&copy.state, copy.used, copy.origin) {
            (ExecutableState::InterpreterMissing { interpreter }, ..) => {
                format!("it needs `{interpreter}`, which was not found")
            }
            (ExecutableState::NotExecutable, ..) => "its file permissions do not allow to run it".to_owned(),
            (_, true, PathOrigin::LoginShell) => "first in the PATH of your login shell".to_owned(),
            (_, true, PathOrigin::Process) => "first in the PATH this app was started with".to_owned(),
            (_, true, PathOrigin::Known) => {
                "the only usable copy outside your PATH that comes first".to_owned()
            }
            (_, true, PathOrigin::OtherVersion) => "only this version of Node has it".to_owned(),
            (_, false, _) => format!("{} comes first", winner.as_deref().unwrap_or_default()),
        };
    }
}

/// The first copy that can run, in the folders of a `PATH`.
pub(crate) fn first_in(name: &str, path: &OsStr) -> Option<PathBuf> {
    let names = file_names(name);
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .flat_map(|folder| {
            names
                .iter()
                .map(move |name| folder.join(name))
                .collect::<Vec<_>>()
        })
        .find(|file| file.is_file() && may_run(file))
}

/// Whether a program is named by a path.
pub(crate) fn is_path(name: &str) -> bool {
    name.chars().any(std::path::is_separator)
}

/// File names of a program: on Windows with the extensions that can be started, a real executable first.
fn file_names(name: &str) -> Vec<String> {
    if cfg!(windows) && Path::new(name).extension().is_none() {
        return ["exe", "com", "cmd", "bat"]
            .iter()
            .map(|extension| format!("{name}.{extension}"))
            .collect();
    }
    vec![name.to_owned()]
}

fn state(file: &Path, resolved: &Path, path: &[PathEntry]) -> ExecutableState {
    if !may_run(resolved) {
        return ExecutableState::NotExecutable;
    }
    let Some(interpreter) = shebang(resolved).and_then(|words| interpreter(&words)) else {
        return ExecutableState::Ready;
    };
    let beside = file.parent().map(|folder| folder.join(&interpreter));
    let exists = if is_path(&interpreter) {
        may_run(Path::new(&interpreter))
    } else {
        let passed_on = path
            .iter()
            .filter(|entry| entry.origin != PathOrigin::OtherVersion);
        passed_on
            .map(|entry| entry.folder.join(&interpreter))
            .chain(beside)
            .any(|file| may_run(&file))
    };
    if exists {
        ExecutableState::Ready
    } else {
        ExecutableState::InterpreterMissing { interpreter }
    }
}

/// What a `#!` line starts in the end: the program after `env`, its options and its variables.
fn interpreter(words: &[String]) -> Option<String> {
    let (first, rest) = words.split_first()?;
    if Path::new(first).file_name() == Some(OsStr::new("env")) {
        return rest
            .iter()
            .find(|word| !word.starts_with('-') && !word.contains('='))
            .cloned();
    }
    Some(first.clone())
}

#[cfg(unix)]
fn may_run(file: &Path) -> bool {
    file.is_file() && nix::unistd::access(file, nix::unistd::AccessFlags::X_OK).is_ok()
}

#[cfg(not(unix))]
fn may_run(file: &Path) -> bool {
    file.is_file()
}

fn install_kind(file: &Path, resolved: &Path, home: &Path) -> InstallKind {
    let both = format!("{}\n{}", file.display(), resolved.display()).replace('\\', "/");
    let by_part = [
        ("/.nvm/", InstallKind::Nvm),
        ("/fnm", InstallKind::Fnm),
        ("/.volta/", InstallKind::Volta),
        ("/.asdf/", InstallKind::Asdf),
        ("/mise/", InstallKind::Mise),
        ("/.bun/", InstallKind::Bun),
        ("/pnpm", InstallKind::Pnpm),
        ("/Cellar/", InstallKind::Homebrew),
        ("/Caskroom/", InstallKind::Homebrew),
        ("/homebrew/", InstallKind::Homebrew),
        ("/.linuxbrew/", InstallKind::Homebrew),
        ("/.cargo/bin/", InstallKind::Cargo),
        ("/snap/", InstallKind::Snap),
        ("/nix/store/", InstallKind::Nix),
        ("/node_modules/", InstallKind::Npm),
        ("/Roaming/npm/", InstallKind::Npm),
        ("/.npm-global/", InstallKind::Npm),
    ];
    if let Some((_, kind)) = by_part.iter().find(|(part, _)| both.contains(part)) {
        return *kind;
    }
    let system = ["/usr", "/bin", "/sbin", "/opt", "/Applications"];
    match file {
        file if file.starts_with(home) => InstallKind::Native,
        file if system.iter().any(|root| file.starts_with(root)) => InstallKind::System,
        _ => InstallKind::Other,
    }
}
