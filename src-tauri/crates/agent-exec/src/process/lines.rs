//! Bounded framing of a byte stream into lines.
//!
//! Frames end at the LF byte; nothing is decoded, so a multi-byte character is never cut. Memory stays under the
//! line cap plus 1 MiB whatever the other side sends.

use std::io;

use agent_domain::Frame;
use agent_domain::limits::{MAX_ENDLESS_LINE_BYTES, MAX_LINE_BYTES, OVERSIZE_SAMPLE_BYTES};
use bytes::BufMut;
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncReadExt};

/// Bytes asked for in one read.
const READ_BYTES: usize = 64 * 1024;
/// A free buffer larger than this is given back, in bytes.
const KEPT_BUFFER_BYTES: usize = 256 * 1024;

/// One line without its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RawLine<'a> {
    /// The whole line.
    Line(&'a [u8]),
    /// A line longer than the cap.
    Oversize {
        /// Its first bytes.
        head: &'a [u8],
        /// Its last bytes.
        tail: &'a [u8],
        /// Its length in bytes.
        bytes: u64,
    },
}

impl<'a> From<RawLine<'a>> for Frame<'a> {
    fn from(line: RawLine<'a>) -> Self {
        match line {
            RawLine::Line(bytes) => Frame::Line(bytes),
            RawLine::Oversize { head, tail, bytes } => Frame::OversizeLine { head, tail, bytes },
        }
    }
}

/// Why there is no further line.
#[derive(Debug, Error)]
pub enum LineError {
    /// The stream failed.
    #[error("the stream could not be read: {0}")]
    Io(#[from] io::Error),
    /// A line that does not end.
    #[error("a line of {bytes} bytes has no end")]
    Endless {
        /// Bytes seen of it.
        bytes: u64,
    },
}

/// A line longer than the cap, as far as it was read.
#[derive(Default)]
struct Oversize {
    head: Vec<u8>,
    /// Last bytes, one more than the sample for a CR before the LF.
    tail: Vec<u8>,
    bytes: u64,
}

impl Oversize {
    fn push(&mut self, part: &[u8]) {
        let missing = OVERSIZE_SAMPLE_BYTES.saturating_sub(self.head.len());
        self.head.extend_from_slice(&part[..missing.min(part.len())]);
        let kept = OVERSIZE_SAMPLE_BYTES + 1;
        let fresh = &part[part.len().saturating_sub(kept)..];
        let overflow = (self.tail.len() + fresh.len()).saturating_sub(kept);
        self.tail.drain(..overflow.min(self.tail.len()));
        self.tail.extend_from_slice(fresh);
        self.bytes += part.len() as u64;
    }

    /// Removes a CR that belonged to the line's end and the spare byte of the tail.
    fn finish(&mut self, ended_by_lf: bool) {
        if ended_by_lf && self.tail.last() == Some(&b'\r') {
            self.tail.pop();
            self.bytes -= 1;
        }
        let overflow = self.tail.len().saturating_sub(OVERSIZE_SAMPLE_BYTES);
        self.tail.drain(..overflow);
    }
}

/// Reads lines from a stream, see the module's description.
pub struct LineReader<R> {
    source: R,
    cap: usize,
    endless: u64,
    buffer: Vec<u8>,
    /// First byte of the unread rest.
    start: usize,
    /// Bytes before this one hold no LF.
    scanned: usize,
    oversize: Option<Oversize>,
    /// The oversize line was returned and is forgotten at the next call.
    returned: bool,
    ended: bool,
    failed: Option<u64>,
}

/// What one look at the buffer found.
enum Found {
    Line { from: usize, to: usize },
    Oversize,
    Nothing,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    /// With the default caps: [`MAX_LINE_BYTES`] and [`MAX_ENDLESS_LINE_BYTES`].
    pub fn new(source: R) -> Self {
        Self::with_caps(source, MAX_LINE_BYTES, MAX_ENDLESS_LINE_BYTES)
    }

    /// With other caps, in bytes: the longest whole line, and the length at which a line counts as endless.
    pub fn with_caps(source: R, cap: usize, endless: u64) -> Self {
        Self {
            source,
            cap,
            endless: endless.max(cap as u64 + 2),
            buffer: Vec::new(),
            start: 0,
            scanned: 0,
            oversize: None,
            returned: false,
            ended: false,
            failed: None,
        }
    }

    /// The next line; `None` at the end of the stream. A last line without LF is a line. Cancel-safe: what was read
    /// stays. After [`LineError::Endless`] every further call returns it again.
    pub async fn next(&mut self) -> Result<Option<RawLine<'_>>, LineError> {
        if std::mem::take(&mut self.returned) {
            self.oversize = None;
        }
        loop {
            if let Some(bytes) = self.failed {
                return Err(LineError::Endless { bytes });
            }
            match self.look()? {
                Found::Line { from, to } => return Ok(Some(RawLine::Line(&self.buffer[from..to]))),
                Found::Oversize => return Ok(self.oversize_line()),
                Found::Nothing if self.ended => return Ok(None),
                Found::Nothing => self.fill().await?,
            }
        }
    }

    /// Bytes held in memory at the moment.
    pub fn held_bytes(&self) -> usize {
        self.buffer.capacity()
    }

    /// Gives the stream back; what was read ahead is lost.
    pub fn into_inner(self) -> R {
        self.source
    }

    fn oversize_line(&mut self) -> Option<RawLine<'_>> {
        self.returned = true;
        self.oversize.as_ref().map(|line| RawLine::Oversize {
            head: &line.head,
            tail: &line.tail,
            bytes: line.bytes,
        })
    }

    fn look(&mut self) -> Result<Found, LineError> {
        match memchr::memchr(b'\n', &self.buffer[self.scanned..]) {
            Some(offset) => {
                let (from, to) = (self.start, self.scanned + offset);
                (self.start, self.scanned) = (to + 1, to + 1);
                self.close_line(from, to, true)
            }
            None => {
                self.scanned = self.buffer.len();
                let (from, to) = (self.start, self.buffer.len());
                if self.ended {
                    self.start = to;
                    if from == to && self.oversize.is_none() {
                        return Ok(Found::Nothing);
                    }
                    return self.close_line(from, to, false);
                }
                // One more than the cap may be a CR that belongs to the line's end.
                if self.oversize.is_some() || to - from > self.cap + 1 {
                    self.swallow(from, to)?;
                    self.start = to;
                }
                Ok(Found::Nothing)
            }
        }
    }

    /// A line ends at `to`.
    fn close_line(&mut self, from: usize, to: usize, by_lf: bool) -> Result<Found, LineError> {
        let content = if by_lf && to > from && self.buffer[to - 1] == b'\r' {
            to - 1
        } else {
            to
        };
        if self.oversize.is_none() && content - from <= self.cap {
            return Ok(Found::Line { from, to: content });
        }
        self.swallow(from, to)?;
        if let Some(line) = &mut self.oversize {
            line.finish(by_lf);
        }
        Ok(Found::Oversize)
    }

    fn swallow(&mut self, from: usize, to: usize) -> Result<(), LineError> {
        let line = self.oversize.get_or_insert_default();
        line.push(&self.buffer[from..to]);
        let bytes = line.bytes;
        if bytes >= self.endless {
            self.failed = Some(self.endless);
            self.buffer = Vec::new();
            (self.start, self.scanned) = (0, 0);
            return Err(LineError::Endless { bytes: self.endless });
        }
        Ok(())
    }

    async fn fill(&mut self) -> Result<(), LineError> {
        if self.start == self.buffer.len() {
            self.buffer.clear();
            (self.start, self.scanned) = (0, 0);
            if self.buffer.capacity() > KEPT_BUFFER_BYTES {
                self.buffer.shrink_to(READ_BYTES);
            }
        }
        if self.buffer.capacity() - self.buffer.len() < READ_BYTES {
            self.make_room();
        }
        let room = READ_BYTES.min(self.buffer.capacity() - self.buffer.len());
        if self.source.read_buf(&mut (&mut self.buffer).limit(room)).await? == 0 {
            self.ended = true;
        }
        Ok(())
    }

    /// Moves the unread rest to the front, and grows at most to the cap and two reads.
    fn make_room(&mut self) {
        self.buffer.drain(..self.start);
        self.scanned -= self.start;
        self.start = 0;
        let (len, capacity) = (self.buffer.len(), self.buffer.capacity());
        if capacity - len < READ_BYTES {
            let wanted = (len + READ_BYTES).max((capacity * 2).min(self.cap + 2 * READ_BYTES));
            self.buffer.reserve_exact(wanted - len);
        }
    }
}
