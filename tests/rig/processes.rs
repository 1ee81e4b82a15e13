//! Which processes carry a mark: a variable of their environment, inherited by every descendant.

use std::time::{Duration, Instant};

/// Time in which nothing of a stopped turn may be left.
pub const GONE_BOUND: Duration = Duration::from_secs(3);
/// Pause between two looks at the process table.
const LOOK_PAUSE: Duration = Duration::from_millis(20);

/// Command lines of the living processes whose environment holds this text. The calling process is never among them.
pub fn marked(text: &str) -> Vec<String> {
    let own = std::process::id().to_string();
    let entries = std::fs::read_dir("/proc").expect("these tests need /proc");
    let pids = entries
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned());
    pids.filter(|pid| pid.bytes().all(|byte| byte.is_ascii_digit()) && *pid != own)
        .filter(|pid| {
            let environ = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            String::from_utf8_lossy(&environ).contains(text)
        })
        .map(|pid| {
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            format!("{pid} {}", String::from_utf8_lossy(&line).replace('\0', " "))
        })
        .collect()
}

/// Waits until no process carries the mark; names those that are left at the bound.
pub async fn gone(text: &str, bound: Duration) -> Result<Duration, Vec<String>> {
    let begun = Instant::now();
    loop {
        let left = marked(text);
        if left.is_empty() {
            return Ok(begun.elapsed());
        }
        if begun.elapsed() > bound {
            return Err(left);
        }
        tokio::time::sleep(LOOK_PAUSE).await;
    }
}

/// Waits until so many processes carry the mark.
pub async fn present(text: &str, count: usize) -> Vec<String> {
    let begun = Instant::now();
    loop {
        let found = marked(text);
        if found.len() >= count {
            return found;
        }
        assert!(
            begun.elapsed() < Duration::from_secs(20),
            "only {found:?} carry {text}"
        );
        tokio::time::sleep(LOOK_PAUSE).await;
    }
}

/// Largest resident size that this process ever had, in bytes.
pub fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("these tests need /proc");
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .expect("VmHWM");
    let kib: u64 = line
        .split_whitespace()
        .nth(1)
        .and_then(|text| text.parse().ok())
        .expect("a number");
    kib * 1024
}

/// Whether this process runs as root.
pub fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self")
        .expect("these tests need /proc")
        .uid()
        == 0
}
