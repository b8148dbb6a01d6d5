//! Reads one place of a long session, and not the rest.

use gemtrail_core::model::Place;
use gemtrail_export::present::{ExcerptSurroundings, Presentation};
use gemtrail_store::{Library, Named, ReadDetail, SessionPart, WantedPart};

use super::{ShowArgs, View};
use crate::error::CliError;
use crate::ui::Ui;

/// The number of messages around a place that are read to draw it: one of them is nearly always shown.
const AROUND: usize = 4;

/// A place with enough of its session to show it.
pub(super) struct PlacedPart {
    part: SessionPart,
    place: Place,
}

/// Reads it. `None` if the whole session is needed, or easily read.
pub(super) fn read(
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
    pub(super) fn print(mut self, args: &ShowArgs, ui: &Ui) -> Result<(), CliError> {
        let (around, place) = (self.around(), self.place);
        let session = &mut self.part.session;
        if ui.json {
            session.narrow(place);
            let mut out = ui.out();
            Ui::json_document(&mut out, session)?;
            return out.finish();
        }
        let view = View::new(args, session, Some(place), ui);
        let presentation = Presentation::new(session, &view.options).of_excerpt(around);
        view.page(&presentation, None, ui)?.print(place, ui)
    }
}
