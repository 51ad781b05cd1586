"""The three prompts: ours, and a user's own in their place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from beholder.errors import UsageError
from beholder.experiments.rotation_prompts import INTERFACES, PROMPTS, TEMPLATES, read_prompts


def test_ours_ask_the_same_question_of_both_interfaces() -> None:
    assert list(TEMPLATES) == list(INTERFACES)
    for templates in TEMPLATES.values():
        assert tuple(templates) == PROMPTS
        assert templates["P1"] == "{question}"
        assert all(template.startswith("{question}") for template in templates.values())
    assert read_prompts(None) == TEMPLATES


def written(folder: Path, told: Any) -> Path:
    file = folder / "prompts.json"
    file.write_text(told if isinstance(told, str) else json.dumps(told))
    return file


def test_a_file_replaces_what_it_names(tmp_path: Path) -> None:
    own = read_prompts(written(tmp_path, {"P2": "Look. {question}", "P3": {"python": "Code! {question}"}}))
    assert [own[name]["P2"] for name in INTERFACES] == ["Look. {question}"] * 2
    assert own["python"]["P3"] == "Code! {question}"
    assert own["rotate"]["P3"] == TEMPLATES["rotate"]["P3"]
    assert TEMPLATES["rotate"]["P2"] != "Look. {question}"


BAD = [
    ("no JSON", "P2: {question}", "cannot be used"),
    ("a list", ["{question}"], "cannot be used"),
    ("another name", {"P4": "{question}"}, "cannot be used"),
    ("another interface", {"P2": {"turn": "{question}"}}, "no interface 'turn'"),
    ("no question", {"P2": "Turn it."}, "P2 for rotate does not hold {question}"),
]


@pytest.mark.parametrize(("name", "told", "words"), BAD, ids=[row[0] for row in BAD])
def test_a_file_that_cannot_be_used(tmp_path: Path, name: str, told: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        read_prompts(written(tmp_path, told))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"--prompts .* cannot be read"):
        read_prompts(tmp_path / "none.json")
