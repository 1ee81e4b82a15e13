//! Bounds of requests, frames and events. Each is a floor that callers may rely on.

use std::time::Duration;

/// Longest prompt, in bytes (default of the builder).
pub const MAX_PROMPT_BYTES: usize = 256 * 1024;
/// Longest line that a harness may print, in bytes (default of the builder). A longer one becomes a marked stub.
pub const MAX_LINE_BYTES: usize = 2 * 1024 * 1024;
/// Kept from the start and the end of a line that was too long, in bytes each.
pub const OVERSIZE_SAMPLE_BYTES: usize = 512;
/// A line that reaches this many bytes without an end is a protocol error, in bytes.
pub const MAX_ENDLESS_LINE_BYTES: u64 = 64 * 1024 * 1024;
/// Largest payload of a published event, in bytes; the whole is fetched on demand.
pub const MAX_EVENT_BYTES: usize = 64 * 1024;
/// Longest identifier, in bytes. A longer one is refused, never cut.
pub const MAX_IDENTIFIER_BYTES: usize = 4 * 1024;
/// Kept of an unknown or unparsed frame as evidence, in bytes.
pub const MAX_SAMPLE_BYTES: usize = 512;
/// Last part of standard error that is kept, in bytes.
pub const STDERR_TAIL_BYTES: usize = 32 * 1024;
/// Longest standing instructions, in bytes. Harnesses take them as one argument, of which Linux allows 128 KiB.
pub const MAX_SYSTEM_PROMPT_BYTES: usize = 64 * 1024;
/// Longest JSON schema of an answer, in bytes, for the same reason.
pub const MAX_SCHEMA_BYTES: usize = 64 * 1024;
/// Most variables of an explicit environment.
pub const MAX_ENV_VARS: usize = 128;
/// Longest environment name, in bytes.
pub const MAX_ENV_NAME_BYTES: usize = 256;
/// Longest environment value, in bytes.
pub const MAX_ENV_VALUE_BYTES: usize = 64 * 1024;
/// Names and values of an explicit environment together, in bytes.
pub const MAX_ENV_TOTAL_BYTES: usize = 256 * 1024;
/// Most unchecked arguments of a turn.
pub const MAX_UNCHECKED_ARGS: usize = 256;
/// Most tools of the host in a turn.
pub const MAX_HOST_TOOLS: usize = 128;
/// Longest description of a tool of the host, in bytes.
pub const MAX_HOST_TOOL_DESCRIPTION_BYTES: usize = 16 * 1024;
/// Most attachments of a turn.
pub const MAX_ATTACHMENTS: usize = 64;
/// Longest name and media type of an attachment, in bytes each.
pub const MAX_ATTACHMENT_NAME_BYTES: usize = 1024;
/// Largest image file that is read, in bytes.
pub const MAX_IMAGE_FILE_BYTES: usize = 32 * 1024 * 1024;
/// Most pixels of an image on one side before it is scaled.
pub const MAX_IMAGE_SIDE: u32 = 16_384;
/// Most memory for one image while it is scaled, in bytes.
pub const MAX_IMAGE_MEMORY_BYTES: u64 = 512 * 1024 * 1024;
/// Pixels of an image's longer side as a harness gets it. A model sees no more than this (its vendor scales larger ones).
pub const IMAGE_SIDE: u32 = 1568;
/// Bytes of one image as a harness gets it: with base64 it stays below the 5 MB that providers take.
pub const MAX_IMAGE_BYTES: usize = 3_500_000;
/// Bytes of all images of a turn as a harness gets them: with base64 below the 32 MB of a request.
pub const MAX_IMAGES_BYTES: usize = 20_000_000;
/// Most names in an exact tool list.
pub const MAX_TOOLS: usize = 256;
/// Longest tool name in an exact tool list, in bytes.
pub const MAX_TOOL_NAME_BYTES: usize = 256;
/// Most MCP servers of a turn.
pub const MAX_MCP_SERVERS: usize = 64;
/// Longest MCP server name, in bytes.
pub const MAX_MCP_NAME_BYTES: usize = 128;
/// Most arguments of one stdio MCP server.
pub const MAX_MCP_ARGS: usize = 256;
/// Longest URL of an HTTP MCP server, in bytes.
pub const MAX_URL_BYTES: usize = 16 * 1024;
/// Longest code that a provider may attach to a failure, in bytes.
pub const MAX_PROVIDER_CODE_BYTES: usize = 256;
/// Most asks that one connection may hold open; the next is refused on the wire.
pub const MAX_OPEN_ASKS: usize = 128;
/// Most tasks in one snapshot.
pub const MAX_TASKS: usize = 32;
/// Longest text field of a task, in characters.
pub const MAX_TASK_TEXT_CHARS: usize = 4_000;
/// Longest instructions of a compaction, in bytes.
pub const MAX_COMPACTION_INSTRUCTIONS_BYTES: usize = 16 * 1024;
/// Automatic compaction threshold, lowest, in tokens.
pub const MIN_COMPACTION_TOKENS: u32 = 100_000;
/// Automatic compaction threshold, highest, in tokens.
pub const MAX_COMPACTION_TOKENS: u32 = 1_000_000;
/// Default whole-turn deadline of the library.
pub const DEFAULT_TURN_DEADLINE: Duration = Duration::from_secs(30 * 60);
/// Default wait for one decision of the library.
pub const DEFAULT_INTERACTION_DEADLINE: Duration = Duration::from_secs(10 * 60);
/// Default number of turns at once.
pub const DEFAULT_CONCURRENCY: usize = 2;
