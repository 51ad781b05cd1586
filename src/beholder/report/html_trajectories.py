"""The conversations of a report as plain data, for the page's script: turns, calls, pictures before and after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from beholder.report.html_pictures import NOT_THERE, Pictures
from beholder.report.html_texts import line, shown
from beholder.report.tool_use import Conversation
from beholder.report.trajectory_report import abandoned_in_words, call_labels, cause_in_words, ending_in_words, spaced
from beholder.report.trajectory_view import (
    ShownCall,
    ShownPicture,
    ShownTurn,
    View,
    answers_in_words,
    cost_in_words,
    outcome_in_words,
    turn_facts,
    view_of,
)
from beholder.sample import ImageRef, Sample
from beholder.store.folder import Blobs
from beholder.tools.diagnosis import BUDGETS
from beholder.trajectory import NO_NEW_EVIDENCE, CallOutcome, Ended

FIRST_TURNS, LAST_TURNS = 16, 8
"""Turns of a long conversation that a page holds: its beginning and its end. The others are counted."""
CALLS = 16
"""Calls of one turn that a page holds."""
FILTERS = {
    "used": "used a tool",
    "none": "used no tool",
    "failed": "a call failed",
    "budget": "ended by a budget",
    "stale": "no new evidence",
}
"""What a reader can filter conversations by."""
_ALL_TEXTS = 24_000_000
_LEAST_TEXT, _MOST_TEXT = 2_000, 60_000
_SHORTEST, _LONGEST, _LONGEST_CODE = 240, 6_000, 30_000
"""Characters of one text. Code is kept whole where it can be: what matters may stand anywhere in it."""
_ALL_PICTURES = 3_000
_LEAST_PICTURES, _MOST_PICTURES = 1, 40
_UNREADABLE = "(a call that cannot be read)"


class Room:
    """How much one conversation of a page may take: so many `texts` characters and `made` new pictures.

    `pictures` and `blobs` are where the run's own pictures come from; `conversations` is how many share the page.
    """

    def __init__(self, pictures: Pictures, blobs: Blobs, conversations: int) -> None:
        share = max(conversations, 1)
        self.pictures = pictures
        self.blobs = blobs
        self.texts = min(_MOST_TEXT, max(_LEAST_TEXT, _ALL_TEXTS // share))
        self.made = min(_MOST_PICTURES, max(_LEAST_PICTURES, _ALL_PICTURES // share))


def trajectory_object(talk: Conversation, sample: Sample, room: Room) -> dict[str, Any]:
    """One conversation. Keys are short, for there may be thousands; `page.js` reads them.

    `s` summary, `e` why it ended (`bad` if not by an answer), `co` its cost, `u` turns with their number `n`, text `t`
    and calls `c`; `f` what it can be filtered by, `ab` attempts that came to nothing.
    """
    lost = [line(abandoned_in_words(attempt), 200) for attempt in talk.abandoned]
    if talk.trajectory is None or talk.diagnosis is None:
        return {"s": "no conversation came to its end", "u": [], "ab": lost, "f": []}
    view = view_of(talk.trajectory, talk.diagnosis, talk.stated, len(sample.images))
    kept = _kept(view.turns)
    card = _Card(view, sample, room, kept)
    row: dict[str, Any] = {
        "s": line(view.summary, 400),
        "e": ending_in_words(view),
        "f": _filters(view),
        "u": [card.turn(one) for one in kept],
    }
    optional = {
        "co": cost_in_words(view.diagnosis),
        "bad": int(view.trajectory.ended is not Ended.ANSWERED),
        "fl": [spaced(flag) for flag in view.diagnosis.flags],
        "w": line(cause_in_words(view), 500),
        "as": answers_in_words(view),
        "more": len(view.turns) - len(kept),
        "ab": lost,
    }
    return row | {key: value for key, value in optional.items() if value}


class _Card:
    """One conversation on its way into the page: its share of text and pictures, and which pictures are in."""

    def __init__(self, view: View, sample: Sample, room: Room, kept: Sequence[ShownTurn]) -> None:
        self._room = room
        self._ended = view.trajectory.ended
        self._last = len(view.turns)
        self._left = room.made
        own = room.pictures.add(sample.images, room.blobs)
        self._own = own + [NOT_THERE] * (len(sample.images) - len(own))
        texts = sum(2 + 2 * len(one.calls[:CALLS]) for one in kept)
        self._longest = max(_SHORTEST, min(_LONGEST, room.texts // max(texts, 1)))
        codes = sum(call.code is not None for one in kept for call in one.calls[:CALLS])
        self._longest_code = max(self._longest, min(_LONGEST_CODE, room.texts // max(codes, 1)))
        self._places: dict[int, int] = {}

    def turn(self, one: ShownTurn) -> dict[str, Any]:
        turn, is_answer = one.turn, self._is_answer(one)
        row: dict[str, Any] = {"n": one.number}
        optional = {
            "x": line(turn_facts(one), 300),
            "th": self._text(turn.reasoning),
            "t": "" if is_answer else self._text(turn.said.strip()),
            "last": int(is_answer),
            "sa": "" if is_answer else line(one.stated.said or "", 80),
            "p": self._text(turn.probe),
            "pa": line(one.stated.probed or "", 80),
            "c": [self._call(call) for call in one.calls[:CALLS]],
            "more": max(0, len(one.calls) - CALLS),
        }
        return row | {key: value for key, value in optional.items() if value}

    def _is_answer(self, one: ShownTurn) -> bool:
        """Whether the message is the response itself, which the sample's card shows with its verdicts."""
        return one.number == self._last and not one.calls and self._ended is Ended.ANSWERED

    def _call(self, call: ShownCall) -> dict[str, Any]:
        row: dict[str, Any] = {
            "n": call.number,
            "w": line(call.tool, 60) or _UNREADABLE,
            "o": outcome_in_words(call.outcome),
        }
        made = [self._picture(one) for one in call.pictures[: self._left]]
        self._left -= len(made)
        optional = {
            "ok": int(call.outcome is CallOutcome.EXECUTED),
            "k": shown(call.code, {}, self._longest_code)[0] if call.code else "",
            "a": "" if call.code is not None else line(call.arguments, 400),
            "fl": [line(label, 60) for label in call_labels(call)],
            "t": self._text(call.text),
            "s": f"{call.seconds:.2f} s" if call.seconds >= 0.005 else "",
            # The picture before is shown for what it is compared with.
            "b": self._picture(call.before) if call.before is not None and made else [],
            "i": made,
            "more": len(call.pictures) - len(made),
        }
        return row | {key: value for key, value in optional.items() if value}

    def _picture(self, one: ShownPicture) -> list[Any]:
        """[place among the page's pictures, name, size in words]."""
        if one.sha256 is None:
            place = self._own[one.number - 1]
        elif one.number in self._places:
            place = self._places[one.number]
        else:
            ref = ImageRef(name=one.name, path=f"sha256:{one.sha256}")
            place = (self._room.pictures.add([ref], self._room.blobs) or [NOT_THERE])[0]
            self._places[one.number] = place
        return [place, one.name, one.size]

    def _text(self, text: str | None) -> str:
        return shown(text, {}, self._longest)[0] if text else ""


def _kept(turns: Sequence[ShownTurn]) -> list[ShownTurn]:
    """The beginning and the end of a long conversation."""
    if len(turns) <= FIRST_TURNS + LAST_TURNS:
        return list(turns)
    return [*turns[:FIRST_TURNS], *turns[-LAST_TURNS:]]


def _filters(view: View) -> list[str]:
    """Which of `FILTERS` a conversation fits."""
    calls = list(view.calls)
    fits = {
        "used": bool(calls),
        "none": not calls,
        "failed": any(call.outcome not in (CallOutcome.EXECUTED, CallOutcome.NOT_RUN) for call in calls),
        "budget": view.trajectory.ended in BUDGETS,
        "stale": any(NO_NEW_EVIDENCE in call.flags for call in calls),
    }
    return [name for name, so in fits.items() if so]
