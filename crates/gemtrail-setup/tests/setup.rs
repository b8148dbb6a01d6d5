//! Installing and taking back, on real files.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use gemtrail_setup::{
    InstallTarget, PlannedFile, Receipt, SetupPart, SetupPlan, StepState, apply, plan, remove,
};
use proptest::prelude::*;

const SETTINGS: &str = "{\n  // mine\n  \"ui\": {\"theme\": \"Default\"}, /* that is all */\n}";

struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        let home = Self(
            tempfile::Builder::new()
                .prefix("a person's home")
                .tempdir()
                .expect("as arranged"),
        );
        fs::create_dir(home.path(".gemini")).expect("as arranged");
        home
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn target(&self, version: &str) -> InstallTarget {
        let page = PlannedFile {
            path: self.path(".local/share/man/man1/gemtrail.1"),
            content: format!(".TH gemtrail {version}\n"),
            note: None,
        };
        InstallTarget {
            program: self.path("my programs/gemtrail"),
            version: version.to_owned(),
            options: vec![
                "--archive".to_owned(),
                self.path("it's.db").to_string_lossy().into_owned(),
            ],
            gemini: self.path(".gemini"),
            user_home: self.0.path().to_owned(),
            config_dir: self.path(".config"),
            data_dir: self.record(),
            completions: Vec::new(),
            man: vec![page],
        }
    }

    fn record(&self) -> PathBuf {
        self.path(".local/share/gemtrail")
    }

    fn plan(&self, version: &str, parts: &[SetupPart]) -> SetupPlan {
        let receipt = Receipt::read(&self.record()).expect("as arranged");
        plan(&self.target(version), parts, &receipt).expect("as arranged")
    }

    fn install(&self, version: &str, parts: &[SetupPart]) {
        apply(&self.plan(version, parts), &self.record()).expect("as arranged");
    }

    /// Every file and directory with its content.
    fn everything(&self) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        fn walk(dir: &Path, found: &mut BTreeMap<PathBuf, Option<Vec<u8>>>) {
            for entry in fs::read_dir(dir).expect("as arranged") {
                let path = entry.expect("as arranged").path();
                if path.is_dir() {
                    found.insert(path.clone(), None);
                    walk(&path, found);
                } else {
                    found.insert(path.clone(), Some(fs::read(&path).expect("as arranged")));
                }
            }
        }
        let mut found = BTreeMap::new();
        walk(self.0.path(), &mut found);
        found
    }
}

#[test]
fn what_is_installed_is_taken_back_byte_for_byte() {
    for settings in [
        None,
        Some("{}"),
        Some("{\n  \"general\": {\"vimMode\": true} // x\n}\n"),
    ] {
        let home = Home::new();
        if let Some(settings) = settings {
            fs::write(home.path(".gemini/settings.json"), settings).expect("as arranged");
        }
        let before = home.everything();
        home.install("1.0", &SetupPart::ALL);
        let installed = home.everything();
        assert!(installed.len() > before.len() + 6);
        assert_eq!(
            home.plan("1.0", &SetupPart::ALL).changes().count(),
            0,
            "a second run changes nothing"
        );
        home.install("1.0", &SetupPart::ALL);
        assert_eq!(home.everything(), installed);
        home.install("1.1", &SetupPart::ALL);
        assert!(
            remove(&home.record(), &[], false)
                .expect("as arranged")
                .files
                .len()
                > 5
        );
        remove(&home.record(), &[], true).expect("as arranged");
        assert_eq!(home.everything(), before);
    }
}

#[test]
fn settings_keep_their_other_bytes() {
    let home = Home::new();
    let file = home.path(".gemini/settings.json");
    let settings = SETTINGS.replace("}, /*", "} /*");
    fs::write(&file, &settings).expect("as arranged");
    home.install("1.0", &[SetupPart::Retention]);
    let edited = fs::read_to_string(&file).expect("as arranged");
    let added = "\n  \"general\": { \"sessionRetention\": { \"enabled\": false } },";
    assert_eq!(edited.replace(added, ""), settings);
    // Gemini CLI changes something else.
    fs::write(&file, edited.replace("Default", "Dracula")).expect("as arranged");
    remove(&home.record(), &[], true).expect("as arranged");
    assert_eq!(
        fs::read_to_string(&file).expect("as arranged"),
        settings.replace("Default", "Dracula")
    );
}

/// As Gemini CLI does when a setting is changed in its interface.
#[test]
fn a_file_that_was_written_anew_loses_the_key_all_the_same() {
    for settings in [
        "{}",
        "{\"general\": {\"vimMode\": true}}",
        "{\"general\": {\"sessionRetention\": {\"enabled\": true}}}",
    ] {
        let home = Home::new();
        let file = home.path(".gemini/settings.json");
        fs::write(&file, settings).expect("as arranged");
        home.install("1.0", &[SetupPart::Retention]);
        let parse =
            |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("as arranged");
        let mut anew = parse(&fs::read_to_string(&file).expect("as arranged"));
        anew["ui"] = serde_json::json!({"theme": "Dracula"});
        fs::write(&file, format!("{anew:#}")).expect("as arranged");
        let removed = remove(&home.record(), &[], true).expect("as arranged");
        assert!(removed.kept.is_empty(), "{:?}", removed.kept);
        let mut wanted = parse(settings);
        wanted["ui"] = anew["ui"].clone();
        assert_eq!(
            parse(&fs::read_to_string(&file).expect("as arranged")),
            wanted
        );
    }
}

#[test]
fn files_of_others_are_left_alone() {
    let home = Home::new();
    let (foreign, own) = (
        home.path(".gemini/policies/gemtrail.toml"),
        home.path(".gemini/extensions/gemtrail/hooks/hooks.json"),
    );
    fs::create_dir_all(foreign.parent().expect("as arranged")).expect("as arranged");
    fs::write(&foreign, "# mine\n").expect("as arranged");
    home.install("1.0", &[SetupPart::Extension, SetupPart::Policy]);
    assert_eq!(
        fs::read_to_string(&foreign).expect("as arranged"),
        "# mine\n"
    );
    fs::write(&own, "{}").expect("as arranged");
    let plan = home.plan("1.0", &[SetupPart::Extension]);
    assert!(
        plan.steps
            .iter()
            .any(|step| step.path == own && step.standing == StepState::Foreign)
    );
    let removed = remove(&home.record(), &[], true).expect("as arranged");
    assert_eq!(
        removed.kept.iter().map(|it| &it.path).collect::<Vec<_>>(),
        [&own]
    );
    assert!(own.exists() && foreign.exists());
}

#[test]
fn parts_come_and_go_alone() {
    let home = Home::new();
    home.install("1.0", &[SetupPart::Extension, SetupPart::Policy]);
    remove(&home.record(), &[SetupPart::Policy], true).expect("as arranged");
    assert!(
        !home.path(".gemini/policies").exists()
            && home.path(".gemini/extensions/gemtrail").exists()
    );
}

#[test]
fn paths_with_spaces_and_quotes_are_quoted() {
    let home = Home::new();
    home.install("1.0", &[SetupPart::Extension]);
    let hooks = fs::read_to_string(home.path(".gemini/extensions/gemtrail/hooks/hooks.json"))
        .expect("as arranged");
    let hooks: serde_json::Value = serde_json::from_str(&hooks).expect("as arranged");
    let command = hooks["hooks"]["SessionEnd"][0]["hooks"][0]["command"]
        .as_str()
        .expect("as arranged");
    let script = format!("set -- {command}; for word in \"$@\"; do echo \"$word\"; done");
    let shown = std::process::Command::new("sh")
        .args(["-c", &script])
        .output()
        .expect("as arranged");
    let words = String::from_utf8(shown.stdout).expect("as arranged");
    let words: Vec<&str> = words.lines().collect();
    let archive = home.path("it's.db");
    assert_eq!(
        words[0],
        home.path("my programs/gemtrail")
            .to_str()
            .expect("as arranged")
    );
    assert_eq!(
        &words[1..],
        [
            "--archive",
            archive.to_str().expect("as arranged"),
            "sync",
            "--detach",
            "--quiet"
        ]
    );
}

#[test]
fn broken_settings_are_refused_before_anything_is_written() {
    let home = Home::new();
    fs::write(home.path(".gemini/settings.json"), "{\"general\": [").expect("as arranged");
    let receipt = Receipt::read(&home.record()).expect("as arranged");
    let refused = plan(&home.target("1.0"), &SetupPart::ALL, &receipt).expect_err("it is refused");
    assert!(refused.to_string().contains("settings.json"), "{refused}");
}

proptest! {
    /// Whatever else the settings hold, they come back as they were.
    #[test]
    fn any_settings_come_back(keys in proptest::collection::vec(("[a-z]{1,6}", "[0-9]{1,3}|\"[a-z/*{},:]*\"|\\{\\}"), 0..5),
                              blank in "[ \n\t]{0,3}", comment in "(/\\*[a-z ]*\\*/|//[a-z{}\"]*\n)?") {
        let home = Home::new();
        let members: Vec<String> = keys.iter().map(|(key, value)| format!("{blank}\"{key}\"{blank}:{value}")).collect();
        let settings = format!("{comment}{{{comment}{}{comment}{blank}}}{blank}", members.join(","));
        prop_assume!(!keys.iter().any(|(key, _)| key == "general"));
        fs::write(home.path(".gemini/settings.json"), &settings).expect("as arranged");
        home.install("1.0", &[SetupPart::Retention]);
        let edited = fs::read_to_string(home.path(".gemini/settings.json")).expect("as arranged");
        prop_assert!(edited.contains("\"enabled\": false"), "{edited}");
        remove(&home.record(), &[], true).expect("as arranged");
        prop_assert_eq!(fs::read_to_string(home.path(".gemini/settings.json")).expect("as arranged"), settings);
    }
}
