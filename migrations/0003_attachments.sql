-- Files that go with a prompt. The bytes are in the data folder, under the attachment's id.

PRAGMA user_version = 3;

CREATE TABLE attachments (
    id          TEXT    NOT NULL PRIMARY KEY,
    -- The draft that it waits in. It has a chat once it was sent.
    place       TEXT    NOT NULL,
    chat_id     TEXT    REFERENCES chats (id) ON DELETE CASCADE,
    name        TEXT    NOT NULL,
    media_type  TEXT    NOT NULL,
    bytes       INTEGER NOT NULL,
    width       INTEGER,
    height      INTEGER,
    created_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX attachments_of_place ON attachments (place, created_at, id);
CREATE INDEX attachments_of_chat ON attachments (chat_id);
