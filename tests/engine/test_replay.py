"""Replays: the conversation of the source run word for word, with the observations that a condition shows."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

import made_evidence
from beholder.engine import replay as replaying
from beholder.engine.plan import Plan, remake_plan
from beholder.engine.replay import CLOSING, WITHHELD, Condition, Replay
from beholder.errors import DataError, UsageError
from beholder.images.wire import QWEN_VL
from beholder.models.endpoint import Endpoint
from beholder.models.openai import OpenAIModel
from beholder.sample import Ask, ImagePart, ToolCall
from beholder.store import schema
from beholder.store.folder import Blobs
from beholder.tools.settings import Arm, Budget, ToolSettings
from beholder.trajectory import CallOutcome, Observation
from made_evidence import IN_TEXT, VISUAL, item_of, pictures_of, rests_on_what_it_sees, source_run
from made_runs import EngineRun, run_engine
from scripted_server import Reply, Request, ScriptedServer, completion

CLOSED = {"role": "user", "content": CLOSING}


def with_closing(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A conversation with the question for the answer: in one message with what tools showed, if that is the last."""
    *before, last = messages
    if last["role"] != "user" or before[-1]["role"] != "tool":
        return [*messages, CLOSED]
    return [*before, {**last, "content": [*last["content"], {"type": "text", "text": f"\n{CLOSING}"}]}]


def is_closed(request: Request) -> bool:
    last = request.body["messages"][-1]
    return last == CLOSED or last["content"][-1] == {"type": "text", "text": f"\n{CLOSING}"}


def replay_of(done: EngineRun, condition: Condition, **changes: Any) -> Replay:
    assert done.result.plan.tools is not None
    facts = {"plan_hash": "", "turns_sha256": "", "n_asks": 0} | changes
    return Replay(run=str(done.folder), tools=done.result.plan.tools, condition=condition, **facts)


def plain_asks(done: EngineRun) -> Iterator[list[Ask]]:
    without = msgspec.structs.replace(done.result.plan, tools=None)
    for sample in without.samples():
        yield without.asks(sample, set())


def asks_under(done: EngineRun, condition: Condition, **changes: Any) -> list[Ask]:
    """The replay of the whole run."""
    replay = replay_of(done, condition, **changes)
    return [ask for asks in plain_asks(done) for ask in replaying.replayed(asks, replay)]


def wire(ask: Ask) -> dict[str, Any]:
    """The request as it is sent."""
    (prepared,) = OpenAIModel("openai/test-model", Endpoint(base_url="http://127.0.0.1:9/v1")).prepare([ask])
    body: dict[str, Any] = json.loads(b"".join(prepared.chunks))
    return body


def last_requests(server: ScriptedServer) -> dict[int, Request]:
    return {item_of(request): request for request in server.requests}


def crops_again_and_again(request: Request) -> Reply:
    """Five crops, each of the one before, then the answer; it talks in between."""
    said = sum(message["role"] == "assistant" for message in request.body["messages"])
    arguments = {"image": f"image_{said + 1}", "box": [0, 0, 30 - said, 20 - said]}
    written = json.dumps({"name": "crop", "arguments": arguments})
    if said == 5:
        return Reply(completion("B"))
    if "tools" not in request.body:
        return Reply(completion(f"Closer, {said}.\n<tool_call>{written}</tool_call>"))
    call = {"id": f"c{said}", "type": "function", "function": {"name": "crop", "arguments": json.dumps(arguments)}}
    return Reply(completion(f"Closer, {said}.", finish="tool_calls", tool_calls=[call]))


FEW_PICTURES = ToolSettings(arm=Arm.VISUAL, budget=Budget(pictures=2))
SOURCES = [
    ("two calls at once", rests_on_what_it_sees, VISUAL),
    ("two calls at once, in the text", rests_on_what_it_sees, IN_TEXT),
    ("five turns", crops_again_and_again, VISUAL),
    ("five turns, in the text", crops_again_and_again, IN_TEXT),
    (
        "five turns, old pictures left out",
        crops_again_and_again,
        ToolSettings(arm=Arm.VISUAL, budget=Budget(pictures=2)),
    ),
]


@pytest.mark.parametrize(("script", "tools"), [source[1:] for source in SOURCES], ids=[one[0] for one in SOURCES])
def test_full_is_the_last_request_of_the_source_run_and_the_question_for_the_answer(
    script: Any, tools: ToolSettings, tmp_path: Path
) -> None:
    with ScriptedServer(script) as server:
        done = source_run(tmp_path, server.url, 2, tools=tools)
        last = last_requests(server)
    replayed = asks_under(done, Condition.FULL)
    assert len(replayed) == 2
    for number, ask in enumerate(replayed):
        body, asked = wire(ask), last[number].body
        assert body["messages"] == with_closing(asked["messages"])
        assert "tools" not in body
        assert {**body, "messages": [], "tools": []} == {"tools": [], **asked, "messages": []} | {"tools": []}


@pytest.mark.parametrize("tools", [VISUAL, IN_TEXT], ids=["native", "text"])
@pytest.mark.parametrize("condition", list(Condition), ids=str)
def test_each_condition_changes_observations_and_nothing_else(
    condition: Condition, tools: ToolSettings, tmp_path: Path
) -> None:
    with ScriptedServer(rests_on_what_it_sees) as server:
        done = source_run(tmp_path, server.url, 2, tools=tools)
        last = last_requests(server)
    keys = [asks[0].sample.key for asks in plain_asks(done)]
    partners = dict(zip(keys, reversed(keys), strict=True)) if condition is Condition.SWAPPED else {}
    first, second = (Request(0, "", {}, wire(ask)) for ask in asks_under(done, condition, partners=partners))
    source, other = last[0], last[1]
    own, crop = pictures_of(source)
    of_other = pictures_of(other)[1]
    shown = {Condition.SWAPPED: of_other, Condition.NO_IMAGES: own, Condition.NEITHER: own}.get(condition, crop)
    assert pictures_of(first) == [own, shown]
    told = {colour for colour in (colour_in(source), colour_in(other)) if colour in first.texts}
    expected = {Condition.SWAPPED: {colour_in(other)}, Condition.NO_TEXT: set(), Condition.NEITHER: set()}
    assert told == expected.get(condition, {colour_in(source)})
    assert (WITHHELD in first.texts) == condition.withholds_text
    size = "32x24" if condition.withholds_pictures else "16x12"  # the whole picture is shown, and said to be
    assert [line for line in first.texts.splitlines() if line.startswith("image_2:")] == [f"image_2: {size} pixels"]
    said = [message for message in first.body["messages"] if message["role"] == "assistant"]
    assert said == [message for message in source.body["messages"] if message["role"] == "assistant"]
    assert is_closed(first)
    assert len(second.body["messages"]) == len(first.body["messages"])


def colour_in(request: Request) -> str:
    """The colour that was read out of an item's picture."""
    return request.texts.partition("rgb(")[2].partition(")")[0]


def conversation_of(done: EngineRun) -> replaying.Conversation:
    (asks,) = plain_asks(done)
    with closing(schema.open_to_read(done.folder / "run.db")) as db:
        (one,) = replaying.conversations(db, asks[0].sample.key)
    return one


def test_a_conversation_that_a_budget_ended_is_kept_whole(tmp_path: Path) -> None:
    tools = ToolSettings(arm=Arm.VISUAL, budget=Budget(turns=3))
    with ScriptedServer(crops_again_and_again) as server:
        done = source_run(tmp_path, server.url, 1, tools=tools)
    (ask,) = asks_under(done, Condition.NEITHER)
    texts = [part["content"] for part in wire(ask)["messages"] if part["role"] == "assistant"]
    assert texts == ["Closer, 0.", "Closer, 1.", "Closer, 2."]
    assert [one.outcome for one in conversation_of(done).trajectory.observations][-1] is CallOutcome.NOT_RUN
    assert "Not run: the budget of this conversation is used up." in json.dumps(wire(ask))  # no evidence: it stays


def fails_then_answers(request: Request) -> Reply:
    """A call that does not exist, then the answer."""
    said = sum(message["role"] == "assistant" for message in request.body["messages"])
    call = {"id": "c", "type": "function", "function": {"name": "zoom", "arguments": "{}"}}
    return Reply(completion("B") if said else completion("Closer.", finish="tool_calls", tool_calls=[call]))


@pytest.mark.parametrize("script", [fails_then_answers, lambda request: Reply(completion("B"))])
def test_a_conversation_without_a_call_that_was_run_is_not_replayed(script: Any, tmp_path: Path) -> None:
    with ScriptedServer(script) as server:
        done = source_run(tmp_path, server.url, 1)
    assert asks_under(done, Condition.FULL) == []


def test_votes_and_epochs_have_their_own_conversations(tmp_path: Path) -> None:
    def by_epoch(request: Request) -> Reply:
        """Each new conversation about an item crops another box."""
        said = sum(message["role"] == "assistant" for message in request.body["messages"])
        if said:
            return Reply(completion("B"))
        begun = sum(item_of(one) == item_of(request) and len(one.body["messages"]) == 1 for one in server.requests)
        call = {
            "id": "c",
            "type": "function",
            "function": {"name": "crop", "arguments": json.dumps({"box": [0, 0, 10 + begun, 9]})},
        }
        return Reply(completion("", finish="tool_calls", tool_calls=[call]))

    with ScriptedServer(by_epoch) as server:
        done = source_run(tmp_path, server.url, 1, epochs=3)
        asks = asks_under(done, Condition.FULL)
        assert [ask.epoch for ask in asks] == [0, 1, 2]
        shown = {ask.epoch: pictures_of(Request(0, "", {}, wire(ask))) for ask in asks}
        replay = replay_of(done, Condition.FULL, n_asks=3)
        again = msgspec.structs.replace(done.result.plan, tools=None, replay=replay)
        # Through the engine, which prepares all asks about an item together.
        replayed = run_replay(again, server, tmp_path)
        sent = {tuple(pictures_of(one)) for one in server.requests if is_closed(one)}
    assert len(sent) == 3
    assert sent == {tuple(pictures) for pictures in shown.values()}
    kept = {path.name for path in (replayed.folder / "blobs").glob("??/*")}
    assert len(kept) == 4  # the item's own and three crops


def run_replay(planned: Plan, server: ScriptedServer, where: Path) -> EngineRun:
    done = run_engine(planned, server.url, where / "replays")
    assert done.result.complete
    return done


def test_a_changed_source_run_shows_in_the_plan(tmp_path: Path) -> None:
    with ScriptedServer(rests_on_what_it_sees) as server:
        done = source_run(tmp_path, server.url, 2)
    keys = tuple(asks[0].sample.key for asks in plain_asks(done))
    stale = replay_of(done, Condition.FULL, n_asks=2)
    replay = replaying.as_it_stands(stale, keys)
    assert replay.plan_hash == done.result.folder.joinpath("run.json").read_text().split('"plan_hash": "')[1][:16]
    assert replaying.as_it_stands(replay, keys) == replay
    with closing(schema.open_to_write(done.folder / "run.db")) as db:
        db.execute("UPDATE turns SET record = replace(record, 'I look', 'I stare')")
    assert replaying.as_it_stands(replay, keys).turns_sha256 != replay.turns_sha256
    selected = msgspec.structs.replace(
        done.result.plan,
        tools=None,
        replay=replay,
        selection=msgspec.structs.replace(done.result.plan.selection, ids=keys),
    )
    now = remake_plan(selected).identity({})
    assert {name for name in now if now[name] != selected.identity({})[name]} == {"replay"}
    done.folder.rename(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="must be where it was"):
        remake_plan(selected)
    moved = msgspec.structs.replace(replay, run=str(tmp_path / "elsewhere"))
    assert moved.identity() == replay.identity()


def spoil(blobs: Blobs, sha256: str, how: str, elsewhere: Path) -> None:
    path = blobs.path(sha256)
    data = path.read_bytes()
    path.unlink()
    if how == "changed":
        path.write_bytes(elsewhere.read_bytes())
    elif how == "cut":
        path.write_bytes(data[:40])
    elif how == "huge":
        with path.open("wb") as sink:
            sink.write(data)
            sink.truncate(1 << 30)
    elif how == "pipe":
        os.mkfifo(path)


SPOILT = [
    ("missing", "a picture that a tool made is missing"),
    ("changed", "a picture that a tool made is not what it was"),
    ("cut", "a picture that a tool made cannot be read"),
    ("huge", "a picture that a tool made cannot be read"),
    ("pipe", "a picture that a tool made cannot be read"),
]


@pytest.mark.parametrize(("how", "words"), SPOILT)
def test_a_picture_that_is_not_what_it_was_is_told(how: str, words: str, tmp_path: Path) -> None:
    with ScriptedServer(rests_on_what_it_sees) as server:
        done = source_run(tmp_path, server.url, 1)
    one, blobs = conversation_of(done), Blobs(done.folder)
    replaying.check_pictures(one, blobs)
    (sha256,) = (sha256 for seen in one.trajectory.observations for sha256 in seen.images)
    spoil(blobs, sha256, how, tmp_path / "set" / "data" / "0.jpg")
    with pytest.raises(DataError, match=words):
        replaying.check_pictures(one, blobs)
    with pytest.raises(UsageError, match=words):
        asks_under(done, Condition.FULL)
    assert len(asks_under(done, Condition.NEITHER)) == 1  # it shows none of them


def test_a_picture_is_never_named_by_a_path(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no hash"):
        replaying.picture(Blobs(tmp_path), "../../etc/passwd")


def test_turns_beyond_any_context_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedServer(rests_on_what_it_sees) as server:
        done = source_run(tmp_path, server.url, 1)
    monkeypatch.setattr(replaying, "_LONGEST", 100)
    with pytest.raises(DataError, match="larger than any model's context"):
        conversation_of(done)


def test_printed_text_and_the_lines_that_name_pictures_are_told_apart() -> None:
    cases: list[tuple[str, int, str]] = [
        ("Done.\nimage_2: 4x3 pixels", 1, "Done."),
        ("image_2: 4x3 pixels", 1, ""),
        ("a\nb\nimage_2: 4x3 pixels\nimage_3: 1x1 pixels", 2, "a\nb"),
        ("image_2: 4x3 pixels", 0, "image_2: 4x3 pixels"),  # printed by the model's own code
        ("image_2: 4x3 pixels\nimage_2: 4x3 pixels", 1, "image_2: 4x3 pixels"),
        ("no line names it", 1, "no line names it"),
    ]
    for text, images, expected in cases:
        seen = Observation(ToolCall("c", "crop", "{}"), CallOutcome.EXECUTED, text, ("0" * 64,) * images)
        assert replaying.printed(seen) == expected


def test_what_a_replay_shows_is_in_its_identity() -> None:
    replay = Replay(
        run="a",
        plan_hash="h",
        tools=VISUAL,
        turns_sha256="t",
        condition=Condition.SWAPPED,
        n_asks=1,
        partners={"a": "b"},
    )
    changes: list[dict[str, Any]] = [
        {"plan_hash": "i"},
        {"turns_sha256": "u"},
        {"condition": Condition.FULL},
        {"n_asks": 2},
        {"partners": {"a": "c"}},
    ]
    identities = [replay.identity(), *(msgspec.structs.replace(replay, **change).identity() for change in changes)]
    assert len({json.dumps(one) for one in identities}) == 1 + len(changes)


def test_the_very_pictures_that_could_not_be_sent_are_left_out_again(tmp_path: Path) -> None:
    """Of two new pictures the second is too narrow for the server: the first is shown, as it was."""

    def script(request: Request) -> Reply:
        said = sum(message["role"] == "assistant" for message in request.body["messages"])
        sizes = [(40, 30), (4000, 10)][said : said + 1]
        asked = [
            {"id": "c", "type": "function", "function": {"name": "resize", "arguments": json.dumps(size)}}
            for size in ({"width": width, "height": height} for width, height in sizes)
        ]
        return Reply(completion("", finish="tool_calls", tool_calls=asked) if asked else completion("B"))

    with ScriptedServer(script) as server:
        made = made_evidence.plan(made_evidence.data(tmp_path / "set", 1))
        done = run_engine(made, server.url, tmp_path / "runs", endpoint={"policy": QWEN_VL})
    (ask,) = asks_under(done, Condition.FULL)
    shown = {part.index for message in ask.messages for part in message.parts if isinstance(part, ImagePart)}
    own = len(ask.sample.images)
    assert shown == {*range(own), own}
