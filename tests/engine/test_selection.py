"""Which items a run takes: limits, conditions, lists of ids."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from beholder.benchmarks import benchmark
from beholder.engine import scoring
from beholder.engine.plan import Plan
from beholder.engine.selection import Selection, parse_condition, read_ids
from beholder.errors import UsageError
from beholder.sample import BooleanTarget, Sample
from made_runs import plan_for, tfq_data

SAMPLES = [
    Sample(
        key=f"k{number}",
        index=number,
        benchmark="tfq",
        images=(),
        parts=(),
        target=BooleanTarget(True),
        category=("general", "reasoning")[number % 2],
        difficulty=("easy", "hard", "")[number % 3],
        record_id=f"id-{number}",
        metadata={"judge": "a=b" if number == 4 else "", "count": number},
    )
    for number in range(6)
]

CONDITIONS = [
    (["category=reasoning"], [1, 3, 5]),
    (["category!=reasoning"], [0, 2, 4]),
    (["category==general"], [0, 2, 4]),
    (["category = 'reasoning'", "difficulty=hard"], [1]),
    (['category="general"', "difficulty!=easy"], [2, 4]),
    (["difficulty="], [2, 5]),
    (["difficulty!="], [0, 1, 3, 4]),
    (["judge=a=b"], [4]),
    (["count=3"], [3]),
    (["record_id=id-5"], [5]),
]


@pytest.mark.parametrize(("texts", "chosen"), CONDITIONS, ids=[" and ".join(row[0]) for row in CONDITIONS])
def test_conditions(texts: list[str], chosen: list[int]) -> None:
    selection = Selection(where=tuple(map(parse_condition, texts)))
    assert [sample.index for sample in selection.choose(SAMPLES)] == chosen


@pytest.mark.parametrize("text", ["no_such_field=x", "no_such_field!=x", "Category=reasoning"])
def test_a_condition_on_a_field_that_no_item_has(text: str) -> None:
    with pytest.raises(UsageError, match="--where: no item has a field"):
        list(Selection(where=(parse_condition(text),)).choose(SAMPLES))


@pytest.mark.parametrize("text", ["category", "=x", "!=x", "", " = x"])
def test_what_is_no_condition(text: str) -> None:
    with pytest.raises(UsageError, match=r"is not a condition\. Write field=value"):
        parse_condition(text)


def test_limit_counts_what_is_left_and_reads_no_further() -> None:
    read: Counter[int] = Counter()

    def stream() -> Any:
        for sample in SAMPLES:
            read[sample.index] += 1
            yield sample

    selection = Selection(limit=2, where=(parse_condition("category=reasoning"),))
    assert [sample.index for sample in selection.choose(stream())] == [1, 3]
    assert max(read) == 3


def test_ids_are_keys_or_record_ids_in_data_order(tmp_path: Path) -> None:
    file = tmp_path / "ids"
    file.write_text("id-4\n\n# a comment\n  k1  \nid-4\nnobody\n")
    ids = read_ids(file)
    assert ids == ("id-4", "k1", "id-4", "nobody")
    assert [sample.index for sample in Selection(ids=ids).choose(SAMPLES)] == [1, 4]
    assert [sample.index for sample in Selection(ids=ids, limit=1).choose(SAMPLES)] == [1]


NO_IDS = [(b"", "names no items"), (b"# only\n\n", "names no items"), (b"\xff", "cannot be read")]


@pytest.mark.parametrize(("content", "words"), NO_IDS)
def test_a_list_of_ids_that_cannot_be_used(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "ids").write_bytes(content)
    with pytest.raises(UsageError, match=words):
        read_ids(tmp_path / "ids")
    with pytest.raises(UsageError, match="cannot be read"):
        read_ids(tmp_path / "gone")


def test_scorer_code_changes_with_the_assumptions() -> None:
    ours = benchmark("m3r")
    text = ours.assumptions.replace('"partly": 50', '"partly": 60')
    assert text != ours.assumptions
    assert scoring.scorer_code(ours.assuming(ours.assumptions)) == scoring.scorer_code(ours)
    assert scoring.scorer_code(ours.assuming(text)) != scoring.scorer_code(ours)


def test_scorer_code_changes_with_the_code_and_not_with_the_day() -> None:
    one, other = scoring.scorer_code(benchmark("tfq")), scoring.scorer_code(benchmark("vl-rewardbench"))
    assert one == scoring.scorer_code(benchmark("tfq"))
    assert set(one) == set(benchmark("tfq").scorers)
    assert set(one.values()) != set(other.values())


def test_a_plan_survives_json(tmp_path: Path) -> None:
    plan = plan_for(tfq_data(tmp_path, 2), selection=Selection(limit=1, where=(parse_condition("split!=x"),)))
    assert msgspec.json.decode(msgspec.json.encode(plan), type=Plan) == plan
