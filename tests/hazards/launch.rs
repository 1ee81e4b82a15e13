//! Hazard 15, what can be shown on any system: arguments, folder and environment reach the CLI as they are. No shell ever
//! reads them. (That processes are started in one module is held by `walls`.)

use std::fs;

use agent_runtime::TurnEvent;
use paddock_tests::processes::GONE_BOUND;
use paddock_tests::turns::Standin;

use crate::Played;

/// Words that a shell would not leave alone. Each would make a file if one read them.
fn hostile(name: &str) -> String {
    format!(
        "$(touch made-{name}) `touch made-{name}`; touch made-{name} & | > made-{name} 'x' \"y\" %PATH% * ~ \\"
    )
}

#[tokio::test]
async fn h15_arguments_folder_and_environment_are_never_read_by_a_shell() {
    let home = tempfile::tempdir().unwrap();
    let programs = home.path().join("a folder; touch made-program $(id)");
    let folder = home.path().join(hostile("folder").replace('/', "_"));
    for made in [&programs, &folder] {
        fs::create_dir(made).unwrap();
    }
    let program = programs.join("claude");
    fs::copy(env!("CARGO_BIN_EXE_scripted-cli"), &program).unwrap();
    let played = Played {
        cli: Standin::new(&program.display().to_string()),
        ..Played::new()
    };
    let script = played
        .cli
        .script("> INIT\n< until \"user\"\n> TXT(started)\nhang\n");
    let mut request = played.cli.turn_of(&script);
    request.working_directory.clone_from(&folder);
    request.prompt = hostile("prompt");
    request.model = Some(hostile("model"));
    request.launch_context.system_prompt_append = Some(hostile("context"));
    request
        .plain_environment
        .insert("HOSTILE".into(), hostile("variable"));
    request.environment.insert("HOSTILE_SECRET", hostile("secret"));
    let ready = async {
        played
            .heard
            .wait(|event| matches!(event, TurnEvent::MessageCompleted { .. }))
            .await;
        let pid = played.heard.process().expect("a process").pid;
        let read = |what: &str| fs::read(format!("/proc/{pid}/{what}")).unwrap();
        let words = |bytes: Vec<u8>| -> Vec<String> {
            let text = String::from_utf8(bytes).unwrap();
            text.split_terminator('\0').map(str::to_owned).collect()
        };
        let line = words(read("cmdline"));
        assert_eq!(
            line[0],
            program.display().to_string(),
            "the program itself is the process"
        );
        for name in ["model", "context"] {
            assert!(line.contains(&hostile(name)), "{name} in {line:#?}");
        }
        for name in ["prompt", "secret"] {
            assert!(
                !line.iter().any(|word| word.contains(&format!("made-{name}"))),
                "{name} in {line:#?}"
            );
        }
        let environment = words(read("environ"));
        for (name, what) in [("HOSTILE", "variable"), ("HOSTILE_SECRET", "secret")] {
            assert!(
                environment.contains(&format!("{name}={}", hostile(what))),
                "{name}"
            );
        }
        assert_eq!(fs::read_link(format!("/proc/{pid}/cwd")).unwrap(), folder);
    };
    played.stopped(request, GONE_BOUND, ready).await;
    let log = played.cli.log();
    let prompt = serde_json::to_string(&hostile("prompt")).unwrap();
    assert!(log.iter().any(|line| line.contains(&prompt)), "{log:#?}");
    let made = |at: &std::path::Path| {
        let names = fs::read_dir(at).unwrap().flatten().map(|entry| entry.file_name());
        names
            .filter(|name| name.to_string_lossy().starts_with("made-"))
            .count()
    };
    for at in [home.path(), &folder, &programs, std::path::Path::new(".")] {
        assert_eq!(made(at), 0, "a shell was at work in {}", at.display());
    }
}
