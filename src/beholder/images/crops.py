"""Whether one picture is a part of another: marked points that both have, and that lie in the same way to each other.

A picture is scaled to 320 pixels and its 120 strongest corners are marked (ORB of OpenCV: place, and 256 bits that say
what is around it). Two pictures are candidates where at least `VOTES` corners have near bits; candidates are found by
samples of the bits, so that nothing is compared with everything. A candidate counts where one scaling and shift brings
`AGREE` corners together, and then the grey values of the part that both show correlate by at least `CORRELATED`.

All bounds are OURS, measured on 90 public drawings and advertisements (docs/leaks.md says with what result). What is
found are cut copies that keep most of each side, upright and as they are; a mirrored or turned part, one laid over
something else, and a picture with few corners (a plain drawing, a blurred photograph) are often not. Needs OpenCV.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import PIL.Image

from beholder.errors import UsageError
from beholder.images.fingerprint import SMALL, Fingerprint

SIDE, CORNERS = 320, 120
NEAR, VOTES, AGREE, CORRELATED = 48, 8, 7, 0.9
SMALLEST_PART = 0.12
"""Of the larger picture's area, what a part must be at least."""
_TABLES, _BITS, _COMMON, _PROPOSALS = 16, 20, 64, 400
"""Samples of the bits, bits in each, how many corners may share one before it says nothing; proposals of `_fit`."""
_CORNER = np.dtype([("x", "<f4"), ("y", "<f4"), ("bits", "u1", 32)])
Corners = npt.NDArray[Any]


def check_opencv() -> None:
    """`UsageError` with the command that installs it, where OpenCV is not there."""
    try:
        import cv2  # noqa: F401
    except ImportError:
        raise UsageError("Looking for crops needs OpenCV. Install it with: pip install 'beholder[tools]'") from None


def corners_of(grey: PIL.Image.Image) -> bytes:
    """The marked points of an upright grey picture; places are in its own pixels."""
    import cv2

    scale = SIDE / max(grey.size)
    size = (max(16, round(grey.width * scale)), max(16, round(grey.height * scale)))
    values = np.asarray(grey.resize(size, PIL.Image.Resampling.LANCZOS))
    marker = cv2.ORB.create(nfeatures=CORNERS, fastThreshold=7, edgeThreshold=16)
    found, bits = marker.detectAndCompute(values, np.ones_like(values))
    if not len(found):  # then `bits` is None
        return b""
    corners = np.zeros(len(found), _CORNER)
    corners["x"] = [point.pt[0] * grey.width / size[0] for point in found]
    corners["y"] = [point.pt[1] * grey.height / size[1] for point in found]
    corners["bits"] = bits
    return corners.tobytes()


def parts(ones: Sequence[Fingerprint], others: Sequence[Fingerprint]) -> Iterator[tuple[int, int]]:
    """(place in `ones`, place in `others`) of pictures of which one shows a part of the other, ascending."""
    for one, other in _candidates(ones, others):
        if shows_part(ones[one], others[other]):
            yield one, other


def shows_part(one: Fingerprint, other: Fingerprint) -> bool:
    """Whether one of two pictures shows a part of the other."""
    first, second = _corners(one), _corners(other)
    if min(len(first), len(second)) < AGREE:
        return False
    apart = np.bitwise_count(first["bits"][:, None, :] ^ second["bits"][None, :, :]).sum(axis=2, dtype=np.int32)
    nearest = apart.argmin(axis=1)
    mutual = np.arange(len(first)) == apart.argmin(axis=0)[nearest]
    near = np.flatnonzero(mutual & (apart[np.arange(len(first)), nearest] <= NEAR))
    here = np.stack([first["x"][near], first["y"][near]], axis=1).astype(np.float64)
    there = np.stack([second["x"][nearest[near]], second["y"][nearest[near]]], axis=1).astype(np.float64)
    fit = _fit(here, there, slack=0.02 * max(other.width, other.height))
    return fit is not None and _same_where_both_are(one, other, *fit)


def _candidates(ones: Sequence[Fingerprint], others: Sequence[Fingerprint]) -> list[tuple[int, int]]:
    """Pairs with at least `VOTES` corners in which all bits of some sample are the same."""
    (first, whose), (second, whose_other) = _gathered(ones), _gathered(others)
    if not len(first) or not len(second):
        return []
    votes: list[npt.NDArray[np.int64]] = []
    for sample in _samples():
        keys, other_keys = _key(first, sample), _key(second, sample)
        order = np.argsort(other_keys, kind="stable")
        low = np.searchsorted(other_keys[order], keys, "left")
        many = np.searchsorted(other_keys[order], keys, "right") - low
        many[many > _COMMON] = 0
        rows = np.repeat(np.arange(len(keys)), many)
        steps = np.arange(len(rows)) - np.repeat(np.cumsum(many) - many, many)
        columns = order[np.repeat(low, many) + steps]
        near = np.bitwise_count(first[rows] ^ second[columns]).sum(axis=1, dtype=np.int32) <= NEAR
        votes.append(np.unique(rows[near] * len(second) + columns[near]))
    agreed = np.unique(np.concatenate(votes))
    pairs = whose[agreed // len(second)] * len(others) + whose_other[agreed % len(second)]
    found, counts = np.unique(pairs, return_counts=True)
    return [divmod(int(pair), len(others)) for pair in found[counts >= VOTES]]


def _fit(
    here: npt.NDArray[np.float64], there: npt.NDArray[np.float64], slack: float
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]] | None:
    """Scales and shift (both x and y) that bring at least `AGREE` points to their counterparts; None if none do.

    Two points propose a scaling, the same for both directions; `_PROPOSALS` pairs of points are tried.
    """
    if len(here) < AGREE:
        return None
    ahead, behind = np.triu_indices(len(here), 1)
    spans = np.linalg.norm(here[ahead] - here[behind], axis=1)
    scales = np.linalg.norm(there[ahead] - there[behind], axis=1) / np.maximum(spans, 1e-9)
    wide = np.flatnonzero((spans > 20) & (scales > 0.1) & (scales < 10))
    if not len(wide):
        return None
    wide = wide[:: 1 + len(wide) // _PROPOSALS]
    ahead, behind, scales = ahead[wide], behind[wide], scales[wide, None]
    shifts = (there[ahead] + there[behind] - scales * (here[ahead] + here[behind])) / 2
    moved = scales[:, :, None] * here[None] + shifts[:, None, :]
    close = np.abs(moved - there[None]).max(axis=2) <= slack
    agreeing = close[close.sum(axis=1).argmax()]
    best = int(agreeing.sum())
    if best < AGREE:
        return None
    fitted = [np.polyfit(here[agreeing, axis], there[agreeing, axis], 1) for axis in range(2)]
    scale, shift = np.array([line[0] for line in fitted]), np.array([line[1] for line in fitted])
    return (scale, shift) if (scale > 0).all() else None


def _same_where_both_are(
    one: Fingerprint, other: Fingerprint, scale: npt.NDArray[np.float64], shift: npt.NDArray[np.float64]
) -> bool:
    """Whether the grey values of what both pictures show go together. `scale`, `shift` lead from one to the other."""
    size, other_size = np.array([one.width, one.height]), np.array([other.width, other.height])
    low, high = np.maximum(shift, 0), np.minimum(scale * size + shift, other_size)
    if (high <= low).any():
        return False
    area = float(np.prod(high - low))
    if area < SMALLEST_PART * max(float(np.prod(other_size)), float(np.prod(scale * size))):
        return False
    if area < 0.8 * min(float(np.prod(other_size)), float(np.prod(scale * size))):
        return False  # they overlap, but neither is a part of the other
    steps = (np.arange(16) + 0.5) / 16
    points = low + steps[:, None] * (high - low)
    first = _at((points - shift) / scale / size, one.small)
    second = _at(points / other_size, other.small)
    if min(first.std(), second.std()) < 4:
        return False
    return float(np.corrcoef(first.ravel(), second.ravel())[0, 1]) >= CORRELATED


def _at(places: npt.NDArray[np.float64], small: bytes) -> npt.NDArray[np.float64]:
    """Grey values at the crossings of the given columns and rows (shares of width and height), between pixels."""
    grey = np.frombuffer(small, np.uint8).reshape(SMALL, SMALL).astype(np.float64)
    where = np.clip(places * SMALL - 0.5, 0, SMALL - 1.001)
    whole = where.astype(int)
    part = where - whole
    (x, y), (right, down) = whole.T, part.T
    above = grey[y][:, x] * (1 - right) + grey[y][:, x + 1] * right
    below = grey[y + 1][:, x] * (1 - right) + grey[y + 1][:, x + 1] * right
    return np.asarray(above * (1 - down)[:, None] + below * down[:, None])


def _corners(one: Fingerprint) -> Corners:
    return np.frombuffer(one.corners, _CORNER)


def _gathered(prints: Sequence[Fingerprint]) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]:
    """The bits of all corners, four words each, and the place of the picture that each belongs to."""
    own = [_corners(one) for one in prints]
    bits = np.concatenate([one["bits"] for one in own]) if own else np.zeros((0, 32), np.uint8)
    return np.ascontiguousarray(bits).view(np.uint64).reshape(-1, 4), np.repeat(
        np.arange(len(own)), [len(one) for one in own]
    )


def _samples() -> npt.NDArray[np.int64]:
    """Which bits each table looks at: drawn once, from a fixed seed."""
    rng = np.random.default_rng(6)
    return np.stack([rng.choice(256, _BITS, replace=False) for _ in range(_TABLES)])


def _key(bits: npt.NDArray[np.uint64], sample: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    keys = np.zeros(len(bits), np.int64)
    for place in sample:
        keys = keys << 1 | (bits[:, place // 64] >> np.uint64(place % 64) & np.uint64(1)).astype(np.int64)
    return keys
