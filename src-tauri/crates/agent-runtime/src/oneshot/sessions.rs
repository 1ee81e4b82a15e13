//! Names for conversations: a stable name in a project becomes whatever handle the agent understands.
//!
//! One file per project and name, written through a temporary file and a rename, mode 0600 in folders of 0700. A lock
//! file beside it, never removed, is held from reading a record until the run that uses it has ended, also across
//! processes.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use agent_domain::SessionChoice;
use fs4::fs_std::FileExt;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::agent::Agent;
use super::error::Error;
use super::request::Phase;

/// Longest file stem made of a name, in bytes; a longer one is cut and ends with a hash of the whole.
const MAX_STEM_BYTES: usize = 200;
/// Hexadecimal digits of that hash.
const HASH_DIGITS: usize = 32;
/// Names that Windows keeps for devices.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];

/// Records of named sessions below one folder.
#[derive(Debug, Clone)]
pub struct SessionStore {
    dir: PathBuf,
}

/// One record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionRecord {
    /// The name as it was given.
    pub name: String,
    /// The project folder as it was resolved.
    pub project: PathBuf,
    /// The agent, by [`Agent::name`].
    pub agent: String,
    /// The agent's own handle.
    pub session: String,
    /// The agent has told the handle: the conversation exists.
    pub started: bool,
}

impl SessionStore {
    /// A store below a folder, which is made when the first record is written.
    pub fn open(dir: impl Into<PathBuf>) -> Self {
        Self { dir: dir.into() }
    }

    /// The record of a name.
    ///
    /// # Errors
    /// [`Error::SessionRecord`] for one that cannot be read.
    pub fn get(&self, project: impl AsRef<Path>, name: &str) -> Result<Option<SessionRecord>, Error> {
        read(&self.record_path(&resolved(project.as_ref()), name))
    }

    /// The records of a project, by name.
    ///
    /// # Errors
    /// [`Error::SessionRecord`] for a folder or a record that cannot be read.
    pub fn list(&self, project: impl AsRef<Path>) -> Result<Vec<SessionRecord>, Error> {
        let dir = self
            .dir
            .join(segment(&resolved(project.as_ref()).to_string_lossy()));
        let entries = match fs::read_dir(&dir) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(broken(&dir, error)),
        };
        let mut found = Vec::new();
        for entry in entries {
            let path = entry.map_err(|error| broken(&dir, error))?.path();
            if path.extension().is_some_and(|extension| extension == "json") {
                found.extend(read(&path)?);
            }
        }
        found.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(found)
    }

    /// Forgets a name. The agent's own session stays. False: there was none.
    ///
    /// # Errors
    /// [`Error::SessionBusy`] while a run holds it, [`Error::SessionRecord`].
    pub fn forget(&self, project: impl AsRef<Path>, name: &str) -> Result<bool, Error> {
        let path = self.record_path(&resolved(project.as_ref()), name);
        if !path.exists() {
            return Ok(false);
        }
        let _lock = lock(&path, name)?;
        fs::remove_file(&path).map_err(|error| broken(&path, error))?;
        Ok(true)
    }

    fn record_path(&self, project: &Path, name: &str) -> PathBuf {
        let project = segment(&project.to_string_lossy());
        self.dir.join(project).join(format!("{}.json", segment(name)))
    }

    pub(super) fn bind(
        &self,
        project: &Path,
        name: &str,
        agent: Agent,
        fork: bool,
    ) -> Result<(Binding, SessionChoice), Error> {
        let project = resolved(project);
        let path = self.record_path(&project, name);
        let lock = lock(&path, name)?;
        let found = read(&path)?;
        if let Some(record) = &found
            && record.agent != agent.name()
        {
            return Err(Error::SessionConflict {
                name: name.to_owned(),
                owner: record.agent.clone(),
            });
        }
        let known = found.filter(|record| record.started).map(|record| record.session);
        let (phase, choice) = match known {
            Some(id) if fork => (Phase::Fork, SessionChoice::Fork { id }),
            Some(id) => (Phase::Continue, SessionChoice::Resume { id }),
            None if fork => {
                return Err(Error::Invalid {
                    field: "session",
                    expected: "a name that was used before, to fork it".into(),
                });
            }
            // An id of our own exists before the process does: a run that dies in the middle can be resumed.
            None if !agent.takes_session_ids() => (Phase::Start, SessionChoice::New),
            None => (
                Phase::Start,
                SessionChoice::Assigned {
                    id: Uuid::new_v4().to_string(),
                },
            ),
        };
        let record = SessionRecord {
            name: name.to_owned(),
            project,
            agent: agent.name().to_owned(),
            session: String::new(),
            started: false,
        };
        let binding = Binding {
            path,
            phase,
            record: Mutex::new(record),
            _lock: lock,
        };
        Ok((binding, choice))
    }
}

/// A name that is held for a request.
#[derive(Debug)]
pub(super) struct Binding {
    path: PathBuf,
    phase: Phase,
    record: Mutex<SessionRecord>,
    /// Released when the last run of the request is gone.
    _lock: File,
}

impl Binding {
    pub(super) fn phase(&self) -> Phase {
        self.phase
    }

    /// Stores an id of our own before its process exists.
    pub(super) fn before_start(&self, choice: &SessionChoice) -> Result<(), Error> {
        match choice {
            SessionChoice::Assigned { id } => self.store(id, false),
            _ => Ok(()),
        }
    }

    /// Stores the id that the agent told.
    pub(super) fn started(&self, id: &str) -> Result<(), Error> {
        self.store(id, true)
    }

    fn store(&self, id: &str, started: bool) -> Result<(), Error> {
        let mut record = self
            .record
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if record.session == id && record.started == started {
            return Ok(());
        }
        id.clone_into(&mut record.session);
        record.started = started;
        write(&self.path, &record)
    }
}

fn broken(path: &Path, error: impl std::fmt::Display) -> Error {
    Error::SessionRecord {
        path: path.to_owned(),
        message: error.to_string(),
    }
}

/// Two spellings of one folder are one project.
fn resolved(project: &Path) -> PathBuf {
    fs::canonicalize(project)
        .or_else(|_| std::path::absolute(project))
        .unwrap_or_else(|_| project.to_owned())
}

fn read(path: &Path) -> Result<Option<SessionRecord>, Error> {
    match fs::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes)
            .map(Some)
            .map_err(|error| broken(path, error)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(broken(path, error)),
    }
}

fn write(path: &Path, record: &SessionRecord) -> Result<(), Error> {
    let dir = path.parent().unwrap_or(Path::new("."));
    let written = || -> std::io::Result<()> {
        // Made with mode 0600.
        let mut file = tempfile::NamedTempFile::new_in(dir)?;
        file.write_all(&serde_json::to_vec_pretty(record)?)?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error)?;
        #[cfg(unix)]
        File::open(dir)?.sync_all()?;
        Ok(())
    };
    written().map_err(|error| broken(path, error))
}

fn lock(record: &Path, name: &str) -> Result<File, Error> {
    let dir = record.parent().unwrap_or(Path::new("."));
    private_folder(dir).map_err(|error| broken(dir, error))?;
    let path = record.with_extension("lock");
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(&path).map_err(|error| broken(&path, error))?;
    match FileExt::try_lock_exclusive(&file) {
        Ok(true) => Ok(file),
        Ok(false) => Err(Error::SessionBusy {
            name: name.to_owned(),
        }),
        Err(error) => Err(broken(&path, error)),
    }
}

fn private_folder(dir: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}

/// One path segment per text, never the same for two: everything but small letters, digits, `-` and `_` is escaped, so
/// that disks without case keep them apart too.
fn segment(text: &str) -> String {
    let mut stem = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' => stem.push(char::from(byte)),
            _ => stem.push_str(&format!("%{byte:02x}")),
        }
    }
    if stem.is_empty() {
        return "%".to_owned();
    }
    if DEVICES.contains(&stem.trim_end_matches(|c: char| c.is_ascii_digit())) {
        let first = stem.remove(0);
        stem.insert_str(0, &format!("%{:02x}", first as u32));
    }
    if stem.len() > MAX_STEM_BYTES {
        let hash = Sha256::digest(text.as_bytes());
        let digits: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        stem.truncate(MAX_STEM_BYTES - HASH_DIGITS - 1);
        // `%%` appears in no escape: a cut stem equals no whole one.
        stem.truncate(stem.len() - 1);
        stem.push_str("%%");
        stem.push_str(&digits[..HASH_DIGITS]);
    }
    stem
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn store() -> (tempfile::TempDir, SessionStore) {
        let dir = tempfile::tempdir().unwrap();
        let store = SessionStore::open(dir.path().join("sessions"));
        (dir, store)
    }

    #[test]
    fn different_names_never_meet() {
        let long = "x".repeat(400);
        let names = [
            "chat",
            "Chat",
            "café",
            "cafe-",
            "cafe%",
            "a/b",
            "a%2fb",
            "..",
            ".",
            "",
            "%",
            "con",
            "CON",
            "com1",
            "nul",
            "a b",
            &long,
            &long[..399],
        ];
        let segments: HashSet<String> = names.iter().map(|name| segment(name).to_lowercase()).collect();
        assert_eq!(segments.len(), names.len());
        for name in names {
            let segment = segment(name);
            assert!(
                segment.len() <= MAX_STEM_BYTES && !segment.contains(['/', '\\', '.']),
                "{segment}"
            );
        }
    }

    // Which ids are ours to choose is an adapter's word.
    #[cfg(feature = "claude")]
    #[test]
    fn a_name_starts_continues_and_forks() {
        let (dir, store) = store();
        let (binding, choice) = store.bind(dir.path(), "thread-42", Agent::Claude, false).unwrap();
        assert_eq!(binding.phase(), Phase::Start);
        binding.before_start(&choice).unwrap();
        let minted = choice.id().unwrap().to_owned();
        assert_eq!(
            store.get(dir.path(), "thread-42").unwrap().unwrap().session,
            minted
        );
        binding.started(&minted).unwrap();
        drop(binding);

        let (binding, choice) = store.bind(dir.path(), "thread-42", Agent::Claude, false).unwrap();
        assert_eq!(
            (binding.phase(), choice),
            (Phase::Continue, SessionChoice::Resume { id: minted.clone() })
        );
        drop(binding);
        let (binding, choice) = store.bind(dir.path(), "thread-42", Agent::Claude, true).unwrap();
        assert_eq!(
            (binding.phase(), choice),
            (Phase::Fork, SessionChoice::Fork { id: minted })
        );
        binding.started("other").unwrap();
        drop(binding);
        let names: Vec<String> = store
            .list(dir.path())
            .unwrap()
            .into_iter()
            .map(|record| record.name)
            .collect();
        assert_eq!(names, ["thread-42"]);
    }

    // Which ids are ours to choose is an adapter's word.
    #[cfg(feature = "claude")]
    #[test]
    fn a_minted_id_that_never_started_is_not_resumed() {
        let (dir, store) = store();
        let (binding, choice) = store.bind(dir.path(), "n", Agent::Claude, false).unwrap();
        binding.before_start(&choice).unwrap();
        drop(binding);
        let (binding, again) = store.bind(dir.path(), "n", Agent::Claude, false).unwrap();
        assert_eq!(binding.phase(), Phase::Start);
        assert_ne!(again.id(), choice.id());
    }

    #[test]
    fn the_same_name_in_two_projects_is_two_sessions() {
        let (dir, store) = store();
        for (project, id) in [("a", "1"), ("b", "2")] {
            fs::create_dir(dir.path().join(project)).unwrap();
            let (binding, _) = store
                .bind(&dir.path().join(project), "n", Agent::Claude, false)
                .unwrap();
            binding.started(id).unwrap();
        }
        assert_eq!(
            store.get(dir.path().join("a"), "n").unwrap().unwrap().session,
            "1"
        );
        let spelled = dir.path().join("a/../b");
        assert_eq!(store.get(spelled, "n").unwrap().unwrap().session, "2");
    }

    #[test]
    fn a_name_is_held_and_belongs_to_its_agent() {
        let (dir, store) = store();
        let (held, _) = store.bind(dir.path(), "n", Agent::Claude, false).unwrap();
        held.started("1").unwrap();
        let busy = store.bind(dir.path(), "n", Agent::Claude, false);
        assert!(matches!(busy, Err(Error::SessionBusy { .. })));
        drop(held);
        let other = store.bind(dir.path(), "n", Agent::Copilot, false);
        assert!(matches!(other, Err(Error::SessionConflict { .. })));
        assert!(store.forget(dir.path(), "n").unwrap());
        assert!(!store.forget(dir.path(), "n").unwrap());
    }

    #[test]
    fn a_damaged_record_is_an_error_and_stays() {
        let (dir, store) = store();
        let (binding, _) = store.bind(dir.path(), "n", Agent::Claude, false).unwrap();
        binding.started("1").unwrap();
        let path = binding.path.clone();
        drop(binding);
        fs::write(&path, "{half").unwrap();
        let bound = store.bind(dir.path(), "n", Agent::Claude, false);
        assert!(matches!(bound, Err(Error::SessionRecord { .. })));
        assert_eq!(fs::read_to_string(&path).unwrap(), "{half");
    }

    #[cfg(unix)]
    #[test]
    fn records_are_for_their_owner_only() {
        use std::os::unix::fs::PermissionsExt;
        let (dir, store) = store();
        let (binding, _) = store.bind(dir.path(), "n", Agent::Claude, false).unwrap();
        binding.started("1").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&binding.path), 0o600);
        assert_eq!(mode(binding.path.parent().unwrap()), 0o700);
        let left: Vec<_> = fs::read_dir(binding.path.parent().unwrap())
            .unwrap()
            .flatten()
            .collect();
        assert_eq!(left.len(), 2, "a record and its lock, no temporary file");
    }
}
