//! What to know about a folder before an agent works in it.

use std::path::{Component, Path};

use super::folders::DirectoryNote;

/// Folder names of synchronising services.
const SYNCED: &[&str] = &[
    "Dropbox",
    "OneDrive",
    "Google Drive",
    "GoogleDrive",
    "iCloud Drive",
    "Mobile Documents",
    "CloudStorage",
    "Nextcloud",
    "ownCloud",
    "pCloudDrive",
    "MEGA",
    "Sync",
    "Seafile",
];

/// The top of a git repository: `.git` is a folder, or a file in a worktree.
pub(crate) fn is_git(folder: &Path) -> bool {
    folder.join(".git").exists()
}

/// Everything to know about a folder. Blocking.
pub(crate) fn notes(folder: &Path, home: &Path, unreadable: bool) -> Vec<DirectoryNote> {
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let real_home = home.canonicalize().unwrap_or_else(|_| home.to_owned());
    let in_git = real.ancestors().any(is_git);
    [
        (real == real_home, DirectoryNote::Home),
        (real.parent().is_none(), DirectoryNote::Root),
        (real == real_home.join("Downloads"), DirectoryNote::Downloads),
        (is_synced(&real), DirectoryNote::Synced),
        (is_network(&real), DirectoryNote::Network),
        (in_git, DirectoryNote::GitRepository),
        (!in_git, DirectoryNote::NotGit),
        (unreadable, DirectoryNote::Unreadable),
        (is_read_only(&real), DirectoryNote::ReadOnly),
    ]
    .into_iter()
    .filter_map(|(is_so, note)| is_so.then_some(note))
    .collect()
}

fn is_synced(folder: &Path) -> bool {
    folder.components().any(|part| {
        let Component::Normal(name) = part else {
            return false;
        };
        let name = name.to_string_lossy();
        // A business account adds its name: "OneDrive - Company".
        SYNCED
            .iter()
            .any(|service| name == *service || name.starts_with(&format!("{service} - ")))
    })
}

#[cfg(unix)]
fn is_read_only(folder: &Path) -> bool {
    nix::unistd::access(folder, nix::unistd::AccessFlags::W_OK).is_err()
}

#[cfg(not(unix))]
fn is_read_only(folder: &Path) -> bool {
    folder.metadata().is_ok_and(|meta| meta.permissions().readonly())
}

/// Magic numbers of `statfs(2)`: NFS, SMB, CIFS, SMB2, 9P, AFS, Ceph, Coda, NCP.
#[cfg(target_os = "linux")]
const NETWORK_FILE_SYSTEMS: &[u32] = &[
    0x6969,
    0x517B,
    0xFF53_4D42,
    0xFE53_4D42,
    0x0102_1997,
    0x5346_414F,
    0x00C3_6400,
    0x7375_7245,
    0x564C,
];
/// FUSE; which one it is stands in the mount table.
#[cfg(target_os = "linux")]
const FUSE: u32 = 0x6573_5546;

#[cfg(target_os = "linux")]
fn is_network(folder: &Path) -> bool {
    let Ok(stat) = rustix::fs::statfs(folder) else {
        return false;
    };
    let kind = stat.f_type as u32;
    NETWORK_FILE_SYSTEMS.contains(&kind) || (kind == FUSE && is_network_fuse(folder))
}

/// Whether the innermost mount that holds the folder is a network file system in user space.
#[cfg(target_os = "linux")]
fn is_network_fuse(folder: &Path) -> bool {
    let Ok(mounts) = std::fs::read_to_string("/proc/self/mounts") else {
        return false;
    };
    let holding = mounts.lines().filter_map(|line| {
        let mut words = line.split(' ').skip(1);
        let point = words.next()?.replace("\\040", " ");
        folder
            .starts_with(&point)
            .then(|| (point.len(), words.next().unwrap_or_default().to_owned()))
    });
    let remote = [
        "fuse.sshfs",
        "fuse.rclone",
        "fuse.gvfsd-fuse",
        "fuse.davfs",
        "fuse.s3fs",
        "fuse.smbnetfs",
    ];
    holding
        .max()
        .is_some_and(|(_, kind)| remote.contains(&kind.as_str()))
}

#[cfg(target_os = "macos")]
fn is_network(folder: &Path) -> bool {
    nix::sys::statfs::statfs(folder).is_ok_and(|stat| {
        ["nfs", "smbfs", "afpfs", "webdav", "macfuse", "osxfuse"].contains(&stat.filesystem_type_name())
    })
}

/// A path that begins with two separators names another computer on Windows; elsewhere it is not known.
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn is_network(folder: &Path) -> bool {
    let text = folder.to_string_lossy();
    text.starts_with("\\\\?\\UNC\\") || (text.starts_with("\\\\") && !text.starts_with("\\\\?\\"))
}
