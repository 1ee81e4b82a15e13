//! The imaginary harness: repeats its prompt, asks before it runs something, and can hang.
//!
//! | prompt | what it does |
//! | --- | --- |
//! | `run X` | asks whether it may run X, says what it was told |
//! | `hang` | says one word and waits for ever |
//! | `fly` | ends without an answer |
//! | `noise` | prints a line that is no JSON before its answer |
//! | anything else | says it word by word, then as a whole |

use std::io::{BufRead, Write, stdin, stdout};

use serde_json::{Value, json};

/// Exit code when its input ends or cannot be read.
const BAD_INPUT: i32 = 9;

fn say(value: &Value) {
    let mut out = stdout().lock();
    // Nobody listens any more: then there is nothing to say.
    if writeln!(out, "{value}").and_then(|()| out.flush()).is_err() {
        std::process::exit(BAD_INPUT);
    }
}

fn hear() -> Value {
    let mut line = String::new();
    let read = stdin()
        .lock()
        .read_line(&mut line)
        .ok()
        .filter(|bytes| *bytes > 0);
    match read.and_then(|_| serde_json::from_str(&line).ok()) {
        Some(value) => value,
        None => std::process::exit(BAD_INPUT),
    }
}

fn main() {
    if std::env::args().nth(1).is_some_and(|arg| arg == "--version") {
        let _ = writeln!(stdout(), "1.0.0 (Parrot)");
        return;
    }
    let heard = hear();
    let prompt = heard["prompt"].as_str().unwrap_or_default();
    say(&json!({ "session": "perch-1" }));
    let answer = match prompt.split_once(' ') {
        Some(("run", command)) => {
            say(&json!({ "ask": "a1", "run": command }));
            let allowed = hear()["allow"] == true;
            format!("{} {command}", if allowed { "ran" } else { "did not run" })
        }
        _ => prompt.to_owned(),
    };
    match prompt {
        "hang" => {
            say(&json!({ "text": "hm" }));
            loop {
                std::thread::park();
            }
        }
        "fly" => return,
        "noise" => say(&Value::String("squawk".into())),
        _ => answer
            .split_inclusive(' ')
            .for_each(|word| say(&json!({ "text": word }))),
    }
    say(&json!({ "done": answer }));
}
