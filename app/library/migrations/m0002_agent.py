"""What the agent keeps: kinds of session, searchable conversations, owned tasks, mail, memories.

Everything that belongs to a session goes with it, save the audit log, which outlives what it tells
of, and what was remembered. A fork stands on its own: it only names where it came from.
"""

from __future__ import annotations

SQL = """
ALTER TABLE sessions ADD COLUMN kind TEXT NOT NULL DEFAULT 'conversation'; -- or subagent, teammate
ALTER TABLE sessions ADD COLUMN parent TEXT REFERENCES sessions(session_id) ON DELETE CASCADE;
ALTER TABLE sessions ADD COLUMN forked_from TEXT REFERENCES sessions(session_id) ON DELETE SET NULL;
ALTER TABLE sessions ADD COLUMN project TEXT NOT NULL DEFAULT '';  -- folder the person picked
CREATE INDEX sessions_recent ON sessions(kind, updated_at);
CREATE INDEX sessions_parent ON sessions(parent) WHERE parent IS NOT NULL;
CREATE INDEX sessions_forked ON sessions(forked_from) WHERE forked_from IS NOT NULL;

CREATE VIRTUAL TABLE agent_messages_fts USING fts5(
    words, grams, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2'
);
INSERT INTO agent_messages_fts(rowid, words, grams)
SELECT id, coalesce(json_extract(event, '$.text'), json_extract(event, '$.answer.text'), ''), ''
FROM agent_messages WHERE json_extract(event, '$.type') IN ('turn_started', 'answer');
CREATE TRIGGER agent_messages_removed AFTER DELETE ON agent_messages BEGIN
    DELETE FROM agent_messages_fts WHERE rowid = old.id;
END;

ALTER TABLE agent_audit_log ADD COLUMN finished_at TEXT;           -- NULL while the call runs
CREATE INDEX agent_audit_log_call ON agent_audit_log(tool_call_id);

ALTER TABLE agent_tasks ADD COLUMN owner TEXT NOT NULL DEFAULT ''; -- the process that works on it
ALTER TABLE agent_tasks ADD COLUMN delivered_row INTEGER;          -- journal row that told the agent
CREATE INDEX agent_tasks_open ON agent_tasks(kind, state);

CREATE TABLE agent_mail (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    team TEXT NOT NULL REFERENCES sessions(session_id) ON DELETE CASCADE, -- the lead's session
    sender TEXT NOT NULL,
    recipient TEXT NOT NULL,
    body TEXT NOT NULL,
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX agent_mail_inbox ON agent_mail(team, recipient, id);
CREATE TABLE agent_mail_read (             -- how far each has been shown its mail
    team TEXT NOT NULL REFERENCES sessions(session_id) ON DELETE CASCADE,
    recipient TEXT NOT NULL,
    upto INTEGER NOT NULL,
    PRIMARY KEY (team, recipient)
) STRICT, WITHOUT ROWID;

CREATE TABLE agent_memories (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    content TEXT NOT NULL,
    grams TEXT NOT NULL,                   -- pairs of CJK characters, for search
    trusted INTEGER NOT NULL DEFAULT 1,    -- 0: untrusted text had been read when it was saved
    session_id TEXT REFERENCES sessions(session_id) ON DELETE SET NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX agent_memories_session ON agent_memories(session_id) WHERE session_id IS NOT NULL;
CREATE VIRTUAL TABLE agent_memories_fts USING fts5(
    content, grams, content='agent_memories', content_rowid='id',
    tokenize='porter unicode61 remove_diacritics 2'
);
CREATE TRIGGER agent_memories_added AFTER INSERT ON agent_memories BEGIN
    INSERT INTO agent_memories_fts(rowid, content, grams) VALUES (new.id, new.content, new.grams);
END;
CREATE TRIGGER agent_memories_removed AFTER DELETE ON agent_memories BEGIN
    INSERT INTO agent_memories_fts(agent_memories_fts, rowid, content, grams)
    VALUES ('delete', old.id, old.content, old.grams);
END;
CREATE TRIGGER agent_memories_changed AFTER UPDATE OF content, grams ON agent_memories BEGIN
    INSERT INTO agent_memories_fts(agent_memories_fts, rowid, content, grams)
    VALUES ('delete', old.id, old.content, old.grams);
    INSERT INTO agent_memories_fts(rowid, content, grams) VALUES (new.id, new.content, new.grams);
END;
"""
