//! A harness inside another program: `cargo run -p agent-runtime --example embed -- "Tidy the README"`.
//! Text streams, every step that changes something is asked at the terminal, a step that is not allowed tells the model.
#![allow(clippy::print_stdout, reason = "a program for the terminal")]

use std::io::{Write, stdin, stdout};
use std::sync::Arc;

use agent_runtime::decision::NoAnswerReason;
use agent_runtime::{
    AgentRuntime, ApprovalDecision, ApprovalRequest, InteractionHandler, PlanDecision, PlanRequest,
    QuestionRequest, QuestionResponse, TurnEvent, TurnRequest, sink,
};

struct Terminal;

#[async_trait::async_trait]
impl InteractionHandler for Terminal {
    async fn approve(&self, request: ApprovalRequest) -> Result<ApprovalDecision, NoAnswerReason> {
        let question = format!("\n{} {}\nAllow? [y/N] ", request.tool_name, request.input.text);
        let allowed = tokio::task::spawn_blocking(move || said_yes(&question)).await;
        Ok(match allowed {
            Ok(true) => ApprovalDecision::Allow,
            _ => ApprovalDecision::Deny { reason: None },
        })
    }

    async fn approve_plan(&self, _: PlanRequest) -> Result<PlanDecision, NoAnswerReason> {
        Err(NoAnswerReason::Nobody)
    }

    async fn answer(&self, _: QuestionRequest) -> Result<QuestionResponse, NoAnswerReason> {
        Ok(QuestionResponse::Declined)
    }
}

fn said_yes(question: &str) -> bool {
    let mut answer = String::new();
    print!("{question}");
    stdout()
        .flush()
        .and_then(|()| stdin().read_line(&mut answer))
        .is_ok()
        && answer.trim() == "y"
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let prompt = std::env::args().nth(1).ok_or("say what to do")?;
    let runtime = AgentRuntime::builder().build()?;
    let (events, mut received) = sink::channel();
    let request = TurnRequest::new("claude".into(), std::env::current_dir()?, prompt);
    let turn = tokio::spawn(async move { runtime.run(request, events, Arc::new(Terminal)).await });
    while let Some(event) = received.recv().await {
        if let TurnEvent::TextDelta { text, .. } = event {
            print!("{text}");
            stdout().flush()?;
        }
    }
    println!("\n{:?}", turn.await??.usage);
    Ok(())
}
