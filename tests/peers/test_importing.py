"""Imported runs: answers matched with our items, our scores, the tool's kept beside them, and where they differ."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import peer_files
import pytest
from made_imports import imported
from peer_files import EVAL, EVALSCOPE, LAMP_ANSWERS, LMMS, MAZE_ANSWERS, TSV

import made_runs
from beholder.benchmarks import benchmark
from beholder.engine import rescoring
from beholder.engine.lifecycle import plan_of, read_result
from beholder.errors import DataError, UsageError
from beholder.peers import evalscope, inspect_log, lmms_eval, vlmevalkit
from beholder.peers.differences import Compared, compared
from beholder.peers.importing import FILE, read_kept, refuse_imported, source_of
from beholder.peers.own_samples import samples_of
from beholder.peers.peer_log import PeerAnswer, PeerLog, PeerScore
from beholder.sample import Response
from beholder.store import reading, schema
from beholder.store.folder import read_info


def tables(folder: Path, name: str = "tfq", scorer: str = "") -> dict[str, Compared]:
    kept = read_kept(folder)
    assert kept is not None
    with contextlib.closing(schema.open_to_read(folder / "run.db")) as db:
        return {one.scorer: one for one in compared(db, benchmark(name), kept, scorer)}


LAMPS = [(inspect_log.read, EVAL, 2), (lmms_eval.read, LMMS, 1), (vlmevalkit.read, TSV, 1)]


@pytest.mark.parametrize(("read", "file", "epochs"), LAMPS)
def test_a_log_becomes_a_run_with_its_answers(tmp_path: Path, read: object, file: Path, epochs: int) -> None:
    folder = imported(read(file), peer_files.lamps(tmp_path), tmp_path / "runs")  # type: ignore[operator]
    stored = made_runs.stored(folder)
    expected = [answer for answer in LAMP_ANSWERS for _ in range(epochs)]
    assert [one.response.text if one.response.failure is None else None for one in stored] == expected
    result = read_result(folder, info := read_info(folder), plan_of(info), benchmark("tfq"))
    assert (result.complete, result.tally.failed, result.plan.epochs) == (True, epochs, epochs)
    values = [item.scores["lenient"].value for item in result.items if item.epoch == 0]
    assert values == [1, 1, 1, 1, 0, 0, 0, None, 1, 1]
    kinds = {file.name for file in folder.iterdir()}
    assert kinds == {"run.json", "run.db", "results.json", "blobs", FILE}
    assert len(list((folder / "blobs").glob("??/*"))) == 2


def test_where_inspect_and_we_differ(tmp_path: Path) -> None:
    folder = imported(inspect_log.read(EVAL), peer_files.lamps(tmp_path), tmp_path / "runs")
    found = tables(folder)
    assert {name: len(table.differences) for name, table in found.items()} == {"pattern": 0, "match": 8}
    match_table = found["match"]
    assert (match_table.n, match_table.their_mean, match_table.our_mean) == (18, 4 / 18, 4 / 18)
    by_place = {(one.index, one.epoch): one for one in match_table.differences}
    assert sorted(by_place) == [(place, epoch) for place in (0, 1, 3, 8) for epoch in (0, 1)]
    one = by_place[3, 0]
    assert (one.theirs.written, one.ours.value, one.agreeing) == ("C", 0, ("official", "lenient"))
    assert one.ours.reason == "An answer tag is missing; what the recipe cuts out instead is no answer."


def test_where_lmms_eval_and_we_differ(tmp_path: Path) -> None:
    found = tables(imported(lmms_eval.read(LMMS), peer_files.lamps(tmp_path), tmp_path / "runs"))["lamp_acc"]
    # 7 failed: lmms-eval scores its error text as a wrong answer, we score nothing.
    assert (found.n, found.theirs_only, [one.index for one in found.differences]) == (9, 1, [0, 1, 2, 7, 8])
    refused = found.differences[3]
    assert (refused.theirs.value, refused.ours.value, refused.ours.outcome.value) == (0.0, None, "failed")


def test_where_vlmevalkit_and_we_differ(tmp_path: Path) -> None:
    folder = imported(vlmevalkit.read(TSV), peer_files.lamps(tmp_path), tmp_path / "runs")
    found = tables(folder, scorer="lenient")["hit"]
    assert [one.index for one in found.differences] == [0, 1, 3, 7, 9]
    assert found.differences[3].theirs.value == 1.0  # "Failed…" begins with F
    assert found.differences[3].ours.value is None


def test_where_evalscope_and_we_differ(tmp_path: Path) -> None:
    folder = imported(evalscope.read(EVALSCOPE), peer_files.mazes(tmp_path), tmp_path / "runs", "tir")
    assert [one.response.text for one in made_runs.stored(folder)] == MAZE_ANSWERS
    found = tables(folder, "tir", "lenient")["acc"]
    assert [(one.index, one.theirs.answer, one.ours.reason) for one in found.differences] == [
        (6, "B", "The text names more than one option as its answer.")
    ]


def test_an_imported_run_is_rescored_and_never_resumed(tmp_path: Path) -> None:
    folder = imported(lmms_eval.read(LMMS), peer_files.lamps(tmp_path), tmp_path / "runs")
    assert rescoring.rescore(folder, benchmark("tfq")) == 10
    info = read_info(folder)
    source = source_of(info)
    assert source is not None
    assert source.matched_by == "question"
    assert info.plan["model"]["wire"] == "imported"
    with pytest.raises(UsageError, match="nobody can be asked again"):
        refuse_imported(info, folder)


def test_epochs_of_a_voted_benchmark_are_votes_and_orders_are_read_off_the_prompt(tmp_path: Path) -> None:
    data = made_runs.vl_data(tmp_path / "vl", 2)
    prompts = [
        "Answer 1: A house with 0 windows. Answer 2: A tree stands there. Statement 0: what is drawn?",
        "Statement 1: what is drawn? Answer 1: A tree stands there. Answer 2: A house with 1 windows.",
        "Statement 1: what is drawn?",
    ]
    answers = [
        PeerAnswer(
            where=str(place),
            id=f"mathverse_{(0, 1, 1)[place]}",
            repetition=(0, 0, 1)[place],
            question=prompt,
            response=Response(text="Overall Judgment: Answer 1 is better."),
        )
        for place, prompt in enumerate(prompts)
    ]
    log = PeerLog(peer="inspect", model="m", answers=answers)
    folder = imported(log, data, tmp_path / "runs", "vl-rewardbench")
    stored = made_runs.stored(folder)
    assert [(one.epoch, one.vote, one.response.order) for one in stored] == [
        (0, 0, (1, 0)),
        (0, 1, (0, 1)),
        (0, 0, (0, 1)),
        (0, 1, (0, 1)),
    ]
    # The first item was answered once: its second vote is missing, which is not a wrong vote.
    assert [one.response.failure.kind if one.response.failure else "" for one in stored] == ["", "not_recorded", "", ""]


def test_items_can_be_made_from_the_log_alone() -> None:
    made, told = samples_of(benchmark("tfq"), inspect_log.read(EVAL).answers)
    assert [len(answers) for _, answers in made] == [2] * 10
    assert all(len(sample.images) == 1 for sample, _ in made)
    assert told == ["The items were made from the log itself: keys, groups and categories are not those of the data."]
    mazes, told = samples_of(benchmark("tir"), evalscope.read(EVALSCOPE).answers)
    assert [sample.record_id for sample, _ in mazes] == ["0", "1", "2", "3", "4", "5", "6", "8", "9"]
    assert {sample.category for sample, _ in mazes} == {"maze"}
    blind, told = samples_of(benchmark("tfq"), lmms_eval.read(LMMS).answers)
    assert told[1] == "The log holds no pictures of 10 of 10 items."
    assert len(blind) == 10


@pytest.mark.parametrize(
    ("name", "answer", "words"),
    [
        ("m3r", {}, "No log holds what m3r needs"),
        ("tfq", {"gold": "maybe", "question": "Is it?"}, "its gold must be T or F but is 'maybe'"),
        ("tfq", {"gold": "T"}, "without a question"),
        ("tir", {"gold": "B", "question": "Which?"}, "there is no column 'task'"),
    ],
)
def test_a_log_that_lacks_something_says_what(name: str, answer: dict[str, str], words: str) -> None:
    one = PeerAnswer(where="line 1", id=1, response=Response(text="x"), **answer)  # type: ignore[arg-type]
    with pytest.raises((UsageError, DataError), match=words):
        samples_of(benchmark(name), [one])


def test_a_damaged_file_of_their_scores_is_told_in_one_line(tmp_path: Path) -> None:
    folder = imported(lmms_eval.read(LMMS), peer_files.lamps(tmp_path), tmp_path / "runs")
    for content in ("{", "[]", '{"format": 1, "peer": 3, "items": []}'):
        (folder / FILE).write_text(content)
        with pytest.raises(UsageError, match="cannot be read"):
            read_kept(folder)


def test_scores_that_are_no_shares_are_counted_and_not_compared(tmp_path: Path) -> None:
    log = lmms_eval.read(LMMS)
    answers = [
        PeerAnswer(
            where=one.where,
            id=one.id,
            index=one.index,
            question=one.question,
            response=one.response,
            scores={"rating": PeerScore(None, "85")},
        )
        for one in log.answers
    ]
    folder = imported(
        PeerLog(peer="lmms-eval", model="m", answers=answers), peer_files.lamps(tmp_path), tmp_path / "runs"
    )
    found = tables(folder)["rating"]
    assert (found.n, found.not_shares, found.differences) == (0, 9, [])


def test_their_scores_survive_as_they_were_written(tmp_path: Path) -> None:
    folder = imported(inspect_log.read(EVAL), peer_files.lamps(tmp_path), tmp_path / "runs")
    written = json.loads((folder / FILE).read_text())
    assert (written["format"], written["peer"], len(written["items"])) == (1, "inspect", 20)
    assert written["items"][0]["scores"]["match"]["written"] == "I"
    with contextlib.closing(schema.open_to_read(folder / "run.db")) as db:
        assert set(reading.scorer_codes(db)) == {"recipe", "official", "strict", "lenient"}


def test_places_that_are_only_claimed_are_not_all_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("beholder.peers.importing.MOST_ANSWERS", 15)
    with pytest.raises(UsageError, match="10 items of 2 repetitions each are more than 15 answers"):
        imported(inspect_log.read(EVAL), peer_files.lamps(tmp_path), tmp_path / "runs")
    assert not (tmp_path / "runs").exists()
