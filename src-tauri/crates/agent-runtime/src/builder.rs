//! Adapters, limits and transport of a runtime.

use std::collections::BTreeMap;
use std::sync::Arc;

use agent_domain::{AgentAdapter, HarnessId, RequestError, limits};
use agent_exec::transport::ExecutionTransport;
use agent_exec::transport::local::{LocalOptions, LocalTransport};

use crate::error::RuntimeError;
use crate::retained::{Retained, Retention};
use crate::runtime::{AgentRuntime, Inner};
use crate::slots::Slots;

/// Most turns at once that a runtime may be built for.
pub const MAX_CONCURRENCY: usize = 1024;

/// Registers adapters and sets process-wide limits. A zero limit is refused by [`Self::build`].
pub struct AgentRuntimeBuilder {
    adapters: BTreeMap<HarnessId, Arc<dyn AgentAdapter>>,
    concurrency: usize,
    max_prompt: usize,
    max_line: usize,
    transport: Option<Arc<dyn ExecutionTransport>>,
    retention: Option<Retention>,
}

impl Default for AgentRuntimeBuilder {
    fn default() -> Self {
        Self {
            adapters: crate::providers::all()
                .into_iter()
                .map(|adapter| (adapter.id(), adapter))
                .collect(),
            concurrency: limits::DEFAULT_CONCURRENCY,
            max_prompt: limits::MAX_PROMPT_BYTES,
            max_line: limits::MAX_LINE_BYTES,
            transport: None,
            retention: None,
        }
    }
}

impl AgentRuntimeBuilder {
    /// Registers an adapter under its id; one registered earlier under the same id is replaced.
    #[must_use]
    pub fn adapter(mut self, adapter: impl AgentAdapter + 'static) -> Self {
        self.adapters.insert(adapter.id(), Arc::new(adapter));
        self
    }

    /// Turns at once. Default 2.
    #[must_use]
    pub fn concurrency_limit(mut self, turns: usize) -> Self {
        self.concurrency = turns;
        self
    }

    /// Longest prompt in bytes. Default 256 KiB.
    #[must_use]
    pub fn max_prompt_bytes(mut self, bytes: usize) -> Self {
        self.max_prompt = bytes;
        self
    }

    /// Longest line of a harness in bytes. Default 2 MiB.
    #[must_use]
    pub fn max_line_bytes(mut self, bytes: usize) -> Self {
        self.max_line = bytes;
        self
    }

    /// Replaces the local transport.
    #[must_use]
    pub fn transport(self, transport: impl ExecutionTransport + 'static) -> Self {
        self.transport_from_arc(Arc::new(transport))
    }

    /// Replaces the local transport by a shared one.
    #[must_use]
    pub fn transport_from_arc(mut self, transport: Arc<dyn ExecutionTransport>) -> Self {
        self.transport = Some(transport);
        self
    }

    /// Keeps processes between the turns of a session, of the harnesses that can. Default: none is kept.
    #[must_use]
    pub fn retention(mut self, retention: Retention) -> Self {
        self.retention = Some(retention);
        self
    }

    /// Builds the runtime.
    pub fn build(self) -> Result<AgentRuntime, RuntimeError> {
        if self.concurrency == 0 || self.concurrency > MAX_CONCURRENCY {
            return Err(RequestError::invalid("concurrency_limit", "between 1 and 1,024").into());
        }
        if self.max_prompt == 0 || self.max_line == 0 {
            return Err(RequestError::invalid("max_prompt_bytes, max_line_bytes", "longer than zero").into());
        }
        if let Some(retention) = &self.retention {
            retention.check()?;
        }
        let transport = match self.transport {
            Some(transport) => transport,
            None => Arc::new(
                LocalTransport::new(LocalOptions::new(private_root())).map_err(RuntimeError::unsent)?,
            ),
        };
        Ok(AgentRuntime::from_inner(Inner {
            adapters: self.adapters,
            slots: Slots::new(self.concurrency),
            max_prompt: self.max_prompt,
            max_line: self.max_line,
            transport,
            retained: Retained::new(self.retention),
        }))
    }
}

/// Private files of a runtime without a transport of its own: a fresh folder below the system's temporary one.
fn private_root() -> std::path::PathBuf {
    std::env::temp_dir().join(format!("agent-runtime-{}", uuid::Uuid::new_v4()))
}
