//! A face of gemtrail in one short file: opens homes and archive together, lists, finds, searches,
//! shows a message, and follows changes.
//!
//! ```console
//! $ cargo run -p gemtrail-store --all-features --example face -- ~/.gemini latest
//! ```
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a client prints")]

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use gemtrail_export::plain::{self, Layout, PlainText};
use gemtrail_export::present::{Options, Presentation, ToolDetail};
use gemtrail_query::{Page, Query};
use gemtrail_store::watch::Bell;
use gemtrail_store::{
    ArchiveOptions, FollowEvent, Named, Places, QueryContext, ReadDetail, SessionFilter, Trail,
    TrailOptions,
};
use jiff::{Timestamp, tz::TimeZone};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let home = arguments
        .next()
        .ok_or("usage: face HOME [SESSION] [ARCHIVE]")?;
    let name = arguments.next().unwrap_or_else(|| "latest".to_owned());
    let archive = |path: String| ArchiveOptions {
        path: path.into(),
        ..ArchiveOptions::default()
    };
    let (trail, notices) = Trail::open(TrailOptions {
        places: Places {
            homes: vec![home.into()],
            ..Places::default()
        },
        archive: arguments.next().map(archive),
        ..TrailOptions::default()
    })?;
    for notice in notices {
        eprintln!("{notice}");
    }
    let library = trail.view();

    let filter = SessionFilter {
        model: Some("gemini".to_owned()),
        ..SessionFilter::default()
    };
    for row in library.sessions(&filter).iter().take(5) {
        println!(
            "@{} {} {}",
            row.number.unwrap_or(0),
            row.reference,
            row.project.name()
        );
    }

    let Named::Session(reference) = library.resolve(&name)? else {
        return Err("not a session of the library".into());
    };
    let session = library.read(reference, ReadDetail::Words)?;
    let options = Options::default();
    let presentation = Presentation::new(&session, &options);
    if let Some(message) = presentation.message(0) {
        let mut terminal = PlainText(std::io::stdout());
        let layout = Layout {
            columns: 80,
            excerpt: Some(3),
        };
        plain::draw_message(&message, ToolDetail::Brief, layout, &mut terminal)?;
    }

    let zone = TimeZone::UTC;
    let (now, library) = (Timestamp::now(), &*library);
    let world = QueryContext {
        library,
        now,
        zone: &zone,
        current_dir: None,
        user_home: None,
    };
    let answer = library.search(&Query::parse("role:human the", &world)?, &Page::default());
    println!("{} hits in {} sessions", answer.total, answer.sessions);

    let bell = Arc::new(Bell::default());
    std::thread::scope(|scope| {
        let follow = scope.spawn(|| {
            trail.follow(Arc::clone(&bell), None, Timestamp::now, |event| {
                if let FollowEvent::Changed(changes) = event {
                    println!("{} sessions changed", changes.changed.len());
                }
            });
        });
        std::thread::sleep(Duration::from_millis(300));
        bell.stop();
        follow.join()
    })
    .map_err(|_| "following failed")?;
    Ok(())
}
