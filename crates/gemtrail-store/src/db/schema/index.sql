-- The index: everything that is made from the raw layer, or from the files of a home, so that questions can be
-- answered. It can be deleted at any time. A change here needs another number in `db/index_file.rs` and nothing else.

-- One row.
CREATE TABLE ix.state(
  version  INTEGER NOT NULL,      -- of these tables, and of the reader that filled them
  complete INTEGER NOT NULL,      -- 0 until everything was indexed for the first time
  change   INTEGER NOT NULL,      -- counts the changes
  archive  TEXT NOT NULL DEFAULT '', -- the identity of the archive that it belongs to
  raw      INTEGER NOT NULL DEFAULT 0 -- the last change of that archive that it knows
);

-- Up to which change of a project directory the index goes.
CREATE TABLE ix.indexed(
  home  INTEGER NOT NULL,
  dir   TEXT NOT NULL,
  up_to INTEGER NOT NULL,
  PRIMARY KEY(home, dir)
) WITHOUT ROWID;

CREATE TABLE ix.project(
  id          INTEGER PRIMARY KEY,
  host        TEXT NOT NULL,
  dir         TEXT,
  hash        TEXT,
  path        TEXT,
  path_source TEXT NOT NULL,
  dirs        TEXT NOT NULL,      -- JSON: [[home, directory], …]
  sum         INTEGER             -- a checksum of the row: see `index/sums.rs`
);

CREATE TABLE ix.session(
  id         INTEGER PRIMARY KEY,
  source     TEXT NOT NULL,       -- the program that wrote it: gemini-cli or antigravity
  project    INTEGER NOT NULL REFERENCES project,
  ref        TEXT NOT NULL,       -- the reference on its own machine
  parent_ref TEXT,
  session    TEXT NOT NULL,       -- the id on disk
  parent     TEXT,
  first      TEXT NOT NULL,       -- its first file
  stems      TEXT NOT NULL,       -- file names without ending, one per line
  paths      TEXT NOT NULL,       -- JSON: its files
  format     TEXT,                -- of the last one
  home       TEXT, host TEXT, user TEXT, -- where it was found
  kind       TEXT NOT NULL,
  listed     INTEGER NOT NULL,    -- whether the plain list has it
  talks      INTEGER NOT NULL,    -- whether anything was said in it
  title      TEXT,
  started    TEXT,
  updated    TEXT,
  updated_ms INTEGER,
  models     TEXT NOT NULL,       -- JSON
  messages   INTEGER NOT NULL, human INTEGER NOT NULL, assistant INTEGER NOT NULL,
  tool_calls INTEGER NOT NULL, tool_errors INTEGER NOT NULL, tool_failures INTEGER NOT NULL,
  superseded INTEGER NOT NULL, logged INTEGER NOT NULL,
  input INTEGER NOT NULL, output INTEGER NOT NULL, cached INTEGER NOT NULL,
  thoughts INTEGER NOT NULL, tool INTEGER NOT NULL, total INTEGER NOT NULL,
  -- The same with its subagents, and what all of it cost: 16 bytes, exact.
  all_input INTEGER NOT NULL, all_output INTEGER NOT NULL, all_cached INTEGER NOT NULL,
  all_thoughts INTEGER NOT NULL, all_tool INTEGER NOT NULL, all_total INTEGER NOT NULL,
  all_cost   BLOB,
  bytes      INTEGER NOT NULL,    -- of its files
  print      INTEGER NOT NULL,    -- its fingerprint: changes whenever anything about the session does
  added      INTEGER NOT NULL,    -- the change that added it
  change     INTEGER NOT NULL,    -- the change that last wrote it
  clean_up   TEXT NOT NULL        -- JSON: per file, what Gemini CLI's clean-up decides by; see `index/clean_up.rs`
);
CREATE INDEX ix.session_project ON session(project);
CREATE INDEX ix.session_name ON session(session);
CREATE INDEX ix.session_start ON session(session COLLATE NOCASE);
CREATE INDEX ix.session_parent ON session(parent) WHERE parent IS NOT NULL;
CREATE INDEX ix.session_updated ON session(updated_ms);
CREATE INDEX ix.session_newest ON session(updated_ms) WHERE listed;
CREATE INDEX ix.session_ref ON session(ref);
CREATE INDEX ix.session_change ON session(change);

-- The session's line of `list --json` as it would be if no file were on disk.
CREATE TABLE ix.line(session INTEGER PRIMARY KEY, json TEXT NOT NULL);

-- What statistics need of a session without its agents: JSON, the `SessionFacts` of gemtrail-core.
CREATE TABLE ix.facts(session INTEGER PRIMARY KEY, json TEXT NOT NULL);

-- A checksum of all rows of a session: see `index/sums.rs`.
CREATE TABLE ix.checksum(session INTEGER PRIMARY KEY, value INTEGER NOT NULL);

-- What a long session is besides its messages: JSON, see `index/head.rs`.
CREATE TABLE ix.head(session INTEGER PRIMARY KEY, json TEXT NOT NULL);

-- What decides which prompts of the log a session has, and which only the log has.
CREATE TABLE ix.prompted(
  session INTEGER PRIMARY KEY,
  prompts INTEGER NOT NULL,       -- changes whenever its prompts in the log do
  logged  BLOB NOT NULL,          -- fingerprints of the prompts that only the log has, 8 bytes each
  said    BLOB NOT NULL           -- fingerprints and times of what the person said, 16 bytes each
);

CREATE TABLE ix.journal(
  session INTEGER NOT NULL,
  file    INTEGER NOT NULL,
  version INTEGER NOT NULL,       -- the last one that was read
  PRIMARY KEY(session, file)
) WITHOUT ROWID;
CREATE INDEX ix.journal_file ON journal(file);

-- Files with whole outputs that a session names.
CREATE TABLE ix.output(
  session INTEGER NOT NULL,
  name    TEXT NOT NULL,          -- with the directory of the session, if it lies in one
  version INTEGER,                -- the one that was read; null if there was none
  PRIMARY KEY(session, name)
) WITHOUT ROWID;

CREATE TABLE ix.message(
  session INTEGER NOT NULL,
  number  INTEGER NOT NULL,       -- its index in the session document
  turn    INTEGER NOT NULL,       -- its place, as in `show ID:17.5`: which human message it follows
  item    INTEGER NOT NULL,       -- and which item after that one it is
  id      TEXT NOT NULL,
  time    TEXT, role TEXT NOT NULL, state TEXT NOT NULL, superseded_by TEXT, model TEXT,
  input INTEGER, output INTEGER, cached INTEGER, thoughts INTEGER, tool INTEGER, total INTEGER,
  file    INTEGER,                -- the journal that has all its records, if one has
  spans   BLOB,                   -- where they stand in it: starts in 8 bytes, lengths in 4
  PRIMARY KEY(session, number)
) WITHOUT ROWID;

CREATE TABLE ix.tool_call(
  session INTEGER NOT NULL,
  message INTEGER NOT NULL,       -- the message's number
  number  INTEGER NOT NULL,
  id      TEXT, name TEXT NOT NULL, canonical TEXT, category TEXT, server TEXT, status TEXT, time TEXT,
  exit_code INTEGER,
  outcome TEXT NOT NULL,          -- how it ended for the person, not by the status alone
  args_bytes INTEGER, output_bytes INTEGER, error_bytes INTEGER,
  PRIMARY KEY(session, message, number)
) WITHOUT ROWID;

CREATE TABLE ix.diagnostic(
  session INTEGER NOT NULL, code TEXT NOT NULL, journal TEXT, line INTEGER, message TEXT NOT NULL
);
CREATE INDEX ix.diagnostic_session ON diagnostic(session);
CREATE INDEX ix.diagnostic_damage ON diagnostic(journal) WHERE code = 'damaged-archive';

-- One row per thing that can be found: a field of a message.
CREATE TABLE ix.unit(
  id      INTEGER PRIMARY KEY,
  session INTEGER NOT NULL,
  number  INTEGER NOT NULL,       -- its place among the units of the session
  message INTEGER,                -- the message's number; null for titles, summaries, logged prompts
  call    INTEGER,
  turn    INTEGER,                -- of that message
  field   INTEGER NOT NULL,       -- these are numbers, see `db/code.rs`
  role    INTEGER,
  state   INTEGER,
  time    INTEGER,                -- milliseconds since 1970
  length  INTEGER NOT NULL,       -- in tokens
  text    INTEGER NOT NULL        -- the fingerprint of what it says
);
CREATE INDEX ix.unit_session ON unit(session, number);

-- How many words a turn has: a prompt, and what followed it until the next. Without injected context.
CREATE TABLE ix.turn(
  session INTEGER NOT NULL,
  turn    INTEGER NOT NULL,
  words   INTEGER NOT NULL,
  PRIMARY KEY(session, turn)
) WITHOUT ROWID;

-- The words of each unit, by its id: folded by gemtrail, joined by blanks. Without texts and positions.
CREATE VIRTUAL TABLE ix.words USING fts5(
  terms, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
);
-- Words are sorted and written 16 MiB at a time: with the usual 1 MiB a first sync takes half as long again.
INSERT INTO ix.words(words, rank) VALUES('hashsize', 16777216);

-- References of sessions that are gone.
CREATE TABLE ix.removed(ref TEXT NOT NULL PRIMARY KEY, change INTEGER NOT NULL) WITHOUT ROWID;

-- For people who query it: names that stay, whatever becomes of the tables.
CREATE VIEW ix.sessions AS
  SELECT ref, session AS id, source, kind, parent_ref AS parent, title, started, updated,
         project.dir AS project, project.path AS root, session.host, session.user, models, messages,
         human, assistant, tool_calls, tool_failures, superseded, input, output, cached, thoughts, tool,
         total, bytes, paths
  FROM session JOIN project ON project.id = session.project;
CREATE VIEW ix.messages AS
  SELECT ref, number, turn, item, message.id, time, role, state, superseded_by, model
  FROM message JOIN session ON session.id = message.session;
CREATE VIEW ix.requests AS
  SELECT ref, message.id AS message, time, model, state, message.input, message.output, message.cached,
         message.thoughts, message.tool, message.total
  FROM message JOIN session ON session.id = message.session
  WHERE role = 'assistant' AND message.total IS NOT NULL;
CREATE VIEW ix.calls AS
  SELECT ref, tool_call.id, message.id AS message, name, canonical, category, server, status, outcome,
         exit_code, coalesce(tool_call.time, message.time) AS time, args_bytes, output_bytes, error_bytes
  FROM tool_call JOIN session ON session.id = tool_call.session
  JOIN message ON message.session = tool_call.session AND message.number = tool_call.message;
