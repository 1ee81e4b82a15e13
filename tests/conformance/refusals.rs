//! What cannot be held is refused before anything runs.

use std::sync::Arc;

use agent_runtime::{
    DeliveryState, PermissionMode, ProviderProcessErrorKind, RequestError, RuntimeError, SessionChoice,
    TurnRequest,
};
use paddock_tests::processes::{is_root, marked};
use paddock_tests::real::Real;

use crate::allows;

/// The request is refused with this kind of error, and no process was started for it.
async fn refused(real: &Real, request: TurnRequest, unsupported: bool) {
    let shown = format!("{request:?}");
    let (result, heard) = real.run(request, &allows()).await;
    let Err(RuntimeError::InvalidRequest(error)) = result else {
        panic!("{shown}: {result:?}");
    };
    assert_eq!(
        matches!(error, RequestError::Unsupported { .. }),
        unsupported,
        "{shown}: {error:?}"
    );
    assert!(heard.process().is_none() && heard.events().is_empty(), "{shown}");
    assert_eq!(marked(&real.mark), Vec::<String>::new());
    assert!(real.model.recorded().is_empty(), "{shown}");
}

#[tokio::test]
async fn what_claude_cannot_hold_is_refused_unsent() {
    let real = Real::start().await;
    let with = |change: &dyn Fn(&mut TurnRequest)| {
        let mut request = real.turn("text");
        change(&mut request);
        request
    };
    let mode = with(&|request| request.permission_mode = Some(PermissionMode::Custom("yolo".into())));
    refused(&real, mode, true).await;
    let option = with(&|request| drop(request.harness_options.insert("tier".into(), "fast".into())));
    refused(&real, option, true).await;
}

#[tokio::test]
async fn a_request_out_of_its_bounds_is_refused_unsent() {
    let real = Real::start().await;
    let with = |change: &dyn Fn(&mut TurnRequest)| {
        let mut request = real.turn("text");
        change(&mut request);
        request
    };
    let no_uuid = with(&|request| request.session = SessionChoice::Assigned { id: "mine".into() });
    refused(&real, no_uuid, false).await;
    let option = with(&|request| {
        request.session = SessionChoice::Resume {
            id: "--version".into(),
        }
    });
    refused(&real, option, false).await;
    refused(&real, with(&|request| request.prompt = " \n".into()), false).await;
    refused(
        &real,
        with(&|request| request.prompt = "x".repeat(256 * 1024 + 1)),
        false,
    )
    .await;
    refused(&real, with(&|request| request.schema = Some("[1]".into())), false).await;
}

#[tokio::test]
async fn a_folder_that_does_not_exist_is_named() {
    let real = Real::start().await;
    let mut request = real.turn("text");
    request.working_directory = real.file("nowhere");
    let (result, heard) = real.run(request, &allows()).await;
    let error = result.unwrap_err();
    assert_eq!(
        (error.kind(), error.delivery()),
        ("working_directory_not_found", DeliveryState::NotSent)
    );
    assert!(heard.process().is_none());
}

#[tokio::test]
async fn full_access_runs_unasked_and_as_root_is_a_typed_failure() {
    let real = Real::start().await;
    let mut request = real.turn("bash");
    request.permission_mode = Some(PermissionMode::FullAccess);
    let person = allows();
    let (result, _) = real.run(request, &Arc::clone(&person)).await;
    assert!(person.approvals_asked().is_empty());
    if !is_root() {
        result.unwrap();
        assert!(real.file("made-by-bash.txt").exists());
        return;
    }
    let Err(RuntimeError::ProcessFailed { failure, .. }) = result else {
        panic!("{result:?}");
    };
    assert_eq!(
        (failure.kind, failure.delivery),
        (ProviderProcessErrorKind::Permission, DeliveryState::NotSent)
    );
    assert!(!real.file("made-by-bash.txt").exists());
}
