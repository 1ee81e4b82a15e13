//! Which text belongs to which block, and which streamed text was taken back.
//!
//! A complete message arrives as one line per block with the same message id, so the n-th line is block n. A message
//! that was streamed in part and never completed was cut off: the harness asks again and answers under another id.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use agent_domain::event::TurnEvent;
use agent_domain::ids::MessageId;
use agent_domain::tool::Payload;

/// Messages whose block counts are remembered; older ones are complete.
const REMEMBERED_MESSAGES: usize = 64;

#[derive(Debug, Default)]
struct Open {
    id: String,
    streamed: BTreeSet<u32>,
    streamed_text: BTreeSet<u32>,
    completed: BTreeSet<u32>,
}

impl Open {
    fn was_cut(&self) -> bool {
        self.streamed_text
            .iter()
            .any(|block| !self.completed.contains(block))
    }
}

/// Text of the main thread and of each subagent (by the tool call that started it).
#[derive(Debug, Default)]
pub(super) struct Texts {
    open: HashMap<Option<String>, Open>,
    blocks: BTreeMap<String, u32>,
    order: Vec<String>,
    cut: HashMap<Option<String>, Vec<MessageId>>,
    nameless: u32,
}

impl Texts {
    /// A message begins to stream.
    pub(super) fn start(&mut self, task: Option<&str>, id: &str) -> Vec<TurnEvent> {
        let key = task.map(str::to_owned);
        let before = self.open.insert(
            key.clone(),
            Open {
                id: id.to_owned(),
                ..Open::default()
            },
        );
        before
            .filter(|open| open.id != id)
            .map(|open| self.withdraw(key, &open))
            .unwrap_or_default()
    }

    /// The harness asks the provider again: what was streamed in part does not stand.
    pub(super) fn retry(&mut self) -> Vec<TurnEvent> {
        let open: Vec<_> = self.open.drain().collect();
        open.iter()
            .flat_map(|(key, open)| self.withdraw(key.clone(), open))
            .collect()
    }

    fn withdraw(&mut self, key: Option<String>, open: &Open) -> Vec<TurnEvent> {
        if !open.was_cut() {
            return Vec::new();
        }
        let message_id = MessageId::new(open.id.clone());
        self.cut.entry(key).or_default().push(message_id.clone());
        vec![TurnEvent::TextWithdrawn { message_id }]
    }

    fn streaming(&mut self, task: Option<&str>) -> &mut Open {
        let nameless = &mut self.nameless;
        self.open.entry(task.map(str::to_owned)).or_insert_with(|| {
            *nameless += 1;
            Open {
                id: format!("unnamed-{nameless}"),
                ..Open::default()
            }
        })
    }

    /// Text was streamed.
    pub(super) fn text(&mut self, task: Option<&str>, block: u32, text: &str) -> TurnEvent {
        let open = self.streaming(task);
        open.streamed.insert(block);
        open.streamed_text.insert(block);
        TurnEvent::TextDelta {
            message_id: MessageId::new(open.id.clone()),
            block,
            text: text.to_owned(),
            task_id: task.map(str::to_owned),
        }
    }

    /// Reasoning was streamed.
    pub(super) fn reasoning(&mut self, task: Option<&str>, block: u32, text: &str) -> TurnEvent {
        let open = self.streaming(task);
        open.streamed.insert(block);
        TurnEvent::ReasoningDelta {
            message_id: MessageId::new(open.id.clone()),
            block,
            text: text.to_owned(),
            task_id: task.map(str::to_owned),
        }
    }

    /// Number of the next complete block of a message.
    pub(super) fn next_block(&mut self, id: &str) -> u32 {
        if let Some(next) = self.blocks.get_mut(id) {
            *next += 1;
            return *next - 1;
        }
        self.order.push(id.to_owned());
        if self.order.len() > REMEMBERED_MESSAGES {
            let oldest = self.order.remove(0);
            self.blocks.remove(&oldest);
        }
        self.blocks.insert(id.to_owned(), 1);
        0
    }

    /// A complete text block.
    pub(super) fn completed(
        &mut self,
        task: Option<&str>,
        id: &str,
        block: u32,
        text: &str,
    ) -> Vec<TurnEvent> {
        let key = task.map(str::to_owned);
        let mut events = Vec::new();
        match self.open.get_mut(&key) {
            Some(open) if open.id == id => {
                open.completed.insert(block);
            }
            Some(_) => {
                if let Some(open) = self.open.remove(&key) {
                    events = self.withdraw(key.clone(), &open);
                }
            }
            None => {}
        }
        events.push(TurnEvent::MessageCompleted {
            id: MessageId::new(id),
            block,
            text: Payload::whole(text),
            replaces: self.cut.remove(&key).unwrap_or_default(),
            task_id: key,
        });
        events
    }

    /// A complete reasoning block: reported only if it was not streamed.
    pub(super) fn reasoned(
        &mut self,
        task: Option<&str>,
        id: &str,
        block: u32,
        text: &str,
    ) -> Option<TurnEvent> {
        let key = task.map(str::to_owned);
        let streamed = self
            .open
            .get(&key)
            .is_some_and(|open| open.id == id && open.streamed.contains(&block));
        (!streamed && !text.is_empty()).then(|| TurnEvent::ReasoningDelta {
            message_id: MessageId::new(id),
            block,
            text: text.to_owned(),
            task_id: key,
        })
    }
}
