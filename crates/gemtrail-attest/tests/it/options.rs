//! What the caller can choose.

use gemtrail_attest::Timestamp;
use gemtrail_attest::vac::{Note, Profile, RecordOptions, Recorder, SessionFormat, record};
use gemtrail_attest::value::Value;
use gemtrail_core::model::{PathSource, Session, State, SupersededBy};
use gemtrail_core::view::Selection;

use crate::common::{entries, session_of, texts, worked};

const PROFILES: [Profile; 3] = [Profile::V3, Profile::V2, Profile::Dual];

fn options(profile: Profile) -> RecordOptions {
    RecordOptions {
        profile,
        ..RecordOptions::default()
    }
}

#[test]
fn c_22_created_is_the_start_unless_told_otherwise() {
    for profile in PROFILES {
        let record = record(
            &worked::session(),
            &RecordOptions {
                created: Timestamp::parse("2027-01-01T00:00:00Z"),
                ..options(profile)
            },
        );
        assert_eq!(
            record.value.get("created"),
            Some(&"2027-01-01T00:00:00Z".into())
        );
        assert_eq!(
            record.value.at(["session", "session-start"]),
            Some(&"2026-03-04T09:15:02.101Z".into())
        );
    }
    assert_eq!(Timestamp::parse("now"), None);
}

#[test]
fn c_23_the_format_is_interactive_unless_told_otherwise() {
    for profile in PROFILES {
        let format = |format| {
            let options = RecordOptions {
                format,
                ..options(profile)
            };
            let record = record(&worked::session(), &options).value;
            record
                .at(["session", "format"])
                .and_then(Value::as_text)
                .map(str::to_owned)
        };
        assert_eq!(
            format(SessionFormat::default()).as_deref(),
            Some("interactive")
        );
        assert_eq!(
            format(SessionFormat::Autonomous).as_deref(),
            Some("autonomous")
        );
    }
}

#[test]
fn the_recorder_names_itself() {
    let agent = |recorder| {
        let options = RecordOptions {
            recorder,
            ..RecordOptions::default()
        };
        record(&worked::session(), &options)
            .value
            .get("recording-agent")
            .cloned()
    };
    let own = agent(Recorder::default()).unwrap();
    assert_eq!(own.get("name"), Some(&"gemtrail".into()));
    assert_eq!(own.get("version"), Some(&env!("CARGO_PKG_VERSION").into()));
    let nameless = Recorder {
        name: "x".to_owned(),
        version: None,
    };
    assert_eq!(agent(nameless).unwrap().get("version"), None);
}

/// The working directory of a record, and whether a root was refused.
fn working_dir(session: &Session, project_root: Option<&str>) -> (Option<String>, bool) {
    let options = RecordOptions {
        project_root: project_root.map(str::to_owned),
        ..RecordOptions::default()
    };
    let record = record(session, &options);
    let dir = record.value.at(["session", "environment", "working-dir"]);
    (
        dir.and_then(Value::as_text).map(str::to_owned),
        record
            .notes
            .iter()
            .any(|note| matches!(note, Note::ForeignProjectRoot { .. })),
    )
}

#[test]
fn a_root_is_believed_if_its_hash_is_that_of_the_project() {
    let session = worked::session();
    let root = "/home/dana/widget";
    assert_eq!(
        working_dir(&session, Some(root)),
        (Some(root.to_owned()), false)
    );
    assert_eq!(
        working_dir(&session, Some("/home/dana/other")),
        (None, true)
    );
    assert_eq!(working_dir(&session, None), (None, false));

    let mut known = worked::session();
    known.project.path = Some(root.to_owned());
    known.project.path_source = PathSource::Context;
    assert_eq!(
        working_dir(&known, None).0.as_deref(),
        Some(root),
        "proven by the hash"
    );
    assert_eq!(
        working_dir(&known, Some("/other")),
        (Some(root.to_owned()), true)
    );
    known.project.path = Some("/somewhere/else".to_owned());
    known.project.path_source = PathSource::Registry;
    assert_eq!(working_dir(&known, None).0, None, "refuted by the hash");
}

#[test]
fn without_a_hash_only_what_was_written_down_counts() {
    let mut session = session_of("");
    session.project.path = Some("/p".to_owned());
    for (source, is_certain) in [
        (PathSource::Marker, true),
        (PathSource::Registry, true),
        (PathSource::Mapping, true),
        (PathSource::Directories, false),
        (PathSource::Context, false),
    ] {
        session.project.path_source = source;
        assert_eq!(
            working_dir(&session, None).0.is_some(),
            is_certain,
            "{source:?}"
        );
    }
    assert_eq!(working_dir(&session, Some("/q")).0.as_deref(), Some("/q"));
}

#[test]
fn which_messages_become_entries() {
    let mut session = session_of("");
    let causes = [
        None,
        Some(SupersededBy::Rewind),
        Some(SupersededBy::Rollback),
        Some(SupersededBy::Compress),
        Some(SupersededBy::Resume),
        Some(SupersededBy::Restore),
        Some(SupersededBy::Unknown),
    ];
    for (number, cause) in causes.into_iter().enumerate() {
        let message = format!(r#"{{"id":"{number}","type":"user","content":"c"}}"#);
        let mut message = session_of(&message).messages.remove(0);
        message.superseded_by = cause;
        message.state = cause.map_or(State::Current, |_| State::Superseded);
        session.messages.push(message);
    }
    let ids = |selection, member| {
        let options = RecordOptions {
            selection,
            ..RecordOptions::default()
        };
        let record = record(&session, &options).value;
        texts(entries(&record), member).join(" ")
    };
    assert_eq!(ids(Selection::default(), "id"), "0 3 4 5 6");
    assert_eq!(ids(Selection::Current, "id"), "0");
    assert_eq!(ids(Selection::All, "id"), "0 1 2 3 4 5 6");
    assert_eq!(
        ids(Selection::All, "supersededBy"),
        "– rewind rollback – – – –",
        "what was taken back is marked"
    );
}
