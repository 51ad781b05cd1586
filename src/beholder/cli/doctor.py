"""`beholder doctor`: what this machine has, what is missing, and what to do about it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from beholder.cli.options import AsJson, RunsDir


def doctor(
    base_url: Annotated[str | None, typer.Option(help="Also try to reach this endpoint.")] = None,
    api_key_env: Annotated[str, typer.Option(help="Environment variable that holds the API key.")] = "OPENAI_API_KEY",
    as_json: AsJson = False,
    runs_dir: RunsDir = Path("runs"),
) -> None:
    """Check this machine: versions, extras, disk, file system, images, endpoint."""
    import asyncio

    from beholder.report.checkup import endpoint_check, machine_checks

    checks = machine_checks(runs_dir, api_key_env)
    if base_url is not None:
        checks.append(asyncio.run(endpoint_check(base_url, api_key_env)))
    if as_json:
        from beholder.report.as_json import dump

        typer.echo(dump(checks))
    else:
        marks = {"ok": "ok  ", "note": "note", "fail": "FAIL"}
        for check in checks:
            typer.echo(f"{marks[check.state]}  {check.name}: {check.finding}")
    if any(check.state == "fail" for check in checks):
        raise typer.Exit(1)
