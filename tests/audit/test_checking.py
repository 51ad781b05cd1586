"""`data check` finds planted faults of each kind: one row for each fault and layout. And what errata change."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from beholder.audit.errata import overlay, read_errata
from beholder.audit.layouts import recognise
from beholder.audit.records import DataAudit, audit_records
from beholder.benchmarks import benchmark
from beholder.benchmarks.benchmark import LoadOptions
from beholder.errors import DataError, UsageError
from fake_hub import shard, tfq_row, vlrb_row, write_all
from made_runs import jpeg
from made_tir import record

NAMES = {"tfq": "tfq", "tfq.jsonl": "tfq", "vl": "vl-rewardbench", "tir": "tir"}
JUNK = {"bytes": b"no picture", "path": "junk.jpg"}
Rows = list[dict[str, Any]]


def rows_of(layout: str) -> Rows:
    if layout == "tir":
        return [record(number) for number in range(4)]
    return [(vlrb_row if layout == "vl" else tfq_row)(number) for number in range(0, 40, 10)]


def laid_out(folder: Path, layout: str, rows: Rows) -> Path:
    """Rows as they are published: shards of Parquet, JSON lines beside pictures, or a JSON list beside `data/`."""
    if layout == "tir":
        pictures = {f"data/{number}.jpg": jpeg(number) for number in range(4)}
        return write_all(folder, {"TIR-Bench.json": json.dumps(rows).encode(), **pictures})
    if layout == "tfq.jsonl":
        lines = []
        for number, row in enumerate(rows):
            picture = row["images"][0] if row["images"] else None
            name = f"{number}.jpg"
            if picture is not None:
                data = picture["bytes"]
                write_all(folder, {name: data} if data else {})
            lines.append(json.dumps(row | {"images": [name] if picture is not None else []}))
        return write_all(folder, {"tfq.jsonl": "\n".join(lines).encode()})
    half = len(rows) // 2
    names = [f"data/test-0000{number}-of-00002.parquet" for number in range(2)]
    return write_all(folder, {names[0]: shard(rows[:half]), names[1]: shard(rows[half:])})


def change(number: int, **fields: Any) -> Callable[[Rows], None]:
    return lambda rows: rows[number].update(fields)


def copy(number: int, of: int, *fields: str) -> Callable[[Rows], None]:
    """A record that has the fields of another one: all of them if none is named."""
    return lambda rows: rows[number].update({name: rows[of][name] for name in fields or rows[of]})


def with_ids(rows: Rows) -> None:
    for number, row in enumerate(rows):
        row["id"] = f"q{min(number, 2)}"


def unusable(audit: DataAudit) -> str:
    return " ".join(f"{one.where}: {one.problem}" for one in audit.unusable)


PLANTED: list[tuple[str, str, Callable[[Rows], None], Callable[[DataAudit], Any], str]] = [
    ("tfq", "records are missing", list.pop, lambda a: a.differences, "3 records; TFQ-Bench-Lite has 492"),
    ("tfq", "gold is no T or F", change(3, answer="maybe"), unusable, "of-00002.parquet, record 2: column 'answer'"),
    ("tfq", "no statement", change(2, problem="<image>"), unusable, "the statement is empty"),
    ("tfq", "no picture", change(2, images=[]), unusable, "there is no image"),
    ("tfq", "same content", copy(3, 0), lambda a: a.duplicates, "record 2"),
    ("tfq", "same picture elsewhere", copy(3, 0, "images"), lambda a: a.pictures[0].places, "record 2"),
    ("tfq", "same id", with_ids, lambda a: [(one.name, len(one.places)) for one in a.ids], "[('q2', 2)]"),
    ("tfq", "picture is none", change(1, images=[JUNK]), lambda a: a.unreadable, "of no image format"),
    ("tfq", "answers lean", change(1, answer="F"), lambda a: a.answers, "{'T': 3, 'F': 1}"),
    ("tfq.jsonl", "gold is no T or F", change(3, answer=True), unusable, "tfq.jsonl, line 4: column 'answer'"),
    ("tfq.jsonl", "picture is missing", change(1, images=[{"bytes": b""}]), lambda a: a.unreadable, "does not exist"),
    ("tfq.jsonl", "same picture elsewhere", copy(3, 0, "images"), lambda a: a.pictures[0].places, "line 4"),
    ("tfq.jsonl", "same id", with_ids, lambda a: a.ids[0].places, "('tfq.jsonl, line 3', 'tfq.jsonl, line 4')"),
    ("vl", "records are missing", list.pop, lambda a: a.differences, "1250 items, this data 3"),
    ("vl", "one answer", change(3, response=["a"]), unusable, "exactly two texts"),
    ("vl", "ranking is none", change(3, human_ranking=[0, 0]), unusable, "[0, 1] (the first response is preferred)"),
    ("vl", "no id", change(3, id=""), unusable, "the column 'id' is missing or empty"),
    ("vl", "same content", copy(3, 0), lambda a: a.duplicates, "record 2"),
    ("vl", "same id", copy(3, 0, "id"), lambda a: a.ids, "RLHF-V-0"),
    ("vl", "same picture elsewhere", copy(3, 0, "image"), lambda a: a.pictures, "0.jpg"),
    ("vl", "picture is none", change(1, image=JUNK), lambda a: a.unreadable, "junk.jpg"),
    ("vl", "answers lean", change(0, human_ranking=[0, 1]), lambda a: a.answers, "{'second answer': 3"),
    ("tir", "records are missing", list.pop, lambda a: a.differences, "3 of 1,215 items"),
    ("tir", "task is none", change(1, task="nope"), unusable, "TIR-Bench.json, record 2: there is no task 'nope'"),
    ("tir", "gold is empty", change(1, answer=""), unusable, "record 2"),
    ("tir", "gold no scorer finds right", change(1, answer="K"), lambda a: a.errata, "not one of the letters"),
    ("tir", "same content", copy(3, 0), lambda a: a.duplicates, "record 4"),
    ("tir", "same id", copy(3, 0, "id"), lambda a: a.ids, "record 4"),
    ("tir", "same picture elsewhere", copy(3, 0, "image_1"), lambda a: a.pictures, "data/0.jpg"),
    ("tir", "picture is missing", change(1, image_1="data/no.jpg"), lambda a: a.unreadable, "does not exist"),
    ("tir", "picture lies outside", change(1, image_1="../no.jpg"), unusable, "leaves the image folder"),
    ("tir", "answers lean", change(1, answer="A"), lambda a: a.answers, "{'B': 3, 'A': 1}"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("layout", "plant", "look", "words"),
    [(layout, *row) for layout, _, *row in PLANTED],
    ids=[f"{layout}: {name}" for layout, name, *_ in PLANTED],
)
def test_a_planted_fault_is_found(
    tmp_path: Path, layout: str, plant: Callable[[Rows], None], look: Callable[[DataAudit], Any], words: str
) -> None:
    found = benchmark(NAMES[layout])
    rows = rows_of(layout)
    sound = audit_records(found, laid_out(tmp_path / "sound", layout, rows), LoadOptions())
    assert (sound.unusable, sound.unreadable, sound.duplicates, sound.ids, sound.pictures, sound.errata) == ((),) * 6
    plant(rows)
    audit = audit_records(found, laid_out(tmp_path / "set", layout, rows), LoadOptions())
    assert words in str(look(audit))
    assert audit.broken is (look is unusable or bool(audit.unreadable))


@pytest.mark.parametrize("layout", NAMES)
def test_the_layout_tells_the_benchmark(tmp_path: Path, layout: str) -> None:
    folder = laid_out(tmp_path, layout, rows_of(layout))
    assert recognise(folder) == NAMES[layout]
    (tmp_path / "odd.jsonl").write_text('{"a": 1}\n')
    with pytest.raises(UsageError, match="not the layout of tfq, vl-rewardbench, tir"):
        recognise(tmp_path / "odd.jsonl")


def errata(folder: Path, *lines: dict[str, Any]) -> Path:
    file = folder / "errata.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


GOLDS = [
    ("tfq", "0", "F", "T", "F"),
    ("vl", "RLHF-V-0", [0, 1], "1", "0"),
    ("tir", 0, "C", "B", "C"),
]


@pytest.mark.parametrize(("layout", "name", "gold", "before", "after"), GOLDS)
def test_a_correction_changes_the_gold_of_its_record(
    tmp_path: Path, layout: str, name: Any, gold: Any, before: str, after: str
) -> None:
    found, rows = benchmark(NAMES[layout]), rows_of(layout)
    if layout == "tfq":
        rows = [row | {"id": str(number)} for number, row in enumerate(rows)]
    folder = laid_out(tmp_path / "set", layout, rows)
    lines: Rows = [{"record_id": name, "gold": gold, "why": "seen", "source": "me"}, {"record_id": "zz", "drop": True}]
    audit = audit_records(found, folder, LoadOptions(), read_errata(errata(tmp_path, *lines)))
    assert audit.overlay is not None
    (one,) = audit.overlay.changes
    assert (one.record_id, one.before, one.after, one.drop, one.why, one.source) == (
        str(name), before, after, False, "seen", "me",
    )  # fmt: skip
    assert audit.overlay.unused == ("errata.jsonl, line 2: no record has that key or id.",)
    assert audit.broken
    bad = read_errata(errata(tmp_path, {"record_id": name, "gold": {}}))
    with pytest.raises(DataError, match=r"errata\.jsonl, line 1"):
        audit_records(found, folder, LoadOptions(), bad)


def test_corrections_that_do_nothing_say_why(tmp_path: Path) -> None:
    found, rows = benchmark("tir"), rows_of("tir")
    rows[1]["id"] = rows[2]["id"] = 1
    samples = list(found.load(laid_out(tmp_path / "set", "tir", rows), LoadOptions()))
    lines: Rows = [
        {"record_id": 1, "gold": "A"},
        {"record_id": 0, "gold": "B"},
        {"key": samples[2].key, "record_id": 1, "gold": "A"},
        {"key": samples[2].key, "drop": True},
    ]
    done = overlay(found, samples, read_errata(errata(tmp_path, *lines)))
    assert [one.where for one in done.changes] == ["TIR-Bench.json, record 3"]
    assert [sentence.partition(": ")[2] for sentence in done.unused] == [
        "2 records have that id: give the key.",
        "TIR-Bench.json, record 1 has that gold already.",
        "errata.jsonl, line 3 corrects the same record.",
    ]


BAD_LINES = [
    ({"record_id": 1}, "either a gold or drop"),
    ({"record_id": 1, "gold": "A", "drop": True}, "either a gold or drop"),
    ({"gold": "A"}, "which record it is about"),
    ({"record_id": 1, "gold": "A", "wy": "x"}, "no field 'wy'"),
    ({"record_id": True, "gold": "A"}, "text or a number"),
    ({"key": 3, "gold": "A"}, "must be text"),
    ({"key": "a", "drop": "yes"}, "drop true or false"),
]


@pytest.mark.parametrize(("line", "words"), BAD_LINES)
def test_a_line_that_is_no_correction(tmp_path: Path, line: dict[str, Any], words: str) -> None:
    with pytest.raises(DataError, match=words):
        read_errata(errata(tmp_path, line))


def test_errata_of_another_benchmark(tmp_path: Path) -> None:
    found = benchmark("tir")
    (sample, *_) = found.load(laid_out(tmp_path, "tir", rows_of("tir")), LoadOptions())
    other = msgspec.structs.replace(found, name="m3r")
    with pytest.raises(UsageError, match="Errata are known for tfq, vl-rewardbench, tir, not for m3r"):
        overlay(other, [sample], read_errata(errata(tmp_path, {"key": sample.key, "gold": "A"})))
