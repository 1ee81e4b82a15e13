-- Chats and everything that hangs on one. Times are milliseconds since the Unix epoch; ids are UUID v7 text.
-- States are plain text without CHECK: a word that a later version adds must stay readable.

PRAGMA application_id = 1346454603;
PRAGMA user_version = 1;

CREATE TABLE workspaces (
    id           TEXT    NOT NULL PRIMARY KEY,
    transport    TEXT    NOT NULL,
    path         TEXT    NOT NULL,
    resolved     TEXT    NOT NULL,
    added_at     INTEGER NOT NULL,
    last_used_at INTEGER NOT NULL,
    hidden       INTEGER NOT NULL DEFAULT 0,
    UNIQUE (transport, resolved)
) STRICT;

CREATE TABLE chats (
    id            TEXT    NOT NULL PRIMARY KEY,
    workspace_id  TEXT    REFERENCES workspaces (id),
    title         TEXT    NOT NULL,
    harness       TEXT    NOT NULL,
    endpoint      TEXT    NOT NULL,
    transport     TEXT    NOT NULL,
    model         TEXT,
    effort        TEXT,
    mode          TEXT    NOT NULL,
    session_id    TEXT,
    status        TEXT    NOT NULL,
    revision      INTEGER NOT NULL DEFAULT 1,
    last_seq      INTEGER NOT NULL DEFAULT 0,
    read_seq      INTEGER NOT NULL DEFAULT 0,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL,
    archived      INTEGER NOT NULL DEFAULT 0,
    queue_paused  TEXT,
    metadata      TEXT    NOT NULL DEFAULT '{}'
) STRICT;
CREATE INDEX chats_recent ON chats (updated_at DESC, id DESC);
CREATE INDEX chats_of_workspace ON chats (workspace_id, updated_at DESC, id DESC);

CREATE TABLE messages (
    chat_id  TEXT    NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    seq      INTEGER NOT NULL,
    turn_id  TEXT,
    role     TEXT    NOT NULL,
    text     TEXT    NOT NULL,
    extra    TEXT,
    at       INTEGER NOT NULL,
    UNIQUE (chat_id, seq)
) STRICT;

CREATE TABLE events (
    id       INTEGER NOT NULL PRIMARY KEY,
    chat_id  TEXT    NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    seq      INTEGER NOT NULL,
    turn_id  TEXT,
    at       INTEGER NOT NULL,
    kind     TEXT    NOT NULL,
    body     TEXT    NOT NULL,
    UNIQUE (chat_id, seq)
) STRICT;

-- What *find in chat* looks through. A row belongs to the event with the same chat and number.
CREATE TABLE texts (
    id       INTEGER NOT NULL PRIMARY KEY,
    chat_id  TEXT    NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    seq      INTEGER NOT NULL,
    text     TEXT    NOT NULL,
    UNIQUE (chat_id, seq)
) STRICT;

CREATE TABLE turns (
    id          TEXT    NOT NULL PRIMARY KEY,
    chat_id     TEXT    NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    status      TEXT    NOT NULL,
    delivery    TEXT    NOT NULL,
    marker      TEXT,
    request     TEXT,
    outcome     TEXT,
    queued_at   INTEGER NOT NULL,
    started_at  INTEGER,
    ended_at    INTEGER
) STRICT;
CREATE INDEX turns_of_chat ON turns (chat_id, queued_at);
-- One live turn per chat.
CREATE UNIQUE INDEX turns_live ON turns (chat_id) WHERE status IN ('queued', 'running');

CREATE TABLE tool_calls (
    chat_id     TEXT    NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    turn_id     TEXT    NOT NULL,
    call_id     TEXT    NOT NULL,
    name        TEXT    NOT NULL,
    state       TEXT    NOT NULL,
    started_at  INTEGER NOT NULL,
    ended_at    INTEGER,
    UNIQUE (chat_id, turn_id, call_id)
) STRICT;
CREATE INDEX tool_calls_open ON tool_calls (chat_id) WHERE state = 'started';

CREATE TABLE decisions (
    id            TEXT    NOT NULL PRIMARY KEY,
    chat_id       TEXT    NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    turn_id       TEXT,
    ask_id        TEXT    NOT NULL,
    kind          TEXT    NOT NULL,
    state         TEXT    NOT NULL,
    request       TEXT    NOT NULL,
    answer        TEXT,
    blocking      INTEGER NOT NULL,
    opened_at     INTEGER NOT NULL,
    deadline      INTEGER,
    answered_at   INTEGER,
    delivered_at  INTEGER,
    closed_at     INTEGER
) STRICT;
CREATE INDEX decisions_of_chat ON decisions (chat_id, opened_at);
CREATE INDEX decisions_unsettled ON decisions (opened_at) WHERE state IN ('open', 'answered');
-- A harness may use an ask id again, but not while the first is open.
CREATE UNIQUE INDEX decisions_open_ask ON decisions (chat_id, turn_id, ask_id) WHERE state = 'open';

CREATE TABLE grants (
    id           TEXT    NOT NULL PRIMARY KEY,
    chat_id      TEXT    NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    harness      TEXT    NOT NULL,
    tool         TEXT    NOT NULL,
    scope_key    TEXT    NOT NULL,
    shown        TEXT    NOT NULL,
    granted_at   INTEGER NOT NULL,
    until        INTEGER,
    revoked_at   INTEGER,
    decision_id  TEXT
) STRICT;
CREATE INDEX grants_of_chat ON grants (chat_id, granted_at);

CREATE TABLE prompt_queue (
    id          TEXT    NOT NULL PRIMARY KEY,
    chat_id     TEXT    NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    position    INTEGER NOT NULL,
    text        TEXT    NOT NULL,
    extra       TEXT,
    state       TEXT    NOT NULL,
    revision    INTEGER NOT NULL DEFAULT 1,
    created_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX prompt_queue_order ON prompt_queue (chat_id, position);

CREATE TABLE drafts (
    key         TEXT    NOT NULL PRIMARY KEY,
    text        TEXT    NOT NULL,
    updated_at  INTEGER NOT NULL
) STRICT;

CREATE TABLE process_handles (
    marker      TEXT    NOT NULL PRIMARY KEY,
    chat_id     TEXT,
    turn_id     TEXT,
    handle      TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    ended_at    INTEGER
) STRICT;
CREATE INDEX process_handles_open ON process_handles (created_at) WHERE ended_at IS NULL;

CREATE TABLE settings (
    key    TEXT NOT NULL PRIMARY KEY,
    value  TEXT NOT NULL
) STRICT;
