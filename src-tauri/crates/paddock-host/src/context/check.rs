//! What is wrong with a standing context, field by field, before a turn needs it.

use agent_domain::LaunchContext;
use agent_domain::limits::{MAX_ENV_NAME_BYTES, MAX_MCP_SERVERS};
use agent_domain::request::RequestError;

use super::{MAX_INSTRUCTIONS_BYTES, MAX_PART_BYTES, MAX_VALUES, alone, values};
use crate::api::{
    ContextCheck, ContextField, ContextProblem, MissingVariable, ServerReach, StandingContext, StandingServer,
};
use crate::endpoints::{NEVER, PROVIDER_ENV};

/// `is_set` tells whether Paddock's environment has a variable.
pub(super) fn check(context: &StandingContext, is_set: impl Fn(&str) -> bool) -> ContextCheck {
    let mut found = ContextCheck::default();
    let text = &context.instructions;
    if text.len() > MAX_INSTRUCTIONS_BYTES || text.contains('\0') {
        found.problems.push(ContextProblem {
            server: None,
            field: ContextField::Instructions,
            message: "At most 64 KiB, without the NUL character.".into(),
        });
    }
    if context.servers.len() > MAX_MCP_SERVERS {
        found.problems.push(ContextProblem {
            server: None,
            field: ContextField::Servers,
            message: "At most 64 servers.".into(),
        });
    }
    for (at, server) in (0_u32..).zip(&context.servers) {
        let problem = |(field, message): (ContextField, String)| ContextProblem {
            server: Some(at),
            field,
            message,
        };
        found.problems.extend(wrong(server).map(problem));
        let before = context.servers.iter().take(at as usize);
        if before.clone().any(|other| other.name == server.name) {
            found.problems.push(problem((
                ContextField::Name,
                "Another server has this name.".into(),
            )));
        }
        let missing = values(&server.reach)
            .iter()
            .filter(|value| is_name(&value.from) && !is_set(&value.from));
        found.missing.extend(missing.map(|value| MissingVariable {
            server: at,
            variable: value.from.clone(),
        }));
    }
    found
}

/// The first thing that is wrong with a server. What the turn itself would refuse is said in the same words.
fn wrong(server: &StandingServer) -> Option<(ContextField, String)> {
    let reach_field = match &server.reach {
        ServerReach::Stdio { command, args, .. } => {
            if command.trim().is_empty() || command.len() > MAX_PART_BYTES || command.contains('\0') {
                return Some((ContextField::Command, "A program: its name or its path.".into()));
            }
            if args
                .iter()
                .any(|arg| arg.len() > MAX_PART_BYTES || arg.contains('\0'))
            {
                return Some((ContextField::Args, "An argument has at most 4 KiB.".into()));
            }
            ContextField::Args
        }
        ServerReach::Http { .. } => ContextField::Url,
    };
    if let Some(message) = wrong_values(server) {
        return Some((ContextField::Values, message));
    }
    // A server without a name is refused by the name; one with a good name by what it is reached by.
    let named = LaunchContext::validate(&alone(&StandingServer {
        name: server.name.clone(),
        reach: ServerReach::Stdio {
            command: "x".into(),
            args: Vec::new(),
            variables: Vec::new(),
        },
    }));
    if let Err(error) = named {
        return Some((ContextField::Name, sentence(&error)));
    }
    let reached = alone(server).validate().err();
    reached.map(|error| (reach_field, sentence(&error)))
}

fn wrong_values(server: &StandingServer) -> Option<String> {
    let given = values(&server.reach);
    if given.len() > MAX_VALUES {
        return Some("At most 64 of them.".into());
    }
    let http = matches!(server.reach, ServerReach::Http { .. });
    for (at, value) in given.iter().enumerate() {
        let what = if http { "header" } else { "variable" };
        let good = if http {
            is_header(&value.name)
        } else {
            is_name(&value.name)
        };
        if !good {
            return Some(format!("{} is no name of a {what}.", shown(&value.name)));
        }
        if given.iter().take(at).any(|other| other.name == value.name) {
            return Some(format!("The {what} {} stands there twice.", value.name));
        }
        if !is_name(&value.from) {
            return Some(format!(
                "{} is no name of a variable. Name the variable that holds the value; the value itself is never stored.",
                shown(&value.from)
            ));
        }
        if PROVIDER_ENV.iter().chain(NEVER).any(|name| *name == value.from) {
            return Some(format!(
                "{} belongs to the model's provider: with it the agent itself would sign in. Give the server's value a name of its own.",
                value.from
            ));
        }
    }
    None
}

/// A variable name that every system takes.
fn is_name(name: &str) -> bool {
    let first = name
        .bytes()
        .next()
        .is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    first
        && name.len() <= MAX_ENV_NAME_BYTES
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// A field name of HTTP.
fn is_header(name: &str) -> bool {
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty() && name.len() <= MAX_ENV_NAME_BYTES && name.bytes().all(token)
}

/// What was typed, as far as it may be repeated: a value that was typed for a name is not.
fn shown(name: &str) -> String {
    const LONGEST: usize = 24;
    if name.is_empty() {
        return "An empty text".into();
    }
    if name.chars().count() > LONGEST || name.chars().any(|c| c.is_control()) {
        return "This".into();
    }
    format!("“{name}”")
}

/// What the library says, without the path of its field.
fn sentence(error: &RequestError) -> String {
    let said = match error {
        RequestError::Invalid { expected, .. } => expected.clone(),
        other => other.to_string(),
    };
    let mut chars = said.chars();
    let first = chars
        .next()
        .map(|c| c.to_uppercase().to_string())
        .unwrap_or_default();
    format!("{first}{}.", chars.as_str())
}

#[cfg(test)]
mod tests;
