//! `export`: one or many sessions to a file, a directory or standard output.

use std::collections::{HashMap, HashSet};
use std::path::{MAIN_SEPARATOR, Path};

use gemtrail_core::model::{Kind, Place, Session, SessionRef};
use gemtrail_core::{Detail, stem_of};
use gemtrail_export::exporter::{
    DirectoryTarget, Exporter, FileLabel, Format, file_names, is_directory,
};
use gemtrail_query::Address;
use gemtrail_store::{Library, ListRow, Named, ReadDetail, SessionFilter, Trail};

use super::args::{Encoding, ExportArgs, FormatArgs};
use super::context::Context;
use super::filter::{filter, refuse_beside_names};
use super::{chosen_format, formats, privacy, session};
use crate::environment;
use crate::error::CliError;
use crate::text::{Clean, plural, size};
use crate::ui::Ui;

/// The formats that can have just a part of a session.
const EXCERPTS: [&str; 4] = ["md", "txt", "html", "json"];

/// Each thread holds a session in memory.
const MOST_THREADS: usize = 8;

pub(super) fn run(args: &ExportArgs, context: &Context<'_>) -> Result<(), CliError> {
    export(args, context).map(drop)
}

/// Exports, and says in a few words what became of secrets.
pub(super) fn export(args: &ExportArgs, context: &Context<'_>) -> Result<String, CliError> {
    let ui = context.ui;
    refuse_nothing(args)?;
    let title = args.filter.project.as_deref();
    let (picked, mut options) = pick(args, ui)?;
    let has_place = |name: &String| Address::parse(name).place.is_some();
    let is_excerpt = args.sessions.iter().any(has_place);
    // What was asked for by its place is shown, rewound or not.
    options.view.superseded |= is_excerpt && !options.view.live && picked.has_option("superseded");
    let format = chosen_format::chosen(picked, &options, title, ui)?;
    let trail = context.open()?;
    let mut chosen = chosen(args, picked, &trail, context)?;
    if picked.includes_subagents {
        leave_to_parents(&mut chosen);
    }
    refuse_excerpt(&chosen, picked)?;
    let mut exporter = privacy::exporter(&*format, &args.output, &args.options.redact, context)?;
    if args.output.path().is_none() {
        chosen_format::check_standard_output(picked, &options, ui)?;
    }
    let outcome = write(args, picked, &trail.view(), chosen, &mut exporter, ui);
    // What was written is told even if something else could not be.
    context.tell_what_is_missing(&trail.view());
    privacy::tell(&exporter, &args.options.redact, ui)?;
    outcome.map(|()| privacy::in_words(&exporter))
}

/// Refuses to export nothing.
fn refuse_nothing(args: &ExportArgs) -> Result<(), CliError> {
    if args.all_sessions || !args.sessions.is_empty() {
        return Ok(());
    }
    let error = CliError::usage("no session given");
    Err(error
        .hint("name some (gemtrail export @1 @2), or use --all for all that match the filters"))
}

/// The format to write, and its options: a table of values is one of these.
fn pick(args: &ExportArgs, ui: &Ui) -> Result<(&'static Format, FormatArgs), CliError> {
    let output = args.output.path();
    let is_one = !args.all_sessions && args.sessions.len() == 1;
    let file = output.filter(|path| is_one || formats::of_file(path).is_some());
    let picked = chosen_format::pick(args.format, file, ui)?;
    let picked = picked.or_else(|| formats::named("md"));
    let picked = picked.ok_or_else(|| CliError::usage("no format writes md"))?;
    // Several sessions go into a directory, whatever it is called, but for formats that are lines.
    let is_too_many = !is_one && !picked.joins_sessions;
    if let Some(path) = file.filter(|path| is_too_many && !is_directory(path)) {
        return Err(needs_directory("sessions", path));
    }
    let mut options = args.options.clone();
    if args.format.is_none() {
        take_ending(&mut options, file);
    }
    Ok((picked, options))
}

/// Several of these cannot be one file in this format.
pub(super) fn needs_directory(these: &str, path: &Path) -> CliError {
    let what = format!("several {these} need a directory, but this names a file");
    let error = CliError::usage(format!("{what}: {}", path.display()));
    let dir = path.with_extension("");
    error.hint(format!(
        "-o {}{MAIN_SEPARATOR} writes one file for each",
        dir.display()
    ))
}

/// Sets the options that the ending of a file stands for.
pub(super) fn take_ending(options: &mut FormatArgs, file: Option<&Path>) {
    let ending = file.and_then(Path::extension);
    let is = |name: &str| ending.is_some_and(|ending| ending.eq_ignore_ascii_case(name));
    options.csv |= is("csv");
    if is("cbor") {
        options.vac.encoding.get_or_insert(Encoding::Cbor);
    }
}

/// A session to export.
struct ChosenSession {
    named: Named,
    /// The only place of it that is exported.
    place: Option<Place>,
    /// The session that a subagent worked for.
    parent: Option<SessionRef>,
    /// The name of its file in a directory, without ending.
    file: String,
}

impl ChosenSession {
    fn read(&self, library: &Library, format: &Format) -> Result<Session, CliError> {
        let detail = if format.has_digests {
            ReadDetail::Document
        } else {
            ReadDetail::Words
        };
        let mut session = library.read_named(&self.named, detail)?;
        session::refuse_other_file(&self.named, &session)?;
        session::refuse_logged(&session, format)?;
        if let Some(place) = self.place {
            session::refuse_missing(&session, place)?;
            if format.name == "json" {
                session.narrow(place);
            } else {
                session.excerpt(place);
            }
        }
        Ok(session)
    }
}

/// Refuses a place where whole sessions are written.
fn refuse_excerpt(chosen: &[ChosenSession], format: &Format) -> Result<(), CliError> {
    let Some(place) = chosen.iter().find_map(|one| one.place) else {
        return Ok(());
    };
    if chosen.len() > 1 {
        let error = CliError::usage(format!(
            "a place ({place}) cannot be exported together with others"
        ));
        return Err(error.hint("export it alone"));
    }
    if !EXCERPTS.contains(&format.name) {
        let error = CliError::usage(format!(
            "{} exports whole sessions only, not a place",
            format.name
        ));
        return Err(error.hint(format!(
            "a place can be exported as {}",
            EXCERPTS.join(", ")
        )));
    }
    Ok(())
}

fn write(
    args: &ExportArgs,
    format: &Format,
    library: &Library,
    chosen: Vec<ChosenSession>,
    exporter: &mut Exporter<'_>,
    ui: &Ui,
) -> Result<(), CliError> {
    let Some(output) = args.output.path() else {
        let mut out = ui.out();
        let mut document = exporter.document(&mut out)?;
        let mut unread = Vec::new();
        for one in &chosen {
            match one.read(library, format) {
                Ok(session) => document.session(session)?,
                Err(error) if args.all_sessions => unread.push(error),
                Err(error) => return Err(error),
            }
        }
        document.finish()?;
        out.finish()?;
        return fail_with(unread, ui);
    };
    // How many there are does not change what the path means.
    let is_one = chosen.len() == 1 && !args.all_sessions;
    let is_joined = format.joins_sessions && formats::of_file(output).is_some();
    let mut known = HashSet::new();
    let is_new = |one: &ChosenSession| known.insert(one.named.clone());
    let chosen: Vec<ChosenSession> = chosen.into_iter().filter(is_new).collect();
    if (is_one || is_joined) && !is_directory(output) {
        let mut unread = Vec::new();
        let read = |one: &ChosenSession| one.read(library, format);
        let sessions = chosen.iter().map(read);
        if args.all_sessions {
            let sessions = sessions.filter_map(|it| it.map_err(|error| unread.push(error)).ok());
            exporter.to_file(sessions, output, args.output.force)?;
        } else {
            let sessions = sessions.collect::<Result<Vec<Session>, CliError>>()?;
            exporter.to_file(sessions, output, args.output.force)?;
        }
        tell_written(output, exporter, ui);
        return fail_with(unread, ui);
    }
    let names: Vec<String> = chosen.iter().map(|one| one.file.clone()).collect();
    let target = DirectoryTarget {
        path: output,
        names: &names,
        force: args.output.force,
        threads: environment::processors().min(MOST_THREADS),
    };
    let read = |at: usize| chosen[at].read(library, format);
    write_directory(&target, read, exporter, ui)
}

/// The sessions to export.
fn chosen(
    args: &ExportArgs,
    format: &Format,
    trail: &Trail,
    context: &Context<'_>,
) -> Result<Vec<ChosenSession>, CliError> {
    if !args.all_sessions {
        let instead = "leave the option out, or write --all in place of the names";
        refuse_beside_names(&args.filter, instead)?;
        let library = trail.view();
        return named(&library, &args.sessions);
    }
    let filter = filter(&args.filter, false, context)?;
    context.look_for_project(trail, filter.project.as_ref())?;
    let library = trail.view();
    let filter = filter.among(library.projects());
    // All sessions get a name for their file, so that it does not depend on the filter.
    let rows = library.sessions(&SessionFilter::everything());
    let labels: Vec<FileLabel> = rows.iter().map(row_label).collect();
    let is_logged = |row: &ListRow| row.kind == Kind::Log && !formats::has_logged(format);
    let logged = rows.iter().filter(|it| is_logged(it) && filter.takes(it));
    let logged = logged.count();
    if logged > 0 {
        let sessions = plural(logged, "session");
        let what = "of which only the prompts are left: this format does not contain those";
        context.ui.note(&format!("left out {sessions} {what}"));
    }
    let chosen: Vec<ChosenSession> = rows
        .iter()
        .zip(file_names(&labels))
        .filter(|(row, _)| filter.takes(row) && !is_logged(row))
        .map(|(row, file)| ChosenSession {
            named: Named::Session(row.reference),
            place: None,
            parent: row.parent_ref,
            file,
        })
        .collect();
    if chosen.is_empty() {
        let places = session::places(&library);
        let what = format!("no session found in {places}");
        return Err(CliError::nothing("nothing-found", what));
    }
    Ok(chosen)
}

/// The sessions of these names, and the place of one.
fn named(library: &Library, given: &[String]) -> Result<Vec<ChosenSession>, CliError> {
    let is_several = given.len() > 1;
    let mut found = Vec::new();
    let mut places = Vec::new();
    for name in given {
        let resolved = session::resolve_at(library, name).and_then(|(named, place)| {
            // What cannot be written is refused before anything is.
            if let (Named::File(path), true) = (&named, is_several) {
                let session = Library::read_file(path, Detail::Counts)?;
                session::refuse_other_file(&named, &session)?;
            }
            Ok((named, place))
        });
        let (named, place) = resolved.map_err(|error| or_output(error, name, is_several))?;
        found.push(named);
        places.push(place);
    }
    let mut chosen = named_files(library, found);
    for (one, place) in chosen.iter_mut().zip(places) {
        one.place = place;
        if let Some(place) = place {
            one.file = format!("{}.{place}", one.file);
        }
    }
    Ok(chosen)
}

/// A name that is not a session but ends like a file to write was probably meant as one.
fn or_output(error: CliError, name: &str, is_several: bool) -> CliError {
    let is_no_session = matches!(error.code, "no-session" | "not-found");
    if is_several && is_no_session && formats::of_file(Path::new(name)).is_some() {
        return error.hint(format!("-o {name} writes there"));
    }
    error
}

/// Leaves out subagents whose parents are exported: they are in what is written of those.
fn leave_to_parents(chosen: &mut Vec<ChosenSession>) {
    let all: HashSet<Named> = chosen.iter().map(|one| one.named.clone()).collect();
    let is_told = |parent: SessionRef| all.contains(&Named::Session(parent));
    chosen.retain(|one| !one.parent.is_some_and(is_told));
}

/// Named sessions with the names of their files. To list all sessions for that would take too long.
fn named_files(library: &Library, found: Vec<Named>) -> Vec<ChosenSession> {
    let mut labels = Vec::new();
    let mut places = HashMap::new();
    for named in &found {
        if !places.contains_key(named) {
            places.insert(named.clone(), labels.len());
            labels.push(label(library, named));
        }
    }
    let names = file_names(&labels);
    let chosen = found.into_iter().map(|named| ChosenSession {
        file: names[places[&named]].clone(),
        place: None,
        parent: parent(library, &named),
        named,
    });
    chosen.collect()
}

fn parent(library: &Library, named: &Named) -> Option<SessionRef> {
    let Named::Session(reference) = named else {
        return None;
    };
    let handle = library.locate(*reference)?;
    // A subagent of an old release is located with its parent.
    let is_own = handle.reference == *reference;
    if is_own {
        handle.parent_ref
    } else {
        Some(handle.reference)
    }
}

fn label(library: &Library, named: &Named) -> FileLabel {
    let stem = |stem: &str| FileLabel {
        stem: stem.to_owned(),
        ..FileLabel::default()
    };
    let reference = match named {
        Named::Session(reference) => *reference,
        Named::File(path) | Named::Checkpoint(path) => {
            return stem(stem_of(&path.to_string_lossy()));
        }
    };
    let located = library.locate(reference);
    if let Some(handle) = located.filter(|handle| handle.reference == reference) {
        return FileLabel {
            stem: handle.stems.first().unwrap_or(&handle.key.id).clone(),
            project: library.projects()[handle.project].project().name(),
            host: library.host_of(handle.project).map(str::to_owned),
            reference,
        };
    }
    // A subagent of an old release is located with its parent; only its row knows its own file.
    let rows = library.sessions(&SessionFilter::everything());
    let row = rows.iter().find(|row| row.reference == reference);
    row.map_or_else(|| stem(reference.as_str()), row_label)
}

fn row_label(row: &ListRow) -> FileLabel {
    let stem = row.stems.first().map(String::as_str);
    FileLabel {
        stem: stem.unwrap_or(row.id.as_str()).to_owned(),
        project: row.project.name(),
        host: row.origin.host.clone(),
        reference: row.reference,
    }
}

/// Says what was written, and what was taken out of it.
pub(super) fn tell_written(path: &Path, exporter: &Exporter<'_>, ui: &Ui) {
    let bytes = std::fs::metadata(path).map_or_else(|_| "1 file".to_owned(), |it| size(it.len()));
    let what = format!("{bytes}{}", privacy::outcome(exporter));
    ui.note(&Clean::line(format!("wrote {} ({what})", path.display())));
}

/// Writes one file per session; one that exists already does not keep the others from being written.
fn write_directory(
    target: &DirectoryTarget<'_>,
    read: impl Fn(usize) -> Result<Session, CliError> + Sync,
    exporter: &mut Exporter<'_>,
    ui: &Ui,
) -> Result<(), CliError> {
    let progress = |at: usize| ui.progress(at, target.names.len(), "sessions");
    let outcome = exporter.to_directory(target, read, progress);
    ui.progress_done();
    let outcome = outcome?;
    let files = plural(outcome.files, "file");
    let secrets = privacy::outcome(exporter);
    let secrets = secrets.strip_prefix("; ").map(|it| format!(" ({it})"));
    let secrets = secrets.unwrap_or_default();
    let path = target.path.display();
    ui.note(&Clean::line(format!("wrote {files} to {path}{secrets}")));
    fail_with(outcome.unread, ui)?;
    let refused = outcome.refused.into_iter().next();
    refused.map_or(Ok(()), |error| Err(error.into()))
}

/// Fails with the last of these errors, if there is one, and tells the others.
pub(super) fn fail_with(mut errors: Vec<CliError>, ui: &Ui) -> Result<(), CliError> {
    let last = errors.pop();
    for error in errors {
        ui.note(&format!("error: {:#}", error.error));
    }
    last.map_or(Ok(()), Err)
}
