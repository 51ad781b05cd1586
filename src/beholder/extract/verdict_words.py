"""The words in which judges say which answer is better: patterns for `beholder.extract.verdict`.

All are for plain text in lower case. Repetitions are bounded, so that every match attempt takes
bounded time.
"""

from __future__ import annotations

import re

MENTION = re.compile(  # on lower case; A and B must be capitals in the text itself
    r"(?:answers?|responses?|assistant|option|model|candidate)[\s_]{0,3}[(\[]?(?P<n>[12ab]|one"
    r"|two)[)\]]?(?![a-z0-9_]|\.\d)"
    r"|the (?P<o>first|second) (?:answer|response|one|candidate)\b"
)
MENTION_CHINESE = re.compile(
    r"(?:答案|回答|回复|选项)\s{0,2}(?P<c>[12ab一二])(?![a-z0-9_])|第(?P<d>[一二])个?(?:答案|回答|回复)"
)
MENTION_KEYS = ("answer", "response", "assistant", "option", "model", "candidate", "the first", "the second")
FIRST = frozenset(("1", "a", "one", "first", "一"))

_ADVERBS = (
    r"(?:(?:also|the|a|an|clearly|much|by far|far|significantly|slightly|marginally|considerably"
    r"|substantially|somewhat"
    r"|definitely|still|generally|thus|therefore|hence|ultimately|arguably|overall|more|most|bit|little"
    r"|lot|notably|markedly"
    r"|noticeably|vastly|greatly|way|even|just|indeed|actually|obviously|evidently|moderately|strongly"
    r"|likely|probably"
    r"|undoubtedly|certainly|to be|being|as|one|that|which|is|of|two|clear|slight|narrowly|decidedly"
    r"|overwhelmingly|quite"
    r"|easily|considered|judged|deemed|rated|only)[\s,]{1,3}){0,7}"
)
_VERB = (
    r"(?:is|was|are|to be|seems|appears|would be|should be|must be|can be|stands out|emerges|comes out|proves|remains"
    r"|has|gets|takes)"
)
BETTER = re.compile(
    rf"[)\]]?\s{{0,3}}(?:\([^()\n]{{1,40}}\))?,?\s{{0,3}}(?:{_VERB}[\s,]{{1,3}}{_ADVERBS}"
    r"(?:better(?! (?:written|organi[sz]ed|structured|formatted))|superior|preferred|preferable|best"
    r"|stronger|winner|win"
    r"|edge|ahead|favou?red)\b"
    r"|(?:should|must) be (?:chosen|selected|picked|favou?red)\b|is (?:my|the) (?:final |clear )?(?:choice|pick"
    r"|preference)\b"
    rf"|{_VERB} (?:more [\w-]{{3,15}},? (?:and )?){{1,3}}(?:better|superior|preferable|stronger)\b"
    rf"|{_VERB} (?:\w{{2,14}} )?more [\w-]{{3,15}}(?:,? (?:and )?(?:more )?[\w-]{{3,15}}){{0,3}} overall\b"
    rf"|{_ADVERBS}(?:outperforms|surpasses|beats|outshines|edges out|wins)\b)"
    r"|\s{0,3}(?:>{1,3}|≻|(?:明显|略微|略|稍|要|远|显著)?(?:优于|胜过|好于|强于|胜出))"
    r"|(?:在?整体上?|总体上?|的?表现|的?质量|\s){0,3}(?:比(?:答案|回答|回复)\s{0,2}[12ab一二]|明显|显然"
    r"|略微|略|稍|要|是|相对){0,4}"
    r"(?:更|较|最|(?<=[12ab一二])要?)(?:为|加)?(?:好|优秀|优|佳|胜一筹|合适|可取)"
)
WORSE = re.compile(
    rf"[)\]]?\s{{0,3}}(?:{_VERB}[\s,]{{1,3}}{_ADVERBS}(?:worse|inferior|weaker|worst|less (?:preferable"
    rf"|preferred))\b"
    r"|(?:is|was) not as good as\b|(?:is|was) outperformed by\b)|\s{0,3}(?:<{1,3}|≺|不如|劣于|差于|比不上)"
)
PREFERS = re.compile(
    r"(?:\b(?:prefer|choose|select|pick|favou?r|go with|vote for|opt for|vote goes to"
    r"|preference (?:is )?(?:for|goes to|is)|in"
    r" favou?r of|leans? (?:towards?|to)|winner(?: is)?|(?:better|best|superior|preferred|stronger"
    r"|winning) (?:answer|response|one|option"
    r"|choice|candidate)(?: overall)?(?: of the two)?(?: here)?,? ?(?:is|would be|should be|must be"
    r"|goes to|:)?|(?:better|preferred|preference|winner):|my (?:judge?ment|verdict|choice|pick|vote)(?: is)?)"
    r"|更好的(?:答案|回答|回复)?(?:是|为)?|较好的(?:答案|回答|回复)?(?:是|为)?|(?<!不)选择?|偏向|倾向于"
    r"|更喜欢|推荐)\s{0,3}:?\s{0,4}(?:the )?\Z"
)
PREFERS_HINT = re.compile(
    "prefer|choose|select|pick|favo|go with|vote|opt for|lean|winn|better|best|superior|stronger|my "
)
"""Without one of these `PREFERS` cannot match in ASCII text."""
HARD_TIE = re.compile(
    r"\b(?:it is|it's|this is|call it|results? in|:|is|as)\s{0,3}(?:a |essentially a "
    r"|effectively a )?(?:tie|draw)\b|\btied\b"
    r"|[:\n]\s{0,3}(?:tie|draw|equal)\b(?! to)|\A\W{0,8}(?:it is |it's )?(?:a )?(?:tie|draw)\b"
    r"|\bneither (?:answer |response |one |of (?:the|them|these)(?: two)?(?: answers| responses)? ?"
    r"|answer 1 nor answer 2 |option )?"
    r"(?:is |stands? |seems |appears )(?:\w{2,14}ly )?(?:better|superior|preferable|preferred)\b"
    r"|平局|打平|不相上下|难分(?:伯仲|高下|优劣)|持平"
)
SOFT_TIE = re.compile(
    r"\bequally (?:good|bad|strong|valid|well|accurate|correct|effective|acceptable|matched|helpful"
    r"|poor|wrong|incorrect)\b"
    r"|\b(?:both|they|answers|responses|the two|answer 1 and answer 2|answers 1 and 2)(?: answers"
    r"| responses)? are"
    r" (?:\w{2,14}ly )?(?:equal|equivalent|comparable|identical|the same|similar in quality"
    r"|of (?:the same|equal|similar) quality)\b"
    r"|\bno (?:clear |single |definite )?(?:winner|preference)\b|\bon par\b|\bof equal quality\b"
    r"|\bas good as (?:answer|response|option) [12ab]\b|一样好"
    r"|同样好|同等"
)
ALTERNATIVE = re.compile(r"[)\]']?\s{0,3}(?:/|or\b)")
HARD_TIE_KEYS = ("tie", "draw", "neither", "equal")
SOFT_TIE_KEYS = (
    *("equal", "equivalent", "comparable", "identical", "the same", "similar", "winner", "preference", "on par"),
    "as good as",
)
TIE_UNDONE = re.compile(r"[^.\n]{0,100}\b(?:but|however|although|though|yet|still)\b")
ALMOST = re.compile(r"\b(?:not|nearly|almost|close to|isn't|at least|if|break|breaks|breaking|avoid|no)[^.,\n]{0,24}\Z")

_CRITERIA = (
    r"(?:accura\w+|correct(?:ness|ly)?|complete\w*|clarity|clear\w*|relevan\w+|detail\w*|concis\w+|helpful\w*"
    r"|depth|structure\w*"
    r"|coheren\w+|fluen\w+|informativ\w+|factual\w*|precision|readability|style|creativity|specificity"
    r"|hallucinat\w+|safety"
    r"|grammar|organi[sz]ation|length|brevity|准确性?|完整性?|清晰度?|清晰性|相关性?|aspect|regard"
    r"|respect|criterion)"
)
AFTER_CRITERION = re.compile(
    rf"\W{{0,3}}(?:than \w{{2,12}} \w{{1,6}},? )?(?:but )?(?:only )?(?:in(?: terms of)?|on|for(?! its)"
    rf"|at|with (?:regard|respect) to"
    r"|regarding|when it comes to|concerning|from the (?:perspective|standpoint) of)\s{1,3}"
    rf"(?:(?:the|its|this|that|both|more|terms of)\s)?(?:\w{{2,14}}(?:,| and"
    rf"| &)?\s){{0,2}}{_CRITERIA}(?!\w)"
)
BEFORE_CRITERION = re.compile(
    r"(?:\A|[.!?\n,;:])\s{0,3}(?:(?:but|and|while|however,?|though) )?"
    rf"(?:(?:in terms of|regarding|with (?:regard|respect) to|as for|when it comes to|concerning|for|on|in)"
    rf" (?:the |its )?(?:\w{{2,14}} ){{0,2}}{_CRITERIA}[^.!?\n]{{0,40}}|在{_CRITERIA}[^。\n]{{0,12}})\Z"
)
LABEL = re.compile(
    rf"[\W\d]{{0,10}}(?:(?:the|in|on|for|terms of|criterion|\d) ){{0,3}}(?:\w{{2,14}} (?:and"
    rf"|&) )?{_CRITERIA}"
    r"(?: (?:and|&) \w{2,14})?(?P<head>[\W\d]{0,12}\Z)?(?P<colon>\s{0,3}[:(–—-])?"
)
DENIED = re.compile(
    r"\b(?:if|whether|unless|suppose|assuming|either|neither|nor|never"
    r"|instead of|rather than"
    r"|hard to|difficult to|no reason to|(?:don't|do not|doesn't|does not|not|cannot|can't"
    r"|could not) (?:be )?(?:think|believe|say|said"
    r"|mean|conclude|claim|determine|see|feel|that|agree|clear|sure|obvious|prefer|choose|select|pick)"
    r"|(?:answer|response) [12x] or)"
    r"\b[^.!?;:,\n]{0,60}\Z"
    r"|(?:answer|response) [12x]\s{0,2}/\s{0,2}\Z|(?:是否|如果|不认为|并非|不是"
    r"|答案1或)[^。,\n]{0,16}\Z"
)
CONCEDED = re.compile(r"(?:\b(?:although|though|while|whereas)\b[^.!?;:,\n]{0,60}|(?:虽然|尽管)[^。,\n]{0,16})\Z")
QUALIFIED = re.compile(  # "better at first, but …", "better than nothing", "would be better if …"
    r"[)\]']?,?\s{1,3}(?:at first\b|at a glance|initially\b|on the surface|superficially|than nothing|than (?:i|we"
    r"|one) "
    r"(?:\w+ )?expect|(?:if|unless|were)\b(?! (?:only|anything|just)\b))"
)
GOES_ON = re.compile(r"[^.!?\n。]{0,160},")
QUESTION = re.compile(r"[^.!?\n]{0,60}\?")

WHOLE = re.compile(  # the reply is nothing but the verdict
    r"\W{0,9}(?:(?:so|therefore|thus|hence|overall|finally),? )?"
    r"(?:(?:i(?: would|'d)? (?:choose|prefer|pick|select|vote for|go with)|it is|it's|(?:(?:the|my|overall|final"
    r"|is) ){0,3}(?:judge?ment"
    r"|verdict|answer|preference|preferred|choice|better|best|winner|decision|conclusion|option)(?: (?:answer"
    r"|response|one"
    r"|option))?)(?: (?:is|would be|goes to))?\s{0,3}:?[\s(\[-]{1,4})?"
    r"(?:(?:the )?(?:answer|response|assistant|option|model"
    r"|candidate)[\s_]{0,3})?[(\[]{0,3}(?P<n>[12])[)\]]{0,3}[\s.!。]{0,9}"
)
OVERALL = re.compile(
    r"(?:overall|final)[ \t]{0,3}(?:judge?ments?|verdict|assessment|evaluation|decision|conclusion"
    r"|answer|ranking"
    r"|preference|choice|winner|result|rating|recommendation)\b"
)
HEADING = re.compile(
    r"(?:conclusion|verdict|judge?ment|decision|summary|winner|preference|preferred|(?:better|best|preferred"
    r"|winning) (?:answer"
    r"|response|one))[ \t]{0,3}(?::|\n|\Z)"
)
HEADING_KEYS = ("conclusion", "verdict", "judg", "decision", "summary", "winn", "prefer", "better", "best")
OVERALL_CHINESE = re.compile(r"(?:总体|综合|最终|整体|总)的?(?:判断|评价|结论|裁决|评判|评估)|总评")
SUMMARY = re.compile(
    r"\b(?:therefore|thus|hence|conclusion|conclude|summary|to sum up|all in all|overall|verdict"
    r"|judge?ment|consequently"
    r"|on balance|in the end|ultimately|everything considered)\b|因此|所以|综上|总的来说|总体|综合|总之"
    r"|结论"
)
HEAD = re.compile(
    r"[\W_]{0,12}(?:(?:is|goes to|the|would be|i choose|i prefer|better|best|preferred|winning|answer is|one is"
    r"|response is) ){0,3}"
)
HEAD_NUMBER = re.compile(r"[12](?![\w.]\w|\w|/)")
HEAD_END = re.compile(r"[ \t)\]']{0,4}(?:[.!;,\n。]|\Z|(?:because|since|as|due|for|with|over|not)\b|-\s|–|—|\()")
RIGHT = re.compile(r"[)\]]? (?:is|was) (?:\w{2,12}ly )?(?:correct|right|accurate)\b(?! (?:in|on|about|for)\b)")
FALSE = re.compile(r"[)\]]? (?:is|was) (?:\w{2,12}ly )?(?:wrong|incorrect|inaccurate|not (?:correct|right))\b")
HEAD_MORE = re.compile(
    r"\s{1,3}(?:provides|offers|gives|presents|delivers|has|is|does|contains|demonstrates|shows)\s"
    r"(?:(?:a|an|the|slightly|significantly|much|far|generally|overall|clearly|considerably)\s){0,3}"
    r"(?:more|better|clearer|fewer|most|greater|stronger|richer)\b|\s{1,3}(?:better|more)\b"
)
