//! Windows: a job object holds the tree (see `super::OwnedProcess`), so there is no table to search.
//!
//! A tree of an earlier run ended with that run's job handles or was left on purpose; it cannot be found again.

use std::io;

use super::tree::{ProcessIdentity, ProcessMoment, Row};

/// A signal that ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signal {
    Term,
    Kill,
}

/// Environments of other processes cannot be read.
pub(crate) fn table(_markers: &[&str]) -> io::Result<Vec<(Row, Option<String>)>> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Not known.
pub(crate) fn identity(_pid: u32) -> Option<ProcessIdentity> {
    None
}

/// Not known.
pub(crate) fn command_line(_pid: u32) -> Vec<String> {
    Vec::new()
}

/// Not known.
pub(crate) fn age_ms(_id: ProcessIdentity) -> u64 {
    0
}

/// There is no such clock.
pub(crate) fn now() -> io::Result<ProcessMoment> {
    Err(io::ErrorKind::Unsupported.into())
}

/// None.
pub(crate) fn boot_id() -> String {
    String::new()
}

/// Done by the job object.
pub(crate) fn signal(_target: ProcessIdentity, _signal: Signal) {}

/// Done by the job object.
pub(crate) fn signal_group(_group: u32, _signal: Signal) {}
