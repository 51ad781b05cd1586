"""What the words before a value make of it: an answer, a judgement of the statement, or nothing.

Written for English; the extractors add their own Chinese patterns. The tables of words are in `lead_words`.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from beholder.extract import lead_words as words_of
from beholder.extract.revision import last_revision


class Lead(NamedTuple):
    """What the words before a value make of it.

    `kind` is one of

    - `answer`: "the correct answer is", "Answer:"; `beside`: "answer" with no verb or colon; `label`: "A:";
    - `statement`: "the statement is", "Statement 2:"; `pronoun`: "it is", "this is"; `which`: ", which is";
    - `choice`: "I choose", "I'd go with"; `box`: `\\boxed`; `opinion`: "I think", "we get", "this corresponds to";
    - `start`: nothing but fillers before it in its sentence; `line`: nothing before it on its line; `contrast`:
      ", but";
    - `revision`: "wait, it's", "I meant", "Correction:";
    - empty: the words make no claim.

    `negated`: an odd number of negations. `degree`: softened ("not entirely", "I don't think").
    """

    kind: str
    negated: bool = False
    degree: bool = False


_NO = Lead("")
_TOKEN = re.compile(r"[a-z0-9]+(?:'[a-z]+)?|[^\sa-z0-9]")
_WORD = re.compile(r"\w")
_QUESTION_LABEL = re.compile(r"q(?:uestion)?[0-9]{0,3}")
_STOPS = ".!?;。！？…"
_INTERJECTIONS = frozenset((",", "no", "so", "ok", "okay", "well", "yes"))
_LOOK_BACK = 160


def lead(low: str, start: int) -> Lead:
    """How the words before `start` lead up to a value there. Looks back at most 160 characters, never past the line
    (for the heading `Answer`, one line up)."""
    begin = max(0, start - _LOOK_BACK)
    before = low[begin:start]
    line_start = before.rfind("\n") + 1
    stop = max(map(before.rfind, _STOPS)) + 1
    words = _TOKEN.findall(before, max(line_start, stop))
    if any(_WORD.match(word) for word in words):
        found = _read_back(words)
        if found.kind in ("", "pronoun", "start", "opinion"):
            return _revised(low, begin + max(line_start, stop), start) or found
        return found
    if stop > line_start or "\\" in words:
        return Lead("start") if stop > line_start else _NO
    if not line_start:
        return Lead("line") if begin == 0 else _NO
    return _heading(low, begin + line_start, max(0, begin + line_start - 200))


def _revised(low: str, begin: int, start: int) -> Lead | None:
    """`revision` if revising words go before the value in its sentence, with only a light lead after them."""
    cut = last_revision(low, max(0, begin - 2), start)
    if cut < 0:
        return None
    rest = _TOKEN.findall(low, cut, start)
    if not any(_WORD.match(word) for word in rest) or rest[-1] in words_of.LABEL:
        return Lead("revision")
    found = _read_back(rest)
    if found.kind in ("pronoun", "start", "opinion", "choice"):
        return Lead("revision", found.negated, found.degree)
    return None


def _heading(low: str, line_start: int, begin: int) -> Lead:
    """A value that begins its line: `answer` if the line above it is a heading such as `Final answer:`."""
    above = low[begin:line_start].rstrip()
    words = [word for word in _TOKEN.findall(above[above.rfind("\n") + 1 :]) if word not in "()[]'-"]
    if not words or len(words) > 24:
        return Lead("line")
    colon = words[-1] in words_of.LABEL
    words = words[:-1] if colon else words
    if not words or (not words_of.OFFER.isdisjoint(words) and words_of.CHOSEN.isdisjoint(words)):
        return Lead("line")  # "Looking at each option:" goes before a list
    if words[-1] in words_of.ANSWER and len(words) <= 5:
        return Lead("answer")
    if colon and (not words_of.ANSWER.isdisjoint(words[:8]) and len(words) <= 12):
        return Lead("answer")
    if words[-1] in words_of.VERB and not words_of.ANSWER.isdisjoint(words):
        return Lead("answer")
    return Lead("line")


class _Tail(NamedTuple):
    """The end of a lead without its fillers: `words[:at]` are left. `decided`: "considered"; `infinitive`: "to be";
    `connected`: the word that begins the clause ("so", "but"), or empty."""

    at: int
    negated: bool
    degree: bool
    decided: bool
    infinitive: bool
    connected: str


def _strip(words: list[str]) -> _Tail:
    """Walk back over fillers, negations and "considered", to the word that carries the claim."""
    at = len(words)
    negated = degree = decided = infinitive = False
    while at:
        word = words[at - 1]
        previous = words[at - 2] if at > 1 else ""
        if word in words_of.NEGATION:
            negated = not negated
            if word in words_of.NEGATED_VERB:
                break
        elif word in words_of.MERELY and previous in words_of.NEGATION:
            at -= 1  # "not just true" says true
        elif (previous, word) in words_of.NEGATING_PAIRS:
            negated, degree = not negated, True
            at -= 1
        elif word in words_of.DEGREE and (previous in words_of.NEGATION or previous in words_of.DEGREE):
            degree = True
        elif word in words_of.DECIDED:
            decided = True
        elif word in words_of.SO and (previous in words_of.PAUSE or (word == "but" and _denies(words[: at - 1]))):
            return _Tail(at, negated, degree, decided, infinitive, word)
        elif (word == "be" and previous == "to") or (previous, word) in words_of.FILLING_PAIRS:
            infinitive = infinitive or word == "be"
            at -= 1
        elif not _is_filler(word) or _is_own_word(word, previous):
            break
        at -= 1
    return _Tail(at, negated, degree, decided, infinitive, "")


def _denies(words: list[str]) -> bool:
    """Whether a denial goes before a `but`: "it isn't A but B"."""
    return not words_of.NEGATION.isdisjoint(words)


def _is_filler(word: str) -> bool:
    return word in words_of.FILL or (len(word) > 4 and word.endswith("ly") and word not in words_of.HEDGES)


def _is_own_word(word: str, previous: str) -> bool:
    """Words that are fillers elsewhere: `my choice`, and the dash of `Answer - B`."""
    if word in words_of.DASH:
        return previous in words_of.ANSWER or previous in words_of.STATEMENT
    if word == "sure":
        return previous in words_of.NEGATION
    return word == "choice" and previous in words_of.DETERMINER


def _read_back(words: list[str]) -> Lead:
    """Walk back from the value: fillers and negations, then a verb or a label, then what it is said of."""
    at, negated, degree, decided, infinitive, connected = _strip(words)
    if not at or connected:
        return Lead("contrast" if connected == "but" else "start", negated, degree)
    word = words[at - 1]
    previous = words[at - 2] if at > 1 else ""
    if word in words_of.NEGATED_VERB:
        return _subject(words[: at - 1], negated, degree)
    if previous == "\\" and word in ("boxed", "fbox", "box"):
        return Lead("box", negated)
    if word in words_of.LABEL or word in words_of.DASH:
        return _label(words[: at - 1], negated, degree)
    if word.endswith("'s") and word[:-2] in words_of.NOUNS:
        return _subject([*words[: at - 1], word[:-2]], negated, degree)
    if word in words_of.VERB:
        return _verb(words[:at], negated, degree, decided)
    if infinitive and word in words_of.TO_BE | words_of.HAS_TO_BE:
        return _subject(words[: at - 1], negated, degree) if at > 1 else Lead("start", negated, degree)
    if infinitive and word in words_of.ANSWER and not words_of.THINKS.isdisjoint(words[: at - 1]):
        return _subject(words[:at], negated, degree)  # "I believe the correct answer to be"
    if word in words_of.STATEMENT or word in words_of.PRONOUN:  # "I believe the statement to be", "this makes it"
        said = words_of.THINKS if infinitive else words_of.MAKES
        kind = "statement" if word in words_of.STATEMENT else "pronoun"
        return _NO if said.isdisjoint(words[max(0, at - 5) : at - 1]) else Lead(kind, negated, degree)
    if infinitive:
        return _NO
    if word in words_of.BESIDE or (word in ("]", ")") and previous in words_of.ANSWER and "[" in words):
        return _NO if not words_of.SUBORDINATE.isdisjoint(words) else Lead("beside", negated)
    if word == ")" and all(part.isdigit() or part == "(" for part in words[: at - 1]):
        return Lead("line")  # "1) T"
    return _act(words[:at], negated, degree)


def _act(words: list[str], negated: bool, degree: bool) -> Lead:
    """`words` end in a verb of choosing, thinking or yielding: "I choose", "I would say", "this gives us"."""
    at = len(words) - (words[-1] in ("us", "me", "you"))
    word = words[at - 1] if at else ""
    pair = (words[at - 2] if at > 1 else "", word)
    near = words[max(0, at - 6) : at - 1]
    own = not words_of.FIRST_PERSON.isdisjoint(near)
    if (not own and not words_of.SUBORDINATE.isdisjoint(words)) or not words_of.NEGATION.isdisjoint(near):
        return _NO
    if word in words_of.CHOOSE or pair in words_of.CHOOSE_TWO:
        foreign = word in words_of.CHOSE and not own and not all(_is_filler(part) for part in near)
        return _NO if negated or foreign else Lead("choice")
    if (word in words_of.OPINE or pair in words_of.OPINE_TWO) and own:
        return Lead("opinion", negated, degree)
    if word in words_of.GIVES or pair in words_of.GIVES_TWO:
        return Lead("opinion", negated, degree)
    return _NO


def _verb(words: list[str], negated: bool, degree: bool, decided: bool) -> Lead:
    """`words` end in a linking verb. With `be`, the modal before it must be firm: "should be", not "could be"."""
    at = len(words) - 1
    if words[at] == "be":
        modal = words[at - 1] if at else ""
        while at and modal in words_of.NEGATION:
            negated = not negated
            at -= 1
            modal = words[at - 1] if at else ""
        if modal in words_of.FIRM or (modal in words_of.WEAK and decided):
            at -= 1
        elif words[at] not in ("cannot", "can't"):
            return _NO
    return _subject(words[:at], negated, degree)


def _label(words: list[str], negated: bool, degree: bool) -> Lead:
    """What stands before a colon, equals sign or dash: `Final answer`, `Statement 3`, `True or False`."""
    near = words[-12:]
    while near and near[-1] in _INTERJECTIONS:
        near.pop()
    if not near:
        return Lead("start", negated, degree)
    if len(words) == 1 and (near[0] in ("a", "correct", "right") or _QUESTION_LABEL.fullmatch(near[0])):
        return Lead("label" if near[0] == "a" else "answer", negated, degree)
    if near[-1] in ("is", "that", "as") and len(near) > 1:
        return _subject(near[:-1], negated, degree)
    comma = max((index for index, word in enumerate(near) if word == ","), default=-1)
    if near[-1] in words_of.ANSWER - words_of.OFFERED and words_of.WRONG.isdisjoint(near[comma + 1 :]):
        return Lead("answer", negated, degree)
    if not words_of.WRONG.isdisjoint(near):
        return _NO
    for words_near in (near[-8:], near[:2]):
        nouns = [word for word in words_near if word in words_of.ANSWER]
        if nouns and not (nouns[-1] in words_of.OFFERED and words_of.CHOSEN.isdisjoint(near)):
            return Lead("answer", negated, degree)
    if not words_of.STATEMENT.isdisjoint(near[-8:]):
        return Lead("statement", negated, degree)
    if near[-1] in words_of.LABELS or (len(near) >= 3 and (near[-1], near[-3]) in (("false", "true"), ("f", "t"))):
        return Lead("answer", negated, degree)
    return _NO


def _subject(words: list[str], negated: bool, degree: bool) -> Lead:
    """What the verb after `words` is said of."""
    if not words_of.WONDER.isdisjoint(words) and not {"if", "whether"}.isdisjoint(words):
        return _NO
    at = len(words)
    while at and words[at - 1] not in words_of.ANSWER:
        if words[at - 1] in words_of.NEGATION:
            negated = not negated
        elif not _is_filler(words[at - 1]) and words[at - 1] not in words_of.AUXILIARY:
            break
        at -= 1
    if not at:
        return _NO
    noun = at - 1
    if not words_of.CORRECT.isdisjoint(words[max(0, at - 4) : at]) and words[noun] not in words_of.STATEMENT:
        return Lead("answer", negated, degree) if _is_meant(words, noun) else _NO  # "the correct picture is"
    if words[noun] == "one" and words[noun - 1] in words_of.CHOSEN:
        return Lead("answer", negated, degree)  # "the right one is"
    if words[noun] == "which":
        return Lead("which" if words_of.STATEMENT.isdisjoint(words) else "pronoun", negated, degree)
    if words[noun] not in words_of.NOUNS:
        noun = _earlier_noun(words, at)
        if noun < 0:
            return _NO
    comma = max((index for index in range(noun) if words[index] == ","), default=-1)
    clause = words[comma + 1 : noun]
    if not words_of.SUBORDINATE.isdisjoint(clause) or not _is_meant(words, noun):
        return _NO
    denied = _denied(clause)
    if denied is not None:
        negated = negated != denied
    elif not words_of.NEGATION.isdisjoint(clause):  # "I don't think the statement is true"
        if words_of.THINKS.isdisjoint(clause):
            return _NO
        negated, degree = not negated, True
    if words[noun] in words_of.PRONOUN:
        return Lead("pronoun", negated, degree)
    return Lead("answer" if words[noun] in words_of.ANSWER else "statement", negated, degree)


def _denied(clause: list[str]) -> bool | None:
    """Whether "it is false that", "it is not the case that" turns what follows around; None without such words."""
    for word, after in pairwise(clause):
        if word in words_of.DENIALS and after in ("that", "to"):
            negations = sum(part in words_of.NEGATION for part in clause)
            return (negations + (word in ("false", "untrue"))) % 2 == 1
    return None


def _is_meant(words: list[str], noun: int) -> bool:
    """Whether the noun is the answer or the statement itself: not a part of it, not somebody's, not a wrong one."""
    before = noun
    while before and words[before - 1] in words_of.DETERMINER:
        before -= 1
    if words[noun] in words_of.OFFERED and words_of.CHOSEN.isdisjoint(words[before:noun]):
        return False  # "the options are A, B and C"
    word = words[before - 1] if before else ""
    if word == "of" and before > 1 and words[before - 2] in words_of.PARTIAL:
        return False
    if word.endswith("'s") and word not in ("that's", "it's", "let's"):
        return False
    return word not in words_of.NOT_MEANT


def _earlier_noun(words: list[str], at: int) -> int:
    """The index of a noun that the subject began with (`the statement about the cat is`), or -1."""
    for index in range(at - 2, max(-1, at - 28), -1):
        if words[index] in words_of.ANSWER or words[index] in words_of.STATEMENT:
            return index if words[index + 1] in words_of.BETWEEN else -1
    return -1
