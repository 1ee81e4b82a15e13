//! Requests that we send while the process lives, and the answers to them.

use agent_domain::{
    CommandInfo, Control, ControlError, PermissionMode, Receipt, ReceiptState, Step, TurnEvent, Write,
};
use serde::Deserialize;
use uuid::Uuid;

use super::capabilities::native_mode;
use super::dialogue::ClaudeDialogue;
use super::launch::INIT_REQUEST;
use super::prompt;
use super::reading::{json, part};
use super::wire::{Account, ControlResponse, Initialized, Line};

/// Most handed-over inputs that are followed in one turn.
const MAX_STEERED: usize = 256;

/// An input that was handed over while a turn runs.
#[derive(Debug)]
pub(super) struct Steered {
    /// The caller's id.
    id: String,
    /// The id on the wire.
    uuid: String,
    state: SteerState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SteerState {
    Sent,
    Queued,
    Settled,
}

/// The answer to `set_model`.
#[derive(Debug, Deserialize)]
struct Chosen {
    model: String,
}

impl ClaudeDialogue {
    pub(super) fn carry_out(&mut self, control: Control) -> Result<Step, ControlError> {
        let unsupported = |what| Err(ControlError::Unsupported { what });
        match control {
            Control::Interrupt if !self.running => Err(ControlError::Idle),
            Control::Interrupt => {
                self.interrupting = true;
                Ok(self.request("int", r#""subtype":"interrupt""#))
            }
            Control::SetMode(PermissionMode::FullAccess) => {
                unsupported("switch to full access while it runs")
            }
            Control::SetMode(PermissionMode::ReadOnly) => unsupported("switch to read-only while it runs"),
            Control::SetMode(mode) => match native_mode(&mode) {
                // `manual` is a word of the command line only.
                Some(native) => {
                    let native = if native == "manual" { "default" } else { native };
                    Ok(self.request(
                        "mode",
                        &format!(r#""subtype":"set_permission_mode","mode":{}"#, json(native)),
                    ))
                }
                None => unsupported("hold this permission mode"),
            },
            Control::SetModel(model) => Ok(self.request(
                "model",
                &format!(r#""subtype":"set_model","model":{}"#, json(&model)),
            )),
            Control::Steer { .. } if !self.running => Err(ControlError::Idle),
            Control::Steer { id, text } => self.steer(id, &text),
            Control::CancelQueued(id) => {
                let Some(steered) = self.steered.iter().find(|steered| steered.id == id) else {
                    return Err(ControlError::Unsupported {
                        what: "take back an input that it was not given",
                    });
                };
                let uuid = json(&steered.uuid);
                Ok(self.request(
                    "cancel",
                    &format!(r#""subtype":"cancel_async_message","message_uuid":{uuid}"#),
                ))
            }
            Control::SetEffort(_) => unsupported("change the effort while it runs"),
            Control::Release => self.hand_over(),
            Control::StopTask(id) => match self.tasks.native_of(&id) {
                Some(native) => {
                    let native = json(native);
                    Ok(self.request("stop", &format!(r#""subtype":"stop_task","task_id":{native}"#)))
                }
                None => unsupported("end a task that does not work"),
            },
        }
    }

    fn request(&mut self, name: &str, body: &str) -> Step {
        let (_, write) = self.numbered(name, body);
        Step {
            writes: vec![write],
            ..Step::default()
        }
    }

    /// A request with an id that no other of this connection has.
    pub(super) fn numbered(&mut self, name: &str, body: &str) -> (String, Write) {
        self.requests += 1;
        let id = format!("{name}-{}", self.requests);
        let line = format!(r#"{{"type":"control_request","request_id":"{id}","request":{{{body}}}}}"#);
        (id, Write::Line(line.into_bytes()))
    }

    fn steer(&mut self, id: String, text: &str) -> Result<Step, ControlError> {
        if self.steered.len() >= MAX_STEERED {
            return Err(ControlError::Unsupported {
                what: "take more input in this turn",
            });
        }
        let uuid = match Uuid::try_parse(&id) {
            Ok(_) => id.clone(),
            Err(_) => Uuid::new_v4().to_string(),
        };
        let line = prompt::text_line(Some(&uuid), text);
        self.steered.push(Steered {
            id,
            uuid,
            state: SteerState::Sent,
        });
        Ok(Step::line(line))
    }

    /// Whether an input still waits for its own run after this result.
    pub(super) fn input_waits(&self) -> bool {
        self.steered
            .iter()
            .any(|steered| steered.state != SteerState::Settled)
    }

    /// What became of a handed-over line.
    pub(super) fn lifecycle(&mut self, line: &Line<'_>, step: &mut Step) {
        let state = line.state.as_deref().unwrap_or_default();
        self.accepted |= matches!(state, "started" | "completed");
        let found = self
            .steered
            .iter_mut()
            .find(|steered| Some(&steered.uuid) == line.command_uuid.as_ref());
        let Some(steered) = found.filter(|steered| steered.state != SteerState::Settled) else {
            return;
        };
        let (next, told) = match state {
            "queued" => (SteerState::Queued, ReceiptState::Accepted),
            "started" | "completed" => (SteerState::Settled, ReceiptState::Read),
            "cancelled" => (SteerState::Settled, ReceiptState::Refused),
            _ => return,
        };
        if state == "started" {
            // It runs as a turn of its own, whose result is the one that counts.
            self.rest.run_begins();
        }
        steered.state = next;
        step.receipts.push(Receipt {
            id: steered.id.clone(),
            state: told,
        });
        // The last one may have been taken back: nothing more will run.
        self.release(step);
    }

    /// The answer to one of our requests.
    pub(super) fn response(&mut self, line: &Line<'_>, step: &mut Step) {
        let Some(answer) = part::<ControlResponse<'_>>(line.response) else {
            return;
        };
        let id = answer.request_id.as_deref().unwrap_or_default();
        let failed = answer.subtype.as_deref() == Some("error");
        if self.adoption_answer(id, failed, step) {
            return;
        }
        if failed {
            if id.starts_with("int-") {
                self.interrupting = false;
            }
            let why = answer.error.unwrap_or_else(|| "it did not say why".to_owned());
            step.events.push(TurnEvent::Warning {
                code: "control_refused".to_owned(),
                message: format!("The CLI refused a request ({id}): {why}"),
            });
        } else if id == INIT_REQUEST {
            let initialized: Initialized = part(answer.response).unwrap_or_default();
            self.initialized(initialized, &mut step.events);
        } else if id.starts_with("model-") {
            // The next `init` names it too, but that comes with the next turn only (2.1.332).
            if let Some(chosen) = part::<Chosen>(answer.response) {
                self.asked_model.clone_from(&chosen.model);
                self.model_is(chosen.model, &mut step.events);
            }
        }
    }

    fn initialized(&mut self, initialized: Initialized, events: &mut Vec<TurnEvent>) {
        let commands: Vec<CommandInfo> = initialized
            .commands
            .unwrap_or_default()
            .into_iter()
            .map(|command| CommandInfo {
                name: command.name,
                description: command.description.filter(|text| !text.is_empty()),
                argument_hint: command.argument_hint.filter(|text| !text.is_empty()),
            })
            .collect();
        self.commands(commands, events);
        if let Some((source, label)) = initialized.account.and_then(paid_by) {
            self.payer(&source, label, events);
        }
    }
}

/// Who pays: a key wins over a subscription, as it does in the CLI.
pub(super) fn paid_by(account: Account) -> Option<(String, Option<String>)> {
    let named = |text: Option<String>| text.filter(|text| !text.is_empty() && text != "none");
    if let Some(source) = named(account.api_key_source) {
        return Some(("api_key".to_owned(), Some(source)));
    }
    if let Some(plan) = named(account.subscription_type) {
        return Some(("subscription".to_owned(), Some(plan)));
    }
    named(account.token_source).map(|source| (source, None))
}
