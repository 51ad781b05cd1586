"""From judgements to figures: scorers, majorities, denominators, position bias, the authors' curve.

Longer than 400 lines because the arithmetic by hand and the rows it is compared with belong side by side.
"""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest

from beholder.benchmarks import benchmark
from beholder.benchmarks.benchmark import MetricOptions
from beholder.benchmarks.orders import answer_orders
from beholder.benchmarks.vl_rewardbench.curve import authors_curve
from beholder.benchmarks.vl_rewardbench.metrics import details, metrics
from beholder.benchmarks.vl_rewardbench.score import SCORERS
from beholder.errors import Owner
from beholder.sample import Failure, PreferenceTarget, Response, Sample
from beholder.score import Outcome, ScoredItem

CASES = json.loads(Path(__file__).with_name("vl_rewardbench_verdicts.json").read_text(encoding="utf-8"))
QUICK = MetricOptions(resamples=50)
GROUPS = ("general", "hallucination", "reasoning")
SOURCE = {"general": "vlfeedback", "hallucination": "povid", "reasoning": "reasoning_tasks"}

ONE, TWO = "Overall Judgment: Answer 1 is better.", "Overall Judgment: Answer 2 is better."
NONE, EQUAL, THREE = "I cannot say.", "Both are equal", "Overall Judgment: Answer 3 is better."
LOST = Response(failure=Failure(Owner.PROVIDER, "timeout", "no answer in time"))


def made_sample(number=0, category="general", preferred=0, cluster=""):
    return Sample(
        key=f"k{number}",
        index=number,
        benchmark="vl-rewardbench",
        images=(),
        parts=(),
        target=PreferenceTarget(preferred),
        category=category,
        group=SOURCE[category],
        cluster=cluster or f"c{number}",
    )


def rows_of(sample, texts, orders=None, start=None):
    """One row a vote; a text may be a Response. `start` is the first file position."""
    rows = []
    for vote, text in enumerate(texts):
        order = orders[vote] if orders else (0, 1)
        response = text if isinstance(text, Response) else Response(text=text, order=order)
        rows.append(
            ScoredItem(
                index=sample.index if start is None else start + vote,
                key=sample.key,
                scores={name: score(sample, response) for name, score in SCORERS.items()},
                vote=vote,
                group=sample.group,
                cluster=sample.cluster,
                category=sample.category,
                order=order,
            )
        )
    return rows


def items(*cases):
    """Rows for (category, texts) pairs; the first stored answer is preferred and shown first."""
    return [row for n, (category, texts) in enumerate(cases) for row in rows_of(made_sample(n, category), texts)]


READ = [(case, scorer) for case in CASES for scorer in SCORERS if scorer in case]


@pytest.mark.parametrize(("case", "scorer"), READ, ids=[f"{case['id']}-{scorer}" for case, scorer in READ])
def test_each_scorer_reads_the_text(case, scorer):
    wanted = case[scorer]
    for preferred in (0, 1):
        for order in ((0, 1), (1, 0)):
            score = SCORERS[scorer](made_sample(preferred=preferred), Response(text=case["text"], order=order))
            if wanted is None:
                assert (score.value, score.outcome) == (0.0, Outcome.UNPARSED)
            elif wanted == "tie":
                assert (score.value, score.outcome, score.extracted) == (0.0, Outcome.TIE, "tie")
            elif wanted in (1, 2):
                right = order[wanted - 1] == preferred
                assert (score.value, score.extracted) == (float(right), str(wanted))
                assert score.outcome is Outcome.SCORED
            else:  # the authors count any other number as agreement
                assert (score.value, score.extracted, score.flags) == (1.0, str(wanted), ("not_an_answer",))


@pytest.mark.parametrize("scorer", SCORERS)
def test_failed_and_missing_answers(scorer):
    failed = SCORERS[scorer](made_sample(), LOST)
    assert (failed.value, failed.outcome, failed.owner) == (None, Outcome.FAILED, Owner.PROVIDER)
    silent = SCORERS[scorer](made_sample(), Response(text=None))
    assert (silent.value, silent.outcome) == (0.0, Outcome.UNPARSED)
    assert ("authors_crash" in silent.flags) is (scorer == "official")


def test_too_many_digits_crash_the_authors_code_only():
    text = f"Therefore Answer {'1' * 4301} is better"
    assert SCORERS["official"](made_sample(), Response(text=text)).flags == ("authors_crash",)
    assert SCORERS["recipe"](made_sample(), Response(text=text)).outcome is Outcome.UNPARSED


# texts of one item's votes → what `recipe` and `official` decide (as `cal.py` counts; T29)
DECIDED = {
    "three of five": ([ONE, ONE, ONE, TWO, TWO], "right", "right"),
    "two, two, one unread": ([ONE, ONE, TWO, TWO, NONE], "no_majority", "no_majority"),
    "one, one, three unread": ([ONE, TWO, NONE, NONE, NONE], "unread", "unread"),
    "two right, three unread": ([ONE, ONE, NONE, NONE, NONE], "unread", "unread"),
    "T29": ([ONE, NONE, TWO], "no_majority", "no_majority"),
    "half is no majority": ([ONE, ONE, TWO, TWO], "no_majority", "no_majority"),
    "a third answer": ([THREE, THREE, THREE, TWO, TWO], "unread", "right"),
    "all failed": ([LOST, LOST], "failed", "failed"),
    "two failed votes could tip it": ([ONE, ONE, TWO, LOST, LOST], "failed", "right"),
    "one right, four failed": ([ONE, LOST, LOST, LOST, LOST], "failed", "right"),
    "three of five whatever failed": ([ONE, ONE, ONE, LOST, LOST], "right", "right"),
    "wrong whatever failed": ([TWO, TWO, TWO, LOST, ONE], "wrong", "wrong"),
    "one failed vote cannot tip it": ([ONE, TWO, NONE, NONE, LOST], "failed", "no_majority"),
    "no majority whatever failed": ([ONE, TWO, TWO, ONE, NONE, LOST], "no_majority", "no_majority"),
    "one answer left": ([TWO, LOST, LOST], "failed", "wrong"),
}


@pytest.mark.parametrize(("texts", "recipe", "official"), DECIDED.values(), ids=DECIDED.keys())
def test_what_the_votes_of_an_item_decide(texts, recipe, official):
    for votes in (texts, texts[::-1], random.Random(1).sample(texts, len(texts))):
        found = details(items(("general", votes)))
        assert found["recipe"]["decisions"][0]["decision"] == recipe
        assert found["official"]["decisions"][0]["decision"] == official


# The votes of one item of K = 5 that are there → decision under `recipe` and under `official`.
BEGUN = {
    "one right": ([ONE], "failed", "right"),
    "three right": ([ONE, ONE, ONE], "right", "right"),
    "two right, one wrong": ([ONE, ONE, TWO], "failed", "right"),
    "one right, one failed": ([ONE, LOST], "failed", "right"),
    "three wrong, one failed": ([TWO, TWO, TWO, LOST], "wrong", "wrong"),
    "all there": ([ONE, ONE, TWO, TWO, NONE], "no_majority", "no_majority"),
}


@pytest.mark.parametrize(("texts", "recipe", "official"), BEGUN.values(), ids=BEGUN.keys())
def test_votes_that_are_not_there_count_in_k(texts, recipe, official):
    rows, options = items(("general", texts)), MetricOptions(resamples=50, votes=5)
    decided, figures = details(rows, options), metrics(rows, options)
    for scorer in SCORERS:
        wanted = official if scorer == "official" else recipe
        assert decided[scorer]["decisions"][0]["decision"] == wanted
        figure = figures[scorer]["overall_all"]
        assert figure.failed == (wanted == "failed")
        assert figure.value == (None if wanted == "failed" else float(wanted == "right"))
        missing = 5 - len(texts)
        assert (f"{missing} votes that are not there" in figure.note) is bool(missing)


def test_one_right_vote_of_five_is_no_right_item():
    """What failed must show in `failed`, `worst` and `best` of every figure but the authors'."""
    rows = items(("general", [ONE, LOST, LOST, LOST, LOST]), ("general", [ONE] * 5))
    found = metrics(rows, MetricOptions(resamples=50, votes=5))
    for scorer in ("recipe", "strict", "lenient"):
        for name in ("overall_all", "overall_decided", "general_all", "macro_decided"):
            metric = found[scorer][name]
            assert (metric.value, metric.n, metric.failed, metric.worst, metric.best) == (1.0, 1, 1, 0.5, 1.0)
        assert (found[scorer]["decided_share"].n, found[scorer]["tie_rate"].n) == (1, 1)
        assert "4 failed votes count in K" in found[scorer]["overall_all"].note
    authors = found["official"]["overall_all"]
    assert (authors.value, authors.n, authors.failed) == (1.0, 2, 0)
    assert "4 failed votes are left out of K, as in the authors' file" in authors.note


def test_a_majority_for_equal_is_a_tie_under_lenient():
    rows = items(("general", [EQUAL, EQUAL, ONE]))
    assert details(rows)["lenient"]["decisions"][0]["decision"] == "tie"
    figures = metrics(rows, QUICK)["lenient"]
    assert (figures["overall_all"].value, figures["tie_rate"].value) == (0.0, 1.0)


def test_the_two_denominators_by_hand():
    right, wrong, open_, gone = [ONE] * 3, [TWO] * 3, [ONE, NONE, TWO], [LOST] * 3
    rows = items(
        *[("general", votes) for votes in (right, wrong, open_, open_)],
        *[("hallucination", votes) for votes in (right, right, wrong, gone)],
        *[("reasoning", votes) for votes in (right, open_)],
    )
    found = metrics(rows, QUICK)["recipe"]
    expected = {  # value, n, failed
        "overall_all": (4 / 9, 9, 1),
        "overall_decided": (4 / 6, 6, 1),
        "general_all": (1 / 4, 4, 0),
        "general_decided": (1 / 2, 2, 0),
        "hallucination_all": (2 / 3, 3, 1),
        "hallucination_decided": (2 / 3, 3, 1),
        "reasoning_all": (1 / 2, 2, 0),
        "reasoning_decided": (1.0, 1, 0),
        "macro_all": ((1 / 4 + 2 / 3 + 1 / 2) / 3, 9, 1),
        "macro_decided": ((1 / 2 + 2 / 3 + 1) / 3, 6, 1),
        "decided_share": (6 / 9, 9, 1),
        "tie_rate": (3 / 9, 9, 1),
        "unparsed_rate": (3 / 27, 27, 3),
        "vote_accuracy": ((4 + 3 / 3) / 9, 9, 1),
    }
    for name, (value, n, failed) in expected.items():
        assert (found[name].value, found[name].n, found[name].failed) == (pytest.approx(value), n, failed), name
    assert (found["overall_all"].worst, found["overall_all"].best) == (4 / 10, 5 / 10)
    assert "3 failed votes" in found["overall_all"].note


def test_one_unread_item_costs_the_headline_but_not_the_authors_figure():
    rows = items(("general", [ONE]), ("hallucination", [ONE]), ("reasoning", [ONE]), ("reasoning", [NONE]))
    found = metrics(rows, QUICK)["official"]
    assert [found[f"{name}_decided"].value for name in ("overall", "macro", *GROUPS)] == [1.0] * 5
    assert found["overall_all"].value == 0.75
    assert found["reasoning_all"].value == 0.5
    assert found["overall_decided"].note.count("authors_crash") == 0


CRASHES = {
    "a group without a decided item": (
        [("general", [ONE]), ("hallucination", [ONE]), ("reasoning", [NONE])],
        "reasoning",
    ),
    "a group without items": ([("general", [ONE]), ("hallucination", [ONE])], "reasoning"),
    "a judgement without text": ([(group, [ONE, Response(text=None), ONE]) for group in GROUPS], "no text"),
}


@pytest.mark.parametrize(("cases", "said"), CRASHES.values(), ids=CRASHES.keys())
def test_where_the_authors_code_would_stop_the_figure_says_so(cases, said):
    found = metrics(items(*cases), QUICK)
    note = found["official"]["overall_decided"].note
    assert "authors_crash: " in note
    assert said in note
    assert "authors_crash" not in found["recipe"]["overall_decided"].note


def test_a_group_where_nothing_is_decided_has_no_figure():
    found = metrics(items(("general", [ONE]), ("hallucination", [ONE]), ("reasoning", [NONE])), QUICK)
    for scorer in ("recipe", "official"):
        assert found[scorer]["reasoning_decided"].value is None
        assert found[scorer]["macro_decided"].value is None
        assert found[scorer]["macro_all"].value == pytest.approx(2 / 3)


def test_macro_of_partial_data_is_the_mean_of_the_groups_that_are_there():
    found = metrics(items(("general", [ONE]), ("hallucination", [ONE]), ("hallucination", [TWO])), QUICK)
    macro = found["recipe"]["macro_all"]
    assert macro.value == 0.75
    assert "no item of reasoning" in macro.note


def test_repeated_items_make_the_interval_a_cluster_bootstrap():
    rows = []
    for n in range(40):
        rows += rows_of(made_sample(n, "general", cluster=f"c{n // 2}"), [ONE if n % 3 else TWO])
    found = metrics(rows, MetricOptions(resamples=200))["recipe"]["overall_all"]
    assert "cluster bootstrap" in found.interval
    assert found.low < found.value < found.high


def test_no_rows_no_figures():
    assert metrics([], QUICK) == {}
    assert details([])["chance"] == {}


@pytest.mark.parametrize("mode", ["random", "balanced"])
def test_t82_a_judge_that_always_says_answer_1(mode):
    """Nearly all preferred answers are stored first; shown in stored order it would be right."""
    rows, shown_first = [], []
    for n in range(600):
        preferred = int(n % 200 == 0)
        sample = made_sample(n, GROUPS[n % 3], preferred)
        orders = answer_orders(11, sample.key, 5, 2, mode)
        rows += rows_of(sample, [ONE] * 5, orders)
        shown_first.append(sum(order[0] == preferred for order in orders) >= 3)
    found = metrics(rows, QUICK)
    for scorer in SCORERS:
        figures = found[scorer]
        assert figures["overall_all"].value == sum(shown_first) / 600
        assert figures["overall_decided"].value == sum(shown_first) / 600
        assert abs(figures["overall_all"].value - 0.5) < 0.07
        assert figures["position_first_share"].value == 1.0
        assert figures["flip_rate"].value == 1.0
        assert figures["decided_share"].value == 1.0
    fooled = [row for n in range(600) for row in rows_of(made_sample(n, GROUPS[n % 3], int(n % 200 == 0)), [ONE] * 5)]
    assert metrics(fooled, QUICK)["recipe"]["overall_all"].value == 597 / 600


@pytest.mark.parametrize("mode", ["random", "balanced"])
def test_a_perfect_judge_is_always_right_and_never_flips(mode):
    rows = []
    for n in range(90):
        sample = made_sample(n, GROUPS[n % 3], n % 2)
        orders = answer_orders(3, sample.key, 5, 2, mode)
        rows += rows_of(sample, [ONE if order[0] == n % 2 else TWO for order in orders], orders)
    figures = metrics(rows, QUICK)["recipe"]
    wanted = {"overall_all": 1, "macro_decided": 1, "vote_accuracy": 1, "flip_rate": 0, "consistency": 1}
    assert {name: figures[name].value for name in wanted} == wanted


TEXTS = [ONE, TWO, "Overall Judgment: Answer 12 is better", NONE, "Therefore, Answer 2 is slightly better."]


def generated(seed, votes=5, n=120):
    """(records, judgements): plain dictionaries, as the authors' file would hold them."""
    rng = random.Random(seed)
    rows = []
    for number in range(n):
        group = GROUPS[min(rng.randrange(4), 2)]
        ranking = rng.choice([[0, 1], [0, 1], [1, 0]])
        bent = rng.random()
        for _ in range(votes):
            text = rng.choice(TEXTS) if rng.random() < bent else ONE
            rows.append((number, group, ranking, rng.randrange(2), text))
    rng.shuffle(rows)
    return rows


def by_hand(rows, *, official):
    """The figures, computed from the table of section 2.3 and nothing of ours."""
    pattern = re.compile(r"(?:Overall Judgment|Therefore).*Answer (\d+) is (?:slightly )?better")
    votes = {}
    for number, group, ranking, swapped, text in rows:
        found = pattern.search(text)
        named = int(found[1]) if found else None
        rejected = (1 if ranking == [1, 0] else 2) if not swapped else (1 if ranking == [0, 1] else 2)
        vote = "-" if named == rejected else "+"
        if named is None or (named > 2 and not official):
            vote = "?"
        votes.setdefault((number, group), []).append(vote)
    sums = {group: [0, 0, 0] for group in GROUPS}  # right, decided, all
    for (_, group), cast in votes.items():
        sums[group][0] += cast.count("+") * 2 > len(cast)
        sums[group][1] += cast.count("+") * 2 > len(cast) or cast.count("-") * 2 > len(cast)
        sums[group][2] += 1
    figures = {}
    for policy, place in (("decided", 1), ("all", 2)):
        shares = [sums[group][0] / sums[group][place] for group in GROUPS]
        figures |= {f"{group}_{policy}": share for group, share in zip(GROUPS, shares, strict=True)}
        figures[f"macro_{policy}"] = sum(shares) / 3
        figures[f"overall_{policy}"] = sum(s[0] for s in sums.values()) / sum(s[place] for s in sums.values())
    return figures


def scored(rows):
    seen, scored_rows = {}, []
    for place, (number, group, ranking, swapped, text) in enumerate(rows):
        sample = made_sample(number, group, ranking.index(0))
        (row,) = rows_of(sample, [text], [(1, 0) if swapped else (0, 1)], start=place)
        vote = seen[number] = seen.get(number, -1) + 1
        scored_rows.append(ScoredItem(**{name: getattr(row, name) for name in row.__struct_fields__} | {"vote": vote}))
    return scored_rows


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("votes", [1, 4, 5])
def test_equals_separate_arithmetic(seed, votes):
    rows = generated(seed, votes)
    found = metrics(scored(rows), QUICK)
    for scorer in ("recipe", "official"):
        for name, value in by_hand(rows, official=scorer == "official").items():
            assert found[scorer][name].value == pytest.approx(value, abs=1e-12), (scorer, name)


def test_permuting_the_votes_changes_nothing():
    rows = generated(9)
    whole = metrics(scored(rows), QUICK)
    again = rows[:]
    random.Random(5).shuffle(again)
    assert metrics(scored(again), QUICK) == whole
    stored = scored(rows)
    random.Random(6).shuffle(stored)
    assert metrics(stored, QUICK) == whole
    assert details(stored) == details(scored(rows))


def published_loop(rows):
    """The steps of the authors' main() over plain rows: (k, right, decided) for each k."""
    random.seed(1234)
    out = []
    for k in (1, 3, 5, 7, 9):
        data = list(rows)
        for i in range(len(data)):
            j = random.randint(0, len(data) - 1)
            data[i], data[j] = data[j], data[i]
        seen = {}
        for row in data:
            if row is None:
                continue
            number, _, ranking, swapped, text = row
            votes = seen.setdefault(number, [])
            if len(votes) < k:
                found = re.search(r"(?:Overall Judgment|Therefore).*Answer (\d+) is (?:slightly )?better", text)
                rejected = ranking.index(0 if swapped else 1) + 1
                votes.append("?" if not found else "-" if int(found[1]) == rejected else "+")
        right = sum(2 * votes.count("+") > len(votes) for votes in seen.values())
        wrong = sum(2 * votes.count("-") > len(votes) for votes in seen.values())
        out.append((k, right, right + wrong))
    return out


@pytest.mark.parametrize("nulls", [(), (0, 17, 200)], ids=["no null rows", "null rows are shuffled along"])
def test_the_authors_curve_is_reproduced(nulls):
    rows = generated(2, votes=10)
    with_nulls = list(rows)
    for place in nulls:
        with_nulls.insert(place, None)
    kept = scored(rows)
    places = [place for place, row in enumerate(with_nulls) if row is not None]
    moved = [
        ScoredItem(**{name: getattr(row, name) for name in row.__struct_fields__} | {"index": place})
        for row, place in zip(kept, places, strict=True)
    ]
    state = random.getstate()
    try:
        wanted = published_loop(with_nulls)
    finally:
        random.setstate(state)
    points = authors_curve(moved)["points"]
    assert [(p["k"], p["agree"], p["agree"] + p["reject"]) for p in points] == wanted
    assert [p["overall"] for p in points] == [right / decided for _, right, decided in wanted]


def test_details_hold_the_curves_and_each_decision():
    found = details(scored(generated(4)))
    by_k = found["recipe"]["accuracy_by_k"]
    assert [point["k"] for point in by_k] == [1, 2, 3, 4, 5]
    figures = metrics(scored(generated(4)), QUICK)["recipe"]
    assert by_k[0]["all"] == pytest.approx(figures["vote_accuracy"].value)
    assert by_k[4]["all"] == pytest.approx(figures["overall_all"].value)
    assert by_k[4]["decided"] == pytest.approx(figures["overall_decided"].value)
    assert len(found["recipe"]["decisions"]) == 120 == sum(found["recipe"]["counts"].values())
    assert found["chance"]["5"] == 0.5
    json.dumps(found)


def test_the_benchmark_says_what_the_paper_asks_for():
    bench = benchmark("vl-rewardbench")
    assert (bench.votes, bench.answers_shown, bench.headline) == (5, 2, ("recipe", "overall_all"))
    assert (bench.sampling.temperature, bench.sampling.top_p, bench.sampling.max_tokens) == (0.2, 0.2, 2048)
    assert bench.headline[1] in metrics(items(("general", [ONE])), QUICK)[bench.headline[0]]
