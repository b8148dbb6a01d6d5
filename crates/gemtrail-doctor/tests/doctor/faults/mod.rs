//! Planted faults: each gives its own code, at its own file and line, and no more than necessary.

mod lines;
mod places;
mod records;

use gemtrail_core::model::Code;

use crate::home::{CONTEXT, NOW, TURN, TestHome, journal};

/// The journal that most faults are planted in. The lines after its header start at line 2.
const JOURNAL: &str = "session-2026-11-15T10-00-aaaaaaaa.jsonl";
const JOURNAL_PATH: &str = "tmp/my-app/chats/session-2026-11-15T10-00-aaaaaaaa.jsonl";
/// The whole-file record that faults are planted in.
const RECORD: &str = "session-2026-11-15T10-00-aaaaaaaa.json";
const RECORD_PATH: &str = "tmp/my-app/chats/session-2026-11-15T10-00-aaaaaaaa.json";

/// One kind of fault.
struct Fault {
    code: Code,
    /// Where it must be reported, below the home.
    file: &'static str,
    line: Option<u64>,
    /// Other codes that it entails.
    also: &'static [Code],
    plant: fn(&TestHome),
}

/// A home without faults.
fn sound_home() -> TestHome {
    let home = TestHome::new();
    let lines = [&[CONTEXT][..], &TURN].concat();
    home.chat(
        "session-2026-11-15T10-00-99999999.jsonl",
        journal("99999999-0000", NOW, &lines),
    );
    home
}

/// The journal for faults, with these lines after its header.
fn plant_lines(home: &TestHome, lines: &[&str]) {
    home.chat(JOURNAL, journal("aaaaaaaa-0000", NOW, lines));
}

#[test]
fn a_sound_home_is_ok() {
    let report = sound_home().report();
    assert!(report.ok, "{report:#?}");
    assert_eq!(report.homes[0].sessions, 1);
}

#[test]
fn every_fault_is_named_with_file_and_line() {
    let mut wrong = Vec::new();
    for fault in faults() {
        let home = sound_home();
        (fault.plant)(&home);
        let report = home.report();
        let place = home.path(fault.file).to_string_lossy().into_owned();
        let mut hits = 0;
        for found in &report.diagnostics {
            if found.code == fault.code {
                hits += usize::from(
                    found.journal.as_deref() == Some(place.as_str()) && found.line == fault.line,
                );
            } else if !fault.also.contains(&found.code) {
                wrong.push(format!("{:?}: unexpected {found:?}", fault.code));
            }
        }
        if hits != 1 || report.ok {
            let all = &report.diagnostics;
            wrong.push(format!(
                "{:?} at {place}: {hits} hits in {all:#?}",
                fault.code
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_code_is_planted() {
    let planted: Vec<Code> = faults().map(|fault| fault.code).collect();
    // These need a line of half a gigabyte, one of 64 MiB, an archive of two machines, one that is
    // damaged, and databases of Antigravity.
    let elsewhere = [
        Code::LineTooLong,
        Code::LongLine,
        Code::HostsDisagree,
        Code::DamagedArchive,
        Code::UnknownSchema,
        Code::DamagedDatabase,
        Code::DamagedStep,
        Code::MissingSteps,
        Code::StepMismatch,
        Code::UnfinishedStep,
        Code::OddTokens,
    ];
    for code in Code::ALL {
        assert!(
            planted.contains(code) || elsewhere.contains(code),
            "{code:?} is not planted"
        );
    }
    assert!(planted.len() >= 30);
}

fn faults() -> impl Iterator<Item = Fault> {
    let all = [lines::FAULTS, records::FAULTS, places::FAULTS];
    all.into_iter().flatten().map(|fault| Fault { ..*fault })
}
