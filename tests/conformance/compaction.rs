//! Automatic compaction at a threshold that the request sets.

use std::time::Duration;

use agent_runtime::{
    AutoCompactionPolicy, CompactionTrigger, Retention, SessionChoice, TurnEvent, TurnRequest,
};
use paddock_tests::real::Real;

use crate::allows;

fn with(real: &Real, script: &str, policy: AutoCompactionPolicy, session: SessionChoice) -> TurnRequest {
    let mut request = real.turn(script);
    request.auto_compaction = policy;
    request.session = session;
    request
}

/// Compactions in the last of some turns, of which the one before says that its context holds 96,000 tokens. A
/// conversation of fewer turns is not compacted (2.1.332).
async fn compactions(policy: AutoCompactionPolicy) -> (usize, usize) {
    let real = Real::start().await.keep(Retention {
        max_processes: 1,
        idle: Duration::from_secs(300),
    });
    let mut session = SessionChoice::New;
    for script in ["text", "text", "text", "full"] {
        let request = with(&real, script, policy, session);
        let (result, _) = real.run(request, &allows()).await;
        session = SessionChoice::Resume {
            id: result.unwrap().session_id.unwrap(),
        };
    }
    let last = with(&real, "text", policy, session);
    let (result, heard) = real.run(last, &allows()).await;
    let text = result.unwrap().text;
    assert!(text.starts_with("Hello from the practice model."), "{text}");
    let automatic = CompactionTrigger::Automatic;
    let started = |event: &TurnEvent| matches!(event, TurnEvent::CompactionStarted { .. });
    let completed = |event: &TurnEvent| matches!(event, TurnEvent::CompactionCompleted { trigger, .. } if *trigger == automatic);
    (heard.count(started), heard.count(completed))
}

#[tokio::test]
async fn a_context_over_the_threshold_is_compacted_once() {
    let threshold = AutoCompactionPolicy::Threshold { tokens: 100_000 };
    assert_eq!(compactions(threshold).await, (1, 1));
}

#[tokio::test]
async fn below_the_threshold_nothing_is_compacted() {
    let threshold = AutoCompactionPolicy::Threshold { tokens: 900_000 };
    assert_eq!(compactions(threshold).await, (0, 0));
    assert_eq!(compactions(AutoCompactionPolicy::Automatic).await, (0, 0));
}
