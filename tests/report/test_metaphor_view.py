"""What there is to see of one answer about a metaphor: labels compared, boxes that can be drawn, judges, mismatch."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from made_metaphor_pages import CASES, MAPPING, metaphor_run, verdict

from beholder.annotation import Annotation, Evidence, Explanation
from beholder.benchmarks.m3r import BENCHMARK
from beholder.benchmarks.m3r.assumptions import assumptions_of
from beholder.benchmarks.m3r.rubric_reply import Rating, read_reply, written_ratings
from beholder.engine.scoring import score_with
from beholder.errors import Owner
from beholder.report.annotation_words import in_words
from beholder.report.metaphor_view import View, drawn, quote_in_words, stages_of, view_of
from beholder.sample import Failure, Judged, MetaphorTarget, Response, Sample, TextPart
from beholder.store import reading, schema

MADE = assumptions_of(BENCHMARK.assumptions)
TOLD = Explanation((Evidence("visual", "a gun", (0.0, 0.0, 0.5, 0.5)),), MAPPING, "It warns.")
GUN = Annotation(metaphor=True, target="smoking", source="gun", sentiment="negative", explanation=TOLD)


def view(said: dict[str, Any] | str, gold: Annotation = GUN, *judged: Judged, task: str = "joint", **more: Any) -> View:
    sample = Sample(
        key="k",
        index=0,
        benchmark="m3r",
        images=(),
        parts=(TextPart("Smoking kills."),),
        target=MetaphorTarget(gold),
        category="en",
        metadata={"task": task, "language": "en"},
    )
    labels = {"metaphor": "yes", "target": "smoking", "source": "gun", "sentiment": "negative"}
    labels["explanation"] = {"evidence": [], "mapping": MAPPING, "sentiment": "It warns."}  # type: ignore[assignment]
    text = said if isinstance(said, str) else json.dumps(labels | said)
    response = Response(text=text, finish="stop", judged=judged, **more)
    return view_of(sample, response, score_with(BENCHMARK.scorers)(sample, response), MADE)


def rated(judge: str, **criteria: str) -> Judged:
    ratings = read_reply(verdict(**criteria), MAPPING, MADE).value
    assert ratings is not None
    return Judged("rubric", judge, written_ratings(ratings))


# what is said, label → (right, why)
COMPARED = [
    ({}, {"metaphor": (True, ""), "target": (True, ""), "source": (True, ""), "sentiment": (True, "")}),
    ({"target": "The Smoking"}, {"target": (True, "the same as “smoking”")}),
    ({"target": "tobacco"}, {"target": (False, "")}),
    ({"target": "The Tobacco!"}, {"target": (False, "compared as “smoking” and “tobacco”")}),
    ({"metaphor": "no"}, {"target": (False, "counts as wrong: the answer breaks a rule of the structure")}),
    ({"sentiment": "neutral"}, {"sentiment": (False, ""), "metaphor": (True, "")}),
]


@pytest.mark.parametrize(("said", "expected"), COMPARED)
def test_labels_say_what_was_compared(said: dict[str, Any], expected: dict[str, tuple[bool, str]]) -> None:
    found = {one.name: (one.right, one.why) for one in view(said).labels}
    assert {name: found[name] for name in expected} == expected


def test_labels_that_are_not_there_are_not_compared() -> None:
    unlabelled = view({}, Annotation(explanation=TOLD), task="annotate")
    assert [(one.gold, one.said, one.right) for one in unlabelled.labels[:2]] == [
        ("(not given)", "yes", None),
        ("(not given)", "smoking", None),
    ]
    assert [one.name for one in view('{"target": "smoking"}', task="target").labels] == ["target"]
    unread = view("I cannot say.")
    assert unread.unread
    assert all(one.said == "(not said)" and one.right is False for one in unread.labels)
    failed = view("", failure=Failure(owner=Owner.PROVIDER, kind="server", message="down"))
    assert all(one.right is None for one in failed.labels), "nobody answered, so nothing is wrong"


def test_what_judges_say_of_a_slot_stands_beside_it() -> None:
    judged = (
        Judged("slots", "a", '{"target":{"same":true}}'),
        Judged("slots", "b", '{"target":{"similarity":0.25}}'),
        Judged("slots", "c", None, Failure(owner=Owner.JUDGE, kind="judge", message="no")),
    )
    (target,) = (one for one in view({"target": "cigarettes"}, GUN, *judged).labels if one.name == "target")
    assert (target.right, target.why) == (False, "a: the same; b: similarity 0.25")


# box, what is drawn of it
BOXES = [
    ((0.0, 0.25, 0.5, 1.0), (0.0, 25.0, 50.0, 75.0)),
    ((-5.0, -1e300, 1e300, 0.5), (0.0, 0.0, 100.0, 50.0)),
    ((0.0, 0.0, math.inf, 1.0), (0.0, 0.0, 100.0, 100.0)),
    ((0.9, 0.1, 0.1, 0.9), None),
    ((1.5, 0.0, 2.0, 1.0), None),
    ((0.5, 0.5, 0.5, 0.9), None),
    ((math.nan, 0.0, 1.0, 1.0), None),
    ((0.0, 0.0, 1.0, math.nan), None),
    ((-math.inf, -math.inf, -1.0, 1.0), None),
]


@pytest.mark.parametrize(("box", "expected"), BOXES)
def test_of_a_box_only_what_lies_in_the_picture_is_drawn(box: Any, expected: object) -> None:
    assert drawn(box) == expected


def test_a_box_is_told_in_percent_with_what_is_wrong_about_it() -> None:
    boxes = ((0.125, 0.0, 0.5, 1.0), (0.5, 0.0, 7.0, 1.0), (0.5, 0.0, 0.25, 1.0))
    stages = stages_of(Annotation(explanation=Explanation(tuple(Evidence("visual", "x", box) for box in boxes))))
    assert stages is not None
    assert [one.place for one in stages.evidence] == [
        "left 12.5, top 0, right 50, bottom 100 %",
        "left 50, top 0, right 700, bottom 100 %; reaches outside the picture",
        "left 50, top 0, right 25, bottom 100 %; cannot be drawn",
    ]
    assert stages_of(Annotation(explanation=Explanation(mapping=" "))) is None


def test_judges_are_told_with_points_answers_and_failures() -> None:
    broken = Judged("rubric", "c", None, Failure(owner=Owner.JUDGE, kind="judge_unreadable", message="no verdict"))
    down = Judged("rubric", "d", None, Failure(owner=Owner.JUDGE, kind="server", message="503", retryable=True))
    seen = view({}, GUN, rated("a"), rated("b", evidence="no", quote="never said"), broken, down)
    assert [(one.judge, one.points, one.criteria, one.retryable) for one in seen.verdicts] == [
        ("a", 100, (100, 100, 100), False),
        ("b", pytest.approx(200 / 3), (0, 100, 100), False),
        ("c", None, (), False),
        ("d", None, (), True),
    ]
    assert seen.verdicts[2].failure == "failed (owner judge, judge_unreadable): no verdict"
    assert seen.differ
    assert seen.failed
    assert not view({}, GUN, rated("a"), rated("b")).differ
    assert quote_in_words(seen.verdicts[0].ratings["ve_names"]) == f"“{MAPPING}” · centre"
    assert quote_in_words(seen.verdicts[1].ratings["mc_pair"]).endswith("· not in the explanation")
    assert quote_in_words(Rating("no")) == "(no quotation)"


# what two judges say of evidence and mapping; the labels; kinds of mismatch
KINDS = [
    (("yes", "yes"), ("yes", "yes"), {}, ()),
    (("no", "yes"), ("no", "yes"), {}, ("mapping_without_evidence",)),
    (("no", "yes"), ("yes", "yes"), {}, ()),  # 50 points in the mean are met
    (("yes", "no"), ("yes", "no"), {}, ("evidence_without_mapping", "right_labels_wrong_mapping")),
    (("yes", "no"), ("yes", "no"), {"target": "x"}, ("evidence_without_mapping",)),
    (("no", "no"), ("no", "no"), {}, ("right_labels_wrong_mapping",)),
]


@pytest.mark.parametrize(("first", "second", "said", "kinds"), KINDS)
def test_kinds_of_mismatch_are_by_the_mean_over_judges(
    first: tuple[str, str], second: tuple[str, str], said: dict[str, Any], kinds: tuple[str, ...]
) -> None:
    judges = [rated(name, evidence=one[0], mapping=one[1]) for name, one in (("a", first), ("b", second))]
    assert view(said, GUN, *judges).kinds == kinds
    assert view(said).kinds == (), "nobody was asked"


def test_broken_rules_are_sentences() -> None:
    box = {"evidence": [{"kind": "visual", "text": "x", "box": [0, 0, 2, 1]}], "mapping": "m", "sentiment": "s"}
    assert view({"metaphor": "no", "explanation": box}).faults == (
        "It says that there is no metaphor, and yet names a target or source; they count as wrong.",
        "A box is no part of the picture.",
    )
    assert view({"target": None}).faults[0].startswith("It says that there is a metaphor without")


def test_items_are_of_the_kinds_that_the_figures_count(tmp_path: Path) -> None:
    result = metaphor_run(tmp_path)
    kinds = defaultdict(list)
    with closing(schema.open_to_read(result.folder / "run.db")) as db:
        for sample in reading.samples(db):
            for stored in reading.responses(db, key=sample.key):
                seen = view_of(sample, stored.response, reading.scores_of(db, stored.number), MADE)
                for kind in seen.kinds:
                    kinds[kind].append(sample.key)
    mismatch = result.details["mismatch"]
    counted = {kind: own["keys"] for kind, own in mismatch.items() if isinstance(own, dict) and own["keys"]}
    assert counted == kinds
    assert sum(map(len, kinds.values())) >= 2, f"of the {len(CASES)} cases some are of a kind"


WORDS = [
    ('{"metaphor":false,"target":null,"source":null}', "metaphor no, target none, source none"),
    ('{"explanation":{"mapping":"m"}}', "no label"),
    ("{}", "no label"),
    ('{"verdict":1}', '{"verdict":1}'),
    ("{", "{"),
    ("[1]", "[1]"),
    ("", ""),
]


@pytest.mark.parametrize(("extracted", "words"), WORDS)
def test_an_annotation_is_told_by_its_labels(extracted: str, words: str) -> None:
    assert in_words(extracted) == words
