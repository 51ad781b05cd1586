"""`beholder import` of other tools' logs, and what the other commands make of such a run."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from cli_data import Beholder

import made_runs
import made_tir

LOGS = Path(__file__).parents[1] / "peers" / "logs"
CASES = [
    ("inspect", LOGS / "inspect" / "lamps.eval", "tfq", "match", 8),
    ("inspect", LOGS / "inspect" / "lamps.json", "tfq", "match", 4),
    ("lmms-eval", LOGS / "lmms_eval" / "20261201_074834_samples_lamps.jsonl", "tfq", "lamp_acc", 5),
    ("vlmevalkit", LOGS / "vlmevalkit" / "test-model_lamps.tsv", "tfq", "hit", 5),
    ("evalscope", LOGS / "evalscope" / "reviews" / "test-model" / "tir_bench_maze.jsonl", "tir", "acc", 1),
]


@pytest.fixture
def lamps(tmp_path: Path) -> Path:
    return made_runs.tfq_data(tmp_path / "lamps", 10, images=2)


def data_of(name: str, tmp_path: Path) -> Path:
    if name == "tir":
        return made_tir.mazes(tmp_path / "mazes", 10)
    return made_runs.tfq_data(tmp_path / "lamps", 10, images=2)


@pytest.mark.parametrize(("peer", "file", "name", "score", "differ"), CASES)
def test_the_import_says_where_the_scores_differ(
    beholder: Beholder, tmp_path: Path, peer: str, file: Path, name: str, score: str, differ: int
) -> None:
    data = data_of(name, tmp_path)
    said = beholder("import", peer, file, "--benchmark", name, "--data", data, "--json")
    assert said.code == 0, said.err
    told = json.loads(said.out)
    assert told["complete"] is True
    assert told["model"].startswith("imported/")
    assert told["imported"]["source"]["file"] == file.name
    found = {table["scorer"]: len(table["differences"]) for table in told["imported"]["compared"]}
    assert found[score] == differ

    shown = beholder("show", "latest")
    assert f"imported from {peer}" in shown.out
    assert f"{score} of {peer} beside our " in shown.out
    assert json.loads(beholder("show", "latest", "--json").out)["imported"] == told["imported"]


def test_an_item_is_shown_with_what_the_tool_said_of_it(beholder: Beholder, lamps: Path) -> None:
    beholder("import", "inspect", CASES[1][1], "-b", "tfq", "-d", lamps)
    assert "inspect's match: C, read Answer: F" in beholder("show", "latest", "3").out
    told = beholder.json("show", "latest", "3")["imported"]
    (one,) = told["items"]
    assert (told["peer"], one["key"]) == ("inspect", beholder.json("show", "latest", "3")["sample"]["key"])
    assert (one["scores"]["match"]["written"], one["scores"]["match"]["answer"]) == ("C", "Answer: F")


def test_an_imported_run_is_like_any_other_but_not_resumed(beholder: Beholder, lamps: Path, tmp_path: Path) -> None:
    for peer, file in (CASES[1][:2], CASES[2][:2]):
        assert beholder("import", peer, file, "-b", "tfq", "-d", lamps).code == 0
    first, second = sorted(Path("runs").iterdir())
    resumed = beholder("resume", first)
    assert resumed.code == 2
    assert "was imported from a log of inspect: nobody can be asked again" in resumed.err
    assert beholder("rescore", first).code == 0
    compared = beholder("compare", first, second)
    assert compared.code == 0, compared.err
    assert beholder("pack", first, "--out", tmp_path / "one.zip").code == 0
    assert "match of inspect beside our recipe" in beholder("show", tmp_path / "one.zip").out
    assert beholder("report", first, "--out", tmp_path / "r.html").code == 0
    page = (tmp_path / "r.html").read_text()
    assert "imported from" in page
    assert "inspect's match: C, read Answer: F" in page
    assert beholder("export", first, "--out", tmp_path / "r.jsonl").code == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("inspect", CASES[0][1], "-b", "tfq", "-d", "OTHER"), "20 of 20 answers have no item in "),
        (("inspect", CASES[0][1], "-b", "tfq", "-d", "FEWER"), "--partial goes on without them"),
        (("inspect", CASES[0][1], "-b", "tfq", "-d", "DATA", "--by", "luck"), "Choose auto, key, id"),
        (("inspect", CASES[0][1], "-b", "tfq", "-d", "DATA", "--by", "id"), "no item whose id is '1'"),
        (("inspect", CASES[0][1], "-b", "tfq", "--scorer", "none"), "tfq has no scorer 'none'"),
        (("inspect", CASES[0][1], "-b", "m3r"), "No log holds what m3r needs to be scored"),
        (("vlmevalkit", "a.pkl", "-b", "tfq"), "a pickle is not read"),
        (("lmms-eval", "none.jsonl", "-b", "tfq"), "there is no such file"),
    ],
)
def test_what_cannot_be_imported_is_one_plain_line(
    beholder: Beholder, lamps: Path, tmp_path: Path, arguments: tuple[object, ...], words: str
) -> None:
    places = {
        "DATA": lamps,
        "FEWER": made_runs.tfq_data(tmp_path / "fewer", 4),
        "OTHER": made_runs.write_lines(
            tmp_path / "lamps" / "other.jsonl",
            [{"images": ["images/0.jpg"], "problem": "<image>Another one.", "answer": "T"}],
        ),
    }
    said = beholder("import", *(places.get(str(one), one) for one in arguments))
    assert said.code == 2
    assert len(said.error_lines) == 1
    assert words in said.err
    assert not Path("runs").exists()


def test_partial_goes_on_and_says_what_it_left_out(beholder: Beholder, tmp_path: Path) -> None:
    fewer = made_runs.tfq_data(tmp_path / "fewer", 4)
    said = beholder("import", "inspect", CASES[1][1], "-b", "tfq", "-d", fewer, "--partial")
    assert said.code == 0
    assert "6 answers of 10 left out: lamps.json, sample 5" in said.err
    assert "4 answered" in said.out


def test_without_data_the_items_come_from_the_log(beholder: Beholder) -> None:
    said = beholder("import", "lmms-eval", CASES[2][1], "-b", "tfq")
    assert said.code == 0
    assert "The items were made from the log itself" in said.err
    assert "The log holds no pictures of 10 of 10 items." in said.err


def test_hostile_text_of_a_log_is_shown_as_text(beholder: Beholder, lamps: Path, tmp_path: Path) -> None:
    log = json.loads(CASES[1][1].read_text())
    log["samples"][0]["scores"]["match"]["explanation"] = "\x1b[2J[red]\u202ebad"
    log["eval"]["model"] = "../../\x1b[31mmodel\n"
    file = tmp_path / "log.json"
    file.write_text(json.dumps(log))
    said = beholder("import", "inspect", file, "-b", "tfq", "-d", lamps)
    assert said.code == 0
    assert "\x1b" not in said.out + said.err
    assert "[red]bad" in said.out
    (folder,) = Path("runs").iterdir()
    assert folder.name.endswith("_tfq_31mmodel")


@pytest.mark.parametrize(
    "settings",
    [{"temperature": 10**400}, {"max_tokens": 10**30}, {"stop\ud83d": "\ud83d"}, {"top_p": float("nan")}],
)
def test_odd_decoding_and_half_characters_do_not_stop_an_import(
    beholder: Beholder, lamps: Path, tmp_path: Path, settings: dict[str, object]
) -> None:
    log = json.loads(CASES[1][1].read_text())
    log["eval"] |= {"model_generate_config": settings, "model": "m\ud83d", "task": "t\ud83d"}
    log["samples"][0]["scores"] = {"s\ud83d": {"value": "\ud83d", "answer": "\ud83d", "explanation": "\ud83d"}}
    file = tmp_path / "log.json"
    file.write_text(json.dumps(log))
    said = beholder("import", "inspect", file, "-b", "tfq", "-d", lamps)
    assert said.code == 0, said.err
    assert beholder("show", "latest", "0").code == 0


def test_the_tools_themselves_are_not_needed(beholder: Beholder, lamps: Path) -> None:
    beholder("import", "inspect", CASES[1][1], "-b", "tfq", "-d", lamps)
    assert not {"inspect_ai", "lmms_eval", "evalscope", "pickle5"} & set(sys.modules)


def test_the_example_of_the_page_is_what_is_printed(beholder: Beholder, tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "peers.md").read_text()
    example = page.partition("$ beholder import evalscope")[2].partition("…\n")[2].partition("\n\n")[0]
    printed = beholder("import", "evalscope", CASES[4][1].parent, "-b", "tir", "-d", data_of("tir", tmp_path)).out
    assert len(example.split()) > 40
    assert " ".join(example.split()) in " ".join(printed.split())
