"""`astroresearch doctor`: is everything here that the application needs?"""

from __future__ import annotations

import asyncio

import typer

from app.application import Application
from app.cli.context import Invocation
from app.errors import AppError
from app.services import doctor as doctor_service
from app.services.doctor import Check


def doctor(context: typer.Context) -> int:
    """Check the installation and the library, and say how to mend what is wrong.

    Exit code 1 if something is wrong that the application cannot do without.
    """
    invocation = Invocation.of(context)
    output = invocation.output
    checks = asyncio.run(examine(invocation))
    output.document({"checks": [check.as_json() for check in checks]})
    for check in checks:
        mark = "ok" if check.ok else ("WRONG" if check.essential else "missing")
        output.line(f"{mark:8} {check.name}: {check.message}")
        if check.hint and not check.ok:
            output.line(f"{'':8} → {check.hint}")
    return 0 if all(check.ok or not check.essential for check in checks) else 1


async def examine(invocation: Invocation) -> list[Check]:
    """Look at the machine, then at the library and models, as far as they can be opened."""
    home = invocation.library_home()
    found = await asyncio.to_thread(doctor_service.machine_checks, home)
    try:
        async with Application.open(home) as application:
            found.append(Check("library folder", True, str(application.home)))
            found += await doctor_service.checks(application)
    except AppError as error:
        found.append(Check("library folder", False, error.message, error.hint))
    return found
