//! The host on temporary data folders with the real CLI on the practice model.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests")]

mod background;
mod canaries;
mod context;
mod ends;
mod kept;
mod processes;
mod prompts;
mod receipts;
mod trust;
mod turns;

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use agent_domain::{
    ApprovalDecision, DeliveryState, PermissionMode, PlanDecision, QuestionAnswer, QuestionResponse,
    TurnEvent, TurnStatus,
};
use paddock_host::api::{
    ChatEvent, Decision, DecisionAnswer, DecisionRequest, DecisionState, Endpoint, NewChat, SendOutcome,
    StoredEvent, Subscription,
};
use paddock_host::practice::TOUR_PROMPT;
use paddock_host::{Host, HostOptions};
use paddock_tests::app::{App, LOOK_PAUSE, covered, in_own_process, own_folder, without_gap};
use paddock_tests::processes::{GONE_BOUND, gone, marked, present};
use paddock_tests::real::harness_folder;

fn yes(decision: &Decision) -> DecisionAnswer {
    match &decision.request {
        DecisionRequest::Approval { .. } => approval(ApprovalDecision::Allow),
        DecisionRequest::Plan { .. } => DecisionAnswer::Plan {
            answer: PlanDecision::Approve,
        },
        DecisionRequest::Question { request } => {
            let answer = request
                .prompts
                .iter()
                .fold(QuestionAnswer::default(), |answer, prompt| {
                    answer.and(
                        prompt.key.clone(),
                        prompt.options.first().map(|option| option.label.clone()),
                    )
                });
            DecisionAnswer::Question {
                answer: QuestionResponse::Answered { answer },
            }
        }
    }
}

fn approval(answer: ApprovalDecision) -> DecisionAnswer {
    DecisionAnswer::Approval { answer }
}

fn prompts(events: &[StoredEvent]) -> Vec<String> {
    let text = |event: &StoredEvent| match &event.body {
        ChatEvent::Prompt { text, .. } => Some(text.clone()),
        _ => None,
    };
    events.iter().filter_map(text).collect()
}
