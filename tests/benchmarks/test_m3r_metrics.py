"""The figures of M3R-Bench: by hand, and against scikit-learn on random rows."""

from __future__ import annotations

import math
import random
from typing import Any

import msgspec
import numpy as np
import pytest
from m3r_rows import GUN, PLAIN, answer, drawn, sample, scored, whole_answer
from msgspec import UNSET
from sklearn.metrics import confusion_matrix, f1_score, precision_score, recall_score

from beholder.annotation import LABELS, SENTIMENTS, Annotation
from beholder.benchmarks.benchmark import MetricOptions
from beholder.benchmarks.m3r import BENCHMARK, under
from beholder.benchmarks.m3r.assumptions import SlotRules, shipped
from beholder.benchmarks.m3r.slots import same, token_f1
from beholder.errors import Owner
from beholder.sample import Failure, Judged, Response
from beholder.score import Metric, ScoredItem

OPTIONS = MetricOptions(resamples=200)
LOST = Response(failure=Failure(Owner.PROVIDER, "http_500", "The server failed."))
OTHER = Annotation(metaphor=True, target="life", source="a road", sentiment="positive")


def rows_of(
    *pairs: tuple[Annotation, Annotation | str | Response], task: str = "joint", **about: Any
) -> list[ScoredItem]:
    return [
        scored(sample(gold, task, number, **about), whole_answer(said) if isinstance(said, Annotation) else said)
        for number, (gold, said) in enumerate(pairs)
    ]


def figures(items: list[ScoredItem], scorer: str = "lenient") -> dict[str, Metric]:
    found = BENCHMARK.metrics(items, OPTIONS)
    return found.get(scorer, {})


def changed(gold: Annotation, **labels: Any) -> Annotation:
    return Annotation(**{name: labels.get(name, getattr(gold, name)) for name in LABELS})


NO = {"metaphor": False, "target": None, "source": None}
MIXED = (
    (GUN, GUN),
    (GUN, changed(GUN, target="a smoking man")),
    (GUN, changed(GUN, source="war", sentiment="neutral")),
    (GUN, changed(GUN, **NO)),
    (GUN, "What a picture."),
    (GUN, LOST),
    (PLAIN, PLAIN),
    (PLAIN, changed(PLAIN, sentiment="positive")),
    (PLAIN, changed(GUN, sentiment="neutral")),
    (PLAIN, changed(PLAIN, target="smoking", source="gun")),  # T99
)
# name, value, n
BY_HAND = [
    ("joint", 2 / 9, 9),
    ("right", 2 / 9, 9),
    ("metaphor_accuracy", 6 / 9, 9),
    ("metaphor_precision", 3 / 4, 4),
    ("metaphor_recall", 3 / 5, 5),
    ("metaphor_f1", 2 / 3, 9),
    ("target_exact", 2 / 5, 5),
    ("target_exact_all", 4 / 9, 9),
    ("source_exact", 2 / 5, 5),
    ("source_exact_all", 4 / 9, 9),
    ("target_f1", (1 + 2 / 3 + 1) / 5, 5),
    ("target_f1_all", (1 + 2 / 3 + 1 + 2) / 9, 9),
    ("source_f1", 2 / 5, 5),
    ("source_f1_all", 4 / 9, 9),
    ("slots_exact", 1 / 5, 5),
    ("slots_exact_all", 3 / 9, 9),
    ("sentiment_accuracy", 6 / 9, 9),
    ("structure", 1 / 8, 8),
    ("language/en", 2 / 9, 9),
    ("origin/made", 2 / 9, 9),
]


@pytest.mark.parametrize(("name", "value", "n"), BY_HAND)
def test_figures_by_hand(name: str, value: float, n: int) -> None:
    found = figures(rows_of(*MIXED))
    assert found[name].value == pytest.approx(value)
    assert found[name].n == n
    assert set(found) == {name for name, _, _ in BY_HAND} | {"sentiment_macro_f1"}


def test_failed_rows_are_outside_of_every_denominator_and_bound_what_they_can() -> None:
    found = figures(rows_of(*MIXED))
    joint = found["joint"]
    assert (joint.failed, joint.worst, joint.best) == (1, 2 / 10, 3 / 10)
    assert (found["metaphor_f1"].failed, found["metaphor_precision"].failed) == (1, 1)
    assert found["metaphor_precision"].worst is None
    assert (found["metaphor_recall"].failed, found["structure"].failed) == (1, 0)


def test_the_two_ways_to_count_none_say_which_they_are() -> None:
    found = figures(rows_of(*MIXED))
    for slot in ("target", "source", "slots"):
        assert "over the metaphors" in found[f"{slot}_exact"].note
        assert "over all items" in found[f"{slot}_exact_all"].note


def test_all_failed_or_none_there() -> None:
    found = figures(rows_of((GUN, LOST), (PLAIN, LOST)))
    assert all(metric.value is None and metric.n == 0 for metric in found.values())
    assert BENCHMARK.metrics([], OPTIONS) == {}


def test_no_metaphor_in_gold_or_answers_gives_no_f1() -> None:
    found = figures(rows_of((PLAIN, PLAIN), (PLAIN, PLAIN)))
    for name in ("metaphor_precision", "metaphor_recall", "metaphor_f1", "target_exact", "slots_exact"):
        assert found[name].value is None, name
    assert found["metaphor_accuracy"].value == found["target_exact_all"].value == found["joint"].value == 1


# --- against scikit-learn -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_identification_and_sentiment_are_scikit_learns(seed: int) -> None:
    rng = random.Random(seed)
    pairs: list[tuple[Annotation, Annotation | str | Response]] = []
    for _ in range(120):
        gold = drawn(rng)
        unread = rng.random() < 0.1
        pairs.append((gold, "What a picture." if unread else gold if rng.random() < 0.3 else drawn(rng)))
    found = figures(rows_of(*pairs))
    gold_m = [gold.metaphor for gold, _ in pairs]
    said_m = [isinstance(said, Annotation) and said.metaphor is True for _, said in pairs]
    gold_e = [str(gold.sentiment) for gold, _ in pairs]
    said_e = [str(said.sentiment) if isinstance(said, Annotation) else "none" for _, said in pairs]
    assert found["metaphor_precision"].value == pytest.approx(precision_score(gold_m, said_m))
    assert found["metaphor_recall"].value == pytest.approx(recall_score(gold_m, said_m))
    assert found["metaphor_f1"].value == pytest.approx(f1_score(gold_m, said_m))
    macro = f1_score(gold_e, said_e, labels=list(SENTIMENTS), average="macro", zero_division=0)
    assert found["sentiment_macro_f1"].value == pytest.approx(macro)
    assert found["sentiment_accuracy"].value == pytest.approx(np.mean(np.array(gold_e) == np.array(said_e)))
    for name in ("metaphor_f1", "sentiment_macro_f1"):
        metric = found[name]
        assert metric.low is not None
        assert metric.high is not None
        assert metric.low < (metric.value or 0) < metric.high
    table = BENCHMARK.details(rows_of(*pairs), OPTIONS)["confusion"]["lenient"] if BENCHMARK.details else {}
    names = [*SENTIMENTS, "none"]
    assert [list(row.values()) for row in table.values()] == confusion_matrix(gold_e, said_e, labels=names)[:3].tolist()


@pytest.mark.parametrize("seed", range(3))
def test_slots_are_plain_means_over_the_rows_that_count(seed: int) -> None:
    rng, rules = random.Random(seed), SlotRules()
    pairs = [(drawn(rng), drawn(rng)) for _ in range(80)]
    found = figures(rows_of(*pairs))
    for slot in ("target", "source"):
        both = [(getattr(gold, slot), getattr(said, slot), gold.metaphor) for gold, said in pairs]
        metaphors = [(gold, said) for gold, said, metaphor in both if metaphor]
        for ending, own in (("", metaphors), ("_all", [(gold, said) for gold, said, _ in both])):
            exact = math.fsum(same(gold, said, rules) for gold, said in own) / len(own)
            shared = math.fsum(token_f1(gold, said, rules) for gold, said in own) / len(own)
            assert found[f"{slot}_exact{ending}"].value == pytest.approx(exact)
            assert found[f"{slot}_f1{ending}"].value == pytest.approx(shared)


def test_slots_that_contradict_the_yes_or_no_share_no_words_with_the_gold() -> None:
    found = figures(rows_of((GUN, changed(GUN, metaphor=False)), (GUN, changed(GUN, target=None))))
    for name in ("target_f1", "source_f1", "target_exact", "source_exact", "slots_exact"):
        assert (found[name].value, found[name].n) == (0, 2), name


def test_a_gold_without_yes_or_no_is_a_metaphor_by_its_slots() -> None:
    found = figures(rows_of((changed(GUN, metaphor=UNSET), GUN), (changed(PLAIN, metaphor=UNSET), PLAIN)))
    assert (found["target_exact"].n, found["target_exact_all"].n, found["slots_exact"].n) == (1, 2, 1)
    assert "metaphor_accuracy" not in found


def test_items_of_one_picture_are_one_cluster_in_every_interval() -> None:
    rng = random.Random(5)
    items = rows_of(*[(drawn(rng), drawn(rng)) for _ in range(60)])
    shared = [msgspec.structs.replace(item, cluster=f"picture-{number // 2}") for number, item in enumerate(items)]
    for name in ("metaphor_f1", "sentiment_macro_f1", "joint"):
        assert figures(items)[name].interval in ("bootstrap", "wilson")
        assert figures(shared)[name].interval == "cluster bootstrap"


def test_macro_f1_is_over_the_sentiments_that_the_gold_has() -> None:
    found = figures(rows_of((GUN, GUN), (PLAIN, changed(PLAIN, sentiment="positive")), (PLAIN, PLAIN)))
    metric = found["sentiment_macro_f1"]
    assert metric.value == pytest.approx((1 + 2 / 3) / 2)
    assert "mean of 2 sentiments: the gold has no positive" in metric.note


# --- properties -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_gold_against_itself_is_right_everywhere(seed: int) -> None:
    rng = random.Random(seed)
    items = []
    for number in range(30):
        one = sample(drawn(rng, whole=seed % 2 == 0), number=number)
        (response,) = BENCHMARK.gold(one)
        items.append(scored(one, response))
    for scorer in ("strict", "lenient"):
        for name, metric in figures(items, scorer).items():
            assert metric.value == (0 if name == "structure" else 1), (scorer, name)


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_the_rows_changes_nothing(seed: int) -> None:
    rng = random.Random(seed)
    items = rows_of(*[(drawn(rng, whole=False), drawn(rng)) for _ in range(40)])
    mixed = rng.sample(items, len(items))
    assert BENCHMARK.metrics(items, OPTIONS) == BENCHMARK.metrics(mixed, OPTIONS)


@pytest.mark.parametrize("seed", range(3))
def test_the_joint_figure_is_never_above_that_of_a_label(seed: int) -> None:
    rng = random.Random(seed)
    pairs = []
    for _ in range(60):
        gold = drawn(rng)
        pairs.append((gold, gold if rng.random() < 0.5 else drawn(rng)))
    found = figures(rows_of(*pairs))
    joint = found["joint"].value
    assert joint is not None
    for name in ("metaphor_accuracy", "target_exact_all", "source_exact_all", "slots_exact_all", "sentiment_accuracy"):
        value = found[name].value
        assert value is not None
        assert joint <= value
    for slot in ("target", "source"):
        assert (found[f"{slot}_exact"].value or 0) <= (found[f"{slot}_f1"].value or 0)


# --- labels that the gold does not give, tasks, parts ---------------------------------------------------------------


def test_a_label_that_the_gold_lacks_is_in_no_denominator_of_it_and_the_note_says_so() -> None:
    found = figures(rows_of((GUN, GUN), (Annotation(sentiment="negative"), GUN), (Annotation(metaphor=True), PLAIN)))
    assert (found["joint"].value, found["joint"].n) == (1, 1)
    assert (found["right"].value, found["right"].n) == (2 / 3, 3)
    assert (found["sentiment_accuracy"].value, found["sentiment_accuracy"].n) == (1, 2)
    assert (found["metaphor_accuracy"].value, found["metaphor_accuracy"].n) == (1 / 2, 2)
    assert found["target_exact"].n == 1
    assert "2 without all four gold labels left out" in found["joint"].note
    assert "2 without a gold target left out" in found["target_exact"].note
    assert "1 without a gold sentiment left out" in found["sentiment_accuracy"].note


def test_data_without_slots_has_no_joint_figure_and_leads_with_what_it_has() -> None:
    found = BENCHMARK.metrics(rows_of((Annotation(metaphor=True, sentiment="negative"), GUN)), OPTIONS)
    assert {"joint", "target_exact", "slots_exact"}.isdisjoint(found["lenient"])
    assert BENCHMARK.headline_of(found) == ("lenient", "right")


ALONE = [
    ("metaphor", {"metaphor_accuracy", "metaphor_precision", "metaphor_recall", "metaphor_f1"}),
    ("target", {"target_exact", "target_exact_all", "target_f1", "target_f1_all"}),
    ("source", {"source_exact", "source_exact_all", "source_f1", "source_f1_all"}),
    ("sentiment", {"sentiment_accuracy", "sentiment_macro_f1"}),
]


@pytest.mark.parametrize(("task", "names"), ALONE)
def test_a_task_for_one_label_has_the_figures_of_that_label_alone(task: str, names: set[str]) -> None:
    said = answer(**{task: getattr(GUN, task)})
    items = rows_of((GUN, said), (PLAIN, "What a picture."), (OTHER, LOST), task=task)
    for scorer in ("strict", "lenient"):
        found = figures(items, scorer)
        assert set(found) == {"right", *names, "language/en", "origin/made"}
        assert (found["right"].value, found["right"].n, found["right"].failed) == (1 / 2, 2, 1)
    assert BENCHMARK.headline_of(BENCHMARK.metrics(items, OPTIONS)) == ("lenient", "right")
    details = BENCHMARK.details(items, OPTIONS) if BENCHMARK.details else {}
    assert ("confusion" in details) == (task == "sentiment")


def test_by_language_and_by_origin() -> None:
    items = [
        scored(sample(GUN, number=0, language="en", origin="one"), whole_answer(GUN)),
        scored(sample(GUN, number=1, language="en", origin="two"), whole_answer(changed(GUN, target="life"))),
        scored(sample(PLAIN, number=2, language="zh", origin="two"), whole_answer(PLAIN)),
        scored(sample(PLAIN, number=3, language="zh", origin=""), whole_answer(changed(PLAIN, sentiment="positive"))),
    ]
    found = figures(items)
    values = {name: (metric.value, metric.n) for name, metric in found.items() if "/" in name}
    assert values["language/en"] == (1 / 2, 2)
    assert values["language/en target"] == (1 / 2, 2)
    assert values["language/en source"] == (1, 2)
    assert values["language/zh"] == (1 / 2, 2)
    assert values["language/zh sentiment"] == (1 / 2, 2)
    assert "language/zh target" not in values, "there is no metaphor among them"
    assert values["origin/one"] == (1, 1)
    assert values["origin/two"] == (1 / 2, 2)
    assert not any(name.startswith("origin/ ") or name == "origin/" for name in values)


# --- what judges say ------------------------------------------------------------------------------------------------


def slot_rows(*verdicts: tuple[Annotation, str]) -> list[ScoredItem]:
    """Rows of the gold GUN: what was said, and the verdict of one judge as JSON ("" for none)."""
    items = []
    for number, (said, verdict) in enumerate(verdicts):
        judged = (Judged("slots", "a", verdict),) if verdict else ()
        items.append(
            scored(sample(GUN, number=number), Response(text=whole_answer(said), finish="stop", judged=judged))
        )
    return items


def test_judged_slots_are_over_the_metaphors_and_fill_in_what_needs_no_judge() -> None:
    near = changed(GUN, target="tobacco")
    items = slot_rows(
        (GUN, ""),  # the gold's own words: nobody is asked
        (near, '{"target": {"same": true}}'),
        (changed(GUN, target="health", source="pistol"), '{"target": {"same": false}, "source": {"same": true}}'),
        (changed(GUN, **NO), ""),  # no slots: nobody is asked
        (near, "broken"),  # the judge failed
    )
    found = figures(items, "slots")
    assert {name: (metric.value, metric.n, metric.failed) for name, metric in found.items()} == {
        "target_judged": (2 / 4, 4, 1),
        "source_judged": (4 / 5, 5, 0),  # the one that the judge failed on has the gold's own source
        "slots_judged": (2 / 4, 4, 1),
    }
    assert "2 decided without a judge" in found["target_judged"].note
    assert "4 decided without a judge" in found["source_judged"].note
    assert figures(items)["target_exact"].value == 1 / 5, "what judges say is in no other figure"


def test_similarities_are_apart_from_verdicts_and_never_joined_with_them() -> None:
    near = changed(GUN, target="tobacco")
    items = slot_rows((near, '{"target": {"similarity": 0.8}}'), (GUN, ""))
    found = figures(items, "slots")
    assert {name: metric.value for name, metric in found.items()} == {
        "target_similarity": pytest.approx(0.9),
        "source_similarity": 1,
    }


def test_other_words_that_no_judge_was_asked_about_yet_are_undecided_and_not_wrong() -> None:
    near = changed(GUN, target="tobacco")
    metric = figures(slot_rows((near, '{"target": {"same": true}}'), (near, "")), "slots")["target_judged"]
    assert (metric.value, metric.n, metric.failed, metric.worst) == (1, 1, 1, 1 / 2)


def test_several_judges_are_averaged_and_shown_each() -> None:
    judged = tuple(
        Judged("slots", name, f'{{"target": {{"same": {said}}}}}') for name, said in (("a", "true"), ("b", "false"))
    )
    text = whole_answer(changed(GUN, target="tobacco"))
    found = figures([scored(sample(GUN), Response(text=text, judged=judged))], "slots")
    values = {name: metric.value for name, metric in found.items()}
    assert values["target_judged"] == values["slots_judged"] == 0.5
    assert (values["target_judged/a"], values["target_judged/b"]) == (1, 0)
    assert values["source_judged"] == 1


def test_slots_that_contradict_the_yes_or_no_are_wrong_whatever_a_judge_says() -> None:
    items = slot_rows((changed(GUN, metaphor=False), '{"target": {"same": true}, "source": {"same": true}}'))
    assert figures(items, "slots")["slots_judged"].value == 0


def test_without_judges_their_scorers_have_no_figures() -> None:
    found = BENCHMARK.metrics(slot_rows((GUN, ""), (OTHER, "")), OPTIONS)
    assert set(found) == {"strict", "lenient"}


# --- details --------------------------------------------------------------------------------------------------------


def test_details_count_faults_and_name_the_assumptions() -> None:
    assert BENCHMARK.details is not None
    found = BENCHMARK.details(rows_of(*MIXED), OPTIONS)
    assert found["structure"] == {
        "strict": {"slots_without_metaphor": 1},
        "lenient": {"slots_without_metaphor": 1},
    }
    assert found["confusion"]["lenient"]["negative"] == {"positive": 0, "neutral": 1, "negative": 3, "none": 1}
    assert found["assumptions"]["whose"] == "ours"
    other = under(shipped().replace('"shown_from": 50', '"shown_from": 60'))
    assert other.details is not None
    changed_ones = other.details(rows_of(*MIXED), OPTIONS)["assumptions"]
    assert changed_ones["whose"] == "changed"
    assert changed_ones["sha256"] != found["assumptions"]["sha256"]


def test_rows_with_several_epochs_of_an_item_stay_in_one_cluster() -> None:
    items = rows_of((GUN, GUN), (GUN, OTHER))
    again = [msgspec.structs.replace(item, epoch=1) for item in items]
    found = figures(items + again)
    assert found["joint"].n == 4
    assert found["joint"].interval == "cluster bootstrap"


def test_an_unset_slot_is_not_the_gold_none() -> None:
    found = figures(rows_of((changed(PLAIN, target=UNSET), PLAIN), (PLAIN, answer(metaphor=True, sentiment="neutral"))))
    assert (found["target_exact_all"].value, found["target_exact_all"].n) == (0, 1)
    assert (found["source_exact_all"].value, found["source_exact_all"].n) == (1 / 2, 2)
