//! Version 3.0.0-draft: open maps, except file attribution and trace metadata.

use super::shape::Shape::{
    Any, AnyMap, Bool, Count, List, Map as Of, Number, Tagged as ByType, Text, Time, Word,
};
use super::shape::{Map, Member, Shape, Tagged, closed, open, optional, required};

pub(crate) static RECORD: Map = open(&[&[
    required("version", Text),
    required("id", Text),
    required("session", Of(&SESSION)),
    optional("created", Time),
    optional("file-attribution", Of(&FILE_ATTRIBUTION)),
    optional("vcs", Of(&VCS)),
    optional("recording-agent", Of(&RECORDING_AGENT)),
]]);

pub(crate) static SESSION: Map = open(&[&[
    optional("format", Text),
    required("session-id", Text),
    optional("session-start", Time),
    optional("session-end", Time),
    required("agent-meta", Of(&AGENT_META)),
    optional("environment", Of(&ENVIRONMENT)),
    required("entries", List(&ENTRY)),
]]);

static AGENT_META: Map = open(&[&[
    required("model-id", Text),
    required("model-provider", Text),
    optional("models", List(&Text)),
    optional("cli-name", Text),
    optional("cli-version", Text),
]]);

static RECORDING_AGENT: Map = open(&[&[required("name", Text), optional("version", Text)]]);

static ENVIRONMENT: Map = open(&[&[
    required("working-dir", Text),
    optional("vcs", Of(&VCS)),
    optional("sandboxes", List(&Text)),
]]);

static VCS: Map = open(&[&[
    required("type", Text),
    optional("revision", Text),
    optional("branch", Text),
    optional("repository", Text),
]]);

static ENTRY: Shape = ByType(&ENTRY_TYPES);

static ENTRY_TYPES: Tagged = Tagged {
    variants: &[
        ("user", &MESSAGE),
        ("assistant", &MESSAGE),
        ("tool-call", &TOOL_CALL),
        ("tool-result", &TOOL_RESULT),
        ("reasoning", &REASONING),
        ("system-event", &EVENT),
    ],
    other: None,
};

/// What every entry may have.
static COMMON: [Member; 4] = [
    required("type", Text),
    optional("timestamp", Time),
    optional("id", Text),
    optional("children", List(&ENTRY)),
];

pub(crate) static MESSAGE: Map = open(&[
    &COMMON,
    &[
        optional("content", Any),
        optional("model-id", Text),
        optional("parent-id", Text),
        optional("token-usage", Of(&TOKEN_USAGE)),
    ],
]);

pub(crate) static TOOL_CALL: Map = open(&[
    &COMMON,
    &[
        required("name", Text),
        required("input", Any),
        optional("call-id", Text),
    ],
]);

static TOOL_RESULT: Map = open(&[
    &COMMON,
    &[
        required("output", Any),
        optional("call-id", Text),
        optional("status", Text),
        optional("is-error", Bool),
    ],
]);

pub(crate) static REASONING: Map = open(&[
    &COMMON,
    &[
        required("content", Any),
        optional("encrypted", Text),
        optional("subject", Text),
    ],
]);

pub(crate) static EVENT: Map = open(&[
    &COMMON,
    &[required("event-type", Text), optional("data", AnyMap)],
]);

pub(crate) static TOKEN_USAGE: Map = open(&[&[
    optional("input", Count),
    optional("output", Count),
    optional("cached", Count),
    optional("reasoning", Count),
    optional("total", Count),
    optional("cost", Number),
]]);

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

static RANGE: Map = closed(&[&[
    required("start-line", Count),
    required("end-line", Count),
    optional("content-hash", Text),
    optional("content-hash-alg", Text),
    optional("contributor", Of(&CONTRIBUTOR)),
]]);

static CONTRIBUTOR: Map = closed(&[&[
    required("type", Word(&["human", "ai", "mixed", "unknown"])),
    optional("model-id", Text),
]]);

pub(super) static RESOURCE: Map = closed(&[&[required("type", Text), required("url", Text)]]);

/// The unprotected header of a signed record.
pub(crate) static TRACE_METADATA: Map = closed(&[&[
    required("session-id", Text),
    required("agent-vendor", Text),
    required("trace-format", Text),
    required("timestamp-start", Time),
    optional("timestamp-end", Time),
    optional("content-hash", Text),
    optional("content-hash-alg", Text),
]]);
