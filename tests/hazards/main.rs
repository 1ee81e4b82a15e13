//! What a driver of these CLIs must survive: each case played by `scripted-cli` through the whole runtime, or by the real
//! CLI through the whole app.
//!
//! `reverts.json` names for every case the edit of the product that turns it red; `hazards.md` is made of it.
//!
//! | module | what is played |
//! | --- | --- |
//! | [`stream`], [`control`], [`probes`], [`trees`], [`stop`], [`launch`] | the stand-in, through the runtime |
//! | [`sessions`], [`disk`], [`desktop_start`] | the real CLI, through the app |
//! | [`app`], [`c`] | the app in a process of its own; small programs in C |

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests")]

mod c;
mod control;
mod desktop_start;
mod disk;
mod launch;
mod probes;
mod sessions;
mod stop;
mod stream;
mod trees;

use std::sync::Arc;
use std::time::Duration;

use agent_runtime::{InteractionBroker, InteractionHandler, RuntimeError, TurnRequest, TurnResult};
use paddock_tests::processes::{GONE_BOUND, marked};
use paddock_tests::turns::{Heard, Person, Standin};

fn standin() -> Standin {
    Standin::new(env!("CARGO_BIN_EXE_scripted-cli"))
}

/// Longest turn of the stand-in: one that does not end fails its test instead of holding it up.
const TURN_BOUND: Duration = Duration::from_secs(30);

/// A turn of the stand-in with somebody who allows everything.
async fn run(cli: &Standin, request: TurnRequest) -> (Result<TurnResult, RuntimeError>, Arc<Heard>) {
    bounded(cli.run(request)).await
}

/// What has to end, within the bound.
async fn bounded<T>(turn: impl Future<Output = T>) -> T {
    tokio::time::timeout(TURN_BOUND, turn)
        .await
        .expect("the turn ends")
}

/// A turn of the stand-in, heard and answered, on which a test acts while it runs.
struct Played {
    cli: Standin,
    heard: Arc<Heard>,
    /// Takes the answers of a turn that was begun by [`Played::asked`].
    broker: InteractionBroker,
}

impl Played {
    fn new() -> Self {
        Self::heard_by(Heard::new())
    }

    fn heard_by(heard: Arc<Heard>) -> Self {
        Self {
            cli: standin(),
            heard,
            broker: InteractionBroker::new(),
        }
    }

    async fn turn(
        &self,
        request: TurnRequest,
        person: Arc<dyn InteractionHandler>,
    ) -> Result<TurnResult, RuntimeError> {
        self.cli
            .runtime
            .run(request, Arc::clone(&self.heard) as _, person)
            .await
    }

    /// A turn whose questions wait in the broker for `act`. It must end well.
    async fn asked(&self, request: TurnRequest, act: impl Future<Output = ()>) {
        let both = async { tokio::join!(self.turn(request, Arc::new(self.broker.clone())), act) };
        let (result, ()) = bounded(both).await;
        result.unwrap();
    }

    /// Stops a turn as soon as `ready` is over; it ends within the bound and nothing of it lives.
    async fn stopped(
        &self,
        request: TurnRequest,
        bound: Duration,
        ready: impl Future<Output = ()>,
    ) -> RuntimeError {
        let stop = request.cancellation.clone();
        let turn = self.turn(request, Arc::new(Person::allows()));
        tokio::pin!(turn);
        tokio::select! {
            result = &mut turn => panic!("it ended before it was stopped: {result:?}"),
            () = ready => {}
        }
        stop.cancel();
        let ended = tokio::time::timeout(bound, turn).await;
        let result = ended.unwrap_or_else(|_| panic!("no end within {bound:?} after the stop"));
        self.nothing_lives();
        result.expect_err("a stopped turn is no success")
    }

    /// A turn that must end by its deadline, within the bound after its start.
    async fn timed_out(&self, mut request: TurnRequest) -> RuntimeError {
        const DEADLINE: Duration = Duration::from_millis(700);
        request.deadline = Some(DEADLINE);
        let turn = self.turn(request, Arc::new(Person::allows()));
        let ended = tokio::time::timeout(DEADLINE + GONE_BOUND, turn).await;
        self.nothing_lives();
        ended
            .expect("the deadline holds")
            .expect_err("a turn past its deadline is no success")
    }

    fn nothing_lives(&self) {
        assert_eq!(marked(&self.cli.mark), Vec::<String>::new());
    }

    /// The line that answered this request.
    fn answer(&self, id: &str) -> String {
        let log = self.cli.log();
        let found = log.iter().find(|line| line.contains(&format!("\"{id}\"")));
        found
            .unwrap_or_else(|| panic!("{id} was not answered: {log:#?}"))
            .clone()
    }
}
