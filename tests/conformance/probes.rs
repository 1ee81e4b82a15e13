//! Readiness, sign-in and catalogue of the real CLI.

use agent_runtime::{HarnessAuthenticationStatus, HarnessStatus, VersionStanding};
use paddock_tests::processes::marked;
use paddock_tests::real::Real;

#[tokio::test]
async fn the_pinned_version_is_the_tested_one() {
    let real = Real::start().await;
    let ready = real
        .runtime
        .readiness(&"claude".into(), &real.probe(true))
        .await
        .unwrap();
    assert_eq!(ready.status, HarnessStatus::Ready, "{ready:?}");
    assert_eq!(
        ready.standing,
        Some(VersionStanding::Verified),
        "{:?}",
        ready.version
    );
}

#[tokio::test]
async fn sign_in_is_what_the_program_says() {
    let real = Real::start().await;
    let claude = "claude".into();
    let with_key = real
        .runtime
        .authentication(&claude, &real.probe(true))
        .await
        .unwrap();
    assert_eq!(
        with_key.status,
        HarnessAuthenticationStatus::Authenticated,
        "{with_key:?}"
    );
    let without = real
        .runtime
        .authentication(&claude, &real.probe(false))
        .await
        .unwrap();
    assert_eq!(
        without.status,
        HarnessAuthenticationStatus::Required,
        "{without:?}"
    );
    assert!(!format!("{with_key:?}").contains(real.model.token()));
    assert_eq!(marked(&real.mark), Vec::<String>::new());
}

#[tokio::test]
async fn the_catalogue_comes_without_a_turn() {
    let real = Real::start().await;
    let catalog = real
        .runtime
        .catalog(&"claude".into(), &real.probe(true))
        .await
        .unwrap();
    let catalog = catalog.unwrap().expect("claude can be asked");
    assert!(catalog.models.len() >= 2, "{catalog:?}");
    assert_eq!(catalog.models.iter().filter(|model| model.is_default).count(), 1);
    assert!(catalog.models.iter().any(|model| !model.efforts.is_empty()));
    assert!(real.model.recorded().is_empty(), "no model was asked");
    assert_eq!(marked(&real.mark), Vec::<String>::new());
}
