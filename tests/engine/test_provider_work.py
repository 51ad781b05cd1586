"""Runs whose tools the provider ran itself: turns, pictures, resume, the cache, and what a hostile reply cannot do."""

from __future__ import annotations

import base64
import hashlib
import io
import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import PIL.Image
import pytest

from beholder.cli.tools_options import make_tools
from beholder.engine.plan import Plan
from beholder.errors import UsageError
from beholder.experiments.evidence import open_source
from beholder.models.endpoint import Endpoint
from beholder.models.responses import ResponsesModel
from beholder.store import reading, schema, turns
from beholder.store.folder import Blobs
from beholder.tools.settings import Arm, Budget, ToolSettings
from beholder.trajectory import NO_NEW_EVIDENCE, REPEATED, CallOutcome, Ended, Trajectory
from made_runs import EngineRun, beholder, jpeg, plan_for, run_engine, stored
from made_tir import mazes
from scripted_server import Reply, Request, Script, ScriptedServer

PROVIDER = ToolSettings(arm=Arm.PROVIDER)


def png(color: str, size: tuple[int, int] = (8, 6)) -> bytes:
    buffer = io.BytesIO()
    PIL.Image.new("RGB", size, color).save(buffer, "PNG")
    return buffer.getvalue()


def url(data: bytes) -> str:
    return "data:image/png;base64," + base64.b64encode(data).decode()


def code(source: str, *outputs: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "type": "code_interpreter_call",
        "id": "ci_1",
        "status": "completed",
        "code": source,
        "container_id": "cntr_1",
        "outputs": list(outputs),
        **more,
    }


def image(data: bytes) -> dict[str, Any]:
    return {"type": "image", "url": url(data)}


def thought(words: str) -> dict[str, Any]:
    return {"type": "reasoning", "summary": [{"type": "summary_text", "text": words}]}


def said(words: str, *cited: str) -> dict[str, Any]:
    notes = [
        {"type": "container_file_citation", "container_id": "cntr_1", "file_id": one, "filename": "plot.png"}
        for one in cited
    ]
    return {"type": "message", "content": [{"type": "output_text", "text": words, "annotations": notes}]}


USAGE = {"input_tokens": 100, "output_tokens": 20}


def body(*items: dict[str, Any], **more: Any) -> bytes:
    return json.dumps({"status": "completed", "model": "m-1", "output": items, "usage": USAGE, **more}).encode()


WORK = body(
    thought("I zoom in."),
    code("crop(1)", {"type": "logs", "logs": "cropped"}, image(png("red"))),
    thought("And again."),
    code("crop(2)"),
    said("B", "cfile_1"),
)


def works(request: Request) -> Reply:
    return Reply(png("blue")) if "containers" in request.path else Reply(WORK)


def run(script: Script, data: Path, runs: Path, **more: Any) -> tuple[EngineRun, list[Request]]:
    with ScriptedServer(script) as server:
        reach = Endpoint(base_url=server.url)
        plan = plan_for(data, "tir", tools=PROVIDER)
        done = run_engine(
            plan, server.url, runs, make_model=lambda: ResponsesModel("openai-responses/m", reach), **more
        )
    return done, server.requests


def trajectories(folder: Path) -> list[Trajectory]:
    with closing(schema.open_to_read(folder / "run.db")) as db:
        return [one for _, one in turns.trajectories(db)]


def test_what_the_provider_did_becomes_a_trajectory(tmp_path: Path) -> None:
    done, requests = run(works, mazes(tmp_path / "data", 2), tmp_path / "runs")
    assert done.result.complete
    assert done.result.metrics["lenient"]["all"].value == 1.0
    assert [request.path for request in requests].count("/v1/responses") == 2
    kept = trajectories(done.folder)
    assert [(one.ended, one.attempt, len(one.turns)) for one in kept] == [(Ended.ANSWERED, 0, 3)] * 2
    first, second, last = kept[0].turns
    assert (first.reasoning, second.reasoning, last.text, last.finish) == ("I zoom in.", "And again.", "B", "stop")
    (cropped,), (again,) = first.observations, second.observations
    assert (cropped.call.name, json.loads(cropped.call.arguments)) == ("python", {"code": "crop(1)"})
    assert (cropped.text, cropped.outcome, len(cropped.images)) == ("cropped", CallOutcome.EXECUTED, 1)
    blobs = Blobs(done.folder)
    for sha256, color in ((cropped.images[0], (255, 0, 0)), (again.images[0], (0, 0, 255))):
        data = blobs.read(sha256)
        assert data is not None
        assert hashlib.sha256(data).hexdigest() == sha256
        assert PIL.Image.open(io.BytesIO(data)).convert("RGB").getpixel((0, 0)) == color
    (one, _) = stored(done.folder)
    assert one.response.conduct is not None
    assert (one.response.conduct.turns, one.response.conduct.calls) == (3, 2)
    with closing(schema.open_to_read(done.folder / "run.db")) as db:
        counted = reading.tally(db, 5)
    assert (counted.prompt_tokens, counted.completion_tokens) == (200, 40)


def test_the_body_is_kept_with_the_last_turn(tmp_path: Path) -> None:
    done, _ = run(works, mazes(tmp_path / "data", 1), tmp_path / "runs")
    with closing(schema.open_to_read(done.folder / "run.db")) as db:
        rows = db.execute("SELECT turn, raw IS NOT NULL FROM turns ORDER BY turn").fetchall()
    assert rows == [(0, 0), (1, 0), (2, 1)]


def test_a_repeat_costs_nothing_and_has_the_same_trajectory(tmp_path: Path) -> None:
    data, cache = mazes(tmp_path / "data", 2), tmp_path / "cache.db"
    endless: list[Request] = []
    with ScriptedServer(works) as server:
        reach = Endpoint(base_url=server.url)
        plan = plan_for(data, "tir", tools=PROVIDER)
        both = [
            run_engine(
                plan,
                server.url,
                tmp_path / name,
                make_model=lambda: ResponsesModel("openai-responses/m", reach),
                cache=cache,
            )
            for name in ("a", "b")
        ]
        endless += server.requests
    assert len(endless) == 4  # two answers, and the file that each cites
    first, second = (trajectories(one.folder) for one in both)
    assert [one.observations for one in first] == [one.observations for one in second]
    assert all(turn.cached for one in second for turn in one.turns)
    assert all(Blobs(both[1].folder).read(sha) for one in second for seen in one.observations for sha in seen.images)
    with closing(schema.open_to_read(both[1].folder / "run.db")) as db:
        assert reading.tally(db, 5).completion_tokens == 0


def test_a_resumed_run_asks_only_for_what_is_missing(tmp_path: Path) -> None:
    data = mazes(tmp_path / "data", 3)
    down = [True]

    def script(request: Request) -> Reply:
        missing = down[0] and "Item 1" in request.raw.decode()
        return Reply(b"", status=503) if missing else works(request)

    with ScriptedServer(script) as server:
        reach = Endpoint(base_url=server.url)
        plan = plan_for(data, "tir", tools=PROVIDER)

        def go_on(folder: Path | None) -> EngineRun:
            make: Callable[[], ResponsesModel] = lambda: ResponsesModel("openai-responses/m", reach)  # noqa: E731
            return run_engine(plan, server.url, tmp_path / "runs", make_model=make, folder=folder)

        done = go_on(None)
        failed = [one.response.conduct for one in stored(done.folder) if one.response.failure is not None]
        assert [one.ended for one in failed if one is not None] == ["failed"]
        down[0] = False
        asked = len(server.requests)
        again = go_on(done.folder)
        assert [request.path for request in server.requests[asked:]].count("/v1/responses") == 1
    assert again.result.complete
    assert [one.ended for one in trajectories(done.folder)] == [Ended.ANSWERED] * 3


HUGE = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + (60_000).to_bytes(4) * 2 + b"\x08\x02\x00\x00\x00" + bytes(4)
HOSTILE: list[tuple[str, list[dict[str, Any]], int, str]] = [
    ("no picture", [image(b"<svg/>")], 0, "[A picture is not kept: "),
    ("a bomb", [image(HUGE)], 0, "[A picture is not kept: "),
    ("cut short", [image(png("red")[:60])], 0, "[A picture is not kept: "),
    ("elsewhere", [{"type": "image", "url": "http://127.0.0.1:1/x.png"}], 0, "[A picture is not fetched: "),
    ("one of two", [image(b"x"), image(png("red"))], 1, "[A picture is not kept: "),
    ("a JPEG", [image(jpeg(3))], 1, ""),
]


@pytest.mark.parametrize(("outputs", "kept", "told"), [row[1:] for row in HOSTILE], ids=[row[0] for row in HOSTILE])
def test_pictures_are_hostile(outputs: list[dict[str, Any]], kept: int, told: str, tmp_path: Path) -> None:
    answer = body(code("plot()", *outputs), said("B"))
    done, requests = run(lambda request: Reply(answer), mazes(tmp_path / "data", 1), tmp_path / "runs")
    (seen,) = trajectories(done.folder)[0].observations
    assert len(requests) == 1
    assert (len(seen.images), seen.text.startswith(told) and bool(seen.text) is bool(told)) == (kept, True)
    assert stored(done.folder)[0].response.text == "B"


def test_what_brings_nothing_new_is_flagged(tmp_path: Path) -> None:
    answer = body(code("f()", image(png("red"))), thought("x"), code("f()", image(png("red", (8, 6)) + b"")), said("B"))
    own = body(code("g()", image(png("red"))), thought("x"), code("f()", image(png("red") + b"\0")), said("B"))
    done, _ = run(lambda request: Reply(answer), mazes(tmp_path / "data", 1), tmp_path / "runs")
    assert [one.flags for one in trajectories(done.folder)[0].observations] == [(), (REPEATED,)]
    done, _ = run(lambda request: Reply(own), mazes(tmp_path / "more", 1), tmp_path / "runs")
    assert [one.flags for one in trajectories(done.folder)[0].observations] == [(), (NO_NEW_EVIDENCE,)]


CUT = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
ENDINGS: list[tuple[str, bytes, Ended, str | None]] = [
    ("no code", body(said("B")), Ended.ANSWERED, "B"),
    ("cut in its work", body(thought("x"), code("f()"), **CUT), Ended.TOKENS, None),
    ("cut in its answer", body(code("f()"), said("The"), **CUT), Ended.ANSWERED, "The"),
    ("a refusal", body({"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}), Ended.ANSWERED, "No."),
]


@pytest.mark.parametrize(("answer", "ended", "text"), [row[1:] for row in ENDINGS], ids=[row[0] for row in ENDINGS])
def test_how_it_ends(answer: bytes, ended: Ended, text: str | None, tmp_path: Path) -> None:
    done, _ = run(lambda request: Reply(answer), mazes(tmp_path / "data", 1), tmp_path / "runs")
    assert [one.ended for one in trajectories(done.folder)] == [ended]
    assert stored(done.folder)[0].response.text == text


def test_a_model_without_such_tools_is_refused(tmp_path: Path) -> None:
    plan: Plan = plan_for(mazes(tmp_path / "data", 1), "tir", tools=PROVIDER)
    with ScriptedServer() as server, pytest.raises(UsageError, match="no tools of its provider"):
        run_engine(plan, server.url, tmp_path / "runs")
    assert server.requests == []


NOT_ITS_OWN: list[dict[str, Any]] = [{"protocol": "text"}, {"probe": True}, {"placebo": True}, {"ocr": True}]


@pytest.mark.parametrize("given", NOT_ITS_OWN, ids=[next(iter(one)) for one in NOT_ITS_OWN])
def test_options_about_our_tools_do_not_go_with_it(given: dict[str, Any]) -> None:
    usual: dict[str, Any] = {"protocol": "native", "turns": 20, "tokens": None, "seconds": 60.0, "repeats": 5}
    usual |= {"pictures": None, "ocr": False, "probe": False, "placebo": False, "sandbox": "bwrap"}
    assert make_tools("provider", **usual) == ToolSettings(arm=Arm.PROVIDER, budget=Budget(seconds=60.0))
    with pytest.raises(UsageError, match=next(iter(given))):
        make_tools("provider", **usual | given)


def test_what_the_provider_brought_is_not_ours_to_withhold(tmp_path: Path) -> None:
    done, _ = run(works, mazes(tmp_path / "data", 1), tmp_path / "runs")
    with pytest.raises(UsageError, match="the provider's own tools"):
        open_source(done.folder)


@pytest.mark.slow
def test_the_command_shows_such_a_run(tmp_path: Path) -> None:
    data = mazes(tmp_path / "data", 2)
    runs = ("--runs-dir", tmp_path / "runs")
    common = ("run", "tir", "--data", data, "--tools", "provider", *runs)
    with ScriptedServer(works) as server:
        reach = ("--base-url", server.url)
        process = beholder(*common, "--model", "openai-responses/m", *reach)
        _, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        refused = beholder(*common, "--model", "openai/m", *reach)
        assert "no tools of its provider" in refused.communicate(timeout=60)[1]
        assert refused.returncode == 2
    (folder,) = (tmp_path / "runs").glob("2*")
    shown = beholder("show", folder, *runs).communicate(timeout=60)[0]
    assert "provider: its own code interpreter" in shown
    page = tmp_path / "page"
    report = beholder("report", folder, "--out", page, *runs)
    assert report.communicate(timeout=60)[1] is not None
    assert report.returncode == 0
