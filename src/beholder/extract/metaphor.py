"""Metaphor annotations out of a model's answer: y = (m, t, s, e) and the explanation, or one label alone.

The joint prompt asks for one JSON object,

    {"metaphor": "yes" | "no", "target": "…" | null, "source": "…" | null,
     "sentiment": "positive" | "neutral" | "negative",
     "explanation": {"evidence": [{"kind": "visual" | "textual", "text": "…", "box": [left, top, right, bottom]}, …],
                     "mapping": "…", "sentiment": "…"}}

and the prompt of a single label for the object with that key alone.

`strict` takes exactly that object as the whole answer after the thinking, bare or in one fence: JSON, these keys and
no others, these words, no key twice; `box` may be null or left out. A word for none (`"None"`, `""`) is not null.

`lenient` takes what a careful reader would: mended JSON (quotes, commas, an answer cut off in the middle), other names
and nesting of keys, other words for yes, no, none and the sentiments, and prose with named lines, tables, headings,
tags or plain sentences, in English and Chinese. JSON goes before prose; what stands in an answer tag or box goes before
what stands outside; a later answer replaces an earlier one only after a word of revision. A label that is given in
several ways, or in words that are no label ("mixed"), is not read: it is UNSET, and the others stand. None is what was
said to be none; what was not said is UNSET, also target and source where the answer is no. Boxes stay as they are
written.
"""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from beholder.annotation import LABELS, Annotation, Evidence, Explanation
from beholder.extract import metaphor_words as words
from beholder.extract import yes_no
from beholder.extract.claims import Claim, abstains, standing
from beholder.extract.declared import Region, ascii_forms, declared
from beholder.extract.extraction import Extraction
from beholder.extract.json_value import find_json
from beholder.extract.markup import plain
from beholder.extract.metaphor_alone import bare_feeling, bare_slot
from beholder.extract.metaphor_box import BOX_NOT_SHARE, BOX_UNREAD, REPAIRED
from beholder.extract.metaphor_form import asked, clean, nothing_shown, strict
from beholder.extract.metaphor_mending import mended
from beholder.extract.metaphor_prose import read_prose, shown
from beholder.extract.metaphor_tree import (
    NO_KIND,
    UNSTAGED,
    Said,
    Told,
    read_tree,
    with_duplicates,
)
from beholder.extract.option_text import fold
from beholder.extract.revision import revises, revisions
from beholder.extract.think import split_thought

__all__ = ["FLAGS", "UNREAD", "lenient", "strict"]

UNREAD = {part: f"unread_{part}" for part in (*LABELS, "explanation")}
"""Part of an annotation → the flag of an answer that does not give it in a readable way."""
AMBIGUOUS, CUT, DUPLICATE, TOO_LARGE, OPEN_TAG = "ambiguous", "cut_json", "duplicate_key", "too_large", "unclosed_tag"
FLAGS = (
    *("format", "empty", "unclosed_think", "no_labels", "abstained", "withdrawn", TOO_LARGE),
    *(AMBIGUOUS, *UNREAD.values(), REPAIRED, DUPLICATE, CUT, OPEN_TAG, BOX_NOT_SHARE, BOX_UNREAD, NO_KIND, UNSTAGED),
)
"""All flags of the two readings. Without a value: the first line's, and `ambiguous`. With one: `ambiguous` (a label is
given in several ways), `unread_…` (asked for, and not given in a readable way), `repaired` (the JSON), `duplicate_key`,
`cut_json` (the JSON is not complete), `unclosed_tag`, `box_not_share` (a number above 1), `box_unread`, `no_kind`
(evidence that is not said to be visual or textual: its kind is empty), `unstaged` (text of the explanation that names
no stage: it is kept as the mapping)."""

_MOST_OBJECTS = 8
"""JSON objects of one answer that are read: the last ones."""
_OUTSIDE, _BESIDE = 10, 5
"""What is added to the rank of a claim outside of the answer's tags and boxes, and of one in prose beside JSON."""
_SHORT = 60
"""A shorter answer to the first question alone is read as its field would be."""
_TAKEN_BACK = re.compile(
    r"[^.!?\n。]{0,40}?(?:\b(?:that|this|it|the answer|the above)(?:'s| is| was) (?:all )?"
    r"(?:wrong|incorrect|mistaken|not (?:right|correct))|(?:答案|上面|以上|这)[^。\n]{0,6}(?:错|不对|不正确))"
)
_NONE_THERE = r"\bthere is (?:therefore |thus |then )?no (?:core |metaphorical )?%s\b|没有(?:隐喻)?(?:%s)"
_ABSENT = {words.TARGET: _NONE_THERE % ("target", "目标|本体"), words.SOURCE: _NONE_THERE % ("source", "源|喻体")}
_OF_EXPLANATION = (BOX_NOT_SHARE, BOX_UNREAD, NO_KIND)
_VISIBLE = re.compile(r"[^\n]")


def lenient(text: str, task: str) -> Extraction[Annotation]:
    """The annotation that a careful reader takes from an answer (see the module); a partial one has flags that say so.

    `task` is one of `LABELS`, and then only that label is in the annotation; anything else is the joint question. There
    is no value if nothing that is asked for can be read. For the flags see `FLAGS`.

    >>> lenient("Metaphor: Yes / Target: smoking / Source: a gun / Sentiment: mixed", "joint").flags
    ('unread_sentiment', 'unread_explanation')
    """
    exact = strict(text, task)
    if exact.value is not None:
        return exact
    thought = split_thought(text)
    if (missing := nothing_shown(thought.closed, thought.answer)) is not None:
        return missing
    inner = _written_as_string(thought.answer)
    if inner is None:
        return _read(thought.answer, task).moved(thought.start)
    found = _read(inner, task)
    span = (thought.start, thought.start + len(thought.answer)) if found.value is not None else None
    flags = tuple(dict.fromkeys((*found.flags, REPAIRED))) if found.value is not None else found.flags
    return Extraction(found.value, span, flags, found.reason)


def _written_as_string(answer: str) -> str | None:
    """The object that a whole answer holds as a JSON string, encoded twice; None for any other answer."""
    core = answer.strip()
    if not (core.startswith('"') and core.endswith('"') and "{" in core):
        return None
    try:
        return str(json.loads(core))
    except ValueError:
        return None


def _read(answer: str, task: str) -> Extraction[Annotation]:
    labels = asked(task)
    joint = len(labels) > 1
    told = Told()
    spans = _read_objects(answer, told, "" if joint else task)
    in_json = len(told.claims)
    rest = _without(answer, spans)
    low = shown(rest)
    read_prose(rest, low, told, explain=joint and told.explanation is UNSET)
    if not joint:
        _read_alone(answer, low, task, told)
    regions = [region for region in declared(ascii_forms(answer)) if region.kind in ("tag", "box")]
    claims = _ranked(low, told.claims, in_json, spans, regions)
    made = {label: one for label in labels if (one := _standing(low, claims, label, told)) is not None}
    explanation = told.explanation if joint else UNSET
    if joint and told.divided:
        told.flag(AMBIGUOUS)
    if not made and explanation is UNSET:
        return _nothing(low, told)
    start = min((one.start for one in made.values()), default=0)
    end = max((one.end for one in made.values()), default=len(answer))
    if made and any(_TAKEN_BACK.match(low, cut) for cut in revisions(low) if cut > end):
        return Extraction(None, flags=("withdrawn",), reason="The answer is taken back and no other is given.")
    if any(not region.closed and region.start <= one.start for region in regions for one in made.values()):
        told.flag(OPEN_TAG)
    return Extraction(_annotation(made, explanation), (start, end), _flags(labels, made, explanation, told))


# What is told ------------------------------------------------------------------------------------------------------


def _read_objects(answer: str, told: Told, task: str) -> list[tuple[int, int]]:
    """Adds what the JSON objects of an answer give, and says where these stand: their (start, end) offsets."""
    objects = _objects(answer, told)
    broken = mended(answer)
    if broken is not None and not any(start == broken.start for start, _, _ in objects):
        outside = [one for one in objects if not broken.start <= one[0] < broken.end]
        if broken.cut or not outside:
            told.flag(REPAIRED)
            if broken.cut:
                told.flag(CUT)
            objects = [*outside, (broken.start, broken.end, broken.value)]
    spans: list[tuple[int, int]] = []
    low = plain(answer).lower()
    for start, end, value in sorted(objects, key=lambda one: one[0]):
        given = Told()
        read_tree(value, (start, end), given, task)
        if given.size:
            beside = not spans or spans[-1] == (start, end)
            told.add(given, beside=beside, replaces=not beside and revises(low, *spans[-1], start))
            spans.append((start, end))
    return spans


def _objects(answer: str, told: Told) -> list[tuple[int, int, dict[str, Any]]]:
    """The last complete objects of an answer; if the last is fenced, only fenced ones."""
    found: list[tuple[int, int, dict[str, Any]]] = []
    stop = len(answer)
    fenced = False
    for _ in range(_MOST_OBJECTS):
        last = find_json(answer[:stop])
        if last.span is None:
            if TOO_LARGE in last.flags:
                told.flag(TOO_LARGE)
            break
        start, end = last.span
        in_fence = answer.count("```", 0, start) % 2 == 1
        if fenced and not in_fence:
            break
        fenced, stop = in_fence, start
        alone = find_json(answer[start:end])
        tree = alone.value
        if DUPLICATE in alone.flags:
            tree = with_duplicates(answer[start:end])
        if isinstance(tree, dict | list):
            for flag in alone.flags:
                told.flag(flag)
            listed = tree if isinstance(tree, list) else [tree]
            found += [(start, end, one) for one in listed if isinstance(one, dict)]
    return found


def _without(answer: str, spans: list[tuple[int, int]]) -> str:
    """The answer with these stretches blanked, at the same length."""
    pieces, at = [], 0
    for start, end in sorted(set(spans)):
        if start >= at:
            pieces += [answer[at:start], _VISIBLE.sub(" ", answer[start:end])]
            at = end
    return "".join([*pieces, answer[at:]])


def _read_alone(answer: str, low: str, task: str, told: Told) -> None:
    """Adds what an answer to the question for one label says in a word of its own, or by saying that there is none."""
    if any(one.label == task and one.rank == 0 for one in told.claims):
        return
    if task == words.METAPHOR:
        found = yes_no.lenient(answer)
        if len(answer) < _SHORT:
            whole = Said(task, words.metaphor_word(answer), 0, len(answer), 1)
            told.claims = [*(one for one in told.claims if one.label != task), whole]
        elif found.value is not None and found.span is not None:
            told.claims.append(Said(task, found.value in yes_no.AFFIRMS, *found.span, 1))
        elif found.flags:
            told.claims.append(Said(task, UNSET, 0, len(answer), 1))
    elif task == words.SENTIMENT:
        feeling = bare_feeling(answer)
        told.claims += [feeling] if feeling is not None else []
    elif not any(one.label == task for one in told.claims):
        denials = [one for one in told.claims if one.label == words.METAPHOR and low[one.start : one.end] != "no"]
        slot = bare_slot(answer)
        absent = re.search(_ABSENT[task], low)
        if denials and all(one.value is False for one in denials):
            told.claims.append(Said(task, None, denials[0].start, denials[0].end))
        elif absent and not denials:
            told.claims.append(Said(task, None, *absent.span()))
        elif slot is not None:
            told.claims.append(msgspec.structs.replace(slot, label=task))


# What stands -------------------------------------------------------------------------------------------------------


def _ranked(
    low: str, claims: list[Said], in_json: int, spans: list[tuple[int, int]], regions: list[Region]
) -> list[Said]:
    """The claims with their ranks: tags and boxes before all else, JSON and fields before prose that does not revise
    them."""
    json_end = max((end for _, end in spans), default=0)
    cuts = revisions(low) if claims else []
    revised = {label: _revised_at(low, cuts, claims, label, json_end if in_json else 0) for label in LABELS}
    ranked = []
    for position, one in enumerate(claims):
        rank = one.rank
        if position >= in_json and one.start >= revised[one.label]:
            rank = 0
        elif in_json and position >= in_json:
            rank += _BESIDE
        if regions and not any(region.start <= one.start < region.end for region in regions):
            rank += _OUTSIDE
        ranked.append(msgspec.structs.replace(one, rank=rank))
    return ranked


def _revised_at(low: str, cuts: list[int], claims: list[Said], label: str, json_end: int) -> int:
    """From where on prose takes back what JSON or a field of the label gives; past the end if nothing does.

    Behind a field the words of revision must be on its line or begin one: in the midst of an explanation they may be
    a caption's.
    """
    given = json_end or max((one.end for one in claims if one.label == label and one.rank == 0), default=0)
    for cut in cuts if given else ():
        line = low.rfind("\n", 0, cut - 1) + 1
        before = low[line:cut].strip(" :,") if cut - line < _SHORT else ""
        if cut >= given and (json_end or line <= given or (before[:1].isalpha() and ":" not in before)):
            return cut
    return len(low) + 1


def _standing(low: str, claims: list[Said], label: str, told: Told) -> Said | None:
    """The claim of a label that stands; None if there is none that can be read, or several (then `ambiguous`)."""
    mine = [one for one in claims if one.label == label]
    best = min((one.rank for one in mine), default=0)
    ordered = sorted((one for one in mine if one.rank == best), key=lambda one: one.start)
    keys = [fold(one.value) or one.value if isinstance(one.value, str) else one.value for one in ordered]
    given = [Claim(key, one.start, one.end) for key, one in zip(keys, ordered, strict=True)]
    stands, undecided = standing(low, given)
    if undecided:
        told.flag(AMBIGUOUS)
    if stands is None or stands.value is UNSET:
        return None
    return next(one for one, claim in zip(ordered, given, strict=True) if claim == stands)


def _annotation(made: dict[str, Said], explanation: Explanation | UnsetType) -> Annotation:
    values = {label: clean(one.value) if isinstance(one.value, str) else one.value for label, one in made.items()}
    if isinstance(explanation, Explanation):
        evidence = tuple(Evidence(piece.kind, clean(piece.text), piece.box) for piece in explanation.evidence)
        explanation = Explanation(evidence, clean(explanation.mapping), clean(explanation.sentiment))
    return msgspec.structs.replace(Annotation(explanation=explanation), **values)


def _flags(
    labels: tuple[str, ...], made: dict[str, Said], explanation: Explanation | UnsetType, told: Told
) -> tuple[str, ...]:
    """What there is to say of a reading: the flags gathered, and what was asked for and is not there.

    Target and source need not be said where there is no metaphor.
    """
    literal = words.METAPHOR in made and made[words.METAPHOR].value is False
    for label in labels:
        silent = literal and label in (words.TARGET, words.SOURCE) and all(one.label != label for one in told.claims)
        if label not in made and not silent:
            told.flag(UNREAD[label])
    if len(labels) == 1:
        return tuple(flag for flag in told.flags if flag not in _OF_EXPLANATION)
    if explanation is UNSET:
        told.flag(UNREAD["explanation"])
    elif told.unstaged:
        told.flag(UNSTAGED)
    return tuple(told.flags)


def _nothing(low: str, told: Told) -> Extraction[Annotation]:
    if AMBIGUOUS in told.flags:
        return Extraction(None, flags=(AMBIGUOUS,), reason="What is asked for is answered in several ways.")
    if TOO_LARGE in told.flags:
        return Extraction(None, flags=(TOO_LARGE,), reason="The answer has too much in it that looks like JSON.")
    if abstains(low):
        return Extraction(None, flags=("abstained",), reason="The text says that no answer can be given.")
    return Extraction(None, flags=("no_labels",), reason="Nothing that was asked for can be read in the text.")
