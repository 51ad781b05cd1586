"""The classical baselines: they see pixels and the question, `static` only small ones, and break for nobody."""

from __future__ import annotations

import asyncio
import io
import sys
from pathlib import Path
from typing import Any

import msgspec
import numpy
import PIL.Image
import pytest

from beholder.benchmarks import benchmark
from beholder.benchmarks.benchmark import LoadOptions
from beholder.errors import Owner, UsageError
from beholder.models import classical
from beholder.models.classical import GLANCE, NOTHING_FOUND, ClassicalModel, solved
from beholder.sample import Ask, ImagePart, ImageRef, Message, Response, Sample, TextPart, TextTarget
from beholder.score import Outcome
from beholder.synth.dataset import write_dataset
from beholder.synth.generate import draws_for
from beholder.synth.solvers import GaveUp

TIR = benchmark("tir")


def png(width: int, height: int, colour: str = "white") -> bytes:
    buffer = io.BytesIO()
    PIL.Image.new("RGB", (width, height), colour).save(buffer, "PNG")
    return buffer.getvalue()


def item(task: str, *pictures: bytes, question: str = "Which way leads out?") -> Sample:
    return Sample(
        key=f"{task}-0",
        index=0,
        benchmark="tir",
        images=tuple(ImageRef(f"{place}.png", data=data) for place, data in enumerate(pictures)),
        parts=(TextPart(question), *(ImagePart(place) for place in range(len(pictures)))),
        target=TextTarget("the gold"),
        metadata={"task": task, "answer": "the gold"},
    )


def answer(model: ClassicalModel, sample: Sample, vote: int = 0) -> Response:
    async def ask() -> Response:
        await model.check()
        (prepared,) = model.prepare([Ask(sample=sample, messages=(Message("user", sample.parts),), vote=vote)])
        given = await model.send(prepared)
        await model.close()
        assert given.request_hash == prepared.request_hash
        assert len(prepared.blobs) == len(sample.images)
        return given

    return asyncio.run(ask())


class Solver:
    """Stands for a family's solver and remembers what it was shown."""

    def __init__(self, **ways: Any) -> None:
        self.seen: list[tuple[str, list[tuple[int, ...]], str]] = []
        for name in ways or {"solve": None}:
            setattr(self, name, self._way(name, ways.get(name)))

    def _way(self, name: str, raises: Exception | None) -> Any:
        def solve(pictures: list[Any], question: str) -> str:
            assert all(picture.dtype == numpy.uint8 for picture in pictures)
            self.seen.append((name, [picture.shape for picture in pictures], question))
            if raises is not None:
                raise raises
            return name

        return solve


def played_by(solver: Solver, patch: pytest.MonkeyPatch) -> Solver:
    patch.setattr(classical, "solver_of", lambda task: solver)
    return solver


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> list[Sample]:
    """An easy jigsaw and an easy maze."""
    folder = tmp_path_factory.mktemp("made") / "set"
    return list(TIR.load(write_dataset(draws_for(["jigsaw", "maze"], 1, 5, (1,)), folder), LoadOptions()))


def test_easy_items_are_solved_from_pixels_and_question_alone(made: list[Sample]) -> None:
    model = ClassicalModel("classical", "tir")
    for sample in made:
        given = answer(model, sample)
        score = TIR.scorers["lenient"](sample, given)
        assert (score.value, score.outcome) == (1.0, Outcome.SCORED), given.text
        blind = msgspec.structs.replace(
            sample, target=TextTarget("x"), metadata={"task": sample.category}, source="", options=(), record_id=""
        )
        assert answer(model, blind) == given


def test_each_picture_gets_its_own_answer(made: list[Sample]) -> None:
    jigsaw = made[0]
    other = msgspec.structs.replace(jigsaw, images=(ImageRef("plain.png", data=png(300, 300)),))
    model = ClassicalModel("classical", "tir")
    assert answer(model, other).failure is None
    assert answer(model, other).text != answer(model, jigsaw).text


@pytest.mark.parametrize("name", ["classical", "static"])
def test_finding_nothing_is_no_answer_to_any_scorer(name: str, made: list[Sample]) -> None:
    for sample in made:
        for scorer in ("strict", "lenient"):
            score = TIR.scorers[scorer](sample, Response(text=NOTHING_FOUND, finish="stop"))
            assert (score.value, score.outcome) == (0.0, Outcome.UNPARSED)


# size of the picture, size at a glance: (width, height)
GLANCES = [
    ((1000, 500), (GLANCE, GLANCE // 2)),
    ((500, 1000), (GLANCE // 2, GLANCE)),
    ((GLANCE, 20), (GLANCE, 20)),
    ((30, 20), (30, 20)),
    ((2000, 3), (GLANCE, 1)),
]


@pytest.mark.parametrize(("size", "seen"), GLANCES)
def test_static_sees_small_pictures_and_never_larger_ones(
    size: tuple[int, int], seen: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    solver = played_by(Solver(), monkeypatch)
    sample = item("maze", png(*size), png(40, 40))
    assert answer(ClassicalModel("static", "tir"), sample).text == "solve"
    assert answer(ClassicalModel("classical", "tir"), sample).text == "solve"
    glance, whole = (shapes for _, shapes, _ in solver.seen)
    assert glance == [(seen[1], seen[0], 3), (40, 40, 3)]
    assert whole == [(size[1], size[0], 3), (40, 40, 3)]
    assert {question for *_, question in solver.seen} == {"Which way leads out?"}


def test_static_has_a_way_of_its_own_where_one_look_needs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    solver = played_by(Solver(solve=None, glance=None), monkeypatch)
    sample = item("maze", png(9, 9))
    assert answer(ClassicalModel("static", "tir"), sample).text == "glance"
    assert answer(ClassicalModel("classical", "tir"), sample).text == "solve"
    assert [name for name, *_ in solver.seen] == ["glance", "solve"]


def test_giving_up_is_an_answer_and_breaking_is_our_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    sample = item("maze", png(9, 9))
    played_by(Solver(solve=GaveUp("no walls")), monkeypatch)
    assert answer(ClassicalModel("classical", "tir"), sample).text == NOTHING_FOUND
    for fault in (IndexError("list index out of range"), ValueError("x\ny"), ZeroDivisionError()):
        played_by(Solver(solve=fault), monkeypatch)
        given = answer(ClassicalModel("classical", "tir"), sample)
        assert given.text is None
        assert given.failure is not None
        assert (given.failure.owner, given.failure.kind, given.failure.retryable) == (Owner.US, "solver", False)
        assert type(fault).__name__ in given.failure.message
        assert "\n" not in given.failure.message


@pytest.mark.parametrize("task", ["", "sudoku", "maze/../color"])
def test_an_item_of_no_family_gets_no_answer(task: str) -> None:
    assert solved(item(task, png(9, 9))) == NOTHING_FOUND


def test_votes_have_requests_of_their_own_and_models_names_of_theirs() -> None:
    sample = item("maze", png(9, 9))
    hashes = {
        answer(ClassicalModel(name, "tir"), sample, vote).request_hash
        for name in ("classical", "static")
        for vote in (0, 1)
    }
    assert len(hashes) == 4
    assert ClassicalModel("static", "tir").identity() != ClassicalModel("classical", "tir").identity()
    assert ClassicalModel("static", "tir").remote is False


@pytest.mark.parametrize("name", ["classical", "static"])
@pytest.mark.parametrize("other", ["tfq", "vl-rewardbench"])
def test_they_know_one_benchmark(name: str, other: str) -> None:
    with pytest.raises(UsageError, match=f"{name} solver cannot answer '{other}'; it knows tir"):
        ClassicalModel(name, other)


def test_without_opencv_the_install_command_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cv2", None)
    with pytest.raises(UsageError, match=r"beholder\[tools\]"):
        ClassicalModel("static", "tir")


def test_a_picture_that_is_gone_is_a_failure_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the reading of a request and its answer a file may vanish."""
    played_by(Solver(), monkeypatch)
    file = tmp_path / "0.png"
    file.write_bytes(png(9, 9))
    sample = msgspec.structs.replace(item("maze"), images=(ImageRef("0.png", path=str(file)),))
    model = ClassicalModel("classical", "tir")
    (prepared,) = model.prepare([Ask(sample=sample, messages=())])
    file.unlink()
    given = asyncio.run(model.send(prepared))
    assert given.text is None
    assert given.failure is not None
