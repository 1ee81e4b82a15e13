//! What goes wrong on purpose.

use std::{
    collections::{HashSet, VecDeque},
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Mutex, PoisonError},
};

use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    ask::{Ask, Entry},
    wire::Wire,
};

/// Conversations whose "once" faults are remembered. The oldest is forgotten first: its fault would happen a second time.
const ONCE_BOUND: usize = 512;

/// A fault of a step.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "Value")]
pub(crate) struct Fault {
    pub(crate) kind: Kind,
    /// Happens at the first request of a conversation only; the next one gets the blocks of the step.
    pub(crate) once: bool,
}

impl TryFrom<Value> for Fault {
    type Error = serde_json::Error;

    /// `once` stands beside the fields of the kind.
    fn try_from(mut value: Value) -> Result<Self, serde_json::Error> {
        let once = value
            .as_object_mut()
            .and_then(|fields| fields.shift_remove("once"));
        let once = once.map(serde_json::from_value).transpose()?.unwrap_or(false);
        Ok(Self {
            kind: serde_json::from_value(value)?,
            once,
        })
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Kind {
    /// An HTTP error as the service of the wire would send it.
    Status {
        class: Class,
        /// Seconds for a `retry-after` header.
        #[serde(default)]
        retry_after: Option<u32>,
    },
    /// The request is taken and never answered.
    Hang,
    /// The connection breaks after that many chunks.
    Cut { after_chunks: u32 },
    /// The stream stays open after that many chunks and says nothing more.
    Stall { after_chunks: u32 },
    /// The stream reports an error after that many chunks and ends in good order.
    ErrorEvent { after_chunks: u32 },
}

/// What the service complains about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Class {
    Auth,
    NotFound,
    RateLimit,
    Server,
    Overloaded,
    Credit,
    TooLong,
}

/// An error as one wire words it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Complaint {
    pub(crate) status: u16,
    pub(crate) kind: &'static str,
    pub(crate) code: Option<&'static str>,
    pub(crate) message: String,
}

impl Class {
    /// How the service of `wire` says it.
    pub(crate) fn on(self, wire: Wire, model: &str) -> Complaint {
        match wire {
            Wire::Messages => self.anthropic(model),
            Wire::Responses | Wire::Chat => self.openai(model),
        }
    }

    fn anthropic(self, model: &str) -> Complaint {
        let (status, kind, message) = match self {
            Class::Auth => (401, "authentication_error", "invalid x-api-key".to_owned()),
            Class::NotFound => (404, "not_found_error", format!("model: {model}")),
            Class::RateLimit => {
                (429, "rate_limit_error", "This request would exceed your account's rate limit.".to_owned())
            }
            Class::Server => (500, "api_error", "Internal server error".to_owned()),
            Class::Overloaded => (529, "overloaded_error", "Overloaded".to_owned()),
            Class::Credit => (
                400,
                "invalid_request_error",
                "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or \
                 purchase credits."
                    .to_owned(),
            ),
            Class::TooLong => {
                (400, "invalid_request_error", "prompt is too long: 214311 tokens > 200000 maximum".to_owned())
            }
        };
        Complaint {
            status,
            kind,
            code: None,
            message,
        }
    }

    fn openai(self, model: &str) -> Complaint {
        let (status, kind, code, message) = match self {
            Class::Auth => {
                (401, "invalid_request_error", Some("invalid_api_key"), "Incorrect API key provided.".to_owned())
            }
            Class::NotFound => (
                404,
                "invalid_request_error",
                Some("model_not_found"),
                format!("The model `{model}` does not exist or you do not have access to it."),
            ),
            Class::RateLimit => {
                (429, "rate_limit_error", Some("rate_limit_exceeded"), "Rate limit reached.".to_owned())
            }
            Class::Server => {
                (500, "server_error", None, "The server had an error while processing your request.".to_owned())
            }
            Class::Overloaded => (
                503,
                "service_unavailable_error",
                Some("server_is_overloaded"),
                "Our servers are currently overloaded. Please try again later.".to_owned(),
            ),
            Class::Credit => (
                429,
                "insufficient_quota",
                Some("insufficient_quota"),
                "You exceeded your current quota, please check your plan and billing details.".to_owned(),
            ),
            Class::TooLong => (
                400,
                "invalid_request_error",
                Some("context_length_exceeded"),
                "Your input exceeds the context window of this model. Please adjust your input and try again.".to_owned(),
            ),
        };
        Complaint {
            status,
            kind,
            code,
            message,
        }
    }
}

impl Complaint {
    /// The body that `wire` gives it.
    pub(crate) fn body(&self, wire: Wire) -> Value {
        match wire {
            Wire::Messages => {
                json!({"type": "error", "error": {"type": self.kind, "message": self.message}, "request_id": "req_practice"})
            }
            Wire::Responses | Wire::Chat => {
                json!({"error": {"message": self.message, "type": self.kind, "param": null, "code": self.code}})
            }
        }
    }
}

/// Which "once" faults have happened.
#[derive(Debug, Default)]
pub(crate) struct Happened {
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    keys: HashSet<u64>,
    order: VecDeque<u64>,
}

impl Happened {
    /// Whether `fault` happens at this request. A conversation is known by what the harness calls it and by its
    /// entries; a repeated request has the same.
    pub(crate) fn applies(&self, fault: &Fault, ask: &Ask) -> bool {
        if !fault.once {
            return true;
        }
        let key = key_of(ask);
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if !seen.keys.insert(key) {
            return false;
        }
        seen.order.push_back(key);
        if seen.order.len() > ONCE_BOUND
            && let Some(oldest) = seen.order.pop_front()
        {
            seen.keys.remove(&oldest);
        }
        true
    }
}

/// What the user and the tools said counts; what a CLI keeps of a broken answer does not, so that a retry is the same.
fn key_of(ask: &Ask) -> u64 {
    let mut hasher = DefaultHasher::new();
    ask.conversation.hash(&mut hasher);
    for entry in &ask.entries {
        match entry {
            Entry::User(text) => crate::ask::prompt_of(text).hash(&mut hasher),
            Entry::Result { text, .. } => text.hash(&mut hasher),
            Entry::Assistant { .. } => {}
        }
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::anthropic;

    fn ask(text: &str) -> Ask {
        anthropic::read(&json!({"messages": [{"role": "user", "content": text}]}), 10)
    }

    #[test]
    fn once_is_once_per_conversation() {
        let happened = Happened::default();
        let fault: Fault =
            serde_json::from_value(json!({"kind": "cut", "after_chunks": 1, "once": true})).unwrap();
        assert!(happened.applies(&fault, &ask("a")));
        assert!(!happened.applies(&fault, &ask("a")));
        assert!(happened.applies(&fault, &ask("b")));
    }

    #[test]
    fn a_misspelt_fault_is_refused() {
        for bad in [
            json!({"kind": "cut", "after_chunks": 1, "onse": true}),
            json!({"kind": "explode"}),
            json!({"once": true}),
        ] {
            assert!(serde_json::from_value::<Fault>(bad.clone()).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_memory_is_bounded() {
        let happened = Happened::default();
        let fault: Fault = serde_json::from_value(json!({"kind": "hang", "once": true})).unwrap();
        for n in 0..ONCE_BOUND + 10 {
            assert!(happened.applies(&fault, &ask(&n.to_string())));
        }
        let seen = happened.seen.lock().unwrap();
        assert_eq!((seen.keys.len(), seen.order.len()), (ONCE_BOUND, ONCE_BOUND));
    }

    #[test]
    fn each_class_has_the_status_of_its_service() {
        let all = [
            (Class::Auth, 401, 401),
            (Class::NotFound, 404, 404),
            (Class::RateLimit, 429, 429),
            (Class::Server, 500, 500),
            (Class::Overloaded, 529, 503),
            (Class::Credit, 400, 429),
            (Class::TooLong, 400, 400),
        ];
        for (class, anthropic, openai) in all {
            assert_eq!(class.on(Wire::Messages, "m").status, anthropic);
            assert_eq!(class.on(Wire::Chat, "m").status, openai);
        }
    }
}
