//! The scripts that are known: the built-in ones and those of a directory.

use std::{collections::BTreeMap, fs, path::Path};

use crate::{
    script::Script,
    server::{PracticeError, ScriptProblem},
};

/// The script that plays when no prompt names one.
pub(crate) const TOUR: &str = "tour";

/// Built-in files. A name must be in one of them only.
const BUILT_IN: [(&str, &str); 4] = [
    ("tour.json", include_str!("../scripts/tour.json")),
    ("texts.json", include_str!("../scripts/texts.json")),
    ("tools.json", include_str!("../scripts/tools.json")),
    ("faults.json", include_str!("../scripts/faults.json")),
];

/// Files read from a script directory at most.
const DIRECTORY_FILES: usize = 256;
/// Bytes of one file of a script directory at most: 4 MiB.
const FILE_BYTES: u64 = 4 * 1024 * 1024;

/// Name → script.
#[derive(Debug, Clone)]
pub(crate) struct Library {
    scripts: BTreeMap<String, Script>,
}

impl Library {
    /// The built-in scripts, with those of `directory` over them.
    pub(crate) fn load(directory: Option<&Path>) -> Result<Self, PracticeError> {
        let mut scripts = BTreeMap::new();
        for (file, text) in BUILT_IN {
            scripts.extend(parse(file, text)?);
        }
        if let Some(directory) = directory {
            scripts.extend(read_directory(directory)?);
        }
        Ok(Self { scripts })
    }

    pub(crate) fn get(&self, name: &str) -> Option<(&str, &Script)> {
        self.scripts
            .get_key_value(name)
            .map(|(name, script)| (name.as_str(), script))
    }

    /// The scripts as a Markdown list.
    pub(crate) fn as_list(&self) -> String {
        let lines = self
            .scripts
            .iter()
            .map(|(name, script)| format!("- `[[{name}]]`: {}", script.about));
        lines.collect::<Vec<_>>().join("\n")
    }

    #[cfg(test)]
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.scripts.keys().map(String::as_str)
    }
}

fn parse(file: &str, text: &str) -> Result<BTreeMap<String, Script>, PracticeError> {
    let problem = |problem| PracticeError::Script {
        file: file.to_owned(),
        problem,
    };
    let scripts: BTreeMap<String, Script> =
        serde_json::from_str(text).map_err(|error| problem(ScriptProblem::Json(error)))?;
    for (name, script) in &scripts {
        if !is_name(name) {
            return Err(problem(ScriptProblem::Name(name.clone())));
        }
        if script.steps.is_empty() {
            return Err(problem(ScriptProblem::NoSteps(name.clone())));
        }
    }
    Ok(scripts)
}

fn read_directory(directory: &Path) -> Result<BTreeMap<String, Script>, PracticeError> {
    let unreadable = |error| PracticeError::Directory {
        path: directory.to_owned(),
        error,
    };
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            files.push(path);
        }
    }
    if files.len() > DIRECTORY_FILES {
        return Err(PracticeError::TooManyFiles {
            path: directory.to_owned(),
            most: DIRECTORY_FILES,
        });
    }
    files.sort();
    let mut scripts = BTreeMap::new();
    for path in files {
        let file = path.display().to_string();
        let size = fs::metadata(&path).map_err(unreadable)?.len();
        if size > FILE_BYTES {
            return Err(PracticeError::Script {
                file,
                problem: ScriptProblem::TooBig { most: FILE_BYTES },
            });
        }
        scripts.extend(parse(&file, &fs::read_to_string(&path).map_err(unreadable)?)?);
    }
    Ok(scripts)
}

/// Whether `[[name]]` may name a script: small letters, digits and hyphens.
pub(crate) fn is_name(name: &str) -> bool {
    const LONGEST: usize = 64;
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    !name.is_empty() && name.len() <= LONGEST && name.chars().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_promised_script_is_built_in() {
        let library = Library::load(None).unwrap();
        let promised = "tour text long think bash bash-redirect bash-two write big-write edit question two-questions \
            plan slow flood sleep ansi diff table hostile refusal quota fault-401 fault-404 fault-429 \
            fault-429-retry-after fault-500 fault-529 fault-hang fault-cut-once fault-cut-always fault-error-event \
            fault-stall fault-credit fault-too-long";
        for name in promised.split_whitespace() {
            assert!(library.get(name).is_some(), "{name}");
        }
        assert_eq!(library.names().filter(|name| !is_name(name)).count(), 0);
    }

    #[test]
    fn built_in_names_are_unique() {
        let all: usize = BUILT_IN
            .iter()
            .map(|(file, text)| parse(file, text).unwrap().len())
            .sum();
        assert_eq!(all, Library::load(None).unwrap().names().count());
    }

    #[test]
    fn a_directory_adds_and_overrides() {
        let folder = tempfile::tempdir().unwrap();
        let mine = r#"{"text": {"about": "Mine.", "steps": [{"blocks": [{"text": "mine"}]}]},
                       "extra": {"about": "More.", "steps": [{"blocks": [{"text": "more"}]}]}}"#;
        fs::write(folder.path().join("mine.json"), mine).unwrap();
        fs::write(folder.path().join("notes.txt"), "not a script").unwrap();
        let library = Library::load(Some(folder.path())).unwrap();
        assert_eq!(library.get("text").unwrap().1.about, "Mine.");
        assert!(library.get("extra").is_some() && library.get("tour").is_some());
    }

    #[test]
    fn a_bad_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(
            folder.path().join("bad.json"),
            r#"{"a": {"about": "x", "steps": []}}"#,
        )
        .unwrap();
        let error = Library::load(Some(folder.path())).unwrap_err();
        assert!(error.to_string().contains("bad.json"), "{error}");
    }
}
