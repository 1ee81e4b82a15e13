//! Secrets: kept out of `Debug`, argv, logs and events.

use std::collections::BTreeMap;
use std::fmt;

use secrecy::{ExposeSecret, SecretString};

/// One secret value. `Debug` prints its length only.
#[derive(Clone)]
pub struct Secret(SecretString);

impl Secret {
    /// Takes the value over.
    pub fn new(value: impl Into<String>) -> Self {
        Self(SecretString::from(value.into()))
    }

    /// The value in clear. Call it only where the value leaves for a child's environment or standard input.
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret({} bytes)", self.expose().len())
    }
}

impl PartialEq for Secret {
    fn eq(&self, other: &Self) -> bool {
        self.expose() == other.expose()
    }
}

/// Environment variables whose values are secret. `Debug` prints the names.
#[derive(Clone, Default, PartialEq)]
pub struct SecretEnv(BTreeMap<String, Secret>);

impl SecretEnv {
    /// None.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets one, replacing an earlier value.
    pub fn insert(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.0.insert(name.into(), Secret::new(value));
    }

    /// All, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Secret)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&Secret> {
        self.0.get(name)
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for SecretEnv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl FromIterator<(String, String)> for SecretEnv {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(items: I) -> Self {
        let mut env = Self::new();
        for (name, value) in items {
            env.insert(name, value);
        }
        env
    }
}

/// Shortest value that is redacted, in bytes: shorter ones would blank ordinary words.
const MIN_REDACTED_BYTES: usize = 6;
/// What stands in a text where a secret was.
const REDACTED: &str = "[redacted]";

/// Removes known secrets from text that leaves the process, longest first so that no part of one survives.
#[derive(Clone, Default)]
pub struct Redactor(Vec<Secret>);

impl Redactor {
    /// Knows the values of these variables.
    pub fn of(env: &SecretEnv) -> Self {
        let mut values: Vec<Secret> = env
            .0
            .values()
            .filter(|value| value.expose().len() >= MIN_REDACTED_BYTES)
            .cloned()
            .collect();
        values.sort_by_key(|value| std::cmp::Reverse(value.expose().len()));
        Self(values)
    }

    /// The text without them.
    pub fn redact(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, value| {
            text.replace(value.expose(), REDACTED)
        })
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Redactor({} values)", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_shows_names_and_sizes_never_values() {
        let env: SecretEnv = [("KEY".to_owned(), "s3cret-value".to_owned())]
            .into_iter()
            .collect();
        assert_eq!(format!("{env:?}"), "{\"KEY\"}");
        assert_eq!(format!("{:?}", env.get("KEY").unwrap()), "Secret(12 bytes)");
    }

    #[test]
    fn the_longest_secret_goes_first() {
        let env: SecretEnv = [
            ("A".to_owned(), "token-1".to_owned()),
            ("B".to_owned(), "token-1-long".to_owned()),
        ]
        .into_iter()
        .collect();
        assert_eq!(
            Redactor::of(&env).redact("x token-1-long y token-1 z"),
            "x [redacted] y [redacted] z"
        );
    }
}
