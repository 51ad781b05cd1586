"""A benchmark of one's own in a few lines: where the data is, what is asked, how an answer becomes a score.

    PETS = own_benchmark(name="pets", template="<image>{question}\\n{options}", scorers={"exact": exact})

All else has a sensible default: records of JSON, JSONL or Parquet with the usual columns (`item_of`), our own careful
reading of answers (`strict`, `lenient`), accuracy with intervals by picture, a blind guesser, and the gold as what a
perfect model would say. Whoever needs more makes a `Benchmark` itself.
"""

from __future__ import annotations

import os.path
import random
import traceback
from collections.abc import Callable, Sequence
from string import ascii_uppercase
from typing import Any

from beholder.benchmarks.benchmark import Benchmark, MetricOptions
from beholder.benchmarks.own_items import Item, item_of, samples
from beholder.errors import DataError, Owner, UsageError
from beholder.extract import choice, number, short_text, yes_no
from beholder.extract.extraction import Extraction
from beholder.extract.outcome import settle
from beholder.images.references import split_references
from beholder.sample import (
    BooleanTarget,
    ChoiceTarget,
    NumberTarget,
    Part,
    Response,
    Sample,
    Sampling,
    TextPart,
    TextTarget,
)
from beholder.score import Metric, Metrics, Outcome, Score, ScoredItem, Scorer

TEMPLATE = "<image>{question}\n{options}"
_EMPTY = (Outcome.UNPARSED, Outcome.REFUSED, Outcome.TRUNCATED)
_ANSWERS = ("Yes", "No")

Rule = Callable[[Sample, str], bool | float | Score | None]
"""A scorer as a user writes it: from the item and the text of the answer to right or wrong, a share from 0 to 1, or
None where no answer can be read. Pure. It is not asked about answers that failed."""


def own_benchmark(
    *,
    name: str,
    title: str = "",
    item: Callable[[dict[str, Any]], Item] = item_of,
    template: str = TEMPLATE,
    scorers: dict[str, Rule] | None = None,
    guess: Callable[[Sample, random.Random], str] | None = None,
    gold: Callable[[Sample], str] | None = None,
    sampling: Sampling = Sampling(temperature=0.0),  # noqa: B008 - frozen
    votes: int = 1,
    paper: str = "a benchmark of your own",
) -> Benchmark:
    """A benchmark of one's own.

    `name` is what runs are filed under: a-z, 0-9 and `-`. `item` makes an item from a record (`ValueError` if it
    cannot). `template` is what is asked: it holds `{question}`, may hold `{options}` (a line for each) and `<image>`
    where a picture goes (default: before the text). `scorers` are rules by their names, the first leads; without any,
    answers are read by `lenient` and `strict`. `gold` is the text that a perfect model would say, `guess` what a blind
    one would.
    """
    _check(name, template, scorers or {}, votes)
    rules = {word: _scorer(word, rule) for word, rule in (scorers or {}).items()}
    said = _text(name, "gold", gold) if gold is not None else gold_text
    used = rules or {"lenient": lenient, "strict": strict}
    return Benchmark(
        name=name,
        title=title or name,
        paper=paper,
        scorers=used,
        headline=(next(iter(used)), "accuracy"),
        load=lambda path, options: samples(name, item, path, options),
        prompt=prompt,
        template=template,
        metrics=metrics,
        guess=_text(name, "guess", guess) if guess is not None else blind_guess,
        gold=lambda sample: [Response(text=said(sample), finish="stop")],
        sampling=sampling,
        votes=votes,
        live_label="items",
        reads_on=True,
    )


def prompt(sample: Sample, template: str, order: tuple[int, ...] = ()) -> tuple[Part, ...]:
    """The parts to send. What the data writes is put in as it is: nothing in it counts as a place of the template."""
    if "{question}" not in template:
        raise UsageError(f"A prompt template of {sample.benchmark} holds {{question}}.")
    if "<image>" in template and not sample.images:
        raise DataError(
            "there is no picture, and the prompt has a place for one (<image>)",
            where=sample.source,
            mend="Name the picture (`image`), or write a template without <image>.",
        )
    parts: list[Part] = []
    for part in split_references(template.rstrip(), len(sample.images)):
        if isinstance(part, TextPart):
            texts = _filled(part.text, {"{question}": sample.question, "{options}": _options(sample)})
            parts += [TextPart(texts)] if texts else []
        else:
            parts.append(part)
    if parts and isinstance(parts[-1], TextPart):
        parts[-1] = TextPart(parts[-1].text.rstrip())
    return tuple(parts)


def strict(sample: Sample, response: Response) -> Score:
    """Right if the bare answer is right, alone or in one `<answer>` tag."""
    text, letters = response.text or "", _letters(sample)
    match sample.target:
        case ChoiceTarget(several=True):
            return _judged(sample, response, _joined(choice.strict_multi(text, letters)))
        case ChoiceTarget():
            return _judged(sample, response, choice.strict(text, letters))
        case BooleanTarget():
            return _judged(sample, response, yes_no.strict(text))
        case NumberTarget():
            return _judged(sample, response, number.strict(text))
    return _judged(sample, response, short_text.strict(text))


def lenient(sample: Sample, response: Response) -> Score:
    """Right if a careful reader would take the response for the right answer."""
    text, letters = response.text or "", _letters(sample)
    options = dict(zip(letters, sample.options, strict=True))
    match sample.target:
        case ChoiceTarget(several=True):
            return _judged(sample, response, _joined(choice.lenient_multi(text, letters, options)))
        case ChoiceTarget():
            return _judged(sample, response, choice.lenient(text, letters, options))
        case BooleanTarget():
            return _judged(sample, response, yes_no.lenient(text))
        case NumberTarget():
            return _judged(sample, response, number.lenient(text))
    return _judged(sample, response, short_text.lenient(text))


def metrics(items: Sequence[ScoredItem], options: MetricOptions) -> Metrics:
    """Scorer → `accuracy` over all items, `empty_rate` (no answer to score), and `accuracy/CATEGORY` where there are
    several. Intervals redraw clusters, so that items about one picture are not taken for independent.
    """
    from beholder.metrics.accuracy import share

    names = dict.fromkeys(name for item in items for name in item.scores)
    categories = sorted({item.category for item in items if item.category})

    def figure(name: str, rows: Sequence[ScoredItem], value: Callable[[Score], float | None]) -> Metric:
        values = [value(item.scores[name]) for item in rows]
        clusters = [item.cluster for item in rows]
        return share(values, clusters, seed=options.seed, resamples=options.resamples)

    found: Metrics = {}
    for name in names:
        rows = [item for item in items if name in item.scores]
        own = {
            "accuracy": figure(name, rows, lambda score: score.value),
            "empty_rate": figure(
                name, rows, lambda score: None if score.value is None else float(score.outcome in _EMPTY)
            ),
        }
        for category in categories if len(categories) > 1 else []:
            part = [item for item in rows if item.category == category]
            own[f"accuracy/{category}"] = figure(name, part, lambda score: score.value)
        found[name] = own
    return found


def gold_text(sample: Sample) -> str:
    """What a perfect model would say, in the barest form."""
    match sample.target:
        case ChoiceTarget(letters=text) | NumberTarget(written=text) | TextTarget(text=text):
            return text
        case BooleanTarget(value=value):
            return _ANSWERS[0] if value else _ANSWERS[1]
    raise TypeError(f"{type(sample.target).__name__} is no target of such a benchmark")


def blind_guess(sample: Sample, rng: random.Random) -> str:
    """A blind answer of the kind asked for: an option, yes or no, a whole number to 20 (OUR assumption), or a word."""
    match sample.target:
        case ChoiceTarget(several=several):
            letters = _letters(sample)
            return "".join(sorted(rng.sample(letters, rng.randint(1, len(letters)) if several else 1)))
        case BooleanTarget():
            return rng.choice(_ANSWERS)
        case NumberTarget():
            return str(rng.randint(0, 20))
    return rng.choice(("one", "two", "red", "blue", "left", "right", "nothing"))


def _check(name: str, template: str, scorers: dict[str, Rule], votes: int) -> None:
    """`ValueError` or `TypeError` for what would show only when items are asked about or scored."""
    if "{question}" not in template:
        raise ValueError(f"the template of {name} has no {{question}}")
    for word, rule in scorers.items():
        if not callable(rule):
            raise TypeError(f"the scorer {word!r} of {name} is no function but {rule!r}")
    if not isinstance(votes, int) or votes < 1:
        raise ValueError(f"votes of {name} is {votes!r}, not a whole number from 1")


def _text(name: str, option: str, function: Callable[..., Any]) -> Callable[..., str]:
    """A user's `gold` or `guess`, whose faults are told."""

    def say(*given: Any) -> str:
        try:
            said = function(*given)
        except Exception as error:  # noqa: BLE001 - the boundary where a fault of the user's function is told
            raise UsageError(f"`{option}` of {name} broke{_where(error)}. Mend the file.") from None
        if not isinstance(said, str):
            raise UsageError(f"`{option}` of {name} gave {type(said).__name__}, not text. Mend the file.")
        return said

    return say


def _where(error: Exception) -> str:
    """Where the user's code broke, and with what words, bounded; no place where it could not even be called."""
    frames = [one for one in traceback.extract_tb(error.__traceback__) if one.filename != __file__]
    place = f" at {os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else ""
    words = " ".join(str(error).split())[:200]
    return f"{place}: {type(error).__name__}: {words}"


def _scorer(name: str, rule: Rule) -> Scorer:
    """A user's rule as a scorer: failed, refused and cut answers are told apart as everywhere."""

    def score(sample: Sample, response: Response) -> Score:
        if response.failure is not None:
            return _failed(response)
        try:
            said = rule(sample, response.text or "")
            worth = said if isinstance(said, Score) or said is None else float(said)
        except Exception as error:  # noqa: BLE001 - the boundary where a fault of the user's scorer is told
            reason = f"The scorer {name} broke{_where(error)}. Once mended: `beholder rescore RUN --own FILE`."
            return Score(None, Outcome.FAILED, flags=("scorer_error",), reason=reason, owner=Owner.US)
        if isinstance(worth, Score):
            return worth
        found = Extraction[float](worth)
        outcome, flags, reason = settle(response, found)
        if found.value is None or outcome is not Outcome.SCORED:
            return Score(0.0, outcome, flags=flags, reason=reason)
        if not 0 <= found.value <= 1:
            reason = f"The scorer {name} gave {found.value:g}, which is not between 0 and 1."
            return Score(None, Outcome.FAILED, flags=("scorer_error",), reason=reason, owner=Owner.US)
        return Score(found.value, outcome, (response.text or "").strip()[:200], flags=flags)

    return score


def _judged(sample: Sample, response: Response, found: Extraction[Any]) -> Score:
    outcome, flags, reason = settle(response, found)
    if outcome is Outcome.FAILED:
        return _failed(response)
    if outcome is not Outcome.SCORED or found.value is None:
        return Score(0.0, outcome, span=found.span, flags=flags, reason=reason)
    return Score(float(_right(sample, found.value)), outcome, str(found.value), found.span, flags, reason)


def _right(sample: Sample, said: Any) -> bool:
    match sample.target:
        case ChoiceTarget(letters=letters):
            return bool(said == letters)
        case BooleanTarget(value=value):
            return (said in yes_no.AFFIRMS) == value
        case NumberTarget(written=written):
            return bool(said == number.strict(written).value)
        case TextTarget(text=text):
            return short_text.same(said, text)
    raise TypeError(f"{type(sample.target).__name__} is no target of such a benchmark")


def _failed(response: Response) -> Score:
    assert response.failure is not None
    failure = response.failure
    return Score(None, Outcome.FAILED, flags=(failure.kind,), owner=failure.owner, reason=failure.message)


def _joined(found: Extraction[tuple[str, ...]]) -> Extraction[str]:
    return Extraction(None if found.value is None else "".join(found.value), found.span, found.flags, found.reason)


def _letters(sample: Sample) -> str:
    return ascii_uppercase[: len(sample.options)]


def _options(sample: Sample) -> str:
    return "\n".join(f"{letter}. {option}" for letter, option in zip(_letters(sample), sample.options, strict=True))


def _filled(text: str, places: dict[str, str]) -> str:
    """The text with each place filled, in one pass: what is put in is not looked at again."""
    for place, value in places.items():
        before, found, after = text.partition(place)
        if found:
            return _filled(before, places) + value + _filled(after, places)
    return text
