//! Run coding-agent CLIs ("harnesses") from Rust: one request, one event vocabulary, live decisions.
//!
//! ```no_run
//! use agent_runtime::{AgentRuntime, DenyAll, TurnRequest, sink};
//!
//! # async fn example() -> Result<(), agent_runtime::RuntimeError> {
//! let runtime = AgentRuntime::builder().build()?;
//! let (events, mut received) = sink::channel();
//! let request = TurnRequest::new("claude".into(), "/home/me/project", "What does this project do?");
//! let turn = runtime.run(request, events, std::sync::Arc::new(DenyAll));
//! tokio::pin!(turn);
//! let result = loop {
//!     tokio::select! {
//!         Some(event) = received.recv() => tracing::info!(?event),
//!         result = &mut turn => break result?,
//!     }
//! };
//! assert!(!result.text.is_empty());
//! # Ok(())
//! # }
//! ```
//!
//! | module | what it does |
//! | --- | --- |
//! | [`builder`] | adapters, limits, transport |
//! | [`runtime`] | the facade: readiness, probes, capabilities, run |
//! | [`turn`] | one turn: launch, the loop, the end |
//! | [`interaction`] | who is asked: [`InteractionHandler`] |
//! | [`broker`] | answers that arrive from elsewhere: [`InteractionBroker`] |
//! | [`sink`] | where events go: [`EventSink`] |
//! | [`retained`] | processes kept between the turns of a session |
//! | [`slots`] | turns at once; one that waits for a person lends its slot |
//! | [`probe`] | bounded questions to an installed harness |
//! | [`folder`] | what a folder would make a harness run |
//! | [`images`] | attached images, checked and scaled |
//! | [`discovery`] | every harness, asked beside the others |
//! | [`error`] | [`RuntimeError`] |
//! | [`oneshot`] | one request, one answer: a thin front for programs without chats |
//! | [`guide`] | how it is used, task by task |

pub mod broker;
pub mod builder;
pub mod discovery;
pub mod error;
pub mod folder;
pub mod guide;
pub mod images;
pub mod interaction;
pub mod oneshot;
pub mod probe;
pub mod retained;
pub mod runtime;
pub mod sink;
pub mod slots;
pub mod turn;

pub use agent_domain::*;
pub use agent_exec as exec;
pub use agent_exec::transport::{
    DirectorySuggestions, ExecutionTransport, TransportCapabilities, TransportProcess,
    TransportProcessHandle, TransportSpawnRequest,
};
pub use broker::{BrokerError, InteractionBroker};
pub use builder::AgentRuntimeBuilder;
pub use error::RuntimeError;
pub use interaction::{DenyAll, InteractionHandler};
pub use probe::{HarnessInventory, HarnessReadiness, ProviderProbeContext};
pub use retained::{RetainedProcess, Retention};
pub use runtime::AgentRuntime;
pub use sink::{EventSink, SinkError, StartupStage};
pub use turn::TurnControls;

/// Adapters that come with this build.
pub mod providers {
    use std::sync::Arc;

    #[cfg(feature = "claude")]
    pub use agent_adapters::claude::Claude;
    use agent_domain::AgentAdapter;

    /// One of each, found by name on the target.
    pub fn all() -> Vec<Arc<dyn AgentAdapter>> {
        vec![
            #[cfg(feature = "claude")]
            Arc::new(Claude::default()),
        ]
    }
}
