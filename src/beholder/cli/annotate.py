"""`beholder annotate`: models propose, people decide, a release is frozen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from beholder.cli.annotate_propose import propose
from beholder.cli.asking import Images
from beholder.cli.options import AllowHost, AsJson, InBrowser, RunsDir, ServedAt, ServedPort, ServedToken

if TYPE_CHECKING:
    from collections.abc import Iterable

    from beholder.annotate.items import KeptApart, NewItem

_HELP = {"help_option_names": ["-h", "--help"]}
METAPHORS = "m3r"
"""The form for metaphors, and the benchmark whose records it asks about."""
ProjectFolder = Annotated[Path, typer.Argument(metavar="PROJECT", help="The folder of an annotation project.")]
Out = Annotated[Path, typer.Option("--out", metavar="FOLDER", help="The folder to be made.")]

app = typer.Typer(
    help="Have models propose annotations and people decide on them.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    context_settings=_HELP,
)
app.command("propose", context_settings=_HELP)(propose)


@app.command("new", context_settings=_HELP)
def new(
    out: Out,
    form: Annotated[
        str, typer.Option(metavar="NAME|FILE", help="What is asked: m3r, item-check, error-labels, or a JSON file.")
    ] = "item-check",
    data: Annotated[
        Path | None, typer.Option("--data", "-d", metavar="PATH", help="Records: a JSON, JSONL or Parquet file.")
    ] = None,
    benchmark: Annotated[
        str | None, typer.Option(metavar="NAME", help="The data is that of a benchmark, such as tir.")
    ] = None,
    run: Annotated[str | None, typer.Option(metavar="RUN", help="The answers of a run, in place of --data.")] = None,
    wrong: Annotated[bool, typer.Option("--wrong", help="Of a run, only the answers that are wrong.")] = False,
    people: Annotated[
        int, typer.Option(metavar="N", min=1, max=20, help="Persons who have to decide on each item.")
    ] = 1,
    images: Images = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of every random choice.")] = 0,
    as_json: AsJson = False,
    runs_dir: RunsDir = Path("runs"),
) -> None:
    """Make a project without models: people check items, or label what is wrong with answers.

    With --people 2 or more, each person decides by themselves, without seeing the others.
    """
    import msgspec

    from beholder.annotate.forms import form_of
    from beholder.annotate.project import Project
    from beholder.errors import UsageError

    if (data is None) == (run is None):
        raise UsageError("Give --data PATH (with --benchmark NAME if it is a benchmark's), or --run RUN.")
    if run is not None and (benchmark is not None or images is not None):
        raise UsageError("--run holds its own items and pictures. Leave --benchmark and --images out.")
    if wrong and run is None:
        raise UsageError("--wrong goes with --run, whose scores say what is wrong.")
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} is there already. Choose another --out.")
    asked = form_of(form)
    if asked.name == METAPHORS and (run is not None or benchmark not in (None, METAPHORS)):
        raise UsageError("The form m3r asks about pairs of image and text: give them as --data in the schema of m3r.")
    if people > 1:
        asked = msgspec.structs.replace(asked, mode="each")
    apart: list[KeptApart] = []
    to_label = asked.name == METAPHORS
    items, source = _items(data, benchmark, run, images, runs_dir, apart, wrong=wrong, to_label=to_label)
    Project.create(out, asked, items, apart=apart, people=people, seed=seed, source=source).close()
    print_status(out, as_json=as_json)


def _items(
    data: Path | None,
    benchmark: str | None,
    run: str | None,
    images: Path | None,
    runs_dir: Path,
    apart: list[KeptApart],
    *,
    wrong: bool,
    to_label: bool,
) -> tuple[Iterable[NewItem], dict[str, Any]]:
    """The items, and what project.json says of where they came from: no paths, nothing that names a model.

    `to_label`: pairs of M3R-Bench whose labels people are to give, so that none is shown.
    """
    from beholder.annotate import sources
    from beholder.benchmarks import benchmark as find_benchmark
    from beholder.benchmarks.records import file_digest
    from beholder.cli.finding import find_run
    from beholder.store.folder import read_info

    if run is not None:
        folder = find_run(run, runs_dir)
        info = read_info(folder)
        told = {"benchmark": str(info.plan.get("benchmark", "")), "run_plan": info.plan_hash, "wrong_only": wrong}
        return sources.items_of_run(folder, wrong=wrong), told
    assert data is not None
    benchmark = METAPHORS if to_label else benchmark
    told = {"benchmark": benchmark or "", "data": data.resolve().name, "data_sha256": file_digest(data)}
    if to_label:
        return sources.pairs_to_label(data, images, apart), told
    if benchmark is not None:
        return sources.items_of_benchmark(find_benchmark(benchmark), data, images, apart), told
    return sources.items_of_records(data, images, apart), told


@app.command("open", context_settings=_HELP)
def open_page(
    project: ProjectFolder,
    host: ServedAt = "127.0.0.1",
    port: ServedPort = 8765,
    token: ServedToken = None,
    allow_host: AllowHost = None,
    browser: InBrowser = False,
) -> None:
    """Serve the page on which people decide, until Ctrl-C."""
    from beholder.report.terminal import make_console, say
    from beholder.web.serve import serve

    console = make_console()
    serve(
        project,
        host=host,
        port=port,
        token=token,
        allow_hosts=allow_host or [],
        open_browser=browser,
        say=lambda text: say(console, text),
    )


@app.command("status", context_settings=_HELP)
def status(project: ProjectFolder, as_json: AsJson = False) -> None:
    """How far people are with a project, and what each of them has done."""
    print_status(project, as_json=as_json)


@app.command("agreement", context_settings=_HELP)
def agreement(project: ProjectFolder, as_json: AsJson = False) -> None:
    """How far annotators agree: models, people, and models with people; by label.

    Raw agreement, Fleiss' kappa and Krippendorff's alpha. What is not defined says why.
    """
    import msgspec

    from beholder.annotate.agreement import agreement_of
    from beholder.annotate.project import Project
    from beholder.report.annotation_report import print_agreement
    from beholder.report.as_json import dump
    from beholder.report.terminal import make_console

    with Project.open(project) as opened:
        groups = agreement_of(opened)
    if as_json:
        typer.echo(dump({"project": str(project), "agreement": msgspec.to_builtins(groups)}))
        return
    print_agreement(make_console(), f"Agreement: {opened.form.title} · {project}", groups)


@app.command("export", context_settings=_HELP)
def export(
    project: ProjectFolder,
    out: Out,
    only_reviewed: Annotated[
        bool, typer.Option("--only-reviewed", help="Leave out the items that people have not decided on yet.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Freeze what people have decided into a release: records, pictures, provenance, hashes.

    Every item needs a person's decision. `beholder run m3r --data RELEASE/records.jsonl` reads a release of metaphors.
    """
    from beholder.annotate.project import Project
    from beholder.annotate.release import release
    from beholder.report.annotation_report import print_release
    from beholder.report.as_json import dump
    from beholder.report.terminal import make_console

    with Project.open(project) as opened:
        facts = release(opened, out, only_reviewed=only_reviewed)
    if as_json:
        typer.echo(dump({"release": str(out), **facts}))
        return
    print_release(make_console(), str(out), facts)


@app.command("verify", context_settings=_HELP)
def verify(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="The folder of a release.")],
    as_json: AsJson = False,
) -> None:
    """Check a release against its hashes: is every file what was written?"""
    from beholder.annotate.release import check_release
    from beholder.cli import exits
    from beholder.report.as_json import dump
    from beholder.report.terminal import make_console, say

    wrong = check_release(release)
    if as_json:
        typer.echo(dump({"release": str(release), "unchanged": not wrong, "wrong": wrong}))
    else:
        console = make_console()
        for sentence in wrong or ["Every file is what was written."]:
            say(console, sentence)
    raise typer.Exit(exits.USAGE if wrong else exits.DONE)


def print_status(project: Path, *, as_json: bool) -> None:
    """How far people are with a project."""
    import shlex

    import msgspec

    from beholder.annotate.project import Project
    from beholder.annotate.release import disputed
    from beholder.report.annotation_report import print_disputes, print_progress
    from beholder.report.as_json import dump
    from beholder.report.figures import counted
    from beholder.report.plain_text import plain
    from beholder.report.terminal import make_console

    with Project.open(project) as opened:
        progress, apart, info = opened.progress(), opened.kept_apart(), opened.info
        number = {key: place for place, key in enumerate(opened.item_keys(), start=1)}  # as the page counts them
        disputes = [
            {"key": key, "item": number[key], "id": opened.record(key)[0].get("id", key), "labels": labels}
            for key, labels in disputed(opened).items()
        ]
    if as_json:
        facts = {"project": str(project), "form": info.form.name, "mode": info.form.mode, "annotators": info.annotators}
        counts = {"agree": info.agree, "people_needed": info.people, "progress": progress}
        typer.echo(dump(facts | counts | {"disputed": disputes, "kept_apart": msgspec.to_builtins(apart)}))
        return
    console = make_console()
    models = f" · {counted(info.annotators, 'model')}, {info.agree} must agree" if info.annotators else ""
    people = f" · {info.people} people each" if info.people > 1 else ""
    print_progress(console, f"{info.form.title}: {counted(progress['items'], 'item')}{models}{people}", progress, apart)
    print_disputes(console, disputes)
    if progress["done"] < progress["items"]:
        command = f"beholder annotate open {shlex.quote(str(project))}"
        console.print(plain(f"Decide with: {command}", one_line=True), soft_wrap=True)
