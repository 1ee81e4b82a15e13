//! Hazard 13: no process outlives its turn unless it may.

use std::sync::Arc;
use std::time::Instant;

use agent_runtime::{RuntimeError, ToolProcessPolicy, TurnEvent};
use paddock_tests::processes::{GONE_BOUND, gone, marked, present};
use paddock_tests::turns::{Heard, Person};

use crate::standin;

fn spoke(event: &TurnEvent) -> bool {
    matches!(event, TurnEvent::MessageCompleted { .. })
}

#[tokio::test]
async fn h13_stop_ends_grandchildren_in_and_out_of_the_group() {
    let cli = standin();
    let heard = Heard::new();
    let request = cli.turn("grandchildren_hang");
    let stop = request.cancellation.clone();
    let turn = cli
        .runtime
        .run(request, Arc::clone(&heard) as _, Arc::new(Person::allows()));
    let stopping = async {
        heard.wait(spoke).await;
        let living = present(&cli.mark, 3).await;
        assert_eq!(
            living.iter().filter(|line| line.contains("sleep 98")).count(),
            2,
            "{living:?}"
        );
        let asked = Instant::now();
        stop.cancel();
        asked
    };
    let (result, asked) = tokio::join!(turn, stopping);
    assert!(
        matches!(result, Err(RuntimeError::Cancelled { .. })),
        "{result:?}"
    );
    assert!(asked.elapsed() < GONE_BOUND, "{:?}", asked.elapsed());
    assert_eq!(marked(&cli.mark), Vec::<String>::new());
}

#[tokio::test]
async fn h13_terminate_on_completion_ends_them() {
    let cli = standin();
    let mut request = cli.turn("grandchildren_end");
    request.tool_process_policy = ToolProcessPolicy::TerminateOnCompletion;
    let (result, heard) = cli.run(request).await;
    assert_eq!(result.unwrap().text, "ok");
    assert_eq!(heard.texts(), ["started"]);
    assert_eq!(marked(&cli.mark), Vec::<String>::new());
}

#[tokio::test]
async fn h13_preserve_on_completion_leaves_them_and_can_list_and_end_them() {
    let cli = standin();
    let begun = Instant::now();
    let (result, heard) = cli.run(cli.turn("grandchildren_end")).await;
    assert_eq!(result.unwrap().text, "ok");
    assert!(
        begun.elapsed() < GONE_BOUND,
        "a held pipe does not hold the turn: {:?}",
        begun.elapsed()
    );
    let handle = heard.process().expect("a process");
    let transport = cli.runtime.transport();
    let living = transport.leftovers(std::slice::from_ref(&handle)).await.unwrap();
    assert_eq!(living.len(), 2, "{living:?}");
    assert_eq!(marked(&cli.mark).len(), 2);
    let report = transport.reap(&[handle]).await.unwrap();
    assert_eq!(
        report.trees.iter().map(|tree| tree.ended.len()).sum::<usize>(),
        2,
        "{report:?}"
    );
    gone(&cli.mark, GONE_BOUND).await.unwrap();
}

#[tokio::test]
async fn h13_dropping_the_future_ends_the_tree() {
    let cli = standin();
    let heard = Heard::new();
    {
        let turn = cli.runtime.run(
            cli.turn("grandchildren_hang"),
            Arc::clone(&heard) as _,
            Arc::new(Person::allows()),
        );
        tokio::select! {
            result = turn => panic!("it cannot end: {result:?}"),
            () = async { heard.wait(spoke).await; present(&cli.mark, 3).await; } => {}
        }
    }
    gone(&cli.mark, GONE_BOUND).await.unwrap();
}
