"""M3R-Bench: is there a metaphor in a picture with its text, of what by what, with which sentiment, and why?

Jiang et al., 2026, arXiv 2608.05817. A model answers y = (m, t, s, e) at once: metaphor yes or no, core target and
source (None without a metaphor), sentiment; and explains it in three stages: evidence, mapping, sentiment.

What the paper states is the task, the stages, the sentiments, and the three criteria that explanations are judged by.
Its formulas, prompts, judge, scale and file schema are not public to us. OUR assumptions, therefore:

- the prompts, in English and Chinese, and the JSON that they ask for (`prompt`); the file schema (`data`);
- when two targets or sources are the same (`slots`), and all figures (`metrics`);
- that a metaphor has both a target and a source, and that a box is a part of the picture (`annotation`);
- the questions of the rubric, their points and weights (`rubric`), and what counts as a mismatch;
- decoding: temperature 0 and 4,096 tokens.

What can be changed in one place stands in `assumptions.json`; `--assumptions FILE` puts another in its place.
"""

from __future__ import annotations

from beholder.benchmarks.benchmark import Benchmark
from beholder.benchmarks.m3r.assumptions import assumptions_of, shipped
from beholder.benchmarks.m3r.data import load, notices
from beholder.benchmarks.m3r.equivalence import equivalence_task
from beholder.benchmarks.m3r.metrics import details_under, metrics_under
from beholder.benchmarks.m3r.prompt import TASKS, TEMPLATE, gold, guess, prompt
from beholder.benchmarks.m3r.results import read_results
from beholder.benchmarks.m3r.rubric import rubric_task
from beholder.benchmarks.m3r.score import scorers_under
from beholder.sample import Sampling

__all__ = ["BENCHMARK", "under"]


def under(text: str) -> Benchmark:
    """The benchmark under a text of assumptions; `UsageError` if it cannot be used."""
    made = assumptions_of(text)
    return Benchmark(
        name="m3r",
        title="M3R-Bench: metaphors in picture and text, with evidence",
        paper="arXiv 2608.05817",
        scorers=scorers_under(made),
        headline=("lenient", "joint"),
        second_headline=("lenient", "right"),
        load=load,
        prompt=prompt,
        template=TEMPLATE,
        metrics=metrics_under(made),
        guess=guess,
        gold=gold,
        read_results=read_results,
        details=details_under(text),
        notices=notices,
        sampling=Sampling(temperature=0.0, max_tokens=4096),
        live_label="items",
        reads_on=True,
        charted=(
            "metaphor_accuracy",
            "metaphor_f1",
            "target_exact",
            "source_exact",
            "slots_exact",
            "sentiment_accuracy",
            "sentiment_macro_f1",
        ),
        other_questions=("rubric", "slots"),
        deciding_packages=("opencc",),
        tasks=TASKS,
        judge_tasks=(rubric_task(made), equivalence_task(made)),
        assumptions=text,
        assume=under,
    )


BENCHMARK = under(shipped())
