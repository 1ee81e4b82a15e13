//! A process of this computer, with its private files.

use std::io;
use std::time::Duration;

use agent_domain::Exit;
use async_trait::async_trait;

use super::local::LOCAL_ID;
use super::{ProcessReader, ProcessWriter, TerminateMode, TransportProcess, TransportProcessHandle};
use crate::error::{TransportError, TransportErrorKind as Kind};
use crate::files::PlacedFiles;
use crate::process::OwnedProcess;
use crate::process::tree::{EndReport, LivingProcess, ProcessIdentity, ProcessMoment, TERM_GRACE, platform};

/// A process of this computer.
pub(crate) struct LocalProcess {
    process: OwnedProcess,
    handle: TransportProcessHandle,
    /// Removed when the leader ends, or with this.
    files: Option<PlacedFiles>,
}

impl LocalProcess {
    pub(crate) fn new(process: OwnedProcess, files: Option<PlacedFiles>) -> Self {
        let handle = TransportProcessHandle {
            transport: LOCAL_ID.to_owned(),
            marker: process.marker().to_owned(),
            pid: process.leader().pid,
            start: process.leader().start,
            boot_id: platform::boot_id(),
        };
        Self {
            process,
            handle,
            files,
        }
    }

    /// A process without private files.
    pub(crate) fn bare(process: OwnedProcess) -> Self {
        Self::new(process, None)
    }
}

#[async_trait]
impl TransportProcess for LocalProcess {
    fn handle(&self) -> &TransportProcessHandle {
        &self.handle
    }

    fn take_stdin(&mut self) -> Option<ProcessWriter> {
        self.process
            .take_stdin()
            .map(|stream| Box::pin(stream) as ProcessWriter)
    }

    fn take_stdout(&mut self) -> Option<ProcessReader> {
        self.process
            .take_stdout()
            .map(|stream| Box::pin(stream) as ProcessReader)
    }

    fn take_stderr(&mut self) -> Option<ProcessReader> {
        self.process
            .take_stderr()
            .map(|stream| Box::pin(stream) as ProcessReader)
    }

    async fn wait(&mut self) -> Result<Exit, TransportError> {
        let exit = self.process.wait().await.map_err(control_failed)?;
        self.files = None;
        Ok(exit)
    }

    async fn terminate(&mut self, mode: TerminateMode) -> Result<EndReport, TransportError> {
        let grace = match mode {
            TerminateMode::Graceful => TERM_GRACE,
            TerminateMode::Now => Duration::ZERO,
        };
        let report = self.process.end(grace).await.map_err(control_failed)?;
        self.files = None;
        Ok(report)
    }

    fn disarm(&mut self) {
        self.process.disarm();
    }

    async fn living(&self) -> Result<Vec<LivingProcess>, TransportError> {
        self.process.living().await.map_err(control_failed)
    }

    fn moment(&self) -> Result<ProcessMoment, TransportError> {
        platform::now().map_err(control_failed)
    }

    async fn end_descendants_since(
        &mut self,
        since: ProcessMoment,
        keep: &[ProcessIdentity],
    ) -> Result<EndReport, TransportError> {
        self.process
            .end_descendants_since(since, keep)
            .await
            .map_err(control_failed)
    }
}

pub(crate) fn control_failed(error: io::Error) -> TransportError {
    let kind = match error.kind() {
        io::ErrorKind::Unsupported => Kind::Unsupported,
        _ => Kind::ProcessControlFailed,
    };
    TransportError::new(
        kind,
        format!("the processes could not be looked at or ended: {error}"),
    )
    .caused_by(error)
}
