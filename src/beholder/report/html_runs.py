"""What every part of a report page needs: the runs side by side under one scorer, and text that is only text."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from beholder.benchmarks.benchmark import Benchmark
from beholder.engine.lifecycle import Result
from beholder.report.plain_text import plain
from beholder.score import Metric

COLOURS = 8
MARKS = ("circle", "square", "diamond", "triangle")
"""Runs differ by shape as well as by colour."""
_LONGEST_NAME = 80


class Runs(NamedTuple):
    """Runs of one benchmark: their results, what to call them, and the headline that all can be shown under."""

    results: Sequence[Result]
    names: list[str]
    scorer: str
    metric: str

    @property
    def found(self) -> Benchmark:
        """The benchmark."""
        return self.results[0].found

    @property
    def several(self) -> bool:
        """Whether there is anything to tell apart."""
        return len(self.results) > 1

    def figures(self, name: str, scorer: str | None = None) -> list[Metric | None]:
        """One metric of every run, under the headline's scorer unless another is given."""
        return [result.metrics.get(scorer or self.scorer, {}).get(name) for result in self.results]

    def metric_names(self) -> list[str]:
        """The metrics that any run has under any scorer, the headline first."""
        scorers = sorted(self.found.scorers, key=lambda scorer: scorer != self.scorer)
        found = dict.fromkeys(
            name for scorer in scorers for result in self.results for name in result.metrics.get(scorer, {})
        )
        return sorted(found, key=lambda name: name != self.metric)


def side_by_side(results: Sequence[Result], given: Sequence[str] = ()) -> Runs:
    """The runs with their names: those that are given, or the models (`run_names`)."""
    names = run_names(given or called([(result.model, _arm(result)) for result in results]))
    found = results[0].found
    chosen = {found.headline_of(result.metrics) for result in results}
    scorer, metric = chosen.pop() if len(chosen) == 1 else found.second_headline or found.headline
    return Runs(results, names, scorer, metric)


def called(models: Sequence[tuple[str, str]]) -> list[str]:
    """What to call runs of these models with these tools ("" for none): the model, and its tools where they differ.

    >>> called([("m", ""), ("m", "python"), ("n", "")])
    ['m, no tools', 'm, python', 'n']
    """
    return [
        f"{model}, {tools or 'no tools'}" if len({own for other, own in models if other == model}) > 1 else model
        for model, tools in models
    ]


def run_names(given: Sequence[str]) -> list[str]:
    """Names on one line, numbered where one is there more than once.

    >>> run_names(["m", "n", "m"])
    ['m (1)', 'n', 'm (2)']
    """
    names = [plain(name, one_line=True, limit=_LONGEST_NAME) or "(no name)" for name in given]
    return [
        f"{name} ({names[: place + 1].count(name)})" if names.count(name) > 1 else name
        for place, name in enumerate(names)
    ]


def _arm(result: Result) -> str:
    return result.plan.tools.arm.value if result.plan.tools is not None else ""


def text(words: str) -> str:
    """Text as HTML: one line, no control characters, nothing in it markup."""
    return escape(plain(words, one_line=True))


def named(runs: Runs, run: int) -> str:
    """A run's name, with its mark where there is more than one run."""
    name = f"<span>{text(runs.names[run])}</span>"
    return f'<span class="named">{dot(run)}{name}</span>' if runs.several else name


def breakable(name: str) -> str:
    """A metric's name that a narrow column may break where its words end."""
    return text(name).replace("_", "_<wbr>").replace("/", "/<wbr>")


def dot(run: int) -> str:
    """A run's mark beside its name: the shape and the colour that it has in the chart."""
    return f'<i class="dot {MARKS[run % len(MARKS)]} run{run % COLOURS}"></i>'
