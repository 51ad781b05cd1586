"""The live line of a run: done of total, rate, time left, running headline, tokens, failures."""

from __future__ import annotations

import math
import threading
import time
from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.text import Text

from beholder.engine.watch import Watch
from beholder.metrics.intervals import wilson
from beholder.report.figures import count, dollars, duration
from beholder.report.plain_text import plain

_QUIET_EVERY = 15.0


class ProgressLine:
    """Shows a `Watch` while a run goes on; a redrawn line on a terminal, a new line now and then elsewhere."""

    def __init__(self, watch: Watch, console: Console, label: str) -> None:
        self._watch = watch
        self._console = console
        self._label = label
        self._live = Live(console=console, auto_refresh=False, transient=True) if console.is_terminal else None
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._redraw, name="progress", daemon=True)

    def __enter__(self) -> ProgressLine:
        if self._live is not None:
            self._live.start()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()
        if self._live is not None:
            self._live.stop()
        if kind is None:
            self._console.print(self.line(), style="dim", soft_wrap=True)

    def _redraw(self) -> None:
        printed = time.monotonic()
        while not self._ended.wait(0.25):
            if self._live is not None:
                self._live.update(self.line(), refresh=True)
            elif time.monotonic() - printed > _QUIET_EVERY:
                printed = time.monotonic()
                self._console.print(self.line(), soft_wrap=True)

    def line(self) -> Text:
        """The line as it stands."""
        watch = self._watch
        parts = [f"{watch.before + watch.done:,}/{watch.total:,}", f"{watch.rate:,.1f}/s"]
        if watch.pace is not None:
            parts.append(f"{watch.pace.limit} at once")
        left = watch.seconds_left
        if left is not None and watch.before + watch.done < watch.total:
            parts.append(f"{duration(left)} left")
        if watch.n_scored:
            parts.append(self._headline())
        if watch.prompt_tokens or watch.completion_tokens:
            parts.append(f"tokens {count(watch.prompt_tokens)} in, {count(watch.completion_tokens)} out")
        if watch.cost is not None:
            parts.append(dollars(watch.cost))
        if watch.cached:
            parts.append(f"{count(watch.cached)} from cache")
        if watch.retries:
            parts.append(f"{count(watch.retries)} retries")
        line = Text(f"{plain(self._label, one_line=True)}  " + " · ".join(parts))
        if watch.failed:
            line.append(f" · {count(watch.failed)} failed", style="red")
            line.append(f" ({plain(watch.last_failure, one_line=True, limit=80)})", style="dim")
        return line

    def _headline(self) -> str:
        watch = self._watch
        mean = watch.sum_scored / watch.n_scored
        if watch.all_binary:
            low, high = wilson(round(watch.sum_scored), watch.n_scored)
        else:  # partial credit: the widest spread that values in 0..1 with this mean can have
            spread = 1.96 * math.sqrt(mean * (1 - mean) / watch.n_scored)
            low, high = max(0.0, mean - spread), min(1.0, mean + spread)
        assert low is not None
        assert high is not None
        what = f"{watch.headline} ({watch.label})" if watch.label else watch.headline
        return f"{what} {100 * mean:.1f} % [{100 * low:.1f}, {100 * high:.1f}]"
