//! Starting and stopping the server.

use std::{fmt, io, net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use axum::serve::ListenerExt;
use tokio::{net::TcpListener, task::JoinHandle};
use tokio_util::sync::CancellationToken;

use crate::{
    faults::Happened,
    guard::Guard,
    library::Library,
    pace::Pace,
    record::{DEFAULT_REQUESTS, Record, RecordedRequest},
    routes::{self, Shared},
};

/// How long `shutdown` waits for open connections before it lets go of them.
const SHUTDOWN_WAIT: Duration = Duration::from_secs(2);

/// How to start.
#[derive(Clone, Default)]
pub struct PracticeOptions {
    /// The token that every request must bring; 32 random bytes in hex when `None`.
    pub token: Option<String>,
    /// TCP port on 127.0.0.1; 0 takes a free one.
    pub port: u16,
    /// A directory of script files (`*.json`) that add to the built-in scripts and override them by name.
    pub scripts: Option<PathBuf>,
    /// A pace for every script whose own pace is not fixed.
    pub pace: Option<Pace>,
    /// Requests kept in the record; 256 when `None`, at least 1.
    pub record: Option<usize>,
}

impl fmt::Debug for PracticeOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PracticeOptions")
            .field("token", &self.token.as_ref().map(|_| "[hidden]"))
            .field("port", &self.port)
            .field("scripts", &self.scripts)
            .field("pace", &self.pace)
            .field("record", &self.record)
            .finish()
    }
}

/// Why the server does not start.
#[derive(Debug, thiserror::Error)]
pub enum PracticeError {
    /// The port is taken or may not be used.
    #[error("cannot listen on 127.0.0.1 port {port}")]
    Listen {
        /// The port that was asked for.
        port: u16,
        /// What the system says.
        #[source]
        error: io::Error,
    },
    /// The token is empty or holds characters that an HTTP header cannot carry.
    #[error("the token is empty or not printable ASCII")]
    Token,
    /// The script directory or a file in it cannot be read.
    #[error("cannot read the script directory {}", path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
        /// What the system says.
        #[source]
        error: io::Error,
    },
    /// The script directory holds too many files.
    #[error("the script directory {} holds more than {most} files", path.display())]
    TooManyFiles {
        /// The directory.
        path: PathBuf,
        /// The bound.
        most: usize,
    },
    /// A script file is not understood.
    #[error("the script file {file} is not understood: {problem}")]
    Script {
        /// The file.
        file: String,
        /// What is wrong with it.
        #[source]
        problem: ScriptProblem,
    },
}

/// What is wrong with a script file.
#[derive(Debug, thiserror::Error)]
pub enum ScriptProblem {
    /// Not JSON, or not of the shape of a script.
    #[error("{0}")]
    Json(#[source] serde_json::Error),
    /// A name is not made of small letters, digits and hyphens.
    #[error("“{0}” is no script name: small letters, digits and hyphens")]
    Name(String),
    /// A script without steps.
    #[error("“{0}” has no steps")]
    NoSteps(String),
    /// The file is larger than `most` bytes.
    #[error("larger than {most} bytes")]
    TooBig {
        /// The bound in bytes.
        most: u64,
    },
}

/// A running practice model. Dropping it stops it.
pub struct PracticeModel {
    addr: SocketAddr,
    shared: Arc<Shared>,
    stop: CancellationToken,
    task: Option<JoinHandle<io::Result<()>>>,
}

impl fmt::Debug for PracticeModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PracticeModel")
            .field("addr", &self.addr)
            .finish_non_exhaustive()
    }
}

impl PracticeModel {
    /// Listens on 127.0.0.1 and answers until it is stopped. Needs a tokio runtime.
    ///
    /// # Errors
    /// See [`PracticeError`]; nothing is left running then.
    pub async fn start(options: PracticeOptions) -> Result<Self, PracticeError> {
        let token = options.token.unwrap_or_else(random_token);
        if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(PracticeError::Token);
        }
        let library = Library::load(options.scripts.as_deref())?;
        let listen = |error| PracticeError::Listen {
            port: options.port,
            error,
        };
        let listener = TcpListener::bind(("127.0.0.1", options.port))
            .await
            .map_err(listen)?;
        let addr = listener.local_addr().map_err(listen)?;
        let stop = CancellationToken::new();
        let shared = Arc::new(Shared {
            guard: Guard::new(token, addr.port()),
            library,
            happened: Happened::default(),
            record: Record::new(options.record.unwrap_or(DEFAULT_REQUESTS)),
            pace: options.pace,
            stop: stop.clone(),
        });
        // Small frames must not wait for each other.
        let listener = listener.tap_io(|stream| {
            if let Err(error) = stream.set_nodelay(true) {
                tracing::debug!(%error, "no TCP_NODELAY");
            }
        });
        let server = axum::serve(listener, routes::router(Arc::clone(&shared)));
        let stopped = stop.clone().cancelled_owned();
        let task = tokio::spawn(async move { server.with_graceful_shutdown(stopped).await });
        Ok(Self {
            addr,
            shared,
            stop,
            task: Some(task),
        })
    }

    /// Where it listens.
    #[must_use]
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// For `ANTHROPIC_BASE_URL`: `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn anthropic_base_url(&self) -> String {
        format!("http://{}", self.addr)
    }

    /// For OpenAI-like clients: `http://127.0.0.1:PORT/v1`.
    #[must_use]
    pub fn openai_base_url(&self) -> String {
        format!("http://{}/v1", self.addr)
    }

    /// The token that requests must bring, as `x-api-key` or as a bearer token. A secret.
    #[must_use]
    pub fn token(&self) -> &str {
        self.shared.guard.token()
    }

    /// The last requests that were let in, oldest first.
    #[must_use]
    pub fn recorded(&self) -> Vec<RecordedRequest> {
        self.shared.record.all()
    }

    /// Forgets the recorded requests.
    pub fn clear_recorded(&self) {
        self.shared.record.clear();
    }

    /// Stops: no new connection, open answers end. Waits up to 2 s for open connections.
    pub async fn shutdown(mut self) {
        self.stop.cancel();
        let Some(mut task) = self.task.take() else { return };
        match tokio::time::timeout(SHUTDOWN_WAIT, &mut task).await {
            Ok(Ok(Ok(()))) => {}
            Ok(Ok(Err(error))) => tracing::warn!(%error, "the practice model ended with an error"),
            Ok(Err(error)) => tracing::warn!(%error, "the practice model did not end in order"),
            Err(_) => task.abort(),
        }
    }
}

impl Drop for PracticeModel {
    fn drop(&mut self) {
        self.stop.cancel();
        if let Some(task) = self.task.take() {
            task.abort();
        }
    }
}

fn random_token() -> String {
    rand::random::<[u8; 32]>()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
