"""Whether figures are comparable with published ones: what differs is named, in one sentence under the table."""

from __future__ import annotations

import io
from typing import Any

import msgspec
import pytest
from rich.console import Console

from beholder.benchmarks.tir.published import beside
from beholder.benchmarks.tir.tasks import TASKS
from beholder.engine.plan import Plan
from beholder.engine.replay import Condition, Replay
from beholder.report.comparable import differences, verdict
from beholder.report.published_report import print_published
from beholder.sample import Sampling
from beholder.score import Metric
from beholder.tools.settings import Arm, ToolSettings

WHOLE = [name for name, task in TASKS.items() for _ in range(task.n)]
GPT = {"openai/gpt-4o": 1155}
PLAN = Plan(
    benchmark="tir",
    data="d",
    data_sha256="0",
    template="{question}",
    sampling=Sampling(temperature=0.0, max_tokens=2048),
    votes=1,
    epochs=1,
    order="random",
    seed=0,
    n_samples=1215,
)

REPLAY = Replay(
    run="r",
    plan_hash="",
    tools=ToolSettings(arm=Arm.VISUAL),
    turns_sha256="",
    condition=Condition.FULL,
    n_asks=1,
)


def with_sampling(**changes: Any) -> dict[str, Any]:
    return {"sampling": msgspec.structs.replace(PLAN.sampling, **changes)}


# what of the plan, who read, the scorer → the differences
CASES: list[tuple[str, dict[str, Any] | None, dict[str, int], str, list[str]]] = [
    ("nothing", {}, GPT, "official", []),
    ("a dated GPT-4o", {}, {"openai/azure/GPT-4o-2024-08-06": 1}, "official", []),
    ("several epochs", {"epochs": 3}, GPT, "official", []),
    (
        "a smaller one",
        {},
        {"openai/gpt-4o-mini": 1},
        "official",
        ["the answers were read by openai/gpt-4o-mini, not by GPT-4o"],
    ),
    (
        "another prompt",
        {"template": "Think. {question}"},
        GPT,
        "official",
        ["the prompt is not the item's question alone"],
    ),
    ("half a surrogate pair", {"template": "\ud800"}, GPT, "official", ["the prompt is not the item's question alone"]),
    (
        "tools",
        {"tools": ToolSettings(arm=Arm.VISUAL)},
        GPT,
        "official",
        ["the model had our tools (visual), which no published row had"],
    ),
    ("a replay", {"replay": REPLAY}, GPT, "official", ["the conversations of another run were replayed"]),
    ("temperature", with_sampling(temperature=0.7), GPT, "official", ["the temperature is 0.7, not 0"]),
    (
        "no temperature",
        with_sampling(temperature=None),
        GPT,
        "official",
        ["the temperature is the server's own, not 0"],
    ),
    ("tokens", with_sampling(max_tokens=4096), GPT, "official", ["answers had at most 4,096 tokens, not 2,048"]),
    (
        "no limit",
        with_sampling(max_tokens=None),
        GPT,
        "official",
        ["answers had the server's own limit of tokens, not 2,048"],
    ),
    ("votes", {"votes": 5}, GPT, "official", ["each item was asked 5 times"]),
    ("another scorer", {}, GPT, "strict", ["the scorer is strict, not official"]),
    (
        "a file",
        None,
        {},
        "official",
        ["how the model was asked is not known from the file", "who read the answers is not known from the file"],
    ),
    (
        "all at once",
        {"template": "x", **with_sampling(temperature=1.0, max_tokens=64)},
        {"constant/B": 9},
        "official",
        [
            "the prompt is not the item's question alone",
            "the temperature is 1, not 0",
            "answers had at most 64 tokens, not 2,048",
            "the answers were read by constant/B, not by GPT-4o",
        ],
    ),
]


@pytest.mark.parametrize(
    ("changes", "judges", "scorer", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_what_differs_from_the_authors_protocol(
    changes: dict[str, Any] | None, judges: dict[str, int], scorer: str, expected: list[str]
) -> None:
    plan = None if changes is None else msgspec.structs.replace(PLAN, **changes)
    found = differences(plan, judges, beside(WHOLE), {}, scorer)
    assert found == expected
    assert verdict(found).startswith("Not comparable: " if expected else "Comparable with the published figures")


def test_denominators() -> None:
    cut = beside(WHOLE[1:])
    assert differences(PLAN, GPT, cut, {}, "official") == ["other numbers of items in color"]
    figures = {"task/maze": Metric(value=0.5, n=119, failed=1), "task/color": Metric(value=0.5, n=90, failed=9)}
    assert differences(PLAN, GPT, cut, figures, "official")[1:] == ["1 failed response is left out"]
    assert differences(PLAN, GPT, beside(WHOLE), figures, "official") == ["10 failed responses are left out"]


def test_who_reads_does_not_matter_where_nothing_is_extracted() -> None:
    ocr = beside(["ocr"] * TASKS["ocr"].n)
    assert differences(PLAN, {}, ocr, {}, "official") == []
    assert differences(None, {}, ocr, {}, "official") == ["how the model was asked is not known from the file"]


@pytest.mark.parametrize(
    ("plan", "judges", "words"),
    [
        (
            PLAN,
            GPT,
            "Comparable with the published figures, as far as the extractor was asked as the authors ask theirs.",
        ),
        (PLAN, {"openai/x": 3}, "Not comparable: the answers were read by openai/x, not by GPT-4o."),
        (None, {}, "Not comparable: how the model was asked is not known from the file; who read the answers is not"),
    ],
)
def test_it_stands_under_the_table(plan: Plan | None, judges: dict[str, int], words: str) -> None:
    sink = io.StringIO()
    console = Console(file=sink, width=100, markup=False, highlight=False)
    figures = {f"task/{name}": Metric(value=0.5, n=task.n) for name, task in TASKS.items()}
    print_published(console, beside(WHOLE), figures, "official", plan, judges)
    after = sink.getvalue().partition("Published: ")[2]
    assert words in " ".join(after.split())
