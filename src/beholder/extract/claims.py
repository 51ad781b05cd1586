"""What a text claims, and which of its claims stands.

A claim is a value at a place in the text, said in words that make it an answer ("the answer is …", "the statement is
…"; see `lead`). All functions take the plain text in lower case (`markup.plain(text).lower()`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Generic, NamedTuple, TypeVar

V = TypeVar("V")

MOST = 2000
"""How many places of a text are read as possible answers: the last ones, where a long text gives its answer."""


class Claim(NamedTuple, Generic[V]):
    """A value that the text gives as its answer, and the (start, end) offsets of the words that give it."""

    value: V
    start: int
    end: int


_REVISES = re.compile(
    r"(?:^|[.!?…\n:;>-])\s{0,4}(?:but,? |oh,? |hmm+,? |no,? |ah,? |ok(?:ay)?,? )?(?:wait|hold on|oops"
    r"|hmm+)\b|\bwait[,.!…-]"
    r"|\bcorrection\b|\bcorrect(?:ing)? (?:this|that|it|my|myself|the (?:answer|error|mistake))\b"
    r"|\bi (?:need|have|want) to (?:correct|revise|change|fix)\b|\blet me (?:correct|fix|revise|change"
    r"|re-?\w+|double)"
    r"|\b(?:after|upon|on) (?:a |an |my |some |further |more |closer |careful |second |re-?|double[- ])*"
    r"(?:check|consider|review|reflect|inspect|look|thought|examin|think|analysis|reading|evaluat)"
    r"|\bre-?(?:consider|check|examin|evaluat|assess|think|visit|analy[sz]|read)|\brevis(?:e|ed|ing|ion)\b"
    r"|\b(?:my|a) mistake\b|\bi (?:was|am) (?:wrong|mistaken)\b|\bi (?:made|misread|misspoke"
    r"|misinterpreted)\b"
    r"|\bscratch that\b|\btake (?:that|it) back\b|\bchang(?:e|ed|ing) my (?:mind|answer)\b|\bsorry\b"
    r"|\bapolog"
    r"|\bdouble[- ]?check|\blooking (?:again|closer|more)|\bactually,|\bin fact,|\bno, (?:the|it|that"
    r"|this|i|actually)\b"
    r"|\bfinal(?:ly)?,? ?(?:the |my )?(?:answer|choice|verdict|decision|judge?ment|conclusion|response)"
    r"|\b(?:updated|corrected|revised) (?:answer|judge?ment|verdict|choice)"
    r"|等等|等一下|更正|纠正|修正|重新|再想|再看|再次检查|仔细检查|其实|实际上|最终|抱歉|我错了"
    r"|应该改为|改为|改成"
)


def revises(low: str, start: int, end: int) -> bool:
    """Whether the words between two claims take the earlier one back ("wait", "after checking", "final answer")."""
    return _REVISES.search(low, start, end) is not None


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
        undecided = not revises(low, current.end, claim.start)
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
