//! The record schema in both versions, as one table.
//!
//! Version 3.0.0-draft has open maps, except for file attribution and trace metadata. In version
//! 2.0.0-draft all maps are closed, and what the schema does not name goes into `vendor-ext`.

use super::Schema;
use super::table::MemberPresence::{Absent, Optional, Required};
use super::table::ValueShape::{
    Any, AnyMap, Bool, Count, List, Map as Of, Number, Tagged as ByType, Text, Time, Word,
};

/// The type of a value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ValueShape {
    /// Anything, null included.
    Any,
    /// Text.
    Text,
    /// One of these words.
    Word(&'static [&'static str]),
    /// `true` or `false`.
    Bool,
    /// A non-negative integer.
    Count,
    /// Any number.
    Number,
    /// RFC 3339 text or a number; in version 3 that number is a [`ValueShape::Count`].
    Time,
    /// An object with any members.
    AnyMap,
    /// An object of this shape.
    Map(&'static Map),
    /// An array of such values.
    List(&'static ValueShape),
    /// An object whose `type` decides its shape.
    Tagged(&'static Tagged),
}

/// Objects distinguished by their `type`.
#[derive(Debug)]
pub(crate) struct Tagged {
    /// The known types.
    pub(super) variants: &'static [(&'static str, &'static Map)],
    /// The shape of any other type, which only version 2 allows.
    pub(super) other_in_v2: &'static Map,
}

/// An object with named members.
#[derive(Debug)]
pub(crate) struct Map {
    /// Its members, in groups because many shapes share some.
    members: &'static [&'static [MemberRule]],
    /// True if version 3 allows other members.
    is_open: bool,
    /// True if version 2 has a member for extensions.
    is_extensible: bool,
}

impl Map {
    /// The members that this version names.
    pub(super) fn members(&self, schema: Schema) -> impl Iterator<Item = &'static MemberRule> {
        let extension = self.is_extensible.then_some(&EXTENSION);
        let members = self.members.iter().copied().flatten();
        extension
            .into_iter()
            .chain(members)
            .filter(move |member| member.presence(schema) != Absent)
    }

    /// True if this version gives the name a meaning here.
    pub(crate) fn names(&self, schema: Schema, name: &str) -> bool {
        self.members(schema).any(|member| member.name == name)
    }

    /// True if this version allows members that it does not name.
    pub(super) fn is_open(&self, schema: Schema) -> bool {
        self.is_open && schema == Schema::V3
    }
}

/// One named member. If it is present, it is not null.
#[derive(Debug)]
pub(super) struct MemberRule {
    pub(super) name: &'static str,
    pub(super) shape: ValueShape,
    v2: MemberPresence,
    v3: MemberPresence,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum MemberPresence {
    Required,
    Optional,
    Absent,
}

impl MemberRule {
    /// True if this version requires it.
    pub(super) fn is_required(&self, schema: Schema) -> bool {
        self.presence(schema) == Required
    }

    fn presence(&self, schema: Schema) -> MemberPresence {
        match schema {
            Schema::V2 => self.v2,
            Schema::V3 => self.v3,
        }
    }

    const fn in_v2(self, v2: MemberPresence) -> Self {
        Self { v2, ..self }
    }

    const fn in_v3(self, v3: MemberPresence) -> Self {
        Self { v3, ..self }
    }
}

pub(super) const fn required(name: &'static str, shape: ValueShape) -> MemberRule {
    MemberRule {
        name,
        shape,
        v2: Required,
        v3: Required,
    }
}

pub(super) const fn optional(name: &'static str, shape: ValueShape) -> MemberRule {
    required(name, shape).in_v2(Optional).in_v3(Optional)
}

/// An object that version 3 leaves open and version 2 extends in `vendor-ext`.
const fn extensible(members: &'static [&'static [MemberRule]]) -> Map {
    Map {
        members,
        is_open: true,
        is_extensible: true,
    }
}

/// An object that version 3 leaves open.
pub(super) const fn open(members: &'static [&'static [MemberRule]]) -> Map {
    Map {
        is_extensible: false,
        ..extensible(members)
    }
}

/// An object that has no members but these.
const fn closed(members: &'static [&'static [MemberRule]]) -> Map {
    Map {
        is_open: false,
        ..open(members)
    }
}

/// The member that holds extensions.
static EXTENSION: MemberRule = optional("vendor-ext", Of(&VENDOR_EXTENSION)).in_v3(Absent);

static VENDOR_EXTENSION: Map = closed(&[&[
    required("vendor", Text),
    optional("version", Text),
    optional("data", AnyMap),
]]);

pub(super) static RECORD: Map = open(&[&[
    required("version", Text),
    required("id", Text),
    required("session", Of(&SESSION)).in_v2(Optional),
    optional("created", Time),
    optional("file-attribution", Of(&FILE_ATTRIBUTION)),
    optional("vcs", Of(&VCS)),
    optional("recording-agent", Of(&RECORDING_AGENT)),
    optional("metadata", Of(&VENDOR_EXTENSION)).in_v3(Absent),
]]);

/// Interactive and autonomous sessions; in version 2 the latter may have a task.
pub(crate) static SESSION: Map = extensible(&[&[
    optional("format", Text).in_v2(Absent),
    required("format", Word(&["interactive", "autonomous"])).in_v3(Absent),
    required("session-id", Text),
    optional("session-start", Time),
    optional("session-end", Time),
    required("agent-meta", Of(&AGENT_META)),
    optional("environment", Of(&ENVIRONMENT)),
    required("entries", List(&ENTRY)),
    optional("task-description", Text).in_v3(Absent),
    optional("task-result", Text).in_v3(Absent),
]]);

static AGENT_META: Map = extensible(&[&[
    required("model-id", Text),
    required("model-provider", Text),
    optional("models", List(&Text)),
    optional("cli-name", Text),
    optional("cli-version", Text),
]]);

static RECORDING_AGENT: Map = open(&[&[
    required("name", Text).in_v2(Optional),
    optional("version", Text),
]]);

static ENVIRONMENT: Map = extensible(&[&[
    required("working-dir", Text).in_v2(Optional),
    optional("vcs", Of(&VCS)),
    optional("sandboxes", List(&Text)),
]]);

static VCS: Map = extensible(&[&[
    required("type", Text).in_v2(Optional),
    optional("revision", Text),
    optional("branch", Text),
    optional("repository", Text),
]]);

static ENTRY: ValueShape = ByType(&Tagged {
    variants: &[
        ("user", &USER),
        ("assistant", &ASSISTANT),
        ("tool-call", &TOOL_CALL),
        ("tool-result", &TOOL_RESULT),
        ("reasoning", &REASONING),
        ("system-event", &EVENT),
    ],
    other_in_v2: &VENDOR_ENTRY,
});

/// The members that every entry may have.
static COMMON: &[MemberRule] = &[
    required("type", Text),
    optional("timestamp", Time),
    optional("id", Text),
    optional("session-id", Text).in_v3(Absent),
    optional("children", List(&ENTRY)),
];

static USER: Map = extensible(&[
    COMMON,
    &[
        optional("content", Any),
        optional("model-id", Text).in_v2(Absent),
        optional("parent-id", Text),
        optional("token-usage", Of(&TOKEN_USAGE)).in_v2(Absent),
    ],
]);

pub(crate) static ASSISTANT: Map = extensible(&[
    COMMON,
    &[
        optional("content", Any),
        optional("model-id", Text),
        optional("stop-reason", Text).in_v3(Absent),
        optional("parent-id", Text),
        optional("token-usage", Of(&TOKEN_USAGE)),
    ],
]);

pub(crate) static TOOL_CALL: Map = extensible(&[
    COMMON,
    &[
        required("name", Text),
        required("input", Any),
        optional("call-id", Text),
        optional("contributor", Of(&CONTRIBUTOR)).in_v3(Absent),
    ],
]);

static TOOL_RESULT: Map = extensible(&[
    COMMON,
    &[
        required("output", Any),
        optional("call-id", Text),
        optional("status", Text),
        optional("is-error", Bool),
    ],
]);

pub(crate) static REASONING: Map = extensible(&[
    COMMON,
    &[
        required("content", Any).in_v2(Optional),
        optional("encrypted", Text),
        optional("subject", Text),
    ],
]);

pub(crate) static EVENT: Map = extensible(&[
    COMMON,
    &[
        required("event-type", Text),
        optional("data", AnyMap).in_v2(Absent),
        optional("data", Of(&VENDOR_EXTENSION)).in_v3(Absent),
    ],
]);

static VENDOR_ENTRY: Map = closed(&[COMMON, &[required("vendor-ext", Of(&VENDOR_EXTENSION))]]);

pub(crate) static TOKEN_USAGE: Map = extensible(&[&[
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

/// Ranges and contributors are the only maps whose names have underscores in version 2.
static RANGE: Map = closed(&[&[
    required("start-line", Count).in_v2(Absent),
    required("start_line", Count).in_v3(Absent),
    required("end-line", Count).in_v2(Absent),
    required("end_line", Count).in_v3(Absent),
    optional("content-hash", Text).in_v2(Absent),
    optional("content_hash", Text).in_v3(Absent),
    optional("content-hash-alg", Text).in_v2(Absent),
    optional("content_hash_alg", Text).in_v3(Absent),
    optional("contributor", Of(&CONTRIBUTOR)),
]]);

static CONTRIBUTOR: Map = closed(&[&[
    required("type", Word(&["human", "ai", "mixed", "unknown"])),
    optional("model-id", Text).in_v2(Absent),
    optional("model_id", Text).in_v3(Absent),
]]);

static RESOURCE: Map = closed(&[&[required("type", Text), required("url", Text)]]);

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
