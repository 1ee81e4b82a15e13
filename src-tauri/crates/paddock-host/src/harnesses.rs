//! Harness cards: what is known, filled in as probes end, two at a time.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};

use agent_domain::HarnessId;
use agent_domain::harness::{HarnessStatus, VersionStanding};
use agent_domain::usage::{AccountUsage, AccountUsageReport};
use agent_runtime::exec::transport::lookup::{ExecutableState, FoundExecutable};
use agent_runtime::{AgentRuntime, HarnessReadiness, ProviderProbeContext};
use tokio::sync::Semaphore;

use crate::api::{Endpoint, FeedItem, HarnessCard, HarnessCopy, HostError};
use crate::convert;
use crate::host::{Host, now};

/// Probes at once.
pub const PROBES: usize = 2;

/// The cards by harness.
pub(crate) struct Harnesses {
    cards: Mutex<BTreeMap<String, HarnessCard>>,
    slots: Semaphore,
}

impl Harnesses {
    pub(crate) fn new(runtime: &AgentRuntime) -> Self {
        let known = runtime.providers();
        let cards = known
            .iter()
            .filter_map(|id| blank(runtime, id))
            .map(|card| (card.id.clone(), card));
        Self {
            cards: Mutex::new(cards.collect()),
            slots: Semaphore::new(PROBES),
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, HarnessCard>> {
        self.cards.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

fn blank(runtime: &AgentRuntime, id: &HarnessId) -> Option<HarnessCard> {
    let identity = runtime.identity(id).ok()?;
    let can = runtime.capabilities(id).ok()?;
    Some(HarnessCard {
        id: id.to_string(),
        name: identity.name.into(),
        vendor: identity.vendor.into(),
        checking_since: None,
        status: None,
        summary: "Not looked for yet.".into(),
        copies: Vec::new(),
        looked_in: Vec::new(),
        version: None,
        standing: None,
        verified_version: identity.verified_version.into(),
        authentication: None,
        authentication_at: None,
        account_usage: None,
        account_usage_at: None,
        models: Vec::new(),
        models_error: None,
        modes: can.permissions.modes,
        capabilities: can.turn,
        limitations: can.limitations,
        install: identity.install.iter().map(|word| (*word).to_owned()).collect(),
        homepage: identity.homepage.into(),
    })
}

impl Host {
    /// The cards as they are known; starts no process.
    pub fn harnesses(&self) -> Vec<HarnessCard> {
        self.inner.harnesses.lock().values().cloned().collect()
    }

    /// Probes every harness whose card is still blank, in the background.
    pub fn discover_in_background(&self) {
        let blank: Vec<String> = self
            .harnesses()
            .into_iter()
            .filter(|card| card.status.is_none())
            .map(|card| card.id)
            .collect();
        for id in blank {
            let host = self.clone();
            self.inner.tasks.spawn(async move {
                let probe = host.check_harness(&id);
                tokio::select! {
                    checked = probe => if let Err(error) = checked {
                        tracing::warn!(harness = %id, kind = %error.kind, "a harness could not be probed");
                    },
                    () = host.inner.closing.cancelled() => {}
                }
            });
        }
    }

    fn change_card(&self, id: &str, change: impl FnOnce(&mut HarnessCard)) -> Result<HarnessCard, HostError> {
        let card = {
            let mut cards = self.inner.harnesses.lock();
            let card = cards.get_mut(id).ok_or_else(|| HostError::not_found("harness"))?;
            change(card);
            card.clone()
        };
        self.inner.feed.publish(&FeedItem::Harness { card: card.clone() });
        Ok(card)
    }

    /// Looks for a harness again: copies, version, sign-in, models. Each part is bounded and fails alone.
    pub async fn check_harness(&self, id: &str) -> Result<HarnessCard, HostError> {
        self.change_card(id, |card| card.checking_since = Some(now()))?;
        // The semaphore is never closed.
        let _slot = self.inner.harnesses.slots.acquire().await.ok();
        let checked = self.probe(id).await;
        self.change_card(id, |card| card.checking_since = None)?;
        checked?;
        self.change_card(id, |_| ())
    }

    /// Asks for the quota of the account that a harness is signed in to. It asks the provider, so only on demand.
    pub async fn check_quota(&self, id: &str) -> Result<HarnessCard, HostError> {
        let context = self.probe_context(id).await?;
        // The semaphore is never closed.
        let _slot = self.inner.harnesses.slots.acquire().await.ok();
        let runtime = &self.inner.runtime;
        let report = runtime.fetch_account_usage_with(&id.into(), &context).await?;
        self.change_card(id, |card| {
            card.account_usage = Some(report);
            card.account_usage_at = Some(now());
        })
    }

    /// Keeps what a turn heard of its account's quota.
    pub(crate) fn quota_heard(&self, harness: &str, heard: &AccountUsage) {
        let kept = self.change_card(harness, |card| {
            card.account_usage = Some(merged(card.account_usage.take(), heard));
            card.account_usage_at = Some(now());
        });
        if let Err(error) = kept {
            tracing::warn!(kind = %error.kind, "a quota of an unknown harness was heard");
        }
    }

    async fn probe_context(&self, id: &str) -> Result<ProviderProbeContext, HostError> {
        let env = self.endpoint_environment(id, Endpoint::Account).await?;
        // Probes run in an empty folder of ours: nothing in it can make a harness run something.
        let folder = self.inner.data_dir.join("probe");
        std::fs::create_dir_all(&folder).map_err(|error| {
            HostError::new(
                "data_dir",
                error.to_string(),
                "Check the data folder's permissions.",
            )
        })?;
        Ok(ProviderProbeContext {
            working_directory: Some(folder),
            environment: env.secret,
            plain_environment: env.plain,
            environment_remove: env.remove,
        })
    }

    async fn probe(&self, id: &str) -> Result<(), HostError> {
        let harness = HarnessId::from(id);
        let context = self.probe_context(id).await?;
        let found = self.inner.runtime.readiness(&harness, &context).await?;
        let ready = found.status == HarnessStatus::Ready;
        self.change_card(id, |card| take_readiness(card, &found))?;
        if !ready {
            return Ok(());
        }
        let authentication = self.inner.runtime.authentication(&harness, &context).await?;
        self.change_card(id, |card| {
            card.authentication = Some(authentication);
            card.authentication_at = Some(now());
        })?;
        let catalog = self.inner.runtime.catalog(&harness, &context).await?;
        self.change_card(id, |card| match catalog {
            Ok(Some(catalog)) => {
                card.models = catalog.models;
                card.models_error = None;
            }
            Ok(None) => card.models_error = Some("This harness does not list its models.".into()),
            Err(error) => card.models_error = Some(error.message),
        })?;
        Ok(())
    }
}

fn take_readiness(card: &mut HarnessCard, found: &HarnessReadiness) {
    card.status = Some(found.status);
    card.version = found.version.clone();
    card.standing = found.standing;
    card.summary = summary(card, found);
    if let Some(search) = &found.search {
        card.copies = search.found.iter().map(copy).collect();
        card.looked_in = search
            .looked_in
            .iter()
            .map(|folder| folder.display().to_string())
            .collect();
    }
}

/// A turn hears of single windows: the others stand as they were told.
fn merged(before: Option<AccountUsageReport>, heard: &AccountUsage) -> AccountUsageReport {
    let mut usage = match before {
        Some(AccountUsageReport::Available { usage }) => usage,
        _ => AccountUsage {
            windows: Vec::new(),
            ..heard.clone()
        },
    };
    for window in &heard.windows {
        match usage.windows.iter_mut().find(|known| known.id == window.id) {
            Some(known) => known.clone_from(window),
            None => usage.windows.push(window.clone()),
        }
    }
    usage.plan = heard.plan.clone().or(usage.plan);
    usage.credits = heard.credits.clone().or(usage.credits);
    AccountUsageReport::Available { usage }
}

fn copy(found: &FoundExecutable) -> HarnessCopy {
    HarnessCopy {
        path: found.path.display().to_string(),
        kind: convert::word(&found.install).replace('_', " "),
        used: found.used,
        why: found.reason.clone(),
        problem: match &found.state {
            ExecutableState::Ready => None,
            ExecutableState::InterpreterMissing { interpreter } => {
                Some(format!("its `{interpreter}` was not found"))
            }
            ExecutableState::NotExecutable => Some("it may not be run".into()),
        },
    }
}

fn summary(card: &HarnessCard, found: &HarnessReadiness) -> String {
    let tested = &card.verified_version;
    let problem = found
        .search
        .as_ref()
        .and_then(|search| search.found.iter().find_map(|have| copy(have).problem));
    match (found.status, problem) {
        (HarnessStatus::NotInstalled, _) => format!("{} was not found.", card.name),
        (HarnessStatus::Ready, _) => match found.standing {
            Some(VersionStanding::Newer) => format!("Found; newer than the tested {tested}."),
            Some(VersionStanding::Older) => format!("Found; older than the tested {tested}."),
            _ => "Found; this version is tested.".into(),
        },
        (HarnessStatus::Incompatible, _) => "Found, but it cannot be driven here.".into(),
        (HarnessStatus::Unavailable, Some(problem)) => format!("Found, but {problem}."),
        (HarnessStatus::Unavailable, None) => match &found.error {
            Some(error) => format!("Found, but it did not answer: {error}."),
            None => "Found, but it did not tell its version.".into(),
        },
    }
}
