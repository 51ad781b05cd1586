"""Conversations with tools in a report page: what its data holds, how much of it, and that it stays text."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from html_pages import HOSTILE, TAGS, Parsed, twelve_statements, written
from made_conversations import CROP, TALKS, conversations, python

from beholder.engine.lifecycle import Result
from beholder.report import html_trajectories
from beholder.report.html_pictures import NOT_THERE, Images
from beholder.report.html_trajectories import FIRST_TURNS, LAST_TURNS
from beholder.tools.settings import Arm, Budget


@pytest.fixture(scope="module")
def talks(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """A run of one talk of each kind."""
    return conversations(tmp_path_factory.mktemp("talks"))


@pytest.fixture(scope="module")
def page(talks: Result, tmp_path_factory: pytest.TempPathFactory) -> Parsed:
    return written(tmp_path_factory.mktemp("page") / "report.html", talks.folder)


def talk_of(page: Parsed, item: int) -> dict[str, object]:
    (response,) = page.data["samples"][item]["r"]
    found: dict[str, object] = response["tr"]
    return found


SUMMARIES = [
    "2 turns, 1 call: crop ✓",
    "3 turns, 2 calls: python ✗ error, python ✓",
    "1 turn, no calls",
    "4 turns, 4 calls: crop ✓ ×3, crop – not run",
    "3 turns, 3 calls: zoom_in ✗ unknown tool, crop ✗ malformed, python ✗ stopped",
    "6 turns, 6 calls: crop ✓ ×5, crop – not run",
    "2 turns, 1 call: python ✓",
    "2 turns, 1 call: rotate ✓",
    "1 turn, 1 call: crop ✓",
]
FILTERED = [["used"], ["used", "failed"], ["none"], ["used", "budget", "stale"], ["used", "failed"], ["used", "budget"]]
FILTERED += [["used"], ["used", "stale"], ["used"]]


def test_each_conversation_has_a_summary_and_what_it_is_filtered_by(page: Parsed) -> None:
    assert [talk_of(page, item)["s"] for item in range(9)] == SUMMARIES
    assert [talk_of(page, item)["f"] for item in range(9)] == FILTERED
    assert {name for names in FILTERED for name in names} == set(dict(page.data["tools"]))


def test_a_call_stands_with_the_picture_it_was_about_and_those_it_made(page: Parsed) -> None:
    turns = talk_of(page, 1)["u"]
    assert isinstance(turns, list)
    (failed,), (ran,) = turns[0]["c"], turns[1]["c"]
    assert ("b" in failed, "i" in failed) == (False, False), "nothing new, nothing to compare"
    assert failed["k"] == "raise cv"
    assert failed["t"].endswith("NameError: name 'cv' is not defined")
    before, (first, second) = ran["b"], ran["i"]
    assert [before[1], first[1:], second[1:]] == ["image_1", ["image_2", "400x300"], ["image_3", "120x500"]]
    assert before[0] == page.data["samples"][1]["p"][0]
    places = [before[0], first[0], second[0]]
    sizes = [page.data["pictures"][place][1:3] for place in places]
    assert sizes == [[192, 144], [192, 144], [46, 192]]
    assert turns[2] == {"n": 3, "last": 1, "x": turns[2]["x"]}, "the answer itself stands in the card"


def test_a_picture_that_was_made_again_is_in_the_page_once(page: Parsed) -> None:
    turns = talk_of(page, 3)["u"]
    assert isinstance(turns, list)
    made = [call["i"][0] for turn in turns for call in turn["c"] if call.get("ok")]
    assert len({place for place, _, _ in made}) == 1
    assert [name for _, name, _ in made] == ["image_2", "image_3", "image_4"]
    files = [large for *_, large in page.data["pictures"]]
    assert len(files) == len(set(files))


def test_only_whole_pictures_of_the_run_itself_are_shown(talks: Result, tmp_path: Path) -> None:
    run = tmp_path / talks.folder.name
    shutil.copytree(talks.folder, run)
    before = written(tmp_path / "before.html", run)
    turns = talk_of(before, 1)["u"]
    assert isinstance(turns, list)
    first, second = turns[1]["c"][0]["i"]
    paths = [Path(before.data["pictures"][place][3]).name for place, _, _ in (first, second)]
    blobs = {f"beholder-{blob.name[:32]}.png": blob for blob in (run / "blobs").rglob("*") if blob.is_file()}
    blobs[paths[0]].write_bytes(blobs[paths[1]].read_bytes())
    blobs[paths[1]].unlink()
    after = written(tmp_path / "after.html", run)
    turns = talk_of(after, 1)["u"]
    assert isinstance(turns, list)
    changed, gone = turns[1]["c"][0]["i"]
    assert after.data["pictures"][changed[0]][0] == "", "another picture under its name"
    assert gone[0] == NOT_THERE


def test_a_page_without_images_has_none_of_the_new_ones(talks: Result, tmp_path: Path) -> None:
    page = written(tmp_path / "report.html", talks.folder, images=Images.NONE)
    assert page.data["pictures"] == []
    assert not (tmp_path / "report_images").exists()
    assert '"i":[[-1,"image_2"' in page.scripts[0]


def test_hostile_talk_code_and_output_are_only_text(page: Parsed) -> None:
    assert {tag for tag, _ in page.tags} <= TAGS
    assert len(page.scripts) == 2
    assert not set("<>&") & set(page.scripts[0])
    turn = talk_of(page, 6)["u"][0]  # type: ignore[index]
    for text in (turn["t"], turn["c"][0]["k"], turn["c"][0]["t"]):
        assert HOSTILE["script-end"] in text
        assert HOSTILE["svg"] in text
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)


def test_long_conversations_keep_their_beginning_and_end(tmp_path: Path) -> None:
    number = FIRST_TURNS + LAST_TURNS + 6
    turns = [(f"Part {turn}. {'long ' * 9000}", [("crop", json.dumps({"part": turn}))] * 2) for turn in range(number)]
    result = conversations(tmp_path, [("maze", turns)], budget=Budget(turns=number, repeats=3))
    page = written(tmp_path / "report.html", result.folder)
    talk = talk_of(page, 0)
    kept = talk["u"]
    assert isinstance(kept, list)
    assert [turn["n"] for turn in kept] == [*range(1, FIRST_TURNS + 1), *range(number - LAST_TURNS + 1, number + 1)]
    assert talk["more"] == 6
    assert (tmp_path / "report.html").stat().st_size < 1_000_000
    assert "characters left out" in kept[0]["t"]
    shown = sum(len(call.get("i", ())) for turn in kept for call in turn["c"])
    assert shown == html_trajectories._MOST_PICTURES
    left = [call for turn in kept for call in turn["c"] if "more" in call]
    assert left, "the others are counted"
    assert all(call["more"] == 1 and "b" not in call for call in left)


def test_many_calls_in_one_turn_are_counted(tmp_path: Path) -> None:
    calls = [python(f"print({number})") for number in range(html_trajectories.CALLS + 5)]
    result = conversations(tmp_path, [("maze", [("Many.", calls), ("B", [])])])
    (turn, _) = talk_of(written(tmp_path / "report.html", result.folder), 0)["u"]  # type: ignore[misc]
    assert (len(turn["c"]), turn["more"]) == (html_trajectories.CALLS, 5)


def test_a_conversation_that_came_to_nothing_is_told(tmp_path: Path) -> None:
    result = conversations(tmp_path, [("maze", [("FAIL", [])])])
    talk = talk_of(written(tmp_path / "report.html", result.folder), 0)
    assert (talk["s"], talk["e"], talk["bad"], talk["u"]) == ("0 turns, no calls", "ended: a request failed", 1, [])


# -- the section about tools ---------------------------------------------------------------------------------------


def test_the_section_about_tools_has_every_figure_as_text(page: Parsed) -> None:
    for words in (
        "executed 13 (68.4 %)",
        "unknown tool 1 (5.3 %)",
        "19 calls:",
        "mean 2.67, median 2, most 6 a conversation",
        "76.9 % (10 of 13) of the calls that ran brought a new picture",
        "22.2 % (2 of 9) by a budget",
        "Score against turns, by task",
        "maze2.50100.0 %2",
    ):
        assert words in page.text, words


def test_runs_stand_side_by_side_each_with_its_own_tools(talks: Result, tmp_path: Path) -> None:
    other = conversations(tmp_path, TALKS[:3], name="other")
    page = written(tmp_path / "report.html", talks.folder, other.folder)
    assert "19 calls:" in page.text
    assert "3 calls:" in page.text
    assert "maze2.50100.0 %22.50100.0 %2" in page.text
    assert "math3.2525.0 %4–––" in page.text, "only the first run has it"


def test_a_run_without_tools_has_no_such_section(tmp_path: Path) -> None:
    page = written(tmp_path / "report.html", twelve_statements(tmp_path))
    assert "Score against turns" not in page.text
    assert '"tr"' not in page.scripts[0]


def test_a_tool_that_a_model_invents_is_only_text(tmp_path: Path) -> None:
    name = HOSTILE["image"]
    page = written(
        tmp_path / "report.html", conversations(tmp_path, [("maze", [("Look.", [(name, CROP)])] * 9)]).folder
    )
    assert f"operations{name} 4" in page.text
    assert talk_of(page, 0)["s"] == f"4 turns, 4 calls: {name} ✗ unknown tool ×3, {name} – not run"
    assert {tag for tag, _ in page.tags} <= TAGS


def test_one_model_with_different_tools_is_called_by_them(talks: Result, tmp_path: Path) -> None:
    rotating = conversations(tmp_path, TALKS[:2], arm=Arm.ROTATE)
    page = written(tmp_path / "report.html", talks.folder, rotating.folder, talks.folder)
    model = "openai/talker"
    assert page.data["runs"] == [f"{model}, visual (1)", f"{model}, rotate", f"{model}, visual (2)"]
