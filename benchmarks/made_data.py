"""Data for the measurements: pictures, statements, and answers that need no model."""

from __future__ import annotations

import io
import json
import random
from pathlib import Path
from typing import Any


def make_images(folder: Path, number: int, target_bytes: int = 164_000) -> None:
    """`number` different JPEGs of 1024×768; 164 kB each makes a request body of 219 kB."""
    import numpy as np
    from PIL import Image

    folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    noise = rng.integers(0, 256, (768, 1024, 3), dtype=np.uint8)
    smooth = np.asarray(Image.fromarray(noise).resize((256, 192)).resize((1024, 768)), dtype=np.uint8)
    picture = Image.fromarray(smooth)
    low, high = 20, 95
    while high - low > 1:  # the quality whose size is just below the target
        middle = (low + high) // 2
        low, high = (middle, high) if len(_jpeg(picture, middle)) < target_bytes else (low, middle)
    base = _jpeg(picture, low)
    padded = base[:2] + _comment(b"\0" * max(0, target_bytes - len(base) - 16)) + base[2:]
    for index in range(number):
        data = padded[:2] + _comment(b"%012d" % index) + padded[2:]
        (folder / f"{index:06d}.jpg").write_bytes(data)


def _jpeg(picture: object, quality: int) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=quality)  # type: ignore[attr-defined]
    return buffer.getvalue()


def _comment(data: bytes) -> bytes:
    """JPEG comment segments, each at most 60 kB."""
    pieces = [data[start : start + 60_000] for start in range(0, len(data), 60_000)]
    return b"".join(b"\xff\xfe" + (len(piece) + 2).to_bytes(2, "big") + piece for piece in pieces)


def write_tfq(folder: Path, number: int, image: str) -> Path:
    """A TFQ-Bench data file of `number` statements; `image` names each one's picture (`{index}` is replaced)."""
    file = folder / "tfq.jsonl"
    with file.open("w") as sink:
        for index in range(number):
            record = {
                "images": [image.format(index=index)],
                "problem": f"<image>Statement {index}: the umbrella stands for the shelter that the speaker misses.",
                "answer": "TF"[index % 2],
            }
            sink.write(json.dumps(record) + "\n")
    return file


_WORDS = [
    "the",
    "image",
    "shows",
    "a",
    "man",
    "under",
    "an",
    "umbrella",
    "which",
    "suggests",
    "shelter",
    "while",
    "rain",
    "falls",
    "on",
    "a",
    "crowd",
    "of",
    "strangers",
]


def _talk(rng: random.Random, words: int) -> str:
    return " ".join(rng.choice(_WORDS) for _ in range(words))


def write_tfq_answers(folder: Path) -> Path:
    """14,099 answers of about 1 kB in the TFQ authors' format: most in the asked format, some not."""
    rng = random.Random(0)
    forms = ["<think>{}</think>\n<answer>{}</answer>"] * 17 + [
        "{}\nAnswer: {}",
        "<think>{}</think> It is **{}**.",
        "{} {}.",
    ]
    rows = [
        {
            "Model_Output": rng.choice(forms).format(_talk(rng, 170), rng.choice("TF")),
            "Ground_Truth": rng.choice("TF"),
            "Question_ID": index,
            "Question": "The umbrella suggests shelter.",
            "Image_URL": f"image-{index // 10}",
        }
        for index in range(14_099)
    ]
    file = folder / "tfq_answers.json"
    file.write_text(json.dumps(rows))
    return file


def write_votes(folder: Path) -> Path:
    """1,250 items with five votes of about 2 kB each, in the VL-RewardBench authors' format."""
    rng = random.Random(0)
    forms = ["{}\n\nOverall Judgment: Answer {} is better."] * 8 + [
        "{}\n**Overall Judgment:** Answer {} is better.",
        "{} Answer {}",
    ]
    ids = ["wildvision-battle-{}"] * 183 + ["RLAIF-V-{}"] * 749 + ["mathverse_{}"] * 318
    file = folder / "votes.jsonl"
    with file.open("w") as sink:
        for index, name in enumerate(ids):
            for _ in range(5):
                meta = {
                    "filter_choice": rng.choice(forms).format(_talk(rng, 350), rng.choice("12")),
                    "random_number": rng.randrange(2),
                }
                record = {"id": name.format(index), "query": "What is shown?", "response": [f"a{index}", f"b{index}"]}
                sink.write(json.dumps(record | {"ranking": [0, 1], "meta": meta}) + "\n")
    return file


def tfq_plan(data: Path) -> Any:
    """The plan of one run of TFQ-Bench over that data, at temperature 0."""
    from beholder.benchmarks import benchmark
    from beholder.engine.plan import make_plan
    from beholder.engine.selection import Selection
    from beholder.sample import Sampling

    return make_plan(
        benchmark("tfq"),
        data,
        images=None,
        categories=None,
        template=None,
        sampling=Sampling(temperature=0.0, max_tokens=512),
        votes=None,
        epochs=1,
        order="random",
        seed=0,
        selection=Selection(),
    )
