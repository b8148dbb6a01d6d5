//! How root paths that stand nowhere are learned: by being there, by being told, by looking around.

mod support;

use support::Person;

fn path_of(person: &Person) -> String {
    let ran = person.run(&["projects", "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let row: serde_json::Value = serde_json::from_str(&ran.out).expect("one line");
    assert_eq!(row["schema"], "gemtrail.projects/1");
    row["path"].as_str().unwrap_or("none").to_owned()
}

#[test]
fn being_there_teaches_for_good() {
    let person = Person::new();
    let root = person.project("secret/place/app");
    assert_eq!(path_of(&person), "none");
    let inside = root.join("src");
    std::fs::create_dir(&inside).unwrap();
    let ran = person.run_in(&inside, &["list", "--json"], &[]);
    assert!(ran.out.contains("\"path_source\":\"hash\""), "{}", ran.out);
    assert_eq!(path_of(&person), root.to_str().unwrap());
}

#[test]
fn nothing_is_learned_where_nothing_is_missing() {
    let person = Person::new();
    let root = person.project("app");
    let dir = person.home().join(".local");
    person.run(&["list"]);
    assert!(!dir.exists(), "the directory proved nothing");
    person.run_in(&root, &["list"], &[]);
    assert!(dir.exists());
}

#[test]
fn telling_says_what_it_did() {
    let person = Person::new();
    person.project("one");
    person.project("two");
    let ran = person.run(&["projects", "add", "one", "~/three", "./two/"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(
        ran.out,
        "added          ~/one\nno sessions    ~/three\nadded          ~/two\n"
    );
    let again = person.run(&["projects", "add", "one", "--json"]);
    assert!(again.out.contains("\"outcome\":\"known\""), "{}", again.out);
    let table = person.run(&["projects"]).out;
    assert!(
        table.contains("/one\t") && table.contains("/two\t"),
        "{table}"
    );
    assert!(table.contains("hash"), "{table}");
}

#[test]
fn a_directory_without_hash_is_told_by_its_name() {
    let person = Person::new();
    person.write(
        ".gemini/tmp/my-app/logs.json",
        r#"[{"sessionId":"s","messageId":0,"type":"user","message":"hi","timestamp":"2026-06-01T10:00:00.000Z"}]"#,
    );
    let ran = person.run(&["projects", "add", "/gone/My App"]);
    assert_eq!(ran.out, "added          /gone/My App\n", "{}", ran.err);
    let row = person.run(&["projects", "--json"]).out;
    assert!(row.contains("\"path_source\":\"mapping\""), "{row}");
}

#[test]
fn looking_around_is_remembered() {
    let person = Person::new();
    let root = person.project("dev/team/app");
    person.project(".hidden/x");
    let ran = person.run(&["projects", "--scan"]);
    assert!(ran.err.starts_with("1 root path found in "), "{}", ran.err);
    assert!(ran.out.contains("/dev/team/app\thash\t"), "{}", ran.out);
    std::fs::remove_dir_all(root).unwrap();
    let later = person.run(&["projects"]).out;
    assert!(later.contains("/dev/team/app\thash\t"), "{later}");
    assert!(later.contains("\t–\t"), "one is still unknown: {later}");
}

#[test]
fn a_name_that_no_project_has_is_looked_for() {
    let person = Person::new();
    person.project("src/website");
    person.project("src/websocket");
    let ran = person.run(&["list", "--project", "webs"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(ran.out.lines().count(), 2, "{}", ran.out);
    assert!(ran.out.contains("about src website"), "{}", ran.out);
    let missing = person.run(&["list", "--project", "nothing"]);
    assert_eq!(missing.code, Some(1));
    assert!(missing.err.contains(".gemini"), "{}", missing.err);
    let other = person.project("somewhere/.hidden/z");
    std::fs::remove_dir_all(&other).unwrap();
    let missing = person.run(&["list", "--project", "nothing"]);
    assert!(missing.err.contains("~/src"), "says where: {}", missing.err);
}

#[test]
fn a_broken_file_of_taught_paths_stops_nothing() {
    let person = Person::new();
    person.project("app");
    let file = person.write(".local/share/gemtrail/paths.toml", "paths = [");
    let ran = person.run(&["list"]);
    assert_eq!(ran.code, Some(0));
    assert!(ran.err.starts_with("warning: "), "{}", ran.err);
    let add = person.run(&["projects", "add", "app"]);
    assert_eq!(add.code, Some(2), "{}", add.out);
    assert_eq!(std::fs::read_to_string(file).unwrap(), "paths = [");
}

#[test]
fn no_projects_are_no_failure() {
    let ran = Person::new().run(&["projects"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""));
    assert!(ran.err.contains("no project found in"), "{}", ran.err);
}
