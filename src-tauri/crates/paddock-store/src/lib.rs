//! What Paddock remembers, in one SQLite file. SQL is written here and nowhere else.
//!
//! | part | what it holds |
//! | --- | --- |
//! | [`store`] | [`Store`]: the open file, readers, closing; [`open`] finds, locks, checks and migrates it |
//! | [`options`], [`limits`], [`error`] | how to open, every bound, every typed outcome |
//! | `writer`, `append` | the one writer: group commits, retries, back-pressure |
//! | [`commit`] | [`ChatCommit`]: one atomic step of a chat |
//! | [`chats`], [`messages`], [`events`], [`turns`], [`tool_calls`], [`decisions`], [`grants`] | a chat and its tables |
//! | [`queue`], [`drafts`], [`attachments`], [`workspaces`], [`settings`], [`handles`], [`leases`] | the tables beside it |
//! | [`turn_events`] | the events of one turn, from its end |
//! | [`search`] | *find in chat* |
//! | [`reconcile`] | what a start after a crash puts in order |
//! | [`migrations`], [`rescue`] | copies before a migration, and what to do with a damaged file |
//!
//! Event bodies, requests, answers and handles are JSON text that the store keeps and never reads.

pub mod attachments;
pub mod chats;
pub mod commit;
pub mod decisions;
pub mod drafts;
pub mod error;
pub mod events;
pub mod grants;
pub mod handles;
pub mod leases;
pub mod limits;
pub mod messages;
pub mod migrations;
pub mod open;
pub mod options;
pub mod queue;
pub mod reconcile;
pub mod rescue;
pub mod search;
pub mod settings;
pub mod store;
pub mod tool_calls;
pub mod turn_events;
pub mod turns;
pub mod workspaces;

mod append;
mod words;
mod writer;

pub use attachments::AttachmentRecord;
pub use chats::{Chat, ChatCursor, ChatFilter, ChatPage, ChatStatus, ChatUpdate, CreateChat, NewChat};
pub use commit::{ChatCommit, Committed};
pub use decisions::{
    AnswerOutcome, DecisionAnswer, DecisionClose, DecisionRecord, DecisionState, NewDecision,
};
pub use drafts::Draft;
pub use error::StoreError;
pub use events::{ChatEvent, EventPage, NewEvent};
pub use grants::{GrantRecord, NewGrant};
pub use handles::ProcessHandleRecord;
pub use leases::{Lease, LeaseOutcome};
pub use messages::{ChatMessage, NewMessage};
pub use migrations::{Migrated, known_version};
pub use options::{Check, OpenOptions, Opened};
pub use queue::{NewPrompt, QueuedPrompt};
pub use reconcile::{InterruptedTurn, Reconciled};
pub use rescue::{Rescued, TableRescue};
pub use search::SearchHit;
/// The runtime documents' name for this boundary.
pub use store::Store as ChatStore;
pub use store::{Store, new_id};
pub use tool_calls::{ToolCallRecord, ToolMark, ToolState};
pub use turns::{NewTurn, TurnRecord, TurnState, TurnUpdate};
pub use workspaces::Workspace;
