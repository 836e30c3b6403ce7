"""The gate: calls enter in order; neighbours that are concurrency-safe share it, any other holds it alone."""

from __future__ import annotations

import asyncio


class Ticket:
    """A call's place at the gate. As long as it is not known what it is, those behind it wait."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._opened: asyncio.Future[None] | None = None
        self.shared: bool | None = None
        self.open = False

    def classify(self, *, shared: bool) -> None:
        """Say whether the call may run beside its neighbours."""
        self.shared = shared
        self._gate.advance()

    async def turn(self) -> None:
        """Wait until the call may run."""
        if not self.open:
            self._opened = asyncio.get_running_loop().create_future()
            await self._opened

    def leave(self) -> None:
        """Give the place up, whether the call ran or not; may be called again."""
        self._gate.remove(self)

    def admit(self) -> None:
        """Let the call in; for the gate."""
        self.open = True
        if self._opened is not None and not self._opened.done():
            self._opened.set_result(None)


class Gate:
    """Lets in, at any time, the calls at the front that share, or the one at the front that does not."""

    def __init__(self) -> None:
        self._line: list[Ticket] = []

    def enter(self) -> Ticket:
        """Take the next place."""
        ticket = Ticket(self)
        self._line.append(ticket)
        return ticket

    def remove(self, ticket: Ticket) -> None:
        """Take a ticket out of the line."""
        if ticket in self._line:
            self._line.remove(ticket)
            self.advance()

    def advance(self) -> None:
        """Let in who may."""
        for place, ticket in enumerate(self._line):
            if ticket.shared is None:
                return
            if ticket.shared:
                ticket.admit()
                continue
            if place == 0:
                ticket.admit()
            return
