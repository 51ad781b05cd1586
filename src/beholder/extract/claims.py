"""What a text claims, and which of its claims stands.

A claim is a value at a place in the text, said in words that make it an answer ("the answer is …", "the statement is
…"; see `lead`). All functions take the plain text in lower case (`markup.plain(text).lower()`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar

from beholder.extract.revision import revises

V = TypeVar("V")

MOST = 2000
"""How many places of a text are read as possible answers: the last ones, where a long text gives its answer."""


class Claim(NamedTuple, Generic[V]):
    """A value that the text gives as its answer, and the (start, end) offsets of the words that give it."""

    value: V
    start: int
    end: int


def places(low: str, key: str, start: int = 0, end: int | None = None) -> Iterator[int]:
    """Where `key` stands in `low[start:end]`: much faster than a pattern where most texts hold none."""
    at = low.find(key, start, end)
    while at >= 0:
        yield at
        at = low.find(key, at + len(key), end)


REVISION = -1
"""The rank of a claim that only revising words make one ("Answer: T. Wait, F."): see `strongest`."""


def strongest(ranked: Sequence[tuple[int, Claim[V]]], alone: int) -> list[Claim[V]]:
    """The claims of the strongest rank (0 first) and the revisions after the first of them, in text order.

    A revision with nothing before it to revise has the rank `alone`.
    """
    firm = [(rank, claim) for rank, claim in ranked if rank != REVISION]
    best = min((rank for rank, _ in firm), default=alone)
    first = min((claim.start for rank, claim in firm if rank == best), default=-1)
    return sorted(
        (
            claim
            for rank, claim in ranked
            if rank == best or (rank == REVISION and (claim.start > first or best == alone))
        ),
        key=lambda claim: claim.start,
    )


def standing(low: str, claims: Sequence[Claim[V]]) -> tuple[Claim[V] | None, bool]:
    """The claim that stands, and whether there are several that nothing decides between.

    Claims come in text order. Equal claims are one; a later claim replaces an earlier one only if words of
    revision stand between them; otherwise none stands and the second value is True.
    """
    current: Claim[V] | None = None
    undecided = False
    for claim in claims:
        if current is None or claim.value == current.value:
            current = claim
            continue
        undecided = not revises(low, current.start, current.end, claim.start)
        current = claim
    return (None, True) if undecided else (current, False)


_ABSTAINS = re.compile(
    r"\b(?:can ?not|can't|could not|couldn't|unable to|not able to|impossible to|hard to|difficult to"
    r"|not possible to"
    r"|insufficient to|not enough to)"
    r" (?:be )?(?:\w{2,14}ly )?(?:be )?(?:determin|tell|say|said|decid|answer|judg|know|conclu|infer"
    r"|verif|confirm|assess"
    r"|establish|ascertain)"
    r"|\b(?:un|in)determin(?:ed|able|ate)\b|\bno (?:definitive |clear )?answer\b|\b(?:do not"
    r"|don't) know\b|\bnot sure\b"
    r"|\b(?:not enough|insufficient|not sufficient|lack of) (?:\w+ )?(?:information|context|evidence"
    r"|detail|data)"
    r"|\b(?:is|are|answer:?|:) unknown\b|\A\W*(?:unknown|unclear|uncertain|unsure|n/a|not applicable)\W*\Z"
    r"|无法(?:确定|判断|回答|得知|确认|得出)|不能(?:确定|判断)|不知道|不确定|不清楚|没有答案|信息不足"
)


_ABSTAIN_KEYS = (
    "cannot",
    "can not",
    "can't",
    "could not",
    "couldn't",
    "able to",
    "possible to",
    "hard to",
    "difficult to",
    "enough",
    "sufficient",
    "determin",
    "no answer",
    "no clear",
    "no definitive",
    "not know",
    "n't know",
    "not sure",
    "unknown",
    "lack of",
    "unclear",
    "uncertain",
    "unsure",
    "n/a",
    "not applicable",
)


def abstains(low: str) -> bool:
    """Whether a text (its last 400 characters) says that no answer can be given."""
    tail = low[-400:]
    if tail.isascii() and not any(key in tail for key in _ABSTAIN_KEYS):
        return False
    return _ABSTAINS.search(tail) is not None
