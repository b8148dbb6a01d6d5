//! Exports as a face makes them: bytes, files, directories, and a format from elsewhere.

use std::fs;
use std::io::Write;
use std::path::Path;

use gemtrail_core::model::{Session, SessionId};
use gemtrail_export::ExportError;
use gemtrail_export::exporter::{
    Audience, BuiltIn, Destination, DirectoryTarget, Exporter, FileLabel, Format, FormatOptions,
    Privacy, Secrets, SessionFormat, SessionWriter, file_names,
};
use gemtrail_export::redact::Redactor;
use gemtrail_testkit::secrets::Dice;

fn session() -> Session {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/demo.json");
    serde_json::from_slice(&fs::read(path).expect("the fixture is there")).expect("a session")
}

/// A session in which a token was given away.
fn careless(token: &str) -> Session {
    let mut session = session();
    session.messages[0].text = format!("use {token} please");
    session.messages[0].content = None;
    session
}

fn redactor() -> Redactor {
    Redactor::new(Vec::new()).expect("the tables are right")
}

fn built_in(name: &str, options: FormatOptions) -> BuiltIn {
    BuiltIn::new(name, options).expect("a format of this crate")
}

fn files(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).expect("it is there");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = names
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn every_format_has_a_name_and_writes() {
    for format in Format::built_in() {
        assert!(!format.name.is_empty() && !format.about.is_empty());
        assert!(!format.ending.is_empty() && !format.ending.starts_with('.'));
        let built_in = built_in(format.name, FormatOptions::default());
        assert_eq!(built_in.format(), format);
        let privacy = Privacy::new(Secrets::Keep);
        let mut exporter = Exporter::new(&built_in, privacy, redactor());
        let bytes = exporter.to_bytes(session()).expect("memory");
        assert!(!bytes.is_empty(), "{}", format.name);
    }
    assert!(BuiltIn::new("nonsense", FormatOptions::default()).is_none());
}

#[test]
fn files_for_people_have_no_secrets_and_streams_count_them() {
    let token = Dice::new(7).fill("ghp_{a36}");
    let markdown = built_in("md", FormatOptions::default());
    let secrets = Secrets::usual(markdown.format(), Destination::File);
    let mut exporter = Exporter::new(&markdown, Privacy::new(secrets), redactor());
    let text = String::from_utf8(exporter.to_bytes(careless(&token)).expect("memory"));
    let text = text.expect("Markdown is text");
    assert!(!text.contains(&token) && text.contains("please"), "{text}");
    assert_eq!(exporter.redactor().report().places(), 1);

    let json = built_in("json", FormatOptions::default());
    for (format, destination) in [(&markdown, Destination::Stream), (&json, Destination::File)] {
        let secrets = Secrets::usual(format.format(), destination);
        assert_eq!(secrets, Secrets::Count);
        let mut exporter = Exporter::new(format, Privacy::new(secrets), redactor());
        let bytes = exporter.to_bytes(careless(&token)).expect("memory");
        assert!(String::from_utf8_lossy(&bytes).contains(&token));
        assert_eq!(exporter.redactor().secrets(), 1);
    }
}

#[test]
fn a_document_of_many_sessions_has_one_header() {
    let options = FormatOptions {
        csv: true,
        ..FormatOptions::default()
    };
    let usage = built_in("usage", options);
    assert_eq!(usage.ending(), "csv");
    let mut exporter = Exporter::new(&usage, Privacy::new(Secrets::Keep), redactor());
    let mut bytes = Vec::new();
    let mut document = exporter.document(&mut bytes).expect("memory");
    for _ in 0..3 {
        document.session(session()).expect("memory");
    }
    document.finish().expect("memory");
    let text = String::from_utf8(bytes).expect("text");
    assert_eq!(text.matches("session,message,").count(), 1);
    let alone = exporter.to_bytes(session()).expect("memory");
    let rows = |text: &str| text.lines().count() - 1;
    let alone = rows(&String::from_utf8(alone).expect("text"));
    assert!(alone > 0);
    assert_eq!(rows(&text), 3 * alone);
}

#[test]
fn a_directory_has_a_file_for_each_session_and_an_index() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut sessions = [session(), session(), session()];
    sessions[1].project.path = Some("/srv/other".to_owned());
    sessions[2].stems = vec!["session-z".to_owned()];
    let labels: Vec<FileLabel> = sessions.iter().map(FileLabel::of).collect();
    let names = file_names(&labels);
    let page = built_in("html", FormatOptions::default());
    let mut exporter = Exporter::new(&page, Privacy::new(Secrets::Replace), redactor());
    let target = DirectoryTarget {
        path: dir.path(),
        names: &names,
        force: false,
        threads: 2,
    };
    let read = |at: usize| Ok::<_, ()>(sessions[at].clone());
    let outcome = exporter.to_directory(&target, read, |_| ());
    let outcome = outcome.expect("it can be written");
    assert_eq!((outcome.files, outcome.refused.len()), (3, 0));
    assert_eq!(files(dir.path()).len(), 4);
    let index = fs::read_to_string(dir.path().join("index.html")).expect("an index");
    for name in &names {
        assert!(index.contains(&format!("{name}.html")), "{name}");
    }

    // Existing files stay, and do not keep the others from being written.
    fs::remove_file(dir.path().join("session-z.html")).expect("it was written");
    let again = exporter.to_directory(&target, read, |_| ());
    let again = again.expect("it can be written");
    assert_eq!((again.files, again.refused.len()), (1, 2));
    assert!(matches!(again.refused[0], ExportError::Exists { .. }));
}

#[test]
fn a_session_that_cannot_be_read_keeps_no_other_from_being_written() {
    let dir = tempfile::tempdir().expect("a directory");
    let names: Vec<String> = (0..5).map(|at| format!("s{at}")).collect();
    let text = built_in("txt", FormatOptions::default());
    let mut exporter = Exporter::new(&text, Privacy::new(Secrets::Keep), redactor());
    let target = DirectoryTarget {
        path: dir.path(),
        names: &names,
        force: false,
        threads: 2,
    };
    let read = |at: usize| if at == 3 { Err("torn") } else { Ok(session()) };
    let outcome = exporter.to_directory(&target, read, |_| ());
    let outcome = outcome.expect("it can be written");
    assert_eq!(outcome.unread, ["torn"]);
    assert_eq!(files(dir.path()), ["s0.txt", "s1.txt", "s2.txt", "s4.txt"]);
}

/// Counts sessions, and says so at the end: it needs all three steps.
struct Census;

static CENSUS: Format = Format {
    name: "census",
    about: "How many there are",
    ending: "txt",
    audience: Audience::Programs,
    redacts_files: false,
    options: &[],
    includes_subagents: false,
    has_digests: false,
    joins_sessions: false,
};

impl SessionFormat for Census {
    fn format(&self) -> &Format {
        &CENSUS
    }

    fn writer(&self) -> Box<dyn SessionWriter + '_> {
        Box::new(Counting(Vec::new()))
    }
}

struct Counting(Vec<SessionId>);

impl SessionWriter for Counting {
    fn begin(&mut self, out: &mut dyn Write) -> Result<(), ExportError> {
        Ok(out.write_all(b"census\n")?)
    }

    fn session(&mut self, session: &Session, _: &mut dyn Write) -> Result<(), ExportError> {
        self.0.push(session.id.clone());
        Ok(())
    }

    fn finish(&mut self, out: &mut dyn Write) -> Result<(), ExportError> {
        Ok(writeln!(out, "{}", self.0.len())?)
    }
}

#[test]
fn a_format_of_another_crate_is_a_format_like_others() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("census.txt");
    let mut exporter = Exporter::new(&Census, Privacy::new(Secrets::Count), redactor());
    let written = exporter.to_file([session(), session()], &path, false);
    written.expect("it can be written");
    assert_eq!(fs::read_to_string(&path).expect("it was"), "census\n2\n");
}
