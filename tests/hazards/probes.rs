//! Hazard 12: questions to an installed CLI have an end of standard input and a bound.

use std::path::Path;
use std::time::Duration;

use agent_runtime::{HarnessAuthenticationStatus, HarnessStatus, ProviderProbeContext};
use paddock_tests::processes;
use paddock_tests::turns::{Standin, committed};

use crate::standin;

/// The longest bound of a probe on this computer is 15 s; a little more for a busy one.
const PROBES_BOUND: Duration = Duration::from_secs(20);

fn context(cli: &Standin, script: &str) -> ProviderProbeContext {
    ProviderProbeContext {
        working_directory: Some(Path::new("/").to_owned()),
        plain_environment: cli.environment(&committed(script)).into_iter().collect(),
        ..ProviderProbeContext::default()
    }
}

#[tokio::test]
async fn h12_standard_input_of_probes_is_at_its_end() {
    let cli = standin();
    let claude = "claude".into();
    let ready = cli
        .runtime
        .readiness(&claude, &context(&cli, "probe_version"))
        .await
        .unwrap();
    assert_eq!(ready.status, HarnessStatus::Ready, "{ready:?}");
    let signed_in = cli
        .runtime
        .authentication(&claude, &context(&cli, "probe_signed_in"))
        .await
        .unwrap();
    assert_eq!(
        signed_in.status,
        HarnessAuthenticationStatus::Authenticated,
        "{signed_in:?}"
    );
}

#[tokio::test]
async fn h12_probes_that_hang_end_at_their_bound_and_say_so() {
    let cli = standin();
    let (claude, context) = ("claude".into(), context(&cli, "probe_hangs"));
    let probes = async {
        tokio::join!(
            cli.runtime.readiness(&claude, &context),
            cli.runtime.authentication(&claude, &context),
            cli.runtime.catalog(&claude, &context),
        )
    };
    let (ready, signed_in, catalog) = tokio::time::timeout(PROBES_BOUND, probes)
        .await
        .expect("every probe ends");
    let (ready, signed_in) = (ready.unwrap(), signed_in.unwrap());
    assert_eq!(ready.status, HarnessStatus::Unavailable);
    let said = ready.error.expect("an error").to_string();
    assert!(said.contains("10 s"), "{said}");
    assert_eq!(
        signed_in.status,
        HarnessAuthenticationStatus::Unavailable,
        "never “signed out”"
    );
    let reason = signed_in.reason.expect("a reason");
    assert!(reason.contains("did not answer within"), "{reason}");
    let catalog = catalog.unwrap().unwrap_err();
    assert!(catalog.message.contains("15 s"), "{catalog:?}");
    assert_eq!(processes::marked(&cli.mark), Vec::<String>::new());
}
