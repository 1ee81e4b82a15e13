//! Writes to the harness and the tail of its standard error, each in a task of its own.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use agent_domain::{Write, limits};
use agent_exec::transport::{ProcessReader, ProcessWriter};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::WRITE_QUEUE;
use crate::error::RuntimeError;

/// Bytes asked of standard error in one read.
const STDERR_READ_BYTES: usize = 8 * 1024;

/// Standard input of a harness. Writing never blocks the loop that reads its output.
pub(super) struct Input {
    queue: Option<mpsc::Sender<Vec<u8>>>,
    task: JoinHandle<()>,
}

impl Input {
    pub(super) fn new(mut stdin: ProcessWriter) -> Self {
        let (queue, mut waiting) = mpsc::channel::<Vec<u8>>(WRITE_QUEUE);
        let task = tokio::spawn(async move {
            while let Some(bytes) = waiting.recv().await {
                // A harness that reads no more ends by itself, and its exit says why.
                if stdin.write_all(&bytes).await.is_err() || stdin.flush().await.is_err() {
                    return;
                }
            }
            let _ = stdin.shutdown().await;
        });
        Self {
            queue: Some(queue),
            task,
        }
    }

    pub(super) fn write(&mut self, write: Write) -> Result<(), RuntimeError> {
        match write {
            Write::CloseStdin => self.queue = None,
            Write::Line(mut line) => {
                line.push(b'\n');
                let full = self.queue.as_ref().is_some_and(|queue| {
                    matches!(queue.try_send(line), Err(mpsc::error::TrySendError::Full(_)))
                });
                if full {
                    return Err(RuntimeError::Protocol {
                        message: "the harness stopped reading its input".into(),
                        delivery: agent_domain::DeliveryState::PossiblySent,
                    });
                }
            }
            Write::Http { .. } => {
                return Err(RuntimeError::TransportCapabilityUnavailable {
                    what: "carry HTTP requests",
                });
            }
        }
        Ok(())
    }
}

impl Drop for Input {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The last part of standard error.
pub(super) struct Stderr {
    tail: Arc<Mutex<VecDeque<u8>>>,
    task: JoinHandle<()>,
}

impl Stderr {
    pub(super) fn new(mut stderr: ProcessReader) -> Self {
        let tail = Arc::new(Mutex::new(VecDeque::new()));
        let kept = Arc::clone(&tail);
        let task = tokio::spawn(async move {
            let mut chunk = vec![0; STDERR_READ_BYTES];
            while let Ok(count @ 1..) = stderr.read(&mut chunk).await {
                let mut tail = kept.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                tail.extend(&chunk[..count]);
                let over = tail.len().saturating_sub(limits::STDERR_TAIL_BYTES);
                tail.drain(..over);
            }
        });
        Self { tail, task }
    }

    /// What was kept so far, as text.
    pub(super) fn tail(&self) -> String {
        let tail = self.tail.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let bytes: Vec<u8> = tail.iter().copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Forgets what was kept: it belongs to an earlier turn.
    pub(super) fn forget(&self) {
        self.tail
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .clear();
    }

    /// Waits for its end, at most this long.
    pub(super) async fn settle(&mut self, bound: std::time::Duration) {
        let _ = tokio::time::timeout(bound, &mut self.task).await;
    }
}

impl Drop for Stderr {
    fn drop(&mut self) {
        self.task.abort();
    }
}
