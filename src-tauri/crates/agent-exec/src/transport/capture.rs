//! Run a short command to its end, within a time and an amount of output.

use std::time::Duration;

use agent_domain::Exit;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

use super::{ProcessReader, TerminateMode, TransportProcess};
use crate::error::TransportError;

/// After the leader's end, how long its pipes are still read: a descendant may hold them.
pub const DRAIN_BOUND: Duration = Duration::from_millis(250);
/// Bytes asked for in one read.
const READ_BYTES: usize = 16 * 1024;

/// What a command printed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// Standard output, its earliest part.
    pub stdout: Vec<u8>,
    /// Standard error, its earliest part.
    pub stderr: Vec<u8>,
    /// More was printed than was kept.
    pub truncated: bool,
    /// How it ended; absent: its time was over and it was ended.
    pub exit: Option<Exit>,
}

/// Writes `input`, closes standard input, keeps at most `max_bytes` of each stream and ends the whole tree when the
/// leader ends or `bound` is over.
pub async fn capture(
    process: &mut dyn TransportProcess,
    input: &[u8],
    bound: Duration,
    max_bytes: usize,
) -> Result<Captured, TransportError> {
    let (mut stdout, mut stderr) = (Kept::new(max_bytes), Kept::new(max_bytes));
    let (out, err, stdin) = (process.take_stdout(), process.take_stderr(), process.take_stdin());
    let exit = {
        let reading = async { tokio::join!(stdout.read(out), stderr.read(err)) };
        let writing = async {
            if let Some(mut stdin) = stdin {
                // A program that does not want its input closes the pipe: its exit says what it thinks of it.
                let _ = stdin.write_all(input).await;
                let _ = stdin.shutdown().await;
            }
        };
        tokio::pin!(reading, writing);
        let (mut read, mut written) = (false, false);
        let ended = timeout(bound, async {
            loop {
                tokio::select! {
                    exit = process.wait() => return exit,
                    _ = &mut reading, if !read => read = true,
                    () = &mut writing, if !written => written = true,
                }
            }
        })
        .await;
        if ended.is_ok() && !read {
            // Not reaching the end of the pipes is no fault: a detached descendant may keep them open.
            let _ = timeout(DRAIN_BOUND, reading).await;
        }
        ended.ok().transpose()?
    };
    process.terminate(TerminateMode::Now).await?;
    let truncated = stdout.truncated || stderr.truncated;
    Ok(Captured {
        stdout: stdout.bytes,
        stderr: stderr.bytes,
        truncated,
        exit,
    })
}

struct Kept {
    bytes: Vec<u8>,
    max: usize,
    truncated: bool,
}

impl Kept {
    fn new(max: usize) -> Self {
        Self {
            bytes: Vec::new(),
            max,
            truncated: false,
        }
    }

    /// Reads to the end or to an error, which for a pipe is an end as well.
    async fn read(&mut self, reader: Option<ProcessReader>) {
        let Some(mut reader) = reader else { return };
        let mut chunk = vec![0; READ_BYTES];
        while let Ok(count @ 1..) = reader.read(&mut chunk).await {
            let room = self.max - self.bytes.len();
            self.bytes.extend_from_slice(&chunk[..count.min(room)]);
            self.truncated |= count > room;
        }
    }
}
