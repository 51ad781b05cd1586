"""`embedding/FOLDER`: how similar target and source are to the gold's, by static word vectors from a local folder.

The folder holds a model2vec model (`StaticModel.save_pretrained`); nothing is downloaded. The similarity is the cosine
of the two vectors, 0..1 (below 0 counts as 0). It says how near two wordings are, not whether they mean the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import msgspec

from beholder.benchmarks.m3r.assumptions import assumptions_of, shipped
from beholder.benchmarks.m3r.equivalence import said_slots
from beholder.benchmarks.m3r.slots import same
from beholder.errors import UsageError
from beholder.sample import Response, Sample

_MISSING = "The judge embedding needs model2vec. Install it: pip install 'beholder[embeddings]'"


def make(rest: str, assumptions: str = "") -> Callable[[Sample, Response], str]:
    """The judge that uses the model in the folder `rest`. `UsageError` without model2vec, or a model there.

    Slots that are the same by the rules of a text of assumptions ("": ours) are wholly similar.
    """
    if not rest:
        raise UsageError("The judge embedding is incomplete. Write embedding/FOLDER, with a folder of model2vec.")
    rules, folder = assumptions_of(assumptions or shipped()).slots, Path(rest)
    if not (folder / "config.json").is_file():
        raise UsageError(f"{folder} holds no model of model2vec (no config.json). Check the path after embedding/.")
    try:
        from model2vec import StaticModel
    except ImportError:
        raise UsageError(_MISSING) from None
    try:
        model = StaticModel.from_pretrained(folder)
    except Exception as error:  # whatever its readers of three formats raise, it is about the user's folder
        raise UsageError(f"{folder} cannot be read as a model of model2vec ({error}).") from error

    def similarity(gold: str, said: str) -> float:
        if same(gold, said, rules):
            return 1.0
        a, b = (vector.astype("float64").tolist() for vector in model.encode([gold, said]))
        lengths = math.hypot(*a) * math.hypot(*b)
        product = math.fsum(x * y for x, y in zip(a, b, strict=True))
        return min(1.0, max(0.0, product / lengths)) if lengths else 0.0  # a vector of zeros: no word is known

    def judge(sample: Sample, response: Response) -> str:
        pairs = said_slots(sample, response, rules)
        found = {slot: {"similarity": round(similarity(*pair), 6)} for slot, pair in pairs.items()}
        return msgspec.json.encode(found).decode()

    return judge
