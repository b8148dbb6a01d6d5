-- The highest row ids that were deleted. SQLite would give them to the next rows; but a reader may hold a row id
-- for hours, and must not get the bytes of another file by it. AUTOINCREMENT would do the same, but cannot be
-- added without copying every chunk.
CREATE TABLE retired(name TEXT NOT NULL PRIMARY KEY, id INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO retired(name, id) VALUES('chunk', 0), ('content', 0), ('version', 0);
CREATE TRIGGER chunk_retired AFTER DELETE ON chunk BEGIN
  UPDATE retired SET id = old.id WHERE name = 'chunk' AND id < old.id;
END;
CREATE TRIGGER content_retired AFTER DELETE ON content BEGIN
  UPDATE retired SET id = old.id WHERE name = 'content' AND id < old.id;
END;
CREATE TRIGGER version_retired AFTER DELETE ON version BEGIN
  UPDATE retired SET id = old.id WHERE name = 'version' AND id < old.id;
END;
