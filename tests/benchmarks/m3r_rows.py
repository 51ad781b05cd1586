"""Samples, answers and scored rows of M3R-Bench for tests, made by hand."""

from __future__ import annotations

import json
import random
from typing import Any

from msgspec import UNSET

from beholder.annotation import SENTIMENTS, Annotation, written
from beholder.benchmarks.m3r import BENCHMARK
from beholder.engine.scoring import score_with
from beholder.sample import MetaphorTarget, Response, Sample, TextPart
from beholder.score import ScoredItem

GUN = Annotation(metaphor=True, target="smoking", source="gun", sentiment="negative")
PLAIN = Annotation(metaphor=False, target=None, source=None, sentiment="neutral")


def sample(gold: Annotation, task: str = "joint", number: int = 0, **more: Any) -> Sample:
    about = {"language": "en", "origin": "made"} | more
    return Sample(
        key=f"item-{number}",
        index=number,
        benchmark="m3r",
        images=(),
        parts=(TextPart("Smoking kills."),),
        target=MetaphorTarget(gold),
        category=about["language"],
        cluster=f"picture-{number}",
        metadata={"task": task, **about},
    )


def answer(**labels: Any) -> str:
    """An answer in the form that the prompt asks for; `metaphor` may be True or False."""
    if isinstance(labels.get("metaphor"), bool):
        labels["metaphor"] = "yes" if labels["metaphor"] else "no"
    return json.dumps(labels, ensure_ascii=False)


def whole_answer(said: Annotation) -> str:
    """The same, with all labels and an explanation that says little."""
    explanation = {"evidence": [], "mapping": "It is said so.", "sentiment": "It sounds so."}
    labels = {name: getattr(said, name) for name in ("metaphor", "target", "source", "sentiment")}
    return answer(**labels, explanation=explanation)


def scored(of: Sample, response: Response | str) -> ScoredItem:
    """The row that comes of an answer, as the engine would make it."""
    response = Response(text=response, finish="stop") if isinstance(response, str) else response
    assert isinstance(of.target, MetaphorTarget)
    return ScoredItem(
        index=of.index,
        key=of.key,
        scores=score_with(BENCHMARK.scorers)(of, response),
        cluster=of.cluster,
        category=of.category,
        target=written(of.target.annotation),
        origin=of.metadata["origin"],
    )


def drawn(rng: random.Random, *, whole: bool = True) -> Annotation:
    """A random annotation that breaks no rule; without `whole` some labels may be missing."""
    metaphor = rng.random() < 0.6
    things = ("a gun", "smoking", "the sea", "time") if metaphor else (None,)
    made = {
        "metaphor": metaphor,
        "target": rng.choice(things),
        "source": rng.choice(things),
        "sentiment": rng.choice(SENTIMENTS),
    }
    return Annotation(**{name: UNSET if not whole and rng.random() < 0.2 else value for name, value in made.items()})
