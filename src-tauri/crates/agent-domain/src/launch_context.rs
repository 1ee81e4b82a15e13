//! Standing instructions, exact tools and MCP servers of a turn. Credentials are named, never carried.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::host_tool::HostTool;
use crate::limits;
use crate::request::RequestError;

/// What a turn starts with beside its prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchContext {
    /// Appended to the harness's own system text.
    pub system_prompt_append: Option<String>,
    /// Absent: the harness's default tools. Empty: none.
    pub allowed_tools: Option<Vec<String>>,
    /// MCP servers by name.
    pub mcp_servers: BTreeMap<String, McpServer>,
    /// No other MCP server than these.
    pub strict_mcp: bool,
    /// Tools of the host.
    #[serde(default)]
    pub host_tools: Vec<HostTool>,
}

impl LaunchContext {
    /// Whether nothing is set.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Checks every bound.
    pub fn validate(&self) -> Result<(), RequestError> {
        let long = |text: &String| text.len() > limits::MAX_SYSTEM_PROMPT_BYTES || text.contains('\0');
        if self.system_prompt_append.as_ref().is_some_and(long) {
            return Err(RequestError::invalid(
                "launch_context.system_prompt_append",
                "at most 64 KiB, without NUL",
            ));
        }
        if let Some(tools) = &self.allowed_tools {
            let bad = |name: &String| {
                name.is_empty()
                    || name.len() > limits::MAX_TOOL_NAME_BYTES
                    || name.contains([',', '\n', '\0'])
            };
            if tools.len() > limits::MAX_TOOLS || tools.iter().any(bad) {
                return Err(RequestError::invalid(
                    "launch_context.allowed_tools",
                    "at most 256 names of at most 256 bytes, without comma, line feed or NUL",
                ));
            }
        }
        crate::host_tool::validate(&self.host_tools)?;
        if self.mcp_servers.len() > limits::MAX_MCP_SERVERS {
            return Err(RequestError::invalid(
                "launch_context.mcp_servers",
                "at most 64 servers",
            ));
        }
        self.mcp_servers
            .iter()
            .try_for_each(|(name, server)| server.validate(name))
    }
}

/// One MCP server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpServer {
    /// How it is reached.
    pub transport: McpTransport,
}

/// How an MCP server is reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "type")]
pub enum McpTransport {
    /// A child process of the harness.
    Stdio {
        /// Program.
        command: String,
        /// Arguments.
        args: Vec<String>,
        /// Variable in the server, by source variable in the request's environment.
        environment_from: BTreeMap<String, String>,
    },
    /// An HTTP endpoint.
    Http {
        /// `http` or `https`, without user information or fragment.
        url: String,
        /// Header, by source variable in the request's environment.
        headers_from: BTreeMap<String, String>,
    },
}

impl McpServer {
    fn validate(&self, name: &str) -> Result<(), RequestError> {
        let name_ok = !name.is_empty()
            && name.len() <= limits::MAX_MCP_NAME_BYTES
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
        if !name_ok {
            return Err(RequestError::invalid(
                "launch_context.mcp_servers",
                "a name has at most 128 letters, digits, hyphens and underscores",
            ));
        }
        match &self.transport {
            McpTransport::Stdio { args, .. } if args.len() > limits::MAX_MCP_ARGS => Err(
                RequestError::invalid("launch_context.mcp_servers", "at most 256 arguments a server"),
            ),
            McpTransport::Http { url, .. } if !url_is_plain(url) => Err(RequestError::invalid(
                "launch_context.mcp_servers",
                "an http or https address without user information or fragment, at most 16 KiB",
            )),
            _ => Ok(()),
        }
    }
}

fn url_is_plain(url: &str) -> bool {
    let rest = url
        .strip_prefix("https://")
        .or_else(|| url.strip_prefix("http://"));
    rest.is_some_and(|rest| {
        let authority = rest.split(['/', '?']).next().unwrap_or_default();
        url.len() <= limits::MAX_URL_BYTES
            && !authority.is_empty()
            && !authority.contains('@')
            && !url.contains('#')
    })
}

/// Which fields a harness carries. Unsupported ones are refused before anything runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchContextCapabilities {
    /// `system_prompt_append`.
    pub system_prompt: bool,
    /// A changed `system_prompt_append` reaches a resumed session; else that one keeps the text it began with.
    pub system_prompt_on_resume: bool,
    /// `allowed_tools`, as a real boundary.
    pub allowed_tools: bool,
    /// MCP servers over stdio.
    pub stdio_mcp: bool,
    /// MCP servers over HTTP.
    pub http_mcp: bool,
    /// `strict_mcp`.
    pub strict_mcp: bool,
}

impl LaunchContextCapabilities {
    /// Refuses the first field of the context that is not carried.
    pub fn check(&self, context: &LaunchContext) -> Result<(), RequestError> {
        let has = |http: bool| {
            context
                .mcp_servers
                .values()
                .any(|server| matches!(server.transport, McpTransport::Http { .. }) == http)
        };
        let wanted = [
            (
                context.system_prompt_append.is_some(),
                self.system_prompt,
                "launch_context.system_prompt_append",
                "standing instructions",
            ),
            (
                context.allowed_tools.is_some(),
                self.allowed_tools,
                "launch_context.allowed_tools",
                "an exact list of tools",
            ),
            (
                has(false),
                self.stdio_mcp,
                "launch_context.mcp_servers",
                "MCP servers over stdio",
            ),
            (
                has(true),
                self.http_mcp,
                "launch_context.mcp_servers",
                "MCP servers over HTTP",
            ),
            (
                context.strict_mcp,
                self.strict_mcp,
                "launch_context.strict_mcp",
                "leaving out other MCP servers",
            ),
        ];
        match wanted.into_iter().find(|(asked, held, ..)| *asked && !*held) {
            Some((.., field, what)) => Err(RequestError::unsupported(field, what)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn http(url: &str) -> LaunchContext {
        let transport = McpTransport::Http {
            url: url.into(),
            headers_from: BTreeMap::new(),
        };
        LaunchContext {
            mcp_servers: BTreeMap::from([("probe".into(), McpServer { transport })]),
            ..LaunchContext::default()
        }
    }

    #[test]
    fn addresses_with_user_information_fragment_or_other_scheme_are_refused() {
        assert!(http("https://host/mcp").validate().is_ok());
        for bad in [
            "https://u:p@host/mcp",
            "https://host/#x",
            "ftp://host",
            "https://",
        ] {
            assert!(http(bad).validate().is_err(), "{bad}");
        }
    }

    #[test]
    fn instructions_fit_one_argument_of_a_command() {
        let with = |text: String| {
            let context = LaunchContext {
                system_prompt_append: Some(text),
                ..LaunchContext::default()
            };
            context.validate().is_ok()
        };
        assert!(with("x".repeat(limits::MAX_SYSTEM_PROMPT_BYTES)));
        assert!(!with("x".repeat(limits::MAX_SYSTEM_PROMPT_BYTES + 1)));
        assert!(!with("a\0b".into()));
    }

    #[test]
    fn an_unsupported_field_is_named() {
        let error = LaunchContextCapabilities::default()
            .check(&http("http://h/"))
            .unwrap_err();
        assert_eq!(error.field(), "launch_context.mcp_servers");
        assert!(error.to_string().contains("over HTTP"), "{error}");
        let none = LaunchContext {
            allowed_tools: Some(vec![]),
            ..LaunchContext::default()
        };
        assert!(LaunchContextCapabilities::default().check(&none).is_err());
    }
}
