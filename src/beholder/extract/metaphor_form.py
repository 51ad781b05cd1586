"""The exact form that the prompts of M3R-Bench ask for; `metaphor` says what it is."""

from __future__ import annotations

import json
import re
from typing import Any

from beholder.annotation import LABELS, SENTIMENTS, TEXTUAL, VISUAL, Annotation, Box, Evidence, Explanation
from beholder.extract.extraction import Extraction
from beholder.extract.markup import is_blank
from beholder.extract.metaphor_box import BOX_NOT_SHARE
from beholder.extract.metaphor_words import slot_words
from beholder.extract.think import split_thought

_FENCE = re.compile(r"```(?:json)?[ \t]*\r?\n(.*?)\r?\n?[ \t]*```", re.DOTALL)
_NO_KEYS: frozenset[str] = frozenset()


def asked(task: str) -> tuple[str, ...]:
    """The labels that a task asks for: one of `LABELS` alone, or all of them."""
    return (task,) if task in LABELS else LABELS


class _OtherForm(Exception):
    """The answer is not in the form that was asked for; the text says why."""


def strict(text: str, task: str) -> Extraction[Annotation]:
    """The annotation, if the whole answer is the JSON object that the prompt of `task` asks for (see `metaphor`).

    `task` is one of `LABELS`; anything else is the joint question. Flags without a value: `format`, `empty`,
    `unclosed_think`. Flag with one: `box_not_share`.
    """
    thought = split_thought(text)
    if (missing := nothing_shown(thought.closed, thought.answer)) is not None:
        return missing
    core = thought.answer.strip()
    start = thought.start + len(thought.answer) - len(thought.answer.lstrip())
    if fence := _FENCE.fullmatch(core):
        core = fence[1]
        start += fence.start(1)
    try:
        value = _annotation(_strict_json(core), task)
    except _OtherForm as problem:
        return Extraction(None, flags=("format",), reason=f"The answer is not the object asked for: {problem}.")
    return Extraction(value, (start, start + len(core)), (BOX_NOT_SHARE,) if _beyond(value) else ())


def _beyond(annotation: Annotation) -> bool:
    """Whether a number of a box is above 1."""
    pieces = annotation.explanation.evidence if isinstance(annotation.explanation, Explanation) else ()
    return any(piece.box is not None and max(piece.box) > 1 for piece in pieces)


def nothing_shown(closed: bool, answer: str) -> Extraction[Annotation] | None:
    """The empty reading of an answer that shows nothing (`unclosed_think`, `empty`); None if it shows something."""
    if not closed:
        return Extraction(None, flags=("unclosed_think",), reason="The thinking never ends.")
    if is_blank(answer):
        return Extraction(None, flags=("empty",), reason="There is no text outside the thinking.")
    return None


def _strict_json(core: str) -> Any:
    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({name for name, _ in pairs}) < len(pairs):
            raise _OtherForm("a key stands twice")
        return dict(pairs)

    def constant(name: str) -> Any:
        raise _OtherForm(f"{name} is no JSON")

    try:
        return json.loads(core, object_pairs_hook=members, parse_constant=constant)
    except (ValueError, RecursionError):
        raise _OtherForm("it is no JSON, or something stands beside it") from None


def _annotation(value: Any, task: str) -> Annotation:
    labels = asked(task)
    keys = frozenset(labels) if len(labels) == 1 else frozenset((*labels, "explanation"))
    made: dict[str, Any] = dict(_object(value, keys))
    if "metaphor" in made:
        made["metaphor"] = _word(made["metaphor"], ("no", "yes"), "metaphor") == "yes"
    for slot in ("target", "source"):
        if isinstance(made.get(slot), str):
            if not isinstance(slot_words(made[slot]), str):
                raise _OtherForm(f"the {slot} is no words, and not null")
            made[slot] = clean(made[slot])
        elif made.get(slot) is not None:
            raise _OtherForm(f"the {slot} is neither text nor null")
    if "sentiment" in made:
        _word(made["sentiment"], SENTIMENTS, "sentiment")
    if "explanation" in made:
        made["explanation"] = _explained(made["explanation"])
    return Annotation(**made)


def _explained(value: Any) -> Explanation:
    told = _object(value, frozenset(("evidence", "mapping", "sentiment")))
    if not isinstance(told["evidence"], list):
        raise _OtherForm("the evidence is no list")
    return Explanation(tuple(map(_piece, told["evidence"])), _text(told, "mapping"), _text(told, "sentiment"))


def _piece(value: Any) -> Evidence:
    told = _object(value, frozenset(("kind", "text")), optional=frozenset(("box",)))
    return Evidence(_word(told["kind"], (VISUAL, TEXTUAL), "kind"), _text(told, "text"), _box(told.get("box")))


def _box(value: Any) -> Box | None:
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 4:
        raise _OtherForm("a box is not four numbers")
    if not all(isinstance(number, int | float) and not isinstance(number, bool) for number in value):
        raise _OtherForm("a box is not four numbers")
    if not all(abs(number) <= 1e15 for number in value):
        raise _OtherForm("a number of a box is too large")
    left, top, right, bottom = map(float, value)
    return left, top, right, bottom


def _object(value: Any, keys: frozenset[str], optional: frozenset[str] = _NO_KEYS) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _OtherForm("there is no object where one was asked for")
    if not keys <= value.keys() <= keys | optional:
        raise _OtherForm(f"an object must have the keys {', '.join(sorted(keys))} and no others")
    return value


def _word(value: Any, allowed: tuple[str, ...], name: str) -> str:
    if value not in allowed:
        raise _OtherForm(f"the {name} is not one of {', '.join(allowed)}")
    return str(value)


def _text(told: dict[str, Any], name: str) -> str:
    if not isinstance(told[name], str):
        raise _OtherForm(f"the {name} is no text")
    return clean(told[name])


def clean(text: str) -> str:
    """A text that can be written to any file: a lone surrogate becomes a replacement character."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
