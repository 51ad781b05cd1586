"""VL-RewardBench (arXiv 2411.17451): is a vision-language model a good judge of two answers?

The judge sees an image, a question and two answers, and says which answer is better; people have said it
before. It is asked K = 5 times with the answers in random order (temperature 0.2, top_p 0.2); the
majority of the votes is its verdict (paper, section 3). Headline: the share of all
1,250 items on which the majority prefers the answer that people prefer.

Where we depart from the authors: the wording of the prompt and the image before the text (`prompt`),
verdicts are read in four ways (`score`), items without a majority stay in the headline's denominator
(`metrics`).
"""

from __future__ import annotations

from beholder.benchmarks.benchmark import Benchmark
from beholder.benchmarks.vl_rewardbench.data import NAME, load, notices
from beholder.benchmarks.vl_rewardbench.metrics import details, metrics
from beholder.benchmarks.vl_rewardbench.prompt import TEMPLATE, gold, guess, prompt
from beholder.benchmarks.vl_rewardbench.results import read_results
from beholder.benchmarks.vl_rewardbench.score import SCORERS
from beholder.sample import Sampling

BENCHMARK = Benchmark(
    name=NAME,
    title="VL-RewardBench: the model as a judge of two answers, K votes with shuffled order",
    paper="arXiv 2411.17451",
    scorers=SCORERS,
    headline=("recipe", "overall_all"),
    load=load,
    prompt=prompt,
    template=TEMPLATE,
    metrics=metrics,
    guess=guess,
    gold=gold,
    read_results=read_results,
    details=details,
    notices=notices,
    sampling=Sampling(temperature=0.2, top_p=0.2, max_tokens=2048),
    votes=5,
    answers_shown=2,
    live_label="votes",
)
