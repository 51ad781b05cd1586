"""The routes of the annotation page: what they tell, what they take, and what they say of all else."""

from __future__ import annotations

import io
import sqlite3
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import PIL.Image
import pytest
from asking import AUTHOR, KEY, ask, put, unchanged
from running_server import JSON
from served_projects import NAMES, Served, made, serving

from beholder.annotate.items import NewItem
from beholder.sample import ImageRef


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(made(tmp_path_factory.mktemp("served") / "project")) as running:
        yield running


def test_no_answer_names_a_model(served: Served) -> None:
    for path in ("/", "/api/project", "/api/queue", f"/api/items/{KEY}", "/api/items/two%2F0"):
        reply = ask(served, path, headers=AUTHOR)
        assert reply.status == 200, path
        assert b"secret" not in reply.body
    assert len(NAMES) == len(ask(served, f"/api/items/{KEY}", headers=AUTHOR).json()["proposals"])


def test_votes_are_told_in_words_with_the_places_of_the_proposals(served: Served) -> None:
    item = ask(served, f"/api/items/{KEY}", headers=AUTHOR).json()
    told = {field["name"]: field for field in item["consensus"]["fields"]}
    assert told["metaphor"]["value"] == "yes"
    assert told["pair"]["label"] == "Target → Source"
    assert told["pair"]["value"].lower() == "the market → a balloon"
    for vote in told["metaphor"]["votes"]:
        assert {item["proposals"][place]["value"]["metaphor"] for place in vote["who"]} == {vote["value"]}


@pytest.mark.parametrize("kind", ["BMP", "TIFF"])
def test_a_picture_that_browsers_do_not_show_goes_out_as_png(tmp_path: Path, kind: str) -> None:
    written = io.BytesIO()
    PIL.Image.new("RGB", (40, 30), (200, 10, 10)).save(written, kind)
    record = NewItem(key="a", record={}, images=(ImageRef(name="scene", data=written.getvalue()),))
    with serving(made(tmp_path / "project", [record])) as served:
        reply = ask(served, f"/images/{served.project.item('a', 'Ada').image}")
        assert (reply.status, reply.headers["content-type"]) == (200, "image/png")
        shown = PIL.Image.open(io.BytesIO(reply.body))
        assert (shown.size, shown.getpixel((5, 5))) == ((40, 30), (200, 10, 10))


# -- what is sent --------------------------------------------------------------------------------------------------

DECIDED = {"value": {}, "revision": 0, "action": "skip"}
BROKEN: list[tuple[Any, int]] = [
    (b"", 400),
    (b"{", 400),
    (b"null", 400),
    (b"[]", 400),
    (b"\xff\xfe", 400),
    (b'{"value": {"note": "\\ud800"}, "revision": 0}', 400),
    (b"[" * 100_000, 400),
    ({"value": {}}, 400),
    ({"value": [], "revision": 0}, 400),
    ({"value": {}, "revision": "0"}, 400),
    (DECIDED | {"revision": 10**30}, 400),
    (DECIDED | {"revision": -1}, 400),
    (DECIDED | {"more": 1}, 400),
    (DECIDED | {"action": "undo"}, 422),
    (DECIDED | {"value": {"unknown": "x"}}, 422),
    (DECIDED | {"value": {"metaphor": "perhaps"}}, 422),
    (DECIDED | {"value": {"metaphor": 1}}, 422),
    (DECIDED | {"value": {"evidence": [{"kind": "visual", "text": "x", "box": [0, 0, 2, 2]}]}}, 422),
    (DECIDED | {"action": "save"}, 422),
    (DECIDED | {"note": "x" * 3_000}, 422),
]


@pytest.mark.parametrize(("content", "status"), BROKEN, ids=lambda part: repr(part)[:50])
def test_what_cannot_be_a_decision_is_told_in_a_sentence(served: Served, content: Any, status: int) -> None:
    reply = put(served, content)
    assert reply.status == status
    assert reply.sentence()
    unchanged(served)


def test_every_fault_of_a_value_is_told(served: Served) -> None:
    reply = put(served, {"value": {"metaphor": "yes"}, "revision": 0})
    assert reply.status == 422
    faults = reply.json()["faults"]
    assert [fault.partition(":")[0] for fault in faults] == ["Target", "Source", "Sentiment"]


def test_an_item_that_is_not_there_is_told(served: Served) -> None:
    for method, path in (
        ("GET", "/api/items/nothing"),
        ("PUT", "/api/items/nothing"),
        ("POST", "/api/items/nothing/undo"),
    ):
        reply = ask(served, path, method, AUTHOR | JSON, b'{"revision": 0, "value": {}}' if method != "GET" else None)
        assert reply.status == 404
        assert "nothing" in reply.sentence()
    assert ask(served, f"/api/items/{KEY}", "DELETE", AUTHOR | JSON).status == 405


@pytest.mark.parametrize("author", ["", "%20", "x" * 200, "%1b%5b2J"])
def test_nobody_decides_without_a_name(served: Served, author: str) -> None:
    reply = put(served, DECIDED, {"X-Author": author})
    assert (reply.status, "name" in reply.sentence()) == (422, True)
    unchanged(served)


# -- deciding ------------------------------------------------------------------------------------------------------


def test_save_stale_save_and_undo(tmp_path: Path) -> None:
    with serving(made(tmp_path / "project")) as served:
        first = {"value": {"metaphor": "no", "sentiment": "neutral"}, "revision": 0, "note": "clear"}
        reply = put(served, first)
        assert reply.status == 200
        told = reply.json()
        assert (told["item"]["revision"], told["item"]["state"]) == (1, "done")
        assert ask(served, "/api/project").json()["progress"]["done"] == 1
        late = {"value": {"metaphor": "no", "sentiment": "positive"}, "revision": 0}
        reply = put(served, late, {"X-Author": "B%C3%A9la"})
        assert reply.status == 409
        assert reply.json()["item"]["value"] == first["value"]
        assert "Ada" in reply.sentence()
        assert [(row.author, row.action) for row in served.project.history(KEY)] == [
            ("Ada", "save"),
            ("Béla", "refused"),
        ]
        assert served.project.history(KEY)[1].value == late["value"]
        undo = ask(served, f"/api/items/{KEY}/undo", "POST", AUTHOR | JSON, b'{"revision": 0}')
        assert undo.status == 409
        undo = ask(served, f"/api/items/{KEY}/undo", "POST", AUTHOR | JSON, b'{"revision": 1}')
        assert (undo.status, undo.json()["item"]["state"]) == (200, "confirm")
        assert ask(served, f"/api/items/{KEY}/undo", "POST", AUTHOR | JSON, b'{"revision": 2}').status == 422
        assert put(served, first | {"revision": 2}, key="two%2F0").status == 409
        assert put(served, first, key="two%2F0").status == 200
        assert served.said == []


def test_of_many_who_save_at_once_one_is_first_and_every_version_is_kept(tmp_path: Path) -> None:
    names = [f"Person {number}" for number in range(8)]
    with serving(made(tmp_path / "project")) as served, ThreadPoolExecutor(len(names)) as people:

        def save(name: str) -> int:
            value = {"metaphor": "no", "sentiment": "neutral", "mapping": f"of {name}"}
            return put(served, {"value": value, "revision": 0}, {"X-Author": quote(name)}).status

        assert sorted(people.map(save, names)) == [200] + [409] * 7
        history = served.project.history(KEY)
        assert sorted(row.value["mapping"] for row in history) == [f"of {name}" for name in names]
        assert Counter(row.action for row in history) == {"save": 1, "refused": 7}


def test_a_save_that_has_to_wait_for_another_process_keeps_nobody_from_the_page(tmp_path: Path) -> None:
    folder = made(tmp_path / "project")
    other = sqlite3.connect(folder / "project.db", isolation_level=None)
    with closing(other), serving(folder) as served, ThreadPoolExecutor(1) as person:
        other.execute("BEGIN IMMEDIATE")
        waiting = person.submit(put, served, DECIDED)
        for path in ("/", "/assets/annotate.js"):
            assert ask(served, path).status == 200
        assert not waiting.done()
        other.execute("ROLLBACK")
        assert waiting.result(timeout=20).status == 200
