//! What a scenario took out of the conversation, for the versions whose files say so.

use super::{Effect, FIRST, LATER, Quirk};
use crate::fixtures::Version;

const CART: &str = "Tell me about the cart.";
const TAX: &str = "And what about tax.";
const GREETING: &str = "Write a greeting file.";
const STORY: &str = "Tell me a slow story.";
const SLOW_NOTES: &str = "Read the notes and then be slow.";
const FAILURE: &str = "Fail at once please.";

/// Since this version journals are logs, and what was rewound stays in them.
const LOGS: Version = Version(0, 39, 0);
/// Since this version the history is rewritten as a checkpoint whenever it changes.
const CHECKPOINTS: Version = Version(0, 44, 0);
/// Since this version a prompt that failed or was cancelled while it was answered is taken back.
const ROLLBACK: Version = Version(0, 54, 4);
/// Since this version a prompt is taken back if a call that it led to was not allowed.
const DENIAL_ROLLBACK: Version = Version(0, 57, 0);

const REWOUND: &str = "the person went back to before this prompt with /rewind";
const COMPRESSED: &str = "/compress replaced it by a snapshot; the kept tail is current";
const SPLIT: &str =
    "up to 0.24 /compress opened a new file in a new minute; the earlier one is over";
const RESUMED: &str = "/chat resume went back to a checkpoint saved before this prompt";
const RESTORED: &str = "/restore went back to before the call was answered";
const CANCELLED: &str = "a cancelled prompt is rolled back with all its answers";
const DENIED: &str = "a prompt whose call was denied is rolled back with all its answers";
const FAILED: &str = "a failed prompt is rolled back";

pub(super) const STATES: &[Quirk] = &[
    out(&["tui_rewind"], LOGS, TAX, "rewind", REWOUND),
    out(&["tui_rewind"], LOGS, GREETING, "rewind", REWOUND),
    out(&["tui_rewind_first"], LOGS, CART, "rewind", REWOUND),
    out(&["tui_rewind_first"], LOGS, TAX, "rewind", REWOUND),
    out(
        &["tui_compress", "tui_compress_resume", "tui_compress_twice"],
        CHECKPOINTS,
        CART,
        "compress",
        COMPRESSED,
    ),
    out(
        &["tui_compress_twice"],
        CHECKPOINTS,
        TAX,
        "compress",
        COMPRESSED,
    ),
    out(
        &["tui_compress_twice"],
        CHECKPOINTS,
        GREETING,
        "compress",
        COMPRESSED,
    ),
    Quirk {
        since: Version(0, 15, 4),
        until: Version(0, 15, 5),
        ..out(&["tui_compress"], FIRST, CART, "compress", SPLIT)
    },
    Quirk {
        since: Version(0, 15, 4),
        until: Version(0, 15, 5),
        ..out(&["tui_compress"], FIRST, TAX, "compress", SPLIT)
    },
    out(&["tui_resume_tag"], CHECKPOINTS, TAX, "resume", RESUMED),
    Quirk {
        since: CHECKPOINTS,
        until: LATER,
        scenarios: &["tui_restore"],
        effect: Effect::Superseded {
            prompt: GREETING,
            from: 2,
            by: "restore",
        },
        reason: RESTORED,
    },
    out(
        &["tui_cancel"],
        DENIAL_ROLLBACK,
        GREETING,
        "rollback",
        DENIED,
    ),
    out(
        &["tui_cancel_stream", "tui_cancel_early"],
        ROLLBACK,
        STORY,
        "rollback",
        CANCELLED,
    ),
    out(
        &["tui_cancel_after_tool"],
        ROLLBACK,
        SLOW_NOTES,
        "rollback",
        CANCELLED,
    ),
    out(
        &["tui_error_rollback"],
        ROLLBACK,
        FAILURE,
        "rollback",
        FAILED,
    ),
];

/// A prompt that is superseded, with everything that followed it.
const fn out(
    scenarios: &'static [&'static str],
    since: Version,
    prompt: &'static str,
    by: &'static str,
    reason: &'static str,
) -> Quirk {
    Quirk {
        since,
        until: LATER,
        scenarios,
        effect: Effect::Superseded {
            prompt,
            from: 0,
            by,
        },
        reason,
    }
}
