//! `setup` as a person and a script call it.

mod support;

use std::process::Command;
use std::time::{Duration, Instant};

use gemtrail_testkit::made;
use support::Person;

/// How long a sync in the background may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn nothing_is_written_when_nobody_can_be_asked() {
    let person = Person::new();
    person.project("shop");
    let ran = person.run(&["setup"]).expect(2);
    assert!(ran.err.contains("--yes"), "{}", ran.err);
    assert!(
        ran.out.contains("gemini-extension.json"),
        "it is shown: {}",
        ran.out
    );
    person.run(&["setup", "--dry-run"]).expect(0);
    assert!(!person.home().join(".gemini/extensions").exists());
}

#[test]
fn run_twice_it_changes_nothing_and_removal_leaves_nothing() {
    let person = Person::new();
    person.project("shop");
    let settings = person.write(".gemini/settings.json", "{ // mine\n  \"ui\": {}\n}");
    let parts = "extension,policy,service,retention";
    person.run(&["setup", "--yes", "--only", parts]).expect(0);
    let edited = std::fs::read_to_string(&settings).expect("it is there");
    assert!(edited.contains("\"enabled\": false"), "{edited}");
    let again = person.run(&["setup", "--yes", "--only", parts]).expect(0);
    assert!(
        again.out.contains("Everything is in place."),
        "{}",
        again.out
    );
    person.run(&["setup", "--remove"]).expect(0);
    let back = std::fs::read_to_string(&settings).expect("it is there");
    assert_eq!(back, "{ // mine\n  \"ui\": {}\n}");
    for gone in [".gemini/extensions", ".gemini/policies", ".config"] {
        assert!(!person.home().join(gone).exists(), "{gone}");
    }
}

/// What Gemini CLI runs when a session ends.
#[cfg(unix)]
#[test]
fn the_hook_takes_a_session_in_without_a_word() {
    let person = Person::new();
    person.project("shop");
    person
        .run(&["setup", "--yes", "--only", "extension"])
        .expect(0);
    person.write(
        &made::chat("99aa3e0c.jsonl"),
        &made::lines("99aa3e0c-a", &[("u1", "hello")]),
    );
    let hooks = person
        .home()
        .join(".gemini/extensions/gemtrail/hooks/hooks.json");
    let hooks = std::fs::read_to_string(hooks).expect("it is there");
    let hooks: serde_json::Value = serde_json::from_str(&hooks).expect("it is JSON");
    let command = hooks["hooks"]["SessionEnd"][0]["hooks"][0]["command"].as_str();
    let ended = Command::new("sh")
        .args(["-c", command.expect("a command")])
        .env_clear()
        .env("HOME", person.home())
        .output()
        .expect("it runs");
    assert!(
        ended.status.success() && ended.stdout.is_empty() && ended.stderr.is_empty(),
        "{ended:?}"
    );
    let start = Instant::now();
    let is_archived = || {
        let rows = person.run(&["list", "--json", "--no-sync"]).out;
        let rows = rows
            .lines()
            .map(|row| serde_json::from_str::<serde_json::Value>(row).expect("a row"));
        rows.into_iter()
            .any(|row| row["id"] == "99aa3e0c-a" && row["archived"] == true)
    };
    while !is_archived() {
        assert!(
            start.elapsed() < PATIENCE,
            "the session is not in the archive"
        );
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// zsh does not look where the script goes.
#[test]
fn zsh_needs_a_line_of_its_own() {
    let person = Person::new();
    person.project("shop");
    let plan = person
        .run(&["setup", "-v", "--dry-run", "--only", "completions"])
        .expect(0)
        .out;
    let line = plan.lines().find(|it| it.contains("_gemtrail"));
    let line = line.expect("a script for zsh");
    assert!(
        line.contains("fpath+=(~/.local/share/zsh/site-functions)"),
        "{line}"
    );
    assert_eq!(
        plan.matches("fpath").count(),
        1,
        "in that line only: {plan}"
    );
}

/// What is installed is what the commands print.
#[cfg(target_os = "linux")]
#[test]
fn scripts_and_pages_are_those_of_the_commands() {
    let person = Person::new();
    person.project("shop");
    person
        .run(&["setup", "--yes", "--only", "completions,man"])
        .expect(0);
    let read = |path: &str| {
        let path = person.home().join(path);
        std::fs::read_to_string(path).expect("it is installed")
    };
    for (shell, path) in [
        ("bash", ".local/share/bash-completion/completions/gemtrail"),
        ("zsh", ".local/share/zsh/site-functions/_gemtrail"),
        ("fish", ".config/fish/completions/gemtrail.fish"),
    ] {
        let printed = person.run(&["completions", shell]).expect(0).out;
        assert!(printed.contains("__complete"), "it knows sessions");
        assert_eq!(read(path), printed, "{shell}");
    }
    let page = person.run(&["man"]).expect(0).out;
    assert_eq!(read(".local/share/man/man1/gemtrail.1"), page);
    assert!(read(".local/share/man/man1/gemtrail-archive-info.1").contains(".SH EXAMPLES"));
}
