//! The types of steps, their names and statuses.

use gemtrail_core::model::CallStatus;

/// The part that steps of a type play in a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StepPart {
    /// Typed by the person.
    Input,
    /// Answered by the model.
    Answer,
    /// An error, of a call or of the conversation.
    Error,
    /// A summary that stands for earlier steps.
    Checkpoint,
    /// Injected by the engine.
    Notice,
    /// The execution of a call.
    Tool,
}

/// One type of step.
#[derive(Debug)]
pub(crate) struct StepType {
    /// Its number in databases.
    pub(crate) number: u64,
    /// Its name in transcripts.
    pub(crate) name: &'static str,
    /// The field of a step that holds what is peculiar to the type.
    pub(crate) payload: u32,
    pub(crate) part: StepPart,
}

const fn step(number: u64, name: &'static str, payload: u32, part: StepPart) -> StepType {
    StepType {
        number,
        name,
        payload,
        part,
    }
}

/// Every type that is read. Others are kept as they are.
const TYPES: &[StepType] = &[
    step(2, "FINISH", 12, StepPart::Tool),
    step(5, "CODE_ACTION", 10, StepPart::Tool),
    step(7, "GREP_SEARCH", 13, StepPart::Tool),
    step(8, "VIEW_FILE", 14, StepPart::Tool),
    step(9, "LIST_DIRECTORY", 15, StepPart::Tool),
    step(14, "USER_INPUT", 19, StepPart::Input),
    step(15, "PLANNER_RESPONSE", 20, StepPart::Answer),
    step(17, "ERROR_MESSAGE", 24, StepPart::Error),
    step(21, "RUN_COMMAND", 28, StepPart::Tool),
    step(23, "CHECKPOINT", 30, StepPart::Checkpoint),
    step(25, "FIND", 34, StepPart::Tool),
    step(28, "COMMAND_STATUS", 37, StepPart::Tool),
    step(31, "READ_URL_CONTENT", 40, StepPart::Tool),
    step(33, "SEARCH_WEB", 42, StepPart::Tool),
    step(38, "MCP_TOOL", 47, StepPart::Tool),
    step(90, "EPHEMERAL_MESSAGE", 103, StepPart::Notice),
    step(98, "CONVERSATION_HISTORY", 111, StepPart::Notice),
    step(101, "SYSTEM_MESSAGE", 114, StepPart::Notice),
    step(103, "AGENCY_TOOL_CALL", 116, StepPart::Tool),
    step(127, "INVOKE_SUBAGENT", 143, StepPart::Tool),
    step(132, "GENERIC", 140, StepPart::Tool),
    step(138, "ASK_QUESTION", 154, StepPart::Tool),
    step(139, "DIRECTORY_RULES", 156, StepPart::Notice),
];

impl StepType {
    /// The type of that number.
    pub(crate) fn numbered(number: u64) -> Option<&'static Self> {
        TYPES.iter().find(|it| it.number == number)
    }

    /// The type of that name.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        TYPES.iter().find(|it| it.name == name)
    }
}

/// The status of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Done,
    Failed,
    Cancelled,
    /// Not ended, with the word for how far it is.
    Open(&'static str),
    /// Taken out of the conversation; by whom is not known.
    Cleared,
    /// A number that this version does not know.
    Unknown,
}

/// Numbers and names of statuses.
const STATUSES: &[(u64, &str, Status)] = &[
    (0, "UNSPECIFIED", Status::Open("unspecified")),
    (1, "PENDING", Status::Open("pending")),
    (2, "RUNNING", Status::Open("running")),
    (3, "DONE", Status::Done),
    (4, "INVALID", Status::Failed),
    (5, "CLEARED", Status::Cleared),
    (6, "CANCELED", Status::Cancelled),
    (7, "ERROR", Status::Failed),
    (8, "GENERATING", Status::Open("generating")),
    (9, "WAITING", Status::Open("waiting")),
    (11, "QUEUED", Status::Open("queued")),
    (12, "INTERRUPTED", Status::Cancelled),
];

impl Status {
    pub(crate) fn numbered(number: u64) -> Self {
        let row = STATUSES.iter().find(|row| row.0 == number);
        row.map_or(Self::Unknown, |row| row.2)
    }

    pub(crate) fn named(name: &str) -> Self {
        let row = STATUSES.iter().find(|row| row.1 == name);
        row.map_or(Self::Unknown, |row| row.2)
    }

    /// The status of a call that such a step ends.
    pub(crate) fn of_call(self) -> Option<CallStatus> {
        match self {
            Self::Done => Some(CallStatus::Success),
            Self::Failed => Some(CallStatus::Error),
            Self::Cancelled => Some(CallStatus::Cancelled),
            Self::Open(_) | Self::Cleared | Self::Unknown => None,
        }
    }

    /// The word for it, unless the step is simply done.
    pub(crate) fn word(self) -> Option<&'static str> {
        match self {
            Self::Done => None,
            Self::Failed => Some("error"),
            Self::Cancelled => Some("cancelled"),
            Self::Open(word) => Some(word),
            Self::Cleared => Some("cleared"),
            Self::Unknown => Some("unknown"),
        }
    }
}
