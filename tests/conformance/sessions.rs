//! New, chosen, resumed and forked sessions.

use agent_runtime::{DeliveryState, ProviderProcessErrorKind, RuntimeError, SessionChoice};
use paddock_tests::real::Real;

use crate::allows;

#[tokio::test]
async fn a_resumed_session_knows_what_was_said() {
    let real = Real::start().await;
    let mut first = real.turn("text");
    first.prompt = "[[text]] remember 9137".into();
    let (result, _) = real.run(first, &allows()).await;
    let id = result.unwrap().session_id.unwrap();
    real.model.clear_recorded();
    let mut second = real.turn("text");
    second.session = SessionChoice::Resume { id: id.clone() };
    let (result, _) = real.run(second, &allows()).await;
    assert_eq!(result.unwrap().session_id.unwrap(), id);
    assert!(real.told().contains("remember 9137"));
}

#[tokio::test]
async fn a_fork_knows_it_too_and_has_an_id_of_its_own() {
    let real = Real::start().await;
    let mut first = real.turn("text");
    first.prompt = "[[text]] remember 9138".into();
    let (result, _) = real.run(first, &allows()).await;
    let id = result.unwrap().session_id.unwrap();
    real.model.clear_recorded();
    let mut second = real.turn("text");
    second.session = SessionChoice::Fork { id: id.clone() };
    let (result, _) = real.run(second, &allows()).await;
    assert_ne!(result.unwrap().session_id.unwrap(), id);
    assert!(real.told().contains("remember 9138"));
}

#[tokio::test]
async fn a_chosen_id_is_kept_and_not_given_twice() {
    let real = Real::start().await;
    let id = uuid::Uuid::new_v4().to_string();
    let mut first = real.turn("text");
    first.session = SessionChoice::Assigned { id: id.clone() };
    let (result, _) = real.run(first, &allows()).await;
    assert_eq!(result.unwrap().session_id.as_deref(), Some(id.as_str()));
    let mut again = real.turn("text");
    again.session = SessionChoice::Assigned { id };
    let (result, _) = real.run(again, &allows()).await;
    let Err(RuntimeError::ProcessFailed { failure, .. }) = result else {
        panic!("{result:?}");
    };
    assert_eq!(
        (failure.kind, failure.delivery),
        (ProviderProcessErrorKind::Session, DeliveryState::NotSent)
    );
}

#[tokio::test]
async fn a_session_that_does_not_exist_is_named_as_such() {
    let real = Real::start().await;
    let mut request = real.turn("text");
    request.session = SessionChoice::Resume {
        id: uuid::Uuid::new_v4().to_string(),
    };
    let (result, _) = real.run(request, &allows()).await;
    let Err(RuntimeError::ProcessFailed { failure, .. }) = result else {
        panic!("{result:?}");
    };
    assert_eq!(failure.kind, ProviderProcessErrorKind::Session, "{failure:?}");
    assert_eq!(failure.delivery, DeliveryState::NotSent, "{failure:?}");
}
