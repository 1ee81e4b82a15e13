//! A command: program, argv, environment, standard input. Never a shell string.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::secret::SecretEnv;

/// What of the base environment a child sees.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "policy", content = "names")]
pub enum EnvPolicy {
    /// What a harness needs to find its sign-in: paths, names, language, its own folders. No proxy, no key.
    #[default]
    Minimal,
    /// Everything but what a package set for this program alone, and what must never be passed on.
    Inherit,
    /// Exactly these names, as far as they are set.
    Only(Vec<String>),
}

/// What a transport starts. Arguments are passed one by one; secrets only in `secret_env`.
#[derive(Clone, Default, PartialEq)]
pub struct CommandSpec {
    /// Name or path, meaningful where the transport runs it.
    pub program: String,
    /// Arguments, without the program.
    pub args: Vec<String>,
    /// Plain environment.
    pub env: BTreeMap<String, String>,
    /// Secret environment; wins over a plain one of the same name.
    pub secret_env: SecretEnv,
    /// Variables that must not reach the child even if the transport's base environment has them.
    pub env_remove: Vec<String>,
}

impl CommandSpec {
    /// A program without arguments.
    pub fn new(program: impl Into<String>) -> Self {
        Self {
            program: program.into(),
            ..Self::default()
        }
    }

    /// Adds one argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<String>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds several arguments.
    #[must_use]
    pub fn args<S: Into<String>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets a plain variable.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }

    /// Puts another program in front: the wrapper gets this command as its last arguments, environment kept.
    #[must_use]
    pub fn wrap_with(self, program: impl Into<String>, args: impl IntoIterator<Item = String>) -> Self {
        let mut wrapped: Vec<String> = args.into_iter().collect();
        wrapped.push(self.program);
        wrapped.extend(self.args);
        Self {
            program: program.into(),
            args: wrapped,
            ..self
        }
    }
}

impl fmt::Debug for CommandSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CommandSpec")
            .field("program", &self.program)
            .field("args", &self.args.len())
            .field("env", &self.env.keys().collect::<Vec<_>>())
            .field("secret_env", &self.secret_env)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrapper_keeps_argument_boundaries_and_environment() {
        let inner = CommandSpec::new("claude")
            .arg("-p")
            .arg("two words; $(x)")
            .env("A", "1");
        let outer = inner.wrap_with("nono", ["run".to_owned(), "--".to_owned()]);
        assert_eq!(outer.args, ["run", "--", "claude", "-p", "two words; $(x)"]);
        assert_eq!(outer.env["A"], "1");
    }

    #[test]
    fn debug_shows_no_argument_and_no_value() {
        let command = CommandSpec::new("claude").arg("prompt text").env("A", "value");
        let shown = format!("{command:?}");
        assert!(
            !shown.contains("prompt text") && !shown.contains("value"),
            "{shown}"
        );
    }
}
