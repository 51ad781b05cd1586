"""Letters of multiple-choice questions, one (`strict`, `lenient`) or several (`strict_multi`, `lenient_multi`).

`letters` are the labels of the item's options in capitals (`"ABCD"`), `options` maps them to their texts. The asked
format, which `strict` takes and nothing else, is one of

- the capital letter alone: `B`;
- exactly one `<answer>B</answer>` in lower case, other text around it allowed;
- a last line `Answer: B`, and no other line that begins with `Answer:`.

For several letters the same with `A, C`, `A,C` or `AC` in any order, each letter once. Thinking blocks are left out.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from beholder.extract.claims import MOST, Claim, abstains, standing
from beholder.extract.extraction import Extraction
from beholder.extract.lead import lead
from beholder.extract.markup import AnswerTag, answer_tags, is_blank, plain, without_tags
from beholder.extract.think import Thought, split_thought


def strict(text: str, letters: str) -> Extraction[str]:
    """The letter, if the answer has exactly the asked format (see the module); None otherwise."""
    return _strict(split_thought(text), letters, several=False)


def strict_multi(text: str, letters: str) -> Extraction[tuple[str, ...]]:
    """The letters in alphabetical order, if the answer has exactly the asked format (see the module)."""
    return _several(_strict(split_thought(text), letters, several=True))


def lenient(text: str, letters: str, options: Mapping[str, str] | None = None) -> Extraction[str]:
    """What a careful reader takes for the one chosen option.

    Read as answers: the letter alone (the only place where a small letter counts), `(B)`, `B. cat`, "the answer is
    (B)", "B is correct", `\\boxed{B}`, `故选B`, a last line `B`; with `options`, an answer that is word for word the
    text of one option. Not read: letters that no words make an answer ("A cat is here"), denials ("it is not B"), the
    repeated list of options. Two letters, or two answers with no word of revision between them, are `ambiguous`.

    Flags: `ambiguous`, `abstained`, `empty`, `unclosed_tag`, `unclosed_think`, `option_text` (read from the text of
    an option).
    """
    return _lenient(split_thought(text), letters, options, several=False)


def lenient_multi(text: str, letters: str, options: Mapping[str, str] | None = None) -> Extraction[tuple[str, ...]]:
    """Like `lenient` where several options may be right: sorted letters. "A or C" stays `ambiguous`."""
    return _several(_lenient(split_thought(text), letters, options, several=True))


def _several(found: Extraction[str]) -> Extraction[tuple[str, ...]]:
    value = None if found.value is None else tuple(found.value)
    return Extraction(value, found.span, found.flags, found.reason)


# Exactly as asked --------------------------------------------------------------------------------------------------

_TAG = re.compile(r"<answer>([^<]{0,200})</answer>")
_ANSWER_LINE = re.compile(r"^Answer:", re.MULTILINE)


def _strict(thought: Thought, letters: str, several: bool) -> Extraction[str]:
    answer = thought.answer
    core = answer.strip()
    if "nswer>" in answer.lower():
        tags = list(_TAG.finditer(answer))
        if len(tags) != 1 or answer.lower().count("nswer>") != 2:
            return Extraction(None, reason="There is not exactly one complete <answer>…</answer>.")
        core = tags[0][1].strip()
        at = tags[0].start(1) + tags[0][1].find(core)
    else:
        last = core.rfind("\n") + 1
        if core.startswith("Answer:", last) and len(_ANSWER_LINE.findall(core)) == 1:
            core = core[last + len("Answer:") :].strip()
        at = answer.rfind(core) if core else 0
    value = _exact_letters(core, letters, several)
    if value is None:
        return Extraction(None, reason="The answer is not in the asked format.")
    return Extraction(value, (thought.start + at, thought.start + at + len(core)))


def _exact_letters(core: str, letters: str, several: bool) -> str | None:
    if not several:
        return core if len(core) == 1 and core in letters else None
    if len(core) > 4 * len(letters):
        return None
    parts = [part.strip(" ") for part in core.split(",")] if "," in core else list(core)
    if not parts or len(set(parts)) < len(parts) or not all(len(part) == 1 and part in letters for part in parts):
        return None
    return "".join(sorted(parts))


# As a careful reader -----------------------------------------------------------------------------------------------


def _lenient(thought: Thought, letters: str, options: Mapping[str, str] | None, several: bool) -> Extraction[str]:
    found = _strict(thought, letters, several)
    if found.value is not None:
        return found
    answer = thought.answer
    if not thought.closed or is_blank(answer):
        flag = "empty" if thought.closed else "unclosed_think"
        reason = "There is no text outside the thinking." if thought.closed else "The thinking never ends."
        return Extraction(None, flags=(flag,), reason=reason)
    shown = plain(answer)
    low = shown.lower()
    texts = _texts(letters, options)
    stretches = [tag for tag in answer_tags(shown) if not is_blank(shown[tag.start : tag.end])]
    if not stretches:
        shown = without_tags(shown)
        low = shown.lower()
        stretches = [AnswerTag(0, len(shown), True)]
    claims: list[Claim[str]] = []
    flags: dict[int, tuple[str, ...]] = {}
    for start, end, closed in stretches:
        reader = _Reader(shown[start:end], low[start:end], letters, texts, several)
        for claim in reader.read():
            claims.append(Claim(claim.value, start + claim.start, start + claim.end))
            by_text = ("option_text",) if claim.start in reader.by_text else ()
            flags[start + claim.start] = by_text + (() if closed else ("unclosed_tag",))
    stands, undecided = standing(low, claims)
    if undecided or (stands is not None and ("|" in stands.value or (len(stands.value) > 1 and not several))):
        return Extraction(None, flags=("ambiguous",), reason="The text names more than one option as its answer.")
    if stands is None:
        if abstains(low[stretches[-1].start : stretches[-1].end]):
            return Extraction(None, flags=("abstained",), reason="The text says that no answer can be given.")
        return Extraction(None, reason="The text does not say which option is right.")
    span = (thought.start + stands.start, thought.start + stands.end)
    return Extraction(stands.value, span, flags[stands.start])


_ARTICLES = re.compile(r"^(?:the|an|a)\s+")


def _fold(text: str) -> str:
    """A text as a reader compares it: NFKC, no case, single spaces, no outer punctuation or article."""
    folded = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return _ARTICLES.sub("", folded.strip(" .,;:!?'\"()[]*`。、")).strip()


def _texts(letters: str, options: Mapping[str, str] | None) -> dict[str, str]:
    """Folded option text → letter; texts that two options share are left out."""
    found: dict[str, str] = {}
    for letter, text in (options or {}).items():
        folded = _fold(plain(text))
        if letter in letters and folded:
            found[folded] = "" if folded in found else letter
    return {text: letter for text, letter in found.items() if letter}


_WORDLIKE = r"[^\W぀-鿿]"  # a word character that is not Chinese or Japanese: 选B是 holds a letter alone


@lru_cache(maxsize=64)
def _patterns(letters: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """For one set of letters: letters standing alone or run together (`AC`), and lines labelled `B.`."""
    some = "[" + re.escape(letters) + "]" if letters else r"[^\s\S]"
    mention = re.compile(rf"(?<!{_WORDLIKE}){some}{{1,26}}(?!{_WORDLIKE}|['-]\w|\.[A-Z]\b)")
    labelled = re.compile(rf"^[ \t(\[>•-]{{0,6}}({some})(?:[.):、\]]{{1,2}}|\s-)[ \t]{{0,3}}(?=\S)", re.MULTILINE)
    return mention, labelled


class _Group(NamedTuple):
    """Letters named together: where, which, and whether `or` stands between them."""

    start: int
    end: int
    letters: str
    either: bool


_WHOLE = re.compile(
    r"\W*(?:(?:the )?(?:final |correct |my )?(?:answer|option|choice|答案|选项?)(?: is|是"
    r"|为)?\s{0,3}:\W{0,4})?([a-z])\W*"
)
_AND = re.compile(r"[)\]'\s]{0,3}(?:,|、|;|&|\+|/|,? ?and|和|与|及|\s)?[(\[' ]{0,3}(?:option |choice )?[(\[' ]{0,3}")
_OR = re.compile(r"[)\]' ]{0,3},? ?(?:or|或者|或)[(\[' ]{0,3}(?:option |choice )?[(\[' ]{0,3}")
_NEW_CLAUSE = re.compile(r"[)\]']? (?:is|was|isn't|shows|does|can|cannot|has|would|seems|depicts|may)\b")
_PREDICATE = re.compile(r"(?:is|was|are|isn't|does|doesn't|cannot|can't|would|shows)\b")  # "A) is wrong": speaks of A
_FIGURE = re.compile(r"\b(?:fig|no|vs|mr|dr|vol|ch|eq|sec|ex|st|vitamin|grade|plan|type|hepatitis)\.?\s{0,3}\Z")
_END = re.compile(r"[ \t\r.!)\]'|,;:。✓✔✅]{0,12}(?:\n|\Z)")
_SENTENCE_END = re.compile(r"[ )\]']{0,3}(?:[.!\n。]|\Z|,? (?:because|since|as)\b)")
_OPENING = re.compile(r"\s{0,2}(?:[.):\]]\s{0,2}(?=\S)|,? (?:because|since|as)\b|\s?[–—-]\s|,\s)")
_NOT_ARTICLE = re.compile(
    r"[^\w\s]|\s{0,3}(?:\Z|\n|[^\w\s])|\s{1,3}(?:is|are|was|because|since|as|which|and|or|for|based|due"
    r"|given|from"
    r"|in|on|here|would|seems|appears|matches|where|so|but|not|best|only)\b|[぀-鿿]"
)
_IS_RIGHT = re.compile(
    r"[)\]' ]{0,3}(?:\([^()\n]{1,40}\) ?)?(?:is|are|was|seems?|appears?|looks|must be|should be"
    r"|would be)(?: to be)?"
    r"(?: (?:the|a|most|clearly|definitely|therefore|thus|indeed|also|likely|only|best|one|single|both"
    r"|all|actually"
    r"|obviously|certainly|our|my|final)){0,4}"
    r" (?:correct|right|answers?|best|accurate|appropriate|solution|suitable)\b"
    r"|[)\]' ]{0,3}(?:是|为)?最?(?:正确|对的)(?!吗|与否)"
)
_DOUBT = re.compile(
    r"\b(?:if|whether|unless|although|though|while|suppose|assuming|neither|not|never|than|don't|doesn't)\b"
    r"[^.!?\n,]{0,40}\Z"
)
_CHINESE_LEAD = re.compile(
    r"(?<![不没未非])(?:答案|选择|选项|选|结论)(?:应该|应当|应|就|最终|正确|的|项|为|是|:"
    r"|\s){0,6}[ (\[:]{0,3}\Z"
)
_QUESTION = re.compile(r"[^.!?\n]{0,60}\?")
_CUE = re.compile(
    r"\b(?:answer|choice|option)\b(?: [a-z]{1,12}){0,6}\s{0,3}(?:is\b\s{0,3}:?|:)\s{0,6}(?:that )?"
    r"|答案(?:应该|应)?[是为:]{1,2}\s{0,3}"
)
_SEPARATOR = re.compile(r"[ )\].:]{0,4}(?:- )?")


class _Reader:
    """Reads one stretch of text. `by_text` collects where an option's text was read instead of its letter."""

    def __init__(self, shown: str, low: str, letters: str, texts: dict[str, str], several: bool) -> None:
        self.shown, self.low, self.letters, self.texts, self.several = shown, low, letters, texts, several
        self.mention, self.labelled = _patterns(letters)
        self.by_text: set[int] = set()

    def read(self) -> list[Claim[str]]:
        """The claims of the strongest rank that there is."""
        whole = self._whole()
        if whole is not None:
            return [whole]
        named: list[Claim[str]] = []
        right: list[Claim[str]] = []
        weak: list[Claim[str]] = []
        for group in self._groups()[-MOST:]:
            rank = self._rank(group)
            if rank is not None:
                (named, right, weak)[rank].append(self._claim(group))
        if self.several and not named and len(right) > 1:  # "A is correct. C is correct."
            value = "".join(sorted({letter for claim in right for letter in claim.value}))
            right = [Claim(value, right[0].start, right[-1].end)]
        claims = sorted(named + right, key=lambda claim: claim.start)
        return claims or self._listed() or self._option_claims() or weak

    def _claim(self, group: _Group) -> Claim[str]:
        letters = sorted(group.letters)
        other = self._text_after(group.end)
        if len(letters) == 1 and other and other != letters[0]:  # "B. cat" where cat is option A
            return Claim("|".join((letters[0], other)), group.start, group.end)
        return Claim(("|" if group.either else "").join(letters), group.start, group.end)

    def _text_after(self, at: int) -> str | None:
        """The letter of the option whose text stands between `at` and the end of the line."""
        separator = _SEPARATOR.match(self.low, at)
        if not self.texts or separator is None:
            return None
        line_end = self.low.find("\n", at)
        line_end = len(self.low) if line_end < 0 else line_end
        return self.texts.get(_fold(self.shown[separator.end() : line_end])) if line_end - at < 600 else None

    def _whole(self) -> Claim[str] | None:
        """The answer as a whole: one letter of either case, or the text of an option."""
        if len(self.low) > 600:
            return None
        match = _WHOLE.fullmatch(self.low)
        if match is not None and match[1].upper() in self.letters:
            return Claim(match[1].upper(), *match.span(1))
        return self._same_text(0, len(self.low))

    def _same_text(self, start: int, end: int) -> Claim[str] | None:
        letter = self.texts.get(_fold(self.shown[start:end])) if self.texts and end - start <= 600 else None
        if letter is None:
            return None
        raw = self.shown[start:end]
        start += len(raw) - len(raw.lstrip())
        self.by_text.add(start)
        return Claim(letter, start, start + len(raw.strip()))

    def _groups(self) -> list[_Group]:
        groups: list[_Group] = []
        for match in self.mention.finditer(self.shown):
            run = match[0]
            if len(set(run)) < len(run):
                continue
            last = groups[-1] if groups else None
            if last is not None and match.start() - last.end <= 16 and not set(run) & set(last.letters):
                between = self.low[last.end : match.start()]
                either = _OR.fullmatch(between) is not None
                joined = either or ((self.several or "\n" not in between) and _AND.fullmatch(between))
                if joined and not _NEW_CLAUSE.match(self.low, match.end()):
                    groups[-1] = _Group(last.start, match.end(), last.letters + run, last.either or either)
                    continue
            groups.append(_Group(match.start(), match.end(), run, False))
        return groups

    def _rank(self, group: _Group) -> int | None:
        """0: named as the answer; 1: said to be right; 2: weakly ("it is B"); None: no claim."""
        if _IS_RIGHT.match(self.low, group.end):
            doubt = _DOUBT.search(self.low, max(0, group.start - 60), group.start)
            return None if doubt or _QUESTION.match(self.low, group.end) else 1
        if group.letters in ("A", "I") and not _NOT_ARTICLE.match(self.low, group.end):
            own_text = self._text_after(group.end) == group.letters
            if not own_text:
                return None
        if not self.low.isascii() and _CHINESE_LEAD.search(self.low, max(0, group.start - 24), group.start):
            return 0
        before = lead(self.low, group.start)
        if before.negated or _QUESTION.match(self.low, group.end):
            return None
        if before.kind in ("answer", "box", "choice"):
            return 0
        if before.kind in ("beside", "pronoun"):
            ends = _SENTENCE_END.match(self.low, group.end)
            return None if not ends else 2 if before.kind == "pronoun" else 0
        return self._bare(group, before.kind) if before.kind else None

    def _bare(self, group: _Group, kind: str) -> int | None:
        """Letters with nothing before them in their line or sentence."""
        low, end = self.low, group.end
        run_together = len(group.letters) > 1 and self.shown[group.start : end].isalpha()
        if run_together and not self.several and low.strip(" .()\n") != low[group.start : end]:
            return None
        if _END.match(low, end):
            return None if _FIGURE.search(low, max(0, group.start - 14), group.start) else 0
        if group.start >= 60 or any(char.isalnum() for char in low[: group.start]):
            return 0 if kind == "start" and group.start < 60 and _SENTENCE_END.match(low, end) else None
        if sum(1 for _ in self.labelled.finditer(self.shown)) > 1:
            return None
        opening = _OPENING.match(low, end)
        if opening and not _PREDICATE.match(low, opening.end()):
            return 0
        return 0 if not opening and _SENTENCE_END.match(low, end) else None

    def _listed(self) -> list[Claim[str]]:
        """Lines `B. cat`: a single one at either end of the text is an answer, and so is a last one that repeats a
        line of the list before it. Where several may be right, a text that is nothing but some of the lines."""
        labels = list(self.labelled.finditer(self.shown))
        if not labels:
            return []
        named = [match[1] for match in labels]
        first, last = labels[0], labels[-1]
        line_end = self.shown.find("\n", last.end())
        at_end = line_end < 0 or is_blank(self.shown[line_end:])
        at_start = is_blank(self.shown[: first.start()])
        distinct = len(set(named))
        if len(named) == 1 and (at_end or at_start):
            chosen = [_Group(last.start(1), last.end(1), named[0], False)]
        elif at_end and distinct == len(named) - 1 and named[-1] in named[:-1]:
            chosen = [_Group(last.start(1), last.end(1), named[-1], False)]
        elif self.several and at_end and at_start and distinct == len(named) < len(self.letters):
            chosen = [_Group(first.start(1), last.end(1), "".join(named), False)]
        else:
            return []
        return [self._claim(group) for group in chosen]

    def _option_claims(self) -> list[Claim[str]]:
        """Option texts that follow "the answer is", or stand alone on the last line."""
        if not self.texts:
            return []
        stripped = len(self.low.rstrip())
        starts = [match.end() for match in _CUE.finditer(self.low)]
        starts.append(self.low.rfind("\n", 0, stripped) + 1)
        claims = []
        for start in starts:
            line_end = self.low.find("\n", start, start + 602)
            line_end = min(len(self.low), start + 601) if line_end < 0 else line_end
            for stop in (line_end, self.low.find(". ", start, line_end)):
                claim = self._same_text(start, stop) if stop > start else None
                if claim is not None:
                    claims.append(claim)
                    break
        return claims
