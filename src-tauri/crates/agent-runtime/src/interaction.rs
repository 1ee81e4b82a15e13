//! Who is asked when a harness wants to know.

use agent_domain::decision::{
    ApprovalDecision, ApprovalRequest, HostToolCall, HostToolResult, NoAnswerReason, PlanDecision,
    PlanRequest, QuestionRequest, QuestionResponse,
};
use async_trait::async_trait;

/// Answers a harness's requests. The turn goes on reading while it waits; every wait ends at the request's
/// interaction deadline with "nobody answered".
#[async_trait]
pub trait InteractionHandler: Send + Sync {
    /// May this step run?
    async fn approve(&self, request: ApprovalRequest) -> Result<ApprovalDecision, NoAnswerReason>;

    /// Is this plan good?
    async fn approve_plan(&self, request: PlanRequest) -> Result<PlanDecision, NoAnswerReason>;

    /// What is the answer?
    async fn answer(&self, request: QuestionRequest) -> Result<QuestionResponse, NoAnswerReason>;

    /// Runs a tool of the host. Hosts without tools keep the default.
    async fn host_tool(&self, call: HostToolCall) -> HostToolResult {
        HostToolResult {
            text: format!("there is no tool {}", call.name),
            is_error: true,
        }
    }
}

/// Denies every step and declines every question.
#[derive(Debug, Clone, Copy, Default)]
pub struct DenyAll;

#[async_trait]
impl InteractionHandler for DenyAll {
    async fn approve(&self, _: ApprovalRequest) -> Result<ApprovalDecision, NoAnswerReason> {
        Ok(ApprovalDecision::Deny { reason: None })
    }

    async fn approve_plan(&self, _: PlanRequest) -> Result<PlanDecision, NoAnswerReason> {
        Err(NoAnswerReason::Nobody)
    }

    async fn answer(&self, _: QuestionRequest) -> Result<QuestionResponse, NoAnswerReason> {
        Ok(QuestionResponse::Declined)
    }
}
