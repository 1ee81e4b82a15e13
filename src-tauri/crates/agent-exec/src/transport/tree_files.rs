//! Reads small trees of files within bounds.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use agent_domain::FolderFile;

use super::read_file;

/// Bounds of one look.
#[derive(Debug, Clone, Copy)]
pub struct TreeBounds {
    /// Most files.
    pub files: usize,
    /// Most bytes of one file.
    pub file_bytes: usize,
    /// Most bytes of all of them.
    pub bytes: usize,
    /// Most folders below each other.
    pub depth: usize,
}

/// What was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileTree {
    /// By path.
    pub files: Vec<FolderFile>,
    /// Nothing was left out for its bounds, its kind or its permissions.
    pub complete: bool,
}

/// Reads these files, and all files below these folders. What does not exist is no part of it. Links are followed: a
/// harness follows them too; the depth bounds a circle.
pub(super) fn read(places: &[PathBuf], bounds: TreeBounds) -> FileTree {
    let mut look = Look {
        bounds,
        bytes: 0,
        tree: FileTree {
            files: Vec::new(),
            complete: true,
        },
    };
    for place in places {
        look.at(place, 0);
    }
    look.tree.files.sort_by(|a, b| a.path.cmp(&b.path));
    look.tree.files.dedup_by(|a, b| a.path == b.path);
    look.tree
}

struct Look {
    bounds: TreeBounds,
    bytes: usize,
    tree: FileTree,
}

impl Look {
    fn at(&mut self, path: &Path, depth: usize) {
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => self.folder(path, depth),
            Ok(_) => self.file(path),
            Err(error) if is_absent(&error) && depth == 0 => {}
            Err(_) => self.tree.complete = false,
        }
    }

    fn folder(&mut self, path: &Path, depth: usize) {
        let entries = (depth < self.bounds.depth).then(|| fs::read_dir(path));
        let Some(Ok(entries)) = entries else {
            self.tree.complete = false;
            return;
        };
        for entry in entries {
            match entry {
                Ok(entry) if self.tree.files.len() < self.bounds.files => self.at(&entry.path(), depth + 1),
                _ => {
                    self.tree.complete = false;
                    return;
                }
            }
        }
    }

    fn file(&mut self, path: &Path) {
        let left = self.bounds.bytes.saturating_sub(self.bytes);
        match read_file::read(path, self.bounds.file_bytes.min(left)) {
            Ok(bytes) if self.tree.files.len() < self.bounds.files => {
                self.bytes += bytes.len();
                self.tree.files.push(FolderFile {
                    path: path.to_owned(),
                    bytes,
                });
            }
            _ => self.tree.complete = false,
        }
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: TreeBounds = TreeBounds {
        files: 4,
        file_bytes: 8,
        bytes: 20,
        depth: 2,
    };

    fn names(tree: &FileTree) -> Vec<String> {
        let name = |file: &FolderFile| file.path.file_name().unwrap().to_string_lossy().into_owned();
        tree.files.iter().map(name).collect()
    }

    #[test]
    fn files_below_are_read_and_absent_places_are_no_part() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("a/b")).unwrap();
        fs::write(root.path().join("a/b/two"), "2").unwrap();
        fs::write(root.path().join("a/one"), "1").unwrap();
        let tree = read(&[root.path().join("a"), root.path().join("none")], BOUNDS);
        assert_eq!(
            (names(&tree), tree.complete),
            (vec!["two".into(), "one".into()], true)
        );
    }

    #[test]
    fn whatever_is_left_out_makes_the_look_incomplete() {
        let of = |make: &dyn Fn(&Path)| {
            let root = tempfile::tempdir().unwrap();
            make(root.path());
            read(&[root.path().to_owned()], BOUNDS).complete
        };
        let write = |path: PathBuf, bytes: usize| fs::write(path, vec![b'x'; bytes]).unwrap();
        assert!(of(&|root| write(root.join("a"), 8)));
        assert!(!of(&|root| write(root.join("a"), 9)), "one is too large");
        assert!(of(&|root| (0..4).for_each(|n| write(root.join(n.to_string()), 1))));
        assert!(!of(
            &|root| (0..5).for_each(|n| write(root.join(n.to_string()), 1))
        ));
        assert!(!of(
            &|root| (0..3).for_each(|n| write(root.join(n.to_string()), 8))
        ));
        assert!(of(&|root| fs::create_dir_all(root.join("1")).unwrap()));
        assert!(!of(&|root| fs::create_dir_all(root.join("1/2/3")).unwrap()));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_a_circle_ends() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("real"), "1").unwrap();
        std::os::unix::fs::symlink("real", root.path().join("link")).unwrap();
        let tree = read(&[root.path().join("link")], BOUNDS);
        assert_eq!((tree.files[0].bytes.as_slice(), tree.complete), (&b"1"[..], true));
        std::os::unix::fs::symlink("gone", root.path().join("dangling")).unwrap();
        assert!(!read(&[root.path().to_owned()], BOUNDS).complete);
        let circle = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(circle.path(), circle.path().join("again")).unwrap();
        assert!(!read(&[circle.path().to_owned()], BOUNDS).complete);
    }
}
