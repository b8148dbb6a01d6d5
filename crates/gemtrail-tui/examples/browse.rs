//! The browser without the program, over one home. What the program would do for it panics here, so
//! that `tests/terminal/check.py` can see what becomes of the terminal: the doctor (`D`) at once, on
//! a thread; after an export (`x`, Enter) the next look at the clock, on the main thread.
//!
//! ```console
//! $ cargo run -p gemtrail-tui --example browse -- ~/.gemini
//! ```

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gemtrail_core::model::SessionRef;
use gemtrail_store::{Changes, Places, Trail, TrailOptions};
use gemtrail_tui::{
    Actions, ArchiveState, CannotExport, CannotResume, ClipboardSituation, Options,
};
use jiff::{Timestamp, tz::TimeZone};

struct Broken(Arc<AtomicBool>);

impl Actions for Broken {
    fn export(&self, _: SessionRef, _: &str, _: bool) -> Result<String, CannotExport> {
        self.0.store(true, Ordering::SeqCst);
        Ok("the clock is broken now".to_owned())
    }

    fn risk(&self, _: &Trail) -> Option<String> {
        None
    }

    fn secrets_in(&self, _: &str) -> usize {
        0
    }

    fn check_resume(&self, _: SessionRef, _: Option<&str>) -> Result<(), CannotResume> {
        Ok(())
    }

    fn mark(&self, _: &Trail, _: SessionRef, _: &str) -> Result<(String, Option<Changes>), String> {
        Err("no archive here".to_owned())
    }

    fn restore(&self, _: SessionRef) -> Result<String, String> {
        Err("there is no archive".to_owned())
    }

    fn doctor(&self, _: usize) -> Result<String, String> {
        panic!("the doctor is ill");
    }

    fn make_archive(&self, _: &mut dyn FnMut(String)) -> Result<(String, Trail), String> {
        Err("there is no archive".to_owned())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let home = std::env::args().nth(1).ok_or("usage: browse HOME")?;
    let (trail, _) = Trail::open(TrailOptions {
        places: Places {
            homes: vec![home.into()],
            ..Places::default()
        },
        ..TrailOptions::default()
    })?;
    let is_broken = Arc::new(AtomicBool::new(false));
    let of_clock = Arc::clone(&is_broken);
    let options = Options {
        zone: TimeZone::system(),
        clock: Arc::new(move || {
            assert!(!of_clock.load(Ordering::SeqCst), "the clock is broken");
            Timestamp::now()
        }),
        has_color: true,
        archive: ArchiveState::Off,
        editor: None,
        pager: None,
        temp_dir: std::env::temp_dir(),
        current_dir: None,
        user_home: None,
        clipboard: ClipboardSituation::default(),
        follows: false,
        scope: None,
        is_scoped: false,
        places: Vec::new(),
        greeting: None,
    };
    gemtrail_tui::run(trail, options, Arc::new(Broken(is_broken)))?;
    Ok(())
}
