//! Living processes of a chat: seen by their stored handles, ended one tree at a time.

use agent_runtime::exec::process::tree::LivingProcess;
use agent_runtime::{ExecutionTransport, TransportProcessHandle};

use crate::api::{ChatProcess, ChatProcesses, HostError, ProcessTree, TreeRole};
use crate::host::{Host, now};
use crate::orphans::{read, reap};

/// Most processes of one tree that are listed.
pub const LISTED_PROCESSES: usize = 100;

/// The tree that is kept for the next prompt.
struct Kept {
    marker: String,
    until: Option<i64>,
}

impl Host {
    /// What lives of a chat, from one look at the process table.
    ///
    /// # Errors
    /// `not_found` for an unknown chat, `processes` when the table cannot be read, what the store reports.
    pub async fn chat_processes(&self, id: &str) -> Result<ChatProcesses, HostError> {
        let handles = self.chat_handles(id).await?;
        if handles.is_empty() {
            return Ok(ChatProcesses::default());
        }
        let living = self
            .inner
            .transport
            .leftovers(&handles)
            .await
            .map_err(|error| HostError::new("processes", error.to_string(), "Try again."))?;
        let (turn, kept) = (self.turn_marker(id).await?, self.kept(id).await?);
        let mut trees = Vec::new();
        for handle in handles {
            let (role, kept_until) = role(&handle.marker, turn.as_deref(), kept.as_ref());
            let mut own: Vec<_> = living
                .iter()
                .filter(|process| process.marker == handle.marker)
                .collect();
            if own.is_empty() {
                continue;
            }
            own.sort_by_key(|process| std::cmp::Reverse(process.age_ms));
            let more = own.len().saturating_sub(LISTED_PROCESSES);
            trees.push(ProcessTree {
                marker: handle.marker,
                role,
                kept_until,
                processes: own.into_iter().take(LISTED_PROCESSES).map(shown).collect(),
                more: u32::try_from(more).unwrap_or(u32::MAX),
            });
        }
        Ok(ChatProcesses { trees })
    }

    /// Ends one tree of a chat: a running turn is stopped, a kept process leaves, what was left behind is ended.
    ///
    /// # Errors
    /// `not_found` when the chat has no such tree any more; `reap` when something could not be ended.
    pub async fn end_chat_processes(&self, id: &str, marker: &str) -> Result<(), HostError> {
        // Under the lane no turn begins meanwhile: what is ended is what was looked at.
        let lane = self.lane(id);
        let held = lane.lock().await;
        let (turn, kept) = (self.turn_marker(id).await?, self.kept(id).await?);
        match role(marker, turn.as_deref(), kept.as_ref()).0 {
            TreeRole::Turn => {
                drop(held);
                self.stop_turn(id).await
            }
            TreeRole::Kept => {
                let chat = self.chat(id).await?;
                if let Some(session) = &chat.session_id {
                    let harness = chat.harness.as_str().into();
                    self.inner.runtime.release_retained(&harness, session);
                }
                Ok(())
            }
            TreeRole::Left => {
                let store = &self.inner.store;
                let record = store.handle_open(marker).await?;
                let record = record.filter(|record| record.chat_id.as_deref() == Some(id));
                let record = record.ok_or_else(|| HostError::not_found("process"))?;
                reap(store, self.inner.transport.as_ref(), &[record]).await
            }
        }
    }

    async fn chat_handles(&self, id: &str) -> Result<Vec<TransportProcessHandle>, HostError> {
        self.chat(id).await?;
        let records = self.inner.store.handles_open().await?;
        let mine = records
            .iter()
            .filter(|record| record.chat_id.as_deref() == Some(id));
        Ok(mine.filter_map(read).collect())
    }

    /// The marker of the running turn's process.
    async fn turn_marker(&self, id: &str) -> Result<Option<String>, HostError> {
        let Some(live) = self.inner.live.get(id) else {
            return Ok(None);
        };
        Ok(self
            .inner
            .store
            .turn(&live.turn)
            .await?
            .and_then(|turn| turn.marker))
    }

    async fn kept(&self, id: &str) -> Result<Option<Kept>, HostError> {
        let chat = self.chat(id).await?;
        let Some(session) = &chat.session_id else {
            return Ok(None);
        };
        let harness = chat.harness.as_str().into();
        let retained = self.inner.runtime.retained_process(&harness, session);
        Ok(retained.map(|process| Kept {
            marker: process.marker,
            until: process
                .left
                .map(|left| now().saturating_add(i64::try_from(left.as_millis()).unwrap_or(i64::MAX))),
        }))
    }
}

fn role(marker: &str, turn: Option<&str>, kept: Option<&Kept>) -> (TreeRole, Option<i64>) {
    if turn == Some(marker) {
        return (TreeRole::Turn, None);
    }
    match kept.filter(|kept| kept.marker == marker) {
        Some(kept) => (TreeRole::Kept, kept.until),
        None => (TreeRole::Left, None),
    }
}

fn shown(process: &LivingProcess) -> ChatProcess {
    ChatProcess {
        pid: process.identity.pid,
        command: process.command.clone(),
        since: now().saturating_sub(i64::try_from(process.age_ms).unwrap_or(0)),
        detached: !process.foreground,
    }
}
