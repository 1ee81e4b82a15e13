//! Approvals, plans and questions: `can_use_tool` requests and their answers.
//!
//! Arguments are kept as the text that came and are echoed byte for byte, so that what was shown is what runs.
//! Suggested rules, modes and folders are never sent back: what is remembered is remembered above.

use std::collections::BTreeMap;

use agent_domain::{
    AdapterError, ApprovalDecision, ApprovalRequest, Ask, AskId, AskKind, Decision, GrantScope,
    NoAnswerReason, Payload, PlanDecision, PlanRequest, QuestionAnswer, QuestionOption, QuestionPrompt,
    QuestionRequest, QuestionResponse, grant::canonical_json, limits,
};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::detail::{detail, mcp_name};
use super::reading::{json, lenient, part};
use super::wire::ControlRequest;

const DENIED: &str = "The person did not allow this step. Go on without it, or ask how to proceed.";
const STOPPED: &str = "The person did not allow this step and ended the turn.";
const DECLINED: &str = "The person does not want to answer these questions. Go on with your best judgement.";
const CHANGES: &str = "The person wants the plan worked over before it is carried out.";

#[derive(Debug)]
enum Kind {
    Approval,
    Plan,
    Question(Vec<String>),
}

#[derive(Debug)]
struct Open {
    kind: Kind,
    input: String,
    from_agent: bool,
}

/// The requests that wait for an answer.
#[derive(Debug, Default)]
pub(super) struct AskBook {
    open: BTreeMap<String, Open>,
}

/// What becomes of an incoming request.
#[derive(Debug)]
pub(super) enum Raised {
    /// It waits for an answer.
    Asked(Box<Ask>),
    /// It was answered at once with this line.
    Refused(Vec<u8>),
    /// It is already open.
    Known,
}

/// An answer on its way.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) line: Vec<u8>,
    /// It ends the turn.
    pub(super) stops: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Questions {
    #[serde(deserialize_with = "lenient")]
    questions: Option<Vec<Question>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Question {
    question: String,
    #[serde(default, deserialize_with = "lenient")]
    header: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    multi_select: Option<bool>,
    #[serde(default, deserialize_with = "lenient")]
    options: Option<Vec<Choice>>,
}

#[derive(Debug, Deserialize)]
struct Choice {
    label: String,
    #[serde(default, deserialize_with = "lenient")]
    description: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct PlanInput {
    #[serde(deserialize_with = "lenient")]
    plan: Option<String>,
    #[serde(deserialize_with = "lenient", rename = "planFilePath")]
    path: Option<String>,
}

impl AskBook {
    /// Takes a `can_use_tool` request. `streamed_plan` is the plan among the arguments of the tool call it belongs to.
    pub(super) fn raise(
        &mut self,
        id: &str,
        request: &ControlRequest<'_>,
        streamed_plan: Option<String>,
    ) -> Raised {
        if self.open.contains_key(id) {
            return Raised::Known;
        }
        if id.len() > limits::MAX_IDENTIFIER_BYTES {
            return Raised::Refused(refuse(id, "the request id is too long"));
        }
        if self.open.len() >= limits::MAX_OPEN_ASKS {
            return Raised::Refused(deny(id, no_answer(NoAnswerReason::TooMany), false));
        }
        let tool = request.tool_name.clone().unwrap_or_default();
        let input = request.input.map_or("{}", RawValue::get).to_owned();
        let (kind, ask) = match tool.as_str() {
            "AskUserQuestion" => {
                questions(id, &input).unwrap_or_else(|| approval(id, &tool, &input, request))
            }
            "ExitPlanMode" => plan(id, request, streamed_plan),
            _ => approval(id, &tool, &input, request),
        };
        self.open.insert(
            id.to_owned(),
            Open {
                kind,
                input,
                from_agent: request.agent_id.is_some(),
            },
        );
        Raised::Asked(Box::new(Ask {
            id: AskId::new(id),
            kind: ask,
        }))
    }

    /// Turns an answer into a line. A wrong answer leaves the request open.
    pub(super) fn answer(&mut self, id: &AskId, decision: Decision) -> Result<Answer, AdapterError> {
        let open = self
            .open
            .get(id.as_str())
            .ok_or_else(|| AdapterError::UnknownAsk { id: id.clone() })?;
        let name = id.as_str();
        let wrong = |expected| AdapterError::WrongAnswer {
            id: id.clone(),
            expected,
        };
        let go_on = |line| Answer { line, stops: false };
        let answer = match (&open.kind, decision) {
            (_, Decision::NoAnswer(reason)) => go_on(deny(name, no_answer(reason), false)),
            (Kind::Approval, Decision::Approval(decision)) => {
                approve(name, &open.input, decision).map_err(wrong)?
            }
            (Kind::Plan, Decision::Plan(PlanDecision::Approve)) => go_on(allow(name, &open.input)),
            (Kind::Plan, Decision::Plan(PlanDecision::AskForChanges { feedback })) => {
                go_on(deny(name, worded(Some(&feedback), CHANGES), false))
            }
            (Kind::Question(_), Decision::Question(QuestionResponse::Declined)) => {
                go_on(deny(name, DECLINED, false))
            }
            (Kind::Question(keys), Decision::Question(QuestionResponse::Answered { answer })) => {
                let input = answered(&open.input, keys, &answer).map_err(wrong)?;
                go_on(allow(name, &input))
            }
            (Kind::Approval, _) => return Err(wrong("an approval decision")),
            (Kind::Plan, _) => return Err(wrong("a plan decision")),
            (Kind::Question(_), _) => return Err(wrong("answers to the questions")),
        };
        self.open.remove(name);
        Ok(answer)
    }

    /// The harness took a request back.
    pub(super) fn cancel(&mut self, id: &str) -> Option<AskId> {
        self.open.remove(id).map(|_| AskId::new(id))
    }

    /// The turn ended: its own requests are void, those of subagents that work on are not.
    pub(super) fn close_turn(&mut self) -> Vec<AskId> {
        let (kept, closed) = std::mem::take(&mut self.open)
            .into_iter()
            .partition(|(_, open)| open.from_agent);
        self.open = kept;
        let closed: BTreeMap<String, Open> = closed;
        closed.into_keys().map(AskId::new).collect()
    }

    /// The process ended: all requests are void.
    pub(super) fn close_all(&mut self) -> Vec<AskId> {
        std::mem::take(&mut self.open)
            .into_keys()
            .map(AskId::new)
            .collect()
    }
}

fn approval(id: &str, tool: &str, input: &str, request: &ControlRequest<'_>) -> (Kind, AskKind) {
    // Arguments that cannot be compared cannot be remembered.
    let scope = serde_json::from_str::<Value>(input).ok().map(|value| GrantScope {
        tool: tool.to_owned(),
        key: canonical_json(&value, &["description"]),
        shown: match tool {
            "Bash" => "this exact command".to_owned(),
            "Write" | "Edit" | "MultiEdit" | "NotebookEdit" => "this exact change to this file".to_owned(),
            _ => format!("{tool} with exactly these arguments"),
        },
    });
    let server = request.mcp_server.as_ref().map(|server| server.name.clone());
    let approval = ApprovalRequest {
        id: AskId::new(id),
        tool_name: tool.to_owned(),
        tool_call_id: request.tool_use_id.clone(),
        input: Payload::whole(input),
        detail: detail(tool, input),
        description: request.description.clone(),
        blocked_path: request.blocked_path.clone(),
        agent_id: request.agent_id.clone(),
        mcp_server: server.or_else(|| mcp_name(tool).map(|(server, _)| server.to_owned())),
        scope,
        editable: true,
    };
    (Kind::Approval, AskKind::Approval(approval))
}

fn plan(id: &str, request: &ControlRequest<'_>, streamed: Option<String>) -> (Kind, AskKind) {
    let input: PlanInput = part(request.input).unwrap_or_default();
    let plan = input
        .plan
        .filter(|plan| !plan.is_empty())
        .or(streamed)
        .unwrap_or_default();
    let ask = PlanRequest {
        id: AskId::new(id),
        plan: Payload::whole(plan),
        path: input.path,
    };
    (Kind::Plan, AskKind::Plan(ask))
}

/// Questions as they are; arguments that hold none become an approval.
fn questions(id: &str, input: &str) -> Option<(Kind, AskKind)> {
    let parsed: Questions = serde_json::from_str(input).ok()?;
    let questions = parsed.questions.filter(|questions| !questions.is_empty())?;
    let keys = questions
        .iter()
        .map(|question| question.question.clone())
        .collect();
    let prompts = questions.into_iter().map(prompt).collect();
    let ask = QuestionRequest {
        id: AskId::new(id),
        prompts,
        native: Payload::whole(input),
    };
    Some((Kind::Question(keys), AskKind::Question(ask)))
}

fn prompt(question: Question) -> QuestionPrompt {
    let options = question.options.unwrap_or_default();
    QuestionPrompt {
        key: question.question.clone(),
        header: question.header,
        question: question.question,
        options: options
            .into_iter()
            .map(|choice| QuestionOption {
                label: choice.label,
                description: choice.description,
            })
            .collect(),
        multi_select: question.multi_select.unwrap_or(false),
        free_text: true,
    }
}

fn approve(id: &str, input: &str, decision: ApprovalDecision) -> Result<Answer, &'static str> {
    let (line, stops) = match decision {
        ApprovalDecision::Allow | ApprovalDecision::AllowForSession => (allow(id, input), false),
        ApprovalDecision::AllowEdited { input } => {
            let edited: Value = serde_json::from_str(&input).map_err(|_| "arguments as JSON text")?;
            if !edited.is_object() {
                return Err("arguments as a JSON object");
            }
            // Text on several lines would end the line too early.
            let one_line = if input.contains(['\n', '\r']) {
                edited.to_string()
            } else {
                input
            };
            (allow(id, &one_line), false)
        }
        ApprovalDecision::Deny { reason } => (deny(id, worded(reason.as_deref(), DENIED), false), false),
        ApprovalDecision::DenyAndStop { reason } => {
            (deny(id, worded(reason.as_deref(), STOPPED), true), true)
        }
    };
    Ok(Answer { line, stops })
}

fn answered(input: &str, keys: &[String], answer: &QuestionAnswer) -> Result<String, &'static str> {
    if answer.answers.keys().any(|key| !keys.contains(key)) {
        return Err("answers to the questions that were asked");
    }
    let mut input: Value =
        serde_json::from_str(input).map_err(|_| "answers to questions that can be read")?;
    let answers: serde_json::Map<String, Value> = keys
        .iter()
        .filter_map(|key| {
            answer
                .answers
                .get(key)
                .map(|labels| (key.clone(), Value::String(labels.join(", "))))
        })
        .collect();
    input["answers"] = Value::Object(answers);
    Ok(input.to_string())
}

fn worded<'a>(own: Option<&'a str>, otherwise: &'a str) -> &'a str {
    own.filter(|text| !text.trim().is_empty()).unwrap_or(otherwise)
}

/// Said to the model. None of these is a person's refusal.
fn no_answer(reason: NoAnswerReason) -> &'static str {
    match reason {
        NoAnswerReason::Expired => {
            "Nobody answered this request in time. It was neither allowed nor refused; go on without it if you can."
        }
        NoAnswerReason::Nobody => {
            "Nobody is there to answer this request. It was neither allowed nor refused; go on without it if you can."
        }
        NoAnswerReason::TooMany => {
            "Too many requests are waiting, so nobody saw this one. It was neither allowed nor refused; try again later."
        }
    }
}

pub(super) fn respond(id: &str, response: &str) -> Vec<u8> {
    let id = json(id);
    format!(
        r#"{{"type":"control_response","response":{{"subtype":"success","request_id":{id},"response":{response}}}}}"#
    )
    .into_bytes()
}

pub(super) fn allow(id: &str, input: &str) -> Vec<u8> {
    respond(id, &format!(r#"{{"behavior":"allow","updatedInput":{input}}}"#))
}

fn deny(id: &str, message: &str, interrupt: bool) -> Vec<u8> {
    let stop = if interrupt { r#","interrupt":true"# } else { "" };
    respond(
        id,
        &format!(r#"{{"behavior":"deny","message":{}{stop}}}"#, json(message)),
    )
}

/// A protocol refusal of a request that we cannot serve.
pub(super) fn refuse(id: &str, why: &str) -> Vec<u8> {
    let (id, why) = (json(id), json(why));
    format!(
        r#"{{"type":"control_response","response":{{"subtype":"error","request_id":{id},"error":{why}}}}}"#
    )
    .into_bytes()
}
