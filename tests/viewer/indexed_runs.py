"""Runs of every kind for the tests of indexes, copies of them that change under one's hands, and their indexes."""

from __future__ import annotations

import math
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import msgspec

from beholder.report.comparison import item_values
from beholder.report.run_agreement import answers_read
from beholder.report.several_runs import Side, side_of_values
from beholder.score import ScoredItem
from beholder.store import reading, schema
from beholder.viewer.index import Index
from beholder.viewer.library import Library
from beholder.viewer.run_data import Columns, Row
from made_runs import answer_by_prompt, number_of, plan_for, run_engine, tfq_data, vl_data
from report.made_conversations import conversations
from scripted_server import Reply, Request, ScriptedServer, completion


def plain_run(folder: Path, number: int = 24) -> Path:
    """Statements in two categories; every seventh request is refused, some answers cannot be read."""

    def script(request: Request) -> Reply:
        if number_of(request) % 7 == 5:
            return Reply(status=400, body=b'{"error": {"message": "the server is out of order"}}')
        if number_of(request) == 3:
            return Reply(completion('True, as the 灯塔 shows: 100% "sure" AND (not) NEAR* it\'s'))
        return answer_by_prompt(request)

    columns = {
        "category": [f"kind {index % 2}" for index in range(number)],
        "difficulty": ["easy", "hard", "hard"] * (number // 3),
    }
    with ScriptedServer(script) as server:
        plan = plan_for(tfq_data(folder / "tfq", number, images=5, **columns))
        return run_engine(plan, server.url, folder / "runs").folder


def votes_run(folder: Path) -> Path:
    """Five votes a comparison: for what stands first, for the house, tied, unreadable, for the tree, failed in part."""
    asked: Counter[int] = Counter()

    def judge(request: Request) -> Reply:
        number = number_of(request)
        asked[number] += 1
        tree_is_first = request.texts.index("A tree stands") < request.texts.index("A house with")
        said = {
            0: "Overall Judgment: Answer 1 is better.",
            1: f"Overall Judgment: Answer {1 + tree_is_first} is better.",
            2: "Overall Judgment: Both answers are equally good.",
            3: "I cannot tell.",
            4: f"Overall Judgment: Answer {2 - tree_is_first} is better.",
        }.get(number)
        if said is None and asked[number] % 2:
            return Reply(status=400, body=b'{"error": {"message": "no"}}')
        return Reply(completion(said or "Overall Judgment: Answer 2 is better."))

    with ScriptedServer(judge) as server:
        plan = plan_for(vl_data(folder / "vl", 6), "vl-rewardbench", votes=5)
        return run_engine(plan, server.url, folder / "runs").folder


def epochs_run(folder: Path) -> Path:
    """Three epochs in which the model changes its mind about every other statement."""
    asked: Counter[int] = Counter()

    def script(request: Request) -> Reply:
        number = number_of(request)
        asked[number] += 1
        said = "TF"[asked[number] % 2] if number % 2 else "T"
        return Reply(completion(f"<think>{number}</think><answer>{said}</answer>"))

    with ScriptedServer(script) as server:
        return run_engine(plan_for(tfq_data(folder / "e", 8), epochs=3), server.url, folder / "runs").folder


def tools_run(folder: Path) -> Path:
    """Conversations with tools, of every kind."""
    return conversations(folder).folder


KINDS = {"plain": plain_run, "votes": votes_run, "epochs": epochs_run, "tools": tools_run}


def copied(run: Path, folder: Path, name: str = "run") -> Path:
    """A run folder of one's own to change."""
    return shutil.copytree(run, folder / "runs" / name)


@contextmanager
def library_of(folder: Path, cache: str = "cache") -> Iterator[Library]:
    """The runs under a folder, with a cache of their own."""
    with closing(Library(folder / "runs", cache=folder / cache)) as library:
        yield library


def scored(run: Path) -> list[ScoredItem]:
    with closing(schema.open_to_read(run / "run.db")) as db:
        return reading.scored_items(db)


def items_of(side: Side) -> list[tuple[Any, ...]]:
    """The items of a run as rows: key, score (None: no answer), cluster, category, number of the answer read."""
    scores = [None if math.isnan(score) else score for score in side.scores.tolist()]
    return list(zip(side.keys, scores, side.clusters, side.categories, side.answers.tolist(), strict=True))


def items_scored(run: Path, scorer: str, *, voted: bool) -> list[tuple[Any, ...]]:
    """The same as `beholder compare` has it from the run's journal."""
    items = scored(run)
    return items_of(side_of_values(item_values(items, scorer, voted=voted), answers_read(items, scorer)))


def change(run: Path, *statements: str, **values: Any) -> None:
    """Changes a run's database, as SQLite lets one."""
    with closing(sqlite3.connect(run / "run.db", isolation_level=None)) as db:
        for statement in statements:
            db.execute(statement, {name: value for name, value in values.items() if f":{name}" in statement})


def columns_of(index: Index) -> Columns:
    """The columns, without what tells one index from another of the same content."""
    return msgspec.structs.replace(index.columns(), version="")


def rows_of(index: Index) -> list[Row]:
    return index.rows(range(index.n)).rows
