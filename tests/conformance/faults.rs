//! What goes wrong at the provider, as a typed failure.

use std::time::Duration;

use agent_runtime::{
    DeliveryState, MessageId, ProviderFailure, ProviderProcessErrorKind as Kind, RuntimeError, TurnEvent,
};
use paddock_tests::processes::marked;
use paddock_tests::real::Real;

use crate::allows;

async fn failure(script: &str) -> ProviderFailure {
    let real = Real::start().await;
    let mut request = real.turn(script);
    request.deadline = Some(Duration::from_secs(60));
    let (result, _) = real.run(request, &allows()).await;
    let Err(RuntimeError::ProcessFailed { failure, .. }) = result else {
        panic!("{script}: {result:?}");
    };
    assert_eq!(marked(&real.mark), Vec::<String>::new());
    *failure
}

macro_rules! faults {
    ($($name:ident: $script:literal => $kind:ident;)*) => {$(
        #[tokio::test]
        async fn $name() {
            let failure = failure($script).await;
            assert_eq!((failure.kind, failure.delivery), (Kind::$kind, DeliveryState::Accepted), "{failure:?}");
            assert!(!failure.message.trim().is_empty());
        }
    )*};
}

faults! {
    a_refused_key: "fault-401" => Authentication;
    an_unknown_model: "fault-404" => ModelAvailability;
    a_rate_limit: "fault-429" => RateLimit;
    an_inner_error: "fault-500" => Server;
    an_overload: "fault-529" => Server;
    no_credit: "fault-credit" => Billing;
    a_chat_too_long: "fault-too-long" => ContextLength;
    a_refusal: "refusal" => Refusal;
    a_connection_that_always_breaks: "fault-cut-always" => Network;
}

/// With a key of its own Claude Code 2.1.332 reads no quota headers: the kind is known, the time is not.
#[tokio::test]
async fn a_used_up_quota_is_a_limit() {
    let failure = failure("fault-quota").await;
    assert_eq!(
        (failure.kind, failure.delivery),
        (Kind::RateLimit, DeliveryState::Accepted),
        "{failure:?}"
    );
    assert!(failure.code.as_deref() == Some("429"), "{failure:?}");
}

#[tokio::test]
async fn a_limit_that_passes_is_retried_and_told() {
    let real = Real::start().await;
    let (result, heard) = real.run(real.turn("fault-429-retry-after"), &allows()).await;
    assert!(result.unwrap().text.contains("second try"));
    let told = |event: &TurnEvent| {
        matches!(
            event,
            TurnEvent::RetryScheduled {
                status: Some(429),
                ..
            }
        )
    };
    assert_eq!(heard.count(told), 1, "{:#?}", heard.events());
}

#[tokio::test]
async fn a_connection_that_breaks_once_leaves_one_answer() {
    let real = Real::start().await;
    let (result, heard) = real.run(real.turn("fault-cut-once"), &allows()).await;
    let text = result.unwrap().text;
    assert!(text.ends_with("here is its end."), "{text}");
    assert_eq!(heard.texts(), [text]);
    let events = heard.events();
    let streamed = events.iter().filter_map(|event| match event {
        TurnEvent::TextDelta { message_id, .. } => Some(message_id),
        _ => None,
    });
    let stands = |id: &MessageId| {
        events
            .iter()
            .any(|event| matches!(event, TurnEvent::MessageCompleted { id: done, .. } if done == id))
    };
    let withdrawn = |id: &MessageId| {
        events
            .iter()
            .any(|event| matches!(event, TurnEvent::TextWithdrawn { message_id } if message_id == id))
    };
    for id in streamed {
        assert!(
            stands(id) != withdrawn(id),
            "{id} either stands or was taken back: {events:#?}"
        );
    }
    let told = |event: &TurnEvent| matches!(event, TurnEvent::RetryScheduled { .. });
    assert!(heard.count(told) >= 1, "{events:#?}");
}

#[tokio::test]
async fn an_answer_that_never_comes_ends_at_the_deadline() {
    for script in ["fault-hang", "fault-stall"] {
        let real = Real::start().await;
        let mut request = real.turn(script);
        request.deadline = Some(Duration::from_secs(5));
        let (result, _) = real.run(request, &allows()).await;
        assert!(
            matches!(result, Err(RuntimeError::Timeout { .. })),
            "{script}: {result:?}"
        );
        assert_eq!(marked(&real.mark), Vec::<String>::new());
    }
}
