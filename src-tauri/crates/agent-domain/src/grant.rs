//! Grants: what a person allowed to be remembered, by an exact scope that was shown to them.

use std::sync::{Arc, RwLock};

use serde::{Deserialize, Serialize};

/// What a grant covers. Two steps are the same when tool and key are the same.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct GrantScope {
    /// The tool's native name.
    pub tool: String,
    /// The canonical arguments that decide (see [`canonical_json`]), without the model's description.
    pub key: String,
    /// The scope in words, as it is printed on the card: "this exact command".
    pub shown: String,
}

/// A remembered permission of one chat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Grant {
    /// Its id.
    pub id: String,
    /// The harness it was given for.
    pub harness: String,
    /// What it covers.
    pub scope: GrantScope,
    /// When it was given, in milliseconds since the Unix epoch.
    pub granted_at: i64,
    /// When it ends, in milliseconds since the Unix epoch; absent: with the chat.
    pub until: Option<i64>,
}

/// The grants that a turn consults before it asks. A shared handle: a grant given or revoked while a turn runs holds at once.
#[derive(Debug, Clone, Default)]
pub struct GrantBook(Arc<RwLock<Vec<Grant>>>);

impl GrantBook {
    /// A book with these grants.
    pub fn new(grants: Vec<Grant>) -> Self {
        Self(Arc::new(RwLock::new(grants)))
    }

    /// The grant that covers this step at this time, if any.
    pub fn covering(&self, harness: &str, scope: &GrantScope, now_ms: i64) -> Option<Grant> {
        let grants = self.0.read().unwrap_or_else(|poisoned| poisoned.into_inner());
        grants
            .iter()
            .find(|grant| {
                grant.harness == harness
                    && grant.scope.tool == scope.tool
                    && grant.scope.key == scope.key
                    && grant.until.is_none_or(|until| now_ms < until)
            })
            .cloned()
    }

    /// Adds a grant unless an equal scope is already there.
    pub fn remember(&self, grant: Grant) {
        let mut grants = self.0.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        let known = grants
            .iter()
            .any(|have| have.harness == grant.harness && have.scope == grant.scope);
        if !known {
            grants.push(grant);
        }
    }

    /// Takes a grant back. True when it was there.
    pub fn revoke(&self, id: &str) -> bool {
        let mut grants = self.0.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        let before = grants.len();
        grants.retain(|grant| grant.id != id);
        grants.len() != before
    }

    /// All, oldest first.
    pub fn list(&self) -> Vec<Grant> {
        self.0
            .read()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .clone()
    }
}

/// JSON with sorted keys and without the named top-level fields: equal arguments give equal text.
pub fn canonical_json(value: &serde_json::Value, without: &[&str]) -> String {
    fn sorted(value: &serde_json::Value) -> serde_json::Value {
        match value {
            serde_json::Value::Object(map) => {
                let mut entries: Vec<_> = map.iter().collect();
                entries.sort_by(|a, b| a.0.cmp(b.0));
                serde_json::Value::Object(
                    entries
                        .into_iter()
                        .map(|(key, value)| (key.clone(), sorted(value)))
                        .collect(),
                )
            }
            serde_json::Value::Array(items) => serde_json::Value::Array(items.iter().map(sorted).collect()),
            other => other.clone(),
        }
    }
    let mut value = sorted(value);
    if let Some(map) = value.as_object_mut() {
        for name in without {
            map.shift_remove(*name);
        }
    }
    value.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn grant(id: &str, key: &str) -> Grant {
        Grant {
            id: id.into(),
            harness: "claude".into(),
            scope: GrantScope {
                tool: "Bash".into(),
                key: key.into(),
                shown: "this exact command".into(),
            },
            granted_at: 1,
            until: None,
        }
    }

    #[test]
    fn only_the_exact_scope_is_covered_and_revoking_holds_at_once() {
        let book = GrantBook::new(vec![]);
        let other_handle = book.clone();
        book.remember(grant("g1", "touch a"));
        book.remember(grant("g2", "touch a"));
        assert_eq!(other_handle.list().len(), 1);
        assert!(
            other_handle
                .covering("claude", &grant("", "touch a").scope, 5)
                .is_some()
        );
        assert!(
            other_handle
                .covering("claude", &grant("", "touch b").scope, 5)
                .is_none()
        );
        assert!(
            other_handle
                .covering("codex", &grant("", "touch a").scope, 5)
                .is_none()
        );
        assert!(other_handle.revoke("g1"));
        assert!(book.covering("claude", &grant("", "touch a").scope, 5).is_none());
    }

    #[test]
    fn canonical_arguments_ignore_order_and_description_but_nothing_else() {
        let a = canonical_json(
            &json!({"command": "ls", "description": "List", "timeout": 5}),
            &["description"],
        );
        let b = canonical_json(
            &json!({"timeout": 5, "description": "Look", "command": "ls"}),
            &["description"],
        );
        let c = canonical_json(&json!({"timeout": 6, "command": "ls"}), &["description"]);
        assert_eq!(a, b);
        assert_ne!(a, c);
    }
}
