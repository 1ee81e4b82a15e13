//! Bounded questions to an installed harness: what to run, and how to read the answer.

use std::time::Duration;

use crate::adapter::{AdapterError, Write};
use crate::command::CommandSpec;
use crate::harness::{HarnessAuthentication, HarnessCatalog};
use crate::usage::AccountUsageReport;

/// A bounded query of an installed harness.
#[derive(Debug, Clone, PartialEq)]
pub struct Probe {
    /// The command.
    pub command: CommandSpec,
    /// Written first; standard input is closed after them unless there is an exchange.
    pub first_writes: Vec<Write>,
    /// Longest run.
    pub timeout: Duration,
    /// Most output, in bytes.
    pub max_output: usize,
    /// True: lines go to `line` of whoever asks, and the process is ended as soon as it says `Done`.
    pub exchange: bool,
}

/// What a probe printed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProbeOutput {
    /// Standard output, bounded.
    pub stdout: Vec<u8>,
    /// Standard error, bounded.
    pub stderr: Vec<u8>,
    /// Exit code, when it ended by itself.
    pub code: Option<i32>,
}

/// Whether a probe has heard enough.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProbeStep {
    /// More is needed.
    More(Vec<Write>),
    /// This was all.
    Done,
}

/// Asks which models and options there are, without a turn.
pub trait CatalogProbe: Send + Sync {
    /// What to run.
    fn catalog_probe(&self) -> Probe;
    /// Reads one line of a probe with an exchange.
    fn line(&self, line: &[u8]) -> ProbeStep;
    /// Reads the whole output.
    fn parse_catalog_probe(&self, output: &ProbeOutput) -> Result<HarnessCatalog, AdapterError>;
}

/// Asks how much of the account's quota is used, without a turn.
pub trait AccountUsageProbe: Send + Sync {
    /// What to run.
    fn account_usage_probe(&self) -> Probe;
    /// Reads one line of a probe with an exchange.
    fn usage_line(&self, line: &[u8]) -> ProbeStep;
    /// Reads the whole output. A figure that is missing stays missing: it is never zero.
    fn parse_account_usage_probe(&self, output: &ProbeOutput) -> AccountUsageReport;
}

/// Asks whether the harness is signed in.
pub trait AuthenticationProbe: Send + Sync {
    /// What to run.
    fn authentication_probe(&self) -> Probe;
    /// Reads the whole output. Never infers "signed out" from silence.
    fn parse_authentication_probe(&self, output: &ProbeOutput) -> HarnessAuthentication;
}
