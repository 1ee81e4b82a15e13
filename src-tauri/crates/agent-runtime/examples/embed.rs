//! A harness inside another program: `cargo run -p agent-runtime --example embed -- "Tidy the README"`.
//! Text streams, every step that changes something is asked at the terminal, a step that is not allowed tells the model.
#![allow(clippy::print_stdout, reason = "a program for the terminal")]

use agent_runtime::{AgentRuntime, ApprovalDecision, InteractionBroker, TurnEvent, TurnRequest, sink};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let prompt = std::env::args().nth(1).ok_or("say what to do")?;
    let request = TurnRequest::new("claude".into(), std::env::current_dir()?, prompt);
    let (runtime, person) = (AgentRuntime::builder().build()?, InteractionBroker::new());
    let (events, mut received) = sink::channel();
    let turn = runtime.run(request, events, std::sync::Arc::new(person.clone()));
    let terminal = async move {
        while let Some(event) = received.recv().await {
            match event {
                TurnEvent::TextDelta { text, .. } => print!("{text}"),
                TurnEvent::QuestionRequested(ask) => person.decline_question(&ask.id)?,
                TurnEvent::ApprovalRequested(ask) => {
                    println!("\n{} {}\nAllow? [y/N]", ask.tool_name, ask.input.text);
                    let allowed = std::io::stdin().lines().next().transpose()?.as_deref() == Some("y");
                    let deny = ApprovalDecision::Deny { reason: None };
                    person.resolve_approval(&ask.id, if allowed { ApprovalDecision::Allow } else { deny })?;
                }
                _ => {}
            }
        }
        Ok::<_, Box<dyn std::error::Error>>(())
    };
    let (result, shown) = tokio::join!(turn, terminal);
    println!("\n{:?}", result?.usage);
    shown
}
