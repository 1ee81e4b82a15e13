//! What a script file may hold.
//!
//! A file is a JSON object: script name → `{"about": "…", "closing": "…", "steps": [step, …]}`. A step is one answer of
//! the model: `blocks`, and if wanted `pace`, `usage`, `stop_reason`, `headers`, `fault`. A block is one of
//! `{"thinking": "…"}`, `{"text": "…", "repeat": 3 | "endless"}`, `{"generate": {"text": "…", "bytes": 2000}}`,
//! `{"tool": "Name", "input": {…}}`, or an act (see `acts.rs`).

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::{
    acts::Act,
    faults::Fault,
    pace::Pace,
    reply::{Stop, Usage},
};

/// Bytes that one `generate` may make at most: 8 MiB.
pub(crate) const GENERATE_BYTES: usize = 8 * 1024 * 1024;

/// A conversation in steps.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Script {
    /// What it shows, in one sentence.
    pub(crate) about: String,
    /// What the model says when the steps have run out.
    #[serde(default)]
    pub(crate) closing: Option<String>,
    pub(crate) steps: Vec<Step>,
}

/// One answer of the model.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Step {
    #[serde(default)]
    pub(crate) blocks: Vec<Part>,
    #[serde(default)]
    pub(crate) pace: Pace,
    #[serde(default)]
    pub(crate) usage: Option<Usage>,
    #[serde(default)]
    pub(crate) stop_reason: Option<Stop>,
    /// Response headers; values may hold templates. A name that starts with `x-codex-` is sent on every wire like any other.
    #[serde(default)]
    pub(crate) headers: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) fault: Option<Fault>,
}

/// One block of a step.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "Value")]
pub(crate) enum Part {
    Thinking(String),
    Text { text: Content, repeat: Repeat },
    Tool { name: String, input: Value },
    Act(Act),
}

/// A text, or the recipe of a big one.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum Content {
    Plain(String),
    Made { generate: Generate },
}

/// Repeats `text` until there are `bytes` bytes (cut at a character).
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Generate {
    pub(crate) text: String,
    pub(crate) bytes: usize,
}

/// How often a text comes.
#[derive(Debug, Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(untagged)]
pub(crate) enum Repeat {
    Times(u32),
    Word(Endless),
}

#[derive(Debug, Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Endless {
    Endless,
}

/// Why a block is not understood.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PartError {
    #[error("a block is an object with one of thinking, text, generate, tool, act")]
    Shape,
    #[error("in a block: {0}")]
    Field(#[from] serde_json::Error),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TextFields {
    text: Content,
    #[serde(default)]
    repeat: Option<Repeat>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolFields {
    tool: String,
    #[serde(default)]
    input: Value,
}

impl TryFrom<Value> for Part {
    type Error = PartError;

    fn try_from(value: Value) -> Result<Self, PartError> {
        let Some(fields) = value.as_object() else {
            return Err(PartError::Shape);
        };
        if let (1, Some(Value::String(text))) = (fields.len(), fields.get("thinking")) {
            return Ok(Part::Thinking(text.clone()));
        }
        if fields.contains_key("generate") {
            return Ok(Part::Text {
                text: serde_json::from_value(value)?,
                repeat: Repeat::Times(1),
            });
        }
        if fields.contains_key("text") {
            let TextFields { text, repeat } = serde_json::from_value(value)?;
            return Ok(Part::Text {
                text,
                repeat: repeat.unwrap_or(Repeat::Times(1)),
            });
        }
        if fields.contains_key("tool") {
            let ToolFields { tool, input } = serde_json::from_value(value)?;
            return Ok(Part::Tool { name: tool, input });
        }
        if fields.contains_key("act") {
            return Ok(Part::Act(serde_json::from_value(value)?));
        }
        Err(PartError::Shape)
    }
}

impl Content {
    pub(crate) fn make(&self) -> String {
        match self {
            Content::Plain(text) => text.clone(),
            Content::Made { generate } => generate.make(),
        }
    }
}

impl Generate {
    pub(crate) fn make(&self) -> String {
        let bytes = self.bytes.min(GENERATE_BYTES);
        if self.text.is_empty() {
            return String::new();
        }
        let mut made = self.text.repeat(bytes / self.text.len() + 1);
        let mut cut = bytes;
        while !made.is_char_boundary(cut) {
            cut -= 1;
        }
        made.truncate(cut);
        made
    }
}

/// Puts made texts in the place of every `{"generate": …}` inside a tool's input, and fills templates.
pub(crate) fn expand(value: &Value, fill: &dyn Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(fill(text)),
        Value::Array(items) => items.iter().map(|item| expand(item, fill)).collect(),
        Value::Object(fields) => {
            if let Some(made) = made_in(fields) {
                return Value::String(made);
            }
            Value::Object(
                fields
                    .iter()
                    .map(|(key, item)| (key.clone(), expand(item, fill)))
                    .collect(),
            )
        }
        other => other.clone(),
    }
}

fn made_in(fields: &serde_json::Map<String, Value>) -> Option<String> {
    let recipe = fields.get("generate").filter(|_| fields.len() == 1)?;
    Generate::deserialize(recipe).ok().map(|generate| generate.make())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_big_content_is_made_in_a_tool_input() {
        let input = json!({"path": "{{cwd}}/a", "content": {"generate": {"text": "é1\n", "bytes": 10}}});
        let done = expand(&input, &|text| text.replace("{{cwd}}", "/w"));
        assert_eq!(done, json!({"path": "/w/a", "content": "é1\né1\n\u{e9}"}));
    }

    #[test]
    fn a_misspelt_block_is_refused() {
        for bad in [
            json!({"txt": "a"}),
            json!("a"),
            json!({"text": "a", "repat": 2}),
            json!({"act": "dance"}),
        ] {
            assert!(serde_json::from_value::<Part>(bad.clone()).is_err(), "{bad}");
        }
        let endless = serde_json::from_value(json!({"text": "a", "repeat": "endless"})).unwrap();
        assert!(matches!(
            endless,
            Part::Text {
                repeat: Repeat::Word(Endless::Endless),
                ..
            }
        ));
    }
}
