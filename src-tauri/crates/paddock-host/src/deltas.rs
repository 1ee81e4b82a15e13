//! Adjacent deltas of one block become one: fewer rows to store, fewer items for a page.

use agent_domain::event::TurnEvent;

/// A joined delta is not grown beyond this, in bytes.
pub const MAX_JOINED_BYTES: usize = 32 * 1024;

/// Appends the next event to the last one when both are deltas of the same block of the same message, or of the same
/// tool's output, and the bound holds. False: nothing changed.
pub fn join(last: &mut TurnEvent, next: &TurnEvent) -> bool {
    match (last, next) {
        (
            TurnEvent::TextDelta {
                message_id: a,
                block: b,
                text,
                task_id: c,
            },
            TurnEvent::TextDelta {
                message_id: x,
                block: y,
                text: more,
                task_id: z,
            },
        )
        | (
            TurnEvent::ReasoningDelta {
                message_id: a,
                block: b,
                text,
                task_id: c,
            },
            TurnEvent::ReasoningDelta {
                message_id: x,
                block: y,
                text: more,
                task_id: z,
            },
        ) if a == x && b == y && c == z => append(text, more),
        (TurnEvent::ToolOutputDelta { id: a, text }, TurnEvent::ToolOutputDelta { id: x, text: more })
            if a == x =>
        {
            append(text, more)
        }
        _ => false,
    }
}

fn append(text: &mut String, more: &str) -> bool {
    let fits = text.len() + more.len() <= MAX_JOINED_BYTES;
    if fits {
        text.push_str(more);
    }
    fits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(message: &str, block: u32, text: &str) -> TurnEvent {
        TurnEvent::TextDelta {
            message_id: message.into(),
            block,
            text: text.into(),
            task_id: None,
        }
    }

    #[test]
    fn only_the_same_block_is_joined() {
        let mut last = text("m", 0, "a");
        assert!(join(&mut last, &text("m", 0, "b")));
        assert_eq!(last, text("m", 0, "ab"));
        let reasoning = TurnEvent::ReasoningDelta {
            message_id: "m".into(),
            block: 0,
            text: "c".into(),
            task_id: None,
        };
        for other in [text("n", 0, "c"), text("m", 1, "c"), reasoning] {
            assert!(!join(&mut last, &other));
        }
        assert_eq!(last, text("m", 0, "ab"));
    }

    #[test]
    fn a_joined_delta_has_a_bound() {
        let mut last = text("m", 0, &"x".repeat(MAX_JOINED_BYTES - 1));
        assert!(join(&mut last, &text("m", 0, "y")));
        assert!(!join(&mut last, &text("m", 0, "z")));
    }
}
