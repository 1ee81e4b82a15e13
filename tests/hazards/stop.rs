//! Stop, deadline and sinks that fail: a turn always ends, and nothing of it lives.

use std::sync::Arc;
use std::time::Duration;

use agent_runtime::{DeliveryState, EventSink, RuntimeError, SinkError, TransportProcessHandle, TurnEvent};
use async_trait::async_trait;
use paddock_tests::processes::{GONE_BOUND, gone, present};
use paddock_tests::turns::{Heard, Person};

use crate::{Played, run, standin};

/// Time for an end without waiting for the harness to settle, which would take 2 s.
const AT_ONCE: Duration = Duration::from_millis(1_500);

#[tokio::test]
async fn stop_in_an_endless_flood() {
    let played = Played::new();
    let ready = played
        .heard
        .wait(|event| matches!(event, TurnEvent::TextDelta { .. }));
    let error = played
        .stopped(played.cli.turn("flood_forever"), GONE_BOUND, ready)
        .await;
    assert!(matches!(error, RuntimeError::Cancelled { .. }), "{error:?}");
}

#[tokio::test]
async fn stop_with_a_sink_that_never_returns() {
    let played = Played::heard_by(Heard::stuck(5));
    let ready = async {
        present(&played.cli.mark, 2).await;
        while played.heard.events().len() <= 5 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let error = played
        .stopped(played.cli.turn("flood_forever"), GONE_BOUND, ready)
        .await;
    assert!(matches!(error, RuntimeError::Cancelled { .. }), "{error:?}");
}

#[tokio::test]
async fn a_confirmed_interrupt_ends_at_once_and_keeps_the_session() {
    let played = Played::new();
    let ready = played
        .heard
        .wait(|event| matches!(event, TurnEvent::MessageCompleted { .. }));
    let error = played
        .stopped(played.cli.turn("interrupt_confirmed"), AT_ONCE, ready)
        .await;
    let RuntimeError::Cancelled { delivery, session_id } = error else {
        panic!("{error:?}");
    };
    assert_eq!(
        (delivery, session_id.as_deref()),
        (DeliveryState::Accepted, Some("5e55-0001"))
    );
}

#[tokio::test]
async fn the_deadline_ends_the_tree() {
    let played = Played::new();
    let error = played.timed_out(played.cli.turn("silence")).await;
    let delivery = DeliveryState::Accepted;
    assert!(
        matches!(&error, RuntimeError::Timeout { delivery: said } if *said == delivery),
        "{error:?}"
    );
}

#[tokio::test]
async fn the_deadline_holds_with_a_sink_that_never_returns() {
    let played = Played::heard_by(Heard::stuck(5));
    let error = played.timed_out(played.cli.turn("flood_forever")).await;
    assert!(matches!(error, RuntimeError::Timeout { .. }), "{error:?}");
}

/// Refuses events, or the start.
struct Refuses {
    start: bool,
}

#[async_trait]
impl EventSink for Refuses {
    async fn emit(&self, _: TurnEvent) -> Result<(), SinkError> {
        Err(SinkError("the disk is full".into()))
    }

    async fn process_started(&self, _: &TransportProcessHandle) -> Result<(), SinkError> {
        match self.start {
            true => Err(SinkError("the disk is full".into())),
            false => Ok(()),
        }
    }
}

#[tokio::test]
async fn a_sink_that_refuses_ends_the_turn_and_its_tree() {
    for start in [false, true] {
        let cli = standin();
        let request = cli.turn("grandchildren_hang");
        let result = cli
            .runtime
            .run(request, Arc::new(Refuses { start }), Arc::new(Person::allows()))
            .await;
        assert!(matches!(result, Err(RuntimeError::EventSink(_))), "{result:?}");
        gone(&cli.mark, GONE_BOUND).await.unwrap();
    }
}

#[tokio::test]
async fn stop_before_the_start_starts_nothing() {
    let cli = standin();
    let request = cli.turn("done");
    request.cancellation.cancel();
    let (result, heard) = run(&cli, request).await;
    let delivery = DeliveryState::NotSent;
    assert!(
        matches!(&result, Err(RuntimeError::Cancelled { delivery: said, .. }) if *said == delivery),
        "{result:?}"
    );
    assert!(heard.process().is_none());
}
