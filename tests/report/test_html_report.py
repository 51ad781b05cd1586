"""A report page as a file: what is in it, that nothing in it is markup, and what it leaves on the disk."""

from __future__ import annotations

import doctest
import json
import os
import random
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from html_pages import (
    HOSTILE,
    TAGS,
    constant_run,
    hostile_answer,
    hostile_statements,
    keys,
    result_of,
    served_run,
    statements,
    twelve_statements,
    written,
)

from beholder.errors import UsageError
from beholder.report import html_report, html_texts, parts
from beholder.report.html_pictures import Images
from beholder.report.html_report import pictures_folder
from beholder.score import Outcome, Score
from made_runs import vl_data
from scripted_server import Reply

RIGHT = "<think>seen</think><answer>T</answer>"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in which every text is hostile, the model's name among them."""
    folder = tmp_path_factory.mktemp("hostile")
    return served_run(hostile_statements(folder), folder / "runs", hostile_answer, name=HOSTILE["image"])


@pytest.fixture(scope="module")
def twelve(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of twelve statements about three pictures."""
    return twelve_statements(tmp_path_factory.mktemp("twelve"))


@pytest.fixture(scope="module")
def blind(twelve: Path) -> Path:
    """A run on the same statements by a model that looks at no picture."""
    return constant_run(twelve.parent.parent / "tfq.jsonl", twelve.parent, RIGHT)


# -- text is text --------------------------------------------------------------------------------------------------


def test_no_text_becomes_an_element_or_an_attribute(hostile: Path, tmp_path: Path) -> None:
    page = written(tmp_path / "report.html", hostile, hostile)
    assert {tag for tag, _ in page.tags} <= TAGS
    assert len(page.scripts) == 2, "the data and the page's own script"
    named = {name for tag, attributes in page.tags for name in attributes if tag != "link"}
    assert [attributes for tag, attributes in page.tags if tag == "link"] == [{"rel": "icon", "href": "data:,"}]
    assert {name for name in named if name.startswith("on")} == set()
    assert named & {"href", "src", "srcdoc", "action", "formaction", "style", "xlink:href"} == set()
    policies = [attributes for tag, attributes in page.tags if tag == "meta" and "http-equiv" in attributes]
    assert [policy["http-equiv"] for policy in policies] == ["Content-Security-Policy"]


def visible(text: str) -> str:
    """The text without blanks, without what cannot be seen and without the signs that stand for it."""
    text = re.sub(r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[\d*m|\[31m|\[0m|2J|\\ud83d", "", text)
    return "".join(char for char in text if char.isprintable() and char not in " \ufffd" and not "␀" <= char <= "␡")


@pytest.mark.parametrize("name", HOSTILE)
def test_every_text_is_there_word_for_word_but_for_what_cannot_be_seen(
    hostile: Path, tmp_path: Path, name: str
) -> None:
    place, text = list(HOSTILE).index(name), visible(HOSTILE[name])
    sample = written(tmp_path / "report.html", hostile, images=Images.NONE).data["samples"][place]
    (response,) = sample["r"]
    assert sample["i"] == place
    assert text in visible(sample["q"])
    assert text[:60] in visible(sample["id"])
    assert text[:60] in visible(sample["c"])
    if place % 10 == 9:
        assert response["f"].startswith("provider: HTTP 400")
    else:
        assert text in visible(response["t"])
        assert text[:60] in visible(response["th"])


def test_the_data_block_holds_nothing_that_html_could_read(hostile: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    scripts = written(page, hostile).scripts
    assert not set("<>&") & set(scripts[0])
    assert HOSTILE["script-end"] in json.loads(scripts[0])["samples"][1]["r"][0]["t"]
    content = page.read_bytes()
    assert b"\x00" not in content
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", content.decode("utf-8"))


def test_the_policy_lets_in_what_is_ours_and_nothing_else(twelve: Path, tmp_path: Path) -> None:
    page = written(tmp_path / "report.html", twelve)
    policy = next(attributes["content"] for tag, attributes in page.tags if "http-equiv" in attributes) or ""
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert html_report._digest(page.scripts[1]) in policy
    first = [tag for tag, _ in page.tags][:4]
    assert first == ["html", "head", "meta", "meta"], "before anything that it is about"


def test_no_path_of_this_machine_is_in_a_page(twelve: Path, blind: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(blind / "run.db")) as db, db:
        before = db.execute("SELECT id, code FROM scorers").fetchall()
        db.execute("UPDATE scorers SET code = 'other'")
    page = tmp_path / "report.html"
    shown = written(page, twelve, blind)
    with closing(sqlite3.connect(blind / "run.db")) as db, db:
        db.executemany("UPDATE scorers SET code = ?2 WHERE id = ?1", before)
    assert "are not by the scorers as they are now" in shown.text
    assert str(twelve.parent.parent) not in page.read_text()
    assert str(Path.home()) + os.sep not in page.read_text()


# -- what is in it -------------------------------------------------------------------------------------------------


def test_the_headline_stands_with_interval_denominator_and_another_scorer(twelve: Path, tmp_path: Path) -> None:
    result = result_of(twelve)
    text = written(tmp_path / "report.html", twelve).text
    recipe, lenient = (result.metrics[scorer]["question_accuracy"] for scorer in ("recipe", "lenient"))
    assert recipe.value is not None
    assert lenient.value is not None
    assert recipe.low is not None
    assert recipe.high is not None
    assert f"{100 * recipe.value:.1f} %95 % [{100 * recipe.low:.1f}, {100 * recipe.high:.1f}] · n=12" in text
    assert f"“question_accuracy” by recipe · {100 * lenient.value:.1f} % by lenient" in text
    for words in ("Scorers side by side", "group_accuracy", "By category, scorer recipe", "Every part", "SHA-256"):
        assert words in text


def test_every_figure_is_in_a_table_without_any_script(twelve: Path, blind: Path, tmp_path: Path) -> None:
    text = written(tmp_path / "report.html", twelve, blind).text
    for result in map(result_of, (twelve, blind)):
        for figures in result.metrics.values():
            for name, metric in figures.items():
                assert name in text
                assert metric.value is None or f"{100 * metric.value:.1f} %" in text


def test_runs_stand_side_by_side_and_are_told_apart(twelve: Path, blind: Path, tmp_path: Path) -> None:
    page = written(tmp_path / "report.html", twelve, blind, twelve)
    assert page.data["runs"] == ["openai/test-model (1)", f"constant/{RIGHT}", "openai/test-model (2)"]
    assert [one["m"] for one in page.data["samples"][0]["r"]] == [0, 1, 2]
    assert "Against openai/test-model (1), item by item" in page.text
    assert "+0.0 points" in page.text
    assert "the runs differ in" not in page.text


def test_pictures_come_from_whichever_run_has_them(twelve: Path, blind: Path, tmp_path: Path) -> None:
    alone = written(tmp_path / "alone.html", blind)
    assert alone.data["pictures"] == []
    assert [sample["p"] for sample in alone.data["samples"]] == [[-1]] * 12
    assert "12 pictures are not here" in alone.text
    assert not pictures_folder(tmp_path / "alone.html").exists()
    both = written(tmp_path / "both.html", blind, twelve)
    assert [sample["p"] for sample in both.data["samples"]] == [[0], [1], [2]] * 4
    assert "are not here" not in both.text
    assert len(list(pictures_folder(tmp_path / "both.html").iterdir())) == 3


def test_runs_without_a_common_item_still_make_a_page(twelve: Path, tmp_path: Path) -> None:
    data = statements(tmp_path, 5)
    data.write_text(data.read_text().replace("hope", "<b>fear</b>"))
    page = written(tmp_path / "report.html", twelve, constant_run(data, tmp_path / "runs", RIGHT))
    assert "no item in common" in page.text
    assert [len(sample["r"]) for sample in page.data["samples"]] == [1] * 17


def test_an_incomplete_run_and_one_without_any_answer_say_so(tmp_path: Path) -> None:
    data = statements(tmp_path, 6)
    folder = constant_run(data, tmp_path / "runs", RIGHT)
    with closing(sqlite3.connect(folder / "run.db")) as db, db:
        db.execute("DELETE FROM scores WHERE response > 4")
        db.execute("DELETE FROM responses WHERE id > 4")
    assert "Incomplete: 2 of 6 responses are missing." in written(tmp_path / "a.html", folder).text

    refused = served_run(
        data, tmp_path / "runs", lambda request: Reply(status=400, body=b'{"error": "no <b>such</b>"}')
    )
    page = written(tmp_path / "b.html", refused, folder)
    assert "Nothing could be scored: 0 answered, 6 failed." in page.text
    assert "6 failed (owner provider, request): HTTP 400" in page.text
    assert "<b>such</b>" in page.text
    alone = written(tmp_path / "c.html", refused)
    assert "Scorers side by side" not in alone.text
    assert {one["f"][:8] for sample in alone.data["samples"] for one in sample["r"]} == {"provider"}


def test_votes_name_the_stored_answer_that_they_prefer(tmp_path: Path) -> None:
    data = vl_data(tmp_path, 4)
    folder = constant_run(
        data, tmp_path / "runs", "Overall Judgment: Answer 1 is better.", name="vl-rewardbench", votes=3
    )
    page = written(tmp_path / "report.html", folder)
    seen = set()
    for sample in page.data["samples"]:
        assert "stored answer 1: A tree stands there." in sample["q"]
        assert len(sample["r"]) == 3
        for vote, one in enumerate(sample["r"]):
            (preferred,) = {score["st"] for score in one["s"]}
            assert one["a"].startswith(f"vote {vote} · Answer 1 is stored answer {preferred}, Answer 2 is")
            right = sample["g"] == f"stored answer {preferred}"
            assert {score["o"] for score in one["s"]} == {"right" if right else "wrong"}
            seen.add(preferred)
    assert seen == {1, 2}


@pytest.mark.parametrize(("limit", "shown"), [(0, 0), (1, 1), (11, 11), (12, 12), (2000, 12)])
def test_a_page_holds_the_first_samples(twelve: Path, blind: Path, tmp_path: Path, limit: int, shown: int) -> None:
    page = written(tmp_path / "report.html", twelve, blind, limit=limit)
    samples = page.data["samples"]
    assert [sample["i"] for sample in samples] == list(range(shown))
    assert all(len(sample["r"]) == 2 for sample in samples)
    assert len(set(keys(samples))) == shown
    assert (f"The first {shown} of 12 samples" in page.text) == (shown < 12)
    assert len(page.data["pictures"]) == min(shown, 3)


def test_runs_of_several_benchmarks_or_of_none_are_refused(twelve: Path, tmp_path: Path) -> None:
    other = constant_run(vl_data(tmp_path, 2), tmp_path / "runs", "x", name="vl-rewardbench")
    for folders, words in (((twelve, other), "tfq, vl-rewardbench"), ((), "none")):
        with pytest.raises(UsageError, match=words):
            written(tmp_path / "report.html", *folders)
    assert not (tmp_path / "report.html").exists()


# -- the text of a response ----------------------------------------------------------------------------------------

SPANS = {
    "plain": ("so it is T.", "T"),
    "astral before": ("😀𝕏 it is T.", "T"),
    "astral in it": ("it is 😀T😀.", "😀T😀"),
    "controls": ("\x00\x1b[1m\u202eT\u202c", "T"),
    "half a pair before": ("\ud83d it is T", "T"),
    "carriage returns": ("a\r\nb\r\nT", "T"),
}


@pytest.mark.parametrize(("text", "answer"), SPANS.values(), ids=SPANS.keys())
@pytest.mark.parametrize("filling", [0, 5_000, 1_000_000])
@pytest.mark.parametrize("at_the_end", [True, False])
def test_the_answer_is_marked_where_a_browser_counts(text: str, answer: str, filling: int, at_the_end: bool) -> None:
    whole = "x" * filling + text if at_the_end else text + "x" * filling
    start = whole.index(answer)
    scores = {
        "strict": Score(1, Outcome.SCORED, span=None),
        "lenient": Score(1, Outcome.SCORED, span=(start, start + len(answer))),
    }
    shown, span = html_texts.shown(whole, scores, 1_000)
    assert span is not None
    units = shown.encode("utf-16-le")
    assert units[2 * span[0] : 2 * span[1]].decode("utf-16-le") == answer
    assert len(shown) < 1_100
    assert ("characters left out" in shown) == (len(whole) > 1_000)


def test_a_span_that_is_not_shown_or_not_there_is_not_marked() -> None:
    rng = random.Random(3)
    text = "".join(rng.choice("ab😀\n") for _ in range(5_000))
    for span in ((2_400, 2_600), (480, 600), (10, 10), (-4, 3), (20, 9_000), (7, 3)):
        shown, marked = html_texts.shown(text, {"lenient": Score(1, Outcome.SCORED, span=span)}, 1_000)
        assert marked is None
        assert shown.startswith(text[:500])
        assert shown.endswith(text[-500:])
        assert "[… 4,000 characters left out …]" in shown


def test_the_examples_in_the_docstrings_hold() -> None:
    assert doctest.testmod(parts) == doctest.TestResults(failed=0, attempted=2)
