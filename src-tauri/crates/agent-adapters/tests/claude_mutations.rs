//! Recorded lines that were damaged, moved, doubled or lost: nothing panics and a turn still ends exactly once.
#![cfg(feature = "claude")]
#![allow(clippy::unwrap_used)]

mod common;

use std::path::Path;
use std::sync::LazyLock;

use agent_domain::*;
use common::*;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::Value;

/// Recordings with streamed text, tools, asks, tasks, compaction, failures and queued input.
const NAMES: [&str; 12] = [
    "01-init-and-text",
    "04b-allow-always-touch",
    "06-ask-user-question",
    "07-plan",
    "08c-interrupt-during-ask",
    "10-compact",
    "13-mcp",
    "15d-subagent-permission",
    "16-background-bash",
    "17-fail-miderr",
    "18b-oauth-token-ratelimit-headers",
    "19-queue-two",
];

fn printed(name: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/recordings/claude/2.1.332");
    let text = std::fs::read_to_string(folder.join(format!("{name}.jsonl"))).unwrap();
    let entries = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    // The answer to the handshake is most of a recording, and damage to it says little.
    let told = |entry: &Value| entry["dir"] == "out" && entry["msg"]["type"] != "control_response";
    entries
        .filter(told)
        .map(|entry| entry["msg"].to_string())
        .collect()
}

static RECORDED: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| NAMES.map(printed).into());

#[derive(Debug, Clone)]
enum Damage {
    Lose,
    Double,
    /// To another place.
    Move(Index),
    /// Cut after a byte.
    Cut(Index),
    /// One byte becomes another.
    Byte(Index, u8),
    /// A value becomes another.
    Value(Index, &'static str),
    /// Its ends come as those of a line that was too long.
    Oversize(Index),
}

fn damage() -> impl Strategy<Value = Damage> {
    let values = [
        "null",
        "-1",
        "1e99",
        "\"\"",
        "\"東\"",
        "[]",
        "{}",
        "[null]",
        "true",
        "18446744073709551616",
    ];
    prop_oneof![
        Just(Damage::Lose),
        Just(Damage::Double),
        any::<Index>().prop_map(Damage::Move),
        any::<Index>().prop_map(Damage::Cut),
        any::<(Index, u8)>().prop_map(|(at, byte)| Damage::Byte(at, byte)),
        (any::<Index>(), prop::sample::select(values.to_vec()))
            .prop_map(|(at, value)| Damage::Value(at, value)),
        any::<Index>().prop_map(Damage::Oversize),
    ]
}

fn values(value: &Value, path: &str, found: &mut Vec<String>) {
    found.push(path.to_owned());
    match value {
        Value::Array(all) => all
            .iter()
            .enumerate()
            .for_each(|(at, one)| values(one, &format!("{path}/{at}"), found)),
        Value::Object(all) => all.iter().for_each(|(key, one)| {
            let key = key.replace('~', "~0").replace('/', "~1");
            values(one, &format!("{path}/{key}"), found);
        }),
        _ => {}
    }
}

/// The line with one of its values replaced; a line that is no JSON any more stays as it is.
fn replaced(line: &[u8], at: Index, by: &str) -> Vec<u8> {
    let Ok(mut value) = serde_json::from_slice::<Value>(line) else {
        return line.to_vec();
    };
    let mut paths = Vec::new();
    values(&value, "", &mut paths);
    if let Some(part) = value.pointer_mut(&paths[at.index(paths.len())]) {
        *part = serde_json::from_str(by).unwrap();
    }
    value.to_string().into_bytes()
}

/// A line, and where it is cut when it was too long.
type Fed = (Vec<u8>, Option<usize>);

fn apply(lines: &mut Vec<Fed>, at: Index, damage: &Damage) {
    if lines.is_empty() {
        return;
    }
    let at = at.index(lines.len());
    match damage {
        Damage::Lose => drop(lines.remove(at)),
        Damage::Double => lines.insert(at, lines[at].clone()),
        Damage::Move(to) => {
            let line = lines.remove(at);
            lines.insert(to.index(lines.len() + 1), line);
        }
        Damage::Cut(end) => {
            let end = end.index(lines[at].0.len() + 1);
            lines[at].0.truncate(end);
        }
        Damage::Byte(place, byte) if !lines[at].0.is_empty() => {
            let place = place.index(lines[at].0.len());
            lines[at].0[place] = *byte;
        }
        Damage::Byte(..) => {}
        Damage::Value(place, by) => lines[at].0 = replaced(&lines[at].0, *place, by),
        Damage::Oversize(cut) => lines[at].1 = Some(cut.index(lines[at].0.len() + 1)),
    }
}

fn feed_bytes(dialogue: &mut dyn Dialogue, (line, cut): &Fed) -> Step {
    match cut {
        None => dialogue.frame(Frame::Line(line)),
        Some(cut) => {
            let (head, tail) = line.split_at((*cut).min(line.len()));
            let bytes = line.len() as u64;
            dialogue.frame(Frame::OversizeLine { head, tail, bytes })
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn damaged_recordings_never_panic_and_end_once(
        name in 0..NAMES.len(),
        damages in prop::collection::vec((any::<Index>(), damage()), 1..24),
    ) {
        let mut lines: Vec<Fed> = RECORDED[name].iter().map(|line| (line.clone().into_bytes(), None)).collect();
        for (at, damage) in &damages {
            apply(&mut lines, *at, damage);
        }
        let mut dialogue = begun();
        let (mut ends, mut open) = (0, Vec::<AskId>::new());
        for line in &lines {
            let step = feed_bytes(dialogue.as_mut(), line);
            ends += u32::from(step.done.is_some());
            prop_assert!(!step.writes.contains(&Write::CloseStdin));
            prop_assert_eq!(step.asks.iter().filter(|ask| open.contains(&ask.id)).count(), 0, "an open ask came again");
            for (id, _) in &step.closed {
                prop_assert!(open.contains(id), "closed and never open: {}", id);
            }
            open.extend(step.asks.into_iter().map(|ask| ask.id));
            open.retain(|id| !step.closed.iter().any(|(closed, _)| closed == id));
            prop_assert!(open.len() <= limits::MAX_OPEN_ASKS);
        }
        let step = dialogue.close(&Exit::default());
        ends += u32::from(step.done.is_some());
        open.retain(|id| !step.closed.iter().any(|(closed, _)| closed == id));
        prop_assert_eq!((ends, open), (1, Vec::new()));
    }
}
