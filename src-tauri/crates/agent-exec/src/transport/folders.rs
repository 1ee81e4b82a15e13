//! Folder completion while a person types.
//!
//! Folders only, one level, never recursive. A folder with very many entries, one that may not be read and one on a
//! disk that does not answer give what is known in time; a newer request makes an older one stop.

use std::collections::BinaryHeap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;

use super::folder_notes::{is_git, notes};
use crate::error::{TransportError, TransportErrorKind};

/// Longest input, in bytes.
pub const MAX_INPUT_BYTES: usize = 4_096;
/// Most suggestions of one request.
pub const MAX_SUGGESTIONS: usize = 50;
/// Time for reading a folder; what was read by then is the answer.
pub const SCAN_BOUND: Duration = Duration::from_millis(600);
/// Longest wait for an answer, on a disk that does not answer.
pub const SUGGEST_BOUND: Duration = Duration::from_millis(1_500);
/// Most entries that are read of one folder.
pub const MAX_ENTRIES: usize = 500_000;
/// Most looks that may hang at the same time; further requests are refused.
pub const MAX_HANGING: usize = 8;
/// Entries between two looks at the clock.
const CHECK_EVERY: usize = 256;

/// Something to know about a folder before working in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DirectoryNote {
    /// The home folder itself.
    Home,
    /// The root of the disk.
    Root,
    /// The downloads folder.
    Downloads,
    /// Copied to other computers by a synchronising service.
    Synced,
    /// On another computer.
    Network,
    /// In a git repository.
    GitRepository,
    /// Not in a git repository: changes cannot be undone by git.
    NotGit,
    /// Its entries may not be read.
    Unreadable,
    /// Files cannot be made in it.
    ReadOnly,
}

/// One suggestion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DirectorySuggestion {
    /// Absolute path.
    pub path: String,
    /// The path with `~` for the home folder.
    pub display: String,
    /// It is the top of a git repository.
    pub is_git: bool,
}

/// Answer to one input.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DirectorySuggestions {
    /// The home folder on the target.
    pub home: String,
    /// The folder itself first if the input names one, then what completes it.
    pub directories: Vec<DirectorySuggestion>,
    /// The input names a folder: the first suggestion.
    pub exact_match: bool,
    /// What the input can be completed to without a choice, in the way it was typed; absent: nothing to add.
    pub common_prefix: Option<String>,
    /// About the folder that the input names.
    pub notes: Vec<DirectoryNote>,
    /// Not every entry was looked at.
    pub incomplete: bool,
    /// Why the entries could not be read, for display.
    pub problem: Option<String>,
    /// A newer request came; this answer is empty or partial.
    pub superseded: bool,
}

/// One entry of a folder.
pub(crate) struct Entry {
    pub(crate) name: String,
    /// `None`: a link, which must be followed to know.
    pub(crate) is_dir: Option<bool>,
}

/// Entries of a folder as they come.
pub(crate) type Entries = Box<dyn Iterator<Item = io::Result<Option<Entry>>>>;

/// What completion needs of a disk.
pub(crate) trait Disk: Send + Sync {
    /// Entries of a folder; `None` for one whose name is not Unicode and so cannot be typed.
    fn entries(&self, folder: &Path) -> io::Result<Entries>;
    /// Whether this is a folder, links followed.
    fn is_dir(&self, path: &Path) -> bool;
}

/// This computer's disk.
pub(crate) struct LocalDisk;

impl Disk for LocalDisk {
    fn entries(&self, folder: &Path) -> io::Result<Entries> {
        Ok(Box::new(std::fs::read_dir(folder)?.map(|entry| {
            let entry = entry?;
            let kind = entry.file_type()?;
            let is_dir = (!kind.is_symlink()).then(|| kind.is_dir());
            Ok(entry
                .file_name()
                .into_string()
                .ok()
                .map(|name| Entry { name, is_dir }))
        })))
    }

    fn is_dir(&self, path: &Path) -> bool {
        path.is_dir()
    }
}

/// Answers requests; the newest wins.
pub(crate) struct Folders {
    disk: Arc<dyn Disk>,
    home: PathBuf,
    newest: Arc<AtomicU64>,
    hanging: Arc<Semaphore>,
}

impl Folders {
    pub(crate) fn new(disk: Arc<dyn Disk>, home: PathBuf) -> Self {
        Self {
            disk,
            home,
            newest: Arc::default(),
            hanging: Arc::new(Semaphore::new(MAX_HANGING)),
        }
    }

    pub(crate) async fn suggest(
        &self,
        input: &str,
        limit: usize,
    ) -> Result<DirectorySuggestions, TransportError> {
        let invalid = |text: &str| TransportError::new(TransportErrorKind::InvalidConfiguration, text);
        if input.len() > MAX_INPUT_BYTES || input.contains('\0') {
            return Err(invalid("a folder is at most 4,096 bytes without NUL"));
        }
        if !(1..=MAX_SUGGESTIONS).contains(&limit) {
            return Err(invalid("between 1 and 50 suggestions"));
        }
        let number = self.newest.fetch_add(1, Ordering::SeqCst) + 1;
        let silent = || {
            let text = "the disk of this folder does not answer";
            TransportError::retryable(TransportErrorKind::RemoteUnavailable, text)
        };
        let permit = self.hanging.clone().try_acquire_owned().map_err(|_| silent())?;
        let (disk, newest) = (self.disk.clone(), self.newest.clone());
        let (typed, home) = (Typed::of(input, &self.home), self.home.clone());
        let look = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let stop = Stop {
                until: Instant::now() + SCAN_BOUND,
                number,
                newest,
            };
            look(&*disk, &home, &typed, limit, &stop)
        });
        match tokio::time::timeout(SUGGEST_BOUND, look).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => Err(TransportError::new(
                TransportErrorKind::Protocol,
                error.to_string(),
            )),
            Err(_) => Err(silent()),
        }
    }
}

/// When a look stops.
struct Stop {
    until: Instant,
    number: u64,
    newest: Arc<AtomicU64>,
}

impl Stop {
    fn superseded(&self) -> bool {
        self.newest.load(Ordering::SeqCst) != self.number
    }

    fn now(&self) -> bool {
        self.superseded() || Instant::now() >= self.until
    }
}

/// The input, taken apart.
struct Typed {
    /// As typed.
    input: String,
    /// Absolute path that it names.
    full: PathBuf,
    /// Folder whose entries complete it.
    parent: PathBuf,
    /// What such an entry begins with; empty when the input ends with a separator.
    prefix: String,
}

impl Typed {
    fn of(input: &str, home: &Path) -> Self {
        let absolute = absolute(input, home);
        let whole = matches!(input, "" | "~") || input.ends_with(std::path::is_separator);
        let last = input.rsplit(std::path::is_separator).next().unwrap_or_default();
        let whole = whole || matches!(last, "." | "..");
        let (parent, prefix) = match absolute.parent() {
            Some(parent) if !whole => (parent.to_owned(), last.to_owned()),
            _ => (absolute.clone(), String::new()),
        };
        Self {
            input: input.to_owned(),
            full: absolute,
            parent,
            prefix,
        }
    }
}

/// The path that an input names: `~` and relative paths begin at the home folder.
pub(crate) fn absolute(input: &str, home: &Path) -> PathBuf {
    match input.strip_prefix('~') {
        Some("") => home.to_owned(),
        Some(rest) if rest.starts_with(std::path::is_separator) => {
            let rest = rest.trim_start_matches(std::path::is_separator);
            if rest.is_empty() {
                home.to_owned()
            } else {
                home.join(rest)
            }
        }
        _ if input.is_empty() => home.to_owned(),
        _ => home.join(input),
    }
}

fn look(disk: &dyn Disk, home: &Path, typed: &Typed, limit: usize, stop: &Stop) -> DirectorySuggestions {
    let exact = disk.is_dir(&typed.full);
    let mut answer = DirectorySuggestions {
        home: home.display().to_string(),
        exact_match: exact,
        ..DirectorySuggestions::default()
    };
    let beside = if typed.prefix.is_empty() {
        Best::default()
    } else {
        scan(disk, &typed.parent, &typed.prefix, limit, stop, &mut answer)
    };
    let inside = if exact {
        scan(disk, &typed.full, "", limit, stop, &mut answer)
    } else {
        Best::default()
    };
    answer.common_prefix = if typed.prefix.is_empty() {
        inside.completed(typed)
    } else {
        beside.completed(typed)
    };
    let own = typed
        .full
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    let beside: Vec<PathBuf> = beside
        .names(limit)
        .into_iter()
        .filter(|name| !(exact && Some(name) == own.as_ref()))
        .map(|name| typed.parent.join(name))
        .collect();
    let inside: Vec<PathBuf> = inside
        .names(limit)
        .into_iter()
        .map(|name| typed.full.join(name))
        .collect();
    // What the last word may still become keeps a quarter of the places.
    let kept = beside.len().min(limit / 4);
    let room = limit.saturating_sub(usize::from(exact) + kept);
    let all = exact
        .then(|| typed.full.clone())
        .into_iter()
        .chain(inside.into_iter().take(room))
        .chain(beside);
    answer.directories = all
        .take(limit)
        .filter_map(|path| suggestion(&path, home, !stop.now()))
        .collect();
    if exact {
        answer.notes = notes(&typed.full, home, answer.problem.is_some());
    }
    answer.superseded = stop.superseded();
    answer
}

fn suggestion(path: &Path, home: &Path, in_time: bool) -> Option<DirectorySuggestion> {
    let text = path.to_str()?.to_owned();
    let display = match path.strip_prefix(home) {
        Ok(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Ok(rest) => format!("~{}{}", std::path::MAIN_SEPARATOR, rest.display()),
        Err(_) => text.clone(),
    };
    Some(DirectorySuggestion {
        path: text,
        display,
        is_git: in_time && is_git(path),
    })
}

/// The first names in order, and what all have in common.
#[derive(Default)]
struct Best {
    /// Largest on top, so that a smaller one takes its place.
    heap: BinaryHeap<(String, String)>,
    /// The shortest beginning that all have in common, in the case of the one that was seen first.
    common: Option<String>,
    count: usize,
}

impl Best {
    fn add(&mut self, name: String, limit: usize) {
        self.count += 1;
        match &mut self.common {
            None => self.common = Some(name.clone()),
            Some(common) => common.truncate(common_length(common, &name)),
        }
        self.heap.push((name.to_lowercase(), name));
        if self.heap.len() > limit {
            self.heap.pop();
        }
    }

    fn names(self, limit: usize) -> Vec<String> {
        self.heap
            .into_sorted_vec()
            .into_iter()
            .take(limit)
            .map(|(_, name)| name)
            .collect()
    }

    /// The input with its last word completed.
    fn completed(&self, typed: &Typed) -> Option<String> {
        // In the case of the first suggestion, so that the answer does not hang on the order on the disk.
        let length = self.common.as_ref()?.chars().count();
        let common: String = self.heap.iter().min()?.1.chars().take(length).collect();
        if common.is_empty() {
            return None;
        }
        let separator = std::path::MAIN_SEPARATOR;
        let mut before = typed.input[..typed.input.len() - typed.prefix.len()].to_owned();
        if before == "~" {
            before.push(separator);
        }
        let end = if self.count == 1 {
            separator.to_string()
        } else {
            String::new()
        };
        let text = format!("{before}{common}{end}");
        (text != typed.input && text.len() >= typed.input.len()).then_some(text)
    }
}

/// Bytes that two names have in common, upper and lower case being the same.
fn common_length(a: &str, b: &str) -> usize {
    let same = |(x, y): &((usize, char), char)| x.1 == *y || x.1.to_lowercase().eq(y.to_lowercase());
    a.char_indices()
        .zip(b.chars())
        .take_while(same)
        .last()
        .map_or(0, |((at, c), _)| at + c.len_utf8())
}

/// Folders inside `folder` that begin with `prefix`, upper and lower case being the same.
fn scan(
    disk: &dyn Disk,
    folder: &Path,
    prefix: &str,
    limit: usize,
    stop: &Stop,
    answer: &mut DirectorySuggestions,
) -> Best {
    let mut best = Best::default();
    let entries = match disk.entries(folder) {
        Ok(entries) => entries,
        Err(error) => {
            answer.problem = Some(format!("{}: {error}", folder.display()));
            return best;
        }
    };
    let wanted = prefix.to_lowercase();
    for (index, entry) in entries.enumerate() {
        if index >= MAX_ENTRIES || (index % CHECK_EVERY == 0 && stop.now()) {
            answer.incomplete = true;
            break;
        }
        let Ok(entry) = entry else {
            answer.incomplete = true;
            continue;
        };
        let Some(entry) = entry.filter(|entry| entry.name.to_lowercase().starts_with(&wanted)) else {
            continue;
        };
        if entry.name.starts_with('.') && !prefix.starts_with('.') {
            continue;
        }
        if entry
            .is_dir
            .unwrap_or_else(|| disk.is_dir(&folder.join(&entry.name)))
        {
            best.add(entry.name, limit);
        }
    }
    best
}

#[cfg(test)]
#[cfg(unix)]
#[path = "folders_tests.rs"]
mod tests;
