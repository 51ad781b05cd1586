"""The gold, written in the format that the prompt asks for, scores 1.0 under every scorer of every benchmark."""

from __future__ import annotations

from pathlib import Path

import pytest

from beholder.benchmarks import benchmark
from beholder.benchmarks.benchmark import Benchmark, LoadOptions
from beholder.engine.scoring import score_with
from beholder.sample import BooleanTarget, PreferenceTarget, Response, Sample
from beholder.score import Outcome
from beholder.synth.jigsaw import generate
from made_runs import tfq_data, vl_data


def gold_answers(sample: Sample) -> list[Response]:
    """What a perfect model would say: once, or once for each order of the stored answers."""
    match sample.target:
        case BooleanTarget(value=value):
            return [Response(text=f"<think>I looked.</think><answer>{'T' if value else 'F'}</answer>", finish="stop")]
        case PreferenceTarget(preferred=preferred):
            return [
                Response(
                    text=f"Overall Judgment: Answer {order.index(preferred) + 1} is better.", order=order, finish="stop"
                )
                for order in ((0, 1), (1, 0))
            ]
        case target:
            return [Response(text=f"<answer>{list(target.values)}</answer>", finish="stop")]


def samples_of(found: Benchmark, folder: Path) -> list[Sample]:
    if found.name == "jigsaw":
        return list(generate(4, seed=3))
    data = tfq_data(folder, 6) if found.name == "tfq" else vl_data(folder, 6)
    return list(found.load(data, LoadOptions()))


@pytest.mark.parametrize("name", ["tfq", "vl-rewardbench", "jigsaw"])
def test_gold_scores_one_under_every_scorer(name: str, tmp_path: Path) -> None:
    found = benchmark(name)
    samples = samples_of(found, tmp_path)
    assert len(samples) >= 4
    for sample in samples:
        for response in gold_answers(sample):
            for scorer, score in score_with(found.scorers)(sample, response).items():
                assert (score.value, score.outcome) == (1.0, Outcome.SCORED), (scorer, response.text)
