//! Stand-ins and looks at the process table for tests with real processes.
#![allow(dead_code, reason = "each test file uses a part")]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use agent_domain::CommandSpec;
use agent_exec::{
    EnvPolicy, ExecutionTransport, LocalOptions, LocalTransport, StdinMode, TransportProcess,
    TransportSpawnRequest,
};

/// A transport with private folders of its own that asks no login shell.
pub(crate) fn transport(root: &Path) -> LocalTransport {
    let options = LocalOptions {
        ask_login_shell: false,
        ..LocalOptions::new(root.join("private"))
    };
    LocalTransport::new(options).unwrap()
}

/// Runs a shell script in a folder.
pub(crate) fn script(root: &Path, text: &str) -> TransportSpawnRequest {
    let command = CommandSpec::new("/bin/sh").arg("-c").arg(text);
    TransportSpawnRequest {
        stdin: StdinMode::Null,
        env_policy: EnvPolicy::Minimal,
        ..TransportSpawnRequest::new(command, root)
    }
}

pub(crate) async fn start(transport: &LocalTransport, root: &Path, text: &str) -> Box<dyn TransportProcess> {
    transport.spawn(script(root, text)).await.unwrap()
}

/// Start time of a living process; zombies are dead.
pub(crate) fn alive(pid: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<&str> = stat[stat.rfind(')')? + 1..].split_ascii_whitespace().collect();
    (fields[0] != "Z" && fields[0] != "X").then(|| fields[19].parse().unwrap())
}

/// Waits until each file holds a process id.
pub(crate) async fn pids(root: &Path, names: &[&str]) -> Vec<u32> {
    let mut found = Vec::new();
    for name in names {
        let file: PathBuf = root.join(name);
        let begun = Instant::now();
        let pid = loop {
            if let Ok(pid) = std::fs::read_to_string(&file).unwrap_or_default().trim().parse() {
                break pid;
            }
            assert!(begun.elapsed() < Duration::from_secs(10), "{name} did not start");
            tokio::time::sleep(Duration::from_millis(5)).await;
        };
        found.push(pid);
    }
    found
}

pub(crate) async fn until_dead(pid: u32, bound: Duration) -> bool {
    let begun = Instant::now();
    while alive(pid).is_some() {
        if begun.elapsed() > bound {
            return false;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    true
}

/// Ends a process that a test left alive on purpose.
pub(crate) fn kill(pid: u32) {
    let pid = nix::unistd::Pid::from_raw(pid as i32);
    let _ = nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL);
}

/// A tree with everything that is hard to end: a child in the group, one that ignores TERM and HUP, one in a session
/// of its own, a daemon that forked twice, and one that cleared its environment. Each writes its id to a file.
pub(crate) const HARD_TREE: &str = r#"
sh -c 'echo $$ > group; exec sleep 300' &
sh -c 'trap "" TERM HUP; echo $$ > stubborn; while :; do sleep 1; done' &
setsid sh -c 'echo $$ > session; exec sleep 300' &
(setsid sh -c '(sh -c "echo \$\$ > daemon; exec sleep 300") & exit 0' &)
env -i /bin/sh -c 'echo $$ > bare; sleep 300; exit 0' &
echo $$ > leader
"#;
/// Files of [`HARD_TREE`].
pub(crate) const HARD_TREE_FILES: &[&str] = &["leader", "group", "stubborn", "session", "daemon", "bare"];

/// What a command prints; it must succeed.
pub(crate) async fn printed(transport: &LocalTransport, request: TransportSpawnRequest) -> String {
    let mut process = transport.spawn(request).await.unwrap();
    let output = agent_exec::capture(&mut *process, &[], Duration::from_secs(10), 1 << 20)
        .await
        .unwrap();
    assert_eq!(
        output.exit.unwrap().code,
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}
