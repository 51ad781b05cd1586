"""Which of two answers a judge found better.

The prompt asks the judge to explain four criteria and then to write "Overall Judgment: Answer X is better." with X in
{1, 2}; it offers no tie (VL-RewardBench protocol, section 2.3).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from beholder.extract import verdict_words as words
from beholder.extract.claims import MOST, Claim, abstains, places, standing
from beholder.extract.distance import distanced
from beholder.extract.extraction import Extraction
from beholder.extract.lead import lead
from beholder.extract.markup import is_blank, plain
from beholder.extract.think import Thought, split_thought

TIE = 0
"""The value of an explicit tie; 1 and 2 are the answers as they were shown."""

_PHRASES = {1: "Overall Judgment: Answer 1 is better.", 2: "Overall Judgment: Answer 2 is better."}


def strict(text: str) -> Extraction[int]:
    """1 or 2, if the answer ends with the sentence `Overall Judgment: Answer X is better.`

    Letter for letter: this case, single spaces, no line break and no markup inside it. Other text before it is allowed
    (the prompt asks for explanations), another `Overall Judgment: Answer …` of any spelling is not; after it there may
    be white space only.
    """
    return _strict(split_thought(text))


def lenient(text: str) -> Extraction[int]:
    """1, 2, or 0 for an explicit tie: what a careful reader takes for the judge's overall verdict.

    A reply that is nothing but the verdict (`Answer 1`, `2`, `[[1]]`, `My judgment: Answer 2`) is one.
    Verdicts under "Overall Judgment" (or judgement, verdict, assessment, …) come before verdicts after "therefore",
    "in conclusion" and the like, and these before verdicts anywhere else. Verdicts on one criterion ("Answer 2 is
    better in clarity", "Accuracy: Answer 1 is better") never count as overall, unless they are all that the overall
    sentence says. Different verdicts of the same rank are `ambiguous`, unless words of revision stand between them.

    OUR assumptions: "Answer A/B" and "the first/second answer" mean 1/2 as shown; "worse" and "inferior" name the
    other answer; "not better" and what is doubted or reported name none; a tie is 0, although the prompt does
    not offer it.

    Flags: `ambiguous`, `abstained`, `empty`, `unclosed_think`.
    """
    thought = split_thought(text)
    found = _strict(thought)
    return found if found.value is not None else _lenient(thought)


_ANY_OVERALL = re.compile(r"overall judge?ment\W{0,8}answer\b")


def _strict(thought: Thought) -> Extraction[int]:
    answer = thought.answer
    core = answer.rstrip()
    number = next((number for number, phrase in _PHRASES.items() if core.endswith(phrase)), None)
    if number is None:
        reason = 'The answer does not end with the sentence "Overall Judgment: Answer X is better."'
        return Extraction(None, reason=reason)
    low = core.lower()
    if low.count("overall judg") > 1 and len(_ANY_OVERALL.findall(low)) > 1:
        return Extraction(None, flags=("ambiguous",), reason="There is more than one overall judgment.")
    end = thought.start + len(core)
    return Extraction(number, (end - len(_PHRASES[number]), end))


class _Verdict(NamedTuple):
    """One sentence that prefers an answer or calls a tie. `criterion`: it speaks of one criterion only."""

    value: int
    start: int
    end: int
    criterion: bool


# Reading -----------------------------------------------------------------------------------------------------------


def _lenient(thought: Thought) -> Extraction[int]:
    answer = thought.answer
    if not thought.closed or is_blank(answer):
        flag = "empty" if thought.closed else "unclosed_think"
        reason = "There is no text outside the thinking." if thought.closed else "The thinking never ends."
        return Extraction(None, flags=(flag,), reason=reason)
    shown = plain(answer)
    low = shown.lower()
    claim, undecided = _whole(low), False
    if claim is None:
        claim, undecided = _overall_verdict(shown, low)
    if claim is None and not undecided:
        claim, undecided = _unmarked_verdict(shown, low)
    if claim is not None:
        return Extraction(claim.value, (thought.start + claim.start, thought.start + claim.end))
    if undecided:
        return Extraction(None, flags=("ambiguous",), reason="The text gives different overall verdicts.")
    if abstains(low):
        return Extraction(None, flags=("abstained",), reason="The text says that no verdict can be given.")
    return Extraction(None, reason="The text does not say which answer is better overall.")


def _whole(low: str) -> Claim[int] | None:
    """A reply that is nothing but the verdict: `Answer 1`, `2`, `[[1]]`, `My judgment: Answer 2`."""
    match = words.WHOLE.fullmatch(low) if len(low) < 200 else None
    return Claim(int(match["n"]), *match.span("n")) if match else None


def _overall_verdict(shown: str, low: str) -> tuple[Claim[int] | None, bool]:
    """The verdict under the words "Overall Judgment" and their like, each section up to the next such words."""
    marks = _marks(low)
    claims: list[Claim[int]] = []
    for index, (_, start) in enumerate(marks):
        end = marks[index + 1][0] if index + 1 < len(marks) else len(low)
        claims += _section(shown, low, start, end)
    return standing(low, claims)


def _marks(low: str) -> list[tuple[int, int]]:
    """(start, end) of the words that announce an overall verdict, in order."""
    found = [(at, at + len("overall judgment")) for at in places(low, "overall judg")]
    if found:  # the words that were asked for: their sections reach to the end of the text
        return found
    for key in ("overall", "final"):
        found += [match.span() for at in places(low, key) if (match := words.OVERALL.match(low, at))]
    for key in words.HEADING_KEYS:
        for at in places(low, key):
            line = low[max(0, at - 12) : at]
            opens = not any(
                char.isalpha() for char in line[line.rfind("\n") + 1 :].replace("my ", "").replace("the ", "")
            )
            if opens and (at < 12 or "\n" in line) and (match := words.HEADING.match(low, at)):
                found.append(match.span())
    if not low.isascii():
        found += [match.span() for match in words.OVERALL_CHINESE.finditer(low)]
    return sorted(found)


def _section(shown: str, low: str, start: int, end: int) -> list[Claim[int]]:
    verdicts = _verdicts(shown, low, start, end)
    general = [Claim(v.value, v.start, v.end) for v in verdicts if not v.criterion]
    if general:
        return general
    headed = _headed(shown, low, start)
    if headed is not None:
        return [headed]
    detailed = _more_of_something(shown, low, start, end)
    if detailed:
        return detailed
    right = _right_one(shown, low, start, end)
    if right is not None:
        return [right]
    stop = low.find("\n", start + 4, end)
    return [Claim(v.value, v.start, v.end) for v in verdicts[:1] if stop < 0 or v.start < stop]


def _more_of_something(shown: str, low: str, start: int, end: int) -> list[Claim[int]]:
    """Under the overall heading, "Answer 2 is more accurate" is a verdict too if no plainer one stands there."""
    claims = []
    for mention in _mentions(low, start, end)[-MOST:]:
        value = _number(shown, mention)
        more = value and words.HEAD_MORE.match(low, mention.end())
        if more and not _taken_back(low, mention.start(), mention.end()):
            claims.append(Claim(value, *mention.span()))
    return claims


def _right_one(shown: str, low: str, start: int, end: int) -> Claim[int] | None:
    """ "Answer 2 is correct, and Answer 1 is wrong": the right one, if the other one is called wrong."""
    right: dict[int, re.Match[str]] = {}
    wrong: set[int] = set()
    for mention in _mentions(low, start, end)[-MOST:]:
        value = _number(shown, mention)
        if value and words.RIGHT.match(low, mention.end()) and not _taken_back(low, mention.start(), mention.end()):
            right[value] = mention
        elif value and words.FALSE.match(low, mention.end()):
            wrong.add(value)
    claims = [Claim(value, *place.span()) for value, place in right.items() if wrong == {3 - value}]
    return claims[0] if len(right) == 1 and claims else None


def _headed(shown: str, low: str, start: int) -> Claim[int] | None:
    """`Overall Judgment: Answer 2`, `Final verdict: 1`, `Overall Judgment: Answer 1 provides more detail`."""
    head = words.HEAD.match(low, start)
    at = head.end() if head is not None else start
    mention = words.MENTION.match(low, at) or words.MENTION_CHINESE.match(low, at)
    if mention is None:
        number = words.HEAD_NUMBER.match(low, at)
        if number is None or not words.HEAD_END.match(low, number.end()):
            return None
        return Claim(int(number[0]), *number.span())
    value = _number(shown, mention)
    if (
        not value
        or words.QUESTION.match(low, mention.end())
        or not (words.HEAD_END.match(low, mention.end()) or words.HEAD_MORE.match(low, mention.end()))
    ):
        return None
    return Claim(value, *mention.span())


def _unmarked_verdict(shown: str, low: str) -> tuple[Claim[int] | None, bool]:
    """Without such words: verdicts in summing-up sentences, or else any that is not on one criterion."""
    verdicts = [v for v in _verdicts(shown, low, 0, len(low)) if not v.criterion]
    summing_up = [v for v in verdicts if low.startswith(" overall", v.end) or _sums_up(low, v.start)]
    claims = [Claim(v.value, v.start, v.end) for v in summing_up or verdicts]
    if not claims:
        claims = [claim for claim in _more_of_something(shown, low, 0, len(low)) if _sums_up(low, claim.start)]
    return standing(low, claims)


def _sums_up(low: str, start: int) -> bool:
    return words.SUMMARY.search(low, _sentence_start(low, start), start) is not None


def _sentence_start(low: str, at: int) -> int:
    begin = max(0, at - 160)
    return max(low.rfind(mark, begin, at) + 1 for mark in (". ", "\n", "! ", "。")) or begin


def _number(shown: str, mention: re.Match[str]) -> int:
    """1 or 2 for the answer that is named; 0 if it is none ("answer a question")."""
    kind = mention.lastgroup or "n"
    name = mention[kind]
    if name in "ab" and shown[mention.start(kind)] not in "AB":
        return 0
    return 1 if name in words.FIRST else 2


def _verdicts(shown: str, low: str, start: int, end: int) -> list[_Verdict]:
    found: list[_Verdict] = []
    stop = start
    for mention in _mentions(low, start, end)[-MOST:]:
        value = _number(shown, mention)
        if not value or mention.start() < stop:
            continue
        better = words.BETTER.match(low, mention.end())
        worse = None if better else words.WORSE.match(low, mention.end())
        stop = (better or worse or mention).end()
        if not (better or worse) and not _named(low, mention, start, bool(found)):
            continue
        if _taken_back(low, mention.start(), stop):
            continue
        criterion = _on_criterion(low, mention.start(), stop)
        found.append(_Verdict(3 - value if worse else value, mention.start(), stop, criterion))
    ties = _ties(low, start, end, any(not verdict.criterion for verdict in found))
    return sorted(found + ties, key=lambda verdict: verdict.start) if ties else found


def _named(low: str, mention: re.Match[str], start: int, revisable: bool) -> bool:
    """Whether words before a bare `Answer 1` choose it ("I prefer"), or put it in the place of an earlier verdict."""
    near = max(start, mention.start() - 48)
    hint = words.PREFERS_HINT.search(low, near, mention.start()) or not low.isascii()
    preferred = hint and words.PREFERS.search(low, near, mention.start())
    if preferred:
        return not words.ALTERNATIVE.match(low, mention.end())
    revised = revisable and words.HEAD_END.match(low, mention.end()) and lead(low, mention.start()).kind == "revision"
    return bool(revised)


def _taken_back(low: str, start: int, end: int) -> bool:
    """Whether the words around a verdict deny it, ask it, or only concede it ("while Answer 1 is better in …, …")."""
    before = max(0, start - 64)
    if words.DENIED.search(low, before, start) or words.QUESTION.match(low, end):
        return True
    if words.QUALIFIED.match(low, end) or distanced(low, start):
        return True
    return words.CONCEDED.search(low, before, start) is not None and words.GOES_ON.match(low, end) is not None


def _mentions(low: str, start: int, end: int) -> list[re.Match[str]]:
    """The places that name an answer. Looks for the cheap words first: most text holds none of them."""
    found = []
    for key in words.MENTION_KEYS:
        found += [match for at in places(low, key, start, end) if (match := words.MENTION.match(low, at, end))]
    if not low.isascii():
        found += words.MENTION_CHINESE.finditer(low, start, end)
    found.sort(key=re.Match.start)
    return found


def _on_criterion(low: str, start: int, end: int) -> bool:
    if words.AFTER_CRITERION.match(low, end):
        return True
    line_start = low.rfind("\n", max(0, start - 200), start) + 1 or max(0, start - 200)
    if words.BEFORE_CRITERION.search(low, max(0, line_start - 1, start - 100), start):
        return True
    label = words.LABEL.match(low, line_start, start)
    if label is not None and (label["colon"] or label["head"]):
        return True
    above = low[max(0, line_start - 80) : line_start].rstrip()
    heading = above[above.rfind("\n") + 1 :]
    label = words.LABEL.match(heading) if 0 < len(heading) <= 48 else None
    return label is not None and label["head"] is not None


def _ties(low: str, start: int, end: int, decided: bool) -> list[_Verdict]:
    """Explicit ties. Soft ones ("equally good") and ones with a `but` give way to a verdict beside them."""
    found: list[_Verdict] = []
    matches = _near(low, words.HARD_TIE, words.HARD_TIE_KEYS, start, end)
    if decided:
        matches = [match for match in matches if not words.TIE_UNDONE.match(low, match.end(), end)]
    else:
        matches += _near(low, words.SOFT_TIE, words.SOFT_TIE_KEYS, start, end)
    for match in matches:
        if not words.ALMOST.search(low, max(start, match.start() - 30), match.start()):
            found.append(_Verdict(TIE, match.start(), match.end(), _on_criterion(low, match.start(), match.end())))
    return found


def _near(low: str, pattern: re.Pattern[str], keys: Sequence[str], start: int, end: int) -> list[re.Match[str]]:
    """The matches that touch one of the keys; in a text that is not ASCII all matches."""
    if not low.isascii():
        return list(pattern.finditer(low, start, end))
    found: dict[int, re.Match[str]] = {}
    for key in keys:
        for at in places(low, key, start, end):
            for match in pattern.finditer(low, max(start, at - 80), min(end, at + 90)):
                found.setdefault(match.start(), match)
    return list(found.values())
