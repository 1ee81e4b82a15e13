//! Files that go with prompts: kept in the data folder until their chat is removed.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use agent_domain::{Attachment, limits};
use agent_runtime::images;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use paddock_store::{AttachmentRecord, StoreError, new_id};
use uuid::Uuid;

use crate::api::{AttachedFile, HostError, MAX_ATTACHED_BYTES};
use crate::host::{Host, now};

/// Sub-folder of the data folder.
const FOLDER: &str = "attachments";
/// Longest name that is kept of a file, in bytes.
const NAME_BYTES: usize = 160;
/// Pixels of the longer side of a preview.
const PREVIEW_SIDE: u32 = 320;
/// Bytes of a preview.
const PREVIEW_BYTES: usize = 512 * 1024;
/// Days that a file waits in a draft before it is forgotten.
const WAITING_DAYS: i64 = 90;
/// Milliseconds of a day.
const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// Media type of a file of which no more is known.
const PLAIN_BYTES: &str = "application/octet-stream";

impl Host {
    /// Keeps a file for a draft. `data` is base64; what it is, its bytes say and not its name.
    pub async fn attach(
        &self,
        place: &str,
        name: &str,
        media_type: &str,
        data: &str,
    ) -> Result<AttachedFile, HostError> {
        let bytes = decoded(data)?;
        let facts = images::inspect(&bytes);
        let claims_image = agent_domain::NATIVE_IMAGE_TYPES.contains(&media_type);
        if claims_image && facts.is_none() {
            return Err(refused(format!("{name} is no image that can be read.")));
        }
        let record = AttachmentRecord {
            id: new_id(),
            place: place.to_owned(),
            chat_id: None,
            name: plain_name(name),
            media_type: facts.map_or_else(|| plain_type(media_type), |facts| facts.media_type.to_owned()),
            bytes: i64::try_from(bytes.len()).unwrap_or(i64::MAX),
            width: facts.map(|facts| facts.width.into()),
            height: facts.map(|facts| facts.height.into()),
            created_at: now(),
        };
        let path = self.attachment_path(&record);
        let (is_image, shown_name) = (facts.is_some(), record.name.clone());
        let bytes = blocking(move || {
            // A whole look: what cannot be read is said now, and not when the turn starts.
            let small =
                is_image.then(|| images::scaled(&shown_name, bytes.clone(), PREVIEW_SIDE, PREVIEW_BYTES));
            Ok(small.transpose().map(|_| bytes))
        });
        let bytes = bytes.await?.map_err(|error| refused(format!("{error}.")))?;
        blocking(move || write_private(&path, &bytes)).await?;
        if let Err(error) = self.inner.store.attachment_add(record.clone()).await {
            self.forget_files(vec![record.id]).await;
            return Err(too_many(error));
        }
        Ok(shown(&record))
    }

    /// Files that wait in a draft, oldest first.
    pub async fn attachments(&self, place: &str) -> Result<Vec<AttachedFile>, HostError> {
        let waiting = self.inner.store.attachments_waiting(place).await?;
        Ok(waiting.iter().map(shown).collect())
    }

    /// Takes a file out of its draft.
    pub async fn detach(&self, id: &str) -> Result<(), HostError> {
        if !self.inner.store.attachment_remove(id).await? {
            return Err(HostError::not_found("file"));
        }
        self.forget_files(vec![id.to_owned()]).await;
        Ok(())
    }

    /// A picture of an attached image, as a `data:` address; none for another file. `large`: as the model sees it, else
    /// small.
    pub async fn attachment_preview(&self, id: &str, large: bool) -> Result<Option<String>, HostError> {
        let record = self.inner.store.attachment(id).await?;
        let record = record.ok_or_else(|| HostError::not_found("file"))?;
        if record.width.is_none() {
            return Ok(None);
        }
        let path = self.attachment_path(&record);
        let small = blocking(move || {
            let bytes = fs::read(path)?;
            let (side, most) = match large {
                true => (limits::IMAGE_SIDE, limits::MAX_IMAGE_BYTES),
                false => (PREVIEW_SIDE, PREVIEW_BYTES),
            };
            images::scaled(&record.name, bytes, side, most).map_err(io::Error::other)
        });
        let small = small.await?;
        let data = STANDARD.encode(&small.data);
        Ok(Some(format!("data:{};base64,{data}", small.media_type)))
    }

    /// The files of a prompt: they wait in a draft, or were sent before and are sent again.
    pub(crate) async fn waiting_files(&self, ids: &[String]) -> Result<Vec<AttachedFile>, HostError> {
        if ids.len() > limits::MAX_ATTACHMENTS {
            return Err(refused(format!(
                "A prompt takes at most {} files.",
                limits::MAX_ATTACHMENTS
            )));
        }
        let mut files = Vec::with_capacity(ids.len());
        for id in ids {
            let record = self.inner.store.attachment(id).await?;
            let record = record.ok_or_else(|| HostError::not_found("file"))?;
            files.push(shown(&record));
        }
        Ok(files)
    }

    /// Notes that these went into a chat: they leave the draft and are removed with the chat.
    pub(crate) async fn files_sent(&self, chat: &str, files: &[AttachedFile]) -> Result<(), HostError> {
        if files.is_empty() {
            return Ok(());
        }
        let ids: Vec<String> = files.iter().map(|file| file.id.clone()).collect();
        Ok(self.inner.store.attachments_sent(chat, &ids).await?)
    }

    /// As the runtime takes them.
    pub(crate) fn as_attachments(&self, files: &[AttachedFile]) -> Vec<Attachment> {
        let one = |file: &AttachedFile| Attachment {
            path: self.folder_of(&file.id).join(&file.name),
            name: file.name.clone(),
            media_type: file.media_type.clone(),
        };
        files.iter().map(one).collect()
    }

    /// Ids of everything that was sent in a chat, to be removed with it.
    pub(crate) async fn files_of(&self, chat: &str) -> Result<Vec<String>, HostError> {
        let records = self.inner.store.attachments_of_chat(chat).await?;
        Ok(records.into_iter().map(|record| record.id).collect())
    }

    /// Removes files whose rows are gone. What cannot be removed now is tried again at the next start.
    pub(crate) async fn forget_files(&self, ids: Vec<String>) {
        let folders: Vec<PathBuf> = ids.iter().map(|id| self.folder_of(id)).collect();
        let removed = blocking(move || folders.iter().try_for_each(|folder| remove(folder))).await;
        if let Err(error) = removed {
            tracing::warn!(message = %error.message, "files of a prompt could not be removed");
        }
    }

    /// Forgets old files of drafts, and removes files that no row knows: a crash or a removed chat left them.
    pub(crate) async fn sweep_files(&self) -> Result<(), HostError> {
        let store = &self.inner.store;
        store.attachments_forget(now() - WAITING_DAYS * DAY_MS).await?;
        let known = store.attachment_ids().await?;
        let root = self.inner.data_dir.join(FOLDER);
        let found = blocking(move || unknown(&root, &known)).await?;
        self.forget_files(found).await;
        Ok(())
    }

    fn folder_of(&self, id: &str) -> PathBuf {
        self.inner.data_dir.join(FOLDER).join(id)
    }

    fn attachment_path(&self, record: &AttachmentRecord) -> PathBuf {
        self.folder_of(&record.id).join(&record.name)
    }
}

/// Folders of ours that are not in `known`. What is not named by an id of ours is left alone.
fn unknown(root: &Path, known: &[String]) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(root) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut found = Vec::new();
    for entry in entries {
        if let Ok(name) = entry?.file_name().into_string()
            && Uuid::try_parse(&name).is_ok()
            && !known.contains(&name)
        {
            found.push(name);
        }
    }
    Ok(found)
}

fn decoded(data: &str) -> Result<Vec<u8>, HostError> {
    let too_large = || refused("A file has at most 10 MiB.".to_owned());
    if data.len() / 4 * 3 > MAX_ATTACHED_BYTES + 3 {
        return Err(too_large());
    }
    let bytes = STANDARD
        .decode(data)
        .map_err(|_| refused("The file did not arrive whole.".to_owned()))?;
    match bytes.len() {
        0 => Err(refused("The file is empty.".to_owned())),
        len if len > MAX_ATTACHED_BYTES => Err(too_large()),
        _ => Ok(bytes),
    }
}

/// The last part of a name, without what a file system or a terminal takes for something else.
fn plain_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let kept: String = last
        .chars()
        .map(|c| {
            if c.is_control() || r#"<>:"|?*"#.contains(c) {
                '_'
            } else {
                c
            }
        })
        .collect();
    let mut end = kept.len().min(NAME_BYTES);
    while !kept.is_char_boundary(end) {
        end -= 1;
    }
    match kept[..end].trim_matches(['.', ' ']) {
        "" => "file".to_owned(),
        plain => plain.to_owned(),
    }
}

fn plain_type(media_type: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/+-.".contains(c);
    let known = media_type.contains('/') && media_type.len() <= 128 && media_type.chars().all(plain);
    if known { media_type } else { PLAIN_BYTES }.to_owned()
}

fn shown(record: &AttachmentRecord) -> AttachedFile {
    let side = |pixels: i64| u32::try_from(pixels).unwrap_or(u32::MAX);
    AttachedFile {
        id: record.id.clone(),
        name: record.name.clone(),
        media_type: record.media_type.clone(),
        bytes: u32::try_from(record.bytes).unwrap_or(u32::MAX),
        size: record
            .width
            .zip(record.height)
            .map(|(width, height)| [side(width), side(height)]),
    }
}

fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    crate::practice::make_private(folder)?;
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, HostError> {
    let failed = |error: String| {
        HostError::new(
            "file_unreadable",
            format!("The file could not be kept or read: {error}"),
            "Check the data folder, then attach the file again.",
        )
    };
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done.map_err(|error| failed(error.to_string())),
        Err(error) => Err(failed(error.to_string())),
    }
}

fn refused(message: String) -> HostError {
    HostError::new("invalid_request", message, "Attach another file.")
}

fn too_many(error: StoreError) -> HostError {
    match error {
        StoreError::OutOfBounds { max, .. } => HostError::new(
            "too_large",
            format!("A prompt takes at most {max} files."),
            "Remove one first.",
        ),
        other => other.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_in_its_folder() {
        for (name, plain) in [
            ("../../etc/passwd", "passwd"),
            (r"C:\x\a b.png", "a b.png"),
            ("..", "file"),
            ("", "file"),
            ("a\n\u{1b}b", "a__b"),
            ("東.png", "東.png"),
        ] {
            assert_eq!(plain_name(name), plain);
        }
        let long = "東".repeat(200);
        assert!(plain_name(&long).len() <= NAME_BYTES);
    }

    #[test]
    fn a_media_type_is_a_media_type_or_nothing() {
        assert_eq!(plain_type("text/x-rust"), "text/x-rust");
        for odd in ["", "text", "text/plain; charset=x", &"a/".repeat(100)] {
            assert_eq!(plain_type(odd), PLAIN_BYTES);
        }
    }

    #[test]
    fn sizes_are_checked_at_their_edges() {
        let of = |bytes: usize| decoded(&STANDARD.encode(vec![b'a'; bytes]));
        assert!(of(0).is_err());
        assert_eq!(of(MAX_ATTACHED_BYTES).unwrap().len(), MAX_ATTACHED_BYTES);
        assert!(of(MAX_ATTACHED_BYTES + 1).is_err());
        assert!(decoded("no base64!").is_err());
    }
}
