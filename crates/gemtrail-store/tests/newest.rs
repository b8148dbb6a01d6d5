//! The guess about the newest sessions is right for journals that grew at their ends.

use std::fmt::Write as _;
use std::fs;

use gemtrail_store::{Library, ListRow, Places, SessionFilter};

#[test]
fn the_newest_sessions_are_found_without_reading_all() {
    let home = tempfile::tempdir().expect("a temporary directory");
    for number in 0..30_usize {
        let chats = home.path().join(format!("tmp/project{}/chats", number % 3));
        fs::create_dir_all(&chats).expect("a temporary directory");
        // The files do not end in the order in which they start.
        let day = 1 + number * 7 % 30;
        let id = format!("{number:08x}-aaaa-4bbb-8ccc-0123456789ab");
        let mut text = format!(
            "{{\"sessionId\":\"{id}\",\"projectHash\":\"h\",\"startTime\":\"2026-01-01T10:00:00.000Z\"}}\n"
        );
        for hour in 10..14 {
            let _ = writeln!(
                text,
                "{{\"id\":\"m{hour}\",\"timestamp\":\"2026-06-{day:02}T{hour}:00:00.000Z\",\"type\":\"user\",\"content\":\"{}\"}}",
                "words ".repeat(2000)
            );
        }
        let file = chats.join(format!("session-2026-01-01T10-00-{number:08x}.jsonl"));
        fs::write(file, text).expect("a temporary file");
    }
    let places = Places {
        homes: vec![home.path().to_owned()],
        ..Places::default()
    };
    let library = Library::open(&places).expect("a home");
    let mut all = library.sessions(&SessionFilter::default());
    all.truncate(12);
    let ids = |rows: &[ListRow]| rows.iter().map(|row| row.id.clone()).collect::<Vec<_>>();
    let newest = library.newest_rows(12);
    assert_eq!(ids(&newest), ids(&all));
    assert_eq!(newest, all);
}
