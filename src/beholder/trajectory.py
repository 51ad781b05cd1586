"""What happened between a question and its answer when the model could use tools: turns, calls, observations."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from beholder.sample import ToolCall, Usage

NO_NEW_EVIDENCE = "no_new_evidence"
"""Flag of an observation whose pictures are all equal, pixel for pixel, to pictures that the model had already."""


REPEATED = "repeated"
"""Flag of a call that is the same as an earlier one, by name and arguments."""


class CallOutcome(StrEnum):
    """What became of one tool call.

    `malformed`: the arguments are no JSON, or do not fit the tool's schema; nothing was run. `error`: it was run and
    failed (the model's code raised, a box lay outside the picture). `stopped`: a limit of the sandbox ended it (time,
    memory, output). `not_run`: a budget was used up before its turn came. `broken`: the fault is ours.
    """

    EXECUTED = "executed"
    MALFORMED = "malformed"
    UNKNOWN_TOOL = "unknown_tool"
    ERROR = "error"
    STOPPED = "stopped"
    NOT_RUN = "not_run"
    BROKEN = "broken"


class Observation(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one tool call brought.

    `text` is what the model was told. `images` are the SHA-256 of the pictures that it was shown, as PNG; in the
    conversation they are named `image_N`, counted on from the sample's own. `flags` are short words: `no_new_evidence`,
    `clamped` (a box was cut to the picture), `suspect_units`, `repaired` (the JSON was mended), `repeated` (the same
    call as before). `seconds` is how long it took.
    """

    call: ToolCall
    outcome: CallOutcome
    text: str = ""
    images: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    seconds: float = 0.0


class Turn(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One message of the model, and what its tool calls brought.

    `text` is the whole message as it was written, calls of a text protocol and all; `said` is what is left of it
    without them. `probe` is the answer that the model gave, out of band, when it was asked after this turn for
    its answer so far; None if it was not asked, or `probe_failed` says why there is none; `probe_usage` is what that
    cost, unless it came from the cache (`probe_cached`). `evicted` are the places (from 0) of pictures that this turn's
    request left out. Usage and latency are those of the turn's own request. A turn without observations whose text
    asks for calls was cut off while they were run.
    """

    text: str | None = None
    said: str = ""
    reasoning: str | None = None
    finish: str | None = None
    observations: tuple[Observation, ...] = ()
    usage: Usage = Usage()
    latency: float | None = None
    attempts: int = 1
    served_model: str | None = None
    request_hash: str = ""
    cached: bool = False
    probe: str | None = None
    probe_failed: str = ""
    probe_usage: Usage = Usage()
    probe_cached: bool = False
    evicted: tuple[int, ...] = ()


class Ended(StrEnum):
    """Why a conversation ended: the model answered, a budget was used up, or a request failed.

    `context`: the conversation had become longer than the server takes, without new pictures too.
    """

    ANSWERED = "answered"
    TURNS = "turns"
    TOKENS = "tokens"
    SECONDS = "seconds"
    REPEATS = "repeats"
    MALFORMED = "malformed"
    CONTEXT = "context"
    FAILED = "failed"


class Trajectory(msgspec.Struct, frozen=True):
    """The turns of one attempt at a sample, in order, and why it ended; None for an attempt that was abandoned (the
    process was killed, and another attempt began at turn 1)."""

    turns: tuple[Turn, ...]
    ended: Ended | None
    attempt: int = 0

    @property
    def observations(self) -> tuple[Observation, ...]:
        """What all calls brought, in order."""
        return tuple(observation for turn in self.turns for observation in turn.observations)
