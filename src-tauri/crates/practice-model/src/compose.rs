//! From a pick to an answer.

use crate::{
    acts::{Stage, Turned},
    ask::{Ask, Entry},
    faults::{Fault, Happened},
    library::Library,
    pace::Pace,
    pick::{Pick, pick},
    reply::{Block, Call, Input, Reply, Stop, Text, Times, estimate},
    script::{Part, Repeat, Script, Step, expand},
    template::Values,
};

/// What titles a chat gets.
const TITLE: &str = "Practice chat";
/// What a finished script says when asked again without a name of its own.
const CLOSING: &str = "That was the whole script. Name another one, such as `[[text]]`.";

/// An answer and where it comes from.
pub(crate) struct Composed {
    pub(crate) reply: Reply,
    /// Script and turn, for the record.
    pub(crate) script: Option<(String, usize)>,
}

/// Makes the answer to a request.
pub(crate) fn compose(ask: &Ask, library: &Library, happened: &Happened, pace: Option<Pace>) -> Composed {
    let values = Values::of(ask, library.as_list());
    let (said, script) = match pick(ask, library) {
        Pick::Turn {
            name,
            script,
            turn,
            later,
        } => {
            let said = say_turn(ask, &values, script, turn, later);
            (said, Some((name.to_owned(), turn)))
        }
        Pick::Unknown(name) => (Said::text(unknown(&name, &values)), None),
        Pick::Friendly => (Said::text(friendly(&values)), None),
        Pick::Title => (Said::text(title(ask)), None),
        Pick::Summary => (Said::text(summary()), None),
    };
    Composed {
        reply: said.into_reply(ask, &values, happened, pace),
        script,
    }
}

fn unknown(name: &str, values: &Values) -> String {
    values.fill(&format!(
        "I know no script called `{name}`. I know these:\n\n{{{{scripts}}}}"
    ))
}

fn friendly(values: &Values) -> String {
    values.fill("Thank you for writing. I am only a practice model, so I cannot think about that. Start a message with one of these and I play it:\n\n{{scripts}}")
}

fn title(ask: &Ask) -> String {
    if ask.wants_json {
        serde_json::json!({ "title": TITLE }).to_string()
    } else {
        TITLE.to_owned()
    }
}

fn summary() -> String {
    "<summary>\nThe user and the practice model went through scripted steps. Nothing is left to do.\n</summary>".to_owned()
}

/// The steps that make one answer, already in blocks.
struct Said<'a> {
    blocks: Vec<Block>,
    step: Option<&'a Step>,
}

fn say_turn<'a>(ask: &Ask, values: &Values, script: &'a Script, turn: usize, later: bool) -> Said<'a> {
    let stage = Stage {
        ask,
        values,
        id: &fresh_id,
    };
    let mut from = 0;
    for nth in 0..=turn {
        if from >= script.steps.len() {
            return ended(values, script, later);
        }
        let (said, next) = say_from(&stage, script, from);
        if nth == turn {
            let failed = said.step.is_some_and(|step| step.fault.is_some());
            return if failed && later {
                Said::text(friendly(values))
            } else {
                said
            };
        }
        from = next;
    }
    ended(values, script, later)
}

fn ended<'a>(values: &Values, script: &Script, later: bool) -> Said<'a> {
    if later {
        return Said::text(friendly(values));
    }
    Said::text(values.fill(script.closing.as_deref().unwrap_or(CLOSING)))
}

/// The step at `from`, and those after it when it wanted a tool that is not offered: without a call the harness would
/// not ask again, so the script goes on in the same answer. Gives the index of the step after.
fn say_from<'a>(stage: &Stage<'_>, script: &'a Script, from: usize) -> (Said<'a>, usize) {
    let mut blocks = Vec::new();
    let mut at = from;
    let mut last = None;
    while let Some(step) = script.steps.get(at) {
        let missing = say_step(stage, step, &mut blocks);
        last = Some(step);
        at += 1;
        let calls = blocks.iter().any(Block::is_tool);
        if calls || !missing || step.fault.is_some() {
            break;
        }
    }
    (Said { blocks, step: last }, at)
}

/// Adds the blocks of a step; true when an act had no tool.
fn say_step(stage: &Stage<'_>, step: &Step, blocks: &mut Vec<Block>) -> bool {
    let fill = |text: &str| stage.values.fill(text);
    let mut missing = false;
    for part in &step.blocks {
        match part {
            Part::Thinking(text) => {
                if stage.ask.thinking {
                    blocks.push(Block::Thinking(Text::once(fill(text))));
                }
            }
            Part::Text { text, repeat } => {
                let times = match repeat {
                    Repeat::Times(n) => Times::Count(*n),
                    Repeat::Word(_) => Times::Endless,
                };
                blocks.push(Block::Text(Text {
                    part: fill(&text.make()),
                    times,
                }));
            }
            Part::Tool { name, input } => {
                let input = Input::Json(expand(input, &fill));
                blocks.push(Block::Tool(Call {
                    id: fresh_id(),
                    name: name.clone(),
                    input,
                }));
            }
            Part::Act(act) => match stage.turn(act) {
                Turned::Block(block) => blocks.push(*block),
                Turned::Sentence(text) => {
                    missing = true;
                    blocks.push(Block::Text(Text::once(text)));
                }
            },
        }
    }
    missing
}

fn fresh_id() -> String {
    format!("{:024x}", rand::random::<u128>() >> 32)
}

impl Said<'_> {
    fn text(text: String) -> Self {
        Said {
            blocks: vec![Block::Text(Text::once(text))],
            step: None,
        }
    }

    fn into_reply(self, ask: &Ask, values: &Values, happened: &Happened, wanted: Option<Pace>) -> Reply {
        let step = self.step;
        let later = ask
            .entries
            .iter()
            .any(|entry| matches!(entry, Entry::Assistant { .. }));
        let blocks = joined(self.blocks);
        let natural = if blocks.iter().any(Block::is_tool) {
            Stop::ToolUse
        } else {
            Stop::EndTurn
        };
        let fault = step
            .and_then(|step| step.fault.as_ref())
            .filter(|fault: &&Fault| happened.applies(fault, ask));
        let headers = step.map(|step| {
            let filled = step
                .headers
                .iter()
                .map(|(name, value)| (name.clone(), values.fill(value)));
            filled.collect()
        });
        Reply {
            usage: step
                .and_then(|step| step.usage)
                .unwrap_or_else(|| estimate(ask.bytes, later, &blocks)),
            pace: step.map(|step| step.pace).unwrap_or_default().or_wanted(wanted),
            stop: step.and_then(|step| step.stop_reason).unwrap_or(natural),
            headers: headers.unwrap_or_default(),
            fault: fault.cloned(),
            blocks,
        }
    }
}

/// Drops empty blocks and makes texts that follow each other one: on the Chat Completions wire they have no border. A
/// text that starts with a tag stays alone (codex takes a plan from its tag).
fn joined(blocks: Vec<Block>) -> Vec<Block> {
    let mut out: Vec<Block> = Vec::new();
    for block in blocks.into_iter().filter(|block| !is_empty(block)) {
        if let (Some(Block::Text(before)), Block::Text(after)) = (out.last_mut(), &block) {
            let once = before.times == Times::Count(1) && after.times == Times::Count(1);
            if once && !after.part.starts_with('<') {
                before.part.push_str("\n\n");
                before.part.push_str(&after.part);
                continue;
            }
        }
        out.push(block);
    }
    out
}

fn is_empty(block: &Block) -> bool {
    match block {
        Block::Thinking(text) | Block::Text(text) => text.part.is_empty(),
        Block::Tool(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::wire::anthropic;

    fn composed(body: &Value) -> Composed {
        let library = Library::load(None).unwrap();
        compose(&anthropic::read(body, 100), &library, &Happened::default(), None)
    }

    fn text(reply: &Reply) -> String {
        let texts = reply.blocks.iter().filter_map(|block| match block {
            Block::Text(text) => Some(text.whole()),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn without_tools_the_tour_goes_on_in_one_answer() {
        let done = composed(&json!({"messages": [{"role": "user", "content": "hello"}]}));
        let said = text(&done.reply);
        assert_eq!(done.reply.stop, Stop::EndTurn);
        assert_eq!(done.reply.blocks.len(), 1, "texts are joined");
        for part in [
            "paddock-tour.md",
            "no tool for it is offered",
            "no question was asked",
        ] {
            assert!(said.contains(part), "{part} is missing in {said}");
        }
    }

    #[test]
    fn a_denial_is_told_and_the_tour_goes_on() {
        let done = composed(
            &json!({"tools": [{"name": "Bash"}, {"name": "Write"}], "messages": [
                {"role": "user", "content": "hello"},
                {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "Write", "input": {}}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "is_error": true, "content": "not in my folder"}]},
            ]}),
        );
        assert!(text(&done.reply).contains("not in my folder"));
        assert!(
            done.reply
                .blocks
                .iter()
                .any(|block| matches!(block, Block::Tool(call) if call.name == "Bash"))
        );
    }

    #[test]
    fn a_later_prompt_gets_the_list() {
        let done = composed(&json!({"tools": [{"name": "Bash"}], "messages": [
            {"role": "user", "content": "[[text]]"},
            {"role": "assistant", "content": "…"},
            {"role": "user", "content": "what else?"},
        ]}));
        assert!(text(&done.reply).contains("[[big-write]]"));
    }

    #[test]
    fn a_failed_script_lets_a_later_prompt_pass() {
        let messages =
            json!([{"role": "user", "content": "[[fault-500]]"}, {"role": "user", "content": "again?"}]);
        assert!(composed(&json!({"messages": messages})).reply.fault.is_none());
        let first = json!([{"role": "user", "content": "[[fault-500]]"}]);
        assert!(composed(&json!({"messages": first})).reply.fault.is_some());
    }

    #[test]
    fn no_thinking_is_sent_when_none_is_allowed() {
        let has = |done: Composed| {
            done.reply
                .blocks
                .iter()
                .any(|block| matches!(block, Block::Thinking(_)))
        };
        let messages = json!([{"role": "user", "content": "[[think]]"}]);
        assert!(!has(composed(&json!({"messages": messages}))));
        assert!(has(composed(
            &json!({"messages": messages, "thinking": {"type": "adaptive"}})
        )));
    }
}
