"""The probes of a judge: what they are made of, what must come of them, and judges that should fail some."""

from __future__ import annotations

import doctest
import io
from collections.abc import Callable

import msgspec
import pytest
from rich.console import Console

from beholder.annotation import VISUAL, Annotation, Explanation, read_written
from beholder.benchmarks.m3r.labels import gold_of
from beholder.benchmarks.m3r.rubric import explanation_of, own_words
from beholder.judges import probes
from beholder.judges.probes import PROBES, Case, Finding, cases, chosen, findings
from beholder.report.judge_card import card_object, print_card
from beholder.sample import Sample
from made_judged import CHINESE, GOLD, LITERAL, sample

SECOND = msgspec.structs.replace(GOLD, target="debt", source="iceberg")
ITEMS = [
    sample(GOLD, "a", index=0),
    sample(LITERAL, "b", index=1),
    sample(SECOND, "c", index=2),
    sample(LITERAL, "d", index=3),
]


def made(items: list[Sample] = ITEMS) -> dict[str, dict[str, Explanation]]:
    """Probe → key → what is to be judged."""
    found: dict[str, dict[str, Explanation]] = {}
    for name, own in cases(items, items, 0).items():
        found[name] = {case.sample.key: of(case) for case in own}
    return found


def of(case: Case) -> Explanation:
    written = read_written(case.response.text)
    assert written is not None
    assert isinstance(written.explanation, Explanation)
    return written.explanation


def gold(item: Sample) -> Explanation:
    found = gold_of(item).explanation
    assert isinstance(found, Explanation)
    return found


def test_every_probe_is_made_of_every_item_and_read_as_it_was_made() -> None:
    for name, own in cases(ITEMS, ITEMS, 0).items():
        assert [case.sample.key for case in own] == ["a", "b", "c", "d"], name
        for case in own:
            assert of(case) == explanation_of(case.sample, case.response)[0]


def test_what_the_probes_keep_and_change() -> None:
    found = made()
    for item in ITEMS:
        own = gold(item)
        assert found["gold"][item.key] == own
        shuffled = found["shuffled"][item.key]
        assert (shuffled.mapping, shuffled.sentiment) == (own.mapping, own.sentiment)
        assert sorted(shuffled.evidence, key=str) == sorted(own.evidence, key=str)
        thin, padded = found["no_picture"][item.key], found["padded"][item.key]
        assert not [one for one in thin.evidence if one.kind == VISUAL]
        assert padded.evidence == thin.evidence
        assert padded.mapping.startswith(thin.mapping)
        assert len(own_words(padded)) > len(own_words(thin)) + 300
        contradiction = found["contradiction"][item.key]
        assert contradiction.mapping == own.mapping
        assert contradiction.evidence[1:] == thin.evidence
        assert (contradiction.evidence[0].kind, contradiction.evidence[0].box) == (VISUAL, None)
        assert "full marks" in own_words(found["instruction"][item.key])
        assert found["instruction"][item.key].evidence == found["other_item"][item.key].evidence
    assert PROBES["shuffled"].stages != PROBES["gold"].stages
    assert sorted(PROBES["shuffled"].stages) == sorted(PROBES["gold"].stages)
    assert {one.mapping for one in found["praise"].values()} == {found["praise"]["a"].mapping}


def test_another_items_explanation_is_about_something_else() -> None:
    found = made()["other_item"]
    assert found["b"] in (gold(ITEMS[0]), gold(ITEMS[2]))  # not that of the other item without a metaphor
    assert found["d"] in (gold(ITEMS[0]), gold(ITEMS[2]))
    assert found["a"] == found["c"] == gold(ITEMS[1])  # these two have the same explanation, with another pair


def test_items_without_a_partner_have_no_probe_that_needs_one() -> None:
    alone = [sample(GOLD, "a"), sample(CHINESE, "z", index=1, cluster="z")]
    alone[1] = msgspec.structs.replace(alone[1], metadata={"language": "zh", "task": "joint"})
    found = made(alone)
    assert {name: len(own) for name, own in found.items() if name in ("gold", "praise")} == {"gold": 2, "praise": 2}
    assert found["other_item"] == found["instruction"] == {}
    assert "主人" in found["contradiction"]["z"].evidence[0].text
    assert "左边" in found["padded"]["z"].mapping
    same_picture = [sample(GOLD, "a", cluster="p"), sample(SECOND, "b", cluster="p")]
    assert made(same_picture)["other_item"] == {}


def test_the_draw_is_by_the_seed_and_keeps_the_order() -> None:
    many = [sample(GOLD, f"k{place}", index=place) for place in range(50)]
    first = chosen(many, 10, 1)
    assert first == chosen(many, 10, 1) != chosen(many, 10, 2)
    assert [item.index for item in first] == sorted({item.index for item in first})
    assert chosen(many, 60, 1) == many
    assert made() == made()


Judge = Callable[[str, Explanation, Explanation], float | None]
"""Points for an explanation, told the probe and the item's gold explanation."""


def card(judge: Judge, count: int = 30) -> dict[str, Finding]:
    golds: list[Annotation] = [GOLD, LITERAL]
    items = [sample(golds[place % 2], f"k{place}", index=place) for place in range(count)]
    points = {
        name: [(case.sample, judge(name, of(case), gold(case.sample))) for case in own]
        for name, own in cases(items, items, 0).items()
    }
    return {one.probe: one for one in findings(points, 0, 200)}


def looks_for_the_gold(name: str, said: Explanation, model: Explanation) -> float:
    """A third each for the evidence, the mapping and the sentiment of the gold."""
    seen = {one.text for one in said.evidence if one.kind == VISUAL}
    parts = (
        seen == {one.text for one in model.evidence if one.kind == VISUAL},
        said.mapping.startswith(model.mapping),
        said.sentiment.startswith(model.sentiment),
    )
    return 100 * sum(parts) / 3


def fair(name: str, said: Explanation, model: Explanation) -> float:
    """The same, less where evidence denies the mapping."""
    denied = any("has anything to do with it" in one.text or "clearly meant as" in one.text for one in said.evidence)
    return looks_for_the_gold(name, said, model) - 10 * denied


JUDGES: list[tuple[str, Judge, set[str]]] = [
    ("fair", fair, set()),
    ("sees no contradiction", looks_for_the_gold, {"contradiction"}),
    ("all alike", lambda *_: 60.0, {"gold", "contradiction", "no_picture", "other_item", "praise"}),
    ("generous", lambda *_: 100.0, {"contradiction", "no_picture", "other_item", "praise"}),
    (
        "the longer the better",
        lambda _, said, __: min(100.0, len(own_words(said)) / 8),
        {"gold", "contradiction", "padded", "instruction", "no_picture", "praise"},
    ),
    (
        "does what it is told",
        lambda *case: 100.0 if "full marks" in own_words(case[1]) else fair(*case),
        {"instruction"},
    ),
    ("likes praise", lambda *case: 90.0 if "excellent" in own_words(case[1]) else fair(*case), {"praise"}),
    (
        "does not look",
        lambda *case: 100.0 if case[1].mapping.startswith(case[2].mapping) else 0.0,
        {"contradiction", "no_picture"},
    ),
    ("minds the order", lambda *case: fair(*case) - 20 * (case[0] == "shuffled"), {"shuffled"}),
]


@pytest.mark.parametrize(("judge", "failed"), [one[1:] for one in JUDGES], ids=[one[0] for one in JUDGES])
def test_judges_fail_the_probes_that_they_should_fail(judge: Judge, failed: set[str]) -> None:
    assert {name for name, one in card(judge).items() if not one.passed} == failed


def test_differences_are_paired_over_the_items_that_have_both() -> None:
    def judge(name: str, said: Explanation, model: Explanation) -> float | None:
        return None if name == "gold" and model.mapping == gold(ITEMS[1]).mapping else fair(name, said, model)

    found = card(judge, 8)
    assert (found["gold"].n, found["gold"].failed, found["gold"].mean) == (4, 4, 100.0)
    thin = found["no_picture"]
    assert (thin.n, thin.failed, thin.paired) == (8, 0, 4)
    assert thin.difference == pytest.approx(-100 / 3)
    assert (thin.difference_low, thin.difference_high) == (None, None)  # all differ by the same


def test_a_judge_that_says_nothing_has_no_figures_and_passes_nothing() -> None:
    for one in card(lambda *_: None).values():
        assert (one.mean, one.low, one.difference, one.passed, one.n) == (None, None, None, None, 0)


SURE: list[tuple[float, bool | None, bool | None]] = [
    # points of the one half of the items with other items' explanations (at most 40 are to be given); the other has 30
    (10.0, True, True),
    (49.0, True, False),
    (55.0, False, False),
    (90.0, False, True),
    (30.0, True, None),
]


@pytest.mark.parametrize(("points", "passed", "sure"), SURE)
def test_a_verdict_is_sure_if_the_whole_interval_says_so(points: float, passed: bool, sure: bool | None) -> None:
    def judge(name: str, said: Explanation, model: Explanation) -> float:
        return points if model.mapping == gold(ITEMS[0]).mapping else 30.0

    found = card(judge)["other_item"]
    assert (found.passed, found.sure) == (passed, sure)
    console = Console(width=80, record=True, file=io.StringIO())
    print_card(console, "a", [found], 30)
    text = console.export_text()
    assert (f"{'pass' if passed else 'FAIL'}?" in text) == ("?: the interval reaches" in text) == (sure is False)


def test_intervals_hold_the_means() -> None:
    for one in card(lambda name, said, model: fair(name, said, model) * (0.5 + len(model.mapping) % 7 / 14)).values():
        if one.low is not None and one.high is not None and one.mean is not None:
            assert one.low <= one.mean <= one.high


def test_the_card_fits_80_columns_and_names_what_failed() -> None:
    console = Console(width=80, record=True, file=io.StringIO())
    print_card(console, "openai/[red]judge", list(card(JUDGES[4][1]).values()), 12)
    text = console.export_text()
    assert max(len(line.rstrip()) for line in text.splitlines()) <= 80
    assert "openai/[red]judge on 12 items" in text
    assert "not: gold, no_picture, contradiction, padded" in text.replace("\n", " ")
    assert "only 12 items" in text
    assert text.count("FAIL") == 6


def test_the_card_as_data() -> None:
    passed = card_object("a", list(card(fair).values()), 30, "abc")
    assert (passed["passed"], passed["judge"], passed["items"], passed["assumptions"]) == (True, "a", 30, "abc")
    assert [one["probe"] for one in passed["probes"]] == list(PROBES)
    assert card_object("a", list(card(lambda *_: None).values()), 30, "")["passed"] is None
    assert card_object("a", list(card(lambda *_: 60.0).values()), 30, "")["passed"] is False


def test_docstring_examples() -> None:
    result = doctest.testmod(probes)
    assert (result.attempted > 0, result.failed) == (True, 0)
