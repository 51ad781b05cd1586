"""`beholder import`: read what other projects have recorded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from beholder.cli.import_metaphor import metaphor
from beholder.cli.import_peers import PEERS, importer
from beholder.cli.options import AsJson

if TYPE_CHECKING:
    from rich.console import Console

    from beholder.errors import DataError
    from beholder.tools.diagnosis import Diagnosis
    from beholder.tools.imported import ImportedRun
    from beholder.tools.tally import Rate, Tally

_HELP = {"help_option_names": ["-h", "--help"]}
_SHOWN = 20
OUT_FILE = "trajectories.jsonl"

app = typer.Typer(
    help="Read what other projects have recorded.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    context_settings=_HELP,
)


@app.callback()
def group() -> None:
    """Read what other projects have recorded."""


app.command("metaphor", context_settings=_HELP)(metaphor)
for peer in PEERS:
    app.command(peer, context_settings=_HELP)(importer(peer))


@app.command("trajectories", context_settings=_HELP)
def trajectories(
    path: Annotated[
        Path,
        typer.Argument(metavar="PATH", help="A conversations.json, or a folder with such files in it or below it."),
    ],
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help=f"Also write {OUT_FILE} there: a JSON object for each conversation."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Diagnose recorded conversations with tools, call by call.

    A line for each conversation, then figures over all of them. The exit code is 1 if one of them cannot be used.
    """
    from beholder.cli import exits
    from beholder.errors import DataError, UsageError
    from beholder.report.as_json import dump
    from beholder.report.terminal import make_console
    from beholder.tools.diagnosis import diagnose
    from beholder.tools.imported import find_runs, read_run, stated_answer
    from beholder.tools.tally import tally

    if out is not None and (out / OUT_FILE).exists():
        raise UsageError(f"{out / OUT_FILE} is there already. Give another folder, or remove it.")
    found: list[tuple[ImportedRun, Diagnosis]] = []
    unusable: list[DataError] = []
    for file in find_runs(path):
        try:
            run = read_run(file, _name(file, path))
        except DataError as error:
            unusable.append(error)
        else:
            found.append((run, diagnose(run.trajectory, stated_answer)))
    total = tally([diagnosis for _, diagnosis in found])
    if out is not None and found:
        out.mkdir(parents=True, exist_ok=True)
        with (out / OUT_FILE).open("x", encoding="utf-8") as lines:
            lines.writelines(f"{dump(_object(*one))}\n" for one in found)
    if as_json:
        bad = [{"where": error.where, "problem": error.message, "mend": error.mend} for error in unusable]
        runs = [{"name": run.name, "diagnosis": diagnosis} for run, diagnosis in found]
        typer.echo(dump({"runs": runs, "unusable": bad, "tally": total}))
    else:
        console = make_console()
        _print_runs(console, found)
        _print_tally(console, total)
        _print_unusable(console, unusable)
    if unusable:
        raise typer.Exit(exits.BROKEN)


def _name(file: Path, path: Path) -> str:
    """What a conversation is called: its folder, as seen from the path that was given."""
    return file.parent.name if file.parent == path or file == path else file.parent.relative_to(path).as_posix()


def _object(run: ImportedRun, diagnosis: Diagnosis) -> dict[str, Any]:
    return {
        "name": run.name,
        "question": run.question,
        "images": run.images,
        "made": run.made,
        "trajectory": run.trajectory,
        "diagnosis": diagnosis,
    }


def _print_runs(console: Console, found: list[tuple[ImportedRun, Diagnosis]]) -> None:
    from beholder.report.plain_text import plain
    from beholder.report.terminal import bare_table, cell

    table = bare_table("run", "ended", "turns", "calls", "ran", "new", "same", "repeated", "changed", "flags", texts=2)
    table.columns[-1].justify = "left"
    names = _without_shared_folder([run.name for run, _ in found])
    for name, diagnosis in zip(names, (diagnosis for _, diagnosis in found), strict=True):
        calls = diagnosis.calls
        known = [call.answer_changed for call in calls if call.answer_changed is not None]
        figures = (
            diagnosis.turns,
            len(calls),
            sum(call.executed for call in calls),
            sum(call.image_differs is True for call in calls),
            sum(call.image_differs is False for call in calls),
            sum(call.repeated for call in calls),
        )
        ended = diagnosis.ended.value if diagnosis.ended else "–"
        texts = (plain(name, one_line=True, limit=40), ended, *map(str, figures))
        changed = str(sum(known)) if known else "–"
        table.add_row(*map(cell, (*texts, changed, ", ".join(diagnosis.flags))))
    if found:
        console.print(table)
        console.print()


def _without_shared_folder(names: list[str]) -> list[str]:
    """Names without the folders that all of them begin with: a line of a table has little room."""
    while names and len({name.partition("/")[0] for name in names}) == 1 and all("/" in name for name in names):
        names = [name.partition("/")[2] for name in names]
    return names


def _print_tally(console: Console, total: Tally) -> None:
    from beholder.report.figures import counted
    from beholder.report.terminal import say

    runs = counted(total.trajectories, "run")
    mean = "" if total.mean_turns is None else f", {total.mean_turns:.2f} turns on average"
    say(console, f"{runs}, {counted(total.calls, 'call')}{mean}", "bold")
    if not total.calls:
        return
    say(
        console,
        f"calls: chosen {_rate(total.chosen)}, valid {_rate(total.valid)}, executed {_rate(total.executed)}, "
        f"followed by another answer {_rate(total.changed)}",
    )
    say(console, f"with a new picture: {_rate(total.new_image)} of those that ran")
    say(console, f"with pictures that were there already: {_rate(total.no_new_evidence)} of those with pictures")
    say(console, f"repeated: {_rate(total.repeated)}")
    for name, counts in (("outcomes", total.outcomes), ("ended", total.ended), ("operations", total.operations)):
        words = ", ".join(f"{word} {number}" for word, number in counts.items() if number)
        say(console, f"{name}: {words or 'none'}")


def _rate(rate: Rate) -> str:
    from beholder.report.figures import count, percent

    return "not known" if rate.share is None else f"{count(rate.count)}/{count(rate.of)} ({percent(rate.share)})"


def _print_unusable(console: Console, unusable: list[DataError]) -> None:
    from beholder.report.figures import counted
    from beholder.report.terminal import say

    if unusable:
        say(console, f"{counted(len(unusable), 'conversation')} cannot be used:", "red")
    for error in unusable[:_SHOWN]:
        say(console, str(error), "red")
    if len(unusable) > _SHOWN:
        say(console, f"… and {len(unusable) - _SHOWN} more (--json lists all).", "red")
