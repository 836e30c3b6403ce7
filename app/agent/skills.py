"""Skills: folders with a SKILL.md that teach the agent how a piece of work is done well.

Built-in ones come with the program; those in `<home>/skills` are the person's own and win over a
built-in one of the same name. Folders are read when skills are first asked for, and again by `reload`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from app.agent.skill_files import Diagnostic, SkillText, read_skill
from app.errors import NotFoundError
from app.events import Notice

FILE_NAME = "SKILL.md"
MAX_FILE = 1_000_000
MAX_SKILLS = 200
_MAX_RESOURCES = 50
_CATALOGUE_DESCRIPTION = 400

_CATALOGUE_HEAD = (
    "Skills are instructions for kinds of work. When a request fits one, call load_skill with its name "
    "before you begin, and follow what it says:"
)

Origin = Literal["built-in", "user"]


@dataclass(frozen=True, slots=True)
class Skill:
    """One skill that can be loaded."""

    text: SkillText
    folder: Path
    origin: Origin

    @property
    def name(self) -> str:
        """What it is called by."""
        return self.text.name

    @property
    def description(self) -> str:
        """What it does and when to use it."""
        return self.text.description

    def instructions(self, arguments: str = "") -> str:
        """Return the text for the model: `$ARGUMENTS` replaced, or the arguments put at the end."""
        body = self.text.body
        if "$ARGUMENTS" in body:
            return body.replace("$ARGUMENTS", arguments.strip() or "(none given)")
        return f"{body}\n\nArguments: {arguments.strip()}" if arguments.strip() else body

    def resources(self) -> tuple[str, ...]:
        """Return the other files of its folder, relative to it; blocks on the disk."""
        found: list[str] = []
        for path in sorted(self.folder.rglob("*")):
            inside = path.relative_to(self.folder)
            if any(part.startswith(".") for part in inside.parts) or not path.is_file():
                continue
            if inside.as_posix() != FILE_NAME:
                found.append(inside.as_posix())
            if len(found) == _MAX_RESOURCES:
                break
        return tuple(found)


class SkillRegistry:
    """Finds skills in folders, each with an origin; a later folder wins over an earlier one.

    The first question reads the disk: ask it off the loop (`load`), all others are quick.
    """

    def __init__(self, folders: Sequence[tuple[Path, Origin]] = ()) -> None:
        self._folders = tuple(folders)
        self._skills: dict[str, Skill] | None = None
        self._diagnostics: tuple[Diagnostic, ...] = ()

    @classmethod
    def for_home(cls, home: Path) -> SkillRegistry:
        """The built-in skills and those of a home folder."""
        return cls([(builtin_folder(), "built-in"), (user_folder(home), "user")])

    def load(self) -> None:
        """Read the folders unless they have been read."""
        if self._skills is None:
            self.reload()

    def reload(self) -> None:
        """Read the folders again."""
        found: dict[str, Skill] = {}
        problems: list[Diagnostic] = []
        for folder, origin in self._folders:
            for skill, said in _skills_in(folder, origin):
                problems += said
                if skill is None:
                    continue
                if skill.name in found:
                    other = found[skill.name].origin
                    problems.append(Diagnostic("info", skill.name, f"It stands in for the {other} one."))
                found[skill.name] = skill
        self._skills, self._diagnostics = dict(sorted(found.items())), tuple(problems)

    @property
    def skills(self) -> tuple[Skill, ...]:
        """All skills, by name."""
        return tuple(self._all().values())

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What is wrong with skills, for the person to see."""
        self.load()
        return self._diagnostics

    def notices(self) -> list[Notice]:
        """Return what the person should know of skills that are broken or bent, one notice a skill."""
        said: dict[str, list[str]] = {}
        for found in self.diagnostics:
            if found.level != "info":
                said.setdefault(found.skill, []).append(found.message)
        return [Notice("warning", f"Skill “{name}”: {' '.join(why)}") for name, why in said.items()]

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders that are looked into; their files may be read by the agent."""
        return tuple(folder for folder, _ in self._folders)

    def names(self) -> list[str]:
        """Return the names that the model may load by itself, sorted."""
        return [skill.name for skill in self._all().values() if skill.text.for_model]

    def get(self, name: str) -> Skill:
        """Return the skill of this name. Raises `NotFoundError` that names those there are."""
        wanted = name.strip().lower().lstrip("/")
        for skill in self._all().values():
            if skill.name.lower() == wanted:
                return skill
        known = ", ".join(self.names()) or "none is installed"
        broken = [d.message for d in self.diagnostics if d.level == "error" and d.skill.lower() == wanted]
        why = f" Its folder is there: {' '.join(broken)}" if broken else ""
        raise NotFoundError(f"There is no skill “{name[:80]}”.{why}", hint=f"Skills: {known}.")

    def catalogue(self) -> str:
        """Return what the system prompt says of the skills: one line each, the same bytes until `reload`.

        Empty where there are none.
        """
        lines = [f"- {s.name}: {_short(s.description)}" for s in self._all().values() if s.text.for_model]
        if not lines:
            return ""
        return "\n".join([_CATALOGUE_HEAD, *lines])

    def _all(self) -> dict[str, Skill]:
        self.load()
        return self._skills or {}


def builtin_folder() -> Path:
    """Return where the built-in skills lie: in a checkout, in an installed wheel, or frozen."""
    package = Path(__file__).resolve().parents[1]
    frozen = Path(getattr(sys, "_MEIPASS", package)) / "skills"
    checkout = package.parent / "skills"
    return next((folder for folder in (frozen, package / "_skills") if folder.is_dir()), checkout)


def user_folder(home: Path) -> Path:
    """Return where a person puts skills of their own."""
    return home / "skills"


def _skills_in(folder: Path, origin: Origin) -> list[tuple[Skill | None, tuple[Diagnostic, ...]]]:
    try:
        inside = sorted(entry for entry in folder.iterdir() if not entry.name.startswith("."))
    except FileNotFoundError:
        return []
    except OSError as error:
        said = Diagnostic("error", folder.name, f"The folder cannot be read: {error.strerror or error}.")
        return [(None, (said,))]
    candidates = [entry for entry in inside if entry.is_dir()]
    result = [_skill(entry, origin) for entry in candidates[:MAX_SKILLS]]
    if len(candidates) > MAX_SKILLS:
        said = Diagnostic("warning", folder.name, f"Only the first {MAX_SKILLS} skills are read.")
        result.append((None, (said,)))
    return result


def _skill(folder: Path, origin: Origin) -> tuple[Skill | None, tuple[Diagnostic, ...]]:
    path = folder / FILE_NAME
    try:
        if not path.is_file():
            return None, (Diagnostic("error", folder.name, f"The folder holds no file {FILE_NAME}."),)
        if path.stat().st_size > MAX_FILE:
            return None, (Diagnostic("error", folder.name, f"{FILE_NAME} has over {MAX_FILE:,} bytes."),)
        text = path.read_text("utf-8-sig")
    except UnicodeDecodeError:
        return None, (Diagnostic("error", folder.name, f"{FILE_NAME} is not UTF-8 text."),)
    except OSError as error:
        said = f"{FILE_NAME} cannot be read: {error.strerror or error}."
        return None, (Diagnostic("error", folder.name, said),)
    read, said_of_it = read_skill(folder.name, text)
    return (Skill(read, folder, origin) if read else None), said_of_it


def _short(description: str) -> str:
    if len(description) <= _CATALOGUE_DESCRIPTION:
        return description
    return description[:_CATALOGUE_DESCRIPTION].rsplit(" ", 1)[0] + " …"
