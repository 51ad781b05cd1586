"""Whole runs against a real server: what is asked, how much at once, what is kept, and what never changes a result."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import zlib
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

import made_runs
from beholder.benchmarks import benchmark
from beholder.benchmarks.benchmark import MetricOptions
from beholder.engine import lifecycle
from beholder.engine.feed import Gate
from beholder.engine.selection import Selection, parse_condition
from beholder.errors import UsageError
from beholder.models.endpoint import Endpoint
from beholder.models.fakes import Fake, constant
from beholder.models.model import Prepared
from beholder.models.openai import OpenAIModel
from beholder.sample import Response, Sampling
from beholder.store import folder as folders
from beholder.store import reading, schema
from made_runs import EngineRun, answer_by_prompt, number_of, plan_for, run_engine, slowly, stored, tfq_data, vl_data
from scripted_server import Reply, Request, ScriptedServer, completion


def test_a_run_holds_all_that_was_asked_and_said(tmp_path: Path) -> None:
    plan = plan_for(tfq_data(tmp_path, 8, images=2))
    with ScriptedServer(answer_by_prompt) as server:
        done = run_engine(plan, server.url, tmp_path / "runs")
        assert sorted(map(number_of, server.requests)) == list(range(8))
        said = {number_of(request): json.loads(answer_by_prompt(request).body) for request in server.requests}
    kept = stored(done.folder)
    assert [one.response.text for one in kept] == [said[n]["choices"][0]["message"]["content"] for n in range(8)]
    assert all(one.response.served_model == "served-model" for one in kept)
    assert all(one.response.fingerprint == "fp_1" for one in kept)
    assert done.result.complete
    assert (done.watch.done, done.watch.failed, done.watch.in_flight, done.watch.retries) == (8, 0, 0, 0)
    assert (done.result.tally.prompt_tokens, done.result.tally.completion_tokens) == (80, 24)
    assert len(list((done.folder / "blobs").glob("??/*"))) == 2
    assert made_runs.untidy_files(done.folder) == []
    assert folders.read_info(done.folder).status == "complete"
    with closing(schema.open_to_read(done.folder / "run.db")) as db:
        record = reading.request_record(db, kept[3].response.request_hash)
        assert record is not None
        assert "Statement 3:" in json.loads(record)["messages"][0]["content"][1]["text"]
        bodies = [zlib.decompress(raw) for (raw,) in db.execute("SELECT raw FROM responses ORDER BY key")]
    assert all(json.loads(body)["object"] == "chat.completion" for body in bodies)


def test_the_rows_of_a_run_are_what_the_scorers_say_of_its_answers(tmp_path: Path) -> None:
    found = benchmark("tfq")
    plan = plan_for(tfq_data(tmp_path, 30, images=3))
    with ScriptedServer(answer_by_prompt) as server:
        done = run_engine(plan, server.url, tmp_path / "runs", concurrency=8)
    samples = {sample.key: sample for sample in plan.samples()}
    assert [item.index for item in done.result.items] == list(range(30))
    for item, one in zip(done.result.items, stored(done.folder), strict=True):
        sample = samples[item.key]
        assert (item.key, item.index, item.group, item.cluster) == (one.key, sample.index, sample.group, sample.cluster)
        assert item.target == ("T" if sample.index % 2 == 0 else "F")
        for name, scorer in found.scorers.items():
            said, kept = scorer(sample, one.response), item.scores[name]
            assert (kept.value, kept.outcome, kept.extracted, kept.flags, kept.owner) == (
                said.value,
                said.outcome,
                said.extracted,
                said.flags,
                said.owner,
            )
    assert done.result.metrics == found.metrics(done.result.items, MetricOptions(seed=plan.seed))
    summary = json.loads((done.folder / "results.json").read_text())
    value = done.result.metrics["recipe"]["question_accuracy"].value
    assert summary["metrics"]["recipe"]["question_accuracy"]["value"] == value


@pytest.mark.parametrize("concurrency", [1, 3, 16])
def test_no_more_requests_are_open_than_allowed(concurrency: int, tmp_path: Path) -> None:
    plan = plan_for(tfq_data(tmp_path, 40))
    with ScriptedServer(slowly(answer_by_prompt, 0.005)) as server:
        run_engine(plan, server.url, tmp_path / "runs", concurrency=concurrency)
        assert len(server.requests) == 40
        assert server.busiest <= concurrency
        assert server.busiest >= min(concurrency, 2)


def test_no_more_of_a_local_model_runs_at_once_either(tmp_path: Path) -> None:
    plan = plan_for(tfq_data(tmp_path, 30))
    running: list[int] = []
    most = [0]

    class Slow(Fake):
        async def send(self, prepared: Prepared) -> Response:
            running.append(1)
            most[0] = max(most[0], len(running))
            await asyncio.sleep(0.005)
            running.pop()
            return await super().send(prepared)

    speaks = lambda: Slow("slow", {}, lambda ask: Response(text="<answer>T</answer>"))  # noqa: E731
    run_engine(plan, "", tmp_path / "runs", make_model=speaks, concurrency=5)
    assert most == [5]


def facts(done: EngineRun) -> tuple[object, ...]:
    answers = [(one.key, one.epoch, one.vote, one.response.order, one.response.text) for one in stored(done.folder)]
    return answers, done.result.items, done.result.metrics, done.result.details


@pytest.mark.parametrize("order", ["random", "balanced"])
def test_t32_concurrency_never_changes_a_result(order: str, tmp_path: Path) -> None:
    plan = plan_for(vl_data(tmp_path, 6), "vl-rewardbench", votes=3, epochs=2, order=order)
    delays = [0.0, 0.02, 0.005]

    def in_disorder(request: Request) -> Reply:
        return Reply(answer_by_prompt(request).body, first_byte=delays[request.number % 3])

    with ScriptedServer(in_disorder) as server:
        one = run_engine(plan, server.url, tmp_path / "runs", concurrency=1)
        many = run_engine(plan, server.url, tmp_path / "runs", concurrency=16)
        bodies = [Counter(request.raw for request in half) for half in (server.requests[:36], server.requests[36:])]
    assert facts(one) == facts(many)
    assert bodies[0] == bodies[1]
    orders = Counter(item.order for item in one.result.items)
    assert set(orders) == {(0, 1), (1, 0)}
    if order == "balanced":
        assert orders[0, 1] == orders[1, 0]


def test_another_seed_shows_the_answers_in_another_order(tmp_path: Path) -> None:
    data = vl_data(tmp_path, 6)
    drawn = []
    for seed in (1, 2):
        plan = plan_for(data, "vl-rewardbench", votes=4, seed=seed)
        drawn.append([ask.order for sample in plan.samples() for ask in plan.asks(sample, set())])
    assert drawn[0] != drawn[1]


def test_t36_votes_are_stored_apart_and_a_second_run_asks_nothing(tmp_path: Path) -> None:
    plan = plan_for(tfq_data(tmp_path, 3), votes=5, sampling=Sampling(temperature=0.7, seed=1))
    cache = tmp_path / "cache.db"

    def by_seed(request: Request) -> Reply:
        return Reply(completion(f"<answer>{'TF'[request.body['seed'] % 2]}</answer> {request.body['seed']}"))

    with ScriptedServer(by_seed) as server:
        first = run_engine(plan, server.url, tmp_path / "runs", cache=cache)
        assert len(server.requests) == 15
        answers = [(one.key, one.vote, one.response.text) for one in stored(first.folder)]
        assert len({text for _, _, text in answers}) == 15
        assert Counter(key for key, _, _ in answers) == dict.fromkeys({key for key, _, _ in answers}, 5)

        second = run_engine(plan, server.url, tmp_path / "runs", cache=cache)
        assert len(server.requests) == 15
        assert second.folder != first.folder
        assert [(one.key, one.vote, one.response.text) for one in stored(second.folder)] == answers
        assert second.result.items == first.result.items
        assert second.result.tally.cached == second.watch.cached == 15
        assert first.result.tally.prompt_tokens == first.watch.prompt_tokens == 150
        assert second.result.tally.prompt_tokens == second.watch.prompt_tokens == 0  # nothing was spent again

        run_engine(plan, server.url, tmp_path / "runs")
        assert len(server.requests) == 30


def test_t37_the_cache_answers_only_the_very_same_request(tmp_path: Path) -> None:
    data = tfq_data(tmp_path, 2)
    cache = tmp_path / "cache.db"
    with ScriptedServer() as server:

        def asked(url: str = server.url, **changes: object) -> int:
            before = len(server.requests)
            run_engine(plan_for(data, **changes), url, tmp_path / "runs", cache=cache)
            return len(server.requests) - before

        assert asked() == 2
        assert asked() == 0
        assert asked(sampling=Sampling(temperature=0.1, max_tokens=64)) == 2
        assert asked(votes=2) == 2  # the first votes are known
        assert asked(epochs=2) == 2
        assert asked(url=server.url.replace("127.0.0.1", "localhost")) == 2
        assert asked(template="<image> Is this so? {statement}") == 2
        (tmp_path / "images" / "0.jpg").write_bytes(made_runs.jpeg(99))
        assert asked() == 2
        assert asked() == 0


def test_failures_are_not_cached(tmp_path: Path) -> None:
    plan = plan_for(tfq_data(tmp_path, 2))
    cache = tmp_path / "cache.db"
    with ScriptedServer(lambda request: Reply(b"no", 400)) as server:
        run_engine(plan, server.url, tmp_path / "runs", cache=cache)
        server.script = lambda request: Reply()
        assert run_engine(plan, server.url, tmp_path / "runs", cache=cache).result.tally.answered == 2
        assert len(server.requests) == 4


def test_epochs_and_votes_make_one_row_each(tmp_path: Path) -> None:
    plan = plan_for(tfq_data(tmp_path, 3), votes=2, epochs=3, sampling=Sampling(seed=4))
    with ScriptedServer() as server:
        done = run_engine(plan, server.url, tmp_path / "runs")
        assert len({request.body["seed"] for request in server.requests}) == 18
    places = [(item.index, item.epoch, item.vote) for item in done.result.items]
    assert places == [(index, epoch, vote) for index in range(3) for epoch in range(3) for vote in range(2)]
    assert plan.n_asks == 18


def test_a_selection_is_asked_and_nothing_else(tmp_path: Path) -> None:
    selection = Selection(where=(parse_condition("category=odd"),), limit=3)
    data = tfq_data(tmp_path, 10, category=[("even", "odd")[index % 2] for index in range(10)])
    with ScriptedServer() as server:
        done = run_engine(plan_for(data, selection=selection), server.url, tmp_path / "runs")
        assert sorted(map(number_of, server.requests)) == [1, 3, 5]
    assert done.result.complete


def test_a_local_model_runs_through_the_same_engine(tmp_path: Path) -> None:
    plan = plan_for(tfq_data(tmp_path, 20))
    done = run_engine(
        plan, "", tmp_path / "runs", make_model=lambda: constant("<answer>T</answer>"), cache=tmp_path / "c"
    )
    assert done.result.metrics["recipe"]["question_accuracy"].value == 0.5
    assert done.result.complete
    assert done.result.tally.cached == 0


def test_what_goes_by_is_counted_for_the_progress_line(tmp_path: Path) -> None:
    plan = plan_for(tfq_data(tmp_path, 10))
    with ScriptedServer(lambda request: Reply(completion("<answer>T</answer>"))) as server:
        watch = run_engine(plan, server.url, tmp_path / "runs").watch
    assert (watch.n_scored, watch.sum_scored, watch.all_binary) == (10, 5.0, True)
    assert (watch.prompt_tokens, watch.completion_tokens) == (100, 30)
    assert watch.seconds_left == 0


KEY = "sk-never-to-be-seen-0123456789"


def test_no_secret_reaches_the_run_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    plan = plan_for(tfq_data(tmp_path, 6))

    def quotes(request: Request) -> Reply:
        words = f"bad {request.headers['authorization']} {request.headers['x-api-key']}"
        return Reply() if number_of(request) else Reply(json.dumps({"error": {"message": words}}).encode(), 400)

    endpoint = {
        "headers": {"X-Api-Key": "hush-header"},
        "extra_body": {"backend": {"api_key": "hush-body"}},
    }
    with ScriptedServer(quotes) as server:
        cache = tmp_path / "runs" / ".cache.db"
        url = server.url + "?api_key=hush-url"
        done = run_engine(plan, url, tmp_path / "runs", endpoint=endpoint, cache=cache)
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
        assert server.requests[0].body["backend"] == {"api_key": "hush-body"}
        assert server.requests[0].path.endswith("?api_key=hush-url")
    assert done.result.tally.failed == 1
    written = [file.read_bytes() for file in (tmp_path / "runs").rglob("*") if file.is_file()]
    for file in (done.folder / "run.db", cache):
        with closing(sqlite3.connect(file)) as db:
            for (table,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
                for row in db.execute(f"SELECT * FROM {table}"):
                    written += [zlib.decompress(cell) for cell in row if isinstance(cell, bytes)]
    everything = b"\n".join(written) + repr(done.result).encode() + repr(done.said).encode()
    assert b"bad Bearer *** ***" in everything
    assert KEY.encode() not in everything
    assert b"hush" not in everything


def test_a_plan_can_be_made_again_from_the_folder(tmp_path: Path) -> None:
    selection = Selection(limit=4, where=(parse_condition("category!=x"),))
    plan = plan_for(tfq_data(tmp_path, 6), selection=selection, sampling=Sampling(seed=1), epochs=2)
    model = OpenAIModel("openai/m", Endpoint(base_url="http://h/v1"))
    info = folders.read_info(lifecycle.begin(plan, model, {}, tmp_path / "runs"))
    assert lifecycle.plan_of(info) == plan
    lifecycle.check_same_plan(info, plan, model)


@pytest.mark.parametrize("settings", [{}, {"plan": {}}, {"plan": 5}, {"plan": {"benchmark": 5}}])
def test_a_folder_without_a_plan_is_refused(settings: dict[str, object]) -> None:
    info = folders.RunInfo(format=1, plan={}, plan_hash="", settings=settings, environment={}, created="")
    with pytest.raises(UsageError, match="holds no plan"):
        lifecycle.plan_of(info)


def test_the_gate_lets_one_heavy_item_through_but_not_two() -> None:
    gate = Gate(items=10, n_bytes=100)
    assert gate.enter(1000)
    assert not gate._has_room(1)
    gate.leave(1000)
    assert gate.enter(60)
    assert gate._has_room(40)
    assert not gate._has_room(41)
    gate.close()
    assert not gate.enter(41)
