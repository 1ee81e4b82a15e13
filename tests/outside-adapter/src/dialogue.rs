//! What the parrot says, as steps of a turn.

use std::collections::BTreeMap;

use agent_runtime::{
    AdapterError, ApprovalDecision, ApprovalRequest, Ask, AskId, AskKind, ClosedBy, Control, ControlError,
    Decision, DeliveryState, Dialogue, Exit, Frame, MessageId, Payload, ProviderFailure,
    ProviderProcessErrorKind, Step, ToolDetail, TurnEnd, TurnEvent, TurnFacts, TurnInput,
};
use serde_json::{Value, json};

/// Tool name of what it wants to run.
pub const TOOL: &str = "Run";

/// One connection.
#[derive(Debug, Default)]
pub struct ParrotDialogue {
    facts: TurnFacts,
    /// What each open ask would run, as it was shown.
    open: BTreeMap<AskId, String>,
    ended: bool,
}

impl ParrotDialogue {
    fn read(&mut self, line: &[u8]) -> Option<Step> {
        let frame: Value = serde_json::from_slice(line).ok()?;
        let text = |name: &str| frame[name].as_str().map(str::to_owned);
        if let Some(session_id) = text("session") {
            self.facts.accepted = true;
            self.facts.session_id = Some(session_id.clone());
            return Some(Step::event(TurnEvent::SessionStarted {
                session_id,
                title: None,
                model: None,
                cwd: None,
            }));
        }
        if let Some(text) = text("text") {
            return Some(Step::event(TurnEvent::TextDelta {
                message_id: MessageId::from("m"),
                block: 0,
                text,
                task_id: None,
            }));
        }
        if let (Some(id), Some(command)) = (text("ask"), text("run")) {
            return Some(self.asks(AskId::new(id), command));
        }
        if let Some(text) = text("done") {
            let structured = None;
            return Some(self.end(TurnEnd::Completed { text, structured }));
        }
        let message = text("failed")?;
        Some(self.fail(message))
    }

    fn asks(&mut self, id: AskId, command: String) -> Step {
        self.open.insert(id.clone(), command.clone());
        let request = ApprovalRequest {
            id: id.clone(),
            tool_name: TOOL.into(),
            tool_call_id: None,
            input: Payload::whole(json!({ "run": command }).to_string()),
            detail: ToolDetail::Command {
                command,
                background: false,
            },
            description: None,
            blocked_path: None,
            agent_id: None,
            mcp_server: None,
            scope: None,
            editable: false,
        };
        Step {
            asks: vec![Ask {
                id,
                kind: AskKind::Approval(request),
            }],
            ..Step::default()
        }
    }

    fn end(&mut self, end: TurnEnd) -> Step {
        self.ended = true;
        let closed = std::mem::take(&mut self.open)
            .into_keys()
            .map(|id| (id, ClosedBy::Agent))
            .collect();
        Step {
            closed,
            done: Some(end),
            ..Step::default()
        }
    }

    fn fail(&mut self, message: String) -> Step {
        let delivery = if self.facts.accepted {
            DeliveryState::Accepted
        } else {
            DeliveryState::PossiblySent
        };
        self.end(TurnEnd::Failed(ProviderFailure {
            kind: ProviderProcessErrorKind::Unknown,
            message,
            code: None,
            retry_at: None,
            delivery,
        }))
    }
}

fn line(value: &Value) -> Step {
    Step::line(value.to_string().into_bytes())
}

impl Dialogue for ParrotDialogue {
    fn begin(&mut self, input: &TurnInput) -> Result<Step, AdapterError> {
        *self = Self::default();
        Ok(line(&json!({ "prompt": input.request.prompt })))
    }

    fn frame(&mut self, frame: Frame<'_>) -> Step {
        let read = match frame {
            Frame::Line(text) => self.read(text),
            _ => None,
        };
        read.unwrap_or_else(|| {
            self.facts.unparsed += 1;
            Step::default()
        })
    }

    fn answer(&mut self, id: &AskId, decision: Decision) -> Result<Step, AdapterError> {
        let allow = match decision {
            Decision::Approval(decision) => {
                matches!(
                    decision,
                    ApprovalDecision::Allow | ApprovalDecision::AllowForSession
                )
            }
            // Silence is no permission.
            Decision::NoAnswer(_) => false,
            _ => {
                return Err(AdapterError::WrongAnswer {
                    id: id.clone(),
                    expected: "an approval",
                });
            }
        };
        match self.open.remove(id) {
            Some(_) => Ok(line(&json!({ "answer": id, "allow": allow }))),
            None => Err(AdapterError::UnknownAsk { id: id.clone() }),
        }
    }

    fn control(&mut self, _: Control) -> Result<Step, ControlError> {
        Err(ControlError::Unsupported {
            what: "be controlled",
        })
    }

    fn close(&mut self, exit: &Exit) -> Step {
        if self.ended {
            return Step::default();
        }
        self.fail(format!("It flew away. {}", exit.stderr_tail).trim().to_owned())
    }

    fn facts(&self) -> TurnFacts {
        self.facts.clone()
    }
}
