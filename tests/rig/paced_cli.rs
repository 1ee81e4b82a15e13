//! A stand-in for Claude Code that writes at a pace: what the measurements stream from (`.dev/measure`).
//!
//! It answers `--version`, `auth status` and `initialize`, then waits for a prompt that says what to write, for example
//! `paced rate=2000 seconds=60 shape=mixed`. Lines that make an event are written at the rate, however late the reader
//! is: what was due is written as soon as the pipe takes it. The last message holds what was written, as JSON.
//!
//! | shape | what is written |
//! | --- | --- |
//! | `mixed` | rounds of reasoning, text with its authoritative message, a tool call and its result |
//! | `text` | one message that grows |
//! | `stamps` | one delta a line that holds the time of its writing, in nanoseconds since the Unix epoch |

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test rig fails by panicking"
)]

use std::collections::BTreeMap;
use std::io::{BufRead, BufWriter, Write};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

/// Version that the probe is told.
const VERSION: &str = "2.1.332 (Claude Code)";
/// Pause while nothing is due.
const PAUSE: Duration = Duration::from_millis(1);
/// Reasoning and text of one round of the mixed shape, in deltas.
const ROUND: (usize, usize) = (36, 60);
/// Words of one paragraph.
const PARAGRAPH: u64 = 45;
/// First words of the last message.
const LAST_WORDS: &str = "PACED";
/// Id of the one message that grows.
const GROWING: &str = "msg_one";
const SESSION: &str = "5e55-0001";
const WORDS: [&str; 16] = [
    "the",
    "window",
    "reads",
    "every",
    "line",
    "of",
    "`feed.rs`",
    "and",
    "**keeps**",
    "what",
    "was",
    "said",
    "in",
    "order",
    "then",
    "draws",
];

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let first = args.first().map(String::as_str);
    match first {
        Some("--version" | "-v") => println!("{VERSION}"),
        Some("auth") => println!("{}", json!({"loggedIn": true, "authMethod": "api_key"})),
        _ => converse(),
    }
}

/// Answers what the host asks first; the first prompt begins the stream.
fn converse() {
    let mut out = BufWriter::new(std::io::stdout());
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        let Ok(line) = serde_json::from_str::<Value>(&line) else {
            continue;
        };
        match line["type"].as_str() {
            Some("control_request") => {
                let response = json!({"commands": [], "models": [], "account": {}});
                let answer = json!({"type": "control_response", "response": {
                    "subtype": "success", "request_id": line["request_id"], "response": response}});
                writeln!(out, "{answer}").expect("somebody reads");
                out.flush().expect("somebody reads");
            }
            Some("user") => return Stream::new(&prompt(&line), out).run(),
            _ => {}
        }
    }
}

fn prompt(line: &Value) -> String {
    let content = &line["message"]["content"];
    let blocks = content.as_array().into_iter().flatten();
    let texts: Vec<&str> = blocks.filter_map(|block| block["text"].as_str()).collect();
    content.as_str().map_or_else(|| texts.join(" "), str::to_owned)
}

/// A line, and the kind of event that it makes.
type Line = (Value, Option<&'static str>);

struct Stream<W: Write> {
    out: W,
    rate: f64,
    length: Duration,
    shape: String,
    word: u64,
    messages: u64,
    /// Text of the one message that grows.
    grown: String,
    written: BTreeMap<&'static str, u64>,
    /// Bytes of streamed text, by the kind of its deltas: a host may join deltas, their text stays.
    text_bytes: BTreeMap<&'static str, u64>,
    lines: u64,
    bytes: u64,
}

impl<W: Write> Stream<W> {
    fn new(prompt: &str, out: W) -> Self {
        let value = |name: &str| {
            let found = prompt
                .split_whitespace()
                .find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
            found.map(str::to_owned)
        };
        let number = |name: &str, otherwise: f64| {
            value(name)
                .and_then(|text| text.parse().ok())
                .unwrap_or(otherwise)
        };
        Self {
            out,
            rate: number("rate", 100.0),
            length: Duration::from_secs_f64(number("seconds", 1.0)),
            shape: value("shape").unwrap_or_else(|| "mixed".into()),
            word: 0,
            messages: 0,
            grown: String::new(),
            written: BTreeMap::new(),
            text_bytes: BTreeMap::new(),
            lines: 0,
            bytes: 0,
        }
    }

    fn run(mut self) {
        self.write((
            json!({"type": "system", "subtype": "init", "session_id": SESSION, "cwd": "/w", "tools": [], "model": "paced"}),
            None,
        ));
        let begun = Instant::now();
        let mut due_events = (self.rate * self.length.as_secs_f64()) as u64;
        let (mut events, mut late) = (0_u64, Duration::ZERO);
        let mut waiting: Vec<Line> = Vec::new();
        while events < due_events || !waiting.is_empty() {
            let due = (begun.elapsed().as_secs_f64() * self.rate) as u64;
            while events < due.min(due_events) || (events >= due_events && !waiting.is_empty()) {
                if waiting.is_empty() {
                    waiting = self.round(events);
                    waiting.reverse();
                }
                let Some(line) = waiting.pop() else { break };
                events += u64::from(line.1.is_some());
                // A round is written to its end.
                due_events = due_events.max(events);
                self.write(line);
                let planned = Duration::from_secs_f64(events as f64 / self.rate);
                late = late.max(begun.elapsed().saturating_sub(planned));
            }
            self.out.flush().expect("somebody reads");
            std::thread::sleep(PAUSE);
        }
        self.end(begun.elapsed(), late);
    }

    fn end(mut self, took: Duration, late: Duration) {
        if !self.grown.is_empty() {
            let block = json!({"type": "text", "text": self.grown});
            self.write((message(GROWING, &block), Some("message_completed")));
        }
        // The message that tells it is one of them.
        *self.written.entry("message_completed").or_default() += 1;
        let told = json!({
            "written": self.written, "events": self.written.values().sum::<u64>(), "lines": self.lines, "text_bytes": self.text_bytes,
            "bytes": self.bytes, "seconds": took.as_secs_f64(), "late_ms": late.as_millis() as u64, "end_ns": now_ns(),
        });
        self.messages += 1;
        let id = format!("msg_last_{}", self.messages);
        self.write((
            message(
                &id,
                &json!({"type": "text", "text": format!("{LAST_WORDS} {told}")}),
            ),
            None,
        ));
        let result = json!({"type": "result", "subtype": "success", "is_error": false, "result": "done", "session_id": SESSION});
        self.write((result, None));
        self.out.flush().expect("somebody reads");
    }

    fn write(&mut self, (line, kind): Line) {
        let text = line.to_string();
        writeln!(self.out, "{text}").expect("somebody reads");
        self.lines += 1;
        self.bytes += text.len() as u64 + 1;
        if let Some(kind) = kind {
            *self.written.entry(kind).or_default() += 1;
        }
        if let (Some(kind), Some(text)) = (kind, streamed(&line)) {
            *self.text_bytes.entry(kind).or_default() += text.len() as u64;
        }
    }

    fn words(&mut self) -> String {
        self.word += 1;
        let word = WORDS[(self.word.wrapping_mul(2_654_435_761) >> 7) as usize % WORDS.len()];
        let end = if self.word.is_multiple_of(PARAGRAPH) {
            ".\n\n"
        } else {
            " "
        };
        format!("{word}{end}")
    }

    fn round(&mut self, events: u64) -> Vec<Line> {
        match self.shape.as_str() {
            "text" | "stamps" => {
                let mut lines = Vec::new();
                if events == 0 {
                    lines.push((
                        stream_event(&json!({"type": "message_start", "message": {"id": GROWING}})),
                        None,
                    ));
                    lines.push((block_start(0, "text"), None));
                }
                let words = if self.shape == "text" {
                    self.words()
                } else {
                    format!("@{}\n", now_ns())
                };
                lines.push((delta(0, &words), Some("text_delta")));
                self.grown.push_str(&words);
                lines
            }
            _ => self.mixed(),
        }
    }

    fn mixed(&mut self) -> Vec<Line> {
        self.messages += 1;
        let (id, call) = (
            format!("msg_{}", self.messages),
            format!("toolu_{}", self.messages),
        );
        let mut lines = vec![
            (
                stream_event(&json!({"type": "message_start", "message": {"id": id}})),
                None,
            ),
            (block_start(0, "thinking"), None),
        ];
        let thoughts: Vec<String> = (0..ROUND.0).map(|_| self.words()).collect();
        for thought in &thoughts {
            let thought = json!({"type": "thinking_delta", "thinking": thought});
            let event = json!({"type": "content_block_delta", "index": 0, "delta": thought});
            lines.push((stream_event(&event), Some("reasoning_delta")));
        }
        lines.push((
            message(
                &id,
                &json!({"type": "thinking", "thinking": thoughts.concat(), "signature": ""}),
            ),
            None,
        ));
        lines.push((block_start(1, "text"), None));
        let texts: Vec<String> = (0..ROUND.1).map(|_| self.words()).collect();
        lines.extend(texts.iter().map(|text| (delta(1, text), Some("text_delta"))));
        lines.push((
            message(&id, &json!({"type": "text", "text": texts.concat()})),
            Some("message_completed"),
        ));
        let input = json!({"command": format!("cargo test -p part-{}", self.messages), "description": "Run the tests"});
        let used = json!({"type": "tool_use", "id": call, "name": "Bash", "input": input});
        lines.push((message(&id, &used), Some("tool_call")));
        let output = format!("test result: ok. {} passed; 0 failed\n", self.messages).repeat(12);
        let result = json!({"type": "tool_result", "tool_use_id": call, "content": output});
        let user = json!({"type": "user", "parent_tool_use_id": null, "session_id": SESSION, "message": {
            "role": "user", "content": [result]}});
        lines.push((user, Some("tool_call")));
        lines
    }
}

/// The text of a delta.
fn streamed(line: &Value) -> Option<&str> {
    let delta = &line["event"]["delta"];
    delta["text"].as_str().or_else(|| delta["thinking"].as_str())
}

fn now_ns() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |age| age.as_nanos() as u64)
}

fn stream_event(event: &Value) -> Value {
    json!({"type": "stream_event", "parent_tool_use_id": null, "session_id": SESSION, "event": event})
}

fn block_start(index: u32, kind: &str) -> Value {
    stream_event(
        &json!({"type": "content_block_start", "index": index, "content_block": {"type": kind, kind: ""}}),
    )
}

fn delta(index: u32, text: &str) -> Value {
    let delta = json!({"type": "text_delta", "text": text});
    stream_event(&json!({"type": "content_block_delta", "index": index, "delta": delta}))
}

fn message(id: &str, block: &Value) -> Value {
    json!({"type": "assistant", "parent_tool_use_id": null, "session_id": SESSION, "message": {
        "id": id, "role": "assistant", "content": [block]}})
}
