//! Speed of framing and dialogue together beside plain parsing, over one stream, on one thread, in one process:
//! `cargo run --release -p agent-runtime --example lines [ROUNDS [MB]]`.
//!
//! The stream repeats recorded lines with fresh message, call and request ids, and asks are answered as they come.
//! *Plain* is `serde_json::from_slice::<Value>` of each line, whose ends it is given; *joint* reads the bytes through
//! [`LineReader`], as from a pipe, and hands every line to the dialogue. The last line is a JSON object.
#![allow(clippy::print_stdout, reason = "an example that prints its figures")]

use std::error::Error;
use std::hint::black_box;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use agent_domain::{
    AdapterError, AgentAdapter, ApprovalDecision, AskKind, Decision, Dialogue, Frame, TurnInput, TurnRequest,
};
use agent_exec::{LineError, LineReader};
use agent_runtime::providers::Claude;
use serde_json::{Value, json};

/// Length of the whole stream, in MB.
const STREAM_MB: usize = 200;
/// Rounds, each of which measures every way.
const ROUNDS: usize = 5;
/// Recordings that are repeated: plain text, commands, edits, a stop in streamed text, compaction, MCP, a subagent, a
/// list of steps, queued input.
const RECORDINGS: [&str; 9] = [
    "01-init-and-text",
    "02-bash-allow",
    "05-edit-allow",
    "08-interrupt-text",
    "10-compact",
    "13-mcp",
    "15-subagent",
    "16c-todowrite",
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

fn stream(megabytes: usize) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut lines = Vec::new();
    for name in RECORDINGS {
        lines.extend(printed(name)?);
    }
    let mut bytes = Vec::with_capacity(megabytes * 1_000_000 + 1_000_000);
    let mut round = 0;
    while bytes.len() < megabytes * 1_000_000 {
        for line in &lines {
            let fresh = IDS.iter().fold(line.clone(), |line, id| {
                line.replace(id, &format!("{id}{round}_"))
            });
            let fresh = fresh.replace(r#""request_id":""#, &format!(r#""request_id":"{round}-"#));
            bytes.extend_from_slice(fresh.as_bytes());
            bytes.push(b'\n');
        }
        round += 1;
    }
    Ok(bytes)
}

fn ranges(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut start = 0;
    let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    ends.map(|(end, _)| std::mem::replace(&mut start, end + 1)..end)
        .collect()
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
        self.dialogue.begin(&TurnInput {
            request,
            prompt_id: String::new(),
            images: Vec::new(),
        })?;
        self.running = true;
        Ok(())
    }

    fn frame(&mut self, frame: Frame<'_>) -> Result<(), AdapterError> {
        if !self.running {
            self.begin()?;
        }
        let step = self.dialogue.frame(frame);
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

fn plain(bytes: &[u8], lines: &[Range<usize>]) -> Result<(), Box<dyn Error>> {
    for line in lines {
        black_box(serde_json::from_slice::<Value>(&bytes[line.clone()])?);
    }
    Ok(())
}

async fn framing(bytes: &[u8]) -> Result<(), LineError> {
    let mut reader = LineReader::new(bytes);
    while let Some(line) = reader.next().await? {
        black_box(line);
    }
    Ok(())
}

async fn joint(bytes: &[u8], conversation: &mut Conversation) -> Result<(), Box<dyn Error>> {
    let mut reader = LineReader::new(bytes);
    while let Some(line) = reader.next().await? {
        conversation.frame(line.into())?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let rounds = args.next().map_or(Ok(ROUNDS), |text| text.parse())?;
    let megabytes = args.next().map_or(Ok(STREAM_MB), |text| text.parse())?;
    let bytes = stream(megabytes)?;
    let lines = ranges(&bytes);
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let speed = |time: Duration| bytes.len() as f64 / 1e6 / time.as_secs_f64();
    let (mut plains, mut framings, mut joints, mut told) = (Vec::new(), Vec::new(), Vec::new(), Value::Null);
    for round in 0..rounds {
        let begun = Instant::now();
        plain(&bytes, &lines)?;
        plains.push(speed(begun.elapsed()));
        let begun = Instant::now();
        runtime.block_on(framing(&bytes))?;
        framings.push(speed(begun.elapsed()));
        let mut conversation = Conversation::open()?;
        let begun = Instant::now();
        runtime.block_on(joint(&bytes, &mut conversation))?;
        joints.push(speed(begun.elapsed()));
        println!(
            "round {}: plain {:.0}, framing alone {:.0}, framing and dialogue {:.0} MB/s",
            round + 1,
            plains[round],
            framings[round],
            joints[round]
        );
        let Conversation {
            turns, events, asks, ..
        } = conversation;
        told = json!({"turns": turns, "events": events, "asks": asks});
    }
    let figures = json!({
        "bytes": bytes.len(), "lines": lines.len(), "plain_mb_s": plains, "framing_mb_s": framings, "joint_mb_s": joints,
        "conversation": told,
    });
    println!("{figures}");
    Ok(())
}
