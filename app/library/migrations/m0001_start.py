"""The first schema.

A work has manifestations (preprint v1, journal article), a manifestation has files,
a file has passages. The full-text tables follow their tables by triggers, so no path
of deletion can leave a stale entry. Times are ISO 8601 in UTC, so they sort as text.
"""

from __future__ import annotations

SQL = """
CREATE TABLE works (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    paper_id TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL DEFAULT '',
    authors TEXT NOT NULL DEFAULT '',      -- full names in printed order, one a line
    year INTEGER,
    journal TEXT NOT NULL DEFAULT '',
    volume TEXT NOT NULL DEFAULT '',
    pages TEXT NOT NULL DEFAULT '',
    abstract TEXT NOT NULL DEFAULT '',
    doctype TEXT NOT NULL DEFAULT '',
    provenance TEXT NOT NULL DEFAULT '{}', -- JSON: field -> where it came from
    title_key TEXT NOT NULL DEFAULT '',    -- normalised title: duplicates
    title_sort TEXT NOT NULL DEFAULT '',
    author_sort TEXT NOT NULL DEFAULT '',
    journal_sort TEXT NOT NULL DEFAULT '',
    grams TEXT NOT NULL DEFAULT '',        -- pairs of CJK characters, for search
    unread INTEGER NOT NULL DEFAULT 1,
    added_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    trashed_at TEXT
) STRICT;
CREATE INDEX works_title_key ON works(title_key);
-- Each sort of the list walks one of these; trashed_at is in them so that the rows need not be read.
CREATE INDEX works_by_title ON works(title_sort, id, trashed_at) WHERE trashed_at IS NULL;
CREATE INDEX works_by_author ON works(author_sort, id, trashed_at) WHERE trashed_at IS NULL;
CREATE INDEX works_by_year ON works(year, id, trashed_at) WHERE trashed_at IS NULL;
CREATE INDEX works_by_journal ON works(journal_sort, id, trashed_at) WHERE trashed_at IS NULL;
CREATE INDEX works_by_added ON works(added_at, id, trashed_at) WHERE trashed_at IS NULL;
CREATE INDEX works_trashed ON works(trashed_at) WHERE trashed_at IS NOT NULL;

CREATE TABLE paper_aliases (               -- ids of works that were merged away
    paper_id TEXT NOT NULL PRIMARY KEY,
    work_id INTEGER NOT NULL REFERENCES works(id) ON DELETE CASCADE
) STRICT;
CREATE INDEX paper_aliases_work ON paper_aliases(work_id);

CREATE TABLE identifiers (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    work_id INTEGER NOT NULL REFERENCES works(id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    value TEXT NOT NULL,
    UNIQUE (kind, value)
) STRICT;
CREATE INDEX identifiers_work ON identifiers(work_id);

CREATE TABLE names (
    work_id INTEGER NOT NULL REFERENCES works(id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    surname_key TEXT NOT NULL,
    PRIMARY KEY (work_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX names_first ON names(surname_key, work_id) WHERE position = 0;

CREATE TABLE manifestations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    work_id INTEGER NOT NULL REFERENCES works(id) ON DELETE CASCADE,
    label TEXT NOT NULL DEFAULT '',        -- "arXiv v2", "journal", "" when not known
    UNIQUE (work_id, label)
) STRICT;

CREATE TABLE files (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    manifestation_id INTEGER NOT NULL REFERENCES manifestations(id) ON DELETE CASCADE,
    sha256 TEXT NOT NULL UNIQUE,
    path TEXT NOT NULL,                    -- relative to the library's files folder
    original_name TEXT NOT NULL DEFAULT '',
    size INTEGER NOT NULL DEFAULT 0,
    pages INTEGER NOT NULL DEFAULT 0,
    status TEXT NOT NULL DEFAULT '',
    message TEXT NOT NULL DEFAULT '',
    next_page INTEGER NOT NULL DEFAULT 0,  -- the first page whose passages are not written
    indexed INTEGER NOT NULL DEFAULT 0,    -- 1 once all pages are written
    added_at TEXT NOT NULL
) STRICT;
CREATE INDEX files_manifestation ON files(manifestation_id);

CREATE TABLE passages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    file_id INTEGER NOT NULL REFERENCES files(id) ON DELETE CASCADE,
    page INTEGER NOT NULL,
    page_label TEXT NOT NULL,
    start INTEGER NOT NULL,
    stop INTEGER NOT NULL,
    header TEXT NOT NULL,                  -- "title | section": found with the text
    text TEXT NOT NULL,
    section TEXT NOT NULL,
    kind TEXT NOT NULL,
    lines BLOB NOT NULL,                   -- see app/library/geometry.py
    prefix TEXT NOT NULL,
    suffix TEXT NOT NULL
) STRICT;
CREATE INDEX passages_file ON passages(file_id, page, start);

CREATE VIRTUAL TABLE passages_fts USING fts5(
    header, text, content='passages', content_rowid='id',
    tokenize='porter unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE passages_vocab USING fts5vocab(passages_fts, 'row');
CREATE VIRTUAL TABLE passages_cjk USING fts5(
    grams, content='', contentless_delete=1, tokenize='unicode61'
);
CREATE TRIGGER passages_added AFTER INSERT ON passages BEGIN
    INSERT INTO passages_fts(rowid, header, text) VALUES (new.id, new.header, new.text);
END;
CREATE TRIGGER passages_removed AFTER DELETE ON passages BEGIN
    INSERT INTO passages_fts(passages_fts, rowid, header, text)
    VALUES ('delete', old.id, old.header, old.text);
    DELETE FROM passages_cjk WHERE rowid = old.id;
END;
CREATE TRIGGER passages_changed AFTER UPDATE OF header, text ON passages BEGIN
    INSERT INTO passages_fts(passages_fts, rowid, header, text)
    VALUES ('delete', old.id, old.header, old.text);
    INSERT INTO passages_fts(rowid, header, text) VALUES (new.id, new.header, new.text);
END;

CREATE VIRTUAL TABLE works_fts USING fts5(
    title, authors, abstract, grams, content='works', content_rowid='id',
    tokenize='unicode61 remove_diacritics 2', prefix='2 3'
);
CREATE TRIGGER works_added AFTER INSERT ON works BEGIN
    INSERT INTO works_fts(rowid, title, authors, abstract, grams)
    VALUES (new.id, new.title, new.authors, new.abstract, new.grams);
END;
CREATE TRIGGER works_removed AFTER DELETE ON works BEGIN
    INSERT INTO works_fts(works_fts, rowid, title, authors, abstract, grams)
    VALUES ('delete', old.id, old.title, old.authors, old.abstract, old.grams);
END;
CREATE TRIGGER works_changed AFTER UPDATE OF title, authors, abstract, grams ON works BEGIN
    INSERT INTO works_fts(works_fts, rowid, title, authors, abstract, grams)
    VALUES ('delete', old.id, old.title, old.authors, old.abstract, old.grams);
    INSERT INTO works_fts(rowid, title, authors, abstract, grams)
    VALUES (new.id, new.title, new.authors, new.abstract, new.grams);
END;

CREATE TABLE vector_models (               -- one pair of tables vectors_N, codes_N each
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    model TEXT NOT NULL UNIQUE,
    dim INTEGER NOT NULL,
    removals INTEGER NOT NULL DEFAULT 0    -- vectors that were ever deleted
) STRICT;

CREATE TABLE notes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    note_id TEXT NOT NULL UNIQUE,
    work_id INTEGER NOT NULL REFERENCES works(id) ON DELETE CASCADE,
    file_id INTEGER REFERENCES files(id) ON DELETE SET NULL,
    page INTEGER NOT NULL,
    start INTEGER NOT NULL,
    stop INTEGER NOT NULL,
    quads TEXT NOT NULL,                   -- JSON: lists of eight numbers, PDF user space
    quote TEXT NOT NULL,
    prefix TEXT NOT NULL,
    suffix TEXT NOT NULL,
    color TEXT NOT NULL,
    text TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX notes_work ON notes(work_id);
CREATE INDEX notes_file ON notes(file_id, page, start);

CREATE TABLE tags (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL COLLATE NOCASE UNIQUE
) STRICT;
CREATE TABLE work_tags (
    work_id INTEGER NOT NULL REFERENCES works(id) ON DELETE CASCADE,
    tag_id INTEGER NOT NULL REFERENCES tags(id) ON DELETE CASCADE,
    PRIMARY KEY (work_id, tag_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX work_tags_tag ON work_tags(tag_id);

CREATE TABLE collections (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    parent_id INTEGER REFERENCES collections(id) ON DELETE CASCADE
) STRICT;
CREATE INDEX collections_parent ON collections(parent_id);
CREATE TABLE collection_works (
    collection_id INTEGER NOT NULL REFERENCES collections(id) ON DELETE CASCADE,
    work_id INTEGER NOT NULL REFERENCES works(id) ON DELETE CASCADE,
    PRIMARY KEY (collection_id, work_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX collection_works_work ON collection_works(work_id);

CREATE TABLE import_items (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    path TEXT NOT NULL,
    batch TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'queued',  -- queued, running, done
    status TEXT NOT NULL DEFAULT '',       -- the result, as CONTRACT 2 names it
    attempts INTEGER NOT NULL DEFAULT 0,
    paper_id TEXT,
    message TEXT NOT NULL DEFAULT '',
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX import_items_state ON import_items(state, id);

CREATE TABLE sessions (
    session_id TEXT NOT NULL PRIMARY KEY,
    title TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE TABLE agent_messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id TEXT NOT NULL REFERENCES sessions(session_id) ON DELETE CASCADE,
    event TEXT NOT NULL,                   -- JSON, as app/events.py writes it
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX agent_messages_session ON agent_messages(session_id, id);
CREATE TABLE agent_audit_log (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id TEXT REFERENCES sessions(session_id) ON DELETE SET NULL,
    tool_call_id TEXT NOT NULL,
    tool TEXT NOT NULL,
    arguments TEXT NOT NULL,               -- JSON
    outcome TEXT NOT NULL,
    detail TEXT NOT NULL DEFAULT '',
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX agent_audit_log_session ON agent_audit_log(session_id);
CREATE TABLE agent_tasks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id TEXT REFERENCES sessions(session_id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    payload TEXT NOT NULL DEFAULT '{}',    -- JSON
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX agent_tasks_session ON agent_tasks(session_id);

CREATE TABLE undo_log (                    -- append only; see app/library/undo.py
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    label TEXT NOT NULL,
    changeset BLOB NOT NULL,
    created_at TEXT NOT NULL,
    undone_at TEXT
) STRICT;

CREATE TABLE state (
    key TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL                    -- JSON
) STRICT, WITHOUT ROWID;
"""
