//! What the Paddock app can do, without a window.
//!
//! | module | what it does |
//! | --- | --- |
//! | [`api`] | plain data for a user interface |
//! | [`host`] | [`Host`]: opens everything, closes everything |
//! | [`chats`] | make, read, send, stop |
//! | [`creation`] | chats that begin, also from a copy |
//! | [`background`] | work that goes on after an answer |
//! | [`attachments`] | files that go with prompts |
//! | [`order`] | what a turn is started for |
//! | [`choices`] | mode, model, effort |
//! | [`queue`] | prompts that wait, and drafts |
//! | [`turns`] | run a turn of a chat and what follows it |
//! | [`receipts`] | what an ended turn did, read from its stored events |
//! | [`recorder`] | number and store events, then publish |
//! | [`deltas`] | adjacent deltas become one |
//! | [`feed`] | what windows hear: replay and live without a gap |
//! | [`live`] | running turns |
//! | [`processes`] | what lives of a chat, and its end |
//! | [`orphans`] | what a turn leaves that did not end as it should |
//! | [`decisions`], [`grants`] | answers, and what is remembered of them |
//! | [`trust`] | what a folder may make a harness run |
//! | [`endpoints`], [`practice`] | where the model is |
//! | [`harnesses`] | cards |
//! | [`folders`] | workspaces and completions |
//! | [`preferences`] | settings |
//! | [`context`] | standing instructions and MCP servers |
//! | [`starts`] | how long the starts of turns took |
//! | [`diagnostics`] | logs and the bundle |
//! | [`headless`] | `paddock turn` |
//! | [`convert`], [`error`] | between store, runtime and contract |

pub mod api;
pub mod attachments;
pub mod background;
pub mod chats;
pub mod choices;
pub mod context;
pub mod convert;
pub mod creation;
pub mod decisions;
pub mod deltas;
pub mod diagnostics;
pub mod endpoints;
pub mod error;
pub mod feed;
pub mod folders;
pub mod grants;
pub mod harnesses;
pub mod headless;
pub mod host;
pub mod live;
pub mod order;
pub mod orphans;
pub mod practice;
pub mod preferences;
pub mod processes;
pub mod queue;
pub mod receipts;
pub mod recorder;
pub mod starts;
pub mod trust;
pub mod turns;

pub use api::HostError;
pub use host::{Host, HostOptions};
