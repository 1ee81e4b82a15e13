//! Stop, deadline and drop, with the processes that a real CLI starts.

use std::sync::Arc;
use std::time::{Duration, Instant};

use agent_runtime::{InteractionBroker, RuntimeError, ToolStatus, TurnEvent, TurnRequest};
use paddock_tests::processes::{GONE_BOUND, gone, marked, present};
use paddock_tests::real::Real;
use paddock_tests::turns::Heard;

use crate::allows;

fn text(event: &TurnEvent) -> bool {
    matches!(event, TurnEvent::TextDelta { .. })
}

/// Runs, stops at the first such event (and when so many processes live), and looks for what is left.
async fn stopped(real: &Real, request: TurnRequest, at: fn(&TurnEvent) -> bool, living: usize) -> Arc<Heard> {
    let heard = Heard::new();
    let stop = request.cancellation.clone();
    let turn = real.runtime.run(request, Arc::clone(&heard) as _, allows());
    let stopping = async {
        heard.wait(at).await;
        present(&real.mark, living).await;
        let asked = Instant::now();
        stop.cancel();
        asked
    };
    let (result, asked) = tokio::join!(turn, stopping);
    let took = asked.elapsed();
    let Err(RuntimeError::Cancelled { session_id, .. }) = result else {
        panic!("{result:?}");
    };
    assert!(session_id.is_some(), "it can be resumed");
    assert!(took < GONE_BOUND, "{took:?}");
    assert_eq!(marked(&real.mark), Vec::<String>::new());
    heard
}

#[tokio::test]
async fn stop_in_a_text() {
    let real = Real::start().await;
    stopped(&real, real.turn("slow"), text, 1).await;
}

#[tokio::test]
async fn stop_in_an_endless_text() {
    let real = Real::start().await;
    stopped(&real, real.turn("flood"), text, 1).await;
}

#[tokio::test]
async fn stop_in_a_command_with_children() {
    let real = Real::start().await;
    let running = |event: &TurnEvent| matches!(event, TurnEvent::DecisionClosed { .. });
    let heard = stopped(&real, real.turn("sleep"), running, 4).await;
    let cut =
        |event: &TurnEvent| matches!(event, TurnEvent::ToolCall(call) if call.status > ToolStatus::Started);
    assert_eq!(heard.count(cut), 1, "the call does not stay open");
}

#[tokio::test]
async fn stop_in_a_question() {
    let real = Real::start().await;
    let heard = Heard::new();
    let request = real.turn("question");
    let stop = request.cancellation.clone();
    let turn = real.runtime.run(
        request,
        Arc::clone(&heard) as _,
        Arc::new(InteractionBroker::new()),
    );
    let stopping = async {
        heard
            .wait(|event| matches!(event, TurnEvent::QuestionRequested(_)))
            .await;
        let asked = Instant::now();
        stop.cancel();
        asked
    };
    let (result, asked) = tokio::join!(turn, stopping);
    assert!(
        matches!(result, Err(RuntimeError::Cancelled { .. })),
        "{result:?}"
    );
    assert!(asked.elapsed() < GONE_BOUND, "{:?}", asked.elapsed());
    assert_eq!(marked(&real.mark), Vec::<String>::new());
    assert_eq!(
        heard.count(|event| matches!(event, TurnEvent::DecisionClosed { .. })),
        1
    );
}

#[tokio::test]
async fn the_deadline_ends_everything() {
    let real = Real::start().await;
    let mut request = real.turn("sleep");
    request.deadline = Some(Duration::from_secs(6));
    let (result, _) = real.run(request, &allows()).await;
    assert!(matches!(result, Err(RuntimeError::Timeout { .. })), "{result:?}");
    assert_eq!(marked(&real.mark), Vec::<String>::new());
}

#[tokio::test]
async fn dropping_the_future_ends_everything() {
    let real = Real::start().await;
    let heard = Heard::new();
    {
        let turn = real
            .runtime
            .run(real.turn("sleep"), Arc::clone(&heard) as _, allows());
        tokio::select! {
            result = turn => panic!("it cannot end: {result:?}"),
            _ = present(&real.mark, 4) => {}
        }
    }
    gone(&real.mark, GONE_BOUND).await.unwrap();
}
