"""What a text claims, and which of its claims stands.

A claim is a value at a place in the text, said in words that make it an answer ("the answer is …", "the statement is
…"). `lead` reads the words before a value and says what kind of claim they make of it; `standing` settles what several
claims amount to. All functions take the plain text in lower case (`markup.plain(text).lower()`).
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
    r"(?:^|[.!?…\n:;>-])\s{0,4}(?:but,? |oh,? |hmm+,? |no,? |ah,? |ok(?:ay)?,? )?(?:wait|hold on|oops|hmm+)\b|\bwait[,.!…-]"
    r"|\bcorrection\b|\bcorrect(?:ing)? (?:this|that|it|my|myself|the (?:answer|error|mistake))\b"
    r"|\bi (?:need|have|want) to (?:correct|revise|change|fix)\b|\blet me (?:correct|fix|revise|change|re-?\w+|double)"
    r"|\b(?:after|upon|on) (?:a |an |my |some |further |more |closer |careful |second |re-?|double[- ])*"
    r"(?:check|consider|review|reflect|inspect|look|thought|examin|think|analysis|reading|evaluat)"
    r"|\bre-?(?:consider|check|examin|evaluat|assess|think|visit|analy[sz]|read)|\brevis(?:e|ed|ing|ion)\b"
    r"|\b(?:my|a) mistake\b|\bi (?:was|am) (?:wrong|mistaken)\b|\bi (?:made|misread|misspoke|misinterpreted)\b"
    r"|\bscratch that\b|\btake (?:that|it) back\b|\bchang(?:e|ed|ing) my (?:mind|answer)\b|\bsorry\b|\bapolog"
    r"|\bdouble[- ]?check|\blooking (?:again|closer|more)|\bactually,|\bin fact,|\bno, (?:the|it|that|this|i|actually)\b"
    r"|\bfinal(?:ly)?,? ?(?:the |my )?(?:answer|choice|verdict|decision|judge?ment|conclusion|response)"
    r"|\b(?:updated|corrected|revised) (?:answer|judge?ment|verdict|choice)"
    r"|等等|等一下|更正|纠正|修正|重新|再想|再看|再次检查|仔细检查|其实|实际上|最终|抱歉|我错了|应该改为|改为|改成"
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
    r"\b(?:can ?not|can't|could not|couldn't|unable to|not able to|impossible to|hard to|difficult to|not possible to"
    r"|insufficient to|not enough to)"
    r" (?:be )?(?:\w{2,14}ly )?(?:be )?(?:determin|tell|say|said|decid|answer|judg|know|conclu|infer|verif|confirm|assess"
    r"|establish|ascertain)"
    r"|\b(?:un|in)determin(?:ed|able|ate)\b|\bno (?:definitive |clear )?answer\b|\b(?:do not|don't) know\b|\bnot sure\b"
    r"|\b(?:not enough|insufficient|not sufficient|lack of) (?:\w+ )?(?:information|context|evidence|detail|data)"
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


class Lead(NamedTuple):
    """What the words before a value make of it.

    `kind`: `answer` ("the correct answer is", "Answer:"), `statement` ("the statement is"), `pronoun` ("it is"),
    `choice` ("I choose"), `box` (`\\boxed`), `beside` ("answer" with no verb or colon), `start` (nothing but filler before it in its sentence), `line` (nothing
    before it on its line), or `` (the words make no claim). `negated`: an odd number of negations. `degree`: softened
    ("not entirely").
    """

    kind: str
    negated: bool = False
    degree: bool = False


_NO = Lead("")
_TOKEN = re.compile(r"[a-z0-9']+|[^\sa-z0-9']")
_WORD = re.compile(r"\w")
_STOPS = ".!?;。！？…"
_ANSWER = frozenset(
    "answer answers option options choice choices letter solution verdict judgment judgement conclusion result"
    " determination decision response evaluation assessment label value correctness selection output".split()
)
_STATEMENT = frozenset("statement claim assertion proposition sentence premise question".split())
_PRONOUN = frozenset("it this that".split())
_FILL = frozenset(
    "definitely likely most probably clearly therefore thus hence so indeed actually also in fact a an option options choice"
    " as ultimately overall obviously certainly simply either then here both then i'd say is: just surely very"
    " consequently accordingly conclusion finally figure image picture panel point statement's best ( [ ' , - – — / < >"
    " yes no okay ok".split()
)
_DECIDED = frozenset(
    "considered deemed judged classified labeled labelled marked rated regarded evaluated seen taken assessed".split()
)
_NEGATION = frozenset("not never isn't isnt wasn't aren't cannot can't doesn't don't wouldn't ain't".split())
_NEGATED_VERB = frozenset("isn't isnt wasn't aren't ain't".split())
_DEGREE = frozenset("entirely completely fully quite strictly exactly totally wholly really actually 100 %".split())
_VERB = frozenset(
    "is was are were be appears seems remains holds stands evaluates proves becomes hold appear seem".split()
)
_FIRM = frozenset("would should must will has ought shall".split())
_AUXILIARY = _FIRM | frozenset(") ] : do does did".split())
_WEAK = frozenset("could might may can".split())
_LABEL = frozenset(": = ：".split())
_DASH = frozenset("- – — > |".split())
_CHOOSE = frozenset(
    "choose chose select selected pick picked choosing selecting picking answering chosen mark go".split()
)
_MAKES = frozenset("makes make making made renders rendering render find finds deem judge consider mark rate".split())
_THINKS = frozenset("believe consider find deem judge think hold take conclude".split())
_DETERMINER = frozenset(
    "the this that a given final correct right my our your provided above overall entire whole main following best most"
    " appropriate your accurate single only true false t f / or ' ( ) current".split()
)
_BETWEEN = frozenset(
    "that about regarding claiming suggesting stating saying in given provided of on here above below itself as ( ,"
    " which being presented made describing concerning to for number # based would should 1 2 3 4 5 6 7 8 9 10"
    " choice option therefore thus".split()
)
_CORRECT = frozenset("correct matching".split())
_SUBORDINATE = frozenset("if whether unless although though while suppose assuming assume were until when".split())
_WONDER = frozenset("determine decide determining deciding evaluate evaluating assess assessing check verify".split())
_PARTIAL = frozenset("part half portion aspect parts side element wording premise".split())
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
    if not words:
        return Lead("line")
    if words[-1] in _ANSWER and len(words) <= 5:
        return Lead("answer")
    if colon and (not _ANSWER.isdisjoint(words[:8]) and len(words) <= 12):
        return Lead("answer")
    if words[-1] in _VERB and not _ANSWER.isdisjoint(words):
        return Lead("answer")
    return Lead("line")


def _read_back(words: list[str]) -> Lead:
    """Walk back from the value: fillers and negations, then a verb or a label, then what it is said of."""
    at = len(words)
    negated = degree = decided = infinitive = False
    while at:
        word = words[at - 1]
        if word in _NEGATION:
            negated = not negated
            if word in _NEGATED_VERB:
                return _subject(words, at - 1, negated, degree, "is")
        elif word in _DEGREE and at > 1 and words[at - 2] in _NEGATION | {"n't"} | _DEGREE:
            degree = True
        elif word in _DECIDED:
            decided = True
        elif word == "be" and at > 1 and words[at - 2] == "to":
            infinitive = True
            at -= 1
        elif word in _DASH and at > 1 and (words[at - 2] in _ANSWER or words[at - 2] in _STATEMENT):
            break
        elif word not in _FILL or (word == "choice" and at > 1 and words[at - 2] in _DETERMINER):
            break
        at -= 1
    if not at:
        return Lead("start", negated, degree)
    word = words[at - 1]
    if word in ("boxed", "fbox", "box") and at > 1 and words[at - 2] == "\\":
        return Lead("box", negated)
    if word in _LABEL or word in _DASH:
        return _label(words[: at - 1], negated, degree)
    if word.endswith("'s") and word[:-2] in _ANSWER | _STATEMENT | _PRONOUN:
        return _subject([*words[: at - 1], word[:-2]], at, negated, degree, "is")
    if word in _VERB:
        at -= 1
        if word == "be":
            modal = words[at - 1] if at else ""
            while modal in _NEGATION and at:
                negated = not negated
                at -= 1
                modal = words[at - 1] if at else ""
            if modal in _FIRM or (modal in _WEAK and decided):
                at -= 1
            elif words[at] not in ("cannot", "can't"):
                return _NO
        if word == "holds" and decided:
            return _NO
        return _subject(words, at, negated, degree, word)
    if infinitive:
        if word in ("appears", "seems", "proves", "out"):
            return _subject(words, at - (2 if word == "out" else 1), negated, degree, word)
        if word in _STATEMENT | _PRONOUN and not _THINKS.isdisjoint(words[max(0, at - 5) : at - 1]):
            return Lead("statement" if word in _STATEMENT else "pronoun", negated, degree)
        return _NO
    if word in _STATEMENT | _PRONOUN and not _MAKES.isdisjoint(words[max(0, at - 5) : at - 1]):
        return Lead("statement" if word in _STATEMENT else "pronoun", negated, degree)
    if word in _CHOOSE and not negated:
        return Lead("choice")
    if word == "with" and at > 1 and words[at - 2] in ("go", "going", "went"):
        return Lead("choice")
    if word == "for" and at > 1 and words[at - 2] in ("opt", "opting", "answer"):
        return Lead("choice")
    if word in ("answer", "answers", "verdict", "judgment", "judgement", "conclusion"):
        return Lead("beside", negated)
    if word in ("]", ")") and at > 1 and words[at - 2] in _ANSWER and "[" in words:
        return Lead("beside", negated)
    return _NO


def _label(words: list[str], negated: bool, degree: bool) -> Lead:
    """What stands before a colon, equals sign or dash: `Final answer`, `Statement 3`, `True or False`."""
    near = words[-12:]
    if not near:
        return Lead("start", negated, degree)
    if near[-1] in ("is", "that", "as") and len(near) > 1:
        return _subject(near, len(near) - 1, negated, degree, "is")
    tail = near[-8:]
    if not _ANSWER.isdisjoint(tail) or not _ANSWER.isdisjoint(near[:2]):
        return Lead("answer", negated, degree)
    if not _STATEMENT.isdisjoint(tail):
        return Lead("statement", negated, degree)
    if len(near) >= 3 and (near[-1], near[-3]) in (("false", "true"), ("f", "t")):
        return Lead("answer", negated, degree)
    if near[-1] in ("tf", "true_or_false", "therefore", "thus", "so", "hence", "is", "choose", "conclude", "selected"):
        return Lead("answer", negated, degree)
    return _NO


def _subject(words: list[str], at: int, negated: bool, degree: bool, verb: str) -> Lead:
    """What `words[:at]` say the verb's subject is."""
    if not _WONDER.isdisjoint(words[:at]) and not {"if", "whether"}.isdisjoint(words[:at]):
        return _NO
    while at and (words[at - 1] in _FILL or words[at - 1] in _AUXILIARY or words[at - 1] in _NEGATION):
        if words[at - 1] in _ANSWER:
            break
        if words[at - 1] in _NEGATION:
            negated = not negated
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
    clause_start = noun
    while clause_start and words[clause_start - 1] != ",":
        clause_start -= 1
    clause = words[clause_start:noun]
    if not _SUBORDINATE.isdisjoint(clause):
        return _NO
    before = noun
    while before and words[before - 1] in _DETERMINER:
        before -= 1
    if before and words[before - 1] == "of" and before > 1 and words[before - 2] in _PARTIAL:
        return _NO
    if before and (words[before - 1].endswith("'s") and words[before - 1] not in ("that's", "it's", "let's")):
        return _NO
    if before and words[before - 1] in ("his", "her", "their", "first", "second", "wrong", "incorrect", "other"):
        return _NO
    word = words[noun]
    if word in _PRONOUN:
        return Lead("pronoun", negated, degree)
    return Lead("answer" if word in _ANSWER else "statement", negated, degree)


def _earlier_noun(words: list[str], at: int) -> int:
    """The index of a noun that the subject began with (`the statement about the cat is`), or -1."""
    for index in range(at - 2, max(-1, at - 28), -1):
        if words[index] in _ANSWER or words[index] in _STATEMENT:
            return index if words[index + 1] in _BETWEEN else -1
    return -1
