"""What people decide in a project: nothing is lost, nothing is overwritten unseen."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from beholder.annotate.forms import Value, form_of
from beholder.annotate.items import Item, KeptApart, NewItem, Stale, author_of
from beholder.annotate.project import Project
from beholder.errors import UsageError
from beholder.sample import ImageRef
from beholder.seeds import rng_for
from made_projects import NO, YES, item, literal, make_project, metaphor, picture


@pytest.fixture
def project(tmp_path: Path) -> Any:
    with make_project(tmp_path / "p") as made:
        yield made


def test_the_queue_begins_with_what_people_have_to_decide(project: Project) -> None:
    rows = project.queue("Ada")
    assert [(row.key, row.position, row.state) for row in rows] == [("a", 1, "adjudicate"), ("b", 0, "confirm")]
    assert "votes 2 : 2" in rows[0].why


def test_an_item_shows_proposals_without_names_in_an_order_of_its_own(tmp_path: Path) -> None:
    said = [metaphor(source=f"s{number}") for number in range(5)]
    with make_project(tmp_path / "p", [item(f"k{number}", said) for number in range(4)]) as project:
        shown = [project.item(key, "Ada") for key in project.item_keys()]
    assert b"secret" not in msgspec.json.encode(shown)
    orders = {tuple(proposal.value["source"] for proposal in one.proposals) for one in shown}
    assert len(orders) > 1
    for one in shown:
        assert one.consensus is not None
        for vote in one.consensus.pair.votes:  # the numbers are places in what is shown
            assert ("smoking", one.proposals[vote.who[0]].value["source"]) == vote.value


def test_save_skip_undo_and_all_of_it_in_the_history(project: Project) -> None:
    assert project.save("a", author="Ada", value=YES, note="clear", revision=0) == 1
    assert project.save("a", author="Bo", value={}, revision=1, action="skip") == 2
    assert project.save("a", author="Ada", value=NO, revision=2) == 3
    states = []
    for revision in (3, 4, 5):
        project.undo("a", author="Ada", revision=revision)
        shown = project.item("a", "Ada")
        states.append((shown.state, shown.value, shown.note, shown.revision))
    assert states == [("skipped", {}, "", 4), ("done", YES, "clear", 5), ("adjudicate", {}, "", 6)]
    with pytest.raises(UsageError, match="nothing to undo"):
        project.undo("a", author="Ada", revision=6)
    assert project.save("a", author="Ada", value=NO, revision=6) == 7
    project.undo("a", author="Ada", revision=7)  # goes back to nothing, which held before the last save
    assert project.item("a", "Ada").state == "adjudicate"
    told = [(row.author, row.action, row.revision, row.restores) for row in project.history("a")]
    assert told == [
        ("Ada", "save", 1, None),
        ("Bo", "skip", 2, None),
        ("Ada", "save", 3, None),
        ("Ada", "undo", 4, 2),
        ("Ada", "undo", 5, 1),
        ("Ada", "undo", 6, 0),
        ("Ada", "save", 7, None),
        ("Ada", "undo", 8, 0),
    ]


@pytest.mark.parametrize("seed", range(5))
def test_undo_is_a_stack_whatever_was_done_before(project: Project, seed: int) -> None:
    random = rng_for(seed, "undo")
    states: list[tuple[str, Value]] = []
    for revision in range(30):
        step = random.choice(["save", "skip", "undo"] if states else ["save", "skip"])
        if step == "undo":
            states.pop()
            project.undo("a", author="Ada", revision=revision)
        else:
            value = NO | {"mapping": str(revision)}
            states.append(({"save": "done", "skip": "skipped"}[step], value))
            project.save("a", author="Ada", value=value, revision=revision, action=step)
        shown = project.item("a", "Ada")
        assert (shown.state, shown.value) == (states[-1] if states else ("adjudicate", {}))
    assert len(project.history("a")) == 30


def test_an_undo_gives_the_item_back_to_who_decided_it(project: Project) -> None:
    project.save("a", author="Ada", value=YES, note="clear", revision=0)
    project.save("a", author="Bo", value=NO, revision=1)
    project.undo("a", author="Bo", revision=2)
    (now,) = project.in_force()
    assert (now.author, now.value, now.note, now.revision) == ("Ada", YES, "clear", 1)
    assert now.time == project.history("a")[0].time
    assert project.progress()["people"] == {"Ada": {"saved": 1, "skipped": 0}}


def test_one_person_under_two_spellings_is_not_two(tmp_path: Path) -> None:
    with make_project(tmp_path / "p", [NewItem(key="k", record={"q": "1"})], form="item-check", people=2) as project:
        value = {"question": "clear", "answer": "right", "picture_needed": "yes", "verdict": "keep"}
        project.save("k", author="Ada Lovelace", value=value, revision=0)
        assert project.item("k", "ada  lovelace\u200b").revision == 1
        with pytest.raises(Stale):
            project.save("k", author="ADA LOVELACE", value=value | {"verdict": "drop"}, revision=0)
        project.save("k", author="ada lovelace", value=value | {"verdict": "drop"}, revision=1)
        assert (project.progress()["done"], len(project.in_force())) == (0, 1)
        with pytest.raises(UsageError, match="Give your name"):
            project.queue("\u200b\xad")


def test_what_cannot_be_written_is_told_in_one_line(project: Project) -> None:
    project._db.execute("PRAGMA query_only=ON")
    with pytest.raises(UsageError, match="Nothing was saved"):
        project.save("a", author="Ada", value=YES, revision=0)
    project._db.execute("PRAGMA query_only=OFF")
    assert project.save("a", author="Ada", value=YES, revision=0) == 1


def test_a_stale_save_is_refused_and_kept(project: Project) -> None:
    project.save("a", author="Ada", value=YES, revision=0)
    with pytest.raises(Stale) as caught:
        project.save("a", author="Bo", value=NO, note="mine", revision=0)
    assert "Ada has changed" in str(caught.value)
    now = caught.value.item
    assert (now.value, now.revision, now.state) == (YES, 1, "done")
    assert (now.history[-1].author, now.history[-1].action, now.history[-1].value, now.history[-1].note) == (
        "Bo",
        "refused",
        NO,
        "mine",
    )
    with pytest.raises(Stale):
        project.undo("a", author="Bo", revision=0)
    assert project.save("a", author="Bo", value=NO, revision=1) == 2


def test_the_same_save_sent_twice_is_one(project: Project) -> None:
    first = project.save("a", author="Ada", value=YES, revision=0)
    assert project.save("a", author="Ada", value=YES, revision=0) == first
    assert len(project.history("a")) == 1


def test_the_same_undo_sent_twice_is_one(project: Project) -> None:
    project.save("a", author="Ada", value=YES, revision=0)
    project.save("a", author="Ada", value=NO, revision=1)
    assert [project.undo("a", author="Ada", revision=2) for _ in range(2)] == [3, 3]
    assert project.item("a", "Ada").value == YES
    with pytest.raises(Stale):
        project.undo("a", author="Bo", revision=2)
    assert len(project.history("a")) == 3


def test_where_each_decides_nobody_sees_the_others(tmp_path: Path) -> None:
    records = [NewItem(key="k", record={"question": "q", "answer": "4"}, images=(picture(),))]
    value = {"question": "clear", "answer": "right", "picture_needed": "yes", "verdict": "keep"}
    with make_project(tmp_path / "p", records, form="item-check", people=2) as project:
        project.save("k", author="Ada", value=value, revision=0)
        theirs = project.item("k", "Bo")
        assert (theirs.state, theirs.revision, theirs.value, theirs.history) == ("open", 0, {}, ())
        assert project.progress()["done"] == 0
        project.save("k", author="Bo", value=value | {"verdict": "drop"}, revision=0)
        assert [(held.author, held.value["verdict"]) for held in project.in_force()] == [
            ("Ada", "keep"),
            ("Bo", "drop"),
        ]
        assert project.progress() | {"people": 0} == {
            "items": 1,
            "done": 1,
            "skipped": 0,
            "open": 0,
            "confirm": 0,
            "adjudicate": 0,
            "kept_apart": 0,
            "people": 0,
        }


def test_progress_counts_items_and_people(project: Project) -> None:
    project.save("a", author="Ada", value=YES, revision=0)
    project.save("b", author="Bo", value={}, revision=0, action="skip")
    told = project.progress()
    assert (told["done"], told["skipped"], told["confirm"]) == (1, 1, 0)
    assert told["people"] == {"Ada": {"saved": 1, "skipped": 0}, "Bo": {"saved": 0, "skipped": 1}}


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"value": {**YES, "metaphor": "no"}}, "leave this empty unless Metaphor is yes"),
    ({"value": {}}, "Metaphor: please fill this in"),
    ({"value": YES, "author": " \x1b[2J "}, "Give your name"),
    ({"value": YES, "author": "x" * 61}, "Give your name"),
    ({"value": YES, "note": "x" * 2001}, "note is too long"),
    ({"value": YES, "action": "undo"}, "no action"),
    ({"value": YES, "key": "zz"}, "no item"),
]


@pytest.mark.parametrize(("given", "told"), REFUSED)
def test_what_cannot_be_saved_is_told_and_changes_nothing(project: Project, given: dict[str, Any], told: str) -> None:
    asked: dict[str, Any] = {"key": "a", "author": "Ada", "revision": 0}
    with pytest.raises(UsageError, match=told):
        project.save(**(asked | given))
    assert project.history("a") == ()


def test_names_and_notes_are_cleaned(project: Project) -> None:
    project.save("a", author=" A\x1b[31md\u202ea\n", value=YES, note="one\x07\ntwo", revision=0)
    (row,) = project.history("a")
    assert (row.author, row.note) == ("Ada", "one\ntwo")
    assert author_of("Ame\u0301lie") == author_of("Am\u00e9lie")


def test_a_record_whose_picture_cannot_be_read_is_kept_apart(tmp_path: Path) -> None:
    bad = msgspec.structs.replace(item("bad"), images=(ImageRef(name="x.png", data=b"<html>"),))
    gone = msgspec.structs.replace(item("gone"), images=(ImageRef(name="y.png", path=str(tmp_path / "none.png")),))
    with make_project(tmp_path / "p", [item("good"), bad, item("good"), gone]) as project:
        assert project.item_keys() == ["good"]
        apart = project.kept_apart()
    assert [one.place for one in apart] == [
        "data.jsonl, record bad",
        "data.jsonl, record good",
        "data.jsonl, record gone",
    ]
    assert ["HTML" in apart[0].why, "same key" in apart[1].why, "does not exist" in apart[2].why] == [True] * 3


def test_pictures_are_given_by_a_hash_that_the_project_knows(project: Project) -> None:
    shown = project.item("a", "Ada")
    data, mime = project.picture(shown.image)
    assert (mime, data[:4]) == ("image/png", b"\x89PNG")
    assert (shown.images[0].width, shown.images[0].height) == (8, 6)
    for name in ("../project.json", "0" * 64):
        with pytest.raises(UsageError, match="No item"):
            project.picture(name)
    (project.folder / "images" / shown.image).write_bytes(b"other")
    with pytest.raises(UsageError, match="no longer what it was"):
        project.picture(shown.image)


def test_a_project_is_not_made_twice_and_only_ours_is_opened(project: Project, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="already"):
        make_project(project.folder)
    with pytest.raises(UsageError, match="is not an annotation project"):
        Project.open(tmp_path)
    project.close()
    with sqlite3.connect(project.folder / "project.db") as db:
        db.execute("CREATE TRIGGER evil AFTER INSERT ON decisions BEGIN DELETE FROM decisions; END")
    db.close()
    with pytest.raises(UsageError, match="not the database"):
        Project.open(project.folder)


def test_decisions_are_not_built_over_where_only_the_form_was_lost(project: Project) -> None:
    (project.folder / "project.json").unlink()
    project.save("a", author="Ada", value=YES, revision=0)
    with pytest.raises(UsageError, match="holds decisions of people"):
        make_project(project.folder)
    assert len(project.history("a")) == 1
    assert list(project.folder.glob(".project*")) == []


def test_records_that_are_found_unusable_while_they_are_read_are_kept_apart(tmp_path: Path) -> None:
    apart: list[KeptApart] = []

    def records() -> Iterator[NewItem]:
        yield item("x")
        apart.append(KeptApart("data.jsonl, line 2", "no text"))

    form = form_of("item-check")
    with Project.create(tmp_path / "p", form, records(), apart=apart) as project:
        assert project.kept_apart() == apart
        assert project.progress()["kept_apart"] == 1


@pytest.mark.parametrize("made", [False, True])
def test_a_project_that_cannot_be_made_leaves_nothing(tmp_path: Path, made: bool) -> None:
    folder = tmp_path / "p"
    if made:
        folder.mkdir()
    with pytest.raises(UsageError, match="No record"):
        make_project(folder, [msgspec.structs.replace(item("x"), images=(ImageRef("x", data=b""),))])
    assert [path.name for path in tmp_path.rglob("*")] == ["p"] * made


def test_nothing_to_annotate_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No record can be annotated"):
        make_project(tmp_path / "p", [msgspec.structs.replace(item("x"), images=(ImageRef("x", data=b""),))])
    assert list((tmp_path / "p").glob(".project*")) == []


def test_threads_that_save_at_once_lose_nothing(project: Project) -> None:
    def work(name: str) -> None:
        for number in range(20):
            shown: Item = project.item("a", name)
            value = NO | {"mapping": f"{name} {number}"}
            with contextlib.suppress(Stale):  # kept in the history
                project.save("a", author=name, value=value, revision=shown.revision)

    threads = [threading.Thread(target=work, args=(name,)) for name in ("Ada", "Bo", "Cy")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rows = project.history("a")
    assert sorted(row.value["mapping"] for row in rows) == sorted(
        f"{n} {k}" for n in ("Ada", "Bo", "Cy") for k in range(20)
    )
    saved = [row.revision for row in rows if row.action == "save"]
    assert saved == list(range(1, len(saved) + 1))


_SAVER = """
import sys
from pathlib import Path
from beholder.annotate.items import Stale
from beholder.annotate.project import Project
folder, name, key, count = sys.argv[1:]
with Project.open(Path(folder)) as project:
    for number in range(int(count)):
        revision = project.item(key, name).revision
        value = {"metaphor": "no", "sentiment": "neutral", "mapping": f"{name} {number}"}
        try:
            print(number, project.save(key, author=name, value=value, revision=revision), flush=True)
        except Stale:
            print(number, "refused", flush=True)
"""


def _saver(folder: Path, name: str, key: str, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _SAVER, str(folder), name, key, str(count)], stdout=subprocess.PIPE, text=True
    )


def test_two_processes_that_save_at_once_lose_nothing(project: Project) -> None:
    savers = [_saver(project.folder, name, "a", 25) for name in ("Ada", "Bo")]
    outputs = [saver.communicate(timeout=60)[0].split("\n") for saver in savers]
    assert [len(output) for output in outputs] == [26, 26]
    rows = project.history("a")
    assert len({row.value["mapping"] for row in rows}) == len(rows) == 50
    saved = [row.revision for row in rows if row.action == "save"]
    assert saved == list(range(1, len(saved) + 1))


@pytest.mark.slow
@pytest.mark.parametrize("after", range(10))
def test_a_killed_process_loses_no_save_that_it_was_told_of(project: Project, after: int) -> None:
    saver = _saver(project.folder, "Ada", "a", 100_000)
    assert saver.stdout is not None
    for _ in range(5 + 7 * after):
        saver.stdout.readline()
    time.sleep(0.001 * after)
    os.kill(saver.pid, signal.SIGKILL)
    told = [line for line in saver.communicate(timeout=60)[0].split("\n") if line.endswith(tuple("0123456789"))]
    with Project.open(project.folder) as again:
        revision = again.item("a", "Ada").revision
        assert len(again.history("a")) == revision >= 5 + 7 * after + len(told) - 1
        again.save("a", author="Bo", value=YES, revision=revision)
    db = sqlite3.connect(project.folder / "project.db")
    assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    db.close()


def test_literal_items_need_no_slots(tmp_path: Path) -> None:
    with make_project(tmp_path / "p", [item("k", [literal()] * 5)]) as project:
        assert [row.state for row in project.queue("Ada")] == ["confirm"]


DAMAGE = [
    "UPDATE items SET record = '[' WHERE key = 'a'",
    "UPDATE items SET draft = '[1]' WHERE key = 'a'",
    "UPDATE items SET consensus = '{}' WHERE key = 'a'",
    "UPDATE items SET images = '{}' WHERE key = 'a'",
    "UPDATE proposals SET value = 'x' WHERE key = 'a'",
]


@pytest.mark.parametrize("statement", DAMAGE)
def test_a_database_of_somebody_else_is_told_in_one_line(project: Project, statement: str) -> None:
    with sqlite3.connect(project.folder / "project.db") as db:
        db.execute(statement)
    db.close()
    with pytest.raises(UsageError, match="is damaged"):
        project.item("a", "Ada")
