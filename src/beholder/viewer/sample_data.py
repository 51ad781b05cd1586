"""What the page of one sample shows: the item, every response with its verdicts, how it came about.

Units and texts are as in `run_data`.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from beholder.viewer.run_data import Fact


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What one scorer says of a response. `read` is the answer that it read, `span` where in the text: (start, end) in
    UTF-16 units, as JavaScript counts; None too where that part of a long text is left out.

    `stored` is which stored answer a vote prefers, from 1, mapped back by the order shown. `apart`: this scorer judges
    something else than the others (an explanation), and does not disagree with them.
    """

    scorer: str
    value: float | None
    bucket: str
    read: str | None
    span: tuple[int, int] | None
    stored: int | None
    flags: list[str]
    reason: str
    apart: bool


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """A picture: its hash if the run keeps it, its name and size (0: not known), how it was sent.

    Without a hash it cannot be shown, and `sent` says why.
    """

    sha256: str | None
    name: str
    width: int = 0
    height: int = 0
    sent: str = ""


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """A tool call: `code` if it was Python, else `arguments` in one line; what came back; the picture before it.

    `more` counts pictures that are left out.
    """

    number: int
    tool: str
    code: str | None
    arguments: str
    ok: bool
    outcome: str
    flags: list[str]
    text: str
    seconds: float
    before: Shown | None
    pictures: list[Shown]
    more: int = 0


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """A message of the model with its calls. `stated` is the answer it states, `probed` the one it gave when asked.

    With `is_answer` the message is the response itself, and `said` and `stated` are empty. `more` counts calls that are
    left out.
    """

    number: int
    said: str
    reasoning: str
    stated: str
    probe: str
    probed: str
    facts: str
    calls: list[Call]
    is_answer: bool = False
    more: int = 0


class Talk(msgspec.Struct, frozen=True, kw_only=True):
    """A conversation with tools. `badly`: not ended by an answer. `cause`: what a failure is put down to.

    `abandoned` are attempts that came to nothing. `more` counts turns that are left out in the middle.
    """

    summary: str
    ending: str
    badly: bool
    cost: str
    cause: str
    answers: str
    flags: list[str]
    abandoned: list[str]
    turns: list[Turn]
    more: int = 0


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of evidence: `kind` visual or textual, `place` in words, `box` on the picture where it has one."""

    kind: str
    text: str
    place: str
    box: tuple[float, float, float, float] | None


class Stages(msgspec.Struct, frozen=True, kw_only=True):
    """An explanation of a metaphor in its three stages."""

    evidence: list[Piece]
    mapping: str
    sentiment: str


class LabelRow(msgspec.Struct, frozen=True, kw_only=True):
    """A label of a metaphor: gold, said, whether it is right (None: not compared), why."""

    name: str
    gold: str
    said: str
    right: bool | None
    why: str


class Rating(msgspec.Struct, frozen=True, kw_only=True):
    """A judge's answer to one question of the rubric, what it quotes for it, and whether that stands there."""

    question: str
    answer: str
    quote: str
    region: str
    quote_found: bool


class Criterion(msgspec.Struct, frozen=True, kw_only=True):
    """One criterion of the rubric with its points out of 100."""

    title: str
    points: float
    ratings: list[Rating]


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """What a judge says of an explanation: `points` out of 100, None if it failed (then `failure` says why)."""

    judge: str
    points: float | None
    failure: str
    criteria: list[Criterion]


class Metaphor(msgspec.Struct, frozen=True, kw_only=True):
    """An answer to a metaphor item: labels, stages with boxes, broken rules of structure, the judges."""

    labels: list[LabelRow]
    stages: Stages | None
    faults: list[str]
    judgements: list[Judgement]


class Triplet(msgspec.Struct, frozen=True, kw_only=True):
    """A reasoning triplet. `role` is `both` (gold, and said), `missed` (gold only) or `extra` (said only)."""

    subject: str
    relation: str
    object: str
    role: Literal["both", "missed", "extra"]


class Said(msgspec.Struct, frozen=True):
    """A message as it was sent: who speaks, and the text; pictures are named in it."""

    role: str
    text: str


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """One response to an item. `order` is that in which stored answers were shown, from 1; `theirs` is what the tool
    that it was imported from says of it; `read_by` is what an extractor model read. `prompt` is what was sent (of a
    conversation, what opened it); where the journal has no requests it is `made_again` from the template."""

    vote: int
    epoch: int
    order: list[int]
    text: str | None
    reasoning: str
    finish: str
    failure: str
    facts: list[Fact]
    read_by: str
    theirs: str
    verdicts: list[Verdict]
    prompt: list[Said]
    talk: Talk | None
    metaphor: Metaphor | None
    triplets: list[Triplet]
    made_again: bool = False


class Majority(msgspec.Struct, frozen=True, kw_only=True):
    """The votes of an item under one scorer: for each stored answer, for none, failed; and what they come to."""

    scorer: str
    votes: list[int]
    neither: int
    failed: int
    decision: str


class MarkRow(msgspec.Struct, frozen=True, kw_only=True):
    """What a person noted: that `scorer` is wrong about a response, or with `label` what went wrong. `number` is for
    taking it back."""

    number: int
    scorer: str
    label: str
    note: str
    created: str
    vote: int
    epoch: int


class SamplePage(msgspec.Struct, frozen=True, kw_only=True):
    """One item with everything that the run holds of it.

    `options` begin with their letters, and are empty where the question has them. `stored` are the answers that a
    comparison is about. `place` is -1 while the index of the run has not come so far. `more` counts responses left out.
    """

    run: str
    place: int
    key: str
    index: int
    id: str
    category: str
    difficulty: str
    group: str
    source: str
    question: str
    options: list[str]
    gold: str
    stored: list[str]
    pictures: list[Shown]
    gold_stages: Stages | None
    gold_triplets: list[Triplet]
    answers: list[Answer]
    majority: list[Majority]
    marks: list[MarkRow]
    scorers: list[str]
    may_mark: bool = True
    more: int = 0
