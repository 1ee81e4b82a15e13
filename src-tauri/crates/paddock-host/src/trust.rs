//! Folder trust: what a folder brings is left out of every turn until a person trusts exactly that content.

use std::path::Path;

use agent_domain::FolderTrust;
use agent_domain::folder::FolderContent;
use serde::{Deserialize, Serialize};

use crate::api::{FolderTrustState, FolderTrustView, HostError, TrustedFolder};
use crate::convert;
use crate::host::{Host, now};

/// First part of the names under which trust is stored.
const PREFIX: &str = "trust.";

/// Trust as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Stored {
    harness: String,
    folder: String,
    digest: String,
    since: i64,
}

fn name(harness: &str, folder: &str) -> String {
    format!("{PREFIX}{harness}.{folder}")
}

impl Host {
    /// What a folder would make a harness run, and whether it is trusted. Runs nothing.
    pub async fn folder_trust(&self, harness: &str, folder: &str) -> Result<FolderTrustView, HostError> {
        let resolved = self.checked_folder(folder).await?.resolved;
        let content = self.brings(harness, &resolved).await?;
        let state = match &content {
            None => FolderTrustState::CannotLeaveOut,
            Some(content) => self.state(harness, &resolved, content).await?,
        };
        let content = content.unwrap_or_default();
        Ok(FolderTrustView {
            harness: harness.to_owned(),
            folder: resolved,
            state,
            items: content.items,
            digest: content.digest,
            complete: content.complete,
        })
    }

    /// Trusts the content of a folder as a person saw it, named by its digest. Refused when it changed since.
    pub async fn trust_folder(&self, harness: &str, folder: &str, digest: &str) -> Result<(), HostError> {
        let resolved = self.checked_folder(folder).await?.resolved;
        let content = self.brings(harness, &resolved).await?.unwrap_or_default();
        if content.digest != digest {
            return Err(HostError::new(
                "conflict",
                "The folder changed since it was shown.",
                "Look at it again.",
            ));
        }
        if !content.complete {
            return Err(HostError::new(
                "unsupported",
                "Not everything that this folder brings could be looked at.",
                "Run without it, or make the folder's settings smaller and readable.",
            ));
        }
        let stored = Stored {
            harness: harness.to_owned(),
            folder: resolved.clone(),
            digest: content.digest,
            since: now(),
        };
        let name = name(harness, &resolved);
        let text = convert::json(&stored);
        Ok(self.inner.store.setting_set(&name, Some(&text)).await?)
    }

    /// Takes trust back, from the next turn on.
    pub async fn distrust_folder(&self, harness: &str, folder: &str) -> Result<(), HostError> {
        // The folder may be gone: its stored name is enough.
        let name = name(harness, folder);
        Ok(self.inner.store.setting_set(&name, None).await?)
    }

    /// Folders that a person trusts, by name.
    pub async fn trusted_folders(&self) -> Result<Vec<TrustedFolder>, HostError> {
        let stored = self.inner.store.settings(PREFIX).await?;
        let shown = stored
            .values()
            .filter_map(|text| read(text))
            .map(|stored| TrustedFolder {
                harness: stored.harness,
                folder: stored.folder,
                since: stored.since,
            });
        Ok(shown.collect())
    }

    /// How a turn takes the folder, by what is there now.
    pub(crate) async fn trust_of(&self, harness: &str, resolved: &str) -> Result<FolderTrust, HostError> {
        let Some(content) = self.brings(harness, resolved).await? else {
            return Ok(FolderTrust::ProviderDefault);
        };
        match self.state(harness, resolved, &content).await? {
            FolderTrustState::Trusted => Ok(FolderTrust::ProviderDefault),
            // Between the look and the start something may be put there: nothing is left out only by being absent.
            _ => Ok(FolderTrust::Untrusted),
        }
    }

    /// `None`: this harness takes whatever is there.
    async fn brings(&self, harness: &str, resolved: &str) -> Result<Option<FolderContent>, HostError> {
        let harness = harness.into();
        if !self.inner.runtime.turn_capabilities(&harness)?.untrusted_folders {
            return Ok(None);
        }
        let look = self.inner.runtime.folder_content(&harness, Path::new(resolved));
        Ok(look.await?)
    }

    async fn state(
        &self,
        harness: &str,
        resolved: &str,
        content: &FolderContent,
    ) -> Result<FolderTrustState, HostError> {
        let stored = self.inner.store.setting(&name(harness, resolved)).await?;
        let trusted = stored.as_deref().and_then(read);
        Ok(match trusted {
            _ if content.items.is_empty() && content.complete => FolderTrustState::Nothing,
            Some(trusted) if trusted.digest == content.digest && content.complete => {
                FolderTrustState::Trusted
            }
            Some(_) => FolderTrustState::Changed,
            None => FolderTrustState::Without,
        })
    }
}

/// What a later version wrote differently is no trust.
fn read(text: &str) -> Option<Stored> {
    serde_json::from_str(text).ok()
}
