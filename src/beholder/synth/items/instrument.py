"""Instrument reading: what does the clock, gauge, thermometer, ruler or scale show?

Five kinds, equally likely: a clock (hours and minutes), a round gauge, a thermometer, a ruler with something lying
along it that does not begin at zero, and the dial of a kitchen scale. Half of the items ask for the number, half offer
five readings in equal steps. The question says what the printed scale runs from and to, so that nothing has to be
known about it; how finely it is divided is in the picture only.

The reading is drawn first, uniformly over the whole scale (for options: the options, then which of them is right), and
the picture is made to fit. Every reading lies exactly on a mark, at levels 4 and 5 on a mark or exactly halfway between
two (clocks: always on a whole minute); `margin_px` says how far the pointer's end is from the nearest other reading.

What a level means:

- picture size (400, 420, 448, 576, 720 pixels a dial): higher levels are larger but finer, so that a shrunk picture
  loses more;
- fineness: numbered steps are cut in 2; 2–5; 5–10; 4–5 and read to half a mark; 10 and read to half a mark; clocks are
  read to five minutes at level 1, to the minute from level 2 on, may lack minute marks and have a second hand from
  level 4 on; rulers are read to 5, 2, 1, 1 and 0.5 mm (or quarters to sixteenths of an inch at levels 2 to 4);
  thermometers have a second scale in the other unit from level 4 on;
- the pointer gets thinner, options closer together;
- the instrument is turned and seen at an angle, with glare, shading and noise (`instrument_view.HARDNESS`).
"""

from __future__ import annotations

import random
from collections.abc import Callable

from beholder.errors import UsageError
from beholder.seeds import rng_for
from beholder.synth.inks import Colour
from beholder.synth.item import LEVELS, Item, Sources
from beholder.synth.items import instrument_dials as dials
from beholder.synth.items import instrument_strips as strips
from beholder.synth.items.instrument_record import (
    HALF_DAY,
    WHOLE,
    Certificate,
    Drawn,
    clock_text,
    item_of,
    margin_of,
    readings,
    scale_item,
)
from beholder.synth.items.instrument_scales import (
    CONVERTED_STEPS,
    GAUGES,
    SCALES,
    THERMOMETERS,
    Range,
    Scale,
    converted,
    draw_scale,
    label,
)
from beholder.synth.items.instrument_view import Sheet, View, draw_ground, draw_view, photograph

SIDE = {1: 400, 2: 420, 3: 448, 4: 576, 5: 720}
"""Pixels a side of a picture with a dial; thermometers are narrower and taller, rulers wider and lower."""
POINTER_WIDTH = {1: 0.075, 2: 0.06, 3: 0.05, 4: 0.04, 5: 0.032}
"""Of a pointer at its hub, as a share of the face's radius."""
OPTION_STEPS = {1: (1, 2), 2: (1, 2), 3: (1, 2), 4: (1,), 5: (1,)}
"""How many readings apart neighbouring options are."""
CLOCK_STEP = {1: 5, 2: 1, 3: 1, 4: 1, 5: 1}
CLOCK_OPTION_STEPS = {1: (5, 10, 15), 2: (3, 5), 3: (2, 3), 4: (1, 2), 5: (1,)}
"""Minutes."""


def make(seed: int, level: int, sources: Sources) -> Item:
    """The instrument that follows from the seed; nothing is taken from the sources. `UsageError` for a level not in
    1..5."""
    if level not in LEVELS:
        raise UsageError(f"Instruments have levels 1 to 5, not {level}.")
    kind = rng_for(seed, "instrument", "kind").choice(tuple(_KINDS))
    return _KINDS[kind](seed, level)


def _where(scale: Scale, thing: str) -> str:
    where = "exactly on a mark or exactly halfway between two marks" if scale.halves else "exactly on a mark"
    return f"{thing} {where}."


def _dial(radius: float, x: float, y: float, rng: random.Random) -> dials.Dial:
    return dials.Dial(x=x, y=y, radius=radius, face=rng.choice(dials.FACES), lettering=rng.choice(dials.LETTERINGS))


def _finish(sheet: Sheet, view: View, margin: float, seed: int, plate: Colour | None = None) -> Drawn:
    pixels = photograph(sheet, draw_ground(view.width, view.height, seed, plate), view, seed)
    return Drawn(pixels=pixels, view=view, margin_px=margin)


def _clock(seed: int, level: int) -> Item:
    rng = rng_for(seed, "instrument", "clock")
    step = 10 * CLOCK_STEP[level]
    apart_by = tuple(gap // CLOCK_STEP[level] for gap in CLOCK_OPTION_STEPS[level])
    reading, options, right = readings(seed, 0, 10 * HALF_DAY - step, step, apart_by)
    hour, minute = divmod(reading // 10, 60)
    second = rng.randrange(60) if level >= 4 else -1
    side = SIDE[level]
    view = draw_view(side, side, level, rng)
    dial = _dial(rng.uniform(0.35, 0.38) * side, *_off_middle(side, rng), rng)
    sheet = Sheet(side, side)
    dials.draw_clock(sheet, dial, hour, minute, None if second < 0 else second, level, rng)
    margin = margin_of(view, lambda value: dial.at(value * 0.6, dials.MINUTE_TIP), reading, step)
    certificate = Certificate(
        seed=seed,
        level=level,
        kind="clock",
        unit="min",
        low=0,
        high=10 * HALF_DAY,
        mark=step,
        step=step,
        reading=reading,
        start=0,
        second=second,
        options=tuple(options),
        right=right,
        margin_px=margin,
        view=view,
    )
    unit = "multiple of five minutes" if step == 50 else "whole minute"
    question = f"The picture shows a clock with twelve hours. Its minute hand stands exactly at a {unit}."
    if second >= 0:
        question += " The thin hand counts seconds and is to be left out."
    question += " What time does the clock show?"
    if not options:
        question += (
            " Write the hour (1 to 12) and the minutes (two digits) together as one number: 125 for 1:25, 1107 for"
            " 11:07."
        )
    texts = [clock_text(value, ":") for value in options]
    return item_of(certificate, _finish(sheet, view, margin, seed), question, texts, clock_text(reading, ""), WHOLE)


def _off_middle(side: int, rng: random.Random) -> tuple[float, float]:
    return rng.uniform(-0.03, 0.03) * side, rng.uniform(-0.03, 0.03) * side


def _draw_dial(
    sheet: Sheet, dial: dials.Dial, scale: Scale, start: float, sweep: float, reading: int, level: int,
    rng: random.Random,
) -> None:  # fmt: skip
    """Marks, numbers, unit and pointer of a gauge or a scale."""
    full = sweep == 360
    count = scale.marks + (0 if full else 1)
    angles = [start + sweep * place / scale.marks for place in range(count)]
    middle = scale.divisions // 2 if scale.divisions % 2 == 0 and scale.divisions > 2 else 0
    if not full and rng.random() < 0.4:
        dials.draw_zones(sheet, dial, start, sweep, rng)
    dials.draw_marks(sheet, dial, angles, scale.divisions, middle)
    texts = [label(scale.range.low + scale.range.major * place) for place in range(scale.majors + (0 if full else 1))]
    dials.draw_numbers(sheet, dial, angles[:: scale.divisions], texts, 0.69)
    sheet.write(*dial.at(180, 0.42), scale.range.unit, 0.12 * dial.radius, dial.face.ink, dial.lettering)
    dials.draw_pointer(
        sheet,
        dial,
        start + sweep * scale.share(reading),
        POINTER_WIDTH[level] * rng.uniform(0.9, 1.2),
        rng.choice(dial.face.accents),
        rng.choice(("taper", "taper", "bar", "arrow")),
    )


def _gauge(seed: int, level: int) -> Item:
    rng = rng_for(seed, "instrument", "gauge")
    scale = draw_scale("gauge", GAUGES, level, rng)
    chosen = readings(seed, scale.range.low, scale.range.high, scale.step, OPTION_STEPS[level])
    side = SIDE[level]
    view = draw_view(side, side, level, rng)
    dial = _dial(rng.uniform(0.35, 0.38) * side, *_off_middle(side, rng), rng)
    sweep = float(rng.choice((240, 260, 270, 270, 280)))
    start = -sweep / 2
    sheet = Sheet(side, side)
    dials.draw_face(sheet, dial, rng.choice(dials.RINGS))
    _draw_dial(sheet, dial, scale, start, sweep, chosen[0], level, rng)
    margin = margin_of(
        view, lambda value: dial.at(start + sweep * scale.share(value), dials.TIP), chosen[0], scale.step
    )
    question = (
        f"The picture shows {article(scale.range.what)}. Its scale runs from {_ends(scale)} in equal steps. "
        f"{_where(scale, 'The pointer stands')} What does it read, in {scale.range.unit}?"
    )
    return scale_item(seed, level, "gauge", scale, chosen, _finish(sheet, view, margin, seed), question)


def article(thing: str) -> str:
    """The thing with "a" or "an" before it."""
    return f"{'an' if thing[0] in 'aeiou' else 'a'} {thing}"


def _ends(scale: Scale) -> str:
    return f"{label(scale.range.low)} to {label(scale.range.high)} {scale.range.unit}"


def _kitchen_scale(seed: int, level: int) -> Item:
    rng = rng_for(seed, "instrument", "scale")
    scale = draw_scale("scale", SCALES, level, rng)
    # The zero is left out: on a full turn it is also the greatest weight.
    chosen = readings(seed, scale.step, scale.range.high - scale.step, scale.step, OPTION_STEPS[level])
    side = SIDE[level]
    width, height = side, round(1.1 * side)
    view = draw_view(width, height, level, rng)
    radius = rng.uniform(0.28, 0.3) * side
    dial = _dial(radius, rng.uniform(-0.03, 0.03) * side, 0.12 * radius, rng)
    sheet = Sheet(width, height)
    dials.draw_scale_body(sheet, dial, rng)
    dials.draw_face(sheet, dial, rng.choice(dials.RINGS))
    _draw_dial(sheet, dial, scale, 0.0, 360.0, chosen[0], level, rng)
    margin = margin_of(view, lambda value: dial.at(360 * scale.share(value), dials.TIP), chosen[0], scale.step)
    question = (
        f"The picture shows a {scale.range.what}. Its dial starts with 0 at the top, and a full turn clockwise is "
        f"{label(scale.range.high)} {scale.range.unit}, in equal steps. {_where(scale, 'The pointer stands')} "
        f"What does it read, in {scale.range.unit}?"
    )
    return scale_item(seed, level, "scale", scale, chosen, _finish(sheet, view, margin, seed), question)


def _thermometer(seed: int, level: int) -> Item:
    rng = rng_for(seed, "instrument", "thermometer")
    scale = draw_scale("thermometer", THERMOMETERS, level, rng)
    chosen = readings(seed, scale.range.low, scale.range.high, scale.step, OPTION_STEPS[level])
    side = SIDE[level]
    width, height = round(0.72 * side), round(1.15 * side)
    view = draw_view(width, height, level, rng)
    high = 0.85 * height
    strip = strips.Strip(first=0.30 * high, last=-0.385 * high, line=rng.uniform(-0.02, 0.02) * width)
    right = rng.random() < 0.5
    sides = [
        strips.Side(
            shares=tuple(place / scale.marks for place in range(scale.marks + 1)),
            every=scale.divisions,
            numbers=tuple(label(scale.range.low + scale.range.major * place) for place in range(scale.majors + 1)),
            unit=scale.range.unit,
            right=right,
        )
    ]
    if level >= 4:
        marks, unit = converted(scale)
        sides.append(
            strips.Side(
                shares=tuple(share for _, share in marks),
                every=CONVERTED_STEPS,
                numbers=tuple(label(value) for value, _ in marks[::CONVERTED_STEPS]),
                unit=unit,
                right=not right,
            )
        )
    sheet = Sheet(width, height)
    plate = rng.choice(strips.PLATES)
    strips.draw_thermometer(sheet, plate, strip, sides, scale.share(chosen[0]), (0.36 * high, high), rng)
    margin = margin_of(view, lambda value: (strip.line, strip.along(scale.share(value))), chosen[0], scale.step)
    which = f"Its {'right' if right else 'left'} scale" if len(sides) > 1 else "Its scale"
    question = (
        f"The picture shows a thermometer. {which} runs from {_ends(scale)} in equal steps. "
        f"{_where(scale, 'The column ends')} What does it read, in {scale.range.unit}?"
    )
    return scale_item(
        seed, level, "thermometer", scale, chosen, _finish(sheet, view, margin, seed, plate.ground), question
    )


RULED = {
    1: (("cm", 8, 10, 2),),
    2: (("cm", 8, 10, 5), ("inches", 3, 5, 4)),
    3: (("cm", 9, 10, 10), ("inches", 4, 6, 8)),
    4: (("cm", 11, 12, 10), ("inches", 4, 6, 16)),
    5: (("cm", 9, 10, 10),),
}
"""By level: unit of the numbers, fewest and most of them after the 0, marks a number."""
FRACTIONS = {4: "quarters of an inch", 8: "eighths of an inch", 16: "sixteenths of an inch"}


def _ruler(seed: int, level: int) -> Item:
    rng = rng_for(seed, "instrument", "ruler")
    printed, fewest, most, divisions = rng.choice(RULED[level])
    numbers = rng.randint(fewest, most)
    metric = printed == "cm"
    unit = "mm" if metric else FRACTIONS[divisions]
    major = 100 if metric else 10 * divisions
    scale = Scale(Range("ruler", unit, 0, major * numbers, major), divisions, halves=metric and level == 5)
    shortest = -(-scale.range.high // 8 // scale.step) * scale.step
    chosen = readings(seed, shortest, scale.range.high * 3 // 4 // scale.step * scale.step, scale.step,
                      OPTION_STEPS[level])  # fmt: skip
    # It begins and ends on the scale, and not at the zero.
    last = (scale.range.high - chosen[0]) // scale.step
    start = scale.step * rng.randint(1, max(1, last - 1))
    side = SIDE[level]
    width, height = round(1.35 * side), round(0.6 * side)
    view = draw_view(width, height, level, rng)
    length, broad = 0.86 * width, 0.28 * height
    strip = strips.Strip(first=-0.475 * length, last=0.475 * length, line=rng.uniform(0.0, 0.06) * height)
    name, colour = rng.choice(tuple(strips.RODS.items()))
    shape = rng.choice(("rod", "pencil", "bolt"))
    sheet = Sheet(width, height)
    plate = rng.choice(strips.RULERS)
    strips.draw_ruler(sheet, plate, strip, (numbers, divisions), "cm" if metric else "inch", (length, broad), rng)
    begin, end = (strip.along(scale.share(value)) for value in (start, start + chosen[0]))
    strips.draw_rod(sheet, begin, end, strip.line, rng.uniform(0.12, 0.18) * height, colour, shape)
    margin = min(
        margin_of(view, lambda value: (strip.along(scale.share(value)), strip.line), at, scale.step)
        for at in (start, start + chosen[0])
    )
    many = "millimetres" if metric else unit
    question = (
        f"The picture shows a ruler numbered from 0 to {numbers} {printed} in equal steps, and a {name} {shape} that"
        f" lies along it. {_where(scale, 'Each of its ends is')} How long is the {shape}, in {many}?"
    )
    drawn = _finish(sheet, view, margin, seed, plate.ground)
    return scale_item(seed, level, "ruler", scale, chosen, drawn, question, start)


_KINDS: dict[str, Callable[[int, int], Item]] = {
    "clock": _clock,
    "gauge": _gauge,
    "thermometer": _thermometer,
    "ruler": _ruler,
    "scale": _kitchen_scale,
}
