"""Reads lettering that stands on its side or upside down, without a dictionary.

The picture is cut at many levels of grey. Pieces of ink that stand side by side form lines, along the picture or across
it, and each may be upside down. In the directions in which they resemble characters most the likeliest lines are then
straightened, enlarged, and read as each of the shipped typefaces, by the shapes, sizes and heights of their characters
over a common baseline. The direction that makes most sense is kept; of its lines, the largest is the answer.

Look-alikes are told apart by their word, which is a number, in capitals, in small letters, or in small letters after a
capital.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from beholder.synth.solvers import GaveUp, Pixels
from beholder.synth.solvers.glyphs import (
    EM,
    FALL,
    RISE,
    Floats,
    Templates,
    shape_of,
    templates,
    unlike_shapes,
    unlikeness,
)
from beholder.synth.typefaces import TYPEFACES

CAPITALS, SMALL, DIGITS, SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz", "0123456789", "&"
ALPHABET = CAPITALS + SMALL + DIGITS + SIGNS
WAYS = ((CAPITALS, CAPITALS), (CAPITALS, SMALL), (SMALL, SMALL), (DIGITS, DIGITS), (SIGNS, SIGNS))
"""What a word's first and other characters may be."""
ALLOWED = {some: np.array([character in some for character in ALPHABET]) for way in WAYS for some in way}

CUTS = range(16, 248, 11)
"""Levels of grey at which ink is cut from its ground."""
MOST_PIECES, MOST_CHAINS, MOST_ALIKE, MOST_LINES = 220, 40, 6, 4
"""At each level; looked at along and across; of these, in one place; and read in a direction."""
LETTERING = 0.5
"""A line's mean cost a character up to which it counts as lettering."""
ENLARGED = 64
"""Pixels an em that a line is brought to before it is read."""

Boxes = NDArray[np.float32]
"""Left, top, right and bottom of each piece of ink, (n, 4)."""


class Chain(NamedTuple):
    """Pieces of ink in a row from left to right, their shapes, and whether their ink is lighter than the ground."""

    boxes: Boxes
    shapes: Floats
    lighter: bool


class Line(NamedTuple):
    """A straightened line, `scale` times enlarged: its ink from 0 to 1, and the boxes of its characters."""

    ink: Floats
    boxes: Boxes
    scale: float


class Fit(NamedTuple):
    """A line in one typeface: size and baseline in pixels, and the cost of each character as each template."""

    em: float
    baseline: float
    costs: Floats
    known: Templates


class Reading(NamedTuple):
    """What a line says if read one way; `cost` is the mean over its characters, `em` its size in pixels."""

    text: str
    cost: float
    em: float

    @property
    def worth(self) -> float:
        """How much speaks for this being lettering: many characters, each at little cost."""
        return len(self.text) * max(0.0, LETTERING - self.cost)


def solve(pictures: Sequence[Pixels], prompt: str) -> str:
    """The largest line of text, whichever way it is turned; `GaveUp` if nothing looks like text."""
    return _largest(_readings(pictures[0], (0, 1, 2, 3)))


def glance(pictures: Sequence[Pixels], prompt: str) -> str:
    """What the largest line seems to say if the picture is read as it is, without turning it."""
    return _largest(_readings(pictures[0], (0,)))


def _largest(readings: list[Reading]) -> str:
    if not readings:
        raise GaveUp("nothing in the picture looks like text")
    surest = max(readings, key=lambda reading: reading.worth)
    sure = [reading for reading in readings if reading.cost <= max(1.6 * surest.cost, 0.2)]
    return max(sure or readings, key=lambda reading: reading.em).text


def _readings(picture: Pixels, turns: tuple[int, ...]) -> list[Reading]:
    """What the likeliest lines say, in that one of the directions (quarter turns) that makes most sense."""
    grey = np.asarray(cv2.GaussianBlur(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY), (0, 0), 0.8), dtype=np.uint8)
    level = _pieces(grey)
    sides: dict[int, list[Chain]] = {0: [], 1: []}
    for side in {turn % 2 for turn in turns}:
        sides[side] = _chains(grey if side == 0 else np.ascontiguousarray(np.rot90(grey)), level, side)
    likeliest = {turn: _likeliest(sides[turn % 2], turn, grey.shape) for turn in turns}
    most = max(score for score, _ in likeliest.values())
    found: list[list[Reading]] = [[]]
    for turn, (score, chains) in likeliest.items():
        if score >= most / 2:
            upright = np.ascontiguousarray(np.rot90(grey, turn))
            found.append([_read(line) for chain in chains if (line := _line(upright, chain)) is not None])
    return max(found, key=lambda readings: sum(reading.worth for reading in readings))


def _pieces(grey: Pixels) -> list[tuple[bool, int, Boxes]]:
    """The boxes of the pieces of ink at each cut, of lighter and of darker ink."""
    found = []
    for cut in CUTS:
        for lighter in (True, False):
            mask = grey > cut if lighter else grey <= cut
            stats = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=8)[2][1:]
            wide, high, area = stats[:, 2], stats[:, 3], stats[:, 4]
            most = min(grey.shape) // 3
            stats = stats[(np.maximum(wide, high) >= 6) & (np.maximum(wide, high) < most) & (area >= 8)]
            # A cut through the noise of a wall gives thousands of pieces and no line.
            if 3 <= len(stats) <= MOST_PIECES:
                boxes = np.concatenate([stats[:, :2], stats[:, :2] + stats[:, 2:4]], axis=1)
                found.append((lighter, cut, boxes.astype(np.float32)))
    return found


def _turned_boxes(boxes: Boxes, turn: int, shape: tuple[int, ...]) -> Boxes:
    """The boxes in the picture turned counter-clockwise by quarter turns; `shape` is its height and width before."""
    height, width = shape[:2]
    for _ in range(turn):
        left, top, right, bottom = boxes.T
        boxes = np.stack([top, width - right, bottom, width - left], axis=1)
        height, width = width, height
    return boxes


def _chains(grey: Pixels, pieces: list[tuple[bool, int, Boxes]], side: int) -> list[Chain]:
    """Rows of pieces, the most even ones; `grey` is turned by `side` quarter turns, the pieces are not yet."""
    before = grey.shape if side == 0 else grey.shape[::-1]
    rows = []
    for lighter, cut, boxes in pieces:
        rows += [(lighter, cut, row) for row in _rows(_turned_boxes(boxes, side, before))]
    rows.sort(key=lambda row: -_evenness(row[2]))
    chains: list[Chain] = []
    for lighter, cut, row in rows:
        alike = sum(_overlap(row, chain.boxes) for chain in chains)
        if alike >= MOST_ALIKE or len(chains) == MOST_CHAINS:
            continue
        mask = (grey > cut) if lighter else (grey <= cut)
        crops = [mask[int(y0) : int(y1), int(x0) : int(x1)].astype(np.float32) for x0, y0, x1, y1 in row]
        chains.append(Chain(row, np.stack([shape_of(crop) for crop in crops]), lighter))
    return chains


def _rows(boxes: Boxes) -> list[Boxes]:
    """Rows of at least three boxes, each the nearest to the one before that is as high up and about as large."""
    left, top, right, bottom = boxes.T
    high = bottom - top
    tall, low = np.maximum(high[:, None], high[None, :]), np.minimum(high[:, None], high[None, :])
    shared = np.minimum(bottom[:, None], bottom[None, :]) - np.maximum(top[:, None], top[None, :])
    gap = left[None, :] - right[:, None]
    follows = (low > 0.4 * tall) & (shared > 0.5 * low) & (gap > -0.2 * tall) & (gap < 1.9 * tall)
    follows &= (left[None, :] + right[None, :]) > (left[:, None] + right[:, None])
    distance = np.where(follows, gap, np.inf)
    after, before = distance.argmin(axis=1), distance.argmin(axis=0)
    linked = [bool(follows[i, after[i]]) and before[after[i]] == i for i in range(len(boxes))]
    rows = []
    for first in range(len(boxes)):
        if follows[before[first], first] and after[before[first]] == first:
            continue
        row = [first]
        while linked[row[-1]]:
            row.append(int(after[row[-1]]))
        if len(row) >= 3:
            rows.append(boxes[row])
    return rows


def _slant(boxes: Boxes) -> float:
    """The middle of the slopes between the bottoms, and tops, of characters that are far apart."""
    x, half = (boxes[:, 0] + boxes[:, 2]) / 2, len(boxes) // 2
    slopes = [
        (boxes[b, edge] - boxes[a, edge]) / (x[b] - x[a])
        for edge in (1, 3)
        for a in range(len(boxes) - half)
        for b in range(a + half, len(boxes))
        if x[b] > x[a]
    ]
    return float(np.median(slopes)) if slopes else 0.0


def _evenness(boxes: Boxes) -> float:
    """How much a row looks like a line: many pieces, of like height, whose middles lie on a straight line."""
    x, y = (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2
    high = boxes[:, 3] - boxes[:, 1]
    off = y - _slant(boxes) * x
    uneven = np.abs(off - np.median(off)).mean() / np.median(high) + np.abs(np.log(high / np.median(high))).mean()
    return float(len(boxes) / (0.15 + uneven))


def _likeliest(chains: list[Chain], turn: int, shape: tuple[int, ...]) -> tuple[float, list[Chain]]:
    """The chains that resemble lettering most if the picture is turned so, one for each place; and how much they do.

    They are given as they lie after `turn` % 2 quarter turns; for the other two they are turned upside down here.
    `shape` is the picture's height and width before any turn.
    """
    if not chains:
        return 0.0, []
    if turn >= 2:
        seen = shape if turn % 2 == 0 else shape[1::-1]
        # A shape's features run row by row: backwards, they are the shape upside down.
        chains = [
            Chain(_turned_boxes(boxes, 2, seen)[::-1], np.ascontiguousarray(shapes[::-1, ::-1]), lighter)
            for boxes, shapes, lighter in chains
        ]
    boxes = np.concatenate([chain.boxes for chain in chains])
    proportions = np.log((boxes[:, 3] - boxes[:, 1]) / (boxes[:, 2] - boxes[:, 0]))
    costs = unlike_shapes(np.concatenate([chain.shapes for chain in chains]), proportions, templates(ALPHABET))
    firsts = np.cumsum([0, *(len(chain.boxes) for chain in chains)])[:-1]
    scores = np.add.reduceat(np.maximum(0, LETTERING - costs.min(axis=1)), firsts)
    kept: list[int] = []
    for place in np.argsort(-scores).tolist():
        if len(kept) < MOST_LINES and not any(_overlap(chains[place].boxes, chains[other].boxes) for other in kept):
            kept.append(place)
    return float(scores[kept].sum()), [chains[place] for place in kept]


def _overlap(boxes: Boxes, others: Boxes) -> bool:
    low = np.maximum(boxes[:, :2].min(axis=0), others[:, :2].min(axis=0))
    high = np.minimum(boxes[:, 2:].max(axis=0), others[:, 2:].max(axis=0))
    return bool((high - low > 0.3 * (boxes[:, 3] - boxes[:, 1]).max()).all())


def _line(grey: Pixels, chain: Chain) -> Line | None:
    """A chain's part of the picture, straightened and enlarged; None if it holds fewer than three characters."""
    boxes = chain.boxes
    # The second tallest: one piece may be something else.
    em = float(np.sort(boxes[:, 3] - boxes[:, 1])[-2] / 0.75)
    slant, scale = _slant(boxes), ENLARGED / em
    x, y = (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2
    middle_x = float(boxes[:, 0].min() + boxes[:, 2].max()) / 2
    middle_y = float(np.median(y - slant * x)) + slant * middle_x
    length = float(boxes[:, 2].max() - boxes[:, 0].min()) + 0.7 * em
    width, height = round(length * scale), round(1.5 * em * scale)
    cosine, sine = np.cos(np.arctan(slant)) / scale, np.sin(np.arctan(slant)) / scale
    back = np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0]])
    back[:, 2] = np.array([middle_x, middle_y]) - back[:, :2] @ np.array([width / 2, height / 2])
    way = cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP
    strip = cv2.warpAffine(grey, back, (width, height), flags=way, borderMode=cv2.BORDER_REPLICATE)
    ink = _as_ink(np.asarray(strip if chain.lighter else 255 - strip, dtype=np.uint8))
    characters = _characters(ink)
    return Line(ink, characters, scale) if len(characters) >= 3 else None


def _as_ink(strip: Pixels) -> Floats:
    """How much ink there is at each pixel, from 0 to 1, of lettering lighter than its ground."""
    inside = strip[strip.shape[0] // 4 : -strip.shape[0] // 4]
    cut, _ = cv2.threshold(inside, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    ground = float(np.median(inside[inside <= cut]))
    full = float(np.percentile(inside[inside > cut], 75)) if (inside > cut).any() else ground + 1
    return np.asarray(np.clip((strip.astype(np.float32) - ground) / max(full - ground, 1), 0, 1), dtype=np.float32)


def _characters(ink: Floats) -> Boxes:
    """The boxes of the characters in a strip, dots joined to their stems; what reaches over its edge is none."""
    stats = cv2.connectedComponentsWithStats((ink > 0.45).astype(np.uint8), connectivity=8)[2][1:]
    boxes = np.concatenate([stats[:, :2], stats[:, :2] + stats[:, 2:4]], axis=1).astype(np.float32)
    inside = (boxes[:, :2] > 0).all(axis=1) & (boxes[:, 2:] < np.array(ink.shape[::-1])).all(axis=1)
    boxes = boxes[inside & (stats[:, 4] >= 10)]
    joined: list[NDArray[np.float32]] = []
    for box in sorted(boxes, key=lambda box: -(box[3] - box[1])):
        for place, other in enumerate(joined):
            beside = min(box[2], other[2]) - max(box[0], other[0])
            if beside > 0.5 * min(box[2] - box[0], other[2] - other[0]):
                joined[place] = np.concatenate([np.minimum(box[:2], other[:2]), np.maximum(box[2:], other[2:])])
                break
        else:
            if box[3] - box[1] > ENLARGED / 3:
                joined.append(box)
    return np.array(sorted(joined, key=lambda box: box[0]), dtype=np.float32).reshape(-1, 4)


def _read(line: Line) -> Reading:
    """The line in that of the two likeliest typefaces that fits better."""
    size = len(ALPHABET)
    crops = [line.ink[int(y0) : int(y1), int(x0) : int(x1)] for x0, y0, x1, y1 in line.boxes]
    blurred = [(known, unlikeness(crops, known)) for known in (templates(ALPHABET, soft=soft) for soft in _blurs(line))]
    known, shapes = min(blurred, key=lambda pair: float(pair[1].min(axis=1).sum()))
    faces = [(first, first + size) for first in range(0, len(TYPEFACES) * size, size)]
    fits = [_fit(line, shapes[:, first:last], known.part(first, last)) for first, last in faces]
    fits.sort(key=lambda fit: float(fit.costs.min(axis=1).sum()))
    return min((_spelt(line, fit) for fit in fits[:2]), key=lambda reading: reading.cost)


def _blurs(line: Line) -> list[float]:
    """By how much the lettering may be blurred, in pixels of a template: about a pixel in the picture, enlarged."""
    steps = {min(10, max(1, round(2 * blur * line.scale * EM / ENLARGED))) for blur in (0.8, 1.1, 1.4)}
    return [step / 2 for step in sorted(steps)]


def _fit(line: Line, shapes: Floats, known: Templates) -> Fit:
    """The line in one typeface: size and baseline are guessed, characters chosen, and both found again from them."""
    high, bottoms = line.boxes[:, 3] - line.boxes[:, 1], line.boxes[:, 3]
    fits = []
    # Either the tallest characters are capitals, or the middle ones small letters, or descenders reach as far.
    for em in (high.max() / 0.75, np.median(high) / 0.55, high.max() / 0.95):
        baseline = np.median(bottoms)
        for _ in range(3):
            sizes = np.abs(np.log(high[:, None] / (em * known.heights[None, :])))
            drops = np.abs((bottoms[:, None] - baseline) / em - known.bottoms[None, :])
            costs = shapes + 0.6 * sizes + 0.8 * drops
            chosen = costs.argmin(axis=1)
            em = np.median(high / known.heights[chosen])
            baseline = np.median(bottoms - em * known.bottoms[chosen])
        fits.append(Fit(float(em), float(baseline), costs, known))
    return min(fits, key=lambda fit: float(fit.costs.min(axis=1).sum()))


def _slice_costs(line: Line, fit: Fit) -> Floats:
    """How unlike each character is to each template over the line's whole height: dots and heights count here."""
    em, baseline, _, known = fit
    top, bottom = round(baseline - RISE * em), round(baseline + FALL * em)
    over, under = max(0, -top), max(0, bottom - line.ink.shape[0])
    ink = np.pad(line.ink, ((over, under), (0, 0)))[top + over : bottom + over]
    slices = np.stack([shape_of(ink[:, int(left) : int(right)]) for left, _, right, _ in line.boxes])
    wide = (line.boxes[:, 2] - line.boxes[:, 0]) / em
    return np.asarray(1 - slices @ known.slices.T + 1.5 * np.abs(wide[:, None] - known.widths[None, :]))


def _spelt(line: Line, fit: Fit) -> Reading:
    """Words at the wide gaps, each in the one of the ways to write a word that fits best."""
    em, known = fit.em, fit.known
    costs = np.asarray((fit.costs + _slice_costs(line, fit)) / 2, dtype=np.float32)
    chosen = costs.argmin(axis=1)
    gaps = (line.boxes[1:, 0] - line.boxes[:-1, 2]) / em - known.rights[chosen[:-1]] - known.lefts[chosen[1:]]
    usual = np.median(np.sort(gaps)[: len(gaps) // 2 + 1])
    breaks = (np.flatnonzero(gaps > usual + 0.2) + 1).tolist()
    words, total = [], 0.0
    for first, last in zip([0, *breaks], [*breaks, len(costs)], strict=True):
        word, cost = min((_as_word(costs[first:last], way) for way in WAYS), key=lambda found: found[1])
        words.append(word)
        total += cost
    return Reading(" ".join(words), total / len(costs), em / line.scale)


def _as_word(costs: Floats, way: tuple[str, str]) -> tuple[str, float]:
    first, rest = way
    limited = np.where(ALLOWED[rest][None, :], costs, np.inf)
    limited[0] = np.where(ALLOWED[first], costs[0], np.inf)
    if way == (CAPITALS, SMALL):
        # A bar before small letters is rather one of them.
        limited[0, ALPHABET.index("I")] += 0.1
    return "".join(ALPHABET[place] for place in limited.argmin(axis=1)), float(limited.min(axis=1).sum())
