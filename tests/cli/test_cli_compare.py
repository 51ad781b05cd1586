"""`beholder compare`: only on the same items, with the difference that arithmetic gives."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

from cli_data import Beholder, tfq_data, write_lines


def answered(beholder: Beholder, here: Path, name: str, letters: str, *more: object) -> Path:
    """A run in which question i is answered with the letter at place i."""
    answers = write_lines(
        here / f"{name}.jsonl",
        [{"key": f"q{number}", "response": f"<answer>{letter}</answer>"} for number, letter in enumerate(letters)],
    )
    data = here / "tfq.jsonl"
    if not data.exists():
        tfq_data(here)
    runs = here / name
    said = beholder("run", "tfq", "--model", f"replay/{answers}", "--data", data, "--runs-dir", runs, *more)
    assert said.code == 0, said.err
    return next(folder for folder in runs.iterdir() if folder.is_dir())


# The gold of the six questions is T F T T F F.
def test_the_difference_is_b_minus_a(beholder: Beholder, tmp_path: Path) -> None:
    a = answered(beholder, tmp_path, "a", "TTTFTT")  # right on questions 0 and 2
    b = answered(beholder, tmp_path, "b", "TFTTFT")  # right on all but 5
    found = beholder.json("compare", a, b)
    paired = found["paired"]
    assert found["scorer"] == "recipe"
    assert paired["n"] == 6
    assert round(paired["difference"], 6) == round(5 / 6 - 2 / 6, 6)
    assert paired["cells"] == {"both_right": 2, "only_a": 0, "only_b": 3, "both_wrong": 1}
    assert len(found["gained"]) == 3
    assert found["lost"] == []
    assert round(beholder.json("compare", b, a)["paired"]["difference"], 6) == -0.5
    said = beholder("compare", a, b)
    assert said.code == 0
    assert "difference +50.0 points" in said.out
    assert "B is better on 3 items, worse on 0" in said.out


def test_runs_of_one_model_are_told_apart(beholder: Beholder, tmp_path: Path) -> None:
    a = answered(beholder, tmp_path, "a", "TTTFTT")
    said = beholder("compare", a, a)
    assert [line.split()[:2] for line in said.out.splitlines()[1:3]] == [["A", "33.3"], ["B", "33.3"]]
    assert "(1)" in said.out
    assert "(2)" in said.out
    assert "difference +0.0 points" in said.out


def test_another_scorer(beholder: Beholder, tmp_path: Path) -> None:
    a, b = answered(beholder, tmp_path, "a", "TTTFTT"), answered(beholder, tmp_path, "b", "TFTTFT")
    assert beholder.json("compare", a, b, "--scorer", "lenient")["scorer"] == "lenient"


def test_different_items_are_refused_naming_what_is_missing(beholder: Beholder, tmp_path: Path) -> None:
    a = answered(beholder, tmp_path, "a", "TTTFTT")
    b = answered(beholder, tmp_path, "b", "TFTTFT", "--limit", 4)
    missing = [item["key"] for item in beholder.json("show", a)["items"]][4:]
    said = beholder("compare", a, b)
    assert said.code == 2
    assert said.out == ""
    assert len(said.error_lines) == 1
    assert all(key in said.err for key in missing)
    assert "--intersect" in said.err
    found = beholder.json("compare", a, b, "--intersect")
    assert found["paired"]["n"] == 4


def other_code(folder: Path) -> None:
    """As if the scores had been made by an older Beholder."""
    with contextlib.closing(sqlite3.connect(folder / "run.db")) as db, db:
        db.execute("UPDATE scorers SET code = 'older'")


def test_what_else_differs_is_said(beholder: Beholder, tmp_path: Path) -> None:
    a = answered(beholder, tmp_path, "a", "TTTFTT", "--temperature", 0, "--seed", 1)
    (tmp_path / "prompt.txt").write_text("{statement} T or F, in <answer></answer>?")
    more = ("--prompt", tmp_path / "prompt.txt", "--epochs", 2, "--temperature", "default", "--seed", 2)
    b = answered(beholder, tmp_path, "b", "TFTTFT", "--limit", 4, *more)
    notes = beholder.json("compare", a, b, "--intersect")["notes"]
    for words in (
        "temperature: 0.0 in A, not sent in B",
        "epochs: 1 in A, 2 in B",
        "number of items: 6 in A, 4 in B",
        "items chosen: everything in A, {'limit': 4} in B",
        "seed: 1 in A, 2 in B",
    ):
        assert f"the runs differ in {words}" in notes
    assert [note for note in notes if note.startswith("the runs differ in prompt: ")]
    assert len(notes) == 6
    assert "note: the runs differ in epochs: 1 in A, 2 in B" in beholder("compare", a, b, "--intersect").out


def test_models_alone_are_no_difference_to_note(beholder: Beholder, tmp_path: Path) -> None:
    a, b = answered(beholder, tmp_path, "a", "TTTFTT"), answered(beholder, tmp_path, "b", "TFTTFT")
    assert beholder.json("compare", a, b)["notes"] == []
    assert beholder("show", a).err == ""


def test_a_seed_that_only_one_run_sends_is_said(beholder: Beholder, tmp_path: Path) -> None:
    a, b = answered(beholder, tmp_path, "a", "TTTFTT"), answered(beholder, tmp_path, "b", "TFTTFT", "--seed", 0)
    assert beholder.json("compare", a, b)["notes"] == ["the runs differ in seed sent to the server: no in A, yes in B"]


def test_an_incomplete_run_is_said(beholder: Beholder, tmp_path: Path) -> None:
    a, b = answered(beholder, tmp_path, "a", "TTTFTT"), answered(beholder, tmp_path, "b", "TFTTFT")
    with contextlib.closing(sqlite3.connect(b / "run.db")) as db, db:
        db.execute("DELETE FROM scores WHERE response = 2")
        db.execute("DELETE FROM responses WHERE id = 2")
    assert "B is incomplete: 1 of 6 responses are missing" in beholder.json("compare", a, b, "--intersect")["notes"]


def test_scores_by_other_code_are_said_and_rescore_mends_them(beholder: Beholder, tmp_path: Path) -> None:
    a, b = answered(beholder, tmp_path, "a", "TTTFTT"), answered(beholder, tmp_path, "b", "TFTTFT")
    other_code(a)
    notes = beholder.json("compare", a, b)["notes"]
    assert len(notes) == 2
    assert "different code of recipe" in notes[0]
    assert notes[1].endswith(f"beholder rescore {a}")
    for arguments in (("show", a), ("show", a, 0), ("show", a, "--json")):
        shown = beholder(*arguments)
        assert shown.err.count(f"beholder rescore {a}") == 1
        assert "recipe, official, strict, lenient" in shown.err
    assert beholder("rescore", a).code == 0
    assert beholder.json("compare", a, b)["notes"] == []


def test_three_runs_are_compared_with_the_first(beholder: Beholder, tmp_path: Path) -> None:
    a = answered(beholder, tmp_path, "a", "TTTFTT")
    b = answered(beholder, tmp_path, "b", "TFTTFT")
    c = answered(beholder, tmp_path, "c", "FTFFTT")
    found = beholder.json("compare", a, b, c)
    assert found["n"] == 6
    pairs = [round(one["comparison"]["paired"]["difference"], 6) for one in found["against"]]
    assert pairs == [0.5, round(-2 / 6, 6)]
    assert [(one["a"], one["b"]) for one in found["agreement"]] == [(0, 1), (0, 2), (1, 2)]
    said = beholder("compare", a, b, c)
    assert said.code == 0
    assert [line.split()[0] for line in said.out.splitlines()[2:5]] == ["A", "B", "C"]
    assert "+50.0" in said.out
    assert "A and B agree on 50.0 % of 6 items" in said.out


def test_how_many_runs_are_compared(beholder: Beholder, tmp_path: Path) -> None:
    a = answered(beholder, tmp_path, "a", "TTTFTT")
    for number in (1, 13):
        said = beholder("compare", *[a] * number)
        assert said.code == 2
        assert f"2 to 12 runs, not {number}" in said.err


def test_two_runs_tell_how_far_they_agree(beholder: Beholder, tmp_path: Path) -> None:
    a, b = answered(beholder, tmp_path, "a", "TTTFTT"), answered(beholder, tmp_path, "b", "TFTTFT")
    assert "A and B agree on 50.0 % of 6 items" in beholder("compare", a, b).out
    assert beholder.json("compare", a, b)["agreement"][0]["same"] == 0.5
