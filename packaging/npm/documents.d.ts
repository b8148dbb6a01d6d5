// The documents that gemtrail prints as JSON. Made from docs/schema by tools/write_types.py.

/** What a program of Antigravity keeps in a home. */
export interface AntigravityReport {
  /** The size of their files. */
  bytes: number;
  /** Conversations that are read. */
  conversations: number;
  /** Its directory. */
  path: string;
  /** Encrypted ones, which are kept as they are. */
  sealed: number;
}

/** The archive, as far as the doctor is concerned. */
export interface ArchiveReport {
  /** Its size. */
  bytes: number;
  /** How much of them it lacks. */
  bytes_behind: number;
  /** Files on disk that it lacks, or has in an earlier state. */
  files_behind: number;
  /** When it was last brought up to date; null if that is not known. */
  last_sync?: string | null;
  /** Its path. */
  path: string;
  /** Sessions that it has, without subagents. */
  sessions: number;
  /** Subagents that it has. */
  subagents: number;
  /** Whether a process keeps it up to date all the time. */
  watched: boolean;
}

/** A session that will be deleted. */
export interface AtRisk {
  /** Whether the archive has these as they are; null without an archive. */
  archived?: boolean | null;
  /** The file whose removal also removes the session; null if its own journal is the cause. */
  because_of?: string | null;
  /** The first start of Gemini CLI in the project after this deletes it; null: the next one does. */
  deleted_after?: string | null;
  /** The home. */
  home: string;
  /** The journals that go. */
  journals: Array<DoomedJournal>;
  /** Its project. */
  project: Project;
  /** Identifies exactly this session; null if none of its files can be read. */
  ref: SessionRef | null;
  /** Why. */
  risk: Risk;
  /** The session. */
  session: SessionId;
  /** The session's title. */
  title?: string | null;
  /** When it was last updated. */
  updated?: string | null;
}

/** The spending from a budget, and its forecast. */
export interface Budget {
  /** The amount spent at the end of the period, if it goes on like this. */
  forecast: Money;
  /** The first moment of the period. */
  from: string;
  /** The amount spent, at list price. */
  spent: Money;
  /** The last moment of the period. */
  to: string;
  /** The budget. */
  usd: Money;
}

/** Sizes in bytes. */
export interface Bytes {
  /** Checkpoints and restore points. */
  checkpoints: number;
  /** Session files, subagents' and unreadable ones included. */
  journals: number;
  /** Prompt logs and shell histories. */
  logs: number;
  /** Plans. */
  plans: number;
  /** Tool outputs. */
  tool_outputs: number;
  /** All of these. */
  total: number;
}

/** The id of one tool call. */
export type CallId = string;

/** Why a session is gone. */
export type Cause = "clean-up-bug" | "no-recorder" | "deleted-by-command" | "set-aside" | "unknown";

export type Chat = Array<ChatMessage>;

/** One element of the array. */
export interface ChatMessage {
  /** The words. */
  content: string;
  /** The model that answered; only where answers alone were asked for. */
  model?: string | null;
  /** `user` or `assistant`. */
  role: string;
  /** The time they were recorded. */
  timestamp?: string | null;
  /** The tokens of the request that gave this answer, in total. */
  tokens?: number | null;
}

/** One thing that was looked at. */
export interface Check {
  /** The subject: `algorithm`, `signature`, `payload`, or a member of the metadata. */
  check: string;
  /** The finding, in words. */
  detail: string;
  /** The result. */
  result: CheckResult;
}

/** The result of one check. */
export type CheckResult = "passed" | "failed" | "skipped";

/** A session that may be meant. */
export interface Choice {
  /** The name of its project as lists show it, with the machine if there are several. */
  project: string;
  /** Names it and no other. */
  ref: SessionRef;
  /** Its title. */
  title?: string | null;
  /** The time of its last update. */
  updated?: string | null;
}

/** Stable names that scripts may match on. */
export type Code = "empty-file" | "unknown-format" | "bad-json" | "torn-line" | "truncated-file" | "trailing-bytes" | "invalid-utf8" | "lone-surrogate" | "byte-order-mark" | "nul-bytes" | "damaged-archive" | "duplicate-key" | "unknown-record" | "unknown-type" | "unexpected-type" | "bad-number" | "bad-time" | "missing-id" | "repeated-id" | "missing-session-id" | "rewind-target-missing" | "line-too-long" | "long-line" | "too-deep" | "interleaved-lines" | "not-a-file" | "symlink-loop" | "broken-link" | "unreadable" | "leftover-file" | "unreadable-journal" | "project-mismatch" | "registry-mismatch" | "bad-registry" | "bad-log" | "bad-log-entry" | "orphan-subagent" | "conflicting-copies" | "hosts-disagree" | "missing-tool-output" | "foreign-file" | "endangered-session" | "resume-stray" | "other-store" | "bad-settings" | "unknown-schema" | "damaged-database" | "damaged-step" | "sealed" | "missing-steps" | "step-mismatch" | "unfinished-step" | "odd-tokens" | "bad-checkpoint";

/** A re-identified duplicate of a message. */
export interface Copied {
  /** The duplicate's id. */
  id: MessageId;
  /** The duplicate's time. */
  time?: string | null;
}

/** The origin of a message that was said in another session, of which this one is a fork. */
export interface CopiedFrom {
  /** The id of the other session. */
  session: SessionId;
}

/** The cost of the requests at list price. */
export interface CostDocument {
  /** True if every request has a price. */
  complete: boolean;
  /** The number of requests priced under another name, or by a price of a later day. */
  estimated_requests: number;
  /** The number of requests that were dearer because of a long prompt. */
  long_requests: number;
  /** The amount that this added. */
  long_surcharge: Money;
  /** The cost at the other prices, if sources disagree about more than one percent of it. */
  other_reading?: Money | null;
  /** The amount that the cache saved. */
  saved_by_cache: Money;
  /** The requests without a price. */
  unpriced: Array<Unpriced>;
  /** US dollars; null if no request has a price. */
  usd?: Money | null;
}

/** Numbers of messages and calls. */
export interface Counts {
  /** Answers of the model. */
  assistant: number;
  /** Messages that the person typed. */
  human: number;
  /** All messages, whatever role and state. */
  messages: number;
  /** Messages that are no longer current. */
  superseded: number;
  /** Tool calls. */
  tool_calls: number;
  /** Calls with status `error`. */
  tool_errors: number;
  /** Calls that failed for the person: those with status `error`, and those whose response holds an error or whose command exited with a non-zero code. */
  tool_failures?: number;
}

/** One finding. Never fatal to anything else, never part of an exit code. */
export interface Diagnostic {
  /** The byte offset, if the line number is not precise enough. */
  byte?: number | null;
  /** The kind of finding. */
  code: Code;
  /** The file, where there is one. */
  journal?: string | null;
  /** The line, counted from 1. */
  line?: number | null;
  /** The finding and what was done about it, in words. */
  message: string;
}

/** A journal that will be deleted. */
export interface DoomedJournal {
  /** Its path. */
  path: string;
  /** A file name under which it would be safe, where another name helps. */
  safe_name?: string | null;
}

/** One turn of the dialogue. */
export interface Entry {
  /** The speaker. */
  role: Speaker;
  /** The words; may be empty if only tools were used. */
  text: string;
  /** The time. */
  time?: string | null;
  /** The tools that were used. */
  tool_calls?: Array<TranscriptToolUse>;
}

/** An error as data: schema `gemtrail.error/1`, one line on standard error. */
export interface ErrorDocument {
  /** The position of an error in a search query, in characters. Only for errors in a query. */
  at?: number | null;
  /** The sessions that may be meant. Only where a name or a query may mean several. */
  candidates: Array<Choice>;
  /** A stable word for scripts. */
  code: string;
  /** Advice; null if there is no hint. */
  hint?: string | null;
  /** The length of the faulty part, in characters. */
  length?: number | null;
  /** A sentence for people. */
  message: string;
  /** Always `gemtrail.error/1`. */
  schema: string;
}

/** One thing that happened. */
export interface Event {
  /** The category of the tool. */
  category?: string | null;
  /** The project's root path, if known. */
  cwd?: string | null;
  /** Always `gemini_cli`. */
  harness: string;
  /** A UUID that is the same in every export of the session. */
  id: string;
  /** The words. */
  message?: string | null;
  /** The origin in the session; not for start and end. */
  metadata?: Metadata | null;
  /** True if the person let the tool run. */
  permission_granted?: boolean | null;
  /** Always `gemtrail.event/1`. */
  schema: "gemtrail.event/1";
  /** The stem of the session's first file. */
  session_id: string;
  /** The time, in UTC. */
  timestamp: string;
  /** The tool's arguments, if there are any. */
  tool_input?: Raw | null;
  /** The tool's canonical name. */
  tool_name?: string | null;
  /** The outcome of the call. */
  tool_result?: ToolOutcome | null;
  /** The kind. */
  type: EventKind;
}

/** The kind of an event. */
export type EventKind = "session_start" | "user_prompt" | "assistant_message" | "tool_use" | "permission_result" | "tool_result" | "compaction" | "session_end";

/** A home or project with settings of its own. */
export interface Exception {
  /** Whether Gemini CLI deletes anything. */
  enabled: boolean;
  /** The home. */
  home: string;
  /** Why the settings have no effect, where they are wrong: then nothing is deleted. */
  invalid?: string | null;
  /** How long a session is kept after its last update, for example `30d`. */
  max_age?: string | null;
  /** How many sessions are kept per project. */
  max_count?: number | null;
  /** The project; without it the whole home. */
  project?: Project | null;
  /** The topmost layer of settings that says anything about it. */
  source: Layer;
  /** The file of that layer. */
  source_file?: string | null;
}

/** Leads from what is written in the files to what was billed, and on to what is still there: `as_written − strays − repeated = by_file`, `by_file − doubled + unlined = billed`, and `billed − superseded = live`. */
export interface Explanation {
  /** Every line with counters. */
  as_written: Share;
  /** Every request once. */
  billed: Share;
  /** Every message once per file, which is what several other tools count. */
  by_file: Share;
  /** Messages that another file has too, or the same file under another id: a session that was resumed by a later version, a copied file. */
  doubled: Share;
  /** Those whose answers are still part of their sessions. */
  live: Share;
  /** Lines that repeat another line of the same file: a message is rewritten whenever it changes. */
  repeated: Share;
  /** Lines with counters that belong to no request. */
  strays: Share;
  /** Those of subagents, which are part of all of these. */
  subagents: Share;
  /** Those whose answers were taken back, compressed or replaced. */
  superseded: Share;
  /** Requests that stand on no line of their own: only in a `$set`, or in a damaged line. */
  unlined: Share;
}

/** The character of a session. */
export interface Facets {
  /** From the first to the last thing that happened; null without times. */
  duration_seconds?: number | null;
  /** Failed calls as a fraction of those that succeeded or failed; null if there are none. */
  failure_rate?: number | null;
  /** Languages of the files that tools were called with. */
  languages: Array<string>;
  /** The outcome; null if nothing was asked, or if a subagent left nothing behind. */
  outcome?: SessionOutcome | null;
  /** Tools by how often they were called. */
  tools: Array<ToolUse>;
  /** Prompts of the person, in a subagent's session those of the asking agent. */
  turns: number;
}

/** Which part of a message, or of a session, a text is. */
export type Field = "text" | "reference" | "thought" | "tool_args" | "tool_output" | "title" | "summary" | "log";

/** Members of the source that this version of gemtrail does not know. */
export type Fields = Record<string, unknown>;

/** A file that tools changed. */
export interface FileDocument {
  /** The number of times it was written or edited; failed calls are not counted. */
  edits: number;
  /** The file, relative to the project's root if it is known to be in there. */
  path: string;
  /** The project. */
  project?: string | null;
  /** The name of the project for people. */
  project_name?: string | null;
  /** In how many sessions. */
  sessions: number;
}

/** The last line. */
export interface Footer {
  /** The session's counts. */
  counts: Counts;
  /** The number of message lines before this one. */
  lines: number;
  /** Always `gemtrail.session-footer/1`. */
  schema: "gemtrail.session-footer/1";
  /** The sum over all requests, subagents excluded. */
  tokens: Tokens;
}

/** The shape of a session file. */
export type Format = "json" | "jsonl" | "history" | "stream-json" | "output-json" | "logs" | "document" | "database" | "trajectory" | "transcript" | "sealed" | "unknown";

/** A text that contains everything that was searched for. */
export interface Hit {
  /** What `gemtrail show` opens there: the reference, or the checkpoint's file, and the place. */
  address?: string;
  /** The tool call. */
  call?: CallId | null;
  /** Which part of the message it is. */
  field: Field;
  /** The file of the checkpoint that contains it, if it is in no session. */
  file?: string | null;
  /** Where the matches in the snippet start and end, in characters. */
  highlights: Array<Array<number>>;
  /** The machine that it was said on, if the archive has sessions of several. */
  host?: string | null;
  /** What kind of session it is. */
  kind: Kind;
  /** How it was found. */
  match?: MatchKind;
  /** The message; null for title, summary and prompts that only the log has. */
  message?: MessageId | null;
  /** The session that a subagent worked for. */
  parent?: SessionId | null;
  /** Where the message or the tool call is in the session: `17` is the 17th prompt, `17.5` the fifth item after it. Null where `message` is. */
  place?: Place | null;
  /** The project. */
  project: Project;
  /** Identifies exactly this session. */
  ref: SessionRef;
  /** Whose words; null for title and summary. */
  role?: Role | null;
  /** Always `gemtrail.search/1`. */
  schema: string;
  /** How relevant it is; what `--rank` sorts by. */
  score: number;
  /** The session's id. */
  session: SessionId;
  /** The words around the match, on one line. */
  snippet: string;
  /** The program that wrote the session. */
  source?: SessionSource;
  /** Whether Gemini CLI would still load it; null for prompts that only the log has. */
  state?: State | null;
  /** How the tool call ended. */
  status?: string | null;
  /** The session's file names without their extension. */
  stems: Array<string>;
  /** What took it out of the conversation, if it is superseded. */
  superseded_by?: SupersededBy | null;
  /** When it was said, as written; else when its session was last updated. */
  time?: string | null;
  /** The session's title. */
  title?: string | null;
  /** The tool, for what tools were called with and answered. */
  tool?: string | null;
}

/** What one home holds. */
export interface HomeReport {
  /** Conversations of Antigravity, by the program that held them. */
  antigravity: Array<AntigravityReport>;
  /** How large they are. */
  bytes: Bytes;
  /** Files of `/chat save`. */
  checkpoints: number;
  /** The same by the releases that last wrote into them, as far as their content tells. */
  eras: Record<string, number>;
  /** Session files, subagents' included, by format: `json`, `jsonl`, `other`, `unknown`. */
  journals: Record<string, number>;
  /** Sessions known only from a prompt log. */
  logged_only: number;
  /** Prompt logs, backups included. */
  logs: number;
  /** Stores of other tools, which gemtrail does not read. */
  other_stores: Array<OtherStore>;
  /** The `.gemini` directory. */
  path: string;
  /** Documents written in plan mode. */
  plans: number;
  /** Projects with a directory in it. */
  projects: number;
  /** Entries of the prompt logs. */
  prompts: number;
  /** Files of `/restore`. */
  restore_points: number;
  /** Main sessions in which something was said. */
  sessions: number;
  /** Histories of `!` commands. */
  shell_histories: number;
  /** Main sessions in which nothing was said. */
  stubs: number;
  /** Sessions of subagents. */
  subagents: number;
  /** Files that hold the whole output of a tool. */
  tool_outputs: number;
  /** Journals that Gemini CLI could not load and put aside. */
  unreadable_journals: number;
}

/** One file of a session. */
export interface Journal {
  /** Its size. */
  bytes: number;
  /** The format, by its content. */
  format: Format;
  /** Its path. */
  path: string;
  /** The digest of its bytes. */
  sha256?: string | null;
}

/** The kind of session. */
export type Kind = "main" | "subagent" | "log" | "sealed";

/** Where a setting comes from. */
export type Layer = "default" | "system-defaults" | "user" | "project" | "system";

/** Something typed that only the prompt log has. */
export interface Logged {
  /** The text. */
  text: string;
  /** The time. */
  time?: string | null;
}

/** A session that left a trace but no journal. */
export interface LostSession {
  /** Whether the archive has a journal of it; null without an archive. */
  archived?: boolean | null;
  /** Why it is gone, where the files prove it. */
  cause: Cause;
  /** The earliest trace. */
  first?: string | null;
  /** The latest trace. */
  last?: string | null;
  /** Its project. */
  project: Project;
  /** What was typed. */
  prompts: Array<Logged>;
  /** Its id, where a trace tells it. */
  session?: SessionId | null;
  /** What is left of it. */
  survives: Array<Survivor>;
}

/** The marks of a session: none of them is in Gemini CLI's files. */
export interface Marks {
  /** A note. */
  note?: string | null;
  /** True if it outlives every clean-up. */
  pinned: boolean;
  /** Tags, in order, each once. */
  tags: Array<string>;
  /** A title of the person's own, which takes the place of every other. */
  title?: string | null;
}

/** How a hit was found: the step that ended the search. */
export type MatchKind = "name" | "exact" | "prefix" | "forms" | "spelling" | "some";

/** One thing said. */
export interface Message {
  /** The content as recorded. */
  content?: Raw | null;
  /** The session that it was copied from, with everything else said before the fork. */
  copied_from?: CopiedFrom | null;
  /** Duplicates under other ids that were folded into this message. */
  copies?: Array<Copied>;
  /** The text that the person saw instead of `content`, as recorded. */
  display_content?: Raw | null;
  /** Fields that this version does not know. */
  extra?: Fields;
  /** The id on disk, or one of gemtrail's own (`gemtrail-N`) where there is none. */
  id: MessageId;
  /** The journal that has its first record (index into the session's `journals`). */
  journal?: number | null;
  /** The model that answered. */
  model?: string | null;
  /** Its place in the session: `17` is the 17th prompt, `17.5` the fifth item after it. The calls of a message are the items that follow it. */
  place?: Place;
  /** The files that `@path` pulled in. */
  references?: Array<Reference>;
  /** Other contents recorded under the same id that hold something this one does not. */
  revisions?: Array<Raw>;
  /** Whose words these are. */
  role: Role;
  /** True if Gemini CLI would still load it. */
  state: State;
  /** The reason an answer ended before its end. */
  stop?: Stop | null;
  /** The reason it left the conversation, if it is superseded. */
  superseded_by?: SupersededBy | null;
  /** The words: text parts joined, thoughts left out, trimmed; for the human without references and injected parts. */
  text: string;
  /** The model's reasoning. */
  thoughts?: Array<Thought>;
  /** The time it was first recorded, as written. */
  time?: string | null;
  /** The counters of the request. */
  tokens?: Tokens | null;
  /** Tools that the model called. */
  tool_calls?: Array<ToolCall>;
  /** The type on disk: `user`, `gemini`, `info`, … */
  type: string;
}

/** The id of one message; unique within a session only. */
export type MessageId = string;

/** One message with the name of its schema. */
export interface MessageLine {
  /** The content as recorded. */
  content?: Raw | null;
  /** The session that it was copied from, with everything else said before the fork. */
  copied_from?: CopiedFrom | null;
  /** Duplicates under other ids that were folded into this message. */
  copies?: Array<Copied>;
  /** The text that the person saw instead of `content`, as recorded. */
  display_content?: Raw | null;
  /** Fields that this version does not know. */
  extra?: Fields;
  /** The id on disk, or one of gemtrail's own (`gemtrail-N`) where there is none. */
  id: MessageId;
  /** The journal that has its first record (index into the session's `journals`). */
  journal?: number | null;
  /** The model that answered. */
  model?: string | null;
  /** Its place in the session: `17` is the 17th prompt, `17.5` the fifth item after it. The calls of a message are the items that follow it. */
  place?: Place;
  /** The files that `@path` pulled in. */
  references?: Array<Reference>;
  /** Other contents recorded under the same id that hold something this one does not. */
  revisions?: Array<Raw>;
  /** Whose words these are. */
  role: Role;
  /** Always `gemtrail.message/1`. */
  schema: "gemtrail.message/1";
  /** True if Gemini CLI would still load it. */
  state: State;
  /** The reason an answer ended before its end. */
  stop?: Stop | null;
  /** The reason it left the conversation, if it is superseded. */
  superseded_by?: SupersededBy | null;
  /** The words: text parts joined, thoughts left out, trimmed; for the human without references and injected parts. */
  text: string;
  /** The model's reasoning. */
  thoughts?: Array<Thought>;
  /** The time it was first recorded, as written. */
  time?: string | null;
  /** The counters of the request. */
  tokens?: Tokens | null;
  /** Tools that the model called. */
  tool_calls?: Array<ToolCall>;
  /** The type on disk: `user`, `gemini`, `info`, … */
  type: string;
}

/** The origin of the event in the session. */
export interface Metadata {
  /** The subagent that did the work. */
  agent?: string | null;
  /** The tool call's id. */
  call_id?: string | null;
  /** The entry of the conversation, counted from 0; the answers to a message's tool calls are an entry of their own. */
  content_index: number;
  /** The MCP server, for MCP tools. */
  mcp_server?: string | null;
  /** The server's own name for the tool, for MCP tools. */
  mcp_tool?: string | null;
  /** The message's id. */
  message_id: string;
  /** The tool's name as recorded. */
  raw_tool_name?: string | null;
}

/** US dollars with six decimals, at list price. */
export type Money = number;

/** Something worth knowing, as data: schema `gemtrail.note/1`, one line on standard error. */
export interface NoteDocument {
  /** The note in plain words. */
  message: string;
  /** Always `gemtrail.note/1`. */
  schema: string;
}

/** A record of an unknown kind, kept as it is. */
export interface OpaqueRecord {
  /** The file (index into `journals`). */
  journal: number;
  /** The line. */
  line: number;
  /** The record. */
  record: Raw;
}

/** The home and machine that a session was found on. */
export interface Origin {
  /** The home directory of Gemini CLI. */
  home?: string | null;
  /** The machine, if the archive knows it. */
  host?: string | null;
  /** The account, if the archive knows it. */
  user?: string | null;
}

/** A store of another tool. */
export interface OtherStore {
  /** How many files it has. */
  files: number;
  /** Its directory. */
  path: string;
}

/** The answer. */
export type Outcome = "valid" | "invalid" | "malformed" | "undecided";

/** A tool output that was moved to a file of its own. */
export interface OutputFile {
  /** Its size, where the file still exists. */
  bytes?: number | null;
  /** The path that the record names, on the recording machine. */
  path: string;
}

/** The source of a project's root path. */
export type PathSource = "marker" | "registry" | "hash" | "directories" | "context" | "mapping" | "workspace" | "none";

/** A place in a session: `17` is the 17th prompt, `17.5` the fifth item after it. */
export type Place = string;

/** How old the price table is that costs are told by. */
export interface PriceReport {
  /** The day on which the prices were collected. */
  as_of: string;
  /** How many days ago that was. */
  days?: number | null;
  /** Whether prices may have changed since: after 120 days. */
  old: boolean;
}

/** The project that a session belongs to. */
export interface Project {
  /** The directory below `tmp`: the slug if there is one, else the hash. */
  dir?: string | null;
  /** SHA-256 of the root path, in hex. */
  hash?: string | null;
  /** The root path, if known. */
  path?: string | null;
  /** The source of the path. */
  path_source: PathSource;
}

/** A project and its sessions, summed up. */
export interface ProjectRow {
  /** The size of its session files. */
  bytes: number;
  /** The directory below `tmp`: the slug if there is one, else the hash. */
  dir?: string | null;
  /** The start of its first session. */
  first?: string | null;
  /** SHA-256 of the root path, in hex. */
  hash?: string | null;
  /** The last update of its sessions. */
  last?: string | null;
  /** The root path, if known. */
  path?: string | null;
  /** The source of the path. */
  path_source: PathSource;
  /** Always `gemtrail.projects/1`. */
  schema: string;
  /** The number of its sessions that `list` shows. */
  sessions: number;
  /** The number of agents that worked for these and other sessions. */
  subagents: number;
}

/** Any JSON value, as written in the source. */
export type Raw = unknown;

/** A file that an `@path` pulled into a prompt. */
export interface Reference {
  /** MIME type of binary content. */
  mime?: string | null;
  /** The path as typed, or null where the record does not name it. */
  path?: string | null;
  /** The attached text; empty for binary content. */
  text: string;
}

/** What was found where, what is wrong with it, what will be deleted, what is lost. */
export interface Report {
  /** What the archive has of all this; null without one. */
  archive?: ArchiveReport | null;
  /** Everything odd, by file and line. */
  diagnostics: Array<Diagnostic>;
  /** What each home holds. */
  homes: Array<HomeReport>;
  /** Sessions that left a trace but no journal, newest first. */
  lost: Array<LostSession>;
  /** False if anything is damaged or lost, or if a session is at risk that no archive has. */
  ok: boolean;
  /** How old the price table is. */
  prices: PriceReport;
  /** When Gemini CLI deletes sessions, and which. */
  retention: Retention;
  /** Always `gemtrail.doctor/1`. */
  schema: string;
  /** What the newest sessions hold that this version of gemtrail has no word for. */
  unknown: Array<UnknownReport>;
}

/** The retention settings in force, and what follows from them. */
export interface Retention {
  /** Sessions that will be deleted within [`DAYS_AHEAD`](super::DAYS_AHEAD) days: soonest first; among those, first the ones that no setting asks for, then the newest. */
  at_risk: Array<AtRisk>;
  /** Whether Gemini CLI deletes anything. */
  enabled: boolean;
  /** Homes and projects with other settings. */
  exceptions: Array<Exception>;
  /** Why the settings have no effect, where they are wrong: then nothing is deleted. */
  invalid?: string | null;
  /** How long a session is kept after its last update, for example `30d`. */
  max_age?: string | null;
  /** How many sessions are kept per project. */
  max_count?: number | null;
  /** The topmost layer of settings that says anything about it. */
  source: Layer;
  /** The file of that layer. */
  source_file?: string | null;
}

/** Why a session will be deleted. */
export type Risk = "age" | "count" | "stray" | "unlisted";

/** Whose words a message holds. */
export type Role = "human" | "assistant" | "agent" | "tool" | "context" | "hook" | "shell" | "summary" | "info" | "warning" | "error" | "unknown";

/** One row of a breakdown. */
export interface RowDocument {
  /** The number of calls of the tool, if the rows are tools; of changes, if they are files. */
  calls?: number | null;
  /** The number of those that were cancelled. */
  cancelled?: number | null;
  /** True if every one of them has a price. */
  complete: boolean;
  /** Their cost at list price; null if none of them has a price. */
  cost?: Money | null;
  /** The number of those with the status `error`. */
  errors?: number | null;
  /** The number of those that failed for the person. */
  failures?: number | null;
  /** The values of the keys, in their order; null where there is none. */
  key: Record<string, string | null>;
  /** The name of the project for people, if the rows are projects. */
  project_name?: string | null;
  /** The session, if the rows are sessions. */
  ref: SessionRef | null;
  /** The number of requests. */
  requests: number;
  /** The number of sessions that have such requests. */
  sessions: number;
  /** True if the period is not over yet. */
  so_far: boolean;
  /** The title of that session. */
  title?: string | null;
  /** Their tokens. */
  tokens: Tokens;
}

/** A version of the record schema. */
export type Schema = "v3" | "v2";

/** One conversation, each message once. */
export interface Session {
  /** Numbers of messages and calls. */
  counts: Counts;
  /** Findings. */
  diagnostics: Array<Diagnostic>;
  /** Workspace directories besides the root. */
  directories?: Array<string>;
  /** Fields that this version does not know. */
  extra?: Fields;
  /** The session id on disk. */
  id: SessionId;
  /** The files. */
  journals: Array<Journal>;
  /** The kind of session. */
  kind: Kind;
  /** Prompts that are in no journal. */
  logged: Array<Logged>;
  /** The marks that the person set; kept in the archive. */
  marks?: Marks;
  /** The messages in order of their first record. */
  messages: Array<Message>;
  /** Every model that answered, in order of appearance. */
  models: Array<string>;
  /** The home and machine it was found on. */
  origin: Origin;
  /** The session that a subagent worked for. */
  parent?: SessionId | null;
  /** The reference of that session. */
  parent_ref?: SessionRef | null;
  /** The project. */
  project: Project;
  /** The word for it in the files, where they have one: `main`, `subagent`, or one that this version does not know. */
  recorded_kind?: string | null;
  /** Records that this version does not know, with their line. */
  records?: Array<OpaqueRecord>;
  /** Identifies exactly this session, permanently. */
  ref: SessionRef;
  /** Always `gemtrail.session/1`. */
  schema: string;
  /** The program that wrote it. */
  source?: SessionSource;
  /** The earliest start ever written. */
  started?: string | null;
  /** File names without their extension. */
  stems: Array<string>;
  /** Sessions of the agents that worked for this one. */
  subagents: Array<Session>;
  /** The summary that Gemini CLI made. */
  summary?: string | null;
  /** The person's own, else the summary, else the first human words. */
  title?: string | null;
  /** The sum over all requests, subagents excluded. */
  tokens: Tokens;
  /** The latest of the update and message times. */
  updated?: string | null;
}

/** One conversation, each message once. */
export interface SessionHeader {
  /** Numbers of messages and calls. */
  counts: Counts;
  /** Findings. */
  diagnostics: Array<Diagnostic>;
  /** Workspace directories besides the root. */
  directories?: Array<string>;
  /** Fields that this version does not know. */
  extra?: Fields;
  /** The session id on disk. */
  id: SessionId;
  /** The files. */
  journals: Array<Journal>;
  /** The kind of session. */
  kind: Kind;
  /** Prompts that are in no journal. */
  logged: Array<Logged>;
  /** The marks that the person set; kept in the archive. */
  marks?: Marks;
  /** Every model that answered, in order of appearance. */
  models: Array<string>;
  /** The home and machine it was found on. */
  origin: Origin;
  /** The session that a subagent worked for. */
  parent?: SessionId | null;
  /** The reference of that session. */
  parent_ref?: SessionRef | null;
  /** The project. */
  project: Project;
  /** The word for it in the files, where they have one: `main`, `subagent`, or one that this version does not know. */
  recorded_kind?: string | null;
  /** Records that this version does not know, with their line. */
  records?: Array<OpaqueRecord>;
  /** Identifies exactly this session, permanently. */
  ref: SessionRef;
  /** Always `gemtrail.session-header/1`. */
  schema: "gemtrail.session-header/1";
  /** The program that wrote it. */
  source?: SessionSource;
  /** The earliest start ever written. */
  started?: string | null;
  /** File names without their extension. */
  stems: Array<string>;
  /** Sessions of the agents that worked for this one. */
  subagents: Array<Session>;
  /** The summary that Gemini CLI made. */
  summary?: string | null;
  /** The person's own, else the summary, else the first human words. */
  title?: string | null;
  /** The sum over all requests, subagents excluded. */
  tokens: Tokens;
  /** The latest of the update and message times. */
  updated?: string | null;
}

/** The `sessionId` of Gemini CLI: usually a UUID, but any text is possible. */
export type SessionId = string;

/** The outcome of a session, by the last thing that happened after its last prompt. */
export type SessionOutcome = "completed" | "abandoned" | "errored";

/** Names one session and no other, for good. */
export type SessionRef = string;

/** A session in a list. */
export interface SessionRow {
  /** True if the archive has it. */
  archived: boolean;
  /** The cost of the requests at list price, subagents excluded; null if no model has a price. */
  cost?: Money | null;
  /** The cost of the requests at list price, subagents included. */
  cost_with_subagents?: Money | null;
  /** Numbers of messages and calls. */
  counts: Counts;
  /** Workspace directories besides the root. */
  directories?: Array<string>;
  /** Fields that this version does not know. */
  extra?: Fields;
  /** The first thing the person typed. */
  first_prompt?: string | null;
  /** The session id on disk. */
  id: SessionId;
  /** The files. */
  journals: Array<Journal>;
  /** The kind of session. */
  kind: Kind;
  /** The last thing the person typed. */
  last_prompt?: string | null;
  /** The number of prompts that only the log has. */
  logged_count: number;
  /** The marks that the person set; kept in the archive. */
  marks?: Marks;
  /** Every model that answered, in order of appearance. */
  models: Array<string>;
  /** True if at least one journal exists now. */
  on_disk: boolean;
  /** The home and machine it was found on. */
  origin: Origin;
  /** The session that a subagent worked for. */
  parent?: SessionId | null;
  /** The reference of the session that a subagent worked for. */
  parent_ref?: SessionRef | null;
  /** The project. */
  project: Project;
  /** The word for it in the files, where they have one: `main`, `subagent`, or one that this version does not know. */
  recorded_kind?: string | null;
  /** Identifies exactly this session, permanently. */
  ref: SessionRef;
  /** Always `gemtrail.list/1`. */
  schema: string;
  /** The program that wrote it. */
  source?: SessionSource;
  /** The earliest start ever written. */
  started?: string | null;
  /** File names without their extension. */
  stems: Array<string>;
  /** The number of subagents that worked for it. */
  subagent_count: number;
  /** The summary that Gemini CLI made. */
  summary?: string | null;
  /** The person's own, else the summary, else the first human words. */
  title?: string | null;
  /** The sum over all requests, subagents excluded. */
  tokens: Tokens;
  /** The sum over all requests, subagents included. */
  tokens_with_subagents: Tokens;
  /** The latest of the update and message times. */
  updated?: string | null;
}

/** Friction in one session. */
export interface SessionSignals {
  /** The character of the session. */
  facets: Facets;
  /** The session id on disk. */
  id: SessionId;
  /** The kind of session. */
  kind: Kind;
  /** The session that a subagent worked for. */
  parent?: SessionId | null;
  /** The project. */
  project: Project;
  /** Identifies exactly this session. */
  ref: SessionRef;
  /** The friction in it, by kind and then in order. */
  signals: Array<Signal>;
  /** The earliest start ever written. */
  started?: string | null;
  /** File names without their extension. */
  stems: Array<string>;
  /** The summary, else the first human words. */
  title?: string | null;
  /** The latest of the update and message times. */
  updated?: string | null;
}

/** The program that wrote a session. */
export type SessionSource = "gemini-cli" | "antigravity";

/** The severity. */
export type Severity = "medium" | "high";

/** A part of the totals. */
export interface Share {
  /** Their cost, or what it would be if each were a request. */
  cost: Money;
  /** The number of lines or requests. */
  count: number;
  /** Their counters. */
  tokens: Tokens;
}

/** One sign of friction, with the messages that show it. */
export interface Signal {
  /** The number of calls, prompts, compressions or waits it is made of. */
  count: number;
  /** A description in words. */
  detail: string;
  /** The messages that show it. */
  messages: Array<MessageId>;
  /** The duration: of the wait, or from the last prompt to the end. */
  seconds?: number | null;
  /** The severity. */
  severity: Severity;
  /** The kind of friction. */
  signal: SignalKind;
  /** The time of the first message. */
  time?: string | null;
}

/** The kind of friction. */
export type SignalKind = "tool_failure_cascade" | "retry_loop" | "rephrase_storm" | "abandon_signal" | "long_stall" | "context_churn" | "permission_friction";

/** The number of signals of one kind. */
export interface SignalTotal {
  /** The number of signals. */
  count: number;
  /** In how many sessions. */
  sessions: number;
  /** The kind. */
  signal: SignalKind;
}

/** Friction in some sessions. */
export interface Signals {
  /** Always `gemtrail.signals/1`. */
  schema: string;
  /** Every session that was looked at, also those without friction. */
  sessions: Array<SessionSignals>;
  /** The thresholds in force. */
  thresholds: Thresholds;
  /** The number of signals of each kind; kinds that were not found are left out. */
  totals: Array<SignalTotal>;
}

/** The speaker. */
export type Speaker = "human" | "shell" | "agent" | "assistant" | "error";

/** The state of a message: whether Gemini CLI itself would still load it. */
export type State = "current" | "superseded";

/** Statistics of many sessions. */
export interface StatsDocument {
  /** The state of the budget, if one was given. */
  budget?: Budget | null;
  /** Billed requests by what was asked for; the rows add up to the totals. */
  by: Array<RowDocument>;
  /** The cost of the requests at list price. */
  cost: CostDocument;
  /** The connection between the totals, if it was asked for. */
  explanation?: Explanation | null;
  /** The files that were changed most often; at most twenty. */
  files: Array<FileDocument>;
  /** The longest prompt of a request. */
  largest_prompt: number;
  /** In how many sessions several models answered. */
  mixed_sessions: number;
  /** The day on which the prices were collected. */
  prices_as_of: string;
  /** The number of requests, each once. */
  requests: number;
  /** Always `gemtrail.stats/1`. */
  schema: string;
  /** The number of sessions; agents belong to the session they worked for. */
  sessions: number;
  /** Only requests at this time or later. */
  since?: string | null;
  /** Changes from one model to another within these sessions, the most frequent first. */
  switches: Array<SwitchDocument>;
  /** The tokens, counted in three ways. */
  tokens: TokenTotals;
  /** The calls by tool, each once. */
  tools: Array<ToolDocument>;
  /** Only requests at this time or earlier. */
  until?: string | null;
  /** The zone of days and hours. */
  zone: string;
}

/** The reason an answer ended before its end. */
export type Stop = "cancelled";

/** The reason a superseded message left the conversation. */
export type SupersededBy = "rewind" | "compress" | "rollback" | "resume" | "restore" | "unknown";

/** A file that is left of a lost session. */
export interface Survivor {
  /** Its size. */
  bytes: number;
  /** What it is. */
  kind: SurvivorKind;
  /** Its path. */
  path: string;
}

/** What is left of a lost session. */
export type SurvivorKind = "prompt-log" | "checkpoint" | "restore-point" | "unreadable-journal" | "subagent" | "tool-output" | "plan" | "stub" | "shell-history";

/** One model that took over from another within a session. */
export interface SwitchDocument {
  /** The model that answered before. */
  from: string;
  /** In how many sessions. */
  sessions: number;
  /** The number of times. */
  times: number;
  /** The model that answered then. */
  to: string;
}

/** One chunk of reasoning. */
export interface Thought {
  /** Fields that this version does not know. */
  extra?: Fields;
  /** The place it was recorded in; not written for the usual one. */
  source?: ThoughtSource;
  /** The heading; may be empty. */
  subject: string;
  /** The text. */
  text: string;
  /** The time it arrived. */
  time?: string | null;
}

/** The place a thought was recorded in. */
export type ThoughtSource = "thoughts" | "untitled" | "content";

/** The thresholds of all signals. What is configured changes only the members that it names. */
export interface Thresholds {
  /** An unfinished session that ends within this time of its last prompt was abandoned. */
  abandon_seconds?: number;
  /** This many cancelled calls are worth reporting. */
  cancelled_calls?: number;
  /** This many failed calls in a row are a cascade. */
  cascade_failures?: number;
  /** This many compressions are churn. */
  churn_compressions?: number;
  /** Shorter prompts (`yes`, `continue`) are alike for no reason and do not count. */
  rephrase_characters?: number;
  /** This many prompts in a row that say nearly the same are a storm. */
  rephrase_prompts?: number;
  /** Prompts more alike than this say nearly the same. */
  rephrase_similarity?: number;
  /** Arguments more alike than this are nearly the same. */
  retry_similarity?: number;
  /** This many uses of a tool with nearly the same arguments are a loop. */
  retry_uses?: number;
  /** A wait of at least this long is a stall. */
  stall_seconds?: number;
}

/** The tokens, counted in three ways. */
export interface TokenTotals {
  /** Of every line that is a message with tokens, in every session file, repeats included. */
  as_written: Tokens;
  /** Of every request once, superseded ones and those of subagents included. */
  billed: Tokens;
  /** Of requests whose answers are still part of their sessions. */
  live: Tokens;
}

/** Six counters. `input` includes `cached`; `output` excludes `thoughts`; `total` is as written. A seventh number says how sure they are. */
export interface Tokens {
  /** The part of `input` that came from the cache. */
  cached: number;
  /** Prompt tokens, cached ones included. */
  input: number;
  /** Answer tokens, thoughts excluded. */
  output: number;
  /** Reasoning tokens. */
  thoughts: number;
  /** Prompt tokens of tool use. */
  tool: number;
  /** The sum as the service gave it. */
  total: number;
  /** By how much `input` and `total` may be larger, where a file does not tell whether `input` includes `cached`. */
  uncertain?: number;
}

/** A tool call with its answer. */
export interface ToolCall {
  /** The subagent that did the work. */
  agent?: string | null;
  /** The arguments as recorded. */
  args?: Raw | null;
  /** One name for the tool in all versions, for example `file_read`. */
  canonical: string;
  /** The kind of thing it does, for example `read`. */
  category: string;
  /** The tool's, or since 0.35 this call's, description. */
  description?: string | null;
  /** The display in the user interface, as recorded. */
  display?: Raw | null;
  /** The tool's name for people. */
  display_name?: string | null;
  /** The error in words; set exactly when the status is `error`. */
  error?: string | null;
  /** The exit code of the command that the call ran; null if unknown. Newer versions of Gemini CLI do not record 0. */
  exit_code?: number | null;
  /** Fields that this version does not know. */
  extra?: Fields;
  /** The call's id; empty where the record has none. */
  id: CallId;
  /** True if the output is Markdown. */
  markdown?: boolean | null;
  /** The tool's name as recorded. */
  name: string;
  /** The fullest text ever recorded for the call. */
  output?: string | null;
  /** The file that has the whole output, if it was too large. */
  output_file?: OutputFile | null;
  /** The answer as recorded. */
  result?: Raw | null;
  /** Other answers recorded for the same call, for example before it was masked. */
  revisions?: Array<Raw>;
  /** The MCP server, for MCP tools. */
  server?: string | null;
  /** The time the call began, where that was recorded. */
  started?: string | null;
  /** `success`, `error` or `cancelled`; null where no answer was recorded. */
  status?: string | null;
  /** The time the call ended. */
  time?: string | null;
}

/** The calls of one tool. */
export interface ToolDocument {
  /** The number of calls. */
  calls: number;
  /** Those that were cancelled. */
  cancelled: number;
  /** One name for all versions. */
  canonical: string;
  /** Those with the status `error`. */
  errors: number;
  /** Those that failed for the person: also those whose command ended with another code than 0. */
  failures: number;
  /** The name as recorded. */
  name: string;
}

/** The outcome of a tool call. */
export interface ToolOutcome {
  /** The error; JSON text if it was not text. */
  error?: string | null;
  /** The answer; JSON text if it was not text. */
  output?: string | null;
  /** True if the call succeeded. */
  success: boolean;
}

/** The calls of one tool. */
export interface ToolUse {
  /** All calls. */
  calls: number;
  /** Those that the person refused or stopped. */
  cancelled: number;
  /** Those that failed. */
  failed: number;
  /** The tool's name for all versions. */
  tool: string;
}

/** The document. */
export interface Transcript {
  /** The dialogue. */
  entries: Array<Entry>;
  /** The project. */
  project: Project;
  /** Always `gemtrail.transcript/1`. */
  schema: "gemtrail.transcript/1";
  /** The session id on disk. */
  session: SessionId;
  /** The start of the session. */
  started?: string | null;
  /** The summary, else the first human words. */
  title?: string | null;
  /** The time of the last write. */
  updated?: string | null;
}

/** One use of a tool. */
export interface TranscriptToolUse {
  /** Those of the arguments that tell what it was used on. */
  args: Fields;
  /** True if the person refused or stopped it. */
  cancelled?: boolean;
  /** True if it failed. */
  error: boolean;
  /** The tool's name as recorded. */
  name: string;
}

/** The kind of an unknown thing. */
export type UnknownKind = "record" | "type" | "field" | "status" | "tool" | "part";

/** Something that Gemini CLI writes and this version of gemtrail does not know. Nothing of it is lost. */
export interface UnknownReport {
  /** The kind of thing. */
  kind: UnknownKind;
  /** Its name in Gemini CLI: for a record without a type, the names of its members. */
  name: string;
  /** One of them. */
  ref: SessionRef;
  /** How many of the sessions that were looked at have it. */
  sessions: number;
}

/** Requests without a price. */
export interface Unpriced {
  /** The model. */
  model?: string | null;
  /** The number of requests. */
  requests: number;
  /** Their tokens. */
  tokens: number;
}

/** One request. */
export interface UsageRow {
  /** The part of `input` that came from the cache. */
  cached: number;
  /** The cost at list price; null without a price. */
  cost?: Money | null;
  /** Prompt tokens, cached ones included. */
  input: number;
  /** The message's id. */
  message: string;
  /** The model. */
  model?: string | null;
  /** Answer tokens, thoughts excluded. */
  output: number;
  /** The session that a subagent worked for. */
  parent?: string | null;
  /** The date of the price list; null without a price. */
  prices_as_of?: string | null;
  /** The project's directory name. */
  project?: string | null;
  /** Identifies exactly this session. */
  ref: SessionRef;
  /** Always `gemtrail.usage/1`. */
  schema: "gemtrail.usage/1";
  /** The session's id. */
  session: string;
  /** Its state in the conversation. */
  state: State;
  /** Reasoning tokens. */
  thoughts: number;
  /** The time the answer was recorded. */
  time?: string | null;
  /** Prompt tokens of tool use. */
  tool: number;
  /** The sum as the service gave it. */
  total: number;
}

/** `verify --schema-only --json`. */
export interface Validation {
  /** The schema that the record was checked against. */
  against?: Schema | null;
  /** Another schema that it follows as well. */
  also?: Schema | null;
  /** The reason why it is malformed. */
  reason?: string | null;
  /** The file. */
  record: string;
  /** Always `gemtrail.validation/1`. */
  schema: string;
  /** True if it is a vCon. Then the record is the one inside. */
  vcon: boolean;
  /** `valid`, `invalid`, or `malformed` if it cannot be read at all. */
  verdict: Outcome;
  /** Every rule that it breaks. */
  violations: Array<Violation>;
}

/** The result of verifying one signature. */
export interface Verdict {
  /** True if the envelope holds the payload. */
  attached?: boolean | null;
  /** Everything that was looked at. */
  checks: Array<Check>;
  /** The SHA-256 of the signed bytes, in hex. */
  content_hash?: string | null;
  /** The claimed signer; trustworthy only if the verdict is `valid` and the key is known to be theirs. */
  issuer?: string | null;
  /** The SHA-256 of the key that was used, in hex. */
  key?: string | null;
  /** The limits of the answer. */
  limits: string;
  /** The reason, if it is not `valid`. */
  reason?: string | null;
  /** Always `gemtrail.verdict/1`. */
  schema: string;
  /** The subject of the signature, usually the session id. */
  subject?: string | null;
  /** The answer. */
  verdict: Outcome;
}

/** One broken rule. */
export interface Violation {
  /** The rule, in words. */
  message: string;
  /** The JSON path of the value: `$.session.entries[3].timestamp`. */
  path: string;
}
