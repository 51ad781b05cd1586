"""The words in which models name an option: patterns for `beholder.extract.choice`.

All but those of `patterns` are for plain text in lower case. Repetitions are bounded, so that every match attempt takes
bounded time.
"""

from __future__ import annotations

import re
from functools import lru_cache

ARTICLES = re.compile(r"^(?:the|an|a)\s+")


WORDLIKE = r"[^\W぀-鿿]"  # a word character that is not Chinese or Japanese: 选B是 holds a letter alone


@lru_cache(maxsize=64)
def patterns(letters: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """For one set of letters: letters standing alone or run together (`AC`), and lines labelled `B.`."""
    some = "[" + re.escape(letters) + "]" if letters else r"[^\s\S]"
    mention = re.compile(rf"(?<!{WORDLIKE}){some}{{1,26}}(?!{WORDLIKE}|['-]\w|\.[A-Z]\b)")
    labelled = re.compile(rf"^[ \t(\[>•-]{{0,6}}({some})(?:[.):、\]]{{1,2}}|\s-)[ \t]{{0,3}}(?=\S)", re.MULTILINE)
    return mention, labelled


WHOLE = re.compile(
    r"\W*(?:(?:the )?(?:final |correct |my )?(?:answer|option|choice|答案|选项?)(?: is|是"
    r"|为)?\s{0,3}:\W{0,4})?([a-z])\W*"
)
JUDGED = re.compile(  # what follows a letter that is judged: `B: correct`, `C - no`
    r"[)\]]?(?:\s?[.):=–—-]{1,2}\s?|\s(?=[✓✔✅❌✗✘]))\s{0,3}"
    r"(?:(?P<yes>✓|✔|✅|(?:yes|true|correct|right)(?!\w))|(?:❌|✗|✘|(?:no|false|incorrect|wrong|not (?:correct|right"
    r"|true))(?!\w)))"
)
SEVERAL = re.compile(  # `a, c`, `- A` and `- C` on lines of their own: the answer as a whole where several may be right
    r"\s{0,9}[-•]?\s{0,3}[(\[]?[a-z][)\].]?(?:\s{0,3}(?:[,;、&+]|,?\s?and\b"
    r"|\n)\s{0,3}[-•]?\s{0,3}[(\[]?[a-z][)\].]?){1,25}"
    r"\W{0,9}"
)
SMALL = re.compile(r"(?<![a-z])[a-z](?![a-z])")
AND = re.compile(r"[)\]'\s]{0,3}(?:,|、|;|&|\+|/|,? ?and|和|与|及|\s)?[(\[' ]{0,3}(?:option |choice )?[(\[' ]{0,3}")
OR = re.compile(
    r"[)\]' ]{0,3},? ?(?:or|或者|或)(?: (?:maybe|perhaps|possibly|even|else|potentially))?[(\[' ]{0,3}(?:option "
    r"|choice )?[(\[' ]{0,3}"
)
NEW_CLAUSE = re.compile(r"[)\]']? (?:is|was|isn't|shows|does|can|cannot|has|would|seems|depicts|may)\b")
PREDICATE = re.compile(r"(?:is|was|are|isn't|does|doesn't|cannot|can't|would|shows)\b")  # "A) is wrong": speaks of A
FIGURE = re.compile(r"\b(?:fig|no|vs|mr|dr|vol|ch|eq|sec|ex|st|vitamin|grade|plan|type|hepatitis)\.?\s{0,3}\Z")
END = re.compile(r"[ \t\r.!)\]'|,;:。✓✔✅]{0,12}(?:\n|\Z)")
SENTENCE_END = re.compile(
    r"[ )\]']{0,3}(?:[.!\n。]|\Z|,? (?:because|since|as|given|rather than|instead of)\b|,? (?:and )?not\b)"
)
REVISED_END = re.compile(r"[ )\]']{0,3}(?:[.,;!\n。(]|\Z|\s[–—-]\s|,? (?:because|since|as|given)\b)")
OPENING = re.compile(r"\s{0,2}(?:[.):\]]\s{0,2}(?=\S)|,? (?:because|since|as)\b|\s?[–—-]\s|,\s)")
NOT_ARTICLE = re.compile(
    r"[^\w\s]|\s{0,3}(?:\Z|\n|[^\w\s])|\s{1,3}(?:is|are|was|because|since|as|which|and|or|for|based|due"
    r"|given|from"
    r"|in|on|here|would|seems|appears|matches|fits|where|so|but|not|best|only|rather|instead|it)\b|[぀-鿿]"
)
_FIT = "fits|matches|suits|works|describes|represents|completes|answers|captures|explains|shows|corresponds to|reflects"
IS_RIGHT = re.compile(
    r"[)\]' ]{0,3}(?:\([^()\n]{1,40}\) ?)?(?:is|are|was|seems?|appears?|looks|must be|should be"
    r"|would be)(?: to be)?"
    r"(?: (?:the|a|most|clearly|definitely|therefore|thus|indeed|also|likely|only|best|one|single|both"
    r"|all|actually"
    r"|obviously|certainly|our|my|final)){0,4}"
    r" (?:correct|right|answers?|best|accurate|appropriate|solution|suitable)\b"
    r"|[)\]' ]{0,3}(?:is|seems?|appears?|looks)(?: to be)? (?:the )?(?:most|more) (?:likely|plausible|probable"
    r"|logical|reasonable)"
    r"(?: (?:answer|option|choice|one|candidate|match)| to be (?:correct|right))?"
    r"(?=\s?(?:[.,;!\n)]|\Z)|,? (?:because|since|as|given|based|here)\b)"
    rf"|[)\]' ]{{0,3}}(?:{_FIT})(?: (?!not\b)[\w']{{1,15}}){{0,6}} (?:best|most closely|perfectly|exactly|correctly)\b"
    rf"|[)\]' ]{{0,3}}(?:best|most closely|most accurately|correctly|accurately|perfectly) (?:{_FIT})\b"
    r"|[)\]']{0,2} (?:the )?best(?=\s?(?:[.,;!\n]|\Z))|[)\]']{0,2} it is(?=\s?(?:[.,!\n]|\Z))"
    r"|[)\]' ]{0,3}(?:选项|项)?(?:是|为)?最?(?:正确|对的)(?!吗|与否)"
)
BESIDE = re.compile(  # "the point farthest from B fits best": speaks of another
    r"\b(?:from|than|near|beside|between|behind|unlike|without|opposite|to)\s(?:the )?(?:point |option )?[(' ]{0,2}\Z"
)
DOUBT = re.compile(
    r"\b(?:if|whether|unless|although|though|while|suppose|assuming|neither|not|never|than|don't|doesn't)\b"
    r"[^.!?\n,]{0,40}\Z"
)
CHINESE_LEAD = re.compile(
    r"(?<![不没未非])(?:答案|选择|选项|选|结论)(?:应该|应当|应|就|最终|正确|的|项|为|是|:"
    r"|\s){0,6}[ (\[:]{0,3}\Z"
)
QUESTION = re.compile(r"[^.!?\n]{0,60}\?")
CUE = re.compile(
    r"\b(?:answer|choice|option)\b(?: [a-z]{1,12}){0,6}\s{0,3}(?:is\b\s{0,3}:?|:)\s{0,6}(?:that )?"
    r"|答案(?:应该|应)?[是为:]{1,2}\s{0,3}|\\(?:boxed|fbox)\b"
)
CUED = re.compile(rf"(?:{CUE.pattern})[^.!?,;:\n()]{{1,60}}\((?:option |choice )?\Z")  # "the answer is 10 (": then B)
DENIED = re.compile(r"\b(?:not|n't|neither|nor)\b|n't\b")
DESCRIBED = re.compile(
    r"\W{0,9}(?:(?:it|this|that|(?:the|this) [a-z]{2,15}(?: [a-z]{2,15})?) (?:is|are|shows|depicts)|(?:it|that)'s)\s"
)
TEXT_END = re.compile(r"\. |;|,? (?:because|since|which|rather than|instead of|not|and not|so)\b|, as\b")
SEPARATOR = re.compile(r"[ )\].:]{0,4}(?:- )?")
