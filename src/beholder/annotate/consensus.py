"""What N annotators settle between them, and what people have to decide. Pure: values in, values out.

The paper: five models annotate independently; where fewer than three agree, people decide. It does not say what has to
agree. OUR rules: the metaphor label and the sentiment each by themselves; target and source as a pair, among those who
say that there is a metaphor. Who failed, refused or could not be read counts among the N, so that three of five is
three, however many answered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from beholder.annotation import (
    BOX_OUTSIDE,
    METAPHOR_WITHOUT_SLOTS,
    SENTIMENTS,
    SLOTS_WITHOUT_METAPHOR,
    Annotation,
    structure_faults,
)
from beholder.errors import UsageError

ADJUDICATE, CONFIRM = "adjudicate", "confirm"
"""State of an item: people have to decide something; or all is settled, and a person looks it over."""

Pair = tuple[str, str]
"""A target and a source."""
Same = Callable[[str, str], bool]
"""Whether two targets (or two sources) are the same but for what does not count. An equivalence: `slots.same`."""
V = TypeVar("V", bool, str, Pair)


class Vote(msgspec.Struct, frozen=True, omit_defaults=True):
    """One value of a field and who gave it: the annotators' numbers, ascending, from 0."""

    value: bool | str | Pair
    who: tuple[int, ...]


class FieldConsensus(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a field came out. `votes` has the value with the most voices first; `value` is set only where `settled`.

    `name` is `metaphor`, `pair` (target and source) or `sentiment`. A pair that need not be settled, because there
    is no metaphor, is settled without a value.
    """

    name: str
    settled: bool
    value: bool | str | Pair | None = None
    votes: tuple[Vote, ...] = ()


class Equivalence(msgspec.Struct, frozen=True, order=True):
    """Two pairs that a judge takes to mean the same. A proposal for people: it settles nothing."""

    first: Pair
    second: Pair


class Consensus(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the annotators of one item came to.

    `annotators` is N, `agree` how many of them settle a field. `missing` are those without an answer that can be read,
    `faults` the rules that others broke (their slots do not count). `why` says in sentences what people have to decide.
    """

    annotators: int
    agree: int
    metaphor: FieldConsensus
    pair: FieldConsensus
    sentiment: FieldConsensus
    missing: tuple[int, ...] = ()
    faults: dict[int, tuple[str, ...]] = {}
    why: tuple[str, ...] = ()
    proposed_equivalences: tuple[Equivalence, ...] = ()

    @property
    def state(self) -> str:
        """`adjudicate` or `confirm`."""
        return ADJUDICATE if self.why else CONFIRM

    @property
    def fields(self) -> tuple[FieldConsensus, ...]:
        """The three fields in the order in which they are asked."""
        return (self.metaphor, self.pair, self.sentiment)

    @property
    def labels(self) -> Annotation:
        """What is settled, as an annotation; the rest is UNSET."""
        said: dict[str, bool | str | None] = {}
        if self.metaphor.settled:
            said["metaphor"] = self.metaphor.value is True
        if self.metaphor.settled and self.metaphor.value is False:
            said["target"] = said["source"] = None
        elif isinstance(self.pair.value, tuple):
            said["target"], said["source"] = self.pair.value
        if self.sentiment.settled:
            said["sentiment"] = str(self.sentiment.value)
        return Annotation(**said)  # type: ignore[arg-type]


def majority(annotators: int) -> int:
    """How many of N annotators have to agree where nothing is said: more than half of them, and never one alone.

    >>> [majority(n) for n in (1, 2, 3, 4, 5, 6, 7)]
    [2, 2, 2, 3, 3, 4, 4]
    """
    return max(2, annotators // 2 + 1)


def check_agree(agree: int, annotators: int) -> None:
    """Refuses a threshold that two values could reach at once, or that nobody can reach. Raises `UsageError`."""
    if not max(2, annotators // 2 + 1) <= agree <= max(annotators, 2):
        raise UsageError(
            f"--agree {agree} cannot be used with {annotators} annotators: it must be more than half of them, at least "
            f"2, and no more than there are. {majority(annotators)} would be usual."
        )


def settle(annotations: Sequence[Annotation | None], same: Same, agree: int | None = None) -> Consensus:
    """What the annotators of one item settle; None stands for an annotator without a readable answer.

    `agree` is how many have to say the same; by default more than half of them (3 of 5, as the paper has it). The
    order of the annotators decides nothing but their numbers. Raises `UsageError` for an `agree` that makes no sense.
    """
    n = len(annotations)
    agree = majority(n) if agree is None else agree
    check_agree(agree, n)
    there = {number: found for number, found in enumerate(annotations) if found is not None}
    faults = {number: found for number, said in there.items() if (found := structure_faults(said))}
    metaphor = _counted("metaphor", {k: a.metaphor for k, a in there.items() if isinstance(a.metaphor, bool)}, agree)
    sentiment = _counted("sentiment", {k: a.sentiment for k, a in there.items() if a.sentiment in SENTIMENTS}, agree)
    voters = {k: a for k, a in there.items() if a.metaphor is True and not _breaks_slots(faults.get(k, ()))}
    pair = _counted("pair", _pairs(voters), agree, lambda one, other: all(map(same, one, other)))
    made = Consensus(
        annotators=n,
        agree=agree,
        metaphor=metaphor,
        pair=FieldConsensus("pair", True, votes=pair.votes) if metaphor.value is False else pair,
        sentiment=sentiment,
        missing=tuple(number for number in range(n) if number not in there),
        faults=faults,
    )
    slots_all_the_same = _counted("pair", _pairs(there), agree, lambda one, other: all(map(same, one, other)))
    return msgspec.structs.replace(made, why=tuple(_open_questions(made, slots_against_no=slots_all_the_same.settled)))


def _pair(said: Annotation) -> Pair | None:
    """Target and source, where both are said."""
    if isinstance(said.target, str) and isinstance(said.source, str) and said.target.strip() and said.source.strip():
        return (said.target, said.source)
    return None


def _pairs(there: dict[int, Annotation]) -> dict[int, Pair]:
    return {number: pair for number, said in there.items() if (pair := _pair(said))}


def _counted(
    name: str, said: dict[int, V], agree: int, same: Callable[[V, V], bool] = lambda one, other: one == other
) -> FieldConsensus:
    """Who says the same. A group is named by its most frequent spelling, of equals the first in the alphabet."""
    groups: list[list[int]] = []
    for number, value in said.items():
        for group in groups:
            if same(said[group[0]], value):
                group.append(number)
                break
        else:
            groups.append([number])
    votes = [Vote(_usual([said[number] for number in group]), tuple(sorted(group))) for group in groups]
    votes.sort(key=lambda vote: (-len(vote.who), str(vote.value)))
    settled = bool(votes) and len(votes[0].who) >= agree
    return FieldConsensus(name, settled, votes[0].value if settled else None, tuple(votes))


def _usual(values: list[V]) -> V:
    counts = Counter(values)
    return min(counts, key=lambda value: (-counts[value], str(value)))


def _open_questions(made: Consensus, *, slots_against_no: bool) -> list[str]:
    """What people have to decide, a sentence each; none where all is settled and coherent."""
    n, agree = made.annotators, made.agree
    if n - len(made.missing) < agree:
        return [f"Only {n - len(made.missing)} of {n} annotators gave an answer that can be read; {agree} must agree."]
    why = []
    if not made.metaphor.settled:
        why.append(f"Whether there is a metaphor is not settled ({_told(made.metaphor)}).")
    if made.metaphor.value is True and not made.pair.settled:
        why.append(f"That there is a metaphor is settled, target and source are not ({_told(made.pair)}).")
    if made.metaphor.value is False and slots_against_no:
        why.append(f"No metaphor is settled, and yet {agree} or more annotators name the same target and source.")
    elif made.metaphor.value is False and len(_coherent(made)) < agree:
        why.append(f"No metaphor is settled only with answers that name a target or source ({_told(made.metaphor)}).")
    if not made.sentiment.settled:
        why.append(f"The sentiment is not settled ({_told(made.sentiment)}).")
    return why


def _coherent(made: Consensus) -> list[int]:
    """Who says what is settled of the metaphor, and does not contradict it by target or source."""
    return [number for number in made.metaphor.votes[0].who if not _breaks_slots(made.faults.get(number, ()))]


def _breaks_slots(faults: Sequence[str]) -> bool:
    """Whether target and source do not fit the metaphor. A box outside the picture is a fault of the explanation."""
    return bool(set(faults) - {BOX_OUTSIDE})


def _told(field: FieldConsensus) -> str:
    """The votes as counts: `2 : 2 : 1`."""
    counts = [str(len(vote.who)) for vote in field.votes]
    return f"votes {' : '.join(counts)}" if counts else "nobody says"


def with_equivalences(made: Consensus, proposed: Sequence[Equivalence]) -> Consensus:
    """The same consensus with what a judge proposes to people. It changes no vote and no state."""
    return msgspec.structs.replace(made, proposed_equivalences=tuple(sorted(set(proposed))))


def renumbered(made: Consensus, order: Sequence[int]) -> Consensus:
    """The same consensus with other numbers for the annotators: who was `order[k]` becomes `k`."""
    place = {number: k for k, number in enumerate(order)}

    def field(one: FieldConsensus) -> FieldConsensus:
        votes = tuple(Vote(vote.value, tuple(sorted(place[number] for number in vote.who))) for vote in one.votes)
        return msgspec.structs.replace(one, votes=votes)

    return msgspec.structs.replace(
        made,
        metaphor=field(made.metaphor),
        pair=field(made.pair),
        sentiment=field(made.sentiment),
        missing=tuple(sorted(place[number] for number in made.missing)),
        faults={place[number]: found for number, found in made.faults.items()},
    )


def agrees_with(said: Annotation, labels: Annotation, same: Same) -> bool:
    """Whether an annotator's labels are those that were settled, so that the explanation may serve as a draft."""
    if said.metaphor is not labels.metaphor or said.sentiment != labels.sentiment:
        return False
    if labels.metaphor is False:
        return not {SLOTS_WITHOUT_METAPHOR, METAPHOR_WITHOUT_SLOTS} & set(structure_faults(said))
    return (
        isinstance(said.target, str)
        and isinstance(said.source, str)
        and isinstance(labels.target, str)
        and isinstance(labels.source, str)
        and same(said.target, labels.target)
        and same(said.source, labels.source)
    )
