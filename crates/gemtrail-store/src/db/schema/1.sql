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

-- Project directories whose views are made anew as a whole.
CREATE TABLE stale(home INTEGER NOT NULL, dir TEXT NOT NULL, PRIMARY KEY(home, dir)) WITHOUT ROWID;
