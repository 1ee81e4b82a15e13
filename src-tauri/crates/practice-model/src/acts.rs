//! A logical step as a tool call of the harness that asks.
//!
//! | act | claude 2.1.332 | codex 0.171.0 | opencode 1.18.33 | copilot 1.0.102 |
//! | --- | --- | --- | --- | --- |
//! | `write_file` | Write | apply_patch | write | create / apply_patch |
//! | `edit_file` | Edit | apply_patch | edit | edit / apply_patch |
//! | `run` | Bash | exec_command / shell | bash | bash |
//! | `delegate` | Agent | – | task | – |
//! | `ask` | AskUserQuestion | request_user_input | question | ask_user |
//! | `plan` | ExitPlanMode | `<proposed_plan>` text | – | exit_plan_mode |
//!
//! Codex models of the "code mode" kind offer one tool `exec` that takes JavaScript; commands and patches go through it.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    ask::Ask,
    reply::{Block, Call, Input, Text},
    script::Content,
    template::Values,
};

/// Tools that put a question to the user.
pub(crate) const ASK_TOOLS: [&str; 5] = [
    "AskUserQuestion",
    "request_user_input",
    "question",
    "ask_user",
    "ExitPlanMode",
];

/// A logical step.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "act", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Act {
    /// Writes `content` to `path` (below the working folder).
    WriteFile { path: String, content: Content },
    /// Replaces the one line `old` by `new`.
    EditFile { path: String, old: String, new: String },
    /// Runs a shell command. `escalate`: codex asks for leave to run it outside its sandbox, unless it may never ask.
    Run {
        command: String,
        description: String,
        #[serde(default)]
        escalate: bool,
        /// Goes on while the model answers, where the harness can.
        #[serde(default)]
        background: bool,
    },
    /// Hands a prompt to an agent of the harness's own.
    Delegate { prompt: String, description: String },
    /// Asks one to four questions.
    Ask { questions: Vec<Question> },
    /// Puts the plan where the harness wants it before the plan is shown (claude reads it from a file).
    PlanFile { plan: String },
    /// Shows a plan for approval.
    Plan { plan: String },
    /// Gives the answer as a value, where the harness asked for one by a schema.
    Structured { value: Value },
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Question {
    header: String,
    question: String,
    #[serde(default)]
    multi: bool,
    options: Vec<Choice>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Choice {
    label: String,
    description: String,
}

/// What an act becomes.
pub(crate) enum Turned {
    /// A tool call (or for a plan on codex its text).
    Block(Box<Block>),
    /// The harness offers no tool for it: a sentence that says so.
    Sentence(String),
}

/// Everything that a turned act needs.
pub(crate) struct Stage<'a> {
    pub(crate) ask: &'a Ask,
    pub(crate) values: &'a Values,
    /// Makes a fresh identifier for a call.
    pub(crate) id: &'a dyn Fn() -> String,
}

impl Stage<'_> {
    pub(crate) fn turn(&self, act: &Act) -> Turned {
        let fill = |text: &String| self.values.fill(text);
        let call = match act {
            Act::WriteFile { path, content } => self.write(&fill(path), &fill(&content.make())),
            Act::EditFile { path, old, new } => self.edit(&fill(path), &fill(old), &fill(new)),
            Act::Run {
                command,
                description,
                escalate,
                background,
            } => self.run(&fill(command), description, *escalate, *background),
            Act::Delegate { prompt, description } => self.delegate(prompt, description),
            Act::Ask { questions } => self.question(questions),
            Act::PlanFile { plan } => self.plan_file(plan),
            Act::Plan { plan } => return self.plan(plan),
            // The tool that Claude Code and OpenCode add for a schema.
            Act::Structured { value } => self.json_call("StructuredOutput", || value.clone()),
        };
        call.map_or_else(
            || Turned::Sentence(sentence(act)),
            |call| Turned::Block(Box::new(Block::Tool(call))),
        )
    }

    fn call(&self, name: &str, input: Value) -> Call {
        Call {
            id: (self.id)(),
            name: name.to_owned(),
            input: Input::Json(input),
        }
    }

    /// The tool when the request offers it, in full or by name only.
    fn json_call(&self, name: &str, input: impl FnOnce() -> Value) -> Option<Call> {
        let offered = self.ask.offers(name).is_some() || self.ask.defers(name);
        offered.then(|| self.call(name, input()))
    }

    fn full_path(&self, path: &str) -> String {
        let absolute = path.starts_with('/') || path.contains(":\\") || self.values.cwd.is_empty();
        if absolute {
            path.to_owned()
        } else {
            format!("{}/{path}", self.values.cwd.trim_end_matches('/'))
        }
    }

    fn write(&self, path: &str, content: &str) -> Option<Call> {
        let full = self.full_path(path);
        self.json_call("Write", || json!({"file_path": full, "content": content}))
            .or_else(|| self.json_call("write", || json!({"filePath": full, "content": content})))
            .or_else(|| self.json_call("create", || json!({"path": full, "file_text": content})))
            .or_else(|| self.patch(&add_patch(path, content)))
    }

    fn edit(&self, path: &str, old: &str, new: &str) -> Option<Call> {
        let full = self.full_path(path);
        self.json_call(
            "Edit",
            || json!({"file_path": full, "old_string": old, "new_string": new}),
        )
        .or_else(|| {
            // Two harnesses call it "edit" and name its fields differently; "write" or "create" tells them apart.
            let input = if self.ask.offers("write").is_some() {
                json!({"filePath": full, "oldString": old, "newString": new})
            } else {
                json!({"path": full, "old_str": old, "new_str": new})
            };
            self.json_call("edit", || input)
        })
        .or_else(|| {
            self.patch(&format!(
                "*** Begin Patch\n*** Update File: {path}\n@@\n-{old}\n+{new}\n*** End Patch\n"
            ))
        })
    }

    fn patch(&self, patch: &str) -> Option<Call> {
        match self.ask.offers("apply_patch") {
            Some(tool) if tool.custom => Some(self.raw("apply_patch", patch.to_owned())),
            Some(_) => Some(self.call("apply_patch", json!({"input": patch}))),
            None => self.code("apply_patch", &json!(patch)),
        }
    }

    fn run(&self, command: &str, description: &str, escalate: bool, background: bool) -> Option<Call> {
        let mut exec = json!({"cmd": command});
        if escalate && self.may_escalate() {
            exec["sandbox_permissions"] = json!("require_escalated");
            exec["justification"] = json!(format!("{description}?"));
        }
        let plain = || json!({"command": command, "description": description});
        let claude = || {
            let mut input = plain();
            if background {
                input["run_in_background"] = json!(true);
            }
            input
        };
        self.json_call("Bash", claude)
            .or_else(|| self.json_call("bash", plain))
            .or_else(|| self.json_call("exec_command", || exec.clone()))
            .or_else(|| self.json_call("shell", || json!({"command": ["bash", "-lc", command]})))
            .or_else(|| self.json_call("shell_command", || json!({"command": command})))
            .or_else(|| self.code("exec_command", &exec))
    }

    fn delegate(&self, prompt: &str, description: &str) -> Option<Call> {
        let kind = "general-purpose";
        let input = || json!({"description": description, "prompt": prompt, "subagent_type": kind});
        self.json_call("Agent", input)
            .or_else(|| self.json_call("Task", input))
            .or_else(|| {
                self.json_call(
                    "task",
                    || json!({"description": description, "prompt": prompt, "subagent_type": "general"}),
                )
            })
    }

    /// Codex refuses a command that asks for leave when its policy is never to ask.
    fn may_escalate(&self) -> bool {
        !self.ask.system.contains("Approval policy is currently never")
    }

    fn question(&self, questions: &[Question]) -> Option<Call> {
        self.json_call(
            "AskUserQuestion",
            || json!({"questions": questions.iter().map(claude_question).collect::<Value>()}),
        )
        .or_else(|| {
            let all = || {
                questions
                    .iter()
                    .enumerate()
                    .map(codex_question)
                    .collect::<Value>()
            };
            self.json_call("request_user_input", || json!({"questions": all()}))
        })
        .or_else(|| {
            self.json_call(
                "question",
                || json!({"questions": questions.iter().map(opencode_question).collect::<Value>()}),
            )
        })
        .or_else(|| {
            let first = questions.first()?;
            let labels: Vec<&str> = first.options.iter().map(|choice| choice.label.as_str()).collect();
            self.json_call(
                "ask_user",
                || json!({"question": first.question, "choices": labels}),
            )
        })
    }

    fn plan_file(&self, plan: &str) -> Option<Call> {
        let path = plan_path(&self.ask.system)?;
        self.json_call("Write", || json!({"file_path": path, "content": plan}))
    }

    fn plan(&self, plan: &str) -> Turned {
        let call = self
            .json_call("ExitPlanMode", || json!({"plan": plan}))
            .or_else(|| self.json_call("exit_plan_mode", || json!({"summary": plan})));
        if let Some(call) = call {
            return Turned::Block(Box::new(Block::Tool(call)));
        }
        // The plan mode of codex is explained to the model in a developer text that names this tag.
        if self.ask.system.contains("<proposed_plan>") {
            let text = format!("<proposed_plan>\n{plan}\n</proposed_plan>");
            return Turned::Block(Box::new(Block::Text(Text::once(text))));
        }
        Turned::Sentence(format!(
            "I would show a plan for approval here, but no tool for it is offered:\n\n{plan}"
        ))
    }

    fn raw(&self, name: &str, text: String) -> Call {
        Call {
            id: (self.id)(),
            name: name.to_owned(),
            input: Input::Raw(text),
        }
    }

    /// A call of `tool` from the JavaScript of codex's code mode.
    fn code(&self, tool: &str, input: &Value) -> Option<Call> {
        self.ask.offers("exec").filter(|exec| exec.custom)?;
        Some(self.raw(
            "exec",
            format!("const r = await tools.{tool}({input});\ntext(r);\n"),
        ))
    }
}

fn sentence(act: &Act) -> String {
    let what = match act {
        Act::WriteFile { path, .. } => format!("write the file `{path}`"),
        Act::EditFile { path, .. } => format!("edit the file `{path}`"),
        Act::Run { command, .. } => format!("run `{}`", command.lines().next().unwrap_or_default()),
        Act::Delegate { .. } => "hand a part of the work to an agent".to_owned(),
        Act::Ask { .. } => "ask you a question".to_owned(),
        // Only one harness wants the plan in a file; elsewhere there is nothing to say about it.
        Act::PlanFile { .. } => return String::new(),
        Act::Plan { .. } => "put down a plan".to_owned(),
        Act::Structured { value } => return value.to_string(),
    };
    format!("I would {what} here, but no tool for it is offered, so I go on.")
}

fn add_patch(path: &str, content: &str) -> String {
    let mut patch = format!("*** Begin Patch\n*** Add File: {path}\n");
    for line in content.lines() {
        patch.push('+');
        patch.push_str(line);
        patch.push('\n');
    }
    patch.push_str("*** End Patch\n");
    patch
}

/// The path of the plan file that claude's plan mode names: the first absolute `….md` below a folder `plans`.
fn plan_path(system: &str) -> Option<String> {
    let words = system.split(|c: char| c.is_whitespace() || "`\"'()<>".contains(c));
    let paths = words.map(|word| word.trim_end_matches(['.', ',', ';', ':']));
    let mut found =
        paths.filter(|word| word.starts_with('/') && word.contains("/plans/") && word.ends_with(".md"));
    found.next().map(str::to_owned)
}

fn options_of(question: &Question) -> Value {
    question
        .options
        .iter()
        .map(|choice| json!({"label": choice.label, "description": choice.description}))
        .collect()
}

fn claude_question(question: &Question) -> Value {
    json!({"question": question.question, "header": question.header, "multiSelect": question.multi,
           "options": options_of(question)})
}

fn codex_question((at, question): (usize, &Question)) -> Value {
    /// Choices that codex 0.171.0 allows.
    const MOST: usize = 3;
    let mut options = options_of(question);
    if let Some(list) = options.as_array_mut() {
        list.truncate(MOST);
    }
    json!({"id": format!("question_{}", at + 1), "header": question.header, "question": question.question,
           "options": options})
}

fn opencode_question(question: &Question) -> Value {
    json!({"question": question.question, "header": question.header, "multiple": question.multi,
           "options": options_of(question)})
}

#[cfg(test)]
mod tests;
