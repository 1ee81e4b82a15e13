//! Tools of the host: an MCP server that lives on this side of the pipe. The CLI's requests to it come as control
//! requests, so it needs neither a port nor a process (2.1.332).

use std::borrow::Cow;
use std::collections::BTreeMap;

use agent_domain::{
    AdapterError, AskId, Decision, HostTool, HostToolCall, HostToolResult, LaunchKey, NoAnswerReason,
    Payload, limits,
};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::asks::{refuse, respond};

/// Name of the server; the CLI calls its tools `mcp__host__…`.
pub(super) const SERVER: &str = "host";
/// Key of the tools in [`LaunchKey::settings`], as JSON.
pub(super) const TOOLS_SETTING: &str = "host_tools";
/// What stands before the name of a tool.
const PREFIX: &str = "mcp__host__";
/// JSON-RPC: no such method.
const NO_METHOD: i64 = -32601;
/// JSON-RPC: wrong arguments.
const WRONG_PARAMETERS: i64 = -32602;

/// The tools of a connection and their open calls.
#[derive(Debug, Default)]
pub(super) struct HostBook {
    tools: Vec<HostTool>,
    /// Calls that wait for their result: the id within the server's protocol, as it came.
    open: BTreeMap<String, String>,
}

/// What follows from a message to the server.
pub(super) enum Said {
    Reply(Vec<u8>),
    Call(HostToolCall),
}

/// The inside of a control request that carries a message.
#[derive(Debug, Deserialize)]
struct Carried<'a> {
    #[serde(borrow)]
    server_name: Cow<'a, str>,
    #[serde(borrow)]
    message: &'a RawValue,
}

#[derive(Debug, Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    method: Cow<'a, str>,
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(default)]
    params: Option<Params<'a>>,
}

#[derive(Debug, Deserialize)]
struct Params<'a> {
    #[serde(default)]
    name: Option<String>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(rename = "protocolVersion", default)]
    version: Option<String>,
}

impl HostBook {
    pub(super) fn new(key: &LaunchKey) -> Self {
        let tools = key.settings.get(TOOLS_SETTING);
        Self {
            tools: tools
                .and_then(|text| serde_json::from_str(text).ok())
                .unwrap_or_default(),
            open: BTreeMap::new(),
        }
    }

    /// Whether a step is a call of a tool about which nobody is to be asked.
    pub(super) fn runs_unasked(&self, tool_name: &str) -> bool {
        let own = tool_name.strip_prefix(PREFIX);
        own.is_some_and(|name| self.tools.iter().any(|tool| tool.name == name && !tool.asks))
    }

    /// Takes the content of a `mcp_message` request.
    pub(super) fn message(&mut self, id: &str, request: &str) -> Said {
        let carried = serde_json::from_str::<Carried<'_>>(request).ok();
        let own = carried.filter(|carried| carried.server_name == SERVER);
        let Some(carried) = own else {
            return Said::Reply(refuse(id, "this client has no such server"));
        };
        let Ok(message) = serde_json::from_str::<Message<'_>>(carried.message.get()) else {
            return Said::Reply(refuse(id, "the message could not be read"));
        };
        // A notification wants no answer, but the request that carried it does (2.1.332).
        let rpc = message.id.map_or("0", RawValue::get).to_owned();
        let params = message.params.as_ref();
        match message.method.as_ref() {
            "initialize" => {
                let version = params.and_then(|params| params.version.clone());
                Said::Reply(result(id, &rpc, &greeting(version)))
            }
            "tools/list" => Said::Reply(result(id, &rpc, &json!({"tools": self.listed()}))),
            "tools/call" => self.call(id, rpc, params),
            "ping" => Said::Reply(result(id, &rpc, &json!({}))),
            method if method.starts_with("notifications/") => Said::Reply(result(id, &rpc, &json!({}))),
            method => Said::Reply(error(id, &rpc, NO_METHOD, &format!("no method {method}"))),
        }
    }

    fn listed(&self) -> Vec<Value> {
        let one = |tool: &HostTool| {
            let schema: Value = serde_json::from_str(&tool.input_schema).unwrap_or_default();
            json!({"name": tool.name, "description": tool.description, "inputSchema": schema})
        };
        self.tools.iter().map(one).collect()
    }

    fn call(&mut self, id: &str, rpc: String, params: Option<&Params<'_>>) -> Said {
        let name = params
            .and_then(|params| params.name.as_deref())
            .unwrap_or_default();
        if !self.tools.iter().any(|tool| tool.name == name) {
            return Said::Reply(error(id, &rpc, WRONG_PARAMETERS, "there is no such tool"));
        }
        if self.open.len() >= limits::MAX_OPEN_ASKS || id.len() > limits::MAX_IDENTIFIER_BYTES {
            return Said::Reply(told(id, &rpc, "Too many calls are open.", true));
        }
        let input = params
            .and_then(|params| params.arguments)
            .map_or("{}", RawValue::get);
        self.open.insert(id.to_owned(), rpc);
        Said::Call(HostToolCall {
            id: AskId::new(id),
            name: name.to_owned(),
            input: Payload::whole(input),
        })
    }

    /// The result of an open call as a line. `None`: the id is none of a call.
    pub(super) fn answer(
        &mut self,
        id: &AskId,
        decision: &Decision,
    ) -> Option<Result<Vec<u8>, AdapterError>> {
        let rpc = self.open.get(id.as_str())?.clone();
        let (text, failed) = match decision {
            Decision::HostTool(HostToolResult { text, is_error }) => (text.as_str(), *is_error),
            Decision::NoAnswer(NoAnswerReason::Expired) => ("The tool did not answer in time.", true),
            Decision::NoAnswer(_) => ("Nobody is there to run this tool.", true),
            _ => {
                return Some(Err(AdapterError::WrongAnswer {
                    id: id.clone(),
                    expected: "the result of a tool of the host",
                }));
            }
        };
        self.open.remove(id.as_str());
        Some(Ok(told(id.as_str(), &rpc, text, failed)))
    }

    /// The CLI takes a call back.
    pub(super) fn cancel(&mut self, id: &str) -> Option<AskId> {
        self.open.remove(id).map(|_| AskId::new(id))
    }

    /// Forgets all open calls and names them.
    pub(super) fn close_all(&mut self) -> Vec<AskId> {
        std::mem::take(&mut self.open)
            .into_keys()
            .map(AskId::new)
            .collect()
    }
}

fn greeting(version: Option<String>) -> Value {
    json!({
        // What is spoken here is the same in every version so far: the CLI's own is taken.
        "protocolVersion": version.unwrap_or_else(|| "2025-06-18".to_owned()),
        "capabilities": {"tools": {}},
        "serverInfo": {"name": SERVER, "version": env!("CARGO_PKG_VERSION")},
    })
}

fn told(id: &str, rpc: &str, text: &str, failed: bool) -> Vec<u8> {
    result(
        id,
        rpc,
        &json!({"content": [{"type": "text", "text": text}], "isError": failed}),
    )
}

fn result(id: &str, rpc: &str, result: &Value) -> Vec<u8> {
    respond(
        id,
        &format!(r#"{{"mcp_response":{{"jsonrpc":"2.0","id":{rpc},"result":{result}}}}}"#),
    )
}

fn error(id: &str, rpc: &str, code: i64, message: &str) -> Vec<u8> {
    let error = json!({"code": code, "message": message});
    respond(
        id,
        &format!(r#"{{"mcp_response":{{"jsonrpc":"2.0","id":{rpc},"error":{error}}}}}"#),
    )
}
