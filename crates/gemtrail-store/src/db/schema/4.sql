-- The session that a file was last read as, should its bytes be damaged and no longer tell.
ALTER TABLE file ADD COLUMN session TEXT;
-- When its inode changed (ns): also if the time of change of its bytes was put back. Null if that was not asked yet.
ALTER TABLE file ADD COLUMN changed INTEGER;
