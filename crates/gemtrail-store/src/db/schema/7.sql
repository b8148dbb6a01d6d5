-- What a person marked: never made again from anything, so never dropped with what is made. A field that was removed
-- keeps its row, so that an older archive does not bring it back.
CREATE TABLE mark(
  ref   TEXT NOT NULL,            -- the reference of the session on its own machine
  host  TEXT NOT NULL,            -- that machine; '' if nobody said
  field TEXT NOT NULL,            -- pinned, title, tags (JSON), note
  value TEXT,                     -- null if it was removed
  time  INTEGER NOT NULL,         -- when it was set, in milliseconds since 1970
  PRIMARY KEY(ref, host, field)
) WITHOUT ROWID;
-- What `tidy` removed from the disk, written down before it did so.
CREATE TABLE tidied(
  id    INTEGER PRIMARY KEY,
  time  INTEGER NOT NULL,         -- in milliseconds since 1970
  ref   TEXT NOT NULL,
  host  TEXT NOT NULL,
  path  TEXT NOT NULL,
  bytes INTEGER NOT NULL
);
