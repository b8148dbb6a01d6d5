//! `archive import`: what people and scripts are told, and when it is refused.

use std::fs;

use crate::common::{Keeper, chat, ids, one, whole};

const ID: &str = "2f1e0a52-aaaa-4bbb-8ccc-0123456789ab";
const OTHER: &str = "3a1e0a52-aaaa-4bbb-8ccc-0123456789ab";

/// Somebody with an archive of another machine.
fn laptop() -> Keeper {
    let keeper = Keeper::with_session(ID);
    keeper.write(
        &chat("3a1e0a52.json"),
        &whole(OTHER, &[("u1", "two"), ("g1", "second")]),
    );
    keeper.ok(&["sync", "--origin", "host=laptop,user=alice"]);
    keeper
}

#[test]
fn an_archive_of_another_machine() {
    let (laptop, desktop) = (laptop(), Keeper::new());
    let from = laptop.archive().to_string_lossy().into_owned();
    // There is no archive yet: it is made.
    let told = desktop.ok(&["archive", "import", &from]).out;
    assert!(told.contains("2 new sessions"), "{told}");
    assert!(told.contains("every byte verified"), "{told}");
    desktop.ok(&["archive", "verify"]);
    let rows = desktop.list(&[]);
    assert_eq!(ids(&rows), [ID, OTHER]);
    assert_eq!(rows[0]["origin"]["host"], "laptop");
    assert_eq!(rows[0]["origin"]["user"], "alice");
    let again = one(&desktop.ok(&["archive", "import", &from, "--json"]));
    assert_eq!(again["schema"], "gemtrail.import/1");
    assert_eq!(again["versions_added"], 0);
    assert_eq!(again["ok"], true);
    let told = desktop.ok(&["archive", "import", &from]).out;
    assert!(told.starts_with("Nothing new"), "{told}");
}

#[test]
fn what_cannot_be_imported_is_refused_and_makes_nothing() {
    let keeper = Keeper::new();
    let text = keeper.write("notes.txt", "no archive\n");
    let none = keeper.path("none.db");
    for (path, code) in [(&text, "not-an-archive"), (&none, "no-archive")] {
        let path = path.to_string_lossy();
        let ran = keeper
            .run(&["archive", "import", &path, "--json"])
            .expect(2);
        assert!(ran.err.contains(code), "{}", ran.err);
    }
    assert!(!keeper.archive().exists());
    let laptop = laptop();
    let own = laptop.archive().to_string_lossy().into_owned();
    let ran = laptop.run(&["archive", "import", &own]).expect(2);
    assert!(ran.err.contains("into itself"), "{}", ran.err);
}

#[test]
fn damage_is_told_by_the_exit_code_and_by_name() {
    let (laptop, desktop) = (laptop(), Keeper::new());
    laptop
        .database()
        .execute_batch(
            "UPDATE chunk SET data = zeroblob(length(data)) WHERE id = (
               SELECT chunk.id FROM chunk JOIN content ON content.bytes = chunk.bytes
               JOIN version ON version.content = content.id JOIN file ON file.id = version.file
               WHERE file.path LIKE '%2f1e0a52%')",
        )
        .expect("it can be written");
    let from = laptop.archive().to_string_lossy().into_owned();
    let ran = desktop.run(&["archive", "import", &from]).expect(1);
    assert!(ran.out.contains("1 new session"), "{}", ran.out);
    assert!(ran.out.contains("damaged, not imported"), "{}", ran.out);
    assert!(ran.out.contains("2f1e0a52"), "{}", ran.out);
    assert_eq!(ids(&desktop.list(&[])), [OTHER]);
    desktop.ok(&["archive", "verify"]);
    // Half an archive is none.
    let bytes = fs::read(laptop.archive()).expect("it can be read");
    let half = desktop.path("half.db");
    fs::write(&half, &bytes[..300]).expect("it can be written");
    desktop
        .run(&["archive", "import", &half.to_string_lossy()])
        .expect(2);
}
