//! The configuration as people meet it.

mod support;

use support::Person;

const FILE: &str = ".config/gemtrail/config.toml";

fn setting(out: &str, key: &str) -> serde_json::Value {
    let document: serde_json::Value = serde_json::from_str(out).expect("a document");
    assert_eq!(document["schema"], "gemtrail.config/1");
    let settings = document["settings"].as_array().expect("a list");
    let found = settings.iter().find(|setting| setting["key"] == key);
    found.expect("every key is there").clone()
}

#[test]
fn every_value_says_where_it_came_from() {
    let person = Person::new();
    let system = person.write("etc.toml", "utc = true\npager = 'more'\ncolor = 'never'\n");
    let user = person.write(FILE, "# mine\ncolor = \"always\"\n[scan]\ndepth = 2\n");
    let variables = [
        ("GEMTRAIL_SYSTEM_CONFIG", system.to_str().unwrap()),
        ("GEMTRAIL_PAGER", "most"),
    ];
    let ran = person.run_in(
        &person.home(),
        &["config", "show", "--json", "--home", "/x"],
        &variables,
    );
    let of = |key: &str| {
        let setting = setting(&ran.out, key);
        let text = |field: &str| setting[field].as_str().unwrap_or("–").to_owned();
        (
            setting["value"].to_string(),
            text("source"),
            text("name"),
            setting["line"].as_u64(),
        )
    };
    let file = |value: &str, file: &std::path::Path, line| {
        let file = file.to_str().unwrap().to_owned();
        (value.to_owned(), "file".to_owned(), file, Some(line))
    };
    let plain = |value: &str, source: &str, name: &str| {
        (value.to_owned(), source.to_owned(), name.to_owned(), None)
    };
    assert_eq!(of("utc"), file("true", &system, 1));
    assert_eq!(of("color"), file("\"always\"", &user, 2));
    assert_eq!(of("scan.depth"), file("2", &user, 4));
    assert_eq!(
        of("pager"),
        plain("\"most\"", "environment", "GEMTRAIL_PAGER")
    );
    assert_eq!(of("homes"), plain("[\"/x\"]", "option", "--home"));
    assert_eq!(of("scan.dirs").1, "default");
}

#[test]
fn paths_are_never_cut() {
    let person = Person::new();
    let name = "a-long-name-of-a-directory/".repeat(8);
    let archive = format!("/srv/{name}archive.db");
    let homes = [format!("/mnt/{name}one"), format!("/mnt/{name}two")];
    let arguments = ["config", "show", "--home", &homes[0], "--home", &homes[1]];
    let variables = [("GEMTRAIL_ARCHIVE", archive.as_str()), ("COLUMNS", "80")];
    let ran = person.run_in(&person.home(), &arguments, &variables);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(!ran.out.contains('…'), "{}", ran.out);
    let line = |key: &str| {
        let mut lines = ran.out.lines();
        lines.find(|line| line.starts_with(key)).expect("every key")
    };
    assert!(line("archive.path").contains(&format!(" {archive}  GEMTRAIL_ARCHIVE")));
    assert!(line("homes").contains(&homes.join(", ")), "{}", ran.out);
    // The others stand in columns as before.
    let column = |key: &str| line(key).find("default");
    assert_eq!(column("color"), column("signals.retry_uses"));
}

#[test]
fn the_values_are_in_force() {
    let person = Person::new();
    person.project("app");
    let home = person.home().join(".gemini");
    std::fs::rename(&home, person.home().join("moved")).unwrap();
    assert_eq!(person.run(&["list"]).code, Some(1));
    person.write(
        FILE,
        "homes = [\"~/moved\", \"/not/there\"]\ncolor = \"always\"\n",
    );
    let ran = person.run(&["list"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains("\u{1b}["), "{}", ran.out);
    let plain = person.run_in(&person.home(), &["list"], &[("NO_COLOR", "1")]);
    assert!(!plain.out.contains('\u{1b}'), "{}", plain.out);
}

#[test]
fn a_key_that_means_nothing_is_reported() {
    let person = Person::new();
    let file = person.write(FILE, "\ncolour = \"never\"\n");
    let ran = person.run(&["config", "show"]);
    assert_eq!(ran.code, Some(0));
    let expected = format!(
        "warning: unknown key `colour` in {}, line 2; did you mean `color`?\n",
        file.display()
    );
    assert_eq!(ran.err, expected);
    assert!(ran.out.contains("~/.config/gemtrail/config.toml (read)"));
    assert_eq!(person.run(&["config", "show", "--quiet"]).err, "");
    person.write(FILE, "[archive]\nfoo = 1\n");
    let ran = person.run(&["config", "show"]);
    assert!(ran.err.contains("did you mean `archive."), "{}", ran.err);
}

#[test]
fn a_mistake_is_an_error_with_its_line() {
    let person = Person::new();
    person.write(FILE, "utc = true\npager = 7\n");
    let ran = person.run(&["list", "--json"]);
    assert_eq!(ran.code, Some(2));
    let error: serde_json::Value = serde_json::from_str(&ran.err).expect("one line of JSON");
    assert_eq!(error["code"], "bad-config");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("line 2: `pager` takes"), "{message}");
    let variables = [("GEMTRAIL_CONFIG", "/not/there.toml")];
    let missing = person.run_in(&person.home(), &["list"], &variables);
    assert_eq!(missing.code, Some(2), "a file that was named must exist");
}

#[test]
fn thresholds_of_signals_are_in_force_and_shown() {
    let person = Person::new();
    person.project("app");
    let file = person.write(
        FILE,
        "[signals]\nstall_seconds = 7\nretry_similarity = 0.5\n",
    );
    let ran = person.run(&["signals", "--json"]);
    let document: serde_json::Value = serde_json::from_str(&ran.out).expect("a document");
    assert_eq!(document["thresholds"]["stall_seconds"], 7);
    assert_eq!(document["thresholds"]["retry_similarity"], 0.5);
    assert_eq!(document["thresholds"]["retry_uses"], 3);

    let ran = person.run(&["config", "show", "--json"]);
    let stall = setting(&ran.out, "signals.stall_seconds");
    assert_eq!(stall["value"], 7);
    assert_eq!(stall["name"], file.to_str().unwrap());
    assert_eq!(stall["line"], 2);
    assert_eq!(setting(&ran.out, "signals.retry_uses")["value"], 3);
    assert_eq!(setting(&ran.out, "signals.retry_uses")["source"], "default");

    person.write(FILE, "[signals]\nstal_seconds = 7\n");
    let ran = person.run(&["config", "show"]);
    assert!(
        ran.err.contains("did you mean `signals.stall_seconds`?"),
        "{}",
        ran.err
    );
}

const RULE: &str = "[[redaction.rules]]\nid = 'badge'\nkeywords = ['badge-']\n";

#[test]
fn rules_of_ones_own_keep_secrets_in() {
    let person = Person::new();
    person.project("BADGE-1234");
    let export = |target: &str| {
        let ran = person.run(&["export", "latest", "-o", target]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        std::fs::read_to_string(person.home().join(target)).expect("the file")
    };
    assert!(export("before.md").contains("about BADGE-1234"));
    let rule =
        format!("{RULE}regex = 'BADGE-\\d+'\nexample = 'BADGE-1'\ncounterexample = 'badge-x'\n");
    let file = person.write(FILE, &rule);
    let redacted = export("after.md");
    assert!(redacted.contains("about [redacted:badge:1]"), "{redacted}");
    assert!(!redacted.contains("1234"), "{redacted}");

    // The rules of the system's file count besides those of the person.
    let more = RULE.replace("badge", "word") + "regex = 'about'\n";
    let system = person.write("etc.toml", &more.replace("keywords = ['word-']\n", ""));
    let variables = [("GEMTRAIL_SYSTEM_CONFIG", system.to_str().unwrap())];
    let ran = person.run_in(
        &person.home(),
        &["export", "latest", "--redact"],
        &variables,
    );
    assert!(
        ran.out.contains("[redacted:word:1] [redacted:badge:1]"),
        "{}",
        ran.out
    );

    let ran = person.run(&["config", "show", "--json"]);
    let rules = setting(&ran.out, "redaction.rules");
    assert_eq!(rules["value"][0]["id"], "badge");
    assert_eq!(rules["value"][0]["file"], file.to_str().unwrap());
    assert_eq!(rules["value"][0].get("example"), None);
    assert!(
        person
            .run(&["config", "show"])
            .out
            .contains("redaction.rules              badge")
    );
}

#[test]
fn a_rule_that_does_not_work_is_named_and_nothing_is_written() {
    let person = Person::new();
    person.project("app");
    let refused = |rest: &str, wanted: &str| {
        let file = person.write(FILE, &format!("\n{RULE}{rest}"));
        for arguments in [&["export", "latest", "-o", "x.md"][..], &["config", "show"]] {
            let ran = person.run(arguments);
            assert_eq!(ran.code, Some(2), "{ran:?}");
            let place = format!("{}, line 2: ", file.display());
            assert!(ran.err.contains(&place), "{}", ran.err);
            assert!(
                ran.err.contains("`badge`") && ran.err.contains(wanted),
                "{}",
                ran.err
            );
            assert!(!ran.err.contains("BADGE-hidden"), "{}", ran.err);
        }
        assert!(!person.home().join("x.md").exists());
        assert_eq!(
            person.run(&["list"]).code,
            Some(0),
            "other commands do not need it"
        );
    };
    refused("regex = '('\n", "unclosed group");
    refused(
        "regex = '\\d{4}'\nexample = 'BADGE-hidden'\n",
        "does not match its example",
    );
    refused(
        "regex = '.*'\ncounterexample = 'BADGE-hidden'\n",
        "matches its counterexample",
    );
    person.write(FILE, &format!("{RULE}regexp = 'x'\nregex = 'y'\n"));
    let ran = person.run(&["config", "show"]);
    assert!(
        ran.err.contains("did you mean `redaction.rules.regex`?"),
        "{}",
        ran.err
    );
}

#[test]
fn paths_for_scripts() {
    let person = Person::new();
    let path = |what: &str| {
        let ran = person.run(&["config", "path", what]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        ran.out.trim_end().to_owned()
    };
    assert_eq!(
        person.run(&["config", "path"]).out.trim_end(),
        path("config")
    );
    for what in ["config", "archive", "data", "cache"] {
        assert!(
            path(what).starts_with(person.home().to_str().expect("text")),
            "{what}"
        );
    }
    assert!(path("config").ends_with("config.toml"));
    assert!(path("archive").ends_with("archive.db"));
}

#[cfg(unix)]
#[test]
fn editing_makes_the_file_and_checks_it() {
    let person = Person::new();
    let edit =
        |editor: &str| person.run_in(&person.home(), &["config", "edit"], &[("EDITOR", editor)]);
    let ran = edit("/bin/true");
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let path = person.run(&["config", "path"]).out;
    let text = std::fs::read_to_string(path.trim_end()).expect("it was made");
    assert!(text.starts_with("# The configuration"), "{text}");
    assert_eq!(
        person.run(&["config", "show"]).code,
        Some(0),
        "the template is valid"
    );
    assert_eq!(edit("/bin/false").code, Some(2));
    person.write("break", "#!/bin/sh\necho 'not [ toml' > \"$1\"\n");
    let script = person.home().join("break");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&script, mode).expect("it is ours");
    let ran = edit(script.to_str().expect("text"));
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    // A broken file must not keep anybody from mending it.
    let mended = person.run_in(&person.home(), &["config", "path"], &[]);
    assert_eq!(mended.code, Some(0), "{}", mended.err);
}
