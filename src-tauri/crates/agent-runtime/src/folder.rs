//! What a folder would make a harness run, looked at without running anything.

use std::path::{Path, PathBuf};

use agent_domain::{FolderContent, FolderFile, FolderItem, FolderProbe};
use agent_exec::transport::{ExecutionTransport, TreeBounds};
use sha2::{Digest, Sha256};

use crate::error::RuntimeError;

/// Bounds of a look at a folder.
pub const FOLDER_BOUNDS: TreeBounds = TreeBounds {
    files: 1_000,
    file_bytes: 1024 * 1024,
    bytes: 8 * 1024 * 1024,
    depth: 8,
};
/// Most folders above that are looked at.
pub const MAX_FOLDERS_ABOVE: usize = 64;
/// Most items that are told.
pub const MAX_FOLDER_ITEMS: usize = 1_000;
/// Longest detail of an item, in characters.
pub const MAX_ITEM_CHARS: usize = 2_000;

/// What the folder, and the folders above it, would make this harness run. What is the user's own is left out.
pub(crate) async fn content(
    probe: &dyn FolderProbe,
    transport: &dyn ExecutionTransport,
    folder: &Path,
) -> Result<FolderContent, RuntimeError> {
    let check = transport.check_directory(folder);
    let folder = check.await.map_err(RuntimeError::unsent)?.resolved;
    let check = transport.check_directory(Path::new("~"));
    let home = check.await.map_err(RuntimeError::unsent)?.resolved;
    let above = if probe.looks_above() { MAX_FOLDERS_ABOVE } else { 0 };
    let places: Vec<PathBuf> = folder
        .ancestors()
        .take(1 + above)
        .flat_map(|place| probe.places().iter().map(|name| place.join(name)))
        .filter(|place| !probe.is_the_user_s(place, &home))
        .collect();
    let read = transport.read_tree(&places, FOLDER_BOUNDS);
    let tree = read.await.map_err(RuntimeError::unsent)?;
    let mut items: Vec<FolderItem> = probe.items(&tree.files).into_iter().map(bounded).collect();
    items.sort_by(|a, b| (a.kind, &a.file).cmp(&(b.kind, &b.file)));
    let told = items.len() <= MAX_FOLDER_ITEMS;
    items.truncate(MAX_FOLDER_ITEMS);
    Ok(FolderContent {
        items,
        digest: digest(&tree.files),
        complete: tree.complete && told,
    })
}

fn bounded(mut item: FolderItem) -> FolderItem {
    item.name = cut(&item.name);
    item.detail = item.detail.as_deref().map(cut);
    item
}

fn cut(text: &str) -> String {
    text.chars().take(MAX_ITEM_CHARS).collect()
}

/// Lengths stand before what they measure, so that no two lists of files look the same.
fn digest(files: &[FolderFile]) -> String {
    let mut hash = Sha256::new();
    for file in files {
        let path = file.path.as_os_str().as_encoded_bytes();
        for part in [path, &file.bytes] {
            hash.update(part.len().to_le_bytes());
            hash.update(part);
        }
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_tells_any_change_apart() {
        let file = |path: &str, bytes: &str| FolderFile {
            path: path.into(),
            bytes: bytes.into(),
        };
        let of = |files: &[FolderFile]| digest(files);
        let base = of(&[file("/a", "bc")]);
        assert_eq!(base, of(&[file("/a", "bc")]));
        for other in [
            vec![file("/ab", "c")],
            vec![file("/a", "b"), file("c", "")],
            vec![file("/a", "bC")],
            vec![],
        ] {
            assert_ne!(base, of(&other));
        }
    }
}
