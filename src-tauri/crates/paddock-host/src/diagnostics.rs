//! Logs, and a bundle for a bug report. Neither holds prompts, tool input or output, keys or addresses.

use std::io::Write;
use std::path::{Path, PathBuf};

use tracing_appender::non_blocking::WorkerGuard;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::api::HostError;
use crate::convert;
use crate::host::{Host, now};

/// Log files that are kept, one a day.
pub const LOG_FILES: usize = 7;
/// Bytes of the newest log that go into a bundle.
pub const BUNDLE_LOG_BYTES: usize = 1024 * 1024;
const LOG_FOLDER: &str = "logs";

/// Starts to log into the data folder. Keep the guard: dropping it writes what waits.
pub fn start_log(data_dir: &Path) -> Result<WorkerGuard, HostError> {
    let failed =
        |error: String| HostError::new("data_dir", error, "Check the permissions of the data folder.");
    let folder = data_dir.join(LOG_FOLDER);
    std::fs::create_dir_all(&folder).map_err(|error| failed(error.to_string()))?;
    let files = tracing_appender::rolling::Builder::new()
        .rotation(tracing_appender::rolling::Rotation::DAILY)
        .filename_prefix("paddock")
        .filename_suffix("log")
        .max_log_files(LOG_FILES)
        .build(&folder)
        .map_err(|error| failed(error.to_string()))?;
    let (writer, guard) = tracing_appender::non_blocking(files);
    let layer = tracing_subscriber::fmt::layer().json().with_writer(writer);
    // Libraries below may log what they carry (addresses, statements): only our own crates are heard.
    let filter = EnvFilter::new(
        "off,paddock=info,paddock_lib=info,paddock_host=info,paddock_store=info,agent_runtime=info,agent_exec=info",
    );
    // A second start in one process, as in tests, keeps the first subscriber.
    let _ = tracing_subscriber::registry().with(filter).with(layer).try_init();
    Ok(guard)
}

impl Host {
    /// Writes a bundle and returns its path: versions, counts, states and the newest log.
    pub async fn diagnostics_bundle(&self) -> Result<PathBuf, HostError> {
        let facts = self.facts().await?;
        let folder = self.inner.data_dir.join("diagnostics");
        let log = newest_log(&self.inner.data_dir.join(LOG_FOLDER));
        let path = folder.join(format!("paddock-{}.txt", now()));
        let written = std::fs::create_dir_all(&folder).and_then(|()| {
            let mut file = std::fs::File::create(&path)?;
            writeln!(file, "{facts}\n\n--- log ---")?;
            if let Some(log) = log {
                let bytes = std::fs::read(log)?;
                file.write_all(&bytes[bytes.len().saturating_sub(BUNDLE_LOG_BYTES)..])?;
            }
            Ok(())
        });
        written.map_err(|error| HostError::new("data_dir", error.to_string(), "Check free disk space."))?;
        Ok(path)
    }

    async fn facts(&self) -> Result<String, HostError> {
        let cards = self.harnesses();
        let harnesses: Vec<_> = cards
            .iter()
            .map(|card| {
                serde_json::json!({
                    "id": card.id, "status": card.status, "version": card.version, "standing": card.standing,
                    "copies": card.copies.len(), "models": card.models.len(),
                    "authentication": card.authentication.as_ref().map(|auth| auth.status),
                })
            })
            .collect();
        let living = self.living().await?;
        let facts = serde_json::json!({
            "version": env!("CARGO_PKG_VERSION"),
            "platform": std::env::consts::OS, "arch": std::env::consts::ARCH,
            "store_version": paddock_store::known_version(),
            "running_turns": living.turns.len(), "open_decisions": living.decisions, "queued": living.queued,
            "harnesses": harnesses,
            "settings": convert::json(&self.settings().await?),
        });
        Ok(serde_json::to_string_pretty(&facts).unwrap_or_default())
    }
}

fn newest_log(folder: &Path) -> Option<PathBuf> {
    let files = std::fs::read_dir(folder).ok()?;
    files
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| path.is_file())
        .max()
}
