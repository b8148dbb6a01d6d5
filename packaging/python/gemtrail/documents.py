"""The documents that gemtrail prints as JSON. Made from docs/schema by tools/write_types.py."""
from __future__ import annotations

from typing import Any, Dict, List, Literal, TypedDict


class AntigravityReport(TypedDict):
    """What a program of Antigravity keeps in a home."""

    #: The size of their files.
    bytes: int
    #: Conversations that are read.
    conversations: int
    #: Its directory.
    path: str
    #: Encrypted ones, which are kept as they are.
    sealed: int


class _ArchiveReport(TypedDict):
    #: Its size.
    bytes: int
    #: How much of them it lacks.
    bytes_behind: int
    #: Files on disk that it lacks, or has in an earlier state.
    files_behind: int
    #: Its path.
    path: str
    #: Sessions that it has, without subagents.
    sessions: int
    #: Subagents that it has.
    subagents: int
    #: Whether a process keeps it up to date all the time.
    watched: bool


class ArchiveReport(_ArchiveReport, total=False):
    """The archive, as far as the doctor is concerned."""

    #: When it was last brought up to date; null if that is not known.
    last_sync: str | None


class _AtRisk(TypedDict):
    #: The home.
    home: str
    #: The journals that go.
    journals: List[DoomedJournal]
    #: Its project.
    project: Project
    #: Identifies exactly this session; null if none of its files can be read.
    ref: SessionRef | None
    #: Why.
    risk: Risk
    #: The session.
    session: SessionId


class AtRisk(_AtRisk, total=False):
    """A session that will be deleted."""

    #: Whether the archive has these as they are; null without an archive.
    archived: bool | None
    #: The file whose removal also removes the session; null if its own journal is the cause.
    because_of: str | None
    #: The first start of Gemini CLI in the project after this deletes it; null: the next one does.
    deleted_after: str | None
    #: The session's title.
    title: str | None
    #: When it was last updated.
    updated: str | None


Budget = TypedDict("Budget", {"forecast": "Money", "from": "str", "spent": "Money", "to": "str", "usd": "Money"})


class Bytes(TypedDict):
    """Sizes in bytes."""

    #: Checkpoints and restore points.
    checkpoints: int
    #: Session files, subagents' and unreadable ones included.
    journals: int
    #: Prompt logs and shell histories.
    logs: int
    #: Plans.
    plans: int
    #: Tool outputs.
    tool_outputs: int
    #: All of these.
    total: int


class _ChatMessage(TypedDict):
    #: The words.
    content: str
    #: `user` or `assistant`.
    role: str


class ChatMessage(_ChatMessage, total=False):
    """One element of the array."""

    #: The model that answered; only where answers alone were asked for.
    model: str | None
    #: The time they were recorded.
    timestamp: str | None
    #: The tokens of the request that gave this answer, in total.
    tokens: int | None


class Check(TypedDict):
    """One thing that was looked at."""

    #: The subject: `algorithm`, `signature`, `payload`, or a member of the metadata.
    check: str
    #: The finding, in words.
    detail: str
    #: The result.
    result: CheckResult


class _Choice(TypedDict):
    #: The name of its project as lists show it, with the machine if there are several.
    project: str
    #: Names it and no other.
    ref: SessionRef


class Choice(_Choice, total=False):
    """A session that may be meant."""

    #: Its title.
    title: str | None
    #: The time of its last update.
    updated: str | None


class _Copied(TypedDict):
    #: The duplicate's id.
    id: MessageId


class Copied(_Copied, total=False):
    """A re-identified duplicate of a message."""

    #: The duplicate's time.
    time: str | None


class CopiedFrom(TypedDict):
    """The origin of a message that was said in another session, of which this one is a fork."""

    #: The id of the other session.
    session: SessionId


class _CostDocument(TypedDict):
    #: True if every request has a price.
    complete: bool
    #: The number of requests priced under another name, or by a price of a later day.
    estimated_requests: int
    #: The number of requests that were dearer because of a long prompt.
    long_requests: int
    #: The amount that this added.
    long_surcharge: Money
    #: The amount that the cache saved.
    saved_by_cache: Money
    #: The requests without a price.
    unpriced: List[Unpriced]


class CostDocument(_CostDocument, total=False):
    """The cost of the requests at list price."""

    #: The cost at the other prices, if sources disagree about more than one percent of it.
    other_reading: Money | None
    #: US dollars; null if no request has a price.
    usd: Money | None


class _Counts(TypedDict):
    #: Answers of the model.
    assistant: int
    #: Messages that the person typed.
    human: int
    #: All messages, whatever role and state.
    messages: int
    #: Messages that are no longer current.
    superseded: int
    #: Tool calls.
    tool_calls: int
    #: Calls with status `error`.
    tool_errors: int


class Counts(_Counts, total=False):
    """Numbers of messages and calls."""

    #: Calls that failed for the person: those with status `error`, and those whose response holds an error or whose command exited with a non-zero code.
    tool_failures: int


class _Diagnostic(TypedDict):
    #: The kind of finding.
    code: Code
    #: The finding and what was done about it, in words.
    message: str


class Diagnostic(_Diagnostic, total=False):
    """One finding. Never fatal to anything else, never part of an exit code."""

    #: The byte offset, if the line number is not precise enough.
    byte: int | None
    #: The file, where there is one.
    journal: str | None
    #: The line, counted from 1.
    line: int | None


class _DoomedJournal(TypedDict):
    #: Its path.
    path: str


class DoomedJournal(_DoomedJournal, total=False):
    """A journal that will be deleted."""

    #: A file name under which it would be safe, where another name helps.
    safe_name: str | None


class _Entry(TypedDict):
    #: The speaker.
    role: Speaker
    #: The words; may be empty if only tools were used.
    text: str


class Entry(_Entry, total=False):
    """One turn of the dialogue."""

    #: The time.
    time: str | None
    #: The tools that were used.
    tool_calls: List[TranscriptToolUse]


class _ErrorDocument(TypedDict):
    #: The sessions that may be meant. Only where a name or a query may mean several.
    candidates: List[Choice]
    #: A stable word for scripts.
    code: str
    #: A sentence for people.
    message: str
    #: Always `gemtrail.error/1`.
    schema: str


class ErrorDocument(_ErrorDocument, total=False):
    """An error as data: schema `gemtrail.error/1`, one line on standard error."""

    #: The position of an error in a search query, in characters. Only for errors in a query.
    at: int | None
    #: Advice; null if there is no hint.
    hint: str | None
    #: The length of the faulty part, in characters.
    length: int | None


class _Event(TypedDict):
    #: Always `gemini_cli`.
    harness: str
    #: A UUID that is the same in every export of the session.
    id: str
    #: Always `gemtrail.event/1`.
    schema: Literal["gemtrail.event/1"]
    #: The stem of the session's first file.
    session_id: str
    #: The time, in UTC.
    timestamp: str
    #: The kind.
    type: EventKind


class Event(_Event, total=False):
    """One thing that happened."""

    #: The category of the tool.
    category: str | None
    #: The project's root path, if known.
    cwd: str | None
    #: The words.
    message: str | None
    #: The origin in the session; not for start and end.
    metadata: Metadata | None
    #: True if the person let the tool run.
    permission_granted: bool | None
    #: The tool's arguments, if there are any.
    tool_input: Raw | None
    #: The tool's canonical name.
    tool_name: str | None
    #: The outcome of the call.
    tool_result: ToolOutcome | None


class _Exception(TypedDict):
    #: Whether Gemini CLI deletes anything.
    enabled: bool
    #: The home.
    home: str
    #: The topmost layer of settings that says anything about it.
    source: Layer


class Exception(_Exception, total=False):
    """A home or project with settings of its own."""

    #: Why the settings have no effect, where they are wrong: then nothing is deleted.
    invalid: str | None
    #: How long a session is kept after its last update, for example `30d`.
    max_age: str | None
    #: How many sessions are kept per project.
    max_count: int | None
    #: The project; without it the whole home.
    project: Project | None
    #: The file of that layer.
    source_file: str | None


class Explanation(TypedDict):
    """Leads from what is written in the files to what was billed, and on to what is still there: `as_written − strays − repeated = by_file`, `by_file − doubled + unlined = billed`, and `billed − superseded = live`."""

    #: Every line with counters.
    as_written: Share
    #: Every request once.
    billed: Share
    #: Every message once per file, which is what several other tools count.
    by_file: Share
    #: Messages that another file has too, or the same file under another id: a session that was resumed by a later version, a copied file.
    doubled: Share
    #: Those whose answers are still part of their sessions.
    live: Share
    #: Lines that repeat another line of the same file: a message is rewritten whenever it changes.
    repeated: Share
    #: Lines with counters that belong to no request.
    strays: Share
    #: Those of subagents, which are part of all of these.
    subagents: Share
    #: Those whose answers were taken back, compressed or replaced.
    superseded: Share
    #: Requests that stand on no line of their own: only in a `$set`, or in a damaged line.
    unlined: Share


class _Facets(TypedDict):
    #: Languages of the files that tools were called with.
    languages: List[str]
    #: Tools by how often they were called.
    tools: List[ToolUse]
    #: Prompts of the person, in a subagent's session those of the asking agent.
    turns: int


class Facets(_Facets, total=False):
    """The character of a session."""

    #: From the first to the last thing that happened; null without times.
    duration_seconds: int | None
    #: Failed calls as a fraction of those that succeeded or failed; null if there are none.
    failure_rate: float | None
    #: The outcome; null if nothing was asked, or if a subagent left nothing behind.
    outcome: SessionOutcome | None


class _FileDocument(TypedDict):
    #: The number of times it was written or edited; failed calls are not counted.
    edits: int
    #: The file, relative to the project's root if it is known to be in there.
    path: str
    #: In how many sessions.
    sessions: int


class FileDocument(_FileDocument, total=False):
    """A file that tools changed."""

    #: The project.
    project: str | None
    #: The name of the project for people.
    project_name: str | None


class Footer(TypedDict):
    """The last line."""

    #: The session's counts.
    counts: Counts
    #: The number of message lines before this one.
    lines: int
    #: Always `gemtrail.session-footer/1`.
    schema: Literal["gemtrail.session-footer/1"]
    #: The sum over all requests, subagents excluded.
    tokens: Tokens


class _Hit(TypedDict):
    #: Which part of the message it is.
    field: Field
    #: Where the matches in the snippet start and end, in characters.
    highlights: List[List[int]]
    #: What kind of session it is.
    kind: Kind
    #: The project.
    project: Project
    #: Identifies exactly this session.
    ref: SessionRef
    #: Always `gemtrail.search/1`.
    schema: str
    #: How relevant it is; what `--rank` sorts by.
    score: float
    #: The session's id.
    session: SessionId
    #: The words around the match, on one line.
    snippet: str
    #: The session's file names without their extension.
    stems: List[str]


class Hit(_Hit, total=False):
    """A text that contains everything that was searched for."""

    #: What `gemtrail show` opens there: the reference, or the checkpoint's file, and the place.
    address: str
    #: The tool call.
    call: CallId | None
    #: The file of the checkpoint that contains it, if it is in no session.
    file: str | None
    #: The machine that it was said on, if the archive has sessions of several.
    host: str | None
    #: How it was found.
    match: MatchKind
    #: The message; null for title, summary and prompts that only the log has.
    message: MessageId | None
    #: The session that a subagent worked for.
    parent: SessionId | None
    #: Where the message or the tool call is in the session: `17` is the 17th prompt, `17.5` the fifth item after it. Null where `message` is.
    place: Place | None
    #: Whose words; null for title and summary.
    role: Role | None
    #: The program that wrote the session.
    source: SessionSource
    #: Whether Gemini CLI would still load it; null for prompts that only the log has.
    state: State | None
    #: How the tool call ended.
    status: str | None
    #: What took it out of the conversation, if it is superseded.
    superseded_by: SupersededBy | None
    #: When it was said, as written; else when its session was last updated.
    time: str | None
    #: The session's title.
    title: str | None
    #: The tool, for what tools were called with and answered.
    tool: str | None


class HomeReport(TypedDict):
    """What one home holds."""

    #: Conversations of Antigravity, by the program that held them.
    antigravity: List[AntigravityReport]
    #: How large they are.
    bytes: Bytes
    #: Files of `/chat save`.
    checkpoints: int
    #: The same by the releases that last wrote into them, as far as their content tells.
    eras: Dict[str, int]
    #: Session files, subagents' included, by format: `json`, `jsonl`, `other`, `unknown`.
    journals: Dict[str, int]
    #: Sessions known only from a prompt log.
    logged_only: int
    #: Prompt logs, backups included.
    logs: int
    #: Stores of other tools, which gemtrail does not read.
    other_stores: List[OtherStore]
    #: The `.gemini` directory.
    path: str
    #: Documents written in plan mode.
    plans: int
    #: Projects with a directory in it.
    projects: int
    #: Entries of the prompt logs.
    prompts: int
    #: Files of `/restore`.
    restore_points: int
    #: Main sessions in which something was said.
    sessions: int
    #: Histories of `!` commands.
    shell_histories: int
    #: Main sessions in which nothing was said.
    stubs: int
    #: Sessions of subagents.
    subagents: int
    #: Files that hold the whole output of a tool.
    tool_outputs: int
    #: Journals that Gemini CLI could not load and put aside.
    unreadable_journals: int


class _Journal(TypedDict):
    #: Its size.
    bytes: int
    #: The format, by its content.
    format: Format
    #: Its path.
    path: str


class Journal(_Journal, total=False):
    """One file of a session."""

    #: The digest of its bytes.
    sha256: str | None


class _Logged(TypedDict):
    #: The text.
    text: str


class Logged(_Logged, total=False):
    """Something typed that only the prompt log has."""

    #: The time.
    time: str | None


class _LostSession(TypedDict):
    #: Why it is gone, where the files prove it.
    cause: Cause
    #: Its project.
    project: Project
    #: What was typed.
    prompts: List[Logged]
    #: What is left of it.
    survives: List[Survivor]


class LostSession(_LostSession, total=False):
    """A session that left a trace but no journal."""

    #: Whether the archive has a journal of it; null without an archive.
    archived: bool | None
    #: The earliest trace.
    first: str | None
    #: The latest trace.
    last: str | None
    #: Its id, where a trace tells it.
    session: SessionId | None


class _Marks(TypedDict):
    #: True if it outlives every clean-up.
    pinned: bool
    #: Tags, in order, each once.
    tags: List[str]


class Marks(_Marks, total=False):
    """The marks of a session: none of them is in Gemini CLI's files."""

    #: A note.
    note: str | None
    #: A title of the person's own, which takes the place of every other.
    title: str | None


class _Message(TypedDict):
    #: The id on disk, or one of gemtrail's own (`gemtrail-N`) where there is none.
    id: MessageId
    #: Whose words these are.
    role: Role
    #: True if Gemini CLI would still load it.
    state: State
    #: The words: text parts joined, thoughts left out, trimmed; for the human without references and injected parts.
    text: str
    #: The type on disk: `user`, `gemini`, `info`, …
    type: str


class Message(_Message, total=False):
    """One thing said."""

    #: The content as recorded.
    content: Raw | None
    #: The session that it was copied from, with everything else said before the fork.
    copied_from: CopiedFrom | None
    #: Duplicates under other ids that were folded into this message.
    copies: List[Copied]
    #: The text that the person saw instead of `content`, as recorded.
    display_content: Raw | None
    #: Fields that this version does not know.
    extra: Fields
    #: The journal that has its first record (index into the session's `journals`).
    journal: int | None
    #: The model that answered.
    model: str | None
    #: Its place in the session: `17` is the 17th prompt, `17.5` the fifth item after it. The calls of a message are the items that follow it.
    place: Place
    #: The files that `@path` pulled in.
    references: List[Reference]
    #: Other contents recorded under the same id that hold something this one does not.
    revisions: List[Raw]
    #: The reason an answer ended before its end.
    stop: Stop | None
    #: The reason it left the conversation, if it is superseded.
    superseded_by: SupersededBy | None
    #: The model's reasoning.
    thoughts: List[Thought]
    #: The time it was first recorded, as written.
    time: str | None
    #: The counters of the request.
    tokens: Tokens | None
    #: Tools that the model called.
    tool_calls: List[ToolCall]


class _MessageLine(TypedDict):
    #: The id on disk, or one of gemtrail's own (`gemtrail-N`) where there is none.
    id: MessageId
    #: Whose words these are.
    role: Role
    #: Always `gemtrail.message/1`.
    schema: Literal["gemtrail.message/1"]
    #: True if Gemini CLI would still load it.
    state: State
    #: The words: text parts joined, thoughts left out, trimmed; for the human without references and injected parts.
    text: str
    #: The type on disk: `user`, `gemini`, `info`, …
    type: str


class MessageLine(_MessageLine, total=False):
    """One message with the name of its schema."""

    #: The content as recorded.
    content: Raw | None
    #: The session that it was copied from, with everything else said before the fork.
    copied_from: CopiedFrom | None
    #: Duplicates under other ids that were folded into this message.
    copies: List[Copied]
    #: The text that the person saw instead of `content`, as recorded.
    display_content: Raw | None
    #: Fields that this version does not know.
    extra: Fields
    #: The journal that has its first record (index into the session's `journals`).
    journal: int | None
    #: The model that answered.
    model: str | None
    #: Its place in the session: `17` is the 17th prompt, `17.5` the fifth item after it. The calls of a message are the items that follow it.
    place: Place
    #: The files that `@path` pulled in.
    references: List[Reference]
    #: Other contents recorded under the same id that hold something this one does not.
    revisions: List[Raw]
    #: The reason an answer ended before its end.
    stop: Stop | None
    #: The reason it left the conversation, if it is superseded.
    superseded_by: SupersededBy | None
    #: The model's reasoning.
    thoughts: List[Thought]
    #: The time it was first recorded, as written.
    time: str | None
    #: The counters of the request.
    tokens: Tokens | None
    #: Tools that the model called.
    tool_calls: List[ToolCall]


class _Metadata(TypedDict):
    #: The entry of the conversation, counted from 0; the answers to a message's tool calls are an entry of their own.
    content_index: int
    #: The message's id.
    message_id: str


class Metadata(_Metadata, total=False):
    """The origin of the event in the session."""

    #: The subagent that did the work.
    agent: str | None
    #: The tool call's id.
    call_id: str | None
    #: The MCP server, for MCP tools.
    mcp_server: str | None
    #: The server's own name for the tool, for MCP tools.
    mcp_tool: str | None
    #: The tool's name as recorded.
    raw_tool_name: str | None


class NoteDocument(TypedDict):
    """Something worth knowing, as data: schema `gemtrail.note/1`, one line on standard error."""

    #: The note in plain words.
    message: str
    #: Always `gemtrail.note/1`.
    schema: str


class OpaqueRecord(TypedDict):
    """A record of an unknown kind, kept as it is."""

    #: The file (index into `journals`).
    journal: int
    #: The line.
    line: int
    #: The record.
    record: Raw


class Origin(TypedDict, total=False):
    """The home and machine that a session was found on."""

    #: The home directory of Gemini CLI.
    home: str | None
    #: The machine, if the archive knows it.
    host: str | None
    #: The account, if the archive knows it.
    user: str | None


class OtherStore(TypedDict):
    """A store of another tool."""

    #: How many files it has.
    files: int
    #: Its directory.
    path: str


class _OutputFile(TypedDict):
    #: The path that the record names, on the recording machine.
    path: str


class OutputFile(_OutputFile, total=False):
    """A tool output that was moved to a file of its own."""

    #: Its size, where the file still exists.
    bytes: int | None


class _PriceReport(TypedDict):
    #: The day on which the prices were collected.
    as_of: str
    #: Whether prices may have changed since: after 120 days.
    old: bool


class PriceReport(_PriceReport, total=False):
    """How old the price table is that costs are told by."""

    #: How many days ago that was.
    days: int | None


class _Project(TypedDict):
    #: The source of the path.
    path_source: PathSource


class Project(_Project, total=False):
    """The project that a session belongs to."""

    #: The directory below `tmp`: the slug if there is one, else the hash.
    dir: str | None
    #: SHA-256 of the root path, in hex.
    hash: str | None
    #: The root path, if known.
    path: str | None


class _ProjectRow(TypedDict):
    #: The size of its session files.
    bytes: int
    #: The source of the path.
    path_source: PathSource
    #: Always `gemtrail.projects/1`.
    schema: str
    #: The number of its sessions that `list` shows.
    sessions: int
    #: The number of agents that worked for these and other sessions.
    subagents: int


class ProjectRow(_ProjectRow, total=False):
    """A project and its sessions, summed up."""

    #: The directory below `tmp`: the slug if there is one, else the hash.
    dir: str | None
    #: The start of its first session.
    first: str | None
    #: SHA-256 of the root path, in hex.
    hash: str | None
    #: The last update of its sessions.
    last: str | None
    #: The root path, if known.
    path: str | None


class _Reference(TypedDict):
    #: The attached text; empty for binary content.
    text: str


class Reference(_Reference, total=False):
    """A file that an `@path` pulled into a prompt."""

    #: MIME type of binary content.
    mime: str | None
    #: The path as typed, or null where the record does not name it.
    path: str | None


class _Report(TypedDict):
    #: Everything odd, by file and line.
    diagnostics: List[Diagnostic]
    #: What each home holds.
    homes: List[HomeReport]
    #: Sessions that left a trace but no journal, newest first.
    lost: List[LostSession]
    #: False if anything is damaged or lost, or if a session is at risk that no archive has.
    ok: bool
    #: How old the price table is.
    prices: PriceReport
    #: When Gemini CLI deletes sessions, and which.
    retention: Retention
    #: Always `gemtrail.doctor/1`.
    schema: str
    #: What the newest sessions hold that this version of gemtrail has no word for.
    unknown: List[UnknownReport]


class Report(_Report, total=False):
    """What was found where, what is wrong with it, what will be deleted, what is lost."""

    #: What the archive has of all this; null without one.
    archive: ArchiveReport | None


class _Retention(TypedDict):
    #: Sessions that will be deleted within [`DAYS_AHEAD`](super::DAYS_AHEAD) days: soonest first; among those, first the ones that no setting asks for, then the newest.
    at_risk: List[AtRisk]
    #: Whether Gemini CLI deletes anything.
    enabled: bool
    #: Homes and projects with other settings.
    exceptions: List[Exception]
    #: The topmost layer of settings that says anything about it.
    source: Layer


class Retention(_Retention, total=False):
    """The retention settings in force, and what follows from them."""

    #: Why the settings have no effect, where they are wrong: then nothing is deleted.
    invalid: str | None
    #: How long a session is kept after its last update, for example `30d`.
    max_age: str | None
    #: How many sessions are kept per project.
    max_count: int | None
    #: The file of that layer.
    source_file: str | None


class _RowDocument(TypedDict):
    #: True if every one of them has a price.
    complete: bool
    #: The values of the keys, in their order; null where there is none.
    key: Dict[str, str | None]
    #: The session, if the rows are sessions.
    ref: SessionRef | None
    #: The number of requests.
    requests: int
    #: The number of sessions that have such requests.
    sessions: int
    #: True if the period is not over yet.
    so_far: bool
    #: Their tokens.
    tokens: Tokens


class RowDocument(_RowDocument, total=False):
    """One row of a breakdown."""

    #: The number of calls of the tool, if the rows are tools; of changes, if they are files.
    calls: int | None
    #: The number of those that were cancelled.
    cancelled: int | None
    #: Their cost at list price; null if none of them has a price.
    cost: Money | None
    #: The number of those with the status `error`.
    errors: int | None
    #: The number of those that failed for the person.
    failures: int | None
    #: The name of the project for people, if the rows are projects.
    project_name: str | None
    #: The title of that session.
    title: str | None


class _Session(TypedDict):
    #: Numbers of messages and calls.
    counts: Counts
    #: Findings.
    diagnostics: List[Diagnostic]
    #: The session id on disk.
    id: SessionId
    #: The files.
    journals: List[Journal]
    #: The kind of session.
    kind: Kind
    #: Prompts that are in no journal.
    logged: List[Logged]
    #: The messages in order of their first record.
    messages: List[Message]
    #: Every model that answered, in order of appearance.
    models: List[str]
    #: The home and machine it was found on.
    origin: Origin
    #: The project.
    project: Project
    #: Identifies exactly this session, permanently.
    ref: SessionRef
    #: Always `gemtrail.session/1`.
    schema: str
    #: File names without their extension.
    stems: List[str]
    #: Sessions of the agents that worked for this one.
    subagents: List[Session]
    #: The sum over all requests, subagents excluded.
    tokens: Tokens


class Session(_Session, total=False):
    """One conversation, each message once."""

    #: Workspace directories besides the root.
    directories: List[str]
    #: Fields that this version does not know.
    extra: Fields
    #: The marks that the person set; kept in the archive.
    marks: Marks
    #: The session that a subagent worked for.
    parent: SessionId | None
    #: The reference of that session.
    parent_ref: SessionRef | None
    #: The word for it in the files, where they have one: `main`, `subagent`, or one that this version does not know.
    recorded_kind: str | None
    #: Records that this version does not know, with their line.
    records: List[OpaqueRecord]
    #: The program that wrote it.
    source: SessionSource
    #: The earliest start ever written.
    started: str | None
    #: The summary that Gemini CLI made.
    summary: str | None
    #: The person's own, else the summary, else the first human words.
    title: str | None
    #: The latest of the update and message times.
    updated: str | None


class _SessionHeader(TypedDict):
    #: Numbers of messages and calls.
    counts: Counts
    #: Findings.
    diagnostics: List[Diagnostic]
    #: The session id on disk.
    id: SessionId
    #: The files.
    journals: List[Journal]
    #: The kind of session.
    kind: Kind
    #: Prompts that are in no journal.
    logged: List[Logged]
    #: Every model that answered, in order of appearance.
    models: List[str]
    #: The home and machine it was found on.
    origin: Origin
    #: The project.
    project: Project
    #: Identifies exactly this session, permanently.
    ref: SessionRef
    #: Always `gemtrail.session-header/1`.
    schema: Literal["gemtrail.session-header/1"]
    #: File names without their extension.
    stems: List[str]
    #: Sessions of the agents that worked for this one.
    subagents: List[Session]
    #: The sum over all requests, subagents excluded.
    tokens: Tokens


class SessionHeader(_SessionHeader, total=False):
    """One conversation, each message once."""

    #: Workspace directories besides the root.
    directories: List[str]
    #: Fields that this version does not know.
    extra: Fields
    #: The marks that the person set; kept in the archive.
    marks: Marks
    #: The session that a subagent worked for.
    parent: SessionId | None
    #: The reference of that session.
    parent_ref: SessionRef | None
    #: The word for it in the files, where they have one: `main`, `subagent`, or one that this version does not know.
    recorded_kind: str | None
    #: Records that this version does not know, with their line.
    records: List[OpaqueRecord]
    #: The program that wrote it.
    source: SessionSource
    #: The earliest start ever written.
    started: str | None
    #: The summary that Gemini CLI made.
    summary: str | None
    #: The person's own, else the summary, else the first human words.
    title: str | None
    #: The latest of the update and message times.
    updated: str | None


class _SessionRow(TypedDict):
    #: True if the archive has it.
    archived: bool
    #: Numbers of messages and calls.
    counts: Counts
    #: The session id on disk.
    id: SessionId
    #: The files.
    journals: List[Journal]
    #: The kind of session.
    kind: Kind
    #: The number of prompts that only the log has.
    logged_count: int
    #: Every model that answered, in order of appearance.
    models: List[str]
    #: True if at least one journal exists now.
    on_disk: bool
    #: The home and machine it was found on.
    origin: Origin
    #: The project.
    project: Project
    #: Identifies exactly this session, permanently.
    ref: SessionRef
    #: Always `gemtrail.list/1`.
    schema: str
    #: File names without their extension.
    stems: List[str]
    #: The number of subagents that worked for it.
    subagent_count: int
    #: The sum over all requests, subagents excluded.
    tokens: Tokens
    #: The sum over all requests, subagents included.
    tokens_with_subagents: Tokens


class SessionRow(_SessionRow, total=False):
    """A session in a list."""

    #: The cost of the requests at list price, subagents excluded; null if no model has a price.
    cost: Money | None
    #: The cost of the requests at list price, subagents included.
    cost_with_subagents: Money | None
    #: Workspace directories besides the root.
    directories: List[str]
    #: Fields that this version does not know.
    extra: Fields
    #: The first thing the person typed.
    first_prompt: str | None
    #: The last thing the person typed.
    last_prompt: str | None
    #: The marks that the person set; kept in the archive.
    marks: Marks
    #: The session that a subagent worked for.
    parent: SessionId | None
    #: The reference of the session that a subagent worked for.
    parent_ref: SessionRef | None
    #: The word for it in the files, where they have one: `main`, `subagent`, or one that this version does not know.
    recorded_kind: str | None
    #: The program that wrote it.
    source: SessionSource
    #: The earliest start ever written.
    started: str | None
    #: The summary that Gemini CLI made.
    summary: str | None
    #: The person's own, else the summary, else the first human words.
    title: str | None
    #: The latest of the update and message times.
    updated: str | None


class _SessionSignals(TypedDict):
    #: The character of the session.
    facets: Facets
    #: The session id on disk.
    id: SessionId
    #: The kind of session.
    kind: Kind
    #: The project.
    project: Project
    #: Identifies exactly this session.
    ref: SessionRef
    #: The friction in it, by kind and then in order.
    signals: List[Signal]
    #: File names without their extension.
    stems: List[str]


class SessionSignals(_SessionSignals, total=False):
    """Friction in one session."""

    #: The session that a subagent worked for.
    parent: SessionId | None
    #: The earliest start ever written.
    started: str | None
    #: The summary, else the first human words.
    title: str | None
    #: The latest of the update and message times.
    updated: str | None


class Share(TypedDict):
    """A part of the totals."""

    #: Their cost, or what it would be if each were a request.
    cost: Money
    #: The number of lines or requests.
    count: int
    #: Their counters.
    tokens: Tokens


class _Signal(TypedDict):
    #: The number of calls, prompts, compressions or waits it is made of.
    count: int
    #: A description in words.
    detail: str
    #: The messages that show it.
    messages: List[MessageId]
    #: The severity.
    severity: Severity
    #: The kind of friction.
    signal: SignalKind


class Signal(_Signal, total=False):
    """One sign of friction, with the messages that show it."""

    #: The duration: of the wait, or from the last prompt to the end.
    seconds: int | None
    #: The time of the first message.
    time: str | None


class SignalTotal(TypedDict):
    """The number of signals of one kind."""

    #: The number of signals.
    count: int
    #: In how many sessions.
    sessions: int
    #: The kind.
    signal: SignalKind


class Signals(TypedDict):
    """Friction in some sessions."""

    #: Always `gemtrail.signals/1`.
    schema: str
    #: Every session that was looked at, also those without friction.
    sessions: List[SessionSignals]
    #: The thresholds in force.
    thresholds: Thresholds
    #: The number of signals of each kind; kinds that were not found are left out.
    totals: List[SignalTotal]


class _StatsDocument(TypedDict):
    #: Billed requests by what was asked for; the rows add up to the totals.
    by: List[RowDocument]
    #: The cost of the requests at list price.
    cost: CostDocument
    #: The files that were changed most often; at most twenty.
    files: List[FileDocument]
    #: The longest prompt of a request.
    largest_prompt: int
    #: In how many sessions several models answered.
    mixed_sessions: int
    #: The day on which the prices were collected.
    prices_as_of: str
    #: The number of requests, each once.
    requests: int
    #: Always `gemtrail.stats/1`.
    schema: str
    #: The number of sessions; agents belong to the session they worked for.
    sessions: int
    #: Changes from one model to another within these sessions, the most frequent first.
    switches: List[SwitchDocument]
    #: The tokens, counted in three ways.
    tokens: TokenTotals
    #: The calls by tool, each once.
    tools: List[ToolDocument]
    #: The zone of days and hours.
    zone: str


class StatsDocument(_StatsDocument, total=False):
    """Statistics of many sessions."""

    #: The state of the budget, if one was given.
    budget: Budget | None
    #: The connection between the totals, if it was asked for.
    explanation: Explanation | None
    #: Only requests at this time or later.
    since: str | None
    #: Only requests at this time or earlier.
    until: str | None


class Survivor(TypedDict):
    """A file that is left of a lost session."""

    #: Its size.
    bytes: int
    #: What it is.
    kind: SurvivorKind
    #: Its path.
    path: str


SwitchDocument = TypedDict("SwitchDocument", {"from": "str", "sessions": "int", "times": "int", "to": "str"})


class _Thought(TypedDict):
    #: The heading; may be empty.
    subject: str
    #: The text.
    text: str


class Thought(_Thought, total=False):
    """One chunk of reasoning."""

    #: Fields that this version does not know.
    extra: Fields
    #: The place it was recorded in; not written for the usual one.
    source: ThoughtSource
    #: The time it arrived.
    time: str | None


class Thresholds(TypedDict, total=False):
    """The thresholds of all signals. What is configured changes only the members that it names."""

    #: An unfinished session that ends within this time of its last prompt was abandoned.
    abandon_seconds: int
    #: This many cancelled calls are worth reporting.
    cancelled_calls: int
    #: This many failed calls in a row are a cascade.
    cascade_failures: int
    #: This many compressions are churn.
    churn_compressions: int
    #: Shorter prompts (`yes`, `continue`) are alike for no reason and do not count.
    rephrase_characters: int
    #: This many prompts in a row that say nearly the same are a storm.
    rephrase_prompts: int
    #: Prompts more alike than this say nearly the same.
    rephrase_similarity: float
    #: Arguments more alike than this are nearly the same.
    retry_similarity: float
    #: This many uses of a tool with nearly the same arguments are a loop.
    retry_uses: int
    #: A wait of at least this long is a stall.
    stall_seconds: int


class TokenTotals(TypedDict):
    """The tokens, counted in three ways."""

    #: Of every line that is a message with tokens, in every session file, repeats included.
    as_written: Tokens
    #: Of every request once, superseded ones and those of subagents included.
    billed: Tokens
    #: Of requests whose answers are still part of their sessions.
    live: Tokens


class _Tokens(TypedDict):
    #: The part of `input` that came from the cache.
    cached: int
    #: Prompt tokens, cached ones included.
    input: int
    #: Answer tokens, thoughts excluded.
    output: int
    #: Reasoning tokens.
    thoughts: int
    #: Prompt tokens of tool use.
    tool: int
    #: The sum as the service gave it.
    total: int


class Tokens(_Tokens, total=False):
    """Six counters. `input` includes `cached`; `output` excludes `thoughts`; `total` is as written. A seventh number says how sure they are."""

    #: By how much `input` and `total` may be larger, where a file does not tell whether `input` includes `cached`.
    uncertain: int


class _ToolCall(TypedDict):
    #: One name for the tool in all versions, for example `file_read`.
    canonical: str
    #: The kind of thing it does, for example `read`.
    category: str
    #: The call's id; empty where the record has none.
    id: CallId
    #: The tool's name as recorded.
    name: str


class ToolCall(_ToolCall, total=False):
    """A tool call with its answer."""

    #: The subagent that did the work.
    agent: str | None
    #: The arguments as recorded.
    args: Raw | None
    #: The tool's, or since 0.35 this call's, description.
    description: str | None
    #: The display in the user interface, as recorded.
    display: Raw | None
    #: The tool's name for people.
    display_name: str | None
    #: The error in words; set exactly when the status is `error`.
    error: str | None
    #: The exit code of the command that the call ran; null if unknown. Newer versions of Gemini CLI do not record 0.
    exit_code: int | None
    #: Fields that this version does not know.
    extra: Fields
    #: True if the output is Markdown.
    markdown: bool | None
    #: The fullest text ever recorded for the call.
    output: str | None
    #: The file that has the whole output, if it was too large.
    output_file: OutputFile | None
    #: The answer as recorded.
    result: Raw | None
    #: Other answers recorded for the same call, for example before it was masked.
    revisions: List[Raw]
    #: The MCP server, for MCP tools.
    server: str | None
    #: The time the call began, where that was recorded.
    started: str | None
    #: `success`, `error` or `cancelled`; null where no answer was recorded.
    status: str | None
    #: The time the call ended.
    time: str | None


class ToolDocument(TypedDict):
    """The calls of one tool."""

    #: The number of calls.
    calls: int
    #: Those that were cancelled.
    cancelled: int
    #: One name for all versions.
    canonical: str
    #: Those with the status `error`.
    errors: int
    #: Those that failed for the person: also those whose command ended with another code than 0.
    failures: int
    #: The name as recorded.
    name: str


class _ToolOutcome(TypedDict):
    #: True if the call succeeded.
    success: bool


class ToolOutcome(_ToolOutcome, total=False):
    """The outcome of a tool call."""

    #: The error; JSON text if it was not text.
    error: str | None
    #: The answer; JSON text if it was not text.
    output: str | None


class ToolUse(TypedDict):
    """The calls of one tool."""

    #: All calls.
    calls: int
    #: Those that the person refused or stopped.
    cancelled: int
    #: Those that failed.
    failed: int
    #: The tool's name for all versions.
    tool: str


class _Transcript(TypedDict):
    #: The dialogue.
    entries: List[Entry]
    #: The project.
    project: Project
    #: Always `gemtrail.transcript/1`.
    schema: Literal["gemtrail.transcript/1"]
    #: The session id on disk.
    session: SessionId


class Transcript(_Transcript, total=False):
    """The document."""

    #: The start of the session.
    started: str | None
    #: The summary, else the first human words.
    title: str | None
    #: The time of the last write.
    updated: str | None


class _TranscriptToolUse(TypedDict):
    #: Those of the arguments that tell what it was used on.
    args: Fields
    #: True if it failed.
    error: bool
    #: The tool's name as recorded.
    name: str


class TranscriptToolUse(_TranscriptToolUse, total=False):
    """One use of a tool."""

    #: True if the person refused or stopped it.
    cancelled: bool


class UnknownReport(TypedDict):
    """Something that Gemini CLI writes and this version of gemtrail does not know. Nothing of it is lost."""

    #: The kind of thing.
    kind: UnknownKind
    #: Its name in Gemini CLI: for a record without a type, the names of its members.
    name: str
    #: One of them.
    ref: SessionRef
    #: How many of the sessions that were looked at have it.
    sessions: int


class _Unpriced(TypedDict):
    #: The number of requests.
    requests: int
    #: Their tokens.
    tokens: int


class Unpriced(_Unpriced, total=False):
    """Requests without a price."""

    #: The model.
    model: str | None


class _UsageRow(TypedDict):
    #: The part of `input` that came from the cache.
    cached: int
    #: Prompt tokens, cached ones included.
    input: int
    #: The message's id.
    message: str
    #: Answer tokens, thoughts excluded.
    output: int
    #: Identifies exactly this session.
    ref: SessionRef
    #: Always `gemtrail.usage/1`.
    schema: Literal["gemtrail.usage/1"]
    #: The session's id.
    session: str
    #: Its state in the conversation.
    state: State
    #: Reasoning tokens.
    thoughts: int
    #: Prompt tokens of tool use.
    tool: int
    #: The sum as the service gave it.
    total: int


class UsageRow(_UsageRow, total=False):
    """One request."""

    #: The cost at list price; null without a price.
    cost: Money | None
    #: The model.
    model: str | None
    #: The session that a subagent worked for.
    parent: str | None
    #: The date of the price list; null without a price.
    prices_as_of: str | None
    #: The project's directory name.
    project: str | None
    #: The time the answer was recorded.
    time: str | None


class _Validation(TypedDict):
    #: The file.
    record: str
    #: Always `gemtrail.validation/1`.
    schema: str
    #: True if it is a vCon. Then the record is the one inside.
    vcon: bool
    #: `valid`, `invalid`, or `malformed` if it cannot be read at all.
    verdict: Outcome
    #: Every rule that it breaks.
    violations: List[Violation]


class Validation(_Validation, total=False):
    """`verify --schema-only --json`."""

    #: The schema that the record was checked against.
    against: Schema | None
    #: Another schema that it follows as well.
    also: Schema | None
    #: The reason why it is malformed.
    reason: str | None


class _Verdict(TypedDict):
    #: Everything that was looked at.
    checks: List[Check]
    #: The limits of the answer.
    limits: str
    #: Always `gemtrail.verdict/1`.
    schema: str
    #: The answer.
    verdict: Outcome


class Verdict(_Verdict, total=False):
    """The result of verifying one signature."""

    #: True if the envelope holds the payload.
    attached: bool | None
    #: The SHA-256 of the signed bytes, in hex.
    content_hash: str | None
    #: The claimed signer; trustworthy only if the verdict is `valid` and the key is known to be theirs.
    issuer: str | None
    #: The SHA-256 of the key that was used, in hex.
    key: str | None
    #: The reason, if it is not `valid`.
    reason: str | None
    #: The subject of the signature, usually the session id.
    subject: str | None


class Violation(TypedDict):
    """One broken rule."""

    #: The rule, in words.
    message: str
    #: The JSON path of the value: `$.session.entries[3].timestamp`.
    path: str


CallId = str
Cause = Literal["clean-up-bug", "no-recorder", "deleted-by-command", "set-aside", "unknown"]
Chat = List[ChatMessage]
CheckResult = Literal["passed", "failed", "skipped"]
Code = Literal["empty-file", "unknown-format", "bad-json", "torn-line", "truncated-file", "trailing-bytes", "invalid-utf8", "lone-surrogate", "byte-order-mark", "nul-bytes", "damaged-archive", "duplicate-key", "unknown-record", "unknown-type", "unexpected-type", "bad-number", "bad-time", "missing-id", "repeated-id", "missing-session-id", "rewind-target-missing", "line-too-long", "long-line", "too-deep", "interleaved-lines", "not-a-file", "symlink-loop", "broken-link", "unreadable", "leftover-file", "unreadable-journal", "project-mismatch", "registry-mismatch", "bad-registry", "bad-log", "bad-log-entry", "orphan-subagent", "conflicting-copies", "hosts-disagree", "missing-tool-output", "foreign-file", "endangered-session", "resume-stray", "other-store", "bad-settings", "unknown-schema", "damaged-database", "damaged-step", "sealed", "missing-steps", "step-mismatch", "unfinished-step", "odd-tokens", "bad-checkpoint"]
EventKind = Literal["session_start", "user_prompt", "assistant_message", "tool_use", "permission_result", "tool_result", "compaction", "session_end"]
Field = Literal["text", "reference", "thought", "tool_args", "tool_output", "title", "summary", "log"]
Fields = Dict[str, Any]
Format = Literal["json", "jsonl", "history", "stream-json", "output-json", "logs", "document", "database", "trajectory", "transcript", "sealed", "unknown"]
Kind = Literal["main", "subagent", "log", "sealed"]
Layer = Literal["default", "system-defaults", "user", "project", "system"]
MatchKind = Literal["name", "exact", "prefix", "forms", "spelling", "some"]
MessageId = str
Money = float
Outcome = Literal["valid", "invalid", "malformed", "undecided"]
PathSource = Literal["marker", "registry", "hash", "directories", "context", "mapping", "workspace", "none"]
Place = str
Raw = Any
Risk = Literal["age", "count", "stray", "unlisted"]
Role = Literal["human", "assistant", "agent", "tool", "context", "hook", "shell", "summary", "info", "warning", "error", "unknown"]
Schema = Literal["v3", "v2"]
SessionId = str
SessionOutcome = Literal["completed", "abandoned", "errored"]
SessionRef = str
SessionSource = Literal["gemini-cli", "antigravity"]
Severity = Literal["medium", "high"]
SignalKind = Literal["tool_failure_cascade", "retry_loop", "rephrase_storm", "abandon_signal", "long_stall", "context_churn", "permission_friction"]
Speaker = Literal["human", "shell", "agent", "assistant", "error"]
State = Literal["current", "superseded"]
Stop = Literal["cancelled"]
SupersededBy = Literal["rewind", "compress", "rollback", "resume", "restore", "unknown"]
SurvivorKind = Literal["prompt-log", "checkpoint", "restore-point", "unreadable-journal", "subagent", "tool-output", "plan", "stub", "shell-history"]
ThoughtSource = Literal["thoughts", "untitled", "content"]
UnknownKind = Literal["record", "type", "field", "status", "tool", "part"]
