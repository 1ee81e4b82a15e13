//! `{{…}}` in the texts of a script.
//!
//! `{{cwd}}` the working folder · `{{scripts}}` the known scripts as `[[name]]` list · `{{outcome}}` a sentence when the
//! last tool call did not happen, else nothing · `{{answer}}` what the user answered to a question ·
//! `{{model}}` the model asked for · `{{epoch+N}}` now plus N seconds as a Unix time.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::{acts, ask::Ask};

/// Characters of a tool's result that a text quotes.
const QUOTE_CHARS: usize = 300;

/// Values for one answer.
pub(crate) struct Values {
    pub(crate) cwd: String,
    scripts: String,
    outcome: String,
    answer: String,
    model: String,
}

impl Values {
    pub(crate) fn of(ask: &Ask, scripts: String) -> Self {
        Self {
            cwd: ask.cwd().unwrap_or_default(),
            scripts,
            outcome: outcome(ask),
            answer: answer(ask),
            model: ask.model.clone(),
        }
    }

    pub(crate) fn fill(&self, text: &str) -> String {
        if !text.contains("{{") {
            return text.to_owned();
        }
        let text = text
            .replace("{{cwd}}", &self.cwd)
            .replace("{{scripts}}", &self.scripts)
            .replace("{{model}}", &self.model)
            .replace("{{outcome}}", &self.outcome)
            .replace("{{answer}}", &self.answer);
        fill_epoch(&text)
    }
}

fn outcome(ask: &Ask) -> String {
    let Some((_, text)) = ask.last_results().find(|(is_error, _)| *is_error) else {
        return String::new();
    };
    format!(
        "That did not happen. I was told: “{}”. That is fine, I go on.\n\n",
        quote(text)
    )
}

fn answer(ask: &Ask) -> String {
    let asked = ask
        .last_calls()
        .iter()
        .any(|name| acts::ASK_TOOLS.contains(&name.as_str()));
    match ask.last_results().last() {
        Some((false, text)) if asked => format!("Your answer reached me as: “{}”.", quote(text)),
        Some((true, text)) if asked => format!("I got no answer: “{}”.", quote(text)),
        _ => "I got no answer, because no question was asked.".to_owned(),
    }
}

fn quote(text: &str) -> String {
    let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut cut: String = one_line.chars().take(QUOTE_CHARS).collect();
    if cut.len() < one_line.len() {
        cut.push('…');
    }
    cut
}

fn fill_epoch(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("{{epoch+") {
        let after = &rest[at + "{{epoch+".len()..];
        let parsed = after
            .find("}}")
            .and_then(|end| Some((after[..end].parse::<u64>().ok()?, end)));
        let Some((seconds, end)) = parsed else { break };
        out.push_str(&rest[..at]);
        out.push_str(&(now() + seconds).to_string());
        rest = &after[end + 2..];
    }
    out.push_str(rest);
    out
}

/// Seconds since 1970; 0 on a machine whose clock stands before that.
pub(crate) fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |passed| passed.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epoch_is_added() {
        let filled: u64 = fill_epoch("{{epoch+3600}}").parse().unwrap();
        assert!(filled >= now() + 3599);
        assert_eq!(fill_epoch("{{epoch+x}} a"), "{{epoch+x}} a");
    }
}
