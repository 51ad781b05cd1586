"""A second, plain writing of the authors' rules for TIR-Bench beside ours, and texts made to take long."""

from __future__ import annotations

import math
import random
import re
import time
from typing import Any

import pytest
from authors_records import COLOURS, CRASH, NINE, ORDER, PLAIN, SHARES, no, record_of

from beholder.benchmarks.tir import official
from beholder.benchmarks.tir.official import Record, judge


def reference(entry: dict[str, Any], agree: official.Agree) -> float:
    """The rules once more, as directly as Python puts them; raises what the authors' program would raise."""
    kind = entry["task"] if "task" in entry else entry["category"]
    if kind == "ocr":
        wanted, said = str(entry["answer"]), entry["model_response"]
        said = said[0] if type(said) is list else said
        wanted = "aires" if "62.jpg" in entry["image_1"] else "mobi" if "60.jpg" in entry["image_1"] else wanted
        return float(wanted in said)
    said = entry["extracted_answer"]
    if kind not in (*NINE, "word_search", "spot_difference", "jigsaw"):
        raise KeyError(kind)
    said = ("" if said is None else said).replace("*", "").strip()
    wanted = str(entry["answer"])
    if kind == "jigsaw":
        try:
            pieces = entry["metadata" if "metadata" in entry else "meta_data"]["difficulty"] ** 2
            ours, theirs = run_of(said, pieces), run_of(wanted, pieces)
            return len([1 for a, b in zip(ours, theirs, strict=True) if a == b]) / len(theirs)
        except (LookupError, ValueError, TypeError, ArithmeticError, StopIteration):
            return 0.0
    if kind in ("word_search", "spot_difference") and not reads(int, wanted):
        try:
            if kind == "word_search":
                pattern = r"(?:^|(?<=\W))(\d+)\s*,\s*(\d+)(?!\w)"
                a, b = ([int(part) for part in re.search(pattern, text).groups()] for text in (wanted, said))  # type: ignore[union-attr]
                return float(a == b)
            a_set, b_set = ({int(part) for part in re.split(r"\D+", text) if part} for text in (wanted, said))
            return len(a_set & b_set) / len(a_set | b_set) if a_set or b_set else 1.0
        except (ValueError, AttributeError):
            return 0.0
    if wanted.isalpha():
        if len(wanted) > 1:
            return float(sorted(said) == sorted(wanted))
        return float(wanted in list("ABCDEFGHIJ") and letter_of(said, entry) == wanted)
    for number in (int, float):
        if reads(number, wanted):
            left = re.sub(r"[A-Za-z]|\s|[*:]", "", said.replace("Extracted answer:", ""))
            if not reads(number, left):
                return float(bool(agree(said, wanted)))
            return float(number(left) == number(wanted) or bool(agree(said, f"{number(wanted)}")))
    entry["question_id"]
    return 0.0


def reads(number: type[int] | type[float], text: str) -> bool:
    try:
        number(text)
    except ValueError:
        return False
    return True


def run_of(text: str, pieces: Any) -> list[int]:
    runs = [re.findall(r"\d+", run) for run in re.split(r"[^\d\s,，]+", text)]
    return [int(number) for number in next(run for run in runs if run and len(run) == pieces)]


def letter_of(said: str, entry: dict[str, Any]) -> str:
    said = said.replace("Extracted answer:", "").strip()
    if said in list("ABCDEFGHIJ"):
        return said
    for letter in "ABCDEFGHIJH":
        hits = [f"{letter}{between}{said}" in entry["prompt"] for between in ("", " ", ".", ". ")]
        said = letter if True in hits else said
    return min("ABCDEFGHIJ", key=lambda letter: edits(said, letter))


def edits(text: str, other: str) -> int:
    """The textbook edit distance."""
    row = list(range(len(other) + 1))
    for i, a in enumerate(text, 1):
        above, row = row, [i]
        for j, b in enumerate(other, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (a != b)))
    return row[-1]


WORDS = [
    *"ABCDEFGHIJKHab159０７٣中é½ ",
    *(
        "",
        "",
        " ",
        "  ",
        "\n",
        "\t",
        "\u3000",
        ",",
        ", ",
        "，",
        "; ",
        ".",
        ". ",
        ": ",
        "*",
        "**",
        "-",
        "_",
        "/",
        "%",
        "+",
    ),
    *("[", "]", "(", ")", "{", "}", "$", "€", "円", "¥", "\\frac{1}{2}", "\\boxed{7}", "^{2}", "\ud800", "\x00", "e5"),
    *("Extracted answer:", "Extracted answer: ", "None", "N/A", "no answer", "True", "nan", "inf", "Infinity", "five"),
    *("12", "3", "7", "0.5", "2.50", "1e3", "1_000", "3,000", "1, 2", "[3, 6]", "(17, 1)", "row 5, column 6", "007"),
    *("A. ", "B: ", "C.", "D ", "(E) ", "A. Red B. Blue", "31%", "Blue", "Black", "Apple", "AB", "CD", "BCA"),
    *("1, 2, 3, 4", "4 3 2 1", "1,2,3,4,5,6,7,8,9", "9 8 7 6 5 4 3 2 1", "[[1, 2], [3, 4]]", "7" * 4301),
    *("60.jpg", "62.jpg", "162.jpg", "data/ocr/1.jpg", "mobi", "automobile", "aires", "WONDERS"),
]
ODD = [
    None,
    None,
    True,
    False,
    0,
    3,
    7,
    -2,
    2.5,
    1e22,
    math.nan,
    [],
    ["A"],
    ["A. Blue"],
    [1, 2],
    [[3, 6]],
    {},
    {"A": 1},
]
GOLDS = [
    "A",
    "B",
    "C",
    "D",
    "H",
    "J",
    "K",
    "AB",
    "ABC",
    "3",
    "7",
    "12",
    "0.5",
    "2.5",
    "1e3",
    3,
    12,
    0.5,
    "[3, 6]",
    "(17, 1)",
]
GOLDS += ["1, 2", [1, 2], "1, 2, 3, 4", [4, 3, 2, 1], "1,2,3,4,5,6,7,8,9", "[]", "", "mobi", "5 ", "１２", "中", "-inf"]
PROMPTS = [
    COLOURS,
    SHARES,
    PLAIN,
    "A. Pear B. Apple",
    "A. point C\nB. point D\nC. point E\nH. J J. H",
    "A.7 B.12 C.3",
    "",
]


def made_text(draw: random.Random) -> str:
    return "".join(draw.choices(WORDS, k=draw.choice((0, 1, 1, 1, 2, 2, 3, 4, 6, 9))))


def made_entry(draw: random.Random) -> dict[str, Any]:
    """An entry such as a result file could hold: mostly sound, now and then with odd or missing values."""

    def value(likely: Any) -> Any:
        return draw.choice(ODD) if draw.random() < 0.06 else likely

    task = draw.choice(("ocr", "word_search", "spot_difference", "jigsaw", *NINE[:3], "refcoco", "math", "quiz"))
    gold = value(draw.choice(GOLDS) if draw.random() < 0.8 else made_text(draw))
    text = str(gold) if draw.random() < 0.1 else made_text(draw)
    n = value(draw.choice((1, 2, 2, 3, 3, 4)))
    entry = {
        draw.choice(("task", "task", "category")): task,
        "answer": gold,
        "prompt": value(draw.choice(PROMPTS) + draw.choice(("", made_text(draw)))),
        "model_response": value([text, made_text(draw)] if draw.random() < 0.1 else text),
        "extracted_answer": value(text),
        "image_1": value(draw.choice(("data/ocr/1.jpg", "data/ocr/60.jpg", "162.jpg", made_text(draw)))),
        draw.choice(("metadata", "meta_data")): value({"difficulty": n}),
    }
    if draw.random() < 0.2:
        entry["question_id"] = 1
    if draw.random() < 0.1:
        del entry[draw.choice(list(entry))]
    return entry


def test_25_000_made_entries_are_judged_as_by_the_second_writing() -> None:
    draw = random.Random(20251104)
    seen = {"crash": 0, "right": 0, "partly": 0, "wrong": 0, "asked": 0}
    for _ in range(25_000):
        entry = made_entry(draw)
        asked: list[list[tuple[str, str]]] = [[], []]

        def agree(answer: str, gold: str, calls: list[tuple[str, str]]) -> bool:
            calls.append((answer, gold))
            return (len(answer) + len(gold)) % 3 == 0

        verdict = judge(record_of(entry), lambda answer, gold, calls=asked[0]: agree(answer, gold, calls))
        try:
            expected = reference(entry, lambda answer, gold, calls=asked[1]: agree(answer, gold, calls))
        except (LookupError, TypeError, AttributeError) as error:
            assert verdict.flags == CRASH, entry
            assert verdict.value == 0
            name = "AssertionError" if error.args == ("extracted_answer",) else type(error).__name__
            if "answer" in entry:  # of two faults the other may come first
                assert f" {name}: " in verdict.reason, entry
            seen["crash"] += 1
            continue
        assert verdict.value == expected, entry
        assert "authors_crash" not in verdict.flags, entry
        assert asked[0] == asked[1], entry
        seen["asked"] += len(asked[0])
        seen["right" if expected == 1 else "wrong" if expected == 0 else "partly"] += 1
    assert min(seen.values()) > 150, seen


# Hostile text ------------------------------------------------------------------------------------------------------

LENGTH = 300_000
HOSTILE = ["1", "1 ", "1,", "1 , ", " ", ",", "A", "A. ", "a", "*", "Extracted answer:", "１", "7" * 4300 + " "]
RULES = [("maze", gold) for gold in ("A", "AB", "7", "2.5", "1" * LENGTH)]
RULES += [("word_search", "1, 2"), ("spot_difference", "1, 2"), ("jigsaw", ORDER)]


@pytest.mark.parametrize("piece", HOSTILE)
def test_long_texts_take_no_long_time(piece: str) -> None:
    text = piece * (LENGTH // len(piece))
    begin = time.perf_counter()
    for task, gold in RULES:
        judge(Record(task=task, answer=gold, prompt=text[:-1] + "x", extracted=text, difficulty=3), no)
    assert time.perf_counter() - begin < 20


def test_numbers_made_to_collide_take_no_long_time() -> None:
    modulus = 2**61 - 1
    text = " ".join(str(modulus * factor) for factor in range(1, 50_000))
    begin = time.perf_counter()
    assert judge(Record(task="spot_difference", answer="1, 2", extracted=text), no).value == 0
    assert time.perf_counter() - begin < 20
