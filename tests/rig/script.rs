//! Plays a CLI from a script.
//!
//! | line | what happens |
//! | --- | --- |
//! | `> text` | a line; `INIT`, `DONE`, `TXT(x)`, `TXT#id(x)`, `START(id)`, `DELTA(x)`, `ASK("id","Tool",{…})` are short for frames |
//! | `>crlf text` | a line that ends with CR LF |
//! | `>raw hex [xN]` | exactly these bytes, N times |
//! | `>bytes ms text` | a line, one byte at a time with a pause after each |
//! | `>big KEY N` | a frame with N bytes of filler; `tool_result` is the result of the call `big` |
//! | `flood N`, `flood forever` | N text deltas, or without an end |
//! | `repeat N COMMAND` | the same command N times |
//! | `<` | reads one line of standard input; its end is a failure with code 9 |
//! | `< until "x"` | reads lines until one holds x |
//! | `eof? [ms]` | waits for the end of standard input; if it does not come in time the program hangs |
//! | `sleep ms` | waits |
//! | `spawn program args…` | a child that inherits standard output; no shell |
//! | `err text` | a line on standard error |
//! | `exit n`, `hang` | the end, or none |
//!
//! In a written line `${request_id}` stands for the `request_id` of the last line read. Every line read is appended to
//! the log file at once, its end as `EOF`. Blank lines and lines that start with `#` are skipped.

use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Exit code when standard input ended while a line was expected.
pub const STDIN_ENDED: i32 = 9;
/// Exit code of a script that is not understood.
pub const BAD_SCRIPT: i32 = 64;
/// Variable that names the script.
pub const SCRIPT_ENV: &str = "SCRIPTED_CLI";
/// Variable that names the log of what was read.
pub const LOG_ENV: &str = "SCRIPTED_LOG";
/// What the log says at the end of standard input.
pub const LOGGED_EOF: &str = "EOF";
/// Bytes written in one piece by `>raw` with a count and by `>big`.
const PIECE_BYTES: usize = 64 * 1024;

/// Plays the script and returns the exit code.
pub fn play(script: &Path, log: Option<PathBuf>) -> i32 {
    let text = match std::fs::read_to_string(script) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{}: {error}", script.display());
            return BAD_SCRIPT;
        }
    };
    let mut player = Player {
        out: std::io::stdout(),
        input: read_input(log),
        last: String::new(),
        messages: 0,
    };
    for line in text.lines().map(str::trim_start) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Err(code) = player.step(line) {
            return code;
        }
    }
    0
}

/// Reads standard input in a thread of its own, so that the log shows when something came.
fn read_input(log: Option<PathBuf>) -> Receiver<Option<String>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let note = |text: &str| {
            if let Some(path) = &log {
                let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
                file.and_then(|mut file| file.write_all(format!("{text}\n").as_bytes()))
                    .expect("the log can be written");
            }
        };
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else { break };
            note(&line);
            let _ = sender.send(Some(line));
        }
        note(LOGGED_EOF);
        let _ = sender.send(None);
        // The channel stays open: a script that waits with a limit sees the end once, not an error.
        std::thread::park();
    });
    receiver
}

struct Player {
    out: std::io::Stdout,
    input: Receiver<Option<String>>,
    last: String,
    messages: u32,
}

/// `Err`: the program ends with this code.
type Played = Result<(), i32>;

impl Player {
    fn step(&mut self, line: &str) -> Played {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            ">" => self.line(rest, "\n"),
            ">crlf" => self.line(rest, "\r\n"),
            ">raw" => self.raw(rest),
            ">bytes" => self.bytes(rest),
            ">big" => self.big(rest),
            "flood" => self.flood(rest),
            "repeat" => {
                let (count, command) = rest.split_once(' ').ok_or_else(|| bad(line))?;
                for _ in 0..number(count)? {
                    self.step(command)?;
                }
                Ok(())
            }
            "<" => self.read(rest.trim_start_matches("until").trim().trim_matches('"')),
            "eof?" => self.end_of_input(rest),
            "sleep" => {
                std::thread::sleep(Duration::from_millis(number(rest)?));
                Ok(())
            }
            "spawn" => spawn(rest),
            "err" => {
                eprintln!("{rest}");
                Ok(())
            }
            "exit" => Err(i32::try_from(number(rest)?).map_err(|_| bad(line))?),
            "hang" => hang(),
            _ => Err(bad(line)),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> Played {
        // Nobody reads any more: a CLI ends then too.
        self.out
            .write_all(bytes)
            .and_then(|()| self.out.flush())
            .map_err(|_| 0)
    }

    fn line(&mut self, text: &str, end: &str) -> Played {
        let frame = self.frame(text)?;
        self.write(format!("{frame}{end}").as_bytes())
    }

    /// A short name as the frame that it stands for.
    fn frame(&mut self, text: &str) -> Result<String, i32> {
        let inside = |name: &str| text.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')');
        if text == "INIT" {
            return Ok(r#"{"type":"system","subtype":"init","session_id":"5e55-0001","cwd":"/w","tools":[],"model":"m1"}"#.into());
        }
        if text == "DONE" {
            return Ok(r#"{"type":"result","subtype":"success","is_error":false,"result":"ok","session_id":"5e55-0001"}"#.into());
        }
        if let Some(words) = inside("TXT") {
            self.messages += 1;
            let id = format!("auto-{}", self.messages);
            return Ok(message(&id, words));
        }
        if let Some((id, words)) = text
            .strip_prefix("TXT#")
            .and_then(|rest| rest.strip_suffix(')')?.split_once('('))
        {
            return Ok(message(id, words));
        }
        if let Some(id) = inside("START") {
            let event = serde_json::json!({"type": "message_start", "message": {"id": id}});
            return Ok(stream_event(&event));
        }
        if let Some(words) = inside("DELTA") {
            return Ok(delta(words));
        }
        if let Some(ask) = inside("ASK") {
            let mut parts = ask.splitn(3, ',').map(|part| part.trim().trim_matches('"'));
            let (id, tool) = (
                parts.next().ok_or_else(|| bad(text))?,
                parts.next().ok_or_else(|| bad(text))?,
            );
            let input = ask.splitn(3, ',').nth(2).ok_or_else(|| bad(text))?;
            return Ok(format!(
                r#"{{"type":"control_request","request_id":"{id}","request":{{"subtype":"can_use_tool","tool_name":"{tool}","tool_use_id":"use-{id}","input":{input}}}}}"#
            ));
        }
        if text.contains("${request_id}") {
            let last: serde_json::Value = serde_json::from_str(&self.last).unwrap_or_default();
            let id = last["request_id"].as_str().unwrap_or_default();
            return Ok(text.replace("${request_id}", id));
        }
        Ok(text.to_owned())
    }

    fn raw(&mut self, rest: &str) -> Played {
        let (hex, count) = match rest.split_once(" x") {
            Some((hex, count)) => (hex, number(count)?),
            None => (rest, 1),
        };
        let digits: String = hex.split_whitespace().collect();
        let byte = |at: usize| u8::from_str_radix(digits.get(at..at + 2).unwrap_or("?"), 16);
        let bytes: Result<Vec<u8>, _> = (0..digits.len()).step_by(2).map(byte).collect();
        let bytes = bytes.map_err(|_| bad(rest))?;
        let at_once = (PIECE_BYTES / bytes.len().max(1)).max(1) as u64;
        let mut left = count;
        while left > 0 {
            let now = left.min(at_once);
            let piece = bytes.repeat(usize::try_from(now).map_err(|_| bad(rest))?);
            self.write(&piece)?;
            left -= now;
        }
        Ok(())
    }

    fn bytes(&mut self, rest: &str) -> Played {
        let (pause, text) = rest.split_once(' ').ok_or_else(|| bad(rest))?;
        let pause = Duration::from_millis(number(pause)?);
        let frame = self.frame(text)?;
        for byte in frame.bytes().chain([b'\n']) {
            self.write(&[byte])?;
            std::thread::sleep(pause);
        }
        Ok(())
    }

    fn big(&mut self, rest: &str) -> Played {
        let (key, count) = rest.split_once(' ').ok_or_else(|| bad(rest))?;
        let filler = "f".repeat(usize::try_from(number(count)?).map_err(|_| bad(rest))?);
        let frame = match key {
            "tool_result" => serde_json::json!({"type": "user", "message": {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "big", "content": filler}]}}),
            other => serde_json::json!({"type": other, "filler": filler}),
        };
        self.write(format!("{frame}\n").as_bytes())
    }

    fn flood(&mut self, rest: &str) -> Played {
        let forever = rest == "forever";
        let count = if forever { u64::MAX } else { number(rest)? };
        for n in 0..count {
            let line = format!("{}\n", delta(&format!("{n} ")));
            self.write(line.as_bytes())?;
        }
        Ok(())
    }

    fn read(&mut self, wanted: &str) -> Played {
        loop {
            match self.input.recv() {
                Ok(Some(line)) => {
                    self.last = line;
                    if self.last.contains(wanted) {
                        return Ok(());
                    }
                }
                Ok(None) | Err(_) => {
                    eprintln!("FAIL: standard input ended before a line with “{wanted}” came");
                    return Err(STDIN_ENDED);
                }
            }
        }
    }

    fn end_of_input(&mut self, rest: &str) -> Played {
        let limit = match rest.trim() {
            "" => Duration::MAX,
            ms => Duration::from_millis(number(ms)?),
        };
        let begun = std::time::Instant::now();
        loop {
            let left = limit.saturating_sub(begun.elapsed());
            let got = if limit == Duration::MAX {
                self.input.recv().map_err(|_| RecvTimeoutError::Disconnected)
            } else {
                self.input.recv_timeout(left)
            };
            match got {
                Ok(None) => return Ok(()),
                Ok(Some(_)) => {}
                Err(_) => {
                    eprintln!("FAIL: standard input did not end; reading additional input");
                    return hang();
                }
            }
        }
    }
}

fn message(id: &str, words: &str) -> String {
    serde_json::json!({"type": "assistant", "parent_tool_use_id": null, "session_id": "5e55-0001", "message": {
        "id": id, "role": "assistant", "content": [{"type": "text", "text": words}]}})
    .to_string()
}

fn delta(words: &str) -> String {
    // `\n` in a script is a line feed.
    let words = words.replace("\\n", "\n");
    let event = serde_json::json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": words}});
    stream_event(&event)
}

fn stream_event(event: &serde_json::Value) -> String {
    serde_json::json!({"type": "stream_event", "parent_tool_use_id": null, "session_id": "5e55-0001", "event": event})
        .to_string()
}

fn spawn(rest: &str) -> Played {
    let mut words = rest.split_whitespace();
    let program = words.next().ok_or_else(|| bad(rest))?;
    let child = Command::new(program).args(words).stdin(Stdio::null()).spawn();
    // It outlives this program on purpose: nobody waits for it.
    child.map(drop).map_err(|error| {
        eprintln!("{program}: {error}");
        BAD_SCRIPT
    })
}

fn hang() -> Played {
    loop {
        std::thread::park();
    }
}

fn number(text: &str) -> Result<u64, i32> {
    text.trim().parse().map_err(|_| bad(text))
}

fn bad(line: &str) -> i32 {
    eprintln!("not understood: {line}");
    BAD_SCRIPT
}
