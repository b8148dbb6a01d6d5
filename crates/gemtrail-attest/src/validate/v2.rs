//! Version 2.0.0-draft: closed maps; what the schema does not name goes into `vendor-ext`.

use super::shape::Shape::{
    Any, AnyMap, Bool, Count, List, LooseTime, Map as Of, Number, Tagged as ByType, Text, Word,
};
use super::shape::{Map, Member, Shape, Tagged, closed, optional, required};
use super::v3::RESOURCE;

/// The member that holds extensions.
const EXTENSIBLE: &[Member] = &[optional("vendor-ext", Of(&VENDOR_EXTENSION))];

pub(crate) static RECORD: Map = closed(&[&[
    required("version", Text),
    required("id", Text),
    optional("created", LooseTime),
    optional("session", Of(&SESSION)),
    optional("file-attribution", Of(&FILE_ATTRIBUTION)),
    optional("vcs", Of(&VCS)),
    optional("recording-agent", Of(&RECORDING_AGENT)),
    optional("metadata", Of(&VENDOR_EXTENSION)),
]]);

/// Interactive and autonomous sessions in one; the latter have two more members in the schema.
static SESSION: Map = closed(&[
    EXTENSIBLE,
    &[
        required("format", Word(&["interactive", "autonomous"])),
        required("session-id", Text),
        optional("session-start", LooseTime),
        optional("session-end", LooseTime),
        required("agent-meta", Of(&AGENT_META)),
        optional("environment", Of(&ENVIRONMENT)),
        required("entries", List(&ENTRY)),
        optional("task-description", Text),
        optional("task-result", Text),
    ],
]);

static AGENT_META: Map = closed(&[
    EXTENSIBLE,
    &[
        required("model-id", Text),
        required("model-provider", Text),
        optional("models", List(&Text)),
        optional("cli-name", Text),
        optional("cli-version", Text),
    ],
]);

static RECORDING_AGENT: Map = closed(&[&[optional("name", Text), optional("version", Text)]]);

static ENVIRONMENT: Map = closed(&[
    EXTENSIBLE,
    &[
        optional("working-dir", Text),
        optional("vcs", Of(&VCS)),
        optional("sandboxes", List(&Text)),
    ],
]);

static VCS: Map = closed(&[
    EXTENSIBLE,
    &[
        optional("type", Text),
        optional("revision", Text),
        optional("branch", Text),
        optional("repository", Text),
    ],
]);

static ENTRY: Shape = ByType(&ENTRY_TYPES);

static ENTRY_TYPES: Tagged = Tagged {
    variants: &[
        ("user", &USER),
        ("assistant", &ASSISTANT),
        ("tool-call", &TOOL_CALL),
        ("tool-result", &TOOL_RESULT),
        ("reasoning", &REASONING),
        ("system-event", &EVENT),
    ],
    other: Some(&VENDOR_ENTRY),
};

/// What every entry may have.
static COMMON: [Member; 5] = [
    required("type", Text),
    optional("timestamp", LooseTime),
    optional("id", Text),
    optional("session-id", Text),
    optional("children", List(&ENTRY)),
];

static USER: Map = closed(&[
    &COMMON,
    EXTENSIBLE,
    &[optional("content", Any), optional("parent-id", Text)],
]);

static ASSISTANT: Map = closed(&[
    &COMMON,
    EXTENSIBLE,
    &[
        optional("content", Any),
        optional("model-id", Text),
        optional("stop-reason", Text),
        optional("token-usage", Of(&TOKEN_USAGE)),
        optional("parent-id", Text),
    ],
]);

static TOOL_CALL: Map = closed(&[
    &COMMON,
    EXTENSIBLE,
    &[
        optional("call-id", Text),
        required("name", Text),
        required("input", Any),
        optional("contributor", Of(&CONTRIBUTOR)),
    ],
]);

static TOOL_RESULT: Map = closed(&[
    &COMMON,
    EXTENSIBLE,
    &[
        optional("call-id", Text),
        required("output", Any),
        optional("status", Text),
        optional("is-error", Bool),
    ],
]);

static REASONING: Map = closed(&[
    &COMMON,
    EXTENSIBLE,
    &[
        optional("content", Any),
        optional("encrypted", Text),
        optional("subject", Text),
    ],
]);

static EVENT: Map = closed(&[
    &COMMON,
    EXTENSIBLE,
    &[
        required("event-type", Text),
        optional("data", Of(&VENDOR_EXTENSION)),
    ],
]);

static VENDOR_ENTRY: Map = closed(&[&COMMON, &[required("vendor-ext", Of(&VENDOR_EXTENSION))]]);

static VENDOR_EXTENSION: Map = closed(&[&[
    required("vendor", Text),
    optional("version", Text),
    optional("data", AnyMap),
]]);

static TOKEN_USAGE: Map = closed(&[
    EXTENSIBLE,
    &[
        optional("input", Count),
        optional("output", Count),
        optional("cached", Count),
        optional("reasoning", Count),
        optional("total", Count),
        optional("cost", Number),
    ],
]);

static FILE_ATTRIBUTION: Map = closed(&[&[required("files", List(&Of(&FILE)))]]);

static FILE: Map = closed(&[&[
    required("path", Text),
    required("conversations", List(&Of(&CONVERSATION))),
]]);

static CONVERSATION: Map = closed(&[&[
    optional("url", Text),
    optional("contributor", Of(&CONTRIBUTOR)),
    required("ranges", List(&Of(&RANGE))),
    optional("related", List(&Of(&RESOURCE))),
]]);

/// Ranges and contributors are the only members of this version with underscores.
static RANGE: Map = closed(&[&[
    required("start_line", Count),
    required("end_line", Count),
    optional("content_hash", Text),
    optional("content_hash_alg", Text),
    optional("contributor", Of(&CONTRIBUTOR)),
]]);

static CONTRIBUTOR: Map = closed(&[&[
    required("type", Word(&["human", "ai", "mixed", "unknown"])),
    optional("model_id", Text),
]]);
