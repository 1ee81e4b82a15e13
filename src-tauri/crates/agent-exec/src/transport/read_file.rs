//! Reads a plain file within a bound.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

use crate::error::{TransportError, TransportErrorKind as Kind};

/// The whole file, at most `max_bytes`. Pipes and devices are refused, without waiting for them.
pub(super) fn read(path: &Path, max_bytes: usize) -> Result<Vec<u8>, TransportError> {
    let failed = |error: io::Error| {
        let kind = match error.kind() {
            io::ErrorKind::PermissionDenied => Kind::PermissionDenied,
            _ => Kind::FileUnreadable,
        };
        TransportError::new(kind, format!("{}: {error}", path.display())).caused_by(error)
    };
    let refused =
        |why: String| TransportError::new(Kind::FileUnreadable, format!("{}: {why}", path.display()));
    let file = open(path).map_err(failed)?;
    if !file.metadata().map_err(failed)?.is_file() {
        return Err(refused("no plain file".to_owned()));
    }
    let mut bytes = Vec::new();
    // One byte more tells a file that is too large, also one that grows.
    let most = u64::try_from(max_bytes).unwrap_or(u64::MAX).saturating_add(1);
    file.take(most).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() > max_bytes {
        return Err(refused(format!("larger than {max_bytes} bytes")));
    }
    Ok(bytes)
}

#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = nix::fcntl::OFlag::O_NONBLOCK | nix::fcntl::OFlag::O_NOCTTY;
    OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits())
        .open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_up_to_its_bound() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, b"1234").unwrap();
        assert_eq!(read(&path, 4).unwrap(), b"1234");
        let kind = |result: Result<Vec<u8>, TransportError>| result.unwrap_err().kind;
        assert_eq!(kind(read(&path, 3)), Kind::FileUnreadable);
        assert_eq!(kind(read(folder.path(), 4)), Kind::FileUnreadable);
        assert_eq!(kind(read(&folder.path().join("none"), 4)), Kind::FileUnreadable);
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_refused_and_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRUSR).unwrap();
        assert_eq!(read(&path, 4).unwrap_err().kind, Kind::FileUnreadable);
    }
}
