//! The questions of `docs/archive.md` can be asked.

use gemtrail_testkit::examples;
use rusqlite::{Connection, OpenFlags};

use crate::common::{Sandbox, copy};

const PAGE: &str = include_str!("../../../../docs/archive.md");

#[test]
fn every_question_has_an_answer() {
    let sandbox = Sandbox::new();
    copy(&examples::home().join(".gemini"), &sandbox.path(".gemini")).expect("a copy");
    sandbox.sync();
    let (_, block) = PAGE.split_once("```sql\n").expect("the page has questions");
    let (block, _) = block.split_once("```").expect("they end");
    let path = sandbox.path("archive.index.db");
    let index = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY);
    let index = index.expect("it opens by itself");
    let questions: Vec<&str> = block.lines().filter(|it| !it.starts_with("--")).collect();
    assert_eq!(questions.len(), 10);
    let mut answered = 0;
    for question in questions {
        let mut statement = index.prepare(question).expect(question);
        let rows = statement.query_map([], |_| Ok(())).expect(question);
        answered += usize::from(rows.count() > 0);
    }
    assert!(
        answered >= 7,
        "{answered} have an answer in the sample home"
    );
}
