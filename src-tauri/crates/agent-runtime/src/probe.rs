//! Bounded questions to an installed harness: is it there, which version, signed in, which models.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use agent_domain::command::CommandSpec;
use agent_domain::harness::{
    HarnessAuthentication, HarnessAuthenticationStatus, HarnessCatalog, HarnessCatalogErrorKind,
    HarnessControlGroup, HarnessLimitation, HarnessModel, HarnessStatus, VersionStanding, version_triple,
};
use agent_domain::probe::{Probe, ProbeOutput, ProbeStep};
use agent_domain::{
    AccountUsageReport, AgentAdapter, HarnessId, PermissionSupport, Redactor, SecretEnv, Write,
};
use agent_exec::error::{TransportError, TransportErrorKind};
use agent_exec::process::lines::{LineReader, RawLine};
use agent_exec::transport::capture::capture;
use agent_exec::transport::{
    ExecutableSearch, ExecutableState, ExecutionTransport, TerminateMode, TransportProcess,
    TransportSpawnRequest,
};
use tokio::io::AsyncWriteExt;
use tokio::time::timeout;

/// Longest run of `--version` on this computer.
pub const VERSION_BOUND: Duration = Duration::from_secs(10);
/// Longest run of `--version` on another one.
pub const REMOTE_VERSION_BOUND: Duration = Duration::from_secs(16);
/// Most output of `--version`, in bytes.
const VERSION_BYTES: usize = 4 * 1024;
/// Longest reason that is passed on, in characters.
const REASON_CHARS: usize = 4_096;

/// Where and with what a harness is asked.
#[derive(Debug, Clone, Default)]
pub struct ProviderProbeContext {
    /// Folder on the target; absent: its home.
    pub working_directory: Option<PathBuf>,
    /// Secret environment. `Debug` shows names only.
    pub environment: SecretEnv,
    /// Plain environment.
    pub plain_environment: BTreeMap<String, String>,
    /// Variables that must not reach the probe.
    pub environment_remove: Vec<String>,
}

/// What is known about one harness on one target.
#[derive(Debug)]
pub struct HarnessReadiness {
    /// The harness.
    pub provider: HarnessId,
    /// Whether it can run.
    pub status: HarnessStatus,
    /// What the transport lacks for it.
    pub limitations: Vec<HarnessLimitation>,
    /// Every copy, and where was looked.
    pub search: Option<ExecutableSearch>,
    /// Version as printed.
    pub version: Option<String>,
    /// How it compares with the tested one.
    pub standing: Option<VersionStanding>,
    /// Why it cannot run.
    pub error: Option<TransportError>,
    /// Modes and live interactions, as the adapter states them.
    pub permissions: PermissionSupport,
    /// Sign-in; absent: not asked.
    pub authentication: Option<HarnessAuthentication>,
    /// Models on offer; empty while not asked, or not told.
    pub models: Vec<HarnessModel>,
    /// Its own options, as it advertises them.
    pub control_groups: Vec<HarnessControlGroup>,
    /// Why models and options are not known. The harness may still run.
    pub catalog_error: Option<CatalogError>,
    /// Quota of the account, where the catalogue's exchange told it; see
    /// [`AgentRuntime::fetch_account_usage`](crate::AgentRuntime::fetch_account_usage) to ask.
    pub account_usage: Option<AccountUsageReport>,
}

/// All registered harnesses, each probed independently.
#[derive(Debug)]
pub struct HarnessInventory {
    /// One entry a harness, by id.
    pub harnesses: Vec<HarnessReadiness>,
}

/// Looks for the executable and asks for its version.
pub async fn readiness(
    adapter: &dyn AgentAdapter,
    transport: &dyn ExecutionTransport,
    context: &ProviderProbeContext,
) -> HarnessReadiness {
    let mut found = HarnessReadiness {
        provider: adapter.id(),
        status: HarnessStatus::Unavailable,
        limitations: limitations(adapter, transport),
        search: None,
        version: None,
        standing: None,
        error: None,
        permissions: adapter.capabilities().permissions,
        authentication: None,
        models: Vec::new(),
        control_groups: Vec::new(),
        catalog_error: None,
        account_usage: None,
    };
    match transport.find_executable(&adapter.executable()).await {
        Err(error) => found.error = Some(error),
        Ok(search) => {
            let usable = search
                .found
                .iter()
                .any(|copy| matches!(copy.state, ExecutableState::Ready));
            found.status = if search.found.is_empty() {
                HarnessStatus::NotInstalled
            } else {
                HarnessStatus::Unavailable
            };
            found.search = Some(search);
            if usable {
                ask_version(&mut found, adapter, transport, context).await;
            }
        }
    }
    if found.status == HarnessStatus::Ready && !found.limitations.is_empty() {
        found.status = HarnessStatus::Incompatible;
    }
    found
}

fn limitations(adapter: &dyn AgentAdapter, transport: &dyn ExecutionTransport) -> Vec<HarnessLimitation> {
    let has = transport.capabilities();
    let mut missing = Vec::new();
    if adapter.capabilities().needs_interactive_stdin && !has.interactive_stdin {
        missing.push(HarnessLimitation::NoInteractiveStdin);
    }
    if !has.process_tree_termination {
        missing.push(HarnessLimitation::NoProcessTreeTermination);
    }
    missing
}

async fn ask_version(
    found: &mut HarnessReadiness,
    adapter: &dyn AgentAdapter,
    transport: &dyn ExecutionTransport,
    context: &ProviderProbeContext,
) {
    let probe = Probe {
        command: CommandSpec::new(adapter.executable()).arg("--version"),
        first_writes: Vec::new(),
        timeout: if transport.capabilities().remote {
            REMOTE_VERSION_BOUND
        } else {
            VERSION_BOUND
        },
        max_output: VERSION_BYTES,
        exchange: false,
    };
    match run(&probe, None, transport, context).await {
        Ok(output) => {
            let printed = String::from_utf8_lossy(&output.stdout)
                .lines()
                .next()
                .unwrap_or_default()
                .trim()
                .to_owned();
            found.standing = Some(VersionStanding::of(&printed, adapter.identity().verified_version));
            found.status = if version_triple(&printed).is_some() {
                HarnessStatus::Ready
            } else {
                HarnessStatus::Unavailable
            };
            found.version = Some(printed);
        }
        Err(error) => found.error = Some(error),
    }
}

/// Asks whether the harness is signed in. A failed query is never read as signed out.
pub async fn authentication(
    adapter: &dyn AgentAdapter,
    transport: &dyn ExecutionTransport,
    context: &ProviderProbeContext,
) -> HarnessAuthentication {
    let Some(query) = adapter.authentication() else {
        return HarnessAuthentication::unknown("This harness has no way to ask.");
    };
    match run(&query.authentication_probe(), None, transport, context).await {
        Ok(output) => {
            let mut answer = query.parse_authentication_probe(&output);
            answer.reason = answer
                .reason
                .map(|reason| bounded(&Redactor::of(&context.environment).redact(&reason)));
            answer
        }
        Err(error) => HarnessAuthentication::of(
            HarnessAuthenticationStatus::Unavailable,
            bounded(&error.to_string()),
        ),
    }
}

/// Why a catalogue is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogError {
    /// Its kind.
    pub kind: HarnessCatalogErrorKind,
    /// For display, redacted and bounded.
    pub message: String,
}

/// Asks for models and options.
pub async fn catalog(
    adapter: &dyn AgentAdapter,
    transport: &dyn ExecutionTransport,
    context: &ProviderProbeContext,
) -> Result<Option<HarnessCatalog>, CatalogError> {
    let Some(query) = adapter.catalog() else {
        return Ok(None);
    };
    let line = |line: &[u8]| query.line(line);
    let output = run(&query.catalog_probe(), Some(&line), transport, context)
        .await
        .map_err(|error| {
            let kind = match error.kind {
                TransportErrorKind::ConnectionTimedOut => HarnessCatalogErrorKind::Timeout,
                _ => HarnessCatalogErrorKind::Transport,
            };
            CatalogError {
                kind,
                message: bounded(&error.to_string()),
            }
        })?;
    query
        .parse_catalog_probe(&output)
        .map(Some)
        .map_err(|error| CatalogError {
            kind: if output.code.is_some_and(|code| code != 0) {
                HarnessCatalogErrorKind::Command
            } else {
                HarnessCatalogErrorKind::Protocol
            },
            message: bounded(&Redactor::of(&context.environment).redact(&error.to_string())),
        })
}

/// Asks for the account's quota. A query that fails is an answer too: it says why, and whether asking again may help.
pub async fn account_usage(
    adapter: &dyn AgentAdapter,
    transport: &dyn ExecutionTransport,
    context: &ProviderProbeContext,
) -> AccountUsageReport {
    let Some(query) = adapter.account_usage() else {
        return AccountUsageReport::Unsupported;
    };
    let line = |line: &[u8]| query.usage_line(line);
    let report = match run(&query.account_usage_probe(), Some(&line), transport, context).await {
        Ok(output) => query.parse_account_usage_probe(&output),
        Err(error) => AccountUsageReport::Unavailable {
            reason: error.to_string(),
            retryable: error.retryable,
        },
    };
    match report {
        AccountUsageReport::Unavailable { reason, retryable } => AccountUsageReport::Unavailable {
            reason: bounded(&Redactor::of(&context.environment).redact(&reason)),
            retryable,
        },
        other => other,
    }
}

fn bounded(text: &str) -> String {
    text.chars().take(REASON_CHARS).collect()
}

/// Reads one line of an exchange.
type Listener<'a> = dyn Fn(&[u8]) -> ProbeStep + Send + Sync + 'a;

async fn run(
    probe: &Probe,
    exchange: Option<&Listener<'_>>,
    transport: &dyn ExecutionTransport,
    context: &ProviderProbeContext,
) -> Result<ProbeOutput, TransportError> {
    let mut command = probe.command.clone();
    command.env.extend(context.plain_environment.clone());
    for (name, value) in context.environment.iter() {
        command.secret_env.insert(name, value.expose());
    }
    command.env_remove.extend(context.environment_remove.clone());
    let cwd = match &context.working_directory {
        Some(cwd) => transport.check_directory(cwd).await?.resolved,
        None => {
            transport
                .check_directory(std::path::Path::new("~"))
                .await?
                .resolved
        }
    };
    let mut process = transport.spawn(TransportSpawnRequest::new(command, cwd)).await?;
    let input: Vec<u8> = probe.first_writes.iter().flat_map(line_bytes).collect();
    match exchange.filter(|_| probe.exchange) {
        None => {
            let captured = capture(process.as_mut(), &input, probe.timeout, probe.max_output).await?;
            match captured.exit {
                Some(exit) => Ok(ProbeOutput {
                    stdout: captured.stdout,
                    stderr: captured.stderr,
                    code: exit.code,
                }),
                None => Err(slow(probe)),
            }
        }
        Some(listener) => {
            let talked = timeout(probe.timeout, talk(probe, listener, process.as_mut(), &input)).await;
            process.terminate(TerminateMode::Now).await?;
            talked.unwrap_or_else(|_| Err(slow(probe)))
        }
    }
}

fn slow(probe: &Probe) -> TransportError {
    TransportError::retryable(
        TransportErrorKind::ConnectionTimedOut,
        format!(
            "{} did not answer within {} s",
            probe.command.program,
            probe.timeout.as_secs()
        ),
    )
}

fn line_bytes(write: &Write) -> Vec<u8> {
    match write {
        Write::Line(line) => [line.as_slice(), b"\n"].concat(),
        Write::Http { .. } | Write::CloseStdin => Vec::new(),
    }
}

async fn talk(
    probe: &Probe,
    listener: &Listener<'_>,
    process: &mut dyn TransportProcess,
    input: &[u8],
) -> Result<ProbeOutput, TransportError> {
    let missing = || TransportError::new(TransportErrorKind::StreamFailed, "the probe has no pipes");
    let failed = |e: std::io::Error| {
        TransportError::new(TransportErrorKind::StreamFailed, "the probe's pipe broke").caused_by(e)
    };
    let mut stdin = process.take_stdin().ok_or_else(missing)?;
    let mut lines = LineReader::new(process.take_stdout().ok_or_else(missing)?);
    let mut output = ProbeOutput::default();
    stdin.write_all(input).await.map_err(failed)?;
    stdin.flush().await.map_err(failed)?;
    while let Ok(Some(line)) = lines.next().await {
        let RawLine::Line(line) = line else { continue };
        if output.stdout.len() + line.len() > probe.max_output {
            break;
        }
        output.stdout.extend_from_slice(line);
        output.stdout.push(b'\n');
        match listener(line) {
            ProbeStep::Done => return Ok(output),
            ProbeStep::More(writes) => {
                for write in &writes {
                    stdin.write_all(&line_bytes(write)).await.map_err(failed)?;
                }
                stdin.flush().await.map_err(failed)?;
            }
        }
    }
    output.code = process.wait().await?.code;
    Ok(output)
}
