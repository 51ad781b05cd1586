"""Scores for responses that are journaled already: those that lack one, or all of them again."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from beholder.benchmarks.benchmark import Benchmark
from beholder.engine.scoring import score_with, scorer_code
from beholder.sample import Sample
from beholder.store import reading, schema
from beholder.store.journal import insert_scores, register_scorers

_WRITE_AT_ONCE = 1000


def score_missing(folder: Path, found: Benchmark) -> int:
    """Scores what lacks a scorer's verdict (a run killed between answer and score). Returns how many responses."""
    return _score(folder, found, again=False)


def rescore(folder: Path, found: Benchmark) -> int:
    """Scores every response again with the code as it is now. No model is called. Returns how many."""
    return _score(folder, found, again=True)


def scored_by_other_code(db: sqlite3.Connection, found: Benchmark) -> bool:
    """Whether scores of the run were made by scorers whose code was not what it is now."""
    present = scorer_code(found)
    stored = reading.scorer_codes(db)
    return any(present.get(name) != code for name, code in stored.items())


def _score(folder: Path, found: Benchmark, *, again: bool) -> int:
    """One connection and one transaction: a rollback journal would lock out a second reader."""
    score_all = score_with(found.scorers)
    db = schema.open_to_write(folder / "run.db")
    try:
        with schema.told_plainly(folder):
            db.execute("BEGIN IMMEDIATE")
            ids = register_scorers(db, scorer_code(found))
            if again:
                db.execute("DELETE FROM scores")
                others = [(name,) for name in ids if name not in found.scorers]
                db.executemany("DELETE FROM scorers WHERE name = ?", others)
            numbers = reading.response_numbers(db, fewer_scores_than=len(found.scorers))
            sample: Sample | None = None
            for start in range(0, len(numbers), _WRITE_AT_ONCE):
                scored = []
                for stored in reading.responses(db, numbers=numbers[start : start + _WRITE_AT_ONCE]):
                    if sample is None or sample.key != stored.key:
                        sample = reading.sample(db, stored.key)
                    assert sample is not None
                    scored.append((stored.number, score_all(sample, stored.response)))
                insert_scores(db, ids, scored)
            db.execute("COMMIT")
    finally:
        schema.close_for_good(db)
    return len(numbers)
