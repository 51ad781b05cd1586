"""`beholder import metaphor`: put the public sources of metaphor data together, each item once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from beholder.cli.options import AsJson

if TYPE_CHECKING:
    from rich.console import Console

    from beholder.audit.gathered import Apart, Gathered, Given

_SHOWN = 10
_HEADINGS = {
    "unusable": "unusable",
    "no_text": "no text",
    "no_image": "no picture",
    "damaged": "damaged",
    "duplicate": "duplicate",
}
_SAID = {
    "unusable": "a label or cell that cannot be used",
    "no_text": "no text",
    "no_image": "no picture",
    "damaged": "a picture that cannot be used",
}
_LONGEST_FILE = 24


def metaphor(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE=FILE", help="SOURCE is multimm, multicmet, emometa, met-meme or m3r (our own schema)."
        ),
    ],
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="A new folder for records, pictures and what is kept apart.")
    ],
    images: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FOLDER",
            help="The pictures: one folder for all, or one for each SOURCE in order (default: beside each file).",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Put metaphor data of several sources together, each pair of picture and text once.

    Items that are duplicates, damaged or incomplete, or have an unknown label code are kept apart, with the reason; of
    duplicates the first stays. The exit code is 1 if an item cannot be used.
    """
    from beholder.audit.gathered import gather
    from beholder.audit.gathered_folder import check_new, write
    from beholder.cli import exits
    from beholder.report.as_json import dump
    from beholder.report.terminal import make_console

    files = _files(sources, images or [])
    check_new(out)
    with make_console(stderr=True).status("Reading the sources") as line:
        gathered = gather(files, lambda looked, of: line.update(f"Looked at {looked:,} of {of:,} records"))
        line.update("Writing the folder")
        found = write(gathered, files, out)
    if as_json:
        typer.echo(dump(found))
    else:
        _print(make_console(), gathered, found, out)
    if gathered.broken:
        raise typer.Exit(exits.BROKEN)


def _files(sources: list[str], images: list[Path]) -> list[Given]:
    """What is to be read; `UsageError` for a source without a file, and for pictures that belong to none."""
    from beholder.audit.gathered import Given
    from beholder.errors import UsageError

    if len(images) not in (0, 1, len(sources)):
        raise UsageError(f"--images: give one folder, or one for each of the sources ({len(sources)}), in their order.")
    missing = next((folder for folder in images if not folder.is_dir()), None)
    if missing is not None:
        raise UsageError(f"{missing}: the image folder is not there.")
    files = []
    for number, given in enumerate(sources):
        name, sign, path = given.partition("=")
        if not sign or not path:
            raise UsageError(f"{given[:80]!r}: write SOURCE=FILE, for example multimm=EN_test.csv.")
        folder = images[number] if len(images) == len(sources) else images[0] if images else Path(path).parent
        files.append(Given(name.strip().lower(), Path(path), folder))
    return files


def _print(console: Console, gathered: Gathered, found: dict[str, Any], out: Path) -> None:
    from beholder.report.figures import count, counted
    from beholder.report.plain_text import plain
    from beholder.report.terminal import bare_table, cell, say

    table = bare_table("", "read", "kept", *_HEADINGS.values())
    names = [source["source"] for source in found["sources"]]
    for source in found["sources"]:
        file = plain(source["file"], one_line=True, limit=_LONGEST_FILE)
        name = source["source"] if names.count(source["source"]) == 1 else f"{source['source']} {file}"
        table.add_row(*map(cell, (name, *(count(source[figure]) for figure in ("read", "kept", *_HEADINGS)))))
    console.print(table)
    console.print()
    conflicts = [
        f"{one['id']}, which is {one['duplicate_of']}: {_differing(one['conflicts'])}"
        for one in found["label_conflicts"]
    ]
    _print_some(console, "whose labels differ from those of the one that stays", "duplicate", conflicts, "yellow")
    pairs = [f"{one.id} has the picture of {one.of} (same {one.how})" for one in gathered.same_picture]
    _print_some(console, "with one picture and two texts, kept as two items", "pair", pairs, "yellow")
    for reason, words in _SAID.items():
        lines = [_line(one) for one in gathered.apart if one.reason == reason]
        _print_some(console, f"with {words}", "item", lines, "red")
    kept = counted(found["kept"], "item")
    say(
        console,
        f"{kept} of {count(found['read'])} in {out / 'records.jsonl'}; the others in {out / 'kept_apart.jsonl'}",
        "bold",
    )


def _line(one: Apart) -> str:
    return f"{one.where}: {one.problem}. {one.mend.rstrip('.')}."


def _differing(conflicts: dict[str, tuple[Any, Any]]) -> str:
    return ", ".join(f"{label} {_said(ours)} and not {_said(theirs)}" for label, (ours, theirs) in conflicts.items())


def _said(label: Any) -> str:
    if label is None:
        return "none"
    return {True: "yes", False: "no"}[label] if isinstance(label, bool) else str(label)[:60]


def _print_some(console: Console, what: str, word: str, lines: list[str], style: str) -> None:
    """A heading with the number of lines, and the first of them."""
    from beholder.report.figures import counted
    from beholder.report.terminal import say

    if not lines:
        return
    say(console, f"{counted(len(lines), word)} {what}:", style)
    for line in lines[:_SHOWN]:
        say(console, f"  {line}", style)
    if len(lines) > _SHOWN:
        say(console, f"  … and {len(lines) - _SHOWN} more, in the folder.", style)
    console.print()
