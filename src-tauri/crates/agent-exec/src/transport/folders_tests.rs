//! Completion on real folders, and on a disk that misbehaves.

use std::fs;

use super::*;

fn folders(home: &Path) -> Folders {
    Folders::new(Arc::new(LocalDisk), home.to_owned())
}

#[allow(clippy::unwrap_used, reason = "a test may stop at once")]
fn home_with(names: &[&str]) -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    for name in names {
        fs::create_dir_all(home.path().join(name)).unwrap();
    }
    home
}

fn shown(answer: &DirectorySuggestions) -> Vec<&str> {
    answer
        .directories
        .iter()
        .map(|one| one.display.as_str())
        .collect()
}

#[tokio::test]
async fn nothing_and_tilde_are_home_and_its_children_in_order() {
    let home = home_with(&["beta", "Alpha", ".hidden", "gamma/.git"]);
    fs::write(home.path().join("a-file"), "").unwrap();
    std::os::unix::fs::symlink(home.path().join("beta"), home.path().join("link")).unwrap();
    std::os::unix::fs::symlink("nowhere", home.path().join("dangling")).unwrap();
    for input in ["", "~", "~/"] {
        let answer = folders(home.path()).suggest(input, 50).await.unwrap();
        assert_eq!(
            shown(&answer),
            ["~", "~/Alpha", "~/beta", "~/gamma", "~/link"],
            "{input}"
        );
        assert!(
            answer.exact_match && answer.notes.contains(&DirectoryNote::Home),
            "{input}"
        );
        assert!(answer.directories[3].is_git && !answer.directories[1].is_git);
        assert_eq!(answer.directories[0].path, answer.home);
    }
}

#[tokio::test]
async fn a_prefix_completes_without_regard_to_case_and_hidden_ones_only_when_asked_for() {
    let home = home_with(&["Project-one", "project-two", "other", ".config", ".cache"]);
    let all = folders(home.path());
    let answer = all.suggest("~/PRO", 50).await.unwrap();
    assert_eq!(shown(&answer), ["~/Project-one", "~/project-two"]);
    assert!(!answer.exact_match && answer.notes.is_empty());
    assert_eq!(answer.common_prefix.as_deref(), Some("~/Project-"));
    let again = all.suggest("~/Project-", 50).await.unwrap();
    assert_eq!(
        (shown(&again).len(), again.common_prefix),
        (2, None),
        "nothing to add"
    );
    assert_eq!(
        all.suggest("ot", 50).await.unwrap().common_prefix.as_deref(),
        Some("other/")
    );
    assert_eq!(
        shown(&all.suggest("~/.c", 50).await.unwrap()),
        ["~/.cache", "~/.config"]
    );
    assert_eq!(all.suggest("~/zzz", 50).await.unwrap().directories, []);
    let absolute = format!("{}/project-t", home.path().display());
    let answer = all.suggest(&absolute, 50).await.unwrap();
    assert_eq!(
        answer.common_prefix,
        Some(format!("{}/project-two/", home.path().display()))
    );
}

#[tokio::test]
async fn the_folder_itself_comes_first_then_its_children_then_what_it_may_become() {
    let home = home_with(&["app/src", "app/Docs", "app2", "apple", "b"]);
    let all = folders(home.path());
    let answer = all.suggest("~/app", 50).await.unwrap();
    assert_eq!(
        shown(&answer),
        ["~/app", "~/app/Docs", "~/app/src", "~/app2", "~/apple"]
    );
    assert!(answer.exact_match && answer.notes.contains(&DirectoryNote::NotGit));
    let answer = all.suggest("~/app/", 2).await.unwrap();
    assert_eq!(shown(&answer), ["~/app", "~/app/Docs"]);
    fs::create_dir(home.path().join("app/.git")).unwrap();
    let answer = all.suggest("app/src", 1).await.unwrap();
    assert_eq!(shown(&answer), ["~/app/src"]);
    assert!(
        answer.notes.contains(&DirectoryNote::GitRepository),
        "a folder inside a repository"
    );
    let root = all.suggest("/", 5).await.unwrap();
    assert!(root.notes.contains(&DirectoryNote::Root) && root.directories[0].path == "/");
}

#[tokio::test]
async fn special_folders_are_named() {
    let home = home_with(&["Downloads", "Dropbox/work", "OneDrive - Firm"]);
    let all = folders(home.path());
    for (input, note) in [
        ("~/Downloads", DirectoryNote::Downloads),
        ("~/Dropbox/work", DirectoryNote::Synced),
        ("~/OneDrive - Firm", DirectoryNote::Synced),
    ] {
        let notes = all.suggest(input, 5).await.unwrap().notes;
        assert!(
            notes.contains(&note) && !notes.contains(&DirectoryNote::Network),
            "{input}: {notes:?}"
        );
    }
}

#[tokio::test]
async fn input_and_limit_have_bounds() {
    let home = home_with(&[]);
    let all = folders(home.path());
    let long = "x".repeat(MAX_INPUT_BYTES + 1);
    for (input, limit) in [(long.as_str(), 5), ("a\0b", 5), ("", 0), ("", 51)] {
        let error = all.suggest(input, limit).await.unwrap_err();
        assert_eq!(error.kind, TransportErrorKind::InvalidConfiguration);
    }
    assert!(
        all.suggest(&"x".repeat(MAX_INPUT_BYTES), 50)
            .await
            .unwrap()
            .directories
            .is_empty()
    );
}

#[tokio::test]
async fn a_huge_folder_answers_in_time_with_the_first_names() {
    // Making 300,000 files takes ten seconds on a slow disk; that many are looked at below, without files.
    const ENTRIES: usize = 50_000;
    let home = home_with(&["huge/zz-last", "huge/aa-first", "huge/mm-middle"]);
    let begun = Instant::now();
    for index in 0..ENTRIES {
        fs::File::create(home.path().join(format!("huge/file-{index}"))).unwrap();
    }
    println!("{ENTRIES} entries made in {:?}", begun.elapsed());
    let all = folders(home.path());
    for (input, wanted) in [
        ("~/huge/", vec!["~/huge", "~/huge/aa-first"]),
        ("~/huge/mm", vec!["~/huge/mm-middle"]),
    ] {
        let begun = Instant::now();
        let answer = all.suggest(input, 2).await.unwrap();
        let took = begun.elapsed();
        println!("{input}: {took:?}, incomplete: {}", answer.incomplete);
        assert!(took < SUGGEST_BOUND, "{took:?}");
        assert!(
            answer.incomplete || shown(&answer) == wanted,
            "{:?}",
            shown(&answer)
        );
    }
}

#[tokio::test]
async fn a_folder_that_may_not_be_read_says_so() {
    use std::os::unix::fs::PermissionsExt;
    let home = home_with(&["closed/inner"]);
    let closed = home.path().join("closed");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    let real = fs::read_dir(&closed).is_err();
    println!(
        "unreadable folder: {}",
        if real {
            "a real one"
        } else {
            "simulated, this user may read everything"
        }
    );
    let disk: Arc<dyn Disk> = if real {
        Arc::new(LocalDisk)
    } else {
        Arc::new(Closed)
    };
    let answer = Folders::new(disk, home.path().to_owned())
        .suggest("~/closed", 50)
        .await
        .unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).unwrap();
    assert!(
        answer.exact_match && answer.notes.contains(&DirectoryNote::Unreadable),
        "{answer:?}"
    );
    assert!(answer.problem.is_some_and(|text| text.contains("closed")));
    assert_eq!(answer.directories.len(), 1);
}

/// Folders exist and none may be read.
struct Closed;

impl Disk for Closed {
    fn entries(&self, _folder: &Path) -> io::Result<Entries> {
        Err(io::ErrorKind::PermissionDenied.into())
    }

    fn is_dir(&self, _path: &Path) -> bool {
        true
    }
}

/// Below `dead`, no call returns before the time is over.
struct Dead(Duration);

impl Disk for Dead {
    fn entries(&self, folder: &Path) -> io::Result<Entries> {
        if folder.ends_with("dead") {
            std::thread::sleep(self.0);
        }
        LocalDisk.entries(folder)
    }

    fn is_dir(&self, path: &Path) -> bool {
        LocalDisk.is_dir(path)
    }
}

#[tokio::test]
async fn a_disk_that_does_not_answer_delays_nobody_else() {
    let home = home_with(&["dead", "live/inner"]);
    let all = Arc::new(Folders::new(
        Arc::new(Dead(Duration::from_secs(3))),
        home.path().to_owned(),
    ));
    let begun = Instant::now();
    let hanging: Vec<_> = (0..MAX_HANGING - 1)
        .map(|_| {
            let all = all.clone();
            tokio::spawn(async move { all.suggest("~/dead/", 5).await })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(50)).await;
    let live = all.suggest("~/live/", 5).await.unwrap();
    assert!(
        begun.elapsed() < Duration::from_millis(500),
        "{:?}",
        begun.elapsed()
    );
    assert_eq!(shown(&live), ["~/live", "~/live/inner"]);
    // One more may hang; what comes then is refused at once instead of taking a thread.
    let all_2 = all.clone();
    let last = tokio::spawn(async move { all_2.suggest("~/dead/", 5).await });
    tokio::time::sleep(Duration::from_millis(50)).await;
    let refused = all.suggest("~/live/", 5).await.unwrap_err();
    assert_eq!(
        (refused.kind, refused.retryable),
        (TransportErrorKind::RemoteUnavailable, true)
    );
    for task in hanging.into_iter().chain([last]) {
        let error = task.await.unwrap().unwrap_err();
        assert_eq!(error.kind, TransportErrorKind::RemoteUnavailable);
    }
    assert!(
        begun.elapsed() < SUGGEST_BOUND + Duration::from_millis(700),
        "{:?}",
        begun.elapsed()
    );
}

/// A folder with many entries that need no disk.
struct Many(usize);

impl Disk for Many {
    fn entries(&self, _folder: &Path) -> io::Result<Entries> {
        let count = self.0;
        let entry = |index: usize| Entry {
            name: format!("d{index}"),
            is_dir: Some(index.is_multiple_of(3)),
        };
        Ok(Box::new(
            (0..count).rev().map(move |index| Ok(Some(entry(index)))),
        ))
    }

    fn is_dir(&self, _path: &Path) -> bool {
        true
    }
}

#[tokio::test]
async fn three_hundred_thousand_entries_are_looked_at_in_time_and_memory() {
    let all = Folders::new(Arc::new(Many(300_000)), PathBuf::from("/home/u"));
    let begun = Instant::now();
    let answer = all.suggest("~/many/", 3).await.unwrap();
    assert!(begun.elapsed() < SUGGEST_BOUND, "{:?}", begun.elapsed());
    assert!(
        answer.incomplete || shown(&answer) == ["~/many", "~/many/d0", "~/many/d100002"],
        "{answer:?}"
    );
}

/// A folder whose entries never end.
struct Endless;

impl Disk for Endless {
    fn entries(&self, _folder: &Path) -> io::Result<Entries> {
        Ok(Box::new((0u64..).map(|index| {
            if index % 64 == 0 {
                std::thread::sleep(Duration::from_millis(1));
            }
            Ok(Some(Entry {
                name: format!("d{index}"),
                is_dir: Some(true),
            }))
        })))
    }

    fn is_dir(&self, _path: &Path) -> bool {
        true
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_newer_request_stops_an_older_one() {
    let all = Arc::new(Folders::new(Arc::new(Endless), PathBuf::from("/home/u")));
    let older = all.clone();
    let begun = Instant::now();
    let older = tokio::spawn(async move { (older.suggest("~/a/", 5).await.unwrap(), begun.elapsed()) });
    tokio::time::sleep(Duration::from_millis(50)).await;
    let newer = all.suggest("~/b/", 5).await.unwrap();
    let (older, took) = older.await.unwrap();
    assert!(older.superseded && took < SCAN_BOUND, "{took:?}");
    assert!(!newer.superseded && newer.incomplete);
    assert_eq!(newer.directories.len(), 5, "what was read in time is the answer");
}
