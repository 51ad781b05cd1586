"""The figures of the rubric, the agreement of its judges, and the mismatch of evidence and mapping."""

from __future__ import annotations

import json
import random
from typing import Any

import krippendorff
import msgspec
import pytest
from sklearn.metrics import cohen_kappa_score

from beholder.annotation import Annotation
from beholder.benchmarks.benchmark import MetricOptions
from beholder.benchmarks.m3r.assumptions import assumptions_of, shipped
from beholder.benchmarks.m3r.mismatch import mismatch
from beholder.benchmarks.m3r.rubric_metrics import details, metrics
from beholder.errors import Owner
from beholder.score import Outcome, Score, ScoredItem
from made_judged import GOLD, LITERAL, MADE, QUESTIONS, answers, judged, row, scored

OPTIONS = MetricOptions(resamples=200)
BLANK = Score(0.0, Outcome.UNPARSED, flags=("no_explanation",))
NOBODY = Score(None, Outcome.NOT_APPLICABLE, flags=("not_judged",))
NO_GOLD = Score(None, Outcome.NOT_APPLICABLE, flags=("no_gold_explanation",))
SERVER = Score(None, Outcome.FAILED, flags=("timeout",), owner=Owner.PROVIDER)


def both(a: str | None, b: str | None) -> Score:
    return scored([judged(a, "a"), judged(b, "b")])


def test_means_of_rubric_criteria_and_judges() -> None:
    rows = [
        row(0, both(answers("yes", "yes", "no"), answers("no", "yes", "no"))),
        row(1, both(answers("partly", "no", "no"), answers("no", "no", "no"))),
    ]
    found = {name: figure.value for name, figure in metrics(rows, OPTIONS, MADE).items()}
    assert found == {
        "rubric": pytest.approx((1 / 2 + 1 / 12) / 2),
        "visual_evidence": pytest.approx((0.5 + 0.25) / 2),
        "mapping_correctness": 0.5,
        "sentiment_justification": 0.0,
        "rubric/a": pytest.approx((2 / 3 + 1 / 6) / 2),
        "visual_evidence/a": 0.75,
        "mapping_correctness/a": 0.5,
        "sentiment_justification/a": 0.0,
        "rubric/b": pytest.approx(1 / 6),
        "visual_evidence/b": 0.0,
        "mapping_correctness/b": 0.5,
        "sentiment_justification/b": 0.0,
    }


def test_failures_of_judges_are_outside_the_mean_and_inside_the_bounds() -> None:  # T17
    rows = [row(place, scored([judged(answers() if place < 7 else None)])) for place in range(10)]
    for name, figure in metrics(rows, OPTIONS, MADE).items():
        assert (name, figure.value, figure.n, figure.failed) == (name, 1.0, 7, 3)
        assert (figure.worst, figure.best) == (0.7, 1.0)
        assert figure.note.startswith("7/10 judged")


def test_t17_four_of_seven_with_three_not_judged() -> None:
    said = [answers() if place < 4 else answers("no", "no", "no") if place < 7 else None for place in range(10)]
    figure = metrics([row(place, scored([judged(one)])) for place, one in enumerate(said)], OPTIONS, MADE)["rubric"]
    assert figure.value == pytest.approx(4 / 7)
    assert (figure.n, figure.failed, figure.worst, figure.best) == (7, 3, 0.4, 0.7)


def test_what_has_no_explanation_counts_0_and_is_told() -> None:
    rows = [row(0, scored([judged(answers())])), row(1, BLANK), row(2, SERVER, None), row(3, NO_GOLD)]
    figures = metrics(rows, OPTIONS, MADE)
    for figure in figures.values():
        assert (figure.value, figure.n, figure.failed) == (0.5, 2, 1)
        assert figure.note.startswith("2/3 judged, 1 of them 0 without a judge: no explanation")


@pytest.mark.parametrize(
    ("scores", "figures"),
    [
        ([], False),
        ([NOBODY, NOBODY], False),
        ([NO_GOLD], False),
        ([NOBODY, BLANK], False),  # nobody was asked: a mean over what is blank would say nothing of the others
        ([NOBODY, SERVER], False),
        ([BLANK, BLANK], True),
    ],
)
def test_there_is_no_figure_where_nobody_was_asked(scores: list[Score], figures: bool) -> None:
    rows = [row(place, score) for place, score in enumerate(scores)]
    assert bool(metrics(rows, OPTIONS, MADE)) is figures
    assert details(rows, OPTIONS, MADE) == {}


def test_a_judge_that_always_fails_has_no_mean_though_blank_answers_count_0() -> None:
    never = [row(0, scored([judged(None)])), row(1, BLANK), row(2, scored([judged(None)]))]
    for figure in metrics(never, OPTIONS, MADE).values():
        assert (figure.value, figure.n, figure.failed, figure.worst, figure.low) == (None, 0, 3, 0.0, None)
        assert figure.best == pytest.approx(2 / 3)
        assert "no judge gave a verdict" in figure.note
    other = metrics([row(0, scored([judged(None), judged(answers(), "b")])), row(1, BLANK)], OPTIONS, MADE)
    assert (other["rubric/a"].value, other["rubric/b"].value, other["rubric"].value) == (None, 0.5, 0.5)


def test_what_a_judge_was_not_asked_yet_counts_as_failed() -> None:
    rows = [row(0, scored([judged(answers())])), row(1, NOBODY)]
    figure = metrics(rows, OPTIONS, MADE)["rubric"]
    assert (figure.value, figure.n, figure.failed, figure.worst) == (1.0, 1, 1, 0.5)


FOREIGN = [
    *("{", "[]", '{"a": 1}', '{"a": {}}', '{"a": {"ve_names": {"answer": "yes"}}}'),
    f'{{"a": {answers("maybe")}}}',
]


@pytest.mark.parametrize("written", FOREIGN)
def test_what_no_scorer_wrote_is_no_verdict(written: str) -> None:
    """As the scores of a foreign run may have it."""
    rows = [row(0, Score(1.0, Outcome.SCORED, written)), row(1, scored([judged(answers(), "b")]))]
    figure = metrics(rows, OPTIONS, MADE)["rubric"]
    assert (figure.value, figure.n, figure.failed) == (1.0, 1, 1)
    assert details(rows, OPTIONS, MADE)["judges"]["each"]["b"]["mean"] == 100


def test_items_of_one_cluster_are_drawn_together() -> None:
    scores = [scored([judged(answers() if place % 3 else answers("partly", "no", "no"))]) for place in range(40)]
    apart = metrics([row(place, score) for place, score in enumerate(scores)], OPTIONS, MADE)["rubric"]
    together = [row(place, score, cluster=f"c{place % 3}") for place, score in enumerate(scores)]
    assert metrics(together, OPTIONS, MADE)["rubric"].interval == "cluster bootstrap"
    assert apart.interval == "bootstrap"


def drawn_verdicts(seed: int, items: int = 30) -> list[ScoredItem]:
    rng = random.Random(seed)
    rows = []
    for place in range(items):
        verdicts = []
        for judge in ("a", "b"):
            given = {name: {"answer": rng.choice(("yes", "partly", "no"))} for name in QUESTIONS}
            verdicts.append(judged(None if rng.random() < 0.2 else json.dumps(given), judge))
        rows.append(row(place, scored(verdicts)))
    return rows


def test_agreement_of_two_judges_is_that_of_the_references() -> None:
    rank = {"no": 0, "partly": 1, "yes": 2}
    rows = drawn_verdicts(3)
    found = details(rows, OPTIONS, MADE)["judges"]
    verdicts = [json.loads(item.scores["rubric"].extracted or "") for item in rows]
    for criterion in MADE.criteria:
        table = [
            [
                float("nan") if one[judge] is None else rank[one[judge][question.id]["answer"]]
                for one in verdicts
                for question in criterion.questions
            ]
            for judge in ("a", "b")
        ]
        paired = [(int(a), int(b)) for a, b in zip(*table, strict=True) if a == a and b == b]
        of_answers = found["agreement"][criterion.id]["answers"]
        (kappa,) = of_answers["kappa"]
        assert kappa["judges"] == ["a", "b"]
        assert kappa["value"] == pytest.approx(cohen_kappa_score(*zip(*paired, strict=True), weights="quadratic"))
        assert kappa["items"] == len(paired)
        theirs = krippendorff.alpha(reliability_data=table, level_of_measurement="ordinal")
        assert of_answers["alpha"]["value"] == pytest.approx(theirs)
        size = len(criterion.questions)
        points = [[sum(line[at : at + size]) for at in range(0, len(line), size)] for line in table]
        theirs = krippendorff.alpha(reliability_data=points, level_of_measurement="interval")
        assert found["agreement"][criterion.id]["points"]["alpha"]["value"] == pytest.approx(theirs)


def test_spread_is_in_points_and_over_items_with_two_verdicts() -> None:
    rows = [
        row(0, both(answers("yes", "yes", "yes"), answers("no", "yes", "yes"))),
        row(1, both(answers("yes", "yes", "yes"), answers("yes", "yes", "yes"))),
        row(2, both(answers("yes", "yes", "yes"), None)),
    ]
    found = details(rows, OPTIONS, MADE)["judges"]
    assert found["spread"]["visual_evidence"] == {
        "difference": 50.0,
        "deviation": pytest.approx(35.355, abs=1e-3),
        "items": 2,
    }
    assert found["spread"]["mapping_correctness"] == {"difference": 0.0, "deviation": 0.0, "items": 2}
    assert {name: (one["mean"], one["judged"], one["failed"]) for name, one in found["each"].items()} == {
        "a": (100.0, 3, 0),
        "b": (pytest.approx(500 / 6), 2, 1),
    }


def test_one_judge_has_no_agreement_and_its_quotations_are_counted() -> None:
    verdict = {name: {"answer": "yes", "quote": "x", "region": "left"} for name in QUESTIONS}
    verdict["ve_names"] = {"answer": "yes", "quote": "made up", "quote_found": False}
    verdict["ve_there"] = {"answer": "no"}
    found = details([row(0, scored([judged(json.dumps(verdict))]))], OPTIONS, MADE)["judges"]
    assert list(found) == ["each"]
    assert found["each"]["a"] == {
        "mean": pytest.approx((50 + 100 + 100) / 3 + 25 / 3),
        "judged": 1,
        "failed": 0,
        "quotes": 10,
        "quotes_not_found": 1,
        "regions": 3,
        "regions_missing": 1,
    }


CASES: list[tuple[float, float, float | None, Annotation]] = [
    # points of evidence and of mapping, the value of `lenient`, the gold
    (0, 100, 1, GOLD),  # 0: mapping without evidence
    (49.9, 50, 0, GOLD),  # 1: the same, labels wrong
    (50, 49.9, 1, GOLD),  # 2: evidence without mapping; right labels, wrong mapping
    (100, 0, 0, LITERAL),  # 3: evidence without mapping
    (0, 0, 1, LITERAL),  # 4: right labels, wrong mapping
    (100, 100, 1, GOLD),  # 5: all is well
    (0, 0, None, GOLD),  # 6: the labels could not be scored
]


def counted() -> dict[str, Any]:
    rows = [
        (row(place, NOBODY, lenient, gold), {"visual_evidence": evidence, "mapping_correctness": mapping})
        for place, (evidence, mapping, lenient, gold) in enumerate(CASES)
    ]
    return mismatch([*rows, (row(9, BLANK), None)], OPTIONS, MADE)


@pytest.mark.parametrize(
    ("kind", "keys", "of", "metaphors"),
    [
        ("mapping_without_evidence", ["k0", "k1"], 3, {"count": 2, "of": 3}),
        ("evidence_without_mapping", ["k2", "k3"], 3, {"count": 1, "of": 2}),
        ("right_labels_wrong_mapping", ["k2", "k4"], 4, {"count": 1, "of": 3}),
    ],
)
def test_three_kinds_of_mismatch(kind: str, keys: list[str], of: int, metaphors: dict[str, int]) -> None:
    found = counted()[kind]
    assert (found["keys"], found["count"], found["of"]) == (keys, len(keys), of)
    assert found["metaphors"] == metaphors
    assert found["low"] < found["share"] == len(keys) / of < found["high"]


def test_mismatch_is_over_what_was_judged_and_by_the_threshold_of_the_assumptions() -> None:
    assert counted()["judged"] == len(CASES)
    assert counted()["shown_from"] == 50
    assert mismatch([], OPTIONS, MADE)["mapping_without_evidence"]["share"] is None


def test_a_rubric_without_the_two_criteria_says_so() -> None:
    other = msgspec.json.decode(shipped())
    other["criteria"][0]["id"] = "seen"
    assert list(mismatch([], OPTIONS, assumptions_of(json.dumps(other)))) == ["note"]


def test_details_are_plain_data() -> None:
    found = details(drawn_verdicts(1), OPTIONS, MADE)
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert set(found) == {"judges", "mismatch"}
