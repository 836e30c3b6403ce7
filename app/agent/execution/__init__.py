"""From the calls of a reply to their results: prepare, gate, run, keep, record."""

from app.agent.execution.auditing import AuditLog
from app.agent.execution.call import CallState, PreparedCall
from app.agent.execution.duplicates import DuplicateDetector
from app.agent.execution.executor import Executor
from app.agent.execution.output_store import Kept, OutputStore
from app.agent.execution.partition import Batch, ToolPartitioner
from app.agent.execution.round import Round

__all__ = [
    "AuditLog",
    "Batch",
    "CallState",
    "DuplicateDetector",
    "Executor",
    "Kept",
    "OutputStore",
    "PreparedCall",
    "Round",
    "ToolPartitioner",
]
