//! Grants: listed and revoked.

use agent_domain::grant::{Grant, GrantBook, GrantScope};
use paddock_store::GrantRecord;

use crate::api::{GrantView, HostError};
use crate::host::{Host, now};

impl Host {
    /// The grants of a chat, ready for a turn.
    pub(crate) async fn grant_book(&self, chat: &str) -> Result<GrantBook, HostError> {
        let records = self.inner.store.grants_active(chat, now()).await?;
        let grants = records.into_iter().map(|record| Grant {
            id: record.id,
            harness: record.harness,
            scope: GrantScope {
                tool: record.tool,
                key: record.scope_key,
                shown: record.shown,
            },
            granted_at: record.granted_at,
            until: record.until,
        });
        Ok(GrantBook::new(grants.collect()))
    }

    /// Active grants of a workspace, or of all of them.
    pub async fn list_grants(&self, workspace: Option<&str>) -> Result<Vec<GrantView>, HostError> {
        let store = &self.inner.store;
        let workspaces = match workspace {
            Some(id) => vec![id.to_owned()],
            None => store
                .workspaces(true)
                .await?
                .into_iter()
                .map(|workspace| workspace.id)
                .collect(),
        };
        let mut views = Vec::new();
        for workspace in workspaces {
            for record in store.grants_of_workspace(&workspace).await? {
                if record.revoked_at.is_none() && record.until.is_none_or(|until| now() < until) {
                    let chat = store.load_chat(&record.chat_id).await?;
                    views.push(view(record, chat.map(|chat| chat.title).unwrap_or_default()));
                }
            }
        }
        Ok(views)
    }

    /// Takes a grant back. Holds at once, also for a running turn.
    pub async fn revoke_grant(&self, id: &str) -> Result<(), HostError> {
        if !self.inner.store.grant_revoke(id, now()).await? {
            return Err(HostError::not_found("grant"));
        }
        for live in self.inner.live.all() {
            live.grants.revoke(id);
        }
        Ok(())
    }
}

fn view(record: GrantRecord, chat_title: String) -> GrantView {
    GrantView {
        subject: subject(&record.scope_key),
        id: record.id,
        chat: record.chat_id,
        chat_title,
        harness: record.harness,
        tool: record.tool,
        shown: record.shown,
        granted_at: record.granted_at,
    }
}

/// What a grant covers, for a list: the command or path, else the arguments as they are.
fn subject(key: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(key).unwrap_or_default();
    let named = ["command", "file_path", "path", "url"]
        .iter()
        .find_map(|name| value.get(name)?.as_str());
    named.map_or_else(|| key.to_owned(), str::to_owned)
}
