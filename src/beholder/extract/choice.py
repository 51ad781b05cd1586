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
from collections.abc import Mapping
from itertools import islice
from typing import NamedTuple

from beholder.extract import choice_words as words
from beholder.extract.claims import MOST, REVISION, Claim, abstains, standing, strongest
from beholder.extract.distance import distanced
from beholder.extract.extraction import Extraction
from beholder.extract.lead import lead
from beholder.extract.markup import AnswerTag, answer_tags, is_blank, plain, without_tags
from beholder.extract.option_text import LONGEST, fold, folded_texts
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
    text of one option. Not read: letters that no words make an answer ("A cat is here"), denials ("it is not B"), what
    is doubted or reported ("some may say it is B"), the repeated list of options. Two letters, or two answers with no
    word of revision between them, are `ambiguous`.

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
    texts, written = folded_texts(letters, options), frozenset(map(str.strip, (options or {}).values()))
    stretches = [tag for tag in answer_tags(shown) if not is_blank(shown[tag.start : tag.end])]
    if not stretches:
        shown = without_tags(shown)
        low = shown.lower()
        stretches = [AnswerTag(0, len(shown), True)]
    claims: list[Claim[str]] = []
    flags: dict[int, tuple[str, ...]] = {}
    for start, end, closed in stretches:
        reader = _Reader(shown[start:end], low[start:end], letters, texts, several, written)
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


class _Group(NamedTuple):
    """Letters named together: where, which, and whether `or` stands between them."""

    start: int
    end: int
    letters: str
    either: bool


class _Reader:
    """Reads one stretch of text. `by_text` collects where an option's text was read instead of its letter."""

    def __init__(
        self, shown: str, low: str, letters: str, texts: dict[str, str], several: bool, written: frozenset[str]
    ) -> None:
        self.shown, self.low, self.letters, self.texts, self.several = shown, low, letters, texts, several
        self.written = written
        self.mention, self.labelled = words.patterns(letters)
        self.by_text: set[int] = set()

    def read(self) -> list[Claim[str]]:
        """The claims of the strongest rank that there is."""
        whole = self._whole()
        if whole is not None:
            return [whole]
        judged, judgement = self._judgements()
        ranked = [
            (rank, group)
            for group in self._groups()[-MOST:]
            if group.start not in judged and (rank := self._rank(group)) is not None
        ]
        claims = [(0 if rank == 1 else rank, self._claim(group)) for rank, group in ranked]
        if self.several and len(ranked) > 1 and all(rank == 1 for rank, _ in ranked):  # "A is right. C is right."
            value = "".join(sorted({letter for _, claim in claims for letter in claim.value}))
            claims = [(0, Claim(value, claims[0][1].start, claims[-1][1].end))]
        found = strongest(claims, alone=2)
        firm = bool(found) and any(rank == 0 for rank, _ in claims)
        weak = [] if firm else found
        return (found if firm else judgement) or self._listed() or self._option_claims() or weak or self._described()

    def _judgements(self) -> tuple[frozenset[int], list[Claim[str]]]:
        """Where letters stand that are judged one by one (`A: wrong`, `B: correct`, `C: wrong`), and the verdict: the
        right one beside at least two wrong ones."""
        right: dict[str, re.Match[str]] = {}
        wrong: set[str] = set()
        starts: set[int] = set()
        for mention in islice(self.mention.finditer(self.shown), MOST):
            judged = words.JUDGED.match(self.low, mention.end()) if len(mention[0]) == 1 else None
            if judged is not None:
                starts.add(mention.start())
                if judged["yes"]:
                    right[mention[0]] = mention
                else:
                    wrong.add(mention[0])
        if len(right) + len(wrong) < 3 or not wrong or (len(right) != 1 and not self.several) or wrong & right.keys():
            return frozenset(), []
        places = sorted(match.span() for match in right.values())
        value = "".join(sorted(right))
        claims = [Claim(value, places[0][0], places[-1][1])] if right else []
        return frozenset(starts), claims

    def _claim(self, group: _Group) -> Claim[str]:
        letters = sorted(group.letters)
        other = self._text_after(group.end)
        if len(letters) == 1 and other and other != letters[0]:  # "B. cat" where cat is option A
            return Claim("|".join((letters[0], other)), group.start, group.end)
        return Claim(("|" if group.either else "").join(letters), group.start, group.end)

    def _text_after(self, at: int) -> str | None:
        """The letter of the option whose text stands between `at` and the end of the line."""
        separator = words.SEPARATOR.match(self.low, at)
        if not self.texts or separator is None:
            return None
        line_end = self.low.find("\n", at)
        line_end = len(self.low) if line_end < 0 else line_end
        return self.texts.get(fold(self.shown[separator.end() : line_end])) if line_end - at < LONGEST else None

    def _whole(self) -> Claim[str] | None:
        """The answer as a whole: one letter of either case, several, or the text of an option."""
        if len(self.low) > 600:
            return None
        match = words.WHOLE.fullmatch(self.low)
        if match is not None and match[1].upper() in self.letters:
            return Claim(match[1].upper(), *match.span(1))
        if self.several and len(self.low) < 200 and words.SEVERAL.fullmatch(self.low):
            places = [found.start() for found in words.SMALL.finditer(self.low)]
            named = [self.shown[at] for at in places]
            letters = {letter.upper() for letter in named}
            same_case = all(map(str.isupper, named)) or all(map(str.islower, named))
            if same_case and len(letters) == len(named) and letters <= set(self.letters):
                return Claim("".join(sorted(letters)), places[0], places[-1] + 1)
        return self._same_text(0, len(self.low))

    def _same_text(self, start: int, end: int) -> Claim[str] | None:
        raw = self.shown[start:end]
        letter = self.texts.get(fold(raw)) if self.texts and end - start <= LONGEST else None
        if letter is None or self._are_letters(raw.strip(" .()\n")):
            return None
        start += len(raw) - len(raw.lstrip())
        self.by_text.add(start)
        return Claim(letter, start, start + len(raw.strip()))

    def _are_letters(self, text: str) -> bool:
        """Whether a text is letters of options, `AB`, and not the text of one, `ab` or (no several wanted) `AB`."""
        run = len(text) > 1 and set(text) <= set(self.letters)
        return run and (self.several or text not in self.written)

    def _groups(self) -> list[_Group]:
        groups: list[_Group] = []
        for match in self.mention.finditer(self.shown):
            run = match[0]
            if len(set(run)) < len(run):
                continue
            last = groups[-1] if groups else None
            if last is not None and match.start() - last.end <= 16 and not set(run) & set(last.letters):
                between = self.low[last.end : match.start()]
                either = words.OR.fullmatch(between) is not None
                joined = either or ((self.several or "\n" not in between) and words.AND.fullmatch(between))
                if joined and not words.NEW_CLAUSE.match(self.low, match.end()):
                    groups[-1] = _Group(last.start, match.end(), last.letters + run, last.either or either)
                    continue
            groups.append(_Group(match.start(), match.end(), run, False))
        return groups

    def _rank(self, group: _Group) -> int | None:
        """0: named as the answer; 1: said to be right; 2: weakly ("it is B"); `REVISION`; None: no claim."""
        low, start, end = self.low, group.start, group.end
        if words.IS_RIGHT.match(low, end):
            doubt = words.DOUBT.search(low, max(0, start - 60), start) or distanced(low, start)
            other = words.BESIDE.search(low, max(0, start - 24), start)
            return None if doubt or other or words.QUESTION.match(low, end) else 1
        if group.letters in ("A", "I") and not words.NOT_ARTICLE.match(low, end):
            own_text = self._text_after(end) == group.letters
            if not own_text:
                return None
        if not low.isascii() and words.CHINESE_LEAD.search(low, max(0, start - 24), start):
            return 0
        before = lead(low, start)
        if before.negated or words.QUESTION.match(low, end):
            return None
        if before.kind in ("start", "line", "contrast"):
            return self._bare(group, "line" if before.kind == "line" else "start")
        rank = self._said(group, before.kind)
        return None if rank is None or (rank != REVISION and distanced(low, start)) else rank

    def _said(self, group: _Group, kind: str) -> int | None:
        """The rank of letters that words lead up to."""
        low, start, end = self.low, group.start, group.end
        if kind in ("answer", "box", "choice"):
            return 0
        if kind in ("beside", "statement"):
            return 0 if words.SENTENCE_END.match(low, end) else None
        if kind in ("pronoun", "opinion", "which"):
            return 2 if words.SENTENCE_END.match(low, end) else None
        if kind == "revision":
            return REVISION if words.REVISED_END.match(low, end) else None
        if kind == "label":  # "Q: … A: B"
            return 0 if words.END.match(low, end) and "q:" in low[max(0, start - 400) : start] else None
        if low[max(0, start - 1) : start] == "(" and low[end : end + 1] == ")" and words.SENTENCE_END.match(low, end):
            line = max(low.rfind("\n", 0, start) + 1, start - 160)
            cued = words.CUED.search(low, line, start)  # "The answer is 10 (B)"
            return 0 if cued and not words.DENIED.search(cued[0]) else None
        return None

    def _bare(self, group: _Group, kind: str) -> int | None:
        """Letters with nothing before them in their line or sentence."""
        low, end = self.low, group.end
        run_together = len(group.letters) > 1 and self.shown[group.start : end].isalpha()
        if run_together and not self.several and low.strip(" .()\n") != low[group.start : end]:
            return None
        if words.END.match(low, end):
            return None if words.FIGURE.search(low, max(0, group.start - 14), group.start) else 0
        if group.start >= 60 or any(char.isalnum() for char in low[: group.start]):
            return 0 if kind == "start" and group.start < 60 and words.SENTENCE_END.match(low, end) else None
        if sum(1 for _ in self.labelled.finditer(self.shown)) > 1:
            return None
        opening = words.OPENING.match(low, end)
        if opening and not words.PREDICATE.match(low, opening.end()):
            return 0
        return 0 if not opening and words.SENTENCE_END.match(low, end) else None

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
        """Option texts that follow "the answer is", stand in a box, or alone on the last line."""
        if not self.texts:
            return []
        stripped = len(self.low.rstrip())
        starts = [match.end() for match in words.CUE.finditer(self.low)]
        starts.append(self.low.rfind("\n", 0, stripped) + 1)
        return [claim for start in starts if (claim := self._text_from(start)) is not None]

    def _described(self) -> list[Claim[str]]:
        """The text of an option in a sentence that opens the answer: "It is a dog, not a cat." """
        opening = words.DESCRIBED.match(self.low) if self.texts else None
        claim = self._text_from(opening.end()) if opening else None
        return [claim] if claim is not None else []

    def _text_from(self, start: int) -> Claim[str] | None:
        """The option whose text stands between `start` and the end of the line, the sentence or the clause."""
        line_end = self.low.find("\n", start, start + 602)
        line_end = min(len(self.low), start + 601) if line_end < 0 else line_end
        cut = words.TEXT_END.search(self.low, start, line_end)
        stops = (line_end, cut.start() if cut else -1)
        return next((claim for stop in stops if stop > start and (claim := self._same_text(start, stop))), None)
