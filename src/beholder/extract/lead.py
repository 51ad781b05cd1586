"""What the words before a value make of it: an answer, a judgement of the statement, or nothing.

Written for English; the extractors add their own Chinese patterns.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple


class Lead(NamedTuple):
    """What the words before a value make of it.

    `kind` is one of

    - `answer`: "the correct answer is", "Answer:"; `beside`: "answer" with no verb or colon;
    - `statement`: "the statement is", "Statement 2:"; `pronoun`: "it is", "this is";
    - `choice`: "I choose", "I'd go with"; `box`: `\\boxed`;
    - `start`: nothing but fillers before it in its sentence; `line`: nothing before it on its line;
    - empty: the words make no claim.

    `negated`: an odd number of negations. `degree`: softened ("not entirely", "I don't think").
    """

    kind: str
    negated: bool = False
    degree: bool = False


_NO = Lead("")
_TOKEN = re.compile(r"[a-z0-9]+(?:'[a-z]+)?|[^\sa-z0-9]")
_WORD = re.compile(r"\w")
_STOPS = ".!?;。！？…"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ANSWER = _words(
    "answer answers option options choice choices letter solution verdict judgment judgement conclusion result"
    " determination decision response evaluation assessment label value correctness selection output prediction ans"
)
_STATEMENT = _words("statement claim assertion proposition sentence premise question")
_PRONOUN = _words("it this that")
_FILL = _words(
    "definitely likely most probably clearly therefore thus hence so indeed actually also in fact a an option options"
    " choice as ultimately overall obviously certainly simply either then here both i'd say just surely very"
    " consequently accordingly conclusion finally figure image picture panel point statement's best ( [ ' , - – — / < >"
    " yes no okay ok without doubt any"
)
_HEDGES = _words(
    "partly partially mostly largely necessarily hardly barely nearly possibly supposedly allegedly seemingly"
    " potentially unlikely superficially mainly primarily"
)
_SO = _words("so therefore thus hence")
_DECIDED = _words(
    "considered deemed judged classified labeled labelled marked rated regarded evaluated seen taken assessed"
)
_NEGATION = _words("not never isn't isnt wasn't aren't cannot can't doesn't don't wouldn't ain't")
_NEGATED_VERB = _words("isn't isnt wasn't aren't ain't")
_DEGREE = _words("entirely completely fully quite strictly exactly totally wholly really actually 100 %")
_VERB = _words("is was are were be appears seems remains holds stands evaluates proves becomes hold appear seem")
_FIRM = _words("would should must will has ought shall")
_AUXILIARY = _FIRM | _words(") ] : do does did")
_WEAK = _words("could might may can")
_LABEL = _words(": = ：")
_DASH = _words("- – — > |")
_CHOOSE = _words("choose chose select selected pick picked choosing selecting picking answering chosen mark go")
_MAKES = _words("makes make making made renders rendering render find finds deem judge consider mark rate")
_THINKS = _words("believe say agree feel consider find deem judge think hold take conclude")
_DETERMINER = _words(
    "the this that a given final correct right my our your provided above overall entire whole main following best most"
    " appropriate your accurate single only true false t f / or ' ( ) current"
)
_BETWEEN = _words(
    "that ' about regarding claiming suggesting stating saying in given provided of on here above below itself as ( ,"
    " which being presented made describing concerning to for number # based would should 1 2 3 4 5 6 7 8 9 10"
    " choice option therefore thus"
)
_CORRECT = _words("correct matching missing best")
_CHOOSE_TWO = frozenset((("go", "with"), ("going", "with"), ("went", "with"), ("opt", "for"), ("opting", "for")))
_BESIDE = _words("answer answers verdict judgment judgement conclusion")
_OFFERED = _words("options choices")
_OFFER = _words("option options choice choices")
_CHOSEN = _words("correct right final my selected chosen best only")
_WRONG = _words("wrong incorrect other not possible eliminated remaining excluded")
_NOT_MEANT = _words("his her their first second wrong incorrect other possible")
_LABEL_WORDS = _words("tf therefore thus so hence is choose conclude selected")
_SUBORDINATE = _words("if whether unless although though while suppose assuming assume were until when")
_WONDER = _words("determine decide determining deciding evaluate evaluating assess assessing check verify")
_DISTANCED = _words("incorrect wrong untrue false inaccurate misleading doubt deny disagree hard difficult impossible")
_PARTIAL = _words("part half portion aspect parts side element wording premise")
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
        return _read_back(words)
    if stop > line_start or "\\" in words:
        return Lead("start") if stop > line_start else _NO
    if not line_start:
        return Lead("line") if begin == 0 else _NO
    return _heading(low, begin + line_start, max(0, begin + line_start - 200))


def _heading(low: str, line_start: int, begin: int) -> Lead:
    """A value that begins its line: `answer` if the line above it is a heading such as `Final answer:`."""
    above = low[begin:line_start].rstrip()
    words = [word for word in _TOKEN.findall(above[above.rfind("\n") + 1 :]) if word not in "()[]'-"]
    if not words or len(words) > 24:
        return Lead("line")
    colon = words[-1] in _LABEL
    words = words[:-1] if colon else words
    if not words or (not _OFFER.isdisjoint(words) and _CHOSEN.isdisjoint(words)):
        return Lead("line")  # "Looking at each option:" goes before a list
    if words[-1] in _ANSWER and len(words) <= 5:
        return Lead("answer")
    if colon and (not _ANSWER.isdisjoint(words[:8]) and len(words) <= 12):
        return Lead("answer")
    if words[-1] in _VERB and not _ANSWER.isdisjoint(words):
        return Lead("answer")
    return Lead("line")


class _Tail(NamedTuple):
    """The end of a lead without its fillers: `words[:at]` are left. `decided`: "considered"; `infinitive`: "to be"."""

    at: int
    negated: bool
    degree: bool
    decided: bool
    infinitive: bool
    connected: bool


def _strip(words: list[str]) -> _Tail:
    """Walk back over fillers, negations and "considered", to the word that carries the claim."""
    at = len(words)
    negated = degree = decided = infinitive = False
    while at:
        word = words[at - 1]
        previous = words[at - 2] if at > 1 else ""
        if word in _NEGATION:
            negated = not negated
            if word in _NEGATED_VERB:
                break
        elif word in _DEGREE and (previous in _NEGATION or previous in _DEGREE):
            degree = True
        elif word in _DECIDED:
            decided = True
        elif word in _SO and previous in ("", ",", "and", "-", "–", "—"):
            return _Tail(at, negated, degree, decided, infinitive, True)
        elif word == "be" and previous == "to":
            infinitive = True
            at -= 1
        elif not _is_filler(word) or _is_own_word(word, previous):
            break
        at -= 1
    return _Tail(at, negated, degree, decided, infinitive, False)


def _is_filler(word: str) -> bool:
    return word in _FILL or (len(word) > 4 and word.endswith("ly") and word not in _HEDGES)


def _is_own_word(word: str, previous: str) -> bool:
    """Words that are fillers elsewhere: `my choice`, and the dash of `Answer - B`."""
    if word in _DASH:
        return previous in _ANSWER or previous in _STATEMENT
    return word == "choice" and previous in _DETERMINER


def _read_back(words: list[str]) -> Lead:
    """Walk back from the value: fillers and negations, then a verb or a label, then what it is said of."""
    at, negated, degree, decided, infinitive, connected = _strip(words)
    if not at or connected:
        return Lead("start", negated, degree)
    word = words[at - 1]
    previous = words[at - 2] if at > 1 else ""
    if word in _NEGATED_VERB:
        return _subject(words[: at - 1], negated, degree)
    if previous == "\\" and word in ("boxed", "fbox", "box"):
        return Lead("box", negated)
    if word in _LABEL or word in _DASH:
        return _label(words[: at - 1], negated, degree)
    if word.endswith("'s") and (word[:-2] in _ANSWER or word[:-2] in _STATEMENT or word[:-2] in _PRONOUN):
        return _subject([*words[: at - 1], word[:-2]], negated, degree)
    if word in _VERB:
        return _verb(words[:at], negated, degree, decided)
    if infinitive and word in ("appears", "seems", "proves"):
        return _subject(words[: at - 1], negated, degree)
    if word in _STATEMENT or word in _PRONOUN:  # "I believe the statement to be", "this makes the statement"
        said = _THINKS if infinitive else _MAKES
        kind = "statement" if word in _STATEMENT else "pronoun"
        return _NO if said.isdisjoint(words[max(0, at - 5) : at - 1]) else Lead(kind, negated, degree)
    if infinitive:
        return _NO
    if word in _CHOOSE or (previous, word) in _CHOOSE_TWO:
        return _NO if negated else Lead("choice")
    if word in _BESIDE or (word in ("]", ")") and previous in _ANSWER and "[" in words):
        return Lead("beside", negated)
    return _NO


def _verb(words: list[str], negated: bool, degree: bool, decided: bool) -> Lead:
    """`words` end in a linking verb. With `be`, the modal before it must be firm: "should be", not "could be"."""
    at = len(words) - 1
    if words[at] == "be":
        modal = words[at - 1] if at else ""
        while at and modal in _NEGATION:
            negated = not negated
            at -= 1
            modal = words[at - 1] if at else ""
        if modal in _FIRM or (modal in _WEAK and decided):
            at -= 1
        elif words[at] not in ("cannot", "can't"):
            return _NO
    return _subject(words[:at], negated, degree)


def _label(words: list[str], negated: bool, degree: bool) -> Lead:
    """What stands before a colon, equals sign or dash: `Final answer`, `Statement 3`, `True or False`."""
    near = words[-12:]
    if not near:
        return Lead("start", negated, degree)
    if near[-1] in ("is", "that", "as") and len(near) > 1:
        return _subject(near[:-1], negated, degree)
    if not _WRONG.isdisjoint(near):
        return _NO
    for words_near in (near[-8:], near[:2]):
        nouns = [word for word in words_near if word in _ANSWER]
        if nouns and not (nouns[-1] in _OFFERED and _CHOSEN.isdisjoint(near)):
            return Lead("answer", negated, degree)
    if not _STATEMENT.isdisjoint(near[-8:]):
        return Lead("statement", negated, degree)
    if near[-1] in _LABEL_WORDS or (len(near) >= 3 and (near[-1], near[-3]) in (("false", "true"), ("f", "t"))):
        return Lead("answer", negated, degree)
    return _NO


def _subject(words: list[str], negated: bool, degree: bool) -> Lead:
    """What the verb after `words` is said of."""
    if not _WONDER.isdisjoint(words) and not {"if", "whether"}.isdisjoint(words):
        return _NO
    at = len(words)
    while at and words[at - 1] not in _ANSWER:
        if words[at - 1] in _NEGATION:
            negated = not negated
        elif not _is_filler(words[at - 1]) and words[at - 1] not in _AUXILIARY:
            break
        at -= 1
    if not at:
        return _NO
    if not _CORRECT.isdisjoint(words[max(0, at - 4) : at]) and words[at - 1] not in _STATEMENT:
        return Lead("answer", negated, degree)  # "the correct picture is"
    noun = at - 1
    if words[noun] not in _ANSWER and words[noun] not in _STATEMENT and words[noun] not in _PRONOUN:
        noun = _earlier_noun(words, at)
        if noun < 0:
            return _NO
    comma = max((index for index in range(noun) if words[index] == ","), default=-1)
    clause = words[comma + 1 : noun]
    if not _SUBORDINATE.isdisjoint(clause) or not _is_meant(words, noun):
        return _NO
    if any(word in _DISTANCED and after in ("to", "that") for word, after in pairwise(clause)):
        return _NO  # "it would be wrong to say the statement is true"
    if not _NEGATION.isdisjoint(clause):  # "I don't think the statement is true"
        if _THINKS.isdisjoint(clause):
            return _NO
        negated, degree = not negated, True
    if words[noun] in _PRONOUN:
        return Lead("pronoun", negated, degree)
    return Lead("answer" if words[noun] in _ANSWER else "statement", negated, degree)


def _is_meant(words: list[str], noun: int) -> bool:
    """Whether the noun is the answer or the statement itself: not a part of it, not somebody's, not a wrong one."""
    before = noun
    while before and words[before - 1] in _DETERMINER:
        before -= 1
    if words[noun] in _OFFERED and _CHOSEN.isdisjoint(words[before:noun]):
        return False  # "the options are A, B and C"
    word = words[before - 1] if before else ""
    if word == "of" and before > 1 and words[before - 2] in _PARTIAL:
        return False
    if word.endswith("'s") and word not in ("that's", "it's", "let's"):
        return False
    return word not in _NOT_MEANT


def _earlier_noun(words: list[str], at: int) -> int:
    """The index of a noun that the subject began with (`the statement about the cat is`), or -1."""
    for index in range(at - 2, max(-1, at - 28), -1):
        if words[index] in _ANSWER or words[index] in _STATEMENT:
            return index if words[index + 1] in _BETWEEN else -1
    return -1
