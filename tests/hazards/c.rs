//! Small programs in C: what a disk and another process do to a database is below what safe Rust can play. The compiler
//! that links Rust programs builds them.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Set to a file: while it exists, the disk is full for the database of the process that loaded the library.
pub(crate) const FULL_ENV: &str = "PADDOCK_TEST_DISK_FULL";

/// The library that makes writes to the store fail as on a full disk while the file named by [`FULL_ENV`] exists. It is
/// preloaded into a process.
pub(crate) fn full_disk(folder: &Path) -> PathBuf {
    compile(
        folder,
        "full_disk.c",
        "full_disk.so",
        &["-shared", "-fPIC", "-ldl"],
    )
}

/// The program `hold_lock SHM`: takes the lock of a writer, says `held`, and keeps it until its standard input ends.
pub(crate) fn hold_lock(folder: &Path) -> PathBuf {
    compile(folder, "hold_lock.c", "hold_lock", &[])
}

fn compile(folder: &Path, source: &str, name: &str, flags: &[&str]) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("hazards").join(source);
    let built = folder.join(name);
    let output = Command::new("cc")
        .arg("-o")
        .arg(&built)
        .arg(&source)
        .args(flags)
        .output();
    let output = output.expect("`cc` is missing: install the C compiler that Rust links with");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    built
}
