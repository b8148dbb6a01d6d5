-- Raw: every version of every file ever seen. The truth; everything else can be made from it.

CREATE TABLE chunk(
  id    INTEGER PRIMARY KEY,
  hash  BLOB NOT NULL UNIQUE,     -- SHA-256 of the bytes
  bytes INTEGER NOT NULL,         -- before compression
  refs  INTEGER NOT NULL DEFAULT 0, -- how often contents use it
  data  BLOB NOT NULL             -- zstd
);
CREATE INDEX chunk_unused ON chunk(id) WHERE refs = 0;

CREATE TABLE content(
  id     INTEGER PRIMARY KEY,
  hash   BLOB NOT NULL UNIQUE,    -- SHA-256 of the hashes of its chunks
  bytes  INTEGER NOT NULL,
  chunks BLOB NOT NULL            -- chunk ids, 8 bytes each, little endian
);

CREATE TABLE home(
  id       INTEGER PRIMARY KEY,
  path     TEXT NOT NULL,         -- the .gemini directory
  sessions TEXT NOT NULL,         -- the directory that holds the project directories
  host     TEXT NOT NULL,         -- where it was; '' if nobody said
  user     TEXT NOT NULL,
  seen     INTEGER NOT NULL,      -- first, in milliseconds since 1970
  UNIQUE(path, host, user)
);

CREATE TABLE file(
  id       INTEGER PRIMARY KEY,
  home     INTEGER NOT NULL REFERENCES home,
  dir      TEXT,                  -- the project directory; null for files of the home itself
  path     TEXT NOT NULL,         -- below the home
  kind     TEXT NOT NULL,         -- journal, subagent, log, checkpoint, …
  detail   TEXT,                  -- a subagent's parent, a checkpoint's tag, …
  bytes    INTEGER NOT NULL,      -- size, time of change (ns) and inode when last looked at
  modified INTEGER NOT NULL,
  inode    INTEGER NOT NULL,
  gone     INTEGER,               -- when it was found missing
  UNIQUE(home, path)
);

CREATE TABLE version(
  id       INTEGER PRIMARY KEY,
  file     INTEGER NOT NULL REFERENCES file,
  content  INTEGER NOT NULL REFERENCES content,
  bytes    INTEGER NOT NULL,      -- a file that only grew is the beginning of its later content
  modified INTEGER NOT NULL,
  seen     INTEGER NOT NULL,
  repeated INTEGER NOT NULL DEFAULT 0 -- a later version has every message of it
);
CREATE INDEX version_file ON version(file);
CREATE INDEX version_content ON version(content);

-- Facts: small, never rebuilt.

CREATE TABLE forgotten(
  hash    BLOB NOT NULL PRIMARY KEY, -- of a content
  session TEXT NOT NULL,
  time    INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE setting(name TEXT NOT NULL PRIMARY KEY, value NOT NULL) WITHOUT ROWID;

-- Project directories whose views are older than their files.
CREATE TABLE stale(home INTEGER NOT NULL, dir TEXT NOT NULL, PRIMARY KEY(home, dir)) WITHOUT ROWID;

-- Views: made from the raw layer, and made anew whenever needed.

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
  tool_calls INTEGER NOT NULL, tool_errors INTEGER NOT NULL, superseded INTEGER NOT NULL,
  input INTEGER NOT NULL, output INTEGER NOT NULL, cached INTEGER NOT NULL,
  thoughts INTEGER NOT NULL, tool INTEGER NOT NULL, total INTEGER NOT NULL,
  bytes      INTEGER NOT NULL,    -- of its files
  logged     BLOB NOT NULL,       -- prints of the prompts that only the log has, 8 bytes each
  print      INTEGER NOT NULL,    -- changes whenever anything about the session does
  row        BLOB NOT NULL        -- the line of `list --json`: its length in 8 bytes, then zstd
);
CREATE INDEX session_project ON session(project);
CREATE INDEX session_name ON session(session);

CREATE TABLE journal(session INTEGER NOT NULL, file INTEGER NOT NULL, PRIMARY KEY(session, file)) WITHOUT ROWID;
CREATE INDEX journal_file ON journal(file);

CREATE TABLE message(
  session INTEGER NOT NULL,
  number  INTEGER NOT NULL,       -- its place in the session document
  id      TEXT NOT NULL,
  time    TEXT, role TEXT NOT NULL, state TEXT NOT NULL, superseded_by TEXT, model TEXT,
  input INTEGER, output INTEGER, cached INTEGER, thoughts INTEGER, tool INTEGER, total INTEGER,
  PRIMARY KEY(session, number)
) WITHOUT ROWID;

CREATE TABLE tool_call(
  session INTEGER NOT NULL,
  message INTEGER NOT NULL,       -- the message's number
  number  INTEGER NOT NULL,
  id      TEXT, name TEXT NOT NULL, canonical TEXT, category TEXT, server TEXT, status TEXT, time TEXT,
  PRIMARY KEY(session, message, number)
) WITHOUT ROWID;

CREATE TABLE diagnostic(
  session INTEGER NOT NULL, code TEXT NOT NULL, journal TEXT, line INTEGER, message TEXT NOT NULL
);
CREATE INDEX diagnostic_session ON diagnostic(session);

-- One row per thing that can be found: a field of a message. `search` has the same rowids.
CREATE TABLE unit(
  id      INTEGER PRIMARY KEY,
  session INTEGER NOT NULL,
  number  INTEGER NOT NULL,       -- its place among the units of the session
  message INTEGER,                -- the message's number; null for titles, summaries, logged prompts
  call    INTEGER,
  field   TEXT NOT NULL,
  role    TEXT, state TEXT,
  time    INTEGER,                -- milliseconds since 1970
  length  INTEGER NOT NULL        -- in tokens
);
CREATE INDEX unit_session ON unit(session, number);

-- Which words stand in which unit; no text, no positions.
CREATE VIRTUAL TABLE search USING fts5(tokens, content='', contentless_delete=1, detail=none, tokenize='ascii');
CREATE VIRTUAL TABLE search_words USING fts5vocab('search', 'row');
