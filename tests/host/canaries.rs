//! What is logged, and what a diagnostics bundle holds: nothing of prompts, tools, keys and addresses. A word that occurs
//! nowhere else is planted in each, then the tour and every fault of the practice model are run, and the words are looked
//! for in every file of the log and in the bundle, plain and encoded. The same search finds them where they belong.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use paddock_host::diagnostics::start_log;
use practice_model::{Pace, PracticeModel, PracticeOptions};

use super::*;

/// What a word is planted in.
const PLANTED: [&str; 9] = [
    "prompt",
    "answer of the model",
    "command",
    "file name",
    "file content",
    "reason of a denial",
    "key",
    "address",
    "password",
];
/// Names the file that tells the planted words to the process of the app.
const PLANTED_ENV: &str = "PADDOCK_TEST_PLANTED";
/// Words by what they are in.
type Planted = BTreeMap<&'static str, String>;
/// Longest wait for all chats, which run side by side.
const ALL_BOUND: Duration = Duration::from_secs(300);
/// Time after which a turn that does not end by itself is stopped.
const HANGS: Duration = Duration::from_secs(3);
/// Faults of the practice model that end by themselves.
const FAULTS: [&str; 12] = [
    "fault-401",
    "fault-404",
    "fault-429",
    "fault-429-retry-after",
    "fault-500",
    "fault-529",
    "fault-credit",
    "fault-too-long",
    "fault-quota",
    "fault-cut-once",
    "fault-cut-always",
    "fault-error-event",
];
/// Faults that end by a stop.
const STOPPED: [&str; 2] = ["fault-hang", "fault-stall"];
/// Asks for everything, in the way of every logging library that is in use.
const LOUD: [&str; 3] = ["RUST_LOG", "PADDOCK_LOG", "TRACING"];

/// A word of 16 characters between two that an address escapes.
fn word() -> String {
    let random = uuid::Uuid::new_v4().simple().to_string();
    format!("kanarie+{}=", &random[..16])
}

/// The part of a word that no escape changes.
fn core(word: &str) -> &str {
    word.trim_start_matches("kanarie+").trim_end_matches('=')
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks_exact(3) {
        let bits = u32::from(group[0]) << 16 | u32::from(group[1]) << 8 | u32::from(group[2]);
        for shift in [18, 12, 6, 0] {
            text.push(char::from(DIGITS[(bits >> shift & 63) as usize]));
        }
    }
    text
}

/// How a word may stand in a text: as it is, in hexadecimal digits, and in base64 at each of its three alignments (what
/// stands around it decides the digits at its ends, which are left out).
fn forms(word: &str) -> Vec<String> {
    let core = core(word);
    let mut forms = vec![core.to_owned()];
    forms.push(core.bytes().map(|byte| format!("{byte:02x}")).collect());
    forms.extend((0..3).map(|skipped| base64(&core.as_bytes()[skipped..])));
    forms.extend(
        forms
            .clone()
            .iter()
            .map(|form| form.replace('+', "-").replace('/', "_")),
    );
    forms
}

/// The planted words that a text holds, by what they are in.
fn found(planted: &Planted, text: &[u8]) -> Vec<&'static str> {
    let text = String::from_utf8_lossy(text);
    let lower = text.to_lowercase();
    let holds = |word: &str| {
        forms(word)
            .iter()
            .any(|form| text.contains(form) || lower.contains(form))
    };
    let hits = planted.iter().filter(|(_, word)| holds(word));
    hits.map(|(what, _)| *what).collect()
}

/// All files below a folder.
fn read_all(folder: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        match entry.file_type().unwrap().is_dir() {
            true => bytes.extend(read_all(&entry.path())),
            false => bytes.extend(fs::read(entry.path()).unwrap()),
        }
    }
    bytes
}

#[test]
fn the_search_finds_a_word_in_every_form_and_nothing_else() {
    let planted = BTreeMap::from([("here", word()), ("elsewhere", word())]);
    let hidden = |text: &str| found(&planted, text.as_bytes());
    let mine = &planted["here"];
    assert_eq!(hidden(&format!("x{mine}y")), ["here"]);
    assert_eq!(hidden(&mine.replace('+', "%2B").replace('=', "%3D")), ["here"]);
    assert_eq!(hidden(&mine.to_uppercase()), ["here"]);
    let hex: String = mine.bytes().map(|byte| format!("{byte:02X}")).collect();
    assert_eq!(hidden(&hex), ["here"]);
    for before in ["", "a", "ab", "abc", "Basic user:"] {
        let padded = format!("{before}{mine}\0\0\0");
        assert_eq!(hidden(&base64(padded.as_bytes())), ["here"], "{before}");
    }
    assert_eq!(hidden("kanarie+0123456789abcdef="), Vec::<&str>::new());
}

/// Scripts of the model with the planted words in what it says and does.
fn write_scripts(folder: &Path, planted: &Planted) {
    let (answer, command) = (&planted["answer of the model"], &planted["command"]);
    let (file, content) = (&planted["file name"], &planted["file content"]);
    let run = |command: String| serde_json::json!({"act": "run", "command": command, "description": answer, "escalate": true});
    let blocks = |first: serde_json::Value| serde_json::json!([{"text": answer}, first]);
    let write = serde_json::json!({"act": "write_file", "path": format!("{file}.txt"), "content": content});
    let scripts = serde_json::json!({
        "canary": {"about": "Writes, runs and reads.", "steps": [
            {"blocks": blocks(write)},
            {"blocks": blocks(run(format!("cat '{file}.txt' && echo '{command}' >&2 && touch made && exit 3")))},
            {"blocks": blocks(run(format!("touch '{command}'")))},
            {"blocks": [{"text": format!("{{{{outcome}}}}{answer}")}]},
        ]},
    });
    fs::write(folder.join("canary.json"), scripts.to_string()).unwrap();
}

/// A chat of the suite: where its model is and what it plays. An empty script is the tour.
fn new_chat(work: &Path, endpoint: Endpoint, script: &str, planted: &Planted) -> NewChat {
    NewChat {
        folder: work.display().to_string(),
        harness: "claude".into(),
        endpoint,
        model: None,
        effort: None,
        mode: PermissionMode::Default,
        attachments: Vec::new(),
        schema: None,
        prompt: match script {
            "" => TOUR_PROMPT.into(),
            script => format!("[[{script}]] {}", planted["prompt"]),
        },
    }
}

/// The app with its log, as the window starts it.
struct Logged {
    app: Arc<App>,
    log: Box<dyn Send>,
    planted: Arc<Planted>,
}

impl Logged {
    async fn start() -> Self {
        let log = Box::new(start_log(&own_folder().unwrap().join("data")).unwrap());
        let app = Arc::new(App::open().await);
        let told = fs::read_to_string(std::env::var(PLANTED_ENV).unwrap()).unwrap();
        let told: BTreeMap<String, String> = serde_json::from_str(&told).unwrap();
        let planted = PLANTED.map(|what| (what, told[what].clone()));
        Self {
            app,
            log,
            planted: Arc::new(BTreeMap::from(planted)),
        }
    }

    /// Runs these chats side by side.
    async fn run(&self, chats: impl IntoIterator<Item = (Endpoint, &'static str)>) {
        let mut all = tokio::task::JoinSet::new();
        for (endpoint, script) in chats {
            let (app, planted) = (Arc::clone(&self.app), Arc::clone(&self.planted));
            all.spawn(async move {
                let new = new_chat(&app.path("work"), endpoint, script, &planted);
                let chat = app.host.create_chat(new).await.unwrap().id;
                answer_until_over(&app, &chat, script, &planted).await;
            });
        }
        while let Some(ended) = all.join_next().await {
            ended.unwrap();
        }
    }

    /// Closes the app: what its log and its bundle say, and what its database holds.
    async fn close(self) -> (Vec<u8>, Vec<u8>) {
        let bundle = self.app.host.diagnostics_bundle().await.unwrap();
        let mut said = fs::read(bundle).unwrap();
        self.app.host.close().await;
        drop(self.log);
        let data = self.app.path("data");
        said.extend(read_all(&data.join("logs")));
        (said, read_all(&data.join("store")))
    }
}

/// Answers what is asked, stops what does not end, and waits for the end.
async fn answer_until_over(app: &App, chat: &str, script: &str, planted: &Planted) {
    let begun = Instant::now();
    let (mut answered, mut running) = (Vec::new(), None);
    loop {
        let events = app.events(chat).await;
        if events
            .iter()
            .any(|event| matches!(event.body, ChatEvent::TurnEnded { .. }))
        {
            return app.idle(chat).await;
        }
        if events
            .iter()
            .any(|event| matches!(event.body, ChatEvent::TurnStarted { .. }))
        {
            running.get_or_insert_with(Instant::now);
        }
        let open = app.host.decisions().await.unwrap();
        for decision in open.iter().filter(|one| one.chat == chat) {
            if answered.contains(&decision.id) {
                continue;
            }
            let reason = Some(planted["reason of a denial"].clone());
            let answer = match script {
                "bash" => approval(ApprovalDecision::Deny { reason }),
                _ => yes(decision),
            };
            app.host.decide(&decision.id, answer).await.unwrap();
            answered.push(decision.id.clone());
        }
        if STOPPED.contains(&script) && running.is_some_and(|since| since.elapsed() > HANGS) {
            app.host.stop_turn(chat).await.unwrap();
            running = None;
        }
        assert!(begun.elapsed() < ALL_BOUND, "{script}: {events:#?}");
        tokio::time::sleep(LOOK_PAUSE).await;
    }
}

/// While a step of a chat waits for an answer: what the environment of the CLI holds, and a bundle.
async fn while_it_waits(logged: &Logged, endpoint: Endpoint) -> (Vec<u8>, Vec<u8>) {
    let app = &logged.app;
    let home = format!("HOME={}", std::env::var("HOME").unwrap());
    // The process of a chat before may wait for its next prompt.
    let before = marked(&home);
    let new = new_chat(&app.path("work"), endpoint, "bash", &logged.planted);
    let chat = app.host.create_chat(new).await.unwrap().id;
    app.open_decision(&chat).await;
    let mut pids = marked(&home);
    pids.retain(|line| !before.contains(line));
    let pids = pids.iter().filter_map(|line| line.split(' ').next());
    let bytes = pids.flat_map(|pid| fs::read(format!("/proc/{pid}/environ")).unwrap_or_default());
    let bytes = bytes.collect();
    let bundle = fs::read(app.host.diagnostics_bundle().await.unwrap()).unwrap();
    answer_until_over(app, &chat, "bash", &logged.planted).await;
    (bytes, bundle)
}

/// The value of a variable in an environment.
fn variable(environment: &[u8], name: &str) -> String {
    let text = String::from_utf8_lossy(environment).into_owned();
    let mut values = text
        .split('\0')
        .filter_map(|entry| entry.strip_prefix(name)?.strip_prefix('='));
    values
        .next()
        .unwrap_or_else(|| panic!("the CLI has no {name}"))
        .to_owned()
}

/// A configuration of the CLI: it tries twice, and asks nobody but its model.
fn configured(folder: &Path) -> PathBuf {
    let config = folder.join("config");
    fs::create_dir(&config).unwrap();
    let settings = serde_json::json!({"env": {
        "CLAUDE_CODE_MAX_RETRIES": "1", "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }});
    fs::write(config.join("settings.json"), settings.to_string()).unwrap();
    config
}

/// Runs a test in a process whose environment has the planted words; `address` makes the address of the model.
fn in_a_planted_process(
    name: &str,
    address: impl FnOnce(&Planted, &PracticeModel) -> String,
    test: impl Future<Output = ()>,
) {
    // The model lives until the inner process is over.
    let mut serving = None;
    let prepare = |folder: &Path, command: &mut Command| {
        let planted: Planted = PLANTED.map(|what| (what, word())).into();
        let told = folder.join("planted");
        fs::write(&told, serde_json::to_string(&planted).unwrap()).unwrap();
        let scripts = folder.join("scripts");
        fs::create_dir(&scripts).unwrap();
        write_scripts(&scripts, &planted);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .unwrap();
        let options = PracticeOptions {
            token: Some(planted["key"].clone()),
            scripts: Some(scripts),
            pace: Some(Pace::instant()),
            ..PracticeOptions::default()
        };
        let model = runtime.block_on(PracticeModel::start(options)).unwrap();
        let proxy = format!(
            "http://someone:{}@{}.invalid:9",
            core(&planted["password"]),
            core(&planted["address"])
        );
        command
            .env(PLANTED_ENV, told)
            .env("ANTHROPIC_API_KEY", &planted["key"])
            .env("ANTHROPIC_BASE_URL", address(&planted, &model))
            .env("HTTPS_PROXY", proxy)
            .env("NO_PROXY", "127.0.0.1")
            .env_remove("HTTP_PROXY")
            .env("CLAUDE_CONFIG_DIR", configured(folder))
            .envs(LOUD.map(|name| (name, "trace")));
        serving = Some((model, runtime));
    };
    in_own_process(name, prepare, test);
    drop(serving);
}

#[test]
fn nothing_of_a_chat_is_in_the_log_or_in_a_bundle() {
    let name = "canaries::nothing_of_a_chat_is_in_the_log_or_in_a_bundle";
    in_a_planted_process(name, |_, model| model.anthropic_base_url(), async {
        let logged = Logged::start().await;
        let mut planted = Planted::clone(&logged.planted);
        logged.app.host.check_harness("claude").await.unwrap();
        let (own, first) = while_it_waits(&logged, Endpoint::Environment).await;
        let (practice, second) = while_it_waits(&logged, Endpoint::Practice).await;
        planted.insert(
            "token of the practice model",
            variable(&practice, "ANTHROPIC_API_KEY"),
        );
        let both = |script| [(Endpoint::Environment, script), (Endpoint::Practice, script)];
        let scripts = ["", "bash"].into_iter().chain(FAULTS).chain(STOPPED);
        let chats: Vec<_> = scripts
            .flat_map(both)
            .chain([(Endpoint::Environment, "canary")])
            .collect();
        let turns = chats.len();
        logged.run(chats).await;
        let (last, stored) = logged.close().await;
        let said = [first, second, last].concat();

        // The search finds what is there: in the database what was said and done, in the CLI what it has to know.
        let said_and_done = [
            "answer of the model",
            "command",
            "file content",
            "file name",
            "prompt",
            "reason of a denial",
        ];
        assert_eq!(found(&planted, &stored), said_and_done);
        assert_eq!(found(&planted, &own), ["address", "key", "password"]);
        assert_eq!(found(&planted, &practice), ["token of the practice model"]);
        // There is a log of all of it, and a bundle with the log in it.
        let lines = String::from_utf8_lossy(&said).matches("turn start").count();
        assert!(lines >= turns, "{lines} lines for {turns} turns");
        assert_eq!(
            found(&planted, &said),
            Vec::<&str>::new(),
            "{}",
            String::from_utf8_lossy(&said)
        );
    });
}

#[test]
fn an_address_that_does_not_answer_is_not_in_the_log() {
    let name = "canaries::an_address_that_does_not_answer_is_not_in_the_log";
    let address = |planted: &Planted, _: &PracticeModel| {
        // The discard port: nobody listens.
        format!(
            "http://someone:{}@127.0.0.1:9/{}",
            core(&planted["password"]),
            core(&planted["address"])
        )
    };
    in_a_planted_process(name, address, async {
        let logged = Logged::start().await;
        let planted = Planted::clone(&logged.planted);
        logged.run([(Endpoint::Environment, "text")]).await;
        let (said, stored) = logged.close().await;
        assert!(found(&planted, &stored).contains(&"prompt"));
        assert!(String::from_utf8_lossy(&said).contains("turn start"));
        assert_eq!(
            found(&planted, &said),
            Vec::<&str>::new(),
            "{}",
            String::from_utf8_lossy(&said)
        );
    });
}
