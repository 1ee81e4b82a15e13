//! The routes: three wires, the list of models, the record.

use std::sync::Arc;

use axum::{
    Json, Router,
    body::{Body, Bytes},
    extract::{DefaultBodyLimit, OriginalUri, Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::{any, get, head, post},
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::{
    ask::Ask,
    compose::{Composed, compose},
    faults::{Complaint, Happened, Kind},
    guard::{Guard, Refusal},
    library::Library,
    pace::Pace,
    record::{Record, RecordedRequest, without_secrets},
    reply::{Reply, tokens},
    stream,
    wire::{Wire, anthropic, chat, encoder, responses},
};

/// Bytes of a request body at most: 64 MiB (a long chat with images).
const BODY_BYTES: usize = 64 * 1024 * 1024;
/// Where clients say which conversation they are in (claude 2.1.332, opencode 1.18.33, codex 0.171.0).
const CONVERSATION_HEADERS: [&str; 3] = ["x-claude-code-session-id", "x-session-id", "session_id"];
/// Models that the list names. Any other name is answered too.
const MODELS: [&str; 3] = ["practice-1", "practice-small", "gpt-5.5"];

/// What all requests share.
pub(crate) struct Shared {
    pub(crate) guard: Guard,
    pub(crate) library: Library,
    pub(crate) happened: Happened,
    pub(crate) record: Record,
    pub(crate) pace: Option<Pace>,
    pub(crate) stop: CancellationToken,
}

/// All routes behind the guard.
pub(crate) fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/v1/messages", post(messages))
        .route("/v1/messages/count_tokens", post(count_tokens))
        .route("/v1/responses", post(respond))
        .route("/v1/chat/completions", post(complete))
        .route("/v1/models", get(models))
        .route("/api/hello", head(hello).get(hello))
        .route("/_practice/recorded", get(recorded).delete(forget))
        .fallback(any(unknown))
        .layer(DefaultBodyLimit::max(BODY_BYTES))
        .layer(middleware::from_fn_with_state(Arc::clone(&shared), guard))
        .with_state(shared)
}

async fn guard(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    match shared
        .guard
        .check(request.method(), request.uri().path(), request.headers())
    {
        Ok(()) => next.run(request).await,
        Err(refusal) => refuse(request.uri().path(), refusal),
    }
}

fn refuse(path: &str, refusal: Refusal) -> Response {
    tracing::debug!(path, ?refusal, "a request to the practice model was refused");
    let kind = if refusal == Refusal::Token {
        "authentication_error"
    } else {
        "permission_error"
    };
    let body = json!({"type": "error", "error": {"type": kind, "message": refusal.message()}});
    (refusal.status(), Json(body)).into_response()
}

async fn hello() -> StatusCode {
    StatusCode::OK
}

async fn models() -> Json<Value> {
    let model = |id: &&str| {
        json!({"id": id, "object": "model", "type": "model", "display_name": id, "created": 0, "owned_by": "practice",
               "created_at": "2026-01-01T00:00:00Z"})
    };
    let data: Vec<Value> = MODELS.iter().map(model).collect();
    Json(
        json!({"object": "list", "data": data, "has_more": false, "first_id": MODELS[0], "last_id": MODELS[2]}),
    )
}

async fn recorded(State(shared): State<Arc<Shared>>) -> Json<Vec<RecordedRequest>> {
    Json(shared.record.all())
}

async fn forget(State(shared): State<Arc<Shared>>) -> StatusCode {
    shared.record.clear();
    StatusCode::NO_CONTENT
}

/// A path that no wire has. It is recorded, so that a new habit of a CLI shows.
async fn unknown(State(shared): State<Arc<Shared>>, incoming: Incoming) -> Response {
    let status = StatusCode::NOT_FOUND;
    let message = format!("nothing is served at {}", incoming.path);
    shared.record.add(incoming.bytes.len(), incoming.recorded(None));
    (
        status,
        Json(json!({"type": "error", "error": {"type": "not_found_error", "message": message}})),
    )
        .into_response()
}

async fn count_tokens(State(shared): State<Arc<Shared>>, incoming: Incoming) -> Response {
    let count = tokens(incoming.bytes.len());
    shared.record.add(incoming.bytes.len(), incoming.recorded(None));
    Json(json!({ "input_tokens": count })).into_response()
}

async fn messages(State(shared): State<Arc<Shared>>, incoming: Incoming) -> Response {
    answer(&shared, &incoming, Wire::Messages, anthropic::read).await
}

async fn respond(State(shared): State<Arc<Shared>>, incoming: Incoming) -> Response {
    answer(&shared, &incoming, Wire::Responses, responses::read).await
}

async fn complete(State(shared): State<Arc<Shared>>, incoming: Incoming) -> Response {
    answer(&shared, &incoming, Wire::Chat, chat::read).await
}

async fn answer(
    shared: &Shared,
    incoming: &Incoming,
    wire: Wire,
    read: fn(&Value, usize) -> Ask,
) -> Response {
    if !incoming.body.is_object() {
        shared.record.add(incoming.bytes.len(), incoming.recorded(None));
        return complain(wire, &not_json(), None);
    }
    let mut ask = read(&incoming.body, incoming.bytes.len());
    if let Some(conversation) = incoming.conversation() {
        ask.conversation = conversation.to_owned();
    }
    let Composed { reply, script } = compose(&ask, &shared.library, &shared.happened, shared.pace);
    shared.record.add(incoming.bytes.len(), incoming.recorded(script));
    let Some(fault) = &reply.fault else {
        return send(shared, ask, reply);
    };
    match fault.kind {
        Kind::Status { class, retry_after } => {
            let complaint = class.on(wire, &ask.model);
            with_headers(complain(wire, &complaint, retry_after), &reply.headers)
        }
        Kind::Hang => {
            shared.stop.cancelled().await;
            StatusCode::SERVICE_UNAVAILABLE.into_response()
        }
        // Only a stream can report an error in its middle; in one piece the answer is whole.
        Kind::ErrorEvent { .. } if !ask.stream => send(shared, ask, Reply { fault: None, ..reply }),
        Kind::Cut { .. } | Kind::Stall { .. } | Kind::ErrorEvent { .. } => send(shared, ask, reply),
    }
}

fn not_json() -> Complaint {
    let message = "the body is not a JSON object".to_owned();
    Complaint {
        status: 400,
        kind: "invalid_request_error",
        code: None,
        message,
    }
}

/// An answer as a stream, or in one piece when the request wants no stream. A cut or a stall happens to both: the player
/// sends a beginning that is of no use and then breaks off.
fn send(shared: &Shared, ask: Ask, reply: Reply) -> Response {
    let mut encoder = encoder(ask.wire, &ask.model);
    let headers = reply.headers.clone();
    let response = if ask.stream || reply.fault.is_some() {
        let kind = if ask.stream {
            "text/event-stream; charset=utf-8"
        } else {
            "application/json"
        };
        let body = stream::body(reply, encoder, ask.wire, ask.model, shared.stop.clone());
        let headers = [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-cache")];
        (headers, body).into_response()
    } else {
        Json(encoder.whole(&reply)).into_response()
    };
    with_headers(response, &headers)
}

fn complain(wire: Wire, complaint: &Complaint, retry_after: Option<u32>) -> Response {
    let status = StatusCode::from_u16(complaint.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = (status, Json(complaint.body(wire))).into_response();
    if let Some(seconds) = retry_after {
        response
            .headers_mut()
            .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

fn with_headers(mut response: Response, headers: &[(String, String)]) -> Response {
    let id = format!("req_{:032x}", rand::random::<u128>());
    let own = [("request-id".to_owned(), id)];
    for (name, value) in own.iter().chain(headers) {
        match (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            (Ok(name), Ok(value)) => {
                response.headers_mut().insert(name, value);
            }
            _ => tracing::warn!(name, "a script sets a header that HTTP cannot carry"),
        }
    }
    response
}

/// A request that was let in.
struct Incoming {
    method: Method,
    path: String,
    headers: HeaderMap,
    bytes: Bytes,
    body: Value,
}

impl Incoming {
    fn conversation(&self) -> Option<&str> {
        CONVERSATION_HEADERS
            .iter()
            .find_map(|name| self.headers.get(*name)?.to_str().ok())
    }

    fn recorded(&self, script: Option<(String, usize)>) -> RecordedRequest {
        let (script, turn) = script.unzip();
        RecordedRequest {
            at_ms: 0,
            method: self.method.to_string(),
            path: self.path.clone(),
            headers: without_secrets(&self.headers),
            body: self.body.clone(),
            script,
            turn,
        }
    }
}

impl axum::extract::FromRequest<Arc<Shared>> for Incoming {
    type Rejection = Response;

    async fn from_request(request: Request<Body>, state: &Arc<Shared>) -> Result<Self, Response> {
        let (mut parts, body) = request.into_parts();
        let path = match <OriginalUri as axum::extract::FromRequestParts<Arc<Shared>>>::from_request_parts(
            &mut parts, state,
        )
        .await
        {
            Ok(OriginalUri(uri)) => uri
                .path_and_query()
                .map_or_else(|| uri.path().to_owned(), ToString::to_string),
            Err(never) => match never {},
        };
        let (method, headers) = (parts.method.clone(), parts.headers.clone());
        let bytes = <Bytes as axum::extract::FromRequest<Arc<Shared>>>::from_request(
            Request::from_parts(parts, body),
            state,
        )
        .await
        .map_err(IntoResponse::into_response)?;
        let body = match serde_json::from_slice(&bytes) {
            Ok(body) => body,
            Err(_) if bytes.is_empty() => Value::Null,
            Err(_) => Value::String(String::from_utf8_lossy(&bytes).into_owned()),
        };
        Ok(Self {
            method,
            path,
            headers,
            bytes,
            body,
        })
    }
}
