"""The progress line says what is done, how fast, what is left, how good, at what cost, and what fails."""

from __future__ import annotations

import io
import time

import pytest
from rich.console import Console

from beholder.engine.watch import Watch
from beholder.errors import Owner
from beholder.metrics.intervals import wilson
from beholder.report.progress import ProgressLine
from beholder.sample import BooleanTarget, Failure, Response, Sample, Usage
from beholder.score import Outcome, Score
from beholder.store.journal import Entry

SAMPLE = Sample(key="k-0", index=0, benchmark="tfq", images=(), parts=(), target=BooleanTarget(True))


def made_watch(total: int = 100, before: int = 0, seconds: float = 10.0) -> Watch:
    """A watch that has been running for some seconds."""
    watch = Watch(total, before, "recipe")
    watch.started = time.monotonic() - seconds
    return watch


def answer(watch: Watch, value: float | None, response: Response | None = None) -> None:
    response = response or Response(text="T", usage=Usage(prompt_tokens=100, completion_tokens=7))
    watch.answered(response)
    outcome = Outcome.FAILED if value is None else Outcome.SCORED
    watch.scored(Entry(SAMPLE, 0, 0, response), {"recipe": Score(value, outcome), "strict": Score(0.0, outcome)})


def line_of(watch: Watch, label: str = "openai/m") -> str:
    return ProgressLine(watch, Console(file=io.StringIO()), label).line().plain


def test_before_the_first_answer_nothing_is_claimed() -> None:
    assert line_of(made_watch()) == "openai/m  0/100 · 0.0/s"


def test_done_rate_left_headline_and_tokens() -> None:
    watch = made_watch()
    for number in range(20):
        answer(watch, float(number < 15))
    low, high = wilson(15, 20)
    assert low is not None
    assert high is not None
    assert line_of(watch) == (
        "openai/m  20/100 · 2.0/s · 40 s left · "
        f"recipe 75.0 % [{100 * low:.1f}, {100 * high:.1f}] · tokens 2,000 in, 140 out"
    )


def test_the_running_mean_says_what_it_is_over() -> None:
    watch = Watch(10, 0, "recipe", label="votes")
    answer(watch, 1.0)
    assert " · recipe (votes) 100.0 % [" in line_of(watch)


def test_a_resumed_run_counts_what_was_done_before() -> None:
    watch = made_watch(total=1000, before=900)
    for _ in range(20):
        answer(watch, 1.0)
    assert line_of(watch).startswith("openai/m  920/1,000 · 2.0/s · 40 s left · recipe 100.0 %")


def test_failures_are_counted_with_the_last_reason_and_are_in_no_mean() -> None:
    watch = made_watch()
    answer(watch, 1.0)
    failure = Failure(owner=Owner.PROVIDER, kind="http_500", message="HTTP 500:\n\x1b[31mboom")
    for _ in range(1200):
        answer(watch, None, Response(failure=failure))
    line = line_of(watch)
    assert line.endswith(" · 1,200 failed (HTTP 500: boom)")
    assert "recipe 100.0 %" in line


def test_cache_and_retries_are_shown_when_there_are_any() -> None:
    watch = made_watch()
    answer(watch, 1.0, Response(text="T", cached=True))
    watch.retries = 3
    line = line_of(watch)
    assert "1 from cache · 3 retries" in line
    assert "tokens" not in line


def test_when_all_is_done_no_time_is_left() -> None:
    watch = made_watch(total=1)
    answer(watch, 1.0)
    assert "left" not in line_of(watch)


def test_partial_credit_has_an_interval_inside_0_to_100() -> None:
    watch = made_watch()
    for value in (0.25, 0.5, 1.0):
        answer(watch, value)
    assert "recipe 58.3 % [2.5, 100.0]" in line_of(watch)


@pytest.mark.parametrize("label", ["a\x1b[2Jb", "[red]x[/red]", "x\ry"])
def test_the_label_is_plain_text(label: str) -> None:
    line = line_of(made_watch(), label)
    assert "\x1b" not in line
    assert "\r" not in line
    assert line.startswith({"a": "ab", "[": "[red]x[/red]", "x": "xy"}[label[0]])


def test_off_a_terminal_one_line_is_left_at_the_end() -> None:
    sink = io.StringIO()
    watch = made_watch(total=1)
    with ProgressLine(watch, Console(file=sink, width=200), "openai/m"):
        answer(watch, 1.0)
    assert sink.getvalue().count("\n") == 1
    assert "1/1" in sink.getvalue()


def test_after_an_error_no_line_is_left() -> None:
    sink = io.StringIO()
    with pytest.raises(ValueError, match="stop"), ProgressLine(made_watch(), Console(file=sink), "m"):
        raise ValueError("stop")
    assert sink.getvalue() == ""
