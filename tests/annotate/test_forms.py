"""Forms, and what may be filled in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from beholder.annotate.forms import PRESETS, check_value, form_of, read_form, tidy
from beholder.benchmarks.m3r.records import NONE_WORDS
from beholder.errors import UsageError
from made_projects import NO, YES

M3R = form_of("m3r")
PIECE = {"kind": "visual", "text": "a gun", "box": [0.1, 0.2, 0.5, 0.9]}

BOXES: list[Any] = [
    [0, 0, 1], [0, 0, 2, 1], [0.5, 0, 0.5, 1], [0.5, 0, 0.1, 1], [float("nan"), 0, 1, 1], [10**400, 0, 1, 1],
    [True, 0, 1, 1], ["0", 0, 1, 1], "box", {},
]  # fmt: skip

WRONG: list[tuple[Any, str]] = [
    ([], "must be an object"),
    ({}, "Metaphor: please fill this in"),
    (NO | {"target": "x"}, "Target: leave this empty unless Metaphor is yes"),
    ({"metaphor": "yes", "sentiment": "neutral", "target": " ", "source": "x"}, "Target: please fill this in"),
    (YES | {"sentiment": "sad"}, "'sad' is none of positive, neutral, negative"),
    (YES | {"sentiment": 1}, "Sentiment: this must be text"),
    (YES | {"sentiment": ["positive"]}, "Sentiment: this must be text"),
    (YES | {"target": "\u200b\xad"}, "Target: please fill this in"),
    (YES | {"target": " None "}, "Target: 'None' says that there is none"),
    (YES | {"source": "无"}, "Source: '无' says that there is none"),
    (YES | {"target": "two\nlines"}, "Target: this must be one line"),
    (YES | {"target": "x" * 501}, "501 characters"),
    (YES | {"mapping": "x" * 10_001}, "10,001 characters"),
    (YES | {"mapping": "\ud800"}, "cannot be stored"),
    (YES | {"mapping": "a\0b"}, "cannot be stored"),
    (YES | {"colour": "red"}, "There is no field 'colour'"),
    (YES | {"evidence": "text"}, "must be a list"),
    (YES | {"evidence": [PIECE] * 41}, "41 pieces"),
    (YES | {"evidence": ["text"]}, "piece 1: this must have a kind"),
    (YES | {"evidence": [PIECE | {"x": 1}]}, "nothing else"),
    (YES | {"evidence": [PIECE | {"kind": "sound"}]}, "must be visual or textual"),
    (YES | {"evidence": [PIECE | {"text": " "}]}, "please say what is seen"),
    *[(YES | {"evidence": [PIECE | {"box": box}]}, "inside the picture") for box in BOXES],
]


@pytest.mark.parametrize(("value", "told"), WRONG)
def test_what_a_form_does_not_allow_is_said(value: Any, told: str) -> None:
    sentences = check_value(M3R, value)
    assert any(told in sentence for sentence in sentences), sentences


def test_a_metaphor_cannot_have_a_slot_that_its_readers_take_for_none() -> None:
    words = NONE_WORDS | {"nan"}
    assert [set(field.refused) for field in M3R.fields if field.kind == "text"] == [words, words]


RIGHT: list[Any] = [
    YES,
    NO,
    YES | {"evidence": [PIECE, {"kind": "textual", "text": "x"}, PIECE | {"box": None}, PIECE | {"box": [0, 0, 1, 1]}]},
    NO | {"target": "", "source": None, "evidence": []},
    NO | {"mapping": "nothing\nis mapped"},
    NO | {"mapping": "none"},
    YES | {"target": "nobody", "mapping": " \u200b"},
]


@pytest.mark.parametrize("value", RIGHT)
def test_what_a_form_allows(value: Any) -> None:
    assert check_value(M3R, value) == []
    kept = tidy(M3R, value)
    assert check_value(M3R, kept) == []
    assert tidy(M3R, kept) == kept
    assert not {name for name, filled in kept.items() if filled in ("", None, [])}


def test_what_is_put_off_need_not_be_complete_but_must_be_right() -> None:
    assert check_value(M3R, {"metaphor": "yes"}, complete=False) == []
    assert check_value(M3R, {"metaphor": "maybe"}, complete=False) != []


def test_hostile_names_are_shown_bounded() -> None:
    (told,) = check_value(M3R, NO | {"\x1b[2J" + "x" * 1000: 1})
    assert "\x1b" not in told
    assert len(told) < 100


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_forms(name: str) -> None:
    form = form_of(name)
    assert form.name == name
    assert all(len(field.keys) == len(field.options) for field in form.fields if field.kind == "choice")


FIELD = {"name": "a", "kind": "choice", "label": "A", "options": ["x", "y"]}


def form_with(*fields: dict[str, Any], **more: Any) -> bytes:
    return msgspec.json.encode({"name": "mine", "title": "Mine", "fields": list(fields), **more})


BAD_FORMS: list[tuple[bytes, str]] = [
    (b"{", "cannot be used"),
    (form_with(), "at least|length >= 1"),
    (form_with(FIELD, mode="alone"), "Invalid enum value"),
    (form_with(FIELD | {"kind": "number"}), "Invalid enum value"),
    (form_with(FIELD | {"hint": "x"}), "unknown field"),
    (form_with(FIELD | {"name": "A b"}), "matching regex"),
    (form_with(FIELD, FIELD), "two fields are called a"),
    (form_with(FIELD | {"options": ["x"]}), "at least two options"),
    (form_with(FIELD | {"options": ["x", "x"]}), "at least two options"),
    (form_with(FIELD | {"keys": ["1"]}), "2 options and 1 keys"),
    (form_with(FIELD | {"keys": ["1", "1"]}), "the key 1 is given to two"),
    (form_with({"name": "t", "kind": "text", "label": "T", "options": ["x"]}), "has no options"),
    (form_with(FIELD, {"name": "t", "kind": "text", "label": "T", "when": ["a", "z"]}), "no option of an earlier"),
    (form_with({"name": "t", "kind": "text", "label": "T", "when": ["a", "x"]}, FIELD), "no option of an earlier"),
]


@pytest.mark.parametrize(("data", "told"), BAD_FORMS)
def test_a_form_that_cannot_be_used_says_why(data: bytes, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        read_form(data, "mine.json")


def test_a_form_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    file.write_bytes(
        form_with(FIELD, {"name": "t", "kind": "text", "label": "T", "when": ["a", "x"], "required": True})
    )
    form = form_of(str(file))
    assert check_value(form, {"a": "y"}) == []
    assert check_value(form, {"a": "x"}) == ["T: please fill this in."]
    file.write_bytes(file.read_bytes().replace(b"mine", b"m3r"))
    for name, told in ((str(file), "name of a form that ships"), ("none.json", "cannot be read"), ("xyz", "no form")):
        with pytest.raises(UsageError, match=told):
            form_of(name)
