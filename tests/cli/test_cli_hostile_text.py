"""Text from models and data reaches the terminal as text: no control byte, no direction override, no lost markup."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest
from cli_data import Beholder, judgement, tfq_data, tfq_rows, vlrb_data, vlrb_rows, write_lines

ESC = "\x1b"
CASES = {
    "colour": (f"{ESC}[31mred{ESC}[0m", "red"),
    "clear-screen": (f"{ESC}[2J{ESC}[Hgone", "gone"),
    "title": (f"{ESC}]0;owned\x07title", "title"),
    "link": (f"{ESC}]8;;http://evil{ESC}\\click{ESC}]8;;{ESC}\\", "click"),
    "c1-control": ("\x9b31mc-one\x9b0m", "c-one"),
    "bidi": ("abc\u202edef\u202c\u2066x\u2069", "abcdefx"),
    "markup": ("[red]bold[/red] [/] [link=http://evil]x[/link]", "[red]bold[/red] [/] [link=http://evil]x[/link]"),
    "emoji-code": (":warning: :+1:", ":warning: :+1:"),
    "carriage-return": ("right\rwrong", "rightwrong"),
    "backspace": ("ok\x08\x08no", "okno"),
    "surrogate": ("lone \ud83d end", "lone"),
    "null": ("zero\x00byte", "zerobyte"),
}
TYPED = {name: case for name, case in CASES.items() if name not in ("surrogate", "null")}
"""What a command line can hold."""
rows = pytest.mark.parametrize(("text", "shown"), CASES.values(), ids=CASES.keys())
typed = pytest.mark.parametrize(("text", "shown"), TYPED.values(), ids=TYPED.keys())


def check_clean(text: str) -> None:
    bad = {
        char
        for char in text
        if (unicodedata.category(char) in ("Cc", "Cs") and char != "\n") or unicodedata.bidirectional(char) in BIDI
    }
    assert not bad, ascii(bad)


BIDI = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


@rows
def test_show_and_the_run_table(beholder: Beholder, tmp_path: Path, text: str, shown: str) -> None:
    data = [row | {"category": text, "id": text, "problem": f"<image>{text} {row['id']}"} for row in tfq_rows()]
    answers = write_lines(
        tmp_path / "answers.jsonl",
        [{"index": number, "response": f"{text} <answer>T</answer>", "reasoning": text} for number in range(6)],
    )
    said = beholder(
        "run",
        "tfq",
        *("--model", f"replay/{answers}", "--data", tfq_data(tmp_path, data), "--runs-dir", tmp_path / "runs"),
    )
    assert said.code == 0, said.err
    assert shown in said.out, "the category"
    for arguments in (["latest"], ["latest", "0"], ["latest", "0", "--prompt"], ["latest", "--all-metrics"]):
        found = beholder("show", *arguments, "--runs-dir", tmp_path / "runs")
        assert found.code == 0, found.err
        assert shown in found.out
        check_clean(found.out + found.err)
    as_json = beholder("show", "latest", "0", "--json", "--runs-dir", tmp_path / "runs")
    assert as_json.out.isascii()
    assert json.loads(as_json.out)["sample"]["category"]
    check_clean(said.out + said.err)


@typed
def test_model_names(beholder: Beholder, tmp_path: Path, text: str, shown: str) -> None:
    runs = ("--runs-dir", tmp_path / "runs")
    said = beholder("run", "tfq", "--model", f"constant/{text}", "--data", tfq_data(tmp_path), *runs)
    assert said.code == 0, said.err
    check_clean(said.out + said.err)
    assert shown in said.out
    assert beholder("run", "tfq", "--model", "random", "--data", tmp_path / "tfq.jsonl", *runs).code == 0
    names = sorted(path.name for path in (tmp_path / "runs").iterdir() if path.is_dir())
    for said in (beholder("list", *runs), beholder("compare", *names, *runs), beholder("show", names[0], *runs)):
        assert said.code == 0, said.err
        check_clean(said.out + said.err)


@rows
def test_score(beholder: Beholder, tmp_path: Path, text: str, shown: str) -> None:
    records = [
        {"Model_Output": f"{text} the answer is true", "Ground_Truth": "T", "Question": text, "Image_URL": text},
        {"Model_Output": f"<answer>{text}</answer>", "Ground_Truth": "F", "Question": text, "Image_URL": text},
    ]
    file = tmp_path / "r.json"
    file.write_text(json.dumps(records))
    said = beholder("score", "tfq", file)
    assert said.code == 0, said.err
    check_clean(said.out + said.err)


@rows
def test_votes_and_stored_answers(beholder: Beholder, tmp_path: Path, text: str, shown: str) -> None:
    data = vlrb_data(tmp_path, [row | {"response": [text, "plain"], "query": text} for row in vlrb_rows()])
    runs = ("--runs-dir", tmp_path / "runs")
    assert beholder("run", "vl-rewardbench", "--model", "random", "--data", data, *runs).code == 0
    found = beholder("show", "latest", "0", "--prompt", *runs)
    check_clean(found.out)
    assert f"stored answer 1: {shown}" in found.out


@rows
def test_error_lines(beholder: Beholder, tmp_path: Path, text: str, shown: str) -> None:
    data = tfq_data(tmp_path, [row | {"answer": text} for row in tfq_rows()])
    wrong = write_lines(tmp_path / "r.jsonl", [judgement(0, "x", 0) | {"ranking": text, text: 1}])
    calls: list[tuple[object, ...]] = [
        ("run", "tfq", "--model", "random", "--data", data),
        ("score", "vl-rewardbench", wrong),
        ("score", "tfq", wrong),
    ]
    if (text, shown) in TYPED.values():
        calls += [
            ("run", text, "--model", "random", "--data", data),
            ("run", "tfq", "--model", text, "--data", data),
            ("run", "tfq", "--model", "random", "--data", text),
            ("run", "tfq", "--model", "random", "--data", data, "--where", text),
            ("show", text),
            (text,),
            ("run", f"--{text}"),
        ]
    for call in calls:
        said = beholder(*call)
        assert said.code == 2, said
        assert len(said.error_lines) == 1
        check_clean(said.err)


@typed
def test_marks(beholder: Beholder, tmp_path: Path, text: str, shown: str) -> None:
    runs = ("--runs-dir", tmp_path / "runs")
    assert beholder("run", "tfq", "--model", "random", "--data", tfq_data(tmp_path), *runs).code == 0
    marked = beholder("show", "latest", "0", "--mark", "strict", "--note", text, *runs)
    assert marked.code == 0, marked.err
    for said in (marked, beholder("show", "latest", *runs)):
        check_clean(said.out)
        assert f": {shown}" in said.out
