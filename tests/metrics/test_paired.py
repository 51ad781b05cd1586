from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from beholder.errors import UsageError
from beholder.metrics.paired import (
    Cells,
    Paired,
    align,
    holm,
    mcnemar_exact,
    minimum_detectable_effect,
    paired_difference,
    sign_flip,
    told_apart,
)


def test_t83() -> None:
    a = [1] * 18 + [0] * 6 + [1] * 120 + [0] * 76
    b = [0] * 18 + [1] * 6 + [1] * 120 + [0] * 76
    result = paired_difference(a, b)
    assert result.n == 220
    assert result.cells == Cells(both_right=120, only_a=18, only_b=6, both_wrong=76)
    assert result.p == pytest.approx(0.0227, abs=5e-5)
    assert result.difference == pytest.approx(-12 / 220)
    assert result.low < result.difference < result.high < 0


def test_mcnemar_against_scipy() -> None:
    rng = np.random.default_rng(0)
    tables = [(0, 0), (0, 1), (1, 1), (0, 40), (5, 5), (5, 6), (1000, 1200), (490_000, 510_000), (0, 2000)]
    tables += [tuple(int(x) for x in rng.integers(0, scale, 2)) for scale in (3, 10, 60, 300) for _ in range(40)]
    for b, c in tables:
        reference = stats.binomtest(b, b + c).pvalue if b + c else 1.0
        assert mcnemar_exact(b, c) == pytest.approx(reference, rel=1e-7, abs=1e-300), (b, c)
        assert mcnemar_exact(c, b) == mcnemar_exact(b, c)


def test_mcnemar_refuses_negative_counts() -> None:
    with pytest.raises(ValueError):
        mcnemar_exact(-1, 3)


def all_flips(changes: list[float], clusters: list[str] | None = None) -> float:
    """The share of all assignments of signs to clusters whose total is at least as far from 0: by counting."""
    names = clusters or [str(row) for row in range(len(changes))]
    sums = [sum(change for change, own in zip(changes, names, strict=True) if own == name) for name in sorted({*names})]
    seen = abs(sum(sums))
    totals = [
        abs(sum(sign * one for sign, one in zip(signs, sums, strict=True)))
        for signs in itertools.product((1, -1), repeat=len(sums))
    ]
    return sum(total >= seen - 1e-9 for total in totals) / len(totals)


FLIPS: list[tuple[str, list[float], list[str] | None]] = [
    ("one", [0.5], None),
    ("two", [0.5, 0.75], None),
    ("three alike", [0.25, 0.25, 0.25], None),
    ("against each other", [0.5, -0.5], None),
    ("zeros say nothing", [0.5, 0.0, 0.0, 0.75, 1.0, 0.0], None),
    ("thirds", [1 / 3, 1 / 3, 2 / 3, -2 / 3, 1.0, 1 / 3], None),
    ("right and wrong", [1.0] * 9 + [-1.0] * 2, None),
    ("a cluster is one", [0.5, 0.5, 0.25, 1.0, 1.0], ["a", "a", "a", "b", "b"]),
    ("a cluster that cancels itself", [1.0, -1.0, 0.5, 1.0], ["a", "a", "b", "c"]),
    ("an empty name is nobody's", [0.5, 0.75, 1.0, 0.25], ["", "", "a", "a"]),
]


@pytest.mark.parametrize(("name", "changes", "clusters"), FLIPS, ids=[row[0] for row in FLIPS])
def test_sign_flips_against_all_of_them(name: str, changes: list[float], clusters: list[str] | None) -> None:
    named = None if clusters is None else [own or f"row {row}" for row, own in enumerate(clusters)]
    assert sign_flip(changes, clusters) == pytest.approx(all_flips(changes, named))


@pytest.mark.parametrize("seed", range(8))
def test_sign_flips_of_any_size_against_all_of_them(seed: int) -> None:
    rng = np.random.default_rng(seed)
    changes = rng.normal(0.2, 1, 14).tolist()
    clusters = [str(rng.integers(0, 11)) for _ in changes]
    assert sign_flip(changes, clusters) == pytest.approx(all_flips(changes, clusters))
    assert sign_flip([-change for change in changes], clusters) == sign_flip(changes, clusters)


@pytest.mark.parametrize("wrong", [6, 40, 200])
def test_sign_flips_of_right_and_wrong_are_exact_mcnemar(wrong: int) -> None:
    changes = [1.0] * 18 + [-1.0] * wrong + [0.0] * 500
    assert sign_flip(changes) == pytest.approx(mcnemar_exact(18, wrong), rel=1e-6)


def test_random_sign_flips_come_near_the_exact_ones_and_follow_from_the_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    changes = rng.normal(0.4, 1, 15).tolist()
    exact = sign_flip(changes)
    monkeypatch.setattr("beholder.metrics.paired._MOST_SUMS", 0)
    drawn = sign_flip(changes, seed=1)
    assert drawn == pytest.approx(exact, abs=4 * (exact * (1 - exact) / 10_000) ** 0.5)
    assert drawn == sign_flip(changes[::-1], seed=1) != sign_flip(changes, seed=2)
    assert sign_flip([1.0 + row for row in range(60)]) == 1 / 10_000  # no p is 0
    assert sign_flip([]) == 1.0


def test_sign_flips_reject_as_often_as_they_may() -> None:
    rng = np.random.default_rng(9)
    ps = [sign_flip((rng.choice([0.25, 0.5, 1.0], 30) * rng.choice([-1, 1], 30)).tolist()) for _ in range(400)]
    assert 0.02 <= np.mean(np.array(ps) <= 0.05) <= 0.08


def test_the_test_that_holds_decides() -> None:
    alone = paired_difference([0, 0, 0, 1, 1], [1, 1, 1, 1, 0])
    assert (alone.p, alone.p_flips, alone.p_decides) == (pytest.approx(0.625), None, alone.p)
    together = paired_difference([0, 0, 0, 1, 1], [1, 1, 1, 1, 0], ["a", "a", "a", "b", "b"])
    assert (together.p, together.p_flips, together.p_decides) == (alone.p, pytest.approx(1.0), together.p_flips)
    in_part = paired_difference([0, 0.5, 0], [1, 1, 0.25])
    assert (in_part.p, in_part.p_flips, in_part.p_decides) == (None, pytest.approx(0.25), in_part.p_flips)
    assert paired_difference([None], [1]).p_decides is None


TOLD_APART = [
    ("both", 0.2, 0.1, 0.3, 0.05, 1),
    ("downwards", -0.2, -0.3, -0.1, 0.01, -1),
    ("p too large", 0.2, 0.1, 0.3, 0.051, 0),
    ("no p: never the interval alone", 0.2, 0.1, 0.3, None, 0),
    ("the interval reaches 0", 0.2, 0.0, 0.3, 0.01, 0),
    ("no interval", -0.2, None, None, 0.01, -1),
    ("no difference", 0.0, None, None, 0.01, 0),
    ("no pair", None, None, None, None, 0),
]


@pytest.mark.parametrize(("name", "difference", "low", "high", "p", "sign"), TOLD_APART, ids=[r[0] for r in TOLD_APART])
def test_told_apart(
    name: str, difference: float | None, low: float | None, high: float | None, p: float | None, sign: int
) -> None:
    paired = Paired(difference=difference, mean_a=0.5, mean_b=0.5, n=9, low=low, high=high)
    assert told_apart(paired, p) == sign


def test_interval_against_the_normal_one() -> None:
    rng = np.random.default_rng(5)
    a = rng.beta(2, 2, 600)
    b = np.clip(a + rng.normal(0.05, 0.1, 600), 0, 1)
    result = paired_difference(a.tolist(), b.tolist(), resamples=4000)
    reference = stats.t.interval(0.95, 599, np.mean(b - a), stats.sem(b - a))
    assert (result.low, result.high) == pytest.approx(reference, abs=0.0007)
    assert (result.interval, result.cells, result.p) == ("paired bootstrap", None, None)
    assert result.mean_b - result.mean_a == pytest.approx(result.difference)


def test_clusters_are_redrawn_whole() -> None:
    rng = np.random.default_rng(6)
    effect = np.repeat(rng.choice([-1, 0, 1], 50, p=[0.1, 0.6, 0.3]), 10)
    a, b = (effect < 0).astype(float).tolist(), (effect > 0).astype(float).tolist()
    names = [str(row // 10) for row in range(500)]
    alone, together = paired_difference(a, b), paired_difference(a, b, names)
    assert (together.high - together.low) / (alone.high - alone.low) == pytest.approx(10**0.5, rel=0.15)
    assert together.interval == "paired cluster bootstrap"
    assert "McNemar" in together.note
    assert alone.note == ""


def test_failed_on_either_side() -> None:
    result = paired_difference([1, None, 0, None], [1, 1, None, None])
    assert (result.n, result.failed, result.difference) == (1, 3, 0.0)
    nothing = paired_difference([None], [1])
    assert (nothing.n, nothing.failed, nothing.difference, nothing.p) == (0, 1, None, None)
    assert nothing.note


def test_a_run_against_itself() -> None:
    run = [1, 0, 1, 0] * 10
    result = paired_difference(run, run)
    assert (result.difference, result.p, result.low, result.interval) == (0.0, 1.0, None, "")
    assert result.note == "no interval: the resamples do not differ"


def test_swapping_the_runs_turns_the_sign() -> None:
    rng = np.random.default_rng(7)
    a, b = (rng.random(200) < 0.5).tolist(), (rng.random(200) < 0.6).tolist()
    forth, back = paired_difference(a, b), paired_difference(b, a)
    assert forth.difference == -back.difference
    assert forth.p == back.p
    assert (forth.cells.only_a, forth.cells.only_b) == (back.cells.only_b, back.cells.only_a)


def test_order_of_items_does_not_matter() -> None:
    rng = np.random.default_rng(8)
    a, b = rng.random(150), rng.random(150)
    names = [str(row % 40) for row in range(150)]
    expected = paired_difference(a.tolist(), b.tolist(), names, seed=3)
    for shuffle in range(4):
        order = np.random.default_rng(shuffle).permutation(150)
        again = paired_difference(a[order].tolist(), b[order].tolist(), [names[i] for i in order], seed=3)
        assert again == expected


@pytest.mark.parametrize("a, b, clusters", [([1], [1, 0], None), ([1], [1], ["a", "b"]), ([float("nan")], [1], None)])
def test_refuses(a: list, b: list, clusters: list | None) -> None:
    with pytest.raises(ValueError):
        paired_difference(a, b, clusters)


HOLM = [
    ([], []),
    ([0.02], [0.02]),
    ([0.01, 0.02, 0.03], [0.03, 0.04, 0.04]),
    ([0.03, 0.01, 0.02], [0.04, 0.03, 0.04]),
    ([0.9, 0.8, 1.0], [1.0, 1.0, 1.0]),
    ([0.0, 0.5], [0.0, 0.5]),
    ([0.04, 0.04], [0.08, 0.08]),
]


@pytest.mark.parametrize("pvalues, expected", HOLM)
def test_holm(pvalues: list[float], expected: list[float]) -> None:
    assert holm(pvalues) == pytest.approx(expected)


def test_holm_rejects_what_the_step_down_rule_rejects() -> None:
    rng = np.random.default_rng(1)
    for _ in range(100):
        pvalues = (rng.random(8) ** 3).tolist()
        rejected = set()
        for rank, place in enumerate(np.argsort(pvalues)):
            if pvalues[place] * (8 - rank) > 0.05:
                break
            rejected.add(int(place))
        assert {place for place, p in enumerate(holm(pvalues)) if p <= 0.05} == rejected


@pytest.mark.parametrize("bad", [-0.1, 1.1, float("nan")])
def test_holm_refuses(bad: float) -> None:
    with pytest.raises(ValueError):
        holm([0.5, bad])


def test_minimum_detectable_effect_has_the_promised_power() -> None:
    n, discordant = 1000, 0.2
    effect = minimum_detectable_effect(n, discordant=discordant)
    rng = np.random.default_rng(2)
    cells = rng.multinomial(n, [(discordant + effect) / 2, (discordant - effect) / 2, 1 - discordant], size=4000)
    b, c = cells[:, 0], cells[:, 1]
    power = np.mean(np.abs(b - c) / np.sqrt(b + c) > stats.norm.ppf(0.975))
    assert power == pytest.approx(0.8, abs=0.025)


def test_minimum_detectable_effect_solves_connors_formula() -> None:
    za, zb = stats.norm.ppf(0.975), stats.norm.ppf(0.9)
    for n, d in ((50, 0.5), (318, 0.1), (1250, 0.3)):
        effect = minimum_detectable_effect(n, discordant=d, power=0.9)
        assert (za * d**0.5 + zb * (d - effect**2) ** 0.5) ** 2 / effect**2 == pytest.approx(n)


def test_minimum_detectable_effect_where_nothing_shows() -> None:
    assert minimum_detectable_effect(3, discordant=0.5) is None
    assert minimum_detectable_effect(1, discordant=1.0) is None
    assert minimum_detectable_effect(1000, discordant=0.0) is None
    assert minimum_detectable_effect(100, sd=0.0) == 0.0


@pytest.mark.parametrize(
    "n, options",
    [
        (0, {"sd": 1.0}),
        (10, {}),
        (10, {"sd": 1.0, "discordant": 0.5}),
        (10, {"sd": -1.0}),
        (10, {"sd": float("nan")}),
        (10, {"discordant": 1.5}),
        (10, {"sd": 1.0, "power": 0.2}),
        (10, {"sd": 1.0, "alpha": 0.0}),
    ],
)
def test_minimum_detectable_effect_refuses(n: int, options: dict[str, float]) -> None:
    with pytest.raises(ValueError):
        minimum_detectable_effect(n, **options)


def test_t38_align_names_what_is_missing() -> None:
    a = {f"k{i}": i for i in range(10)}
    b = {f"k{i}": -i for i in range(5, 12)}
    with pytest.raises(UsageError) as caught:
        align(a, b, names=("runs/a", "runs/b"))
    message = str(caught.value)
    assert "5 items of runs/a missing in runs/b: 'k0', 'k1', 'k2', …" in message
    assert "2 items of runs/b missing in runs/a: 'k10', 'k11'" in message
    assert "--intersect" in message
    assert "5 items they share" in message

    aligned = align(a, b, intersect=True)
    assert aligned.keys == ["k5", "k6", "k7", "k8", "k9"]
    assert aligned.a == [5, 6, 7, 8, 9]
    assert aligned.b == [-5, -6, -7, -8, -9]
    assert (len(aligned.only_a), aligned.only_b) == (5, ["k10", "k11"])


def test_align_of_equal_sets_in_any_order() -> None:
    aligned = align({"x": 1, "y": 2}, {"y": 3, "x": 4})
    assert (aligned.keys, aligned.a, aligned.b, aligned.only_a, aligned.only_b) == (
        ["x", "y"],
        [1, 2],
        [4, 3],
        [],
        [],
    )


@pytest.mark.parametrize("a, b", [({}, {}), ({"x": 1}, {}), ({"x": 1}, {"y": 1})])
def test_nothing_in_common(a: dict, b: dict) -> None:
    for intersect in (False, True):
        with pytest.raises(UsageError, match="no item in common"):
            align(a, b, intersect=intersect)


def test_hostile_keys_stay_on_one_printable_line() -> None:
    with pytest.raises(UsageError) as caught:
        align({"x": 1, "a\n\x1b[31m\ud800": 1, "b" * 100_000: 1}, {"x": 1})
    message = str(caught.value)
    assert message.replace("…", "").isascii()
    assert message.isprintable()
    assert len(message) < 400
