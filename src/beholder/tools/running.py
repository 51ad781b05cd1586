"""Running the calls of one conversation: each is tried, told, counted; its pictures are named and kept."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence

from beholder.sample import ToolCall
from beholder.tools.arguments import canonical_arguments
from beholder.tools.pictures import ConversationPictures
from beholder.tools.settings import Budget
from beholder.tools.tool import ToolResult, Toolset
from beholder.trajectory import NO_NEW_EVIDENCE, REPEATED, CallOutcome, Ended, Observation

_UNUSABLE = (CallOutcome.MALFORMED, CallOutcome.UNKNOWN_TOOL)
_USED_UP = "Not run: the budget of this conversation is used up."
_FULL = "Not run: this conversation holds as many pictures as it may. Answer with what you have seen."


class CallRunner:
    """Runs calls one after the other, within the budgets that are about calls.

    `n_calls` counts all calls that the model asked for. `ended` says why no more are to be run, None if they may be.
    """

    def __init__(
        self,
        toolset: Toolset,
        pictures: ConversationPictures,
        budget: Budget,
        keep_picture: Callable[[str, bytes], Awaitable[None]],
        clock: Callable[[], float],
    ) -> None:
        self._toolset = toolset
        self._pictures = pictures
        self._budget = budget
        self._keep_picture = keep_picture
        self._clock = clock
        self._runs: Counter[tuple[str, str]] = Counter()
        self._unusable_turns = 0
        self._repeats_on = False
        self.n_calls = 0

    @property
    def ended(self) -> Ended | None:
        """The budget about calls that is used up."""
        if self._unusable_turns >= self._budget.malformed:
            return Ended.MALFORMED
        return Ended.REPEATS if self._repeats_on else None

    async def run_turn(self, calls: Sequence[ToolCall], used_up: Callable[[], bool]) -> tuple[Observation, ...]:
        """What the calls of one message bring. `used_up` says, before each, whether a budget forbids it.

        Raises `DataError` if a picture of the sample cannot be decoded.
        """
        await asyncio.to_thread(self._pictures.check)
        too_often = {same for same, runs in self._runs.items() if runs >= self._budget.repeats}
        observations = []
        for number, call in enumerate(calls):
            same = call.name, canonical_arguments(call.arguments)
            self._repeats_on = self._repeats_on or same in too_often
            why_not = self._why_not(number, same, used_up())
            if why_not:
                flags = (REPEATED,) if self._runs[same] else ()
                observations.append(Observation(call, CallOutcome.NOT_RUN, why_not, flags=flags))
            else:
                self._runs[same] += 1
                observations.append(await self._run(call, again=self._runs[same] > 1))
        self._count(observations)
        return tuple(observations)

    def unreadable(self, told: str) -> tuple[Observation, ...]:
        """What is told of calls that the server itself could not read."""
        observations = (Observation(ToolCall("", "", ""), CallOutcome.MALFORMED, told),)
        self._count(observations)
        return observations

    def _count(self, observations: Sequence[Observation]) -> None:
        looked_at = [one for one in observations if one.outcome is not CallOutcome.NOT_RUN]
        none_usable = bool(looked_at) and all(one.outcome in _UNUSABLE for one in looked_at)
        self._unusable_turns = self._unusable_turns + 1 if none_usable else 0
        self.n_calls += len(observations)

    def _why_not(self, number: int, same: tuple[str, str], used_up: bool) -> str:
        if used_up:
            return _USED_UP
        if number >= self._budget.calls:
            return f"Not run: at most {self._budget.calls} calls are run in one turn."
        if self._runs[same] >= self._budget.repeats:
            return f"Not run: this very call was run {self._runs[same]} times already."
        return "" if self._pictures.has_room() else _FULL

    async def _run(self, call: ToolCall, *, again: bool) -> Observation:
        began, waited = self._clock(), self._toolset.waited
        result = await self._result(call)
        flags = (*result.flags, REPEATED) if again else result.flags
        text = result.text
        images: tuple[str, ...] = ()
        if result.pictures:
            added, new = await asyncio.to_thread(self._pictures.add, result.pictures)
            for one in added:
                await self._keep_picture(one.sha256, one.png)
            text = "\n".join(filter(None, (result.text, *(one.told for one in added))))
            images = tuple(one.sha256 for one in added)
            flags = flags if new else (*flags, NO_NEW_EVIDENCE)
        seconds = self._clock() - began - (self._toolset.waited - waited)
        return Observation(call, result.outcome, text, images, tuple(dict.fromkeys(flags)), max(0.0, seconds))

    async def _result(self, call: ToolCall) -> ToolResult:
        names = [spec.name for spec in self._toolset.specs]
        if call.name not in names:
            told = f"There is no tool {call.name[:80]!r}. The tools are: {', '.join(names)}."
            return ToolResult(text=told, outcome=CallOutcome.UNKNOWN_TOOL)
        return await self._toolset.call(call.name, call.arguments, self._pictures)
