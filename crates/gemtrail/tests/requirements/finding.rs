//! Where sessions are found, and under which names.

use gemtrail_testkit::truth::hash_of;
use serde_json::Value;

use crate::support::{Person, Ran};

const STEM: &str = "session-2026-06-01T10-00-2f1e0a52";
const ID: &str = "2f1e0a52-0000-4000-8000-000000000001";

/// A session of a project in a directory that holds project directories.
fn plant(person: &Person, tmp: &str, project: &str, prompt: &str) {
    let hash = hash_of(project);
    let record = serde_json::json!({
        "sessionId": ID, "projectHash": hash, "startTime": "2026-06-01T10:00:00.000Z",
        "lastUpdated": "2026-06-01T10:05:00.000Z",
        "messages": [{"id": prompt, "timestamp": "2026-06-01T10:00:01.000Z", "type": "user", "content": prompt}],
    });
    person.write(
        &format!("{tmp}/{hash}/chats/{STEM}.json"),
        &record.to_string(),
    );
}

fn rows(ran: &Ran) -> Vec<Value> {
    let lines = ran.out.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("a row"))
        .collect()
}

/// The first prompts of all listed sessions.
fn prompts(ran: &Ran) -> Vec<String> {
    let prompt = |row: &Value| row["first_prompt"].as_str().unwrap_or_default().to_owned();
    rows(ran).iter().map(prompt).collect()
}

#[test]
fn s001_1_s004_1_sessions_of_all_projects_below_a_home() {
    let person = Person::new();
    plant(&person, ".gemini/tmp", "/srv/one", "first");
    plant(&person, ".gemini/tmp", "/srv/two", "second");
    let mut found = prompts(&person.run(&["list", "--json"]));
    found.sort();
    assert_eq!(found, ["first", "second"]);
}

#[test]
fn s001_2_s004_2_c_7_the_first_place_that_is_set() {
    let person = Person::new();
    for (tmp, prompt) in [
        (".gemini/tmp", "usual"),
        ("cli/.gemini/tmp", "with .gemini"),
        ("bare/tmp", "without .gemini"),
        ("sessions", "sessions directory"),
        ("option/.gemini/tmp", "option"),
    ] {
        plant(&person, tmp, "/srv/one", prompt);
    }
    let path = |name: &str| person.home().join(name).to_string_lossy().into_owned();
    let (cli, bare, sessions, option) =
        (path("cli"), path("bare"), path("sessions"), path("option"));
    let found = |arguments: &[&str], variables: &[(&str, &str)]| {
        let arguments = [arguments, &["list", "--json"]].concat();
        prompts(&person.run_in(&person.home(), &arguments, variables))
    };
    let (cli_home, sessions_dir) = ("GEMINI_CLI_HOME", "GEMINI_SESSIONS_DIR");
    assert_eq!(found(&[], &[]), ["usual"]);
    assert_eq!(found(&[], &[(cli_home, &cli)]), ["with .gemini"]);
    assert_eq!(found(&[], &[(cli_home, &bare)]), ["without .gemini"]);
    let both = [(cli_home, cli.as_str()), (sessions_dir, sessions.as_str())];
    assert_eq!(found(&[], &both), ["sessions directory"]);
    assert_eq!(found(&["--home", &option], &both), ["option"]);
}

#[test]
fn s001_3_the_hash_of_a_root_path() {
    assert_eq!(
        gemtrail_core::project_hash("/home/dana/widget"),
        "a5b880c3e15facb6296e24dfef84889ae9bb1a0a2eb4319918b5df010110abfe"
    );
}

#[test]
fn s001_4_c_2_a_session_by_the_parts_of_its_file_name() {
    let person = Person::new();
    plant(&person, ".gemini/tmp", "/srv/one", "first");
    let path = format!(".gemini/tmp/{}/chats/{STEM}.json", hash_of("/srv/one"));
    for name in [STEM, &format!("{STEM}.json"), "2f1e0a52", ID, &path] {
        let ran = person.run(&["show", name, "--json"]);
        let session: Value = serde_json::from_str(&ran.out).expect(name);
        assert_eq!(
            (session["id"].as_str(), session["stems"][0].as_str()),
            (Some(ID), Some(STEM))
        );
    }
    let target = person.home().join("out");
    person.run(&[
        "export",
        ID,
        "--format",
        "json",
        "-o",
        &format!("{}/", target.display()),
    ]);
    assert!(
        target.join(format!("{STEM}.json")).exists(),
        "exports bear the same name"
    );
}

#[test]
fn s001_5_s001_6_c_18_a_part_of_a_name_is_searched_for_in_the_development_directories() {
    let person = Person::new();
    let root = person.project("dev/team/area/My-App");
    // No sessions, so no project, however well the name fits.
    std::fs::create_dir_all(person.home().join("dev/my-app-docs")).expect("a directory");
    let ran = person.run(&["list", "--project", "my-app", "--json"]);
    let found = rows(&ran);
    assert_eq!(found.len(), 1, "{ran:?}");
    assert_eq!(found[0]["project"]["path"], root.to_str().expect("text"));
    assert_eq!(found[0]["project"]["path_source"], "hash");
}

#[test]
fn c_18_how_deep_a_search_goes_can_be_set() {
    let person = Person::new();
    person.project("dev/a/b/c/d/deep-app");
    let search = || person.run(&["list", "--project", "deep-app", "--json"]);
    assert_eq!(search().code, Some(1), "too deep for the usual search");
    person.write(".config/gemtrail/config.toml", "[scan]\ndepth = 6\n");
    assert_eq!(search().code, Some(0));
}

#[test]
fn s001_7_c_19_paths_in_tool_calls_prove_the_root() {
    let person = Person::new();
    let root = "/opt/work/shop";
    let call = |id: &str, path: &str| serde_json::json!({"id": id, "name": "read_file", "args": {"file_path": path}, "status": "success"});
    let session = |root: &str, paths: &[&str]| {
        let calls: Vec<Value> = paths.iter().map(|path| call(path, path)).collect();
        let hash = hash_of(root);
        let record = serde_json::json!({
            "sessionId": hash[..8], "projectHash": hash, "startTime": "2026-06-01T10:00:00.000Z",
            "messages": [{"id": "m", "type": "gemini", "content": "ok", "toolCalls": calls}],
        });
        person.write(
            &format!(
                ".gemini/tmp/{hash}/chats/session-2026-06-01T10-00-{}.json",
                &hash[..8]
            ),
            &record.to_string(),
        );
    };
    session(
        root,
        &[
            "src/relative.rs",
            "/elsewhere/x.rs",
            "/opt/work/shop/src/deep/cart.rs",
        ],
    );
    session("/opt/unknown", &["/opt/work/shop/src/cart.rs", "src/a.rs"]);
    let found = rows(&person.run(&["projects", "--json"]));
    let by_hash = |root: &str| {
        let hash = hash_of(root);
        found
            .iter()
            .find(|row| row["hash"] == hash.as_str())
            .expect("the project")
            .clone()
    };
    assert_eq!(by_hash(root)["path"], root);
    assert_eq!(by_hash(root)["path_source"], "hash");
    assert_eq!(
        by_hash("/opt/unknown")["path"],
        Value::Null,
        "what is not proven is not said"
    );
}

#[test]
fn s001_8_all_projects_that_a_name_fits_and_where_was_searched() {
    let person = Person::new();
    person.project("dev/shop-api");
    person.project("dev/shop-web");
    person.project("dev/other");
    person.run(&["projects", "--scan"]);
    let ran = person.run(&["list", "--project", "shop", "--json"]);
    let mut names: Vec<String> = rows(&ran)
        .iter()
        .map(|row| row["project"]["path"].as_str().expect("a path").to_owned())
        .collect();
    names.sort();
    assert_eq!(names.len(), 2, "{ran:?}");
    assert!(names[0].ends_with("shop-api") && names[1].ends_with("shop-web"));
    let shown = person.run(&["list", "--project", "shop"]).out;
    assert!(
        shown.contains("shop-api") && shown.contains("shop-web"),
        "{shown}"
    );

    // As long as all roots are known there is nothing to search for.
    let gone = person.project("gone/app");
    std::fs::remove_dir_all(gone).expect("it can be removed");
    let ran = person.run(&["list", "--project", "nowhere-to-be-found"]);
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.err.contains("~/dev") && ran.err.contains(".gemini"),
        "{}",
        ran.err
    );
}

#[test]
fn s003_1_s004_3_c_20_only_session_files_are_sessions_and_the_others_are_read_when_named() {
    let person = Person::new();
    plant(&person, ".gemini/tmp", "/srv/one", "first");
    let project = format!(".gemini/tmp/{}", hash_of("/srv/one"));
    let contents = r#"[{"role":"user","parts":[{"text":"from a checkpoint"}]}]"#;
    for name in [
        "checkpoint-tag.json",
        "checkpoints/tag.json",
        "chats/checkpoint-tag.json",
    ] {
        person.write(&format!("{project}/{name}"), contents);
    }
    person.write(&format!("{project}/shell_history"), "ls\n");
    person.write(&format!("{project}/chats/notes.json"), contents);
    person.write(".gemini/settings.json", r#"{"general":{}}"#);
    person.write(".gemini/GEMINI.md", "# memory\n");
    person.write(&format!("{project}/GEMINI.md"), "# memory\n");
    let logged = format!(
        r#"[{{"sessionId":"{ID}","messageId":0,"type":"user","message":"first","timestamp":"2026-06-01T10:00:01.000Z"}}]"#
    );
    person.write(&format!("{project}/logs.json"), &logged);
    assert_eq!(
        prompts(&person.run(&["list", "--all", "--kind", "all", "--json"])),
        ["first"]
    );
    for name in [
        "checkpoint-tag.json",
        "checkpoints/tag.json",
        "chats/checkpoint-tag.json",
    ] {
        let file = person.home().join(&project).join(name);
        let ran = person.run(&["convert", file.to_str().expect("text"), "--to", "chat"]);
        assert!(ran.out.contains("from a checkpoint"), "{name}: {ran:?}");
    }
}

#[test]
fn s004_15_a_root_path_is_learned_in_three_ways_and_remembered() {
    let path_of = |person: &Person, arguments: &[&str]| {
        let ran = person.run_in(&person.home().join("elsewhere"), arguments, &[]);
        rows(&ran)[0]["path"].as_str().map(str::to_owned)
    };
    let ask = ["projects", "--json"];
    for teach in ["being there", "a scan", "a word"] {
        let person = Person::new();
        let root = person.project("dev/group/my-app");
        person.write("dev/group/my-app/GEMINI.md", "# memory\n");
        std::fs::create_dir_all(person.home().join("elsewhere")).expect("a directory");
        let root = root.to_str().expect("text").to_owned();
        assert_eq!(path_of(&person, &ask), None, "nothing tells it yet");
        let ran = match teach {
            "being there" => person.run_in(root.as_ref(), &["list"], &[]),
            "a scan" => person.run(&["projects", "--scan"]),
            _ => person.run(&["projects", "add", &root]),
        };
        assert_eq!(ran.code, Some(0), "{teach}: {ran:?}");
        std::fs::remove_dir_all(&root).expect("it can be removed");
        assert_eq!(path_of(&person, &ask), Some(root), "{teach}");
    }
}
