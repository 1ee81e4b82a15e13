//! Readiness, sign-in and catalogue of the real CLI.

use agent_runtime::providers::Claude;
use agent_runtime::{
    AccountUsageReport, AgentRuntime, HarnessAuthenticationStatus, HarnessStatus, VersionStanding,
};
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

#[tokio::test]
async fn a_key_has_no_plan_and_that_is_no_zero() {
    let real = Real::start().await;
    let report = real
        .runtime
        .fetch_account_usage_with(&"claude".into(), &real.probe(true))
        .await
        .unwrap();
    let AccountUsageReport::Unavailable { reason, retryable } = report else {
        panic!("{report:?}");
    };
    assert!(reason.contains("API key") && !retryable, "{reason}");
    assert!(real.model.recorded().is_empty(), "no model was asked");
    assert_eq!(marked(&real.mark), Vec::<String>::new());
}

/// What a subscription's sign-in leaves in the CLI's own folder. Nothing of it is valid, and nothing here can reach the
/// provider: so the plan is known and its limits are not.
#[tokio::test]
async fn a_plan_whose_limits_cannot_be_asked_may_be_asked_again() {
    let real = Real::start().await;
    let context = real.probe(false);
    let config = std::path::PathBuf::from(&context.plain_environment["CLAUDE_CONFIG_DIR"]);
    let until = 4_102_444_800_000_u64;
    let sign_in = serde_json::json!({"claudeAiOauth": {
        "accessToken": "sk-ant-oat01-not-real", "refreshToken": "sk-ant-ort01-not-real", "expiresAt": until,
        "scopes": ["user:inference", "user:profile"], "subscriptionType": "max", "rateLimitTier": "default_claude_max_5x"}});
    std::fs::write(config.join(".credentials.json"), sign_in.to_string()).unwrap();
    let report = real
        .runtime
        .fetch_account_usage_with(&"claude".into(), &context)
        .await
        .unwrap();
    assert!(
        matches!(report, AccountUsageReport::Unavailable { retryable: true, .. }),
        "{report:?}"
    );
}

#[tokio::test]
async fn discovery_tells_sign_in_and_models_beside_the_version() {
    let real = Real::start().await;
    let found = real.runtime.discover_harnesses_with(&real.probe(true)).await;
    let [claude] = found.harnesses.as_slice() else {
        panic!("{found:?}");
    };
    let signed_in = claude.authentication.as_ref().unwrap();
    assert_eq!(signed_in.status, HarnessAuthenticationStatus::Authenticated);
    assert!(claude.models.iter().any(|model| model.is_default));
    assert!(claude.permissions.live_approvals && claude.catalog_error.is_none());
    let gone = AgentRuntime::builder()
        .adapter(Claude::at("/no/such/program"))
        .transport_from_arc(paddock_tests::turns::transport(&real.workspace))
        .build()
        .unwrap();
    let missing = gone.discover_harnesses_with(&real.probe(true)).await;
    assert_ne!(missing.harnesses[0].status, HarnessStatus::Ready);
    assert!(missing.harnesses[0].authentication.is_none());
}
