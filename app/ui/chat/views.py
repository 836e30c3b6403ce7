"""The widget of each kind of item. A new kind of item is one case in `make_view` and one in `show_view`."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from app.ui.chat.answer import AnswerView
from app.ui.chat.cards import EndLine, NoticeCard, UserBubble
from app.ui.chat.deeds import Deeds
from app.ui.chat.foldable import FoldLine
from app.ui.chat.items import (
    Added,
    Answered,
    Asked,
    Asking,
    Compacted,
    Ended,
    Item,
    Noticed,
    Permission,
    Thought,
    ToolUse,
)
from app.ui.chat.permission_card import PermissionCard
from app.ui.chat.question_card import QuestionCard
from app.ui.chat.tool_card import ToolCard
from app.ui.chat.words import source_words

translate = QCoreApplication.translate


def make_view(item: Item, deeds: Deeds, *, forks: bool = False) -> QWidget:
    """Return a widget for an item; `forks` says whether a conversation can be forked from it."""
    match item:
        case Asked():
            return UserBubble(item, deeds, forks=forks)
        case ToolUse():
            return ToolCard(item, lambda inner: make_view(inner, deeds), show_view)
        case Answered():
            return AnswerView(item, deeds, forks=forks)
        case Permission():
            return PermissionCard(item, deeds)
        case Asking():
            return QuestionCard(item, deeds)
        case Noticed():
            return NoticeCard(item)
        case Ended():
            return EndLine(item)
        case Thought() | Added() | Compacted():
            line = FoldLine({Thought: "thought", Added: "info", Compacted: "compact"}[type(item)])
            show_view(line, item)
            return line


def show_view(view: QWidget, item: Item) -> None:
    """Show the newest state of an item in its widget."""
    match view, item:
        case ToolCard() as card, ToolUse() as use:
            card.show_item(use)
        case AnswerView() as answer, Answered() as text:
            answer.show_item(text)
        case PermissionCard() as permission, Permission() as request:
            permission.show_item(request)
        case QuestionCard() as question, Asking() as asking:
            question.show_item(asking)
        case UserBubble() as bubble, Asked() as asked:
            bubble.show_item(asked)
        case FoldLine() as line, Thought() as thought:
            _say_thought(line, thought)
        case FoldLine() as line, Added() as added:
            _say_added(line, added)
        case FoldLine() as line, Compacted() as compacted:
            _say_compacted(line, compacted)
        case _:
            pass  # notices and ends never change


def _say_thought(line: FoldLine, item: Thought) -> None:
    if item.streaming:
        last = " ".join(item.text[-120:].split())
        words = translate("Timeline", "Thinking…")
        line.say(f"{words}  {last}" if not line.is_open() else words, text=item.text, tint="accent")
    elif item.seconds is not None:
        words = translate("Timeline", "Thought for %1 s").replace("%1", str(max(1, round(item.seconds))))
        line.say(words, text=item.text)
    else:
        line.say(translate("Timeline", "Thought"), text=item.text)


def _say_added(line: FoldLine, item: Added) -> None:
    sources = list(dict.fromkeys(source_words(source) for source, _text, _trusted in item.parts))
    words = translate("Timeline", "Put before the model: %1").replace("%1", ", ".join(sources))
    foreign = translate("Timeline", "(from outside, read as data)")
    text = "\n\n".join(
        f"{source_words(source)}{'' if trusted else f' {foreign}'}\n{text}"
        for source, text, trusted in item.parts
    )
    line.say(words, text=text)


def _say_compacted(line: FoldLine, item: Compacted) -> None:
    if item.tier == "micro":
        words = translate("Timeline", "%n old result(s) set aside", "", item.cleared)
    else:
        words = translate("Timeline", "Earlier conversation summarised")
    tokens = translate("Timeline", "%1 → %2 tokens")
    figures = tokens.replace("%1", f"{item.before_tokens:,}").replace("%2", f"{item.after_tokens:,}")
    line.say(words, figures, item.summary)
