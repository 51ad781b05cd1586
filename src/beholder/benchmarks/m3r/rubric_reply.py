"""What a judge answers to the rubric's questions: reading its reply, and the verdict that is kept.

A reply counts only whole: each question answered yes, partly or no. What is missing, in other words or in numbers is no
verdict, and the judge has failed on that item; nothing is guessed from the rest of the reply.

OUR assumption: an answer whose quotation is not in the explanation still counts. It is flagged, and the share of such
quotations is reported for each judge, because a judge that quotes what nobody wrote should not be trusted.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from beholder.benchmarks.m3r.assumptions import Assumptions
from beholder.benchmarks.m3r.wording import repeats
from beholder.extract.extraction import Extraction
from beholder.extract.json_value import find_json
from beholder.extract.markup import plain

YES, PARTLY, NO = "yes", "partly", "no"
QUOTE_NOT_FOUND, REGION_MISSING = "quote_not_found", "region_missing"
OUT_OF_RANGE, MISSING, AMBIGUOUS, REPAIRED = "out_of_range", "missing_answer", "ambiguous", "repaired"
_LONGEST = 500

_WORDS = {YES: YES, PARTLY: PARTLY, NO: NO}
_OTHER_WORDS = {
    **dict.fromkeys(("partial", "partially", "in part", "部分", "部分是", "部分地"), PARTLY),
    **dict.fromkeys(("是", "是的"), YES),
    **dict.fromkeys(("否", "不", "不是"), NO),
}
_ANY_WORD = re.compile(r"\b(yes|no|partly|partially|partial|in part)\b|部分|不是|是|否")
_OPENS = re.compile(r"(yes|no|partly|partially|部分|不是|是的|是|否)\s{0,3}[,;:.!()。—-]")


class Rating(msgspec.Struct, frozen=True, omit_defaults=True):
    """A judge's answer to one question: `yes`, `partly` or `no`.

    `quote` is what it quotes of the explanation, and `quote_found` whether that really stands there (a `no` may go
    without). `region` says where in the picture, for the criteria that ask for it.
    """

    answer: str
    quote: str = ""
    region: str = ""
    quote_found: bool = True


Ratings = dict[str, Rating]
"""Question id → answer."""

_decoder = msgspec.json.Decoder(Ratings)


def written_ratings(ratings: Ratings) -> str:
    """A verdict as one line of JSON, the form in which it is kept."""
    return msgspec.json.encode(ratings).decode()


def ratings_of(text: str | None) -> Ratings | None:
    """The verdict that `written_ratings` wrote; None for any other text."""
    try:
        found = _decoder.decode(text) if text else None
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    return found if found and is_verdict(found) else None


def is_verdict(ratings: Ratings) -> bool:
    """Whether each answer is one of the three words."""
    return all(one.answer in _WORDS for one in ratings.values())


def read_reply(reply: str, explanation: str, assumptions: Assumptions) -> Extraction[Ratings]:
    """The verdict in a judge's reply to the questions of `assumptions`; `explanation` is the text that it may quote.

    Flags with a value: `repaired` (broken JSON, a boolean, another word for the same answer, questions grouped by
    criterion), `quote_not_found`, `region_missing`. Without one: those of `find_json`, `ambiguous` (a question is
    answered in two ways), `missing_answer`, `out_of_range` (an answer that is none of the three words).
    """
    found = find_json(reply)
    if found.value is None:
        return Extraction(None, found.span, found.flags, found.reason)
    if not isinstance(found.value, dict):
        return Extraction(None, found.span, ("no_json",), "The reply is not a JSON object of questions.")
    if "duplicate_key" in found.flags:
        return _none(found, AMBIGUOUS, "The judge answers a question in two ways.")
    given, grouped = _by_question(found.value, assumptions)
    flags = {*found.flags, *((REPAIRED,) if grouped else ())}
    ratings: Ratings = {}
    for criterion in assumptions.criteria:
        for question in criterion.questions:
            if question.id not in given:
                return _none(found, MISSING, f"The judge does not answer {question.id}.")
            if len(given[question.id]) > 1:
                return _none(found, AMBIGUOUS, f"The judge answers {question.id} in two ways.")
            (entry,) = given[question.id]
            said = entry.get("answer") if isinstance(entry, dict) else entry
            word, flag = _word(said)
            if word is None:
                return _none(
                    found, flag, f"The judge's answer to {question.id} is {_shown(said)}, not yes, partly or no."
                )
            rating = _rating(word, entry if isinstance(entry, dict) else {}, explanation)
            flags |= {flag} if flag else set()
            flags |= set() if rating.quote_found else {QUOTE_NOT_FOUND}
            flags |= {REGION_MISSING} if criterion.region and word != NO and not rating.region else set()
            ratings[question.id] = rating
    return Extraction(ratings, found.span, tuple(sorted(flags)))


def _none(found: Extraction[Any], flag: str, reason: str) -> Extraction[Ratings]:
    return Extraction(None, found.span, (flag,), reason)


def _by_question(value: dict[str, Any], assumptions: Assumptions) -> tuple[dict[str, list[Any]], bool]:
    """What the object gives for each question, itself or one level further down; and whether anything was there."""
    asked = {question.id for criterion in assumptions.criteria for question in criterion.questions}
    given = {name: [entry] for name, entry in value.items() if name in asked}
    deeper = False
    for name, group in value.items():
        if name in asked or not isinstance(group, dict):
            continue
        for inner in asked & group.keys():
            given.setdefault(inner, []).append(group[inner])
            deeper = True
    return given, deeper


def _word(said: Any) -> tuple[str | None, str]:
    """The answer that a value stands for, with `repaired` or nothing; or None, with the flag that says why."""
    if isinstance(said, bool):
        return (YES if said else NO), REPAIRED
    if said is None or (isinstance(said, str) and not said.strip()):
        return None, MISSING
    if not isinstance(said, str):
        return None, OUT_OF_RANGE
    low = plain(said[:200]).lower().strip(" \t\r\n.!。'_")
    if low in _WORDS:
        return _WORDS[low], ""
    if low in _OTHER_WORDS:
        return _OTHER_WORDS[low], REPAIRED
    meant = {_WORDS.get(word) or _OTHER_WORDS[word] for word in (match[0] for match in _ANY_WORD.finditer(low))}
    if len(meant) > 1:
        return None, AMBIGUOUS
    return (meant.pop(), REPAIRED) if _OPENS.match(low) else (None, OUT_OF_RANGE)


def _rating(word: str, entry: dict[str, Any], explanation: str) -> Rating:
    quote, region = _text(entry.get("quote")), _text(entry.get("region"))
    found = repeats(explanation, quote) if quote or word != NO else True
    return Rating(word, quote[:_LONGEST], region[:_LONGEST], found)


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


def _shown(value: Any) -> str:
    return repr(value if isinstance(value, str | int | float | None) else type(value).__name__)[:60]
