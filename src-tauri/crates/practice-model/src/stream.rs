//! Plays an answer into a response body, piece by piece.

use std::io;

use axum::body::Body;
use bytes::Bytes;
use tokio::sync::mpsc::{self, Sender};
use tokio_util::sync::CancellationToken;

use crate::{
    faults::{Class, Kind},
    pace::chunks,
    reply::{Block, Reply, Text},
    wire::{Encoder, Wire},
};

/// Frames that wait for a slow reader at most. When they are full the player waits: a flood needs no memory.
const WAITING_FRAMES: usize = 64;

/// Why the player stops before its end.
enum Halt {
    /// The client went away or the server stops.
    Gone,
    /// A fault of the script.
    Fault,
}

/// A body that plays `reply`. It ends early when the reader goes away or `stop` is cancelled.
pub(crate) fn body(
    reply: Reply,
    encoder: Box<dyn Encoder>,
    wire: Wire,
    model: String,
    stop: CancellationToken,
) -> Body {
    let (frames, mut incoming) = mpsc::channel(WAITING_FRAMES);
    tokio::spawn(async move {
        let mut player = Player {
            encoder,
            frames,
            stop,
            wire,
            model,
            sent: 0,
        };
        // Both reasons to halt have told the client already or cannot.
        if let Err(Halt::Gone) = player.play(&reply).await {
            tracing::debug!("the reader of a practice answer went away");
        }
    });
    let stream = futures_util::stream::poll_fn(move |context| incoming.poll_recv(context));
    Body::from_stream(stream)
}

struct Player {
    encoder: Box<dyn Encoder>,
    frames: Sender<io::Result<Bytes>>,
    stop: CancellationToken,
    wire: Wire,
    model: String,
    /// Chunks so far.
    sent: u32,
}

impl Player {
    async fn play(&mut self, reply: &Reply) -> Result<(), Halt> {
        let start = self.encoder.start(reply);
        self.send(start).await?;
        for (index, block) in reply.blocks.iter().enumerate() {
            let open = self.encoder.open(index, block);
            self.send(open).await?;
            self.play_block(reply, index, block).await?;
            let close = self.encoder.close(index, block);
            self.send(close).await?;
        }
        self.sent = u32::MAX;
        self.fault(reply).await?;
        let end = self.encoder.finish(reply);
        self.send(end).await
    }

    async fn play_block(&mut self, reply: &Reply, index: usize, block: &Block) -> Result<(), Halt> {
        match block {
            Block::Thinking(text) | Block::Text(text) => self.play_text(reply, index, block, text).await,
            Block::Tool(call) => {
                let text = call.input.wire_text();
                for piece in chunks(&text, reply.pace.tool_chars()) {
                    self.play_piece(reply, index, block, piece).await?;
                }
                Ok(())
            }
        }
    }

    async fn play_text(
        &mut self,
        reply: &Reply,
        index: usize,
        block: &Block,
        text: &Text,
    ) -> Result<(), Halt> {
        let mut round: u32 = 0;
        while text.goes_on(round) {
            for piece in chunks(&text.part, reply.pace.text_chars()) {
                self.play_piece(reply, index, block, piece).await?;
            }
            round = round.saturating_add(1);
        }
        Ok(())
    }

    async fn play_piece(
        &mut self,
        reply: &Reply,
        index: usize,
        block: &Block,
        piece: &str,
    ) -> Result<(), Halt> {
        self.fault(reply).await?;
        let wait = reply.pace.wait();
        if !wait.is_zero() {
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = self.frames.closed() => return Err(Halt::Gone),
                () = self.stop.cancelled() => return Err(Halt::Gone),
            }
        }
        let frames = self.encoder.delta(index, block, piece);
        self.sent = self.sent.saturating_add(1);
        self.send(frames).await
    }

    /// Does what the script wants to go wrong here, if anything.
    async fn fault(&mut self, reply: &Reply) -> Result<(), Halt> {
        match reply.fault.as_ref().map(|fault| &fault.kind) {
            Some(Kind::Cut { after_chunks }) if self.sent >= *after_chunks => {
                let broken = io::Error::new(io::ErrorKind::ConnectionReset, "the script cuts the connection");
                // A client that is gone already has what the script wants.
                let _gone = self.frames.send(Err(broken)).await;
                Err(Halt::Fault)
            }
            Some(Kind::Stall { after_chunks }) if self.sent >= *after_chunks => {
                tokio::select! {
                    () = self.frames.closed() => {}
                    () = self.stop.cancelled() => {}
                }
                Err(Halt::Fault)
            }
            Some(Kind::ErrorEvent { after_chunks }) if self.sent >= *after_chunks => {
                let complaint = Class::Overloaded.on(self.wire, &self.model);
                let frames = self.encoder.complain(&complaint);
                self.send(frames).await?;
                Err(Halt::Fault)
            }
            _ => Ok(()),
        }
    }

    async fn send(&mut self, frames: Vec<Bytes>) -> Result<(), Halt> {
        for frame in frames {
            tokio::select! {
                sent = self.frames.send(Ok(frame)) => sent.map_err(|_| Halt::Gone)?,
                () = self.stop.cancelled() => return Err(Halt::Gone),
            }
        }
        Ok(())
    }
}
