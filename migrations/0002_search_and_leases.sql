-- Full-text search by substring, and one writer per provider session.

PRAGMA user_version = 2;

CREATE VIRTUAL TABLE search USING fts5 (
    text,
    content = 'texts',
    content_rowid = 'id',
    tokenize = 'trigram remove_diacritics 1'
);
INSERT INTO search (search) VALUES ('rebuild');

CREATE TRIGGER texts_added AFTER INSERT ON texts BEGIN
    INSERT INTO search (rowid, text) VALUES (new.id, new.text);
END;
CREATE TRIGGER texts_removed AFTER DELETE ON texts BEGIN
    INSERT INTO search (search, rowid, text) VALUES ('delete', old.id, old.text);
END;
CREATE TRIGGER texts_changed AFTER UPDATE OF text ON texts BEGIN
    INSERT INTO search (search, rowid, text) VALUES ('delete', old.id, old.text);
    INSERT INTO search (rowid, text) VALUES (new.id, new.text);
END;

CREATE TABLE leases (
    session   TEXT    NOT NULL PRIMARY KEY,
    chat_id   TEXT    NOT NULL,
    owner     TEXT    NOT NULL,
    taken_at  INTEGER NOT NULL,
    until     INTEGER NOT NULL
) STRICT;
