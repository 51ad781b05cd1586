"""`beholder doctor`: what this machine has, what is missing, and what to do about it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from beholder.cli.options import AsJson, RunsDir


def doctor(
    base_url: Annotated[str | None, typer.Option(metavar="URL", help="Also try to reach this endpoint.")] = None,
    api_key_env: Annotated[
        str, typer.Option(metavar="NAME", help="Environment variable that holds the API key.")
    ] = "OPENAI_API_KEY",
    as_json: AsJson = False,
    runs_dir: RunsDir = Path("runs"),
) -> None:
    """Check this machine, and an endpoint if you name one.

    Versions, extras, cores, disk, file system, image formats, API key, proxy, sandbox. Exit code 1 if one is broken.
    """
    import asyncio

    from beholder.report.checkup import endpoint_check, machine_checks
    from beholder.report.plain_text import plain
    from beholder.report.sandbox_checks import sandbox_checks

    checks = [*machine_checks(runs_dir, api_key_env), *asyncio.run(sandbox_checks())]
    if base_url is not None:
        checks.append(asyncio.run(endpoint_check(base_url, api_key_env)))
    if as_json:
        from beholder.report.as_json import dump

        typer.echo(dump(checks))
    else:
        marks = {"ok": "ok", "note": "note", "fail": "FAIL"}
        for check in checks:
            typer.echo(f"{marks[check.state]:4}  " + plain(f"{check.name}: {check.finding}", one_line=True))
    if any(check.state == "fail" for check in checks):
        raise typer.Exit(1)
