//! Speed of the dialogue beside plain parsing, over one stream, on one thread, in one process:
//! `cargo run --release -p agent-adapters --example parse`. Framing is not measured here.
//!
//! The stream repeats recorded lines with fresh message, call and request ids, and asks are answered as they come.
#![allow(clippy::print_stdout, reason = "an example that prints its figures")]

use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use agent_adapters::claude::Claude;
use agent_domain::{
    AdapterError, AgentAdapter, ApprovalDecision, AskKind, Decision, Dialogue, Frame, TurnInput, TurnRequest,
};
use serde_json::Value;

/// Length of the whole stream, in bytes.
const STREAM_BYTES: usize = 200 * 1024 * 1024;
/// Recordings that are repeated: commands, edits, a stop in streamed text, queued input.
const RECORDINGS: [&str; 4] = [
    "02-bash-allow",
    "05-edit-allow",
    "08-interrupt-text",
    "19-queue-two",
];
/// Beginnings of ids that are made fresh at every repetition.
const IDS: [&str; 2] = ["msg_scripted_", "toolu_"];

/// Lines that the CLI printed, without its answers to requests of the host.
fn printed(name: &str) -> Result<Vec<String>, Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/recordings/claude/2.1.332");
    let text = std::fs::read_to_string(folder.join(format!("{name}.jsonl")))?;
    let mut lines = Vec::new();
    for line in text.lines().skip(1) {
        let entry: Value = serde_json::from_str(line)?;
        if entry["dir"] == "out" && entry["msg"]["type"] != "control_response" {
            lines.push(entry["msg"].to_string());
        }
    }
    Ok(lines)
}

/// One repetition of the lines.
fn fresh(lines: &[String], round: usize) -> Vec<String> {
    let renamed = |line: &String| {
        let line = IDS.iter().fold(line.clone(), |line, id| {
            line.replace(id, &format!("{id}{round}_"))
        });
        line.replace(r#""request_id":""#, &format!(r#""request_id":"{round}-"#))
    };
    lines.iter().map(renamed).collect()
}

/// The dialogue, and what came out of it, so that nothing is left out unseen.
struct Conversation {
    dialogue: Box<dyn Dialogue>,
    running: bool,
    turns: u64,
    events: u64,
    asks: u64,
}

impl Conversation {
    fn open() -> Result<Self, AdapterError> {
        let claude = Claude::default();
        let launch = claude.launch(&TurnRequest::new("claude".into(), "/w/claude", "go"))?;
        let dialogue = claude.open(&launch.key);
        Ok(Self {
            dialogue,
            running: false,
            turns: 0,
            events: 0,
            asks: 0,
        })
    }

    fn begin(&mut self) -> Result<(), AdapterError> {
        let request = Arc::new(TurnRequest::new("claude".into(), "/w/claude", "go"));
        let prompt_id = String::new();
        self.dialogue.begin(&TurnInput { request, prompt_id })?;
        self.running = true;
        Ok(())
    }

    fn line(&mut self, line: &str) -> Result<(), AdapterError> {
        if !self.running {
            self.begin()?;
        }
        let step = self.dialogue.frame(Frame::Line(line.as_bytes()));
        self.events += step.events.len() as u64;
        for ask in &step.asks {
            if let AskKind::Approval(_) = ask.kind {
                let allow = Decision::Approval(ApprovalDecision::Allow);
                black_box(self.dialogue.answer(&ask.id, allow)?);
                self.asks += 1;
            }
        }
        if step.done.is_some() {
            self.running = false;
            self.turns += 1;
        }
        black_box(step);
        Ok(())
    }
}

fn timed<E>(total: &mut Duration, run: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
    let start = Instant::now();
    let result = run();
    *total += start.elapsed();
    result
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut lines = Vec::new();
    for name in RECORDINGS {
        lines.extend(printed(name)?);
    }
    let mut conversation = Conversation::open()?;
    let (mut plain, mut dialogue) = (Duration::ZERO, Duration::ZERO);
    let (mut bytes, mut count, mut round) = (0, 0, 0);
    while bytes < STREAM_BYTES {
        let part = fresh(&lines, round);
        // Side by side and in turns, so that a busy moment of the machine hits both.
        timed(&mut plain, || {
            part.iter().try_for_each(|line| {
                black_box(serde_json::from_slice::<Value>(line.as_bytes())?);
                Ok::<(), serde_json::Error>(())
            })
        })?;
        timed(&mut dialogue, || {
            part.iter().try_for_each(|line| conversation.line(line))
        })?;
        bytes += part.iter().map(String::len).sum::<usize>();
        count += part.len();
        round += 1;
    }
    let speed = |time: Duration| bytes as f64 / 1e6 / time.as_secs_f64();
    let Conversation {
        turns, events, asks, ..
    } = conversation;
    println!(
        "{count} lines, {:.1} MB: {turns} turns, {events} events, {asks} asks",
        bytes as f64 / 1e6
    );
    println!("plain values  {:8.1} MB/s", speed(plain));
    println!("dialogue      {:8.1} MB/s", speed(dialogue));
    println!("ratio         {:8.2}", speed(dialogue) / speed(plain));
    Ok(())
}
