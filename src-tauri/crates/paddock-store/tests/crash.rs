//! The process is killed in the middle of its work.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

mod common;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use common::*;
use paddock_store::*;

const CHILD: &str = "PADDOCK_STORE_CRASH_TEST";
const CHATS: usize = 4;

/// Appends for ever and prints each number once it is acknowledged.
async fn append_for_ever(path: &Path) {
    let store = Store::open(path, OpenOptions::default()).await.unwrap().store;
    for n in 0..CHATS {
        store
            .create_chat(new_chat(&format!("c{n}"), Some(&format!("t{n}"))))
            .await
            .unwrap();
    }
    let mut tasks = tokio::task::JoinSet::new();
    for n in 0..CHATS {
        let store = store.clone();
        tasks.spawn(async move {
            loop {
                let seqs = store
                    .append_events(&format!("c{n}"), (0..3).map(event).collect())
                    .await
                    .unwrap();
                let mut out = std::io::stdout().lock();
                writeln!(out, "ack {n} {}", seqs[2]).unwrap();
                out.flush().unwrap();
            }
        });
    }
    tasks.join_next().await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_in_the_middle_of_appends_nothing_acknowledged_is_lost() {
    if let Some(path) = std::env::var_os(CHILD) {
        append_for_ever(Path::new(&path)).await;
        return;
    }
    for wait_for in [1, 40, 400] {
        let folder = tempfile::tempdir().unwrap();
        let path = path_in(folder.path());
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "killed_in_the_middle_of_appends_nothing_acknowledged_is_lost",
                "--nocapture",
            ])
            .env(CHILD, &path)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut acknowledged = [0_i64; CHATS];
        let mut lines = BufReader::new(child.stdout.take().unwrap())
            .lines()
            .map_while(Result::ok);
        let mut note = |line: String| {
            let Some(rest) = line.strip_prefix("ack ") else {
                return false;
            };
            let (chat, seq) = rest.split_once(' ').unwrap();
            acknowledged[chat.parse::<usize>().unwrap()] = seq.parse().unwrap();
            true
        };
        let mut seen = 0;
        while seen < wait_for {
            seen += usize::from(note(lines.next().expect("the child ended by itself")));
        }
        child.kill().unwrap();
        // What it had still printed before the kill was acknowledged too; a line that was cut off is none.
        for line in lines.filter(|line| line.split(' ').count() == 3) {
            note(line);
        }
        assert!(!child.wait().unwrap().success());

        let opened = Store::open(
            &path,
            OpenOptions {
                check: Check::Always,
                ..OpenOptions::default()
            },
        )
        .await
        .unwrap();
        assert!(opened.unclean && opened.migrated.is_none());
        for (n, acknowledged) in acknowledged.into_iter().enumerate() {
            let id = format!("c{n}");
            let seqs: Vec<i64> = all(&opened.store, &id)
                .await
                .iter()
                .map(|event| event.seq)
                .collect();
            assert_eq!(
                seqs,
                (1..=seqs.len() as i64).collect::<Vec<_>>(),
                "no gap and no repeat"
            );
            assert!(
                seqs.len() as i64 >= acknowledged,
                "{} of {acknowledged}",
                seqs.len()
            );
            assert_eq!((seqs.len() - 1) % 3, 0, "an append is whole or not there");
            assert_eq!(
                opened.store.load_chat(&id).await.unwrap().unwrap().last_seq,
                seqs.len() as i64
            );
        }
        let found = opened
            .store
            .reconcile_after_crash(9, [].into(), |_| vec![event(9)])
            .await
            .unwrap();
        assert_eq!(found.turns.len(), CHATS);
        assert!(found.turns.iter().all(|one| one.turn.delivery == "not_sent"));
    }
}
