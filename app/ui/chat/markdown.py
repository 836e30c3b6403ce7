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
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin
from pygments import highlight
from pygments.formatters.html import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

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
    parser = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])
    dollarmath_plugin(parser, allow_space=False, allow_digits=False, double_inline=True)
    parser.validateLink = lambda url: bool(_LINKS.match(url.strip()))  # type: ignore[method-assign]
    return parser


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
    tokens = _parser().parse(source)
    done.html = "".join(_block(tokens, done, colours))
    return done


def _block(tokens: Sequence[Token], done: Rendered, c: Colours) -> list[str]:
    return [_token(token, tokens, place, done, c) for place, token in enumerate(tokens)]


_PLAIN = {
    "bullet_list": "ul",
    "ordered_list": "ol",
    "list_item": "li",
    "tr": "tr",
}


def _token(token: Token, tokens: Sequence[Token], place: int, done: Rendered, c: Colours) -> str:
    kind, _, side = token.type.rpartition("_")
    if kind in _PLAIN:
        tag = _PLAIN[kind]
        margin = ' style="margin-top:2px;margin-bottom:4px;margin-left:-22px;"' if tag in ("ul", "ol") else ""
        return f"<{tag}{margin}>" if side == "open" else f"</{tag}>"
    match token.type:
        case "inline":
            return "".join(_inline(child, done, c) for child in token.children or ())
        case "paragraph_open" if token.hidden:
            return ""
        case "paragraph_open":
            return '<p style="margin-top:0;margin-bottom:6px;">'
        case "paragraph_close":
            return "" if token.hidden else "</p>"
        case "heading_open":
            return '<p style="margin-top:8px;margin-bottom:4px;font-weight:600;">'
        case "heading_close":
            return "</p>"
        case "blockquote_open":
            return (
                '<table width="100%" cellspacing="0" cellpadding="0" style="margin-top:4px;margin-bottom:6px;">'
                f'<tr><td width="3" style="background-color:{c.line};"></td><td style="padding-left:10px;">'
            )
        case "blockquote_close":
            return "</td></tr></table>"
        case "table_open":
            return (
                '<table width="100%" cellspacing="0" cellpadding="0" '
                'style="border-collapse:collapse;margin-top:6px;margin-bottom:8px;font-size:12px;">'
            )
        case "table_close":
            return "</table>"
        case "th_open":
            return f'<td style="{_cell(c)}color:{c.text_3};">'
        case "td_open":
            return f'<td style="{_cell(c)}">'
        case "th_close" | "td_close":
            return "</td>"
        case "fence" | "code_block":
            return _code(token.content, token.info.strip(), c)
        case "math_block" | "math_block_label":
            return f'<p align="center" style="margin-top:4px;margin-bottom:8px;">{_math(token.content, True, done)}</p>'
        case "hr":
            return "<hr>"
    return ""


def _cell(c: Colours) -> str:
    return f"padding:4px 8px;border-bottom:1px solid {c.line};"


def _inline(token: Token, done: Rendered, c: Colours) -> str:
    match token.type:
        case "text":
            return escape(token.content, quote=False)
        case "code_inline":
            return (
                f'<span style="font-family:{c.mono};font-size:12px;background-color:{c.sunken};">'
                f"&nbsp;{escape(token.content, quote=False)}&nbsp;</span>"
            )
        case "strong_open":
            return "<b>"
        case "strong_close":
            return "</b>"
        case "em_open":
            return "<i>"
        case "em_close":
            return "</i>"
        case "s_open":
            return "<s>"
        case "s_close":
            return "</s>"
        case "softbreak" | "hardbreak":
            return "<br>"
        case "link_open":
            target = escape(str(token.attrs.get("href", "")))
            return f'<a href="{target}" style="color:{c.accent};text-decoration:none;">'
        case "link_close":
            return "</a>"
        case "math_inline" | "math_inline_double":
            return _math(token.content, token.type.endswith("double"), done)
        case "image":
            return escape(token.content, quote=False)
    return ""


def _math(tex: str, display: bool, done: Rendered) -> str:
    done.formulas.append((tex.strip(), display))
    return f"{MATH_START}{len(done.formulas) - 1}{MATH_END}"


def _code(source: str, language: str, c: Colours) -> str:
    body = escape(source.rstrip("\n"), quote=False)
    if language:
        try:
            style = "github-dark" if c.dark else "friendly"
            formatter = HtmlFormatter(noclasses=True, nowrap=True, style=style)
            body = highlight(source, get_lexer_by_name(language), formatter).rstrip("\n")
        except ClassNotFound:
            pass
    return (
        '<table width="100%" cellspacing="0" cellpadding="8" style="margin-top:4px;margin-bottom:8px;"><tr>'
        f'<td style="background-color:{c.sunken};"><pre style="font-family:{c.mono};font-size:12px;margin:0;">'
        f"{body}</pre></td></tr></table>"
    )


def as_plain(text: str) -> str:
    """Return Markdown that shows `text` (words of a paper, say) sign for sign."""
    return re.sub(r"([\\`*_{}\[\]<>()#+\-.!|~$&])", r"\\\1", " ".join(without_marks(text).split()))
