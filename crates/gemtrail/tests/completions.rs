//! What a shell is told while somebody types.
#![cfg(unix)]

mod support;

use std::fs;
use std::process::Command;

use support::Person;

const ID: &str = "2f1e0a52-0000-4000-8000-000000000001";

/// Somebody with a session whose title has a colour sequence in it.
fn person() -> Person {
    let person = Person::new();
    let journal = format!(
        "{{\"sessionId\":\"{ID}\",\"projectHash\":\"x\",\"startTime\":\"2025-01-01T10:00:00.000Z\",\"lastUpdated\":\"2025-01-01T10:05:00.000Z\",\"kind\":\"main\"}}\n{{\"id\":\"u\",\"timestamp\":\"2025-01-01T10:00:01.000Z\",\"type\":\"user\",\"content\":\"Fix the \\u001b[31mflaky\\u001b[0m\\ttest\"}}\n"
    );
    let dir = ".gemini/tmp/my-app";
    person.write(&format!("{dir}/.project_root"), "/srv/my-app");
    let name = "session-2025-01-01T10-00-2f1e0a52.jsonl";
    person.write(&format!("{dir}/chats/{name}"), &journal);
    let other = ".gemini/tmp/nova-kit";
    person.write(&format!("{other}/.project_root"), "/srv/Nova Kit été");
    person.write(&format!("{other}/chats/.keep"), "");
    person
}

fn ask(person: &Person, words: &[&str]) -> String {
    let ran = person.run(&[&["__complete", "--", "gemtrail"], words].concat());
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{words:?}");
    ran.out
}

#[test]
fn sessions_and_projects() {
    let person = person();
    for how in ["disk", "archive"] {
        let lines = ask(&person, &["show", ""]);
        let expected = "latest\tmy-app  Fix the flaky test\n2f1e0a52\tmy-app  Fix the flaky test\n";
        let words = lines.replace("  ", " ");
        assert_eq!(words, expected.replace("  ", " "), "{how}");
        assert!(!lines.contains('\u{1b}'), "{how}");
        assert!(
            ask(&person, &["restore", "2f"]).starts_with("2f1e0a52\t"),
            "{how}"
        );
        assert_eq!(
            ask(&person, &["list", "--project", "my"]),
            "my-app\t/srv/my-app\n"
        );
        assert_eq!(
            ask(&person, &["list", "--project=my"]),
            "--project=my-app\t/srv/my-app\n"
        );
        assert_eq!(
            ask(&person, &["search", "project:m"]),
            "project:my-app\t/srv/my-app\n"
        );
        // The language has quotes of its own.
        let quoted = "project:\"Nova Kit été\"\t/srv/Nova Kit été\n";
        for typed in ["project:No", "project:\"No", "project:Nova K"] {
            assert_eq!(ask(&person, &["search", typed]), quoted, "{typed}");
        }
        assert_eq!(person.run(&["sync"]).code, Some(0));
    }
    for (typed, project) in [
        ("Nova", "Nova Kit été\t/srv/Nova Kit été\n"),
        ("/srv/m", "/srv/my-app\tmy-app\n"),
    ] {
        assert_eq!(ask(&person, &["list", "-p", typed]), project);
    }
    let home = person.home().join("none");
    let home = home.to_str().expect("text");
    assert_eq!(ask(&person, &["--home", home, "show", ""]), "");
}

#[test]
fn nothing_and_nobody_is_an_error() {
    let person = Person::new();
    person.write(".config/gemtrail/config.toml", "this is = not [ toml");
    for words in [
        &["show", ""][..],
        &["--home"],
        &[],
        &["\u{fffd}", "--x=", "-"],
        &["list", "--project", ""],
    ] {
        ask(&person, words);
    }
    let ran = person.run(&["__complete"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let empty = person.run(&["__complete", "--empty", "--", "gemtrail", "archive"]);
    assert!(empty.out.contains("import\t"), "{}", empty.out);
}

#[test]
fn the_scripts_are_scripts() {
    let person = person();
    for (shell, check) in [
        ("bash", &["bash", "-n"][..]),
        ("zsh", &["zsh", "-n"]),
        ("fish", &["fish", "--no-execute"]),
    ] {
        let script = person.run(&["completions", shell]).out;
        assert!(script.contains("gemtrail __complete"), "{shell}");
        let path = person.write(&format!("script.{shell}"), &script);
        let ran = Command::new(check[0]).args(&check[1..]).arg(&path).output();
        // Not every shell is on every machine.
        if let Ok(ran) = ran {
            assert!(ran.status.success(), "{shell}: {ran:?}");
        }
    }
    for shell in ["powershell", "elvish"] {
        assert!(
            person.run(&["completions", shell]).out.contains("gemtrail"),
            "{shell}"
        );
    }
}

#[test]
fn bash_completes_a_session() {
    let person = person();
    let script = person.run(&["completions", "bash"]).out;
    let path = person.write("script.bash", &script);
    let bin = person.home().join("bin");
    fs::create_dir_all(&bin).expect("it can be made");
    let program = env!("CARGO_BIN_EXE_gemtrail");
    std::os::unix::fs::symlink(program, bin.join("gemtrail")).expect("a link");
    let asks = [
        "gemtrail show 2f",
        "gemtrail export --format=ht",
        "gemtrail list -p Nova\\ K",
        "gemtrail list -p \"Nova K",
        "gemtrail list -p '\\''Nova",
        "gemtrail search project:Nova",
    ]
    .map(|line| {
        format!("COMP_LINE='{line}'; COMP_POINT=${{#COMP_LINE}}; _gemtrail; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
    });
    // As an interactive bash has it.
    let breaks = "COMP_WORDBREAKS=$' \\t\\n\"\\'><=;|&(:'";
    let test = format!("source {}; {breaks}\n{}", path.display(), asks.join("\n"));
    let path = format!("{}:/usr/bin:/bin", bin.display());
    let ran = Command::new("bash")
        .args(["--norc", "-c", &test])
        .env_clear()
        .env("HOME", person.home())
        .env("PATH", path)
        .output();
    let Ok(ran) = ran else {
        return;
    };
    assert_eq!(
        String::from_utf8_lossy(&ran.stdout),
        "2f1e0a52\nhtml\nNova\\ Kit\\ été\nNova Kit été\nNova Kit été\n\\\"Nova\\ Kit\\ été\\\"\n",
        "{ran:?}"
    );
}
