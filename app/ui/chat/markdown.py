"""Markdown to the HTML that Qt's text documents understand. Pure, no Qt.

What Qt cannot set in HTML (citation chips, formulas, the dotted line under what nothing proves)
leaves here as private-use characters that `RichText` turns into formats and inline objects.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

# The parser and the highlighter are imported with the first answer: the window starts sooner.
if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

UNPROVEN_START, UNPROVEN_END = "\ue000", "\ue001"
CITE_START, CITE_END = "\ue002", "\ue003"
MATH_START, MATH_END = "\ue004", "\ue005"
MARKS = re.compile(r"[\ue002\ue004](\d+)[\ue003\ue005]")

_MARKS_ONLY = re.compile("[\ue000-\ue005]")
_MARKUP = re.compile(r"^(\s*(?:[-*+]|\d{1,3}[.)]|#{1,6}|>)\s+)?", re.DOTALL)
_LINKS = re.compile(r"^(?:https?://|doi:)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Colours:
    """The five colours that stand in the HTML itself."""

    text_2: str
    text_3: str
    line: str
    sunken: str
    accent: str
    dark: bool
    mono: str


@dataclass(slots=True)
class Rendered:
    """HTML and the formulas its marks count."""

    html: str
    formulas: list[tuple[str, bool]] = field(default_factory=list)
    """TeX, and whether it stands on its own line."""


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    parser = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])
    dollarmath_plugin(parser, allow_space=False, allow_digits=False, double_inline=True)
    parser.validateLink = lambda url: bool(_LINKS.match(url.strip()))  # type: ignore[method-assign]
    return parser


def warm_up() -> None:
    """Do the slow import; meant for a thread, before the first answer comes."""
    _parser()


def without_marks(text: str) -> str:
    """Take our private-use marks out of text that comes from a model or a paper."""
    return _MARKS_ONLY.sub("", text)


def split_blocks(source: str) -> list[str]:
    """Cut Markdown at its top-level blocks; only the last one can still change while text streams in."""
    lines = source.split("\n")
    starts = [t.map[0] for t in _parser().parse(source) if t.level == 0 and t.map and t.nesting >= 0]
    bounds = sorted({0, *starts})
    blocks = ["\n".join(lines[a:b]) for a, b in zip(bounds, [*bounds[1:], len(lines)], strict=True)]
    return [block for block in blocks if block.strip()]


def checked_source(sentences: Sequence[Mapping[str, Any]]) -> str:
    """Join the sentences of a checked answer, marking citations and what nothing proves.

    Citations are counted through the whole answer, in order.
    """
    count = 0
    parts = []
    for sentence in sentences:
        words = without_marks(str(sentence["text"]))
        body = words.strip()
        lead = words[: len(words) - len(words.lstrip())]
        markup = _MARKUP.match(body)
        opening = markup.group(0) if markup else ""
        body = body[len(opening) :]
        if not sentence["supported"] and not opening.strip().startswith("#"):
            body = f"{UNPROVEN_START}{body}{UNPROVEN_END}"
        marks = ""
        for _ in sentence["citations"]:
            marks += f"\u2009{CITE_START}{count}{CITE_END}"
            count += 1
        before = lead if "\n" in lead else ("\n" if opening else " ")
        parts.append(f"{before}{opening}{body}{marks}")
    return "".join(parts).strip()


def to_html(source: str, colours: Colours) -> Rendered:
    """Return Qt's HTML of some Markdown; raw HTML in it is shown as text."""
    done = Rendered("")
    done.html = _html(_parser().parse(source), done, colours, _tags(colours))
    return done


_TABLE = (
    '<table width="100%" cellspacing="0" cellpadding="{pad}" '
    'style="margin-top:{above}px;margin-bottom:{below}px;'
)


def _tags(c: Colours) -> dict[str, str]:
    """What opens and closes blocks and runs; kinds that are not here are set by `_token`."""
    cell = f"padding:4px 8px;border-bottom:1px solid {c.line};"
    tags = {
        "paragraph_open": f'<p style="margin-top:0;margin-bottom:6px;{_LINE}">',
        "heading_open": '<p style="margin-top:8px;margin-bottom:4px;font-weight:600;">',
        "heading_close": "</p>",
        "bullet_list_open": f"<ul{_LIST}>",
        "bullet_list_close": "</ul>",
        "list_item_open": f'<li style="{_LINE}">',
        "list_item_close": "</li>",
        "ordered_list_open": f"<ol{_LIST}>",
        "ordered_list_close": "</ol>",
        # Qt draws no bar beside a block quote: two cells do
        "blockquote_open": _TABLE.format(pad=0, above=4, below=6)
        + f'"><tr><td width="3" style="background-color:{c.line};"></td><td style="padding-left:10px;">',
        "blockquote_close": "</td></tr></table>",
        "table_open": _TABLE.format(pad=0, above=6, below=8) + 'border-collapse:collapse;font-size:12px;">',
        "th_open": f'<td style="{cell}color:{c.text_3};">',
        "th_close": "</td>",
        "td_open": f'<td style="{cell}">',
        "strong_open": "<b>",
        "strong_close": "</b>",
        "em_open": "<i>",
        "em_close": "</i>",
        "softbreak": "<br>",
        "hardbreak": "<br>",
        "hr": "<hr>",
        "link_close": "</a>",
    }
    for name, tag in (
        ("paragraph", "p"),
        ("list_item", "li"),
        ("tr", "tr"),
        ("td", "td"),
        ("s", "s"),
        ("table", "table"),
    ):
        tags.setdefault(f"{name}_open", f"<{tag}>")
        tags.setdefault(f"{name}_close", f"</{tag}>")
    return tags


_LIST = ' style="margin-top:2px;margin-bottom:4px;margin-left:-22px;"'
_LINE = "line-height:20px;-qt-line-height-type:fixed;"


def _html(tokens: Sequence[Token], done: Rendered, c: Colours, tags: Mapping[str, str]) -> str:
    return "".join("" if token.hidden else _token(token, done, c, tags) for token in tokens)


def _token(token: Token, done: Rendered, c: Colours, tags: Mapping[str, str]) -> str:
    match token.type:
        case "inline":
            return _html(token.children or (), done, c, tags)
        case "text" | "image":
            return escape(token.content, quote=False)
        case "code_inline":
            words = escape(token.content, quote=False)
            style = f"font-family:{c.mono};font-size:12px;background-color:{c.sunken};"
            return f'<span style="{style}">&nbsp;{words}&nbsp;</span>'
        case "link_open":
            target = escape(str(token.attrs.get("href", "")))
            return f'<a href="{target}" style="color:{c.accent};text-decoration:none;">'
        case "math_inline" | "math_inline_double":
            return _math(token.content, token.type.endswith("double"), done)
        case "math_block" | "math_block_label":
            formula = _math(token.content, True, done)
            return f'<p align="center" style="margin-top:4px;margin-bottom:8px;">{formula}</p>'
        case "fence" | "code_block":
            return _code(token.content, token.info.strip(), c)
        case kind:
            return tags.get(kind, "")


def _math(tex: str, display: bool, done: Rendered) -> str:
    done.formulas.append((tex.strip(), display))
    return f"{MATH_START}{len(done.formulas) - 1}{MATH_END}"


def _code(source: str, language: str, c: Colours) -> str:
    body = escape(source.rstrip("\n"), quote=False)
    if language:
        from pygments import highlight
        from pygments.formatters.html import HtmlFormatter
        from pygments.lexers import get_lexer_by_name
        from pygments.util import ClassNotFound

        try:
            style = "github-dark" if c.dark else "friendly"
            formatter = HtmlFormatter(noclasses=True, nowrap=True, style=style)
            body = highlight(source, get_lexer_by_name(language), formatter).rstrip("\n")
        except ClassNotFound:
            pass
    return (
        _TABLE.format(pad=8, above=4, below=8) + '"><tr>'
        f'<td style="background-color:{c.sunken};">'
        f'<pre style="font-family:{c.mono};font-size:12px;margin:0;">'
        f"{body}</pre></td></tr></table>"
    )


def as_plain(text: str) -> str:
    """Return Markdown that shows `text` (words of a paper, say) sign for sign."""
    return re.sub(r"([\\`*_{}\[\]<>()#+\-.!|~$&])", r"\\\1", " ".join(without_marks(text).split()))
