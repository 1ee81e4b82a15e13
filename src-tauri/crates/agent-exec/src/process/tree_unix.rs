//! The process table of other Unix systems, from `ps`.
//!
//! `ps` shows the environment of one's own processes only, and not of those that the system protects (signed system
//! programs on macOS). Such a process is found as a descendant while its parents live, or by its group; a protected
//! program that detaches itself completely is not found. Starts are whole seconds.
#![cfg_attr(
    target_os = "linux",
    allow(dead_code, reason = "only its parser is tested on Linux")
)]

use std::collections::HashMap;
use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

use nix::errno::Errno;
use nix::sys::signal::{Signal as Sig, kill, killpg};
use nix::unistd::Pid;

use super::tree::{MARKER_ENV, MAX_COMMAND_LINE_BYTES, ProcessIdentity, ProcessMoment, Row};

/// A signal that ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signal {
    Term,
    Kill,
}

impl Signal {
    fn number(self) -> Sig {
        match self {
            Self::Term => Sig::SIGTERM,
            Self::Kill => Sig::SIGKILL,
        }
    }
}

/// Columns that [`parse_row`] reads. `lstart` is five words.
const COLUMNS: &str = "pid=,ppid=,pgid=,stat=,lstart=";

/// Every living process of this user, with the one of these markers that it carries.
pub(crate) fn table(markers: &[&str]) -> io::Result<Vec<(Row, Option<String>)>> {
    let user = nix::unistd::geteuid().to_string();
    let plain = super::ps(&["-ww", "-U", &user, "-o", COLUMNS])?;
    let with_environment = super::ps(&["-wwE", "-U", &user, "-o", "pid=,command="])?;
    let mut marked = HashMap::new();
    for line in with_environment.lines() {
        let Some((pid, rest)) = line.trim_start().split_once(' ') else {
            continue;
        };
        let found = markers
            .iter()
            .find(|marker| rest.contains(&format!(" {MARKER_ENV}={marker}")));
        if let (Ok(pid), Some(marker)) = (pid.parse::<u32>(), found) {
            marked.insert(pid, (*marker).to_owned());
        }
    }
    let rows = plain.lines().filter_map(parse_row);
    Ok(rows
        .map(|row| (row, marked.get(&row.identity.pid).cloned()))
        .collect())
}

/// One living process.
pub(crate) fn row(pid: u32) -> Option<Row> {
    let text = super::ps(&["-ww", "-p", &pid.to_string(), "-o", COLUMNS]).ok()?;
    text.lines().find_map(parse_row)
}

fn parse_row(line: &str) -> Option<Row> {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let [pid, parent, group, state, start @ ..] = words.as_slice() else {
        return None;
    };
    if state.starts_with('Z') {
        return None;
    }
    let identity = ProcessIdentity {
        pid: pid.parse().ok()?,
        start: parse_start(start)?,
    };
    Some(Row {
        identity,
        parent: parent.parse().ok()?,
        group: group.parse().ok()?,
    })
}

/// `Tue Dec  1 01:08:31 2026` in UTC, as seconds since 1970.
fn parse_start(words: &[&str]) -> Option<u64> {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let [_, month, day, clock, year] = words else {
        return None;
    };
    let month = MONTHS.iter().position(|name| name == month)? as i64 + 1;
    let (day, year): (i64, i64) = (day.parse().ok()?, year.parse().ok()?);
    let seconds = clock
        .split(':')
        .try_fold(0, |sum, part| Some(sum * 60 + part.parse::<i64>().ok()?))?;
    // Days since 1970 in the Gregorian calendar, counted in years that begin in March.
    let (y, m) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let days = y * 365 + y / 4 - y / 100 + y / 400 + (m * 153 + 2) / 5 + day - 1 - 719_468;
    u64::try_from(days * 86_400 + seconds).ok()
}

/// The living process under an id.
pub(crate) fn identity(pid: u32) -> Option<ProcessIdentity> {
    row(pid).map(|row| row.identity)
}

/// Program and arguments; `ps` joins them, so they are one text.
pub(crate) fn command_line(pid: u32) -> Vec<String> {
    let Ok(text) = super::ps(&["-ww", "-p", &pid.to_string(), "-o", "command="]) else {
        return Vec::new();
    };
    let mut line = text.trim().to_owned();
    line.truncate(line.floor_char_boundary_at(MAX_COMMAND_LINE_BYTES));
    if line.is_empty() { Vec::new() } else { vec![line] }
}

/// A char boundary at or below an index.
trait CharBoundary {
    fn floor_char_boundary_at(&self, index: usize) -> usize;
}

impl CharBoundary for String {
    fn floor_char_boundary_at(&self, index: usize) -> usize {
        (0..=index.min(self.len()))
            .rev()
            .find(|at| self.is_char_boundary(*at))
            .unwrap_or(0)
    }
}

/// How long a process has run, in milliseconds.
pub(crate) fn age_ms(id: ProcessIdentity) -> u64 {
    now().map_or(0, |now| now.0.saturating_sub(id.start) * 1000)
}

/// The present in seconds since 1970.
pub(crate) fn now() -> io::Result<ProcessMoment> {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_err(io::Error::other)?;
    Ok(ProcessMoment(since.as_secs()))
}

/// Starts are absolute here: no boot needs to be told apart.
pub(crate) fn boot_id() -> String {
    String::new()
}

/// Signals this process after checking that its id was not recycled.
pub(crate) fn signal(target: ProcessIdentity, signal: Signal) {
    let Ok(pid) = i32::try_from(target.pid) else {
        return;
    };
    if identity(target.pid) == Some(target) {
        report(kill(Pid::from_raw(pid), signal.number()), target.pid);
    }
}

/// Signals a process group whose number is known to be ours.
pub(crate) fn signal_group(group: u32, signal: Signal) {
    if let Some(pid) = i32::try_from(group).ok().filter(|pid| *pid > 1) {
        report(killpg(Pid::from_raw(pid), signal.number()), group);
    }
}

fn report(result: nix::Result<()>, pid: u32) {
    if let Err(error) = result
        && error != Errno::ESRCH
    {
        tracing::debug!(pid, %error, "signal was not delivered");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_ps_is_read_and_a_zombie_is_dead() {
        let row = parse_row("  812   1 800 Ss   Tue Dec  1 01:08:31 2026").unwrap();
        assert_eq!((row.identity.pid, row.parent, row.group), (812, 1, 800));
        assert_eq!(row.identity.start, 1_796_087_311);
        assert!(parse_row("812 1 800 Z Tue Dec  1 01:08:31 2026").is_none());
        assert_eq!(parse_start(&["Thu", "Jan", "1", "00:00:00", "1970"]), Some(0));
        assert_eq!(
            parse_start(&["Thu", "Feb", "29", "12:00:00", "2024"]),
            Some(1_709_208_000)
        );
    }
}
