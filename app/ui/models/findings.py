"""What the tests of a model found, in the person's language. What is not known here is said as it came."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from app.services.passport import Finding

translate = QCoreApplication.translate

PAGE_TOKENS = 700
_WORDS_A_TOKEN = 0.75


def finding_words(finding: Finding) -> str:
    """Return the sentence of one test."""
    value = finding.value or 0.0
    kind, _, way = finding.name.partition(" ")
    match kind:
        case "reading" if value:
            words = translate("Passport", "A page of a paper is read in %1 s")
            return words.replace("%1", _figure(PAGE_TOKENS / value))
        case "writing" if value:
            words = translate("Passport", "It writes about %1 words a second")
            return words.replace("%1", _figure(value * _WORDS_A_TOKEN))
        case "calls" if finding.unit.startswith("of "):
            words = translate("Passport", "Tool calls, %1: %2 of %3 well formed")
            values = (way_words(way), f"{value:.0f}", finding.unit.removeprefix("of "))
            for place, said in enumerate(values, 1):
                words = words.replace(f"%{place}", said)
            return words
        case "Chinese":
            words = translate("Passport", "A Chinese character is %1 tokens").replace("%1", f"{value:.2f}")
            return words if finding.ok else f"{words}: {translate('Passport', 'it was not made for Chinese')}"
        case "reuse":
            words = translate("Passport", "%1 % of a conversation need not be read again when it goes on")
            words = words.replace("%1", f"{100 * value:.0f}")
            return words if finding.ok else f"{words}: {translate('Passport', 'long ones become slow')}"
        case "memory" if finding.ok:
            words = translate("Passport", "It found a detail again in a text of %1 tokens")
            return words.replace("%1", f"{value:,.0f}")
        case "memory":
            return translate("Passport", "It did not find a detail again: not for long texts")
        case "context" if value:
            words = translate("Passport", "%1 tokens are read in a bearable time; more would fit into memory")
            return words.replace("%1", f"{value:,.0f}")
        case "left":
            return translate("Passport", "There was no time for %n test(s)", "", round(value))
        case _:
            return _fixed(kind) or finding.message or finding.name


def _fixed(kind: str) -> str:
    """Return the sentence of a test that has no figure, or ""."""
    return {
        "tiny": translate("Passport", "So small a model is given tools only where the settings say so"),
        "busy": translate("Passport", "The computer was busy: test again when it is idle"),
    }.get(kind, "")


def way_words(way: str) -> str:
    """Return what a way of calling tools is called in a sentence."""
    return {
        "native": translate("Passport", "own syntax"),
        "generic": translate("Passport", "our syntax"),
        "forced": translate("Passport", "one at a time"),
    }.get(way, way)


def battery_words(what: str) -> str:
    """Return what the battery tries now."""
    return {
        "": translate("Passport", "Loading the model…"),
        "Loading the model": translate("Passport", "Loading the model…"),
        "Measuring speed": translate("Passport", "Measuring speed…"),
        "Looking for a detail in a long text": translate("Passport", "Looking for a detail in a long text…"),
        "Done": translate("Passport", "Done"),
    }.get(what) or (
        translate("Passport", "Trying tool calls…") if what.startswith("Trying tool calls") else what
    )


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 9.95 else f"{value:.1f}"
