"""Replaying the conversations of a run with other observations: what the model wrote is kept, what it was shown is not.

The assistant's turns stand word for word up to the final answer, in the protocol of the source run; then the answer
is asked for once, without tools. So turns and talk are equal under all conditions, and what an observation was worth
shows in the difference.

| condition | printed text | new pictures |
|---|---|---|
| `full` | as it was | as they were |
| `no-images` | as it was | each is the unchanged first picture of the item |
| `no-text` | withheld | as they were |
| `neither` | withheld | each is the unchanged first picture of the item |
| `swapped` | that of another item of the category | those of that item |

The lines that name new pictures stay under all of them; where the unchanged picture is shown, they tell its size. The
size of a crop is something that the crop brought, and a text that contradicts the picture beside it would be a second
thing that differs. A source run may be anybody's: its pictures are read within bounds and checked by their hash.
"""

from __future__ import annotations

import hashlib
import itertools
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec

from beholder.errors import DataError, UsageError
from beholder.images.load import load
from beholder.sample import Ask, Conduct, ImageRef, Message, Response, Sample, TextPart
from beholder.store import schema, turns
from beholder.store.folder import Blobs, read_info
from beholder.tools.boxes import sized
from beholder.tools.exchange import Exchange, NativeExchange, TextExchange
from beholder.tools.loop import opening, without_pictures
from beholder.tools.settings import Protocol, ToolSettings, specs_of
from beholder.trajectory import CallOutcome, Ended, Observation, Trajectory, Turn

CLOSING = (
    "No more tools can be called now. Answer the question from what you have seen so far. "
    "Give the answer in the form that was asked for."
)
"""The last message of every replay; OUR words."""
WITHHELD = "[output withheld]"
"""Stands in place of printed text; OUR words."""

SIZES = "sizes as shown"
"""What the lines that name pictures tell where pictures are withheld: replays that told other sizes asked otherwise."""

RUN = (CallOutcome.EXECUTED, CallOutcome.ERROR, CallOutcome.STOPPED)
"""Outcomes of calls that were run: only their text is evidence. The others say what was wrong with the call."""

_NAMES_A_PICTURE = re.compile(r"image_\d+(: \d+x\d+ pixels)")
_LONGEST = 16 << 20
"""Characters of the turns of one conversation. No model's context comes near; a foreign file may hold anything."""
_MOST_PICTURES = 1000
_DAMAGED = "its turns cannot be read"


class Condition(StrEnum):
    """What becomes of the observations."""

    FULL = "full"
    NO_IMAGES = "no-images"
    NO_TEXT = "no-text"
    NEITHER = "neither"
    SWAPPED = "swapped"

    @property
    def withholds_pictures(self) -> bool:
        return self in (Condition.NO_IMAGES, Condition.NEITHER)

    @property
    def withholds_text(self) -> bool:
        return self in (Condition.NO_TEXT, Condition.NEITHER)


class Replay(msgspec.Struct, frozen=True, kw_only=True):
    """Which conversations a plan replays, and how.

    `run` is the folder of the source run, `plan_hash` and `tools` what it asked; `turns_sha256` is the digest of the
    turns that are replayed (`turns_digest`). `n_asks` is how many conversations that are: an item need not have one in
    every epoch and vote. `partners` gives each item the one whose observations it gets, under `swapped`.
    """

    run: str
    plan_hash: str
    tools: ToolSettings
    turns_sha256: str
    condition: Condition
    n_asks: int
    partners: dict[str, str] = {}

    @property
    def told(self) -> str:
        """The replay in words."""
        return f"{self.condition.value}, of the conversations in {Path(self.run).name}"

    def identity(self) -> dict[str, Any]:
        """What two replays must share to ask the same; the source run may lie elsewhere."""
        sizes = (SIZES,) if self.condition.withholds_pictures else ()
        words = msgspec.json.encode((CLOSING, WITHHELD, sorted(self.partners.items()), *sizes))
        return {
            "plan_hash": self.plan_hash,
            "turns_sha256": self.turns_sha256,
            "condition": self.condition.value,
            "n_asks": self.n_asks,
            "words_sha256": hashlib.sha256(words).hexdigest(),
        }


class Conversation(msgspec.Struct, frozen=True):
    """A stored conversation that can be replayed."""

    epoch: int
    vote: int
    trajectory: Trajectory


def kept_turns(trajectory: Trajectory) -> tuple[Turn, ...]:
    """The turns that a replay keeps: all but the final answer; all of them where a budget ended the conversation."""
    return trajectory.turns[:-1] if trajectory.ended is Ended.ANSWERED else trajectory.turns


def run_observations(trajectory: Trajectory) -> list[Observation]:
    """What the calls brought that were run, in the turns that a replay keeps."""
    return [one for turn in kept_turns(trajectory) for one in turn.observations if one.outcome in RUN]


def printed(observation: Observation) -> str:
    """The text of an observation without the lines that name its pictures."""
    return _parted(observation)[0]


def conversations(db: sqlite3.Connection, key: str) -> Iterator[Conversation]:
    """The conversations about one sample that can be replayed: answered or ended by a budget, with a call that was run.

    `DataError` for one that is damaged or larger than any model's context.
    """
    for epoch, vote, conduct in _conducts(db, key):
        if conduct.ended == Ended.FAILED:
            continue
        (size,) = db.execute(
            "SELECT coalesce(sum(length(record)), 0) FROM turns WHERE key = ? AND epoch = ? AND vote = ? "
            "AND attempt = ?",
            (key, epoch, vote, conduct.attempt),
        ).fetchone()
        if size > _LONGEST:
            raise DataError("its turns are larger than any model's context", where=key)
        try:
            found = turns.trajectory(db, (key, epoch, vote), conduct)
        except UsageError:
            raise DataError(_DAMAGED, where=key) from None
        if run_observations(found):
            yield Conversation(epoch, vote, found)


def _conducts(db: sqlite3.Connection, key: str) -> list[tuple[int, int, Conduct]]:
    if not turns.are_kept(db):
        return []
    rows = db.execute(
        "SELECT epoch, vote, json_extract(record, '$.conduct') FROM responses "
        "WHERE key = ? AND json_extract(record, '$.conduct') IS NOT NULL ORDER BY epoch, vote",
        (key,),
    ).fetchall()
    try:
        return [(epoch, vote, msgspec.json.decode(told, type=Conduct)) for epoch, vote, told in rows]
    except msgspec.DecodeError:
        raise DataError(_DAMAGED, where=key) from None


def turns_digest(db: sqlite3.Connection, keys: Iterable[str]) -> str:
    """A SHA-256 over the turns that a replay of these items rests on."""
    digest = hashlib.sha256()
    for key in sorted(keys):
        for one in conversations(db, key):
            record = msgspec.json.encode((key, one.epoch, one.vote, one.trajectory))
            digest.update(b"%d:" % len(record) + record)
    return digest.hexdigest()


def as_it_stands(replay: Replay, keys: Sequence[str]) -> Replay:
    """The replay with the digests of its source run taken again, so that a changed one shows."""
    folder = Path(replay.run)
    if not (folder / "run.json").is_file():
        raise UsageError(f"The run that is replayed must be where it was: there is none at {folder}.")
    info = read_info(folder)
    try:
        with closing(schema.open_to_read(folder / "run.db")) as db, schema.told_plainly(folder):
            digest = turns_digest(db, keys)
    except DataError as error:
        raise UsageError(f"{folder}, item {error}. Restore the run that is replayed.") from None
    return msgspec.structs.replace(replay, plan_hash=info.plan_hash, turns_sha256=digest)


def picture(blobs: Blobs, sha256: str) -> bytes:
    """The bytes of a picture that a tool made. `DataError`, in the same words for all, if it cannot be shown again."""
    name = ascii(sha256[:12])
    try:
        path = blobs.path(sha256)
        image = load(ImageRef(name=name, path=str(path)))  # reads regular files only, within bounds
    except ValueError:
        raise DataError("a picture is named by what is no hash", where=name) from None
    except DataError as error:
        words = "cannot be read" if path.exists() else "is missing"
        raise DataError(f"a picture that a tool made {words}", where=name) from error
    if image.sha256 != sha256:
        raise DataError("a picture that a tool made is not what it was", where=name)
    return image.data


def check_pictures(one: Conversation, blobs: Blobs) -> None:
    """`DataError` if a picture of the conversation cannot be shown again, or if there are too many."""
    wanted = [sha256 for seen in _observations(one.trajectory) for sha256 in seen.images]
    if len(wanted) > _MOST_PICTURES:
        raise DataError(f"it has more than {_MOST_PICTURES:,} pictures")
    for sha256 in dict.fromkeys(wanted):
        picture(blobs, sha256)


def _observations(trajectory: Trajectory) -> list[Observation]:
    return [one for turn in kept_turns(trajectory) for one in turn.observations]


def replayed(asks: Sequence[Ask], replay: Replay) -> list[Ask]:
    """The asks of one sample that have a conversation to replay, each with it and with the question for the answer.

    `UsageError` where the source run no longer holds what it held when the plan was made.
    """
    if not asks:
        return []
    folder = Path(replay.run)
    key = asks[0].sample.key
    partner = replay.partners.get(key)
    try:
        with closing(schema.open_to_read(folder / "run.db")) as db, schema.told_plainly(folder):
            own = {(one.epoch, one.vote): one for one in conversations(db, key)}
            others = {(one.epoch, one.vote): one for one in conversations(db, partner)} if partner is not None else {}
        # OUR assumption: where the partner has none at this epoch and vote, its first one serves.
        first = next(iter(others.values()), None)
        return [
            replay_of(ask, own[place], replay, Blobs(folder), others.get(place, first))
            for ask in asks
            if (place := (ask.epoch, ask.vote)) in own
        ]
    except DataError as error:
        raise UsageError(f"{folder}, item {key}: {error}. Restore the run that is replayed.") from None


def replay_of(ask: Ask, one: Conversation, replay: Replay, blobs: Blobs, donor: Conversation | None = None) -> Ask:
    """The ask that replays a conversation. `ask` is the plain question; `donor` gives the observations of `swapped`."""
    exchange: Exchange = NativeExchange()
    if replay.tools.protocol is Protocol.TEXT:  # the instructions are part of the conversation
        exchange = TextExchange()
        ask = opening(ask, replay.tools, specs_of(replay.tools))
    given = _given(one, replay.condition, donor)
    size = _size_of(ask.sample.images[0]) if replay.condition.withholds_pictures else None
    messages = list(ask.messages)
    made: tuple[ImageRef, ...] = ()
    for turn in kept_turns(one.trajectory):
        first = len(ask.sample.images) + len(made)
        observations: list[Observation] = []
        for own in turn.observations:
            seen = _renamed(next(given) if own.outcome in RUN else own, own, len(ask.sample.images) + len(made))
            seen = _resized(seen, size) if size is not None else seen
            for sha256 in seen.images:
                made = (*made, _shown(sha256, ask.sample, len(made), replay.condition, blobs))
            observations.append(seen)
        messages += exchange.go_on(Response(text=turn.text), observations, first)
    evicted = set(one.trajectory.turns[-1].evicted)
    if donor is not None:
        evicted = _oldest(one.trajectory, len(ask.sample.images), len(made))
    shown = tuple(without_pictures(message, evicted) for message in messages)
    closing_words = Message("user", (TextPart(CLOSING),))
    return msgspec.structs.replace(ask, messages=(*shown, closing_words), made=made, tools=())


def _given(one: Conversation, condition: Condition, donor: Conversation | None) -> Iterator[Observation]:
    """What the calls that were run are said to have brought, in order."""
    if condition is Condition.SWAPPED:
        assert donor is not None, "swapped observations need another item's"
        # Another item may have fewer calls: its observations come round again.
        return itertools.cycle(run_observations(donor.trajectory))
    return iter([_withheld(seen) if condition.withholds_text else seen for seen in run_observations(one.trajectory)])


def _withheld(observation: Observation) -> Observation:
    text, lines = _parted(observation)
    told = WITHHELD if text.strip() else text
    return msgspec.structs.replace(observation, text="\n".join(filter(None, (told, *lines))))


def _parted(observation: Observation) -> tuple[str, list[str]]:
    """The printed text, and the lines at its end that name the new pictures."""
    if not observation.images:
        return observation.text, []
    lines = observation.text.split("\n")
    named = lines[-len(observation.images) :]
    if len(named) < len(observation.images) or not all(map(_NAMES_A_PICTURE.fullmatch, named)):
        return observation.text, []
    return "\n".join(lines[: -len(named)]), named


def _renamed(seen: Observation, own: Observation, first: int) -> Observation:
    """The observation as the answer to the call `own`, its pictures named from place `first` (from 0) on."""
    if seen is own:
        return own
    text, lines = _parted(seen)
    named = [_NAMES_A_PICTURE.sub(rf"image_{first + number}\1", line) for number, line in enumerate(lines, start=1)]
    return msgspec.structs.replace(seen, call=own.call, text="\n".join(filter(None, (text, *named))))


def _resized(seen: Observation, size: str) -> Observation:
    """The observation whose pictures are said to have another size."""
    text, lines = _parted(seen)
    named = [f"{line.partition(':')[0]}: {size}" for line in lines]
    return msgspec.structs.replace(seen, text="\n".join(filter(None, (text, *named))))


def _size_of(ref: ImageRef) -> str | None:
    """The size of a picture as the lines tell it; None where it cannot be read: then asking fails and says why."""
    try:
        image = load(ref)
    except DataError:
        return None
    return sized((image.width, image.height))


def _shown(sha256: str, sample: Sample, number: int, condition: Condition, blobs: Blobs) -> ImageRef:
    """The picture that is shown where the source run showed a new one."""
    name = f"image_{len(sample.images) + number + 1}"
    if condition.withholds_pictures:
        return msgspec.structs.replace(sample.images[0], name=name)
    return ImageRef(name=name, data=picture(blobs, sha256))


def _oldest(trajectory: Trajectory, own: int, made: int) -> set[int]:
    """The places of the oldest pictures of another item beyond as many as the source run's last request showed."""
    left_out = len(trajectory.turns[-1].evicted)
    if not left_out:
        return set()
    shown = sum(len(one.images) for one in _observations(trajectory)) - left_out
    return set(range(own, own + max(0, made - shown)))
