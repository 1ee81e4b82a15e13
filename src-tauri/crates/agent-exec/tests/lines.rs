//! Framing: the same lines whatever the chunks, in bounded memory.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may stop at once and may print"
)]

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use agent_exec::{LineError, LineReader, RawLine};
use proptest::prelude::*;
use tokio::io::{AsyncRead, AsyncWriteExt, ReadBuf};

/// Gives its bytes in chunks of these sizes, each after a pause of the executor.
struct Chunks {
    bytes: Vec<u8>,
    sizes: Vec<usize>,
    next: usize,
    ready: bool,
}

impl AsyncRead for Chunks {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.ready = !self.ready;
        if !self.ready {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let wanted = self
            .sizes
            .get(self.next % self.sizes.len().max(1))
            .copied()
            .unwrap_or(1)
            .max(1);
        self.next += 1;
        let count = wanted.min(buf.remaining()).min(self.bytes.len());
        buf.put_slice(&self.bytes.drain(..count).collect::<Vec<_>>());
        Poll::Ready(Ok(()))
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Seen {
    Line(Vec<u8>),
    Oversize(Vec<u8>, Vec<u8>, u64),
    Endless,
}

const CAP: usize = 1500;
const ENDLESS: u64 = 5000;

/// Reads everything; every call is cancelled once before it is awaited to its end.
async fn read(bytes: &[u8], sizes: Vec<usize>) -> Vec<Seen> {
    let source = Chunks {
        bytes: bytes.to_vec(),
        sizes,
        next: 0,
        ready: true,
    };
    let mut reader = LineReader::with_caps(source, CAP, ENDLESS);
    let mut all = Vec::new();
    loop {
        tokio::select! {
            biased;
            () = std::future::ready(()) => {}
            _ = reader.next() => unreachable!(),
        }
        match reader.next().await {
            Ok(None) => return all,
            Ok(Some(RawLine::Line(line))) => all.push(Seen::Line(line.to_vec())),
            Ok(Some(RawLine::Oversize { head, tail, bytes })) => {
                all.push(Seen::Oversize(head.to_vec(), tail.to_vec(), bytes));
            }
            Err(LineError::Endless { .. }) => {
                all.push(Seen::Endless);
                return all;
            }
            Err(error) => panic!("{error}"),
        }
    }
}

/// What the lines are, by the plain rule.
fn expected(bytes: &[u8]) -> Vec<Seen> {
    let mut parts: Vec<&[u8]> = bytes.split(|b| *b == b'\n').collect();
    let last = parts.len() - 1;
    if parts[last].is_empty() {
        parts.pop();
    }
    let mut all = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let line = if index < last {
            part.strip_suffix(b"\r").unwrap_or(part)
        } else {
            part
        };
        if part.len() as u64 >= ENDLESS {
            all.push(Seen::Endless);
            return all;
        }
        all.push(if line.len() > CAP {
            Seen::Oversize(
                line[..512].to_vec(),
                line[line.len() - 512..].to_vec(),
                line.len() as u64,
            )
        } else {
            Seen::Line(line.to_vec())
        });
    }
    all
}

fn part() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..40),
        (CAP - 3..CAP + 4, any::<bool>()).prop_map(|(n, cr)| {
            let mut line = vec![b'x'; n];
            line.extend(if cr { &b"\r\n"[..] } else { b"\n" });
            line
        }),
        (0..6000usize).prop_map(|n| (0..n).map(|i| b'a' + (i % 26) as u8).chain([b'\n']).collect()),
        Just(b"\r\n".to_vec()),
        Just(b"\n".to_vec()),
        Just("東京タワー🗼 café\n".as_bytes().to_vec()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn any_chunking_gives_the_same_lines(
        parts in proptest::collection::vec(part(), 0..12),
        sizes in proptest::collection::vec(1usize..3000, 1..8),
    ) {
        let bytes: Vec<u8> = parts.concat();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let wanted = if bytes.is_empty() { Vec::new() } else { expected(&bytes) };
        prop_assert_eq!(runtime.block_on(read(&bytes, sizes)), wanted);
    }
}

#[tokio::test]
async fn one_byte_at_a_time_keeps_characters_whole() {
    let text = "東京タワー🗼 café\nzwei\r\nlast";
    let seen = read(text.as_bytes(), vec![1]).await;
    let line = |text: &str| Seen::Line(text.as_bytes().to_vec());
    assert_eq!(seen, [line("東京タワー🗼 café"), line("zwei"), line("last")]);
}

#[tokio::test]
async fn an_oversize_line_is_one_stub_and_the_next_line_is_whole() {
    let (client, server) = tokio::io::duplex(64 * 1024);
    let cap = 2 * 1024 * 1024;
    let mut reader = LineReader::new(client);
    let writing = tokio::spawn(async move {
        let mut server = server;
        let mut line = vec![b'x'; 3 * 1024 * 1024];
        line[..4].copy_from_slice(b"head");
        let end = line.len();
        line[end - 4..].copy_from_slice(b"tail");
        server.write_all(&line).await.unwrap();
        server.write_all(b"\nafter\n").await.unwrap();
    });
    match reader.next().await.unwrap() {
        Some(RawLine::Oversize { head, tail, bytes }) => {
            assert!(head.starts_with(b"head") && tail.ends_with(b"tail"));
            assert_eq!((head.len(), tail.len(), bytes), (512, 512, 3 * 1024 * 1024));
        }
        other => panic!("{other:?}"),
    }
    assert!(reader.held_bytes() < cap + 1024 * 1024, "{}", reader.held_bytes());
    assert_eq!(reader.next().await.unwrap(), Some(RawLine::Line(b"after")));
    assert_eq!(reader.next().await.unwrap(), None);
    assert!(
        reader.held_bytes() <= 256 * 1024,
        "an idle reader keeps {} bytes",
        reader.held_bytes()
    );
    writing.await.unwrap();
}

#[tokio::test]
async fn a_line_without_an_end_is_an_error_in_bounded_memory() {
    let (client, mut server) = tokio::io::duplex(256 * 1024);
    let mut reader = LineReader::new(client);
    let writing = tokio::spawn(async move {
        let chunk = vec![b'a'; 1024 * 1024];
        for _ in 0..64 {
            if server.write_all(&chunk).await.is_err() {
                return;
            }
        }
        // Never ends, and the pipe stays open.
        std::future::pending::<()>().await;
    });
    let mut most = 0;
    loop {
        match tokio::time::timeout(Duration::from_millis(20), reader.next()).await {
            Err(_) => {}
            Ok(Err(LineError::Endless { bytes })) => {
                assert_eq!(bytes, 64 * 1024 * 1024);
                break;
            }
            Ok(other) => panic!("{other:?}"),
        }
        most = most.max(reader.held_bytes());
    }
    assert!(most < 3 * 1024 * 1024, "{most}");
    assert!(
        matches!(reader.next().await, Err(LineError::Endless { .. })),
        "it stays an error"
    );
    writing.abort();
}

#[tokio::test]
async fn many_small_lines_are_fast() {
    let bytes = b"{\"type\":\"stream_event\",\"event\":{\"delta\":\"some words\"}}\n".repeat(400_000);
    let begun = std::time::Instant::now();
    let mut reader = LineReader::new(&bytes[..]);
    let mut count = 0;
    while reader.next().await.unwrap().is_some() {
        count += 1;
    }
    assert_eq!(count, 400_000);
    println!(
        "{count} lines, {} MB in {:?}",
        bytes.len() / 1_000_000,
        begun.elapsed()
    );
    // 22 MB; an unoptimised build needs a fraction of a second. Work per byte would take far longer.
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
}
