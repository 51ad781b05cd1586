"""Reasoning triplets of an item and of an answer, set side by side, for the graph on the page of a sample.

OUR reading, for looking at only; no score hangs on it. The gold is `metadata["triplets"]`, a list of (subject,
relation, object). An answer's are those of the JSON in it: `triplets`, a list of such lists or of objects with these
three names. Two triplets are the same if all three texts are, apart from case and white space. What is malformed holds
no triplets.
"""

from __future__ import annotations

from typing import Any

from beholder.extract.json_value import find_json
from beholder.sample import Sample
from beholder.viewer.sample_data import Triplet
from beholder.viewer.texts import told

MOST = 200
"""Triplets of one side that are looked at."""
_LONGEST = 500
_NAMES = ("subject", "relation", "object")

Three = tuple[str, str, str]


def gold_triplets(sample: Sample) -> list[Three]:
    """The triplets that the data gives; [] without any."""
    return _read(sample.metadata.get("triplets"))


def said_triplets(text: str) -> list[Three]:
    """The triplets in an answer.

    >>> said_triplets('Here: {"triplets": [["cup", "on", "table"], {"subject": "a", "relation": "b", "object": "c"}]}')
    [('cup', 'on', 'table'), ('a', 'b', 'c')]
    >>> said_triplets('{"triplets": [["cup", "on"]]}')
    []
    """
    value = find_json(text).value
    return _read(value.get("triplets") if isinstance(value, dict) else None)


def side_by_side(gold: list[Three], said: list[Three]) -> list[Triplet]:
    """All triplets of both sides, each once: the gold ones first, in its order, then what is said beyond them."""
    wanted, stated = _each_once(gold), _each_once(said)
    both = [_triplet(one, "both" if same in stated else "missed") for same, one in wanted.items()]
    return both + [_triplet(one, "extra") for same, one in stated.items() if same not in wanted]


def _read(value: Any) -> list[Three]:
    if not isinstance(value, list):
        return []
    found = []
    for one in value[:MOST]:
        parts = [one.get(name) for name in _NAMES] if isinstance(one, dict) else one
        if not isinstance(parts, list) or len(parts) != 3 or not all(isinstance(part, str) for part in parts):
            return []
        found.append((parts[0], parts[1], parts[2]))
    return found


def _each_once(triplets: list[Three]) -> dict[tuple[str, ...], Three]:
    """What is compared → the triplet as it was first written."""
    found: dict[tuple[str, ...], Three] = {}
    for one in triplets:
        found.setdefault(tuple(" ".join(part.casefold().split()) for part in one), one)
    return found


def _triplet(triplet: Three, role: Any) -> Triplet:
    subject, relation, thing = (told(part, _LONGEST) for part in triplet)
    return Triplet(subject=subject, relation=relation, object=thing, role=role)
