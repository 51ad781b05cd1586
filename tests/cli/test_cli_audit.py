"""`audit table` and `audit data`: what they print for a person, for a program, and when they are called wrongly."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli_data import Beholder, check_refused, tfq_data, tree, write_image

HEADER = (
    "model,All,Color,Proportion,OCR,Symbolic,Maze,Math,WordSearch,LowLight,Instrument,SpotDiff,Jigsaw,VisualSearch,"
    "Rotation,Note"
)
ROWS = (
    "Random Guess,13.5,28.0,6.7,,14.0,13.3,15.8,0.0,4.0,8.8,22.6,5.8,22.5,16.0,blind",
    "Llava-Next-72B,11.2,20.0,15.8,3.3,8.0,10.8,15.0,0.0,10.0,11.3,16.3,0.0,23.3,12.0,",
    "o3,26.9,36.0,34.2,8.3,34.0,29.2,24.2,4.0,28.0,17.5,37.2,10.8,47.5,33.3,",
    "DeepEyes,17.3,22.0,6.7,41.7,19.9,16.7,20.0,1.0,16.0,3.8,19.9,3.9,50.8,12.0,",
)
OPTIONS = "Which way leads out?\nA. RR\nB. DD"


def table(folder: Path, *lines: str) -> Path:
    path = folder / "table.csv"
    path.write_text("\n".join(lines or (HEADER, *ROWS)) + "\n")
    return path


def record(number: int, answer: str = "B", task: str = "maze", image: str | None = None) -> dict[str, Any]:
    name = image or f"data/{number}.png"
    return {"id": number, "task": task, "prompt": OPTIONS, "answer": answer, "image_1": name, "meta_data": {}}


def data_set(folder: Path, *rows: dict[str, Any]) -> Path:
    for row in rows:
        write_image(folder / row["image_1"])
    (folder / "TIR-Bench.json").write_text(json.dumps(rows))
    return folder


def words_of(text: str) -> str:
    return " ".join(text.split())


def test_a_table_for_a_person(beholder: Beholder, tmp_path: Path) -> None:
    said = beholder("audit", "table", table(tmp_path))
    assert (said.code, said.err) == (0, "")
    lines = said.out.splitlines()
    assert lines[0] == "table.csv: TIR-Bench, 4 rows"
    shown = {line.split("  ")[0]: line.split() for line in lines[2:6]}
    assert shown["o3"][-3:] == ["26.9", "26.93", "26.48"]
    assert shown["o3"][1:4] == ["All", "as", "micro"]
    assert shown["Llava-Next-72B"][1:5] == ["All", "no;", "as", "macro"]
    assert shown["DeepEyes"][1:4] == ["All", "no", "17.3"]
    words = words_of(said.out)
    assert "2 of 4 rows have overall figures that do not follow: Llava-Next-72B, DeepEyes." in words
    assert "DeepEyes: Symbolic 19.9 cannot be a share of 50 items (nearest 18 and 20)." in words
    assert "With 10 there the overall figure would follow." in words
    assert "Random Guess: 13.5 follows from the groups as micro mean" in words
    assert "Columns not used: Note." in words


@pytest.mark.parametrize("columns", ["40", "80", "200"])
def test_it_fits_any_terminal(
    beholder: Beholder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    said = beholder("audit", "table", table(tmp_path))
    assert said.code == 0
    assert max(map(len, said.out.splitlines())) <= int(columns)


def test_a_table_for_a_program(beholder: Beholder, tmp_path: Path) -> None:
    found = beholder.json("audit", "table", table(tmp_path))
    assert set(found) == {"layout", "rows", "unread", "tolerance"}
    assert found["layout"]["columns"]["Symbolic"] == {"n": 50, "binary": True}
    assert found["layout"]["columns"]["Jigsaw"]["binary"] is False
    assert [row["model"] for row in found["rows"]] == ["Random Guess", "Llava-Next-72B", "o3", "DeepEyes"]
    assert [row["claims"][0]["follows"] for row in found["rows"]] == [True, False, True, False]
    assert [row["line"] for row in found["rows"]] == [2, 3, 4, 5]
    assert found["rows"][0]["missing"] == ["OCR"]
    (cell,) = found["rows"][3]["impossible"]
    assert cell == {"column": "Symbolic", "value": 19.9, "n": 50, "nearest": [18.0, 20.0], "would_follow": 10.0}


def test_a_table_in_which_all_is_well(beholder: Beholder, tmp_path: Path) -> None:
    said = beholder("audit", "table", table(tmp_path, HEADER, ROWS[2]))
    assert "Every overall figure follows from its columns." in said.out
    assert "table.csv: TIR-Bench, 1 row\n" in said.out
    empty = beholder("audit", "table", table(tmp_path, HEADER, ROWS[2].replace("26.9", "")))
    assert "No row has an overall figure." in empty.out
    assert "follows" not in empty.out


VLRB = "Model,General,Hallucination,Reasoning,OverallAccuracy,MacroAverageAccuracy"


def test_a_table_of_vl_rewardbench_fits_80_columns_and_says_once_why_cells_may_be_odd(
    beholder: Beholder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    rows = ("GPT-4o (2024-08-06),49.1,67.6,70.5,65.8,62.4", "LLaVA-OneVision-7B-ov,20.1,57.1,29.6,29.6,36.5")
    said = beholder("audit", "table", table(tmp_path, VLRB, *rows))
    lines = said.out.splitlines()
    assert "GPT-4o (2024-08-06) MacroAverageAccuracy as macro 62.4 65.63 62.40" in map(words_of, lines)
    assert "LLaVA-OneVision-7B-ov OverallAccuracy no 29.6 44.69 35.60" in map(words_of, lines)
    words = words_of(said.out)
    assert words.count("cannot be a share of") >= 2
    assert words.count("Such a figure may be a share of fewer items: the authors leave undecided ones out.") == 1
    none = beholder("audit", "table", table(tmp_path, VLRB, "x,50.3,50.1,50.0,50.1,50.1"))
    assert "cannot be a share" not in none.out
    assert "fewer items" not in none.out


def test_a_claim_among_the_counts_is_not_averaged(beholder: Beholder, tmp_path: Path) -> None:
    mine = table(tmp_path, "Method,easy,hard,Total", "A,90.0,10.0,70.0")
    (tmp_path / "counts.csv").write_text("easy,30\nhard,10\nTotal,40\n")
    found = beholder.json("audit", "table", mine, "--counts", tmp_path / "counts.csv", "--overall", "Total")
    assert list(found["layout"]["columns"]) == ["easy", "hard"]
    assert found["rows"][0]["claims"][0]["micro"] == 70.0
    assert found["rows"][0]["claims"][0]["macro"] == 50.0
    (tmp_path / "counts.csv").write_text("Total,40\n")
    check_refused(
        beholder("audit", "table", mine, "--counts", tmp_path / "counts.csv", "--overall", "Total"),
        ("names no column of the table to be averaged",),
    )


def test_options_of_a_table(beholder: Beholder, tmp_path: Path) -> None:
    mine = table(tmp_path, "Method,easy,hard,Total", "A,90.0,10.0,50.0")
    counts = tmp_path / "counts.csv"
    counts.write_text("column,n\neasy,30\nhard,10\n")
    said = beholder("audit", "table", mine, "--counts", counts, "--overall", "Total")
    assert said.out.startswith("table.csv: the table, 1 row\n")
    assert "Total no; as macro" in words_of(said.out)
    assert "1 of 1 row has an overall figure that does not follow: A." in words_of(said.out)
    lenient = beholder.json("audit", "table", mine, "--counts", counts, "--overall", "Total", "--tolerance", 20)
    assert lenient["rows"][0]["claims"][0]["follows"] is True


def test_names_of_a_table_are_only_text(beholder: Beholder, tmp_path: Path) -> None:
    hostile = "[red]\x1b[2J\u202e" + "m" * 300
    said = beholder("audit", "table", table(tmp_path, HEADER, ROWS[3].replace("DeepEyes", hostile)))
    assert said.code == 0
    assert "\x1b" not in said.out
    assert "\u202e" not in said.out
    assert "[red]" in said.out


def test_a_data_set_for_a_person(beholder: Beholder, tmp_path: Path) -> None:
    rows = (record(1), record(2, "K"), record(3, task="ocr", answer="EXIT"), record(4, image="data/1.png"))
    folder = data_set(tmp_path / "set", *rows)
    (folder / "data" / "3.png").unlink()
    said = beholder("audit", "data", "tir", folder)
    assert (said.code, said.err) == (1, ""), "a picture is missing"
    words = words_of(said.out)
    assert words.startswith(f"{folder}: 4 records, 4 images")
    assert "maze 3, ocr 1" in words
    assert "This is not the whole of TIR-Bench: 4 of 1,215 items" in words
    assert "Same content: TIR-Bench.json, record 1, TIR-Bench.json, record 4" in words
    assert "TIR-Bench.json, record 3: data/3.png: " in words
    assert "does not exist" in words
    assert "Errata: 1 record whose own gold a scorer does not find right." in words
    line = next(line for line in said.out.splitlines() if "official(det)" in line)
    assert line.split()[0] == "TIR-Bench.json,"
    assert "K" in line


def test_a_data_set_for_a_program(beholder: Beholder, tmp_path: Path) -> None:
    found = beholder.json("audit", "data", "tir", data_set(tmp_path / "set", record(1), record(2, "K")))
    assert (found["records"], found["images"], found["categories"]) == (2, 2, {"maze": 2})
    assert {erratum["scorer"] for erratum in found["errata"]} == {"official", "official(det)"}
    assert found["errata"][0]["where"] == "TIR-Bench.json, record 2"


def test_a_data_set_in_which_all_is_well(beholder: Beholder, tmp_path: Path) -> None:
    said = beholder("audit", "data", "tfq", tfq_data(tmp_path))
    assert said.code == 0
    assert "6 records, 6 images" in said.out
    assert "The gold is right under every scorer." in said.out


def test_long_lists_are_cut_and_said_to_be(beholder: Beholder, tmp_path: Path) -> None:
    folder = data_set(tmp_path / "set", *(record(number, "K") for number in range(25)))
    for number in range(25):
        (folder / "data" / f"{number}.png").write_bytes(b"x")
    said = beholder("audit", "data", "tir", folder)
    assert said.code == 1
    assert "… and 5 more images." in said.out
    assert "Errata: 25 records" in said.out
    assert "… and 30 more (--json lists all)." in said.out
    assert len(json.loads(beholder("audit", "data", "tir", folder, "--json").out)["errata"]) == 50


def test_differences_and_errata_alone_break_nothing(beholder: Beholder, tmp_path: Path) -> None:
    said = beholder("audit", "data", "tir", data_set(tmp_path / "set", record(1), record(2, "K")))
    assert said.code == 0
    assert "This is not the whole of TIR-Bench" in said.out
    assert "Errata: 1 record whose" in said.out


def test_records_that_cannot_be_used_are_all_listed(beholder: Beholder, tmp_path: Path) -> None:
    bad = [record(number, "") for number in range(3, 26)]
    folder = data_set(tmp_path / "set", record(1), record(2, task="dog"), *bad)
    said = beholder("audit", "data", "tir", folder)
    assert (said.code, said.err) == (1, "")
    words = words_of(said.out)
    assert words.startswith(f"{folder}: 1 record, 1 image")
    assert "24 records cannot be used:" in words
    assert "TIR-Bench.json, record 2: there is no task 'dog' in TIR-Bench. The tasks are" in words
    assert "record 3: column 'answer' is empty. Mend or remove this record." in words
    assert "… and 4 more records." in words
    assert "Reading stopped" not in words
    assert "The gold is right under every scorer." in words
    listed = beholder("audit", "data", "tir", folder, "--json")
    assert listed.code == 1
    found = json.loads(listed.out)
    assert (found["records"], len(found["unusable"]), found["stopped"]) == (1, 24, False)


def test_a_loader_that_stops_says_so(beholder: Beholder, tmp_path: Path) -> None:
    file = tfq_data(tmp_path)
    lines = file.read_text().splitlines()
    file.write_text("\n".join([*lines[:2], "{}", "{}", *lines[2:]]) + "\n")
    said = beholder("audit", "data", "tfq", file)
    assert (said.code, said.err) == (1, "")
    assert f"{file.name}, line 3: " in said.out
    assert "2 records, 2 images" in said.out
    assert "1 record cannot be used:" in said.out
    assert "Reading stopped there: what comes after it was not looked at." in said.out


def test_a_file_that_breaks_off_is_broken_data(beholder: Beholder, tmp_path: Path) -> None:
    folder = data_set(tmp_path / "set", record(1), record(2))
    whole = (folder / "TIR-Bench.json").read_text()
    (folder / "TIR-Bench.json").write_text(whole[:-20])
    said = beholder("audit", "data", "tir", folder)
    assert (said.code, said.err) == (1, "")
    assert "Reading stopped there" in said.out
    (folder / "TIR-Bench.json").write_text("")
    assert beholder("audit", "data", "tir", folder).code == 1


def test_another_folder_of_pictures(beholder: Beholder, tmp_path: Path) -> None:
    folder = data_set(tmp_path / "set", record(1))
    (tmp_path / "pictures").mkdir()
    (folder / "data").rename(tmp_path / "pictures" / "data")
    missing = beholder("audit", "data", "tir", folder, "--json")
    assert missing.code == 1
    assert len(json.loads(missing.out)["unreadable"]) == 1
    assert beholder.json("audit", "data", "tir", folder, "--images", tmp_path / "pictures")["unreadable"] == []


WRONG: list[tuple[str, Callable[[Path], list[object]], tuple[str, ...]]] = [
    ("no such file", lambda h: ["table", h / "gone.csv"], ("gone.csv", "cannot be read")),
    ("another table", lambda h: ["table", table(h, "model,TFQ", "x,1")], ("no table that is known", "--counts")),
    ("no rows", lambda h: ["table", table(h, HEADER)], ("no rows",)),
    (
        "a cell that is no figure",
        lambda h: ["table", table(h, HEADER, ROWS[2].replace("36.0", "x"))],
        ("line 2", "'x'"),
    ),
    ("overall without counts", lambda h: ["table", table(h), "--overall", "All"], ("--overall", "--counts")),
    ("counts that are not there", lambda h: ["table", table(h), "--counts", h / "c.csv"], ("c.csv", "cannot be read")),
    ("a tolerance below 0", lambda h: ["table", table(h), "--tolerance", "-1"], ("--tolerance",)),
    ("a tolerance that is none", lambda h: ["table", table(h), "--tolerance", "nan"], ("--tolerance",)),
    ("no data", lambda h: ["data", "tir", h / "gone"], ("gone", "no such file")),
    ("unknown benchmark", lambda h: ["data", "tirr", h], ("'tirr'", "Did you mean tir")),
    ("no pictures folder", lambda h: ["data", "tir", data_set(h, record(1)), "--images", h / "no"], ("image folder",)),
    ("no path", lambda h: ["data", "tir"], ("PATH", "beholder audit data --help")),
    ("an unknown part", lambda h: ["tables", table(h)], ("'tables'", "beholder audit --help")),
]


@pytest.mark.parametrize(("make", "words"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_a_wrong_call_is_told_in_one_line_and_nothing_is_written(
    beholder: Beholder, tmp_path: Path, make: Callable[[Path], list[object]], words: tuple[str, ...]
) -> None:
    arguments = make(tmp_path)
    before = tree(tmp_path)
    check_refused(beholder("audit", *arguments), words)
    assert tree(tmp_path) == before


@pytest.mark.parametrize("arguments", [["audit", "--help"], ["audit", "table", "--help"], ["audit", "data", "-h"]])
def test_help(beholder: Beholder, arguments: list[str]) -> None:
    said = beholder(*arguments)
    assert said.code == 0
    assert f"Usage: beholder {' '.join(arguments[:-1])} " in said.out
