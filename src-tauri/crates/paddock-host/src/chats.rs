//! Chats: make, list, read, send, stop.

use paddock_store::{Chat, ChatCommit, ChatCursor, ChatFilter, ChatStatus, ChatUpdate, NewPrompt, new_id};
use serde::{Deserialize, Serialize};
use specta::Type;

use crate::api::{
    ChatEvent, ChatSummary, ChatView, EventPage, FeedItem, HostError, Prompt, SearchHit, SendOutcome,
    StoredEvent, WaitingFor,
};
use crate::convert::{self, ChatMeta, Running};
use crate::host::{Host, now};
use crate::order::Order;

/// Events of a freshly opened chat.
pub const TAIL_EVENTS: u32 = 400;
/// Longest title, in characters.
pub(crate) const TITLE_CHARS: usize = 80;

/// A page of chats.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
pub struct ChatPage {
    /// Last changed first.
    pub chats: Vec<ChatSummary>,
    /// Where to go on.
    pub next: Option<String>,
}

impl Host {
    pub(crate) async fn chat(&self, id: &str) -> Result<Chat, HostError> {
        self.inner
            .store
            .load_chat(id)
            .await?
            .ok_or_else(|| HostError::not_found("chat"))
    }

    /// A page of chats, last changed first.
    pub async fn list_chats(&self, cursor: Option<String>, limit: u32) -> Result<ChatPage, HostError> {
        let cursor: Option<ChatCursor> = match cursor {
            Some(text) => Some(serde_json::from_str(&text).map_err(|_| {
                HostError::new(
                    "invalid_request",
                    "This page does not exist.",
                    "Start from the first page.",
                )
            })?),
            None => None,
        };
        let filter = ChatFilter {
            workspace_id: None,
            archived: Some(false),
        };
        let page = self
            .inner
            .store
            .list_chats(&filter, cursor.as_ref(), limit)
            .await?;
        let mut chats = Vec::with_capacity(page.chats.len());
        for chat in &page.chats {
            chats.push(self.summary(chat).await?);
        }
        Ok(ChatPage {
            chats,
            next: page.next.map(|cursor| convert::json(&cursor)),
        })
    }

    /// A chat at its end.
    pub async fn open_chat(&self, id: &str) -> Result<ChatView, HostError> {
        let chat = self.chat(id).await?;
        let tail = self.events_before(id, i64::MAX, TAIL_EVENTS).await?;
        let records = self.inner.store.decisions_open().await?;
        let decisions = records.iter().filter(|record| record.chat_id == id);
        let decisions = decisions
            .filter_map(|record| convert::decision(record, &chat, false))
            .collect();
        Ok(ChatView {
            summary: self.summary(&chat).await?,
            tail,
            decisions,
            queue: self.queue(id).await?,
            draft: self.draft(id).await?,
        })
    }

    /// Events before a number, in ascending order.
    pub async fn events_before(&self, id: &str, before: i64, limit: u32) -> Result<EventPage, HostError> {
        let last = self.chat(id).await?.last_seq;
        let page = self.inner.store.events_before(id, before, limit).await?;
        let mut events: Vec<StoredEvent> = page.events.iter().map(convert::stored).collect();
        events.sort_by_key(|event| event.seq);
        let more_after = events.last().is_some_and(|event| event.seq < last);
        Ok(EventPage {
            events,
            more_before: page.more,
            more_after,
        })
    }

    /// Events after a number, in ascending order.
    pub async fn events_after(&self, id: &str, after: i64, limit: u32) -> Result<EventPage, HostError> {
        let page = self.inner.store.events_after(id, after, limit).await?;
        Ok(EventPage {
            events: page.events.iter().map(convert::stored).collect(),
            more_before: after > 0,
            more_after: page.more,
        })
    }

    /// One event with its whole payloads.
    pub async fn event(&self, id: &str, seq: i64) -> Result<StoredEvent, HostError> {
        let event = self.inner.store.event(id, seq).await?;
        event
            .map(|event| convert::stored_whole(&event))
            .ok_or_else(|| HostError::not_found("event"))
    }

    /// Places in a chat that hold these words.
    pub async fn search_chat(&self, id: &str, query: &str, limit: u32) -> Result<Vec<SearchHit>, HostError> {
        let hits = self.inner.store.search(id, query, limit).await?;
        Ok(hits
            .into_iter()
            .map(|hit| SearchHit {
                seq: hit.seq,
                snippet: hit.excerpt,
            })
            .collect())
    }

    /// Sends a prompt: a turn starts, or it waits in the queue behind the running one.
    pub async fn send_prompt(&self, id: &str, prompt: impl Into<Prompt>) -> Result<SendOutcome, HostError> {
        let lane = self.lane(id);
        let held = lane.lock().await;
        self.settle_orphan(id).await?;
        let chat = self.chat(id).await?;
        let order = self.sent(&chat.harness, prompt.into()).await?;
        if self.inner.live.get(id).is_some() {
            let files = order.attachments.clone();
            let prompt = NewPrompt {
                id: new_id(),
                extra: order.beside(),
                text: order.text,
                created_at: now(),
            };
            self.inner.store.queue_add(id, prompt).await?;
            self.files_sent(id, &files).await?;
            drop(held);
            self.publish_queue(id).await?;
            self.hand_over_soon(id);
            return Ok(SendOutcome::Queued);
        }
        let order = self.as_it_goes(&chat, order)?;
        self.begin_turn(id, order, None).await?;
        drop(held);
        self.publish_chat(id).await?;
        Ok(SendOutcome::Started)
    }

    /// Stores prompt and turn, then starts it. The caller holds the lane.
    pub(crate) async fn begin_turn(
        &self,
        id: &str,
        order: Order,
        from_queue: Option<String>,
    ) -> Result<(), HostError> {
        let (turn, at) = (new_id(), now());
        let events = [order.event(), ChatEvent::TurnQueued];
        let committed = self
            .inner
            .store
            .commit(ChatCommit {
                chat_id: id.into(),
                at,
                update: ChatUpdate {
                    status: Some(ChatStatus::Queued),
                    queue_paused: from_queue.is_none().then_some(None),
                    ..ChatUpdate::default()
                },
                take_prompt: from_queue,
                new_turn: Some(paddock_store::turns::NewTurn {
                    id: turn.clone(),
                    request: None,
                    queued_at: at,
                }),
                messages: order.message(&turn, at).into_iter().collect(),
                events: events
                    .iter()
                    .filter_map(|event| convert::new_event(Some(&turn), at, event))
                    .collect(),
                ..ChatCommit::default()
            })
            .await?;
        for (seq, body) in committed.seqs.iter().zip(events) {
            let event = StoredEvent {
                seq: *seq,
                at,
                turn: Some(turn.clone()),
                body,
            };
            self.inner.feed.publish(&FeedItem::Event {
                chat: id.into(),
                from_seq: *seq,
                event,
            });
        }
        self.files_sent(id, &order.attachments).await?;
        self.start_turn(&committed.chat, turn, order).await
    }

    /// Stops the running turn: the harness is asked first, then its tree is ended. The queue pauses.
    pub async fn stop_turn(&self, id: &str) -> Result<(), HostError> {
        let live = self.inner.live.get(id).ok_or_else(no_turn)?;
        live.wait_for(WaitingFor::Stop, None, now(), None);
        live.stop.cancel();
        self.publish_chat(id).await
    }

    /// Ends the process tree of the running turn at once.
    pub async fn kill_turn(&self, id: &str) -> Result<(), HostError> {
        let live = self.inner.live.get(id).ok_or_else(no_turn)?;
        live.kill.cancel();
        Ok(())
    }

    /// Names a chat.
    pub async fn rename_chat(&self, id: &str, title: &str) -> Result<(), HostError> {
        let title: String = title.trim().chars().take(TITLE_CHARS).collect();
        if title.is_empty() {
            return Err(HostError::new(
                "invalid_request",
                "The title is empty.",
                "Write a title first.",
            ));
        }
        // A running turn notes things in the metadata too, under the same lane.
        let lane = self.lane(id);
        let held = lane.lock().await;
        let meta = ChatMeta {
            named: true,
            ..convert::meta(&self.chat(id).await?)
        };
        let update = ChatUpdate {
            title: Some(title),
            metadata: Some(convert::meta_text(&meta)),
            ..ChatUpdate::default()
        };
        self.commit_update(id, update).await?;
        drop(held);
        self.publish_chat(id).await
    }

    /// Puts a chat away or takes it back.
    pub async fn archive_chat(&self, id: &str, archived: bool) -> Result<(), HostError> {
        self.update_chat(
            id,
            ChatUpdate {
                archived: Some(archived),
                ..ChatUpdate::default()
            },
        )
        .await
    }

    pub(crate) async fn update_chat(&self, id: &str, update: ChatUpdate) -> Result<(), HostError> {
        self.commit_update(id, update).await?;
        self.publish_chat(id).await
    }

    async fn commit_update(&self, id: &str, update: ChatUpdate) -> Result<(), HostError> {
        let commit = ChatCommit {
            chat_id: id.into(),
            at: now(),
            update,
            ..ChatCommit::default()
        };
        self.inner.store.commit(commit).await?;
        Ok(())
    }

    /// Removes a chat and all that hangs on it. Refused while a turn runs.
    pub async fn delete_chat(&self, id: &str) -> Result<(), HostError> {
        let session = self.inner.store.load_chat(id).await?;
        let session = session.and_then(|chat| Some((chat.harness, chat.session_id?)));
        let files = self.files_of(id).await?;
        if !self.inner.store.delete_chat(id).await? {
            return Err(HostError::not_found("chat"));
        }
        self.forget_files(files).await;
        if let Some((harness, session)) = session {
            self.inner
                .runtime
                .release_retained(&harness.as_str().into(), &session);
        }
        self.inner
            .feed
            .publish(&FeedItem::ChatRemoved { chat: id.into() });
        Ok(())
    }

    /// Notes how far a person has read.
    pub async fn mark_read(&self, id: &str, seq: i64) -> Result<(), HostError> {
        self.inner.store.chat_read(id, seq).await?;
        self.publish_chat(id).await
    }

    pub(crate) async fn publish_chat(&self, id: &str) -> Result<(), HostError> {
        let _telling = self.inner.telling.lock().await;
        // A chat that was removed meanwhile has nothing to tell.
        if let Some(chat) = self.inner.store.load_chat(id).await? {
            let summary = self.summary(&chat).await?;
            self.inner.feed.publish(&FeedItem::Chat { summary });
        }
        Ok(())
    }

    /// A chat as lists show it.
    pub(crate) async fn summary(&self, chat: &Chat) -> Result<ChatSummary, HostError> {
        let meta = convert::meta(chat);
        let live = self.inner.live.get(&chat.id);
        let records = self.inner.store.decisions_open().await?;
        let mine: Vec<_> = records
            .iter()
            .filter(|record| record.chat_id == chat.id)
            .collect();
        let running = live
            .as_ref()
            .map(|live| match (live.waits().what, live.is_quiet()) {
                (WaitingFor::Slot, _) => Running::Waiting,
                (_, true) => Running::Quiet,
                _ => Running::Working,
            });
        let queued = self.inner.store.queue_list(&chat.id).await?.len();
        Ok(ChatSummary {
            id: chat.id.clone(),
            workspace: chat.workspace_id.clone().unwrap_or_default(),
            folder: meta.folder,
            title: chat.title.clone(),
            harness: chat.harness.clone(),
            endpoint: convert::endpoint(&chat.endpoint),
            model: chat.model.clone(),
            reported_model: meta.reported_model,
            effort: chat.effort.clone(),
            mode: convert::mode(&chat.mode),
            state: convert::chat_state(chat, mine.iter().any(|record| record.blocking), running),
            open_decisions: u32::try_from(mine.len()).unwrap_or(u32::MAX),
            waits: live.map(|live| live.waits()),
            payer: meta.payer,
            session_id: chat.session_id.clone(),
            last_seq: chat.last_seq,
            read_seq: chat.read_seq,
            queued: u32::try_from(queued).unwrap_or(u32::MAX),
            queue_paused: chat.queue_paused.clone().filter(|_| queued > 0),
            usage: meta.usage,
            created_at: chat.created_at,
            updated_at: chat.updated_at,
            archived: chat.archived,
        })
    }
}

fn no_turn() -> HostError {
    HostError::new("no_turn", "No turn runs in this chat.", "It has ended already.")
}
