"""Repeated runs: how much of the uncertainty is the choice of items, and how much the model's own sampling
noise."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import msgspec


class Noise(msgspec.Struct, frozen=True):
    """The variance of scores, split.

    `mean` is the mean over items of each item's mean over its epochs. `between` is the variance of the
    items' true means and `within` the variance of one item's score from run to run; None where the data
    cannot tell. `se_mean` is the standard error of `mean` as an estimate for all items of this kind;
    `se_epochs` is the part of it that asking the same items more often would remove. `items` have at least
    one score; `scores` counts all; `failed` those that are None. Units: scores (0..1) for the mean and the
    errors, their squares for the variances.
    """

    mean: float | None
    between: float | None
    within: float | None
    se_mean: float | None
    se_epochs: float | None
    items: int
    scores: int
    failed: int


def between_within(epochs_of_items: Iterable[Sequence[float | None]]) -> Noise:
    """Splits the variance of scores into items and repetitions (one-way random effects, analysis of
    variance).

    Each row holds one item's scores over the epochs; None is a failed one. Rows may differ in length. With I
    items, n_i scores of item i, N = Σ n_i, item means ȳ_i and grand mean ȳ:

        MSW = ΣΣ (y_ij - ȳ_i)² / (N - I)           within  = MSW
        MSB = Σ n_i (ȳ_i - ȳ)² / (I - 1)           between = max(0, (MSB - MSW) / n0)
        n0  = (N - Σ n_i² / N) / (I - 1)           (= the number of epochs, if all items have it)

    (Searle, Casella and McCulloch, Variance Components, 1992, ch. 3.) `se_mean` = sd(ȳ_i) / √I needs no
    split and holds for unequal n_i too; `se_epochs` = √(within · Σ 1/n_i) / I. Both take the items as
    independent: where they share clusters, use the bootstrap for the error of the mean.

    >>> noise = between_within([[1, 1], [0, 0], [1, 0], [0, 1]])
    >>> noise.mean, noise.within, round(noise.between, 4), round(noise.se_mean, 4)
    (0.5, 0.25, 0.0417, 0.2041)
    """
    rows = [list(row) for row in epochs_of_items]
    failed = sum(score is None for row in rows for score in row)
    items = [scores for row in rows if (scores := [float(score) for score in row if score is not None])]
    if not all(math.isfinite(score) for scores in items for score in scores):
        raise ValueError("scores must be finite numbers, or None where there was no answer")
    n_items, n_scores = len(items), sum(map(len, items))
    if not items:
        return Noise(None, None, None, None, None, 0, 0, failed)

    means = [math.fsum(scores) / len(scores) for scores in items]
    mean = math.fsum(means) / n_items
    within = se_epochs = between = se_mean = None
    if n_scores > n_items:
        residuals = ((score - m) ** 2 for scores, m in zip(items, means, strict=True) for score in scores)
        within = math.fsum(residuals) / (n_scores - n_items)
        se_epochs = math.sqrt(within * math.fsum(1 / len(scores) for scores in items)) / n_items
    if n_items > 1:
        se_mean = math.sqrt(math.fsum((m - mean) ** 2 for m in means) / (n_items - 1) / n_items)
    if within is not None and n_items > 1:
        grand = math.fsum(score for scores in items for score in scores) / n_scores
        msb = math.fsum(len(s) * (m - grand) ** 2 for s, m in zip(items, means, strict=True)) / (n_items - 1)
        n0 = (n_scores - sum(len(scores) ** 2 for scores in items) / n_scores) / (n_items - 1)
        between = max(0.0, (msb - within) / n0)
    return Noise(mean, between, within, se_mean, se_epochs, n_items, n_scores, failed)
