//! Turns off the deletion of sessions, which also avoids deletions by mistake: some versions remove
//! a session that was resumed in a later minute.

use super::{Target, read};
use crate::error::SetupError;
use crate::jsonc;
use crate::plan::{Action, Part, Standing, Step};
use crate::receipt::Receipt;

/// The key that turns deletion on and off.
pub(crate) const KEYS: [&str; 3] = ["general", "sessionRetention", "enabled"];
const ALONE: &str =
    "{\n  \"general\": {\n    \"sessionRetention\": {\n      \"enabled\": false\n    }\n  }\n}\n";

/// The edit of the user's settings, which changes that one key.
pub(super) fn step(target: &Target, receipt: &Receipt) -> Result<Option<Step>, SetupError> {
    let path = target.gemini.join("settings.json");
    let Some(bytes) = read(&path)? else {
        return Ok(Some(Step {
            part: Part::Retention,
            path,
            action: Action::Write {
                content: ALONE.to_owned(),
            },
            standing: Standing::New,
            note: None,
        }));
    };
    let refused = |what: String| SetupError::Settings {
        path: path.clone(),
        what,
    };
    let text = String::from_utf8(bytes).map_err(|_| refused("it is not UTF-8".to_owned()))?;
    let edit = jsonc::set(&text, &KEYS, "false").map_err(refused)?;
    let is_ours =
        receipt.wrote(&path, text.as_bytes()) || receipt.edits.iter().any(|edit| edit.path == path);
    // Without an edit it is off already: by setup, or by the person, whose setting is not touched.
    let standing = if edit.is_some() {
        Standing::New
    } else {
        Standing::Done
    };
    let (at, old, new) = edit.map_or_else(Default::default, |edit| (edit.at, edit.old, edit.new));
    let action = Action::Edit { at, old, new };
    let note = (standing == Standing::Done && !is_ours).then(|| "it was off before".to_owned());
    Ok(Some(Step {
        part: Part::Retention,
        path,
        action,
        standing,
        note,
    }))
}
