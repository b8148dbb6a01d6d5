-- Views: made from the raw layer, and made anew whenever needed. A change here needs no step of its
-- own, only another number of the views.

-- Project directories in which only journals and logs changed: most of their views still fit.
CREATE TABLE touched(home INTEGER NOT NULL, dir TEXT NOT NULL, PRIMARY KEY(home, dir)) WITHOUT ROWID;

CREATE TABLE project(
  id          INTEGER PRIMARY KEY,
  host        TEXT NOT NULL,
  dir         TEXT,
  hash        TEXT,
  path        TEXT,
  path_source TEXT NOT NULL,
  dirs        TEXT NOT NULL       -- JSON: [[home, directory], …]
);

CREATE TABLE session(
  id         INTEGER PRIMARY KEY,
  project    INTEGER NOT NULL REFERENCES project,
  ref        TEXT NOT NULL,       -- the reference on its own machine
  session    TEXT NOT NULL,       -- the id on disk
  parent     TEXT,
  first      TEXT NOT NULL,       -- its first file
  stems      TEXT NOT NULL,       -- file names without ending, one per line
  kind       TEXT NOT NULL,
  listed     INTEGER NOT NULL,    -- whether the plain list has it
  started    TEXT,
  updated    TEXT,
  updated_ms INTEGER,
  models     TEXT NOT NULL,       -- JSON
  messages   INTEGER NOT NULL, human INTEGER NOT NULL, assistant INTEGER NOT NULL,
  tool_calls INTEGER NOT NULL, tool_errors INTEGER NOT NULL, tool_failures INTEGER NOT NULL,
  superseded INTEGER NOT NULL,
  input INTEGER NOT NULL, output INTEGER NOT NULL, cached INTEGER NOT NULL,
  thoughts INTEGER NOT NULL, tool INTEGER NOT NULL, total INTEGER NOT NULL,
  bytes      INTEGER NOT NULL,    -- of its files
  prompts    INTEGER NOT NULL,    -- changes whenever its prompts in the log do
  logged     BLOB NOT NULL,       -- fingerprints of the prompts that only the log has, 8 bytes each
  said       BLOB NOT NULL,       -- fingerprints and times of what the person said, 16 bytes each
  print      INTEGER NOT NULL     -- its fingerprint: changes whenever anything about the session does
);
CREATE INDEX session_project ON session(project);
CREATE INDEX session_name ON session(session);
CREATE INDEX session_start ON session(session COLLATE NOCASE);
CREATE INDEX session_parent ON session(parent) WHERE parent IS NOT NULL;
CREATE INDEX session_updated ON session(updated_ms);
CREATE INDEX session_newest ON session(updated_ms) WHERE listed;
CREATE INDEX session_ref ON session(ref);

-- What a list shows of a session, see `views/shown.rs`. With what decides whether and how it is shown: lists of all
-- sessions read this table and no other.
CREATE TABLE shown(
  session INTEGER PRIMARY KEY,
  project INTEGER NOT NULL,
  listed  INTEGER NOT NULL,       -- whether the plain list has it
  data    BLOB NOT NULL
);

-- The session's line of `list --json` as it would be if no file were on disk: its length in 8 bytes, then zstd.
CREATE TABLE line(session INTEGER PRIMARY KEY, data BLOB NOT NULL);

-- What statistics need of a session without its agents, see `views/facts.rs`.
CREATE TABLE facts(session INTEGER PRIMARY KEY, data BLOB NOT NULL);

-- What a check-up wants to know of the only journal of a session that nothing is odd about, see `views/checkup.rs`.
CREATE TABLE checkup(
  file    INTEGER PRIMARY KEY,
  session INTEGER NOT NULL,
  data    BLOB NOT NULL
);

-- What a long session is besides its messages, see `views/head.rs`: as `line`, but the document and not its row.
CREATE TABLE head(session INTEGER PRIMARY KEY, data BLOB NOT NULL);

CREATE TABLE journal(
  session INTEGER NOT NULL,
  file    INTEGER NOT NULL,
  version INTEGER NOT NULL,       -- the last one that was read
  PRIMARY KEY(session, file)
) WITHOUT ROWID;
CREATE INDEX journal_file ON journal(file);

-- Files with whole outputs that a session names.
CREATE TABLE output(
  session INTEGER NOT NULL,
  name    TEXT NOT NULL,          -- with the directory of the session, if it lies in one
  version INTEGER,                -- the one that was read; null if there was none
  PRIMARY KEY(session, name)
) WITHOUT ROWID;

CREATE TABLE message(
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

CREATE TABLE tool_call(
  session INTEGER NOT NULL,
  message INTEGER NOT NULL,       -- the message's number
  number  INTEGER NOT NULL,
  id      TEXT, name TEXT NOT NULL, canonical TEXT, category TEXT, server TEXT, status TEXT, time TEXT,
  exit_code INTEGER,
  outcome TEXT NOT NULL,          -- how it ended for the person, not by the status alone
  args_bytes INTEGER, output_bytes INTEGER, error_bytes INTEGER,
  PRIMARY KEY(session, message, number)
) WITHOUT ROWID;

CREATE TABLE diagnostic(
  session INTEGER NOT NULL, code TEXT NOT NULL, journal TEXT, line INTEGER, message TEXT NOT NULL
);
CREATE INDEX diagnostic_session ON diagnostic(session);
CREATE INDEX diagnostic_damage ON diagnostic(journal) WHERE code = 'damaged-archive';

-- One row per thing that can be found: a field of a message.
CREATE TABLE unit(
  id      INTEGER PRIMARY KEY,
  session INTEGER NOT NULL,
  number  INTEGER NOT NULL,       -- its place among the units of the session
  message INTEGER,                -- the message's number; null for titles, summaries, logged prompts
  call    INTEGER,
  field   INTEGER NOT NULL,       -- these are numbers, see `db/code.rs`
  role    INTEGER,
  state   INTEGER,
  time    INTEGER,                -- milliseconds since 1970
  length  INTEGER NOT NULL,       -- in tokens
  text    INTEGER NOT NULL        -- the fingerprint of what it says
);
CREATE INDEX unit_session ON unit(session, number);

-- Which words are in which unit; no text, no positions. See `archive/index`.
CREATE TABLE word_segment(
  id         INTEGER PRIMARY KEY,
  first_unit INTEGER NOT NULL,    -- the lowest unit that it may have; postings count from it
  last_unit  INTEGER NOT NULL,    -- the highest one
  bytes      INTEGER NOT NULL     -- of its blocks
);
CREATE TABLE word_block(
  id      INTEGER PRIMARY KEY,
  segment INTEGER NOT NULL,
  first   TEXT NOT NULL,          -- its first word
  bytes   INTEGER NOT NULL,       -- before compression
  data    BLOB NOT NULL           -- see `index/block.rs`
);
CREATE UNIQUE INDEX word_block_first ON word_block(segment, first);
