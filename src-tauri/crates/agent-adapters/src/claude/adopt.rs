//! An idle process is made ready for another turn: changed settings, then a sign of life.

use agent_domain::{ADOPTION, LaunchKey, Receipt, ReceiptState, Step};

use super::dialogue::ClaudeDialogue;
use super::launch::{MODE_SETTING, MODEL_SETTING};
use super::reading::json;

/// Name of the requests in an adoption.
const NAME: &str = "adopt";

/// An adoption that waits for its answers.
#[derive(Debug, Default)]
pub(super) struct Adoption {
    open: Vec<String>,
    refused: bool,
    native_mode: String,
    model: String,
}

impl ClaudeDialogue {
    pub(super) fn begin_adoption(&mut self, key: &LaunchKey) -> Option<Step> {
        if self.running || self.adoption.is_some() {
            return None;
        }
        let setting = |name: &str| key.settings.get(name).cloned().unwrap_or_default();
        let (native_mode, model) = (setting(MODE_SETTING), setting(MODEL_SETTING));
        let mut bodies = Vec::new();
        if native_mode != self.native_mode {
            // `manual` is a word of the command line only.
            let native = if native_mode == "manual" {
                "default"
            } else {
                &native_mode
            };
            bodies.push(format!(
                r#""subtype":"set_permission_mode","mode":{}"#,
                json(native)
            ));
        }
        if model != self.asked_model {
            bodies.push(format!(r#""subtype":"set_model","model":{}"#, json(&model)));
        }
        // Answered from its own state, without the network (2.1.332).
        bodies.push(r#""subtype":"mcp_status""#.to_owned());
        let mut adoption = Adoption {
            native_mode,
            model,
            ..Adoption::default()
        };
        let mut step = Step::default();
        for body in bodies {
            let (id, write) = self.numbered(NAME, &body);
            adoption.open.push(id);
            step.writes.push(write);
        }
        self.adoption = Some(adoption);
        Some(step)
    }

    /// True when the answer belongs to an adoption.
    pub(super) fn adoption_answer(&mut self, id: &str, failed: bool, step: &mut Step) -> bool {
        let Some(adoption) = &mut self.adoption else {
            return false;
        };
        let Some(place) = adoption.open.iter().position(|open| open == id) else {
            return false;
        };
        adoption.open.swap_remove(place);
        adoption.refused |= failed;
        if !adoption.open.is_empty() {
            return true;
        }
        let adoption = self.adoption.take().unwrap_or_default();
        let state = if adoption.refused {
            ReceiptState::Refused
        } else {
            self.native_mode = adoption.native_mode;
            self.asked_model = adoption.model;
            ReceiptState::Accepted
        };
        step.receipts.push(Receipt {
            id: ADOPTION.to_owned(),
            state,
        });
        true
    }
}
