"""What the battery found, in sentences for the passport's card. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from app.llm.local.battery import CallTrial, Measured
from app.llm.local.battery_rules import Decided


@dataclass(frozen=True, slots=True)
class Finding:
    """One test of the battery: `value` in `unit`, and what it means in a sentence."""

    name: str
    ok: bool
    value: float | None = None
    unit: str = ""
    message: str = ""


_SLOW_READING, _SLOW_WRITING = 40.0, 4.0
_LITTLE_REUSE = 0.8
_MANY_TOKENS_ZH = 1.2


def findings(measured: Measured, rules: Decided, loaded: int, *, tiny: bool = False) -> tuple[Finding, ...]:
    """Return a sentence for each test; `loaded` is the context the model was loaded with."""
    found = [_reading(measured), _writing(measured), *map(_calls, measured.trials), _chinese(measured)]
    if measured.reuse is not None:
        found.append(_reuse(measured.reuse))
    if measured.recall_tokens is not None:
        found.append(_recall(measured.recall_tokens, measured.recall_tried))
    if tiny and rules.tool_limit:
        words = "So small a model is given tools only if the settings say so (llm.tools)."
        found.append(Finding("tiny", False, message=words))
    if rules.busy:
        words = "The computer was busy: the figures are too low. Test again when it is idle."
        found.append(Finding("busy", False, message=words))
    if rules.context_tokens < loaded:
        words = f"{rules.context_tokens:,} tokens are read in two minutes; {loaded:,} would fit into memory."
        found.append(Finding("context", False, rules.context_tokens, "tokens", words))
    if measured.left_out:
        words = f"There was no time for: {', '.join(measured.left_out)}."
        found.append(Finding("left out", False, len(measured.left_out), "tests", words))
    return tuple(found)


def _reading(measured: Measured) -> Finding:
    speed = measured.prefill_per_s
    page = 700 / speed if speed else 0.0
    words = f"It reads {speed:.0f} tokens a second: a page of a paper takes {page:.0f} s."
    return Finding("reading", speed >= _SLOW_READING, round(speed, 1), "tokens/s", words)


def _writing(measured: Measured) -> Finding:
    speed = measured.decode_per_s
    words = f"It writes {speed:.1f} tokens a second, about {speed * 0.75:.0f} words."
    return Finding("writing", speed >= _SLOW_WRITING, round(speed, 1), "tokens/s", words)


def _calls(trial: CallTrial) -> Finding:
    good = trial.asked > 0 and trial.valid == trial.asked
    words = (
        f"Tool calls in the {trial.protocol} way ({trial.family}): {trial.valid} of {trial.asked}"
        f" well formed, {trial.right} as wanted."
    )
    if not good and trial.problems:
        words += f" First: {trial.problems[0]}"
    return Finding(f"calls {trial.protocol}", good, trial.valid, f"of {trial.asked}", words)


def _chinese(measured: Measured) -> Finding:
    value = measured.tokens_per_char_zh
    good = 0 < value <= _MANY_TOKENS_ZH
    words = f"A Chinese character is {value:.2f} tokens, an English one {measured.tokens_per_char_en:.2f}."
    if not good:
        words += " It was not made for Chinese: texts are long and answers poor."
    return Finding("Chinese", good, round(value, 3), "tokens/character", words)


def _reuse(share: float) -> Finding:
    good = share >= _LITTLE_REUSE
    words = f"{100 * share:.0f} % of a conversation need not be read again when it goes on."
    if not good:
        words += " Long conversations become slow with this kind of model."
    return Finding("reuse", good, round(share, 3), "", words)


def _recall(tokens: int, tried: int) -> Finding:
    if tokens:
        words = f"It found a detail again in a text of {tokens:,} tokens."
    else:
        words = (
            f"It did not find a detail again in a text of {tried:,} tokens: do not rely on it for long texts."
        )
    return Finding("memory", bool(tokens), tokens, "tokens", words)
