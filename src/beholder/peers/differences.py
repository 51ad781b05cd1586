"""Where another tool's score and ours differ, answer by answer, with both sides' reasons."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

import msgspec

from beholder.benchmarks.benchmark import Benchmark
from beholder.peers.importing import Kept, Theirs
from beholder.peers.peer_log import PeerScore
from beholder.score import Outcome, Score
from beholder.store import reading

_NEAR = 1e-6


class Difference(msgspec.Struct, frozen=True):
    """One answer that the two score differently. `agreeing` are our other scorers that say what the tool says.

    Ours may have no value: there is no answer, and the tool scores its error all the same.
    """

    index: int
    key: str
    epoch: int
    vote: int
    where: str
    scorer: str
    theirs: PeerScore
    their_gold: str
    our_gold: str
    ours: Score
    agreeing: tuple[str, ...]


class Compared(msgspec.Struct, frozen=True):
    """One of the tool's scores beside one of ours: the means over the answers that both could score, and where they
    differ. `theirs_only` and `ours_only` count answers that one of the two could not score; `not_shares` counts values
    of the tool's that are no share of 1 and cannot be compared."""

    scorer: str
    our_scorer: str
    n: int
    their_mean: float | None
    our_mean: float | None
    theirs_only: int
    ours_only: int
    not_shares: int
    differences: list[Difference]


def compared(
    db: sqlite3.Connection, found: Benchmark, kept: Kept, our_scorer: str = "", leading: str = ""
) -> list[Compared]:
    """Each of the tool's scores beside one of ours: `our_scorer`, or where it is "" the one of the same name (our tasks
    in Inspect have our scorers), or else `leading`."""
    theirs = {(one.key, one.epoch, one.vote): one for one in kept.items}
    tables: dict[str, _Table] = {}
    for stored in reading.responses(db):
        one = theirs.get((stored.key, stored.epoch, stored.vote))
        if one is None or not one.scores:
            continue
        scores = reading.scores_of(db, stored.number)
        for name, score in one.scores.items():
            ours = our_scorer or (name if name in found.scorers else leading or found.headline[0])
            if ours in scores:
                tables.setdefault(name, _Table(ours)).add(db, one, name, score, scores)
    return [table.closed(name) for name, table in tables.items()]


class _Table:
    def __init__(self, ours: str) -> None:
        self.ours = ours
        self.pairs: list[tuple[float, float]] = []
        self.theirs_only = self.ours_only = self.not_shares = 0
        self.found: list[Difference] = []

    def add(
        self, db: sqlite3.Connection, one: Theirs, name: str, score: PeerScore, scores: Mapping[str, Score]
    ) -> None:
        mine = scores[self.ours]
        if score.value is None:
            self.ours_only += mine.value is not None
            self.not_shares += mine.value is not None and _is_number(score.written)
            return
        if mine.value is None:
            self.theirs_only += 1
            if mine.outcome is Outcome.NOT_APPLICABLE:
                return
        else:
            self.pairs.append((score.value, mine.value))
            if abs(score.value - mine.value) <= _NEAR:
                return
        sample = reading.sample(db, one.key)
        assert sample is not None  # responses are read together with their samples
        agreeing = [
            other
            for other, verdict in scores.items()
            if other != self.ours and verdict.value is not None and abs(verdict.value - score.value) <= _NEAR
        ]
        self.found.append(
            Difference(
                index=sample.index,
                key=one.key,
                epoch=one.epoch,
                vote=one.vote,
                where=one.where,
                scorer=name,
                theirs=score,
                their_gold=one.gold,
                our_gold=reading.target_text(sample),
                ours=mine,
                agreeing=tuple(agreeing),
            )
        )

    def closed(self, name: str) -> Compared:
        n = len(self.pairs)
        return Compared(
            scorer=name,
            our_scorer=self.ours,
            n=n,
            their_mean=sum(a for a, _ in self.pairs) / n if n else None,
            our_mean=sum(b for _, b in self.pairs) / n if n else None,
            theirs_only=self.theirs_only,
            ours_only=self.ours_only,
            not_shares=self.not_shares,
            differences=self.found,
        )


def _is_number(written: str) -> bool:
    """Whether a value of the tool's is a number after all, though not one in 0..1 (`85`)."""
    try:
        return float(written) == float(written)  # NaN is no number
    except ValueError:
        return False
