//! `show`: a session to read, or as data.

mod outline;
mod page;
mod part;

use gemtrail_core::model::{Place, Role, Session};
use gemtrail_export::Selection;
use gemtrail_export::plain::{self, Details, Layout};
use gemtrail_export::present::{Options, Presentation, ToolDetail};
use gemtrail_store::ReadDetail;

use super::args::ShowArgs;
use super::context::Context;
use super::{chosen_format, session};
use crate::error::CliError;
use crate::pager::{Opening, PagerTarget};
use crate::text::{Clean, plural};
use crate::ui::Ui;
use page::{Inked, MarkedPage};

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
        && let Some(part) = part::read(&library, &named, place, args, ui)
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
        let mut out = ui.out();
        Ui::json_document(&mut out, &session)?;
        return out.finish();
    }
    if args.outline {
        return outline::print(&session, ui);
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
            ui.note(&format!(
                "hint: --subagents also shows what {agents} did for it"
            ));
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
            let hint = "gemtrail search looks through all sessions";
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
    Opening {
        title: format!("{}{prompts}", Clean::line(session.id.short())),
        is_measured: session.journals.iter().map(|it| it.bytes).sum::<u64>() < LARGE,
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
