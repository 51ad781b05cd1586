"""Reading records: every layout, and every way in which a file can be broken, named with place and mend."""

from __future__ import annotations

import hashlib
import json
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from beholder.benchmarks.records import (
    Record,
    data_files,
    file_digest,
    identifier,
    image_ref,
    optional_text,
    read_records,
    require,
)
from beholder.errors import BeholderError, DataError, UsageError

ROWS: list[dict[str, Any]] = [{"a": 1}, {"a": "zwei", "b": None}, {"a": [True, {"c": "\u2028 é 🙂"}]}]
SURROGATE = '{"a": "\\ud83d"}'


def write(path: Path, data: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data)
    return path


def write_parquet(path: Path, rows: list[dict[str, Any]], **options: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pa.Table.from_pylist(rows), path, **options)
    return path


LAYOUTS = [
    ("list.json", json.dumps(ROWS), "list.json, record 2"),
    ("pretty.json", json.dumps(ROWS, indent=2, ensure_ascii=False), "pretty.json, record 2"),
    ("bom.json", "\ufeff" + json.dumps(ROWS), "bom.json, record 2"),
    ("lines.jsonl", "".join(json.dumps(row) + "\n" for row in ROWS), "lines.jsonl, line 2"),
    (
        "bom.jsonl",
        "\ufeff" + "\r\n".join(json.dumps(row, ensure_ascii=False) for row in ROWS),
        "bom.jsonl, line 2",
    ),
    ("blank.jsonl", "\n" + "\n \n".join(json.dumps(row) for row in ROWS) + "\n\n", "blank.jsonl, line 4"),
    ("lines.json", "\n".join(json.dumps(row) for row in ROWS), "lines.json, line 2"),
    ("UPPER.JSONL", "\n".join(json.dumps(row) for row in ROWS), "UPPER.JSONL, line 2"),
]


@pytest.mark.parametrize(("name", "text", "where"), LAYOUTS, ids=[layout[0] for layout in LAYOUTS])
def test_layouts(tmp_path: Path, name: str, text: str, where: str) -> None:
    records = list(read_records(write(tmp_path / name, text)))
    assert [record.value for record in records] == ROWS
    assert [record.index for record in records] == [0, 1, 2]
    assert records[1].where == where


def test_python_json_extensions_are_read(tmp_path: Path) -> None:
    """What json.dump writes and msgspec refuses: lone surrogates, NaN, whole numbers beyond 64 bits."""
    text = f'[{SURROGATE}, {{"a": NaN}}, {{"a": {10**30}}}]'
    first, second, third = [record.value["a"] for record in read_records(write(tmp_path / "x.json", text))]
    assert first == "\ud83d"
    assert second != second
    assert third == 10**30
    lines = write(tmp_path / "x.jsonl", SURROGATE + "\n")
    assert [record.value["a"] for record in read_records(lines)] == ["\ud83d"]


def test_parquet_keeps_types_and_order_over_batches(tmp_path: Path) -> None:
    rows = [{"n": n, "image": {"bytes": bytes([n % 256]), "path": None}, "seq": ["a"] * (n % 3)} for n in range(200)]
    records = list(read_records(write_parquet(tmp_path / "x.parquet", rows, row_group_size=70)))
    assert [record.value for record in records] == rows
    assert records[130].where == "x.parquet, record 131"


def test_folder_with_shards(tmp_path: Path) -> None:
    write(tmp_path / "README.md", "card")
    write(tmp_path / "dataset_info.json", "{}")
    write(tmp_path / ".cache.json", "{}")
    for shard in (1, 0):
        write_parquet(tmp_path / "data" / f"test-0000{shard}-of-00002.parquet", [{"n": shard}])
    records = list(read_records(tmp_path))
    assert [(record.index, record.value) for record in records] == [(0, {"n": 0}), (1, {"n": 1})]
    assert records[1].where == "test-00001-of-00002.parquet, record 1"
    joined = b"".join(file.read_bytes() for file in data_files(tmp_path))
    assert file_digest(tmp_path) == hashlib.sha256(joined).hexdigest()
    (tmp_path / "data" / "test-00001-of-00002.parquet").unlink()
    with pytest.raises(DataError, match="1 of 2 shards"):
        read_records(tmp_path)


def test_folder_with_one_json_and_images(tmp_path: Path) -> None:
    file = write(tmp_path / "items.jsonl", '{"a": 1}')
    write(tmp_path / "images" / "1.png", b"png")
    assert data_files(tmp_path) == (file,)
    assert file_digest(tmp_path) == hashlib.sha256(b'{"a": 1}').hexdigest()


BROKEN = [
    ("x.json", "", "x.json: the file is empty"),
    ("x.json", "[]", "x.json: there are no records"),
    ("x.jsonl", "", "x.jsonl: there are no records"),
    ("x.jsonl", "\n\n", "x.jsonl: there are no records"),
    ("x.json", '[{"a": 1}, {"a": }]', "x.json, record 2: this is not valid JSON"),
    ("x.json", '[{"a": 1}, {"a": "cut', "x.json, record 2: this is not valid JSON"),
    ("x.json", '[{"a": 1}, {"a": 2}', "x.json, record 2: the list breaks off"),
    ("x.json", '[{"a": 1} {"a": 2}]', "x.json, record 1: the list breaks off or lacks a comma"),
    ("x.json", '[{"a": 1},]', "x.json, record 2: this is not valid JSON"),
    ("x.json", '[{"a": 1}] trailing', "x.json: there is text after"),
    ("x.json", '[{"a": 1}, 2]', "x.json, record 2: a record must be an object but is a number"),
    ("x.json", '"text"', "x.json: this is not a list of records"),
    ("x.json", '{\n "a": 1\n}', "x.json, line 1: this is not valid JSON"),
    (
        "x.json",
        '[{"a": ' + "[" * 100_000,
        "x.json, record 1: this JSON cannot be read: it is nested too deeply",
    ),
    ("x.jsonl", '{"a": 1}\n{"a": 2', "x.jsonl, line 2: this is not valid JSON"),
    ("x.jsonl", '{"a": 1}\n["a"]\n', "x.jsonl, line 2: a record must be an object but is a list"),
    ("x.jsonl", '{"a": 1}\nnull\n', "x.jsonl, line 2: a record must be an object but is null"),
    ("x.jsonl", '[{"a": 1},\n{"a": 1}]', "x.jsonl, line 1: this is not valid JSON"),
    ("x.jsonl", '{"a": "\0"}', "x.jsonl, line 1: this is not valid JSON"),
    ("x.jsonl", b'{"a": 1}\n{"a": "\xff"}', "x.jsonl, line 2: byte 7 is not UTF-8"),
    ("x.json", b'[{"a": "\xff"}]', "x.json, record 1: byte 7 is not UTF-8"),
    ("x.jsonl", '{"a": 1}'.encode("utf-16"), "x.jsonl: the text is UTF-16"),
    ("x.json", '[{"a": 1}]'.encode("utf-16"), "x.json: the text is UTF-16"),
    ("x.jsonl", '{"a": ' + "9" * 5000 + "}", "x.jsonl, line 1: this JSON cannot be read"),
    ("x.parquet", b"", "x.parquet: this Parquet file cannot be read"),
    ("x.parquet", b"PAR1 not really PAR1", "x.parquet: this Parquet file cannot be read"),
]


@pytest.mark.parametrize(("name", "data", "message"), BROKEN, ids=[f"{n}-{m[:50]}" for n, _, m in BROKEN])
def test_broken_files(tmp_path: Path, name: str, data: str | bytes, message: str) -> None:
    with pytest.raises(DataError) as caught:
        list(read_records(write(tmp_path / name, data)))
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)
    if not message.endswith("number") and "must be an object" not in message:
        assert caught.value.mend


def test_parquet_cut_in_the_middle(tmp_path: Path) -> None:
    rows = [{"image": bytes(2000), "n": n} for n in range(300)]
    data = write_parquet(tmp_path / "x.parquet", rows, row_group_size=100, compression="none").read_bytes()
    damaged = data[:300_000] + bytes(50_000) + data[350_000:]
    with pytest.raises(DataError, match=r"x\.parquet.*cannot be read"):
        list(read_records(write(tmp_path / "x.parquet", damaged)))


NO_DATA = [
    ([], "missing.json", "no such file"),
    (["x.csv"], "x.csv", "cannot tell the format"),
    ([], "", "holds no data file"),
    (["a.json", "b.jsonl"], "", "holds 2 data sets"),
    (["data/train-00000-of-00001.parquet", "data/test-00000-of-00001.parquet"], "", "holds 2 data sets"),
]


@pytest.mark.parametrize(("files", "path", "message"), NO_DATA, ids=[case[2] for case in NO_DATA])
def test_no_single_data_set(tmp_path: Path, files: list[str], path: str, message: str) -> None:
    for name in files:
        write(tmp_path / name, "{}")
    with pytest.raises(UsageError, match=message):
        read_records(tmp_path / path)  # at once, before anything is read


def test_missing_pyarrow_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_parquet(tmp_path / "x.parquet", [{"n": 1}])
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UsageError, match=r"pip install 'beholder\[data\]'"):
        list(read_records(path))


def test_json_lines_stream_in_flat_memory(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    with path.open("w") as file:
        file.writelines(f'{{"id": {n}, "text": "{"x" * 80}"}}\n' for n in range(40_000))
    tracemalloc.start()
    try:
        assert sum(1 for _ in read_records(path)) == 40_000
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000 < path.stat().st_size


RECORD = Record("x.jsonl, line 3", 2, {"text": "a", "number": 3, "flag": True, "none": None, "list": [1]})


def test_require() -> None:
    assert require(RECORD, "text", str) == "a"
    assert require(RECORD, "number", (str, int)) == 3
    assert require(RECORD, "flag", bool) is True
    assert optional_text(RECORD, "none") == optional_text(RECORD, "absent") == identifier(RECORD, "none") == ""
    assert identifier(RECORD, "number") == "3"


WRONG_COLUMNS = [
    ("absent", str, "x.jsonl, line 3: there is no column 'absent'; the columns are: 'text', 'number'"),
    ("none", str, "x.jsonl, line 3: column 'none' must be text but is null"),
    ("flag", int, "column 'flag' must be a number but is true/false"),
    ("list", (str, int, float), "column 'list' must be text or a number but is a list"),
]


@pytest.mark.parametrize(("column", "types", "message"), WRONG_COLUMNS)
def test_require_names_record_and_column(column: str, types: Any, message: str) -> None:
    with pytest.raises(DataError) as caught:
        require(RECORD, column, types)
    assert message in str(caught.value)


def test_image_ref(tmp_path: Path) -> None:
    assert image_ref(RECORD, "a/1.png", tmp_path).path == str(tmp_path / "a/1.png")
    embedded = image_ref(RECORD, {"bytes": b"png", "path": "/abs/1.png"}, tmp_path)
    assert (embedded.data, embedded.path, embedded.name) == (b"png", None, "/abs/1.png")
    assert image_ref(RECORD, {"bytes": None, "path": "1.png"}, tmp_path).path == str(tmp_path / "1.png")
    assert image_ref(RECORD, b"png", tmp_path).data == b"png"


BAD_IMAGES = [
    ("/etc/passwd", "leaves the image folder"),
    ("a/../../x.png", "leaves the image folder"),
    ("..\\x.png", "leaves the image folder"),
    ("a\0.png", "leaves the image folder"),
    ("https://example.org/x.png", "is an address"),
    ("data:image/png;base64,AAAA", "is an address"),
    ("C:\\x.png", "leaves the image folder"),
    ("", "is empty"),
    (None, "is empty"),
    (7, "is a number"),
    (b"", "is empty"),
    ({"bytes": None, "path": None}, "is empty"),
    ({}, "is empty"),
]


@pytest.mark.parametrize(("value", "message"), BAD_IMAGES, ids=[repr(case[0]) for case in BAD_IMAGES])
def test_image_ref_refuses(tmp_path: Path, value: Any, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        image_ref(RECORD, value, tmp_path)
    assert str(caught.value).startswith("x.jsonl, line 3: ")


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(st.dictionaries(st.text(), JSON_VALUES, max_size=3), min_size=1, max_size=5), st.booleans())
@settings(deadline=None, max_examples=60)
def test_reads_what_json_writes(tmp_path_factory: pytest.TempPathFactory, rows: Any, ascii_only: bool) -> None:
    folder = tmp_path_factory.mktemp("json")
    as_list = write(folder / "x.json", json.dumps(rows, ensure_ascii=ascii_only))
    as_lines = write(folder / "x.jsonl", "\n".join(json.dumps(row, ensure_ascii=ascii_only) for row in rows))
    assert [record.value for record in read_records(as_list)] == rows
    assert [record.value for record in read_records(as_lines)] == rows


@given(
    st.binary(max_size=200) | st.text('[]{},:"\\ud1a\n ', max_size=60).map(str.encode),
    st.sampled_from(["json", "jsonl", "parquet"]),
)
@settings(deadline=None, max_examples=150)
def test_hostile_bytes_give_records_or_one_line(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, suffix: str
) -> None:
    path = write(tmp_path_factory.mktemp("hostile") / f"x.{suffix}", data)
    message = f"{path.name}: "
    try:
        assert all(isinstance(record.value, dict) for record in read_records(path))
    except BeholderError as error:
        message = str(error)
    assert message.startswith("x.")
    assert "\n" not in message
