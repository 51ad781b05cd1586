"""A judge that says which of two pairs of target and source mean the same: a proposal to people, never a vote.

It is asked where there is a metaphor and no pair is settled, about every two pairs that annotators gave. Each answer is
written to a file of the project as it comes, so that a second attempt asks only for what is missing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from io import RawIOBase
from itertools import combinations
from pathlib import Path

import msgspec

from beholder.annotate.consensus import Consensus, Equivalence, Pair
from beholder.annotate.items import NewItem
from beholder.annotation import Annotation
from beholder.engine.judge import Asker, Judge, open_asker
from beholder.errors import AuthError, UsageError
from beholder.sample import MetaphorTarget, Response, Sample
from beholder.store.folder import write_atomically

FILE = "equivalences.jsonl"
PURPOSE = "slots"
"""What the judge is asked in M3R-Bench: whether a pair is another one in other words."""


class Asked(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a judge said of two pairs; `same` is None where it failed, `failure` then says why."""

    key: str
    judge: str
    first: Pair
    second: Pair
    same: bool | None = None
    failure: str = ""

    @property
    def pairs(self) -> Equivalence:
        """The two pairs."""
        return Equivalence(self.first, self.second)


class _Verdict(msgspec.Struct, frozen=True):
    same: bool


def questions(items: Sequence[tuple[Sample, NewItem]]) -> list[tuple[Sample, Pair, Pair]]:
    """Every two pairs that a judge has to compare."""
    return [
        (sample, first, second)
        for sample, item in items
        if item.consensus is not None and _is_open(item.consensus)
        for first, second in combinations([_pair(vote.value) for vote in item.consensus.pair.votes], 2)
    ]


def _is_open(made: Consensus) -> bool:
    return made.metaphor.value is not False and not made.pair.settled


def _pair(value: object) -> Pair:
    assert isinstance(value, tuple)
    return value


async def compare(
    folder: Path, items: Sequence[tuple[Sample, NewItem]], judge: Judge, say: Callable[[str], None]
) -> list[Asked]:
    """Asks the judge what it has not been asked yet. Returns all that it said, in the order of the data.

    What it cannot say is told in one line, and asked again the next time. `UsageError` if the server refuses the key.
    """
    before = read(folder)
    known = {_place(one): one for one in before if one.judge == judge.name and not one.failure}
    wanted = [one for one in questions(items) if (one[0].key, one[1], one[2]) not in known]
    if wanted:
        write_atomically(folder / FILE, b"".join(map(_line, before)))  # without what a kill cut off
        with (
            open_asker(judge, lambda sample: sample.images, say, asyncio.sleep) as asker,
            (folder / FILE).open("ab", buffering=0) as kept,
        ):
            said = await _all_of(asker, wanted, judge, kept)
        failed = [one for one in said if one.failure]
        if failed:
            say(f"The judge failed on {len(failed):,} of {len(said):,} comparisons ({failed[0].failure}).")
        known |= {_place(one): one for one in said}
    order = [(sample.key, first, second) for sample, first, second in questions(items)]
    return [known[place] for place in order]


async def _all_of(
    asker: Asker, wanted: Sequence[tuple[Sample, Pair, Pair]], judge: Judge, kept: RawIOBase
) -> list[Asked]:
    free = asyncio.Semaphore(judge.concurrency)

    async def one(number: int, sample: Sample, first: Pair, second: Pair) -> Asked:
        async with free:
            said = await _ask(asker, number, sample, first, second)
        kept.write(_line(said))
        return said

    try:
        return await asyncio.gather(*(one(number, *question) for number, question in enumerate(wanted)))
    except AuthError as error:
        raise UsageError(f"The {judge.told} refused the key: {str(error).rstrip('.')}.") from None


async def _ask(asker: Asker, number: int, sample: Sample, first: Pair, second: Pair) -> Asked:
    """The first pair stands where the judge of a benchmark has the gold, the second where it has the answer."""
    gold = Annotation(metaphor=True, target=first[0], source=first[1])
    about = msgspec.structs.replace(sample, target=MetaphorTarget(gold), metadata={**sample.metadata, "task": "joint"})
    said = {"metaphor": "yes", "target": second[0], "source": second[1], "sentiment": "neutral"}
    reply = await asker.ask(about, Response(text=msgspec.json.encode(said).decode(), finish="stop"), number)
    name = asker.judge.name
    if reply.value is None:
        failure = reply.failure.message if reply.failure is not None else "no verdict"
        return Asked(sample.key, name, first, second, failure=failure)
    verdict = msgspec.json.decode(reply.value or "{}", type=dict[str, _Verdict])
    return Asked(sample.key, name, first, second, same=bool(verdict) and all(slot.same for slot in verdict.values()))


def _line(one: Asked) -> bytes:
    return msgspec.json.encode(one) + b"\n"


def read(folder: Path) -> list[Asked]:
    """All that judges said, oldest first; a last line that was cut off is left out. `UsageError` if it is damaged."""
    try:
        lines = (folder / FILE).read_bytes().split(b"\n")[:-1]
        return [msgspec.json.decode(line, type=Asked) for line in lines]
    except FileNotFoundError:
        return []
    except (OSError, msgspec.DecodeError, UnicodeError) as error:
        raise UsageError(
            f"{folder / FILE} cannot be read ({error}). Remove it, and the judge is asked again."
        ) from None


def _place(one: Asked) -> tuple[str, Pair, Pair]:
    return (one.key, one.first, one.second)
