//! Who may ask: a request needs the token, names this server as its host, and comes from no foreign web page.

use axum::http::{HeaderMap, Method, StatusCode, header};

/// The rules of one server.
#[derive(Clone)]
pub(crate) struct Guard {
    token: String,
    port: u16,
}

/// Why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Another host name: a name that was bent to this address, for instance.
    Host,
    /// A web page of another origin.
    Origin,
    /// No token or a wrong one.
    Token,
}

impl Refusal {
    pub(crate) fn status(self) -> StatusCode {
        match self {
            Refusal::Host => StatusCode::MISDIRECTED_REQUEST,
            Refusal::Origin => StatusCode::FORBIDDEN,
            Refusal::Token => StatusCode::UNAUTHORIZED,
        }
    }

    pub(crate) fn message(self) -> &'static str {
        match self {
            Refusal::Host => "this host name is not served here",
            Refusal::Origin => "requests of web pages are not served",
            Refusal::Token => "the token is missing or wrong",
        }
    }
}

impl Guard {
    pub(crate) fn new(token: String, port: u16) -> Self {
        Self { token, port }
    }

    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    pub(crate) fn check(&self, method: &Method, path: &str, headers: &HeaderMap) -> Result<(), Refusal> {
        let host = text(headers, header::HOST.as_str()).ok_or(Refusal::Host)?;
        if !self.is_own(host) {
            return Err(Refusal::Host);
        }
        if let Some(origin) = headers.get(header::ORIGIN) {
            let own = origin
                .to_str()
                .ok()
                .and_then(|origin| origin.strip_prefix("http://"));
            if !own.is_some_and(|host| self.is_own(host)) {
                return Err(Refusal::Origin);
            }
        }
        if is_greeting(method, path) || self.has_token(headers) {
            return Ok(());
        }
        Err(Refusal::Token)
    }

    fn is_own(&self, host: &str) -> bool {
        let Some((name, port)) = host.rsplit_once(':') else {
            return false;
        };
        port.parse() == Ok(self.port) && (name == "127.0.0.1" || name.eq_ignore_ascii_case("localhost"))
    }

    fn has_token(&self, headers: &HeaderMap) -> bool {
        let bearer = text(headers, header::AUTHORIZATION.as_str()).and_then(|value| value.split_once(' '));
        let bearer = bearer
            .filter(|(kind, _)| kind.eq_ignore_ascii_case("bearer"))
            .map(|(_, token)| token);
        [text(headers, "x-api-key"), bearer]
            .into_iter()
            .flatten()
            .any(|given| same(given, &self.token))
    }
}

/// Claude 2.1.332 may greet its server before it asks; the greeting tells nothing and changes nothing.
fn is_greeting(method: &Method, path: &str) -> bool {
    method == Method::HEAD && path == "/api/hello"
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Compares in a time that does not tell where the first difference is.
fn same(given: &str, wanted: &str) -> bool {
    let differing = given
        .bytes()
        .zip(wanted.bytes())
        .fold(0, |all, (a, b)| all | (a ^ b));
    given.len() == wanted.len() && differing == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pairs: &[(&'static str, &str)]) -> Result<(), Refusal> {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.insert(*name, value.parse().unwrap());
        }
        Guard::new("secret".into(), 8080).check(&Method::POST, "/v1/messages", &headers)
    }

    #[test]
    fn the_token_comes_in_two_ways() {
        assert_eq!(
            check(&[("host", "127.0.0.1:8080"), ("x-api-key", "secret")]),
            Ok(())
        );
        assert_eq!(
            check(&[("host", "localhost:8080"), ("authorization", "Bearer secret")]),
            Ok(())
        );
        assert_eq!(
            check(&[("host", "localhost:8080"), ("authorization", "Basic secret")]),
            Err(Refusal::Token)
        );
        assert_eq!(
            check(&[("host", "localhost:8080"), ("x-api-key", "secre")]),
            Err(Refusal::Token)
        );
        assert_eq!(check(&[("host", "localhost:8080")]), Err(Refusal::Token));
    }

    #[test]
    fn foreign_hosts_and_origins_are_refused() {
        for host in [
            "127.0.0.1",
            "127.0.0.1:8081",
            "evil.example:8080",
            "127.0.0.1.evil.example:8080",
        ] {
            assert_eq!(
                check(&[("host", host), ("x-api-key", "secret")]),
                Err(Refusal::Host),
                "{host}"
            );
        }
        for origin in [
            "http://evil.example",
            "null",
            "https://127.0.0.1:8080",
            "http://127.0.0.1:81",
        ] {
            let given = [
                ("host", "127.0.0.1:8080"),
                ("x-api-key", "secret"),
                ("origin", origin),
            ];
            assert_eq!(check(&given), Err(Refusal::Origin), "{origin}");
        }
        let own = [
            ("host", "127.0.0.1:8080"),
            ("x-api-key", "secret"),
            ("origin", "http://localhost:8080"),
        ];
        assert_eq!(check(&own), Ok(()));
    }
}
