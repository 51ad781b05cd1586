"""Words that keep the writer from saying what follows: "there is no evidence that …", "some may think …".

One list for statements, options and verdicts. A claim behind such words is reported, doubted or only possible: it is
not the writer's answer. What comes after a contrast ("…, but the answer is B", "so the statement is false") is the
writer's own again. All functions take plain text in lower case.
"""

from __future__ import annotations

import re

from beholder.extract.lead_words import word_set

_REACH = 220
_STOPS = ("\n", ". ", ".\n", "!", "?", ";", "…", "。", "！", "？", "；")
_CONTRAST = re.compile(
    r"\b(?:but|however|though)\b|(?:[,:]|^)\s{0,3}(?:and )?(?:so|yet|therefore|thus|hence|still|instead|nevertheless"
    r"|nonetheless|consequently|in (?:fact|reality|truth)|actually|which means)\b"
    r"|\band (?:so|thus|therefore|hence|(?:the|my) (?:statement|answer|claim)|answer)\b|\bso (?:the|it|this|i|my"
    r"|answer)\b"
    r"|但是?|然而|所以|因此|不过|实际上|其实"
)

# The words that link what is doubted or reported to the claim: "…that the statement is".
_CLAUSE = r"(?:[^,]{0,90}|(?:[^,]{0,60},){2} ?that\b[^,]{0,60})\Z"
_NO = (
    r"\b(?:no|little|nothing|none|nobody|neither|without(?: any)?|hardly any(?:thing)?|lack of|insufficient|not enough"
    r"|not any(?:thing)?|(?:is|are|do|does|did|can|could)(?:n't| not)(?: \w{2,9})? any(?:thing)?)\b"
)
_EVIDENCE = (
    r"\b(?:evidence|indicat\w+|signs?|proof|prov(?:es?|ing)|reasons?|suggest\w*|hint\w*|basis|support\w*|grounds?"
    r"|shows?"
    r"|impl(?:y|ies|ying)|confirm\w*|points?|mean\w*|demonstrat\w*|justif\w*|way|guarantee\w*)\b"
)
_DOUBT = r"(?<!\bno )(?<!out )(?<! a )(?<!\bany )(?<!'t )(?<!not )(?<!little )(?<!all )\bdoubt(?:s|ed|ful)?\b"
_UNSURE = (
    r"\b(?:unlikely|improbable|implausible|doubtful|questionable|debatable|(?:not|hardly|less) likely|unclear|uncertain"
    r"|(?:not|hardly) (?:clear|certain|obvious|proven|sure|convinced)|too early|impossible|hard|difficult|wrong"
    r"|incorrect"
    r"|inaccurate|misleading|an? (?:mistake|misconception|myth|fallacy|error)|an? exaggeration|premature|a stretch"
    r"|tempting|possible|conceivable|plausible"
    r"|sceptical|skeptical|den(?:y|ies)|deny(?:ing)?|disagrees?|suspect(?:s|ed)?|wonder(?:s|ed|ing)?"
    r"|pretend(?:s|ed)?)\b(?: \w{2,12})?(?: (?:that|whether|if)| to \w{2,10})\b"
)
_PEOPLE = (
    r"(?:some|many|most|others?|people|viewers?|readers?|critics?|observers?|experts?|students?|users?|somebody"
    r"|someone|anyone"
    r"|he|she|they|(?:the|an?|his|her|another|my) (?:man|woman|boy|girl|child|person|speaker|character|author|artist"
    r"|student"
    r"|teacher|user|friend|other|reader|viewer|annotator|text|caption|poster|sign|label|headline|newspaper))"
)
_SAYS = (
    r"(?:sa(?:y|ys|id)|thinks?|thought|argued?s?|argues|believed?s?|believes|claim(?:s|ed)?|assumed?s?|assumes"
    r"|concluded?"
    r"|concludes|feels?|felt|supposes?|insists?|guess(?:es|ed)?|chooses?|chose|pick(?:s|ed)?|select(?:s|ed)?"
    r"|told|object|expect)"
)
_EMBEDS = re.compile(
    rf"{_NO}[^;]{{0,60}}?{_EVIDENCE}{_CLAUSE}"
    rf"|{_DOUBT}{_CLAUSE}|{_UNSURE}{_CLAUSE}"
    rf"|\b{_PEOPLE}(?: (?!i\b|we\b)[a-z']{{1,12}}){{0,3}} {_SAYS}\b{_CLAUSE}"
    rf"|\b(?:one|you|we) (?:may|might|could)(?: \w{{2,12}})? (?:say|think|argue|believe|claim|assume|object|feel|guess"
    rf"|be (?:tempted|inclined))\b{_CLAUSE}"
    rf"|\bit (?:could|might|may|can) (?:also )?(?:be (?:argued|claimed|thought|believed|tempting)|seem|appear"
    rf"|look)\b{_CLAUSE}"
    rf"|\bit (?:could|might|may) be said\b{_CLAUSE}"
    rf"|\bit (?:is|was) (?:\w{{4,12}} )?(?:said|believed|thought|claimed|argued|assumed|alleged|rumou?red)\b{_CLAUSE}"
    rf"|\b(?:i|we) (?:had |have |also |first |at first |\w{{3,10}}ly ){{0,2}}(?:thought|assumed|believed|guessed"
    rf"|expected"
    rf"|supposed|figured|suspected)\b{_CLAUSE}"
    rf"|\b(?:perhaps|maybe|possibly|conceivably)\b,?{_CLAUSE}"
    r"|\b(?:can't|cannot|can not|couldn't|could not|won't|wouldn't)(?: \w{2,12}ly)? (?:say|tell|claim|conclude|confirm"
    rf"|determine|judge|verify|prove|guarantee)\b{_CLAUSE}"
    rf"|\b(?:i|we) (?:was|were) (?:about|going|tempted|inclined) to\b{_CLAUSE}"
    r"|(?<!\bi )(?<!\bwe )(?<!\bbe )(?<!\bcan )(?<!could )\b(?:says|said|claims|claimed|thinks|believes|believed"
    r"|argues|argued"
    r"|insists|states|stated|asserts|asserted|reads|wrote|writes|assumes|told (?:us|me|him|her"
    r"|them))\b[,: ]{1,3}(?:that )?"
    r"(?:[\w('\[]{1,14} ?){0,5}[('\[ ]{0,3}\Z"
    r"|(?:没有|缺乏)(?:任何)?(?:证据|迹象|理由)[^。,]{0,14}\Z|不太?可能[^。,]{0,8}\Z|(?:我)?(?:怀疑|不认为)[^。,]{0,12}\Z"
    r"|(?:有的?人|有些人|很多人|他们?|她|作者|男人|女人)[^。,]{0,4}(?:说|认为|觉得|以为)[^。,]{0,12}\Z|(?:也许|或许|可能)[^。,]{0,10}\Z"
)
_FRAMES = re.compile(  # at the beginning of the clause; a comma may follow
    r"\A\W{0,9}(?:[a-z ]{1,24}:\s{0,3})?(?:(?:well|and|also|now|ok|okay|overall),? )?(?:at (?:a )?first(?: glance"
    r"| sight| look)?|at a glance|on first \w+"
    r"|initially|originally|superficially|seemingly|supposedly|allegedly|perhaps|maybe|possibly|on the surface"
    r"|hypothetically|in theory"
    rf"|according to (?:him|her|them|(?:his|her|their|my|some) [a-z]{{2,14}}|{_PEOPLE})|contrary to (?:the |this "
    rf"|that )?(?:statement|claim|assertion|premise)"
    rf"|in (?:his|her|their|other people's|some people's) (?:view|opinion|eyes|mind|words)|(?:to|for) {_PEOPLE},)\b"
    r"|\A\W*(?:乍一看|表面上|起初|一开始|根据他|根据她|与陈述相反)"
)
_STEMS = word_set(  # a clause without a word that begins so cannot match; looked for first because that is cheap
    "abou acco alle appe argu asse assu beli cert choo chos clai clea conc conf cont conv deba demo deni deny"
    " dete diff disa doub earl erro evid exag expe eyes fall feel felt figu firs glan goin grou guar gues hard hint"
    " hypo"
    " impl impo impr inac incl inco indi init insi judg just like look mayb mean mind misc misl mist myth obje obvi"
    " opin orig"
    " perh pick plau poin poss prem pret proo prov ques read reas rumo said say says scep seem sele show sign"
    " skep stat stre sugg supe supp sure surf susp tell temp theo thin thou told unce uncl unli veri view way wond"
    " word writ wron wrot"
)
_WORD = re.compile(r"\b(?!statement|conclusion|judge?ment)[a-z]{3,}")


def distanced(low: str, start: int) -> bool:
    """Whether a claim that begins at `start` is doubted, reported or only possible, and not the writer's own."""
    begin = max(0, start - _REACH)
    for stop in _STOPS:
        begin = max(begin, low.rfind(stop, begin, start) + 1)
    clause = low[begin:start]
    if clause.isascii() and _STEMS.isdisjoint([word[:4] for word in _WORD.findall(clause)]):
        return False
    contrasts = [contrast.end() for contrast in _CONTRAST.finditer(clause)]
    own = clause[contrasts[-1] :] if contrasts else clause
    return _EMBEDS.search(own) is not None or _FRAMES.search(own) is not None
