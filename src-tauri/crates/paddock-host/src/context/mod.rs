//! Standing instructions and MCP servers: kept in the settings, put into every new turn of a harness that carries them.
//! Values are named, never stored: they are read from Paddock's own environment when a turn starts.

mod check;

use std::collections::BTreeMap;

use agent_domain::event::TurnEvent;
use agent_domain::request::TurnRequest;
use agent_domain::{LaunchContext, LaunchContextCapabilities, McpServer, McpTransport};

use crate::api::{
    ContextCheck, ContextSupport, HostError, NamedValue, ServerReach, StandingContext, StandingContextView,
    StandingServer,
};
use crate::convert;
use crate::host::Host;

const CONTEXT_KEY: &str = "standing_context";
/// Longest standing instructions, in bytes: they travel on a command line.
pub const MAX_INSTRUCTIONS_BYTES: usize = 64 * 1024;
/// Longest program, argument or name of a value, in bytes.
pub const MAX_PART_BYTES: usize = 4 * 1024;
/// Most variables or headers of one server.
pub const MAX_VALUES: usize = 64;

impl Host {
    /// The standing context, checked against the environment as it is now.
    ///
    /// # Errors
    /// What the store reports, and `unreadable` for one that another version wrote differently.
    pub async fn standing_context(&self) -> Result<StandingContextView, HostError> {
        let context = self.stored_context().await?;
        Ok(StandingContextView {
            check: self.check_standing_context(&context),
            harnesses: self.context_support(),
            context,
        })
    }

    /// What is wrong with a context, and which variables are not set. Stores nothing.
    pub fn check_standing_context(&self, context: &StandingContext) -> ContextCheck {
        check::check(context, |name| std::env::var_os(name).is_some())
    }

    /// Stores the context for the turns to come; one with problems is not stored. Says what it found.
    ///
    /// # Errors
    /// What the store reports.
    pub async fn save_standing_context(&self, context: &StandingContext) -> Result<ContextCheck, HostError> {
        let found = self.check_standing_context(context);
        if found.problems.is_empty() {
            let text = convert::json(context);
            self.inner.store.setting_set(CONTEXT_KEY, Some(&text)).await?;
        }
        Ok(found)
    }

    async fn stored_context(&self) -> Result<StandingContext, HostError> {
        let Some(text) = self.inner.store.setting(CONTEXT_KEY).await? else {
            return Ok(StandingContext::default());
        };
        // Never a default in its place: a turn would run without what a person relies on.
        serde_json::from_str(&text).map_err(|_| {
            HostError::new(
                "unreadable",
                "The standing instructions and MCP servers were written by another version.",
                "Update Paddock, or set them anew in the settings.",
            )
        })
    }

    fn context_support(&self) -> Vec<ContextSupport> {
        let lacks = |can: LaunchContextCapabilities| {
            let fields = [
                (can.system_prompt, "standing instructions"),
                (
                    !can.system_prompt || can.system_prompt_on_resume,
                    "a change of the instructions in a chat that has begun",
                ),
                (can.stdio_mcp, "MCP servers that are programs"),
                (can.http_mcp, "MCP servers at an address"),
                (can.strict_mcp, "the exclusion of other MCP servers"),
            ];
            let left_out = fields.into_iter().filter(|(carried, _)| !carried);
            left_out.map(|(_, name)| name.to_owned()).collect()
        };
        self.harnesses()
            .into_iter()
            .filter_map(|card| {
                let can = self
                    .inner
                    .runtime
                    .launch_context_capabilities(&card.id.as_str().into());
                Some(ContextSupport {
                    lacks: lacks(can.ok()?),
                    harness: card.id,
                    name: card.name,
                })
            })
            .collect()
    }

    /// Puts the standing context into a request. What has to be left out is told by the events that are returned.
    ///
    /// # Errors
    /// What the store reports: a turn never starts without what a person relies on.
    pub(crate) async fn add_standing_context(
        &self,
        request: &mut TurnRequest,
    ) -> Result<Vec<TurnEvent>, HostError> {
        let context = self.stored_context().await?;
        let can = self
            .inner
            .runtime
            .launch_context_capabilities(&request.provider)?;
        let mut told = Vec::new();
        if can.system_prompt && !context.instructions.trim().is_empty() {
            request.launch_context.system_prompt_append = Some(context.instructions);
        }
        request.launch_context.strict_mcp = can.strict_mcp && context.only_these;
        for server in context.servers {
            match self.server_for(&server, can, request) {
                Ok(reach) => {
                    request.launch_context.mcp_servers.insert(server.name, reach);
                }
                Err(why) => told.push(TurnEvent::Warning {
                    code: "mcp_left_out".into(),
                    message: format!("The MCP server {} is not in this turn: {why}", server.name),
                }),
            }
        }
        Ok(told)
    }

    /// The server with the values that it names, which go into the request's secret environment.
    fn server_for(
        &self,
        server: &StandingServer,
        can: LaunchContextCapabilities,
        request: &mut TurnRequest,
    ) -> Result<McpServer, String> {
        let carried = match server.reach {
            ServerReach::Stdio { .. } => can.stdio_mcp,
            ServerReach::Http { .. } => can.http_mcp,
        };
        if !carried {
            return Err("the harness does not take servers of its kind.".into());
        }
        let mut found = Vec::new();
        for value in values(&server.reach) {
            match std::env::var(&value.from) {
                Ok(text) => found.push((value.from.clone(), text)),
                Err(_) => return Err(format!("{} is not set in Paddock's environment.", value.from)),
            }
        }
        for (name, text) in found {
            if request.environment.get(&name).is_none() && !request.plain_environment.contains_key(&name) {
                request.environment.insert(name, text);
            }
        }
        Ok(native(&server.reach))
    }
}

/// What a server is given by name.
fn values(reach: &ServerReach) -> &[NamedValue] {
    match reach {
        ServerReach::Stdio { variables, .. } => variables,
        ServerReach::Http { headers, .. } => headers,
    }
}

fn native(reach: &ServerReach) -> McpServer {
    let named = |values: &[NamedValue]| -> BTreeMap<String, String> {
        values
            .iter()
            .map(|value| (value.name.clone(), value.from.clone()))
            .collect()
    };
    let transport = match reach {
        ServerReach::Stdio {
            command,
            args,
            variables,
        } => McpTransport::Stdio {
            command: command.clone(),
            args: args.clone(),
            environment_from: named(variables),
        },
        ServerReach::Http { url, headers } => McpTransport::Http {
            url: url.clone(),
            headers_from: named(headers),
        },
    };
    McpServer { transport }
}

/// A context with this one server alone, as a turn would carry it.
fn alone(server: &StandingServer) -> LaunchContext {
    LaunchContext {
        mcp_servers: BTreeMap::from([(server.name.clone(), native(&server.reach))]),
        ..LaunchContext::default()
    }
}
