//! Standing instructions and MCP servers of the settings, in turns of the real CLI.

use agent_domain::event::McpServerStatus;
use paddock_host::api::{NamedValue, ServerReach, StandingContext, StandingServer};

use super::*;

/// Name of the variable that holds the server's key, and its value.
const KEY: (&str, &str) = ("HERBARIUM_TEST_KEY", "pressed-flower-7");
const INSTRUCTIONS: &str = "Always name the herbarium sheet 4711.";

/// A small server on standard input and output: it notes what it was asked, and its key, in a file.
const SERVER: &str = r#"
const fs = require('node:fs');
const [, , log] = process.argv;
const note = (line) => fs.appendFileSync(log, line + '\n');
note('key ' + process.env.SHEET_KEY);
let rest = '';
process.stdin.on('data', (chunk) => {
  rest += chunk;
  const lines = rest.split('\n');
  rest = lines.pop();
  for (const line of lines.filter(Boolean)) {
    const { id, method, params } = JSON.parse(line);
    note(method);
    if (id === undefined) continue;
    const results = {
      initialize: () => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'herbarium', version: '1' } }),
      'tools/list': () => ({ tools: [{ name: 'sheet', description: 'Finds a sheet.', inputSchema: { type: 'object', properties: {} } }] }),
    };
    const answer = results[method] ? { result: results[method]() } : { error: { code: -32601, message: 'unknown' } };
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }) + '\n');
  }
});
"#;

fn server(app: &App, name: &str, from: &str) -> StandingServer {
    let script = app.path("server.js");
    std::fs::write(&script, SERVER).unwrap();
    let log = app.path(&format!("{name}.log"));
    StandingServer {
        name: name.into(),
        reach: ServerReach::Stdio {
            command: "node".into(),
            args: vec![script.display().to_string(), log.display().to_string()],
            variables: vec![NamedValue {
                name: "SHEET_KEY".into(),
                from: from.into(),
            }],
        },
    }
}

fn statuses(events: &[StoredEvent]) -> Vec<McpServerStatus> {
    let of = |event: &StoredEvent| match &event.body {
        ChatEvent::Turn {
            event: TurnEvent::McpStatus { servers },
        } => Some(servers.clone()),
        _ => None,
    };
    events.iter().filter_map(of).flatten().collect()
}

fn warnings(events: &[StoredEvent]) -> Vec<String> {
    let of = |event: &StoredEvent| match &event.body {
        ChatEvent::Turn {
            event: TurnEvent::Warning { code, message },
        } if code == "mcp_left_out" => Some(message.clone()),
        _ => None,
    };
    events.iter().filter_map(of).collect()
}

#[test]
fn a_server_is_reached_with_its_value_and_the_instructions_arrive() {
    in_own_process(
        "context::a_server_is_reached_with_its_value_and_the_instructions_arrive",
        |_, command| {
            command.env(KEY.0, KEY.1);
        },
        async {
            let app = App::open().await;
            let context = StandingContext {
                instructions: INSTRUCTIONS.into(),
                servers: vec![
                    server(&app, "herbarium", KEY.0),
                    server(&app, "other", "NOT_SET_ANYWHERE"),
                ],
                only_these: true,
            };
            let found = app.host.save_standing_context(&context).await.unwrap();
            assert!(found.problems.is_empty(), "{found:?}");
            assert_eq!(found.missing.len(), 1, "{found:?}");
            let chat = app.chat("[[text]] one").await;
            assert_eq!(app.ended(&chat, 1).await, [TurnStatus::Succeeded]);
            let log = std::fs::read_to_string(app.path("herbarium.log")).unwrap();
            assert!(
                log.contains(&format!("key {}", KEY.1)) && log.contains("tools/list"),
                "{log}"
            );
            let events = app.events(&chat).await;
            let known = statuses(&events);
            assert!(known.iter().any(|server| server.name == "herbarium"), "{known:?}");
            let told: String = app
                .host
                .practice_record()
                .iter()
                .map(|asked| asked.body["system"].to_string())
                .collect();
            assert!(told.contains(INSTRUCTIONS), "the system text: {told:.600}");
            // The one whose value is not there is left out, and the chat says so.
            assert!(!app.path("other.log").exists());
            let left_out = warnings(&events);
            assert!(
                left_out.len() == 1 && left_out[0].contains("NOT_SET_ANYWHERE"),
                "{left_out:?}"
            );
            // The value went to the processes, not into the store.
            app.host.close().await;
            let stored = std::fs::read(app.path("data").join("store").join("paddock.sqlite")).unwrap();
            let value = KEY.1.as_bytes();
            assert!(!stored.windows(value.len()).any(|bytes| bytes == value));
        },
    );
}

#[test]
fn a_context_with_a_problem_is_not_stored_and_a_change_holds_from_the_next_turn() {
    in_own_process(
        "context::a_context_with_a_problem_is_not_stored_and_a_change_holds_from_the_next_turn",
        |_, _| {},
        async {
            let app = App::open().await;
            let mut context = StandingContext {
                servers: vec![server(&app, "no good name", "HOME")],
                ..StandingContext::default()
            };
            let found = app.host.save_standing_context(&context).await.unwrap();
            assert_eq!(found.problems.len(), 1, "{found:?}");
            let view = app.host.standing_context().await.unwrap();
            assert_eq!(view.context, StandingContext::default());
            let claude = view
                .harnesses
                .iter()
                .find(|support| support.harness == "claude")
                .unwrap();
            assert_eq!(
                claude.lacks,
                ["a change of the instructions in a chat that has begun"]
            );
            let chat = app.chat("[[text]] one").await;
            app.ended(&chat, 1).await;
            context.servers = vec![server(&app, "late", "HOME")];
            context.instructions = INSTRUCTIONS.into();
            app.host.save_standing_context(&context).await.unwrap();
            app.host.send_prompt(&chat, "[[text]] two").await.unwrap();
            assert_eq!(app.ended(&chat, 2).await, [TurnStatus::Succeeded; 2]);
            assert!(app.path("late.log").exists(), "the server is in the next turn");
            let other = app.chat("[[text]] three").await;
            app.ended(&other, 1).await;
            let record = app.host.practice_record();
            let heard = |word: &str| {
                let mut of_turn = record
                    .iter()
                    .map(|asked| asked.body.to_string())
                    .filter(|body| body.contains(word));
                of_turn.next_back().map(|body| body.contains(INSTRUCTIONS))
            };
            // As the adapter says: a session keeps the system text it began with.
            assert_eq!(heard("[[text]] two"), Some(false));
            assert_eq!(heard("[[text]] three"), Some(true));
            app.host.close().await;
        },
    );
}
