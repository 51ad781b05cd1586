"""`beholder report`: one or more runs as an HTML page, as a static site, or as tables for a paper."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from beholder.cli.options import AsJson, RunsDir

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from beholder.engine.lifecycle import Result
    from beholder.report.html_experiment import ExperimentPart


class Form(StrEnum):
    """What a report can be: one page, the viewer's pages as a folder, or tables for a paper."""

    PAGE = "page"
    SITE = "site"
    MARKDOWN = "md"
    CSV = "csv"
    LATEX = "latex"


def report(
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN…",
            help="Run folders, their names, `latest`, or packed runs; of one benchmark. Or one experiment.",
        ),
    ],
    form: Annotated[
        Form, typer.Option("--format", metavar="NAME", help="page; site; or tables for a paper: md, csv, latex.")
    ] = Form.PAGE,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="What to write (default: report.html, or the folder site, in the last run; tables: standard output).",
            dir_okay=True,
        ),
    ] = None,
    embed: Annotated[
        bool, typer.Option("--embed", help="Put the large pictures into the page, not beside it.")
    ] = False,
    without_images: Annotated[bool, typer.Option("--without-images", help="No pictures at all.")] = False,
    samples: Annotated[
        int, typer.Option(metavar="N", min=0, help="How many samples to show (a site: of each run).")
    ] = 2000,
    as_json: AsJson = False,
    runs_dir: RunsDir = Path("runs"),
) -> None:
    """Write an HTML report of one or more runs, or tables.

    The page needs no network and no server. Several runs of one benchmark are shown side by side, sample by sample.
    Its large pictures lie in a folder beside it, unless --embed puts them into the page. The page of an experiment has
    its tables and its figure above those of its arms.

    --format site writes the pages of `beholder view` as a folder that any web server can publish: these runs, their
    first --samples samples with their pictures, comparisons, and the leaderboard. It replaces an earlier site.

    --format md, csv or latex writes tables: the headline under each scorer with intervals and denominators, its parts,
    and the differences from the first run, with stars where they are significant. The CSV has a figure a line, shares
    in 0..1.
    """
    import contextlib
    import shlex
    import tempfile

    from beholder.cli.finding import find_run
    from beholder.engine import lifecycle
    from beholder.errors import UsageError
    from beholder.report.figures import size_in_words
    from beholder.report.html_pictures import Images
    from beholder.report.html_report import pictures_folder, write_html
    from beholder.report.plain_text import plain
    from beholder.report.run_differences import code_notes
    from beholder.store import pack, reading, schema
    from beholder.store.folder import read_info

    if embed and without_images:
        raise UsageError("--embed and --without-images exclude each other. Give one of them.")
    if form is Form.SITE and embed:
        raise UsageError("--embed is about the page; a site has its pictures as files. Leave it out.")
    if form not in (Form.PAGE, Form.SITE) and (embed or without_images):
        raise UsageError(f"--embed and --without-images are about the page; --format {form} has no pictures.")
    experiment = _experiment(runs, runs_dir)
    names, part = ([], None) if experiment is None else _arms_and_findings(experiment)
    given = runs if experiment is None else [str(experiment / name) for name in names]
    results, folders = [], dict[str, Path]()
    with contextlib.ExitStack() as temporary:
        for name in given:
            packed = Path(name).is_file()
            if packed:
                unpacked = Path(temporary.enter_context(tempfile.TemporaryDirectory(prefix="beholder-")))
                folder = pack.unpack(Path(name), unpacked / Path(name).stem)
            else:
                folder = find_run(name, runs_dir)
            beside = Path(name) if packed else experiment or folder
            if form is Form.SITE:
                folders[_called(folder, experiment, folders)] = folder
                continue
            info = read_info(folder)
            plan = lifecycle.plan_of(info)
            found = lifecycle.benchmark_of(info, plan)
            with contextlib.closing(schema.open_to_read(folder / "run.db")) as db:
                stored = reading.scorer_codes(db)
            mend = (
                "rescore the run folder and pack it again" if packed else f"beholder rescore {shlex.quote(str(folder))}"
            )
            for sentence in code_notes(stored, list(found.scorers), found, mend):
                typer.echo(plain(f"{folder.name}: {sentence}", one_line=True), err=True)
            results.append(lifecycle.read_result(folder, info, plan, found))
            last = beside.with_suffix(".html") if packed else beside / "report.html"
        if form is Form.SITE:
            place = beside.with_name(f"{beside.stem}_site") if beside.is_file() else beside / "site"
            _write_site(folders, out or place, samples, with_pictures=not without_images, as_json=as_json)
            return
        if form is not Form.PAGE:
            _write_tables(form, results, names, out, as_json=as_json)
            return
        images = Images.NONE if without_images else Images.EMBEDDED if embed else Images.BESIDE
        page = write_html(results, out or last, images=images, limit=samples, names=names, experiment=part)
    large = pictures_folder(page)
    has_folder = images is Images.BESIDE and large.is_dir()
    if as_json:
        import json

        facts = {"file": str(page), "bytes": page.stat().st_size, "pictures": str(large) if has_folder else None}
        typer.echo(json.dumps(facts))
        return
    pictures = f", its large pictures in {large.name}" if has_folder else ""
    typer.echo(plain(f"{page} ({size_in_words(page.stat().st_size)}{pictures})", one_line=True))


def _called(folder: Path, experiment: Path | None, others: Collection[str]) -> str:
    """What a run is called on the pages of a site: as in the viewer, and numbered where two have the same name."""
    name = _visible(folder) if experiment is None else f"{_visible(experiment)}/{_visible(folder)}"
    number = next(number for number in range(1, len(others) + 2) if _numbered(name, number) not in others)
    return _numbered(name, number)


def _visible(folder: Path) -> str:
    """The name of a folder as it can be listed: not hidden, and with a question mark for what is no character."""
    return folder.resolve().name.lstrip(".").encode(errors="replace").decode() or "run"


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name} ({number})"


def _write_site(folders: dict[str, Path], out: Path, samples: int, *, with_pictures: bool, as_json: bool) -> None:
    """The static site, and how it is looked at."""
    import json
    import shlex

    from beholder.report.figures import count, size_in_words
    from beholder.report.plain_text import plain
    from beholder.web.site import write_site

    site = write_site(folders, out, samples=samples, pictures=with_pictures)
    if as_json:
        held = {run: {"samples": one.n, "of": one.of} for run, one in site.held.items()}
        facts = {"folder": str(site.folder), "files": site.files, "bytes": site.bytes, "runs": held}
        typer.echo(json.dumps({**facts, "unread_pictures": site.unread}))
        return
    for run, one in site.held.items():
        if one.n < one.of:
            words = f"{run}: the first {count(one.n)} of {count(one.of)} samples are in it (--samples)."
            typer.echo(plain(words, one_line=True), err=True)
    if site.unread:
        typer.echo(f"Pictures that could not be read, and are left out: {count(site.unread)}.", err=True)
    typer.echo(plain(f"{site.folder} ({size_in_words(site.bytes)} in {count(site.files)} files)", one_line=True))
    command = f"python3 -m http.server --directory {shlex.quote(str(site.folder))}"
    typer.echo(plain(f"Publish the folder, or look at it: {command}", one_line=True))


def _write_tables(form: Form, results: Sequence[Result], names: list[str], out: Path | None, *, as_json: bool) -> None:
    """The tables, to a file or to standard output; `as_json` says of a file where it is."""
    from beholder.errors import UsageError
    from beholder.report.figures import size_in_words
    from beholder.report.paper_csv import csv_of
    from beholder.report.paper_tables import paper_tables
    from beholder.report.plain_text import plain
    from beholder.report.table_formats import latex, markdown
    from beholder.store.folder import write_atomically

    if as_json and out is None:
        raise UsageError("--json tells where the file is: give --out, or take `beholder show --json` for the figures.")
    if form is Form.CSV:
        text = csv_of(results, names)
    else:
        tables = paper_tables(results, names)
        text = latex(tables) if form is Form.LATEX else markdown(tables)
    if out is None:
        typer.echo(text, nl=False)
        return
    if out.is_dir():
        raise UsageError(f"--out {out} is a folder. Give the name of a file.")
    out.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(out, text.encode("utf-8-sig" if form is Form.CSV else "utf-8", "replace"))
    if as_json:
        import json

        typer.echo(json.dumps({"file": str(out), "bytes": out.stat().st_size}))
    else:
        typer.echo(plain(f"{out} ({size_in_words(out.stat().st_size)})", one_line=True))


def _experiment(runs: list[str], runs_dir: Path) -> Path | None:
    """The experiment that is named in place of runs; None if runs are named."""
    from beholder.errors import UsageError
    from beholder.experiments.experiment import FILE, find

    named = [name for name in runs if any((folder / FILE).is_file() for folder in (Path(name), runs_dir / name))]
    if named and len(runs) > 1:
        raise UsageError(f"{named[0]} is an experiment, which has a page of its own. Give it alone.")
    return find(named[0], runs_dir) if named else None


def _arms_and_findings(folder: Path) -> tuple[list[str], ExperimentPart]:
    """The arms of an experiment that are begun, and what it found. `UsageError` if none is begun."""
    import html
    import importlib
    import os

    from beholder.cli.experiment_arms import KINDS
    from beholder.errors import UsageError
    from beholder.experiments.experiment import missing, read, read_arms, resume_command
    from beholder.report.changed_items import changes_of
    from beholder.report.html_experiment import ExperimentPart, experiment_section

    experiment = read(folder)
    if experiment.kind not in KINDS:
        raise UsageError(f"{folder} is an experiment of an unknown kind. Upgrade Beholder to open it.")
    kind: Any = importlib.import_module(KINDS[experiment.kind])
    results = read_arms(folder, experiment)
    if not results:
        raise UsageError(f"No arm of {folder} has begun. Continue with `{resume_command(folder)}`.")
    outcome = kind.outcome_of(folder, experiment, results)
    figure = kind.figure_of(outcome) if hasattr(kind, "figure_of") else ""
    hidden = [f"{place}{os.sep}" for place in (folder.resolve().parent, folder.parent) if place != Path()]
    changes = changes_of(outcome)
    found = experiment_section(lambda console: kind.print_outcome(console, outcome), figure, hidden, changes)
    if lacking := list(missing(experiment, results)):
        words = f"Incomplete: {'; '.join(lacking)}."
        found += f'<p class="warn">{html.escape(words)}</p>'
    return list(results), ExperimentPart(found, changes, tells_turns=experiment.kind == "tools")
