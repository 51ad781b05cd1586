"""`beholder audit leaks`: what it prints, what it writes, and how it ends."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_data import Beholder, Said, check_refused, run, write_lines
from PIL import Image


def data(folder: Path, *rows: tuple[int, str]) -> Path:
    """TFQ-Bench's columns: rows of a picture's seed and a statement."""
    folder.mkdir(parents=True, exist_ok=True)
    for seed, _ in rows:
        small = Image.frombytes("RGB", (8, 6), random.Random(seed).randbytes(144))
        small.resize((96, 72), Image.Resampling.BICUBIC).save(folder / f"{seed}.png")
    records = [
        {"images": [f"{seed}.png"], "problem": f"<image>{text}", "answer": "T", "id": f"q{number}"}
        for number, (seed, text) in enumerate(rows)
    ]
    return write_lines(folder / "tfq.jsonl", records)


@pytest.fixture
def call(beholder: Beholder, tmp_path: Path) -> Callable[..., Said]:
    train = data(tmp_path / "train", (1, "The dog waits for its master."), (9, "A red lamp hangs <b>low</b> tonight."))
    ours = data(
        tmp_path / "eval",
        (1, "The dog stands for loyalty."),
        (2, "A red lamp hangs <b>low</b> tonight."),
        (3, "Nobody has been here."),
    )

    def called(*more: object) -> Said:
        return beholder("audit", "leaks", "--train", train, "--eval", ours, "--cache", tmp_path / "cache", *more)

    return called


def test_what_it_says(call: Callable[..., Said], tmp_path: Path) -> None:
    said = call()
    assert said.code == 0
    words = " ".join(said.out.split())
    assert "2 of 3 items (66.7 %) are touched: 1 by their picture, though the text is another, 1 by their text" in words
    assert "the same file 1" in words
    assert "q1 has the text of q1 (the same text): A red lamp hangs <b>low</b> tonight." in words


def test_strict_and_the_keys_for_another_run(call: Callable[..., Said], beholder: Beholder, tmp_path: Path) -> None:
    said = call("--strict", "--out", tmp_path / "clean.txt", "--touched", tmp_path / "touched.txt")
    assert said.code == 1
    for name, number in (("clean.txt", 1), ("touched.txt", 2)):
        figures = beholder.json(*run(tmp_path / "eval/tfq.jsonl", "--ids", tmp_path / name))
        assert figures["metrics"]["recipe"]["question_accuracy"]["n"] == number


def test_strict_is_content_where_nothing_leaks(beholder: Beholder, tmp_path: Path) -> None:
    train, ours = (
        data(tmp_path / "a", (1, "The dog waits at home.")),
        data(tmp_path / "b", (2, "A lamp burns all day.")),
    )
    arguments = ("audit", "leaks", "--train", train, "--eval", ours, "--cache", tmp_path / "cache", "--strict")
    assert beholder(*arguments).code == 0
    (tmp_path / "b/2.png").write_bytes(b"damaged")
    said = beholder(*arguments)
    assert said.code == 1  # what was not looked at is not known to be clean
    assert "1 picture of the evaluation cannot be read" in said.out


def test_json_and_the_page(call: Callable[..., Said], tmp_path: Path) -> None:
    page = tmp_path / "leaks.html"
    said = call("--html", page, "--json")
    assert said.out.count("\n") == 1
    text = page.read_text()
    assert text.count('<img src="data:image/webp') == 2
    assert "&lt;b&gt;low&lt;/b&gt;" in text
    assert "<b>" not in text
    assert "default-src 'none'" in text


REFUSED = [
    (("--out", "nowhere/a"), ("--out nowhere/a: the folder nowhere does not exist",)),
    (("--html", "."), ("--html . is a folder or a device",)),
    (("--touched", "/dev/null"), ("--touched /dev/null is a folder or a device",)),
    (("--eval-benchmark", "tfx"), ("There is no benchmark 'tfx'",)),
    (("--train", "gone.jsonl"), ("gone.jsonl: there is no such file",)),
]


@pytest.mark.parametrize(("more", "words"), REFUSED)
def test_refusals(call: Callable[..., Said], more: tuple[str, ...], words: tuple[str, ...]) -> None:
    check_refused(call(*more), words)
