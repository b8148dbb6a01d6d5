//! `sync --watch` keeps the archive up to date, whatever becomes of the home.
#![cfg(unix)]

mod support;

use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use support::Person;

const PATIENCE: Duration = Duration::from_secs(60);

/// A run of `sync --watch`, and the lines that it prints.
struct Watching {
    child: Child,
    lines: Receiver<String>,
}

impl Watching {
    fn start(person: &Person, more: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_gemtrail"))
            .args(["sync", "--watch", "--json"])
            .args(more)
            .env_clear()
            .env("HOME", person.home())
            .env("GEMTRAIL_SYSTEM_CONFIG", person.write("system.toml", ""))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        let (sender, lines) = channel();
        let streams: [Box<dyn BufRead + Send>; 2] = [
            Box::new(BufReader::new(child.stdout.take().expect("piped"))),
            Box::new(BufReader::new(child.stderr.take().expect("piped"))),
        ];
        for stream in streams {
            let sender = sender.clone();
            std::thread::spawn(move || {
                for line in stream.lines().map_while(Result::ok) {
                    let _ = sender.send(line);
                }
            });
        }
        let watching = Self { child, lines };
        watching.until("Watching ");
        watching
    }

    /// Waits for a line that contains this.
    fn until(&self, wanted: &str) -> String {
        loop {
            let line = self.lines.recv_timeout(PATIENCE).expect(wanted);
            if line.contains(wanted) {
                return line;
            }
        }
    }

    fn end(mut self) -> Option<i32> {
        let id = self.child.id().to_string();
        let killed = Command::new("kill").args(["-TERM", &id]).status();
        assert!(killed.expect("kill runs").success());
        self.child.wait().expect("it ends").code()
    }
}

const CHATS: &str = ".gemini/tmp/app/chats";

fn write_session(person: &Person, id: &str, prompts: &[&str]) {
    let mut journal = format!(
        "{{\"sessionId\":\"{id}\",\"projectHash\":\"x\",\"startTime\":\"2026-06-01T10:00:00.000Z\",\"lastUpdated\":\"2026-06-01T10:00:00.000Z\",\"kind\":\"main\"}}\n"
    );
    for (at, prompt) in prompts.iter().enumerate() {
        let _ = writeln!(
            journal,
            "{{\"id\":\"m{at}\",\"timestamp\":\"2026-06-01T10:00:0{at}.000Z\",\"type\":\"user\",\"content\":[{{\"text\":\"{prompt}\"}}]}}"
        );
    }
    let name = format!("{CHATS}/session-2026-06-01T10-00-{}.jsonl", &id[..8]);
    person.write(&name, &journal);
}

fn shown(person: &Person, id: &str) -> String {
    let ran = person.run(&["show", id, "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    ran.out
}

#[test]
fn a_home_that_comes_and_goes_is_kept() {
    let person = Person::new();
    let watching = Watching::start(&person, &[]);
    write_session(&person, "11112222-a", &["first words"]);
    watching.until("\"sessions_added\":1");
    write_session(&person, "11112222-a", &["first words", "second words"]);
    watching.until("\"sessions_changed\":1");
    // A rewind of old releases: the file is shorter than it was.
    write_session(&person, "11112222-a", &["first words"]);
    watching.until("\"sessions_changed\":1");
    std::fs::remove_dir_all(person.home().join(".gemini")).unwrap();
    let kept = shown(&person, "11112222-a");
    assert!(kept.contains("first words") && kept.contains("second words"));
    write_session(&person, "33334444-a", &["after the return"]);
    watching.until("\"sessions_added\":1");
    assert_eq!(watching.end(), Some(0), "it ends well");
    assert!(shown(&person, "33334444-a").contains("after the return"));
}

#[test]
fn it_can_look_without_being_told() {
    let person = Person::new();
    let watching = Watching::start(&person, &["--poll", "0.2"]);
    write_session(&person, "55556666-a", &["unannounced"]);
    watching.until("\"sessions_added\":1");
    assert_eq!(watching.end(), Some(0));
}

#[test]
fn one_watcher_is_enough_and_others_can_write_meanwhile() {
    let person = Person::new();
    let watching = Watching::start(&person, &[]);
    let second = person.run(&["sync", "--watch"]);
    assert_eq!(second.code, Some(2));
    assert!(
        second.err.contains("is already running for this archive"),
        "{}",
        second.err
    );
    assert!(
        second.err.contains("it holds the lock /")
            && second.err.ends_with("archive.db.watch.lock\n"),
        "{}",
        second.err
    );
    assert_eq!(person.run(&["sync"]).code, Some(0));
    assert_eq!(watching.end(), Some(0));
    let bad = person.run(&["sync", "--poll", "1"]);
    assert_eq!(bad.code, Some(2), "only with --watch");
}
