"""`beholder data fetch`: a published data set, from the hub or from a copy, into a folder that says what it holds."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from beholder.cli.options import AsJson

if TYPE_CHECKING:
    from beholder.audit.hub import Offer
    from beholder.benchmarks.fetched import Fetched
    from beholder.benchmarks.published import Published

_SHOWN = 10


def fetch(
    name: Annotated[
        str,
        typer.Argument(
            metavar="DATA_SET", help="tfq, tfq-full, tfq-data, tfq-data-lite (training sets), vl-rewardbench or tir."
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Where it goes (default: $BEHOLDER_DATA/DATA_SET, else ./data/DATA_SET)."),
    ] = None,
    revision: Annotated[
        str | None,
        typer.Option(metavar="R", help="A commit, branch or tag (default: the folder's own, or the newest)."),
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option(
            "--from", metavar="FOLDER", help="Copy from a folder that holds the files; nothing is downloaded."
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Download without asking.")] = False,
    as_json: AsJson = False,
) -> None:
    """Get a published data set.

    Repository, commit, size and licence are shown first. Each file is checked against the digest that the hub lists. A
    fetch that was broken off goes on with the same command. The folder keeps to the commit that it began with. The exit
    code is 1 if the number of records is not the published one.
    """
    from beholder.audit import fetching
    from beholder.audit.hub import NEWEST
    from beholder.benchmarks.fetched import folder_of
    from beholder.benchmarks.published import data_set
    from beholder.errors import UsageError
    from beholder.report.plain_text import plain
    from beholder.report.terminal import make_console

    console = make_console(stderr=True)

    def say(text: str, style: str = "") -> None:
        console.print(plain(text, one_line=True), style=style, soft_wrap=True)

    published = data_set(name)
    folder = out if out is not None else folder_of(name)
    if source is not None and revision is not None:
        raise UsageError("--revision is of the hub: it does not go with --from. Leave one of them out.")
    there = fetching.begun(published, folder)
    kept = there.commit if there is not None else ""
    if revision is not None and kept and not kept.startswith(revision):
        _check_the_same(fetching.look(published, revision), kept, revision, folder)
    if there is not None and there.complete:
        wrong = fetching.faults(folder, there)
        if not wrong:
            say(f"{folder} is whole: {there.origin}, fetched {there.fetched[:10]}.")
            newest = fetching.newest(published) if source is None and kept else None
            if newest is not None and newest != kept:
                say(f"The hub has another commit now: {newest[:12]}. To get it, give another folder with --out.")
            _end(published, there, folder, say, as_json=as_json, new=False)
        for fault in wrong[:_SHOWN]:
            say(f"{fault}; it is fetched again.", "yellow")
    if source is not None:
        say(f"{published.title}, licence {published.licence}: copying from {source} into {folder}.")
        _end(published, fetching.copy(published, source, folder, say), folder, say, as_json=as_json)
    offer = fetching.look(published, kept or revision or published.revision or NEWEST)
    say(_offered(published, offer, folder))
    if published.note:
        say(published.note)
    if kept and not (there is not None and there.complete):
        say("It was begun before and goes on.")
    if not yes and not _agrees():
        say("Nothing was downloaded.")
        raise typer.Exit
    _end(published, fetching.fetch(published, offer, folder, say), folder, say, as_json=as_json)


def _check_the_same(offer: Offer, kept: str, revision: str, folder: Path) -> None:
    from beholder.errors import UsageError

    if offer.commit != kept:
        raise UsageError(
            f"{folder} keeps to commit {kept[:12]}, and --revision {revision[:40]} is {offer.commit[:12]}. "
            "Give another folder with --out."
        )


def _offered(published: Published, offer: Offer, folder: Path) -> str:
    """What would be downloaded, from where, under which licence."""
    from beholder.report.figures import counted

    licence = offer.licence or "none given"
    if licence.lower() != published.licence.lower():
        licence += f" (we know it under {published.licence})"
    size = f"{offer.bytes / 1e6:,.1f} MB"
    if published.archive:
        size += f", and as much again for what {published.archive} holds"
    files = counted(len(offer.files), "file")
    return (
        f"{published.title}: {offer.repository} at {offer.commit[:12]}, {files}, {size}; licence {licence}. "
        f"Into {folder}."
    )


def _agrees() -> bool:
    """Whether the person at the terminal wants it. `UsageError` where nobody can be asked."""
    from beholder.errors import UsageError

    if not _is_terminal():
        raise UsageError("Nobody can be asked here. Give --yes to download it.")
    return typer.confirm("Download it?", default=False, err=True)


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _end(
    published: Published,
    done: Fetched,
    folder: Path,
    say: Callable[..., None],
    *,
    as_json: bool,
    new: bool = True,
) -> None:
    """Says what is there now, and leaves with the exit code for it."""
    import msgspec

    from beholder.audit.fetching import counted
    from beholder.cli import exits
    from beholder.report.as_json import dump

    as_published = done.records in (published.records, None)
    if new:
        say(f"{folder} is complete: {done.origin}.")
    say(counted(published, done), "" if as_published else "yellow")
    if as_json:
        found = {"folder": str(folder), "new": new, "as_published": done.records == published.records}
        typer.echo(dump(found | msgspec.to_builtins(done)))
    raise typer.Exit(exits.DONE if as_published else exits.BROKEN)
