//! Answers of a turn without a window: by rule, or on the terminal.

use std::io::{BufRead, Write};

use agent_domain::decision::{
    ApprovalDecision, ApprovalRequest, NoAnswerReason, PlanDecision, PlanRequest, QuestionAnswer,
    QuestionRequest, QuestionResponse,
};
use agent_domain::grant::{Grant, GrantBook};
use agent_domain::tool::ToolDetail;
use agent_runtime::InteractionHandler;
use async_trait::async_trait;
use clap::ValueEnum;

use super::TurnOptions;
use crate::host::now;

/// The rule for approvals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Decide {
    /// Not this step; the turn goes on.
    Deny,
    /// Each step once.
    Allow,
    /// Each step, and the same one again.
    AllowForSession,
    /// Ask on the terminal.
    Ask,
}

/// Answers by the rule.
pub(super) struct Decider {
    rule: Decide,
    deny_reason: Option<String>,
    answer: Option<String>,
    harness: String,
    grants: GrantBook,
}

impl Decider {
    /// A rule with its texts; what it allows for the session goes into the turn's grants.
    pub(super) fn new(options: &TurnOptions, grants: GrantBook) -> Self {
        Self {
            rule: options.decide,
            deny_reason: options.deny_reason.clone(),
            answer: options.answer.clone(),
            harness: options.harness.clone(),
            grants,
        }
    }

    fn deny(&self) -> ApprovalDecision {
        ApprovalDecision::Deny {
            reason: self.deny_reason.clone(),
        }
    }

    fn allow_for_session(&self, request: &ApprovalRequest) -> ApprovalDecision {
        if let Some(scope) = request.scope.clone() {
            let id = uuid::Uuid::new_v4().to_string();
            self.grants.remember(Grant {
                id,
                harness: self.harness.clone(),
                scope,
                granted_at: now(),
                until: None,
            });
        }
        ApprovalDecision::AllowForSession
    }
}

/// Puts a question to the terminal and reads one line. `None`: the terminal is gone.
async fn ask(text: String) -> Option<String> {
    let asked = tokio::task::spawn_blocking(move || {
        let mut terminal = std::io::stderr().lock();
        write!(terminal, "{text} ").and_then(|()| terminal.flush()).ok()?;
        // Whoever ends meanwhile must be able to say so.
        drop(terminal);
        let mut line = String::new();
        let read = std::io::stdin().lock().read_line(&mut line).ok()?;
        (read > 0).then(|| line.trim().to_owned())
    });
    asked.await.ok().flatten()
}

/// What a step would do, with control characters made visible.
fn shown(request: &ApprovalRequest) -> String {
    let text = match &request.detail {
        ToolDetail::Command { command, .. } => command,
        _ => &request.input.text,
    };
    let mut visible = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() && c != '\n' {
            visible.extend(c.escape_debug());
        } else {
            visible.push(c);
        }
    }
    format!("{}\n{visible}\n", request.tool_name)
}

#[async_trait]
impl InteractionHandler for Decider {
    async fn approve(&self, request: ApprovalRequest) -> Result<ApprovalDecision, NoAnswerReason> {
        match self.rule {
            Decide::Deny => Ok(self.deny()),
            Decide::Allow => Ok(ApprovalDecision::Allow),
            Decide::AllowForSession => Ok(self.allow_for_session(&request)),
            Decide::Ask => {
                let line = ask(format!(
                    "{}[a]llow once, allow for [s]ession, [d]eny?",
                    shown(&request)
                ))
                .await;
                match line.as_deref() {
                    None => Err(NoAnswerReason::Nobody),
                    Some("a") => Ok(ApprovalDecision::Allow),
                    Some("s") => Ok(self.allow_for_session(&request)),
                    Some(_) => Ok(self.deny()),
                }
            }
        }
    }

    async fn approve_plan(&self, request: PlanRequest) -> Result<PlanDecision, NoAnswerReason> {
        let changes = |text: &str| PlanDecision::AskForChanges {
            feedback: text.to_owned(),
        };
        match self.rule {
            Decide::Allow | Decide::AllowForSession => Ok(PlanDecision::Approve),
            Decide::Deny => Ok(changes(
                self.deny_reason
                    .as_deref()
                    .unwrap_or("The plan was not approved."),
            )),
            Decide::Ask => match ask(format!("{}\napprove? [y/N]", request.plan.text))
                .await
                .as_deref()
            {
                None => Err(NoAnswerReason::Nobody),
                Some("y") => Ok(PlanDecision::Approve),
                Some(text) => Ok(changes(text)),
            },
        }
    }

    async fn answer(&self, request: QuestionRequest) -> Result<QuestionResponse, NoAnswerReason> {
        let mut answer = QuestionAnswer::default();
        for prompt in &request.prompts {
            let text = match (&self.answer, self.rule) {
                (Some(text), _) => Some(text.clone()),
                (None, Decide::Ask) => {
                    let options: Vec<&str> = prompt
                        .options
                        .iter()
                        .map(|option| option.label.as_str())
                        .collect();
                    ask(format!("{} ({})", prompt.question, options.join(", "))).await
                }
                (None, _) => return Ok(QuestionResponse::Declined),
            };
            match text.filter(|text| !text.is_empty()) {
                Some(text) => answer = answer.and(prompt.key.clone(), [text]),
                None => return Ok(QuestionResponse::Declined),
            }
        }
        Ok(QuestionResponse::Answered { answer })
    }
}
