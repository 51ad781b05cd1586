"""Which of two answers a judge found better.

The prompt asks the judge to explain four criteria and then to write "Overall Judgment: Answer X is better." with X in
{1, 2}; it offers no tie (VL-RewardBench protocol, section 2.3).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from beholder.extract.claims import MOST, Claim, abstains, standing
from beholder.extract.extraction import Extraction
from beholder.extract.markup import is_blank, plain
from beholder.extract.think import Thought, split_thought

TIE = 0
"""The value of an explicit tie; 1 and 2 are the answers as they were shown."""

_PHRASES = {1: "Overall Judgment: Answer 1 is better.", 2: "Overall Judgment: Answer 2 is better."}


def strict(text: str) -> Extraction[int]:
    """1 or 2, if the sentence `Overall Judgment: Answer X is better.` stands in the answer exactly once.

    Letter for letter: this case, single spaces, no line break and no markup inside it. Other text around it is
    allowed (the prompt asks for explanations), a second `Overall Judgment: Answer …` of any spelling is not.
    """
    return _strict(split_thought(text))


def lenient(text: str) -> Extraction[int]:
    """1, 2, or 0 for an explicit tie: what a careful reader takes for the judge's overall verdict.

    Verdicts under the words "Overall Judgment" (or judgement, verdict, assessment, …) come before verdicts after
    "therefore", "in conclusion" and the like, and these before verdicts anywhere else. Verdicts on one criterion ("Answer 2
    is better in clarity", "Accuracy: Answer 1 is better") never count as overall, unless they are all that the
    overall sentence says. Different verdicts of the same rank are `ambiguous`, unless words of revision stand between
    them. OUR assumptions: "Answer A/B" and "the first/second answer" mean 1/2 as shown; "worse", "inferior" name
    the other answer; "not better" names none; a tie is 0, although the prompt does not offer it.

    Flags: `ambiguous`, `abstained`, `empty`, `unclosed_think`.
    """
    thought = split_thought(text)
    found = _strict(thought)
    return found if found.value is not None else _lenient(thought)


_ANY_OVERALL = re.compile(r"overall judge?ment\W{0,8}answer\b")


def _strict(thought: Thought) -> Extraction[int]:
    answer = thought.answer
    counts = {number: answer.count(phrase) for number, phrase in _PHRASES.items()}
    if sum(counts.values()) == 1:
        number = 1 if counts[1] else 2
        if len(_ANY_OVERALL.findall(answer.lower())) == 1:
            at = thought.start + answer.index(_PHRASES[number])
            return Extraction(number, (at, at + len(_PHRASES[number])))
    if sum(counts.values()):
        return Extraction(None, flags=("ambiguous",), reason="There is more than one overall judgment.")
    reason = 'The sentence "Overall Judgment: Answer X is better." does not stand in the answer.'
    return Extraction(None, reason=reason)


# Words -------------------------------------------------------------------------------------------------------------

_MENTION = re.compile(  # on lower case; A and B must be capitals in the text itself
    r"(?:answers?|responses?|assistant|option|model|candidate)\s{0,3}[(\[]?(?P<n>[12ab]|one|two)[)\]]?(?![a-z0-9_]|\.\d)"
    r"|the (?P<o>first|second) (?:answer|response|one|candidate)\b"
)
_MENTION_CHINESE = re.compile(r"(?:答案|回答|回复|选项)\s{0,2}(?P<c>[12ab一二])(?![a-z0-9_])|第(?P<d>[一二])个?(?:答案|回答|回复)")
_FIRST = frozenset(("1", "a", "one", "first", "一"))

_ADVERBS = (
    r"(?:(?:also|the|a|an|clearly|much|by far|far|significantly|slightly|marginally|considerably|substantially|somewhat"
    r"|definitely|still|generally|thus|therefore|hence|ultimately|arguably|overall|more|most|bit|little|lot|notably|markedly"
    r"|noticeably|vastly|greatly|way|even|just|indeed|actually|obviously|evidently|moderately|strongly|likely|probably"
    r"|undoubtedly|certainly|to be|being|as|one|that|which|is|of|two|clear|slight|narrowly|decidedly|overwhelmingly|quite"
    r"|easily|considered|judged|deemed|rated|only)[\s,]{1,3}){0,7}"
)
_VERB = r"(?:is|was|are|seems|appears|would be|should be|must be|can be|stands out|emerges|comes out|proves|remains|has|gets|takes)"
_BETTER = re.compile(
    rf"[)\]]?\s{{0,3}}(?:\([^()\n]{{1,40}}\))?,?\s{{0,3}}(?:{_VERB}[\s,]{{1,3}}{_ADVERBS}"
    r"(?:better(?! (?:written|organi[sz]ed|structured|formatted))|superior|preferred|preferable|best|stronger|winner|win"
    r"|edge|ahead|favou?red)\b"
    rf"|{_ADVERBS}(?:outperforms|surpasses|beats|outshines|edges out|wins)\b)"
    r"|\s{0,3}(?:>{1,3}|≻|优于|胜过|好于|强于|胜出)"
    r"|(?:在?整体上?|总体上?|的?表现|的?质量|\s){0,3}(?:比(?:答案|回答|回复)\s{0,2}[12ab一二]|明显|显然|略微|略|稍|要|是|相对){0,4}"
    r"(?:更|较|最|(?<=[12ab一二])要?)(?:为|加)?(?:好|优秀|优|佳|胜一筹|合适|可取)"
)
_WORSE = re.compile(
    rf"[)\]]?\s{{0,3}}(?:{_VERB}[\s,]{{1,3}}{_ADVERBS}(?:worse|inferior|weaker|worst|less (?:preferable|preferred))\b"
    r"|(?:is|was) not as good as\b|(?:is|was) outperformed by\b)|\s{0,3}(?:<{1,3}|≺|不如|劣于|差于|比不上)"
)
_PREFERS = re.compile(
    r"(?:\b(?:prefer|choose|select|pick|favou?r|go with|vote for|opt for|vote goes to|preference (?:is )?(?:for|goes to|is)|in"
    r" favou?r of|leans? (?:towards?|to)|winner(?: is)?|(?:better|best|superior|preferred|stronger|winning) (?:answer|response|one|option"
    r"|choice|candidate)(?: overall)?(?: of the two)?(?: here)?,? ?(?:is|would be|should be|must be|goes to|:)?|better:)"
    r"|更好的(?:答案|回答|回复)?(?:是|为)?|较好的(?:答案|回答|回复)?(?:是|为)?|(?<!不)选择?|偏向|倾向于|更喜欢|推荐)\s{0,3}:?\s{0,4}(?:the )?\Z"
)
_HARD_TIE = re.compile(
    r"\b(?:it is|it's|this is|call it|results? in|:|is|as)\s{0,3}(?:a |essentially a |effectively a )?(?:tie|draw)\b|\btied\b"
    r"|[:\n]\s{0,3}(?:tie|draw)\b|\A\W{0,8}(?:it is |it's )?(?:a )?(?:tie|draw)\b"
    r"|\bneither (?:answer |response |one |of (?:the|them|these)(?: two)?(?: answers| responses)? ?|answer 1 nor answer 2 |option )?"
    r"(?:is |stands? |seems |appears )(?:\w{2,14}ly )?(?:better|superior|preferable|preferred)\b"
    r"|平局|打平|不相上下|难分(?:伯仲|高下|优劣)|持平"
)
_SOFT_TIE = re.compile(
    r"\bequally (?:good|bad|strong|valid|well|accurate|correct|effective|acceptable|matched|helpful|poor|wrong|incorrect)\b"
    r"|\b(?:both|they|answers|responses|the two|answer 1 and answer 2|answers 1 and 2)(?: answers| responses)? are"
    r" (?:\w{2,14}ly )?(?:equal|equivalent|comparable|identical|the same|similar in quality|of (?:the same|equal|similar) quality)\b"
    r"|\bno (?:clear |single |definite )?(?:winner|preference)\b|\bon par\b|\bof equal quality\b|一样好|同样好|同等"
)
_TIE_KEYS = ("tie", "draw", "neither", "equal", "both", "same", "no ", "par", "compar", "similar")
_TIE_UNDONE = re.compile(r"[^.\n]{0,100}\b(?:but|however|although|though|yet|still)\b")
_ALMOST = re.compile(r"\b(?:not|nearly|almost|close to|isn't|if|break|breaks|breaking|avoid|no)[^.,\n]{0,24}\Z")

_CRITERIA = (
    r"(?:accura\w+|correct\w*|complete\w*|clarity|clear\w*|relevan\w+|detail\w*|concis\w+|helpful\w*|depth|structure\w*"
    r"|coheren\w+|fluen\w+|informativ\w+|factual\w*|precision|readability|style|creativity|specificity|hallucinat\w+|safety"
    r"|grammar|organi[sz]ation|length|brevity|准确性?|完整性?|清晰度?|清晰性|相关性?|aspect|regard|respect|criterion)"
)
_AFTER_CRITERION = re.compile(
    rf"\W{{0,3}}(?:than \w{{2,12}} \w{{1,6}},? )?(?:but )?(?:only )?(?:in(?: terms of)?|on|for(?! its)|at|with (?:regard|respect) to"
    r"|regarding|when it comes to|concerning|from the (?:perspective|standpoint) of)\s{1,3}"
    rf"(?:(?:the|its|this|that|both|more|terms of)\s)?(?:\w{{2,14}}(?:,| and| &)?\s){{0,2}}{_CRITERIA}(?!\w)"
)
_BEFORE_CRITERION = re.compile(
    r"(?:\A|[.!?\n,;:])\s{0,3}(?:(?:but|and|while|however,?|though) )?"
    rf"(?:(?:in terms of|regarding|with (?:regard|respect) to|as for|when it comes to|concerning|for|on|in)"
    rf" (?:the |its )?(?:\w{{2,14}} ){{0,2}}{_CRITERIA}[^.!?\n]{{0,40}}|在{_CRITERIA}[^。\n]{{0,12}})\Z"
)
_LABEL = re.compile(
    rf"[\W\d]{{0,10}}(?:(?:the|in|on|for|terms of|criterion|\d) ){{0,3}}(?:\w{{2,14}} (?:and|&) )?{_CRITERIA}"
    r"(?: (?:and|&) \w{2,14})?(?P<head>[\W\d]{0,12}\Z)?(?P<colon>\s{0,3}[:(–—-])?"
)
_DENIED = re.compile(
    r"\b(?:if|whether|unless|although|though|while|whereas|suppose|assuming|either|neither|nor|never|instead of|rather than"
    r"|hard to|difficult to|no reason to|(?:don't|do not|doesn't|does not|not|cannot|can't|could not) (?:be )?(?:think|believe|say|said"
    r"|mean|conclude|claim|determine|see|feel|that|agree|clear|sure|obvious|prefer|choose|select|pick)|(?:answer|response) [12x] or)"
    r"\b[^.!?;:,\n]{0,60}\Z"
    r"|(?:answer|response) [12x]\s{0,2}/\s{0,2}\Z|(?:是否|如果|不认为|并非|虽然|尽管|不是|答案1或)[^。,\n]{0,16}\Z"
)
_QUESTION = re.compile(r"[^.!?\n]{0,60}\?")

_OVERALL = re.compile(
    r"(?:overall|final)[ \t]{0,3}(?:judge?ments?|verdict|assessment|evaluation|decision|conclusion|answer|ranking"
    r"|preference|choice|winner|result|rating|recommendation)\b"
)
_HEADING = re.compile(r"(?:conclusion|verdict|judge?ment|decision|summary)[ \t]{0,3}(?::|\n|\Z)")
_OVERALL_CHINESE = re.compile(r"(?:总体|综合|最终|整体|总)的?(?:判断|评价|结论|裁决|评判|评估)|总评")
_SUMMARY = re.compile(
    r"\b(?:therefore|thus|hence|conclusion|conclude|summary|to sum up|all in all|overall|verdict|judge?ment|consequently"
    r"|on balance|in the end|ultimately|everything considered)\b|因此|所以|综上|总的来说|总体|综合|总之|结论"
)
_HEAD = re.compile(r"[\W_]{0,12}(?:(?:is|goes to|the|would be|i choose|i prefer|better|best|preferred|winning) ){0,3}")
_HEAD_NUMBER = re.compile(r"[12](?![\w.]\w|\w|/)")
_HEAD_END = re.compile(r"[ \t)\]']{0,4}(?:[.!;,\n。]|\Z|(?:because|since|as|due|for|with|over|not)\b|-\s|–|—|\()")
_HEAD_MORE = re.compile(
    r"\s{1,3}(?:provides|offers|gives|presents|delivers|has|is|does|contains|demonstrates|shows)\s"
    r"(?:(?:a|an|the|slightly|significantly|much|far|generally|overall|clearly|considerably)\s){0,3}"
    r"(?:more|better|clearer|fewer|most|greater|stronger|richer)\b|\s{1,3}(?:better|more)\s\w"
)


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
    found = []
    for key in ("overall", "final"):
        found += [match.span() for at in _places(low, key) if (match := _OVERALL.match(low, at))]
    for key in ("conclusion", "verdict", "judg", "decision", "summary"):
        for at in _places(low, key):
            line = low[max(0, at - 10) : at]
            opens = not any(char.isalpha() for char in line[line.rfind("\n") + 1 :])
            if opens and (at < 10 or "\n" in line) and (match := _HEADING.match(low, at)):
                found.append(match.span())
    if not low.isascii():
        found += [match.span() for match in _OVERALL_CHINESE.finditer(low)]
    return sorted(found)


def _places(low: str, key: str, start: int = 0, end: int | None = None) -> Iterator[int]:
    at = low.find(key, start, end)
    while at >= 0:
        yield at
        at = low.find(key, at + len(key), end)


def _section(shown: str, low: str, start: int, end: int) -> list[Claim[int]]:
    verdicts = _verdicts(shown, low, start, end)
    general = [Claim(v.value, v.start, v.end) for v in verdicts if not v.criterion]
    if general:
        return general
    headed = _headed(shown, low, start)
    if headed is not None:
        return [headed]
    stop = low.find("\n", start + 4, end)
    return [Claim(v.value, v.start, v.end) for v in verdicts[:1] if stop < 0 or v.start < stop]


def _headed(shown: str, low: str, start: int) -> Claim[int] | None:
    """`Overall Judgment: Answer 2`, `Final verdict: 1`, `Overall Judgment: Answer 1 provides more detail`."""
    head = _HEAD.match(low, start)
    at = head.end() if head is not None else start
    mention = _MENTION.match(low, at) or _MENTION_CHINESE.match(low, at)
    if mention is None:
        number = _HEAD_NUMBER.match(low, at)
        if number is None or not _HEAD_END.match(low, number.end()):
            return None
        return Claim(int(number[0]), *number.span())
    value = _number(shown, mention)
    if not value or not (_HEAD_END.match(low, mention.end()) or _HEAD_MORE.match(low, mention.end())):
        return None
    return Claim(value, *mention.span())


def _unmarked_verdict(shown: str, low: str) -> tuple[Claim[int] | None, bool]:
    """Without such words: verdicts in summing-up sentences, or else any that is not on one criterion."""
    verdicts = [v for v in _verdicts(shown, low, 0, len(low)) if not v.criterion]
    summing_up = [
        v
        for v in verdicts
        if low.startswith(" overall", v.end) or _SUMMARY.search(low, _sentence_start(low, v.start), v.start)
    ]
    return standing(low, [Claim(v.value, v.start, v.end) for v in summing_up or verdicts])


def _sentence_start(low: str, at: int) -> int:
    begin = max(0, at - 160)
    return max(low.rfind(mark, begin, at) + 1 for mark in (". ", "\n", "! ", "。")) or begin


def _number(shown: str, mention: re.Match[str]) -> int:
    """1 or 2 for the answer that is named; 0 if it is none ("answer a question")."""
    kind = mention.lastgroup or "n"
    name = mention[kind]
    if name in "ab" and shown[mention.start(kind)] not in "AB":
        return 0
    return 1 if name in _FIRST else 2


def _verdicts(shown: str, low: str, start: int, end: int) -> list[_Verdict]:
    found: list[_Verdict] = []
    stop = start
    for mention in _mentions(low, start, end)[-MOST:]:
        value = _number(shown, mention)
        if not value or mention.start() < stop:
            continue
        better = _BETTER.match(low, mention.end())
        worse = None if better else _WORSE.match(low, mention.end())
        stop = (better or worse or mention).end()
        if not (better or worse):
            if not _PREFERS.search(low, max(start, mention.start() - 48), mention.start()):
                continue
            if re.compile(r"[)\]']?\s{0,3}(?:/|or\b)").match(low, stop):
                continue
        if _DENIED.search(low, max(0, mention.start() - 64), mention.start()) or _QUESTION.match(low, stop):
            continue
        criterion = _on_criterion(low, mention.start(), stop)
        found.append(_Verdict(3 - value if worse else value, mention.start(), stop, criterion))
    ties = _ties(low, start, end, any(not verdict.criterion for verdict in found))
    return sorted(found + ties, key=lambda verdict: verdict.start) if ties else found


def _mentions(low: str, start: int, end: int) -> list[re.Match[str]]:
    """The places that name an answer. Looks for the cheap words first: most text holds none of them."""
    found = []
    for key in ("answer", "response", "assistant", "option", "model", "candidate", "the first", "the second"):
        found += [match for at in _places(low, key, start, end) if (match := _MENTION.match(low, at, end))]
    if not low.isascii():
        found += _MENTION_CHINESE.finditer(low, start, end)
    found.sort(key=re.Match.start)
    return found


def _on_criterion(low: str, start: int, end: int) -> bool:
    if _AFTER_CRITERION.match(low, end):
        return True
    line_start = low.rfind("\n", max(0, start - 200), start) + 1 or max(0, start - 200)
    if _BEFORE_CRITERION.search(low, max(0, line_start - 1, start - 100), start):
        return True
    label = _LABEL.match(low, line_start, start)
    if label is not None and (label["colon"] or label["head"]):
        return True
    above = low[max(0, line_start - 80) : line_start].rstrip()
    heading = above[above.rfind("\n") + 1 :]
    label = _LABEL.match(heading) if 0 < len(heading) <= 48 else None
    return label is not None and label["head"] is not None


def _ties(low: str, start: int, end: int, decided: bool) -> list[_Verdict]:
    """Explicit ties. Soft ones ("equally good") and ones with a `but` give way to a verdict beside them."""
    part = low[start:end]
    if part.isascii() and not any(key in part for key in _TIE_KEYS):
        return []
    found: list[_Verdict] = []
    for pattern, soft in ((_HARD_TIE, False), (_SOFT_TIE, True)):
        for match in pattern.finditer(low, start, end):
            if decided and (soft or _TIE_UNDONE.match(low, match.end(), end)):
                continue
            if _ALMOST.search(low, max(start, match.start() - 30), match.start()):
                continue
            found.append(_Verdict(TIE, match.start(), match.end(), _on_criterion(low, match.start(), match.end())))
    return found
