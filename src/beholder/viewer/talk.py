"""A conversation with tools as the page of a sample shows it: turns, calls, the pictures before and after."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from beholder.report.tool_use import Conversation
from beholder.report.trajectory_report import abandoned_in_words, call_labels, cause_in_words, ending_in_words, spaced
from beholder.report.trajectory_view import (
    ShownCall,
    ShownPicture,
    ShownTurn,
    answers_in_words,
    cost_in_words,
    outcome_in_words,
    turn_facts,
    view_of,
)
from beholder.trajectory import CallOutcome, Ended
from beholder.viewer.sample_data import Call, Shown, Talk, Turn
from beholder.viewer.texts import Room, told

FIRST_TURNS, LAST_TURNS = 150, 50
"""Turns of a long conversation that are given: its beginning and its end."""
CALLS = 64
"""Calls of one turn that are given."""
PICTURES = 300
"""New pictures of one conversation that are given."""
_LINE, _LABEL, _ARGUMENTS = 500, 100, 4_000
_SIZE = re.compile(r"(\d{1,6})x(\d{1,6})")

ShowPicture = Callable[[str, str], Shown]
"""What a page shows of a picture that a tool made, by its hash and its name."""


def talk_of(talk: Conversation, n_own: int, own: Sequence[Shown], made: ShowPicture, room: Room) -> Talk:
    """A conversation about an item with `n_own` pictures; `own` is what the page shows of the first of them."""
    lost = [told(abandoned_in_words(attempt), _LINE) for attempt in talk.abandoned[:CALLS]]
    if talk.trajectory is None or talk.diagnosis is None:
        return Talk(
            summary="no conversation came to its end",
            ending="",
            badly=True,
            cost="",
            cause="",
            answers="",
            flags=[],
            abandoned=lost,
            turns=[],
        )
    view = view_of(talk.trajectory, talk.diagnosis, talk.stated, n_own)
    kept = view.turns
    if len(kept) > FIRST_TURNS + LAST_TURNS:
        kept = (*kept[:FIRST_TURNS], *kept[-LAST_TURNS:])
    answered = view.trajectory.ended is Ended.ANSWERED
    card = _Card(own, made, room, last=len(view.turns) if answered else 0)
    return Talk(
        summary=told(view.summary, _LINE),
        ending=ending_in_words(view),
        badly=not answered,
        cost=cost_in_words(view.diagnosis),
        cause=told(cause_in_words(view), 4 * _LINE),
        answers=told(answers_in_words(view), _LINE),
        flags=[spaced(flag) for flag in view.diagnosis.flags],
        abandoned=lost,
        turns=[card.turn(one) for one in kept],
        more=len(view.turns) - len(kept),
    )


class _Card:
    """One conversation on its way into the page, and how many new pictures it may still show.

    `last` is the number of the turn that is the answer, 0 if none is.
    """

    def __init__(self, own: Sequence[Shown], made: ShowPicture, room: Room, *, last: int) -> None:
        self._own, self._made, self._room, self._last = own, made, room, last
        self._left = PICTURES

    def turn(self, one: ShownTurn) -> Turn:
        turn = one.turn
        # The answer is the response itself, which the page shows with its verdicts.
        is_answer = one.number == self._last and not one.calls
        return Turn(
            number=one.number,
            said="" if is_answer else self._room.text(turn.said.strip()),
            reasoning=self._room.text(turn.reasoning or ""),
            stated="" if is_answer else told(one.stated.said or "", _LABEL),
            probe=self._room.text(turn.probe or ""),
            probed=told(one.stated.probed or "", _LABEL),
            facts=told(turn_facts(one), _LINE),
            calls=[self._call(call) for call in one.calls[:CALLS]],
            is_answer=is_answer,
            more=max(0, len(one.calls) - CALLS),
        )

    def _call(self, call: ShownCall) -> Call:
        shown = call.pictures[: self._left]
        self._left -= len(shown)
        return Call(
            number=call.number,
            tool=told(call.tool, _LABEL),
            code=None if call.code is None else self._room.text(call.code),
            arguments="" if call.code is not None else told(call.arguments, _ARGUMENTS),
            ok=call.outcome is CallOutcome.EXECUTED,
            outcome=outcome_in_words(call.outcome),
            flags=[told(label, _LABEL) for label in call_labels(call)[:CALLS]],
            text=self._room.text(call.text),
            seconds=call.seconds,
            # The picture before is shown for what it is compared with.
            before=self._picture(call.before) if call.before is not None and shown else None,
            pictures=[self._picture(one) for one in shown],
            more=len(call.pictures) - len(shown),
        )

    def _picture(self, one: ShownPicture) -> Shown:
        if one.sha256 is None:
            return self._own[one.number - 1] if one.number <= len(self._own) else Shown(sha256=None, name=one.name)
        found = self._made(one.sha256, one.name)
        size = _SIZE.fullmatch(one.size)
        if size is None:
            return found
        return Shown(sha256=found.sha256, name=found.name, width=int(size[1]), height=int(size[2]), sent=found.sent)
