"""Which tools a model is shown: all, or for a small one the core ones and those of what is talked about.

Small models get lost among many tools, and every tool costs tokens before the first word. The choice is a
function of what the person has said so far, so that it stays the same, and with it the prompt that the
model has read, until the person turns to something else. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from app.agent.tools.registry import ToolRegistry

CORE = (
    "rag_search",
    "search_papers",
    "get_paper_content",
    "get_paper_metadata",
)
"""What literature work is not possible without: shown whatever is talked about."""

USUAL = ("query_target", "save_note", "download_paper", "read_file", "ask_user", "todo_write", "parse_paper")
"""What fills the rest, most useful first."""


@dataclass(frozen=True, slots=True)
class Topic:
    """Words that show what the person is after, and the tools for it. Words match at their beginning."""

    tools: tuple[str, ...]
    words: str
    chinese: str

    def heard_in(self, text: str) -> bool:
        """Whether a text is about it."""
        return bool(re.search(rf"\b(?:{self.words})", text, re.IGNORECASE) or re.search(self.chinese, text))


TOPICS = (
    Topic(
        ("query_target",),
        r"coordinat|object|target|star\b|galax|simbad|where in the sky|ra and dec|m ?\d+\b|ngc ?\d|redshift",
        r"坐标|天体|恒星|星系|赤经|赤纬|红移",
    ),
    Topic(("save_note",), r"note|annotat|highlight|remark|mark\b", r"笔记|批注|标注|高亮|记下"),
    Topic(
        ("download_paper", "parse_paper"),
        r"download|fetch|get (?:the |this )?(?:pdf|paper)|full text|pdf|parse|ocr|arxiv",
        r"下载|获取|全文|解析",
    ),
    Topic(
        ("read_file", "grep_files", "glob_files"),
        r"files?\b|folder|director|read .*\.\w{1,4}\b|csv|log\b|grep|find in",
        r"文件|目录|文件夹|读取",
    ),
    Topic(
        ("file_write", "file_edit", "read_file"),
        r"write|save (?:it|this|them|the)|edit|change the file|replace|export|draft|latex|bibtex|script",
        r"写入|写到|保存|修改|编辑|导出|草稿",
    ),
    Topic(
        ("run_bash",),
        r"run\b|execut|command|shell|bash|python|script|comput|plot",
        r"运行|执行|命令|脚本|计算",
    ),
    Topic(("todo_write",), r"plan\b|steps|todo|to-do|one after the other|review of", r"计划|步骤|待办|综述"),
    Topic(("save_memory",), r"remember|forget|prefer|from now on|memor", r"记住|忘记|偏好|以后"),
    Topic(("load_skill",), r"skill|workflow|how you usually", r"技能|流程"),
    Topic(
        ("bg_task_run", "bg_task_check"), r"background|meanwhile|while (?:i|you)|in parallel", r"后台|同时"
    ),
    Topic(("subagent",), r"sub-?agent|delegate|separately|each paper|for every", r"子代理|委派|分别|逐篇"),
    Topic(
        ("spawn_teammate", "send_teammate_message", "check_team_inbox", "team_broadcast"),
        r"team|teammate|colleague|together with",
        r"团队|队友|协作",
    ),
    Topic(("compress_context",), r"compress|summari[sz]e (?:the|our) conversation|shorten", r"压缩|缩短"),
)
"""Every tool that is not core belongs to one, so that none is out of reach."""

MCP_PREFIX = "mcp_"


def view(registry: ToolRegistry, limit: int | None, said: Sequence[str]) -> ToolRegistry:
    """Return what a model that takes `limit` tools is shown of a registry; None is all of it.

    `said` is what the person has said so far, oldest first.
    """
    if limit is None or limit >= len(registry):
        return registry
    return registry.only(chosen(registry.names(), limit, said))


def chosen(names: Iterable[str], limit: int, said: Sequence[str]) -> tuple[str, ...]:
    """Return at most `limit` of the names: the core, then what was last talked about, then the usual."""
    there = sorted(names)
    wanted: list[str] = []
    for text in reversed(said):
        wanted += _asked_for(there, text)
    ordered = dict.fromkeys([*CORE, *wanted, *USUAL])
    return tuple(name for name in ordered if name in set(there))[: max(limit, 0)]


def _asked_for(names: Sequence[str], text: str) -> list[str]:
    """Return the tools for what a text is about: those it names, outside ones, then those of its topics."""
    words = set(re.findall(r"[a-z0-9_]{3,}", text.lower()))
    named = [name for name in names if name in words]
    outside = [
        name for name in names if name.startswith(MCP_PREFIX) and words & set(name.split("_")[1:]) - {"get"}
    ]
    heard = [topic.tools for topic in TOPICS if topic.heard_in(text)]
    # the first tool of each topic before the second of any: none is crowded out
    topics = [tool for row in zip_longest(*heard) for tool in row if tool is not None]
    return [*named, *outside, *topics]
