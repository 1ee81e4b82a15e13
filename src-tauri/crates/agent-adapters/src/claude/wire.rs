//! Frames as they are. Each line is parsed once into [`Line`]; parts that few frames have stay raw until needed.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

/// Any line. `type` need not be its first key.
#[derive(Debug, Deserialize)]
pub(super) struct Line<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) subtype: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) parent_tool_use_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) event: Option<StreamEvent<'a>>,
    #[serde(borrow, default)]
    pub(super) message: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) error: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) request_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) request: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) response: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) tool_use_result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) tool_result_meta: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) rate_limit_info: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) command_uuid: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) state: Option<Cow<'a, str>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct StreamEvent<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Cow<'a, str>,
    #[serde(default)]
    pub(super) index: Option<u32>,
    #[serde(borrow, default)]
    pub(super) delta: Option<Delta<'a>>,
    #[serde(borrow, default)]
    pub(super) message: Option<StartedMessage<'a>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Delta<'a> {
    #[serde(borrow, default)]
    pub(super) text: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) thinking: Option<Cow<'a, str>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct StartedMessage<'a> {
    #[serde(borrow)]
    pub(super) id: Cow<'a, str>,
    #[serde(default)]
    pub(super) usage: Option<Usage>,
}

/// An assistant or user message.
#[derive(Debug, Deserialize)]
pub(super) struct Message<'a> {
    #[serde(borrow, default)]
    pub(super) id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) content: Option<&'a RawValue>,
    #[serde(default)]
    pub(super) usage: Option<Usage>,
}

/// One block of a message's content.
#[derive(Debug, Deserialize)]
pub(super) struct Block<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) text: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) thinking: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) tool_use_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) content: Option<&'a RawValue>,
    #[serde(default)]
    pub(super) is_error: Option<bool>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
pub(super) struct Usage {
    #[serde(default)]
    pub(super) input_tokens: Option<u64>,
    #[serde(default)]
    pub(super) output_tokens: Option<u64>,
    #[serde(default)]
    pub(super) cache_creation_input_tokens: Option<u64>,
    #[serde(default)]
    pub(super) cache_read_input_tokens: Option<u64>,
}

/// A request of the CLI.
#[derive(Debug, Deserialize)]
pub(super) struct ControlRequest<'a> {
    #[serde(borrow)]
    pub(super) subtype: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) tool_name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) description: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) blocked_path: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) tool_use_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) agent_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) mcp_server: Option<&'a RawValue>,
}

/// An answer of the CLI to a request of ours.
#[derive(Debug, Deserialize)]
pub(super) struct ControlResponse<'a> {
    #[serde(borrow)]
    pub(super) subtype: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) request_id: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) response: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) error: Option<&'a RawValue>,
}

/// The end of a turn. `subtype` says success on failures: `is_error` decides.
#[derive(Debug, Deserialize)]
pub(super) struct ResultLine {
    #[serde(default)]
    pub(super) is_error: bool,
    #[serde(default)]
    pub(super) subtype: Option<String>,
    #[serde(default)]
    pub(super) result: Option<String>,
    #[serde(default)]
    pub(super) errors: Option<Vec<String>>,
    #[serde(default)]
    pub(super) terminal_reason: Option<String>,
    #[serde(default)]
    pub(super) api_error_status: Option<u16>,
    #[serde(default)]
    pub(super) total_cost_usd: Option<f64>,
    #[serde(default)]
    pub(super) usage: Option<Usage>,
    #[serde(default, rename = "modelUsage")]
    pub(super) model_usage: Option<BTreeMap<String, ModelUsage>>,
    #[serde(default)]
    pub(super) structured_output: Option<Box<RawValue>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ModelUsage {
    #[serde(default, rename = "contextWindow")]
    pub(super) context_window: Option<u64>,
}

/// A `system` line, by the fields of all its subtypes.
#[derive(Debug, Deserialize)]
pub(super) struct System {
    #[serde(default)]
    pub(super) session_id: Option<String>,
    #[serde(default)]
    pub(super) cwd: Option<String>,
    #[serde(default)]
    pub(super) model: Option<String>,
    #[serde(default, rename = "permissionMode")]
    pub(super) permission_mode: Option<String>,
    #[serde(default, rename = "apiKeySource")]
    pub(super) api_key_source: Option<String>,
    #[serde(default)]
    pub(super) mcp_servers: Option<Vec<McpServer>>,
    #[serde(default)]
    pub(super) status: Option<String>,
    #[serde(default)]
    pub(super) compact_result: Option<String>,
    #[serde(default)]
    pub(super) compact_error: Option<String>,
    #[serde(default)]
    pub(super) compact_metadata: Option<CompactMetadata>,
    #[serde(default)]
    pub(super) attempt: Option<u32>,
    #[serde(default)]
    pub(super) max_retries: Option<u32>,
    #[serde(default)]
    pub(super) retry_delay_ms: Option<f64>,
    #[serde(default)]
    pub(super) error_status: Option<u16>,
    #[serde(default)]
    pub(super) error: Option<serde_json::Value>,
    #[serde(default)]
    pub(super) title: Option<String>,
    #[serde(default)]
    pub(super) content: Option<String>,
    #[serde(default)]
    pub(super) task_id: Option<String>,
    #[serde(default)]
    pub(super) task_type: Option<String>,
    #[serde(default)]
    pub(super) subagent_type: Option<String>,
    #[serde(default)]
    pub(super) description: Option<String>,
    #[serde(default)]
    pub(super) summary: Option<String>,
    #[serde(default)]
    pub(super) last_tool_name: Option<String>,
    #[serde(default)]
    pub(super) usage: Option<TaskUsage>,
    #[serde(default)]
    pub(super) patch: Option<TaskPatch>,
    #[serde(default)]
    pub(super) tasks: Option<Vec<TaskEntry>>,
    #[serde(default)]
    pub(super) tool_name: Option<String>,
    #[serde(default)]
    pub(super) message: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct McpServer {
    pub(super) name: String,
    #[serde(default)]
    pub(super) status: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct CompactMetadata {
    #[serde(default)]
    pub(super) trigger: Option<String>,
    #[serde(default, alias = "preTokens")]
    pub(super) pre_tokens: Option<u64>,
    #[serde(default, alias = "postTokens")]
    pub(super) post_tokens: Option<u64>,
    #[serde(default, alias = "durationMs")]
    pub(super) duration_ms: Option<u64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct TaskUsage {
    #[serde(default)]
    pub(super) total_tokens: Option<u64>,
    #[serde(default)]
    pub(super) tool_uses: Option<u64>,
    #[serde(default)]
    pub(super) duration_ms: Option<u64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct TaskPatch {
    #[serde(default)]
    pub(super) status: Option<String>,
    #[serde(default)]
    pub(super) error: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct TaskEntry {
    pub(super) task_id: String,
    #[serde(default)]
    pub(super) task_type: Option<String>,
    #[serde(default)]
    pub(super) subagent_type: Option<String>,
    #[serde(default)]
    pub(super) description: Option<String>,
    #[serde(default)]
    pub(super) status: Option<String>,
}

/// Parses a part; `None` when it has another shape than we know.
pub(super) fn part<'a, T: Deserialize<'a>>(raw: Option<&'a RawValue>) -> Option<T> {
    serde_json::from_str(raw?.get()).ok()
}
