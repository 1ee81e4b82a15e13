//! The host while it opens, is open, or cannot be opened. Commands wait for it; the page is drawn meanwhile.

use std::path::PathBuf;

use paddock_host::api::{HostError, StoreHealth};
use paddock_host::{Host, HostOptions};
use tokio::sync::watch;

/// What the shell holds.
pub(crate) struct Shell {
    pub(crate) data_dir: PathBuf,
    pub(crate) channels: crate::channel::Channels,
    opened: watch::Sender<Option<Result<Opened, HostError>>>,
}

/// An open host.
#[derive(Clone)]
pub(crate) struct Opened {
    pub(crate) host: Host,
    /// Chat to open first.
    pub(crate) chat: Option<String>,
}

impl Shell {
    pub(crate) fn new(data_dir: PathBuf) -> Self {
        Self {
            data_dir,
            channels: crate::channel::Channels::default(),
            opened: watch::channel(None).0,
        }
    }

    /// Opens the host; with `practice` also a practice chat.
    pub(crate) async fn open(&self, practice: bool) {
        let mut options = HostOptions::new(&self.data_dir);
        options.more_folders = paddock_host::headless::harness_folders();
        let opened = match Host::open(options).await {
            Err(error) => Err(error),
            Ok(host) => {
                let chat = match practice {
                    false => None,
                    true => match host.start_practice().await {
                        Ok(chat) => Some(chat.id),
                        Err(error) => {
                            tracing::error!(kind = %error.kind, "the practice chat could not be started");
                            None
                        }
                    },
                };
                Ok(Opened { host, chat })
            }
        };
        self.opened.send_replace(Some(opened));
    }

    /// The open host, once it is open.
    pub(crate) async fn opened(&self) -> Result<Opened, HostError> {
        let mut opened = self.opened.subscribe();
        let closed = || HostError::new("closed", "Paddock is closing.", "Start it again.");
        let value = opened.wait_for(Option::is_some).await.map_err(|_| closed())?;
        value.clone().unwrap_or_else(|| Err(closed()))
    }

    /// The open host.
    pub(crate) async fn host(&self) -> Result<Host, HostError> {
        Ok(self.opened().await?.host)
    }

    /// The host if it is open now.
    pub(crate) fn host_now(&self) -> Option<Host> {
        self.opened
            .borrow()
            .as_ref()
            .and_then(|opened| opened.as_ref().ok())
            .map(|opened| opened.host.clone())
    }

    /// State of the database as the page shows it.
    pub(crate) fn health(&self, error: &HostError) -> StoreHealth {
        StoreHealth::Unusable {
            kind: error.kind.clone(),
            message: error.message.clone(),
            path: self.data_dir.display().to_string(),
            next_step: error.next_step.clone(),
        }
    }
}
