//! Conversations that the real engine wrote, compared with what was typed and answered.
//!
//! They hold the engine's own prompts, so they are not part of the repository:
//! `GEMTRAIL_ANTIGRAVITY_RECORDINGS` names the directory that has them.

mod common;

use std::path::{Path, PathBuf};

use common::{Home, read_home, read_home_with};
use gemtrail_core::json::Raw;
use gemtrail_core::model::{CallStatus, Message, PathSource, Role, Session, Stop, Tokens};
use serde_json::Value;

/// Names the directory with the recordings.
const RECORDINGS: &str = "GEMTRAIL_ANTIGRAVITY_RECORDINGS";

#[test]
#[expect(clippy::disallowed_methods, reason = "only tests ask for recordings")]
fn every_recording_says_what_was_said() {
    let Some(root) = std::env::var_os(RECORDINGS) else {
        return;
    };
    let mut failures = Vec::new();
    let mut count = 0;
    for recording in recordings(Path::new(&root)) {
        count += 1;
        let home = Home::unpack(&recording);
        let before = home.fingerprint();
        let truth = std::fs::read(recording.join("truth.json")).expect("truth.json");
        let truth: Value = serde_json::from_slice(&truth).expect("JSON");
        let sessions = read_home(&home.dot_gemini());
        assert!(
            before == home.fingerprint(),
            "{} changed",
            recording.display()
        );
        let mut check = Check {
            truth: &truth,
            problems: Vec::new(),
        };
        check.all(&sessions);
        check.live(&sessions, &home.live());
        if check.release() >= 19 {
            let has_lines = |path: &str| !path.contains("/conversations/");
            check.lines(&sessions, &read_home_with(&home.dot_gemini(), has_lines));
        }
        let name = recording.strip_prefix(&root).unwrap_or(&recording);
        let problems = check.problems.into_iter();
        failures.extend(problems.map(|problem| format!("{}: {problem}", name.display())));
    }
    assert!(count > 0, "no recordings in {}", root.display());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn recordings(root: &Path) -> Vec<PathBuf> {
    let list = |dir: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        paths.sort();
        paths
    };
    let scenarios = list(root).into_iter().flat_map(|engine| list(&engine));
    scenarios
        .filter(|it| it.join("truth.json").exists())
        .collect()
}

struct Check<'a> {
    truth: &'a Value,
    problems: Vec<String>,
}

impl Check<'_> {
    fn fail(&mut self, problem: String) {
        self.problems.push(problem);
    }

    fn release(&self) -> u32 {
        let engine = self.truth["engine"].as_str().unwrap_or_default();
        let last = engine.rsplit('.').next().and_then(|it| it.parse().ok());
        last.expect("a release")
    }

    fn scenario(&self) -> &str {
        self.truth["scenario"].as_str().unwrap_or_default()
    }

    fn is_openai(&self) -> bool {
        self.truth["api"] == "openai"
    }

    fn all(&mut self, sessions: &[Session]) {
        let ids: Vec<&str> = texts(&self.truth["conversations"]).collect();
        for session in sessions {
            if !ids.contains(&session.id.as_str()) {
                self.fail(format!("nobody held {}", session.id));
            }
            for message in &session.messages {
                if message.role == Role::Unknown {
                    self.fail(format!("{} is unknown", message.id));
                }
            }
        }
        for id in ids {
            let Some(session) = sessions.iter().find(|it| it.id.as_str() == id) else {
                // Up to 0.1.3 nothing is written before the end.
                if self.scenario() != "killed" || self.release() > 3 {
                    self.fail(format!("conversation {id} is missing"));
                }
                continue;
            };
            self.conversation(session);
        }
    }

    /// Compares copies of databases that were taken while the engine ran.
    fn live(&mut self, sessions: &[Session], copies: &[Session]) {
        for copy in copies {
            let whole = sessions.iter().find(|it| it.id == copy.id);
            let whole = whole.map_or(&[][..], |it| &it.messages);
            let is_beginning = copy.messages.len() <= whole.len()
                && copy.messages.iter().zip(whole).all(|(a, b)| a.id == b.id);
            if copy.messages.is_empty() || !is_beginning {
                self.fail(format!("{} live messages", copy.messages.len()));
            }
        }
    }

    /// Compares what is left without databases.
    fn lines(&mut self, sessions: &[Session], lines: &[Session]) {
        let outline = |sessions: &[Session]| -> Vec<String> {
            let mut ids: Vec<String> = sessions
                .iter()
                .map(|it| format!("{} {:?} {}", it.id, it.kind, it.subagents.len()))
                .collect();
            ids.sort();
            ids
        };
        if outline(sessions) != outline(lines) {
            let (all, left) = (outline(sessions), outline(lines));
            self.fail(format!("of {all:?} the lines have {left:?}"));
        }
        for line in lines {
            let Some(whole) = sessions.iter().find(|it| it.id == line.id) else {
                continue;
            };
            for message in &line.messages {
                let same = whole.messages.iter().find(|it| it.id == message.id);
                let is_like = |other: &&Message| {
                    let names = |it: &Message| -> Vec<String> {
                        let calls = it.tool_calls.iter();
                        calls
                            .map(|call| format!("{} {:?}", call.name, call.exit_code))
                            .collect()
                    };
                    let total = |it: &Message| it.tokens.map(|tokens| tokens.total);
                    // Written for the model, and cut off.
                    let is_prose = matches!(message.role, Role::Error | Role::Summary);
                    let is_late = it_runs_in_background(message);
                    other.role == message.role
                        && (is_prose || other.text == message.text)
                        && (is_late || names(other) == names(message))
                        && (self.release() < 21
                            || total(other) == total(message)
                            || message.tokens.is_none_or(|it| it.uncertain > 0))
                };
                if !same.as_ref().is_some_and(is_like) {
                    self.fail(format!("line {message:?}, step {same:?}"));
                }
            }
        }
    }

    fn conversation(&mut self, session: &Session) {
        let turns: Vec<&Value> = items(&self.truth["turns"])
            .filter(|turn| turn["conversation"] == session.id.as_str())
            .filter(|turn| turn["ending"] != "CLOSED" || items(&turn["model_calls"]).count() > 0)
            .collect();
        self.typed(session, &turns);
        self.answers(session, &turns);
        self.commands(session, &turns);
        self.whole(session, &turns);
        let allowed = ["unfinished-step"];
        for diagnostic in &session.diagnostics {
            if !allowed.contains(&diagnostic.code.as_str().as_str()) {
                self.fail(format!("{diagnostic:?}"));
            }
        }
    }

    fn typed(&mut self, session: &Session, turns: &[&Value]) {
        let typed: Vec<String> = turns
            .iter()
            .filter(|turn| !turn["typed"].is_null())
            .map(|turn| match &turn["typed"] {
                Value::String(text) => text.clone(),
                parts => items(parts)
                    .filter_map(|part| part["text"].as_str())
                    .collect(),
            })
            .collect();
        let said: Vec<&Message> = with_role(session, Role::Human).collect();
        let trimmed: Vec<&str> = typed.iter().map(|text| text.trim()).collect();
        let texts: Vec<&str> = said.iter().map(|it| it.text.as_str()).collect();
        if trimmed != texts {
            self.fail(format!("typed {trimmed:?}, read {texts:?}"));
        }
        for (text, message) in typed.iter().zip(&said) {
            let content = message.content.as_ref().map(|raw| raw.text().to_owned());
            let content: Value = serde_json::from_str(&content.unwrap_or_default()).expect("JSON");
            if content[0]["text"] != text.as_str() {
                self.fail(format!("content {content} is not {text:?}"));
            }
            let pictures = items(&content)
                .filter(|part| part["inlineData"]["data"].is_string())
                .count();
            if self.scenario() == "image" && pictures != 1 {
                self.fail(format!("{pictures} pictures"));
            }
        }
        if self.scenario() == "trigger" {
            let notices = with_role(session, Role::Context);
            let texts: Vec<&str> = notices.map(|it| it.text.as_str()).collect();
            if texts != ["The build finished."] {
                self.fail(format!("notices {texts:?}"));
            }
        }
    }

    fn answers(&mut self, session: &Session, turns: &[&Value]) {
        let served: Vec<&Value> = turns
            .iter()
            .flat_map(|turn| items(&turn["model_calls"]))
            .filter(|call| call["route"] == "main" && call["answer"]["error"].is_null())
            .filter(|call| {
                let path = call["path"].as_str().unwrap_or_default();
                !path.ends_with(":generateContent")
            })
            .collect();
        let read: Vec<&Message> = with_role(session, Role::Assistant).collect();
        if served.len() != read.len() {
            self.fail(format!("{} answers, read {}", served.len(), read.len()));
        }
        for (call, message) in served.iter().zip(read) {
            self.answer(call, message);
        }
    }

    fn answer(&mut self, call: &Value, message: &Message) {
        let answer = &call["answer"];
        let text = answer["text"].as_str().unwrap_or_default();
        let was_cut = !call["hung"].is_null() || !call["aborted"].is_null();
        if was_cut && self.scenario() == "cancel" {
            if message.stop != Some(Stop::Cancelled) || !text.starts_with(&message.text) {
                self.fail(format!("{:?} is not cancelled", message.text));
            }
        } else if !was_cut && (text.trim() != message.text || message.stop.is_some()) {
            self.fail(format!(
                "text {text:?}, read {:?} {:?}",
                message.text, message.stop
            ));
        }
        let thinking = answer["thinking"].as_str().unwrap_or_default();
        let thoughts: String = message.thoughts.iter().map(|it| it.text.as_str()).collect();
        if thinking != thoughts && !self.is_openai() {
            self.fail(format!("thinking {thinking:?}, read {thoughts:?}"));
        }
        let model = message.model.as_deref();
        let expected = self.truth["model"].as_str().filter(|_| self.release() >= 7);
        if model != expected {
            self.fail(format!("model {model:?}"));
        }
        self.calls(answer, message);
        self.tokens(&answer["usage"], message.tokens);
    }

    fn calls(&mut self, answer: &Value, message: &Message) {
        let asked: Vec<&Value> = items(&answer["calls"]).collect();
        let is_invalid = message.extra.get("stop_reason").is_some();
        if asked.len() != message.tool_calls.len() && !is_invalid {
            self.fail(format!(
                "{} calls, read {}",
                asked.len(),
                message.tool_calls.len()
            ));
        }
        for (asked, call) in asked.iter().zip(&message.tool_calls) {
            let args = call.args.as_ref().map(|raw| raw.text().to_owned());
            let args: Value = serde_json::from_str(&args.unwrap_or_default()).unwrap_or_default();
            if asked["name"] != call.name.as_str() || asked["args"] != args {
                self.fail(format!("call {asked}, read {call:?}"));
            }
            let has_error = call.status == Some(CallStatus::Error);
            if has_error != call.error.is_some() {
                self.fail(format!("error of {call:?}"));
            }
            let expected = match (self.scenario(), call.name.as_str()) {
                ("killed", "run_command") => None,
                // Without background tasks the engine ended before the command.
                ("commands", "run_command") if call.exit_code.is_none() => None,
                // Neither confirmation nor hooks could be refused in between.
                ("denied", _) if self.release() == 8 => Some(CallStatus::Success),
                // Its search tool did not work there.
                ("tools", "grep_search") if self.release() == 4 => Some(CallStatus::Error),
                ("denied", "run_command") | (_, "no_such_tool" | "mcp_echo_echo") => {
                    Some(CallStatus::Error)
                }
                ("toolerrors", "replace_file_content") if self.release() < 20 => {
                    Some(CallStatus::Success)
                }
                ("toolerrors", _) => Some(CallStatus::Error),
                ("artifact" | "weburl", _) if self.release() == 0 => Some(CallStatus::Error),
                ("weburl" | "denied", _) => call.status.clone(),
                _ => Some(CallStatus::Success),
            };
            if call.status != expected {
                self.fail(format!("status of {call:?} should be {expected:?}"));
            }
            let gives = match call.name.as_str() {
                "write_to_file" | "replace_file_content" | "multi_replace_file_content" => {
                    call.display.is_some()
                }
                _ => call.output.is_some(),
            };
            if call.status == Some(CallStatus::Success) && !gives {
                self.fail(format!("no result in {call:?}"));
            }
        }
    }

    fn tokens(&mut self, usage: &Value, tokens: Option<Tokens>) {
        let Some(tokens) = tokens else {
            if usage.is_object() && !(self.is_openai() && self.release() < 22) {
                self.fail(format!("no tokens of {usage}"));
            }
            return;
        };
        let count = |name: &str| usage[name].as_u64().unwrap_or_default();
        let (prompt, cached) = (count("prompt"), count("cached"));
        let exact = (count("answer"), count("thoughts"), cached);
        let is_bounded = (tokens.input..=tokens.input + tokens.uncertain).contains(&prompt);
        let sum = tokens.input + tokens.output + tokens.thoughts;
        if exact != (tokens.output, tokens.thoughts, tokens.cached)
            || !is_bounded
            || sum != tokens.total
            || tokens.uncertain > cached
            || (self.release() >= 14 && !self.is_openai() && tokens.uncertain > 0)
        {
            self.fail(format!("usage {usage}, read {tokens:?}"));
        }
    }

    /// Compares commands with the engine's own report of them.
    fn commands(&mut self, session: &Session, turns: &[&Value]) {
        let calls: Vec<_> = session
            .messages
            .iter()
            .flat_map(|it| &it.tool_calls)
            .collect();
        for report in turns.iter().flat_map(|turn| items(&turn["steps_reported"])) {
            let command = &report["runCommand"];
            let other = report["trajectoryId"].as_str();
            let is_own = other.is_none_or(|id| id == session.id.as_str());
            if command.is_null() || report["state"] != "STATE_DONE" || !is_own {
                continue;
            }
            let line = command["commandLine"].as_str().unwrap_or_default();
            let output = command["combinedOutput"].as_str().unwrap_or_default();
            let code = command["exitCode"].as_i64().unwrap_or_default();
            let is_line = |args: &Value| args["CommandLine"] == line;
            let same = calls.iter().any(|call| {
                let args = call.args.as_ref().map_or("", Raw::text);
                serde_json::from_str(args).is_ok_and(|args: Value| is_line(&args))
                    && (line == "sleep 3; echo late"
                        || call.exit_code == Some(code) && call.output.as_deref() == Some(output))
            });
            if !same {
                self.fail(format!("command {command} was not read"));
            }
        }
    }

    fn whole(&mut self, session: &Session, turns: &[&Value]) {
        let project = &session.project;
        let workspace = self.truth["workspace"].as_str();
        let is_right = match project.path_source {
            PathSource::Workspace => self.release() >= 18 && project.path.as_deref() == workspace,
            PathSource::Directories => self.release() < 18 && project.path.as_deref() == workspace,
            PathSource::None => self.release() < 18 && project.path.is_none(),
            _ => false,
        };
        if !is_right {
            self.fail(format!("project {project:?}"));
        }
        let summaries = with_role(session, Role::Summary).count();
        if (summaries > 0) != (self.scenario() == "compaction") {
            self.fail(format!("{summaries} summaries"));
        }
        let mut calls = turns.iter().flat_map(|turn| items(&turn["model_calls"]));
        let has_agent = calls.any(|call| call["route"] == "subagent") && self.release() >= 19;
        if session.subagents.len() != usize::from(has_agent) {
            self.fail(format!("{} subagents", session.subagents.len()));
        }
        for agent in &session.subagents {
            let asked = with_role(agent, Role::Agent)
                .next()
                .map(|it| it.text.as_str());
            if asked != Some("Count the functions in src/main.py and report.") {
                self.fail(format!("the subagent was asked {asked:?}"));
            }
            let said = with_role(agent, Role::Assistant).last();
            if said.map(|it| it.text.as_str()) != Some("There is one function.") {
                self.fail(format!("the subagent said {said:?}"));
            }
        }
        if self.scenario() == "question" {
            let calls = session.messages.iter().flat_map(|it| &it.tool_calls);
            let outputs: Vec<_> = calls.map(|it| it.output.as_deref()).collect();
            if outputs != [Some("Blue, a dark one")] {
                self.fail(format!("answers {outputs:?}"));
            }
        }
        let sum: Tokens = session.messages.iter().filter_map(|it| it.tokens).sum();
        if sum != session.tokens || session.title.is_none() || session.started.is_none() {
            self.fail(format!("tokens {sum:?}, title {:?}", session.title));
        }
        let json = serde_json::to_string(session).expect("JSON");
        if json.contains("not actually sent by the user")
            || json.contains("toolAction\\\",\\\"type")
        {
            self.fail("the engine's own words are in the document".to_owned());
        }
    }
}

/// True for a command whose line was written before it ended.
fn it_runs_in_background(message: &Message) -> bool {
    let mut calls = message.tool_calls.iter();
    calls.any(|call| call.name == "run_command" && call.status.is_none())
}

fn with_role(session: &Session, role: Role) -> impl Iterator<Item = &Message> {
    session.messages.iter().filter(move |it| it.role == role)
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn texts(value: &Value) -> impl Iterator<Item = &str> {
    items(value).filter_map(Value::as_str)
}
