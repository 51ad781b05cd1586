"""TIR-Bench: thirteen tasks that ask for thinking with images (arXiv 2511.01833), on the public data or fresh items.

`official` follows the authors' public scorer (`tools.py`, `calculate_score.py`) in all its surprises. What it scores is
an *extracted* answer, which the authors let GPT-4o read out of the response; it needs a file that holds one, or
`--extractor MODEL`. `official(det)` feeds our own deterministic extraction to the same matcher: it needs no model, and
is never shown beside published figures. `strict` and `lenient` are ours.

Departures and OUR assumptions:

- Where the authors' program would stop with an error, the value is 0 and the flag `authors_crash`.
- The paper's text scores jigsaw by intersection over union; its code counts places, and so do we.
- The paper does not say how `All` weighs tasks; the table follows from the mean over items, which is `all` here.
- The prompt is the record's own question and nothing else. The extractor's prompt is ours (`extractor.py`).
- Intervals treat items that show one picture as one cluster.
"""

from __future__ import annotations

from beholder.benchmarks.benchmark import Benchmark
from beholder.benchmarks.tir.authors import OFFICIAL_SCORERS
from beholder.benchmarks.tir.data import load, notices
from beholder.benchmarks.tir.expressions import DECIDING
from beholder.benchmarks.tir.extractor import EXTRACTOR
from beholder.benchmarks.tir.metrics import details, metrics
from beholder.benchmarks.tir.prompt import TEMPLATE, gold, guess, prompt
from beholder.benchmarks.tir.results import read_results
from beholder.benchmarks.tir.rotation import upright_turn
from beholder.benchmarks.tir.score import lenient, strict
from beholder.sample import Sampling

__all__ = ["BENCHMARK"]

BENCHMARK = Benchmark(
    name="tir",
    title="TIR-Bench: thinking with images",
    paper="arXiv 2511.01833",
    scorers={**OFFICIAL_SCORERS, "strict": strict, "lenient": lenient},
    headline=("official", "all"),
    second_headline=("lenient", "all"),
    load=load,
    prompt=prompt,
    template=TEMPLATE,
    metrics=metrics,
    guess=guess,
    gold=gold,
    read_results=read_results,
    details=details,
    notices=notices,
    judge_tasks=(EXTRACTOR,),
    upright_turn=upright_turn,
    sampling=Sampling(temperature=0.0, max_tokens=2048),
    live_label="items",
    reads_on=True,
    partial_credit=("jigsaw", "spot_difference"),
    deciding_packages=(*DECIDING, "rapidfuzz"),
)
