//! What goes with a prompt: files, a schema, a copied conversation.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use paddock_host::api::{AttachedFile, Prompt, SendOutcome};

use super::*;

/// A schema that the practice model's structured answer fits.
const SCHEMA: &str = r#"{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"}},"required":["name","age"]}"#;

/// A picture of one pixel.
fn picture() -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    image::RgbImage::new(1, 1)
        .write_to(&mut bytes, image::ImageFormat::Png)
        .unwrap();
    bytes.into_inner()
}

async fn attach(app: &App, place: &str, name: &str, media_type: &str, bytes: &[u8]) -> AttachedFile {
    let data = STANDARD.encode(bytes);
    app.host.attach(place, name, media_type, &data).await.unwrap()
}

fn with(text: &str, files: &[&AttachedFile]) -> Prompt {
    Prompt {
        text: text.into(),
        attachments: files.iter().map(|file| file.id.clone()).collect(),
        schema: None,
    }
}

fn files_of(events: &[StoredEvent]) -> Vec<String> {
    let names = |event: &StoredEvent| match &event.body {
        ChatEvent::Prompt { attachments, .. } => {
            Some(attachments.iter().map(|file| file.name.clone()).collect())
        }
        _ => None,
    };
    events.iter().filter_map(names).collect::<Vec<Vec<_>>>().concat()
}

fn told(app: &App) -> String {
    let bodies = app.host.practice_record().into_iter();
    bodies.map(|request| request.body.to_string()).collect()
}

#[test]
fn files_wait_in_a_draft_and_go_with_its_prompt() {
    in_own_process(
        "prompts::files_wait_in_a_draft_and_go_with_its_prompt",
        |_, _| {},
        async {
            let app = App::open().await;
            let chat = app.chat("[[text]] one").await;
            app.ended(&chat, 1).await;
            let pixel = attach(&app, &chat, "../pixel.png", "image/png", &picture()).await;
            let notes = attach(&app, &chat, "notes.txt", "text/plain", b"some notes").await;
            assert_eq!((pixel.name.as_str(), pixel.size), ("pixel.png", Some([1, 1])));
            let app = app.reopened().await;
            let waiting = app.host.attachments(&chat).await.unwrap();
            assert_eq!(waiting, [pixel.clone(), notes.clone()], "a restart loses none");
            let preview = app
                .host
                .attachment_preview(&pixel.id, false)
                .await
                .unwrap()
                .unwrap();
            assert!(preview.starts_with("data:image/png;base64,"), "{preview}");
            assert!(
                app.host
                    .attachment_preview(&notes.id, true)
                    .await
                    .unwrap()
                    .is_none()
            );

            let prompt = with("[[text]] look", &[&pixel, &notes]);
            app.host.send_prompt(&chat, prompt).await.unwrap();
            app.ended(&chat, 2).await;
            assert!(app.host.attachments(&chat).await.unwrap().is_empty());
            assert_eq!(files_of(&app.events(&chat).await), ["pixel.png", "notes.txt"]);
            let told = told(&app);
            assert!(told.contains(&STANDARD.encode(picture())), "the picture itself");
            let path = app
                .path("data")
                .join("attachments")
                .join(&notes.id)
                .join("notes.txt");
            assert!(told.contains(&path.display().to_string()), "the other one's path");
            assert_eq!(std::fs::read(&path).unwrap(), b"some notes");

            app.host.delete_chat(&chat).await.unwrap();
            assert!(!path.exists(), "a removed chat takes its files along");
            app.host.close().await;
        },
    );
}

#[test]
fn files_wait_in_the_queue_with_their_prompt() {
    in_own_process(
        "prompts::files_wait_in_the_queue_with_their_prompt",
        |_, _| {},
        async {
            let app = App::open().await;
            let chat = app.chat("[[bash]] one").await;
            let ask = app.open_decision(&chat).await;
            let notes = attach(&app, &chat, "notes.txt", "text/plain", b"n").await;
            let sent = app.host.send_prompt(&chat, with("[[text]] two", &[&notes])).await;
            assert_eq!(sent.unwrap(), SendOutcome::Queued);
            let queue = app.host.open_chat(&chat).await.unwrap().queue;
            assert_eq!(queue[0].attachments, std::slice::from_ref(&notes));
            assert!(
                app.host.detach(&notes.id).await.is_err(),
                "it belongs to a prompt now"
            );
            app.host
                .edit_queued(&chat, &queue[0].id, "[[text]] changed")
                .await
                .unwrap();
            app.host
                .decide(&ask.id, approval(ApprovalDecision::Allow))
                .await
                .unwrap();
            app.ended(&chat, 2).await;
            assert_eq!(files_of(&app.events(&chat).await), ["notes.txt"]);
            app.host.close().await;
        },
    );
}

#[test]
fn what_cannot_be_attached_is_refused_and_leaves_nothing() {
    in_own_process(
        "prompts::what_cannot_be_attached_is_refused_and_leaves_nothing",
        |_, _| {},
        async {
            let app = App::open().await;
            let fake = STANDARD.encode(b"no picture");
            let refused = app
                .host
                .attach("new", "a.png", "image/png", &fake)
                .await
                .unwrap_err();
            assert_eq!(refused.kind, "invalid_request");
            let mut broken = picture();
            broken.truncate(50);
            let broken = STANDARD.encode(broken);
            let refused = app.host.attach("new", "b.png", "image/png", &broken);
            assert_eq!(refused.await.unwrap_err().kind, "invalid_request");
            assert!(app.host.attach("new", "a", "text/plain", "").await.is_err());
            let kept = attach(&app, "new", "kept.txt", "text/plain", b"k").await;
            let gone = attach(&app, "new", "gone.txt", "text/plain", b"g").await;
            app.host.detach(&gone.id).await.unwrap();
            let root = app.path("data").join("attachments");
            // A crash between the file and its row leaves a folder like this one.
            let lost = root.join(uuid::Uuid::new_v4().to_string());
            std::fs::create_dir(&lost).unwrap();
            let app = app.reopened().await;
            let left: Vec<_> = std::fs::read_dir(&root)
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            assert_eq!(left, [kept.id]);
            app.host.close().await;
        },
    );
}

#[test]
fn an_answer_by_a_schema_is_stored_as_data() {
    in_own_process(
        "prompts::an_answer_by_a_schema_is_stored_as_data",
        |_, _| {},
        async {
            let app = App::open().await;
            let chat = app.chat("[[text]] one").await;
            app.ended(&chat, 1).await;
            let asks = |schema: &str| Prompt {
                text: "[[structured]] who".into(),
                schema: Some(schema.into()),
                ..Prompt::default()
            };
            for bad in ["", "[]", "{"] {
                let refused = app.host.send_prompt(&chat, asks(bad)).await.unwrap_err();
                assert_eq!(refused.kind, "invalid_request", "{bad}");
            }
            app.host.send_prompt(&chat, asks(SCHEMA)).await.unwrap();
            assert_eq!(app.ended(&chat, 2).await, [TurnStatus::Succeeded; 2]);
            let data = app
                .events(&chat)
                .await
                .into_iter()
                .find_map(|event| match event.body {
                    ChatEvent::TurnEnded { structured, .. } => structured,
                    _ => None,
                });
            let data: serde_json::Value = serde_json::from_str(&data.unwrap()).unwrap();
            assert!(data["name"].is_string() && data["age"].is_i64(), "{data}");
            app.host.close().await;
        },
    );
}

#[test]
fn a_fork_goes_on_by_itself_and_leaves_the_first_chat_alone() {
    in_own_process(
        "prompts::a_fork_goes_on_by_itself_and_leaves_the_first_chat_alone",
        |_, _| {},
        async {
            let app = App::open().await;
            let first = app.chat("[[text]] the first prompt").await;
            app.ended(&first, 1).await;
            let prompt = || Prompt::from("[[text]] another way");
            let fork = app.host.fork_chat(&first, prompt()).await.unwrap();
            app.ended(&fork.id, 1).await;
            let session = async |chat: &str| app.host.open_chat(chat).await.unwrap().summary.session_id;
            let (one, two) = (session(&first).await.unwrap(), session(&fork.id).await.unwrap());
            assert_ne!(one, two);
            let both = |request: &practice_model::RecordedRequest| {
                let body = request.body.to_string();
                body.contains("the first prompt") && body.contains("another way")
            };
            assert!(
                app.host.practice_record().iter().any(both),
                "the copy knows what was said"
            );
            let events = app.events(&fork.id).await;
            assert!(
                matches!(&events[0].body, ChatEvent::ForkedFrom { chat, .. } if *chat == first),
                "{:?}",
                events[0]
            );
            // Both go on, each in its own session.
            app.host.send_prompt(&first, "[[text]] on").await.unwrap();
            app.host.send_prompt(&fork.id, "[[text]] on").await.unwrap();
            app.ended(&first, 2).await;
            app.ended(&fork.id, 2).await;
            assert_eq!(session(&first).await.unwrap(), one);
            assert_eq!(session(&fork.id).await.unwrap(), two);
            app.host.close().await;
        },
    );
}

#[test]
fn a_chat_whose_turn_runs_is_not_copied() {
    in_own_process(
        "prompts::a_chat_whose_turn_runs_is_not_copied",
        |_, _| {},
        async {
            let app = App::open().await;
            let chat = app.chat("[[bash]] one").await;
            app.open_decision(&chat).await;
            let refused = app.host.fork_chat(&chat, Prompt::from("[[text]] two")).await;
            assert_eq!(refused.unwrap_err().kind, "live_turn");
            app.host.stop_turn(&chat).await.unwrap();
            app.ended(&chat, 1).await;
            app.host.close().await;
        },
    );
}
