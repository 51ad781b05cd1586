"""From scripted annotators to a project: runs, what they settle, drafts, proposals of a judge."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from beholder.annotate import equivalence
from beholder.annotate.consensus import Equivalence, settle
from beholder.annotate.intake import record_of, take_in
from beholder.annotate.items import KeptApart
from beholder.annotate.proposing import Answer, draft_of, same_slots
from beholder.annotate.sources import items_of_benchmark, items_of_records, pairs_to_label
from beholder.annotation import Annotation, Explanation
from beholder.benchmarks import benchmark
from beholder.engine.judge import Judge, task_of
from beholder.errors import UsageError
from beholder.models.fakes import constant
from beholder.sample import MetaphorTarget, Sample, TextPart
from made_projects import item, literal, metaphor, picture


def write_data(folder: Path, records: Sequence[object]) -> Path:
    (folder / "images").mkdir(parents=True)
    for shade in range(3):
        (folder / "images" / f"{shade}.png").write_bytes(picture(shade).data or b"")
    (folder / "images" / "broken.png").write_bytes(b"<html>")
    file = folder / "data.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    return file


RECORDS = [
    {
        "id": "one",
        "image": "images/0.png",
        "text": "Smoking kills",
        "metaphor": True,
        "target": "smoking",
        "source": "gun",
    },
    {"id": "text-only", "text": "no picture"},
    {"id": "image-only", "image": "images/1.png", "text": " "},
    {"id": "broken", "image": "images/broken.png", "text": "x"},
    {"id": "gone", "image": "images/none.png", "text": "x"},
    {"id": "odd", "image": "images/1.png", "text": "x", "metaphor": "perhaps"},
    {"id": "two", "image": "images/1.png", "text": "一张桌子", "origin": "MultiMM", "author": "A"},
]


def test_records_are_taken_in_without_their_labels_and_bad_ones_kept_apart(tmp_path: Path) -> None:
    count, apart = take_in(tmp_path / "p", write_data(tmp_path / "d", RECORDS), None)
    lines = [json.loads(line) for line in (tmp_path / "p" / "records.jsonl").read_text().splitlines()]
    assert count == 2
    assert [line["id"] for line in lines] == ["one", "two"]
    assert not {"metaphor", "target", "source"} & lines[0].keys()
    assert (lines[1]["origin"], lines[1]["author"], lines[1]["language"]) == ("MultiMM", "A", "zh")
    assert [one.place for one in apart] == [f"data.jsonl, line {number}" for number in (2, 3, 4, 5, 6)]
    assert len({one.why for one in apart}) == 5
    assert all("\n" not in one.why for one in apart)


def test_data_without_a_pair_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no pair of image and text"):
        take_in(tmp_path / "p", write_data(tmp_path / "d", RECORDS[1:4]), None)


def explained(said: Annotation, mapping: str = "because") -> Answer:
    return Answer(msgspec.structs.replace(said, explanation=Explanation(mapping=mapping)))


def test_a_draft_is_the_explanation_of_one_who_agrees() -> None:
    answers = [
        Answer(metaphor()),  # explains nothing
        explained(metaphor("health", "weapon"), "of another pair"),
        explained(metaphor("The smoking"), "first"),
        explained(metaphor(), "second"),
        Answer(None, "failed"),
    ]
    same = same_slots()
    made = settle([answer.said for answer in answers], same)
    drafts = {draft_of(str(number), answers, made, same, 0)[1] for number in range(30)}
    assert drafts == {2, 3}
    draft, by = draft_of("k", answers, made, same, 0)
    assert (draft, by) == draft_of("k", answers, made, same, 0)
    assert {name: draft[name] for name in ("metaphor", "target", "source")} == {
        "metaphor": "yes",
        "target": "smoking",
        "source": "gun",
    }


def test_where_people_decide_only_what_is_settled_is_filled_in() -> None:
    answers = [
        explained(metaphor()),
        explained(metaphor()),
        explained(literal()),
        explained(literal()),
        Answer(None, "x"),
    ]
    made = settle([answer.said for answer in answers], same_slots())
    assert draft_of("k", answers, made, same_slots(), 0) == ({}, None)


def sample(key: str) -> Sample:
    return Sample(
        key=key,
        index=0,
        benchmark="m3r",
        images=(picture(),),
        parts=(TextPart("Smoking kills"),),
        target=MetaphorTarget(Annotation()),
        record_id=key,
        metadata={"language": "en", "task": "annotate", "unused_columns": ["x"]},
    )


def slot_judge(text: str, name: str = "") -> Judge:
    task = task_of(benchmark("m3r"), equivalence.PURPOSE)
    assert task is not None
    return Judge(task=task, name=name or f"constant/{text}", model=constant(text), template=task.template)


YES_VERDICT = '{"target": {"same": true}, "source": {"same": true}}'
VERDICTS = [
    (YES_VERDICT, [True] * 3, 0),
    ('{"target": {"same": true}, "source": {"same": false}}', [False] * 3, 0),
    ("I cannot say", [None] * 3, 1),
]


@pytest.mark.parametrize(("verdict", "expected", "told"), VERDICTS)
def test_a_judge_compares_the_pairs_of_unsettled_items(
    tmp_path: Path, verdict: str, expected: list[bool | None], told: int
) -> None:
    unsettled = [
        metaphor("smoking", "gun"),
        metaphor("health", "weapon"),
        metaphor("death", "bullet"),
        literal(),
        literal(),
    ]
    items = [(sample(key), item(key, said)) for key, said in {"a": unsettled, "b": [metaphor()] * 5}.items()]
    lines: list[str] = []
    found = asyncio.run(equivalence.compare(tmp_path, items, slot_judge(verdict), lines.append))
    assert [one.same for one in found] == expected
    assert {one.key for one in found} == {"a"}
    assert len(lines) == told
    if expected[0] is not None:  # nobody is asked twice
        again = asyncio.run(equivalence.compare(tmp_path, items, slot_judge(verdict), lines.append))
        assert again == found == equivalence.read(tmp_path)
        assert found[0].pairs == Equivalence(("death", "bullet"), ("health", "weapon"))


def test_what_a_judge_said_before_a_kill_is_kept(tmp_path: Path) -> None:
    said = [metaphor(source=f"s{number}") for number in range(4)]
    items = [(sample("a"), item("a", said))]
    whole = asyncio.run(equivalence.compare(tmp_path, items, slot_judge(YES_VERDICT, "judge"), print))
    file = tmp_path / equivalence.FILE
    written = file.read_bytes().split(b"\n")
    file.write_bytes(b"\n".join([*written[:4], written[4][:20]]))
    other = '{"source": {"same": false}}'
    again = asyncio.run(equivalence.compare(tmp_path, items, slot_judge(other, "judge"), print))
    assert len(whole) == len(again) == len(equivalence.read(tmp_path)) == 6
    assert sorted(one.same is True for one in again) == [False, False, True, True, True, True]


def test_records_of_any_schema_become_items(tmp_path: Path) -> None:
    data = write_data(
        tmp_path / "d",
        [
            {"question": "how many?", "answer": 4, "images": ["images/0.png", "images/1.png"], "extra": {"a": [1]}},
            {"question": "how many?", "answer": 4, "images": ["images/0.png", "images/1.png"], "extra": {"a": [1]}},
            {"question": "text alone"},
            {"question": "q", "image": "../secret.png"},
        ],
    )
    apart: list[KeptApart] = []
    items = list(items_of_records(data, None, apart))
    assert [len(one.images) for one in items] == [2, 2, 0]
    assert items[0].record == {"question": "how many?", "answer": 4, "extra": {"a": [1]}}
    assert items[0].key.removesuffix("-0") == items[1].key.removesuffix("-1")
    assert [one.place for one in apart] == ["data.jsonl, line 4"]


def test_items_of_metaphors_do_not_show_their_labels(tmp_path: Path) -> None:
    apart: list[KeptApart] = []
    data = write_data(tmp_path / "d", RECORDS)
    items = list(pairs_to_label(data, None, apart))
    assert "gun" not in str(items[0].record)
    assert [one.record["id"] for one in items] == ["one", "broken", "gone", "two"]  # pictures are looked at later
    assert len(apart) == 3
    assert "unused_columns" not in record_of(sample("k"))


def test_items_of_metaphors_that_are_checked_show_their_labels(tmp_path: Path) -> None:
    apart: list[KeptApart] = []
    explained = RECORDS[0] | {"explanation": {"evidence": [{"kind": "visual", "text": "a gun"}], "mapping": "it kills"}}
    data = write_data(tmp_path / "d", [explained, RECORDS[-1]])
    (first,) = items_of_benchmark(benchmark("m3r"), data, None, apart)
    told = {name: first.record[name] for name in ("question", "answer", "evidence", "mapping")}
    assert told == {
        "question": "Smoking kills",
        "answer": "metaphor yes, target smoking, source gun",
        "evidence": ["visual: a gun"],
        "mapping": "it kills",
    }
    assert ["it has no label" in one.why for one in apart] == [True]
