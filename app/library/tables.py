"""peewee's view of the plain tables; the schema itself is in `migrations`.

The models are bound to no database: pass the store's to each query
(`ImportItems.select().execute(store.db)`), so that several libraries can be open.
Papers, passages and searches are SQL of their own, where joins and full text rule.
"""

from __future__ import annotations

import peewee as pw


class ImportItems(pw.Model):
    """One file of the import queue."""

    id = pw.AutoField()
    path = pw.TextField()
    batch = pw.TextField()
    state = pw.TextField(default="queued")
    status = pw.TextField(default="")
    attempts = pw.IntegerField(default=0)
    paper_id = pw.TextField(null=True)
    message = pw.TextField(default="")
    created_at = pw.TextField()
    updated_at = pw.TextField()

    class Meta:
        table_name = "import_items"


class Notes(pw.Model):
    """A marked stretch of a page, with what the person wrote about it."""

    id = pw.AutoField()
    note_id = pw.TextField(unique=True)
    work_id = pw.IntegerField()
    file_id = pw.IntegerField(null=True)
    page = pw.IntegerField()
    start = pw.IntegerField()
    stop = pw.IntegerField()
    quads = pw.TextField()
    quote = pw.TextField()
    prefix = pw.TextField()
    suffix = pw.TextField()
    color = pw.TextField()
    text = pw.TextField()
    created_at = pw.TextField()
    updated_at = pw.TextField()

    class Meta:
        table_name = "notes"


class Sessions(pw.Model):
    """A conversation, or the one a sub-agent or teammate has with its task."""

    session_id = pw.TextField(primary_key=True)
    title = pw.TextField()
    created_at = pw.TextField()
    updated_at = pw.TextField()
    kind = pw.TextField(default="conversation")
    parent = pw.TextField(null=True)
    forked_from = pw.TextField(null=True)
    project = pw.TextField(default="")

    class Meta:
        table_name = "sessions"


class AgentMessages(pw.Model):
    """One event of a conversation, as `app/events.py` writes it."""

    id = pw.AutoField()
    session_id = pw.TextField()
    event = pw.TextField()
    created_at = pw.TextField()

    class Meta:
        table_name = "agent_messages"


class AgentAuditLog(pw.Model):
    """One tool call and how it ended."""

    id = pw.AutoField()
    session_id = pw.TextField(null=True)
    tool_call_id = pw.TextField()
    tool = pw.TextField()
    arguments = pw.TextField()
    outcome = pw.TextField()
    detail = pw.TextField(default="")
    created_at = pw.TextField()
    finished_at = pw.TextField(null=True)

    class Meta:
        table_name = "agent_audit_log"


class AgentTasks(pw.Model):
    """Work that outlives a turn: todo lists, background tasks."""

    id = pw.AutoField()
    session_id = pw.TextField(null=True)
    kind = pw.TextField()
    state = pw.TextField()
    payload = pw.TextField(default="{}")
    created_at = pw.TextField()
    updated_at = pw.TextField()
    owner = pw.TextField(default="")
    delivered_row = pw.IntegerField(null=True)

    class Meta:
        table_name = "agent_tasks"


class AgentMail(pw.Model):
    """One message between the agents of a team; `team` is the session of its lead."""

    id = pw.AutoField()
    team = pw.TextField()
    sender = pw.TextField()
    recipient = pw.TextField()
    body = pw.TextField()
    created_at = pw.TextField()

    class Meta:
        table_name = "agent_mail"


class AgentMemories(pw.Model):
    """Something the agent was asked to remember, or learned."""

    id = pw.AutoField()
    kind = pw.TextField()
    content = pw.TextField()
    grams = pw.TextField()
    trusted = pw.BooleanField(default=True)
    session_id = pw.TextField(null=True)
    created_at = pw.TextField()
    updated_at = pw.TextField()

    class Meta:
        table_name = "agent_memories"


class State(pw.Model):
    """Small values kept between runs."""

    key = pw.TextField(primary_key=True)
    value = pw.TextField()

    class Meta:
        table_name = "state"


class Tags(pw.Model):
    """A word papers are marked with."""

    id = pw.AutoField()
    name = pw.TextField(unique=True)

    class Meta:
        table_name = "tags"


class Collections(pw.Model):
    """A folder of papers; a paper can be in several."""

    id = pw.AutoField()
    name = pw.TextField()
    parent_id = pw.IntegerField(null=True)

    class Meta:
        table_name = "collections"


MODELS: tuple[type[pw.Model], ...] = (
    ImportItems, Notes, Sessions, AgentMessages, AgentAuditLog, AgentTasks, AgentMail, AgentMemories, State,
    Tags, Collections,
)  # fmt: skip
