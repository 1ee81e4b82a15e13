//! Hazard 13: no process outlives its turn unless it may.

use std::sync::Arc;

use agent_runtime::{RuntimeError, ToolProcessPolicy, TurnEvent};
use paddock_tests::processes::{GONE_BOUND, gone, marked, present};
use paddock_tests::turns::Person;

use crate::{Played, run, standin};

fn spoke(event: &TurnEvent) -> bool {
    matches!(event, TurnEvent::MessageCompleted { .. })
}

#[tokio::test]
async fn h13_stop_ends_grandchildren_in_and_out_of_the_group() {
    let played = Played::new();
    let ready = async {
        played.heard.wait(spoke).await;
        let living = present(&played.cli.mark, 3).await;
        let sleeping = living.iter().filter(|line| line.contains("sleep 98"));
        assert_eq!(sleeping.count(), 2, "{living:?}");
    };
    let error = played
        .stopped(played.cli.turn("grandchildren_hang"), GONE_BOUND, ready)
        .await;
    assert!(matches!(error, RuntimeError::Cancelled { .. }), "{error:?}");
}

#[tokio::test]
async fn h13_stop_ends_what_lost_its_parents() {
    let played = Played::new();
    // Forked once more and with a session of its own: neither a group nor a parent leads to it.
    let script = "> INIT\n< until \"user\"\nspawn setsid --fork sleep 988\nsleep 300\n> TXT(started)\nhang\n";
    let request = played.cli.turn_of(&played.cli.script(script));
    let ready = async {
        played.heard.wait(spoke).await;
        let living = present(&played.cli.mark, 2).await;
        assert!(living.iter().any(|line| line.contains("sleep 988")), "{living:?}");
    };
    let error = played.stopped(request, GONE_BOUND, ready).await;
    assert!(matches!(error, RuntimeError::Cancelled { .. }), "{error:?}");
}

#[tokio::test]
async fn h13_terminate_on_completion_ends_them() {
    let cli = standin();
    let mut request = cli.turn("grandchildren_end");
    request.tool_process_policy = ToolProcessPolicy::TerminateOnCompletion;
    let (result, heard) = run(&cli, request).await;
    assert_eq!(result.unwrap().text, "ok");
    assert_eq!(heard.texts(), ["started"]);
    assert_eq!(marked(&cli.mark), Vec::<String>::new());
}

#[tokio::test]
async fn h13_preserve_on_completion_leaves_them_and_can_list_and_end_them() {
    let cli = standin();
    let turn = tokio::time::timeout(GONE_BOUND, run(&cli, cli.turn("grandchildren_end")));
    let (result, heard) = turn.await.expect("a held pipe does not hold the turn");
    assert_eq!(result.unwrap().text, "ok");
    let handle = heard.process().expect("a process");
    let transport = cli.runtime.transport();
    let living = transport.leftovers(std::slice::from_ref(&handle)).await.unwrap();
    assert_eq!(living.len(), 2, "{living:?}");
    assert_eq!(present(&cli.mark, 2).await.len(), 2);
    let report = transport.reap(&[handle]).await.unwrap();
    let ended: usize = report.trees.iter().map(|tree| tree.ended.len()).sum();
    assert_eq!(ended, 2, "{report:?}");
    gone(&cli.mark, GONE_BOUND).await.unwrap();
}

#[tokio::test]
async fn h13_dropping_the_future_ends_the_tree() {
    let played = Played::new();
    {
        let turn = played.turn(played.cli.turn("grandchildren_hang"), Arc::new(Person::allows()));
        tokio::select! {
            result = turn => panic!("it cannot end: {result:?}"),
            () = async { played.heard.wait(spoke).await; present(&played.cli.mark, 3).await; } => {}
        }
    }
    gone(&played.cli.mark, GONE_BOUND).await.unwrap();
}
