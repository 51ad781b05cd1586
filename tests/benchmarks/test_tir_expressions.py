"""math-verify in a process of its own: its verdicts and their bounds."""

from __future__ import annotations

import doctest
import math
import random
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from pathlib import Path

import pytest

from beholder.benchmarks.tir import expression_worker, expressions
from beholder.benchmarks.tir.expressions import MOST_CHARACTERS, Expressions, versions
from beholder.benchmarks.tir.official import Record, TooLarge, judge

TOWER = "\\boxed{5^{5^{5^{5^5}}}}"


@pytest.fixture(scope="module")
def real() -> Iterator[Expressions]:
    pytest.importorskip("math_verify")
    with Expressions() as made:
        yield made


ACCEPTED = [
    *(("3", answer) for answer in ("3.0", "6/2", "3%", "The answer is 3", "$3", "3 apples", "\\boxed{3}", "1 or 3")),
    *(("5", answer) for answer in ("5.0", "$5", "5 apples", "10/2", "1 or 5", "2024: 5")),
    *(("2.5", answer) for answer in ("2.50", "5/2", "2,5", "2.5 cm", "$\\frac{5}{2}$", "250%")),
    ("3000", "3,000"),
    ("970", "970円"),
    ("12", "1 2"),
    ("1e3", "1/1"),
    ("1", "$1^{10000000000}$"),
]
REJECTED = [
    *(("3", answer) for answer in ("3 or 4", "34", "[3]", "", "three", "x", "３０", "\ud800", "\x00")),
    *(("5", answer) for answer in ("5 out of 6", "five")),
    ("7", "[7]"),
    ("1e3", "1"),
    ("2.39", "2.39 cm (or 23.9 mm)"),
    ("3", "9" * 400 + ".5"),
    ("3", "0." + "0" * 400 + "1"),
]


@pytest.mark.parametrize("gold, answer", [*ACCEPTED, *REJECTED])
def test_numbers_by_the_authors_rules(real: Expressions, gold: str, answer: str) -> None:
    right = judge(Record(task="math", answer=gold, extracted=answer), real.agree).value == 1
    assert right == ((gold, answer) in ACCEPTED)


def test_says_what_math_verify_says_in_the_main_thread(real: Expressions) -> None:
    math_verify = pytest.importorskip("math_verify")
    for answer in [
        "3",
        "0.5",
        "$\\frac{1}{2}$",
        "1/2",
        "50%",
        "x=3",
        "$x=3$",
        "$\\{1, 2\\}$",
        "1,000.5",
        "-3",
        "6/2 = 3",
    ]:
        for gold in ("3", "0.5", "-3", "1000.5", "5"):
            said = float(math_verify.verify(math_verify.parse(answer), math_verify.parse(gold))) > 0
            assert real.agree(answer, gold) == said, (answer, gold)


TOO_LARGE = [TOWER, "$5^{5^{5^{5^5}}}$", "5^5^5^5", "$\\frac{5^{5^{5^5}}}{2}$", "$7^{999999999}$", "$20000000!$"]


def test_a_value_of_millions_of_digits_is_refused_fast_and_in_any_thread(real: Expressions) -> None:
    begin = time.perf_counter()

    def ask() -> list[tuple[float, tuple[str, ...]]]:
        found = [judge(Record(task="math", answer="5", extracted=text), real.agree) for text in TOO_LARGE]
        return [(verdict.value, verdict.flags) for verdict in found]

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(ask).result() == [(0.0, ("too_large",))] * len(TOO_LARGE)
    assert time.perf_counter() - begin < 20


DIGITS = [
    ("5", 0.699),
    ("1/8", -0.903),
    ("0.5", -0.301),
    ("$2^{10}$", 3.01),
    ("$2^{-10}$", -3.01),
    ("$3\\cdot 2^{10}$", 3.487),
    ("$10!$", 6.56),
    ("$2^{2^{10}}$", 308.25),
    ("$10^{10^{10}}$", 1e10),
    (TOWER, math.inf),
    ("$1^{5^{5}}$", 0.0),
    ("-5", math.nan),
    ("$x^2$", math.nan),
    ("$5^x$", math.nan),
    ("9" * 400 + ".5", math.nan),
]


@pytest.mark.parametrize("text, digits", DIGITS)
def test_digits_of_a_value_that_is_not_worked_out(text: str, digits: float) -> None:
    math_verify = pytest.importorskip("math_verify")
    found = expression_worker.digits_of(math_verify.parse(text)[0])
    assert found == pytest.approx(digits, rel=1e-3, nan_ok=True)


def test_a_deep_tower_has_unknown_digits_and_no_endless_recursion() -> None:
    sympy = pytest.importorskip("sympy")
    tower = sympy.Integer(2)
    for _ in range(300):
        tower = sympy.Pow(2, tower, evaluate=False)
    assert math.isnan(expression_worker.digits_of(tower))


@pytest.mark.slow
@pytest.mark.parametrize("piece", ["1 ", "1^", "$x", "7", "\\boxed{", "answer: ", "9^{9!} ", "$1000000!$"])
def test_a_million_characters_end_by_math_verifys_own_limits(real: Expressions, piece: str) -> None:
    assert real.agree(piece * (MOST_CHARACTERS // len(piece)), "3") is False


def test_longer_texts_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expressions, "_WORKER", Path("/nowhere"))
    for pair in (("7" * (MOST_CHARACTERS + 1), "7"), ("7", "7" * (MOST_CHARACTERS + 1))):
        with pytest.raises(TooLarge):
            Expressions().agree(*pair)


def test_versions_name_what_decides() -> None:
    pytest.importorskip("math_verify")
    found = versions()
    assert found["math-verify"] == metadata.version("math-verify")
    assert {"sympy", "latex2sympy2_extended"} <= set(found)


def test_examples_in_the_documentation() -> None:
    pytest.importorskip("math_verify")
    done = doctest.testmod(expressions)
    assert done.attempted > 0
    assert done.failed == 0


def test_plain_whole_numbers_need_no_child_and_are_judged_as_by_one() -> None:
    draw = random.Random(3)
    pairs = [("0", "0"), ("7", "7"), ("-7", "7"), ("100000", "1000000")]
    for _ in range(60):
        gold = str(draw.randrange(-(10 ** draw.randint(1, 15)) + 1, 10 ** draw.randint(1, 15)))
        pairs.append(
            (draw.choice((gold, gold.lstrip("-"), gold + "1"[: len(gold) < 15], str(draw.randint(-9, 99)))), gold)
        )
    with Expressions() as expressions:
        for answer, gold in pairs:
            assert expressions.agree(answer, gold) == (int(answer) == int(gold))
        assert expressions._child is None
        for answer, gold in pairs:
            assert expressions.agree(f" {answer}", gold) == (int(answer) == int(gold)), (answer, gold)
        assert expressions._child is not None
