//! Where the events of a turn go.

use std::sync::Arc;
use std::time::Duration;

use agent_domain::TurnEvent;
use agent_exec::transport::TransportProcessHandle;
use async_trait::async_trait;
use thiserror::Error;
use tokio::sync::mpsc;

/// Events that wait in a [`channel`] before the turn is held back.
pub const CHANNEL_EVENTS: usize = 256;

/// A sink that takes no more. The turn ends.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct SinkError(pub String);

/// Stages of a start, each with the time since the run was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartupStage {
    /// A slot was free.
    Slot,
    /// The process exists.
    Spawned,
    /// A kept process took the turn over: nothing was started.
    Adopted,
    /// The first frame came.
    FirstFrame,
    /// The first text or reasoning came.
    FirstText,
}

/// An awaited destination: a slow one holds the harness back.
#[async_trait]
pub trait EventSink: Send + Sync {
    /// Takes one event. An error ends the turn and its whole process tree.
    async fn emit(&self, event: TurnEvent) -> Result<(), SinkError>;

    /// The process of the turn exists, fresh or kept from an earlier one. Awaited before its first frame is read, so that
    /// a handle can be stored first.
    async fn process_started(&self, _handle: &TransportProcessHandle) -> Result<(), SinkError> {
        Ok(())
    }

    /// Bytes came from the harness.
    fn heard(&self) {}

    /// A stage of the start was reached.
    fn stage(&self, _stage: StartupStage, _since_run: Duration) {}
}

struct ChannelSink(mpsc::Sender<TurnEvent>);

#[async_trait]
impl EventSink for ChannelSink {
    async fn emit(&self, event: TurnEvent) -> Result<(), SinkError> {
        self.0
            .send(event)
            .await
            .map_err(|_| SinkError("the receiver is gone".into()))
    }
}

/// A sink that is a bounded channel.
pub fn channel() -> (Arc<dyn EventSink>, mpsc::Receiver<TurnEvent>) {
    let (sender, receiver) = mpsc::channel(CHANNEL_EVENTS);
    (Arc::new(ChannelSink(sender)), receiver)
}
