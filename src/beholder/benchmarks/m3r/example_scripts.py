"""Scripts for the example set: what scripted annotators, a scripted model under test and scripted judges say of it.

They are written so that everything happens that the rest has to deal with: majorities and none, a refusal, a broken
answer, a violated structure, overlooked pictures, failed judges. None of it was said by a real model.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from beholder.annotation import VISUAL, Annotation, Evidence, Explanation
from beholder.benchmarks.m3r.assumptions import Assumptions, assumptions_of, shipped

ANNOTATORS = 5
REFUSAL = "I'm sorry, but I can't help with that."
UNREADABLE = '{"metaphor": "yes", "target": "书", "source": '

Said = dict[str, Any]
"""Labels in the place of the gold's: `metaphor`, `target`, `source`, `sentiment`."""


def _metaphor(target: str, source: str, **more: Any) -> Said:
    return {"metaphor": True, "target": target, "source": source, **more}


DISSENT: dict[str, dict[int, Said | str]] = {
    # yes or no: 3 to 2, 3 to 2, 4 to 1; and 2 to 2 because one refuses
    "egg_timer": {1: _metaphor("time", "hourglass"), 4: _metaphor("time", "sand")},
    "rocket_on_pad": {
        2: _metaphor("ambition", "rocket", sentiment="positive"),
        5: _metaphor("ambition", "rocket", sentiment="positive"),
    },
    "birthday_cake": {3: _metaphor("年龄", "蜡烛")},
    "dried_plant": {1: _metaphor("感情", "植物"), 2: _metaphor("感情", "植物"), 3: REFUSAL},
    # target and source as a pair: 3 to 2, 3 to 2, 2 to 2 to 1, 2 to 2 to 1; and the same pair in other writings
    "iceberg_debt": {4: {"target": "debt"}, 5: {"target": "debt"}},
    "wallet_tap": {1: {"target": "自动续费", "source": "水龙头"}, 3: {"target": "自动续费", "source": "水龙头"}},
    "phone_leash": {2: {"source": "牵引绳"}, 4: {"source": "牵引绳"}, 5: {"target": "人", "source": "宠物"}},
    "hourglass_forest": {
        1: {"target": "nature"},
        3: {"target": "nature"},
        4: {"target": "time", "source": "sand"},
    },
    "bulb_plant": {2: {"target": "An idea", "source": "a plant"}, 3: {"target": "IDEA", "source": "Plant."}},
    "bottle_fish": {2: {"source": "魚"}},
    # sentiment: 3 to 2, 3 to 2, 2 to 2 to 1
    "head_machine": {2: {"sentiment": "positive"}, 4: {"sentiment": "positive"}},
    "wet_floor": {1: {"sentiment": "negative"}, 5: {"sentiment": "negative"}},
    "clock_cake": {1: {"sentiment": "positive"}, 2: {"sentiment": "positive"}, 3: {"sentiment": "negative"}},
    # not to be read, and against the structure
    "book_boat": {5: UNREADABLE},
    "visitors_chart": {4: {"target": "museum"}},
}
"""Drawing → annotator (1 to 5) → what it says otherwise than the gold: labels, or a whole answer."""

FULL, TEXT_ONLY, MISTAKEN, BLANK = "full", "text only", "mistaken", "blank"
"""How the model under test explains: as the gold; without the picture; with another mapping; not at all."""

MODEL: dict[str, tuple[str, Said]] = {
    "cigarette_bomb": (FULL, {}),
    "led_bulb": (MISTAKEN, _metaphor("创意", "灯泡", sentiment="positive")),
    "visitors_chart": (FULL, {}),
    "phone_leash": (TEXT_ONLY, {"target": "人", "source": "宠物"}),
    "iceberg_debt": (TEXT_ONLY, {}),
    "dried_plant": (MISTAKEN, _metaphor("生命", "植物")),
    "coffee_hours": (FULL, {}),
    "book_boat": (MISTAKEN, {}),
    "bulb_plant": (TEXT_ONLY, {"target": "club"}),
    "deep_field": (TEXT_ONLY, {}),
    "cat_is_home": (FULL, {}),
    "bottle_fish": (TEXT_ONLY, {"target": "渔网", "source": "未来"}),
    "hourglass_forest": (MISTAKEN, {"target": "time", "source": "sand"}),
    "wet_floor": (TEXT_ONLY, {"sentiment": "negative"}),
    "rocket_on_pad": (BLANK, {"sentiment": "positive"}),
    "lung_tree": (FULL, {}),
    "head_machine": (MISTAKEN, {"sentiment": "positive"}),
    "birthday_cake": (MISTAKEN, {}),
    "burning_house": (FULL, {}),
    "wallet_tap": (TEXT_ONLY, {}),
    "egg_timer": (MISTAKEN, {"source": "hourglass", "target": "time"}),  # no metaphor, yet with target and source
    "old_coins": (TEXT_ONLY, {}),
    "book_city": (TEXT_ONLY, {"target": "story", "source": "light"}),
    "clock_cake": (FULL, {}),
}
"""Drawing → how the model under test explains it, and its labels otherwise than the gold."""

_WRONG_MAPPING = {
    "en": "The picture is a symbol: what it shows stands for something greater, which the reader should think about.",
    "zh": "画面是一种象征：图中的事物代表着更深的含义，引人思考。",
}
_VERDICTS = {  # answers for visual evidence, mapping and sentiment: all questions of a criterion but the last; the last
    FULL: (("yes", "yes"), ("yes", "yes"), ("yes", "partly")),
    TEXT_ONLY: (("no", "no"), ("yes", "partly"), ("yes", "partly")),
    MISTAKEN: (("yes", "partly"), ("no", "no"), ("no", "no")),
    BLANK: (("no", "no"), ("no", "no"), ("no", "no")),
}
_SLOTS_MISSED = (("no", "no"), ("partly", "no"), ("yes", "no"))
"""For a text-only explanation of another pair of target and source."""
OUT_OF_RANGE, BROKEN = "lung_tree", "wallet_tap"
"""Where the first judge gives a number for an answer, and where its reply breaks off."""
SOFTER = ("hourglass_forest", "head_machine", "led_bulb")
"""Where the second judge answers `partly` for each `no` about something that is there."""
STRICTER = ("coffee_hours", "clock_cake")
"""Where the second judge answers `partly` for each `yes`."""
INVENTED = "deep_field"
"""Where the second judge sees visual evidence in an explanation that has none, and quotes what nobody wrote."""


def scripts_for(drawings: Sequence[str], golds: Sequence[Annotation]) -> dict[str, list[str]]:
    """Name of each script → its answers, in the order of the items. `drawings` names the items' drawings."""
    pairs = list(zip(drawings, golds, strict=True))
    answers = [_model_answer(draw, gold) for draw, gold in pairs]
    made = {
        f"annotator-{number}": [_annotator_answer(number, draw, gold) for draw, gold in pairs]
        for number in range(1, ANNOTATORS + 1)
    }
    made["model"] = [_in_json(answer) for answer in answers]
    rules = assumptions_of(shipped())
    both = list(zip(drawings, answers, strict=True))
    made["judge"] = [_first_judge(draw, answer, rules) for draw, answer in both]
    made["judge-2"] = [_second_judge(draw, answer, rules) for draw, answer in both]
    return made


def _annotator_answer(number: int, draw: str, gold: Annotation) -> str:
    said = DISSENT.get(draw, {}).get(number, {})
    if isinstance(said, str):
        return said
    explanation = _explanation(gold)
    kept = [piece for place, piece in enumerate(explanation.evidence) if (place + number) % 4]
    drafted = Explanation(
        tuple(_seen_by(number, piece) for piece in kept),
        explanation.mapping,
        explanation.sentiment if number != 3 else "",
    )
    return _in_json(_labelled(gold, said, drafted))


def _seen_by(number: int, piece: Evidence) -> Evidence:
    """Annotators 1 and 2 box what they see, the second one a little too small; the others give no box."""
    if piece.box is None or number > 2:
        return Evidence(piece.kind, piece.text)
    left, top, right, bottom = piece.box
    inside = 0.05 * (number - 1)
    wide, high = inside * (right - left), inside * (bottom - top)
    return Evidence(piece.kind, piece.text, _rounded(left + wide, top + high, right - wide, bottom - high))


def _rounded(left: float, top: float, right: float, bottom: float) -> tuple[float, float, float, float]:
    return round(left, 3), round(top, 3), round(right, 3), round(bottom, 3)


def _model_answer(draw: str, gold: Annotation) -> Annotation:
    way, said = MODEL[draw]
    return _labelled(gold, said, _explained(way, _explanation(gold)))


def _explained(way: str, gold: Explanation) -> Explanation:
    if way == BLANK:
        return Explanation()
    if way == TEXT_ONLY:
        return Explanation(
            tuple(piece for piece in gold.evidence if piece.kind != VISUAL), gold.mapping, gold.sentiment
        )
    if way == MISTAKEN:
        language = "en" if gold.mapping.isascii() else "zh"
        return Explanation(gold.evidence[:1], _WRONG_MAPPING[language], "")
    return gold


def _explanation(gold: Annotation) -> Explanation:
    assert isinstance(gold.explanation, Explanation)
    return gold.explanation


def _labelled(gold: Annotation, said: Said, explanation: Explanation) -> Annotation:
    labels = {name: getattr(gold, name) for name in ("metaphor", "target", "source", "sentiment")} | said
    return Annotation(**labels, explanation=explanation)


def _in_json(said: Annotation) -> str:
    """An answer in the form that the joint prompt asks for."""
    explanation = _explanation(said)
    evidence = [
        {"kind": piece.kind, "text": piece.text} | ({} if piece.box is None else {"box": list(piece.box)})
        for piece in explanation.evidence
    ]
    answer = {
        "metaphor": "yes" if said.metaphor else "no",
        "target": said.target,
        "source": said.source,
        "sentiment": said.sentiment,
        "explanation": {"evidence": evidence, "mapping": explanation.mapping, "sentiment": explanation.sentiment},
    }
    return json.dumps(answer, ensure_ascii=False)


def _first_judge(draw: str, answer: Annotation, rules: Assumptions) -> str:
    verdict = _verdict(draw, answer, rules)
    if draw == OUT_OF_RANGE:
        verdict[rules.criteria[0].questions[0].id]["answer"] = 120
    text = json.dumps(verdict, ensure_ascii=False)
    return text[: len(text) // 2] if draw == BROKEN else text


def _second_judge(draw: str, answer: Annotation, rules: Assumptions) -> str:
    verdict = _verdict(draw, answer, rules)
    for entry in verdict.values():
        softer = draw in SOFTER and entry["answer"] == "no" and entry["quote"]
        stricter = draw in STRICTER and entry["answer"] == "yes"
        if softer or stricter:
            entry["answer"] = "partly"
    if draw == INVENTED:
        for question in rules.criteria[0].questions:
            verdict[question.id] |= {"answer": "partly", "quote": "一片星海", "region": "middle"}
    return json.dumps(verdict, ensure_ascii=False)


def _verdict(draw: str, answer: Annotation, rules: Assumptions) -> dict[str, Said]:
    way, said = MODEL[draw]
    missed = way == TEXT_ONLY and "target" in said
    marks = _SLOTS_MISSED if missed else _VERDICTS[way]
    quotes = _quotes(_explanation(answer))
    verdict: dict[str, Said] = {}
    for criterion, (most, last), quote in zip(rules.criteria, marks, quotes, strict=False):
        for place, question in enumerate(criterion.questions, start=1):
            entry = {"answer": last if place == len(criterion.questions) else most, "quote": quote}
            verdict[question.id] = entry | ({"region": _region(answer)} if criterion.region else {})
    return verdict


def _quotes(explanation: Explanation) -> tuple[str, str, str]:
    """What the judges quote for each of the three criteria; empty where the explanation has nothing of the kind."""
    first = next((piece.text for piece in explanation.evidence if piece.kind == VISUAL), "")
    return first, explanation.mapping, explanation.sentiment


def _region(answer: Annotation) -> str:
    """Where the first boxed piece lies, in words."""
    box = next((piece.box for piece in _explanation(answer).evidence if piece.box is not None), None)
    if box is None:
        return ""
    across, down = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    high = "upper" if down < 0.4 else "lower" if down > 0.6 else "middle"
    side = "left" if across < 0.4 else "right" if across > 0.6 else "middle"
    return f"{high} {side}".replace("middle middle", "middle")
