//! Chats that begin: with a prompt, or from a copy of another chat's conversation.

use paddock_store::{CreateChat, new_id};

use crate::api::{ChatEvent, ChatSummary, HostError, NewChat, Prompt};
use crate::chats::TITLE_CHARS;
use crate::convert::{self, ChatMeta, ForkOf};
use crate::host::{Host, now};
use crate::order::{live_turn, user_message};

impl Host {
    /// Makes a chat with its first prompt and starts its turn. The folder must exist.
    pub async fn create_chat(&self, new: NewChat) -> Result<ChatSummary, HostError> {
        self.begin_chat(new, None).await
    }

    /// Makes a chat that goes on from a copy of another one's conversation; that one stays as it is. The harness copies
    /// with the first turn, so the other chat must rest until then.
    pub async fn fork_chat(&self, id: &str, prompt: Prompt) -> Result<ChatSummary, HostError> {
        let from = self.chat(id).await?;
        let can = self
            .inner
            .runtime
            .turn_capabilities(&from.harness.as_str().into())?;
        if !can.fork {
            return Err(HostError::new(
                "unsupported",
                "This harness cannot copy a conversation.",
                "Start a new chat instead.",
            ));
        }
        if self.inner.live.get(id).is_some() {
            return Err(live_turn());
        }
        let Some(session) = from.session_id.clone() else {
            return Err(HostError::new(
                "no_session",
                "There is nothing to copy yet.",
                "Send a prompt first.",
            ));
        };
        let new = NewChat {
            folder: convert::meta(&from).folder,
            harness: from.harness.clone(),
            endpoint: convert::endpoint(&from.endpoint),
            model: from.model.clone(),
            effort: from.effort.clone(),
            mode: convert::mode(&from.mode),
            prompt: prompt.text,
            attachments: prompt.attachments,
            schema: prompt.schema,
        };
        let copied = ChatEvent::ForkedFrom {
            chat: from.id.clone(),
            title: from.title.clone(),
        };
        let fork = ForkOf {
            chat: from.id,
            session,
        };
        self.begin_chat(new, Some((fork, copied))).await
    }

    async fn begin_chat(
        &self,
        new: NewChat,
        fork: Option<(ForkOf, ChatEvent)>,
    ) -> Result<ChatSummary, HostError> {
        let store = &self.inner.store;
        let folder = self.checked_folder(&new.folder).await?;
        let workspace = store
            .workspace_add("local", &folder.typed, &folder.resolved, now())
            .await?;
        let (fork_of, copied) = fork.unzip();
        let meta = ChatMeta {
            folder: folder.typed,
            resolved: folder.resolved,
            fork_of,
            ..ChatMeta::default()
        };
        let (id, at, turn) = (new_id(), now(), new_id());
        self.check_mode(&new)?;
        let request = convert::json(&new);
        let prompt = Prompt {
            text: new.prompt,
            attachments: new.attachments,
            schema: new.schema,
        };
        let order = self.sent(&new.harness, prompt).await?;
        let events = copied.into_iter().chain([order.event(), ChatEvent::TurnQueued]);
        let lane = self.lane(&id);
        let held = lane.lock().await;
        let chat = store
            .create_chat(CreateChat {
                chat: paddock_store::NewChat {
                    id: id.clone(),
                    workspace_id: Some(workspace.id),
                    title: title_of(&order.text),
                    harness: new.harness,
                    endpoint: convert::word(&new.endpoint),
                    transport: "local".into(),
                    model: new.model,
                    effort: new.effort,
                    mode: convert::json(&new.mode),
                    session_id: None,
                    metadata: convert::meta_text(&meta),
                    created_at: at,
                },
                message: user_message(&turn, &order.text, at),
                turn: Some(paddock_store::turns::NewTurn {
                    id: turn.clone(),
                    request: Some(request),
                    queued_at: at,
                }),
                events: events
                    .filter_map(|event| convert::new_event(Some(&turn), at, &event))
                    .collect(),
            })
            .await?;
        self.files_sent(&id, &order.attachments).await?;
        self.start_turn(&chat, turn, order).await?;
        drop(held);
        self.publish_chat(&id).await?;
        self.summary(&self.chat(&id).await?).await
    }

    fn check_mode(&self, new: &NewChat) -> Result<(), HostError> {
        let harness = new.harness.as_str().into();
        let support = self.inner.runtime.permission_support(&harness)?;
        if support.supports(&new.mode) {
            return Ok(());
        }
        let message = format!("{} cannot hold this permission mode.", new.harness);
        Err(HostError::new("unsupported", message, "Choose another mode."))
    }
}

fn title_of(prompt: &str) -> String {
    let line = prompt
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default()
        .trim();
    line.chars().take(TITLE_CHARS).collect()
}
