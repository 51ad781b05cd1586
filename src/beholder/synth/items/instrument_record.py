"""From a drawn instrument to an item: which reading is shown, what is offered, what the certificate says."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from beholder.seeds import rng_for
from beholder.synth.item import Item, Pixels
from beholder.synth.items.instrument_scales import Scale
from beholder.synth.items.instrument_view import View, apart
from beholder.synth.jpeg import encode_jpeg
from beholder.synth.options import ASK_LETTER, LETTERS, lettered

OPTIONS = 5
HALF_DAY = 720
"""Minutes."""
WHOLE = "Answer with a whole number."
DECIMAL = "Answer with a number with one decimal place."


class Certificate(msgspec.Struct, frozen=True):
    """What was drawn. Values are tenths of `unit`, clock times tenths of minutes after 12.

    `low` and `high` are the ends of the printed scale, `mark` the distance of its marks and `step` that of possible
    readings. `reading` is what the instrument shows (a ruler: the length), `start` where the thing on the ruler begins
    (else 0), `options` the readings offered (none: a free answer) and `right` which of them is right, from 0 (else -1).
    `margin_px` is the distance in the picture, in pixels, from the pointer's end to where it would be one `step` on or
    back, the smaller one.
    """

    seed: int
    level: int
    kind: str
    unit: str
    low: int
    high: int
    mark: int
    step: int
    reading: int
    start: int
    second: int
    options: tuple[int, ...]
    right: int
    margin_px: float
    view: View


class Drawn(msgspec.Struct, frozen=True):
    """A picture of an instrument, how it is seen, and by how many pixels its pointer's end would move to the nearest
    other reading."""

    pixels: Pixels
    view: View
    margin_px: float


def readings(seed: int, lowest: int, highest: int, step: int, apart_by: tuple[int, ...]) -> tuple[int, list[int], int]:
    """What is to be shown, uniform over lowest, lowest + step, … highest; the options, if any, and the right one.

    For options, a row of them in equal steps (one of `apart_by` readings) is drawn anywhere in the range, then which of
    them is right: neither their values nor their order tells it.
    """
    rng = rng_for(seed, "instrument", "reading")
    count = (highest - lowest) // step
    if rng.random() < 0.5:
        return lowest + step * rng.randint(0, count), [], -1
    gap = rng.choice([gap for gap in apart_by if gap * (OPTIONS - 1) <= count])
    first = rng.randint(0, count - gap * (OPTIONS - 1))
    options = [lowest + step * (first + gap * place) for place in range(OPTIONS)]
    right = rng.randrange(OPTIONS)
    return options[right], options, right


def item_of(certificate: Certificate, drawn: Drawn, question: str, texts: list[str], answer: str, form: str) -> Item:
    if certificate.options:
        question = f"{question}\n{lettered(texts)}\n{ASK_LETTER}"
        answer = LETTERS[certificate.right]
    else:
        question = f"{question} {form}"
    return Item(
        task="instrument",
        prompt=question,
        answer=answer,
        pictures=(encode_jpeg(drawn.pixels),),
        difficulty=certificate.level,
        certificate=msgspec.to_builtins(certificate),
        suffix=".jpg",
    )


def scale_item(
    seed: int, level: int, kind: str, scale: Scale, chosen: tuple[int, list[int], int], drawn: Drawn, question: str,
    start: int = 0,
) -> Item:  # fmt: skip
    reading, options, right = chosen
    certificate = Certificate(
        seed=seed,
        level=level,
        kind=kind,
        unit=scale.range.unit,
        low=scale.range.low,
        high=scale.range.high,
        mark=scale.mark,
        step=scale.step,
        reading=reading,
        start=start,
        second=-1,
        options=tuple(options),
        right=right,
        margin_px=drawn.margin_px,
        view=drawn.view,
    )
    texts = [f"{scale.text(value)} {scale.range.unit}" for value in options]
    return item_of(certificate, drawn, question, texts, scale.text(reading), DECIMAL if scale.decimals else WHOLE)


def margin_of(view: View, at: Callable[[int], tuple[float, float]], reading: int, step: int) -> float:
    """Pixels from the pointer's end to its place one step on or back, the smaller."""
    return round(min(apart(view, at(reading), at(reading + other)) for other in (step, -step)), 2)


def clock_text(tenths: int, between: str) -> str:
    """A time, in tenths of minutes after 12, with hours from 1 to 12.

    >>> clock_text(650, ":"), clock_text(70, "")
    ('1:05', '1207')
    """
    hour, minute = divmod(tenths // 10 % HALF_DAY, 60)
    return f"{hour or 12}{between}{minute:02d}"
