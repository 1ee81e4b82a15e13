//! The practice endpoint: the scripted model in this process, private configuration folders, a sample folder.

use std::path::{Path, PathBuf};

use agent_domain::failure::Failure;
use agent_domain::permission::PermissionMode;
use practice_model::{PracticeModel, PracticeOptions};

use crate::api::{ChatSummary, Endpoint, HostError, NewChat};
use crate::host::Host;

/// First prompt of a practice chat: without a script's name the model gives its tour.
pub const TOUR_PROMPT: &str = "Hello! Show me around.";
/// Sub-folder of the data folder.
const PRACTICE_FOLDER: &str = "practice";

/// A running practice model with its folders.
pub struct Practice {
    model: PracticeModel,
    root: PathBuf,
}

impl Practice {
    /// Starts the model on a loopback port with a random token.
    pub async fn start(data_dir: &Path) -> Result<Self, HostError> {
        let failed = |error: String| {
            HostError::new(
                "practice",
                error,
                "Check that programs may listen on this computer's loopback address.",
            )
        };
        let root = data_dir.join(PRACTICE_FOLDER);
        make_private(&root).map_err(|error| failed(error.to_string()))?;
        let model = PracticeModel::start(PracticeOptions::default())
            .await
            .map_err(|error| failed(error.to_string()))?;
        Ok(Self { model, root })
    }

    /// The model.
    pub fn model(&self) -> &PracticeModel {
        &self.model
    }

    /// Configuration folder of a harness, used for practice alone.
    pub fn config_dir(&self, harness: &str) -> Result<String, HostError> {
        let folder = self.root.join("config").join(harness);
        make_private(&folder).map_err(|error| folder_error(&folder, &error))?;
        Ok(folder.display().to_string())
    }

    /// The sample folder, made when it is missing.
    pub fn folder(&self) -> Result<PathBuf, HostError> {
        let folder = self.root.join("sample");
        let made = std::fs::create_dir_all(&folder).and_then(|()| {
            let readme = folder.join("README.md");
            if readme.exists() {
                Ok(())
            } else {
                std::fs::write(readme, SAMPLE_README)
            }
        });
        made.map_err(|error| folder_error(&folder, &error))?;
        Ok(folder)
    }
}

/// Replaces the advice of a failure that is about accounts: practice has none.
pub(crate) fn advise(failure: &mut Failure) {
    let about = match failure.kind.as_str() {
        "authentication" => "Practice uses no account, and your own sign-in is untouched",
        "permission" => "Practice uses no account",
        "billing" => "Practice costs nothing",
        _ => return,
    };
    failure.next_step =
        format!("{about}: the scripted model played this refusal. Go on with another message.");
}

const SAMPLE_README: &str = "# Practice folder\n\nThis folder belongs to Paddock. Practice chats work here; nothing in it is \
needed elsewhere.\n";

fn folder_error(folder: &Path, error: &std::io::Error) -> HostError {
    let message = format!("{}: {error}", folder.display());
    HostError::new("data_dir", message, "Check the permissions of the data folder.")
}

pub(crate) fn make_private(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

impl Host {
    pub(crate) async fn practice(&self) -> Result<&Practice, HostError> {
        self.inner
            .practice
            .get_or_try_init(|| Practice::start(&self.inner.data_dir))
            .await
    }

    /// What the practice model was asked so far; empty while it was not used.
    pub fn practice_record(&self) -> Vec<practice_model::RecordedRequest> {
        self.inner
            .practice
            .get()
            .map(|practice| practice.model.recorded())
            .unwrap_or_default()
    }

    /// A new chat in the sample folder that runs the tour.
    pub async fn start_practice(&self) -> Result<ChatSummary, HostError> {
        let folder = self.practice().await?.folder()?;
        let folder = folder.display().to_string();
        self.create_chat(NewChat {
            folder,
            harness: "claude".into(),
            endpoint: Endpoint::Practice,
            model: None,
            effort: None,
            mode: PermissionMode::Default,
            prompt: TOUR_PROMPT.into(),
            attachments: Vec::new(),
            schema: None,
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use agent_domain::failure::{DeliveryState, ProviderFailure, ProviderProcessErrorKind as Kind};
    use agent_runtime::RuntimeError;

    use super::*;

    fn advised(kind: Kind) -> (String, String) {
        let error = RuntimeError::ProcessFailed {
            provider: "claude".into(),
            failure: Box::new(ProviderFailure {
                kind,
                message: "refused".into(),
                code: None,
                retry_at: None,
                delivery: DeliveryState::Accepted,
            }),
            exit_code: Some(1),
            session_id: None,
        };
        let mut failure = error.to_failure();
        let before = failure.next_step.clone();
        advise(&mut failure);
        (before, failure.next_step)
    }

    #[test]
    fn nobody_is_sent_to_sign_in_or_to_pay_because_of_a_practice_refusal() {
        for kind in [Kind::Authentication, Kind::Permission, Kind::Billing] {
            let (before, after) = advised(kind);
            assert_ne!(before, after);
            assert!(after.starts_with("Practice"), "{after}");
        }
        let (before, after) = advised(Kind::Server);
        assert_eq!(before, after, "other advice stands");
    }
}
