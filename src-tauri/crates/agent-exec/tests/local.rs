//! This computer as a transport: environment, lookup, private files, typed errors.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may stop at once and may print"
)]
#![cfg(target_os = "linux")]

mod support;

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use agent_domain::CommandSpec;
use agent_exec::{
    EnvPolicy, EnvironmentSource, ExecutableState, ExecutionTransport, InstallKind, LocalOptions,
    LocalTransport, PathOrigin, StdinMode, TransportErrorKind, TransportSpawnRequest,
};
use support::{alive, pids, printed, transport};

/// An app started from a desktop session: a short `PATH`, this home, this shell.
fn desktop(root: &Path, shell: &str, more: &[(&str, &str)]) -> LocalOptions {
    let home = root.join("home");
    fs::create_dir_all(&home).unwrap();
    let mut options = LocalOptions::new(root.join("private"));
    let home = home.to_str().unwrap();
    let all = [
        ("HOME", home),
        ("USER", "u"),
        ("SHELL", shell),
        ("PATH", "/usr/bin:/bin"),
    ];
    options.process_env = all
        .iter()
        .chain(more)
        .map(|(name, value)| (OsString::from(name), OsString::from(value)))
        .collect();
    options
}

fn program(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

async fn names(
    transport: &LocalTransport,
    cwd: &Path,
    policy: EnvPolicy,
    command: CommandSpec,
) -> Vec<String> {
    let command = CommandSpec {
        program: "env".into(),
        ..command
    };
    let request = TransportSpawnRequest {
        env_policy: policy,
        stdin: StdinMode::Null,
        ..TransportSpawnRequest::new(command, cwd)
    };
    printed(transport, request)
        .await
        .lines()
        .map(str::to_owned)
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_child_sees_what_its_policy_says_and_nothing_of_the_package() {
    let root = tempfile::tempdir().unwrap();
    let appdir = root.path().join("app");
    let dir = appdir.to_str().unwrap();
    let libraries = format!("{dir}/usr/lib:/opt/mine/lib");
    let more = [
        ("ANTHROPIC_API_KEY", "sk-host"),
        ("HTTPS_PROXY", "http://u:p@proxy"),
        ("LC_TIME", "C"),
        ("IS_SANDBOX", "1"),
        ("PADDOCK_SPAWN", "outer"),
        ("APPDIR", dir),
        ("APPIMAGE", "/x.AppImage"),
        ("LD_LIBRARY_PATH", &libraries),
        ("GTK_PATH", &format!("{dir}/gtk")),
        ("GDK_BACKEND", "x11"),
        ("EDITOR", "vi"),
    ];
    let options = LocalOptions {
        ask_login_shell: false,
        ..desktop(root.path(), "/bin/sh", &more)
    };
    let transport = LocalTransport::new(options).unwrap();
    let mut command = CommandSpec::new("")
        .env("EXPLICIT", "1")
        .env("IS_SANDBOX", "1")
        .env("PADDOCK_SPAWN", "x");
    command.secret_env.insert("SECRET", "s");
    command.env.insert("SECRET".into(), "plain".into());
    command.env_remove.push("EDITOR".into());

    let minimal = names(&transport, root.path(), EnvPolicy::Minimal, command.clone()).await;
    let inherit = names(&transport, root.path(), EnvPolicy::Inherit, command.clone()).await;
    let only = names(
        &transport,
        root.path(),
        EnvPolicy::Only(vec!["HTTPS_PROXY".into()]),
        command,
    )
    .await;
    let has = |all: &[String], start: &str| all.iter().any(|line| line.starts_with(start));
    // The control: the host's variable is there to be inherited.
    assert!(has(&inherit, "ANTHROPIC_API_KEY=sk-host") && !has(&minimal, "ANTHROPIC_API_KEY="));
    assert!(has(&minimal, "LC_TIME=C") && has(&minimal, "USER=u") && !has(&minimal, "HTTPS_PROXY="));
    assert!(has(&only, "HTTPS_PROXY=") && !has(&only, "USER=") && !has(&only, "HOME="));
    assert!(
        has(&inherit, "LD_LIBRARY_PATH=/opt/mine/lib"),
        "the user's own entry stays: {inherit:?}"
    );
    for all in [&minimal, &inherit, &only] {
        assert!(has(all, "EXPLICIT=1") && has(all, "SECRET=s"), "{all:?}");
        for gone in [
            "IS_SANDBOX=",
            "APPDIR=",
            "APPIMAGE=",
            "GTK_PATH=",
            "GDK_BACKEND=",
            "EDITOR=",
        ] {
            assert!(!has(all, gone), "{gone} in {all:?}");
        }
        assert!(
            !has(all, "PADDOCK_SPAWN=outer") && !has(all, "PADDOCK_SPAWN=x") && has(all, "PADDOCK_SPAWN=")
        );
    }
}

/// A start file, and what must still be found with it.
async fn with_start_file(
    shell: &str,
    file: &str,
    text: &str,
) -> (Duration, EnvironmentSource, Option<InstallKind>) {
    let root = tempfile::tempdir().unwrap();
    let options = desktop(root.path(), shell, &[]);
    let home = root.path().join("home");
    program(&home.join("tools/mytool"), "#!/bin/sh\necho ok\n");
    fs::write(
        home.join(".profile"),
        "export PATH=\"$HOME/tools:$PATH\" FROM_PROFILE=1\n",
    )
    .unwrap();
    if file != ".bash_profile" {
        fs::write(
            home.join(".bash_profile"),
            ". ~/.profile; case $- in *i*) . ~/.bashrc;; esac\n",
        )
        .unwrap();
    }
    fs::write(home.join(file), text).unwrap();
    let transport = LocalTransport::new(options).unwrap();
    let begun = Instant::now();
    let search = transport.find_executable("mytool").await.unwrap();
    let took = begun.elapsed();
    let base = transport.environment().await;
    assert!(
        base.env
            .iter()
            .all(|(name, _)| name != "PADDOCK_SPAWN" && name != "PADDOCK_RESOLVING_ENVIRONMENT")
    );
    if let Some(used) = search.used() {
        let request = TransportSpawnRequest::new(CommandSpec::new("mytool"), &home);
        assert_eq!(printed(&transport, request).await, "ok\n");
        assert_eq!(used.origin, PathOrigin::LoginShell);
    }
    let install = search.used().map(|used| used.install);
    (took, search.source, install)
}

#[tokio::test(flavor = "multi_thread")]
async fn start_files_that_print_ask_exit_or_replace_the_shell_do_not_harm() {
    let noise = "for i in $(seq 500); do echo \"line $i = noise\"; done\n";
    let cases = [
        (noise, true),
        (
            "read -p 'Install updates? ' answer; read answer < /dev/tty\n",
            true,
        ),
        ("printf 'no newline'; set -x\n", true),
        ("exit 3\n", false),
        ("exec tmux\n", false),
        ("exec sleep 0.1\n", false),
    ];
    for (text, complete) in cases {
        let (took, source, install) = with_start_file("/bin/bash", ".bashrc", text).await;
        assert!(took < Duration::from_secs(5), "{text}: {took:?}");
        let wanted = EnvironmentSource::LoginShell {
            shell: "/bin/bash".into(),
            interactive: complete,
        };
        assert_eq!(source, wanted, "{text}");
        assert_eq!(install, Some(InstallKind::Native), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hanging_start_file_costs_the_bound_and_leaves_nothing() {
    let text = "echo $$ > hanging; sleep 60\n";
    let (took, source, install) = with_start_file("/bin/bash", ".bashrc", text).await;
    assert!(
        (Duration::from_secs(4)..Duration::from_millis(6_500)).contains(&took),
        "{took:?}"
    );
    assert!(
        matches!(
            source,
            EnvironmentSource::LoginShell {
                interactive: false,
                ..
            }
        ),
        "{source:?}"
    );
    assert!(install.is_some());
    // Both kinds of shell hang: the app's own environment it is, and the reason is told.
    let (took, source, install) = with_start_file("/bin/bash", ".bash_profile", text).await;
    assert!(took < Duration::from_millis(6_500), "{took:?}");
    assert!(
        matches!(&source, EnvironmentSource::Process { reason } if reason.contains("no answer")),
        "{source:?}"
    );
    assert_eq!(install, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_process_of_a_hanging_start_file_stays() {
    let root = tempfile::tempdir().unwrap();
    let options = desktop(root.path(), "/bin/bash", &[]);
    let home = root.path().join("home");
    fs::write(
        home.join(".bash_profile"),
        "echo $$ > ~/pid; setsid sleep 300 & sleep 60\n",
    )
    .unwrap();
    let options = LocalOptions {
        login_shell_bound: Duration::from_millis(500),
        ..options
    };
    LocalTransport::new(options).unwrap().environment().await;
    let pid = pids(&home, &["pid"]).await[0];
    assert_eq!(alive(pid), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_copy_is_found_and_said_why_it_is_used() {
    let root = tempfile::tempdir().unwrap();
    let options = LocalOptions {
        ask_login_shell: false,
        ..desktop(root.path(), "/bin/sh", &[])
    };
    let home = root.path().join("home");
    let node = home.join(".nvm/versions/node");
    program(
        &node.join("v22.1.0/lib/node_modules/agent/cli.js"),
        "#!/usr/bin/env no-such-node-anywhere\n",
    );
    fs::create_dir_all(node.join("v22.1.0/bin")).unwrap();
    symlink(
        node.join("v22.1.0/lib/node_modules/agent/cli.js"),
        node.join("v22.1.0/bin/agent"),
    )
    .unwrap();
    program(&node.join("v18.2.0/bin/agent"), "#!/bin/sh\n");
    program(&home.join(".asdf/shims/agent"), "#!/usr/bin/env bash\n");
    program(&home.join(".local/bin/agent"), "#!/bin/sh\n");
    fs::set_permissions(home.join(".local/bin/agent"), fs::Permissions::from_mode(0o644)).unwrap();
    let transport = LocalTransport::new(options).unwrap();
    let search = transport.find_executable("agent").await.unwrap();
    let kinds: Vec<_> = search
        .found
        .iter()
        .map(|found| (found.install, found.used))
        .collect();
    assert_eq!(
        kinds,
        [
            (InstallKind::Native, false),
            (InstallKind::Asdf, true),
            (InstallKind::Nvm, false),
            (InstallKind::Nvm, false)
        ],
        "{search:#?}"
    );
    let states: Vec<_> = search.found.iter().map(|found| &found.state).collect();
    assert_eq!(*states[0], ExecutableState::NotExecutable);
    let missing = ExecutableState::InterpreterMissing {
        interpreter: "no-such-node-anywhere".into(),
    };
    assert_eq!(*states[2], missing);
    assert!(
        search.found[3].reason.contains(".asdf/shims/agent comes first"),
        "{}",
        search.found[3].reason
    );
    assert!(search.looked_in.contains(&PathBuf::from("/usr/bin")));
    // What only another version has is found and started all the same.
    program(&node.join("v18.2.0/bin/old-agent"), "#!/bin/sh\necho old\n");
    let old = transport.find_executable("old-agent").await.unwrap();
    assert_eq!(old.used().unwrap().origin, PathOrigin::OtherVersion);
    let request = TransportSpawnRequest::new(CommandSpec::new("old-agent"), root.path());
    assert_eq!(printed(&transport, request).await, "old\n");
    let none = transport.find_executable("surely-not-installed").await.unwrap();
    assert!(none.found.is_empty() && !none.looked_in.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_finds_its_interpreter_beside_itself() {
    let root = tempfile::tempdir().unwrap();
    let options = LocalOptions {
        ask_login_shell: false,
        ..desktop(root.path(), "/bin/sh", &[])
    };
    let bin = root.path().join("somewhere/bin");
    program(&bin.join("my-node"), "#!/bin/sh\necho interpreted\n");
    program(&bin.join("tool"), "#!/usr/bin/env my-node\n");
    let transport = LocalTransport::new(options).unwrap();
    let command = CommandSpec::new(bin.join("tool").to_str().unwrap());
    assert_eq!(
        printed(&transport, TransportSpawnRequest::new(command, root.path())).await,
        "interpreted\n"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_are_typed() {
    let root = tempfile::tempdir().unwrap();
    let transport = transport(root.path());
    let file = root.path().join("file");
    fs::write(&file, "plain text, not executable").unwrap();
    let script = root.path().join("script");
    program(&script, "#!/no/such/interpreter -x\n");
    let path = |path: &Path| path.to_str().unwrap().to_owned();
    let missing = root.path().join("missing");
    let huge = CommandSpec::new("/bin/echo").args(std::iter::repeat_n("x".repeat(100_000), 60));
    let cases = [
        (
            CommandSpec::new("surely-not-installed"),
            root.path(),
            TransportErrorKind::ExecutableNotFound,
            "not found in",
        ),
        (
            CommandSpec::new("/no/such/program"),
            root.path(),
            TransportErrorKind::ExecutableNotFound,
            "no such program",
        ),
        (
            CommandSpec::new(path(&script)),
            root.path(),
            TransportErrorKind::ExecutableNotFound,
            "/no/such/interpreter",
        ),
        (
            CommandSpec::new(path(&file)),
            root.path(),
            TransportErrorKind::PermissionDenied,
            "may not be started",
        ),
        (
            CommandSpec::new("sh"),
            &missing,
            TransportErrorKind::WorkingDirectoryNotFound,
            "missing",
        ),
        (
            CommandSpec::new("sh"),
            &file,
            TransportErrorKind::WorkingDirectoryNotFound,
            "no folder",
        ),
        (
            CommandSpec::new("sh").arg("a\0b"),
            root.path(),
            TransportErrorKind::SpawnFailed,
            "could not be started",
        ),
        (huge, root.path(), TransportErrorKind::SpawnFailed, "too long"),
    ];
    for (command, cwd, kind, text) in cases {
        let shown = format!("{command:?}");
        let error = transport
            .spawn(TransportSpawnRequest::new(command, cwd))
            .await
            .err()
            .unwrap();
        assert_eq!(error.kind, kind, "{shown}: {error}");
        assert!(
            error.message.contains(text) && !error.retryable,
            "{shown}: {error}"
        );
    }
    let resolved = transport.check_directory(root.path()).await.unwrap();
    assert_eq!(resolved.resolved, root.path().canonicalize().unwrap());
    assert_eq!(
        transport.check_directory(Path::new("~")).await.unwrap().typed,
        transport.home()
    );
}
