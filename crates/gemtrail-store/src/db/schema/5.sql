-- What a home looked like on disk when the archive had everything of it: a digest of the names, sizes and times of its
-- files. While the disk still looks so, and the archive too (`mark`), nothing has to be compared file by file.
CREATE TABLE listing(home INTEGER PRIMARY KEY REFERENCES home, digest BLOB NOT NULL, mark TEXT NOT NULL);
-- What is rare among the journals of years.
CREATE INDEX file_besides ON file(home) WHERE kind NOT IN ('journal', 'subagent', 'unreadable');
CREATE INDEX file_gone ON file(home) WHERE gone IS NOT NULL;
