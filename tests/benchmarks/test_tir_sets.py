"""What is said of a whole set of TIR-Bench: sizes, generated items, odd gold."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tir_records import LIST, NINE, record, samples_of, write

from beholder.benchmarks.tir.data import count_differences, notices
from beholder.benchmarks.tir.tasks import ITEMS, PAIRS, TASKS


def public_rows(changes: dict[str, int] | None = None, pairs: int = PAIRS) -> list[dict[str, Any]]:
    """A made set with the sizes of the public one (plus `changes`), `pairs` of its items with two pictures."""
    rows = []
    for name, task in TASKS.items():
        for number in range(task.n + (changes or {}).get(name, 0)):
            row = record(name, id=f"{name}-{number}", image_1=f"data/{name}/{number}.png")
            if name == "jigsaw":
                row |= {"answer": NINE, "meta_data": {"difficulty": 3}}
            if name == "spot_difference":
                row |= {"answer": "7", "prompt": LIST}
                if number < pairs:
                    row |= {"image_1": f"data/{number}_left.png", "image_2": f"data/{number}_right.png"}
            rows.append(row)
    return rows


def test_a_set_of_the_public_sizes_has_nothing_to_say(tmp_path: Path) -> None:
    samples = samples_of(write(tmp_path / "TIR-Bench.json", public_rows()))
    assert len(samples) == ITEMS == 1215
    assert sum(len(sample.images) for sample in samples) == 1255
    assert notices(samples) == []
    assert notices(iter(samples)) == []
    assert notices(len(samples)) == []


# changes to the sizes, pairs, what is said
DIFFERENT: list[tuple[dict[str, int], int, list[str]]] = [
    ({"maze": -20}, PAIRS, ["1,195 of 1,215 items (maze 100 of 120)"]),
    ({"maze": -1, "ocr": 1}, PAIRS, ["1,215 of 1,215 items (ocr 61 of 60, maze 119 of 120)"]),
    ({"jigsaw": 5}, PAIRS, ["1,220 of 1,215 items (jigsaw 125 of 120)"]),
    ({}, 39, ["39 items show two pictures; the public set has 40."]),
]


@pytest.mark.parametrize(("changes", "pairs", "words"), DIFFERENT, ids=str)
def test_a_set_that_differs_is_told(tmp_path: Path, changes: dict[str, int], pairs: int, words: list[str]) -> None:
    said = notices(samples_of(write(tmp_path / "TIR-Bench.json", public_rows(changes, pairs))))
    assert len(said) == len(words)
    assert all(word in sentence for word, sentence in zip(words, said, strict=True))


def test_counts_alone() -> None:
    whole = Counter({name: task.n for name, task in TASKS.items()})
    assert count_differences(whole) == []
    (said,) = count_differences(Counter({"maze": 1}))
    assert "1 of 1,215 items" in said
    assert "color 0 of 100" in said


def test_generated_items_are_never_taken_for_the_public_set(tmp_path: Path) -> None:
    made = {"synthetic": True, "level": 3}
    rows = [record(id=number, image_1=f"{number}.png", meta_data=made) for number in range(3)]
    (said,) = notices(samples_of(write(tmp_path / "a.json", rows)))
    assert said == "3 of these 3 items were generated: figures are not comparable with TIR-Bench."
    shared = [row | {"meta_data": made | {"photo": "one.jpg"}} for row in rows]
    said_of_shared = notices(samples_of(write(tmp_path / "b.json", shared)))
    assert said_of_shared[1:] == ["Some are made from the same photograph; intervals redraw photographs."]
    mixed = notices(samples_of(write(tmp_path / "c.json", [*rows, record()])))
    assert "3 of these 4 items were generated" in mixed[0]
    assert "1 of 1,215 items" in mixed[1]


def test_gold_that_is_compared_as_text_is_told(tmp_path: Path) -> None:
    rows = [
        record("color", answer="b, c"),
        record("color", answer="True"),
        record("word_search", answer="[1, 2, 3]"),
        record("ocr", answer="any text"),
    ]
    said = notices(samples_of(write(tmp_path / "d.json", rows)))[-1]
    assert said.startswith("2 gold answers are neither letters of options nor numbers (d.json, record 1, …)")
    assert "would stop at 1 of them" in said
    assert "stop" not in notices(samples_of(write(tmp_path / "e.json", rows[1:])))[-1]
