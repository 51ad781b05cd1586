"""Answers to true/false statements.

The prompt asks for `<think>…</think> <answer>…</answer>` with T (true) or F (false) in the answer tag (TFQ protocol,
section 1.2). `strict` takes that, `lenient` what a careful reader would take.
"""

from __future__ import annotations

import re

from beholder.extract import true_false_words as words
from beholder.extract.claims import MOST, REVISION, Claim, abstains, places, standing, strongest
from beholder.extract.distance import distanced
from beholder.extract.extraction import Extraction
from beholder.extract.lead import Lead, lead
from beholder.extract.lead_words import HEDGES
from beholder.extract.markup import AnswerTag, answer_tags, is_blank, plain, without_quotations, without_tags
from beholder.extract.think import Thought, split_thought

_OPEN, _CLOSE = "<answer>", "</answer>"
_EXACT = {"T": True, "F": False}


def strict(text: str) -> Extraction[bool]:
    """Exactly one `<answer>…</answer>` in lower case outside the thinking, with `T` or `F` in it, white space allowed.

    Other text around the tag is allowed, a second answer tag of any case is not.
    """
    return _strict(split_thought(text))


def lenient(text: str) -> Extraction[bool]:
    """What a careful reader takes for the answer.

    An answer tag decides alone, also over a change of mind after it ("<answer>T</answer> Actually, it is false": what
    `strict` accepts stays); without one, the text is read for claims: a bare `True` at the start or on a line of
    its own, `Answer: F`, "the statement is not accurate", `\\boxed{T}`, `答案：对`. Words of revision let the later
    claim replace the earlier one; otherwise different claims are `ambiguous`.

    Not read as answers: both options side by side (`T or F`), questions, conditions ("if the statement is true"),
    concessions ("while it is true that …", when the statement is judged elsewhere), half-truths ("partly true"), what
    is doubted, reported or only possible ("there is no evidence that it is true", "he says it is true").
    OUR assumptions: "not (entirely) true" and "not supported" are false and "not false" is true; `yes` and `no` are not
    read, because said of a negated statement either may mean true.

    Flags: `unclosed_tag` (the tag was never closed; `outcome.settle` decides), `ambiguous`, `abstained`, `empty`,
    `unclosed_think`.
    """
    thought = split_thought(text)
    found = _strict(thought)
    return found if found.value is not None else _lenient(thought)


def _strict(thought: Thought) -> Extraction[bool]:
    answer = thought.answer
    opening = answer.find(_OPEN)
    closing = answer.find(_CLOSE, opening + len(_OPEN)) if opening >= 0 else -1
    if closing < 0:
        reason = "There is no complete <answer>…</answer> outside the thinking."
        return Extraction(None, flags=_absence_flags(thought), reason=reason)
    inner = answer[opening + len(_OPEN) : closing]
    if "nswer>" in answer[:opening].lower() or "nswer>" in answer[opening + len(_OPEN) : closing].lower():
        return Extraction(None, flags=("ambiguous",), reason="There is more than one answer tag.")
    if "nswer>" in answer[closing + len(_CLOSE) :].lower():
        return Extraction(None, flags=("ambiguous",), reason="There is more than one answer tag.")
    letter = inner.strip()
    if letter not in _EXACT:
        return Extraction(None, reason="The answer tag holds something else than T or F.")
    at = thought.start + opening + len(_OPEN) + inner.index(letter)
    return Extraction(_EXACT[letter], (at, at + 1))


def _absence_flags(thought: Thought) -> tuple[str, ...]:
    if not thought.closed:
        return ("unclosed_think",)
    if is_blank(thought.answer):
        return ("empty",)
    return ()


def _lenient(thought: Thought) -> Extraction[bool]:
    shown = plain(without_quotations(thought.answer))
    if not thought.closed or is_blank(shown):
        reason = "The thinking never ends." if not thought.closed else "There is no text outside the thinking."
        return Extraction(None, flags=_absence_flags(thought), reason=reason)
    low = shown.lower()
    tags = [tag for tag in answer_tags(shown) if not is_blank(shown[tag.start : tag.end])]
    if tags:
        return _from_tags(shown, low, tags, thought.start)
    shown = without_tags(shown)
    claim, undecided = _read(shown, shown.lower())
    if claim is not None:
        return Extraction(claim.value, (thought.start + claim.start, thought.start + claim.end))
    return _nothing(low, undecided)


def _nothing(low: str, undecided: bool) -> Extraction[bool]:
    if undecided:
        return Extraction(None, flags=("ambiguous",), reason="The text says both true and false.")
    if abstains(low):
        return Extraction(None, flags=("abstained",), reason="The text says that no answer can be given.")
    return Extraction(None, reason="The text does not say whether the statement is true.")


def _from_tags(shown: str, low: str, tags: list[AnswerTag], start: int) -> Extraction[bool]:
    claims: list[Claim[bool]] = []
    unclosed: set[int] = set()
    undecided = False
    for tag in tags:
        inner, inner_low = shown[tag.start : tag.end], low[tag.start : tag.end]
        claim, both = _read(inner, inner_low)
        undecided = undecided or both
        if claim is not None:
            claims.append(Claim(claim.value, tag.start + claim.start, tag.start + claim.end))
            if not tag.closed:
                unclosed.add(claims[-1].start)
    stands, both = standing(low, claims)
    if stands is not None:
        flags = ("unclosed_tag",) if stands.start in unclosed else ()
        return Extraction(stands.value, (start + stands.start, start + stands.end), flags)
    last = tags[-1]
    return _nothing(low[last.start : last.end], both or undecided)


# Reading -----------------------------------------------------------------------------------------------------------


class _Mention:
    """A value word, or several with the same meaning in a row (`T (True)`)."""

    __slots__ = ("clear", "end", "start", "value", "void")

    def __init__(self, start: int, end: int, value: bool, clear: bool) -> None:
        self.start, self.end, self.value, self.clear, self.void = start, end, value, clear, False


def _mentions(shown: str, low: str) -> list[_Mention]:
    found = [(m.start(), m.end(), shown[m.start()] == "T", True) for m in words.LETTER.finditer(shown)]
    for word, value in words.WORDS.items():
        at = low.find(word)
        while at >= 0:
            end = at + len(word)
            if not (at and (low[at - 1].isalnum() and low[at - 1].isascii())) and not (
                end < len(low) and low[end].isalnum() and low[end].isascii()
            ):
                found.append((at, end, value, word in words.CLEAR))
            at = low.find(word, end)
    if "answer" in low:
        found += [
            (m.start(1), m.end(1), m[1] == "t", True)
            for m in words.SMALL_LETTER.finditer(low)
            if shown[m.start(1)] == m[1]
        ]
    found.sort()
    joined: list[_Mention] = []
    for start, end, value, clear in found:
        last = joined[-1] if joined else None
        if last is not None and start - last.end <= 16:
            between = low[last.end : start]
            if value == last.value and not last.void and words.SAME.fullmatch(between):
                last.end, last.clear = end, last.clear or clear
                continue
            labelled = last.void and ":" in between  # "True or False: True"
            if value != last.value and not labelled and words.EITHER.fullmatch(between):
                last.void = True
                joined.append(_Mention(start, end, value, clear))
                joined[-1].void = True
                continue
        joined.append(_Mention(start, end, value, clear))
    return joined


def _read(shown: str, low: str) -> tuple[Claim[bool] | None, bool]:
    """The claim that stands in a text, and whether several stand against each other."""
    core = low.strip(words.EDGES)
    if len(core) <= 12 and core in words.ALONE:
        start = low.index(core)
        return Claim(words.ALONE[core], start, start + len(core)), False
    ranked: list[tuple[int, Claim[bool]]] = []
    for mention in _mentions(shown, low)[-MOST:]:
        if mention.void:
            continue
        rank, value = _judge(shown, low, mention)
        if rank is not None:
            ranked.append((rank, Claim(value, mention.start, mention.end)))
    if not low.isascii():
        ranked += ((0, claim) for claim in _chinese(low))
    ranked += ((2, claim) for claim in _about(low))
    return standing(low, strongest(ranked, alone=1))


def _judge(shown: str, low: str, mention: _Mention) -> tuple[int | None, bool]:
    """The rank of a mention as a claim and its value after negation.

    Ranks: 0 of the statement or the answer, 1 of "it", 2 said without true or false (`_about`), 3 "it is true that …";
    `REVISION`; None: no claim.
    """
    start, end, value = mention.start, mention.end, mention.value
    before = lead(low, start)
    if not before.kind:
        return None, value
    if before.degree and not value:
        return None, value  # "not entirely false" says neither
    said = value != before.negated
    if before.kind in ("line", "start") and mention.clear and words.IS_RIGHT.match(low, end):
        return 0, said
    if before.kind in ("line", "label"):
        return (0 if _opens(shown, low, mention, before.kind == "label") else None), said
    if before.kind in ("start", "contrast"):
        bare = before.kind == "start" or end - start == 1  # "strange, but correct" is no answer
        return (0 if bare and _stands_alone(low, mention) else None), said
    if words.AFTER_BLOCK.match(low, end) or words.QUESTION.match(low, end):
        return None, said
    if not mention.clear and not words.AFTER_OTHER.match(low, end):
        return None, said
    rank = _rank(low, before, mention)
    return (None if rank is None or (rank != REVISION and distanced(low, start)) else rank), said


def _rank(low: str, before: Lead, mention: _Mention) -> int | None:
    if before.kind in ("revision", "opinion"):
        # "wait, that's wrong" speaks of the answer before, "wait, it's wrong" of the statement
        of_it = before.kind == "revision" and words.OF_IT.search(low, max(0, mention.start - 12), mention.start)
        if not (mention.clear or of_it) or not words.CLAUSE_END.match(low, mention.end):
            return None
        return 1 if before.kind == "opinion" else REVISION
    if before.kind == "pronoun":
        if low.startswith(" that", mention.end):
            return 3
        statement = re.compile(r"\s{1,3}(?:statement|claim|assertion)\b").match(low, mention.end)
        return 0 if statement else 1
    if before.kind == "answer" and not mention.clear:
        # "the answer is correct" speaks of an answer; "Answer: correct" gives one
        return 0 if re.compile(r"[:=]\s{0,4}\Z").search(low, max(0, mention.start - 6), mention.start) else None
    if before.kind == "which" or (before.kind in ("choice", "beside") and not mention.clear):
        return None
    return 0


def _about(low: str) -> list[Claim[bool]]:
    """Judgements in other words: "the statement is contradicted by the image", "I agree with the statement"."""
    found = [words.AGREES.search(low, max(0, at - 60), at + 60) for at in places(low, "agree with")]
    for noun in words.STATEMENT_NOUNS:
        found += [words.ABOUT.match(low, at) for at in places(low, noun)]
    claims = []
    for match in [match for match in found if match is not None][-MOST:]:
        start, end = match.span()
        said = match.groupdict()
        manner = f"{said['manner']} {said.get('degree') or ''}".split()
        if not HEDGES.isdisjoint(manner) or words.QUESTION.match(low, end) or distanced(low, start):
            continue
        if not words.CONDITION.search(low, max(0, start - 80), start):
            value = not any(said.get(group) for group in words.AGAINST)
            claims.append(Claim(value != bool(said.get("denied")), start, end))
    return sorted(claims, key=lambda claim: claim.start)


def _opens(shown: str, low: str, mention: _Mention, labelled: bool) -> bool:
    """A value that begins a line: alone on it, or before the explanation of the text's first line or of "A:"."""
    if words.END.match(low, mention.end):
        return True
    if low[mention.start : mention.end] in ("right", "wrong", "valid", "invalid", "accurate", "inaccurate"):
        return False
    if not words.AFTER_OPENING.match(low, mention.end) or words.INITIALS.match(shown, mention.end):
        return False
    first = labelled or re.compile(r"\w").search(low, 0, mention.start) is None
    return first or low.startswith((".", ":"), mention.end)


def _stands_alone(low: str, mention: _Mention) -> bool:
    """A sentence that is nothing but the value and fillers ("Definitely not true.", "Therefore, F"), at the start of
    the text or the end of a line."""
    if words.END.match(low, mention.end):
        return True
    if not mention.clear or not words.SENTENCE_END.match(low, mention.end):
        return False
    return mention.start < 200 and re.compile(r"[.!?\n]").search(low, 0, mention.start) is None


def _chinese(low: str) -> list[Claim[bool]]:
    claims = []
    for match in words.CHINESE.finditer(low):
        gap = match[2]
        if any(word in gap for word in ("是否", "如果", "若", "还是", "与否", "正确", "错误", "或")):
            continue
        if match[3] in ("正确", "对", "准确") and low.startswith(
            ("的答案", "答案", "的选项", "还是", "与否"), match.end(3)
        ):
            continue
        if distanced(low, match.start(1)):
            continue
        value = not match[3].startswith(words.CHINESE_FALSE)
        if gap.rstrip().endswith(("不", "不是", "并非", "没有")):
            value = not value
        claims.append(Claim(value, match.start(3), match.end(3)))
    return claims
