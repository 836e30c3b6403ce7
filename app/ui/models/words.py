"""What is said of models, in the person's language: sizes, speeds, how a download is. Pure but for `tr`."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QLocale

from app.services.passport import CallProtocol
from app.services.stored_models import Fit, ModelKind, Offer, SizeClass, StoredModel
from app.sources.transfer import TransferProgress, TransferState

translate = QCoreApplication.translate

_GB, _MB = 10**9, 10**6
_LANGUAGES = 8
"""Names of languages that are written out; more are counted."""
_LANGUAGE_NAMES = {
    "en": "English", "zh": "中文", "fr": "français", "de": "Deutsch", "es": "español", "it": "italiano",
    "pt": "português", "ja": "日本語", "ko": "한국어", "ru": "русский",
}  # fmt: skip


def size(count: int) -> str:
    """Return bytes as people write the size of a file: "2.5 GB", "640 MB"."""
    if count >= _GB:
        figure = count / _GB
        return f"{figure:.0f} GB" if figure >= 99.5 else f"{figure:.1f} GB"
    return f"{max(1, round(count / _MB))} MB" if count >= _MB // 2 else f"{max(1, round(count / 1000))} kB"


def parameters(count: int) -> str:
    """Return a number of parameters in short: "4.0 B"; "" where it is not known."""
    if not count:
        return ""
    return f"{count / 10**9:.1f} B" if count >= 10**9 else f"{count / 10**6:.0f} M"


def class_words(size_class: SizeClass) -> str:
    """Return what a size class is called."""
    return {
        SizeClass.TINY: translate("Models", "tiny"),
        SizeClass.SMALL: translate("Models", "small"),
        SizeClass.MEDIUM: translate("Models", "medium"),
        SizeClass.LARGE: translate("Models", "large"),
    }[size_class]


def class_tip(size_class: SizeClass) -> str:
    """Return which computer a size class is for."""
    return {
        SizeClass.TINY: translate("Models", "Runs anywhere; to try things out, not to rely on."),
        SizeClass.SMALL: translate("Models", "For a laptop with 8 GB of memory."),
        SizeClass.MEDIUM: translate("Models", "For a computer with 16 GB of memory."),
        SizeClass.LARGE: translate("Models", "For 32 GB of memory and more, or a graphics card."),
    }[size_class]


def kind_words(kind: ModelKind) -> str:
    """Return what a model is for."""
    if kind is ModelKind.EMBEDDING:
        return translate("Models", "for search")
    return translate("Models", "for answers")


def fit_words(fit: Fit) -> tuple[str, str]:
    """Return whether a model fits into the free memory, and the tone it is said in."""
    needed = size(fit.needed)
    if fit.free is None:
        return translate("Models", "Needs %1 of memory").replace("%1", needed), "meta"
    if not fit.fits:
        words = translate("Models", "Does not fit: needs %1 of memory, %2 are free")
        return words.replace("%1", needed).replace("%2", size(fit.free)), "warn"
    words = translate("Models", "Fits: needs %1 of memory, %2 are free")
    if fit.message:
        words = translate("Models", "Fits with %3 tokens of context: needs %1 of memory, %2 are free")
        words = words.replace("%3", f"{fit.context_tokens:,}")
    return words.replace("%1", needed).replace("%2", size(fit.free)), "ok"


def good_for(offer: Offer) -> str:
    """Return what a model of the catalogue is good for, in the language of the window."""
    said = offer.model.good_for
    language = "zh" if QLocale().language() is QLocale.Language.Chinese else "en"
    return said.get(language) or said.get("en", "")


def languages(codes: tuple[str, ...]) -> str:
    """Return the names of languages, or how many there are."""
    if len(codes) > _LANGUAGES:
        return translate("Models", "%n language(s)", None, len(codes))
    return ", ".join(_LANGUAGE_NAMES.get(code, code) for code in codes)


def transfer_words(progress: TransferProgress) -> str:
    """Return how a download or a copy is."""
    match progress.state:
        case TransferState.CONNECTING:
            return translate("Models", "Connecting…")
        case TransferState.WAITING:
            words = translate("Models", "Waiting to try again")
            return f"{words}: {progress.message}" if progress.message else words
        case TransferState.CHECKING:
            return translate("Models", "Checking the file…")
        case TransferState.DONE:
            return translate("Models", "Done")
        case TransferState.RUNNING:
            return _running_words(progress)


def _running_words(progress: TransferProgress) -> str:
    if progress.total:
        words = translate("Models", "%1 of %2")
        words = words.replace("%1", size(progress.done)).replace("%2", size(progress.total))
    else:
        words = size(progress.done)
    parts = [words]
    if progress.bytes_per_s:
        parts.append(translate("Models", "%1 a second").replace("%1", size(round(progress.bytes_per_s))))
    if progress.seconds_left is not None:
        parts.append(translate("Models", "%1 left").replace("%1", duration(progress.seconds_left)))
    return " · ".join(parts)


def duration(seconds: float) -> str:
    """Return a time as one would say it: "40 s", "3 min", "2 h"."""
    if seconds < 59.5:
        return translate("Models", "%1 s").replace("%1", str(max(1, round(seconds))))
    if seconds < 3570:
        return translate("Models", "%1 min").replace("%1", str(round(seconds / 60)))
    return translate("Models", "%1 h").replace("%1", f"{seconds / 3600:.1f}")


def protocol_words(protocol: CallProtocol) -> tuple[str, str]:
    """Return how a model calls tools, and what that means."""
    return {
        CallProtocol.NATIVE: (
            translate("Models", "calls tools in its own syntax"),
            translate("Models", "The model was made for tools; a grammar keeps its calls valid."),
        ),
        CallProtocol.GENERIC: (
            translate("Models", "calls tools in our syntax"),
            translate(
                "Models", "The model has no syntax for calls that it keeps to: ours is used, with a grammar."
            ),
        ),
        CallProtocol.FORCED: (
            translate("Models", "calls one tool at a time"),
            translate("Models", "Each call is asked for by itself: slower, but always valid."),
        ),
        CallProtocol.NONE: (
            translate("Models", "calls no tools"),
            translate("Models", "It answers from passages that are looked up for it."),
        ),
    }[protocol]


def stored_meta(model: StoredModel) -> str:
    """Return the line below the name of a model on this computer."""
    parts = [parameters(model.parameters), model.licence, size(model.size)]
    if model.kind is ModelKind.CHAT and model.context_tokens:
        reads = translate("Models", "reads up to %1 tokens")
        parts.append(reads.replace("%1", f"{model.context_tokens:,}"))
    return " · ".join(filter(None, parts))


def offer_meta(offer: Offer) -> str:
    """Return the line below the name of a model of the catalogue."""
    model = offer.model
    parts = [parameters(model.parameters), model.licence, languages(model.languages)]
    if model.kind is ModelKind.CHAT:
        parts.append(
            translate("Models", "calls tools") if model.calls_tools else translate("Models", "calls no tools")
        )
    return " · ".join(filter(None, parts))
