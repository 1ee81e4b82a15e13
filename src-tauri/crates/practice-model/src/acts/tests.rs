use serde_json::{Value, json};

use super::*;
use crate::wire::{anthropic, chat, responses};

fn claude(names: &[&str]) -> Ask {
    let tools: Vec<Value> = names.iter().map(|name| json!({ "name": name })).collect();
    let system = json!([{"type": "text", "text": " - Primary working directory: /w\n"}]);
    anthropic::read(
        &json!({"tools": tools, "messages": [{"role": "system", "content": system}]}),
        1,
    )
}

fn codex(tools: &Value, developer: &str) -> Ask {
    let input = json!([{"type": "message", "role": "developer", "content": [{"type": "input_text", "text": developer}]}]);
    responses::read(&json!({"tools": tools, "input": input}), 1)
}

fn functions(names: &[&str]) -> Ask {
    let tools: Vec<Value> = names
        .iter()
        .map(|name| json!({"type": "function", "function": {"name": name}}))
        .collect();
    let messages = json!([{"role": "system", "content": "Working directory: /w\n"}]);
    chat::read(&json!({"tools": tools, "messages": messages}), 1)
}

/// Name and arguments of the call, or the sentence.
fn turned(ask: &Ask, act: Value) -> (String, Value) {
    let act: Act = serde_json::from_value(act).unwrap();
    let values = Values::of(ask, String::new());
    match (Stage {
        ask,
        values: &values,
        id: &|| "1".to_owned(),
    })
    .turn(&act)
    {
        Turned::Block(block) => match *block {
            Block::Tool(Call {
                name,
                input: Input::Json(input),
                ..
            }) => (name, input),
            Block::Tool(Call {
                name,
                input: Input::Raw(text),
                ..
            }) => (name, json!(text)),
            Block::Text(text) | Block::Thinking(text) => ("text".to_owned(), json!(text.whole())),
        },
        Turned::Sentence(text) => ("sentence".to_owned(), json!(text)),
    }
}

fn write() -> Value {
    json!({"act": "write_file", "path": "a.txt", "content": "x\ny\n"})
}

fn ask_act() -> Value {
    let options: Vec<Value> = (1..=4)
        .map(|n| json!({"label": format!("o{n}"), "description": "d"}))
        .collect();
    json!({"act": "ask", "questions": [{"header": "H", "question": "Q?", "multi": true, "options": options}]})
}

#[test]
fn a_file_is_written_in_four_ways() {
    let full = json!({"file_path": "/w/a.txt", "content": "x\ny\n"});
    assert_eq!(turned(&claude(&["Write"]), write()), ("Write".into(), full));
    let opencode = json!({"filePath": "/w/a.txt", "content": "x\ny\n"});
    assert_eq!(
        turned(&functions(&["write"]), write()),
        ("write".into(), opencode)
    );
    let copilot = json!({"path": "/w/a.txt", "file_text": "x\ny\n"});
    assert_eq!(
        turned(&functions(&["create"]), write()),
        ("create".into(), copilot)
    );
    let patch = "*** Begin Patch\n*** Add File: a.txt\n+x\n+y\n*** End Patch\n";
    let tools = json!([{"type": "custom", "name": "apply_patch"}]);
    assert_eq!(
        turned(&codex(&tools, ""), write()),
        ("apply_patch".into(), json!(patch))
    );
    assert_eq!(
        turned(&functions(&["apply_patch"]), write()),
        ("apply_patch".into(), json!({ "input": patch }))
    );
}

#[test]
fn code_mode_gets_javascript() {
    let ask = codex(&json!([{"type": "custom", "name": "exec"}]), "");
    let act = json!({"act": "run", "command": "ls \"a\"", "description": "List"});
    let (name, code) = turned(&ask, act);
    assert_eq!(name, "exec");
    assert_eq!(
        code,
        "const r = await tools.exec_command({\"cmd\":\"ls \\\"a\\\"\"});\ntext(r);\n"
    );
    assert!(
        turned(&ask, write())
            .1
            .as_str()
            .unwrap()
            .contains("tools.apply_patch(\"*** Begin Patch\\n")
    );
}

#[test]
fn codex_asks_for_leave_only_when_it_may() {
    let tools = json!([{"type": "function", "name": "exec_command"}]);
    let act = json!({"act": "run", "command": "ls", "description": "List", "escalate": true});
    assert_eq!(
        turned(&codex(&tools, ""), act.clone()).1["sandbox_permissions"],
        "require_escalated"
    );
    let never = codex(&tools, "Approval policy is currently never. Do not …");
    assert_eq!(turned(&never, act), ("exec_command".into(), json!({"cmd": "ls"})));
}

#[test]
fn a_question_has_the_shape_of_the_harness() {
    let (name, input) = turned(&claude(&["AskUserQuestion"]), ask_act());
    assert_eq!(
        (name.as_str(), &input["questions"][0]["multiSelect"]),
        ("AskUserQuestion", &json!(true))
    );
    let tools = json!([{"type": "function", "name": "request_user_input"}]);
    let (_, input) = turned(&codex(&tools, ""), ask_act());
    assert_eq!(input["questions"][0]["id"], "question_1");
    assert_eq!(input["questions"][0]["options"].as_array().unwrap().len(), 3);
    assert_eq!(
        turned(&functions(&["question"]), ask_act()).1["questions"][0]["multiple"],
        true
    );
    let choices = json!({"question": "Q?", "choices": ["o1", "o2", "o3", "o4"]});
    assert_eq!(turned(&functions(&["ask_user"]), ask_act()).1, choices);
    assert_eq!(turned(&functions(&[]), ask_act()).0, "sentence");
}

#[test]
fn a_plan_goes_where_the_harness_reads_it() {
    let plan = json!({"act": "plan", "plan": "# P"});
    assert_eq!(turned(&claude(&["ExitPlanMode"]), plan.clone()).0, "ExitPlanMode");
    let mut deferred = claude(&["ToolSearch"]);
    deferred.push_system("The following deferred tools are now available:\nExitPlanMode\nOther");
    assert_eq!(turned(&deferred, plan.clone()).0, "ExitPlanMode");
    let codex = codex(&json!([]), "write it into <proposed_plan> tags");
    assert_eq!(
        turned(&codex, plan.clone()).1,
        "<proposed_plan>\n# P\n</proposed_plan>"
    );
    assert_eq!(turned(&functions(&[]), plan).0, "sentence");
    let mut file = claude(&["Write"]);
    file.push_system("Write your plan to `/h/.claude/plans/green-fox.md`.");
    let (_, input) = turned(&file, json!({"act": "plan_file", "plan": "# P"}));
    assert_eq!(input["file_path"], "/h/.claude/plans/green-fox.md");
}

#[test]
fn an_edit_names_its_fields_as_the_harness_does() {
    let edit = json!({"act": "edit_file", "path": "a.txt", "old": "x", "new": "y"});
    assert_eq!(turned(&claude(&["Edit"]), edit.clone()).1["old_string"], "x");
    assert_eq!(
        turned(&functions(&["write", "edit"]), edit.clone()).1["oldString"],
        "x"
    );
    assert_eq!(
        turned(&functions(&["create", "edit"]), edit.clone()).1["old_str"],
        "x"
    );
    let tools = json!([{"type": "custom", "name": "apply_patch"}]);
    assert!(
        turned(&codex(&tools, ""), edit)
            .1
            .as_str()
            .unwrap()
            .contains("@@\n-x\n+y\n")
    );
}
