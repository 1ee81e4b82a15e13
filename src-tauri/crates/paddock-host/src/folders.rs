//! Folders: what exists, what completes, what is known.

use std::path::Path;

use agent_runtime::ExecutionTransport;
use agent_runtime::exec::transport::folders::DirectoryNote;

use crate::api::{FolderSuggestion, FolderSuggestions, HostError, Workspace};
use crate::host::Host;

/// Most recent folders that are offered.
pub const RECENT_FOLDERS: usize = 10;

pub(crate) struct CheckedFolder {
    pub(crate) typed: String,
    pub(crate) resolved: String,
}

impl Host {
    pub(crate) async fn checked_folder(&self, folder: &str) -> Result<CheckedFolder, HostError> {
        let found = self
            .inner
            .transport
            .check_directory(Path::new(folder))
            .await
            .map_err(|error| {
                HostError::new(
                    "working_directory_not_found",
                    error.to_string(),
                    "Choose a folder that exists.",
                )
            })?;
        let text = |path: &Path| path.to_str().map(str::to_owned);
        match (text(&found.typed), text(&found.resolved)) {
            (Some(typed), Some(resolved)) => Ok(CheckedFolder { typed, resolved }),
            _ => Err(HostError::new(
                "unsupported",
                "The folder's name is not readable text.",
                "Rename the folder, or choose another one.",
            )),
        }
    }

    /// Folders that complete what was typed.
    pub async fn suggest_folders(&self, input: &str, limit: u32) -> Result<FolderSuggestions, HostError> {
        let found = self
            .inner
            .runtime
            .suggest_working_directories(input, limit as usize)
            .await?;
        let folders = found.directories.into_iter().map(|directory| FolderSuggestion {
            path: directory.path,
            display: directory.display,
            git: directory.is_git,
        });
        let mut notes: Vec<String> = found
            .notes
            .iter()
            .filter_map(note_words)
            .map(str::to_owned)
            .collect();
        notes.extend(found.problem);
        Ok(FolderSuggestions {
            home: found.home,
            folders: folders.collect(),
            exact: found.exact_match,
            common_prefix: found.common_prefix.unwrap_or_default(),
            notes,
            incomplete: found.incomplete || found.superseded,
        })
    }

    /// Folders used lately, latest first.
    pub async fn recent_folders(&self) -> Result<Vec<FolderSuggestion>, HostError> {
        let workspaces = self.list_workspaces().await?;
        let recent = workspaces
            .into_iter()
            .filter(|workspace| !workspace.practice)
            .take(RECENT_FOLDERS);
        let home = self.home().display().to_string();
        let show = |path: &str| match path.strip_prefix(&home) {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("~{rest}"),
            _ => path.to_owned(),
        };
        Ok(recent
            .map(|workspace| FolderSuggestion {
                display: show(&workspace.path),
                git: Path::new(&workspace.path).join(".git").exists(),
                path: workspace.path,
            })
            .collect())
    }

    /// Folders with chats, last used first.
    pub async fn list_workspaces(&self) -> Result<Vec<Workspace>, HostError> {
        let practice = self.inner.data_dir.join("practice");
        let stored = self.inner.store.workspaces(false).await?;
        Ok(stored
            .into_iter()
            .map(|workspace| Workspace {
                name: name_of(&workspace.path),
                practice: Path::new(&workspace.resolved).starts_with(&practice)
                    || Path::new(&workspace.path).starts_with(&practice),
                id: workspace.id,
                path: workspace.path,
                last_used_at: workspace.last_used_at,
            })
            .collect())
    }

    /// Hides a folder from the list; its chats stay.
    pub async fn remove_workspace(&self, id: &str) -> Result<(), HostError> {
        match self.inner.store.workspace_hide(id, true).await? {
            true => Ok(()),
            false => Err(HostError::not_found("workspace")),
        }
    }
}

fn name_of(path: &str) -> String {
    Path::new(path)
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or(path)
        .to_owned()
}

fn note_words(note: &DirectoryNote) -> Option<&'static str> {
    match note {
        DirectoryNote::Home => Some("This is your home folder: everything you own is in reach."),
        DirectoryNote::Root => Some("This is the root of the disk."),
        DirectoryNote::Downloads => Some("This is your downloads folder."),
        DirectoryNote::Synced => Some("This folder is copied to other computers."),
        DirectoryNote::Network => Some("This folder is on another computer."),
        DirectoryNote::NotGit => Some("Not a git repository: changes cannot be undone by git."),
        DirectoryNote::Unreadable => Some("Its content may not be read."),
        DirectoryNote::ReadOnly => Some("Nothing can be written in it."),
        _ => None,
    }
}
