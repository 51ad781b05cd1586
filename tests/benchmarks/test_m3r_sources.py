"""The public sources, each in its own layout; the rows are invented."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from beholder.annotation import Annotation
from beholder.benchmarks.m3r.sources import SOURCES, read_source, tables
from beholder.benchmarks.m3r.sources.record import SourceRecord, Unusable
from beholder.errors import DataError, UsageError

MULTIMM = ("Pic_id", "Text", "MetaphorOccurrence", "Target", "Source", "SentimentCategory")
EMOMETA = ("Img_id", "Img_url", "Text", "Metaphor", "Target domain", "Source domain", "Emotion")
PBS = ("Pic_id", "Pic_url", "MetaphorOccurrence", "TargetCategory", "SourceCategory", "SentimentCategory")
IFS = ("Pic_id", "MetaphorOccurrence", "TargetCategory", "SourceCategory", "GroundCategory", "SentimentCategory")
MEMES = (
    "file_name",
    "sentiment category",
    "sentiment degree",
    "intention detection",
    "offensiveness detection",
    "metaphor occurrence",
    "metaphor category",
    "target domain",
    "source domain",
    "target modality",
    "source modality",
)
Row = Sequence[object]


def table(file: Path, *rows: Row, encoding: str = "utf-8") -> Path:
    """A CSV file, or an xlsx file by its ending."""
    if file.suffix == ".xlsx":
        openpyxl = pytest.importorskip("openpyxl")
        book = openpyxl.Workbook()
        for row in rows:
            book.active.append(list(row))
        book.save(file)
        return file
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    file.write_bytes(text.getvalue().encode(encoding))
    return file


def read(source: str, file: Path) -> list[SourceRecord | Unusable]:
    return list(read_source(source, file, file.parent))


def only(source: str, file: Path) -> SourceRecord:
    (found,) = read(source, file)
    assert isinstance(found, SourceRecord)
    return found


# a row of MultiMM after its picture, what it says
MULTIMM_ROWS: list[tuple[Row, Annotation]] = [
    (("slow, slow", 1, "queue", "river", -1), Annotation(True, "queue", "river", "negative")),
    (("a plain advert", 0, "", "", 0), Annotation(False, None, None, "neutral")),
    (("half labelled", 1, "queue", "", 1), Annotation(True, "queue", sentiment="positive")),
    (("no code at all", "", "", "", ""), Annotation()),
]


@pytest.mark.parametrize("name", ["EN_test.csv", "EN_test.xlsx"])
@pytest.mark.parametrize(("row", "gold"), MULTIMM_ROWS)
def test_multimm(tmp_path: Path, name: str, row: Row, gold: Annotation) -> None:
    found = only("multimm", table(tmp_path / name, MULTIMM, ("6.jpg", *row)))
    assert found.annotation == gold
    assert (found.origin, found.name, found.text) == ("multimm", "6.jpg", row[0])
    assert (found.language, found.split) == ("en", "test")
    assert found.image is not None
    assert found.image.path == str(tmp_path / "6.jpg")


# encoding of the file; Chinese spreadsheets write GB 18030, others a byte order mark
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "gbk"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    file = table(tmp_path / "ads.csv", MULTIMM, ("1.jpg", "时间就是河", 1, "时间", "河", 1), encoding=encoding)
    found = only("multimm", file)
    assert (found.text, found.annotation.target, found.language) == ("时间就是河", "时间", "zh")


def test_bytes_of_no_encoding_keep_their_row_apart(tmp_path: Path) -> None:
    file = tmp_path / "EN.csv"
    file.write_bytes(",".join(MULTIMM).encode() + b"\n1.jpg,bad \xff\xff,0,,,0\n2.jpg,good,0,,,0\n")
    bad, good = read("multimm", file)
    assert isinstance(bad, Unusable)
    assert "column 'Text' cannot be read" in bad.problem
    assert isinstance(good, SourceRecord)


def test_text_in_several_lines_and_the_line_that_errors_name(tmp_path: Path) -> None:
    file = table(
        tmp_path / "EN.csv",
        MULTIMM,
        ("1.jpg", 'one "two"\nthree, four', 0, "", "", 0),
        (),
        ("2.jpg", "x", 7, "", "", 0),
    )
    first, second = read("multimm", file)
    assert isinstance(first, SourceRecord)
    assert first.text == 'one "two"\nthree, four'
    assert isinstance(second, Unusable)
    assert second.where == "EN.csv, line 5"
    assert second.problem == "'7' is no known code of 'metaphor'"


@pytest.mark.parametrize("targets", [("Target", "Source"), ("Target domain", "Source domain")])
@pytest.mark.parametrize("name", ["DataAll.xlsx", "emo.csv"])
def test_emometa(tmp_path: Path, name: str, targets: Row) -> None:
    header = (*EMOMETA[:4], *targets, "Emotion")
    found = only("emometa", table(tmp_path / name, header, ("9.jpg", "http://x/9", "快乐", 1, "糖", "云", 10)))
    assert found.annotation == Annotation(True, "糖", "云")  # an emotion is no sentiment
    assert found.metadata == {"emotion": "neutral", "emotion_code": "10"}
    assert found.language == "zh"


def test_multicmet_public_file(tmp_path: Path) -> None:
    legend = ("", "", "1 yes, 0 no ", "1 relation, 2 communication", "1 relation", "-1 negative")
    file = table(
        tmp_path / "ZH_pbs.csv", PBS, legend, ("1.jpg", "http://x", 1, 11, 12, 1), ("2.jpg", "", 0, "", "", -1)
    )
    first, second = read("multicmet", file)
    assert isinstance(first, SourceRecord)
    assert first.annotation == Annotation(True, sentiment="positive")  # a kind of target is no target
    assert first.metadata == {"target_category": "natural_object", "source_category": "artifact"}
    assert first.text == ""
    assert isinstance(second, SourceRecord)
    assert second.annotation == Annotation(False, sentiment="negative")


def test_multicmet_with_grounds_and_texts(tmp_path: Path) -> None:
    file = table(tmp_path / "ZH_ifs.csv", (*IFS, "Text"), ("3.jpg", 2, "", "", 7, 0, "春"))
    found = only("multicmet", file)
    assert found.annotation == Annotation(False, sentiment="neutral")  # 2 is no, by that file's legend
    assert (found.text, found.metadata) == ("春", {"ground_category": "7"})


LIT = ("1(happiness)", "1(slightly)", "2(expressive)", "0(non-offensive)", 0, "", "", "", "", "")
MET = (
    "4(sorrow)",
    "2(moderately)",
    "2(expressive)",
    "0(non-offensive)",
    1,
    "complementary",
    "me;you",
    "a;b",
    "text",
    "image",
)


def test_met_meme_with_its_texts_beside_it(tmp_path: Path) -> None:
    empty = ("",) * 5  # the public files end in hundreds of empty columns
    labels = table(
        tmp_path / "label_E.csv", (*MEMES, *empty), ("image_ (0).jpg", *MET, *empty), ("image_ (1).jpg", *LIT, *empty)
    )
    table(tmp_path / "E_text.csv", ("file_name", "text"), ("image_ (0).jpg", "that moment"), encoding="gbk")
    (tmp_path / "Image- (0).jpg").write_bytes(b"")
    first, second = read("met-meme", labels)
    assert isinstance(first, SourceRecord)
    assert first.annotation == Annotation(True, "me;you", "a;b")
    assert (first.text, first.language) == ("that moment", "en")
    assert first.metadata["emotion"] == "sorrow"
    assert first.metadata["metaphor_category"] == "complementary"
    assert first.image is not None
    assert first.image.name == "Image- (0).jpg"  # as the archive writes it
    assert isinstance(second, SourceRecord)
    assert second.annotation == Annotation(False, None, None)
    assert second.text == ""


def test_met_meme_in_chinese_swaps_two_columns(tmp_path: Path) -> None:
    header = ("images_name", *MEMES[1:7], "source domain", "target domain", *MEMES[9:])
    row = ("Image_(1).jpg", *MET[:6], "河", "时间", "text", "text")
    table(tmp_path / "C_text.xlsx", ("images_name", "text"), ("Image_(1).jpg", "时间像河"))
    found = only("met-meme", table(tmp_path / "label_C.csv", header, row, encoding="gbk"))
    assert (found.annotation.target, found.annotation.source) == ("时间", "河")
    assert (found.text, found.language) == ("时间像河", "zh")


def test_met_meme_without_texts_says_what_to_do(tmp_path: Path) -> None:
    labels = table(tmp_path / "label_C.csv", MEMES, ("a.jpg", *LIT))
    with pytest.raises(UsageError, match=r"Put its texts beside it, as C_text\.csv"):
        read("met-meme", labels)


def test_our_own_schema(tmp_path: Path) -> None:
    file = tmp_path / "records.jsonl"
    rows = [
        {
            "id": "multimm/6.jpg",
            "image": "6.jpg",
            "text": "x",
            "origin": "multimm",
            "metaphor": True,
            "metadata": {"a": 1},
        },
        {"image": "7.jpg", "metaphor": False},
        {"id": 8, "text": "y", "sentiment": "sad"},
    ]
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    first, second, third = read("m3r", file)
    assert isinstance(first, SourceRecord)
    assert (first.origin, first.name, first.metadata) == ("multimm", "multimm/6.jpg", {"a": 1})
    assert isinstance(second, SourceRecord)
    assert (second.origin, second.name, second.text) == ("m3r", "7.jpg", "")
    assert isinstance(third, Unusable)
    assert third.name == "8"


# source, header, row, what the one line says
UNUSABLE: list[tuple[str, Row, Row, str]] = [
    ("multimm", MULTIMM, ("1.jpg", "x", 3, "", "", 0), "'3' is no known code of 'metaphor'"),
    ("multimm", MULTIMM, ("1.jpg", "x", 1, "a", "b", 2), "'2' is no known code of 'sentiment'"),
    ("multimm", MULTIMM, ("1.jpg", "x", 0, "a", "", 0), "it is no metaphor but has a target or a source"),
    ("multimm", MULTIMM, ("1.jpg", "x", 1, "None", "b", 0), "its target or source is said to be none"),
    ("multimm", MULTIMM, ("../../etc/passwd", "x", 0, "", "", 0), "leaves the image folder"),
    ("multimm", MULTIMM, ("/etc/passwd", "x", 0, "", "", 0), "leaves the image folder"),
    ("multimm", MULTIMM, ("C:\\1.jpg", "x", 0, "", "", 0), "leaves the image folder"),
    ("multimm", MULTIMM, ("https://x/1.jpg", "x", 0, "", "", 0), "is an address, not a file"),
    ("multimm", MULTIMM, ("1.jpg", "x", 0, "", "", 0, "surplus"), "it has more cells than the header"),
    ("emometa", EMOMETA, ("1.jpg", "", "x", 1, "a", "b", 11), "'11' is no known code of 'Emotion'"),
    ("emometa", EMOMETA, ("1.jpg", "", "x", "yes and no", "a", "b", 1), "'yes and no' is no known code"),
    ("multicmet", PBS, ("1.jpg", "", 1, 14, 1, 0), "'14' is no known code of 'TargetCategory'"),
    ("multicmet", IFS, ("1.jpg", 3, 1, 1, 1, 0), "'3' is no known code of 'metaphor'"),
    ("met-meme", MEMES, ("1.jpg", "8(joy)", *LIT[1:]), "'8(joy)' is no known code of 'sentiment category'"),
    ("met-meme", MEMES, ("1.jpg", "1(sorrow)", *LIT[1:]), "'1(sorrow)' is no known code of 'sentiment category'"),
]


@pytest.mark.parametrize(("source", "header", "row", "said"), UNUSABLE)
def test_a_row_that_cannot_be_used_is_kept_with_one_line(
    tmp_path: Path, source: str, header: Row, row: Row, said: str
) -> None:
    bad, *_ = read(source, table(tmp_path / "rows.csv", header, row, row))
    assert isinstance(bad, Unusable)
    assert said in bad.problem
    assert "\n" not in bad.problem
    assert bad.mend
    assert str(row[0]) in bad.record.values()


@pytest.mark.parametrize("text", ["#NAME?", "#n/a", "  "])
def test_what_a_spreadsheet_made_of_a_formula_is_no_text(tmp_path: Path, text: str) -> None:
    assert only("multimm", table(tmp_path / "EN.csv", MULTIMM, ("1.jpg", text, 0, "", "", 0))).text == ""


# file name, bytes, what is said
NO_TABLES = [
    ("a.csv", b"Pic_id,Text\n1.jpg,x\n", "there is no column 'MetaphorOccurrence'; the columns are: 'Pic_id', 'Text'"),
    ("a.csv", b"", "there is no column 'Pic_id'; the columns are: none"),
    ("a.csv", "Pic_id,Text".encode("utf-16"), "UTF-16"),
    ("a.xlsx", b"PK\x03\x04 no workbook", "this xlsx file cannot be read"),
    ("a.txt", b"x", "cannot tell the format by the name"),
    ("a.jsonl", b'{"Pic_id": "1.jpg"}\n', "there is no column 'Text'"),
]


@pytest.mark.parametrize(("name", "data", "said"), NO_TABLES)
def test_files_that_are_none_of_the_source(tmp_path: Path, name: str, data: bytes, said: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(UsageError, match=said.replace("?", r"\?")):
        read("multimm", tmp_path / name)


def test_a_sheet_that_unpacks_to_too_much_is_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = table(tmp_path / "EN.xlsx", MULTIMM, ("1.jpg", "x" * 20_000, 0, "", "", 0))
    monkeypatch.setattr(tables, "LARGEST", 20_000)
    assert file.stat().st_size < tables.LARGEST
    with pytest.raises(UsageError, match="it unpacks to 0 MiB"):
        read("multimm", file)


def test_a_quote_that_never_ends_is_an_error_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f'{",".join(MULTIMM)}\n1.jpg,x,0,,,0\n2.jpg,"x,0,,,0\n')
    with pytest.raises(DataError, match=r"^a\.csv, line 3: this is not CSV"):
        read("multimm", tmp_path / "a.csv")


def test_unknown_sources_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"The sources are {', '.join(SOURCES)}"):
        read("multimet", tmp_path / "ads.xlsx")
