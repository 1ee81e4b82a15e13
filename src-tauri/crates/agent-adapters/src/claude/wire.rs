//! The lines of `stream-json` as Claude Code 2.1.332 writes them, borrowed from the line.
//!
//! A line is scanned once into [`Line`]; parts stay raw text until a reader needs them. A field of an unexpected kind
//! counts as absent, so that one renamed detail never costs a whole line. `type` need not be the first key.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::reading::{lenient, object, text};
use super::tools::NativeResult;

/// The top of any line.
#[derive(Debug, Deserialize)]
pub(super) struct Line<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Cow<'a, str>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) subtype: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) request_id: Option<String>,
    #[serde(borrow, default)]
    pub(super) request: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) response: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "object")]
    pub(super) message: Option<Message<'a>>,
    #[serde(borrow, default)]
    pub(super) event: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) parent_tool_use_id: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) api_message_id: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) error: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) api_error: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) api_error_status: Option<u16>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) is_api_error_message: Option<bool>,
    /// On `message_stop`: the blocks of the streamed message that the CLI gave up.
    #[serde(default, deserialize_with = "lenient")]
    pub(super) abandoned_blocks: Option<Abandoned>,
    /// On a synthetic `user` line: the message that a safety stop took back.
    #[serde(default, deserialize_with = "lenient")]
    pub(super) refused_message_id: Option<String>,
    #[serde(borrow, default, deserialize_with = "object")]
    pub(super) tool_use_result: Option<NativeResult<'a>>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) tool_result_meta: Option<Vec<ResultMeta>>,
    #[serde(borrow, default)]
    pub(super) rate_limit_info: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) command_uuid: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) state: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Abandoned {
    pub(super) api_message_id: String,
    #[serde(default)]
    pub(super) from_block_index: u32,
}

/// One raw event of the provider's stream.
#[derive(Debug, Deserialize)]
pub(super) struct StreamEvent<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Cow<'a, str>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) index: Option<u32>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) delta: Option<Delta<'a>>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) content_block: Option<Kind<'a>>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) message: Option<StreamMessage>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) usage: Option<Usage>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Kind<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Cow<'a, str>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Delta<'a> {
    #[serde(borrow, default, rename = "type")]
    pub(super) kind: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) text: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) thinking: Cow<'a, str>,
}

#[derive(Debug, Deserialize)]
pub(super) struct StreamMessage {
    #[serde(default, deserialize_with = "lenient")]
    pub(super) id: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) usage: Option<Usage>,
}

/// Token counts of one request or of a turn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
pub(super) struct Usage {
    #[serde(default, deserialize_with = "lenient")]
    pub(super) input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) output_tokens: Option<u64>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) cache_creation_input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) cache_read_input_tokens: Option<u64>,
}

/// `message` of an `assistant` or `user` line.
#[derive(Debug, Deserialize)]
pub(super) struct Message<'a> {
    #[serde(default, deserialize_with = "lenient")]
    pub(super) id: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) model: Option<String>,
    #[serde(borrow, default)]
    pub(super) content: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) usage: Option<Usage>,
}

/// One content block.
#[derive(Debug, Deserialize)]
pub(super) struct Block<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "text")]
    pub(super) text: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "text")]
    pub(super) thinking: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) id: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) name: Option<String>,
    #[serde(borrow, default)]
    pub(super) input: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) tool_use_id: Option<String>,
    #[serde(borrow, default)]
    pub(super) content: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) is_error: Option<bool>,
}

/// What decided about a tool call.
#[derive(Debug, Deserialize)]
pub(super) struct ResultMeta {
    #[serde(default, deserialize_with = "lenient")]
    pub(super) id: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) permission_decision: Option<PermissionDecision>,
}

#[derive(Debug, Deserialize)]
pub(super) struct PermissionDecision {
    #[serde(default, deserialize_with = "lenient")]
    pub(super) decision: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) source: Option<String>,
}

/// `request` of a `control_request` that the harness sends.
#[derive(Debug, Deserialize)]
pub(super) struct ControlRequest<'a> {
    #[serde(borrow)]
    pub(super) subtype: Cow<'a, str>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) tool_name: Option<String>,
    #[serde(borrow, default)]
    pub(super) input: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) description: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) blocked_path: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) tool_use_id: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) agent_id: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) mcp_server: Option<Named>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Named {
    pub(super) name: String,
}

/// `response` of a `control_response`.
#[derive(Debug, Deserialize)]
pub(super) struct ControlResponse<'a> {
    #[serde(default, deserialize_with = "lenient")]
    pub(super) subtype: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) request_id: Option<String>,
    #[serde(borrow, default)]
    pub(super) response: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) error: Option<String>,
}

/// The answer to `initialize`.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Initialized {
    #[serde(default, deserialize_with = "lenient")]
    pub(super) commands: Option<Vec<Command>>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) models: Option<Vec<Model>>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) account: Option<Account>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Command {
    pub(super) name: String,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) description: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) argument_hint: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Model {
    pub(super) value: String,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) display_name: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) resolved_model: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) description: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) supported_effort_levels: Option<Vec<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Account {
    #[serde(default, deserialize_with = "lenient")]
    pub(super) email: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) token_source: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) api_key_source: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) subscription_type: Option<String>,
}

/// A line of type `system`, all subtypes together.
#[derive(Debug, Deserialize)]
pub(super) struct System {
    #[serde(default, deserialize_with = "lenient")]
    pub(super) session_id: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) cwd: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) model: Option<String>,
    #[serde(default, deserialize_with = "lenient", alias = "permission_mode")]
    #[serde(rename = "permissionMode")]
    pub(super) permission_mode: Option<String>,
    #[serde(default, deserialize_with = "lenient", rename = "apiKeySource")]
    pub(super) api_key_source: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) mcp_servers: Option<Vec<McpState>>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) slash_commands: Option<Vec<String>>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) status: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) compact_result: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) compact_error: Option<String>,
    #[serde(default, deserialize_with = "lenient", alias = "compactMetadata")]
    pub(super) compact_metadata: Option<CompactMetadata>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) attempt: Option<u32>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) max_retries: Option<u32>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) retry_delay_ms: Option<f64>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) error_status: Option<u16>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) error: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) title: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) content: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) task_id: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) tool_use_id: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) description: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) subagent_type: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) task_type: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) last_tool_name: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) summary: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) patch: Option<TaskPatch>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) usage: Option<TaskCounts>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) tasks: Option<Vec<TaskEntry>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct McpState {
    pub(super) name: String,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) status: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct CompactMetadata {
    #[serde(default, deserialize_with = "lenient")]
    pub(super) trigger: Option<String>,
    #[serde(default, deserialize_with = "lenient", alias = "preTokens")]
    pub(super) pre_tokens: Option<u64>,
    #[serde(default, deserialize_with = "lenient", alias = "postTokens")]
    pub(super) post_tokens: Option<u64>,
    #[serde(default, deserialize_with = "lenient", alias = "durationMs")]
    pub(super) duration_ms: Option<u64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct TaskPatch {
    #[serde(default, deserialize_with = "lenient")]
    pub(super) status: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) description: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) error: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct TaskCounts {
    #[serde(default, deserialize_with = "lenient")]
    pub(super) total_tokens: Option<u64>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) tool_uses: Option<u64>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) duration_ms: Option<u64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct TaskEntry {
    pub(super) task_id: String,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) task_type: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) description: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) subagent_type: Option<String>,
}
