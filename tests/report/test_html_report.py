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

import PIL.Image
import pytest
from html_pages import (
    HOSTILE,
    TAGS,
    Parsed,
    constant_run,
    hostile_answer,
    hostile_statements,
    keys,
    result_of,
    served_run,
    statements,
    true_or_unsure,
)

from beholder.errors import UsageError
from beholder.report import html_figures, html_report, html_samples
from beholder.report.html_pictures import Images
from beholder.report.html_report import pictures_folder, write_html
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
    """A run of twelve statements about three pictures; answers differ in how well they keep to the format."""
    folder = tmp_path_factory.mktemp("twelve")
    data = statements(folder, 12, category=["a", "b", "b"] * 4)
    return served_run(data, folder / "runs", true_or_unsure)


@pytest.fixture(scope="module")
def blind(twelve: Path) -> Path:
    """A run on the same statements by a model that looks at no picture."""
    return constant_run(twelve.parent.parent / "tfq.jsonl", twelve.parent, RIGHT)


def written(out: Path, *folders: Path, images: Images = Images.BESIDE, limit: int = 2000) -> Parsed:
    return Parsed(write_html([result_of(folder) for folder in folders], out, images=images, limit=limit))


def tree(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


# -- text is text --------------------------------------------------------------------------------------------------


def test_no_text_becomes_an_element_or_an_attribute(hostile: Path, tmp_path: Path) -> None:
    page = written(tmp_path / "report.html", hostile, hostile)
    assert {tag for tag, _ in page.tags} <= TAGS
    assert len(page.scripts) == 2, "the data and the page's own script"
    named = {name for _, attributes in page.tags for name in attributes}
    assert {name for name in named if name.startswith("on")} == set()
    assert named & {"href", "src", "srcdoc", "action", "formaction", "style", "xlink:href"} == set()
    policies = [attributes for tag, attributes in page.tags if tag == "meta" and "http-equiv" in attributes]
    assert [policy["http-equiv"] for policy in policies] == ["Content-Security-Policy"]


def visible(text: str) -> str:
    """The text without blanks, without what cannot be seen and without the signs that stand for it."""
    text = re.sub(r"\x1b\[[\d;]*m|\x9b2J|\[31m|\[0m|\\ud83d", "", text)
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
        assert text in visible(response["t"]).replace("2J", "" if "2J" not in text else "2J")
        assert text[:60] in visible(response["th"]).replace("2J", "")


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
    shown, span = html_samples._shown(whole, scores, 1_000)
    assert span is not None
    units = shown.encode("utf-16-le")
    assert units[2 * span[0] : 2 * span[1]].decode("utf-16-le") == answer
    assert len(shown) < 1_100
    assert ("characters left out" in shown) == (len(whole) > 1_000)


def test_a_span_that_is_not_shown_or_not_there_is_not_marked() -> None:
    rng = random.Random(3)
    text = "".join(rng.choice("ab😀\n") for _ in range(5_000))
    for span in ((2_400, 2_600), (480, 600), (10, 10), (-4, 3), (20, 9_000), (7, 3)):
        shown, marked = html_samples._shown(text, {"lenient": Score(1, Outcome.SCORED, span=span)}, 1_000)
        assert marked is None
        assert shown.startswith(text[:500])
        assert shown.endswith(text[-500:])
        assert "[… 4,000 characters left out …]" in shown


# -- what it leaves on the disk ------------------------------------------------------------------------------------


def test_large_pictures_are_the_runs_own_bytes(twelve: Path, tmp_path: Path) -> None:
    page = written(tmp_path / "my report #1.html", twelve)
    blobs = {blob.read_bytes() for blob in (twelve / "blobs").glob("??/*")}
    assert {file.read_bytes() for file in (tmp_path / "my report #1_images").iterdir()} == blobs
    assert [width for _, width, _, _ in page.data["pictures"]] == [192] * 3
    for _, _, _, large in page.data["pictures"]:
        assert re.fullmatch(r"\./my%20report%20%231_images/beholder-[0-9a-f]{32}\.jpg", large)


def test_embedded_pictures_lie_in_the_page_after_its_script(twelve: Path, tmp_path: Path) -> None:
    page = written(tmp_path / "report.html", twelve, images=Images.EMBEDDED)
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    assert len(page.scripts) == 2 + 3
    assert all(script.startswith("data:image/jpeg;base64,") for script in page.scripts[2:])
    assert [large for _, _, _, large in page.data["pictures"]] == [""] * 3
    bare = written(tmp_path / "report.html", twelve, images=Images.NONE)
    assert bare.data["pictures"] == []
    assert {tuple(sample["p"]) for sample in bare.data["samples"]} == {()}


FOREIGN = (
    "0123456789abcdef0123456789abcdef.jpg",
    "0123456789abcdef0123456789abcdef.png",
    "beholder-notes.txt",
    "beholder-0123456789abcdef0123456789abcdef.jpg.bak",
    ".hidden",
    "deeper/beholder-0123456789abcdef0123456789abcdef.jpg",
)


def test_a_second_report_removes_its_own_old_pictures_and_no_other_file(twelve: Path, tmp_path: Path) -> None:
    out, folder = tmp_path / "report.html", tmp_path / "report_images"
    written(out, twelve)
    old = folder / f"beholder-{'0' * 32}.jpg"
    old.write_bytes(b"of an earlier report")
    for name in FOREIGN:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(b"somebody else's")
    written(out, twelve)
    assert not old.exists()
    assert len(list(folder.glob("beholder-*.jpg"))) == 3
    written(out, twelve, images=Images.EMBEDDED)
    assert tree(folder) == dict.fromkeys(FOREIGN, b"somebody else's")


def test_the_folder_of_pictures_goes_with_the_last_of_them(twelve: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    written(out, twelve)
    written(out, twelve, images=Images.NONE)
    assert list(tree(tmp_path)) == ["report.html"]


def test_a_picture_that_is_cut_short_is_written_again(twelve: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    written(out, twelve)
    whole = tree(tmp_path)
    cut = next((tmp_path / "report_images").iterdir())
    cut.write_bytes(cut.read_bytes()[:100])
    written(out, twelve)
    assert tree(tmp_path) == whole


def test_a_page_that_cannot_be_written_leaves_the_old_one_whole(
    twelve: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "report.html"
    written(out, twelve)
    (tmp_path / "report_images" / f"beholder-{'0' * 32}.jpg").write_bytes(b"of the old page")
    before = tree(tmp_path)

    def full_disk(path: Path, data: bytes) -> None:
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(html_report, "write_atomically", full_disk)
    with pytest.raises(UsageError, match="cannot be written: No space left on device"):
        written(out, twelve, limit=1)
    assert tree(tmp_path) == before


def test_places_where_no_page_can_be_are_refused(twelve: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "linked_images").symlink_to(tmp_path)
    for out in (tmp_path, tmp_path / "file" / "report.html", tmp_path / "linked.html"):
        with pytest.raises(UsageError):
            written(out, twelve)
    assert tree(tmp_path) == {"file": b"x"}


# -- runs from elsewhere -------------------------------------------------------------------------------------------


def test_a_foreign_run_cannot_make_a_report_read_other_files(tmp_path: Path) -> None:
    """Records that point to files of this machine, blobs that are links, pipes, or not what their name says."""
    data = statements(tmp_path, 6)
    folder = served_run(data, tmp_path / "runs", true_or_unsure)
    secret = tmp_path / "images" / "0.jpg"
    digests = {blob.name for blob in (folder / "blobs").glob("??/*")}
    first, second, third = sorted(digests)
    places = [
        str(secret),
        f"file:{secret}",
        f"sha256:../../../{secret.name}",
        f"sha256:{first}",
        f"sha256:{second}",
        f"sha256:{third}",
    ]
    link, pipe, changed = (folder / "blobs" / digest[:2] / digest for digest in (first, second, third))
    target = tmp_path / "target"
    target.write_bytes(link.read_bytes())
    for blob in (link, pipe, changed):
        blob.unlink()
    link.symlink_to(target)
    os.mkfifo(pipe)
    changed.write_bytes(target.read_bytes())
    with closing(sqlite3.connect(folder / "run.db")) as db, db:
        for place, (key, record) in zip(
            places, db.execute("SELECT key, record FROM samples ORDER BY position").fetchall(), strict=True
        ):
            changed_record = json.loads(record)
            changed_record["images"] = [{"name": "x", "path": place}]
            db.execute("UPDATE samples SET record = ? WHERE key = ?", (json.dumps(changed_record), key))
    page = written(tmp_path / "out" / "report.html", folder)
    assert [small for small, *_ in page.data["pictures"] if small] == []
    assert list(tree(tmp_path / "out")) == ["report.html"]
    assert "6 pictures are not here" in page.text


def test_pictures_that_browsers_do_not_show_become_png(tmp_path: Path) -> None:
    data = statements(tmp_path, 3)
    for index, kind in enumerate(("BMP", "TIFF", "PNG")):
        PIL.Image.new("RGB", (400, 300), (index, 9, 9)).save(tmp_path / "images" / f"{index}.jpg", kind)
    folder = served_run(data, tmp_path / "runs", true_or_unsure)
    page = written(tmp_path / "report.html", folder)
    assert all(large.endswith(".png") for _, _, _, large in page.data["pictures"])
    assert {file.read_bytes()[:4] for file in (tmp_path / "report_images").iterdir()} == {b"\x89PNG"}


def test_the_examples_in_the_docstrings_hold() -> None:
    assert doctest.testmod(html_figures) == doctest.TestResults(failed=0, attempted=1)
