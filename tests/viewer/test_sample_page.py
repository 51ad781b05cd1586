"""The page of a sample, on runs of every kind: what it shows is what the run holds."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

import made_tir
from beholder.benchmarks import own
from beholder.errors import UsageError
from beholder.peers import inspect_log
from beholder.store import reading, schema
from beholder.viewer import pictures
from beholder.viewer.sample_page import sample_page
from beholder.viewer.texts import told
from made_runs import number_of, tfq_data
from peers import peer_files
from peers.made_imports import imported
from report.html_pages import HOSTILE, constant_run, hostile_answer, hostile_statements, served_run
from scripted_server import Reply, Request, completion
from viewer.shown_runs import by_scorer, keys, library_of, name_of, own_run, page_of, shown_part, votes_run


def answer(request: Request) -> Reply:
    number = number_of(request)
    if number == 3:
        return Reply(status=400, body=b'{"error": {"message": "the picture is too wide"}}')
    said = ["<think>😀 seen</think><answer>T</answer>", "So it is True.", "It depends."][number]
    return Reply(completion(said, reasoning_content="I look."))


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four statements: answered as asked, in other words, not at all, and refused by the server."""
    folder = tmp_path_factory.mktemp("plain")
    data = tfq_data(folder / "data", 4, images=2, category=["a", "b", "a", "b"], difficulty=["easy"] * 4)
    return served_run(data, folder / "runs", answer)


@pytest.fixture(scope="module")
def votes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return votes_run(tmp_path_factory.mktemp("votes"))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    return served_run(hostile_statements(folder / "data"), folder / "runs", hostile_answer, name=HOSTILE["image"])


@pytest.fixture
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    own.forget()
    yield
    own.forget()


def test_an_item_is_shown_with_what_was_asked_and_what_came_back(plain: Path) -> None:
    page = page_of(plain, 0)
    assert (page.place, page.index, page.category, page.difficulty) == (0, 0, "a", "easy")
    assert page.question == "Statement 0: the lamp stands for hope."
    assert (page.gold, page.options, page.stored) == ("T", [], [])
    assert page.scorers == ["recipe", "official", "strict", "lenient"]
    assert page.may_mark
    (shown,) = page.pictures
    assert (shown.width, shown.height, shown.name) == (32, 24, "images/0.jpg")
    assert shown.sha256 is not None
    assert pictures.is_kept(plain, shown.sha256)
    assert shown.sent.startswith("sent as 32x24 JPEG")

    (said,) = page.answers
    assert (said.reasoning, said.finish, said.failure, said.order) == ("I look.", "stop", "", [])
    verdict = by_scorer(said)["strict"]
    assert (verdict.bucket, verdict.value, verdict.read, verdict.apart) == ("right", 1.0, "T", False)
    assert shown_part(said, verdict) == "T", "the face before it is two units, and one character"
    facts = {fact.name: fact.words for fact in said.facts}
    assert facts["model that answered"]
    assert facts["token limit"] == "64"
    assert "attempts" not in facts
    assert not said.made_again
    assert [message.role for message in said.prompt] == ["user"]
    assert said.prompt[0].text.count("[image 1]") == 1
    assert page.question in said.prompt[0].text
    assert (said.talk, said.metaphor, said.triplets, said.theirs) == (None, None, [], "")


def test_each_scorer_says_what_it_read_and_why(plain: Path) -> None:
    said = by_scorer(page_of(plain, 1).answers[0])
    assert (said["strict"].bucket, said["strict"].read) == ("unparsed", None)
    assert said["strict"].reason
    assert (said["lenient"].bucket, said["lenient"].read) == ("wrong", "T")
    assert by_scorer(page_of(plain, 2).answers[0])["lenient"].bucket == "unparsed"


def test_a_failure_names_who_has_to_mend_it(plain: Path) -> None:
    page = page_of(plain, 3)
    (said,) = page.answers
    assert said.text is None
    assert said.failure == "owner provider, request: HTTP 400: the picture is too wide"
    assert {verdict.bucket for verdict in said.verdicts} == {"failed"}
    assert {verdict.value for verdict in said.verdicts} == {None}


def test_votes_are_mapped_back_to_the_stored_answers(votes: Path) -> None:
    page = page_of(votes, 1)
    assert page.stored == ["A tree stands there.", "A house with 1 windows."]
    assert page.gold == "stored answer 1"
    assert [(one.epoch, one.vote) for one in page.answers] == [(e, v) for e in (0, 1) for v in (0, 1, 2)]
    for one in page.answers:
        assert sorted(one.order) == [1, 2]
        assert by_scorer(one)["strict"].stored == one.order[0], "it prefers what is shown first"
    firsts = [one.order[0] for one in page.answers]
    row = next(one for one in page.majority if one.scorer == "strict")
    assert row.votes == [firsts.count(1), firsts.count(2)]
    assert (row.neither, row.failed) == (0, 0)
    for epoch in (0, 1):
        winner = 1 + (sum(firsts[3 * epoch : 3 * epoch + 3]) > 4)
        verdict = "right" if winner == 1 else "wrong"
        assert f"epoch {epoch}: {verdict}: stored answer {winner}" in row.decision

    none = next(one for one in page_of(votes, 2).majority if one.scorer == "strict")
    assert (none.votes, none.neither) == ([0, 0], 6)
    assert none.decision == "; ".join(f"epoch {epoch}: no verdict can be read in most" for epoch in (0, 1))


def test_a_model_that_gets_no_request_has_its_prompt_made_again(tmp_path: Path) -> None:
    folder = constant_run(tfq_data(tmp_path / "data", 2), tmp_path / "runs", "T")
    page = page_of(folder)
    (said,) = page.answers
    assert said.made_again
    assert [(one.role, "[image 1]" in one.text, page.question in one.text) for one in said.prompt] == [
        ("user", True, True)
    ]
    shown = page.pictures[0]
    assert (shown.sha256, shown.sent) == (None, "The run keeps no copy of this picture.")


@pytest.mark.usefixtures("own_state")
def test_options_of_a_benchmark_of_ones_own_stand_beside_their_letters(tmp_path: Path) -> None:
    page = page_of(own_run(tmp_path))
    assert page.options == ["A. dog", "B. cat"]
    assert page.gold == "B. cat"


def test_options_that_the_question_has_are_not_shown_twice(tmp_path: Path) -> None:
    result, _, _ = made_tir.run_tir(tmp_path, [made_tir.record(0)], ["It is B."])
    page = page_of(result.folder)
    assert (page.options, page.gold) == ([], "B")


def test_an_imported_answer_has_the_other_tools_word_beside_it(tmp_path: Path) -> None:
    folder = imported(inspect_log.read(peer_files.JSON), peer_files.lamps(tmp_path), tmp_path / "runs")
    said = page_of(folder, 3).answers[0]
    assert said.theirs.splitlines() == ["inspect's pattern: I", "inspect's match: C, read Answer: F"]
    assert (said.prompt, said.made_again) == ([], False), "its prompt is the tool's, and not known"


def test_every_text_is_as_it_came_and_can_be_sent(hostile: Path) -> None:
    with library_of(hostile.parents[1]) as library, closing(schema.open_to_read(hostile / "run.db")) as db:
        run = name_of(library, hostile)
        for place, (key, (name, text)) in enumerate(zip(keys(hostile), HOSTILE.items(), strict=True)):
            page = sample_page(library, run, key)
            assert msgspec.json.decode(msgspec.json.encode(page), type=type(page)) == page, name
            sample = reading.sample(db, key)
            assert sample is not None
            assert (page.place, page.id, page.question) == (place, told(sample.record_id, 300), sample.question)
            stored = next(iter(reading.responses(db, key=key))).response
            assert page.answers[0].text == stored.text, name
            if stored.failure is None and "surrogate" not in name:
                assert page.answers[0].text is not None
                assert page.answers[0].text.startswith(text), name


def test_the_index_may_be_behind_the_run(plain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(shutil.copytree(plain.parent, tmp_path / "runs")) / plain.name
    with library_of(tmp_path) as library:
        index = library.index(name_of(library, folder), whole=True)
        monkeypatch.setattr(type(index), "place_of", lambda self, key: None)
        assert sample_page(library, name_of(library, folder), keys(folder)[2]).place == -1


NO_ITEMS = ["", "0", "nothing", "x" * 5_000, "a\0b", "%", "\udc80", "../../run.db", "' OR 1=1 --"]


@pytest.mark.parametrize("key", NO_ITEMS)
def test_an_item_that_is_not_there_is_said_plainly(plain: Path, key: str) -> None:
    with library_of(plain.parents[1]) as library, pytest.raises(UsageError, match="holds no answered item"):
        sample_page(library, name_of(library, plain), key)


def test_triplets_are_looked_for_in_a_few_answers_only(tmp_path: Path) -> None:
    said = '{"triplets": [["lamp", "stands for", "hope"]]}'
    folder = constant_run(tfq_data(tmp_path / "data", 1), tmp_path / "runs", said, epochs=14)
    found = [[(row.subject, row.role) for row in one.triplets] for one in page_of(folder).answers]
    assert found == [[("lamp", "extra")]] * 12 + [[]] * 2
