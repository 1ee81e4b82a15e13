//! The process table of Linux, from `/proc`.

use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use rustix::process::{Pid, PidfdFlags, Signal as Sig};

use super::tree::{MARKER_ENV, MAX_COMMAND_LINE_BYTES, ProcessIdentity, ProcessMoment, Row};

/// Longest environment that is read, in bytes: the kernel's own bound of one argument list is near it.
const MAX_ENVIRON_BYTES: u64 = 4 * 1024 * 1024;

/// A signal that ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signal {
    Term,
    Kill,
}

impl Signal {
    fn number(self) -> Sig {
        match self {
            Self::Term => Sig::TERM,
            Self::Kill => Sig::KILL,
        }
    }
}

/// Every living process of this user, with the one of these markers that it carries. Zombies are dead.
pub(crate) fn table(markers: &[&str]) -> io::Result<Vec<(Row, Option<String>)>> {
    let user = rustix::process::geteuid().as_raw();
    let entries: Vec<Vec<u8>> = markers
        .iter()
        .map(|marker| format!("{MARKER_ENV}={marker}").into_bytes())
        .collect();
    let mut all = Vec::new();
    let mut environ = Vec::new();
    for entry in fs::read_dir("/proc")? {
        let Ok(entry) = entry else { continue };
        let Some(pid) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse::<u32>().ok())
        else {
            continue;
        };
        // A process may end between any two of these looks; it then simply is not there.
        if entry.metadata().map_or(true, |meta| meta.uid() != user) {
            continue;
        }
        let Some(row) = row(pid) else { continue };
        let marker = read_environ(pid, &mut environ).and_then(|()| {
            let found = environ
                .split(|byte| *byte == 0)
                .find_map(|line| entries.iter().position(|e| e == line));
            found.map(|index| markers[index].to_owned())
        });
        // The environment was read after the row: it must still be the same process.
        if marker.is_some() && self::row(pid).is_none_or(|now| now.identity != row.identity) {
            continue;
        }
        all.push((row, marker));
    }
    Ok(all)
}

fn read_environ(pid: u32, into: &mut Vec<u8>) -> Option<()> {
    into.clear();
    let file = fs::File::open(format!("/proc/{pid}/environ")).ok()?;
    file.take(MAX_ENVIRON_BYTES).read_to_end(into).ok().map(|_| ())
}

/// One living process.
pub(crate) fn row(pid: u32) -> Option<Row> {
    parse_stat(pid, &fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// Fields after the name, which may itself hold spaces and brackets: 3 state, 4 parent, 5 group, 22 start.
fn parse_stat(pid: u32, stat: &str) -> Option<Row> {
    let fields: Vec<&str> = stat
        .get(stat.rfind(')')? + 1..)?
        .split_ascii_whitespace()
        .collect();
    if matches!(*fields.first()?, "Z" | "X" | "x") {
        return None;
    }
    let start = fields.get(19)?.parse().ok()?;
    let parent = fields.get(1)?.parse().ok()?;
    let group = fields.get(2)?.parse().ok()?;
    Some(Row {
        identity: ProcessIdentity { pid, start },
        parent,
        group,
    })
}

/// The living process under an id.
pub(crate) fn identity(pid: u32) -> Option<ProcessIdentity> {
    // A zombie still has its start time, and a leader may end before we look.
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let start = stat
        .get(stat.rfind(')')? + 1..)?
        .split_ascii_whitespace()
        .nth(19)?
        .parse()
        .ok()?;
    Some(ProcessIdentity { pid, start })
}

/// Program and arguments.
pub(crate) fn command_line(pid: u32) -> Vec<String> {
    let mut bytes = Vec::new();
    if let Ok(file) = fs::File::open(format!("/proc/{pid}/cmdline")) {
        // Unreadable means that it ended: no command line is the truth then.
        let _ = file.take(MAX_COMMAND_LINE_BYTES as u64).read_to_end(&mut bytes);
    }
    let text = bytes.strip_suffix(&[0]).unwrap_or(&bytes);
    if text.is_empty() {
        return Vec::new();
    }
    text.split(|byte| *byte == 0)
        .map(|arg| String::from_utf8_lossy(arg).into_owned())
        .collect()
}

/// How long a process has run, in milliseconds.
pub(crate) fn age_ms(id: ProcessIdentity) -> u64 {
    let ticks = now().map_or(0, |now| now.0.saturating_sub(id.start));
    ticks.saturating_mul(1000) / rustix::param::clock_ticks_per_second().max(1)
}

/// The present in clock ticks since boot.
pub(crate) fn now() -> io::Result<ProcessMoment> {
    let text = fs::read_to_string("/proc/uptime")?;
    let ticks = ticks_of(&text, rustix::param::clock_ticks_per_second());
    let ticks =
        ticks.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "/proc/uptime has no number"))?;
    Ok(ProcessMoment(ticks))
}

/// The first number of `/proc/uptime`, seconds and hundredths, in ticks. Whole numbers only: a fraction that a floating
/// point number just misses would be a tick too early, before processes that have started.
fn ticks_of(uptime: &str, per_second: u64) -> Option<u64> {
    let (seconds, hundredths) = uptime.split_ascii_whitespace().next()?.split_once('.')?;
    let (seconds, hundredths): (u64, u64) = (seconds.parse().ok()?, hundredths.parse().ok()?);
    Some(seconds * per_second + hundredths * per_second / 100)
}

/// Names this boot. In a container it is the host's.
pub(crate) fn boot_id() -> String {
    let path = PathBuf::from("/proc/sys/kernel/random/boot_id");
    fs::read_to_string(path)
        .map(|text| text.trim().to_owned())
        .unwrap_or_default()
}

/// Signals exactly this process: a handle is opened, then it is checked that the handle is still the one that was
/// meant. A process under a recycled id is never hit.
pub(crate) fn signal(target: ProcessIdentity, signal: Signal) {
    let Some(pid) = i32::try_from(target.pid).ok().and_then(Pid::from_raw) else {
        return;
    };
    match rustix::process::pidfd_open(pid, PidfdFlags::empty()) {
        Ok(handle) => {
            if row(target.pid).is_some_and(|now| now.identity == target)
                && let Err(error) = rustix::process::pidfd_send_signal(&handle, signal.number())
            {
                tracing::debug!(pid = target.pid, %error, "signal was not delivered");
            }
        }
        // Before Linux 5.3, or a filter that refuses the call: check and send without a handle.
        Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) => {
            if row(target.pid).is_some_and(|now| now.identity == target)
                && let Err(error) = rustix::process::kill_process(pid, signal.number())
            {
                tracing::debug!(pid = target.pid, %error, "signal was not delivered");
            }
        }
        // It is gone.
        Err(_) => {}
    }
}

/// Signals a process group whose number is known to be ours.
pub(crate) fn signal_group(group: u32, signal: Signal) {
    let Some(pid) = i32::try_from(group)
        .ok()
        .filter(|pid| *pid > 1)
        .and_then(Pid::from_raw)
    else {
        return;
    };
    if let Err(error) = rustix::process::kill_process_group(pid, signal.number())
        && error != rustix::io::Errno::SRCH
    {
        tracing::debug!(group, %error, "group signal was not delivered");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_and_spaces_does_not_shift_the_fields() {
        let stat = "42 (a) b (c) S 7 40 40 0 -1 4194560 1 0 0 0 1 2 0 0 20 0 1 0 98765 1 2 3";
        let row = parse_stat(42, stat).unwrap();
        assert_eq!((row.parent, row.group, row.identity.start), (7, 40, 98765));
        assert!(
            parse_stat(42, &stat.replace(") S ", ") Z ")).is_none(),
            "a zombie is dead"
        );
    }

    #[test]
    fn no_moment_is_a_tick_early() {
        for hundredths in 0..1_000_000_u64 {
            let text = format!("{}.{:02} 1.00\n", hundredths / 100, hundredths % 100);
            assert_eq!(ticks_of(&text, 100), Some(hundredths));
        }
        assert_eq!(ticks_of("never", 100), None);
    }

    #[test]
    fn our_own_start_lies_before_now() {
        let own = identity(std::process::id()).unwrap();
        assert!(own.start <= now().unwrap().0);
        assert!(!boot_id().is_empty());
    }
}
