//! Turns off the deletion of sessions, which also avoids deletions by mistake: some versions remove
//! a session that was resumed in a later minute.

use super::{Part, Target, read};
use crate::error::SetupError;
use crate::receipt::Receipt;
use crate::{Action, Standing, Step, jsonc};

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
    let (action, standing) = match edit {
        Some(edit) => {
            let action = Action::Edit {
                at: edit.at,
                old: edit.old,
                new: edit.new,
            };
            (action, Standing::New)
        }
        // Off already: by setup, or by the person, whose setting is not touched.
        None => {
            let action = Action::Edit {
                at: 0,
                old: String::new(),
                new: String::new(),
            };
            (action, Standing::Done)
        }
    };
    let note = (standing == Standing::Done && !is_ours).then(|| "it was off before".to_owned());
    Ok(Some(Step {
        part: Part::Retention,
        path,
        action,
        standing,
        note,
    }))
}
