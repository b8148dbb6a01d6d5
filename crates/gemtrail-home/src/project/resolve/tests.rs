use std::path::{Path, PathBuf};

use gemtrail_core::model::{PathSource, Project};

use gemtrail_core::project_hash;

use crate::catalog::Catalog;
use crate::discover::discover;
use crate::{Effort, Hints, Places};

/// A home that can be filled line by line.
struct TestHome {
    dir: tempfile::TempDir,
}

impl TestHome {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join(".gemini/tmp")).unwrap();
        Self { dir }
    }

    fn write(&self, path: &str, content: &str) -> &Self {
        let path = self.dir.path().join(".gemini").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        self
    }

    /// A journal of the project with this root, with one more record.
    fn journal(&self, dir: &str, root: &str, record: &str) -> &Self {
        let content = format!(
            "{{\"sessionId\":\"s\",\"projectHash\":\"{}\",\"startTime\":\"2026-06-01T10:00:00.000Z\",\"kind\":\"main\"}}\n{record}\n",
            project_hash(root)
        );
        self.write(&format!("tmp/{dir}/chats/session-{dir:.8}.jsonl"), &content)
    }

    fn open(&self, hints: &Hints) -> Catalog {
        let places = Places {
            homes: vec![self.dir.path().to_owned()],
            ..Places::default()
        };
        let homes = places.homes().unwrap();
        Catalog::of(homes.iter().map(discover).collect(), hints)
    }

    fn project(&self, hints: &Hints) -> Project {
        self.open(hints).projects()[0].project().clone()
    }
}

#[track_caller]
fn assert_found(project: &Project, path: &str, source: PathSource) {
    assert_eq!(
        (project.path.as_deref(), project.path_source),
        (Some(path), source)
    );
}

#[track_caller]
fn assert_proven_by(record: &str, root: &str) {
    let home = TestHome::new();
    home.journal(&project_hash(root), root, record);
    assert_found(&home.project(&Hints::default()), root, PathSource::Hash);
}

fn taught(path: &str) -> Hints {
    Hints {
        taught: vec![path.to_owned()],
        ..Hints::default()
    }
}

const ROOT: &str = "/srv/demo/app";

#[test]
fn marker_then_registry_then_proof() {
    let home = TestHome::new();
    home.journal("app", ROOT, r#"{"x":"/srv/demo/app"}"#);
    assert_found(&home.project(&Hints::default()), ROOT, PathSource::Hash);
    home.write("projects.json", r#"{"projects":{"/srv/demo/app":"app"}}"#);
    assert_found(&home.project(&Hints::default()), ROOT, PathSource::Registry);
    home.write("history/app/.project_root", ROOT);
    assert_found(&home.project(&Hints::default()), ROOT, PathSource::Marker);
}

#[test]
fn the_journals_decide_between_two_registered_paths() {
    let home = TestHome::new();
    home.journal("app", ROOT, "");
    home.write(
        "projects.json",
        r#"{"projects":{"/other/app":"app","/srv/demo/app":"app"}}"#,
    );
    assert_found(&home.project(&Hints::default()), ROOT, PathSource::Registry);
}

#[test]
fn lists_of_the_home_prove() {
    let home = TestHome::new();
    home.journal(&project_hash(ROOT), ROOT, "");
    assert_eq!(
        home.project(&Hints::default()).path_source,
        PathSource::None
    );
    home.write(
        "projects.json",
        r#"{"projects":{"/srv/demo/app/packages/core":"core"}}"#,
    );
    assert_found(&home.project(&Hints::default()), ROOT, PathSource::Hash);
    std::fs::remove_file(home.dir.path().join(".gemini/projects.json")).unwrap();
    home.write("trustedFolders.json", r#"{"/srv/demo/app":"TRUST_FOLDER"}"#);
    assert_found(&home.project(&Hints::default()), ROOT, PathSource::Hash);
}

#[test]
fn the_current_directory_proves_and_is_learned() {
    let home = TestHome::new();
    home.journal(&project_hash(ROOT), ROOT, "");
    let inside = Hints {
        current_dir: Some(PathBuf::from("/srv/demo/app/src")),
        ..Hints::default()
    };
    let library = home.open(&inside);
    assert_found(library.projects()[0].project(), ROOT, PathSource::Hash);
    assert_eq!(library.learned(), [ROOT]);
    assert_found(&home.project(&taught(ROOT)), ROOT, PathSource::Hash);
    assert!(home.open(&taught(ROOT)).learned().is_empty());
    home.journal(&project_hash(ROOT), ROOT, r#"{"p":"/srv/demo/app"}"#);
    assert!(home.open(&inside).learned().is_empty(), "no need to");
}

#[test]
fn what_sessions_mention_proves() {
    for record in [
        r#"{"toolCalls":[{"args":{"file_path":"/srv/demo/app/src/a.rs"}}]}"#,
        r#"{"$set":{"directories":["/srv/demo/other","/srv/demo/app"]}}"#,
        r#"{"text":"<session_context>\nThe project's directory is: /srv/demo/app\nmore"}"#,
        r#"{"text":"- **Workspace Directories:**\n  - /srv/demo/app\n"}"#,
        r#"{"resultDisplay":"Command: pwd\nDirectory: (root)\nOutput: /srv/demo/app\n"}"#,
        r#"{"text":"please look into /srv/demo/app."}"#,
    ] {
        assert_proven_by(record, ROOT);
    }
}

#[test]
fn windows_and_sandbox_spellings_prove() {
    let windows = r#"{"args":{"file_path":"C:\\Users\\Al\\My App\\src\\a.ts"}}"#;
    assert_proven_by(windows, "C:\\Users\\Al\\My App");
    assert_proven_by(windows, "c:\\Users\\Al\\My App");
    assert_proven_by(windows, "/c/Users/Al/My App");
    let sandbox = r#"{"args":{"file_path":"/c/Users/Al/My App/src/a.ts"}}"#;
    assert_proven_by(sandbox, "C:\\Users\\Al\\My App");
    let nested = r#"{"args":"{\"file_path\":\"C:\\\\Users\\\\Al\\\\x.ts\"}"}"#;
    assert_proven_by(nested, "C:\\Users\\Al");
}

#[test]
fn other_files_prove() {
    let hash = project_hash(ROOT);
    for (file, content) in [
        (
            "checkpoint-a.json",
            r#"[{"parts":[{"text":"in /srv/demo/app"}]}]"#,
        ),
        (
            "checkpoints/x.json",
            r#"{"filePath":"/srv/demo/app/a.txt"}"#,
        ),
        ("plans/p.md", "# Plan\n\nEdit `/srv/demo/app/src`.\n"),
        ("s/plans/p.md", "* /srv/demo/app\n"),
        ("shell_history", "ls\ncd /srv/demo/app\n"),
        (
            "logs.json",
            r#"[{"sessionId":"s","messageId":0,"type":"user","message":"@/srv/demo/app/a","timestamp":"t"}]"#,
        ),
    ] {
        let home = TestHome::new();
        home.write(&format!("tmp/{hash}/{file}"), content);
        assert_found(&home.project(&Hints::default()), ROOT, PathSource::Hash);
    }
}

#[test]
fn neighbours_prove() {
    let base = tempfile::tempdir().unwrap();
    let known = base.path().join("known").to_str().unwrap().to_owned();
    let on_disk = base.path().join("silent").to_str().unwrap().to_owned();
    let by_slug = base.path().join("by-slug").to_str().unwrap().to_owned();
    let by_name = base.path().join("elsewhere").to_str().unwrap().to_owned();
    std::fs::create_dir(&on_disk).unwrap();
    let home = TestHome::new();
    home.journal("known", &known, "")
        .write("tmp/known/.project_root", &known)
        .journal(&project_hash(&on_disk), &on_disk, "")
        .journal("by-slug-3", &by_slug, "")
        .journal(
            &project_hash(&by_name),
            &by_name,
            r#"{"p":"/mnt/elsewhere/x"}"#,
        );
    let library = home.open(&Hints::default());
    let mut found: Vec<_> = library
        .projects()
        .iter()
        .map(|entry| entry.project().path.clone().unwrap_or_default())
        .collect();
    found.sort();
    let mut expected = vec![known, on_disk.clone(), by_slug, by_name];
    expected.sort();
    assert_eq!(found, expected);
    assert_eq!(library.learned(), [on_disk]);
}

#[test]
fn other_projects_are_asked_only_when_told() {
    let home = TestHome::new();
    home.journal("known", "/x/known", r#"{"p":"/srv/demo/app/file"}"#)
        .write("tmp/known/.project_root", "/x/known")
        .journal(&project_hash(ROOT), ROOT, "");
    let path = |effort| {
        let hints = Hints {
            effort,
            ..Hints::default()
        };
        let library = home.open(&hints);
        let entry = library
            .projects()
            .iter()
            .find(|entry| entry.project().hash == Some(project_hash(ROOT)))
            .unwrap();
        (entry.project().path.clone(), library.learned().to_vec())
    };
    assert_eq!(path(Effort::Usual), (None, vec![]));
    assert_eq!(
        path(Effort::Thorough),
        (Some(ROOT.to_owned()), vec![ROOT.to_owned()])
    );
}

#[test]
fn a_wrong_path_is_no_path() {
    let home = TestHome::new();
    home.journal(
        &project_hash(ROOT),
        ROOT,
        r#"{"$set":{"directories":["/srv/demo/other"]}}"#,
    );
    let hints = taught("/srv/demo/wrong");
    let project = home.project(&hints);
    assert_eq!(
        (project.path, project.path_source),
        (None, PathSource::None)
    );
}

#[test]
fn without_a_hash_the_sessions_are_believed_then_the_person() {
    let without_hash = |record: &str| {
        let home = TestHome::new();
        let content = format!("{{\"sessionId\":\"s\"}}\n{record}\n");
        home.write("tmp/app/chats/session-s.jsonl", &content);
        home
    };
    let directories = without_hash(r#"{"$set":{"directories":["/x/lib","/srv/demo/app"]}}"#);
    assert_found(
        &directories.project(&taught("/y/app")),
        ROOT,
        PathSource::Directories,
    );
    let context = without_hash(
        r#"{"id":"m","type":"user","content":"The project's directory is: /srv/demo/app\n"}"#,
    );
    assert_found(
        &context.project(&taught("/y/app")),
        ROOT,
        PathSource::Context,
    );
    let silent = without_hash("");
    assert_found(&silent.project(&taught(ROOT)), ROOT, PathSource::Mapping);
    assert_eq!(silent.project(&taught("/x/lib")).path, None);
}

#[test]
fn hostile_files_prove_nothing_and_harm_nothing() {
    let home = TestHome::new();
    let hash = project_hash(ROOT);
    let long = format!("{{\"p\":\"/{}\"}}", "a/".repeat(1 << 20));
    home.journal(&hash, ROOT, &long);
    home.write(
        &format!("tmp/{hash}/checkpoint-odd.json"),
        "\"/srv/\u{1b}[31mdemo/app\" \"/srv/demo/app\u{0}\" \"/srv/demo//app/\"",
    );
    assert_found(&home.project(&Hints::default()), ROOT, PathSource::Hash);
    let missing = Hints {
        current_dir: Some(Path::new("").to_owned()),
        taught: vec![String::new(), "\u{0}".to_owned(), "/".repeat(1 << 20)],
        ..Hints::default()
    };
    assert_eq!(home.open(&missing).projects().len(), 1);
}
