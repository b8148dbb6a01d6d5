-- What is made from the raw layer has a file of its own from here on, and knows how far it goes: every change of a
-- project directory gets the next number. A file that no project directory has is in directory ''.
CREATE TABLE dir(
  home    INTEGER NOT NULL,
  dir     TEXT NOT NULL,
  touched INTEGER NOT NULL,       -- the last change of a journal, a log, an output, …
  stale   INTEGER NOT NULL,       -- the last change after which it may be another project
  PRIMARY KEY(home, dir)
) WITHOUT ROWID;
INSERT INTO dir SELECT DISTINCT home, coalesce(dir, ''), 1, 1 FROM file;
DROP TABLE stale;
DROP TABLE listing;
-- Tells this archive from every other one: an index belongs to one archive.
INSERT OR REPLACE INTO setting(name, value) VALUES('identity', hex(randomblob(16)));
