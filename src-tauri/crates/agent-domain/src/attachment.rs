//! Files that go with a prompt.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::limits;
use crate::request::RequestError;

/// Media types that harnesses take as images. Others are described by their path.
pub const NATIVE_IMAGE_TYPES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// A file that goes with the prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// Where it is, on the target.
    pub path: PathBuf,
    /// Name for display.
    pub name: String,
    /// Media type.
    pub media_type: String,
}

impl Attachment {
    /// Whether a harness that takes images gets this one as such. What the file really holds is checked before it is sent.
    pub fn is_image(&self) -> bool {
        NATIVE_IMAGE_TYPES.contains(&self.media_type.as_str())
    }
}

/// An image as a harness gets it: checked by its bytes, and scaled to what a model sees.
#[derive(Clone, PartialEq, Eq)]
pub struct NativeImage {
    /// Name of the attachment.
    pub name: String,
    /// One of [`NATIVE_IMAGE_TYPES`], by the bytes.
    pub media_type: &'static str,
    /// The encoded image, at most [`limits::MAX_IMAGE_BYTES`].
    pub data: Arc<[u8]>,
}

impl fmt::Debug for NativeImage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NativeImage")
            .field("name", &self.name)
            .field("media_type", &self.media_type)
            .field("bytes", &self.data.len())
            .finish()
    }
}

pub(crate) fn validate(attachments: &[Attachment]) -> Result<(), RequestError> {
    if attachments.len() > limits::MAX_ATTACHMENTS {
        return Err(RequestError::invalid("attachments", "at most 64"));
    }
    let bad = |text: &str| {
        text.is_empty()
            || text.len() > limits::MAX_ATTACHMENT_NAME_BYTES
            || text.contains(|c: char| c.is_control())
    };
    let wrong = attachments.iter().any(|file| {
        bad(&file.name)
            || bad(&file.media_type)
            || file.path.as_os_str().len() > limits::MAX_IDENTIFIER_BYTES
            || !file.path.has_root()
    });
    if wrong {
        return Err(RequestError::invalid(
            "attachments",
            "an absolute path of at most 4 KiB, a name and a media type of 1 to 1,024 bytes without control characters",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, path: &str) -> Attachment {
        Attachment {
            path: path.into(),
            name: name.into(),
            media_type: "image/png".into(),
        }
    }

    #[test]
    fn attachments_are_checked_at_their_edges() {
        let good = file(&"n".repeat(limits::MAX_ATTACHMENT_NAME_BYTES), "/a");
        assert!(validate(&vec![good.clone(); limits::MAX_ATTACHMENTS]).is_ok());
        assert!(validate(&vec![good; limits::MAX_ATTACHMENTS + 1]).is_err());
        for bad in [
            file(&"n".repeat(limits::MAX_ATTACHMENT_NAME_BYTES + 1), "/a"),
            file("", "/a"),
            file("line\nfeed", "/a"),
            file("a", "relative"),
            file("a", &format!("/{}", "p".repeat(limits::MAX_IDENTIFIER_BYTES))),
        ] {
            assert!(validate(&[bad]).is_err());
        }
    }

    #[test]
    fn debug_shows_no_picture() {
        let image = NativeImage {
            name: "a".into(),
            media_type: "image/png",
            data: Arc::from(&b"pixels"[..]),
        };
        assert!(format!("{image:?}").contains("bytes: 6"));
    }
}
