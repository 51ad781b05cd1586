"""A classifier that sees everything about an item but its pixels: how often is it right on items it was not fitted on?

Two are fitted. One reads the record as text and numbers (question, options, lengths, picture size and format, metadata)
and predicts the answer as a class. The other looks at each lettered option by itself and beside the others (place,
length, value, rank, distance from the middle, letter and pair counts, likeness to the other options; for strings of
moves also where they lead) and picks the one that looks most like a right one.
"""

from __future__ import annotations

import io
import re
import warnings
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from PIL import Image
from rapidfuzz.distance import Levenshtein
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from threadpoolctl import threadpool_limits

from beholder.synth.item import Item

_OPTION = re.compile(r"^([A-J])\. (.*)$", re.MULTILINE)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_MOVES = {"U": (0, -1), "D": (0, 1), "L": (-1, 0), "R": (1, 0)}


def options_of(item: Item) -> list[str]:
    """The texts of the lettered options; empty for a free answer."""
    found = _OPTION.findall(item.prompt)
    return [text for _, text in found] if [letter for letter, _ in found] == list("ABCDEFGHIJ"[: len(found)]) else []


def chance(fitted: Sequence[Item], others: Sequence[Item]) -> float:
    """What somebody who knows `fitted` but sees no pixels can expect on `others`.

    That is one of the options, or the answer that is commonest in `fitted` to that kind of question at that difficulty.
    """
    kinds: dict[tuple[str, int], Counter[str]] = {}
    for item in fitted:
        kinds.setdefault(_kind(item), Counter())[item.answer] += 1
    commonest = {kind: answers.most_common(1)[0][0] for kind, answers in kinds.items()}
    hits = [
        1 / len(options) if (options := options_of(item)) else float(commonest.get(_kind(item)) == item.answer)
        for item in others
    ]
    return float(np.mean(hits))


def _kind(item: Item) -> tuple[str, int]:
    return str(item.certificate.get("kind") or item.certificate.get("question")), item.difficulty


def by_text(fitted: Sequence[Item], others: Sequence[Item]) -> float:
    """The share of `others` that the classifier of whole records gets right."""
    words = TfidfVectorizer(analyzer="char", ngram_range=(1, 3), max_features=400, lowercase=False)

    def features(items: Sequence[Item], *, fit: bool = False) -> np.ndarray:
        texts = [item.prompt for item in items]
        text = (words.fit_transform(texts) if fit else words.transform(texts)).toarray()
        return np.hstack([text, np.array([_about(item) for item in items])])

    train, test = features(fitted, fit=True), features(others)
    answers = [item.answer for item in fitted]
    if len(set(answers)) == 1:
        return float(np.mean([item.answer == answers[0] for item in others]))
    model = ExtraTreesClassifier(150, min_samples_leaf=2, max_features=0.2, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that a free answer seldom comes twice is as it should be
        model.fit(train, answers)
    return float(np.mean(np.array([item.answer for item in others]) == model.predict(test)))


def by_option(fitted: Sequence[Item], others: Sequence[Item]) -> float | None:
    """The share of `others` with options of which the classifier of options picks the right one; None without any."""
    fitted = [item for item in fitted if options_of(item)]
    others = [item for item in others if options_of(item)]
    if not fitted or not others:
        return None
    rows = [(row, right) for item in fitted for row, right in zip(_options(item), _right(item), strict=True)]
    model = HistGradientBoostingClassifier(max_iter=80, max_leaf_nodes=8, min_samples_leaf=20, random_state=0)
    with threadpool_limits(1):  # tests run side by side: threads of their own would only be in each other's way
        model.fit(np.array([row for row, _ in rows]), [right for _, right in rows])
    hits = [_right(item)[int(model.predict_proba(np.array(_options(item)))[:, 1].argmax())] for item in others]
    return float(np.mean(hits))


def _about(item: Item) -> list[float]:
    sizes = [Image.open(io.BytesIO(picture)).size for picture in item.pictures]
    options = options_of(item)
    lengths = [len(option) for option in options] + [0] * (10 - len(options))
    return [
        float(len(item.prompt)),
        float(len(item.pictures)),
        *map(float, sizes[0]),
        float(sizes[-1][0]),
        float(item.difficulty),
        float(len(item.cluster)),
        float(len(options)),
        *map(float, lengths),
    ]


def _right(item: Item) -> list[bool]:
    return [letter == item.answer for letter, _ in _OPTION.findall(item.prompt)]


def _options(item: Item) -> list[list[float]]:
    options = options_of(item)
    values = [float(found[0]) if (found := _NUMBER.search(text)) else 0.0 for text in options]
    lengths = [len(text) for text in options]
    likeness = np.array([[Levenshtein.normalized_similarity(a, b) for b in options] for a in options])
    rows = []
    for place, text in enumerate(options):
        moves = [_MOVES[char] for char in text if char in _MOVES] if set(text) <= set(_MOVES) else []
        turns = sum(a != b for a, b in pairwise(moves))
        back = sum(a[0] == -b[0] and a[1] == -b[1] for a, b in pairwise(moves))
        rows.append(
            [
                float(place),
                float(item.difficulty),
                float(len(item.prompt)),
                float(lengths[place]),
                lengths[place] - float(np.mean(lengths)),
                values[place],
                float(np.argsort(np.argsort(values))[place]),
                values[place] - float(np.mean(values)),
                abs(values[place] - float(np.median(values))),
                float(likeness[place].mean()),
                float(np.argsort(np.argsort(likeness.mean(axis=1)))[place]),
                float(sum(x for x, _ in moves)),
                float(sum(y for _, y in moves)),
                float(turns),
                float(back),
                *(float(text.count(char)) for char in "UDLR0123456789"),
                *(float(text.count(pair)) for pair in ("UU", "DD", "LL", "RR", "UD", "DU", "LR", "RL", "RD", "DR")),
                float(len(set(text))),
            ]
        )
    return rows
