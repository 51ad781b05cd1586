"""TFQ-Bench: does a model understand what an image implies? True/false statements, several for each image.

MetaphorStar (Zhang et al., 2026, arXiv 2602.10575). One question is one call: the model sees the image and
one statement, thinks, and answers T or F in tags.

Departures and choices:

- The prompt is worded by us (the authors' wording is not shipped), so figures are comparable with the
  published ones only if `--prompt` brings the authors' prompt.
- The paper gives no decoding for the evaluation. We send temperature 0.5 and top_p 0.9, as a third party
  reports and as the training's validation confirms for the temperature. OUR assumption.
- How rows are grouped where the data names no image: see `data`. OUR assumption.
"""

from __future__ import annotations

from beholder.benchmarks.benchmark import Benchmark
from beholder.benchmarks.tfq.data import load, notices
from beholder.benchmarks.tfq.metrics import details, metrics
from beholder.benchmarks.tfq.prompt import TEMPLATE, gold, guess, prompt
from beholder.benchmarks.tfq.results import read_results
from beholder.benchmarks.tfq.score import SCORERS
from beholder.sample import Sampling

__all__ = ["BENCHMARK"]

BENCHMARK = Benchmark(
    name="tfq",
    title="TFQ-Bench: true/false statements about what an image implies",
    paper="arXiv 2602.10575",
    scorers=SCORERS,
    headline=("recipe", "question_accuracy"),
    load=load,
    prompt=prompt,
    template=TEMPLATE,
    metrics=metrics,
    guess=guess,
    gold=gold,
    read_results=read_results,
    details=details,
    notices=notices,
    sampling=Sampling(temperature=0.5, top_p=0.9),
    grouped=True,
    live_label="statements",
)
