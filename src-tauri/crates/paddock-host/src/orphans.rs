//! What a turn leaves when it did not end as it should: a stored turn that nothing runs, processes that live on.

use agent_runtime::{ExecutionTransport, TransportProcessHandle};
use paddock_store::{ProcessHandleRecord, Store};

use crate::api::{FeedItem, HostError, StoredEvent};
use crate::convert;
use crate::host::{Host, describe_interruption, now};

/// Why the queue of such a chat pauses.
const PAUSED_BY_FAILURE: &str = "failure";

impl Host {
    /// Takes an ended turn out of the running ones. Its end was stored and did that already, unless storing failed or
    /// the turn panicked: then it is stored as interrupted.
    pub(crate) async fn let_go(&self, chat: &str, turn: &str) -> Result<(), HostError> {
        let lane = self.lane(chat);
        let held = lane.lock().await;
        self.inner.live.remove_turn(chat, turn);
        let settled = self.settle_orphan(chat).await?;
        drop(held);
        if settled {
            self.publish_chat(chat).await?;
        }
        Ok(())
    }

    /// Ends a stored live turn that nothing runs. Under the lane, which the caller holds, a stored live turn and a
    /// running one come and go together; one alone is an orphan. True when there was one.
    pub(crate) async fn settle_orphan(&self, chat: &str) -> Result<bool, HostError> {
        if self.inner.live.get(chat).is_some() {
            return Ok(false);
        }
        let store = &self.inner.store;
        // Nearly always there is none, and a read costs no write to the disk.
        if store.live_turn(chat).await?.is_none() {
            return Ok(false);
        }
        let at = now();
        let settled = store
            .interrupt_live_turn(chat, PAUSED_BY_FAILURE, at, describe_interruption)
            .await?;
        let Some((orphan, seqs)) = settled else {
            return Ok(false);
        };
        tracing::warn!("a turn was stored as running and nothing ran it; it is interrupted now");
        for seq in seqs {
            if let Some(event) = store.event(chat, seq).await? {
                let event: StoredEvent = convert::stored(&event);
                self.inner.feed.publish(&FeedItem::Event {
                    chat: chat.into(),
                    from_seq: seq,
                    event,
                });
            }
        }
        for decision in &orphan.decisions {
            self.publish_decision(&decision.id).await?;
        }
        self.close_handle(&orphan.turn.id).await?;
        Ok(true)
    }

    /// Notes the end of a turn's process tree. A tree of which something lives, by the policy or because it could not
    /// be ended, keeps its handle: quitting, or the next start, ends it.
    pub(crate) async fn close_handle(&self, turn: &str) -> Result<(), HostError> {
        let store = &self.inner.store;
        let Some(marker) = store.turn(turn).await?.and_then(|record| record.marker) else {
            return Ok(());
        };
        let Some(record) = store.handle_open(&marker).await? else {
            return Ok(());
        };
        let living = match read(&record) {
            Some(handle) => self.inner.transport.leftovers(&[handle]).await,
            // Nothing can be asked about a handle that cannot be read; it is kept for the next start to report.
            None => return Ok(()),
        };
        match living {
            Ok(living) if living.is_empty() => {
                store.handle_ended(&marker, now()).await?;
            }
            Ok(living) => tracing::info!(processes = living.len(), "processes of an ended turn live on"),
            Err(error) => tracing::warn!(%error, "whether processes of a turn live on could not be seen"),
        }
        Ok(())
    }

    /// Ends what ended turns left running: nothing outlives the app.
    pub(crate) async fn end_what_lives_on(&self) -> Result<(), HostError> {
        let records = self.inner.store.handles_open().await?;
        reap(&self.inner.store, self.inner.transport.as_ref(), &records).await
    }
}

/// The transport's handle in a record.
pub(crate) fn read(record: &ProcessHandleRecord) -> Option<TransportProcessHandle> {
    serde_json::from_str(&record.handle).ok()
}

/// Ends what lives of earlier runs, by marker and start time, and forgets the handles.
pub(crate) async fn reap(
    store: &Store,
    transport: &dyn ExecutionTransport,
    records: &[ProcessHandleRecord],
) -> Result<(), HostError> {
    let handles: Vec<TransportProcessHandle> = records.iter().filter_map(read).collect();
    if handles.len() != records.len() {
        tracing::error!("some process handles could not be read; they are kept");
    }
    if handles.is_empty() {
        return Ok(());
    }
    let report = transport.reap(&handles).await.map_err(|error| {
        HostError::new(
            "reap",
            error.to_string(),
            "Processes of ended turns may live: restart the computer to be sure.",
        )
    })?;
    for tree in &report.trees {
        tracing::warn!(
            ended = tree.ended.len(),
            left = tree.left.len(),
            "a left-over process tree was ended"
        );
    }
    for handle in &handles {
        let left = report
            .trees
            .iter()
            .any(|tree| tree.marker == handle.marker && !tree.left.is_empty());
        if !left {
            store.handle_ended(&handle.marker, now()).await?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use agent_domain::failure::DeliveryState;
    use paddock_store::turns::{NewTurn, TurnState, TurnUpdate};
    use paddock_store::{ChatCommit, NewMessage, new_id};

    use super::*;
    use crate::HostOptions;
    use crate::api::SendOutcome;

    /// A chat whose turn is stored as running while nothing runs it.
    async fn orphaned(host: &Host) -> (String, String) {
        let (chat, turn) = (new_id(), new_id());
        host.inner
            .store
            .create_chat(paddock_store::CreateChat {
                chat: paddock_store::NewChat {
                    id: chat.clone(),
                    title: "t".into(),
                    harness: "claude".into(),
                    endpoint: "account".into(),
                    transport: "local".into(),
                    mode: "\"default\"".into(),
                    metadata: "{}".into(),
                    ..Default::default()
                },
                message: NewMessage {
                    turn_id: Some(turn.clone()),
                    role: "user".into(),
                    text: "one".into(),
                    extra: None,
                    at: 1,
                },
                turn: Some(NewTurn {
                    id: turn.clone(),
                    request: None,
                    queued_at: 1,
                }),
                events: vec![],
            })
            .await
            .unwrap();
        let update = TurnUpdate {
            id: turn.clone(),
            status: Some(TurnState::Running),
            delivery: Some(convert::word(&DeliveryState::Accepted)),
            ..Default::default()
        };
        let commit = ChatCommit {
            chat_id: chat.clone(),
            at: 2,
            turns: vec![update],
            ..Default::default()
        };
        host.inner.store.commit(commit).await.unwrap();
        (chat, turn)
    }

    #[tokio::test]
    async fn a_prompt_to_a_chat_with_an_orphaned_turn_starts_a_turn() {
        let dir = tempfile::tempdir().unwrap();
        let host = Host::open(HostOptions::new(dir.path())).await.unwrap();
        let (chat, turn) = orphaned(&host).await;
        assert_eq!(
            host.send_prompt(&chat, "two").await.unwrap(),
            SendOutcome::Started,
            "it does not wait for a turn that nobody runs"
        );
        let orphan = host.inner.store.turn(&turn).await.unwrap().unwrap();
        assert_eq!(orphan.status, TurnState::Interrupted);
        assert_eq!(orphan.delivery, "accepted", "what is known about delivery stays");
        host.close().await;
    }

    #[tokio::test]
    async fn a_turn_that_is_let_go_without_an_end_is_interrupted_and_pauses_the_queue() {
        let dir = tempfile::tempdir().unwrap();
        let host = Host::open(HostOptions::new(dir.path())).await.unwrap();
        let (chat, turn) = orphaned(&host).await;
        let prompt = paddock_store::NewPrompt {
            id: new_id(),
            text: "next".into(),
            extra: None,
            created_at: 3,
        };
        host.inner.store.queue_add(&chat, prompt).await.unwrap();
        host.let_go(&chat, &turn).await.unwrap();
        assert!(host.inner.store.live_turn(&chat).await.unwrap().is_none());
        let paused = host.chat(&chat).await.unwrap().queue_paused;
        assert_eq!(
            paused.as_deref(),
            Some(PAUSED_BY_FAILURE),
            "nothing is sent by itself"
        );
        host.close().await;
        host.close().await;
    }

    #[tokio::test]
    async fn what_a_turn_left_running_keeps_its_handle_and_ends_with_the_app() {
        use agent_domain::CommandSpec;
        use agent_runtime::TransportSpawnRequest;

        let dir = tempfile::tempdir().unwrap();
        let host = Host::open(HostOptions::new(dir.path())).await.unwrap();
        let (chat, turn) = orphaned(&host).await;
        let (store, transport) = (&host.inner.store, &host.inner.transport);
        let request = TransportSpawnRequest::new(CommandSpec::new("sleep").arg("600"), dir.path());
        let mut process = transport.spawn(request).await.unwrap();
        let handle = process.handle().clone();
        let record = ProcessHandleRecord {
            marker: handle.marker.clone(),
            chat_id: Some(chat.clone()),
            turn_id: Some(turn.clone()),
            handle: convert::json(&handle),
            created_at: 2,
            ended_at: None,
        };
        store.handle_put(record).await.unwrap();
        let marked = TurnUpdate {
            id: turn.clone(),
            marker: Some(handle.marker.clone()),
            ..Default::default()
        };
        let commit = ChatCommit {
            chat_id: chat,
            at: 3,
            turns: vec![marked],
            ..Default::default()
        };
        store.commit(commit).await.unwrap();
        process.disarm();
        drop(process);

        host.close_handle(&turn).await.unwrap();
        assert!(
            store.handle_open(&handle.marker).await.unwrap().is_some(),
            "it lives"
        );
        host.close().await;
        let left = transport.leftovers(std::slice::from_ref(&handle)).await.unwrap();
        assert_eq!(left, [], "nothing outlives the app");
    }
}
