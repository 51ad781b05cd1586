"""A model of one's own: what its class is asked, what becomes of what it says, and how its faults are told."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from beholder.benchmarks import benchmark, own
from beholder.errors import ProviderError, UsageError
from beholder.models import make_model
from beholder.models.own import OwnModel, own_model
from beholder.sample import Ask, ImagePart, ImageRef, Message, Response, Sample, Sampling, TextPart, TextTarget
from made_runs import jpeg

CLASS = "class Mine:\n    def __init__(self, rest=''):\n        self.rest = rest\n    def answer(self, question):\n"


@pytest.fixture(autouse=True)
def nobody_remembers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    own.forget()
    yield
    own.forget()


def given(folder: Path, text: str, rest: str = "", name: str = ":Mine") -> OwnModel:
    """The model of a file that the person has named."""
    file = folder / "mine.py"
    file.write_text(text)
    own.forget()
    own.give(file)
    made = own_model(f"{file}{name}{rest}")
    assert made is not None
    return made


def ask(vote: int = 0, text: str = "What is it?") -> Ask:
    images = (ImageRef(name="a.jpg", data=jpeg(1)), ImageRef(name="b.jpg", data=jpeg(2)))
    sample = Sample(
        key="k-0", index=0, benchmark="pets", images=images, parts=(TextPart("?"),), target=TextTarget("the gold")
    )
    parts = (ImagePart(1), TextPart(text), ImagePart(0))
    return Ask(sample=sample, messages=(Message("user", parts),), sampling=Sampling(temperature=0.5), vote=vote)


def answer_of(model: Any, one: Ask | None = None) -> Response:
    async def send() -> Response:
        (prepared,) = await asyncio.to_thread(model.prepare, [one or ask()])
        response: Response = await model.send(prepared)
        return response

    return asyncio.run(send())


SEES = CLASS + (
    "        sizes = [picture.size for picture in question.pictures()]\n"
    "        one, = question.messages\n"
    "        kinds = [type(part).__name__ for part in one.parts]\n"
    "        return f'{self.rest}|{question.text}|{len(question.images)}|{sizes}|{kinds}|{one.role}'\n"
)


def test_it_is_asked_with_text_and_pictures_in_their_order(tmp_path: Path) -> None:
    response = answer_of(given(tmp_path, SEES, "/some/rest"))
    assert response.text == "some/rest|What is it?|2|[(32, 24), (32, 24)]|['bytes', 'str', 'bytes']|user"
    assert response.finish == "stop"
    assert response.latency is not None
    assert len(response.images) == 2


def test_it_is_never_told_the_gold(tmp_path: Path) -> None:
    text = CLASS + "        return repr(question)\n"
    assert "the gold" not in str(answer_of(given(tmp_path, text)).text)


def test_an_async_answer_and_a_whole_response_are_taken(tmp_path: Path) -> None:
    text = (
        "from beholder import Response\nclass Mine:\n    async def answer(self, question):\n"
        "        return Response(text='x', reasoning='because', finish='length')\n"
    )
    response = answer_of(given(tmp_path, text))
    assert (response.text, response.reasoning, response.finish) == ("x", "because", "length")


FAULTS = [
    ("        raise ValueError('b\\n' + 'x' * 5000)\n", "own_model", False, "mine.py:5: ValueError: b xxx"),
    ("        raise TimeoutError('slow')\n", "own_model", True, "TimeoutError: slow"),
    ("        raise SystemExit(3)\n", "own_model", False, "SystemExit: 3"),
    ("        raise StopIteration\n", "own_model", False, "StopIteration"),
    ("        return 7\n", "own_model", False, "gave int where text was expected"),
    (
        "        from beholder.errors import ProviderError\n"
        "        raise ProviderError('busy', kind='http_429', retryable=True)\n",
        "http_429",
        True,
        "busy",
    ),
]


@pytest.mark.parametrize(("body", "kind", "retryable", "words"), FAULTS, ids=[one[3] for one in FAULTS])
def test_what_it_raises_is_classified_and_bounded(
    body: str, kind: str, retryable: bool, words: str, tmp_path: Path
) -> None:
    with pytest.raises(ProviderError) as caught:
        answer_of(given(tmp_path, CLASS + body))
    assert (caught.value.kind, caught.value.retryable) == (kind, retryable)
    assert words in str(caught.value)
    assert len(str(caught.value)) < 600
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("at_once", "most"), [("", 1), ("    at_once = 3\n", 3)])
def test_a_plain_answer_is_asked_one_at_a_time_unless_it_says_otherwise(
    at_once: str, most: int, tmp_path: Path
) -> None:
    head, _, tail = CLASS.partition("\n")
    body = "        return 'x'\n"
    model = given(tmp_path, f"{head}\n{at_once}{tail}{body}")
    inside = [0, 0]
    lock, both = threading.Lock(), threading.Event()

    def answer(question: Any) -> str:
        with lock:
            inside[0] += 1
            inside[1] = max(inside)
            if inside[0] == 3:
                both.set()
        both.wait(0.2 if most == 1 else 10)
        with lock:
            inside[0] -= 1
        return "x"

    model._answer = answer

    async def send() -> None:
        prepared = model.prepare([ask(vote) for vote in range(3)])
        await asyncio.gather(*(model.send(one) for one in prepared))

    asyncio.run(send())
    assert inside[1] == most


def test_the_request_hash_and_the_identity_follow_the_code(tmp_path: Path) -> None:
    body = CLASS + "        return 'x'\n"
    first, again = given(tmp_path, body), given(tmp_path, body)
    other, resting = given(tmp_path, body + "# changed\n"), given(tmp_path, body, "/r")
    assert first.identity() == again.identity()
    assert len({str(one.identity()) for one in (first, other, resting)}) == 3
    hashes = {
        one.prepare([each])[0].request_hash
        for one in (first, other)
        for each in (ask(), ask(vote=1), ask(text="Another?"))
    }
    assert len(hashes) == 6
    assert str(tmp_path) not in str(first.identity()), "no path of this machine"


WRONG = [
    (CLASS + "        return 'x'\n", ":Other", "has no model 'Other'. It has Mine."),
    ("x = 1\n", ":Mine", "It has no class with a method `answer`"),
    (
        "class Mine:\n    def __init__(self): raise OSError('no weights')\n    def answer(self, q): ...\n",
        ":Mine",
        "OSErr",
    ),
    ("class Mine:\n    at_once = 0\n    def answer(self, q): ...\n", ":Mine", "at_once is 0"),
]


@pytest.mark.parametrize(("text", "name", "words"), WRONG, ids=[one[2] for one in WRONG])
def test_a_class_that_cannot_be_used_is_told_in_a_line(text: str, name: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        given(tmp_path, text, name=name)
    assert words in str(caught.value)


def test_the_only_class_needs_no_name(tmp_path: Path) -> None:
    assert answer_of(given(tmp_path, CLASS + "        return 'x'\n", name="")).text == "x"


def test_a_file_that_nobody_named_is_not_run(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    (tmp_path / "evil.py").write_text(f"import pathlib\npathlib.Path({str(trace)!r}).touch()\n")
    with pytest.raises(UsageError, match=r"that you have not named yourself"):
        make_model(f"{tmp_path / 'evil.py'}:Mine", benchmark("tfq"), seed=0, endpoint=None)
    assert not trace.exists()


def test_kinds_of_ours_are_never_files(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot be read"):
        make_model("scripted/evil.py:Mine", benchmark("tfq"), seed=0, endpoint=None)


def test_installed_models_and_benchmarks_are_found_by_their_entry_points(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "zoo_pack.py").write_text(
        "from beholder import own_benchmark\nZOO = own_benchmark(name='zoo')\n" + CLASS + "        return 'x'\n"
    )
    info = tmp_path / "zoo_pack-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: zoo-pack\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[beholder.benchmarks]\nzoo = zoo_pack:ZOO\n[beholder.models]\nmine = zoo_pack:Mine\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    found = benchmark("zoo")
    assert found.name == "zoo"
    assert len(found.code) == 64
    assert own.listed() == {"zoo": "zoo_pack:ZOO, installed"}
    model = make_model("mine/rest", found, seed=0, endpoint=None)
    assert answer_of(model).text == "x"
    assert model.identity()["model"] == "mine/rest"


def test_two_packages_with_one_name_are_told_and_none_is_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("one_pack", "two_pack"):
        info = tmp_path / f"{package}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(
            f"[beholder.benchmarks]\nzoo = {package}:ZOO\n[beholder.models]\nmine = {package}:Mine\n"
        )
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(UsageError, match=r"one_pack, two_pack.*Uninstall all but one"):
        benchmark("zoo")
    with pytest.raises(UsageError, match=r"one_pack, two_pack.*Uninstall all but one"):
        make_model("mine", benchmark("tfq"), seed=0, endpoint=None)
