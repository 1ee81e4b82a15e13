//! What a folder would make a harness run by itself: hooks, servers, helpers, and what it brings along.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Whether a harness takes what the folder brings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FolderTrust {
    /// As the harness does it by itself; most run hooks and start servers without a word when nobody watches.
    #[default]
    ProviderDefault,
    /// Without hooks, servers, helpers, rules and settings of the folder and those above it. Its instructions for the
    /// model are still read: they run nothing by themselves.
    Untrusted,
}

/// One thing that a folder brings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FolderItem {
    /// What it is.
    pub kind: FolderItemKind,
    /// Its name: the event of a hook, the name of a server or variable.
    pub name: String,
    /// What runs, or the rule; bounded, hostile text. Values of variables are not shown.
    pub detail: Option<String>,
    /// The file that says so.
    pub file: PathBuf,
}

/// Kinds of things that a folder brings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "snake_case")]
pub enum FolderItemKind {
    /// A command that runs at an event.
    Hook,
    /// A server that is started or connected.
    McpServer,
    /// A command that makes a key, a header or a status.
    Helper,
    /// A variable in the environment.
    Environment,
    /// Something that is allowed without asking.
    AllowRule,
    /// A plugin that is switched on.
    Plugin,
    /// A command, skill or agent of the folder's own.
    Extension,
    /// Another setting.
    Setting,
    /// A file that could not be read as what it should be: what it does is not known.
    Unreadable,
}

/// What a folder brings, as it stands.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FolderContent {
    /// By kind, then by file.
    pub items: Vec<FolderItem>,
    /// Names everything that was read, byte for byte: it changes with any of it.
    pub digest: String,
    /// Everything could be looked at. What could not must not be trusted.
    pub complete: bool,
}

/// A file that was found, with its whole content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderFile {
    /// Where, on the target.
    pub path: PathBuf,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// Knows what of a folder a harness takes. Reads nothing by itself.
pub trait FolderProbe: Send + Sync {
    /// Files and folders that it looks for, relative to the folder.
    fn places(&self) -> &'static [&'static str];
    /// Whether it looks for them in the folders above, too.
    fn looks_above(&self) -> bool;
    /// Whether a place is where the harness keeps what is the user's own.
    fn is_the_user_s(&self, place: &Path, home: &Path) -> bool;
    /// What these files would make it run or take.
    fn items(&self, files: &[FolderFile]) -> Vec<FolderItem>;
}
