use super::*;
use crate::api::NamedValue;

fn value(name: &str, from: &str) -> NamedValue {
    NamedValue {
        name: name.into(),
        from: from.into(),
    }
}

fn program(name: &str, variables: Vec<NamedValue>) -> StandingServer {
    StandingServer {
        name: name.into(),
        reach: ServerReach::Stdio {
            command: "node".into(),
            args: vec!["server.js".into()],
            variables,
        },
    }
}

fn address(url: &str, headers: Vec<NamedValue>) -> StandingServer {
    StandingServer {
        name: "remote".into(),
        reach: ServerReach::Http {
            url: url.into(),
            headers,
        },
    }
}

fn of(servers: Vec<StandingServer>) -> ContextCheck {
    let context = StandingContext {
        servers,
        ..StandingContext::default()
    };
    check(&context, |name| name == "SET")
}

fn fields(check: &ContextCheck) -> Vec<(Option<u32>, ContextField)> {
    check
        .problems
        .iter()
        .map(|problem| (problem.server, problem.field))
        .collect()
}

#[test]
fn a_good_context_has_no_problem_and_names_what_is_not_set() {
    let found = of(vec![
        program("files", vec![value("TOKEN", "SET"), value("KEY", "NOT_SET")]),
        address("https://host/mcp", vec![value("Authorization", "SET")]),
    ]);
    assert_eq!(found.problems, []);
    let missing = MissingVariable {
        server: 0,
        variable: "NOT_SET".into(),
    };
    assert_eq!(found.missing, [missing]);
}

#[test]
fn each_problem_stands_at_its_field() {
    let empty = StandingServer {
        name: "p".into(),
        reach: ServerReach::Stdio {
            command: " ".into(),
            args: vec![],
            variables: vec![],
        },
    };
    let cases = [
        (program("two words", vec![]), ContextField::Name),
        (program("", vec![]), ContextField::Name),
        (empty, ContextField::Command),
        (address("https://user:word@host/", vec![]), ContextField::Url),
        (address("ftp://host", vec![]), ContextField::Url),
        (
            address("https://host", vec![value("no header", "SET")]),
            ContextField::Values,
        ),
        (
            program("p", vec![value("A", "SET"), value("A", "SET")]),
            ContextField::Values,
        ),
    ];
    for (server, field) in cases {
        assert_eq!(
            fields(&of(vec![server.clone()])),
            [(Some(0), field)],
            "{server:?}"
        );
    }
    let twice = of(vec![program("same", vec![]), program("same", vec![])]);
    assert_eq!(fields(&twice), [(Some(1), ContextField::Name)]);
    let long = StandingContext {
        instructions: "x".repeat(MAX_INSTRUCTIONS_BYTES + 1),
        ..StandingContext::default()
    };
    assert_eq!(
        fields(&check(&long, |_| true)),
        [(None, ContextField::Instructions)]
    );
}

#[test]
fn the_library_says_it_in_its_own_words() {
    let found = of(vec![address("ftp://host", vec![])]);
    let said = alone(&address("ftp://host", vec![]))
        .validate()
        .unwrap_err()
        .to_string();
    let message = found.problems[0].message.trim_end_matches('.').to_lowercase();
    assert!(said.to_lowercase().ends_with(&message), "{said} / {message}");
}

#[test]
fn a_provider_key_is_refused_and_a_value_typed_for_a_name_is_not_repeated() {
    let found = of(vec![program("p", vec![value("KEY", "ANTHROPIC_API_KEY")])]);
    assert_eq!(fields(&found), [(Some(0), ContextField::Values)]);
    let secret = "sk-live-0123456789abcdef0123456789";
    let found = of(vec![program("p", vec![value("KEY", secret)])]);
    assert_eq!(fields(&found), [(Some(0), ContextField::Values)]);
    assert!(!found.problems[0].message.contains("0123456789"), "{found:?}");
    assert_eq!(found.missing, [], "what is no name is not called missing");
}
