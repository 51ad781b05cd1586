"""Metaphors on the page of a sample: labels, stages with their boxes, and what each judge said."""

from __future__ import annotations

from pathlib import Path

import pytest

from beholder.viewer.sample_data import Metaphor, SamplePage
from report.made_metaphor_pages import CASES, CRITERIA, HOSTILE_WORDS, MAPPING, metaphor_run
from viewer.shown_runs import by_scorer, page_of


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, SamplePage]:
    folder: Path = metaphor_run(tmp_path_factory.mktemp("m3r")).folder
    return {name: page_of(folder, place) for place, name in enumerate(CASES)}


def metaphor(page: SamplePage) -> Metaphor:
    found = page.answers[0].metaphor
    assert found is not None
    return found


def test_labels_and_stages_stand_beside_the_gold(pages: dict[str, SamplePage]) -> None:
    page = pages["all right"]
    found = metaphor(page)
    assert [(row.name, row.gold, row.said, row.right) for row in found.labels] == [
        ("metaphor", "yes", "yes", True),
        ("target", "cigarette", "cigarette", True),
        ("source", "bomb", "bomb", True),
        ("sentiment", "negative", "negative", True),
    ]
    assert page.gold_stages is not None
    (gold,) = page.gold_stages.evidence
    assert (gold.kind, gold.box) == ("visual", (0.25, 0.25, 0.75, 0.75))
    assert found.stages is not None
    assert found.stages.mapping == MAPPING
    assert found.stages.evidence[0].box == (0.0, 0.0, 0.5, 0.5)
    assert "metaphor yes, target cigarette" in page.gold


def test_only_the_part_of_a_box_inside_the_picture_is_drawn(pages: dict[str, SamplePage]) -> None:
    stages = metaphor(pages["hostile"]).stages
    assert stages is not None
    assert [piece.box for piece in stages.evidence] == [(0.0, 0.1, 1.0, 0.5), None, (0.1, 0.5, 0.4, 0.9)]
    assert "cannot be drawn" in stages.evidence[1].place
    assert HOSTILE_WORDS.replace("\N{NULL}", "")[:40] in stages.evidence[0].text


def test_broken_rules_are_sentences(pages: dict[str, SamplePage]) -> None:
    assert any("names a target or source" in fault for fault in metaphor(pages["hostile"]).faults)
    assert metaphor(pages["all right"]).faults == []


def test_each_judge_has_its_points_and_answers(pages: dict[str, SamplePage]) -> None:
    first, second = metaphor(pages["all right"]).judgements
    assert (first.points, second.points) == (100.0, 100.0)
    assert [one.title for one in first.criteria] == [criterion.title for criterion in CRITERIA]
    asked = [len(criterion.questions) for criterion in CRITERIA]
    assert [len(one.ratings) for one in first.criteria] == asked
    rating = first.criteria[0].ratings[0]
    assert (rating.answer, rating.quote, rating.region, rating.quote_found) == ("yes", MAPPING, "centre", True)
    assert rating.question.endswith("?")


def test_a_judge_that_failed_says_why(pages: dict[str, SamplePage]) -> None:
    good, bad = sorted(metaphor(pages["judge failed"]).judgements, key=lambda one: one.points is None)
    assert good.points == 100.0
    assert (bad.points, bad.criteria) == (None, [])
    assert bad.failure.startswith("failed (owner judge")


def test_what_judges_something_else_is_apart(pages: dict[str, SamplePage]) -> None:
    rubric = by_scorer(pages["all right"].answers[0])["rubric"]
    assert (rubric.apart, rubric.read) == (True, None)
    assert not by_scorer(pages["all right"].answers[0])["lenient"].apart
