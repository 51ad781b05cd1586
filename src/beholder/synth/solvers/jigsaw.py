"""Jigsaw: puts the pieces back in order by how well their borders fit. Steps:

1. The picture is cut along its lines, or into equal parts where there are none.
2. Each ordered pair of pieces gets a cost for standing side by side, and one for standing one above the
   other: how badly the first piece's border predicts the second's (value and slope, both ways), and the
   Mahalanobis gradient compatibility of A. C. Gallagher, "Jigsaw Puzzles with Pieces of Unknown Orientation",
   CVPR 2012, section 3. Costs are taken relative to the best alternatives of both pieces, so that smooth sky
   weighs as much as texture.
3. Pieces are placed greedily, the most certain neighbour first, from several starting pieces, in a frame of n
   × n that may slide until it is full.
4. The best arrangements are improved by steepest descent over all swaps of two pieces, of two blocks, and all
   cyclic shifts of rows and columns. The arrangement of least total cost wins.

Plain numpy, no randomness: the same pixels give the same answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from beholder.synth.solvers import GaveUp

Floats = NDArray[np.float64]
Board = NDArray[np.intp]

_LARGEST = 8
_STARTS_IMPROVED = 3
_EVEN = 5.0
"""Grey levels that the pixels of a line may lie from their median on average in a picture that was saved as JPEG.
Measured: lines at most 4 at quality 90 and 5 at 75, rows of pieces of photographs at least 6."""
_REACH = 6
"""Pixels on either side of an even division in which a line is looked for; also the thickest that a line may be."""


def solve(pictures: Sequence[NDArray[np.uint8]], prompt: str) -> str:
    """The list of piece numbers. The number of pieces a side is read from the lines in the picture, or else from the
    question (`cut into 4×4 pieces`).
    """
    pixels = pictures[0]
    n = find_size(pixels, tuple(range(2, _LARGEST + 1))) or _size_in(prompt)
    if n is None:
        raise GaveUp("neither the picture nor the question shows how many pieces there are")
    try:
        return str(list(arrange(pixels, n)))
    except ValueError as error:
        raise GaveUp(str(error)) from error


def glance(pictures: Sequence[NDArray[np.uint8]], prompt: str) -> str:
    """The pieces as they lie: without rearranging them there is nothing better to say."""
    n = _size_in(prompt) or find_size(pictures[0])
    if n is None:
        raise GaveUp("neither the picture nor the question shows how many pieces there are")
    return str(list(range(1, n * n + 1)))


def _size_in(prompt: str) -> int | None:
    found = re.search(r"\b([2-8]) ?[×x] ?\1\b", prompt)
    return int(found[1]) if found else None


def arrange(pixels: NDArray[np.uint8], n: int) -> tuple[int, ...]:
    """For each place of the restored picture in reading order, the number of the piece that belongs there.

    `pixels` is the shuffled picture, (height, width, 3) RGB; pieces are numbered from 1 in reading order.
    `ValueError` if n is not 2 to 8 or a piece would have fewer than 8 pixels a side.
    """
    if not 2 <= n <= _LARGEST:
        raise ValueError(f"puzzles of 2 to {_LARGEST} pieces a side can be solved, not {n}")
    right, below = costs(cut(pixels, n))
    boards = _greedy_boards(right, below, n)
    order = np.argsort(_energy(boards, right, below), kind="stable")
    distinct: list[Board] = []
    for place in order:
        if len(distinct) < _STARTS_IMPROVED and not any((boards[place] == seen).all() for seen in distinct):
            distinct.append(boards[place])
    improved = np.stack([_improve(board, right, below, n) for board in distinct])
    best = improved[int(np.argmin(_energy(improved, right, below)))]
    return tuple(int(piece) + 1 for piece in best)


def cut(pixels: NDArray[np.uint8], n: int) -> NDArray[np.uint8]:
    """The pieces in reading order, (n², side, side, 3), without the lines between them."""
    rows, height = _grid(pixels, n)
    columns, width = _grid(pixels.transpose(1, 0, 2), n)
    if min(height, width) < 8:
        raise ValueError(f"{pixels.shape[1]}×{pixels.shape[0]} pixels are too few for {n}×{n} pieces")
    return np.stack([pixels[y : y + height, x : x + width] for y in rows for x in columns])


def find_size(pixels: NDArray[np.uint8], sizes: tuple[int, ...] = (3, 4, 5, 6)) -> int | None:
    """How many pieces a side the lines in the picture show, or None if they show none of `sizes`."""
    for rows, columns in zip(_lines(pixels), _lines(pixels.transpose(1, 0, 2)), strict=True):
        for n in sorted(sizes, reverse=True):
            if _thickness(rows, n) and _thickness(columns, n):
                return n
    return None


def _lines(pixels: NDArray[np.uint8]) -> Iterator[NDArray[np.bool_]]:
    """Which rows of pixels are of one colour from end to end: exactly, then nearly (`_EVEN`)."""
    yield (pixels == pixels[:, :1]).all(axis=(1, 2))
    middle = np.median(pixels, axis=1, keepdims=True).astype(np.float32)
    yield np.abs(pixels - middle).mean(axis=(1, 2)) <= _EVEN


def _grid(pixels: NDArray[np.uint8], n: int) -> tuple[list[int], int]:
    """Where the n rows of pieces begin, and how high a piece is: equal parts if there are no lines between them."""
    height, thick, margin = len(pixels), 0, 0
    for line in _lines(pixels):
        thick = _thickness(line, n)
        if thick:
            margin = thick if line[:thick].all() and line[-thick:].all() else 0
            break
    pitch = (height - 2 * margin + thick) / n
    return [round(margin + pitch * k) for k in range(n)], int(pitch) - thick


def _thickness(line: NDArray[np.bool_], n: int) -> int:
    """Pixels of the thinnest of the n - 1 inner lines; 0 if one is missing or all are too thick to be lines.

    The thinnest, because a line may touch rows of pieces that are even themselves.
    """
    found = []
    for k in range(1, n):
        at = round(len(line) * k / n)
        found.append(int(line[max(0, at - _REACH) : at + _REACH].sum()))
    return min(found) if min(found) <= _REACH else 0


def costs(pieces: NDArray[np.uint8]) -> tuple[Floats, Floats]:
    """`right[a, b]`: the cost of piece b standing right of piece a; `below[a, b]`: of b standing below a."""
    values = pieces.astype(np.float64)
    return _side_costs(values), _side_costs(values.transpose(0, 2, 1, 3))


def _side_costs(pieces: Floats) -> Floats:
    ends, inner_ends = pieces[:, :, -1], pieces[:, :, -2]
    starts, inner_starts = pieces[:, :, 0], pieces[:, :, 1]
    predicted = _prediction(ends, inner_ends, starts, inner_starts)
    gradient = _mahalanobis(ends, inner_ends, starts) + _mahalanobis(starts, inner_starts, ends).T
    return _relative(predicted, 0.5) + _relative(gradient, 0.05)


def _prediction(ends: Floats, inner_ends: Floats, starts: Floats, inner_starts: Floats) -> Floats:
    """Mean absolute error of continuing each border in a straight line onto the other's first pixels, both ways."""
    count = len(ends)
    onto_starts = (1.5 * ends - 0.5 * inner_ends).reshape(count, 1, -1)
    onto_ends = (1.5 * starts - 0.5 * inner_starts).reshape(1, count, -1)
    result: Floats = np.abs(onto_starts - onto_ends).mean(axis=2)
    return result


def _mahalanobis(ends: Floats, inner: Floats, starts: Floats) -> Floats:
    """How unusual the colour steps from a's border to b's are among the steps inside a (Gallagher 2012, eq. 1 to 4)."""
    length = ends.shape[1]
    steps = ends - inner
    mean = steps.mean(axis=1)
    spread = steps - mean[:, None]
    covariance = np.einsum("api,apj->aij", spread, spread) / length + np.eye(3)
    inverse = np.linalg.inv(covariance)
    across = starts[None] - ends[:, None] - mean[:, None, None]
    weighted = np.einsum("abpi,aij->abpj", across, inverse, optimize=True)
    unusual: Floats = np.sqrt((weighted * across).sum(axis=(2, 3)) / (3 * length))
    return unusual


def _relative(cost: Floats, floor: float) -> Floats:
    """Each cost over the second best of its row or column, whichever is less: a sure neighbour is far below 1."""
    cost = cost.copy()
    np.fill_diagonal(cost, np.inf)
    by_row = np.partition(cost, 1, axis=1)[:, 1:2]
    by_column = np.partition(cost, 1, axis=0)[1:2]
    scaled: Floats = cost / (np.minimum(by_row, by_column) + floor)
    np.fill_diagonal(scaled, scaled[np.isfinite(scaled)].max() + 1)
    return scaled


def _energy(boards: Board, right: Floats, below: Floats) -> Floats:
    n = round(boards.shape[1] ** 0.5)
    grids = boards.reshape(-1, n, n)
    total: Floats = right[grids[:, :, :-1], grids[:, :, 1:]].sum(axis=(1, 2)) + below[grids[:, :-1], grids[:, 1:]].sum(
        axis=(1, 2)
    )
    return total


def _greedy_boards(right: Floats, below: Floats, n: int) -> Board:
    """One full board for each starting piece, (n², n²): grown all at once, each by its most certain neighbour.

    A board grows in a frame of (2n - 1)² places around its starting piece and may never get wider or higher
    than n.
    """
    count, width = n * n, 2 * n - 1
    runs = np.arange(count)
    frame = np.full((count, width, width), -1, dtype=np.intp)
    total = np.zeros((count, width, width, count))
    touching = np.zeros((count, width, width))
    free = np.ones((count, count), dtype=np.bool_)
    low = np.full((count, 2), n - 1)
    high = low.copy()
    places = np.arange(width)

    def put(y: Board, x: Board, piece: Board) -> None:
        frame[runs, y, x] = piece
        free[runs, piece] = False
        at = np.stack([y, x], axis=1)
        np.minimum(low, at, out=low)
        np.maximum(high, at, out=high)
        for step_y, step_x, cost in (
            (0, 1, right[piece]),
            (0, -1, right[:, piece].T),
            (1, 0, below[piece]),
            (-1, 0, below[:, piece].T),
        ):
            to_y, to_x = y + step_y, x + step_x
            inside = (to_y >= 0) & (to_y < width) & (to_x >= 0) & (to_x < width)
            total[runs[inside], to_y[inside], to_x[inside]] += cost[inside]
            touching[runs[inside], to_y[inside], to_x[inside]] += 1

    start = np.full(count, n - 1)
    put(start, start, runs)
    for _ in range(count - 1):
        within = (places > high[:, :, None] - n) & (places < low[:, :, None] + n)
        open_places = within[:, 0, :, None] & within[:, 1, None, :] & (frame < 0) & (touching > 0)
        mean = total / np.maximum(touching, 1)[..., None]
        mean = np.where(free[:, None, None, :] & open_places[..., None], mean, np.inf)
        chosen = mean.reshape(count, -1).argmin(axis=1)
        place, piece = np.divmod(chosen, count)
        put(*np.divmod(place, width), piece)
    rows = low[:, 0, None] + np.arange(n)
    columns = low[:, 1, None] + np.arange(n)
    return frame[runs[:, None, None], rows[:, :, None], columns[:, None, :]].reshape(count, count)


def _improve(board: Board, right: Floats, below: Floats, n: int) -> Board:
    """Takes the move that lowers the total cost most until none does."""
    moves = _moves(n)
    cost = _energy(board[None], right, below)[0]
    while True:
        tried = board[moves]
        energies = _energy(tried, right, below)
        best = int(energies.argmin())
        if energies[best] >= cost - 1e-9:
            return board
        board, cost = tried[best], energies[best]


@cache
def _moves(n: int) -> Board:
    """Rearrangements of an n × n board: cyclic shifts of all or one line, swaps of equal blocks that do not overlap.

    (moves, n²): the piece that place p gets is the one that stood at `moves[m, p]`.
    """
    places = np.arange(n * n).reshape(n, n)
    found = [np.roll(places, (dy, dx), axis=(0, 1)).ravel() for dy in range(n) for dx in range(n) if dy or dx]
    for line in range(n):
        for shift in range(1, n):
            for board in (places, places.T):
                moved = board.copy()
                moved[line] = np.roll(moved[line], shift)
                found.append((moved if board is places else moved.T).ravel())
    for height in range(1, n + 1):
        for width in range(1, n + 1):
            corners = [(y, x) for y in range(n - height + 1) for x in range(n - width + 1)]
            for i, (y, x) in enumerate(corners):
                for v, u in corners[i + 1 :]:
                    if v < y + height and abs(u - x) < width:
                        continue
                    moved = places.copy()
                    moved[y : y + height, x : x + width] = places[v : v + height, u : u + width]
                    moved[v : v + height, u : u + width] = places[y : y + height, x : x + width]
                    found.append(moved.ravel())
    return np.stack(found)
