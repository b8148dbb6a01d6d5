//! `show`: a session to read, or as data.

mod page;

use std::io::Write as _;

use gemtrail_core::model::{Kind, Place, Role, Session};
use gemtrail_export::Selection;
use gemtrail_export::plain::{self, Details, Layout};
use gemtrail_export::present::{ExcerptSurroundings, Options, Presentation, ToolDetail};
use gemtrail_store::{Library, Named, ReadDetail, SessionPart, WantedPart};

use super::args::ShowArgs;
use super::context::Context;
use super::{chosen_format, session};
use crate::error::CliError;
use crate::pager::{Opening, PagerTarget};
use crate::style::{DIM, ID};
use crate::text::{Clean, plural, shorten, width};
use crate::ui::Ui;
pub(super) use page::Inked;
use page::MarkedPage;

/// The number of lines of an output below its call, unless all of it was asked for.
const EXCERPT_LINES: usize = 4;

/// Wider lines are hard to read.
const MOST_COLUMNS: usize = 110;

/// A session of this many bytes is shown before all of it is drawn.
const LARGE: u64 = 16 << 20;

/// The lines that prompts start with.
const PROMPT: &str = "human ";

pub(super) fn run(args: &ShowArgs, context: &Context<'_>) -> Result<(), CliError> {
    let ui = context.ui;
    let library = context.open()?.view();
    let (named, place) = session::resolve_at(&library, &args.session)?;
    if let Some(place) = place
        && let Some(part) = read_part(&library, &named, place, args, ui)
    {
        context.tell_what_is_missing(&library);
        return part.print(args, ui);
    }
    let mut session = session::read_with(&library, &named, place, ReadDetail::Document)?;
    context.tell_what_is_missing(&library);
    if ui.json {
        if let Some(place) = place {
            session.narrow(place);
        }
        return ui.print_document(&session);
    }
    if args.outline {
        return print_outline(&session, ui);
    }
    let view = View::new(args, &session, place, ui);
    match (place, &args.find) {
        (None, None) => view.whole(&session, ui),
        (Some(place), find) => view.at(&session, place, find.as_deref(), ui),
        (None, Some(word)) => view.find(&session, word, ui),
    }
}

/// The view of a session on a terminal.
struct View {
    options: Options,
    layout: Layout,
    details: Details,
}

impl View {
    fn new(args: &ShowArgs, session: &Session, place: Option<Place>, ui: &Ui) -> Self {
        let all_of_outputs = args.view.tools == Some(ToolDetail::Full);
        let mut view = Self {
            options: chosen_format::view_options(&args.view, ui),
            layout: Layout {
                columns: ui.columns.min(MOST_COLUMNS),
                excerpt: (!all_of_outputs).then_some(EXCERPT_LINES),
            },
            details: Details {
                facts: args.facts,
                context: args.context,
                tokens: args.tokens,
                whole: place,
                markdown: ui.interactive,
            },
        };
        if let Some(place) = place {
            view.widen_for(session, place);
        }
        view
    }

    /// Shows what was asked for by its place, whatever else is left out.
    fn widen_for(&mut self, session: &Session, place: Place) {
        let Some(item) = session.at(place) else {
            return;
        };
        if !self.options.selection.takes(item.message) {
            self.options.selection = Selection::All;
        }
        if matches!(item.message.role, Role::Context | Role::Hook) {
            self.details.context = true;
        }
        match item.call {
            Some(_) if self.options.tools == ToolDetail::None => {
                self.options.tools = ToolDetail::Full;
            }
            Some(_) => {}
            None => self.options.thoughts |= !item.message.thoughts.is_empty(),
        }
    }

    /// Everything there is.
    fn widest(&self) -> Self {
        Self {
            options: Options {
                thoughts: true,
                tools: ToolDetail::Full,
                selection: Selection::All,
                subagents: true,
                minimal: false,
                ..self.options.clone()
            },
            layout: Layout {
                excerpt: None,
                ..self.layout
            },
            details: Details {
                facts: true,
                context: true,
                ..self.details
            },
        }
    }

    /// Shows a session from the beginning.
    fn whole(&self, session: &Session, ui: &Ui) -> Result<(), CliError> {
        let presentation = Presentation::new(session, &self.options);
        let has_prompts = presentation.prompts().next().is_some();
        let opening = Opening {
            target: has_prompts.then_some(PagerTarget::Start(PROMPT)),
            ..opening(session)
        };
        let mut out = ui.reading_out_at(opening);
        let mut sink = Inked::new(&mut out, ui.color);
        plain::draw_with(&presentation, self.layout, self.details, &mut sink)?;
        out.finish()?;
        self.tell_of_subagents(session, ui);
        Ok(())
    }

    /// Says that others worked on it, too, and how to read what they said.
    fn tell_of_subagents(&self, session: &Session, ui: &Ui) {
        let count = session.subagents.len();
        if count > 0 && !self.options.subagents && ui.interactive {
            let agents = plural(count, "subagent");
            ui.note(&format!("hint: --subagents includes what its {agents} did"));
        }
    }

    /// Opens a session at a place; where nothing can be opened, shows what is there.
    fn at(
        &self,
        session: &Session,
        place: Place,
        word: Option<&str>,
        ui: &Ui,
    ) -> Result<(), CliError> {
        let page = self.page(&Presentation::new(session, &self.options), word, ui)?;
        if !ui.can_open_at() {
            return page.print(place, ui);
        }
        let target = match word {
            Some(word) => PagerTarget::Word(word.to_owned()),
            None => PagerTarget::Start(PROMPT),
        };
        page.open(page.opening_line(place), target, session, ui)
    }

    /// Opens a session at the first place with a word; where nothing can be opened, shows every
    /// item that has it.
    fn find(&self, session: &Session, word: &str, ui: &Ui) -> Result<(), CliError> {
        let mut page = self.page(&Presentation::new(session, &self.options), Some(word), ui)?;
        if page.found.is_empty() {
            // It may be in what is usually left out.
            let widest = self.widest();
            let presentation = Presentation::new(session, &widest.options);
            page = widest.page(&presentation, Some(word), ui)?;
        }
        let Some(first) = page.found.first().copied() else {
            let message = format!("{word:?} does not occur in this session");
            let hint = "gemtrail search searches all sessions";
            return Err(CliError::nothing("nothing-found", message).hint(hint));
        };
        if ui.can_open_at() {
            // The title is on the screen anyway, and repeats words of the conversation.
            let line = page.first_below_head().unwrap_or(first);
            return page.open(line, PagerTarget::Word(word.to_owned()), session, ui);
        }
        let mut out = ui.reading_out();
        page.write_found(&Clean::line(session.id.short()), &mut out)?;
        out.finish()
    }

    fn page(
        &self,
        presentation: &Presentation<'_>,
        word: Option<&str>,
        ui: &Ui,
    ) -> Result<MarkedPage, CliError> {
        let mut page = MarkedPage::new(word, ui.color);
        plain::draw_with(presentation, self.layout, self.details, &mut page)?;
        Ok(page)
    }
}

/// The pager's options for a session.
fn opening(session: &Session) -> Opening {
    let prompts = match session.counts.human {
        0 => String::new(),
        1 => "  1 prompt".to_owned(),
        count => format!("  {count} prompts"),
    };
    let bytes: u64 = session.journals.iter().map(|it| it.bytes).sum();
    Opening {
        title: format!("{}{prompts}", Clean::line(session.id.short())),
        is_measured: bytes < LARGE,
        ..Opening::default()
    }
}

impl MarkedPage {
    /// Prints what is at a place.
    fn print(&self, place: Place, ui: &Ui) -> Result<(), CliError> {
        let mut out = ui.reading_out();
        self.write_part(self.range_of(place), &mut out)?;
        out.finish()
    }

    fn open(
        &self,
        line: usize,
        target: PagerTarget,
        session: &Session,
        ui: &Ui,
    ) -> Result<(), CliError> {
        let mut out = ui.reading_out_at(Opening {
            line,
            target: Some(target),
            ..opening(session)
        });
        self.write_all(&mut out)?;
        out.finish()
    }
}

/// Prints a line per prompt: its place, when, and its first words. On a terminal they are cut.
fn print_outline(session: &Session, ui: &Ui) -> Result<(), CliError> {
    let prompts = session.messages.iter().filter(|it| it.role == Role::Human);
    if prompts.clone().next().is_none() {
        let error = CliError::nothing("nothing-found", "no numbered prompts in this session");
        return Err(match session.kind {
            Kind::Log => error.hint("only its prompts are left; show without --outline lists them"),
            _ => error,
        });
    }
    let widest = session.counts.human.to_string().len();
    let mut out = ui.reading_out();
    let name = session.id.short();
    let clock = ui.clock();
    for message in prompts {
        let text = Clean::line(message.text.as_str());
        let time = message.time.as_deref();
        let fate = message.superseded_by.filter(|_| !message.is_current());
        let fate = fate.map_or("", |by| by.as_str());
        if !ui.interactive {
            let name = Clean::line(name);
            let time = clock.full(time);
            let state = if fate.is_empty() { "current" } else { fate };
            writeln!(out, "{name}:{}\t{time}\t{state}\t{text}", message.place)?;
            continue;
        }
        let place = format!("{:>widest$}", message.place.to_string());
        let when = clock.short(time);
        let mark = if fate.is_empty() { " " } else { "~" };
        let used = width(&place) + 2 + width(&when) + 2 + 2;
        let line = format!(
            "{mark} {}  {}  {}",
            out.styled(ID, &place),
            out.styled(DIM, &when),
            shorten(&text, ui.columns.saturating_sub(used).max(10)),
        );
        writeln!(out, "{}", line.trim_end())?;
    }
    if ui.interactive {
        let how = format!(
            "\ngemtrail show {}:N reads on from there",
            Clean::line(name)
        );
        writeln!(out, "{}", out.styled(DIM, &how))?;
    }
    out.finish()
}

/// The number of messages around a place that are read to draw it: one of them is nearly always shown.
const AROUND: usize = 4;

/// A place with enough of its session to show it.
struct PlacedPart {
    part: SessionPart,
    place: Place,
}

/// Reads it. `None` if the whole session is needed, or easily read.
fn read_part(
    library: &Library,
    named: &Named,
    place: Place,
    args: &ShowArgs,
    ui: &Ui,
) -> Option<PlacedPart> {
    let Named::Session(reference) = named else {
        return None;
    };
    if !ui.json && (args.outline || ui.can_open_at()) {
        return None;
    }
    let (around, detail) = if ui.json {
        (0, ReadDetail::Document)
    } else {
        (AROUND, ReadDetail::Words)
    };
    let part = library.read_part(*reference, &WantedPart::At(place, around), detail)?;
    part.session.at(place)?;
    let part = PlacedPart { part, place };
    (ui.json || part.is_enough(args, ui)).then_some(part)
}

impl PlacedPart {
    /// True if it is drawn as in the whole session.
    fn is_enough(&self, args: &ShowArgs, ui: &Ui) -> bool {
        let SessionPart { session, .. } = &self.part;
        let view = View::new(args, session, Some(self.place), ui);
        let presentation = Presentation::new(session, &view.options);
        presentation.is_drawn_as_in_whole(self.place, self.around())
    }

    /// Its surroundings in the whole session.
    fn around(&self) -> ExcerptSurroundings {
        ExcerptSurroundings {
            before: self.part.first,
            ends: self.part.is_last(),
            latest_before: self.part.latest_before,
        }
    }

    /// Prints what is at the place.
    fn print(mut self, args: &ShowArgs, ui: &Ui) -> Result<(), CliError> {
        let (around, place) = (self.around(), self.place);
        let session = &mut self.part.session;
        if ui.json {
            session.narrow(place);
            return ui.print_document(session);
        }
        let view = View::new(args, session, Some(place), ui);
        let presentation = Presentation::new(session, &view.options).of_excerpt(around);
        view.page(&presentation, None, ui)?.print(place, ui)
    }
}
