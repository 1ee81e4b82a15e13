//! Recorded conversations of the real CLI (2.1.332), played through the dialogue: what it says, asks and writes.
#![cfg(feature = "claude")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::path::Path;
use std::sync::Arc;

use agent_adapters::claude::Claude;
use agent_domain::*;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct Entry<'a> {
    #[serde(default)]
    dir: String,
    #[serde(borrow, default)]
    msg: Option<&'a RawValue>,
    #[serde(default)]
    raw: Option<String>,
    #[serde(default)]
    code: Option<i32>,
    #[serde(default)]
    argv: Option<Vec<String>>,
}

struct Play {
    dialogue: Box<dyn Dialogue>,
    open: Vec<Ask>,
    running: bool,
    stderr: String,
    log: Vec<Value>,
    /// Recorded ids of requests to the CLI, and ours in their place.
    ids: Vec<(String, String)>,
}

fn start(mode: PermissionMode) -> Box<dyn Dialogue> {
    let mut request = TurnRequest::new("claude".into(), "/w/claude", "x");
    request.permission_mode = Some(mode);
    let claude = Claude::default();
    let launch = claude.launch(&request).unwrap();
    claude.open(&launch.key)
}

fn mode_of(argv: &[String]) -> PermissionMode {
    let at = argv.iter().position(|arg| arg == "--permission-mode");
    at.map_or(PermissionMode::Default, |at| mode(&argv[at + 1]))
}

fn mode(native: &str) -> PermissionMode {
    match native {
        "plan" => PermissionMode::Plan,
        "acceptEdits" => PermissionMode::AcceptEdits,
        "bypassPermissions" => PermissionMode::FullAccess,
        "dontAsk" => PermissionMode::Custom("dontAsk".into()),
        "auto" => PermissionMode::Custom("auto".into()),
        "default" => PermissionMode::Default,
        other => panic!("unexpected mode {other}"),
    }
}

fn begin(dialogue: &mut dyn Dialogue, prompt: &str, uuid: &str) -> Step {
    let request = Arc::new(TurnRequest::new("claude".into(), "/w/claude", prompt));
    dialogue
        .begin(&TurnInput {
            request,
            prompt_id: uuid.to_owned(),
            images: Vec::new(),
        })
        .unwrap()
}

fn ask(ask: &Ask) -> Value {
    match &ask.kind {
        AskKind::Approval(request) => json!({"approval": request}),
        AskKind::Plan(request) => json!({"plan": request}),
        AskKind::Question(request) => json!({"question": request}),
        other => panic!("unexpected ask {other:?}"),
    }
}

fn event(event: &TurnEvent) -> Value {
    if let TurnEvent::Commands { commands } = event {
        return json!({"type": "commands", "first": commands.first(), "more": commands.len() > 1});
    }
    serde_json::to_value(event).unwrap()
}

impl Play {
    fn step(&mut self, step: Step) {
        self.open
            .retain(|ask| !step.closed.iter().any(|(id, _)| *id == ask.id));
        self.log.extend(step.events.iter().map(event));
        self.log.extend(step.writes.iter().map(|write| match write {
            Write::Line(line) => json!({"write": serde_json::from_slice::<Value>(line).unwrap()}),
            other => panic!("unexpected write {other:?}"),
        }));
        self.log
            .extend(step.asks.iter().map(|one| json!({"ask": ask(one)})));
        self.log
            .extend(step.closed.iter().map(|(id, by)| json!({"closed": id, "by": by})));
        self.log.extend(
            step.receipts
                .iter()
                .map(|receipt| json!({"receipt": format!("{receipt:?}")})),
        );
        if step.scope != Scope::Turn
            && step
                != (Step {
                    scope: step.scope,
                    ..Step::default()
                })
        {
            self.log.push(json!({"scope": format!("{:?}", step.scope)}));
        }
        self.open.extend(step.asks);
        if let Some(done) = step.done {
            self.running = false;
            self.log.push(json!({"done": format!("{done:#?}")}));
        }
    }

    fn incoming(&mut self, message: &Value) {
        match message["type"].as_str().unwrap() {
            "user" => {
                let blocks = message["message"]["content"].as_array().unwrap();
                // Images are not sent by us; their turn is played by its words.
                let text = blocks.iter().find_map(|block| block["text"].as_str()).unwrap();
                let uuid = message["uuid"].as_str().unwrap_or_default();
                if self.running {
                    let control = Control::Steer {
                        id: uuid.to_owned(),
                        text: text.to_owned(),
                    };
                    let step = self.dialogue.control(control).unwrap();
                    self.step(step);
                } else {
                    self.running = true;
                    let step = begin(self.dialogue.as_mut(), text, uuid);
                    self.step(step);
                }
            }
            "control_response" => self.answer(&message["response"]),
            "control_request" => {
                let request = &message["request"];
                let recorded = message["request_id"].as_str().unwrap().to_owned();
                if request["subtype"] == "initialize" {
                    // Ours is written with the launch, before any turn.
                    self.ids.push((recorded, "init".to_owned()));
                    return;
                }
                let control = match request["subtype"].as_str().unwrap() {
                    "interrupt" => Control::Interrupt,
                    "cancel_async_message" => {
                        Control::CancelQueued(request["message_uuid"].as_str().unwrap().to_owned())
                    }
                    "set_permission_mode" => Control::SetMode(mode(request["mode"].as_str().unwrap())),
                    "set_model" => match request["model"].as_str() {
                        Some(model) => Control::SetModel(model.to_owned()),
                        None => return,
                    },
                    _ => return,
                };
                match self.dialogue.control(control) {
                    Ok(step) => {
                        let Write::Line(line) = &step.writes[0] else {
                            panic!("no line")
                        };
                        let written: Value = serde_json::from_slice(line).unwrap();
                        let ours = written["request_id"].as_str().unwrap().to_owned();
                        self.ids.push((recorded, ours));
                        self.step(step);
                    }
                    Err(error) => self.log.push(json!({"control": error.to_string()})),
                }
            }
            other => panic!("unexpected line of type {other}"),
        }
    }

    fn answer(&mut self, response: &Value) {
        let id = AskId::new(response["request_id"].as_str().unwrap());
        let at = self
            .open
            .iter()
            .position(|ask| ask.id == id)
            .expect("an answer to an open ask");
        let ask = self.open.remove(at);
        let body = &response["response"];
        let allow = body["behavior"] == "allow";
        let reason = body["message"].as_str().map(str::to_owned);
        let decision = match ask.kind {
            AskKind::Approval(_) if allow => Decision::Approval(ApprovalDecision::AllowForSession),
            AskKind::Approval(_) if body["interrupt"] == true => {
                Decision::Approval(ApprovalDecision::DenyAndStop { reason })
            }
            AskKind::Approval(_) => Decision::Approval(ApprovalDecision::Deny { reason }),
            AskKind::Plan(_) => Decision::Plan(PlanDecision::Approve),
            _ => {
                let answers = body["updatedInput"]["answers"].as_object().unwrap();
                let answers = answers
                    .iter()
                    .map(|(key, label)| (key.clone(), vec![label.as_str().unwrap().to_owned()]));
                let answer = QuestionAnswer {
                    answers: answers.collect(),
                };
                Decision::Question(QuestionResponse::Answered { answer })
            }
        };
        let step = self.dialogue.answer(&id, decision).unwrap();
        if allow {
            let Write::Line(line) = &step.writes[0] else {
                panic!("no line")
            };
            let written: Value = serde_json::from_slice(line).unwrap();
            // The recorded host answered with the same arguments; it may have added permissions, we never do.
            assert_eq!(
                written["response"]["response"]["updatedInput"],
                body["updatedInput"]
            );
            assert!(
                written["response"]["response"]
                    .get("updatedPermissions")
                    .is_none()
            );
        }
        self.step(step);
    }
}

fn play(name: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/recordings/claude/2.1.332");
    let text = std::fs::read_to_string(folder.join(format!("{name}.jsonl"))).unwrap();
    let header: Entry<'_> = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let mut play = Play {
        dialogue: start(mode_of(&header.argv.unwrap())),
        open: Vec::new(),
        running: false,
        stderr: String::new(),
        log: Vec::new(),
        ids: Vec::new(),
    };
    for line in text.lines().skip(1) {
        let entry: Entry<'_> = serde_json::from_str(line).unwrap();
        match entry.dir.as_str() {
            "in" => {
                // Without JSON: we write no such line, so it only counts by what the CLI does with it.
                if let Some(message) = entry.msg {
                    play.incoming(&serde_json::from_str(message.get()).unwrap());
                }
            }
            "out" => {
                let mut line = entry.msg.map(|msg| msg.get().to_owned()).or(entry.raw).unwrap();
                for (recorded, ours) in &play.ids {
                    line = line.replace(
                        &format!(r#""request_id": "{recorded}""#),
                        &format!(r#""request_id": "{ours}""#),
                    );
                }
                let step = play.dialogue.frame(Frame::Line(line.as_bytes()));
                play.step(step);
            }
            "err" => play.stderr += &(entry.raw.unwrap() + "\n"),
            "exit" => {
                let exit = Exit {
                    code: entry.code,
                    signal: None,
                    stderr_tail: play.stderr.clone(),
                };
                let step = play.dialogue.close(&exit);
                play.step(step);
            }
            _ => {}
        }
    }
    play.log
        .push(json!({"facts": format!("{:#?}", play.dialogue.facts())}));
    Value::Array(play.log)
}

macro_rules! recordings {
    ($($test:ident: $name:literal,)*) => {
        $(
            #[test]
            fn $test() {
                insta::assert_json_snapshot!($name, play($name));
            }
        )*
    };
}

recordings! {
    text_with_reasoning: "01-init-and-text",
    bash_allowed: "02-bash-allow",
    bash_denied: "03-bash-deny",
    bash_denied_and_stopped: "03b-bash-deny-interrupt",
    allowed_for_session: "04b-allow-always-touch",
    edits_allowed: "05-edit-allow",
    edits_accepted_by_mode: "05b-edit-acceptEdits",
    question: "06-ask-user-question",
    plan: "07-plan",
    interrupt_of_text: "08-interrupt-text",
    interrupt_of_a_command: "08b-interrupt-bash",
    interrupt_during_an_ask: "08c-interrupt-during-ask",
    compaction: "10-compact",
    session_in_use: "11e-session-id-in-use",
    session_unknown: "11f-resume-unknown",
    structured_answer: "12-json-schema",
    mcp_tool: "13-mcp",
    mcp_server_broken: "13c-mcp-broken",
    subagent_in_the_background: "15-subagent",
    subagent_that_asks: "15d-subagent-permission",
    subagent_in_the_foreground: "15e-subagent-foreground",
    bad_request: "17-fail-400",
    key_refused: "17-fail-401",
    model_unknown: "17-fail-404",
    limited: "17-fail-429",
    limited_twice_then_well: "17-fail-429x2-recover",
    server_fault: "17-fail-500",
    overloaded: "17-fail-529",
    no_credit: "17-fail-credit",
    broken_off_always: "17-fail-hangalways",
    broken_off_once: "17-fail-hangmid",
    broken_off_before_the_start: "17-fail-hangstart",
    longest_answer: "17-fail-maxtok",
    error_in_the_stream: "17-fail-miderr",
    refusal: "17-fail-refusal",
    prompt_too_long: "17-fail-toolong",
    signed_out: "18-logged-out",
    quota_events: "18b-oauth-token-ratelimit-headers",
    handed_over_input: "19-queue-two",
    full_access_as_root: "19h-bypass-root",
    allowed_with_a_rule: "04-bash-allow-always",
    edits_allowed_for_session: "05c-edit-allow-session",
    ended_by_a_signal: "08d-sigterm-during-bash",
    controls_while_idle: "09-control-queries",
    local_commands: "10b-slash-context-usage",
    session_chosen: "11a-session-id",
    session_resumed: "11b-resume",
    session_forked: "11c-fork",
    session_forked_to_a_chosen_one: "11d-fork-with-id",
    session_resumed_elsewhere: "11g-resume-other-cwd",
    session_id_is_no_uuid: "11h-bad-session-id",
    model_chosen: "11i-model-flag",
    session_not_kept: "11j-no-persist",
    structured_answer_at_the_second_try: "12b-json-schema-bad-first",
    structured_answer_never: "12c-json-schema-never",
    mcp_tool_allowed: "13b-mcp-allowed",
    tools_chosen: "13d-tools",
    tools_none: "13e-tools-none",
    image: "14-image",
    image_refused: "14b-image-bad",
    subagent_text_forwarded: "15b-subagent-forward-text",
    subagent_named_background: "15c-subagent-background",
    background_command: "16-background-bash",
    native_task_list: "16b-tasks",
    native_todo_list: "16c-todowrite",
    native_tasks_by_variable: "16d-todo-env-claude_code_enable_tasks",
    native_todo_by_variable: "16d-todo-env-claude_code_enable_todo_write",
    native_todo_by_flag: "16e-todo-tools-flag",
    subscription: "18c-subscription-credentials",
    malformed_input: "19b-malformed-stdin",
    input_closed_during_an_ask: "19c-stdin-closed-during-ask",
    nobody_to_ask: "19d-no-prompt-tool",
    tools_allowed_by_flag: "19e-allowedtools",
    never_asks: "19f-dontAsk",
    full_access: "19g-bypass-issandbox",
    automatic_mode: "19i-auto",
}
