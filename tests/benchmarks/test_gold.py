"""What a perfect model would say, by each benchmark's own `gold`, scores 1.0 under every scorer."""

from __future__ import annotations

from pathlib import Path

import pytest

from beholder.benchmarks import BENCHMARKS, benchmark
from beholder.benchmarks.benchmark import Benchmark, LoadOptions
from beholder.benchmarks.m3r.example import write_example
from beholder.engine.scoring import score_with
from beholder.sample import Sample
from beholder.score import Outcome
from beholder.synth.dataset import write_dataset
from beholder.synth.generate import draws_for
from made_runs import tfq_data, vl_data

FAMILIES = ("jigsaw", "maze", "spot_difference", "word_search")
OF_JUDGES = {"rubric", "slots"}
"""Scorers that tell what judges say: n/a where nobody was asked."""


def samples_of(found: Benchmark, folder: Path) -> list[Sample]:
    data = {
        "tfq": lambda: tfq_data(folder, 6),
        "vl-rewardbench": lambda: vl_data(folder, 6),
        "tir": lambda: write_dataset(draws_for(FAMILIES, 2, 3), folder / "tir"),
        "m3r": lambda: write_example(folder / "m3r"),
    }[found.name]()
    return list(found.load(data, LoadOptions()))


@pytest.mark.parametrize("name", BENCHMARKS)
def test_gold_scores_one_under_every_scorer(name: str, tmp_path: Path) -> None:
    found = benchmark(name)
    samples = samples_of(found, tmp_path)
    assert len(samples) >= 4
    score_all = score_with(found.scorers)
    for sample in samples:
        answers = found.gold(sample)
        assert answers
        for response in answers:
            for scorer, score in score_all(sample, response).items():
                right = (None, Outcome.NOT_APPLICABLE) if scorer in OF_JUDGES else (1.0, Outcome.SCORED)
                assert (score.value, score.outcome) == right, (scorer, response.text)


@pytest.mark.parametrize("name", BENCHMARKS)
def test_the_gold_of_one_item_is_not_right_for_all(name: str, tmp_path: Path) -> None:
    """Otherwise the test above could not fail."""
    found = benchmark(name)
    samples = samples_of(found, tmp_path)
    score_all = score_with(found.scorers)
    wrong = set()
    for sample, other in zip(samples, [*samples[1:], samples[0]], strict=True):
        if sample.target != other.target:
            (response, *_) = found.gold(other)
            wrong |= {scorer for scorer, score in score_all(sample, response).items() if score.value != 1.0}
    assert wrong - OF_JUDGES == found.scorers.keys() - OF_JUDGES
