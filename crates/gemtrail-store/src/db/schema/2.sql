-- Root paths that a person taught, or that were found once and might not be found again.
CREATE TABLE taught(
  path TEXT NOT NULL PRIMARY KEY,
  time INTEGER NOT NULL           -- when the archive heard of it, in milliseconds since 1970
) WITHOUT ROWID;
