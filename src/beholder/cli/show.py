"""`beholder show`: a run's figures, or one item with everything that is known of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from beholder.cli.options import AllMetrics, AsJson, RunName, RunsDir


def show(
    run: RunName,
    key: Annotated[
        str | None,
        typer.Argument(
            metavar="ITEM", help="One item: its position from 0, its key (or how it begins), or its record id."
        ),
    ] = None,
    prompt: Annotated[bool, typer.Option("--prompt", help="Also show what was sent, for each response.")] = False,
    mark: Annotated[
        str | None, typer.Option(metavar="SCORER", help="Mark: this scorer is wrong about this item.")
    ] = None,
    label: Annotated[
        str | None,
        typer.Option(metavar="WORD", help="Mark what went wrong: perception, tool_use, reasoning, or your own word."),
    ] = None,
    vote: Annotated[int, typer.Option(metavar="N", min=0, help="Which vote the mark is about.")] = 0,
    epoch: Annotated[int, typer.Option(metavar="N", min=0, help="Which epoch the mark is about.")] = 0,
    note: Annotated[str, typer.Option(metavar="TEXT", help="Why, kept with the mark.")] = "",
    all_metrics: AllMetrics = False,
    as_json: AsJson = False,
    runs_dir: RunsDir = Path("runs"),
) -> None:
    """Show a run's figures, or one item with all its evidence.

    RUN may also be a file that `beholder pack` wrote. With --mark, a verdict of a scorer is marked as wrong; with
    --label, what went wrong is put down to something. Marks are kept beside the scores and survive a rescore.
    """
    import contextlib
    import re
    import shlex
    import tempfile
    from datetime import UTC, datetime

    import msgspec

    from beholder.cli.carry_out import finish_command
    from beholder.cli.finding import find_run
    from beholder.engine import lifecycle
    from beholder.errors import UsageError
    from beholder.report.as_json import dump
    from beholder.report.imported_report import (
        compare_theirs,
        imported_object,
        print_their_item,
        print_theirs,
        their_item,
    )
    from beholder.report.item_report import find_item, item_object, print_item
    from beholder.report.plain_text import plain
    from beholder.report.run_differences import code_notes
    from beholder.report.run_facts import print_facts, print_marks
    from beholder.report.terminal import make_console
    from beholder.store import marks, pack, reading, schema
    from beholder.store.folder import read_info

    console = make_console()
    with tempfile.TemporaryDirectory(prefix="beholder-") as temporary:
        packed = Path(run).is_file()
        folder = pack.unpack(Path(run), Path(temporary)) if packed else find_run(run, runs_dir)
        info = read_info(folder)
        plan = lifecycle.plan_of(info)
        found = lifecycle.benchmark_of(info, plan)
        option = "--mark" if mark is not None else "--label"
        if mark is not None or label is not None:
            if key is None:
                raise UsageError(f"{option} needs an item: beholder show RUN ITEM {option} WORD.")
            if packed:
                raise UsageError(f"{run} is a packed run, which cannot be marked. Mark the run folder, and pack again.")
            if mark is not None and mark not in found.scorers:
                raise UsageError(f"--mark: {found.name} has no scorer {mark!r}. It has {', '.join(found.scorers)}.")
            if label is not None and not re.fullmatch(r"[\w-]{1,40}", label):
                raise UsageError("--label takes one word of at most 40 letters, such as perception or tool_use.")
        with contextlib.closing(schema.open_to_read(folder / "run.db")) as db:
            stored = reading.scorer_codes(db)
        mend = "rescore the run folder and pack it again" if packed else f"beholder rescore {shlex.quote(str(folder))}"
        for sentence in code_notes(stored, list(found.scorers), found, mend):
            make_console(stderr=True).print(plain(sentence, one_line=True), style="yellow", soft_wrap=True)
        if key is None:
            result = lifecycle.read_result(folder, info, plan, found)
            theirs = compare_theirs(folder, found, found.headline_of(result.metrics)[0])
            if not as_json:
                print_facts(console, folder, info, plan)
            more = imported_object(info, theirs)
            finish_command([result], as_json=as_json, all_metrics=all_metrics, more=more)
            if not as_json:
                print_theirs(console, info, theirs)
                print_marks(console, folder)
            return
        db = schema.open_to_read(folder / "run.db")
        try:
            chosen = find_item(db, key)
            if mark is not None or label is not None:
                answered = {(one.vote, one.epoch) for one in reading.responses(db, key=chosen)}
                if (vote, epoch) not in answered:
                    raise UsageError(f"{option}: item {chosen} has no response with vote {vote}, epoch {epoch}.")
                created = datetime.now(UTC).isoformat(timespec="seconds")
                if mark is not None:
                    marks.add_mark(folder, chosen, marks.Mark(mark, note, created, vote, epoch))
                if label is not None:
                    marks.add_mark(folder, chosen, marks.label_mark(label, note, created, vote, epoch))
            item = item_object(db, chosen, found)
        finally:
            db.close()
        if as_json:
            typer.echo(dump({**msgspec.structs.asdict(item), **their_item(folder, chosen)}))
        else:
            print_item(console, item, Path(run) if packed else folder, plan, found, prompt=prompt)
            print_their_item(console, folder, chosen)
