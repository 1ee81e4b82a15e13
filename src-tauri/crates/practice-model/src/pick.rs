//! Which script plays, and which turn of it.
//!
//! Nothing is kept between requests: the last prompt that holds `[[name]]` picks the script, and the number of
//! assistant entries after it picks the turn. So a repeated request gets the same answer, and a chat that is resumed
//! goes on where it was.

use crate::{
    ask::{Ask, Entry, SHORTENED, is_stop, prompt_of},
    library::{Library, TOUR, is_name},
    script::Script,
};

/// What is to be answered.
#[derive(Debug)]
pub(crate) enum Pick<'a> {
    /// Turn `turn` (from 0) of a script. `later`: a prompt without a name came after the one that started it.
    Turn {
        name: &'a str,
        script: &'a Script,
        turn: usize,
        later: bool,
    },
    /// `[[name]]` names nothing.
    Unknown(String),
    /// A later prompt that names nothing.
    Friendly,
    /// A title for the chat.
    Title,
    /// A summary of the chat, so that it can be made shorter.
    Summary,
}

/// How requests for a title word it (opencode 1.18.33, claude 2.1.332).
const TITLE_WORDS: [&str; 6] = [
    "single \"title\" field",
    "title generator",
    "generate a title",
    "a concise title",
    "a short title",
    "concise, sentence-case title",
];
/// How requests for a summary word it (claude 2.1.332, codex 0.171.0, opencode 1.18.33).
const SUMMARY_WORDS: [&str; 3] = [
    "create a detailed summary of the conversation",
    "context checkpoint compaction",
    "anchored context summarization",
];

/// Picks the answer to a request.
pub(crate) fn pick<'a>(ask: &Ask, library: &'a Library) -> Pick<'a> {
    let prompts = prompts_of(ask);
    let newest = prompts
        .last()
        .map(|(_, text)| text.to_lowercase())
        .unwrap_or_default();
    if SUMMARY_WORDS.iter().any(|words| newest.contains(words)) {
        return Pick::Summary;
    }
    if ask.tools.is_empty() && wants_title(ask, &newest) {
        return Pick::Title;
    }
    let marked = prompts
        .iter()
        .enumerate()
        .rev()
        .find_map(|(nth, (at, text))| Some((nth, *at, marker_in(text)?)));
    if marked.is_none() && ask.entries.iter().any(is_shortened) {
        return Pick::Friendly;
    }
    let (nth, at, name) = marked.unwrap_or_else(|| {
        let first = prompts.first().map_or(0, |(at, _)| *at);
        (0, first, TOUR.to_owned())
    });
    let later = nth + 1 < prompts.len();
    let stopped = ask.entries[at.min(ask.entries.len())..].iter().any(is_stop_entry);
    if later && stopped {
        return Pick::Friendly;
    }
    match library.get(&name) {
        Some((name, script)) => Pick::Turn {
            name,
            script,
            turn: turns_after(ask, at),
            later,
        },
        None => Pick::Unknown(name),
    }
}

/// Place and text of each prompt of the user.
fn prompts_of(ask: &Ask) -> Vec<(usize, String)> {
    let prompt = |(at, entry): (usize, &Entry)| match entry {
        Entry::User(text) => prompt_of(text).map(|text| (at, text)),
        _ => None,
    };
    ask.entries.iter().enumerate().filter_map(prompt).collect()
}

fn turns_after(ask: &Ask, at: usize) -> usize {
    ask.entries
        .iter()
        .skip(at)
        .filter(|entry| matches!(entry, Entry::Assistant { .. }))
        .count()
}

/// The chat had a beginning that is not in the request any more, so its tour is over.
fn is_shortened(entry: &Entry) -> bool {
    matches!(entry, Entry::User(text) if text.trim_start().starts_with(SHORTENED))
}

fn is_stop_entry(entry: &Entry) -> bool {
    match entry {
        Entry::User(text) => is_stop(text),
        _ => false,
    }
}

fn wants_title(ask: &Ask, newest: &str) -> bool {
    let system = ask.system.to_lowercase();
    TITLE_WORDS
        .iter()
        .any(|words| system.contains(words) || newest.contains(words))
}

/// The last `[[name]]` of a text.
fn marker_in(text: &str) -> Option<String> {
    let mut end = text.len();
    while let Some(at) = text[..end].rfind("[[") {
        let rest = &text[at + 2..];
        if let Some(close) = rest.find("]]")
            && is_name(&rest[..close])
        {
            return Some(rest[..close].to_owned());
        }
        end = at;
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::wire::anthropic;

    fn picked(messages: Value) -> String {
        let body = json!({"messages": messages, "tools": [{"name": "Bash"}]});
        told(&anthropic::read(&body, 100))
    }

    fn told(ask: &Ask) -> String {
        match pick(ask, &Library::load(None).unwrap()) {
            Pick::Turn {
                name, turn, later, ..
            } => format!("{name} {turn}{}", if later { " later" } else { "" }),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn the_last_named_script_counts() {
        assert_eq!(
            picked(json!([{"role": "user", "content": "[[text]] then [[bash]] please [[Not A Name]]"}])),
            "bash 0"
        );
        let second = json!([
            {"role": "user", "content": "[[bash]]"},
            {"role": "assistant", "content": [{"type": "tool_use", "name": "Bash", "id": "a", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "[[text]]"}]},
        ]);
        assert_eq!(picked(second), "bash 1");
        assert_eq!(
            picked(json!([{"role": "user", "content": "[[nope]]"}])),
            "Unknown(\"nope\")"
        );
    }

    #[test]
    fn without_a_name_the_first_prompt_is_the_tour() {
        let reminder = "<system-reminder>[[bash]]</system-reminder>";
        let parts = json!([{"type": "text", "text": reminder}, {"type": "text", "text": "hello"}]);
        assert_eq!(picked(json!([{"role": "user", "content": parts}])), "tour 0");
        let more = json!([
            {"role": "user", "content": "hello"},
            {"role": "assistant", "content": "…"},
            {"role": "user", "content": "more"},
        ]);
        assert_eq!(picked(more), "tour 1 later");
    }

    #[test]
    fn a_stopped_script_does_not_go_on() {
        let stopped = json!([
            {"role": "user", "content": "[[bash-two]]"},
            {"role": "assistant", "content": "…"},
            {"role": "user", "content": [{"type": "text", "text": "[Request interrupted by user]"}]},
            {"role": "user", "content": "hello"},
        ]);
        assert_eq!(picked(stopped), "Friendly");
    }

    #[test]
    fn a_shortened_chat_has_had_its_tour() {
        let summary =
            json!({"type": "text", "text": "This session is being continued from a previous conversation…"});
        let parts = json!([summary, {"type": "text", "text": "hello again"}]);
        assert_eq!(picked(json!([{"role": "user", "content": parts}])), "Friendly");
        let named = json!([summary, {"type": "text", "text": "[[text]]"}]);
        assert_eq!(picked(json!([{"role": "user", "content": named}])), "text 0");
    }

    #[test]
    fn titles_and_summaries_are_told_apart() {
        let title = json!({"system": "You are a title generator.", "messages": [{"role": "user", "content": "[[text]]"}]});
        assert_eq!(told(&anthropic::read(&title, 1)), "Title");
        let json_title = json!({"system": "Return JSON with a single \"title\" field.", "messages": []});
        assert_eq!(told(&anthropic::read(&json_title, 1)), "Title");
        let summary = "Your task is to create a detailed summary of the conversation so far";
        assert_eq!(picked(json!([{"role": "user", "content": summary}])), "Summary");
    }
}
