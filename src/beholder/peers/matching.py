"""Which item of our data an answer in another tool's log belongs to. Nothing is guessed: what is not plain is left.

Ways to match: `key` (our content key), `id` (the record's id), `index` (the position in the data), `question` (the
item's question stands in the prompt that the tool logged). `auto` takes the first of key, id, question and index under
which every answer has an item of its own. Where both sides have a text, an answer that was found by id or index must
have been asked that item's question: tools number items from 1, or in an order of their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence

import msgspec

from beholder.errors import UsageError
from beholder.peers.peer_log import PeerAnswer
from beholder.sample import PreferenceTarget, Sample

WAYS = ("auto", "key", "id", "index", "question")
_ANCHOR = 24
"""Characters by which a question is looked up in a prompt; a shorter question has to be the whole prompt."""


class Matched(msgspec.Struct, frozen=True):
    """The items that answers were found for, in data order, each with its answers; and what was left over.

    `way` is how they were found, `unanswered` how many items of the data have no answer, `left` each answer that has no
    item, with the reason.
    """

    way: str
    answers: list[tuple[Sample, list[PeerAnswer]]]
    left: list[tuple[PeerAnswer, str]]
    unanswered: int


def match(answers: Sequence[PeerAnswer], samples: Sequence[Sample], way: str = "auto") -> Matched:
    """Puts answers to items. `UsageError` for a way that is none, and for two answers to one place."""
    if way not in WAYS:
        raise UsageError(f"--by {way[:40]!r} is none. Choose {', '.join(WAYS)}.")
    if way != "auto":
        return _matched(answers, samples, way)
    tried: Matched | None = None
    for one in ("key", "id", "question", "index"):
        found = _matched(answers, samples, one)
        if not found.left:
            return found
        if tried is None or len(found.left) < len(tried.left):
            tried = found
    assert tried is not None
    return tried


def order_shown(sample: Sample, prompt: str) -> tuple[int, ...] | None:
    """The order in which a prompt shows an item's stored answers, read off their places in it; None if it is not plain.

    >>> from beholder.sample import TextPart
    >>> one = Sample(key="k", index=0, benchmark="b", images=(), parts=(TextPart("?"),), target=PreferenceTarget(0),
    ...     metadata={"responses": ["a cat", "a dog"]})
    >>> order_shown(one, "1: a dog. 2: a cat."), order_shown(one, "1: a dog.")
    ((1, 0), None)
    """
    stored = sample.metadata.get("responses")
    if not isinstance(sample.target, PreferenceTarget) or not isinstance(stored, list):
        return None
    folded = fold(prompt)
    texts = [fold(str(text)) for text in stored]
    if any(not text or folded.count(text) != 1 for text in texts) or len(set(texts)) < len(texts):
        return None
    places = [folded.index(text) for text in texts]
    return tuple(sorted(range(len(texts)), key=places.__getitem__))


def fold(text: str) -> str:
    """A text for comparing: white space is one blank, marks of pictures are left out."""
    return " ".join(text.replace("<image>", " ").split())


def _matched(answers: Sequence[PeerAnswer], samples: Sequence[Sample], way: str) -> Matched:
    find = _by_question(samples) if way == "question" else _by_name(samples, way)
    found: dict[str, list[PeerAnswer]] = {}
    taken: dict[tuple[str, int], PeerAnswer] = {}
    left: list[tuple[PeerAnswer, str]] = []
    for answer in answers:
        sample, reason = find(answer)
        if sample is None:
            left.append((answer, reason))
            continue
        place = (sample.key, answer.repetition)
        if place in taken:
            left.append((answer, f"{taken[place].where} answers the same item"))
            continue
        taken[place] = answer
        found.setdefault(sample.key, []).append(answer)
    together = [(sample, found[sample.key]) for sample in samples if sample.key in found]
    return Matched(way, together, left, len(samples) - len(together))


Found = tuple[Sample | None, str]


def _by_name(samples: Sequence[Sample], way: str) -> Callable[[PeerAnswer], Found]:
    if way == "index":
        named = {str(sample.index): sample for sample in samples}
    else:
        named = {sample.key if way == "key" else sample.record_id: sample for sample in samples}
    uses = Counter(sample.record_id for sample in samples) if way == "id" else Counter[str]()

    def find(answer: PeerAnswer) -> Found:
        name = answer.index if way == "index" else answer.id
        if name is None or str(name) == "":
            return None, f"it has no {'position' if way == 'index' else 'id'}"
        sample = named.get(str(name))
        if sample is None:
            return None, f"the data has no item whose {way} is {str(name)[:60]!r}"
        if uses[str(name)] > 1:
            return None, f"{uses[str(name)]} items of the data have the id {str(name)[:60]!r}"
        question, prompt = fold(sample.question), fold(answer.question)
        if question and prompt and question not in prompt and prompt not in question:
            return None, f"it was asked another question than the item whose {way} is {str(name)[:60]!r}"
        return sample, ""

    return find


def _by_question(samples: Iterable[Sample]) -> Callable[[PeerAnswer], Found]:
    """Finds the longest question that stands in a prompt: looked up by its first characters and its length, because a
    benchmark's questions may all begin alike."""
    whole: dict[str, list[Sample]] = {}
    lengths: dict[str, set[int]] = {}
    for sample in samples:
        question = fold(sample.question)
        whole.setdefault(question, []).append(sample)
        if len(question) >= _ANCHOR:
            lengths.setdefault(question[:_ANCHOR], set()).add(len(question))
    anchored = {anchor: sorted(found, reverse=True) for anchor, found in lengths.items()}

    def find(answer: PeerAnswer) -> Found:
        prompt = fold(answer.question)
        if not prompt:
            return None, "the log does not hold its question"
        question = prompt if prompt in whole else _longest_in(prompt, whole, anchored)
        if question is None:
            return None, "no question of the data stands in its prompt"
        named = whole[question]
        if len(named) > 1:
            return None, f"{len(named)} items of the data have its question"
        return named[0], ""

    return find


def _longest_in(prompt: str, whole: Collection[str], anchored: dict[str, list[int]]) -> str | None:
    best = ""
    for place in range(len(prompt) - _ANCHOR + 1):
        for length in anchored.get(prompt[place : place + _ANCHOR], ()):
            if length <= len(best):
                break
            if (question := prompt[place : place + length]) in whole:
                best = question
                break
    return best or None
