"""Runs of every kind for the page of a sample, each of the few items that show something, and a library of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from beholder.benchmarks import own
from beholder.models.fakes import constant
from beholder.store import reading, schema
from beholder.viewer.library import Library
from beholder.viewer.sample_data import Answer, SamplePage, Verdict
from beholder.viewer.sample_page import sample_page
from made_runs import jpeg, plan_for, run_engine, vl_data, write_lines
from scripted_server import Reply, Request, ScriptedServer, completion

OWN = """from beholder import own_benchmark

ZOO = own_benchmark(name="zoo")
"""


@contextmanager
def library_of(folder: Path) -> Iterator[Library]:
    """The runs under a folder, with a cache of their own."""
    with closing(Library(folder / "runs", cache=folder / "cache")) as library:
        yield library


def name_of(library: Library, folder: Path) -> str:
    """What a run folder is called in a library."""
    return next(run for run, place in library.folders().items() if place == folder)


def keys(folder: Path) -> list[str]:
    """The keys of a run, in data order."""
    with closing(schema.open_to_read(folder / "run.db")) as db:
        return [sample.key for sample in reading.samples(db)]


def page_of(folder: Path, place: int = 0) -> SamplePage:
    """The page of the sample at that place of a run that lies in `…/runs`."""
    with library_of(folder.parents[1]) as library:
        return sample_page(library, name_of(library, folder), keys(folder)[place])


def by_scorer(answer: Answer) -> dict[str, Verdict]:
    return {verdict.scorer: verdict for verdict in answer.verdicts}


def shown_part(answer: Answer, verdict: Verdict) -> str:
    """What a page marks in a text: JavaScript counts UTF-16 units."""
    assert answer.text is not None
    assert verdict.span is not None
    units = answer.text.encode("utf-16-le")
    return units[2 * verdict.span[0] : 2 * verdict.span[1]].decode("utf-16-le")


def votes_run(folder: Path) -> Path:
    """Five votes in two epochs on three comparisons, by a judge that mostly prefers what is shown first."""

    def judge(request: Request) -> Reply:
        if "Statement 2:" in request.texts:
            return Reply(completion("Both are fine."))
        return Reply(completion("Overall Judgment: Answer 1 is better."))

    with ScriptedServer(judge) as server:
        plan = plan_for(vl_data(folder / "vl", 3), "vl-rewardbench", votes=3, epochs=2)
        return run_engine(plan, server.url, folder / "runs").folder


def own_run(folder: Path) -> Path:
    """A run of a benchmark of one's own, whose options stand beside the question; its state is in `folder`."""
    file = folder / "zoo.py"
    file.write_text(OWN)
    own.give_benchmarks(str(file))
    (folder / "cat.jpg").write_bytes(jpeg(3))
    row = {"id": "a", "image": "cat.jpg", "question": "Which animal?", "options": ["dog", "cat"], "answer": "B"}
    plan = plan_for(write_lines(folder / "zoo.jsonl", [row]), "zoo")
    return run_engine(plan, "", folder / "runs", make_model=lambda: constant("It is a cat.")).folder
