"""The words in which models give the parts of a metaphor annotation: names of fields, and what stands in them.

A field's name is compared without case, blanks, numbers and punctuation (`isMetaphor`, `Target Domain`, `1. 目标域`).
Nothing here chooses for the writer: what is no label word is UNSET, and two of them are as well.
"""

from __future__ import annotations

import re
import unicodedata

from msgspec import UNSET, UnsetType

from beholder.annotation import SENTIMENTS, TEXTUAL, VISUAL
from beholder.extract import yes_no
from beholder.extract.claims import Claim, standing
from beholder.extract.distance import distanced
from beholder.extract.markup import is_blank, plain

METAPHOR, TARGET, SOURCE, SENTIMENT = "metaphor", "target", "source", "sentiment"
EXPLANATION, EVIDENCE, MAPPING = "explanation", "evidence", "mapping"
WHY = "why"
"""The third stage of an explanation: how the mapping carries the sentiment. `Stage 3: sentiment` is it as well."""
ANSWER = "answer"
"""A field that does not say which label it gives (`{"answer": "yes"}`)."""

_NAMES = {
    METAPHOR: "metaphor|is metaphor|is metaphorical|metaphorical|has metaphor|metaphor present|metaphor presence|"
    "metaphor occurrence|metaphor detected|metaphor exists|metaphor label|metaphor identification|metaphor detection|"
    "multimodal metaphor|is multimodal metaphor|contains metaphor|contains multimodal metaphor|contains a metaphor|"
    "presence of metaphor|presence of a metaphor|metaphor or not|metaphoricity|is this a metaphor|is there a metaphor|"
    "is it a metaphor|is this a multimodal metaphor|is there a multimodal metaphor|隐喻|是否隐喻|是否为隐喻|是否是隐喻|"
    "是否包含隐喻|是否存在隐喻|是否有隐喻|是否构成隐喻|是否使用隐喻|是否含有隐喻|有无隐喻|有隐喻|存在隐喻|包含隐喻|隐喻判断|"
    "隐喻识别|隐喻标签|隐喻存在|多模态隐喻|是否多模态隐喻|是否为多模态隐喻|是否包含多模态隐喻|是否存在多模态隐喻",
    TARGET: "target|target domain|target concept|target entity|target domain concept|metaphor target|"
    "metaphorical target|tenor|topic domain|目标|目标域|目标领域|目标概念|目标事物|本体|隐喻目标|隐喻本体",
    SOURCE: "source|source domain|source concept|source entity|source domain concept|metaphor source|"
    "metaphorical source|vehicle|源|源域|源领域|源概念|来源域|来源|始源域|喻体|隐喻源|隐喻喻体|源事物",
    SENTIMENT: "sentiment|sentiment label|sentiment polarity|sentiment class|sentiment classification|polarity|emotion"
    "|emotion polarity|emotional tone|sentiment orientation|情感|情感倾向|情感极性|情感标签|情感类别|情感分类|情感态度|"
    "情感色彩|情绪|情绪倾向|情感判断",
    EXPLANATION: "explanation|explanations|staged explanation|reasoning|rationale|analysis|justification|解释|分析|"
    "说明|推理|理由|解读|分阶段解释|推理过程",
    EVIDENCE: "evidence|evidences|evidence identification|identified evidence|visual and textual evidence|cues|"
    "证据|证据识别|视觉与文本证据|视觉和文本证据|依据|线索",
    VISUAL: "visual|visual evidence|visual cue|visual cues|visual element|visual elements|image|image evidence|picture|"
    "视觉|视觉证据|图像|图像证据|图片|图片证据|视觉线索|视觉元素",
    TEXTUAL: "textual|textual evidence|text evidence|textual cue|textual cues|linguistic evidence|textual elements|"
    "text|caption|文本|文本证据|文字|文字证据|文本线索",
    MAPPING: "mapping|mapping establishment|cross domain mapping|metaphorical mapping|metaphor mapping|"
    "conceptual mapping|target source mapping|mapping explanation|source target mapping|映射|映射建立|映射关系|"
    "隐喻映射|跨域映射|概念映射|映射解释",
    WHY: "sentiment inference|sentiment reasoning|sentiment justification|sentiment explanation|sentiment analysis|"
    "sentiment rationale|sentiment reason|reason for sentiment|reason for the sentiment|"
    "emotional inference|sentiment derivation|情感推断|情感推理|情感论证|情感分析|"
    "情感理由|情感原因|情感解释|情感依据",
    ANSWER: "answer|final answer|label|value|result|prediction|output|答案|结果|标签|预测",
}
ROLES = {name.replace(" ", ""): role for role, names in _NAMES.items() for name in names.split("|")}
"""Folded name → what it names."""
NAME_PATTERN = "|".join(
    name.replace(" ", "[ _-]{1,2}")
    for name in sorted("|".join(_NAMES.values()).split("|"), key=len, reverse=True)
    if ROLES[name.replace(" ", "")] != ANSWER
)
"""A pattern of all names of fields, longest first, for plain text in lower case."""

_LETTERS_ONLY = re.compile(r"[\W\d_]+")
_BEFORE_NAME = re.compile(
    r"^(?:the|overall|core|final|primary|main|identified|predicted|整体|总体|最终|核心|主要|最核心的?)(?=.)"
)
_STAGE = re.compile(r"^(?:stage|step|phase|阶段|步骤|第[一二三]?(?:阶段|步))(?=.)")
_LONGEST_NAME = 80


def role_of(name: str) -> str:
    """What a field's name names, or "" if it is none of ours.

    >>> role_of("isMetaphor"), role_of("Target Domain"), role_of("stage_3_sentiment"), role_of("目标域"), role_of("x")
    ('metaphor', 'target', 'why', 'target', '')
    """
    if len(name) > _LONGEST_NAME:
        return ""
    folded = _LETTERS_ONLY.sub("", simple(unicodedata.normalize("NFKC", name).casefold()))
    rest = _STAGE.sub("", folded)
    role = ROLES.get(rest) or ROLES.get(_BEFORE_NAME.sub("", rest), "")
    return WHY if role == SENTIMENT and rest != folded else role


_SIMPLE = str.maketrans(
    "隱標體極負類證據視覺圖釋領無為態傾積關係論斷來這沒屬構達還與複雜對顯視",
    "隐标体极负类证据视觉图释领无为态倾积关系论断来这没属构达还与复杂对显视",
)


def simple(text: str) -> str:
    """A text with the traditional characters of our words as simplified ones, at the same length."""
    return text if text.isascii() else text.translate(_SIMPLE)


def _among(listed: str) -> frozenset[str]:
    return frozenset(listed.split("|"))


_EDGES = " \t\r\n.,;:!'\"()[]<>|。、；，"
_YES = _among(
    "yes|y|true|1|yep|yeah|metaphor|metaphorical|metaphoric|is metaphor|is a metaphor|is metaphorical|present|"
    "contains metaphor|contains a metaphor|has metaphor|multimodal metaphor|visual metaphor|a metaphor|是|是的|有|对|"
    "存在|包含|含有|有隐喻|是隐喻|存在隐喻|包含隐喻|含有隐喻|使用隐喻|隐喻|属于隐喻|构成隐喻|多模态隐喻|是多模态隐喻|视觉隐喻"
)
_NO = _among(
    "no|n|false|0|none|nope|literal|absent|not present|non metaphor|non metaphorical|nonmetaphorical|not metaphorical|"
    "nonmetaphor|not a metaphor|not metaphor|no metaphor|no metaphor present|否|不|不是|无|没有|非|不存在|不包含|不含|"
    "无隐喻|没有隐喻|不是隐喻|非隐喻|不存在隐喻|不包含隐喻|不含隐喻|未使用隐喻|不属于隐喻|不构成隐喻|非隐喻性|字面|字面义"
)


def loose(pattern: str) -> str:
    """A pattern in which each blank may be several: emphasis is blank in plain text ("is **negative**")."""
    return pattern.replace(" ", r"\s{1,4}")


_A_METAPHOR = (
    r"(?:(?:clear|strong|visual|multimodal|verbal|pictorial|conceptual|creative|powerful|simple) ){0,2}metaphors?\b"
)
_OF_BOTH = (
    r"(?! (?:only|alone)\b)"
    r"(?! in (?:the|its) (?:text|caption|words?|slogan|headline|picture|image|photo)(?: itself| alone)?,? but\b)"
)
"""After a denial: that it is not about the text only, or the picture only."""
_HAS = re.compile(
    loose(
        r"(?:\b(?:is|are|contains?|uses?|employs?|presents?|features?|has|conveys?|includes?|constitutes?|creates?|forms?|"
        r"expresses|express|makes? use of|relies on|there is)|(?<=there)'s|(?<=it)'s|(?<=this)'s) "
        rf"(?:[a-z]{{2,12}}ly |indeed |also )?an? {_A_METAPHOR}"
        r"|\b(?:is|are) (?:[a-z]{2,12}ly |indeed |an? )?(?:metaphorical|metaphoric)\b(?! (?:only|if|or)\b)"
        r"|\bmetaphor is (?:clearly )?(?:present|used|expressed)\b"
        r"|(?<![不没有未无非否并])(?:包含|含有|存在|使用了?|运用了?|采用了?|属于|构成了?|表达了?|是)"
        r"(?:一个|一种|一则)?(?:明显的|典型的)?(?:多模态|视觉)?隐喻(?![的性])"
    )
)
_HAS_NOT = re.compile(
    loose(
        r"\b(?:no|without(?: any| a)?|not(?: actually| really)?(?: an?| any)?|isn't an?|"
        r"(?:does not|doesn't|do not|don't) (?:contain|use|employ|express|have|include|present|feature|constitute|"
        rf"convey|form|make use of|rely on|create|involve) (?:an?|any)) {_A_METAPHOR}{_OF_BOTH}"
        r"|\b(?:not|isn't|aren't) (?:[a-z]{2,12}ly )?(?:metaphorical|metaphoric)\b|\bnon-? ?metaphorical\b"
        rf"|\bmetaphor is not (?:present|used|expressed)\b{_OF_BOTH}"
        r"|\b(?:do not|don't|would not|wouldn't|cannot|can't) (?:think|believe|consider|see|find|call)\b"
        r"(?: [a-z]{1,12}){0,6} (?:metaphors?|metaphorical)\b"
        r"|(?:不|没有|没|未|并未|并不|并没有|无|非)(?:包含|含有|含|存在|使用|运用|采用|属于|构成|表达|是)?"
        r"(?:任何|一个|一种|明显的?)?(?:多模态|视觉)?隐喻"
    )
)
_CONDITION = re.compile(
    r"\b(?:if|whether|unless|decide|determine|question)\b[^.\n]{0,80}\Z|(?:是否|如果|若|还是|判断)[^。,\n]{0,20}\Z"
)
_OF_NOTHING = re.compile(
    r"\b(?:nothing|none|neither|no (?:word|part|element|thing|object|detail))s?\b[^.,;:!?\n]{0,50}\Z"
)
"""Before "is metaphorical": it is said of nothing."""
_QUESTION = re.compile(r"[^.!?\n。]{0,80}[?？]")
_ASKED = re.compile(
    r"\bmetaphor(?:ical)?\s{0,2}\?\W{0,12}(yes|no)\b(?!\s?(?:or|/))|隐喻[?？]\W{0,6}(是|否|有|没有|无)(?!\w)"
)
_MOST = 200


def statements(low: str) -> list[Claim[bool]]:
    """Sentences that say that there is a metaphor, or that there is none; `low` is plain text in lower case."""
    found = [(match, False) for match in _HAS_NOT.finditer(low)]
    denied = [match.span() for match, _ in found]
    found += [
        (match, True)
        for match in _HAS.finditer(low)
        if not any(start < match.end() and match.start() < end for start, end in denied[-_MOST:])
    ]
    claims = [
        Claim((match[1] or match[2]) in _YES, *match.span(1 if match[1] else 2))
        for match in list(_ASKED.finditer(low))[-_MOST:]
    ]
    for match, value in sorted(found, key=lambda one: one[0].start())[-_MOST:]:
        start, end = match.span()
        aside = distanced(low, start) or _CONDITION.search(low, max(0, start - 90), start)
        if not aside and not _QUESTION.match(low, end):
            nobody = value and _OF_NOTHING.search(low, max(0, start - 60), start)
            claims.append(Claim(value and not nobody, start, end))
    return sorted(claims, key=lambda claim: claim.start)


def metaphor_word(text: str) -> bool | UnsetType:
    """What stands in the field of the first label: `Yes`, `1`, `有隐喻`, `Non-metaphorical`, "No, it is literal".

    >>> metaphor_word("**Yes** (multimodal)"), metaphor_word("非隐喻"), metaphor_word("yes or no")
    (True, False, UNSET)
    """
    low = simple(plain(text[:2000]).lower())
    core = " ".join(low.replace("-", " ").strip(_EDGES).split())
    if core in _YES or core in _NO:
        return core in _YES
    opening = _OPENING.match(low)
    if opening and _OTHER_TOO.match(low, opening.end(1)):
        return UNSET
    if opening:
        claims = [Claim(opening[1] in _YES, opening.start(1), opening.end(1)), *_revised(low, opening.end(1))]
    else:
        answered = yes_no.lenient(low)
        if answered.value is None and answered.flags:
            return UNSET
        claims = statements(low)
        if answered.value is not None:
            claims.append(Claim(answered.value in yes_no.AFFIRMS, 0, 1))
            claims.sort(key=lambda claim: claim.start)
    stands, _ = standing(low, claims)
    return UNSET if stands is None or _withdrawn(low, stands.end) else stands.value


_OPENING = re.compile(
    r"\W{0,12}("
    + "|".join(sorted((re.escape(word) for word in _YES | _NO), key=len, reverse=True))
    + r")(?=\s{0,3}(?:[.,;:!(\n。；，（—–]|-\s|\.\.\.|…)|\s(?:because|since|as)\b)"
)
_OTHER_TOO = re.compile(r"\W{0,6}(?:or\b|and\b|/|或)?\W{0,6}(?:yes|no|true|false|是|否)\b(?![^\S\n]+[a-z])")
_THEN = re.compile(r"\b(?:wait|actually|correction|sorry)\s?[,:.!]\s?(?:it is\s|it's\s)?(yes|no|true|false)\b")


def _revised(low: str, at: int) -> list[Claim[bool]]:
    return [Claim(match[1] in _YES, match.start(1), match.end(1)) for match in _THEN.finditer(low, at)]


def _withdrawn(low: str, end: int) -> bool:
    """Whether a change of mind follows that gives nothing new."""
    return re.compile(r"\b(?:wait|hmm+|scratch that|on second thought)\b").search(low, end) is not None


_FEELS = {
    "positive": ("positive", "positively", "积极", "正面", "正向"),
    "negative": ("negative", "negatively", "消极", "负面", "负向"),
    "neutral": ("neutral", "neutrally", "中性", "中立"),
}
_FEELING = {word: label for label, words in _FEELS.items() for word in words}
assert tuple(sorted(_FEELS)) == tuple(sorted(SENTIMENTS))
_FEELING_WORD = re.compile(
    r"(?P<not>\b(?:not|non|neither|nor|isn't|never)[ -]{1,2}(?:[a-z]{2,12}ly |an? )?|[不非没]|并非)?"
    r"(?:(?<![a-z])(?P<en>positive(?:ly)?|negative(?:ly)?|neutral(?:ly)?)(?![a-z])|(?P<zh>积极|正面|正向|消极|负面|负向|中性|中立))"
)
_UNDECIDED = re.compile(r"\b(?:mixed|ambivalent|both|bittersweet|either)\b|混合|复杂|矛盾|兼有|两者")
_SENTENCE = re.compile(r"[^.!?\n。！？；;]*")


def feeling_word(text: str) -> str | UnsetType:
    """What stands in the field of the sentiment; its first sentence must name one sentiment and no other.

    >>> feeling_word("Slightly negative."), feeling_word("消极"), feeling_word("mixed"), feeling_word("not positive")
    ('negative', 'negative', UNSET, UNSET)
    """
    low = simple(plain(text[:2000]).lower()).lstrip()
    first = _SENTENCE.match(low)
    stretch = first[0] if first else ""
    if low[len(stretch) : len(stretch) + 1] == "?":
        return UNSET
    opening = re.compile(r"\W{0,9}([a-z]{7,8}|\w\w)\s{0,2}(?:[,(:—–]|-\s)").match(stretch)
    if opening and opening[1] in _FEELING:
        follows = stretch[opening.end() :]
        if not _UNDECIDED.search(follows) and not re.match(r"\W{0,3}(?:or|to|and|或)\b", follows):
            return _FEELING[opening[1]]
    found = list(_FEELING_WORD.finditer(stretch))
    labels = {_FEELING[match["en"] or match["zh"]] for match in found}
    if len(labels) != 1 or any(match["not"] for match in found) or _UNDECIDED.search(stretch):
        return UNSET
    return labels.pop()


_NONE_WORDS = _among(
    "none|null|n/a|n.a|na|nil|no target|no source|not applicable|no metaphor|no metaphor present|non-metaphorical|"
    "nothing|none applicable|-|--|—|–|/|"
    "无|没有|不适用|无目标|无源|无隐喻|不存在|没有隐喻|非隐喻|无目标域|无源域|无本体|无喻体"
)
_NONE_OPENS = re.compile(
    r"(?:none|n/a|not applicable|null|there is (?:no|none)\b(?: target| source| metaphor)?|无|没有|不适用)"
    r"(?=\s{0,3}(?:[.,;:(。；，（—–\n]|-\s)|\s(?:because|since|as|in this)\b)"
)
_NOT_TOLD = _among(
    "unknown|unclear|uncertain|undetermined|cannot be determined|cannot determine|not sure|not specified|…|...|……|"
    "string|target domain|source domain|未知|不明|不确定|无法确定|无法判断|目标域|源域"
)
_WRAPPED = {"“": "”", '"': '"', "'": "'", "‘": "’", "「": "」", "`": "`", "«": "»", "<": ">", "[": "]"}
_QUOTES = '"“”«»「」'


def slot_words(text: str) -> str | UnsetType | None:
    """What stands in a target or source field: its words, None where they say that there is none, UNSET where they are
    no answer ("unknown", a placeholder of the prompt).

    >>> slot_words(" smoking "), slot_words("N/A"), slot_words(""), slot_words("无"), slot_words("…")
    ('smoking', None, None, None, UNSET)
    """
    if is_blank(text):
        return None
    words = unwrapped(text)
    low = " ".join(simple(plain(words).lower()).strip(" \t\r\n.,;:!()[]。，").split()) if len(words) < 400 else ""
    if low in _NONE_WORDS or plain(words).strip() in _NONE_WORDS or (low and _NONE_OPENS.match(low)):
        return None
    if low in _NOT_TOLD or words in _NOT_TOLD or (text.strip()[:1] == "<" and text.strip()[-1:] == ">"):
        return UNSET
    return words or UNSET


def unwrapped(text: str) -> str:
    """A text without white space, emphasis and one pair of quotation marks around it."""
    words = text.strip().strip("*_").strip()
    if len(words) > 2 and _WRAPPED.get(words[0]) == words[-1] and words[-1] not in words[1:-1]:
        words = words[1:-1].strip().strip("*_").strip()
    elif len(words) > 1 and words[-1] in _QUOTES and not any(mark in words[:-1] for mark in _QUOTES):
        words = words[:-1].strip()  # the other mark was taken for a separator
    elif len(words) > 1 and words[0] in _QUOTES and not any(mark in words[1:] for mark in _QUOTES):
        words = words[1:].strip()
    return words


def kind_of(text: str) -> str:
    """`visual` or `textual` for the word that says so, "" for any other.

    >>> kind_of("Image"), kind_of("文本"), kind_of("audio")
    ('visual', 'textual', '')
    """
    role = role_of(text)
    return role if role in (VISUAL, TEXTUAL) else ""
