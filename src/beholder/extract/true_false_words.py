"""The words in which models say true or false: tables and patterns for `beholder.extract.true_false`.

All patterns but `LETTER` and `INITIALS` are for plain text in lower case.
"""

from __future__ import annotations

import re

CLEAR = {"true": True, "false": False, "untrue": False}  # say true or false of anything
OTHER = {  # are said of many things, so what they are said of must be the statement
    "correct": True,
    "incorrect": False,
    "accurate": True,
    "inaccurate": False,
    "right": True,
    "wrong": False,
    "valid": True,
    "invalid": False,
}
WORDS = CLEAR | OTHER
ALONE = WORDS | {
    "t": True,
    "f": False,
    **dict.fromkeys(("对", "正确", "真", "对的", "正确的", "真的", "是真的", "是正确的", "是对的", "属实"), True),
    **dict.fromkeys(("错", "错误", "假", "错的", "错误的", "假的", "是假的", "是错误的", "是错的"), False),
    **dict.fromkeys(("不对", "不正确", "不正确的", "不是真的", "不对的", "不属实", "是不正确的"), False),
}
EDGES = " \t\r\n.,;:!'()[]<>/-–—。、|=✓✔✅❌✗❎☑\\"
LETTER = re.compile(r"[TF](?!\w|['-]\w)(?<!\w[TF])(?<!\w['\-][TF])")
SMALL_LETTER = re.compile(r"answers?\s{0,3}(?:is\s{0,3}:?|:)[\s(\[]{0,3}([tf])(?!\w|['-]\w)")
SAME = re.compile(r"[ ()\[\]:=,/|–—-]{0,5}(?:(?:for|means|meaning|is|i\.e\.,?)[ ()\[\]:=–—-]{1,4})?")
EITHER = re.compile(
    r"[ ()\[\],:;'|/–—-]{0,5}(?:(?:or|and|nor|vs\.?|versus|还是|或者|或|和|与"
    r"|、)[ ()\[\],:'/|]{0,4})?(?:option )?[ (\['<]{0,3}|\s{0,3}[(\[]?b[.):\]]{1,2}\s{0,3}"  # "A: True  B: False"
)

AFTER_OTHER = re.compile(
    r"\s{0,3}(?:[^\w\s]|\Z|\n|(?:because|since|as|and|but|given|based|that|in (?:the|this)|according"
    r"|due|for|considering"
    r"|when|overall|statement|claim|assertion|sentence|interpretation|here)\b)"
)
AFTER_BLOCK = re.compile(
    r"\s{1,3}(?:to (?:the|life|its|his|her|say|a|some)\b|in part\b|for the most part\b|only (?:if"
    r"|when)\b|if\b|unless\b|or\b|/|love\b|self\b|colou?rs?\b)|\s{0,2}/"
    r"|[^.!?\n]{0,60}\bbut (?:it is |it's |is |also )?(?:false|incorrect|not true|untrue|inaccurate"
    r"|wrong|true|correct)\b"
)
AFTER_OPENING = re.compile(
    r"\s{0,3}(?:[.:;!)\]\n–—|-]|\Z|,(?! (?:but|however|though|yet)\b)|(?:because|since|as|given|due"
    r"|based)\b|\()"
)
IS_RIGHT = re.compile(r"[ )\]']{0,3}(?:is|would be|must be|should be) (?:the )?(?:correct|right|best|answer)\b")
INITIALS = re.compile(r"\. ?[A-Z]\.")
END = re.compile(r"[ \t\r.!)\]'|,;✓✔✅❌]{0,12}(?:\n|\Z)")
OF_IT = re.compile(r"\bit(?:'s| is| was)(?: not)? \Z")
CLAUSE_END = re.compile(r"[ )\]']{0,3}(?:[.,;!\n(–—-]|\Z|(?:because|since|as|given|based|for)\b)")
SENTENCE_END = re.compile(r"[ )\]']{0,3}(?:[.!\n]|\Z|,? (?:because|since|as)\b)")
QUESTION = re.compile(r"[^.!?\n]{0,80}\?")


STATEMENT_NOUNS = ("statement", "claim", "assertion", "proposition", "description", "sentence")
ABOUT = re.compile(  # judgements of the statement that use none of the words above, from its noun on
    rf"(?<![a-z])(?:{'|'.join(STATEMENT_NOUNS)})"
    r"(?P<manner>(?: [a-z]{2,12}ly| thus| therefore| also| indeed){0,2}) (?:"
    r"(?:is|was)(?P<denied>n't| not)?(?P<degree>(?: [a-z]{2,12}ly){0,2}) (?:(?P<yes>supported|confirmed|corroborated"
    r"|verified|justified|substantiated|backed up|borne out|in line with|consistent with)|(?P<no>contradicted|refuted"
    r"|disproved|disproven|unsupported|unfounded|inconsistent with|contrary to|at odds with))\b"
    r"|(?P<does_not>does not|doesn't|cannot|can't|fails to)(?: [a-z]{2,12}ly){0,2} (?:hold(?! an?\b)|stand|match"
    r"|agree with|align with|correspond to|reflect|describe|capture|represent)\b"
    r"|(?P<does>holds(?: up| here| for| in)?(?= ?(?:[.,;!\n]|\Z))|stands(?= ?[.,;!\n]|\Z)|matches|agrees with"
    r"|aligns with|corresponds to|(?<=ately )(?:reflects|describes|captures|represents))\b"
    r"|(?P<against>contradicts|conflicts with|misrepresents|goes against)\b)"
)
AGREES = re.compile(
    r"\bi (?P<manner>(?:[a-z]{2,12}ly |would |must |have to ){0,2})(?P<denied>do not |don't |cannot |can't )?"
    rf"(?P<dis>dis)?agree with (?:the|this|that)(?: given)? (?:{'|'.join(STATEMENT_NOUNS)})\b"
)
AGAINST = ("no", "does_not", "against", "dis")
"""The groups of `ABOUT` and `AGREES` that say false."""
CONDITION = re.compile(r"\b(?:if|whether|unless|suppose|assuming|although|though|while|how|why)\b[^,.;\n]{0,60}\Z")

CHINESE = re.compile(
    r"(答案|答(?=:)|结论|判断|回答|结果|选项|应选|选择|选|陈述|说法|命题|描述|语句|论述|表述|论断|观点|题目"
    r"|句话|因此|所以|这是|故)"
    r"([^。!?\n;]{0,14}?)"
    r"(不正确|不是正确|并不正确|不完全正确|不准确|不是真|不对|不成立|不属实|不符|正确|准确|错误|成立"
    r"|属实|错|对|真|假"
    r"|true|false|(?<![a-z])[tf](?![a-z]))"
    r"(?=的|$|[\s。,.!;)\]、(]|了)"
)
CHINESE_FALSE = ("不", "并不", "错", "假", "false", "f")
