"""Reading SKILL.md: a YAML header, then instructions in Markdown. Pure, and as lenient as honesty allows.

The format is the public one of Agent Skills: `name` and `description` are required; `license`,
`compatibility`, `metadata` and `allowed-tools` are optional; `context: fork`, `argument-hint`,
`disable-model-invocation` and `user-invocable` are extensions that are widely used. What is bent is
read as it was meant and said in a diagnostic; nothing is dropped in silence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

MAX_HEADER = 65_536
MAX_NAME, MAX_DESCRIPTION, MAX_COMPATIBILITY = 64, 1024, 500

Level = Literal["error", "warning", "info"]

_FENCE = re.compile(r"---[ \t]*")
_ENTRY = re.compile(r"(?P<key>[A-Za-z_][\w-]*)[ \t]*:(?P<value>.*)")
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_PROSE = ("name", "description", "argument-hint", "compatibility", "license")
"""Keys whose values are words of a person: a `#` in them is no comment."""
_KNOWN = {*_PROSE, "metadata", "allowed-tools", "context", "disable-model-invocation", "user-invocable"}


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """What is wrong with a skill: an "error" leaves it out, the others do not."""

    level: Level
    skill: str
    message: str


@dataclass(frozen=True, slots=True)
class SkillText:
    """A SKILL.md that was read. `extra` holds the keys that we do not know, as text or nested text."""

    name: str
    description: str
    body: str
    fork: bool = False
    argument_hint: str = ""
    for_model: bool = True
    """Whether the model may load it by itself; otherwise it waits to be named by the person."""
    license: str = ""
    compatibility: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)
    allowed_tools: tuple[str, ...] = ()
    """What the author would like to be allowed; shown, and granting nothing: the person gives rights."""
    extra: Mapping[str, object] = field(default_factory=dict)


def read_skill(folder: str, text: str) -> tuple[SkillText | None, tuple[Diagnostic, ...]]:
    """Read the text of `<folder>/SKILL.md`; None where it cannot serve, and why."""
    reader = _Reader(folder)
    return reader.read(text), tuple(reader.found)


class _Reader:
    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.found: list[Diagnostic] = []

    def read(self, text: str) -> SkillText | None:
        lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
        end = self._end_of_header(lines)
        if end is None:
            return None
        header = self._header("\n".join(lines[1:end]))
        body = "\n".join(lines[end + 1 :]).strip()
        if header is None:
            return None
        description = self._text(header, "description", MAX_DESCRIPTION)
        if not description:
            self._say("error", "It has no description, so nobody could know when to use it.")
            return None
        if not body:
            self._say("error", "It has a header and no instructions below it.")
            return None
        return SkillText(
            name=self._name(header),
            description=description,
            body=body,
            fork=self._fork(header),
            argument_hint=self._text(header, "argument-hint", MAX_DESCRIPTION),
            for_model=not self._flag(header, "disable-model-invocation", default=False),
            license=self._text(header, "license", MAX_COMPATIBILITY),
            compatibility=self._text(header, "compatibility", MAX_COMPATIBILITY),
            metadata=self._metadata(header),
            allowed_tools=self._tools(header),
            extra={key: value for key, value in header.items() if key not in _KNOWN},
        )

    def _end_of_header(self, lines: list[str]) -> int | None:
        if not _FENCE.fullmatch(lines[0]):
            self._say("error", "Its first line is not ---, so it has no header with name and description.")
            return None
        end = next((at for at, line in enumerate(lines[1:], start=1) if _FENCE.fullmatch(line)), None)
        if end is None:
            self._say("error", "Its header is not closed by a line with ---.")
        elif sum(len(line) + 1 for line in lines[1:end]) > MAX_HEADER:
            self._say("error", f"Its header is longer than {MAX_HEADER:,} characters.")
            return None
        return end

    def _header(self, text: str) -> dict[str, object] | None:
        """Read the YAML; where that fails or would cut words off, with the plain values put in quotes."""
        plain, failure = _loaded(text)
        mended, _ = _loaded(_quoted(text))
        if mended is not None and (plain is None or _cut(plain, mended)):
            why = failure or "a “ #” would have cut words off as a comment"
            self._say("warning", f"Put values with “: ” or “ #” in quotes; it was read as meant ({why}).")
            return mended
        if plain is None:
            self._say("error", f"Its header is not YAML: {failure}.")
        return plain

    def _name(self, header: Mapping[str, object]) -> str:
        name = self._text(header, "name", MAX_NAME)
        if not name:
            self._say("warning", f"It has no name; that of its folder is used: {self.folder}.")
            return self.folder
        if not _NAME.fullmatch(name):
            self._say("warning", f"The name “{name}” should be small letters, digits and single hyphens.")
        if name != self.folder:
            self._say("warning", f"Its name “{name}” is not that of its folder “{self.folder}”.")
        return name

    def _fork(self, header: Mapping[str, object]) -> bool:
        value = str(header.get("context") or "").strip().lower()
        if value not in ("", "fork", "inline"):
            self._say("warning", f"“context: {value}” is neither fork nor inline; it is loaded inline.")
        return value == "fork"

    def _flag(self, header: Mapping[str, object], key: str, *, default: bool) -> bool:
        value = str(header.get(key) or "").strip().lower()
        if value in ("true", "yes", "on", "1"):
            return True
        if value in ("false", "no", "off", "0"):
            return False
        if value:
            self._say("warning", f"“{key}: {value}” is neither true nor false.")
        return default

    def _text(self, header: Mapping[str, object], key: str, limit: int) -> str:
        value = header.get(key)
        if value is None:
            return ""
        if not isinstance(value, str):
            self._say("warning", f"{key} should be text.")
            return ""
        words = " ".join(value.split())
        if len(words) > limit:
            self._say("warning", f"{key} has {len(words):,} characters; {limit:,} are allowed.")
        return words[:limit]

    def _metadata(self, header: Mapping[str, object]) -> dict[str, str]:
        value = header.get("metadata")
        if isinstance(value, dict):
            return {str(key): inner for key, inner in value.items() if isinstance(inner, str)}
        if value:
            self._say("warning", "metadata should be a list of keys with texts.")
        return {}

    def _tools(self, header: Mapping[str, object]) -> tuple[str, ...]:
        value = header.get("allowed-tools")
        names = [str(item) for item in value] if isinstance(value, list) else str(value or "").split()
        if names:
            self._say("info", "allowed-tools grants nothing here; what may be done is in the settings.")
        return tuple(name.strip(",") for name in names)

    def _say(self, level: Level, message: str) -> None:
        self.found.append(Diagnostic(level, self.folder, message))


def _loaded(text: str) -> tuple[dict[str, object] | None, str]:
    """Return the mapping that the text is, every scalar as its characters, or why it is none."""
    import yaml  # only who reads skills needs it

    try:
        # BaseLoader makes text, lists and mappings, never objects, dates or numbers.
        value = yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 2 if error.problem_mark else 0
        return None, f"line {line}: {error.problem}"
    except (yaml.YAMLError, RecursionError) as error:
        return None, str(error).partition("\n")[0] or "it is nested too deeply"
    if not isinstance(value, dict):
        return None, "it is not a list of keys with values"
    return {str(key): inner for key, inner in value.items()}, ""


def _cut(plain: Mapping[str, object], mended: Mapping[str, object]) -> bool:
    """Whether words of a value were taken for a comment."""
    return any(len(str(mended.get(key) or "")) > len(str(plain.get(key) or "")) for key in _PROSE)


def _quoted(text: str) -> str:
    """Put the plain values of top-level keys in quotes, joining the lines they go on over."""
    result: list[str] = []
    open_value: list[str] | None = None
    key = ""

    def close() -> None:
        if open_value is not None:
            words = " ".join(part.strip() for part in open_value).replace("'", "''")
            result.append(f"{key}: '{words}'")

    for line in text.split("\n"):
        entry = _ENTRY.fullmatch(line)
        if entry is None and open_value is not None and (line[:1] in (" ", "\t") or not line.strip()):
            open_value.append(line)
            continue
        close()
        open_value = None
        value = entry["value"].strip() if entry else ""
        if entry and _is_plain(value):
            key, open_value = entry["key"], [_without_comment(entry["key"], value)]
        else:
            result.append(line.replace("\t", "  "))
    close()
    return "\n".join(result)


def _is_plain(value: str) -> bool:
    return bool(value) and value[0] not in "'\"|>[{&*!%@`#"


def _without_comment(key: str, value: str) -> str:
    return value if key in _PROSE else value.partition(" #")[0].strip()
