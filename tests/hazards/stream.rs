//! Hazards 1, 2, 4, 5 and 6: what comes out of the CLI.

use std::sync::Arc;
use std::time::Duration;

use agent_runtime::{ProviderProcessErrorKind, RuntimeError, ToolStatus, TurnEvent};
use paddock_tests::processes::peak_memory;
use paddock_tests::turns::{Heard, Person};

use crate::{bounded, run, standin};

/// Growth of this process's memory while it reads an endless line: far under the 64 MiB that came.
const ENDLESS_GROWTH_BYTES: u64 = 32 * 1024 * 1024;

#[tokio::test]
async fn h1_a_line_over_the_cap_is_one_marked_card_and_the_rest_is_shown() {
    let cli = standin();
    let (result, heard) = run(&cli, cli.turn("big_line")).await;
    assert_eq!(result.unwrap().text, "ok");
    assert_eq!(heard.texts(), ["after"]);
    let events = heard.events();
    let ended = events.iter().find_map(|event| match event {
        TurnEvent::ToolCall(call)
            if call.id.as_deref() == Some("big") && call.status > ToolStatus::Started =>
        {
            Some(call)
        }
        _ => None,
    });
    let ended = ended.expect("its call is ended, by its id");
    let output = ended.output.as_ref().expect("the beginning of it");
    assert!(
        output.truncated && output.bytes > 3 * 1024 * 1024 && output.text.len() < 4096,
        "{}",
        output.bytes
    );
    let told =
        |event: &TurnEvent| matches!(event, TurnEvent::Warning { code, .. } if code == "oversize_line");
    assert_eq!(heard.count(told), 1);
    let (second, heard) = run(&cli, cli.turn("done")).await;
    assert_eq!(
        (second.unwrap().text, heard.texts()),
        ("ok".into(), vec!["fine".into()])
    );
}

#[tokio::test]
async fn h1_an_endless_line_is_a_protocol_error_within_bounded_memory() {
    let cli = standin();
    let before = peak_memory();
    let (result, _) = run(&cli, cli.turn("endless_line")).await;
    let error = result.unwrap_err();
    assert!(matches!(error, RuntimeError::Protocol { .. }), "{error:?}");
    let grown = peak_memory() - before;
    assert!(grown < ENDLESS_GROWTH_BYTES, "grew by {grown} bytes");
    assert_eq!(paddock_tests::processes::marked(&cli.mark), Vec::<String>::new());
    let (second, _) = run(&cli, cli.turn("done")).await;
    assert_eq!(second.unwrap().text, "ok");
}

#[tokio::test]
async fn h2_characters_cut_by_reads_are_whole() {
    let cli = standin();
    let (result, heard) = run(&cli, cli.turn("byte_by_byte")).await;
    assert_eq!(result.unwrap().unparsed, 0);
    assert_eq!(heard.texts(), ["東京タワー🗼 café"]);
}

#[tokio::test]
async fn h2_lines_may_end_with_cr_lf() {
    let cli = standin();
    let (result, heard) = run(&cli, cli.turn("crlf")).await;
    assert_eq!(result.unwrap().unparsed, 0);
    assert_eq!(heard.texts(), ["café"]);
}

#[tokio::test]
async fn h4_unknown_frames_end_nothing_and_unknown_requests_are_refused() {
    let cli = standin();
    let (result, heard) = run(&cli, cli.turn("unknown_frames")).await;
    assert_eq!(result.unwrap().text, "ok");
    assert_eq!(heard.texts(), ["still here"]);
    assert_eq!(
        heard.count(|event| matches!(event, TurnEvent::AccountUsageUpdated(_))),
        1
    );
    let events = heard.events();
    let unknown: Vec<&str> = events
        .iter()
        .filter_map(|event| match event {
            TurnEvent::Unknown { kind, .. } => Some(kind.as_str()),
            _ => None,
        })
        .collect();
    for kind in [
        "weather_note",
        "system/future_notice",
        "assistant/hologram",
        "control_request/future_request",
    ] {
        assert_eq!(
            unknown.iter().filter(|have| **have == kind).count(),
            1,
            "{kind} in {unknown:?}"
        );
    }
    let refusal = cli
        .log()
        .into_iter()
        .find(|line| line.contains("\"u1\""))
        .expect("an answer");
    assert!(refusal.contains("\"subtype\":\"error\""), "{refusal}");
}

#[tokio::test]
async fn h5_banners_are_counted_and_skipped() {
    let cli = standin();
    let (result, heard) = run(&cli, cli.turn("banners")).await;
    let result = result.unwrap();
    assert_eq!((result.unparsed, result.text.as_str()), (3, "ok"));
    assert_eq!(
        result.first_unparsed.as_deref(),
        Some("[env] shell ready (3 tools)")
    );
    assert_eq!(heard.texts(), ["fine"]);
}

#[tokio::test]
async fn h5_ten_thousand_banners_are_skipped() {
    let cli = standin();
    let (result, heard) = run(&cli, cli.turn("banners_ten_thousand")).await;
    assert_eq!(result.unwrap().unparsed, 10_000);
    assert!(heard.events().len() < 50, "no event for each of them");
}

#[tokio::test]
async fn h5_only_banners_say_that_no_protocol_was_spoken() {
    let cli = standin();
    let (result, _) = run(&cli, cli.turn("banners_only")).await;
    let error = result.unwrap_err();
    let RuntimeError::ProcessFailed {
        failure, exit_code, ..
    } = &error
    else {
        panic!("{error:?}");
    };
    assert_eq!(
        (failure.kind, *exit_code),
        (ProviderProcessErrorKind::Unknown, Some(0))
    );
    for words in ["spoke no protocol", "shell ready", "hint", "bye"] {
        assert!(failure.message.contains(words), "{words} in {}", failure.message);
    }
}

#[tokio::test]
async fn h6_a_streamed_answer_and_its_whole_are_one() {
    let cli = standin();
    let (result, heard) = run(&cli, cli.turn("deltas_then_message")).await;
    result.unwrap();
    assert_eq!(heard.texts(), ["Ten green bottles"]);
    let ids = |event: &TurnEvent| match event {
        TurnEvent::TextDelta {
            message_id, block, ..
        } => Some((message_id.clone(), *block)),
        TurnEvent::MessageCompleted { id, block, .. } => Some((id.clone(), *block)),
        _ => None,
    };
    let mut all: Vec<_> = heard.events().iter().filter_map(ids).collect();
    assert_eq!(all.len(), 4);
    all.dedup();
    assert_eq!(all, [("m1".into(), 0)], "parts and whole carry one id");
    assert_eq!(
        heard.count(|event| matches!(event, TurnEvent::TextWithdrawn { .. })),
        0
    );
}

#[tokio::test]
async fn h6_different_messages_with_equal_words_are_both_kept() {
    let cli = standin();
    let (result, heard) = run(&cli, cli.turn("equal_messages")).await;
    result.unwrap();
    assert_eq!(heard.texts(), ["Same words", "Same words"]);
    let replaces = |event: &TurnEvent| matches!(event, TurnEvent::MessageCompleted { replaces, .. } if !replaces.is_empty());
    assert_eq!(heard.count(replaces), 0);
}

#[tokio::test]
async fn a_slow_reader_holds_the_program_back_and_loses_nothing() {
    let cli = standin();
    let heard = Heard::slow(Duration::from_millis(4));
    let turn = cli.runtime.run(
        cli.turn("flood_then_end"),
        Arc::clone(&heard) as _,
        Arc::new(Person::allows()),
    );
    assert_eq!(bounded(turn).await.unwrap().text, "ok");
    assert_eq!(
        heard.count(|event| matches!(event, TurnEvent::TextDelta { .. })),
        300
    );
    assert_eq!(heard.texts(), ["the end"]);
}

#[tokio::test]
async fn a_flood_larger_than_the_pipe_comes_in_order() {
    let cli = standin();
    let (result, heard) = run(&cli, cli.turn("flood_large")).await;
    assert_eq!(result.unwrap().text, "ok");
    let deltas: Vec<String> = heard
        .events()
        .into_iter()
        .filter_map(|event| match event {
            TurnEvent::TextDelta { text, .. } => Some(text),
            _ => None,
        })
        .collect();
    let wanted: Vec<String> = (0..5000).map(|n| format!("{n} ")).collect();
    assert_eq!(deltas, wanted);
}
