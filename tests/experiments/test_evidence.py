"""Experiment 2: which conversations are replayed, who gets whose observations, and what the figures support."""

from __future__ import annotations

import json
import os
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

import made_evidence
from beholder.benchmarks import benchmark
from beholder.engine.plan import Plan
from beholder.engine.replay import Condition
from beholder.errors import UsageError
from beholder.experiments.evidence import (
    Conducted,
    Replayed,
    Source,
    Survey,
    open_source,
    other_models,
    partners,
    placebo_plan,
    replay_plans,
    source_again,
    survey,
)
from beholder.experiments.evidence_findings import Arms, Baseline, Evidence, evidence
from beholder.score import Outcome, Score, ScoredItem
from beholder.store import schema
from beholder.store.folder import Blobs, read_info, write_info
from beholder.tools.settings import Protocol
from made_evidence import IN_TEXT, rests_on_what_it_sees, source_run
from made_runs import EngineRun
from scripted_server import Reply, Request, ScriptedServer, completion

TIR = benchmark("tir")


def item(key: str, category: str = "maze", cluster: str = "", **more: Any) -> Replayed:
    facts = {"epoch": 0, "vote": 0, "turns": 2, "calls": 1, "pictures": True, "prints": True, "stated": False} | more
    return Replayed(key=key, category=category, cluster=cluster, **facts)


ITEMS: list[tuple[str, list[Replayed], int]] = [
    ("ten items", [item(f"k{n}") for n in range(10)], 10),
    ("two", [item("a"), item("b")], 2),
    ("one", [item("a")], 0),
    ("one of each category", [item("a", "maze"), item("b", "ocr")], 0),
    ("two categories", [item(f"k{n}", "maze" if n % 2 else "ocr") for n in range(9)], 9),
    ("one picture", [item(f"k{n}", cluster="p") for n in range(4)], 0),
    ("pictures of two items", [item(f"k{n}", cluster=f"p{n // 2}") for n in range(8)], 8),
    ("five of eight on one picture", [item(f"k{n}", cluster="p" if n < 5 else "") for n in range(8)], 6),
    ("half on one picture", [item(f"k{n}", cluster="p" if n < 4 else "") for n in range(8)], 8),
    ("two epochs of two items", [item(key, epoch=epoch) for key in "ab" for epoch in (0, 1)], 2),
]


@pytest.mark.parametrize(("items", "expected"), [one[1:] for one in ITEMS], ids=[one[0] for one in ITEMS])
@pytest.mark.parametrize("seed", range(5))
def test_each_item_gets_another_one_of_its_category_that_shows_another_picture(
    items: list[Replayed], expected: int, seed: int
) -> None:
    given = partners(items, seed)
    assert len(given) == expected
    assert sorted(given) == sorted(given.values())  # one to one
    known = {one.key: one for one in items}
    for key, other in given.items():
        own, theirs = known[key], known[other]
        assert key != other
        assert own.category == theirs.category
        assert not own.cluster or own.cluster != theirs.cluster


def test_the_swap_follows_from_the_seed_and_not_from_the_order() -> None:
    items = [item(f"k{n}") for n in range(12)]
    assert partners(items, 3) == partners(items[::-1], 3)
    assert len({json.dumps(partners(items, seed), sort_keys=True) for seed in range(8)}) > 4


def found_in(done: EngineRun) -> tuple[Source, Survey]:
    source = open_source(done.folder)
    return source, survey(source)


def test_the_survey_tells_what_the_conversations_hold(tmp_path: Path) -> None:
    with ScriptedServer(rests_on_what_it_sees) as server:
        done = source_run(tmp_path, server.url, 8)
    _, surveyed = found_in(done)
    assert surveyed.left_out == {}
    assert [one.stated for one in surveyed.replayed] == [need == "nothing" for need in made_evidence.RESTS_ON] * 2
    assert all((one.turns, one.calls, one.pictures, one.prints) == (2, 2, True, True) for one in surveyed.replayed)
    assert {one.category for one in surveyed.replayed} == {"maze"}


def test_an_item_whose_picture_is_gone_is_left_out_and_counted(tmp_path: Path) -> None:
    with ScriptedServer(rests_on_what_it_sees) as server:
        done = source_run(tmp_path, server.url, 4)
    source, before = found_in(done)
    blobs = Blobs(done.folder)
    made = sorted(path for path in (done.folder / "blobs").glob("??/*") if path.read_bytes().startswith(b"\x89PNG"))
    made[0].unlink()
    os.truncate(made[1], 10)
    after = survey(source)
    assert after.left_out == {
        "a picture that a tool made is missing": 1,
        "a picture that a tool made cannot be read": 1,
    }
    assert len(after.replayed) == 2
    assert set(after.keys) < set(before.keys)
    assert blobs.read(made[0].name) is None
    # What was planned is told as it was: the arms say themselves if a picture is gone.
    assert survey(source, keys=before.keys) == before


DAMAGE = [
    ("UPDATE turns SET record = 'no JSON' WHERE key = :key", "its turns cannot be read"),
    ("UPDATE responses SET record = json_set(record, '$.conduct.ended', 'x') WHERE key = :key", "its turns cannot be"),
    (
        "UPDATE responses SET record = json_set(record, '$.conduct.attempt', 'x') WHERE key = :key",
        "its turns cannot be",
    ),
    (
        "UPDATE turns SET record = json_set(record, '$.text', hex(zeroblob(9000000))) WHERE key = :key",
        "its turns are larger than any model's context",
    ),
    (
        "UPDATE turns SET record = json_replace(record, '$.observations[0].images[0]', '../../etc/passwd') "
        "WHERE key = :key",
        "a picture is named by what is no hash",
    ),
]


@pytest.mark.parametrize(("statement", "reason"), DAMAGE, ids=[reason for _, reason in DAMAGE])
def test_an_item_whose_record_is_forged_is_left_out_and_counted(statement: str, reason: str, tmp_path: Path) -> None:
    with ScriptedServer(rests_on_what_it_sees) as server:
        done = source_run(tmp_path, server.url, 3)
    _, before = found_in(done)
    with closing(schema.open_to_write(done.folder / "run.db")) as db:
        db.execute(statement, {"key": before.keys[1]})
    _, after = found_in(done)
    assert after.keys == (before.keys[0], before.keys[2])
    ((told, number),) = after.left_out.items()
    assert told.startswith(reason)
    assert number == 1


def test_a_plan_of_endless_votes_is_not_opened(tmp_path: Path) -> None:
    with ScriptedServer(rests_on_what_it_sees) as server:
        done = source_run(tmp_path, server.url, 1)
    info = read_info(done.folder)
    info.settings["plan"]["votes"] = 10**12
    write_info(done.folder, info)
    with pytest.raises(UsageError, match="Not opened"):
        open_source(done.folder)


def test_plans_are_about_the_same_items(tmp_path: Path) -> None:
    with ScriptedServer(rests_on_what_it_sees) as server:
        done = source_run(tmp_path, server.url, 4, lonely=True)
    source, surveyed = found_in(done)
    plans = replay_plans(source, surveyed, tuple(Condition), 1)
    assert {condition: plan.n_asks for condition, plan in plans.items()} == {
        Condition.FULL: 5,
        Condition.NO_IMAGES: 5,
        Condition.NO_TEXT: 5,
        Condition.NEITHER: 5,
        Condition.SWAPPED: 4,
    }
    full = plans[Condition.FULL]
    assert full.tools is None
    assert full.replay is not None
    assert full.replay.partners == {}
    assert [sample.key for sample in full.samples()] == list(surveyed.keys)
    swapped = plans[Condition.SWAPPED]
    assert swapped.replay is not None
    assert set(swapped.replay.partners) == set(swapped.selection.ids)
    live = placebo_plan(source, surveyed.keys)
    assert live.tools is not None
    assert live.tools == msgspec.structs.replace(done.result.plan.tools, placebo=True)  # type: ignore[type-var]
    assert len({json.dumps(plan.identity({}), sort_keys=True) for plan in (*plans.values(), live)}) == 6


def change(done: EngineRun, **settings: Any) -> None:
    """Changes the identity that run.json holds."""
    info = read_info(done.folder)
    info.plan["tools"] |= settings
    write_info(done.folder, info)


def test_a_run_that_cannot_be_replayed_is_refused(tmp_path: Path) -> None:
    with ScriptedServer(rests_on_what_it_sees) as server:
        plain = source_run(tmp_path / "plain", server.url, 1, tools=None)
        native = source_run(tmp_path / "native", server.url, 1)
        in_text = source_run(tmp_path / "text", server.url, 1, tools=IN_TEXT)
    with pytest.raises(UsageError, match="a run without tools"):
        open_source(plain.folder)
    for done in (native, in_text):
        change(done, told_sha256="0" * 64)
    assert open_source(native.folder).plan.tools is not None  # what it was told of its tools is not in the conversation
    with pytest.raises(UsageError, match="told_sha256"):
        open_source(in_text.folder)
    change(native, protocol=Protocol.TEXT.value)
    with pytest.raises(UsageError, match=r"tools\.protocol: text in the run, native now"):
        open_source(native.folder)
    change(native, protocol=Protocol.NATIVE.value)
    (tmp_path / "native" / "set" / "TIR-Bench.json").write_text("[]")
    with pytest.raises(UsageError, match="data_sha256"):
        open_source(native.folder)


def test_a_source_run_that_changed_is_refused(tmp_path: Path) -> None:
    with ScriptedServer(rests_on_what_it_sees) as server:
        done = source_run(tmp_path, server.url, 2)
    source, surveyed = found_in(done)
    plan: Plan = replay_plans(source, surveyed, [Condition.FULL], 0)[Condition.FULL]
    assert source_again(plan).folder == done.folder.resolve()
    with closing(schema.open_to_write(done.folder / "run.db")) as db:
        db.execute("UPDATE turns SET record = replace(record, 'I look', 'I stare')")
    with pytest.raises(UsageError, match="has changed since it was replayed: turns_sha256"):
        source_again(plan)


def row(key: str, value: float | None, read: str | None = None, category: str = "maze", **more: Any) -> ScoredItem:
    outcome = Outcome.FAILED if value is None else Outcome.SCORED
    score = Score(value, outcome, read)
    absent = Score(None, Outcome.NOT_APPLICABLE)
    return ScoredItem(
        index=int(key), key=key, scores={"official": absent, "lenient": score}, cluster=key, category=category, **more
    )


def rows(values: str, **more: Any) -> list[ScoredItem]:
    """One right (`1`), wrong (`0`) or failed (`-`) item for each character; right ones read B, others A."""
    return [
        row(str(place), None if value == "-" else float(value), "AB"[value == "1"], **more)
        for place, value in enumerate(values)
        if value != " "
    ]


def analysed(arms: dict[str, str], source: str, stated: str = "", baseline: str | None = None, **more: Any) -> Evidence:
    """`stated` marks with `s` the items whose answer is stated on the way."""
    replayed = [
        item(str(place), stated=stated[place : place + 1] == "s", prints=place % 2 == 0, pictures=place % 4 > 0)
        for place in range(len(source))
    ]
    return evidence(
        Arms(
            found=TIR,
            rows={name: rows(values) for name, values in arms.items()},
            source=rows(source),
            baseline=None if baseline is None else Baseline(items=rows(baseline), model="m"),
        ),
        replayed,
        left_out={},
        **more,
    )


FULL = "1" * 18 + "00"
NEITHER = "1" * 6 + "0" * 14


def test_each_condition_is_compared_with_full_item_by_item() -> None:
    found = analysed({"full": FULL, "neither": NEITHER, "swapped": " " * 10 + "0" * 10}, FULL)
    (table, unstated) = found.tables
    assert (table.scorer, table.unstated, unstated.unstated) == ("lenient", False, True)
    arms = {arm.name: arm for arm in table.arms}
    assert list(arms) == ["source", "full", "neither", "swapped"]
    assert [arm.accuracy.value for arm in table.arms] == [0.9, 0.9, 0.3, 0.0]
    assert arms["full"].against_full is None
    compared = arms["neither"].against_full
    assert compared is not None
    cells = compared.paired.cells
    assert cells is not None
    assert (cells.both_right, cells.only_a, cells.only_b, cells.both_wrong) == (6, 12, 0, 2)
    assert compared.paired.difference == pytest.approx(-0.6)
    assert compared.paired.p == pytest.approx(2 / 2**12)
    assert compared.detectable is not None
    assert len(compared.lost) == 12
    swapped = arms["swapped"].against_full
    assert swapped is not None
    assert swapped.paired.n == 10
    # Every second item prints, all but every fourth have pictures.
    assert [arm.changed for arm in table.arms] == [None, 0, 20, 10]


def test_the_items_whose_answer_is_stated_are_left_out_of_the_second_table() -> None:
    found = analysed({"full": FULL, "neither": NEITHER}, FULL, stated="s" * 6)
    assert (found.n_items, found.n_stated) == (20, 6)
    (neither,) = (arm for arm in found.tables[1].arms if arm.name == "neither")
    assert found.tables[1].n_items == neither.accuracy.n == 14
    assert neither.accuracy.value == 0.0
    assert any(sentence.startswith("On the 14 items whose answer is not stated") for sentence in found.sentences)


def test_whether_full_reproduces_the_source_run_is_told() -> None:
    found = analysed({"full": "1110-"}, "11001")
    assert (found.same_answers, found.both_answers) == (3, 4)


def test_rows_of_the_source_run_that_are_not_replayed_do_not_count() -> None:
    replayed = [item("0"), item("1")]
    found = evidence(Arms(found=TIR, rows={"full": rows("11")}, source=rows("1100")), replayed, left_out={})
    assert [arm.accuracy.n for arm in found.tables[0].arms] == [2, 2]


SAID: list[tuple[str, dict[str, str], str | None, str]] = [
    ("costs", {"full": FULL, "neither": NEITHER}, None, "Withholding pictures and printed text costs 60.0 points"),
    ("nothing", {"full": FULL, "no-text": FULL}, None, "Withholding the printed text changes the score of no item."),
    (
        "chance",
        {"full": "1111100000", "no-images": "1111000000"},
        None,
        "Withholding the new pictures changes accuracy by -10.0 points: not told apart from none; so few items could",
    ),
    ("gains", {"full": "0" * 20, "no-images": "1" * 20}, None, "they mislead more than they help"),
    (
        "swapped",
        {"full": "1" * 20, "swapped": "0" * 20},
        None,
        "With another item's observations 100.0 points are",
    ),
    (
        "one of two",
        {"full": "11", "neither": "00"},
        None,
        "changes accuracy by -100.0 points: not told apart from none",
    ),
    (
        "baseline",
        {"full": FULL, "neither": NEITHER},
        NEITHER,
        "With all withheld, on the 20 items of both (p=1), every item has the score of the run without tools (m).",
    ),
    (
        "talk",
        {"full": "1" * 20, "neither": "1" * 20},
        "0" * 20,
        "on the 20 items of both (p=1.9e-06), 100.0 points above the run without tools (m): turns and talk count too.",
    ),
    (
        "placebo",
        {"full": "1" * 20, "placebo": "0" * 20},
        None,
        "Live, with tools that bring nothing (n=20, p=1.9e-06; turns not known, in the source run turns not known): "
        "100.0 points fewer than in the source run",
    ),
    (
        "unclear",
        {"full": FULL, "neither": "1" * 7 + "0" * 13},
        NEITHER,
        "+5.0 points against the run without tools (m): not told apart from none",
    ),
]


@pytest.mark.parametrize(("arms", "baseline", "words"), [case[1:] for case in SAID], ids=[case[0] for case in SAID])
def test_a_plain_sentence_says_what_the_figures_support(arms: dict[str, str], baseline: str | None, words: str) -> None:
    found = analysed(arms, "1" * len(arms["full"]), baseline=baseline)
    assert any(words in sentence for sentence in found.sentences), found.sentences


def test_the_conditions_of_a_table_are_one_family_for_holm() -> None:
    six = "0" * 6 + "1" * 14
    found = analysed({"full": "1" * 20, "no-images": six, "no-text": "1" * 20, "neither": "0" * 20}, "1" * 20)
    p_of = {arm.name: arm.p_holm for arm in found.tables[0].arms}
    assert p_of == {
        "source": 1.0,  # a test of its own
        "full": None,
        "no-images": pytest.approx(2 * 2 / 2**6),
        "no-text": 1.0,
        "neither": pytest.approx(3 * 2 / 2**20),
    }
    # Uncorrected, p would be 0.031.
    assert found.sentences[0].startswith(
        "Withholding the new pictures changes accuracy by -30.0 points: not told apart"
    )


def test_two_items_with_credit_in_part_leave_the_cells_and_every_p() -> None:
    def with_two(values: str, part: float) -> list[ScoredItem]:
        return [*rows(values), row("20", part, "A", "jigsaw"), row("21", part, "A", "spot_difference")]

    arms = {"full": with_two(FULL, 0.5), "no-text": with_two(FULL, 1.0), "neither": with_two(NEITHER, 0.25)}
    replayed = [item(str(place)) for place in range(22)]
    found = evidence(Arms(found=TIR, rows=arms, source=with_two(FULL, 0.5)), replayed, left_out={})
    for arm in found.tables[0].arms:
        if arm.name != "full":
            assert arm.right_wrong is not None
            assert arm.right_wrong.n == 20  # of no-text too, where nothing happens to be in part
            assert arm.right_wrong.cells is not None
            assert arm.p_holm is not None
    neither = found.tables[0].arm("neither")
    assert neither is not None
    assert neither.right_wrong is not None
    assert neither.right_wrong.p == pytest.approx(2 / 2**12)
    assert neither.p_holm == pytest.approx(2 * 2 / 2**14)


def test_a_placebo_is_compared_with_the_source_run_and_its_conduct_is_told() -> None:
    conduct = {"source": Conducted(20, 2.5, 2.0), "placebo": Conducted(20, 4.0, 3.5)}
    found = analysed({"full": "0" * 20, "placebo": "0" * 20}, "1" * 20, conduct=conduct)
    live = found.tables[0].arm("placebo")
    assert live is not None
    assert live.against_full is None
    assert live.against_source is not None
    assert live.against_source.paired.difference == -1
    assert found.sentences == [
        "Live, with tools that bring nothing (n=20, p=1.9e-06; 4.0 turns and 3.5 calls, in the source run 2.5 turns "
        "and 2.0 calls): 100.0 points fewer than in the source run; what tools bring is worth that."
    ]


def test_partners_with_the_same_right_answer_are_counted() -> None:
    source = [row(str(place), 1.0, target=target) for place, target in enumerate("ABBA")]
    partners_of = {"0": "3", "1": "2", "2": "0", "3": "1"}
    arms = Arms(found=TIR, rows={"swapped": source}, source=source, partners=partners_of)
    found = evidence(arms, [item(str(place)) for place in range(4)], left_out={})
    assert (found.same_target, found.swapped) == (2, 4)


def test_what_differs_about_a_baseline_is_told() -> None:
    def against(items: list[ScoredItem]) -> Evidence:
        own = Baseline(items=items, model="other", differences=["the baseline differs in model: m, other"])
        arms = Arms(found=TIR, rows={"neither": rows("1" * 20)}, source=rows("1" * 20), baseline=own)
        return evidence(arms, [item(str(place)) for place in range(20)], left_out={})

    found = against(rows("0" * 20))
    assert found.notes == ["the baseline differs in model: m, other"]
    assert found.baseline_model == "other"
    told = "above the run without tools (other): by turns and talk, or by what else differs (see the notes)."
    assert found.sentences[-1].endswith(told)
    apart = against([row("77", 1.0)])
    assert (apart.against_baseline, apart.notes) == (
        None,
        ["the baseline shares no item with these arms: it is compared with nothing"],
    )


STATED = [
    ("a turn is no answer", "I will turn the picture clockwise by 305° and look at it", "B", False),
    ("a letter in passing", "I look at option B first.", "B", False),
    ("declared", "The answer is B. I make sure.", "B", True),
    ("declared otherwise", "The answer is A. I make sure.", "B", False),
    ("declared in another form", "So the answer is (B).", "The answer is B.", True),
    ("no final answer", "The answer is B.", "I do not know.", False),
]


@pytest.mark.parametrize(("name", "said", "final", "stated"), STATED, ids=[one[0] for one in STATED])
def test_only_a_declared_answer_is_stated_on_the_way(
    name: str, said: str, final: str, stated: bool, tmp_path: Path
) -> None:
    def script(request: Request) -> Reply:
        if any(message["role"] == "assistant" for message in request.body["messages"]):
            return Reply(completion(final))
        function = {"name": "crop", "arguments": json.dumps(made_evidence.CROP)}
        return Reply(
            completion(said, finish="tool_calls", tool_calls=[{"id": "c", "type": "function", "function": function}])
        )

    with ScriptedServer(script) as server:
        done = source_run(tmp_path, server.url, 1)
    _, surveyed = found_in(done)
    assert [one.stated for one in surveyed.replayed] == [stated]


def test_arms_that_have_not_begun_are_left_out() -> None:
    found = analysed({}, "1111")
    assert [arm.name for arm in found.tables[0].arms] == ["source"]
    assert found.sentences == []


def test_figures_by_task() -> None:
    mixed = [*rows("11"), row("2", 0.0, category="ocr")]
    replayed = [item("0"), item("1"), item("2", "ocr")]
    found = evidence(Arms(found=TIR, rows={"full": mixed[:2]}, source=mixed), replayed, left_out={})
    told = [(task.category, task.n, task.accuracies) for task in found.tasks]
    assert told == [("maze", 2, {"source": 1.0, "full": 1.0}), ("ocr", 1, {"source": 0.0, "full": None})]


def test_failures_by_task_and_figures_by_difficulty() -> None:
    source = [row(str(place), 1.0, difficulty=str(place % 2)) for place in range(4)]
    full = [row("0", None, difficulty="0"), *source[1:]]
    found = evidence(Arms(found=TIR, rows={"full": full}, source=source), [item(str(n)) for n in range(4)], left_out={})
    assert [task.failed for task in found.tasks] == [{"source": 0, "full": 1}]
    assert [(one.category, one.n, one.accuracies["full"], one.failed["full"]) for one in found.difficulties] == [
        ("0", 2, 1.0, 1),
        ("1", 2, 1.0, 0),
    ]


NAMES: list[tuple[list[str], dict[str, list[str]], bool]] = [
    (["m-1"], {"full": ["m-1"]}, False),
    (["m-1"], {"full": ["m-2"]}, True),
    (["m-1"], {"full": ["m-1"], "neither": ["m-1", "m-2"]}, True),
    ([], {"full": ["m-2"]}, False),
    (["m-1"], {}, False),
]


@pytest.mark.parametrize(("source", "arms", "told"), NAMES)
def test_another_served_model_is_told(source: list[str], arms: dict[str, list[str]], told: bool) -> None:
    assert (other_models(source, arms) is not None) is told
