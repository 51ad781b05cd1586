"""`beholder show`: a run's figures, or one item with everything that is known of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from beholder.cli.options import AsJson, RunName, RunsDir


def show(
    run: RunName,
    key: Annotated[
        str | None, typer.Argument(help="An item: its key (or how it begins), record id or position.")
    ] = None,
    mark: Annotated[
        str | None, typer.Option(metavar="SCORER", help="Mark: this scorer is wrong about this item.")
    ] = None,
    vote: Annotated[int, typer.Option(min=0, help="Which vote the mark is about.")] = 0,
    epoch: Annotated[int, typer.Option(min=0, help="Which epoch the mark is about.")] = 0,
    note: Annotated[str, typer.Option(help="Why, kept with the mark.")] = "",
    as_json: AsJson = False,
    runs_dir: RunsDir = Path("runs"),
) -> None:
    """Show a run (or a packed one), or one item of it; mark a scorer as wrong."""
    import tempfile
    from datetime import UTC, datetime

    from rich.console import Console

    from beholder.benchmarks import benchmark as find_benchmark
    from beholder.cli.run import finish_command
    from beholder.engine import lifecycle
    from beholder.errors import UsageError
    from beholder.report.as_json import dump
    from beholder.report.item_report import item_object, print_item
    from beholder.store import pack, reading, schema
    from beholder.store.folder import find_run, read_info

    console = Console(highlight=False, markup=False)
    with tempfile.TemporaryDirectory(prefix="beholder-") as temporary:
        packed = Path(run).is_file()
        folder = pack.unpack(Path(run), Path(temporary)) if packed else find_run(run, runs_dir)
        info = read_info(folder)
        plan = lifecycle.plan_of(info)
        found = find_benchmark(plan.benchmark)
        if key is None:
            if mark is not None:
                raise UsageError("--mark needs an item: beholder show RUN KEY --mark SCORER.")
            finish_command([lifecycle.read_result(folder, info, plan, found)], console, as_json=as_json)
            return
        db = schema.open_to_read(folder / "run.db")
        keys = reading.find_keys(db, key)
        if len(keys) != 1:
            db.close()
            if keys:
                raise UsageError(f"{key!r} names several items: {', '.join(keys[:5])}. Give more of the key.")
            raise UsageError(f"{folder.name} holds no answered item {key!r}. `beholder show {run}` lists some keys.")
        if mark is not None:
            if packed:
                raise UsageError("A packed run cannot be marked. Mark the run folder.")
            if mark not in found.scorers:
                raise UsageError(f"{found.name} has no scorer {mark!r}. It has {', '.join(found.scorers)}.")
            created = datetime.now(UTC).isoformat(timespec="seconds")
            reading.add_mark(folder, keys[0], reading.Mark(mark, note, created, vote, epoch))
        item = item_object(db, keys[0])
        db.close()
        if as_json:
            typer.echo(dump(item))
        else:
            print_item(console, item)
