"""Our benchmarks as tasks of Inspect: `inspect eval beholder/tir -T data=PATH --model …` (extra `[inspect]`).

The samples, the prompt, the decoding and the scorers are ours; asking the model is Inspect's. Each scorer of a
benchmark is a scorer of Inspect's with the same name: its value, what it read as the answer, its reason as the
explanation, and outcome and flags as metadata. Where a scorer has no value (it needs an extractor or a judge, which are
not asked here), the sample is unscored, not wrong; a request that failed is an error of Inspect's and is not
scored at all.

VL-RewardBench is asked `votes` times, as epochs, with the answers in the order that `beholder run` draws for the same
seed. Inspect means its epochs, where the paper counts majorities: for those, import the log.

Inspect itself loads this module (entry point group `inspect_ai`); nothing of ours does.
"""

from __future__ import annotations

import base64
import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.dataset import Sample as InspectSample
from inspect_ai.model import ChatMessageUser, ContentImage, ContentText, GenerateConfig
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver

from beholder.benchmarks import BENCHMARKS, benchmark
from beholder.benchmarks.benchmark import Benchmark, LoadOptions
from beholder.benchmarks.orders import answer_orders
from beholder.engine.scoring import score_with
from beholder.images.load import load
from beholder.peers.messages import FINISHES, said_in
from beholder.peers.own_samples import record_of
from beholder.sample import ImagePart, ImageRef, Response, Sample, Usage
from beholder.store.reading import target_text


@functools.lru_cache(maxsize=4)
def samples_by_key(name: str, data: str, images: str) -> dict[str, Sample]:
    """The benchmark's samples by key, read once for all scorers."""
    options = LoadOptions(images=Path(images) if images else None)
    return {sample.key: sample for sample in benchmark(name).load(Path(data), options)}


def tfq(data: str, images: str = "") -> Task:
    """TFQ-Bench: true/false statements about what an image implies."""
    return _task("tfq", data, images)


def vl_rewardbench(data: str, images: str = "", votes: int = 5, seed: int = 0) -> Task:
    """VL-RewardBench: which of two answers is better, `votes` times in drawn orders."""
    return _task("vl-rewardbench", data, images, votes, seed)


def tir(data: str, images: str = "") -> Task:
    """TIR-Bench: thirteen tasks that ask for thinking with images."""
    return _task("tir", data, images)


def m3r(data: str, images: str = "") -> Task:
    """M3R-Bench: metaphors in picture and text."""
    return _task("m3r", data, images)


def _task(name: str, data: str, images: str, votes: int = 1, seed: int = 0) -> Task:
    found = benchmark(name)
    path, folder = str(Path(data).resolve()), str(Path(images).resolve()) if images else ""
    chosen = samples_by_key(name, path, folder)
    sampling = found.sampling
    return Task(
        dataset=MemoryDataset([_inspect_sample(found, sample, votes, seed) for sample in chosen.values()], name=name),
        solver=[show_in_order(name, path, folder, votes, seed), generate()] if found.answers_shown else [generate()],
        scorer=[SCORERS[scorer_name](name, path, folder, votes, seed) for scorer_name in found.scorers],
        epochs=votes if votes > 1 else None,
        config=GenerateConfig(temperature=sampling.temperature, top_p=sampling.top_p, max_tokens=sampling.max_tokens),
        name=name.replace("-", "_"),
    )


def _inspect_sample(found: Benchmark, sample: Sample, votes: int, seed: int) -> InspectSample:
    about = {
        "record_id": sample.record_id,
        "category": sample.category,
        "group": sample.group,
        "cluster": sample.cluster,
    }
    return InspectSample(
        id=sample.key,
        input=[_asked(found, sample, _order(found, sample, 0, votes, seed))],
        target=target_text(sample),
        metadata=record_of(sample) | about,
    )


def _order(found: Benchmark, sample: Sample, vote: int, votes: int, seed: int) -> tuple[int, ...]:
    if not found.answers_shown:
        return ()
    return answer_orders(seed, sample.key, votes, found.answers_shown, "random")[vote]


def _asked(found: Benchmark, sample: Sample, order: tuple[int, ...], pictures: dict[int, Any] | None = None) -> Any:
    """The user's message: the same parts in the same order as `beholder run` sends. `pictures` are those to show."""
    content = [
        ContentText(text=part.text)
        if not isinstance(part, ImagePart)
        else pictures[part.index]
        if pictures is not None
        else ContentImage(image=_address(sample.images[part.index]))
        for part in found.prompt(sample, found.template, order)
    ]
    return ChatMessageUser(content=content)


def _address(ref: ImageRef) -> str:
    """The file of a picture, which Inspect reads when it is sent; the bytes themselves where the data embeds them."""
    if ref.path is not None:
        return ref.path
    image = load(ref)
    return f"data:image/{image.format.lower()};base64,{base64.b64encode(image.data).decode()}"


def _show_in_order(name: str, data: str, images: str, votes: int, seed: int) -> Solver:
    """Puts the question with the stored answers in the order of this epoch's vote."""
    found = benchmark(name)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        sample = samples_by_key(name, data, images)[str(state.sample_id)]
        first = _order(found, sample, 0, votes, seed)
        # Inspect has read the pictures of the data set's message; those of a new one it would not read.
        places = [part.index for part in found.prompt(sample, found.template, first) if isinstance(part, ImagePart)]
        shown = [part for part in state.messages[0].content if isinstance(part, ContentImage)]
        order = _order(found, sample, state.epoch - 1, votes, seed)
        state.messages = [_asked(found, sample, order, dict(zip(places, shown, strict=True)))]
        return state

    return solve


show_in_order = solver(name="show_in_order")(_show_in_order)


def response_of(state: TaskState, order: tuple[int, ...] = ()) -> Response:
    """What came back, as our scorers read it: the text with the thoughts that Inspect took out of it."""
    output = state.output
    choice = output.choices[0] if output.choices else None
    content = choice.message.content if choice is not None else ""
    plain = content if isinstance(content, str) else [part.model_dump() for part in content]
    text, reasoning = said_in(plain, str(state.sample_id))
    usage = output.usage
    return Response(
        text=text,
        reasoning=reasoning or None,
        finish=FINISHES.get(str(choice.stop_reason)) if choice is not None else None,
        order=order,
        served_model=output.model or None,
        usage=Usage(usage.input_tokens, usage.output_tokens) if usage is not None else Usage(),
    )


def _scorer(scorer_name: str) -> Callable[..., Scorer]:
    """One of our scorers as Inspect wants them."""

    def make(name: str, data: str, images: str = "", votes: int = 1, seed: int = 0) -> Scorer:
        found = benchmark(name)
        # The boundary where a scorer's fault is classified is the engine's own.
        judge = score_with({scorer_name: found.scorers[scorer_name]})

        async def score(state: TaskState, target: Target) -> Score:
            sample = samples_by_key(name, data, images)[str(state.sample_id)]
            order = _order(found, sample, state.epoch - 1, votes, seed)
            given = judge(sample, response_of(state, order))[scorer_name]
            about = {"outcome": given.outcome.value, "flags": list(given.flags)}
            if given.value is None:
                return Score.unscored(
                    reason=given.outcome.value, answer=given.extracted, explanation=given.reason, metadata=about
                )
            return Score(value=given.value, answer=given.extracted, explanation=given.reason, metadata=about)

        return score

    made: Callable[..., Scorer] = scorer(metrics=[mean(), stderr()], name=scorer_name)(make)
    return made


SCORERS: dict[str, Callable[..., Scorer]] = {
    name: _scorer(name) for name in dict.fromkeys(name for one in BENCHMARKS for name in benchmark(one).scorers)
}
"""Every scorer of every benchmark, by name; the benchmark is an argument."""

TASKS = {one.__name__: task(name=one.__name__)(one) for one in (tfq, vl_rewardbench, tir, m3r)}
"""The tasks as Inspect finds them: `beholder/NAME`."""
