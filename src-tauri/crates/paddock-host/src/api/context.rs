//! What every turn starts with beside its prompt, as the settings keep it.

use serde::{Deserialize, Serialize};
use specta::Type;

/// Standing instructions and MCP servers. Credentials are named, never carried.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(default)]
pub struct StandingContext {
    /// Appended to the harness's own system text; empty: nothing is.
    pub instructions: String,
    /// MCP servers.
    pub servers: Vec<StandingServer>,
    /// No other MCP servers than these, not even the harness's own configured ones.
    pub only_these: bool,
}

/// One MCP server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct StandingServer {
    /// Its name, unique among them.
    pub name: String,
    /// How it is reached.
    pub reach: ServerReach,
}

/// How an MCP server is reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case", tag = "by")]
pub enum ServerReach {
    /// A child process of the harness.
    Stdio {
        /// Program.
        command: String,
        /// Arguments.
        args: Vec<String>,
        /// Variables that it gets.
        variables: Vec<NamedValue>,
    },
    /// An HTTP address.
    Http {
        /// `http` or `https`, without user information or fragment.
        url: String,
        /// Headers that are sent.
        headers: Vec<NamedValue>,
    },
}

/// A value by the name of the variable of Paddock's own environment that holds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct NamedValue {
    /// Variable or header as the server knows it.
    pub name: String,
    /// Variable of Paddock's environment.
    pub from: String,
}

/// The settings with what is to be said of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct StandingContextView {
    /// As stored.
    pub context: StandingContext,
    /// What is wrong or missing now.
    pub check: ContextCheck,
    /// What each harness leaves out.
    pub harnesses: Vec<ContextSupport>,
}

/// What is wrong, or would be missing in a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct ContextCheck {
    /// Refused: nothing is stored while there is one.
    pub problems: Vec<ContextProblem>,
    /// Variables that Paddock's environment lacks: their servers are left out of a turn, which says so.
    pub missing: Vec<MissingVariable>,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct ContextProblem {
    /// Place of the server in the list; absent: it is about all.
    pub server: Option<u32>,
    /// The field.
    pub field: ContextField,
    /// What is wrong, as a sentence.
    pub message: String,
}

/// Fields of the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum ContextField {
    /// The instructions.
    Instructions,
    /// The list of servers.
    Servers,
    /// Name of a server.
    Name,
    /// Program of a server.
    Command,
    /// Arguments of a server.
    Args,
    /// Address of a server.
    Url,
    /// Variables or headers of a server.
    Values,
}

/// A variable that Paddock's environment lacks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct MissingVariable {
    /// Place of the server in the list.
    pub server: u32,
    /// The variable.
    pub variable: String,
}

/// What a harness cannot carry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct ContextSupport {
    /// Its id.
    pub harness: String,
    /// Its name.
    pub name: String,
    /// What it leaves out, in words that follow a colon; empty: it carries all.
    pub lacks: Vec<String>,
}
