"""Places where a test may stop the program: a kill between two rows is then a line, not luck.

`reach` does nothing in the application. A test sets `hook`; it may raise, cancel a task, or end the process.
Points, in the order of a step: before_model_call, before_message_row, after_message_row,
before_tool_call_row, after_tool_call_row, after_tool_start, before_protected_commit, after_tool_end,
before_output_file, after_output_file, before_result_row, after_result_row.
"""

from __future__ import annotations

from collections.abc import Callable

hook: Callable[[str], None] | None = None


def reach(point: str) -> None:
    """Say that the program has come to this point."""
    if hook is not None:
        hook(point)
