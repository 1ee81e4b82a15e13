//! User lines: what goes to the CLI as a prompt.

use agent_domain::{Attachment, NativeImage, TurnInput};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use uuid::Uuid;

use super::reading::json;

/// The line that begins a turn: the prompt, images as blocks of their own, other files by their path.
pub(super) fn begin(input: &TurnInput) -> Vec<u8> {
    let request = &input.request;
    let files = described(&request.attachments, !input.images.is_empty());
    let mut blocks = vec![text_block(&request.prompt)];
    blocks.extend(files.as_deref().map(text_block));
    blocks.extend(input.images.iter().map(image_block));
    line(prompt_uuid(input), &blocks)
}

/// A line of text. A prompt id that is no UUID is left out: the CLI takes no other.
pub(super) fn text_line(uuid: Option<&str>, text: &str) -> Vec<u8> {
    line(uuid, &[text_block(text)])
}

pub(super) fn prompt_uuid(input: &TurnInput) -> Option<&str> {
    let id = input.prompt_id.as_str();
    Uuid::try_parse(id).is_ok().then_some(id)
}

fn described(attachments: &[Attachment], images_are_native: bool) -> Option<String> {
    let files: Vec<String> = attachments
        .iter()
        .filter(|file| !(images_are_native && file.is_image()))
        .map(|file| format!("- {} ({}): {}", file.name, file.media_type, file.path.display()))
        .collect();
    (!files.is_empty()).then(|| format!("Attached files:\n{}", files.join("\n")))
}

fn text_block(text: &str) -> String {
    format!(r#"{{"type":"text","text":{}}}"#, json(text))
}

/// As recorded on 2.1.332: the block reaches the model as it is.
fn image_block(image: &NativeImage) -> String {
    format!(
        r#"{{"type":"image","source":{{"type":"base64","media_type":"{}","data":"{}"}}}}"#,
        image.media_type,
        STANDARD.encode(&image.data)
    )
}

fn line(uuid: Option<&str>, blocks: &[String]) -> Vec<u8> {
    let uuid = uuid
        .map(|uuid| format!(r#","uuid":{}"#, json(uuid)))
        .unwrap_or_default();
    format!(
        r#"{{"type":"user","message":{{"role":"user","content":[{}]}},"parent_tool_use_id":null{uuid}}}"#,
        blocks.join(",")
    )
    .into_bytes()
}
