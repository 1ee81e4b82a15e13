//! Receipts of turns, from what is stored.

use agent_domain::decision::ClosedBy;
use paddock_host::api::{Receipt, StartCarrier, StepOutcome};

use super::*;

/// Number of the event that ended the last turn.
async fn end(app: &App, chat: &str) -> i64 {
    let events = app.events(chat).await;
    let ends = |event: &&StoredEvent| matches!(event.body, ChatEvent::TurnEnded { .. });
    events.iter().rev().find(ends).unwrap().seq
}

async fn receipt(app: &App, chat: &str) -> Receipt {
    app.host.turn_receipt(chat, end(app, chat).await).await.unwrap()
}

/// The first turn started a process, the second had it kept; the diagnostics list both, newest first.
async fn started_well(app: &App, first: &Receipt, second: &Receipt) {
    let (fresh, kept) = (first.start.unwrap(), second.start.unwrap());
    assert_eq!(
        (fresh.carrier, kept.carrier),
        (Some(StartCarrier::Fresh), Some(StartCarrier::Kept))
    );
    let stages = [
        fresh.slot_ms,
        fresh.process_ms,
        fresh.first_line_ms,
        fresh.first_text_ms,
    ];
    assert!(
        stages.iter().all(Option::is_some) && stages.is_sorted(),
        "{stages:?}"
    );
    let starts = app.host.last_starts().await.unwrap();
    let of: Vec<_> = starts
        .iter()
        .map(|ended| (ended.turn.as_str(), ended.start))
        .collect();
    assert_eq!(
        of,
        [
            (second.turn.as_str(), Some(kept)),
            (first.turn.as_str(), Some(fresh))
        ]
    );
}

#[test]
fn a_receipt_names_the_steps_their_answers_and_who_pays() {
    in_own_process(
        "receipts::a_receipt_names_the_steps_their_answers_and_who_pays",
        |_, _| {},
        async {
            let app = App::open().await;
            let chat = app.chat("[[bash]] please").await;
            let decision = app.open_decision(&chat).await;
            let session = approval(ApprovalDecision::AllowForSession);
            app.host.decide(&decision.id, session).await.unwrap();
            app.ended(&chat, 1).await;
            let first = receipt(&app, &chat).await;
            assert!(
                first.whole && first.took_ms.is_some() && first.model.is_some(),
                "{first:#?}"
            );
            assert_eq!(
                (first.counts.commands, first.counts.decisions),
                (1, 1),
                "{first:#?}"
            );
            assert_eq!(
                (first.commands[0].outcome, first.commands[0].unasked),
                (StepOutcome::Done, false)
            );
            assert_eq!(first.decisions[0].closed, Some(ClosedBy::Person));
            assert_eq!(
                first.decisions[0].answer.as_deref(),
                Some("allowed for this chat")
            );
            assert_eq!(
                first.payer.as_ref().map(|payer| payer.source.as_str()),
                Some("practice")
            );
            // The step is where the receipt says.
            let step = app.host.event(&chat, first.commands[0].seq).await.unwrap();
            assert!(matches!(
                step.body,
                ChatEvent::Turn {
                    event: TurnEvent::ToolCall(_)
                }
            ));
            // The next turn has a receipt of its own: a grant answers, in a kept process that tells no payer again.
            app.host.send_prompt(&chat, "[[bash]] please").await.unwrap();
            app.ended(&chat, 2).await;
            let second = receipt(&app, &chat).await;
            assert_eq!(
                (second.counts.commands, second.counts.decisions),
                (1, 1),
                "{second:#?}"
            );
            assert!(matches!(second.decisions[0].closed, Some(ClosedBy::Grant { .. })));
            assert_eq!(second.payer, first.payer);
            started_well(&app, &first, &second).await;
            let refused = app.host.turn_receipt(&chat, 1).await.unwrap_err();
            assert_eq!(refused.kind, "not_found", "a prompt ends no turn");
            app.host.close().await;
        },
    );
}

#[test]
fn a_receipt_of_a_long_turn_does_not_depend_on_what_is_on_the_page() {
    in_own_process(
        "receipts::a_receipt_of_a_long_turn_does_not_depend_on_what_is_on_the_page",
        |_, _| {},
        async {
            let app = App::open().await;
            let chat = app.chat(TOUR_PROMPT).await;
            for _ in 0..3 {
                let decision = app.open_decision(&chat).await;
                app.host.decide(&decision.id, yes(&decision)).await.unwrap();
            }
            app.ended(&chat, 1).await;
            let tour = receipt(&app, &chat).await;
            assert_eq!((tour.counts.decisions, tour.counts.denied), (3, 0), "{tour:#?}");
            assert!(tour.files[0].text.ends_with("paddock-tour.md"), "{tour:#?}");
            let asked = tour
                .decisions
                .iter()
                .filter(|decision| decision.closed == Some(ClosedBy::Person));
            assert_eq!(asked.count(), 3);
            app.host.close().await;
        },
    );
}
