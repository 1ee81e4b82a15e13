//! Processes that are kept between the turns of a session, and compactions.

use std::sync::Arc;
use std::time::Duration;

use agent_runtime::{
    CompactionTrigger, ConfigurationImpact, PermissionMode, Retention, SessionChoice, TransportProcessHandle,
    TurnAction, TurnEvent, TurnRequest,
};
use paddock_tests::processes::{GONE_BOUND, gone, marked, present};
use paddock_tests::real::Real;
use paddock_tests::turns::Heard;

use crate::allows;

/// Longer than any test.
const LONG: Duration = Duration::from_secs(300);
/// A natural end takes the CLI a moment.
const LEAVES: Duration = Duration::from_secs(8);

async fn keeping(max_processes: usize, idle: Duration) -> Real {
    Real::start().await.keep(Retention { max_processes, idle })
}

/// Runs a turn that must succeed: its session, its process, its events.
async fn turn(real: &Real, request: TurnRequest) -> (String, TransportProcessHandle, Arc<Heard>) {
    let (result, heard) = real.run(request, &allows()).await;
    let session = result.unwrap().session_id.unwrap();
    let process = heard.process().unwrap();
    (session, process, heard)
}

fn after(real: &Real, session: &str, script: &str) -> TurnRequest {
    let mut request = real.turn(script);
    request.session = SessionChoice::Resume { id: session.into() };
    request
}

/// Requests to the model that this script answered.
fn answered(real: &Real, script: &str) -> usize {
    let recorded = real.model.recorded();
    recorded
        .iter()
        .filter(|request| request.script.as_deref() == Some(script))
        .count()
}

#[cfg(unix)]
fn signal(process: &TransportProcessHandle, signal: nix::sys::signal::Signal) {
    let pid = nix::unistd::Pid::from_raw(i32::try_from(process.pid).unwrap());
    nix::sys::signal::kill(pid, signal).unwrap();
}

#[tokio::test]
async fn the_next_turn_of_a_session_needs_no_start() {
    let real = keeping(2, LONG).await;
    let mut first = real.turn("text");
    first.prompt = "[[text]] remember 9141".into();
    let (session, process, _) = turn(&real, first).await;
    assert_eq!(real.runtime.retained_processes(), 1);
    real.model.clear_recorded();
    let (again, same, heard) = turn(&real, after(&real, &session, "text")).await;
    assert_eq!(
        (again, same),
        (session, process),
        "the same session in the same process"
    );
    assert!(real.told().contains("remember 9141"));
    assert_eq!(answered(&real, "text"), 1);
    assert_eq!(heard.texts().len(), 1, "the answer of this turn alone");
    real.runtime.close_retained().await;
    assert_eq!(real.runtime.retained_processes(), 0);
    gone(&real.mark, LEAVES).await.unwrap();
}

#[tokio::test]
async fn another_session_gets_a_process_of_its_own_and_the_oldest_makes_place() {
    let real = keeping(1, LONG).await;
    let (_, first, _) = turn(&real, real.turn("text")).await;
    let (session, second, _) = turn(&real, real.turn("text")).await;
    assert_ne!(first.marker, second.marker);
    assert_eq!(real.runtime.retained_processes(), 1);
    gone(&first.marker, LEAVES).await.unwrap();
    present(&second.marker, 1).await;
    let (_, third, _) = turn(&real, after(&real, &session, "text")).await;
    assert_eq!(second, third);
}

#[tokio::test]
async fn mode_and_model_change_while_it_lives_and_are_what_the_turn_runs_under() {
    let real = keeping(2, LONG).await;
    let (session, process, _) = turn(&real, real.turn("text")).await;
    real.model.clear_recorded();
    let mut second = after(&real, &session, "write");
    second.permission_mode = Some(PermissionMode::AcceptEdits);
    second.model = Some("opus".into());
    let impact = real.runtime.configuration_impact(&real.turn("text"), &second);
    assert_eq!(impact.unwrap(), ConfigurationImpact::InPlace);
    let person = allows();
    let (result, heard) = real.run(second, &person).await;
    result.unwrap();
    assert_eq!(heard.process().unwrap(), process);
    assert_eq!(
        person.approvals_asked().len(),
        0,
        "edits are accepted in this mode"
    );
    let models: Vec<_> = real.model.recorded();
    let opus = |body: &serde_json::Value| body["model"].as_str().is_some_and(|model| model.contains("opus"));
    assert!(
        models
            .iter()
            .filter(|one| one.script.is_some())
            .all(|one| opus(&one.body))
    );
    // And back: the mode of before asks again, in the same process.
    let mut third = after(&real, &session, "write");
    third.model = Some("opus".into());
    let person = allows();
    let (result, heard) = real.run(third, &person).await;
    result.unwrap();
    assert_eq!(heard.process().unwrap(), process);
    assert_eq!(person.approvals_asked().len(), 1);
}

#[tokio::test]
async fn what_only_a_start_decides_ends_it_first() {
    let real = keeping(2, LONG).await;
    let (session, process, _) = turn(&real, real.turn("text")).await;
    let mut changes: Vec<TurnRequest> = (0..4).map(|_| after(&real, &session, "text")).collect();
    changes[0].reasoning = Some("high".into());
    changes[1].permission_mode = Some(PermissionMode::ReadOnly);
    changes[2].environment.insert("ANOTHER_SECRET", "value");
    changes[3].launch_context.system_prompt_append = Some("Be brief.".into());
    for change in &changes {
        let impact = real.runtime.configuration_impact(&real.turn("text"), change);
        assert_eq!(impact.unwrap(), ConfigurationImpact::Restart, "{change:?}");
    }
    let change = changes.swap_remove(1);
    let (again, other, _) = turn(&real, change).await;
    assert_eq!(again, session);
    assert_ne!(other.marker, process.marker);
    assert_eq!(
        marked(&process.marker),
        Vec::<String>::new(),
        "two never hold one session"
    );
}

#[cfg(unix)]
#[tokio::test]
async fn one_that_gives_no_sign_of_life_is_replaced_and_the_prompt_is_delivered_once() {
    use nix::sys::signal::Signal;
    let real = keeping(2, LONG).await;
    let (session, process, _) = turn(&real, real.turn("text")).await;
    signal(&process, Signal::SIGSTOP);
    real.model.clear_recorded();
    let (again, other, _) = turn(&real, after(&real, &session, "think")).await;
    assert_eq!(again, session);
    assert_ne!(other.marker, process.marker);
    assert_eq!(answered(&real, "think"), 1);
    assert_eq!(marked(&process.marker), Vec::<String>::new());
}

#[cfg(unix)]
#[tokio::test]
async fn one_that_died_while_it_waited_is_replaced() {
    use nix::sys::signal::Signal;
    let real = keeping(2, LONG).await;
    let (session, process, _) = turn(&real, real.turn("text")).await;
    signal(&process, Signal::SIGKILL);
    real.model.clear_recorded();
    let (again, other, _) = turn(&real, after(&real, &session, "think")).await;
    assert_eq!(again, session);
    assert_ne!(other.marker, process.marker);
    assert_eq!(answered(&real, "think"), 1);
}

#[cfg(unix)]
#[tokio::test]
async fn a_crash_in_a_turn_is_told_and_nothing_is_sent_again() {
    use nix::sys::signal::Signal;
    let real = keeping(2, LONG).await;
    let (session, process, _) = turn(&real, real.turn("text")).await;
    real.model.clear_recorded();
    let heard = Heard::new();
    let run = real
        .runtime
        .run(after(&real, &session, "slow"), Arc::clone(&heard) as _, allows());
    let kill = async {
        heard
            .wait(|event| matches!(event, TurnEvent::TextDelta { .. }))
            .await;
        signal(&process, Signal::SIGKILL);
    };
    let (result, ()) = tokio::join!(run, kill);
    assert_eq!(heard.process().unwrap(), process, "it was the kept one");
    let failure = result.unwrap_err();
    assert_eq!(
        failure.delivery(),
        agent_runtime::DeliveryState::Accepted,
        "{failure}"
    );
    assert_eq!(answered(&real, "slow"), 1);
    let (again, other, _) = turn(&real, after(&real, &session, "text")).await;
    assert_eq!(again, session);
    assert_ne!(other.marker, process.marker);
}

#[tokio::test]
async fn after_its_time_it_leaves_and_the_session_goes_on_in_a_new_one() {
    let real = keeping(2, Duration::from_millis(400)).await;
    let (session, process, _) = turn(&real, real.turn("text")).await;
    gone(&process.marker, LEAVES).await.unwrap();
    assert_eq!(real.runtime.retained_processes(), 0);
    let (again, other, _) = turn(&real, after(&real, &session, "text")).await;
    assert_eq!(again, session);
    assert_ne!(other.marker, process.marker);
}

#[tokio::test]
async fn a_stopped_turn_keeps_nothing() {
    let real = keeping(2, LONG).await;
    let (session, ..) = turn(&real, real.turn("text")).await;
    let request = after(&real, &session, "slow");
    let stop = request.cancellation.clone();
    let heard = Heard::new();
    let run = real.runtime.run(request, Arc::clone(&heard) as _, allows());
    let stopping = async {
        heard
            .wait(|event| matches!(event, TurnEvent::TextDelta { .. }))
            .await;
        stop.cancel();
    };
    let (result, ()) = tokio::join!(run, stopping);
    result.unwrap_err();
    gone(&real.mark, GONE_BOUND).await.unwrap();
    assert_eq!(real.runtime.retained_processes(), 0);
}

#[tokio::test]
async fn dropping_the_runtime_lets_them_leave() {
    let real = keeping(2, LONG).await;
    turn(&real, real.turn("text")).await;
    let mark = real.mark.clone();
    let model = real.without_runtime();
    gone(&mark, LEAVES).await.unwrap();
    drop(model);
}

fn compaction(real: &Real, session: &str, keep: &str) -> TurnRequest {
    let mut request = after(real, session, "text");
    request.action = TurnAction::Compact;
    request.prompt = keep.into();
    request
}

/// Starts and ends of compactions that a turn told.
fn compactions(heard: &Heard) -> (usize, usize, usize) {
    let count = |matches: fn(&TurnEvent) -> bool| heard.count(matches);
    (
        count(|event| {
            matches!(
                event,
                TurnEvent::CompactionStarted {
                    trigger: CompactionTrigger::Manual
                }
            )
        }),
        count(|event| {
            matches!(
                event,
                TurnEvent::CompactionCompleted {
                    trigger: CompactionTrigger::Manual,
                    ..
                }
            )
        }),
        count(|event| matches!(event, TurnEvent::CompactionFailed { .. })),
    )
}

#[tokio::test]
async fn a_compaction_is_a_turn_of_its_own_with_one_start_and_one_end() {
    for kept in [true, false] {
        let mut real = Real::start().await;
        if kept {
            real = real.keep(Retention {
                max_processes: 2,
                idle: LONG,
            });
        }
        let (session, process, _) = turn(&real, real.turn("long")).await;
        real.model.clear_recorded();
        let (again, same, heard) = turn(&real, compaction(&real, &session, "keep the number 9142")).await;
        assert_eq!(again, session);
        assert_eq!(same.marker == process.marker, kept);
        assert_eq!(compactions(&heard), (1, 1, 0), "{:#?}", heard.events());
        assert!(real.told().contains("keep the number 9142"));
        let warned = |event: &TurnEvent| matches!(event, TurnEvent::Warning { .. });
        assert_eq!(
            heard.count(warned),
            0,
            "an empty answer is no fault of a compaction"
        );
        let (later, ..) = turn(&real, after(&real, &session, "text")).await;
        assert_eq!(later, session, "the session goes on");
    }
}

#[tokio::test]
async fn a_compaction_that_cannot_be_says_why() {
    let real = keeping(2, LONG).await;
    let (session, ..) = turn(&real, real.turn("text")).await;
    let (_, _, first) = turn(&real, compaction(&real, &session, "")).await;
    let (result, heard) = real.run(compaction(&real, &session, ""), &allows()).await;
    let told = compactions(&heard);
    assert_eq!(told.0, 1, "{:#?}", heard.events());
    assert_eq!(told.1 + told.2, 1, "{result:?} {:#?}", heard.events());
    assert_eq!(compactions(&first).0, 1);
}

#[tokio::test]
async fn a_prepared_process_serves_the_turn_that_comes() {
    let real = keeping(2, LONG).await;
    let mut first = real.turn("text");
    first.prompt = "[[text]] remember 9144".into();
    let (session, kept, _) = turn(&real, first).await;
    let sink = Heard::new();
    let again = real
        .runtime
        .prepare(after(&real, &session, "text"), sink.as_ref());
    assert!(!again.await.unwrap(), "one waits already");
    real.runtime.release_retained(&"claude".into(), &session);
    gone(&kept.marker, LEAVES).await.unwrap();
    assert!(
        real.runtime
            .prepare(after(&real, &session, "text"), sink.as_ref())
            .await
            .unwrap()
    );
    let prepared = sink.process().unwrap();
    real.model.clear_recorded();
    let (same, process, heard) = turn(&real, after(&real, &session, "text")).await;
    assert_eq!((same, process), (session.clone(), prepared));
    assert!(real.told().contains("remember 9144"));
    let commands = |event: &TurnEvent| matches!(event, TurnEvent::Commands { .. });
    assert_eq!(
        heard.count(commands),
        1,
        "what was said before the turn is told in it"
    );
    let payer = |event: &TurnEvent| matches!(event, TurnEvent::Payer { .. });
    assert_eq!(heard.count(payer), 1);
    let other = real.runtime.prepare(real.turn("text"), sink.as_ref()).await;
    assert!(other.is_err(), "a session that does not exist cannot be prepared");
}

#[tokio::test]
async fn a_turn_that_comes_first_is_not_served_by_what_was_prepared_before_it() {
    let real = keeping(2, LONG).await;
    let (session, ..) = turn(&real, real.turn("text")).await;
    real.runtime.release_retained(&"claude".into(), &session);
    // Both at once: whichever is first, the session has one process afterwards and knows all of it.
    let sink = Heard::new();
    let prepare = real
        .runtime
        .prepare(after(&real, &session, "text"), sink.as_ref());
    let mut second = after(&real, &session, "text");
    second.prompt = "[[text]] remember 9145".into();
    let (prepared, (same, process, _)) = tokio::join!(prepare, turn(&real, second));
    assert_eq!(same, session);
    prepared.unwrap();
    real.model.clear_recorded();
    let (_, next, _) = turn(&real, after(&real, &session, "text")).await;
    assert_eq!(next, process, "the process of the turn is the one that was kept");
    assert!(real.told().contains("remember 9145"));
    assert_eq!(real.runtime.retained_processes(), 1);
}

#[tokio::test]
async fn nothing_is_prepared_beside_a_running_turn() {
    let real = keeping(2, LONG).await;
    let (session, ..) = turn(&real, real.turn("text")).await;
    let request = after(&real, &session, "slow");
    let stop = request.cancellation.clone();
    let heard = Heard::new();
    let run = real.runtime.run(request, Arc::clone(&heard) as _, allows());
    let prepare = async {
        heard
            .wait(|event| matches!(event, TurnEvent::TextDelta { .. }))
            .await;
        let sink = Heard::new();
        let prepared = real
            .runtime
            .prepare(after(&real, &session, "text"), sink.as_ref())
            .await;
        assert!(!prepared.unwrap(), "what it read of the session would be old");
        assert!(sink.process().is_none(), "nothing was started");
        stop.cancel();
    };
    let (result, ()) = tokio::join!(run, prepare);
    result.unwrap_err();
    gone(&real.mark, GONE_BOUND).await.unwrap();
}
