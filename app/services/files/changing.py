"""Changes of text files on disk: encoding, byte order mark and line ends are those of the file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from app.services.files.editing import Edited, EditError, dominant_end, replaced
from app.services.files.encodings import UTF8, BinaryFileError, Encoding, detect, has_surrogates
from app.services.files.folders import FileAccessError
from app.services.files.versions import FileVersion
from app.services.files.writing import Content, StaleFileError, read_whole, write_whole

MOST_BYTES = 16 << 20
"""Larger files are not changed: they are data."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change that can be made, or was: texts before and after, and the version before (None: new)."""

    path: Path
    before: str
    after: str
    encoding: Encoding
    known: FileVersion | None
    edited: Edited | None = None

    @property
    def creates(self) -> bool:
        """Whether the file is new."""
        return self.known is None

    def make(self) -> FileVersion:
        """Write it. Blocks; raises StaleFileError if the file changed meanwhile, FileAccessError."""
        return write_whole(self.path, self.encoding.encode(self.after), expected=self.known)


def planned_write(path: Path, content: str, known: FileVersion | None) -> Change:
    """Return the change that gives a file this content. `known` is the version that the writer saw last.

    Blocks. Raises StaleFileError where the file exists in another version, EditError for text that no
    file can hold.
    """
    _check(content)
    current = _current(path)
    if current is None:
        return Change(path, "", content, UTF8, None)
    if known is None:
        raise StaleFileError(
            f"{path} exists already, and you have not read it.",
            hint="Read it with read_file first; then write it again if it shall be replaced.",
        )
    if not known.same_as(current.version):
        raise StaleFileError(
            f"{path} was changed since you read it, and was left as it is.",
            hint="Read it again with read_file, then make your change to what is there now.",
        )
    encoding, before = _text(path, current)
    if "\r" not in content and dominant_end(before) == "\r\n" and before.count("\n") == before.count("\r\n"):
        content = content.replace("\n", "\r\n")
    if not _holds(encoding, content):
        encoding = UTF8
    return Change(path, before, content, encoding, current.version)


def planned_edit(path: Path, old: str, new: str, *, everywhere: bool) -> Change:
    """Return the change that replaces `old` by `new` in a file; see `editing.replaced`.

    Blocks. Raises EditError, BinaryFileError, FileAccessError.
    """
    _check(new)
    current = read_whole(path, most=MOST_BYTES)
    encoding, before = _text(path, current)
    edited = replaced(before, old, new, everywhere=everywhere)
    if not _holds(encoding, edited.text):
        raise EditError(
            f"{path} is written in {encoding.name}, which has no sign for some of the new text.",
            hint="Use other signs, or write the whole file with file_write, which makes it UTF-8.",
        )
    return Change(path, before, edited.text, encoding, current.version, edited)


def _current(path: Path) -> Content | None:
    try:
        return read_whole(path, most=MOST_BYTES)
    except FileAccessError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            return None
        raise


def _text(path: Path, content: Content) -> tuple[Encoding, str]:
    """Decode a file such that encoding it again gives the same bytes. Raises BinaryFileError."""
    try:
        encoding = detect(content.data)
    except BinaryFileError as error:
        raise BinaryFileError(
            f"{path} is {error.kind}, not a text.", hint="Write a new file instead.", kind=error.kind
        ) from error
    text = encoding.decode(content.data)
    if encoding.encode(text) != content.data:
        raise BinaryFileError(
            f"{path} is not cleanly written in {encoding.name}; a change would alter other parts.",
            hint="Write a new file instead.",
        )
    return encoding, text


def _holds(encoding: Encoding, text: str) -> bool:
    try:
        encoding.encode(text)
    except UnicodeEncodeError:
        return False
    return True


def _check(text: str) -> None:
    if has_surrogates(text):
        raise EditError("The text holds half of a character.", hint="Send it again without broken escapes.")
    if len(text) > MOST_BYTES:
        raise EditError(f"The text has {len(text)} characters; {MOST_BYTES} are the most.", hint="Split it.")
