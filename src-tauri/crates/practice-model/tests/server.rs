//! The server over a plain HTTP client.

#![allow(clippy::unwrap_used)]

use std::time::Duration;

use practice_model::{Pace, PracticeError, PracticeModel, PracticeOptions};
use reqwest::{Client, RequestBuilder, Response};
use serde_json::{Value, json};

/// Longest time that an answer of these tests may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a silent server is listened to before it counts as silent.
const SILENCE: Duration = Duration::from_millis(400);

async fn start() -> PracticeModel {
    let options = PracticeOptions {
        pace: Some(Pace::instant()),
        ..Default::default()
    };
    PracticeModel::start(options).await.unwrap()
}

fn post(model: &PracticeModel, path: &str, body: &Value) -> RequestBuilder {
    Client::new()
        .post(format!("{}{path}", model.anthropic_base_url()))
        .header("x-api-key", model.token())
        .json(body)
}

fn prompt(text: &str, stream: bool) -> Value {
    json!({"model": "m", "stream": stream, "messages": [{"role": "user", "content": text}], "input": text,
           "tools": [{"name": "Bash"}]})
}

async fn send(model: &PracticeModel, path: &str, text: &str, stream: bool) -> Response {
    tokio::time::timeout(PATIENCE, post(model, path, &prompt(text, stream)).send())
        .await
        .unwrap()
        .unwrap()
}

#[tokio::test]
async fn a_token_is_needed_everywhere() {
    let model = start().await;
    let base = model.anthropic_base_url();
    let client = Client::new();
    for path in ["/v1/models", "/_practice/recorded", "/nothing", "/api/hello"] {
        assert_eq!(
            client.get(format!("{base}{path}")).send().await.unwrap().status(),
            401,
            "{path}"
        );
    }
    for path in [
        "/v1/messages",
        "/v1/responses",
        "/v1/chat/completions",
        "/v1/messages/count_tokens",
    ] {
        let wrong = client
            .post(format!("{base}{path}"))
            .bearer_auth("wrong")
            .json(&prompt("[[text]]", false));
        assert_eq!(wrong.send().await.unwrap().status(), 401, "{path}");
    }
    let bearer = client
        .get(format!("{base}/v1/models"))
        .bearer_auth(model.token())
        .send()
        .await
        .unwrap();
    assert!(
        bearer.json::<Value>().await.unwrap()["data"]
            .as_array()
            .unwrap()
            .len()
            > 1
    );
    assert_eq!(
        client
            .head(format!("{base}/api/hello"))
            .send()
            .await
            .unwrap()
            .status(),
        200
    );
    assert!(model.recorded().is_empty(), "refused requests are not recorded");
}

#[tokio::test]
async fn foreign_hosts_and_origins_are_refused() {
    let model = start().await;
    let with = |name: &'static str, value: &str| {
        post(&model, "/v1/messages", &prompt("[[text]]", false))
            .header(name, value.to_owned())
            .send()
    };
    assert_eq!(with("host", "practice.invalid").await.unwrap().status(), 421);
    assert_eq!(
        with("origin", "http://practice.invalid").await.unwrap().status(),
        403
    );
    assert_eq!(
        with("origin", &model.anthropic_base_url())
            .await
            .unwrap()
            .status(),
        200
    );
}

#[tokio::test]
async fn every_wire_answers_in_both_ways() {
    let model = start().await;
    for (path, piece) in [
        ("/v1/messages?beta=true", "/content/0/text"),
        ("/v1/responses", "/output/0/content/0/text"),
        ("/v1/chat/completions", "/choices/0/message/content"),
    ] {
        let whole: Value = send(&model, path, "[[text]]", false).await.json().await.unwrap();
        let text = whole.pointer(piece).and_then(Value::as_str).unwrap();
        assert!(text.starts_with("Hello from"), "{path}: {whole}");
        let stream = send(&model, path, "[[text]]", true).await;
        assert!(
            stream.headers()["content-type"]
                .to_str()
                .unwrap()
                .starts_with("text/event-stream"),
            "{path}"
        );
        let events = stream.text().await.unwrap();
        assert!(events.contains("Hello from"), "{path}: {events}");
    }
    assert_eq!(model.recorded().len(), 6);
    assert_eq!(model.recorded()[0].script.as_deref(), Some("text"));
    assert_eq!(model.recorded()[0].headers["x-api-key"], "[removed]");
    model.clear_recorded();
    assert!(model.recorded().is_empty());
}

#[tokio::test]
async fn errors_have_their_status_on_each_wire() {
    let model = start().await;
    for (name, anthropic, openai) in [
        ("fault-401", 401, 401),
        ("fault-404", 404, 404),
        ("fault-429", 429, 429),
        ("fault-500", 500, 500),
        ("fault-529", 529, 503),
        ("fault-credit", 400, 429),
        ("fault-too-long", 400, 400),
    ] {
        let marker = format!("[[{name}]]");
        let got = send(&model, "/v1/messages", &marker, true).await;
        assert_eq!(got.status(), anthropic, "{name}");
        let body: Value = got.json().await.unwrap();
        assert!(
            body["error"]["message"].is_string() && body["type"] == "error",
            "{body}"
        );
        assert_eq!(
            send(&model, "/v1/chat/completions", &marker, true).await.status(),
            openai,
            "{name}"
        );
    }
}

#[tokio::test]
async fn retry_after_comes_once() {
    let model = start().await;
    let first = send(&model, "/v1/messages", "[[fault-429-retry-after]]", true).await;
    assert_eq!(
        (
            first.status().as_u16(),
            first.headers()["retry-after"].to_str().unwrap()
        ),
        (429, "2")
    );
    let second = send(&model, "/v1/messages", "[[fault-429-retry-after]]", true).await;
    assert!(second.text().await.unwrap().contains("second try"));
}

#[tokio::test]
async fn a_cut_breaks_the_stream() {
    let model = start().await;
    for path in ["/v1/messages", "/v1/responses", "/v1/chat/completions"] {
        let first = send(&model, path, &format!("[[fault-cut-once]] {path}"), true).await;
        assert_eq!(first.status(), 200);
        assert!(first.text().await.is_err(), "{path} is not cut");
        let second = send(&model, path, &format!("[[fault-cut-once]] {path}"), true).await;
        assert!(
            second.text().await.unwrap().contains("here is its end"),
            "{path} is cut twice"
        );
        for _ in 0..2 {
            assert!(
                send(&model, path, "[[fault-cut-always]]", true)
                    .await
                    .text()
                    .await
                    .is_err()
            );
        }
    }
    assert!(
        send(&model, "/v1/messages", "[[fault-cut-always]]", false)
            .await
            .text()
            .await
            .is_err()
    );
}

#[tokio::test]
async fn an_error_event_ends_the_stream_in_order() {
    let model = start().await;
    for (path, sign) in [
        ("/v1/messages", "event: error"),
        ("/v1/responses", "event: response.failed"),
        ("/v1/chat/completions", "data: {\"error\""),
    ] {
        let events = send(&model, path, "[[fault-error-event]]", true)
            .await
            .text()
            .await
            .unwrap();
        assert!(
            events.contains(sign) && !events.contains("here is its end"),
            "{path}: {events}"
        );
        let whole = send(&model, path, "[[fault-error-event]]", false)
            .await
            .text()
            .await
            .unwrap();
        assert!(whole.contains("here is its end"), "{path}: {whole}");
    }
}

#[tokio::test]
async fn a_hang_and_a_stall_are_silent_until_the_server_stops() {
    let model = start().await;
    let hang = post(&model, "/v1/messages", &prompt("[[fault-hang]]", true)).send();
    assert!(tokio::time::timeout(SILENCE, hang).await.is_err());
    let mut stall = send(&model, "/v1/messages", "[[fault-stall]]", true).await;
    let mut seen = 0;
    while let Ok(piece) = tokio::time::timeout(SILENCE, stall.chunk()).await {
        seen += piece.unwrap().map_or(0, |bytes| bytes.len());
    }
    assert!(seen > 0, "a stall begins");
    tokio::time::timeout(PATIENCE, model.shutdown()).await.unwrap();
    while let Ok(Some(_)) = tokio::time::timeout(PATIENCE, stall.chunk()).await.unwrap() {}
}

#[tokio::test]
async fn a_flood_goes_on_until_the_reader_leaves() {
    const ENOUGH: usize = 4 * 1024 * 1024;
    let model = start().await;
    let mut flood = send(&model, "/v1/messages", "[[flood]]", true).await;
    let mut seen = 0;
    while seen < ENOUGH {
        seen += tokio::time::timeout(PATIENCE, flood.chunk())
            .await
            .unwrap()
            .unwrap()
            .unwrap()
            .len();
    }
    drop(flood);
    assert_eq!(
        send(&model, "/v1/messages", "[[text]]", false).await.status(),
        200
    );
}

#[tokio::test]
async fn quota_headers_are_set() {
    let model = start().await;
    let got = send(&model, "/v1/responses", "[[quota]]", true).await;
    assert_eq!(got.headers()["x-codex-primary-used-percent"], "91");
    let reset: u64 = got.headers()["anthropic-ratelimit-unified-5h-reset"]
        .to_str()
        .unwrap()
        .parse()
        .unwrap();
    assert!(reset > 1_700_000_000);
}

#[tokio::test]
async fn a_big_write_is_big() {
    let model = start().await;
    let body = json!({"messages": [{"role": "user", "content": "[[big-write]]"}], "tools": [{"name": "Write"}],
                      "system": " - Primary working directory: /w\n"});
    let whole: Value = post(&model, "/v1/messages", &body)
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    let input = &whole["content"][1]["input"];
    assert_eq!(
        (
            input["file_path"].as_str(),
            input["content"].as_str().unwrap().len()
        ),
        (Some("/w/big-write.txt"), 204_800)
    );
}

#[tokio::test]
async fn an_unknown_name_lists_the_known_ones() {
    let model = start().await;
    let whole = send(&model, "/v1/messages", "[[no-such-script]]", false)
        .await
        .text()
        .await
        .unwrap();
    assert!(
        whole.contains("no-such-script") && whole.contains("[[tour]]"),
        "{whole}"
    );
    let title = json!({"messages": [{"role": "system", "content": "You are a title generator"}, {"role": "user", "content": "x"}]});
    let whole: Value = post(&model, "/v1/chat/completions", &title)
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    assert_eq!(whole["choices"][0]["message"]["content"], "Practice chat");
}

#[tokio::test]
async fn broken_bodies_are_told() {
    let model = start().await;
    let url = format!("{}/v1/messages", model.anthropic_base_url());
    let got = Client::new()
        .post(url)
        .header("x-api-key", model.token())
        .body("{")
        .send()
        .await
        .unwrap();
    assert_eq!(got.status(), 400);
    assert_eq!(model.recorded()[0].body, "{");
}

#[tokio::test]
async fn the_record_is_served_and_bounded() {
    let options = PracticeOptions {
        record: Some(2),
        token: Some("given".into()),
        ..Default::default()
    };
    let model = PracticeModel::start(options).await.unwrap();
    for n in 0..3 {
        send(&model, "/v1/messages", &format!("[[nothing]] {n}"), false).await;
    }
    let url = format!("{}/_practice/recorded", model.anthropic_base_url());
    let all: Value = Client::new()
        .get(&url)
        .bearer_auth("given")
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    assert_eq!(all.as_array().unwrap().len(), 2);
    assert_eq!(all[1]["body"]["messages"][0]["content"], "[[nothing]] 2");
    assert!(!all.to_string().contains("given"));
    assert_eq!(
        Client::new()
            .delete(&url)
            .bearer_auth("given")
            .send()
            .await
            .unwrap()
            .status(),
        204
    );
    assert!(model.recorded().is_empty());
}

#[tokio::test]
async fn the_token_is_random_and_hidden() {
    let (one, two) = (start().await, start().await);
    assert!(one.token().len() == 64 && one.token() != two.token());
    assert!(!format!("{one:?}").contains(one.token()));
    let options = PracticeOptions {
        token: Some("a-secret".into()),
        ..Default::default()
    };
    assert!(!format!("{options:?}").contains("a-secret"));
    let bad = PracticeOptions {
        token: Some("with space".into()),
        ..Default::default()
    };
    assert!(matches!(
        PracticeModel::start(bad).await,
        Err(PracticeError::Token)
    ));
}

#[tokio::test]
async fn a_dropped_server_is_gone() {
    let model = start().await;
    let url = format!("{}/v1/models", model.anthropic_base_url());
    let addr = model.addr();
    drop(model);
    let mut tries = 0;
    while tokio::net::TcpStream::connect(addr).await.is_ok() {
        tries += 1;
        assert!(tries < 100, "{url} still answers");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
