"""Jigsaw: put the shuffled pieces of a photograph back in order. Fresh puzzles with known answers.

A small synthetic benchmark after the jigsaw task of TIR-Bench (arXiv 2511.01833), with puzzles of our own.
Departures:

- Photographs, cut, numbers and prompt are ours; TIR-Bench cuts 120 RefCOCO images. Figures are not
  comparable.
- Scored by position match, as TIR-Bench's code does, though its text says intersection over union.
- No `official` scorer: the authors' code belongs to TIR-Bench's own records.

The headline is `strict`: the prompt asks for one simple format, and what is read from it leaves no room for
interpretation; `lenient` stands beside it and shows what the format alone costs.
"""

from __future__ import annotations

from beholder.benchmarks.benchmark import Benchmark
from beholder.benchmarks.jigsaw.data import load, notices
from beholder.benchmarks.jigsaw.metrics import metrics
from beholder.benchmarks.jigsaw.prompt import TEMPLATE, guess, prompt
from beholder.benchmarks.jigsaw.score import SCORERS

__all__ = ["BENCHMARK"]

BENCHMARK = Benchmark(
    name="jigsaw",
    title="Jigsaw: shuffled pieces of photographs, to be put back in order (synthetic)",
    paper="after TIR-Bench, arXiv 2511.01833",
    scorers=SCORERS,
    headline=("strict", "position_accuracy"),
    load=load,
    prompt=prompt,
    template=TEMPLATE,
    metrics=metrics,
    guess=guess,
    notices=notices,
    live_label="puzzles",
)
