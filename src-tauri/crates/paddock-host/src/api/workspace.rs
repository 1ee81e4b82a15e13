//! Folders.

use serde::{Deserialize, Serialize};
use specta::Type;

/// A folder with chats.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct Workspace {
    /// Its id.
    pub id: String,
    /// As typed.
    pub path: String,
    /// Last part, for display.
    pub name: String,
    /// The practice folder of ours.
    pub practice: bool,
    /// In milliseconds since the Unix epoch.
    pub last_used_at: i64,
}

/// Folder completions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct FolderSuggestions {
    /// Home folder of the target.
    pub home: String,
    /// Matching folders, at most 50.
    pub folders: Vec<FolderSuggestion>,
    /// What was typed is an existing folder.
    pub exact: bool,
    /// Longest common beginning of the matches, for Tab.
    pub common_prefix: String,
    /// What to know about the exact folder: home, root, synced, network, not a git repository.
    pub notes: Vec<String>,
    /// Not everything could be read in time.
    pub incomplete: bool,
}

/// One folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct FolderSuggestion {
    /// Absolute path.
    pub path: String,
    /// As shown, with `~`.
    pub display: String,
    /// A git repository.
    pub git: bool,
}
