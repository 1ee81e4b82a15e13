//! Streamed blocks and their authoritative text, by message id.
//!
//! The CLI streams raw provider events and writes one `assistant` line per finished block, in order, with the same
//! message id. A message that breaks off is followed by another one with a new id that takes its place.

use std::collections::HashMap;

use agent_domain::{MessageId, Payload, TurnEvent};

use super::wire::StreamEvent;

/// Most unfinished messages that one task may leave behind before the oldest are taken back.
const MAX_PARTIALS: usize = 64;
/// Most blocks that are followed in one message.
const MAX_BLOCKS: usize = 4096;

/// The task that speaks; none: the main thread.
pub(super) type TaskKey = Option<String>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BlockState {
    /// Began, nothing shown.
    Empty,
    /// Deltas were shown.
    Shown,
    /// Its complete line came.
    Complete,
}

#[derive(Debug)]
struct StreamedBlock {
    index: u32,
    is_text: bool,
    kind: String,
    state: BlockState,
}

#[derive(Debug, Default)]
struct Message {
    id: String,
    blocks: Vec<StreamedBlock>,
    next: u32,
    completed_text: bool,
    /// The CLI said that it gave up what it streamed of it.
    abandoned: bool,
}

impl Message {
    fn of(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            ..Self::default()
        }
    }

    fn shows_unfinished_text(&self) -> bool {
        self.blocks
            .iter()
            .any(|block| block.is_text && block.state == BlockState::Shown)
    }

    fn block(&mut self, index: u32, kind: &str) -> Option<&mut StreamedBlock> {
        let found = self.blocks.iter().position(|block| block.index == index);
        let at = match found {
            Some(at) => at,
            None if self.blocks.len() >= MAX_BLOCKS => return None,
            None => {
                self.blocks.push(StreamedBlock {
                    index,
                    is_text: kind == "text",
                    kind: kind.to_owned(),
                    state: BlockState::Empty,
                });
                self.blocks.len() - 1
            }
        };
        self.blocks.get_mut(at)
    }

    /// The index of the next complete block: the streamed one of the same kind, else the next number.
    fn complete(&mut self, kind: &str) -> (u32, bool) {
        let next = self.next;
        let streamed = self
            .blocks
            .iter_mut()
            .filter(|block| block.index >= next && block.kind == kind)
            .min_by_key(|block| block.index);
        let (index, shown) = match streamed {
            Some(block) => {
                let shown = block.state == BlockState::Shown;
                block.state = BlockState::Complete;
                (block.index, shown)
            }
            None => (next, false),
        };
        self.next = index.saturating_add(1);
        self.completed_text |= kind == "text";
        (index, shown)
    }
}

/// All messages of a turn that are not settled yet, by task; the last one of a task is the current one.
#[derive(Debug, Default)]
pub(super) struct TextBook {
    messages: HashMap<TaskKey, Vec<Message>>,
    drafts: u64,
    last_main_text: String,
}

impl TextBook {
    /// The last complete text of the main thread.
    pub(super) fn last_main_text(&self) -> &str {
        &self.last_main_text
    }

    pub(super) fn begin_turn(&mut self) {
        self.messages.clear();
        self.last_main_text.clear();
    }

    /// A provider event of a task.
    pub(super) fn stream(
        &mut self,
        task: &TaskKey,
        line_message: Option<&str>,
        event: &StreamEvent<'_>,
        events: &mut Vec<TurnEvent>,
    ) {
        match event.kind.as_ref() {
            "message_start" => {
                if let Some(id) = event.message.as_ref().and_then(|message| message.id.as_deref()) {
                    self.current(task, Some(id), events);
                }
            }
            "content_block_start" => {
                if let (Some(index), Some(block)) = (event.index, &event.content_block) {
                    self.current(task, line_message, events).block(index, &block.kind);
                }
            }
            "content_block_delta" => self.delta(task, line_message, event, events),
            _ => {}
        }
    }

    fn delta(
        &mut self,
        task: &TaskKey,
        line_message: Option<&str>,
        event: &StreamEvent<'_>,
        events: &mut Vec<TurnEvent>,
    ) {
        let Some(delta) = &event.delta else { return };
        let (kind, text) = match delta.kind.as_ref() {
            "text_delta" => ("text", &delta.text),
            "thinking_delta" => ("thinking", &delta.thinking),
            _ => return,
        };
        if text.is_empty() {
            return;
        }
        let index = event.index.unwrap_or_default();
        let message = self.current(task, line_message, events);
        if let Some(block) = message.block(index, kind) {
            block.state = BlockState::Shown;
        }
        let message_id = MessageId::new(&message.id);
        let (text, task_id) = (text.clone().into_owned(), task.clone());
        events.push(match kind {
            "text" => TurnEvent::TextDelta {
                message_id,
                block: index,
                text,
                task_id,
            },
            _ => TurnEvent::ReasoningDelta {
                message_id,
                block: index,
                text,
                task_id,
            },
        });
    }

    /// The message that a task speaks now; without an id the current one, or a draft numbered by us.
    fn current(&mut self, task: &TaskKey, id: Option<&str>, events: &mut Vec<TurnEvent>) -> &mut Message {
        let drafts = &mut self.drafts;
        let messages = self.messages.entry(task.clone()).or_default();
        let known = match id {
            Some(id) => messages.iter().rposition(|message| message.id == id),
            None => messages.len().checked_sub(1),
        };
        let at = known.unwrap_or_else(|| {
            messages.retain(Message::shows_unfinished_text);
            if messages.len() >= MAX_PARTIALS {
                events.push(withdrawn(&messages.remove(0).id));
            }
            let id = id.map_or_else(
                || {
                    *drafts += 1;
                    format!("draft-{drafts}")
                },
                str::to_owned,
            );
            messages.push(Message::of(&id));
            messages.len() - 1
        });
        &mut messages[at]
    }

    /// A complete block that carries no text of its own; keeps the numbering.
    pub(super) fn complete_other(
        &mut self,
        task: &TaskKey,
        id: &str,
        kind: &str,
        events: &mut Vec<TurnEvent>,
    ) {
        self.current(task, Some(id), events).complete(kind);
    }

    /// A complete reasoning block: told whole when none of it was streamed.
    pub(super) fn complete_reasoning(
        &mut self,
        task: &TaskKey,
        id: &str,
        text: String,
        events: &mut Vec<TurnEvent>,
    ) {
        let (block, shown) = self.current(task, Some(id), events).complete("thinking");
        if !shown && !text.is_empty() {
            let (message_id, task_id) = (MessageId::new(id), task.clone());
            events.push(TurnEvent::ReasoningDelta {
                message_id,
                block,
                text,
                task_id,
            });
        }
    }

    /// A complete text block: authoritative. Broken-off messages of the same task are replaced by it.
    pub(super) fn complete_text(
        &mut self,
        task: &TaskKey,
        id: &str,
        text: String,
        events: &mut Vec<TurnEvent>,
    ) {
        let (block, _) = self.current(task, Some(id), events).complete("text");
        let messages = self.messages.entry(task.clone()).or_default();
        let mut replaces = Vec::new();
        for partial in messages.extract_if(.., |message| message.id != id && message.shows_unfinished_text())
        {
            if partial.completed_text {
                empty_unfinished(&partial, task, events);
            } else {
                replaces.push(MessageId::new(partial.id));
            }
        }
        if task.is_none() {
            self.last_main_text.clone_from(&text);
        }
        let (id, text, task_id) = (MessageId::new(id), Payload::whole(text), task.clone());
        events.push(TurnEvent::MessageCompleted {
            id,
            block,
            text,
            replaces,
            task_id,
        });
    }

    /// The CLI gave up a streamed message from a block on. What follows may replace it; else its end takes it back.
    pub(super) fn abandon(&mut self, task: &TaskKey, id: &str, from: u32) {
        let messages = self.messages.entry(task.clone()).or_default();
        if let Some(message) = messages.iter_mut().find(|message| message.id == id) {
            let shown = |block: &StreamedBlock| {
                block.index >= from && block.is_text && block.state == BlockState::Shown
            };
            message.abandoned |= message.blocks.iter().any(shown);
        }
    }

    /// Takes back what a task showed of one message and never completed.
    pub(super) fn withdraw_message(&mut self, task: &TaskKey, id: &str, events: &mut Vec<TurnEvent>) {
        self.withdraw_where(task, |message| message.id == id, events);
    }

    /// Takes back what a task showed and never completed.
    pub(super) fn withdraw(&mut self, task: &TaskKey, events: &mut Vec<TurnEvent>) {
        self.withdraw_where(task, |_| true, events);
    }

    fn withdraw_where(
        &mut self,
        task: &TaskKey,
        concerns: impl Fn(&Message) -> bool,
        events: &mut Vec<TurnEvent>,
    ) {
        let messages = self.messages.entry(task.clone()).or_default();
        for partial in messages.extract_if(.., |message| concerns(message)) {
            if !partial.shows_unfinished_text() {
                continue;
            }
            if partial.completed_text {
                empty_unfinished(&partial, task, events);
            } else {
                events.push(withdrawn(&partial.id));
            }
        }
    }

    /// The turn is over. A finished answer has no loose parts; of one that was cut off everything stands that the CLI did
    /// not give up itself: a person keeps what was said before the stop.
    pub(super) fn end_turn(&mut self, finished: bool, events: &mut Vec<TurnEvent>) {
        let mut tasks: Vec<TaskKey> = self.messages.keys().cloned().collect();
        tasks.sort();
        for task in tasks {
            self.withdraw_where(&task, |message| finished || message.abandoned, events);
        }
        self.messages.clear();
    }
}

fn withdrawn(id: &str) -> TurnEvent {
    TurnEvent::TextWithdrawn {
        message_id: MessageId::new(id),
    }
}

/// A message with one finished and one broken-off block stays; the broken-off block becomes empty.
fn empty_unfinished(message: &Message, task: &TaskKey, events: &mut Vec<TurnEvent>) {
    let unfinished = message
        .blocks
        .iter()
        .filter(|block| block.is_text && block.state == BlockState::Shown);
    events.extend(unfinished.map(|block| TurnEvent::MessageCompleted {
        id: MessageId::new(&message.id),
        block: block.index,
        text: Payload::default(),
        replaces: Vec::new(),
        task_id: task.clone(),
    }));
}
