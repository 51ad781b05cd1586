"""`beholder import inspect|lmms-eval|vlmevalkit|evalscope`: another tool's log as a run folder of ours."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from beholder.cli.options import AllMetrics, AsJson, RunsDir

if TYPE_CHECKING:
    from beholder.benchmarks.benchmark import Benchmark
    from beholder.peers.importing import Import, Source
    from beholder.peers.matching import Matched
    from beholder.peers.peer_log import PeerLog
    from beholder.sample import Sample

PEERS: dict[str, tuple[str, str]] = {
    "inspect": ("beholder.peers.inspect_log", "An Inspect log, .eval or .json."),
    "lmms-eval": ("beholder.peers.lmms_eval", "What lmms-eval logs with --log_samples: …samples_TASK.jsonl."),
    "vlmevalkit": ("beholder.peers.vlmevalkit", "A VLMEvalKit table of predictions, .xlsx or .tsv."),
    "evalscope": ("beholder.peers.evalscope", "evalscope's reviews: a .jsonl, or the folder of them."),
}
"""Tool → (module whose `read` reads its logs, what FILE is)."""
_SHOWN = 5


def importer(peer: str) -> Callable[..., None]:
    """The command that reads the logs of one tool."""

    def command(
        file: Annotated[Path, typer.Argument(metavar="FILE", help="The log.")],
        benchmark: Annotated[
            str, typer.Option("--benchmark", "-b", metavar="NAME", help="tfq, vl-rewardbench, tir or m3r.")
        ],
        data: Annotated[
            Path | None,
            typer.Option(
                "--data",
                "-d",
                metavar="PATH",
                help="The benchmark's data, for its gold and pictures; without it, items are made from the log.",
            ),
        ] = None,
        images: Annotated[
            Path | None, typer.Option(metavar="FOLDER", help="Folder that image names in --data are relative to.")
        ] = None,
        by: Annotated[
            str,
            typer.Option(metavar="WAY", help="How answers find their item: auto, key, id, index or question."),
        ] = "auto",
        partial: Annotated[
            bool, typer.Option("--partial", help="Go on without the answers that have no item in --data.")
        ] = False,
        model: Annotated[
            str, typer.Option(metavar="NAME", help="The model's name, where the log does not tell it.")
        ] = "",
        scorer: Annotated[
            str,
            typer.Option(
                metavar="NAME",
                help="Which of our scorers theirs are held against (default: the same name, or the headline).",
            ),
        ] = "",
        all_metrics: AllMetrics = False,
        as_json: AsJson = False,
        runs_dir: RunsDir = Path("runs"),
    ) -> None:
        from beholder.benchmarks import benchmark as find_benchmark

        wish = Wish(peer, find_benchmark(benchmark), file, data, images, by, partial, model, scorer)
        carry_out(wish, runs_dir, all_metrics=all_metrics, as_json=as_json)

    command.__doc__ = (
        f"Read a log of {peer} into a run folder, scored by our scorers. {PEERS[peer][1]}\n\n"
        "The run can be shown, compared, reported and rescored like any other, but not resumed. Where the tool's own "
        "scores and ours differ is printed, with the reasons."
    )
    return command


class Wish(NamedTuple):
    """What the options of an import say."""

    peer: str
    found: Benchmark
    file: Path
    data: Path | None
    images: Path | None
    by: str
    partial: bool
    model: str
    scorer: str


def carry_out(wish: Wish, runs_dir: Path, *, all_metrics: bool, as_json: bool) -> None:
    """Reads the log, makes the run folder, and prints what came of it."""
    import importlib

    from beholder.cli.carry_out import exit_code, finish_command
    from beholder.errors import UsageError
    from beholder.peers.importing import Source, write_run
    from beholder.peers.peer_log import file_sha256
    from beholder.report.figures import counted
    from beholder.report.imported_report import compare_theirs, imported_object, print_theirs
    from beholder.report.plain_text import plain
    from beholder.report.terminal import make_console
    from beholder.store.folder import read_info

    console = make_console(stderr=True)

    def say(text: str, style: str = "yellow") -> None:
        console.print(plain(text, one_line=True), style=style, soft_wrap=True)

    found, scorer = wish.found, wish.scorer
    if scorer and scorer not in found.scorers:
        raise UsageError(f"--scorer: {found.name} has no scorer {scorer[:40]!r}. It has {', '.join(found.scorers)}.")
    log: PeerLog = importlib.import_module(PEERS[wish.peer][0]).read(wish.file)
    if not log.answers:
        raise UsageError(f"{wish.file} holds no answers.")
    for note in log.notes:
        say(note)
    source = Source(
        peer=wish.peer,
        file=wish.file.name,
        sha256=file_sha256(wish.file),
        model=(wish.model or log.model)[:200] or "unknown",
        version=log.version[:80],
        task=log.task[:200],
        created=log.created[:80],
        generation=log.generation,
    )
    wanted, told = _items(wish, log, source)
    for line in told:
        say(line)
    result, assumed = write_run(wanted, runs_dir)
    if assumed:
        say(
            f"The log does not tell in which order {counted(assumed, 'prompt')} showed the stored answers: their "
            "Answer 1 is taken to be the first stored response (OUR assumption)."
        )
    info = read_info(result.folder)
    tables = compare_theirs(result.folder, found, found.headline_of(result.metrics)[0], scorer)
    finish_command([result], as_json=as_json, all_metrics=all_metrics, more=imported_object(info, tables))
    if not as_json:
        print_theirs(make_console(), info, tables)
    raise typer.Exit(exit_code(result))


def _items(wish: Wish, log: PeerLog, source: Source) -> tuple[Import, list[str]]:
    """The answers with their items, and plain sentences on what the user must know about that."""
    import msgspec

    from beholder.benchmarks.benchmark import LoadOptions
    from beholder.benchmarks.records import file_digest
    from beholder.errors import UsageError
    from beholder.peers.importing import Import
    from beholder.peers.matching import WAYS, match
    from beholder.peers.own_samples import samples_of
    from beholder.report.figures import count, counted

    found, data, by = wish.found, wish.data, wish.by
    if by not in WAYS:
        raise UsageError(f"--by {by[:40]!r} is none. Choose {', '.join(WAYS)}.")
    if data is None:
        made, told = samples_of(found, log.answers)
        return Import(
            found=found, log=log, source=source, answers=made, data=wish.file.name, data_sha256=source.sha256
        ), told
    samples: list[Sample] = list(found.load(data, LoadOptions(images=wish.images)))
    matched = match(log.answers, samples, by)
    if matched.left and (not wish.partial or not matched.answers):
        raise UsageError(_unmatched(matched, len(log.answers), data, by))
    told = []
    if matched.left:
        told.append(f"{counted(len(matched.left), 'answer')} of {count(len(log.answers))} left out: {_first(matched)}.")
    if matched.unanswered:
        told.append(f"{counted(matched.unanswered, 'item')} of {data} not in {wish.file.name}; left out of the run.")
    return Import(
        found=found,
        log=log,
        source=msgspec.structs.replace(source, matched_by=matched.way),
        answers=matched.answers,
        data=str(data),
        data_sha256=file_digest(data),
        everything=samples,
    ), told


def _unmatched(matched: Matched, answers: int, data: Path, by: str) -> str:
    """Why an import stops: how many answers have no item, the first of them, and what to do."""
    from beholder.report.figures import count

    mend = "Check --data" + ("" if by != "auto" else ", or say with --by how they are named")
    if matched.answers:
        mend += "; --partial goes on without them"
    return (
        f"{count(len(matched.left))} of {count(answers)} answers have no item in {data} (by {matched.way}): "
        f"{_first(matched)}. {mend}."
    )


def _first(matched: Matched) -> str:
    shown = [f"{answer.where}: {reason}" for answer, reason in matched.left[:_SHOWN]]
    return "; ".join(shown) + ("; …" if len(matched.left) > _SHOWN else "")
