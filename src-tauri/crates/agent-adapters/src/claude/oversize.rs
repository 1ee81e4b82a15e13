//! What can be told from the ends of a line that was too long to be read.

use agent_domain::Write;
use agent_domain::{
    DeliveryState, Payload, ProviderFailure, ProviderProcessErrorKind, Step, TurnEnd, TurnEvent, limits,
};

use super::asks::refuse;
use super::dialogue::ClaudeDialogue;
use super::reading::sample;

/// Longest name or id that is looked for, in bytes.
const MAX_FOUND_BYTES: usize = 256;

/// The plain string after `"key":`, unless it holds an escape.
fn field<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let after = text
        .split_once(&format!("\"{key}\":"))?
        .1
        .trim_start()
        .strip_prefix('"')?;
    let value = &after[..after.find('"')?];
    (value.len() <= MAX_FOUND_BYTES && !value.contains('\\')).then_some(value)
}

impl ClaudeDialogue {
    /// Keeps the turn going: a result ends its call, a request is refused, anything else is a warning.
    pub(super) fn oversize(&mut self, head: &[u8], tail: &[u8], bytes: u64) -> Step {
        let head = sample(head, limits::OVERSIZE_SAMPLE_BYTES);
        // The cut may stand inside a character: the tail begins with the next one.
        let whole = tail.iter().take_while(|byte| **byte & 0xC0 == 0x80).count();
        let tail = sample(&tail[whole..], limits::OVERSIZE_SAMPLE_BYTES);
        let find = |key: &str| field(&head, key).or_else(|| field(&tail, key));
        let has = |needle: &str| head.contains(needle) || tail.contains(needle);
        let payload = || Payload {
            text: head.clone(),
            bytes,
            truncated: true,
        };
        let mut step = Step::default();
        if !head.trim_start().starts_with('{') {
            self.unparsed(&head);
            return step;
        }
        self.spoke();
        if head.contains("\"type\":\"control_request\"") {
            if let Some(id) = field(&head, "request_id") {
                step.writes
                    .push(Write::Line(refuse(id, "the request is too long to be shown")));
            }
        } else if has("\"type\":\"result\"") {
            self.oversize_result(has("\"is_error\":true"), &mut step);
        } else if has("\"type\":\"tool_result\"")
            && let Some(id) = find("tool_use_id")
        {
            self.tools
                .end_oversize(id, payload(), has("\"is_error\":true"), &mut step.events);
        } else if head.contains("\"type\":\"tool_use\"")
            && let Some((_, block)) = head.split_once("\"type\":\"tool_use\"")
            && let (Some(id), Some(name)) = (field(block, "id"), field(block, "name"))
        {
            let started = self.tools.start_oversize(id, name, payload());
            step.events.extend(started);
        }
        step.events.push(TurnEvent::Warning {
            code: "oversize_line".to_owned(),
            message: format!("The CLI printed a line of {bytes} bytes, which is too long to be read."),
        });
        step
    }

    fn oversize_result(&mut self, failed: bool, step: &mut Step) {
        let end = if failed {
            TurnEnd::Failed(ProviderFailure {
                kind: ProviderProcessErrorKind::Unknown,
                message: "The CLI reported a failure that is too long to be read.".to_owned(),
                code: None,
                retry_at: None,
                delivery: DeliveryState::Accepted,
            })
        } else {
            TurnEnd::Completed {
                text: self.last_main_text().to_owned(),
                structured: None,
            }
        };
        self.finish(end, step);
    }
}
