"""What keeps the lines of a leaderboard apart: numbered notes, each once, and which lines they are about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from beholder.benchmarks.tables import Line, Table
from beholder.report.comparable import is_extractor
from beholder.report.figures import bounds_of, count, counted
from beholder.report.plain_text import plain
from beholder.report.run_differences import plan_differences
from beholder.score import Metric
from beholder.viewer.board_lines import Stands
from beholder.viewer.board_runs import BoardRun

MOST_NOTES = 200
LONGEST_NOTE = 600
_NO_MATTER = ("seed", "seed sent to the server", "benchmark")
"""Facts of a plan that change no figure but by chance."""
_OF_ITEMS = ("data_sha256", "n_samples", "selection", "keep_apart")
"""Facts of a plan that say which items there are."""


class Notes:
    """Notes in the order in which they are made; the same words are one note."""

    def __init__(self) -> None:
        self.words: list[str] = []

    def number(self, words: str) -> int:
        """The number of a note, from 1; 0 where there are too many already."""
        shown = plain(words, one_line=True, limit=LONGEST_NOTE)
        if shown not in self.words:
            if len(self.words) == MOST_NOTES:
                return 0
            self.words.append(shown)
        return self.words.index(shown) + 1

    def numbers(self, sentences: Sequence[str]) -> list[int]:
        """The numbers of several, ascending."""
        return sorted({number for words in sentences if (number := self.number(words))})


class Usual(msgspec.Struct, frozen=True):
    """The run that the others are held against, `called` as a note names it: one of those that ask what most do.

    `items` is a digest of its items, None if that is not known.
    """

    run: BoardRun
    figure: Metric
    called: str
    items: bytes | None = None


def usual(stands: Sequence[Stands], names: Sequence[str], items: Sequence[bytes | None]) -> Usual | None:
    """One of the runs that share their plan and scorers with the most others: the first of them. None without runs."""
    if not stands:
        return None
    kinds = [_kind(one.run) for one in stands]
    counts = Counter(kinds)
    place = kinds.index(max(kinds, key=lambda kind: counts[kind]))
    called = "most runs" if counts[kinds[place]] > 1 else names[place]
    return Usual(stands[place].run, stands[place].figure, called, items[place])


def of_run(run: BoardRun, figure: Metric, items: bytes | None, scorer: str, against: Usual) -> list[str]:
    """What differs between a run's line and the usual one, and what is missing from it.

    Where the items are the same (`items` is a digest of them), it does not matter from which file they were chosen.
    """
    other = against.run
    same = items is not None and items == against.items
    left_out = (*_NO_MATTER, *(_OF_ITEMS if same else ()))
    said = plan_differences(other.plan, run.plan, (against.called, "this line"), leave_out=left_out)
    if run.status != "complete":
        said.append("incomplete: responses are missing, or have not been judged")
    if figure.failed:
        bounds = bounds_of(figure)
        said.append(
            f"{counted(figure.failed, 'failed response')} in no figure" + (f" (else {bounds})" if bounds else "")
        )
    if figure.n + figure.failed != against.figure.n + against.figure.failed:
        said.append(
            f"another denominator: {count(figure.n + figure.failed)}, "
            f"{count(against.figure.n + against.figure.failed)} in {against.called}"
        )
    if run.reader != other.reader:
        said.append(
            f"answers read by {run.reader or 'our rules'}, by {other.reader or 'our rules'} in {against.called}"
        )
    if run.judges != other.judges:
        said.append(f"judged by {run.judges or 'nobody'}, by {other.judges or 'nobody'} in {against.called}")
    if run.assumptions != other.assumptions:
        said.append(f"scored under {_assumptions(run)}, under {_assumptions(other)} in {against.called}")
    elif run.code.get(scorer) != other.code.get(scorer):
        said.append(f"scored by other code of {scorer} than {against.called}: `beholder rescore` scores it anew")
    return said


def of_table(table: Table) -> str:
    """What a published table was measured under, and what we take for what it does not say."""
    when = f"published {table.date}, read {table.read}" if table.date else f"without a date, read {table.read}"
    whose = "" if table.scorer else "; which scorer of ours it corresponds to is not known"
    measured = "; ".join(table.measured)
    more = " ".join(filter(None, (table.assumed, table.note)))
    return f"{table.source}, {when}. Measured under: {measured}{whose}. {more}".strip()


def of_line(table: Table, line: Line, metric: str) -> list[str]:
    """What keeps a published line apart from its table."""
    derived = line.derived.get(metric)
    return [*line.marks, *([f"derived, not printed: {derived}"] if derived else [])]


def against_table(run: BoardRun, figure: Metric, metric: str, table: Table) -> str:
    """What differs between a run and a published table's protocol, in one sentence; "" for nothing that is known."""
    asked, said = table.protocol, []
    size = table.sizes.get(metric)
    n = figure.n + figure.failed
    if size is not None and n != size:  # where the denominator is assumed, it is the largest that can be
        said.append(f"n = {count(n)}, {'of at most' if table.assumed and n < size else 'not'} {count(size)}")
    if asked.prompt_sha256 is not None and run.plan.get("prompt_sha256") != asked.prompt_sha256:
        said.append("another prompt")
    if asked.votes is not None and run.plan.get("votes") != asked.votes:
        said.append(f"{_number(run.plan.get('votes'))} votes, not {asked.votes}")
    sampling = run.plan.get("sampling")
    own = sampling if isinstance(sampling, dict) else {}
    for name in ("temperature", "top_p", "max_tokens"):
        wanted = getattr(asked, name)
        if wanted is not None and own.get(name) != wanted:
            said.append(f"{name} {_number(own.get(name))}, not {wanted:g}")
    if asked.tools is False and run.tools:
        said.append(f"tools ({run.tools})")
    if asked.extractor is not None and not is_extractor(run.reader, asked.extractor):
        said.append(f"answers read by {run.reader or 'our rules'}, not by {asked.extractor}")
    return f"differs from {table.title} in: {'; '.join(said)}" if said else ""


def _kind(run: BoardRun) -> bytes:
    plan = {name: value for name, value in run.plan.items() if name not in ("model", "seed")}
    return msgspec.json.encode([plan, run.reader, run.judges, run.assumptions, run.code], order="deterministic")


def _assumptions(run: BoardRun) -> str:
    return f"assumptions of its own ({run.assumptions}…)" if run.assumptions else "ours"


def _number(value: object) -> str:
    return f"{value:g}" if isinstance(value, int | float) else "of the server's own"
