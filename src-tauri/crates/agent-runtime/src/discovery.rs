//! Everything that is known of every harness, each asked beside the others and failing alone.

use std::sync::Arc;

use agent_domain::AgentAdapter;
use agent_domain::harness::HarnessStatus;
use agent_exec::transport::ExecutionTransport;
use tokio::task::JoinSet;

use crate::probe::{self, HarnessInventory, HarnessReadiness, ProviderProbeContext};

/// Asks all of them. One that panics is missing from the inventory, with a word in the log.
pub(crate) async fn discover(
    adapters: impl Iterator<Item = &Arc<dyn AgentAdapter>>,
    transport: &Arc<dyn ExecutionTransport>,
    context: &ProviderProbeContext,
) -> HarnessInventory {
    let mut asked = JoinSet::new();
    for adapter in adapters {
        let (adapter, transport, context) = (Arc::clone(adapter), Arc::clone(transport), context.clone());
        asked.spawn(async move { one(adapter.as_ref(), transport.as_ref(), &context).await });
    }
    let mut harnesses = Vec::new();
    while let Some(answer) = asked.join_next().await {
        match answer {
            Ok(found) => harnesses.push(found),
            Err(error) => tracing::error!(%error, "a harness could not be asked"),
        }
    }
    harnesses.sort_by(|a, b| a.provider.cmp(&b.provider));
    HarnessInventory { harnesses }
}

async fn one(
    adapter: &dyn AgentAdapter,
    transport: &dyn ExecutionTransport,
    context: &ProviderProbeContext,
) -> HarnessReadiness {
    let mut found = probe::readiness(adapter, transport, context).await;
    if found.status != HarnessStatus::Ready {
        return found;
    }
    let (authentication, catalog) = tokio::join!(
        probe::authentication(adapter, transport, context),
        probe::catalog(adapter, transport, context)
    );
    found.authentication = Some(authentication);
    match catalog {
        Ok(Some(catalog)) => {
            found.models = catalog.models;
            found.control_groups = catalog.control_groups;
        }
        Ok(None) => {}
        Err(error) => found.catalog_error = Some(error),
    }
    found
}
