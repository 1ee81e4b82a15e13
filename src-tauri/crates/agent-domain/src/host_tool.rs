//! Tools that the host offers to the model, without a port or a process of their own.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::limits;
use crate::request::RequestError;

/// A tool of the host. Its calls arrive at the interaction handler.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostTool {
    /// 1 to 64 letters, digits, hyphens and underscores; unique in a turn.
    pub name: String,
    /// For the model, at most [`limits::MAX_HOST_TOOL_DESCRIPTION_BYTES`].
    pub description: String,
    /// JSON schema of the arguments: an object, as JSON text, at most [`limits::MAX_SCHEMA_BYTES`].
    pub input_schema: String,
    /// A person is asked before each call, as before any other step of its kind.
    pub asks: bool,
}

pub(crate) fn validate(tools: &[HostTool]) -> Result<(), RequestError> {
    let wrong = |expected: &str| Err(RequestError::invalid("launch_context.host_tools", expected));
    if tools.len() > limits::MAX_HOST_TOOLS {
        return wrong("at most 128");
    }
    let mut names = BTreeSet::new();
    for tool in tools {
        let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
        if !(1..=64).contains(&tool.name.len()) || !tool.name.bytes().all(plain) {
            return wrong("names of 1 to 64 letters, digits, hyphens and underscores");
        }
        if !names.insert(tool.name.as_str()) {
            return wrong("each name once");
        }
        if tool.description.len() > limits::MAX_HOST_TOOL_DESCRIPTION_BYTES {
            return wrong("descriptions of at most 16 KiB");
        }
        let schema = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(&tool.input_schema);
        if tool.input_schema.len() > limits::MAX_SCHEMA_BYTES || schema.is_err() {
            return wrong("a JSON object of at most 64 KiB as the schema of the arguments");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, schema: &str) -> HostTool {
        HostTool {
            name: name.into(),
            description: String::new(),
            input_schema: schema.into(),
            asks: false,
        }
    }

    #[test]
    fn tools_are_checked_at_their_edges() {
        let many = |count: usize| (0..count).map(|n| tool(&n.to_string(), "{}")).collect::<Vec<_>>();
        assert!(validate(&many(limits::MAX_HOST_TOOLS)).is_ok());
        assert!(validate(&many(limits::MAX_HOST_TOOLS + 1)).is_err());
        assert!(validate(&[tool(&"n".repeat(64), "{}")]).is_ok());
        for bad in [
            tool("", "{}"),
            tool(&"n".repeat(65), "{}"),
            tool("a b", "{}"),
            tool("a", "[]"),
            tool("a", "{"),
        ] {
            assert!(validate(&[bad]).is_err());
        }
        assert!(validate(&[tool("a", "{}"), tool("a", "{}")]).is_err());
        let mut long = tool("a", "{}");
        long.description = "d".repeat(limits::MAX_HOST_TOOL_DESCRIPTION_BYTES);
        assert!(validate(std::slice::from_ref(&long)).is_ok());
        long.description.push('d');
        assert!(validate(&[long]).is_err());
    }
}
