//! Stop, deadline and sinks that fail: a turn always ends, and nothing of it lives.

use std::sync::Arc;
use std::time::{Duration, Instant};

use agent_runtime::{DeliveryState, EventSink, RuntimeError, SinkError, TransportProcessHandle, TurnEvent};
use async_trait::async_trait;
use paddock_tests::processes::{GONE_BOUND, marked, present};
use paddock_tests::turns::{Heard, Person};

use crate::standin;

#[tokio::test]
async fn stop_in_an_endless_flood() {
    let cli = standin();
    let heard = Heard::new();
    let request = cli.turn("flood_forever");
    let stop = request.cancellation.clone();
    let turn = cli
        .runtime
        .run(request, Arc::clone(&heard) as _, Arc::new(Person::allows()));
    let stopping = async {
        heard
            .wait(|event| matches!(event, TurnEvent::TextDelta { .. }))
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
    assert_eq!(marked(&cli.mark), Vec::<String>::new());
}

#[tokio::test]
async fn stop_with_a_sink_that_never_returns() {
    let cli = standin();
    let heard = Heard::stuck(5);
    let request = cli.turn("flood_forever");
    let stop = request.cancellation.clone();
    let turn = cli
        .runtime
        .run(request, Arc::clone(&heard) as _, Arc::new(Person::allows()));
    let stopping = async {
        present(&cli.mark, 2).await;
        while heard.events().len() <= 5 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
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
    assert_eq!(marked(&cli.mark), Vec::<String>::new());
}

#[tokio::test]
async fn a_confirmed_interrupt_ends_at_once_and_keeps_the_session() {
    let cli = standin();
    let heard = Heard::new();
    let request = cli.turn("interrupt_confirmed");
    let stop = request.cancellation.clone();
    let turn = cli
        .runtime
        .run(request, Arc::clone(&heard) as _, Arc::new(Person::allows()));
    let stopping = async {
        heard
            .wait(|event| matches!(event, TurnEvent::MessageCompleted { .. }))
            .await;
        let asked = Instant::now();
        stop.cancel();
        asked
    };
    let (result, asked) = tokio::join!(turn, stopping);
    let Err(RuntimeError::Cancelled { delivery, session_id }) = result else {
        panic!("{result:?}");
    };
    assert_eq!(
        (delivery, session_id.as_deref()),
        (DeliveryState::Accepted, Some("5e55-0001"))
    );
    assert!(
        asked.elapsed() < Duration::from_millis(1_500),
        "no settle time is waited out: {:?}",
        asked.elapsed()
    );
    assert_eq!(marked(&cli.mark), Vec::<String>::new());
}

#[tokio::test]
async fn the_deadline_ends_the_tree() {
    let cli = standin();
    let mut request = cli.turn("silence");
    request.deadline = Some(Duration::from_millis(700));
    let begun = Instant::now();
    let (result, _) = cli.run(request).await;
    assert!(
        matches!(
            result,
            Err(RuntimeError::Timeout {
                delivery: DeliveryState::Accepted
            })
        ),
        "{result:?}"
    );
    assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
    assert_eq!(marked(&cli.mark), Vec::<String>::new());
}

#[tokio::test]
async fn the_deadline_holds_with_a_sink_that_never_returns() {
    let cli = standin();
    let heard = Heard::stuck(5);
    let mut request = cli.turn("flood_forever");
    request.deadline = Some(Duration::from_millis(700));
    let begun = Instant::now();
    let result = cli
        .runtime
        .run(request, Arc::clone(&heard) as _, Arc::new(Person::allows()))
        .await;
    assert!(matches!(result, Err(RuntimeError::Timeout { .. })), "{result:?}");
    assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
    assert_eq!(marked(&cli.mark), Vec::<String>::new());
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
        paddock_tests::processes::gone(&cli.mark, GONE_BOUND)
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn stop_before_the_start_starts_nothing() {
    let cli = standin();
    let request = cli.turn("done");
    request.cancellation.cancel();
    let (result, heard) = cli.run(request).await;
    assert!(
        matches!(
            result,
            Err(RuntimeError::Cancelled {
                delivery: DeliveryState::NotSent,
                ..
            })
        ),
        "{result:?}"
    );
    assert!(heard.process().is_none());
}
