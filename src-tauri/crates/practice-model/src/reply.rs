//! An answer before it has the shape of a wire.

use serde_json::Value;

use crate::{faults::Fault, pace::Pace};

/// How often an endless text is repeated when the client did not ask for a stream.
const ENDLESS_IN_ONE_PIECE: u32 = 1000;
/// Characters per token in the usage figures; the usual rule of thumb.
const CHARS_PER_TOKEN: usize = 4;

#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) blocks: Vec<Block>,
    pub(crate) usage: Usage,
    pub(crate) pace: Pace,
    pub(crate) stop: Stop,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) fault: Option<Fault>,
}

#[derive(Debug, Clone)]
pub(crate) enum Block {
    Thinking(Text),
    Text(Text),
    Tool(Call),
}

/// A text which may repeat, so that a flood needs no memory.
#[derive(Debug, Clone)]
pub(crate) struct Text {
    pub(crate) part: String,
    pub(crate) times: Times,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Times {
    Count(u32),
    Endless,
}

/// A tool call. `id` is the part of an identifier that the wires prefix in their own way.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) input: Input,
}

/// JSON arguments, or the free text of a "custom" tool (OpenAI wires only).
#[derive(Debug, Clone)]
pub(crate) enum Input {
    Json(Value),
    Raw(String),
}

/// Why the answer ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Stop {
    EndTurn,
    ToolUse,
    MaxTokens,
    Refusal,
}

/// Token figures. `cached` is a part of the input that the real services count apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Usage {
    pub(crate) input: u64,
    pub(crate) cached: u64,
    pub(crate) cache_created: u64,
    pub(crate) output: u64,
    pub(crate) reasoning: u64,
}

impl Usage {
    /// Everything that went in.
    pub(crate) fn all_input(self) -> u64 {
        self.input + self.cached + self.cache_created
    }
}

impl Text {
    pub(crate) fn once(part: impl Into<String>) -> Self {
        Self {
            part: part.into(),
            times: Times::Count(1),
        }
    }

    /// The whole text; an endless one is cut.
    pub(crate) fn whole(&self) -> String {
        let times = match self.times {
            Times::Count(n) => n,
            Times::Endless => ENDLESS_IN_ONE_PIECE,
        };
        self.part.repeat(times as usize)
    }

    /// Whether round `done` (from 0) is still to be sent.
    pub(crate) fn goes_on(&self, done: u32) -> bool {
        match self.times {
            Times::Count(n) => done < n,
            Times::Endless => true,
        }
    }

    fn chars(&self) -> usize {
        match self.times {
            Times::Count(n) => self.part.len().saturating_mul(n as usize),
            Times::Endless => 0,
        }
    }
}

impl Input {
    /// The text that is streamed as arguments.
    pub(crate) fn wire_text(&self) -> String {
        match self {
            Input::Json(value) => value.to_string(),
            Input::Raw(text) => text.clone(),
        }
    }
}

impl Block {
    pub(crate) fn is_tool(&self) -> bool {
        matches!(self, Block::Tool(_))
    }
}

/// Tokens of `chars` characters.
pub(crate) fn tokens(chars: usize) -> u64 {
    (chars / CHARS_PER_TOKEN).max(1) as u64
}

/// Plausible figures: most of a later request comes from the cache.
pub(crate) fn estimate(request_bytes: usize, later: bool, blocks: &[Block]) -> Usage {
    let all = tokens(request_bytes);
    let cached = if later { all * 9 / 10 } else { 0 };
    let cache_created = (all - cached) / 2;
    let (mut output, mut reasoning) = (0, 0);
    for block in blocks {
        let count = match block {
            Block::Thinking(text) | Block::Text(text) => tokens(text.chars()),
            Block::Tool(call) => tokens(call.input.wire_text().len()) + 12,
        };
        output += count;
        if matches!(block, Block::Thinking(_)) {
            reasoning += count;
        }
    }
    Usage {
        input: all - cached - cache_created,
        cached,
        cache_created,
        output: output.max(1),
        reasoning,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_adds_up() {
        let blocks = [
            Block::Thinking(Text::once("a".repeat(40))),
            Block::Text(Text::once("b".repeat(80))),
        ];
        let usage = estimate(4000, true, &blocks);
        assert_eq!(usage.all_input(), 1000);
        assert_eq!((usage.cached, usage.output, usage.reasoning), (900, 30, 10));
    }
}
