"""The models on this computer: list, download, add, choose, delete. `application.models`."""

from __future__ import annotations

from pathlib import Path

from app.services.stored_models import Offer, OnTransfer, Removed, StoredModel, ignore


class ModelStore:
    """Models in `<home>/models`, the built-in ones, and what the catalogue offers."""

    async def models(self) -> tuple[StoredModel, ...]:
        """Return the models on this computer, the active ones first; damaged ones with their problem."""
        raise NotImplementedError

    async def offers(self) -> tuple[Offer, ...]:
        """Return the catalogue, small models first, with whether each fits into this machine."""
        raise NotImplementedError

    async def find(self, name: str) -> StoredModel:
        """Return a model on this computer by its name, file name or path; NotFoundError if there is none."""
        raise NotImplementedError

    async def pull(self, name: str, on_progress: OnTransfer = ignore) -> StoredModel:
        """Download a model of the catalogue, or any GGUF by `owner/repo/file.gguf` or its address.

        Goes on where an earlier download ended. Cancel the task to stop; what came stays for the next time.
        Raises NotFoundError, ModelError and its kinds in `app.sources.downloads`.
        """
        raise NotImplementedError

    async def add(self, path: Path, on_progress: OnTransfer = ignore) -> StoredModel:
        """Take a GGUF file into the store: linked where the disk is the same, copied otherwise.

        The person's file stays where it is. Raises ModelError for what is no usable GGUF.
        """
        raise NotImplementedError

    async def use(self, name: str) -> StoredModel:
        """Make it the chat or the embedding model from now on. ModelError when it cannot be used."""
        raise NotImplementedError

    async def delete(self, name: str) -> Removed:
        """Delete a model of the store, or the part of a download; the built-in one takes over if it was active.

        Raises UsageError for one that is not the store's to delete.
        """
        raise NotImplementedError

    def pulling(self) -> dict[str, float | None]:
        """Return the names that are being downloaded now, with their shares."""
        raise NotImplementedError
