"""Call by call: was a tool chosen, was the call valid, did it run, did it bring anything new, did the answer change?

Everything is read off a `Trajectory`, and what the record does not say stays None. How a wrong answer is attributed is
told in `attribution`; figures over many trajectories are in `tally`. All of it is pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from beholder.tools.arguments import canonical_arguments
from beholder.tools.operations import degrees_turned, operations
from beholder.trajectory import NO_NEW_EVIDENCE, CallOutcome, Ended, Trajectory, Turn

AnswerReader = Callable[[str], str | None]
"""Reads the answer that a text states, in a form in which equal answers are equal; None if it states none."""

BUDGETS = (Ended.TURNS, Ended.TOKENS, Ended.SECONDS, Ended.REPEATS, Ended.MALFORMED, Ended.CONTEXT)

_MOST_TURNS = 40
_VALID = {
    CallOutcome.EXECUTED: True,
    CallOutcome.ERROR: True,
    CallOutcome.STOPPED: True,
    CallOutcome.MALFORMED: False,
    CallOutcome.UNKNOWN_TOOL: False,
}


class CallDiagnosis(msgspec.Struct, frozen=True, kw_only=True):
    """One tool call. `turn` is the model's message that made it, `number` the call, both from 1.

    `chosen` is the name of the tool as the model wrote it. `valid`: the arguments fit a tool that there is; None if
    nobody looked (`not_run`, `broken`). `executed`: it was run to its end. `new_images` counts the pictures that it
    brought; `image_differs` is False if all of them were there already, None if it brought none.
    `answer_changed` compares the answer before the turn's calls with the one after them; None where one of the two is
    not known. Calls of one turn share it: which of them did it is not on record. `repeated`: the same call was
    made before and ran to its end: trying again what failed or was stopped is none. `budget_hit`: it was not run, and a
    budget ended the conversation. `operations` say what it does.
    """

    turn: int
    number: int
    chosen: str
    outcome: CallOutcome
    valid: bool | None
    executed: bool
    new_images: int
    image_differs: bool | None
    answer_changed: bool | None
    repeated: bool
    budget_hit: bool
    operations: tuple[str, ...]
    degrees_turned: tuple[float, ...]
    flags: tuple[str, ...]
    seconds: float


class ErrorLabel(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a person says went wrong: a word of their own choice, who they are, and why."""

    label: str
    by: str = ""
    note: str = ""


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True):
    """One trajectory.

    `turns` counts the model's messages, the final answer among them. `tokens` are prompt and completion tokens of all
    requests, probes included; None if no server said. `seconds` are those of requests and calls, None if not recorded.
    `answers` is the answer after each turn, as far as it is known (a probe, or what the next message says; for the
    last turn what it says itself). `flags`:

    - `no_calls`, `nothing_executed`: no call was made; calls were made and none ran to its end.
    - `no_new_evidence`: calls ran and brought pictures, and all of them had been there already.
    - `useless_calls`: each call that ran brought nothing new (only pictures that had been there, or none and it
      repeated an earlier call).
    - `wrong_direction`: pictures were turned, and never but the wrong way round (only if the right turn is known).
    - `never_stopped`: a budget ended it, not an answer. `broken_calls`: half of the calls or more were not valid.

    `attribution` and `why` are what `attribution.attribute` says; `label` is the place for what a person says.
    """

    calls: tuple[CallDiagnosis, ...]
    turns: int
    tokens: int | None
    seconds: float | None
    ended: Ended | None
    answers: tuple[str | None, ...]
    flags: tuple[str, ...]
    attribution: str | None = None
    why: str = ""
    label: ErrorLabel | None = None


def diagnose(trajectory: Trajectory, read: AnswerReader | None = None, *, upright: float | None = None) -> Diagnosis:
    """What can be said of each call and of the whole.

    `read` finds the answer in what the model said and in probes; without it probes are compared as they are, and what
    the model said is not looked at. `upright` is by how many degrees clockwise the picture has to be turned to stand
    upright, where that is known.
    """
    before, after = _answers(trajectory.turns, read)
    ran: set[tuple[str, str]] = set()
    calls: list[CallDiagnosis] = []
    for number, turn in enumerate(trajectory.turns, start=1):
        changed = _changed(before[number - 1], after[number - 1])
        for one in turn.observations:
            same = (one.call.name, canonical_arguments(one.call.arguments))
            differs = NO_NEW_EVIDENCE not in one.flags if one.images else None
            calls.append(
                CallDiagnosis(
                    turn=number,
                    number=len(calls) + 1,
                    chosen=one.call.name,
                    outcome=one.outcome,
                    valid=_VALID.get(one.outcome),
                    executed=one.outcome == CallOutcome.EXECUTED,
                    new_images=len(one.images),
                    image_differs=differs,
                    answer_changed=changed,
                    repeated=same in ran,
                    budget_hit=one.outcome == CallOutcome.NOT_RUN and trajectory.ended in BUDGETS,
                    operations=operations(one.call),
                    degrees_turned=degrees_turned(one.call),
                    flags=one.flags,
                    seconds=one.seconds,
                )
            )
            if one.outcome == CallOutcome.EXECUTED:
                ran.add(same)
    return Diagnosis(
        calls=tuple(calls),
        turns=len(trajectory.turns),
        tokens=_tokens(trajectory.turns),
        seconds=_seconds(trajectory.turns),
        ended=trajectory.ended,
        answers=after,
        flags=_flags(calls, trajectory.ended, upright),
    )


def _answers(
    turns: tuple[Turn, ...], read: AnswerReader | None
) -> tuple[tuple[str | None, ...], tuple[str | None, ...]]:
    """The answer before the calls of each turn and after them, as far as the record tells.

    Before: what the message with the calls says, or else the probe of the turn before. After: the turn's own probe, or
    else what the next message says. An answer of longer ago does not count: which turn changed it is not known.
    """

    said = [read(turn.said) if read else None for turn in turns]
    probes = [_probed(turn.probe, read) for turn in turns]
    before = [own or earlier for own, earlier in zip(said, [None, *probes], strict=False)]
    own_last = said[-1] if turns and not turns[-1].observations else None
    after = [probe or later for probe, later in zip(probes, [*said[1:], own_last], strict=False)]
    return tuple(before), tuple(after)


def _probed(probe: str | None, read: AnswerReader | None) -> str | None:
    if probe is None or read is None:
        return (probe or "").strip() or None
    return read(probe)


def _changed(before: str | None, after: str | None) -> bool | None:
    return None if before is None or after is None else before != after


def _tokens(turns: Iterable[Turn]) -> int | None:
    counts = [
        count
        for turn in turns
        for usage in (turn.usage, turn.probe_usage)
        for count in (usage.prompt_tokens, usage.completion_tokens)
        if count is not None
    ]
    return sum(counts) if counts else None


def _seconds(turns: Iterable[Turn]) -> float | None:
    spent = [turn.latency for turn in turns if turn.latency is not None]
    spent += [one.seconds for turn in turns for one in turn.observations if one.seconds]
    return sum(spent) if spent else None


def _flags(calls: list[CallDiagnosis], ended: Ended | None, upright: float | None) -> tuple[str, ...]:
    ran = [call for call in calls if call.executed]
    shown = [call for call in ran if call.image_differs is not None]
    judged = [call for call in calls if call.valid is not None]
    holds = {
        "no_calls": not calls,
        "nothing_executed": bool(calls) and not ran,
        "no_new_evidence": bool(shown) and not any(call.image_differs for call in shown),
        "useless_calls": bool(ran) and all(map(_brought_nothing_new, ran)),
        "wrong_direction": upright is not None and _turned_the_wrong_way(ran, upright),
        "never_stopped": ended in BUDGETS,
        "broken_calls": bool(judged) and 2 * sum(call.valid is False for call in judged) >= len(judged),
    }
    return tuple(flag for flag, so in holds.items() if so)


def _brought_nothing_new(call: CallDiagnosis) -> bool:
    return call.repeated if call.image_differs is None else not call.image_differs


def _turned_the_wrong_way(ran: Iterable[CallDiagnosis], upright: float) -> bool:
    """Whether a picture was turned by the right angle in the wrong sense, and never in the right one.

    Within half a degree; by 0 and by 180 degrees there is no wrong sense. Turns in a row may add up to the right one
    (a picture that was turned can be turned on), but a call that is made again begins with the same picture.
    """
    turned = [degrees for call in ran if not call.repeated for degrees in call.degrees_turned][:_MOST_TURNS]
    sums = [sum(turned[start:end]) for start in range(len(turned)) for end in range(start + 1, len(turned) + 1)]
    return (
        not _near(2 * upright, 0)
        and any(_near(degrees, -upright) for degrees in turned)
        and not any(_near(degrees, upright) for degrees in sums)
    )


def _near(degrees: float, wanted: float) -> bool:
    return abs((degrees - wanted + 180) % 360 - 180) <= 0.5
