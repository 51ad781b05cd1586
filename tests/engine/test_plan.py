"""What a run asks, what makes two runs the same run, and where two plans differ, in words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beholder.benchmarks import benchmark
from beholder.benchmarks.tfq.prompt import TEMPLATE
from beholder.engine import lifecycle, scoring
from beholder.engine import plan as planning
from beholder.engine.plan import Plan, differences, digest, remake_plan
from beholder.engine.selection import Condition, Selection, parse_condition
from beholder.errors import DataError, UsageError
from beholder.models.endpoint import Endpoint
from beholder.models.fakes import constant
from beholder.models.openai import OpenAIModel
from beholder.sample import Sampling
from beholder.store import folder as folders
from made_metaphors import m3r_data
from made_runs import plan_for, run_engine, tfq_data, vl_data, write_lines


def model(name: str = "openai/m", **endpoint: Any) -> OpenAIModel:
    return OpenAIModel(name, Endpoint(**{"base_url": "http://h/v1", **endpoint}))


CHANGES: list[tuple[str, dict[str, Any], dict[str, Any], list[str]]] = [
    ("nothing", {}, {}, []),
    ("the prompt", {"template": TEMPLATE + " Please."}, {}, ["prompt_sha256"]),
    ("heat", {"sampling": Sampling(0.1, max_tokens=64)}, {}, ["sampling.temperature: 0.0 in the run, 0.1 now"]),
    ("no token limit", {"sampling": Sampling(temperature=0.0)}, {}, ["sampling.max_tokens: 64 in the run, absent now"]),
    ("votes", {"votes": 3}, {}, ["votes: 1 in the run, 3 now"]),
    ("epochs", {"epochs": 2}, {}, ["epochs: 1 in the run, 2 now"]),
    ("seed", {"seed": 8}, {}, ["seed: 7 in the run, 8 now"]),
    ("order", {"order": "balanced"}, {}, ["order: random in the run, balanced now"]),
    ("fewer items", {"selection": Selection(limit=3)}, {}, ["n_samples: 4 in the run, 3 now", "selection.limit"]),
    ("another model", {}, {"name": "openai/n"}, ["model.model: m in the run, n now"]),
    ("another server", {}, {"base_url": "http://i/v1"}, ["model.base_url: http://h/v1 in the run, http://i/v1 now"]),
    ("an extra body", {}, {"extra_body": {"top_k": 1}}, ["model.extra_body.top_k: absent in the run, 1 now", "hash"]),
    ("a secret", {}, {"extra_body": {"api_key": "x"}}, ["extra_body.api_key: absent in the run, *** now", "hash"]),
    ("a header", {}, {"headers": {"X-Team": "red"}}, ["model.headers", "header_hash"]),
    ("more connections, another proxy", {}, {"max_connections": 3, "proxy": "http://p:1", "total": 3.0}, []),
]


@pytest.mark.parametrize(("plan", "reach", "named"), [row[1:] for row in CHANGES], ids=[row[0] for row in CHANGES])
def test_a_plan_that_differs_is_refused_and_each_difference_named(
    plan: dict[str, Any], reach: dict[str, Any], named: list[str], tmp_path: Path
) -> None:
    data = tfq_data(tmp_path, 4)
    folder = lifecycle.begin(plan_for(data), model(), {}, tmp_path / "runs")
    info = folders.read_info(folder)
    if not named:
        lifecycle.check_same_plan(info, plan_for(data, **plan), model(**reach))
        return
    with pytest.raises(UsageError, match="another plan") as caught:
        lifecycle.check_same_plan(info, plan_for(data, **plan), model(**reach))
    words = str(caught.value)
    for piece in named:
        assert piece in words
    assert words.count(" in the run, ") == len(named)
    assert "\n" not in words


def test_changed_data_is_refused(tmp_path: Path) -> None:
    data = tfq_data(tmp_path, 4)
    plan = plan_for(data)
    info = folders.read_info(lifecycle.begin(plan, model(), {}, tmp_path / "runs"))
    data.write_text(data.read_text().replace('"T"', '"F"', 1))
    with pytest.raises(UsageError, match="data_sha256") as caught:
        lifecycle.check_same_plan(info, plan, model())
    assert str(caught.value).count(" in the run, ") == 1
    data.unlink()
    with pytest.raises(UsageError, match=r"tfq\.jsonl"):
        lifecycle.check_same_plan(info, plan, model())


def test_a_selection_is_not_named_when_something_else_differs(tmp_path: Path) -> None:
    """What comes back from JSON has lists where the plan has tuples; that is no difference."""
    selection = Selection(where=(parse_condition("category!=x"),), ids=(), limit=3)
    data = tfq_data(tmp_path, 4)
    plan = plan_for(data, selection=selection)
    info = folders.read_info(lifecycle.begin(plan, model(), {}, tmp_path / "runs"))
    other = msgspec.structs.replace(plan, votes=2)
    with pytest.raises(UsageError, match="votes: 1 in the run, 2 now") as caught:
        lifecycle.check_same_plan(info, other, model())
    assert "selection" not in str(caught.value)


def test_identity_is_free_of_versions_and_scorer_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tfq_data(tmp_path, 4)
    before = plan_for(data).identity(model().identity())
    monkeypatch.setattr("beholder.__version__", "99.0")
    monkeypatch.setattr(scoring, "scorer_code", lambda found: {"strict": "other code"})
    assert plan_for(data).identity(model().identity()) == before
    words = json.dumps(before)
    assert "version" not in words
    assert str(tmp_path) not in words  # the data may move


def test_the_data_may_move(tmp_path: Path) -> None:
    first = plan_for(tfq_data(tmp_path / "here", 4))
    second = plan_for(tfq_data(tmp_path / "there", 4))
    assert digest(first.identity({})) == digest(second.identity({}))
    assert remake_plan(second) == second


def test_a_run_can_be_gone_on_with_only_under_its_own_plan(tmp_path: Path) -> None:
    """A whole fake run: same plan, nothing to do; the journal is left as it is."""
    plan = plan_for(tfq_data(tmp_path, 5))
    speaks = lambda: constant("<answer>T</answer>")  # noqa: E731
    done = run_engine(plan, "", tmp_path / "runs", make_model=speaks)
    rows = (done.folder / "run.db").read_bytes()
    again = run_engine(plan, "", tmp_path / "runs", make_model=speaks, folder=done.folder)
    assert again.watch.done == 0
    assert again.result.items == done.result.items
    assert len((done.folder / "run.db").read_bytes()) == len(rows)


def categories_file(folder: Path, **names: str) -> Path:
    file = folder / "categories.json"
    file.write_text(json.dumps(names))
    return file


def test_a_changed_categories_file_is_refused(tmp_path: Path) -> None:
    """Else the same --where would choose other items half-way through a run."""
    data = tfq_data(tmp_path, 4)
    file = categories_file(tmp_path, **{"0": "a", "1": "b"})
    plan = plan_for(data, categories=file, selection=Selection(where=(parse_condition("category=a"),)))
    info = folders.read_info(lifecycle.begin(plan, model(), {}, tmp_path / "runs"))
    lifecycle.check_same_plan(info, lifecycle.plan_of(info), model())
    categories_file(tmp_path, **{"0": "b", "1": "a"})
    with pytest.raises(UsageError, match=r"another plan: categories_sha256: \w+… in the run, \w+… now") as caught:
        lifecycle.check_same_plan(info, lifecycle.plan_of(info), model())
    assert str(caught.value).count(" in the run, ") == 1
    file.unlink()
    with pytest.raises(UsageError, match=r"--categories .*categories\.json cannot be read") as caught:
        lifecycle.check_same_plan(info, lifecycle.plan_of(info), model())
    assert "\n" not in str(caught.value)


def test_a_categories_file_that_is_not_there(tmp_path: Path) -> None:
    for name, data in (("tfq", tfq_data(tmp_path, 2)), ("vl-rewardbench", vl_data(tmp_path, 2))):
        with pytest.raises(UsageError, match=r"--categories .*gone\.json cannot be read \(No such file"):
            plan_for(data, name, categories=tmp_path / "gone.json")


def test_the_categories_are_in_the_identity_only_where_given(tmp_path: Path) -> None:
    data = tfq_data(tmp_path, 2)
    assert "categories_sha256" not in plan_for(data).identity({})
    given = plan_for(data, categories=categories_file(tmp_path, **{"0": "a"})).identity({})
    assert len(given["categories_sha256"]) == 64


def test_a_plan_from_before_sizes_and_categories_were_kept_can_be_continued(tmp_path: Path) -> None:
    data = tfq_data(tmp_path, 4, Image_URL=list("aabb"))
    plan = plan_for(data, categories=categories_file(tmp_path, **{"0": "a"}))
    old = msgspec.to_builtins(plan)
    del old["group_sizes"], old["categories_sha256"]
    read = msgspec.convert(old, Plan)
    assert (read.group_sizes, read.categories_sha256) == (None, None)
    assert remake_plan(read) == read


GROUPED = [  # images of the rows, selection → sizes
    ("everything", "aaabbc", Selection(), {"a": 3, "b": 2}),
    ("the first only", "aaabbc", Selection(limit=1), {"a": 3, "b": 2}),
    ("rows apart", "abab", Selection(limit=2), {"a": 2, "b": 2}),
    ("a group outside the selection", "aabb", Selection(ids=("0",)), {"a": 2, "b": 2}),
    ("no image named", ["", "", "a"], Selection(limit=1), {"": 2}),
    ("half a surrogate pair", ["\ud83d", "\ud83d"], Selection(limit=1), {"\\ud83d": 2}),
]


@pytest.mark.parametrize(("urls", "selection", "sizes"), [g[1:] for g in GROUPED], ids=[g[0] for g in GROUPED])
def test_groups_are_as_large_as_in_the_whole_data(
    urls: list[str], selection: Selection, sizes: dict[str, int], tmp_path: Path
) -> None:
    number = len(urls)
    data = tfq_data(tmp_path, number, Image_URL=list(urls), id=[str(n) for n in range(number)])
    plan = plan_for(data, selection=selection)
    assert plan.group_sizes == sizes
    assert plan.n_samples == len(list(plan.samples()))
    assert msgspec.json.decode(msgspec.json.encode(plan), type=Plan) == plan
    assert "group" not in json.dumps(plan.identity({}))


def test_a_benchmark_without_groups_reads_no_further_than_the_limit(tmp_path: Path) -> None:
    data = vl_data(tmp_path, 3)
    data.write_text(data.read_text() + "{broken\n")
    plan = plan_for(data, "vl-rewardbench", selection=Selection(limit=2))
    assert (plan.n_samples, plan.group_sizes) == (2, None)


@pytest.mark.parametrize("url", ["a", "\ud83d"], ids=["plain", "half a surrogate pair"])
def test_a_run_of_one_statement_decides_no_image(url: str, tmp_path: Path) -> None:
    """`--limit 1`: the right answer to one of an image's three statements is no right image."""
    data = tfq_data(tmp_path, 3, Image_URL=[url] * 3)
    figures = {}
    for limit in (1, 3):
        plan = plan_for(data, selection=Selection(limit=limit))
        done = run_engine(plan, "", tmp_path / f"runs{limit}", make_model=lambda: constant("<answer>F</answer>"))
        figures[limit] = done.result.metrics["recipe"]
    first = figures[1]["group_accuracy"]
    assert (first.value, first.n, first.failed) == (None, 0, 1)
    plan = plan_for(data, selection=Selection(limit=1))
    done = run_engine(plan, "", tmp_path / "right", make_model=lambda: constant("<answer>T</answer>"))
    right = done.result.metrics["recipe"]["group_accuracy"]
    assert (right.value, right.n, right.failed) == (None, 0, 1)
    assert "1 of 1 groups are incomplete" in right.note
    assert "incomplete" not in figures[3]["group_accuracy"].note


def test_votes_that_a_run_has_not_got_yet_count_in_k(tmp_path: Path) -> None:
    plan = plan_for(vl_data(tmp_path, 2), "vl-rewardbench", votes=1)
    done = run_engine(plan, "", tmp_path / "runs", make_model=lambda: constant("Overall Judgment: Answer 1 is better."))
    assert done.result.metrics["recipe"]["overall_all"].n == 2
    begun = msgspec.structs.replace(plan, votes=5)
    metrics = lifecycle.read_result(
        done.folder, folders.read_info(done.folder), begun, benchmark("vl-rewardbench")
    ).metrics
    assert (metrics["recipe"]["overall_all"].n, metrics["recipe"]["overall_all"].failed) == (0, 2)
    assert (metrics["official"]["overall_all"].n, metrics["official"]["overall_all"].failed) == (2, 0)


NESTED = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=200, deadline=None)
@given(NESTED, NESTED)
def test_two_identities_differ_exactly_when_a_difference_is_named(one: Any, other: Any) -> None:
    assert differences(one, one) == []
    stored, asked = {"a": one}, {"a": other}
    by_digest = digest(stored) != digest(asked)
    assert bool(differences(stored, asked)) == (by_digest and not same_but_absent(one, other))


def same_but_absent(one: Any, other: Any) -> bool:
    """A key that is null on one side and missing on the other is told as no difference: both read `absent`."""
    if isinstance(one, dict) and isinstance(other, dict):
        return all(same_but_absent(one.get(key), other.get(key)) for key in {*one, *other})
    return one == other and type(one) is type(other)


def test_long_values_are_shortened() -> None:
    (words,) = differences({"a": "x" * 500}, {"a": "y" * 500})
    assert len(words) < 120


def test_asks_are_epochs_times_votes_less_what_is_there(tmp_path: Path) -> None:
    plan = plan_for(vl_data(tmp_path, 2), "vl-rewardbench", votes=3, epochs=2, sampling=Sampling(seed=5))
    samples = list(plan.samples())
    asks = plan.asks(samples[0], set())
    assert [(ask.epoch, ask.vote) for ask in asks] == [(epoch, vote) for epoch in range(2) for vote in range(3)]
    there = {(samples[0].key, 0, 1), (samples[0].key, 1, 2), (samples[1].key, 0, 0)}
    left = plan.asks(samples[0], there)
    assert [(ask.epoch, ask.vote) for ask in left] == [(0, 0), (0, 2), (1, 0), (1, 1)]
    assert {(ask.epoch, ask.vote): ask.order for ask in left}.items() <= {
        (ask.epoch, ask.vote): ask.order for ask in asks
    }.items()
    assert plan.n_asks == 12


def test_more_votes_keep_the_orders_of_the_first(tmp_path: Path) -> None:
    data = vl_data(tmp_path, 3)
    few, many = (plan_for(data, "vl-rewardbench", votes=votes) for votes in (2, 6))
    for sample in few.samples():
        assert [ask.order for ask in few.asks(sample, set())] == [ask.order for ask in many.asks(sample, set())][:2]


def test_the_benchmarks_own_votes_hold_unless_others_are_asked_for(tmp_path: Path) -> None:
    assert plan_for(vl_data(tmp_path, 1), "vl-rewardbench").votes == 5
    assert plan_for(vl_data(tmp_path, 1), "vl-rewardbench", votes=2).votes == 2


BAD: list[tuple[str, dict[str, Any], dict[str, Any], str]] = [
    ("T20 empty gold", {"answer": ""}, {}, "line 3"),
    ("T20 no gold", {"answer": None}, {}, "line 3"),
    ("gold outside the options", {"answer": "maybe"}, {}, "line 3"),
    ("T87 a picture too few", {"problem": "<image 2> is so"}, {}, "line 3"),
    ("a template without its place", {}, {"template": "Is it so?"}, "statement"),
    ("nothing left", {}, {"selection": Selection(where=(Condition("category", "none"),))}, "Widen"),
]


@pytest.mark.parametrize(("record", "changes", "words"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_what_is_wrong_shows_before_anything_is_asked(
    record: dict[str, Any], changes: dict[str, Any], words: str, tmp_path: Path
) -> None:
    data = tfq_data(tmp_path, 4)
    records = [json.loads(line) for line in data.read_text().splitlines()]
    write_lines(data, [*records[:2], {**records[2], **record}, records[3]])
    with pytest.raises((UsageError, DataError), match=words) as caught:
        plan_for(data, **changes)
    assert "\n" not in str(caught.value)


def test_a_resume_counts_the_same_items(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_for(tfq_data(tmp_path, 4))
    monkeypatch.setattr(planning, "file_digest", lambda path: plan.data_sha256)
    assert remake_plan(plan) == plan


def test_a_task_is_in_the_identity_only_where_there_is_one(tmp_path: Path) -> None:
    data = m3r_data(tmp_path, 2)
    usual, alone = plan_for(data, "m3r"), plan_for(data, "m3r", task="target")
    assert "task" not in usual.identity({})
    assert alone.identity({})["task"] == "target"
    assert alone.template == benchmark("m3r").tasks["target"] != usual.template
    assert [one.metadata["task"] for one in alone.samples()] == ["target"] * 2
    assert [one.key for one in alone.samples()] == [one.key for one in usual.samples()], "runs pair item by item"


@pytest.mark.parametrize(
    ("name", "task", "words"),
    [("m3r", "colour", "no task 'colour'. Choose metaphor"), ("tfq", "target", "one task only")],
)
def test_a_task_that_is_not_there(tmp_path: Path, name: str, task: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        benchmark(name).template_of(task)
    forged = msgspec.structs.replace(plan_for(tfq_data(tmp_path, 1)), benchmark=name, task=task)
    with pytest.raises(UsageError, match=words):
        forged.all_samples()
