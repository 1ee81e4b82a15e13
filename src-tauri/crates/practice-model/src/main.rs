//! The practice model as a program of its own: `practice-model [--port N] [--token-env NAME] [--scripts DIR]`.
//!
//! Prints one JSON line `{"addr", "anthropic_base_url", "openai_base_url", "token"?}` when it is ready (the token only
//! when it made one itself) and runs until its input ends or it is told to stop.

use std::{path::PathBuf, process::ExitCode};

use clap::Parser;
use practice_model::{PracticeModel, PracticeOptions};
use serde_json::json;
use tokio::io::AsyncReadExt;

/// A scripted model server on 127.0.0.1.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// TCP port on 127.0.0.1; 0 takes a free one.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Name of the environment variable that holds the token; a random token is made and printed without it.
    #[arg(long, value_name = "NAME")]
    token_env: Option<String>,
    /// Directory of script files that add to the built-in scripts.
    #[arg(long, value_name = "DIR")]
    scripts: Option<PathBuf>,
}

/// Why the program ends badly.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("the environment variable {0} is not set")]
    NoToken(String),
    #[error(transparent)]
    Start(#[from] practice_model::PracticeError),
    #[error("cannot wait for signals: {0}")]
    Signals(std::io::Error),
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            say_failure(&failure);
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: Arguments) -> Result<(), Failure> {
    let given = arguments.token_env.is_some();
    let token = match arguments.token_env {
        Some(name) => Some(std::env::var(&name).map_err(|_| Failure::NoToken(name))?),
        None => None,
    };
    let options = PracticeOptions {
        token,
        port: arguments.port,
        scripts: arguments.scripts,
        ..Default::default()
    };
    let model = PracticeModel::start(options).await?;
    say_ready(&model, !given);
    let stopped = tokio::select! {
        () = input_ends() => Ok(()),
        stopped = signalled() => stopped,
    };
    model.shutdown().await;
    stopped
}

/// The ready line is the interface of this program.
#[allow(clippy::print_stdout)]
fn say_ready(model: &PracticeModel, with_token: bool) {
    let mut line = json!({"addr": model.addr().to_string(), "anthropic_base_url": model.anthropic_base_url(),
                          "openai_base_url": model.openai_base_url()});
    if with_token {
        line["token"] = json!(model.token());
    }
    println!("{line}");
}

/// A program without a log says on stderr why it ends.
#[allow(clippy::print_stderr)]
fn say_failure(failure: &Failure) {
    use std::error::Error;
    eprintln!("practice-model: {failure}");
    if let Some(source) = failure.source() {
        eprintln!("  {source}");
    }
}

/// Returns when stdin is closed or cannot be read any more: whoever started the program is gone.
async fn input_ends() {
    /// Bytes thrown away at once.
    const BUFFER: usize = 1024;
    let mut stdin = tokio::io::stdin();
    let mut buffer = [0; BUFFER];
    while let Ok(1..) = stdin.read(&mut buffer).await {}
}

#[cfg(unix)]
async fn signalled() -> Result<(), Failure> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate()).map_err(Failure::Signals)?;
    tokio::select! {
        interrupted = tokio::signal::ctrl_c() => interrupted.map_err(Failure::Signals),
        _ = terminate.recv() => Ok(()),
    }
}

#[cfg(not(unix))]
async fn signalled() -> Result<(), Failure> {
    tokio::signal::ctrl_c().await.map_err(Failure::Signals)
}
