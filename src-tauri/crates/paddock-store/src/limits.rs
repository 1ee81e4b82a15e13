//! Every bound of the store, by name.

use std::time::Duration;

/// Jobs that may wait for the writer; a caller beyond them is held back.
pub const WRITE_QUEUE_JOBS: usize = 1024;
/// Payload that may wait for the writer, in KiB; a caller beyond it is held back.
pub const WRITE_QUEUE_KIB: usize = 64 * 1024;
/// A group with this many events waits for no more.
pub const GROUP_EVENTS: usize = 64;
/// A group takes no more of what is queued already when it holds this many events.
pub const GROUP_MAX_EVENTS: usize = 4_096;
/// A group is committed when it holds this many jobs.
pub const GROUP_JOBS: usize = 256;
/// A group is committed this long after its first job, at the latest; at once for anything but plain events.
pub const GROUP_WAIT: Duration = Duration::from_millis(8);
/// SQLite's own wait for another connection's lock.
pub const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// How long the writer tries again while another process holds the lock, before its callers are told.
pub const LOCK_PATIENCE: Duration = Duration::from_secs(60);
/// How long the writer tries again on a full disk, before its callers are told.
pub const DISK_PATIENCE: Duration = Duration::from_secs(15);
/// Pause between two tries of the writer.
pub const RETRY_PAUSE: Duration = Duration::from_millis(200);
/// How long opening waits for another process's lock.
pub const OPEN_PATIENCE: Duration = Duration::from_secs(10);
/// After this long without a write, the log is folded into the file.
pub const IDLE_CHECKPOINT: Duration = Duration::from_secs(2);
/// How long closing waits for the writer to finish.
pub const CLOSE_PATIENCE: Duration = Duration::from_secs(70);
/// Connections for reading.
pub const READERS: u32 = 4;
/// How long a reader waits for a free connection.
pub const READER_PATIENCE: Duration = Duration::from_secs(10);
/// Size to which the log is cut after a checkpoint, in bytes.
pub const LOG_KEEP_BYTES: u32 = 64 * 1024 * 1024;

/// Most rows of one page of events, messages or chats.
pub const MAX_PAGE: u32 = 1_000;
/// A page of events ends early after this many bytes of bodies (it holds at least one event).
pub const MAX_PAGE_BYTES: usize = 8 * 1024 * 1024;
/// Longest event body, in bytes: a payload of the longest harness line, escaped.
pub const MAX_BODY_BYTES: usize = 16 * 1024 * 1024;
/// Longest request or answer of a decision, in bytes: the longest harness line, escaped.
pub const MAX_DECISION_BYTES: usize = 16 * 1024 * 1024;
/// Longest identifier, in bytes.
pub const MAX_ID_BYTES: usize = 4 * 1024;
/// Longest message, prompt or draft, in bytes.
pub const MAX_TEXT_BYTES: usize = 4 * 1024 * 1024;
/// Kept of an event's text for searching, in bytes; the rest is not found.
pub const MAX_SEARCH_TEXT_BYTES: usize = 64 * 1024;
/// A body of at least this many bytes is bound on its own and not through the group's JSON.
pub const LARGE_BODY_BYTES: usize = 64 * 1024;
/// Most events of one append or commit.
pub const MAX_EVENTS_PER_COMMIT: usize = 10_000;
/// Most prompts that wait in one chat.
pub const MAX_QUEUED_PROMPTS: u32 = 100;
/// Most files that wait in one draft.
pub const MAX_WAITING_ATTACHMENTS: u32 = 64;
/// Most rows of a list that is not paged (workspaces, decisions, grants, handles, settings).
pub const MAX_LIST: u32 = 10_000;
/// Longest search query, in characters.
pub const MAX_QUERY_CHARS: usize = 256;
/// Most hits of one search.
pub const MAX_HITS: u32 = 500;
/// Characters on each side of a hit in its excerpt.
pub const EXCERPT_CHARS: usize = 60;

/// Copies that are kept from before migrations.
pub const KEPT_COPIES: usize = 3;
/// Failed reads after which the rescue of one table gives up.
pub const RESCUE_FAILED_READS: u32 = 20_000;
/// Rows that a rescue copies with one statement.
pub const RESCUE_STEP: i64 = 2_000;
