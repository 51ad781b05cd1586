"""The words with which a writer takes an answer back: "wait", "correction", "on second thought", "更正".

Two questions are asked about them. Numbers, lists, ratings and JSON are cut at every such word, wherever it stands
(`revisions`): only words that say nothing else will do. Between two claims that already contradict each other
(`claims.standing`), and directly before a value (`lead`), weaker words suffice as well (`revises`, `last_revision`):
"in fact,", "looking closer". "Final answer" replaces an earlier answer, but not an earlier final one.
"""

from __future__ import annotations

import re

_SURE = (
    r"(?:^|[.!?\n,;:)>…—-]\s{0,3}|\b(?:but|no|oh|hmm|um),?\s{1,3})\**wait\b(?=\s{0,3}(?:[,.!:…—-]|"
    r"(?:no|i|let|that|actually|it|there)\b|the\s(?:answer|order|number)\b))|\bwait\s?[,!…—]"
    r"|(?:^|[.!?\n,;—-]\s{0,3})(?:no,\s{1,2})?actually,?\s{1,3}(?:it's|it\sis|it\sshould|there|that's|they|"
    r"the\s(?:answer|number|total|count|correct|order)|i\s(?:see|count|think))"
    r"|(?:^|[.!?\n;—-]\s{0,3})no,(?=\s{0,3}(?:[-+]?[0-9]|(?:it|there|that|the\s(?:answer|number|order))\b))"
    r"|\bafter\s(?:re-?|double[-\s])?(?:checking|counting|examining|looking\sagain)\b"
    r"|\bcorrection\s{0,3}[:,.]|\bi\smade\s(?:a|an)\s(?:mistake|error)\b|\bon\ssecond\sthought\b"
    r"|\b(?:i\sneed\sto|let\sme|i\s(?:must|should|will))\s(?:correct|revise|re-?count|re-?check|redo)\b"
    r"|\bi\smiscounted\b|\bscratch\sthat\b|\bi\smeant\b(?!\s(?:to|that|by)\b)"
    r"|\bsorry\s?[,:.!—-]{1,2}\s{0,3}(?:that's|that\sis|it's|it\sis|make\sthat|the\s(?:answer|number|total|count)\b)"
    r"|\bsorry\s?[,:.!—-]{1,2}\s{0,3}(?=[-+]?[0-9]{1,30}|[a-z-]{3,12}[.!]?$)"
    r"|更正|修正一下|等等|等一下|不对|纠正|我(?:数|算|看)错|重新(?:数|算|检查|计算|看)"
)
_CLOSER = r"(?:a |an |my |some |further |more |closer |careful |second |re-?|double[- ])*"
_CHECKING = r"(?:check|consider|review|reflect|inspect|look|thought|examin|think|analysis|reading|evaluat)[a-z]*"
_WEAK = (
    r"(?:^|[.!?…\n:;>-])\s{0,4}(?:but,? |oh,? |hmm+,? |no,? |ah,? |ok(?:ay)?,? )?(?:wait|hold on|oops|hmm+)\b"
    r"|\b(?:hmm+|oops)\b|\bwait[,.!…-]|\bcorrection\b|\bcorrect(?:ed|ing)? (?:this|that|it|my|myself|to|the (?:answer|"
    r"error|mistake))\b|\bcorrected\b"
    r"|\bi (?:need|have|want) to (?:correct|revise|change|fix)\b"
    r"|\blet me (?:correct|fix|revise|change|re-?\w+|double)"
    rf"|\b(?:after|upon|on) {_CLOSER}{_CHECKING}"
    r"|\bre-?(?:consider|check|examin|evaluat|assess|think|visit|analy[sz]|read)[a-z]*|\brevis(?:e|ed|ing|ion)\b"
    r"|\b(?:my|a) mistake\b|\bi (?:was|am) (?:wrong|mistaken)\b|\bi (?:made|misread|misspoke|misinterpreted)\b"
    r"|\bscratch that\b|\btake (?:that|it) back\b|\bchang(?:e|ed|ing) my (?:mind|answer)\b|\bsorry\b|\bapolog\w*"
    r"|\bi meant?\b|\b(?:or )?(?:rather|better),|\bmake that\b"
    r"|\bdouble[- ]?check\w*|\blooking (?:again|closer|more)|\bactually(?:,| no\b)|\bin fact,"
    r"|\bno, (?=(?:the|it|that|this|i|actually)\b)"
    r"|\b(?:updated|corrected|revised) (?:answer|judge?ment|verdict|choice)"
    r"|等等|等一下|更正|纠正|修正|重新|再想|再看|再次检查|仔细检查|其实|实际上|抱歉|我错了|应该改为|改为|改成"
)
_FINAL = r"\bfinal(?:ly)?,? ?(?:the |my )?(?:answer|choice|verdict|decision|judge?ment|conclusion|response)|最终"

_ANYWHERE = re.compile(_SURE, re.IGNORECASE | re.MULTILINE)
_BETWEEN = re.compile(f"{_SURE}|{_WEAK}", re.MULTILINE)
_FINALLY = re.compile(_FINAL)
_HINT = re.compile(
    "wait|correct|mean|sorry|hmm|oops|thought|check|rather|actual|fact|revis|reflect|mistake|look|review|re-|recons|reeval"
    "|rethink|again|better,|make that|hold on|consider|inspect|examin|think|analysis|reading|evaluat|scratch|take|chang"
    "|apolog|no,|updated|wrong|i made|misread|misspoke|misinter|reassess|revisit|reanaly|reread|recheck"
)
"""Without one of these no revising words stand in ASCII text."""


def revisions(text: str) -> list[int]:
    """Offsets at which the writer takes back what stands before ("wait", "after checking", "更正"), in any case."""
    return [match.end() for match in _ANYWHERE.finditer(text)]


def revises(low: str, current: int, start: int, end: int) -> bool:
    """Whether a claim that begins at `end` takes back the one before it, which covers `current`..`start`.

    `low` is in lower case.
    """
    if _BETWEEN.search(low, start, end):
        return True
    return _FINALLY.search(low, start, end) is not None and not _FINALLY.search(low, max(0, current - 60), current)


def last_revision(low: str, start: int, end: int) -> int:
    """Where the last revising words of a stretch in lower case end, or -1."""
    if not _HINT.search(low, start, end) and low.isascii():
        return -1
    last = -1
    for match in _BETWEEN.finditer(low, start, end):
        last = match.end()
    return last
