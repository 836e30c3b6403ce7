"""Whether private text may be sent to a model on another computer: only once the person agreed to it.

Private are notes, files of a project folder, and papers without a public identifier, as drafts are. The
agreement is asked for once, counts for the library it was given in, and can be taken back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from app.errors import AppError
from app.llm.remote.address import is_this_computer, shown
from app.records.identifiers import Identifier
from app.records.ids import PaperId
from app.services.models import service_address
from app.settings import Settings

if TYPE_CHECKING:
    from app.library import Library
    from app.library.state import StateTable

_KEY = "consent.private_text"
PUBLIC = ("doi", "arxiv", "bibcode")
"""Kinds of identifiers that only what is published has."""


class ConsentNeededError(AppError):
    """Private text would go to another computer, and the person has not agreed to that."""

    code = "consent_needed"
    hint = (
        "Agree to it for this library (settings, language model), choose the local model, or begin another "
        "conversation."
    )


class Consent:
    """The agreement of one library. Methods may be called from any thread; those that read it block."""

    def __init__(self, state: StateTable, settings: Callable[[], Settings]) -> None:
        self._state = state
        self._settings = settings
        self._refused: set[str] = set()
        self.asking = asyncio.Lock()
        """Held while the person is asked, so that two calls do not ask the same."""

    @property
    def service(self) -> str:
        """Where what the model reads is sent, as it is shown; "" while that is this computer."""
        settings = self._settings()
        if settings.llm.provider == "local" or is_this_computer(address := service_address(settings)):
            return ""
        return shown(address)

    def agreed(self) -> bool:
        """Whether the person has agreed for this library."""
        return bool(self._state.get(_KEY))

    def needed_for(self, address: str | None = None) -> str:
        """Return the service for which the person must be asked first, or "".

        By default that of the chat model; with `address` any other that text is sent to.
        """
        service = self.service
        if address is not None:
            service = "" if is_this_computer(address) else shown(address)
        return service if service and not self.agreed() else ""

    def agree(self) -> None:
        """Keep the agreement, with when and for which service it was asked."""
        self._state.set(_KEY, {"at": datetime.now(UTC).isoformat(), "service": self.service})

    def withdraw(self) -> None:
        """Take the agreement back: what was sent is sent, from now on it is asked for again."""
        self._state.set(_KEY, None)

    def refuse(self, session: str) -> None:
        """Remember until the program ends that it was refused in a conversation: it is not asked again."""
        self._refused.add(session)

    def refused(self, session: str) -> bool:
        """Whether it was refused in this conversation."""
        return session in self._refused


def question(service: str) -> str:
    """Return what the person is asked."""
    return (
        f"Private or unpublished text would be sent to the language model at {service}. Allowing it counts "
        "for this library from now on; it can be taken back in the settings."
    )


def unpublished(identifiers: Iterable[Identifier]) -> bool:
    """Whether a paper with these identifiers is to be taken for unpublished."""
    return not any(known.kind in PUBLIC for known in identifiers)


def any_unpublished(library: Library, paper_ids: Iterable[PaperId]) -> bool:
    """Whether one of the papers is to be taken for unpublished. Blocks."""
    return any(unpublished(library.papers.get(paper).record.identifiers) for paper in set(paper_ids))
