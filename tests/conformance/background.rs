//! Work that goes on after the answer: agents and commands in the background.

use std::sync::Arc;
use std::time::Duration;

use agent_runtime::turn::ControlHandle;
use agent_runtime::{
    Control, ControlError, InteractionBroker, InteractionHandler, PermissionMode, Retention, RuntimeError,
    SessionChoice, TaskStatus, ToolStatus, TurnControls, TurnEvent, TurnRequest, TurnResult,
};
use paddock_tests::processes::{GONE_BOUND, gone, marked, present};
use paddock_tests::real::Real;
use paddock_tests::turns::Heard;

use crate::{allows, ended_calls};

/// Longer than any test.
const LONG: Duration = Duration::from_secs(300);

fn resting(event: &TurnEvent) -> bool {
    matches!(event, TurnEvent::Resting { resting: true })
}

async fn keeping() -> Real {
    Real::start().await.keep(Retention {
        max_processes: 2,
        idle: LONG,
    })
}

/// A turn that goes on beside the test.
struct Going {
    heard: Arc<Heard>,
    controls: ControlHandle,
    end: tokio::task::JoinHandle<Result<TurnResult, RuntimeError>>,
}

fn start(real: &Arc<Real>, request: TurnRequest, person: Arc<dyn InteractionHandler>) -> Going {
    let (heard, (controls, receiver)) = (Heard::new(), TurnControls::pair());
    let (real, sink) = (Arc::clone(real), Arc::clone(&heard));
    let run = async move {
        real.runtime
            .run_controlled(request, sink as _, person, receiver)
            .await
    };
    Going {
        heard,
        controls,
        end: tokio::spawn(run),
    }
}

/// In the mode that asks for nothing but what it must.
fn unasked(real: &Real, script: &str) -> TurnRequest {
    let mut request = real.turn(script);
    request.permission_mode = Some(PermissionMode::Default);
    request
}

#[tokio::test]
async fn an_agent_works_on_after_the_answer_and_its_end_is_a_part_of_the_turn() {
    let real = Real::start().await;
    let person = allows();
    let (result, heard) = real.run(unasked(&real, "agent"), &person).await;
    let result = result.unwrap();
    assert_eq!(result.text, "The agent is done. Nothing stands out.");
    let texts = heard.texts();
    let place = |text: &str| texts.iter().position(|one| one.contains(text));
    let answer = place("The agent works.").expect("the first answer");
    let last = place("The agent is done.").expect("the second one");
    assert!(answer < last, "{texts:?}");
    assert_eq!(heard.count(resting), 1, "{:#?}", heard.events());
    let ask = person.approvals_asked().pop().expect("the agent's command asks");
    let task = ask.agent_id.clone().expect("the ask says whose it is");
    let calls = ended_calls(&heard);
    let nested = calls
        .iter()
        .find(|call| call.name == "Bash")
        .expect("its command");
    assert_eq!(nested.task_id, Some(task.clone()));
    assert_eq!(nested.status, ToolStatus::Succeeded);
    let snapshots: Vec<TaskStatus> = heard
        .events()
        .into_iter()
        .filter_map(|event| match event {
            TurnEvent::TasksChanged { tasks } => {
                tasks.iter().find(|one| one.id == task).map(|one| one.status)
            }
            _ => None,
        })
        .collect();
    assert_eq!(snapshots.first(), Some(&TaskStatus::Running), "{snapshots:?}");
    assert_eq!(snapshots.last(), Some(&TaskStatus::Completed), "{snapshots:?}");
    assert!(real.file("made-by-agent.txt").is_file());
    let unknown = |event: &TurnEvent| matches!(event, TurnEvent::Unknown { .. });
    assert_eq!(heard.count(unknown), 0, "{:#?}", heard.events());
    gone(&real.mark, GONE_BOUND).await.unwrap();
}

#[tokio::test]
async fn a_turn_that_rests_hands_over_to_the_next_prompt_and_its_work_goes_on() {
    let real = Arc::new(keeping().await);
    let first = start(&real, unasked(&real, "background"), allows());
    first.heard.wait(resting).await;
    first.controls.send(Control::Release).await.unwrap();
    let one = first.end.await.unwrap().unwrap();
    assert_eq!(one.text, "The command runs. You can go on.");
    assert!(!real.file("made-in-background.txt").exists(), "it still runs");
    let mut request = real.turn("text");
    request.session = SessionChoice::Resume {
        id: one.session_id.clone().unwrap(),
    };
    let (two, heard) = real.run(request, &allows()).await;
    let two = two.unwrap();
    assert_eq!(heard.process(), first.heard.process(), "the same process");
    assert_eq!(two.session_id, one.session_id);
    assert!(heard.texts()[0].starts_with("Hello from the practice model."));
    assert!(
        real.file("made-in-background.txt").is_file(),
        "the turn waited for it"
    );
    assert_eq!(marked(&real.mark).len(), 1, "the CLI waits for the next prompt");
}

#[tokio::test]
async fn what_would_cut_off_the_work_is_refused_before_anything_is_sent() {
    let real = Arc::new(keeping().await);
    let first = start(&real, unasked(&real, "background"), allows());
    first.heard.wait(resting).await;
    first.controls.send(Control::Release).await.unwrap();
    let one = first.end.await.unwrap().unwrap();
    let asked = real.model.recorded().len();
    let mut request = real.turn("text");
    request.session = SessionChoice::Resume {
        id: one.session_id.unwrap(),
    };
    request.reasoning = Some("high".into());
    let (refused, _) = real.run(request, &allows()).await;
    let refused = refused.unwrap_err();
    assert!(
        matches!(refused, RuntimeError::RestartWouldStopBackgroundWork),
        "{refused:?}"
    );
    assert_eq!(real.model.recorded().len(), asked);
    assert_eq!(real.runtime.retained_processes(), 1, "it works on");
}

#[tokio::test]
async fn a_turn_is_not_handed_over_before_its_answer_or_without_a_place_to_go() {
    let real = Arc::new(Real::start().await);
    let broker = InteractionBroker::new();
    let going = start(&real, unasked(&real, "agent"), Arc::new(broker.clone()));
    let ask = going
        .heard
        .wait_for(|event| match event {
            TurnEvent::ApprovalRequested(request) => Some(request.id.clone()),
            _ => None,
        })
        .await;
    let refused =
        |outcome: Result<(), ControlError>| matches!(outcome, Err(ControlError::Unsupported { .. }));
    assert!(
        refused(going.controls.send(Control::Release).await),
        "nobody keeps it"
    );
    broker
        .resolve_approval(&ask, agent_runtime::ApprovalDecision::Allow)
        .unwrap();
    going.end.await.unwrap().unwrap();

    let real = Arc::new(keeping().await);
    let going = start(&real, real.turn("slow"), allows());
    going
        .heard
        .wait(|event| matches!(event, TurnEvent::TextDelta { .. }))
        .await;
    assert!(refused(going.controls.send(Control::Release).await), "it speaks");
    going.end.abort();
}

#[tokio::test]
async fn one_task_can_be_ended_and_the_turn_says_so() {
    let real = Arc::new(Real::start().await);
    let going = start(&real, unasked(&real, "background"), allows());
    going.heard.wait(resting).await;
    present(&real.mark, 3).await;
    let task = going
        .heard
        .wait_for(|event| match event {
            TurnEvent::TasksChanged { tasks } => tasks.first().map(|task| task.id.clone()),
            _ => None,
        })
        .await;
    let unknown = going
        .controls
        .send(Control::StopTask("no-such-task".into()))
        .await;
    assert!(unknown.is_err());
    going
        .controls
        .send(Control::StopTask(task.clone()))
        .await
        .unwrap();
    let stopped = |event: &TurnEvent| match event {
        TurnEvent::TasksChanged { tasks } => tasks.iter().any(|one| one.status == TaskStatus::Stopped),
        _ => false,
    };
    going.heard.wait(stopped).await;
    going.end.await.unwrap().unwrap();
    assert!(!real.file("made-in-background.txt").exists());
}

#[tokio::test]
async fn stop_ends_the_work_in_the_background_too() {
    let real = Arc::new(Real::start().await);
    let request = unasked(&real, "background");
    let stop = request.cancellation.clone();
    let going = start(&real, request, allows());
    going.heard.wait(resting).await;
    stop.cancel();
    let error = going.end.await.unwrap().unwrap_err();
    assert!(matches!(error, RuntimeError::Cancelled { .. }), "{error:?}");
    assert_eq!(marked(&real.mark), Vec::<String>::new());
}
