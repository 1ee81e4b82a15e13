//! The facade: what can be asked about harnesses, and how a turn is run.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use agent_domain::harness::{HarnessAuthentication, HarnessCatalog};
use agent_domain::{
    AccountUsageReport, AdapterCapabilities, AdapterIdentity, AgentAdapter, ConfigurationImpact,
    FolderContent, HarnessId, LaunchContextCapabilities, PermissionSupport, TurnCapabilities, TurnRequest,
    TurnResult,
};
use agent_exec::transport::{DirectorySuggestions, ExecutionTransport};

use crate::builder::AgentRuntimeBuilder;
use crate::discovery;
use crate::error::RuntimeError;
use crate::folder;
use crate::interaction::InteractionHandler;
use crate::probe::{self, CatalogError, HarnessInventory, HarnessReadiness, ProviderProbeContext};
use crate::retained::{Retained, RetainedProcess};
use crate::sink::EventSink;
use crate::slots::Slots;
use crate::turn::{self, TurnControls};

pub(crate) struct Inner {
    pub(crate) adapters: BTreeMap<HarnessId, Arc<dyn AgentAdapter>>,
    pub(crate) slots: Slots,
    pub(crate) max_prompt: usize,
    pub(crate) max_line: usize,
    pub(crate) transport: Arc<dyn ExecutionTransport>,
    pub(crate) retained: Arc<Retained>,
}

/// Runs turns and answers questions about harnesses. Clones share adapters, limits and transport.
#[derive(Clone)]
pub struct AgentRuntime {
    inner: Arc<Inner>,
}

impl AgentRuntime {
    /// Starts with the adapters of this build and the library's limits.
    pub fn builder() -> AgentRuntimeBuilder {
        AgentRuntimeBuilder::default()
    }

    pub(crate) fn from_inner(inner: Inner) -> Self {
        Self {
            inner: Arc::new(inner),
        }
    }

    fn adapter(&self, provider: &HarnessId) -> Result<&Arc<dyn AgentAdapter>, RuntimeError> {
        self.inner
            .adapters
            .get(provider)
            .ok_or_else(|| RuntimeError::AdapterUnavailable {
                provider: provider.to_string(),
            })
    }

    /// The registered harnesses.
    pub fn providers(&self) -> Vec<HarnessId> {
        self.inner.adapters.keys().cloned().collect()
    }

    /// Names of a harness. Starts no process.
    pub fn identity(&self, provider: &HarnessId) -> Result<AdapterIdentity, RuntimeError> {
        Ok(self.adapter(provider)?.identity())
    }

    /// Everything that an adapter can do. Starts no process.
    pub fn capabilities(&self, provider: &HarnessId) -> Result<AdapterCapabilities, RuntimeError> {
        Ok(self.adapter(provider)?.capabilities())
    }

    /// Permission modes and live interactions. Starts no process.
    pub fn permission_support(&self, provider: &HarnessId) -> Result<PermissionSupport, RuntimeError> {
        Ok(self.capabilities(provider)?.permissions)
    }

    /// Fields of the launch context. Starts no process.
    pub fn launch_context_capabilities(
        &self,
        provider: &HarnessId,
    ) -> Result<LaunchContextCapabilities, RuntimeError> {
        Ok(self.capabilities(provider)?.launch_context)
    }

    /// Optional behaviours of a turn. Starts no process.
    pub fn turn_capabilities(&self, provider: &HarnessId) -> Result<TurnCapabilities, RuntimeError> {
        Ok(self.capabilities(provider)?.turn)
    }

    /// Where commands run.
    pub fn transport(&self) -> &Arc<dyn ExecutionTransport> {
        &self.inner.transport
    }

    /// Looks for the executable and asks for its version, within the bounds of [`probe`].
    pub async fn readiness(
        &self,
        provider: &HarnessId,
        context: &ProviderProbeContext,
    ) -> Result<HarnessReadiness, RuntimeError> {
        let adapter = self.adapter(provider)?;
        Ok(probe::readiness(adapter.as_ref(), self.inner.transport.as_ref(), context).await)
    }

    /// Asks whether a harness is signed in.
    pub async fn authentication(
        &self,
        provider: &HarnessId,
        context: &ProviderProbeContext,
    ) -> Result<HarnessAuthentication, RuntimeError> {
        let adapter = self.adapter(provider)?;
        Ok(probe::authentication(adapter.as_ref(), self.inner.transport.as_ref(), context).await)
    }

    /// Asks a harness for its models and options. `None`: it cannot be asked.
    pub async fn catalog(
        &self,
        provider: &HarnessId,
        context: &ProviderProbeContext,
    ) -> Result<Result<Option<HarnessCatalog>, CatalogError>, RuntimeError> {
        let adapter = self.adapter(provider)?;
        Ok(probe::catalog(adapter.as_ref(), self.inner.transport.as_ref(), context).await)
    }

    /// Looks for every registered harness and asks each, beside the others, for sign-in, models and options. The failure
    /// of one never fails the others; no turn starts.
    pub async fn discover_harnesses(&self) -> HarnessInventory {
        self.discover_harnesses_with(&ProviderProbeContext::default())
            .await
    }

    /// As [`Self::discover_harnesses`], in a folder and with an environment.
    pub async fn discover_harnesses_with(&self, context: &ProviderProbeContext) -> HarnessInventory {
        discovery::discover(self.inner.adapters.values(), &self.inner.transport, context).await
    }

    /// Asks a harness for the quota of the account that it is signed in to. It belongs to that account, not to a
    /// conversation.
    pub async fn fetch_account_usage(
        &self,
        provider: &HarnessId,
    ) -> Result<AccountUsageReport, RuntimeError> {
        self.fetch_account_usage_with(provider, &ProviderProbeContext::default())
            .await
    }

    /// As [`Self::fetch_account_usage`], in a folder and with an environment.
    pub async fn fetch_account_usage_with(
        &self,
        provider: &HarnessId,
        context: &ProviderProbeContext,
    ) -> Result<AccountUsageReport, RuntimeError> {
        let adapter = self.adapter(provider)?;
        Ok(probe::account_usage(adapter.as_ref(), self.inner.transport.as_ref(), context).await)
    }

    /// What a folder, and those above it, would make a harness run by itself. Starts nothing. `None`: not known of this
    /// harness.
    pub async fn folder_content(
        &self,
        provider: &HarnessId,
        folder: &Path,
    ) -> Result<Option<FolderContent>, RuntimeError> {
        match self.adapter(provider)?.folder() {
            None => Ok(None),
            Some(probe) => folder::content(probe, self.inner.transport.as_ref(), folder)
                .await
                .map(Some),
        }
    }

    /// Folders on the target that complete `input`; at most 50.
    pub async fn suggest_working_directories(
        &self,
        input: &str,
        limit: usize,
    ) -> Result<DirectorySuggestions, RuntimeError> {
        self.inner
            .transport
            .suggest_working_directories(input, limit)
            .await
            .map_err(RuntimeError::unsent)
    }

    /// Checks a request against bounds and capabilities, as [`Self::run`] does before anything runs.
    pub fn check(&self, request: &TurnRequest) -> Result<(), RuntimeError> {
        let adapter = self.adapter(&request.provider)?;
        turn::check(
            adapter.as_ref(),
            self.inner.transport.as_ref(),
            request,
            self.inner.max_prompt,
        )
    }

    /// What it takes to run `to` in the process that ran `from`, when that one was kept. Starts no process.
    pub fn configuration_impact(
        &self,
        from: &TurnRequest,
        to: &TurnRequest,
    ) -> Result<ConfigurationImpact, RuntimeError> {
        let adapter = self.adapter(&to.provider)?;
        if from.provider != to.provider || turn::surroundings(from) != turn::surroundings(to) {
            return Ok(ConfigurationImpact::Restart);
        }
        let (from, to) = (
            turn::key(adapter.as_ref(), from)?,
            turn::key(adapter.as_ref(), to)?,
        );
        Ok(adapter.impact(&from, &to))
    }

    /// Starts the process of a session before there is a prompt, and keeps it for the turn that may come: the request is
    /// that turn as far as it is known, its prompt is not looked at. Of the sink, only
    /// [`EventSink::process_started`] is called. False: one waits already, a turn came first, or nothing is kept.
    pub async fn prepare(
        &self,
        mut request: TurnRequest,
        sink: &dyn EventSink,
    ) -> Result<bool, RuntimeError> {
        // Stands for the prompt that is not written yet.
        ".".clone_into(&mut request.prompt);
        self.check(&request)?;
        let adapter = Arc::clone(self.adapter(&request.provider)?);
        turn::prepare(&self.inner, adapter.as_ref(), &request, sink).await
    }

    /// Kept processes that wait for a next turn.
    pub fn retained_processes(&self) -> usize {
        self.inner.retained.count()
    }

    /// The kept process of a session, if there is one. Starts nothing.
    pub fn retained_process(&self, provider: &HarnessId, session: &str) -> Option<RetainedProcess> {
        self.inner.retained.of(&(provider.clone(), session.to_owned()))
    }

    /// Lets the kept process of a session leave, if there is one.
    pub fn release_retained(&self, provider: &HarnessId, session: &str) {
        self.inner.retained.release(provider, session);
    }

    /// Lets every kept process leave and waits for it, within [`turn::EXIT_BOUND`]. None is kept afterwards. Running
    /// turns go on.
    pub async fn close_retained(&self) {
        self.inner.retained.close().await;
    }

    /// Runs one turn to its end. Dropping the future ends the whole process tree.
    pub async fn run(
        &self,
        request: TurnRequest,
        events: Arc<dyn EventSink>,
        interactions: Arc<dyn InteractionHandler>,
    ) -> Result<TurnResult, RuntimeError> {
        self.run_controlled(request, events, interactions, TurnControls::none())
            .await
    }

    /// As [`Self::run`], with controls that may be sent while it runs.
    pub async fn run_controlled(
        &self,
        request: TurnRequest,
        events: Arc<dyn EventSink>,
        interactions: Arc<dyn InteractionHandler>,
        controls: TurnControls,
    ) -> Result<TurnResult, RuntimeError> {
        self.check(&request)?;
        let adapter = Arc::clone(self.adapter(&request.provider)?);
        turn::run(&self.inner, adapter, request, events, interactions, controls).await
    }
}

impl std::fmt::Debug for AgentRuntime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AgentRuntime")
            .field("providers", &self.providers())
            .finish_non_exhaustive()
    }
}
