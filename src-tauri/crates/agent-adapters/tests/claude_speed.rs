//! How fast lines become steps, against parsing the same lines into plain JSON values. Absolute times depend on the
//! machine and the profile; the ratio of two runs beside each other depends on them far less.
#![allow(clippy::unwrap_used)]

mod common;

use std::hint::black_box;
use std::time::{Duration, Instant};

use agent_domain::Frame;
use common::*;
use serde_json::{Value, json};

/// Least speed of the dialogue, as a share of the speed of [`serde_json::from_slice`] into [`Value`].
const LEAST_SHARE: f64 = 0.8;
/// Runs of each side, one beside the other; the fastest of each counts, so that a busy machine is not taken for slow code.
const RUNS: u32 = 60;
/// Bytes that one run reads at least: short enough to fit between two interruptions.
const RUN_BYTES: usize = 128 * 1024;

fn recorded(names: &[&str]) -> Vec<String> {
    let folder =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/recordings/claude/2.1.332");
    let mut all = Vec::new();
    for name in names {
        let text = std::fs::read_to_string(folder.join(format!("{name}.jsonl"))).unwrap();
        for line in text.lines().skip(1) {
            let line: Value = serde_json::from_str(line).unwrap();
            if line["dir"] == "out" && line["msg"].is_object() {
                all.push(line["msg"].to_string());
            }
        }
    }
    all
}

fn timed(run: impl FnOnce()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

/// Speed of the dialogue as a share of the speed of plain parsing.
fn share(lines: &[String]) -> f64 {
    let bytes: usize = lines.iter().map(String::len).sum();
    let passes = RUN_BYTES.div_ceil(bytes);
    let plain = || {
        for line in (0..passes).flat_map(|_| lines) {
            black_box(serde_json::from_slice::<Value>(line.as_bytes()).unwrap());
        }
    };
    let dialogue = || {
        for _ in 0..passes {
            let mut dialogue = begun();
            for line in lines {
                black_box(dialogue.frame(Frame::Line(line.as_bytes())));
            }
        }
    };
    let pairs: Vec<_> = (0..RUNS).map(|_| (timed(plain), timed(dialogue))).collect();
    let fastest = |side: fn(&(Duration, Duration)) -> Duration| pairs.iter().map(side).min().unwrap();
    fastest(|pair| pair.0).as_secs_f64() / fastest(|pair| pair.1).as_secs_f64()
}

/// One test, so that its parts do not slow each other down.
#[test]
fn lines_become_steps_about_as_fast_as_they_become_plain_json() {
    let conversations = recorded(&["02-bash-allow", "08-interrupt-text", "15-subagent", "19-queue-two"]);
    let deltas = conversations.iter().filter(|line| line.contains("content_block_delta"));
    let deltas: Vec<String> = deltas.cloned().collect();
    let words = "line of output with \"quotes\" and 東京\n".repeat(8_000);
    let result = json!({"type": "user", "message": {"role": "user", "content":
        [{"type": "tool_result", "tool_use_id": "t", "content": words}]},
        "tool_use_result": {"stdout": words, "stderr": ""}});
    let shares = [
        ("conversations", share(&conversations)),
        ("deltas", share(&deltas)),
        ("a long tool result", share(&[result.to_string()])),
    ];
    assert!(shares.iter().all(|(_, share)| *share >= LEAST_SHARE), "{shares:.2?}");
}
