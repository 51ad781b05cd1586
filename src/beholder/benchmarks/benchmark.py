"""What a benchmark is: frozen facts about a paper, and the pure functions that follow it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import msgspec

from beholder.errors import DataError, UsageError
from beholder.extract.extraction import Extraction
from beholder.sample import Part, Response, Sample, Sampling
from beholder.score import Metrics, ScoredItem, Scorer


class Answered(msgspec.Struct, frozen=True):
    """A sample with a response that somebody already has, as read from a result file.

    `index` is the row's position in the file, from 0.
    """

    index: int
    sample: Sample
    response: Response
    vote: int = 0


class LoadOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What the user may say about the data beyond its path.

    `images` is the folder that image names are relative to (default: beside the data file). `categories` is a file
    that maps keys, ids or indexes to categories. `on_error`, where a loader knows it, is told of each record that
    cannot be used, and the loader goes on with the next one. `task` is one of the benchmark's `tasks`, "" for its own.
    """

    images: Path | None = None
    categories: Path | None = None
    on_error: Callable[[DataError], None] | None = None
    task: str = ""


class MetricOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How intervals are made (the seed and the number of bootstrap resamples), and what the rows should hold.

    `group_sizes` is how many items of the whole data each group has; a group that it does not name is complete with
    any row. `votes` is how many votes an item was to get in each epoch. None: not known, the rows are all there is.
    """

    seed: int = 0
    resamples: int = 1000
    group_sizes: dict[str, int] | None = None
    votes: int | None = None


class JudgeTask(msgspec.Struct, frozen=True, kw_only=True):
    """Something that judge models are asked about a response, once it is in the journal.

    `purpose` is a short word (`rubric`); `title` says in a few words what the judge does. `prompt` makes the question
    from `template` (ours, or a user's, which must hold `placeholders`); where `sees_pictures`, its parts may show the
    sample's. `needs` says if a response is to be judged at all. `read` turns a judge's reply into its verdict, written
    as text in a form that the benchmark's scorers read; without a value the judge has failed on it. About a response
    that needs it and has no text nobody is asked, and the verdict is "". `max_tokens` is the longest reply. `basis` is
    what the question rests on besides the template (a rubric): verdicts on another basis are those of another judge.

    `local` names judges that need no model: name → `module:function`; the function takes what follows the name
    (`embedding/FOLDER`) and the benchmark's assumptions, and gives a function from sample and response to the verdict.
    That runs in a thread, and must not count on the sample's pictures: a run need not have them.
    """

    purpose: str
    title: str
    template: str
    placeholders: tuple[str, ...]
    prompt: Callable[[Sample, Response, str], tuple[Part, ...]]
    needs: Callable[[Sample, Response], bool]
    read: Callable[[Sample, Response, str], Extraction[str]]
    sees_pictures: bool = False
    max_tokens: int = 1024
    basis: str = ""
    local: dict[str, str] = {}


class Details(Protocol):
    """Makes further plain data from scored rows; the options are those that the figures were made with."""

    def __call__(self, items: Sequence[ScoredItem], options: MetricOptions = ..., /) -> dict[str, Any]: ...


class Benchmark(msgspec.Struct, frozen=True, kw_only=True):
    """One published evaluation.

    `load` streams samples from a path and raises `DataError` naming the record that cannot be used. `prompt` makes the
    parts to send from a sample, a template and the order in which stored answers are shown. `read_results` reads
    the authors' own result file; `metrics` turns scored rows into figures. `guess` writes what a blind guesser would
    answer, in the format the prompt asks for; it must not look at the target. `gold` gives what a perfect model would
    say, which every scorer should find right. `answers_shown` is how many stored
    answers the prompt shows in an order to be drawn (0: none). `notices` gives plain sentences that the user must know
    about the data. `details` gives further plain data for reports (confusion tables, curves), keyed by scorer where it
    applies. `grouped` says that a figure is about whole groups of items (all-or-nothing), so that a group's size in the
    whole data must be known. `live_label` is the plural word for what the running mean of a run counts.
    `reads_on` says that the loader knows `LoadOptions.on_error`.
    `charted` names the metrics that a page draws together where the headline has no parts of its own.
    `partial_credit` names the categories whose scores may lie between 0 and 1: right and wrong are not all there is.

    `other_questions` are scorers that judge something else than the rest (an explanation, say, not the answer): they do
    not disagree with those, and what they hold as `extracted` is no reading of the answer.

    `deciding_packages` are packages of others whose version can change a score: it is recorded, and is in the hash of
    the scorers' code.

    `second_headline` is that of a run in which the headline has no value: nobody read the answers, or one label alone
    was asked. `upright_turn` says by how many degrees clockwise a picture has to be turned, where the item asks for
    that: for the diagnosis of tool calls.

    `tasks` are other things that may be asked about the same items (name → template); a sample's `metadata["task"]`
    says which it was loaded for. `judge_tasks` are what judges are asked about responses; their verdicts are in
    `Response.judged` (an extractor's in `Response.extracted`) and decide the scores of some scorers. `assumptions` is
    the text of what is ours to choose where a paper is silent; `assume` gives the same benchmark under another such
    text (`UsageError` if it cannot be used).

    `code` is the SHA-256 of the file that a benchmark of the user's own comes from; "" for ours, which are folders.
    """

    name: str
    title: str
    paper: str
    scorers: dict[str, Scorer]
    headline: tuple[str, str]
    load: Callable[[Path, LoadOptions], Iterator[Sample]]
    prompt: Callable[[Sample, str, tuple[int, ...]], tuple[Part, ...]]
    template: str
    metrics: Callable[[Sequence[ScoredItem], MetricOptions], Metrics]
    guess: Callable[[Sample, random.Random], str]
    gold: Callable[[Sample], list[Response]]
    read_results: Callable[[Path], Iterator[Answered]] | None = None
    details: Details | None = None
    notices: Callable[[Iterable[Sample] | int], list[str]] | None = None
    sampling: Sampling = Sampling()
    votes: int = 1
    answers_shown: int = 0
    grouped: bool = False
    partial_credit: tuple[str, ...] = ()
    charted: tuple[str, ...] = ()
    reads_on: bool = False
    live_label: str = ""
    other_questions: tuple[str, ...] = ()
    deciding_packages: tuple[str, ...] = ()
    second_headline: tuple[str, str] | None = None
    upright_turn: Callable[[Sample], float | None] | None = None
    tasks: dict[str, str] = {}
    judge_tasks: tuple[JudgeTask, ...] = ()
    assumptions: str = ""
    assume: Callable[[str], Benchmark] | None = None
    code: str = ""

    def template_of(self, task: str) -> str:
        """The template of one of the `tasks`; of the benchmark's own question for "". `UsageError` if there is none."""
        if not task:
            return self.template
        if not self.tasks:
            raise UsageError(f"{self.name} has one task only. Leave --task out.")
        if task not in self.tasks:
            raise UsageError(
                f"{self.name} has no task {task[:40]!r}. Choose {', '.join(self.tasks)}, or leave --task out."
            )
        return self.tasks[task]

    def assuming(self, text: str) -> Benchmark:
        """The same benchmark under another text of assumptions. `UsageError` if it takes none, or not this one."""
        if self.assume is None:
            raise UsageError(f"{self.name} takes no --assumptions: it has no such file.")
        return self.assume(text)

    def headline_of(self, metrics: Metrics) -> tuple[str, str]:
        """(scorer, metric) that a report leads with: the headline, or what stands in for it where it has no value."""
        scorer, metric = self.headline
        shown = metrics.get(scorer, {}).get(metric)
        if self.second_headline is not None and (shown is None or shown.value is None):
            return self.second_headline
        return self.headline
