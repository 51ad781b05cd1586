"""Reading other tools' logs: their answers come out as the model gave them; hostile files end in one plain line."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import peer_files
import pytest
from peer_files import EVAL, JSON, LAMP_ANSWERS, LMMS, MAZE_ANSWERS, TSV, XLSX, inspect_sample
from peer_files import inspect_log as make_log

from beholder.errors import DataError, Owner, UsageError
from beholder.peers import evalscope, inspect_log, lmms_eval, vlmevalkit
from beholder.peers.peer_log import PeerLog, PeerScore

EVALSCOPE = peer_files.EVALSCOPE


def said(log: PeerLog, repetition: int = 0) -> list[str | None]:
    """The answers in order; None where the tool got none."""
    chosen = [one.response for one in log.answers if one.repetition == repetition]
    assert all(one.failure is None or one.failure.owner is Owner.PROVIDER for one in chosen)
    return [one.text if one.failure is None else None for one in chosen]


@pytest.mark.parametrize(
    ("read", "file", "expected"),
    [
        (inspect_log.read, EVAL, LAMP_ANSWERS),
        (inspect_log.read, JSON, LAMP_ANSWERS),
        (lmms_eval.read, LMMS, LAMP_ANSWERS),
        (vlmevalkit.read, TSV, LAMP_ANSWERS),
        (evalscope.read, EVALSCOPE, MAZE_ANSWERS),
        (evalscope.read, EVALSCOPE.parent, MAZE_ANSWERS),
    ],
)
def test_the_answers_are_those_that_the_model_gave(
    read: Callable[[Path], PeerLog], file: Path, expected: list[str | None]
) -> None:
    assert said(read(file)) == expected


def test_what_else_an_inspect_log_tells() -> None:
    log = inspect_log.read(EVAL)
    assert (log.version, log.model, log.task) == ("0.3.285", "openai-api/local/test-model", "lamps")
    assert log.generation == {"max_retries": 0, "max_tokens": 64, "temperature": 0.5}
    assert said(log, 1) == LAMP_ANSWERS
    by_place = {(one.index, one.repetition): one for one in log.answers}
    cut, thought, refused = (by_place[place, 0] for place in (4, 1, 7))
    assert cut.response.finish == "length"
    assert thought.response.reasoning == "It is a lamp."
    assert thought.response.usage.prompt_tokens == 10
    assert thought.scores["pattern"].value == 1.0
    assert thought.scores["match"] == PeerScore(0.0, "I", LAMP_ANSWERS[1], LAMP_ANSWERS[1] or "")
    assert refused.response.failure is not None
    assert refused.response.failure.message == (
        "ModelGenerateError: BadRequestError: Error code: 400 - the picture was refused"
    )
    assert [len(one.pictures) for one in log.answers] == [1] * 20
    assert all(one.pictures[0].startswith(b"\xff\xd8") for one in log.answers)


def test_what_else_the_others_tell() -> None:
    lmms, tab, scope = lmms_eval.read(LMMS), vlmevalkit.read(TSV), evalscope.read(EVALSCOPE)
    assert (lmms.model, lmms.generation["max_new_tokens"]) == ("test-model", 64)
    assert [one.scores["lamp_acc"].value for one in lmms.answers] == [0, 0, 1, 0, 0, 0, 0, 0, 1, 0]
    assert (tab.model, tab.task) == ("test-model", "lamps")
    assert [one.scores["hit"].value for one in tab.answers] == [0, 0, 1, 0, 0, 0, 0, 1, 1, 0]
    assert (scope.version, scope.model, scope.generation["temperature"]) == ("1.14.1", "test-model", 0.5)
    assert [one.index for one in scope.answers] == [0, 1, 2, 3, 4, 5, 6, 8, 9]
    assert [one.scores["acc"].value for one in scope.answers] == [1, 1, 1, 0, 0, 0, 1, 0, 1]
    assert [one.response.finish for one in scope.answers][-2:] == ["length", "stop"]


def test_formulas_in_a_workbook_are_text() -> None:
    log = vlmevalkit.read(XLSX)
    assert said(log)[:10] == LAMP_ANSWERS
    assert (log.answers[10].question, log.answers[10].response.text) == ("=1+1", '=HYPERLINK("http://x")')


def test_a_formula_over_several_cells_is_its_text(tmp_path: Path) -> None:
    from openpyxl import Workbook
    from openpyxl.worksheet.formula import ArrayFormula

    book = Workbook()
    for row in (["index", "prediction"], [0, ArrayFormula("B2", "=SUM(1,2)")]):
        book.active.append(row)
    book.save(tmp_path / "m_x.xlsx")
    assert said(vlmevalkit.read(tmp_path / "m_x.xlsx")) == ["=SUM(1,2)"]


@pytest.mark.parametrize(
    ("value", "share"),
    [
        ("C", 1.0),
        ("P", 0.5),
        ("I", 0.0),
        ("N", 0.0),
        (0.25, 0.25),
        (True, 1.0),
        (85, None),
        ("fine", None),
        ({}, None),
        (10**400, None),
    ],
)
def test_an_inspect_score_is_a_share_or_nothing(tmp_path: Path, value: Any, share: float | None) -> None:
    file = make_log(tmp_path / "a.json", [inspect_sample(scores={"own": {"value": value}})])
    assert inspect_log.read(file).answers[0].scores["own"].value == share


def test_a_score_that_is_not_a_number_is_none(tmp_path: Path) -> None:
    file = make_log(tmp_path / "a.json", [inspect_sample(scores={"own": {"value": float("nan")}})])
    assert inspect_log.read(file).answers[0].scores["own"] == PeerScore(None, "NaN")


@pytest.mark.parametrize(
    ("row", "texts"),
    [
        ({"doc_id": 0, "resps": [["a"]], "filtered_resps": ["b"]}, ["a"]),
        ({"doc_id": 0, "resps": ["a", "b"], "filtered_resps": "a"}, ["a", "b"]),
        ({"doc_id": 0, "filtered_resps": ["a"], "arguments": [["Statement 0", {}]]}, ["a"]),
        ({"doc_id": 0, "resps": "a", "arguments": {"gen_args_0": {"arg_0": "Statement 0"}}}, ["a"]),
    ],
)
def test_older_and_repeated_lmms_eval_samples(tmp_path: Path, row: dict[str, Any], texts: list[str]) -> None:
    file = tmp_path / "1_samples_t.jsonl"
    file.write_text(json.dumps(row | {"acc": {"score": 1, "parsed_pred": "A"}}))
    log = lmms_eval.read(file)
    assert said(log) + said(log, 1) == texts
    assert log.answers[0].scores == {"acc": PeerScore(1.0, "1", "A")}
    if "arguments" in row:
        assert log.answers[0].question == "Statement 0"


def _json(content: str) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        file = folder / "log.json"
        file.write_text(content)
        return file

    return write


def _sample(**changes: Any) -> Callable[[Path], Path]:
    return lambda folder: make_log(folder / "log.json", [inspect_sample(**changes)])


def _lines(*rows: Any) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        file = folder / "1_samples_t.jsonl"
        file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        return file

    return write


def _named(name: str, content: bytes) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        file = folder / name
        file.write_bytes(content)
        return file

    return write


def _archive(entries: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Callable[[Path], Path]:
    return lambda folder: peer_files.zipped(folder / "log.eval", entries, method)


_HEADER = json.dumps({"status": "success", "eval": {"model": "m", "dataset": {}}}).encode()
_SCORE = {"sample_score": {"score": {"value": {"acc": 1}}}}
_REPEATED = {"sample_score": {**_SCORE["sample_score"], "generation_index": 10**9}}
_PICTURE = {"type": "image", "image": "data:image/png;base64,AAAA"}
_LONG = {"content": "attachment://a"}
HOSTILE: list[tuple[str, Callable[[Path], PeerLog], Callable[[Path], Path], str]] = [
    ("no file", inspect_log.read, lambda folder: folder / "none.json", "there is no such file"),
    ("no archive", inspect_log.read, _named("log.eval", b"PK\x03\x04 nothing"), "not an Inspect log"),
    ("no header", inspect_log.read, _archive({"other": b"{}"}), "no header.json"),
    ("header no object", inspect_log.read, _archive({"header.json": b"[]"}), "must be an object but is a list"),
    ("no eval", inspect_log.read, _archive({"header.json": b"{}"}), "it has no 'eval'"),
    ("half JSON", inspect_log.read, _json('{"eval": '), "not valid JSON"),
    ("deep", inspect_log.read, _json('{"eval":' + "[" * 100_000), "nested too deeply"),
    ("samples no list", inspect_log.read, lambda f: make_log(f / "log.json", {"a": 1}), "'samples' must be a list"),
    ("sample no object", inspect_log.read, lambda f: make_log(f / "log.json", [3]), "a sample must be an object"),
    ("id a list", inspect_log.read, _sample(id=[1]), "'id' must be text"),
    ("epoch 0", inspect_log.read, _sample(epoch=0), "'epoch' must be a whole number in 1..1000"),
    ("epoch huge", inspect_log.read, _sample(epoch=10**9), "'epoch' must be a whole number in 1..1000"),
    ("many pictures", inspect_log.read, _sample(input=[{"content": [_PICTURE] * 65}]), "more than 64 pictures"),
    ("many texts", inspect_log.read, _sample(input=[_LONG, _LONG], attachments={"a": "x" * 3_000_000}), "4,000,000"),
    ("text a number", inspect_log.read, _sample(output={"choices": [{"message": {"content": 3}}]}), "must be text"),
    ("huge answer", inspect_log.read, _sample(input="x" * 4_000_001), "longer than 4,000,000 characters"),
    ("scores a list", inspect_log.read, _sample(scores=[1]), "'scores' must be an object"),
    ("many scores", inspect_log.read, _sample(scores={f"s{n}": {} for n in range(65)}), "more than 64 scores"),
    ("no answers", lmms_eval.read, _lines({"doc_id": 0}), "neither 'resps' nor 'filtered_resps'"),
    ("empty answers", lmms_eval.read, _lines({"doc_id": 0, "resps": []}), "'resps' is empty"),
    ("answer a number", lmms_eval.read, _lines({"doc_id": 0, "resps": [1]}), "the answer must be text"),
    ("many answers", lmms_eval.read, _lines({"doc_id": 0, "resps": ["T"] * 1001}), "more than 1,000 answers"),
    ("no line", lmms_eval.read, _lines(), "there are no records"),
    ("not reviews", evalscope.read, _lines({"index": 1}), "no 'index' or no 'sample_score'"),
    ("index a text", evalscope.read, _lines({"index": "a", **_SCORE}), "no 'index' or no 'sample_score'"),
    ("repetition huge", evalscope.read, _lines({"index": 0, **_REPEATED}), "'generation_index' must be a whole number"),
    ("messages a text", evalscope.read, _lines({"index": 0, "messages": "x", **_SCORE}), "'messages' must be a list"),
    ("no reviews", evalscope.read, lambda folder: folder, "no reviews"),
    ("pickle", vlmevalkit.read, _named("a.pkl", b"cos\nsystem\n(S'x'\ntR."), "a pickle is not read"),
    ("other ending", vlmevalkit.read, _named("a.csv", b""), "end in .xlsx or .tsv"),
    ("no column", vlmevalkit.read, _named("a.tsv", b"index\tanswer\n"), "no column 'prediction'"),
    ("no row", vlmevalkit.read, _named("a.tsv", b"index\tprediction\n"), "no rows"),
    ("UTF-16", vlmevalkit.read, _named("a.tsv", b"\xff\xfei\0"), "not UTF-8"),
    ("no workbook", vlmevalkit.read, _named("a.xlsx", b"PK nothing"), "this workbook cannot be read"),
    ("empty zip", vlmevalkit.read, _named("a.xlsx", b"PK\x05\x06" + bytes(18)), "this workbook cannot be read"),
]


@pytest.mark.parametrize(("read", "make", "words"), [row[1:] for row in HOSTILE], ids=[row[0] for row in HOSTILE])
def test_a_hostile_log_ends_in_one_plain_line(
    tmp_path: Path, read: Callable[[Path], PeerLog], make: Callable[[Path], Path], words: str
) -> None:
    with pytest.raises((UsageError, DataError)) as caught:
        read(make(tmp_path))
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_older_archives_are_read_and_names_are_only_names(tmp_path: Path, method: int) -> None:
    sample = json.dumps(inspect_sample()).encode()
    entries = {"header.json": _HEADER, "samples/1_epoch_1.json": sample, "../samples/2.json": sample, "/etc/x": b""}
    log = inspect_log.read(peer_files.zipped(tmp_path / "log.eval", entries, method))
    assert said(log) == ["<answer>T</answer>"]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["log.eval"]


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("beholder.peers.inspect_zip.LARGEST_ENTRY", 4 << 20)
    entries = {"header.json": _HEADER, "samples/1_epoch_1.json": b" " * (8 << 20)}
    with pytest.raises(DataError, match="more than a log can have"):
        inspect_log.read(peer_files.zipped(tmp_path / "log.eval", entries))


def test_a_bomb_of_zstandard_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("beholder.peers.inspect_zip.LARGEST_ENTRY", 3 << 10)
    with pytest.raises(DataError, match="more than a log can have"):
        inspect_log.read(EVAL)


@pytest.mark.parametrize("place", range(1000, 4000, 200))
def test_a_damaged_archive_ends_in_one_line(tmp_path: Path, place: int) -> None:
    data = bytearray(EVAL.read_bytes())
    data[place : place + 40] = bytes(40)
    file = tmp_path / "log.eval"
    file.write_bytes(data)
    with pytest.raises((UsageError, DataError)) as caught:
        inspect_log.read(file)
    assert "\n" not in str(caught.value)


def test_without_zstandard_the_user_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "zstandard", None)
    with pytest.raises(UsageError, match="pip install 'beholder\\[inspect\\]'"):
        inspect_log.read(EVAL)
