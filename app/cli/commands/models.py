"""`astroresearch models`: which language and embedding models are here, and getting others."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from app.application import Application
from app.cli.context import Invocation
from app.cli.output import Output
from app.cli.transfer_display import TransferDisplay
from app.cli.words import one_line
from app.errors import ModelError, UsageError
from app.services.changes import Change, ReindexProgress, ReindexState
from app.services.stored_models import ModelKind, Offer, StoredModel
from app.sources.part_file import gigabytes

commands = typer.Typer(help="List, download, add, choose, check and delete models.", no_args_is_help=True)

_Name = Annotated[str, typer.Argument(help="A name that `models list` shows.")]


@commands.command("list")
def list_models(context: typer.Context) -> int:
    """List the models on this computer, then those of the catalogue that can be downloaded."""
    invocation = Invocation.of(context)
    output = invocation.output

    async def work(application: Application) -> int:
        models, offers = await application.models.models(), await application.models.offers()
        output.document(
            {"models": [m.as_json() for m in models], "catalogue": [offer.as_json() for offer in offers]}
        )
        _print_models(output, models)
        _print_offers(output, [offer for offer in offers if offer.stored is None])
        return 0

    return invocation.with_application(work)


@commands.command("pull")
def pull(
    context: typer.Context,
    name: Annotated[
        str, typer.Argument(help="A model of the catalogue, owner/repo/file.gguf, or an address of one.")
    ],
    use: Annotated[bool, typer.Option("--use", help="Use it from now on.")] = False,
) -> int:
    """Download a model, going on where an earlier download ended."""
    invocation = Invocation.of(context)

    async def work(application: Application) -> int:
        with TransferDisplay(invocation.output) as display:
            model = await application.models.pull(name, display)
        if use:
            model = await application.models.use(model.name)
        return _one(invocation.output, model)

    return invocation.with_application(work)


@commands.command("add")
def add(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="A GGUF file on this computer; it stays where it is.")],
) -> int:
    """Take a GGUF file into the store."""
    invocation = Invocation.of(context)

    async def work(application: Application) -> int:
        with TransferDisplay(invocation.output) as display:
            model = await application.models.add(file, display)
        return _one(invocation.output, model)

    return invocation.with_application(work)


@commands.command("use")
def use_model(context: typer.Context, name: _Name) -> int:
    """Use a model from now on: a chat model to talk, an embedding model to search by meaning."""
    invocation = Invocation.of(context)

    async def work(application: Application) -> int:
        model = await application.models.use(name)
        done = _one(invocation.output, model)
        known = await asyncio.to_thread(application.passports.kept, model.path)
        if model.kind is ModelKind.CHAT and known is None:
            invocation.output.note(
                "`astroresearch models passport` tests for a minute what it can do, and goes by that."
            )
        if model.kind is ModelKind.EMBEDDING:
            invocation.output.note(
                "`astroresearch models reindex` indexes the library for it, as the window does by itself; "
                "until then search goes on with the model before."
            )
        return done

    return invocation.with_application(work)


@commands.command("check")
def check(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="Only this one; without a name all.")] = "",
) -> int:
    """Look whether the models are whole, and the same as in the catalogue. Exit code 1 if one is not."""
    invocation = Invocation.of(context)
    output = invocation.output

    async def work(application: Application) -> int:
        store = application.models
        models = (await store.find(name),) if name else await store.models()
        checked: list[dict[str, Any]] = []
        for model in models:
            problem = await store.check(model)
            checked.append({**model.as_json(), "ok": not problem, "message": problem})
            output.line(
                f"{'WRONG' if problem else 'ok':8} {model.name}" + (f": {problem}" if problem else "")
            )
            for note in model.notes:
                output.line(f"{'':8} → {note}")
        output.document({"models": checked})
        return 0 if all(entry["ok"] for entry in checked) else 1

    return invocation.with_application(work)


@commands.command("delete")
def delete(context: typer.Context, name: _Name) -> int:
    """Delete a model of the store, or the part of a download that was begun."""
    invocation = Invocation.of(context)
    output = invocation.output

    async def work(application: Application) -> int:
        removed = await application.models.delete(name)
        output.document(
            {"deleted": removed.name, "freed": removed.freed, "now_active": removed.now_active or None}
        )
        output.line(f"{removed.name} is deleted: {gigabytes(removed.freed)} are free again.")
        if removed.now_active:
            output.line(f"{removed.now_active} is used from now on.")
        return 0

    return invocation.with_application(work)


@commands.command("passport")
def passport(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="Without a name the model in use.")] = "",
    again: Annotated[bool, typer.Option("--again", help="Test it again though there is a passport.")] = False,
) -> int:
    """Show what a chat model can do here; where that is not known, test it for about a minute."""
    invocation = Invocation.of(context)
    output = invocation.output

    async def work(application: Application) -> int:
        path = await _chat_model(application, name)
        known = None if again else await asyncio.to_thread(application.passports.kept, path)
        if known is None:
            told: list[str] = []

            def tell(_share: float, what: str) -> None:
                if what not in told:
                    told.append(what)
                    output.note(f"{what} …")

            known = await application.passports.make(path, tell)
        output.document({"passport": known.as_json()})
        limit = "all tools" if known.tool_limit is None else f"{known.tool_limit} tools at most"
        output.line(
            f"{known.label}: {known.protocol} calls, {limit}, {known.context_tokens:,} tokens of context"
        )
        for finding in known.findings:
            output.line(f"  {'+' if finding.ok else '-'} {finding.message}")
        return 0

    return invocation.with_application(work)


@commands.command("reindex")
def reindex(context: typer.Context) -> int:
    """Index the library for the embedding model in use, going on where an earlier run ended."""
    invocation = Invocation.of(context)
    output = invocation.output

    async def work(application: Application) -> int:
        told = -1
        for notice in application.reindexer.notices:
            raise ModelError(notice.message, hint="`astroresearch models list` shows what is here.")

        def tell(change: Change) -> None:
            nonlocal told
            if isinstance(change, ReindexProgress) and (tenth := int(change.share * 10)) != told:
                told = tenth
                output.note(f"{change.model}: {change.done:,} of {change.total:,} passages")

        unsubscribe = application.subscribe(tell)
        try:
            await application.reindexer.resume()
            step = await application.reindexer.settled()
        finally:
            unsubscribe()
        if step is not None and step.state is ReindexState.FAILED:
            raise ModelError(step.message, code=step.code or None, hint="What was made is kept.")
        output.document({"reindex": step.as_json() if step else None})
        embedder = application.embedder
        output.line(f"Search by meaning uses {embedder.model_id if embedder else 'no model'}.")
        return 0

    return invocation.with_application(work)


async def _chat_model(application: Application, name: str) -> Path:
    """Return the file of a chat model. Raises UsageError where there is none by that name, or in use."""
    if name:
        named = await application.models.find(name)
        if named.kind is not ModelKind.CHAT:
            raise UsageError(
                f"{named.label} makes vectors of texts; there is no passport for that.",
                hint="Name a chat model of `astroresearch models list`.",
            )
        return named.path
    models = await application.models.models()
    active = next((model for model in models if model.active and model.kind is ModelKind.CHAT), None)
    if active is None:
        raise UsageError(
            "The model in use is not on this computer.", hint="Name one of `astroresearch models list`."
        )
    return active.path


def _one(output: Output, model: StoredModel) -> int:
    output.document({"models": [model.as_json()]})
    _print_models(output, [model])
    if not model.active:
        name = f'"{model.name}"' if " " in model.name else model.name
        output.note(f"`astroresearch models use {name}` makes it the one that works.")
    return 0


def _print_models(output: Output, models: Sequence[StoredModel]) -> None:
    for model in models:
        fit = model.problem or (model.fit.message if model.fit else "")
        mark = "*" if model.active else " "
        output.line(
            f"{mark} {model.name:24} {model.kind.value:10} {gigabytes(model.size):>9}  {one_line(fit)}"
        )


def _print_offers(output: Output, offers: Sequence[Offer]) -> None:
    if offers:
        output.line()
        output.line("To be had with `astroresearch models pull NAME`:")
    for offer in offers:
        model = offer.model
        fits = "fits" if offer.fit.fits else "too large for the memory that is free"
        begun = f", {gigabytes(offer.partial)} of it are here" if offer.partial else ""
        line = _columns(model.name, model.kind, model.size)
        output.line(f"  {line}  {model.licence}, {fits}{begun}")
        output.line(f"  {'':24} {model.good_for.get('en', '')}")


def _columns(name: str, kind: ModelKind, size: int) -> str:
    return f"{name:24} {kind.value:10} {gigabytes(size):>9}"
