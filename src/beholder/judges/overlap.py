"""`overlap`: a rule in place of a rubric judge, for work without a model. It sees no picture and understands nothing.

It answers the questions of the shipped rubric by the words that an explanation shares with the gold explanation (and,
of boxes, by their overlap). So it cannot know whether what is said is to be seen, nor that other words mean the same:
a good explanation in words of its own gets few points, and one that throws the gold's words together gets many. Its
figures are for tests and for a first look, and must not be compared with a model judge's. Like other judges it looks at
the explanation alone, not at the labels that were given.

| question | yes (partly) if |
|---|---|
| `ve_names` | all (some) visual pieces of the gold are found: `overlap_from` of the words is repeated, the box fits |
| `ve_there` | all (some) visual pieces that are said have been found in the gold |
| `ve_specific` | 3/4 of the words (the share `overlap_from`) of the gold's visual pieces are said of the picture |
| `ve_used` | a found piece is taken up in mapping or sentiment (is named at all) |
| `mc_pair` | the words of target and source (of one of them) are said |
| `mc_direction` | they are, first the one that comes first in the gold's mapping (the other one first) |
| `mc_ground` | `overlap_from` (half of that) of the other words of the gold's mapping are in the mapping |
| `mc_from_evidence` | a found piece, of picture or text, is taken up in the mapping (is named at all) |
| `sj_right` | the gold's sentiment is named and no other one, or `overlap_from` of the words of its reason are there |
| `sj_from_mapping` | the reason takes up words of its own evidence and mapping which the gold has too |
| `sj_specific` | `overlap_from` (half of that) of the words of the gold's reason are there |

Without a metaphor, `mc_pair` and `mc_direction` are yes if the mapping says so (`literal`, `no metaphor`, …) or repeats
`overlap_from` of the gold's; the latter also where the gold has neither target nor source to look for. Where the gold
itself does not take up its own words, nobody is asked to.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

from beholder.annotation import SENTIMENTS, VISUAL, Annotation, Box, Evidence, Explanation
from beholder.benchmarks.m3r.assumptions import Assumptions, assumptions_of, shipped
from beholder.benchmarks.m3r.labels import gold_of, is_metaphor
from beholder.benchmarks.m3r.rubric import explanation_of, own_words, place
from beholder.benchmarks.m3r.rubric_reply import NO, PARTLY, YES, Rating, written_ratings
from beholder.benchmarks.m3r.wording import content, covered, repeats, words
from beholder.errors import UsageError
from beholder.sample import Response, Sample

_LITERAL = re.compile(
    r"\b(?:liter\w{1,4}|no metaphor|not a metaphor|not metaphorical|without a metaphor|nothing is mapped)\b"
    r"|字面|没有隐喻|不是隐喻|无隐喻|不构成隐喻|不存在隐喻|没有映射",
    re.IGNORECASE,
)
_SENTIMENT_WORDS = {
    "positive": re.compile(r"\bpositiv\w{1,3}\b|积极|正面|褒义", re.IGNORECASE),
    "neutral": re.compile(r"\bneutral\w{0,3}\b|中性|中立", re.IGNORECASE),
    "negative": re.compile(r"\bnegativ\w{1,3}\b|消极|负面|贬义", re.IGNORECASE),
}
_SPECIFIC = 0.75
_QUOTED_WORDS = 25
_ENDS = re.compile(r"[.!?。！？；;\n]")

Answer = tuple[str, str]
"""Yes, partly or no, and the text that it rests on."""


def make(rest: str, assumptions: str = "") -> Callable[[Sample, Response], str]:
    """The judge `overlap` under a text of assumptions ("": ours), or `overlap/FILE` under those of a file.

    `UsageError` if the file cannot be used, or asks questions that this rule knows nothing of.
    """
    made = assumptions_of(_read(Path(rest)) if rest else assumptions or shipped())
    unknown = [one.id for criterion in made.criteria for one in criterion.questions if one.id not in QUESTIONS]
    if unknown:
        raise UsageError(f"The judge overlap cannot answer {', '.join(unknown)}: it knows the shipped questions only.")
    return lambda sample, response: written_ratings(_judge(sample, response, made))


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise UsageError(f"{file} cannot be read ({why}). overlap/FILE names a file of assumptions.") from None


def _judge(sample: Sample, response: Response, made: Assumptions) -> dict[str, Rating]:
    said = explanation_of(sample, response)[0] or Explanation()
    case = Case(gold_of(sample), said, made)
    ratings = {}
    for criterion in made.criteria:
        for question in criterion.questions:
            answer, text = QUESTIONS[question.id](case)
            region = case.region(text) if criterion.region else ""
            ratings[question.id] = Rating(answer, _quoted(text), region) if answer != NO else Rating(NO)
    return ratings


class Case:
    """A gold annotation and an explanation, cut into content words."""

    def __init__(self, gold: Annotation, said: Explanation, made: Assumptions) -> None:
        self.gold, self.said, self.made = gold, said, made
        self.model = gold.explanation if isinstance(gold.explanation, Explanation) else Explanation()
        self.found = [(piece, self._best(piece)) for piece in self.model.evidence]

    def _best(self, gold: Evidence) -> Evidence | None:
        """The piece of the same kind that repeats most of a gold piece, if it is enough."""
        wanted = content(gold.text)
        fitting = [
            one for one in self.said.evidence if _of_kind(one, gold.kind == VISUAL) and self._boxes_fit(one, gold)
        ]
        best = max(fitting, key=lambda one: covered(wanted, content(one.text)), default=None)
        enough = best is not None and bool(wanted) and covered(wanted, content(best.text)) >= self.made.overlap_from
        return best if enough else None

    def _boxes_fit(self, one: Evidence, gold: Evidence) -> bool:
        return one.box is None or gold.box is None or iou(one.box, gold.box) >= self.made.overlap_box

    def visual(self) -> list[tuple[Evidence, Evidence | None]]:
        """The gold's visual pieces, each with the piece in which it was found."""
        return [(gold, one) for gold, one in self.found if gold.kind == VISUAL]

    def region(self, text: str) -> str:
        """Where the quoted piece is, by its own box or that of the gold piece which it repeats."""
        for gold, one in self.found:
            if one is not None and one.text == text:
                return place(one.box or gold.box).strip(" ()")
        return ""

    def slots(self) -> dict[str, tuple[frozenset[str], bool]]:
        """Target and source, those that the gold gives: the words to look for, and whether enough of them are said."""
        model, said = content(own_words(self.model)), content(own_words(self.said))
        found = {}
        for name in ("target", "source"):
            label = getattr(self.gold, name)
            if not isinstance(label, str):
                continue
            wanted = content(label) & model or content(label)
            enough = bool(wanted) and covered(wanted, said) >= self.made.overlap_from
            found[name] = wanted, enough or repeats(own_words(self.said), label)  # one Chinese character is no pair
        return found


def iou(a: Box, b: Box) -> float:
    """Intersection over union of two boxes, 0..1; 0 where neither has an area."""
    width, height = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    shared = max(0.0, width) * max(0.0, height)
    areas = sum(max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1]) for box in (a, b))
    return shared / (areas - shared) if areas > shared else 0.0


def _ve_names(case: Case) -> Answer:
    pieces = case.visual()
    found = [one for _, one in pieces if one is not None]
    if not pieces:  # nothing to be found: whoever names something else may still be right
        own = _visual_pieces(case.said)
        return (PARTLY, own[0].text) if own else (YES, case.said.mapping)
    return _share(len(found), len(pieces)), found[0].text if found else ""


def _ve_there(case: Case) -> Answer:
    own = _visual_pieces(case.said)
    right = [one for one in own if any(one is found for _, found in case.found)]
    if not own:
        return (YES, case.said.mapping) if not case.visual() else (NO, "")
    return _share(len(right), len(own)), right[0].text if right else ""


def _ve_specific(case: Case) -> Answer:
    wanted = _content(gold.text for gold, _ in case.visual())
    said = _content(one.text for one in _visual_pieces(case.said))
    text = _closest(wanted, [one.text for one in _visual_pieces(case.said)]) if wanted else case.said.mapping
    return _graded(covered(wanted, said), _SPECIFIC, case.made.overlap_from), text


def _ve_used(case: Case) -> Answer:
    return _taken_up(
        case.visual(),
        f"{case.said.mapping}\n{case.said.sentiment}",
        f"{case.model.mapping}\n{case.model.sentiment}",
        case,
    )


def _mc_pair(case: Case) -> Answer:
    said = list(case.slots().values())
    if not is_metaphor(case.gold) or not said:
        return _as_the_gold(case)
    number = sum(there for _, there in said)
    wanted = frozenset().union(*(wanted for wanted, there in said if there)) if number else frozenset()
    return _share(number, len(said)), _closest(wanted, [case.said.mapping, *(one.text for one in case.said.evidence)])


def _mc_direction(case: Case) -> Answer:
    slots = case.slots()
    if not is_metaphor(case.gold) or not slots:
        return _as_the_gold(case)
    if not all(there for _, there in slots.values()):
        return NO, ""
    if len(slots) == 1:
        return YES, case.said.mapping
    orders = [
        [_first(wanted, text) for wanted, _ in slots.values()] for text in (case.model.mapping, case.said.mapping)
    ]
    gold, said = ((order[0] > order[1]) if order[0] is not None and order[1] is not None else None for order in orders)
    return (YES if gold is None or said == gold else PARTLY), case.said.mapping


def _as_the_gold(case: Case) -> Answer:
    """Whether the mapping says that nothing is mapped, where the gold does; or repeats what the gold says of it."""
    repeated = covered(content(case.model.mapping), content(case.said.mapping)) >= case.made.overlap_from
    says_so = is_metaphor(case.gold) is False and _LITERAL.search(case.said.mapping) is not None
    return (YES if case.said.mapping.strip() and (says_so or repeated) else NO), case.said.mapping


def _mc_ground(case: Case) -> Answer:
    slots = frozenset().union(*(wanted for wanted, _ in case.slots().values()))
    wanted = content(case.model.mapping) - slots or content(case.model.mapping)
    enough = case.made.overlap_from
    return _graded(covered(wanted, content(case.said.mapping)), enough, enough / 2), case.said.mapping


def _mc_from_evidence(case: Case) -> Answer:
    return _taken_up(case.found, case.said.mapping, case.model.mapping, case)


def _sj_right(case: Case) -> Answer:
    text = case.said.sentiment
    named = [name for name in SENTIMENTS if _SENTIMENT_WORDS[name].search(text)]
    if named and isinstance(case.gold.sentiment, str):
        return (YES if named == [case.gold.sentiment] else NO), text
    return (YES if text.strip() and _reason(case) >= case.made.overlap_from else NO), text


def _sj_from_mapping(case: Case) -> Answer:
    before = _content([case.said.mapping, *(one.text for one in case.said.evidence)])
    model_before = _content([case.model.mapping, *(one.text for one in case.model.evidence)])
    own = content(case.said.sentiment) & (content(case.model.sentiment) | model_before)
    asked = content(case.model.sentiment) & model_before
    return (YES if own & before or (own and not asked) else NO), case.said.sentiment


def _sj_specific(case: Case) -> Answer:
    enough = case.made.overlap_from
    return _graded(_reason(case), enough, enough / 2), case.said.sentiment


def _reason(case: Case) -> float:
    """The share of the gold's reason for the sentiment that is said as one."""
    return covered(content(case.model.sentiment), content(case.said.sentiment))


QUESTIONS: dict[str, Callable[[Case], Answer]] = {
    "ve_names": _ve_names,
    "ve_there": _ve_there,
    "ve_specific": _ve_specific,
    "ve_used": _ve_used,
    "mc_pair": _mc_pair,
    "mc_direction": _mc_direction,
    "mc_ground": _mc_ground,
    "mc_from_evidence": _mc_from_evidence,
    "sj_right": _sj_right,
    "sj_from_mapping": _sj_from_mapping,
    "sj_specific": _sj_specific,
}


def _taken_up(pieces: list[tuple[Evidence, Evidence | None]], text: str, model: str, case: Case) -> Answer:
    """Whether a text speaks of any piece that was found. `model` is the gold's text in its place."""
    if not pieces:
        return (YES, text) if text.strip() else (NO, "")
    found = [one for _, one in pieces if one is not None]
    if not found:
        return NO, ""
    taken = [one for one in found if content(one.text) & content(text)]
    if taken:
        return YES, taken[0].text
    asked = _content(gold.text for gold, _ in pieces) & content(model)
    return (PARTLY if asked else YES), found[0].text


def _of_kind(piece: Evidence, visual: bool) -> bool:
    return (piece.kind == VISUAL) == visual


def _visual_pieces(explanation: Explanation) -> list[Evidence]:
    return [one for one in explanation.evidence if one.kind == VISUAL and one.text.strip()]


def _content(texts: Iterable[str]) -> frozenset[str]:
    return frozenset().union(*(content(text) for text in texts))


def _share(count: int, of: int) -> str:
    return YES if count == of else PARTLY if count else NO


def _graded(share: float, yes: float, partly: float) -> str:
    return YES if share >= yes else PARTLY if share >= partly else NO


def _closest(wanted: frozenset[str], texts: list[str]) -> str:
    """The text that has most of the wanted words, "" if there is no text."""
    return max(texts, key=lambda text: len(wanted & content(text)), default="")


def _first(wanted: frozenset[str], text: str) -> int | None:
    """Where the first of the wanted words stands in a text."""
    spoken = words(text)
    places = [at for at in range(len(spoken)) if content(" ".join(spoken[at : at + 1])) & wanted]
    pairs = [at for at in range(len(spoken) - 1) if content("".join(spoken[at : at + 2])) & wanted]
    return min((*places, *pairs), default=None)


def _quoted(text: str) -> str:
    """The first sentence of a text, and at most so many words of it."""
    sound = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")  # half a pair cannot be written
    first = next((part.strip() for part in _ENDS.split(sound) if words(part)), "")
    pieces = first.split()
    return " ".join(pieces[:_QUOTED_WORDS])[:200] if len(pieces) > 1 else first[:60]
