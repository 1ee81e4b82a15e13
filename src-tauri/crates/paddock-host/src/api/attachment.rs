//! Prompts as they are sent, and the files that go with them.

use serde::{Deserialize, Serialize};
use specta::Type;

/// Largest attached file, in bytes.
pub const MAX_ATTACHED_BYTES: usize = 10 * 1024 * 1024;

/// A prompt as it is sent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct Prompt {
    /// The text.
    pub text: String,
    /// Ids of files that wait in the draft.
    pub attachments: Vec<String>,
    /// JSON schema of a structured answer, as JSON text.
    pub schema: Option<String>,
}

impl From<&str> for Prompt {
    fn from(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            ..Self::default()
        }
    }
}

/// A file that goes with a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct AttachedFile {
    /// Its id.
    pub id: String,
    /// Name for display.
    pub name: String,
    /// Media type; of an image by its bytes.
    pub media_type: String,
    /// Size, in bytes.
    pub bytes: u32,
    /// Width and height of an image, in pixels; absent: another file.
    pub size: Option<[u32; 2]>,
}
