"""By how many degrees a photograph was turned: what must be undone, clockwise, for it to stand upright again.

A round part of an upright photograph, its outline plain or scalloped, is shown turned on a plain ground. The question
is by how many degrees the picture must be turned CLOCKWISE to stand upright. The picture was made by turning the
upright part COUNTER-CLOCKWISE by the right option. The six options are a ladder: its lowest value is drawn first,
around the circle (no ladder holds 0°), then which of the six is right, then their order. So neither the values nor
their order tell; nothing but what the photograph shows does.

TIR-Bench (section on Rotation Game) has six options and three tiers of steps between them: 15°, 10° and 5°. OUR
assumptions: which level has which step; the round part, as a turned rectangle would show its angle by its corners; and
the way it is turned. It is turned twice, first by an angle that is drawn and thrown away, blurred in between and
grained at the end: a single turn would leave a picture turned by 0° or 90° sharper than others, and the grid of
the photograph's own pixels to be measured. (Strong JPEG blocks of a user's small photograph may still leave a trace.)
Until the second turn, which enlarges it, the part is kept at `TURNED_SIDE`: the blur leaves nothing that is finer.

| level | step | part of the photograph's shorter side that is seen | contrast | outline   |
|-------|------|----------------------------------------------------|----------|-----------|
| 1     | 15°  | 92 to 100 %                                        | full     | circle    |
| 2     | 15°  | 78 to 92 %                                         | full     | scalloped |
| 3     | 10°  | 84 to 100 %                                        | full     | scalloped |
| 4     | 5°   | 84 to 100 %                                        | full     | scalloped |
| 5     | 5°   | 68 to 84 %                                         | halved   | scalloped |

A smaller step asks for a finer eye; a smaller part and less contrast leave fewer lines to go by. A part that hardly
changes when it is turned by one step (plain sky) is passed over: see `LEAST_CHANGE`.

Of the photographs in the package only those in `FINEST_STEP` have an upright, and not all of them show it to within
5°. A user's photographs are all used, at every level: they must be upright, and show it (a horizon, a building).
"""

from __future__ import annotations

import math
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

from beholder.errors import DataError, UsageError
from beholder.seeds import rng_for, seed_for
from beholder.synth.item import LEVELS, Item, Pixels, Sources
from beholder.synth.jpeg import encode_jpeg
from beholder.synth.options import ASK_LETTER, LETTERS, lettered
from beholder.synth.photographs import SHIPPED, Photo, Photos
from beholder.synth.tones import Curve, tone_table

SIDE = 400
"""Pixels a side of the picture."""
TURNED_SIDE = 300
"""Pixels a side of the square while it is turned and blurred."""
INSET = 8
"""Pixels between the round part and the edge of the picture: more than blur and two turns reach inwards."""
COUNT = 6
BLUR = 1.0
"""Standard deviation in pixels of the picture, between the two turns. It takes away what only the corners of a pixel
grid can hold."""
GRAIN = 4
"""Grey levels: each pixel is made lighter or darker by up to so many."""
LEAST_CHANGE = 3
"""Root mean square change, in grey levels, of a round part averaged to `CELLS` × `CELLS` cells when it is turned by one
step. OUR assumption: less than that shows no angle; the grain alone has 2.6."""
CELLS = 48
OUTLINE_POINTS = 480
PARTS_TRIED = 4
"""Parts of one photograph that are tried before the next photograph is."""

FINEST_STEP = {"astronaut.jpg": 5, "camera.jpg": 5, "chelsea.jpg": 15, "coffee.jpg": 10, "rocket.jpg": 5}
"""The photographs in the package that have an upright, and the finest step between options that each can decide."""

GROUNDS = (
    (236, 232, 224),
    (214, 222, 230),
    (226, 214, 200),
    (200, 214, 200),
    (88, 98, 112),
    (60, 66, 74),
    (112, 92, 88),
    (150, 160, 150),
)


class Knobs(msgspec.Struct, frozen=True):
    """What a level sets: degrees between options, part of the shorter side that is seen, contrast, outline."""

    step: int
    part: tuple[float, float]
    contrast: float
    scalloped: bool


KNOBS = {
    1: Knobs(15, (0.92, 1.0), 1.0, False),
    2: Knobs(15, (0.78, 0.92), 1.0, True),
    3: Knobs(10, (0.84, 1.0), 1.0, True),
    4: Knobs(5, (0.84, 1.0), 1.0, True),
    5: Knobs(5, (0.68, 0.84), 0.5, True),
}


class Certificate(msgspec.Struct, frozen=True):
    """What was drawn for one item.

    `centre` and `diameter` of the round part are in pixels of the photograph as `Photos.pixels` gives it; `mirrored`
    comes before the turn. `turned` is by how many degrees the upright part was turned counter-clockwise; `options`
    are degrees in the order of their letters, no two of them nearer than `step`. `spin` is the angle thrown away.
    `curve` is the gamma, contrast and brightness applied; the outline has `scallops` lobes (0: a circle).
    """

    seed: int
    level: int
    photo: str
    photo_digest: str
    centre: tuple[float, float]
    diameter: int
    mirrored: bool
    curve: Curve
    turned: int
    step: int
    options: tuple[int, ...]
    spin: float
    scallops: int
    scallop_phase: float
    ground: tuple[int, int, int]


def make(seed: int, level: int, sources: Sources) -> Item:
    """The item that follows from a seed and a level, 1 to 5.

    `UsageError` for another level; `DataError` if a photograph cannot be read, or if none of them has an upright or a
    part that shows by how much it was turned.
    """
    if level not in LEVELS:
        raise UsageError(f"A rotation puzzle has a level from 1 to 5, not {level}.")
    certificate = draw(seed, level, sources.photos)
    options = [f"{degrees}°" for degrees in certificate.options]
    return Item(
        task="rotation_game",
        prompt="By how many degrees must this picture be turned CLOCKWISE to stand upright again?\n"
        f"{lettered(options)}\n{ASK_LETTER}",
        answer=LETTERS[certificate.options.index(certificate.turned)],
        pictures=(encode_jpeg(picture(certificate, sources.photos)),),
        difficulty=level,
        certificate=msgspec.to_builtins(certificate),
        suffix=".jpg",
        cluster=certificate.photo,
    )


def usable(photos: Photos, step: int) -> list[int]:
    """The places of the photographs that can decide between options `step` degrees apart; `DataError` if none can."""
    places = [place for place, photo in enumerate(photos.items) if _finest_step(photo) <= step]
    if not places:
        raise DataError("none of the photographs is known to have an upright", mend="Add photographs that do.")
    return places


def _finest_step(photo: Photo) -> float:
    if photo.ref.path is not None and Path(photo.ref.path).parent == SHIPPED:
        return FINEST_STEP.get(photo.name, math.inf)
    return 0


def draw(seed: int, level: int, photos: Photos) -> Certificate:
    """Every choice of an item. The options do not depend on the photograph, nor the photograph on them."""
    knobs = KNOBS[level]
    quiz = rng_for(seed, "rotation_game", "options")
    lowest = quiz.choice([start for start in range(5, 360, 5) if not any(_holds_0(start, knobs.step))])
    ladder = [(lowest + knobs.step * place) % 360 for place in range(COUNT)]
    turned = quiz.choice(ladder)
    quiz.shuffle(ladder)
    looks = rng_for(seed, "rotation_game", "looks")
    mirrored = looks.random() < 0.5
    curve = (
        round(looks.uniform(0.85, 1.18), 3),
        round(knobs.contrast * looks.uniform(0.9, 1.1), 3),
        round(looks.uniform(-10, 10), 1),
    )
    place, centre, diameter = _choose_part(photos, knobs, curve, seed)
    return Certificate(
        seed=seed,
        level=level,
        photo=photos.items[place].name,
        photo_digest=photos.digest(place),
        centre=centre,
        diameter=diameter,
        mirrored=mirrored,
        curve=curve,
        turned=turned,
        step=knobs.step,
        options=tuple(ladder),
        spin=round(looks.uniform(0, 360), 2),
        scallops=looks.randint(7, 16) if knobs.scalloped else 0,
        scallop_phase=round(looks.uniform(0, math.tau), 3),
        ground=looks.choice(GROUNDS),
    )


def _choose_part(photos: Photos, knobs: Knobs, curve: Curve, seed: int) -> tuple[int, tuple[float, float], int]:
    """A photograph and the middle and diameter of a round part of it that shows a turn: the first such part of those
    tried, of the first such photograph in an order that follows from the seed."""
    rng = rng_for(seed, "rotation_game", "photo")
    places = usable(photos, knobs.step)
    rng.shuffle(places)
    # Whole thousandths: a share of a float could round otherwise on another machine.
    lowest, highest = (round(1000 * part) for part in knobs.part)
    for place in places:
        photo = photos.pixels(place)
        width, height = photo.size
        for _ in range(PARTS_TRIED):
            diameter = min(width, height) * rng.randint(lowest, highest) // 1000
            left, top = rng.randint(0, width - diameter), rng.randint(0, height - diameter)
            box = (left, top, left + diameter, top + diameter)
            cells = photo.resize((CELLS, CELLS), Image.Resampling.BOX, box=box, reducing_gap=2.0)
            if _shows_a_turn(cells, knobs.step, curve):
                return place, (left + diameter / 2, top + diameter / 2), diameter
    raise DataError(
        f"each of {PARTS_TRIED} round parts that were tried is so plain that a turn by {knobs.step}° hardly shows",
        where=photos.items[places[-1]].name,
        mend="Remove this photograph, or add photographs that show which way is up.",
    )


def _shows_a_turn(cells: Image.Image, step: int, curve: Curve) -> bool:
    """Whether a round part, CELLS × CELLS, changes by `LEAST_CHANGE` or more when it is turned by so many degrees."""
    cells = cells.point(tone_table(curve) * 3)
    before = np.asarray(cells, dtype=np.int64)
    change = (np.asarray(cells.rotate(step, Image.Resampling.BILINEAR), dtype=np.int64) - before)[_ROUND]
    # Whole numbers: which photograph is used must not depend on how a machine rounds.
    return int((change**2).sum()) >= LEAST_CHANGE**2 * change.size


def _disc(side: int) -> NDArray[np.bool_]:
    """Which of side × side cells lie in the circle that touches the borders, but for the outermost two."""
    steps = 2 * np.arange(side) - side + 1
    inside: NDArray[np.bool_] = steps[:, None] ** 2 + steps[None, :] ** 2 <= (side - 4) ** 2
    return inside


_ROUND = _disc(CELLS)


def _holds_0(start: int, step: int) -> list[bool]:
    return [(start + step * place) % 360 == 0 for place in range(COUNT)]


def upright(certificate: Certificate, photos: Photos, side: int = SIDE) -> Image.Image:
    """The square around the round part, upright, `side` pixels a side, mirrored if the certificate says so."""
    (x, y), half = certificate.centre, certificate.diameter / 2
    photo = photos.pixels(photos.place(certificate.photo))
    square = photo.resize((side, side), Image.Resampling.BILINEAR, box=(x - half, y - half, x + half, y + half))
    if certificate.mirrored:
        square = square.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    return square.point(tone_table(certificate.curve) * 3)


def picture(certificate: Certificate, photos: Photos) -> Pixels:
    """The picture that is shown, (SIDE, SIDE, 3)."""
    # Pillow turns counter-clockwise for positive angles.
    spun = upright(certificate, photos, TURNED_SIDE).rotate(certificate.spin, Image.Resampling.BILINEAR)
    soft = spun.filter(ImageFilter.GaussianBlur(BLUR * TURNED_SIDE / SIDE))
    turned = _turned_and_enlarged(soft, certificate.turned - certificate.spin)
    ground = Image.new("RGB", (SIDE, SIDE), certificate.ground)
    shown = Image.composite(turned, ground, _outline(certificate))
    noise = np.random.Generator(np.random.PCG64(seed_for(certificate.seed, "rotation_game", "noise")))
    grain: NDArray[np.int16] = noise.integers(-GRAIN, GRAIN, (SIDE, SIDE, 1), dtype=np.int16, endpoint=True)
    return np.asarray((np.asarray(shown) + grain).clip(0, 255), dtype=np.uint8)


def _turned_and_enlarged(square: Image.Image, degrees: float) -> Image.Image:
    """The square turned counter-clockwise about its middle and made SIDE pixels a side, in one step.

    BILINEAR softens most where a turn is far from 0° and 90°, but the spin makes every such angle as likely for each
    option.
    """
    scale = square.width / SIDE
    cos, sin = (round(scale * wave(math.radians(degrees)), 12) for wave in (math.cos, math.sin))
    # From a point of the picture to one of the square: turned back, clockwise as y points down.
    middle, half = square.width / 2, SIDE / 2
    back = (cos, -sin, middle - (cos - sin) * half, sin, cos, middle - (sin + cos) * half)
    return square.transform((SIDE, SIDE), Image.Transform.AFFINE, back, Image.Resampling.BILINEAR)


def _outline(certificate: Certificate) -> Image.Image:
    """The mask of the round part, smooth at its edge. Its phase is drawn apart from the angle of the photograph."""
    depth = 0.035 if certificate.scallops else 0.0
    around = np.linspace(0, math.tau, OUTLINE_POINTS, endpoint=False)
    wave = np.cos(certificate.scallops * around + certificate.scallop_phase)
    radius = (SIDE - 2 * INSET) * (1 - depth + depth * wave)
    points = np.stack([SIDE + radius * np.cos(around), SIDE + radius * np.sin(around)], axis=1)
    # Drawn at twice the size, then averaged.
    mask = Image.new("L", (2 * SIDE, 2 * SIDE))
    ImageDraw.Draw(mask).polygon(points.ravel().tolist(), fill=255)
    return mask.reduce(2)
