//! Requests of the CLI that wait for a person, and the answers in its own words.
//!
//! The native input is kept as the text that came: what is allowed is byte for byte what was shown.

use std::collections::BTreeMap;

use agent_domain::adapter::{AdapterError, Ask, AskKind};
use agent_domain::decision::{
    ApprovalDecision, ApprovalRequest, Decision, NoAnswerReason, PlanDecision, PlanRequest, QuestionAnswer,
    QuestionOption, QuestionPrompt, QuestionRequest, QuestionResponse,
};
use agent_domain::grant::{GrantScope, canonical_json};
use agent_domain::ids::AskId;
use agent_domain::limits::MAX_OPEN_ASKS;
use agent_domain::tool::{Payload, ToolDetail};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use super::tools;
use super::wire::{ControlRequest, part};

/// Told to the model when a step is denied without a reason.
const DENIED: &str = "The user does not want this step. Go on without it.";
/// Told to the model when a question is declined.
const DECLINED: &str = "The user does not want to answer this question. Go on without the answer.";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Approval,
    Plan,
    Question,
}

#[derive(Debug)]
struct OpenAsk {
    kind: Kind,
    input: Box<RawValue>,
}

/// Open requests by id.
#[derive(Debug, Default)]
pub(super) struct Asks {
    open: BTreeMap<AskId, OpenAsk>,
}

impl Asks {
    /// Takes a `can_use_tool` request. `Err`: the line that refuses it at once.
    pub(super) fn opened(
        &mut self,
        id: &str,
        request: &ControlRequest<'_>,
        plan: Option<String>,
    ) -> Result<Ask, Vec<u8>> {
        if self.open.len() >= MAX_OPEN_ASKS {
            return Err(deny(id, no_answer(NoAnswerReason::TooMany), false));
        }
        let ask = AskId::new(id);
        let tool = request.tool_name.as_deref().unwrap_or_default();
        let input = request.input.map_or("{}", RawValue::get);
        let (kind, what) = match tool {
            "AskUserQuestion" => match questions(&ask, input) {
                Some(questions) => (Kind::Question, AskKind::Question(questions)),
                None => (
                    Kind::Approval,
                    AskKind::Approval(approval(&ask, tool, input, request)),
                ),
            },
            "ExitPlanMode" => (Kind::Plan, AskKind::Plan(plan_request(&ask, input, plan))),
            _ => (
                Kind::Approval,
                AskKind::Approval(approval(&ask, tool, input, request)),
            ),
        };
        let kept = request.input.map_or_else(empty_object, ToOwned::to_owned);
        self.open.insert(ask.clone(), OpenAsk { kind, input: kept });
        Ok(Ask { id: ask, kind: what })
    }

    /// The CLI took a request back. True: it was open.
    pub(super) fn cancelled(&mut self, id: &AskId) -> bool {
        self.open.remove(id).is_some()
    }

    /// All that are open, forgotten.
    pub(super) fn drain(&mut self) -> Vec<AskId> {
        std::mem::take(&mut self.open).into_keys().collect()
    }

    /// The line that answers an open request.
    pub(super) fn answer(&mut self, id: &AskId, decision: Decision) -> Result<Vec<u8>, AdapterError> {
        let open = self
            .open
            .get(id)
            .ok_or_else(|| AdapterError::UnknownAsk { id: id.clone() })?;
        let wrong = |expected| AdapterError::WrongAnswer {
            id: id.clone(),
            expected,
        };
        let line = match (open.kind, decision) {
            (_, Decision::NoAnswer(reason)) => deny(id.as_str(), no_answer(reason), false),
            (Kind::Approval, Decision::Approval(decision)) => approved(id, &open.input, decision)?,
            (Kind::Plan, Decision::Plan(PlanDecision::Approve)) => allow(id.as_str(), open.input.get()),
            (Kind::Plan, Decision::Plan(PlanDecision::AskForChanges { feedback })) => {
                deny(id.as_str(), &feedback, false)
            }
            (Kind::Question, Decision::Question(QuestionResponse::Declined)) => {
                deny(id.as_str(), DECLINED, false)
            }
            (Kind::Question, Decision::Question(QuestionResponse::Answered { answer })) => {
                allow(id.as_str(), &answered(&open.input, &answer))
            }
            (Kind::Approval, _) => return Err(wrong("an approval decision")),
            (Kind::Plan, _) => return Err(wrong("a plan decision")),
            (Kind::Question, _) => return Err(wrong("answers or a refusal to answer")),
        };
        self.open.remove(id);
        Ok(line)
    }
}

fn approved(id: &AskId, input: &RawValue, decision: ApprovalDecision) -> Result<Vec<u8>, AdapterError> {
    let reason = |reason: Option<String>| reason.filter(|text| !text.trim().is_empty());
    Ok(match decision {
        // A remembered scope is a grant of ours: the CLI is never told to widen anything by itself.
        ApprovalDecision::Allow | ApprovalDecision::AllowForSession => allow(id.as_str(), input.get()),
        ApprovalDecision::AllowEdited { input } => {
            if serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(&input).is_err() {
                return Err(AdapterError::WrongAnswer {
                    id: id.clone(),
                    expected: "arguments as a JSON object",
                });
            }
            allow(id.as_str(), &input)
        }
        ApprovalDecision::Deny { reason: given } => {
            deny(id.as_str(), reason(given).as_deref().unwrap_or(DENIED), false)
        }
        ApprovalDecision::DenyAndStop { reason: given } => {
            deny(id.as_str(), reason(given).as_deref().unwrap_or(DENIED), true)
        }
    })
}

/// `input` goes out as the very text that it is.
fn allow(id: &str, input: &str) -> Vec<u8> {
    let id = json!(id);
    format!(
        r#"{{"type":"control_response","response":{{"subtype":"success","request_id":{id},"response":{{"behavior":"allow","updatedInput":{input}}}}}}}"#
    )
    .into_bytes()
}

fn deny(id: &str, message: &str, interrupt: bool) -> Vec<u8> {
    let mut answer = json!({"behavior": "deny", "message": message});
    if interrupt {
        answer["interrupt"] = json!(true);
    }
    json!({"type": "control_response",
           "response": {"subtype": "success", "request_id": id, "response": answer}})
    .to_string()
    .into_bytes()
}

/// The line that refuses a request which nobody here knows.
pub(super) fn unknown_request(id: &str, subtype: &str) -> Vec<u8> {
    json!({"type": "control_response",
           "response": {"subtype": "error", "request_id": id, "error": format!("unsupported request: {subtype}")}})
    .to_string()
    .into_bytes()
}

fn no_answer(reason: NoAnswerReason) -> &'static str {
    match reason {
        NoAnswerReason::Expired => "No answer: nobody answered in time. This is not a refusal by the user.",
        NoAnswerReason::Nobody => "No answer: nobody is there to answer. This is not a refusal by the user.",
        NoAnswerReason::TooMany => {
            "No answer: too many requests were open. This is not a refusal by the user."
        }
    }
}

fn approval(id: &AskId, tool: &str, input: &str, request: &ControlRequest<'_>) -> ApprovalRequest {
    let detail = tools::detail(tool, input);
    ApprovalRequest {
        id: id.clone(),
        tool_name: tool.to_owned(),
        tool_call_id: request.tool_use_id.as_deref().map(str::to_owned),
        input: Payload::whole(input),
        description: request.description.as_deref().map(str::to_owned),
        blocked_path: request.blocked_path.as_deref().map(str::to_owned),
        agent_id: request.agent_id.as_deref().map(str::to_owned),
        mcp_server: server_name(request.mcp_server, &detail),
        scope: scope(tool, input, &detail),
        editable: true,
        detail,
    }
}

fn server_name(named: Option<&RawValue>, detail: &ToolDetail) -> Option<String> {
    let told = part::<String>(named).or_else(|| {
        let value: serde_json::Value = part(named)?;
        value.get("name")?.as_str().map(str::to_owned)
    });
    told.or_else(|| match detail {
        ToolDetail::Mcp { server, .. } => Some(server.clone()),
        _ => None,
    })
}

/// What *allow for session* would remember: these very arguments, without the model's words about them.
fn scope(tool: &str, input: &str, detail: &ToolDetail) -> Option<GrantScope> {
    let value: serde_json::Value = serde_json::from_str(input).ok()?;
    let shown = match detail {
        ToolDetail::Command { .. } => "this exact command",
        ToolDetail::Write { .. } => "writing exactly this content to this file",
        ToolDetail::Edit { .. } => "exactly this edit",
        ToolDetail::Fetch { .. } => "this exact address",
        _ => "exactly these arguments",
    };
    Some(GrantScope {
        tool: tool.to_owned(),
        key: canonical_json(&value, &["description"]),
        shown: shown.to_owned(),
    })
}

fn plan_request(id: &AskId, input: &str, sent: Option<String>) -> PlanRequest {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Plan {
        plan: Option<String>,
        #[serde(rename = "planFilePath", alias = "filePath")]
        path: Option<String>,
    }
    let read: Plan = serde_json::from_str(input).unwrap_or_default();
    PlanRequest {
        id: id.clone(),
        plan: Payload::whole(read.plan.or(sent).unwrap_or_default()),
        path: read.path,
    }
}

#[derive(Deserialize)]
struct Questions {
    questions: Vec<NativeQuestion>,
}

#[derive(Deserialize)]
struct NativeQuestion {
    question: String,
    #[serde(default)]
    header: Option<String>,
    #[serde(default)]
    options: Vec<NativeOption>,
    #[serde(default, rename = "multiSelect")]
    multi_select: bool,
}

#[derive(Deserialize)]
struct NativeOption {
    label: String,
    #[serde(default)]
    description: Option<String>,
}

fn questions(id: &AskId, input: &str) -> Option<QuestionRequest> {
    let native: Questions = serde_json::from_str(input).ok()?;
    let prompts = native.questions.into_iter().map(|question| QuestionPrompt {
        key: question.question.clone(),
        header: question.header,
        question: question.question,
        options: question
            .options
            .into_iter()
            .map(|option| QuestionOption {
                label: option.label,
                description: option.description,
            })
            .collect(),
        multi_select: question.multi_select,
        free_text: true,
    });
    Some(QuestionRequest {
        id: id.clone(),
        prompts: prompts.collect(),
        native: Payload::whole(input),
    })
}

/// The questions with `answers` beside them, by question text; several labels are joined.
fn answered(input: &RawValue, answer: &QuestionAnswer) -> String {
    let mut value: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(input.get()).unwrap_or_default();
    let answers: serde_json::Map<String, serde_json::Value> = answer
        .answers
        .iter()
        .map(|(key, labels)| (key.clone(), json!(labels.join(", "))))
        .collect();
    value.insert("answers".into(), answers.into());
    serde_json::Value::Object(value).to_string()
}

fn empty_object() -> Box<RawValue> {
    // `{}` is JSON; the default of a raw value is `null`, which is JSON as well.
    RawValue::from_string("{}".into()).unwrap_or_default()
}
