"""Several sources put together: each pair once, and nothing lost."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET

from beholder.annotation import Annotation
from beholder.audit.gathered import Apart, Gathered, Given, SamePicture, conflicts, gather
from beholder.audit.gathered_folder import write
from beholder.benchmarks.benchmark import LoadOptions
from beholder.benchmarks.m3r.data import load, notices
from beholder.errors import DataError, UsageError
from beholder.sample import MetaphorTarget
from made_sources import two_sources


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sources")
    two_sources(folder)
    return folder


def files_of(place: Path, *order: str) -> list[Given]:
    known = {
        "multimm": Given("multimm", place / "EN_test.csv", place / "a"),
        "emometa": Given("emometa", place / "emo.csv", place / "b"),
    }
    return [known[name] for name in order]


@pytest.fixture(scope="module")
def gathered(place: Path) -> Gathered:
    return gather(files_of(place, "multimm", "emometa"))


def rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_every_record_is_kept_or_kept_apart_with_its_reason(gathered: Gathered) -> None:
    assert [item.id for item in gathered.kept] == [
        *(f"multimm/{number}.jpg" for number in range(5)),
        "emometa/caption.jpg",
        "emometa/own.jpg",
    ]
    assert [(one.id, one.reason, one.how) for one in gathered.apart] == [
        ("multimm/cut.jpg", "damaged", ""),
        ("multimm/gone.jpg", "no_image", ""),
        ("multimm/0.jpg#2", "no_text", ""),
        ("multimm/../0.jpg", "unusable", ""),
        ("multimm/0.jpg#3", "unusable", ""),
        ("emometa/bytes.jpg", "duplicate", "bytes"),
        ("emometa/pixels.png", "duplicate", "pixels"),
        ("emometa/small.jpg", "duplicate", "look"),
        ("emometa/turned.jpg", "duplicate", "look"),
    ]
    assert gathered.broken
    assert [dict(counts) for counts in gathered.counts] == [
        {"read": 10, "kept": 5, "damaged": 1, "no_image": 1, "no_text": 1, "unusable": 2},
        {"read": 6, "kept": 2, "duplicate": 4},
    ]


def apart(gathered: Gathered, identity: str) -> Apart:
    return next(one for one in gathered.apart if one.id == identity)


def test_what_is_kept_apart_says_why_and_holds_its_row(gathered: Gathered) -> None:
    for one in gathered.apart:
        assert one.record["Text" if "Text" in one.record else "text"] is not None
        assert "\n" not in one.problem
        assert one.where.startswith(("EN_test.csv, line ", "emo.csv, line "))
    assert apart(gathered, "multimm/0.jpg#3").problem == "'9' is no known code of 'metaphor'"
    assert apart(gathered, "multimm/0.jpg#3").record["MetaphorOccurrence"] == "9"
    assert "leaves the image folder" in apart(gathered, "multimm/../0.jpg").problem


def test_a_duplicate_tells_where_its_labels_differ(gathered: Gathered) -> None:
    assert apart(gathered, "emometa/bytes.jpg").conflicts == {"source": ("river", "stream")}
    assert apart(gathered, "emometa/pixels.png").conflicts == {}
    literal = apart(gathered, "emometa/small.jpg")
    assert literal.duplicate_of == "multimm/2.jpg"
    assert literal.conflicts == {"metaphor": (False, True), "target": (None, "tea"), "source": (None, "leaf")}


def test_one_picture_with_another_text_stays_and_is_listed(gathered: Gathered) -> None:
    assert gathered.same_picture == (SamePicture("emometa/caption.jpg", "multimm/4.jpg", "bytes"),)


def test_who_watches_is_told_of_each_record(place: Path) -> None:
    told: list[tuple[int, int]] = []
    gather(files_of(place, "emometa", "multimm"), lambda looked_at, records: told.append((looked_at, records)))
    assert told == [(number, 16) for number in range(1, 17)]


def test_the_first_of_duplicates_stays(place: Path) -> None:
    other = gather(files_of(place, "emometa", "multimm"))
    assert {item.id for item in other.kept} >= {"emometa/bytes.jpg", "emometa/small.jpg", "multimm/4.jpg"}
    twin = apart(other, "multimm/0.jpg")
    assert (twin.duplicate_of, twin.adds) == ("emometa/bytes.jpg", {"sentiment": "negative"})


def test_a_second_file_of_a_source_gets_ids_of_its_own(place: Path) -> None:
    both = gather(files_of(place, "emometa", "emometa"))
    assert len(both.kept) == 6
    assert both.apart[0].id == "emometa/bytes.jpg#2"
    assert not both.broken  # duplicates are no fault


# what stays, the other, the labels on which they differ
CONFLICTS = [
    (Annotation(True, "Time", "a river"), Annotation(True, "time", "A RIVER."), {}),
    (Annotation(True), Annotation(sentiment="neutral"), {}),
    (Annotation(True, "x", "y"), Annotation(True, UNSET, "z"), {"source": ("y", "z")}),
    (Annotation(False, None, None), Annotation(True, "x", "y"), {"metaphor", "target", "source"}),
    (Annotation(sentiment="neutral"), Annotation(sentiment="positive"), {"sentiment": ("neutral", "positive")}),
    (Annotation(target="!"), Annotation(target="?"), {"target": ("!", "?")}),
]


@pytest.mark.parametrize(("kept", "other", "found"), CONFLICTS)
def test_conflicts(kept: Annotation, other: Annotation, found: Any) -> None:
    assert (set if isinstance(found, set) else dict)(conflicts(kept, other)) == found


def test_the_folder_is_read_by_the_benchmark(place: Path, gathered: Gathered, tmp_path: Path) -> None:
    out = tmp_path / "new" / "set"
    said = write(gathered, files_of(place, "multimm", "emometa"), out)
    samples = list(load(out / "records.jsonl", LoadOptions()))
    assert [sample.record_id for sample in samples] == [item.id for item in gathered.kept]
    assert isinstance(samples[0].target, MetaphorTarget)
    assert samples[0].target.annotation == Annotation(True, "time", "river", "negative")
    assert samples[0].split == "test"
    assert samples[-1].metadata["origin"] == "emometa"
    assert samples[-1].metadata["emotion"] == "neutral"
    assert not any("Columns that were not used" in note for note in notices(samples))
    for sample, item in zip(samples, gathered.kept, strict=True):
        data = Path(str(sample.images[0].path)).read_bytes()
        assert hashlib.sha256(data).hexdigest() == item.sha256
        assert data == Path(str(item.image.path)).read_bytes()  # as published
    assert len(rows(out / "kept_apart.jsonl")) == len(gathered.apart)
    assert said == json.loads((out / "report.json").read_text())
    assert said["records_sha256"] == hashlib.sha256((out / "records.jsonl").read_bytes()).hexdigest()
    assert said["kept_apart"] == {"unusable": 2, "no_text": 1, "no_image": 1, "damaged": 1, "duplicate": 4}


def test_what_was_gathered_can_be_gathered_again(place: Path, gathered: Gathered, tmp_path: Path) -> None:
    write(gathered, files_of(place, "multimm", "emometa"), tmp_path / "set")
    again = gather([Given("m3r", tmp_path / "set" / "records.jsonl", tmp_path / "set")])
    assert [item.id for item in again.kept] == [item.id for item in gathered.kept]
    assert [item.record.annotation for item in again.kept] == [item.record.annotation for item in gathered.kept]
    assert again.apart == ()


def test_embedded_pictures_that_are_kept_apart_leave_their_hash(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = pa.table({"image": [{"bytes": b"no picture", "path": "x.png"}], "text": ["x"], "metaphor": [True]})
    parquet.write_table(table, tmp_path / "a.parquet")
    (one,) = gather([Given("m3r", tmp_path / "a.parquet", tmp_path)]).apart
    assert one.reason == "damaged"
    assert one.record["image"]["bytes"] == {"sha256": hashlib.sha256(b"no picture").hexdigest(), "bytes": 10}


def test_half_a_character_can_be_kept_apart(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"image": "1.png", "text": "\\ud83d", "metaphor": "?"}\n')
    files = [Given("m3r", tmp_path / "a.jsonl", tmp_path)]
    write(gather(files), files, tmp_path / "out")
    (row,) = rows(tmp_path / "out" / "kept_apart.jsonl")
    assert row["record"]["text"] == "\ud83d"


def test_a_picture_that_changes_meanwhile_is_an_error(tmp_path: Path) -> None:
    two_sources(tmp_path)
    files = files_of(tmp_path, "emometa")
    found = gather(files)
    (tmp_path / "b" / "own.jpg").write_bytes((tmp_path / "a" / "0.jpg").read_bytes())
    with pytest.raises(DataError, match="its picture changed"):
        write(found, files, tmp_path / "out")
    assert not list(tmp_path.glob("out*")) + list(tmp_path.glob(".import*"))


def test_nothing_is_written_over(gathered: Gathered, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(UsageError, match="is not empty"):
        write(gathered, [], tmp_path)
