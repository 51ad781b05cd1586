"""Servers and files that fail, one way each: what is asked again, what fails alone, what stops the run."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import PIL.Image
import pytest

import made_runs
from beholder.engine import lifecycle, run
from beholder.engine.retry import RetryPolicy
from beholder.engine.run import Ending
from beholder.errors import Owner, UsageError
from beholder.sample import Response, Sample
from beholder.score import Outcome, Score
from beholder.store import folder as folders
from made_runs import QUICK, answer_by_prompt, number_of, plan_for, run_engine, stored, tfq_data
from scripted_server import Reply, Request, ScriptedServer, completion

OK = Reply()
ONE_TRY = RetryPolicy(attempts=1)

Script = Callable[[Request], Reply]


def in_turn(*replies: Reply) -> Script:
    """The replies one after the other, the last one for ever."""
    return lambda request: replies[min(request.number, len(replies) - 1)]


MENDED: list[tuple[str, list[Reply], dict[str, Any]]] = [
    ("T57 429 that asks for a wait, then 500", [Reply(b"{}", 429, (("Retry-After", "0.3"),)), Reply(b"", 500)], {}),
    ("T85 reset in mid-body, then no choices", [Reply(cut_after=30), Reply(b'{"choices": []}')], {}),
    ("invalid JSON, then half a reply", [Reply(b"<html>"), Reply(completion("T")[:40])], {}),
    ("closed without a word, twice", [Reply(refuse=True), Reply(refuse=True)], {}),
    ("slow to begin, then slow to end", [Reply(first_byte=9), Reply(body_time=9)], {"first_byte": 0.2, "total": 0.4}),
    ("an overload told in a 200", [Reply(b'{"error": {"message": "busy", "code": 529}}'), Reply(b"", 503)], {}),
]


@pytest.mark.parametrize(("replies", "endpoint"), [row[1:] for row in MENDED], ids=[row[0] for row in MENDED])
def test_faults_that_asking_again_mends(replies: list[Reply], endpoint: dict[str, Any], tmp_path: Path) -> None:
    plan = plan_for(tfq_data(tmp_path, 1))
    started = time.monotonic()
    with ScriptedServer(in_turn(*replies, OK)) as server:
        done = run_engine(plan, server.url, tmp_path / "runs", endpoint=endpoint)
    (one,) = stored(done.folder)
    assert one.response.failure is None
    assert one.response.attempts == len(server.requests) == 3
    assert done.watch.retries == 2
    assert done.result.complete
    assert len({request.raw for request in server.requests}) == 1
    if replies[0].status == 429:
        assert time.monotonic() - started >= 0.3


def test_what_stays_broken_is_left_for_a_resume(tmp_path: Path) -> None:
    plan = plan_for(tfq_data(tmp_path, 6))
    broken = {1, 4}
    script: Script = lambda request: Reply(b"", 500) if number_of(request) in broken else OK  # noqa: E731
    with ScriptedServer(script) as server:
        first = run_engine(plan, server.url, tmp_path / "runs")
        assert len(server.requests) == 4 + 2 * QUICK.attempts
        assert not first.result.complete
        assert (first.result.tally.answered, first.result.tally.retryable) == (4, 2)
        assert folders.read_info(first.folder).status == "incomplete"
        assert [item.scores["strict"].outcome for item in first.result.items].count(Outcome.FAILED) == 2

        broken.clear()
        asked = len(server.requests)
        again = run_engine(plan, server.url, tmp_path / "runs", folder=first.folder)
        assert sorted(map(number_of, server.requests[asked:])) == [1, 4]
    assert again.result.complete
    assert (again.watch.before, again.watch.total) == (4, 6)
    assert folders.read_info(first.folder).status == "complete"
    assert len(stored(first.folder)) == 6


def test_t84_a_bad_request_fails_alone_and_is_never_asked_again(tmp_path: Path) -> None:
    plan = plan_for(tfq_data(tmp_path, 5))
    too_large = Reply(b'{"error": {"message": "image too large"}}', 400)
    with ScriptedServer(lambda request: too_large if number_of(request) == 2 else OK) as server:
        done = run_engine(plan, server.url, tmp_path / "runs")
        assert sorted(map(number_of, server.requests)) == [0, 1, 2, 3, 4]
        run_engine(plan, server.url, tmp_path / "runs", folder=done.folder)
        assert len(server.requests) == 5
    failure = stored(done.folder)[2].response.failure
    assert failure is not None
    assert (failure.owner, failure.kind, failure.status, failure.retryable) == (Owner.PROVIDER, "request", 400, False)
    assert "image too large" in failure.message
    assert done.result.metrics["recipe"]["question_accuracy"].n == 4
    assert done.result.metrics["recipe"]["question_accuracy"].failed == 1
    assert done.result.complete


def test_t22_a_server_that_refuses_everything_gives_no_score(tmp_path: Path) -> None:
    plan = plan_for(tfq_data(tmp_path, 7))
    with ScriptedServer(lambda request: Reply(b"no", 400)) as server:
        done = run_engine(plan, server.url, tmp_path / "runs")
    assert done.result.metrics == {}
    assert done.result.details == {}
    assert not done.result.complete
    assert done.result.tally.failed == 7
    assert folders.read_info(done.folder).status == "incomplete"


@pytest.mark.parametrize("status", [401, 403])
def test_t86_a_refused_key_stops_at_once(status: int, tmp_path: Path) -> None:
    plan = plan_for(tfq_data(tmp_path, 200))
    script = in_turn(OK, OK, Reply(b'{"error": {"message": "Incorrect API key"}}', status))
    with ScriptedServer(script) as server:
        done = run_engine(plan, server.url, tmp_path / "runs", concurrency=4)
    assert len(server.requests) <= 2 + 4
    assert done.result.ending is Ending.REFUSED_KEY
    assert "Incorrect API key" in done.result.message
    assert "\n" not in done.result.message
    assert "beholder resume" in done.result.message
    assert done.result.tally.answered == 2
    assert (done.result.tally.failed, done.result.tally.retryable) == (0, 0)
    assert folders.read_info(done.folder).status == "incomplete"


def test_a_hundred_failures_in_a_row_stop_the_run(tmp_path: Path) -> None:
    plan = plan_for(tfq_data(tmp_path, 400))
    with ScriptedServer(lambda request: Reply(b"down", 500)) as server:
        done = run_engine(plan, server.url, tmp_path / "runs", retries=ONE_TRY, concurrency=8)
    assert done.result.ending is Ending.HOPELESS
    assert 100 <= len(server.requests) <= 108
    assert "HTTP 500" in done.result.message
    assert not done.result.complete


def test_failures_among_answers_do_not_stop_the_run(tmp_path: Path) -> None:
    plan = plan_for(tfq_data(tmp_path, 300))
    with ScriptedServer(lambda request: OK if number_of(request) % 50 == 0 else Reply(b"", 400)) as server:
        done = run_engine(plan, server.url, tmp_path / "runs", concurrency=8)
    assert len(server.requests) == 300
    assert done.result.ending is Ending.FINISHED


def test_a_server_that_dies_and_comes_back(tmp_path: Path) -> None:
    plan = plan_for(tfq_data(tmp_path, 30))
    first = ScriptedServer(made_runs.slowly(answer_by_prompt, 0.01))
    seen: list[Request] = []
    with first:

        def die_and_come_back() -> None:
            while len(first.requests) < 10:
                time.sleep(0.005)
            first.__exit__()
            time.sleep(0.3)
            with ScriptedServer(answer_by_prompt, port=first.port) as second:
                while not over.wait(0.01):
                    pass
                seen.extend(second.requests)

        over = threading.Event()
        keeper = threading.Thread(target=die_and_come_back)
        keeper.start()
        patient = RetryPolicy(attempts=8, base=0.1, cap=0.5)
        done = run_engine(plan, first.url, tmp_path / "runs", retries=patient)
        over.set()
        keeper.join()
    assert done.result.complete
    assert done.result.tally.answered == 30
    assert len(seen) >= 15
    assert done.watch.retries >= 1


def damaged(folder: Path, what: str) -> None:
    """Makes the picture of statement 1 unusable."""
    file = folder / "images" / "1.jpg"
    if what == "cut at 60 %":
        file.write_bytes(file.read_bytes()[: int(file.stat().st_size * 0.6)])
    elif what == "empty":
        file.write_bytes(b"")
    elif what == "HTML":
        file.write_text("<!doctype html><p>404</p>")
    elif what == "a folder":
        file.unlink()
        file.mkdir()
    else:
        file.unlink()


@pytest.mark.parametrize("what", ["missing", "cut at 60 %", "empty", "HTML", "a folder"])
def test_t40_t49_an_unusable_picture_fails_its_item_and_nothing_is_asked(what: str, tmp_path: Path) -> None:
    data = tfq_data(tmp_path, 5, images=5)
    whole = (tmp_path / "images" / "1.jpg").read_bytes()
    damaged(tmp_path, what)
    plan = plan_for(data, votes=2)
    with ScriptedServer() as server:
        done = run_engine(plan, server.url, tmp_path / "runs")
        assert Counter(map(number_of, server.requests)) == {0: 2, 2: 2, 3: 2, 4: 2}
        failed = [one.response.failure for one in stored(done.folder) if one.response.failure is not None]
        assert [(failure.owner, failure.kind) for failure in failed] == [(Owner.DATA, "image")] * 2
        assert "1.jpg" in failed[0].message
        assert [item.scores["recipe"].owner for item in done.result.items].count(Owner.DATA) == 2
        assert done.result.tally.answered == 8

        if what == "a folder":
            (tmp_path / "images" / "1.jpg").rmdir()
        (tmp_path / "images" / "1.jpg").write_bytes(whole)
        mended = run_engine(plan, server.url, tmp_path / "runs", folder=done.folder)
        assert Counter(map(number_of, server.requests[8:])) == {1: 2}
    assert mended.result.complete


def odd_pictures(folder: Path) -> list[str]:
    """Thirty pictures of the colour modes and formats that have broken other tools."""
    base = PIL.Image.effect_noise((40, 30), 60).convert("RGB")
    alpha = PIL.Image.new("RGBA", (40, 30), (10, 200, 30, 120))
    made: list[tuple[str, PIL.Image.Image, dict[str, Any]]] = [
        ("cmyk.jpg", base.convert("CMYK"), {}),
        ("grey.jpg", base.convert("L"), {}),
        ("sixteen.png", PIL.Image.new("I;16", (40, 30), 40_000), {}),
        ("palette.png", alpha.quantize(16), {}),
        ("la.png", alpha.convert("LA"), {}),
        ("one-bit.png", base.convert("1"), {}),
        ("rgba.png", alpha, {}),
        ("lossless.webp", base, {"lossless": True}),
        ("still.gif", base.quantize(8), {}),
        ("moving.gif", base.quantize(8), {"save_all": True, "append_images": [alpha.convert("P")]}),
        ("wide.bmp", base.resize((200, 10)), {}),
        ("deep.tiff", base, {}),
        ("dot.png", base.resize((1, 1)), {}),
        ("progressive.jpg", base, {"progressive": True}),
        ("turned.jpg", base, {"exif": turned()}),
    ]
    folder.mkdir(parents=True)
    for name, picture, options in made:
        picture.save(folder / name, **options)
        (folder / f"misnamed-{name}.jpeg").write_bytes((folder / name).read_bytes())
    return sorted(f"images/{file.name}" for file in folder.iterdir())


def turned() -> PIL.Image.Exif:
    exif = PIL.Image.Exif()
    exif[0x0112] = 6
    return exif


def test_t39_pictures_of_any_mode_are_answered_and_scored(tmp_path: Path) -> None:
    names = odd_pictures(tmp_path / "images")
    assert len(names) == 30
    data = tfq_data(tmp_path, 30, images_of=names)
    with ScriptedServer() as server:
        done = run_engine(plan_for(data), server.url, tmp_path / "runs")
    assert [one.response.failure for one in stored(done.folder)] == [None] * 30
    assert done.result.metrics["recipe"]["question_accuracy"].n == 30
    urls = [part["image_url"]["url"] for r in server.requests for part in r.body["messages"][0]["content"][:1]]
    kinds = {url.partition(";")[0] for url in urls}
    assert kinds == {"data:image/jpeg", "data:image/png", "data:image/webp", "data:image/gif"}


def test_a_scorer_that_breaks_costs_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """T56: the answers are there; scoring again with the scorer mended asks nobody."""
    plan = plan_for(tfq_data(tmp_path, 6))
    whole = lifecycle.find_benchmark("tfq")

    def breaks(sample: Sample, response: Response) -> Score:
        raise ZeroDivisionError("a bug")

    broken = msgspec.structs.replace(whole, scorers={**whole.scorers, "lenient": breaks})
    with ScriptedServer(answer_by_prompt) as server:
        monkeypatch.setattr(lifecycle, "find_benchmark", lambda name: broken)
        done = run_engine(plan, server.url, tmp_path / "runs")
        for item in done.result.items:
            score = item.scores["lenient"]
            assert (score.outcome, score.owner, score.value) == (Outcome.FAILED, Owner.US, None)
            assert item.scores["recipe"].outcome is not Outcome.FAILED
        assert done.result.tally.answered == 6
        assert all(one.response.failure is None for one in stored(done.folder))

        monkeypatch.undo()
        info = folders.read_info(done.folder)
        assert lifecycle.rescore(done.folder, whole) == 6
        mended = lifecycle.finish(done.folder, info, plan, whole)
        assert len(server.requests) == 6
        clean = run_engine(plan, server.url, tmp_path / "clean")
    assert mended.items == clean.result.items
    assert mended.metrics == clean.result.metrics


def test_an_error_of_the_data_in_mid_run_ends_it_with_that_error(tmp_path: Path) -> None:
    data = tfq_data(tmp_path, 40)
    plan = plan_for(data)
    data.write_text(data.read_text()[:2000] + "\n{broken\n")
    with ScriptedServer() as server, pytest.raises(Exception, match=r"tfq\.jsonl, line \d+"):
        run_engine(plan, server.url, tmp_path / "runs")
    (folder,) = folders.list_runs(tmp_path / "runs")
    assert folders.read_info(folder).status == "incomplete"


def test_a_fault_of_ours_ends_the_run_and_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def breaks(*arguments: object) -> Response:
        raise KeyError("a bug in the engine")

    monkeypatch.setattr(run, "answer", breaks)
    with ScriptedServer() as server, pytest.raises(KeyError, match="a bug in the engine"):
        run_engine(plan_for(tfq_data(tmp_path, 20)), server.url, tmp_path / "runs")


def test_a_run_that_another_process_writes_is_refused(tmp_path: Path) -> None:
    plan = plan_for(tfq_data(tmp_path, 2))
    with ScriptedServer() as server:
        done = run_engine(plan, server.url, tmp_path / "runs")
        with folders.locked(done.folder), pytest.raises(UsageError, match="another process"):
            run_engine(plan, server.url, tmp_path / "runs", folder=done.folder)
        assert len(server.requests) == 2
