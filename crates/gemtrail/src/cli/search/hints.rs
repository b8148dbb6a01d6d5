//! Advice where nothing was found.

use gemtrail_query::{Answer, Query};
use gemtrail_store::{Library, SessionFilter};

use crate::cli::args::SearchArgs;
use crate::cli::filter::{Edge, parse_time};
use crate::cli::session::{no_sessions, places};
use crate::error::CliError;
use crate::ui::Ui;

/// The error of a search that found nothing, with a hint that fits.
pub(super) fn nothing(
    args: &SearchArgs,
    query: &Query,
    answer: &Answer,
    library: &Library,
    ui: &Ui,
) -> CliError {
    if library.sessions(&SessionFilter::everything()).is_empty() {
        return no_sessions(library);
    }
    if answer.total > 0 {
        let what = format!("there are only {} matches", answer.total);
        return CliError::nothing("nothing-found", what).hint("--offset skips all of them");
    }
    let what = match args.query.join(" ") {
        query if query.is_empty() => "no matches".to_owned(),
        query => format!("no matches for {query:?}"),
    };
    let dates = dates(args, ui);
    let what = format!("{what}{dates} in {}", places(library));
    let error = CliError::nothing("nothing-found", what).naming_places();
    if answer.context_only > 0 {
        return error.hint(context_only(answer));
    }
    error.hint(hint(args, query, library))
}

/// The days that --since and --until stand for: `last tuesday` may be another one than expected.
fn dates(args: &SearchArgs, ui: &Ui) -> String {
    let ends = [
        ("since", &args.filter.since, Edge::Start),
        ("until", &args.filter.until, Edge::End),
    ];
    let told = ends.into_iter().filter_map(|(word, text, edge)| {
        let at = parse_time(text.as_deref()?, edge, ui.now, &ui.zone).ok()?;
        let day = at.to_zoned(ui.zone.clone()).strftime("%a %-d %b %Y");
        Some(format!(" {word} {day}"))
    });
    told.collect()
}

fn hint(args: &SearchArgs, query: &Query, library: &Library) -> String {
    if let Some(hint) = library.why_nothing(query, args.exact) {
        return hint;
    }
    let words = args.query.join(" ");
    let has_punctuation = |c: char| c.is_ascii_punctuation() && !"\"*:-".contains(c);
    if args.regex {
        "a pattern must match within one message"
    } else if query.is_filter_only() {
        "fewer conditions would find more"
    } else if args.exact && words.contains(has_punctuation) {
        "without --exact, the punctuation may differ"
    } else if args.exact {
        "without --exact, it also finds other forms and spellings"
    } else {
        "neither these words nor similar ones occur there"
    }
    .to_owned()
}

/// Says where the words are only in what was injected.
pub(super) fn context_only(answer: &Answer) -> String {
    let more = if answer.total > 0 { "more " } else { "" };
    let sessions = match answer.context_only {
        1 => format!("1 {more}session has"),
        count => format!("{count} {more}sessions have"),
    };
    format!("{sessions} it only in injected context (--context)")
}
