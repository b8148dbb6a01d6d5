//! The archive counts as the disk does.

use gemtrail_testkit::corpus::{Corpus, Size};
use gemtrail_testkit::{examples, fixtures, made};
use serde_json::Value;

use crate::common::Counter;

const SMALL: Size = Size {
    sessions: 60,
    bytes: 2_000_000,
    projects: 8,
};

/// What the disk says, then the archive while the files are there, then when they are gone.
fn in_three_ways(home: &std::path::Path, keys: &[&str]) -> [Vec<Value>; 3] {
    let counter = Counter::new();
    made::copy(home, &counter.path("home")).expect("it can be copied");
    let disk = ["--home", "home", "--no-archive"];
    let archive = ["--home", "home", "--archive", "archive.db"];
    let tell = |place: &[&str]| -> Vec<Value> {
        let stats = |keys: &&str| {
            let all = [place, &["stats", "--json", "--by", keys]].concat();
            counter.run(&all).expect(0).json()
        };
        keys.iter().map(stats).collect()
    };
    let from_disk = tell(&disk);
    counter.run(&[&archive[..], &["sync"]].concat()).expect(0);
    let from_both = tell(&archive);
    std::fs::remove_dir_all(counter.path("home")).expect("it can be removed");
    std::fs::create_dir_all(counter.path("home/.gemini/tmp")).expect("it can be made");
    [from_disk, from_both, tell(&archive)]
}

#[test]
fn the_archive_counts_as_the_disk_does() {
    let keys = ["day,model", "session", "tool,agent", "project"];
    let [disk, both, archive] = in_three_ways(&examples::home(), &keys);
    assert_eq!(disk, both);
    // The archive knows the machine, which no key here tells.
    assert_eq!(disk, archive);
    let Some(corpus) = Corpus::generate(SMALL).expect("the generator runs") else {
        println!("skipped: no python3 here to generate a home");
        return;
    };
    let [disk, both, archive] = in_three_ways(&corpus.home, &keys);
    assert_eq!(disk, both);
    assert_eq!(disk, archive);
}

#[test]
fn the_archive_counts_recorded_homes_as_the_disk_does() {
    for fixture in fixtures().step_by(5) {
        let [disk, both, archive] = in_three_ways(&fixture.home, &["day,agent"]);
        assert_eq!(disk, both, "{}", fixture.name());
        assert_eq!(disk, archive, "{}", fixture.name());
    }
}
