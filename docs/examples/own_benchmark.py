"""A benchmark of one's own: which animal is in the picture, and how many are there?

Run it:  beholder run docs/examples/own_benchmark.py --data pets.jsonl --model openai/NAME --base-url URL

A line of pets.jsonl:

    {"id": "1", "picture": "1.png", "ask": "Which animal is it?", "animals": ["cat", "dog"], "right": "dog"}
"""

from beholder import Item, Sample, own_benchmark


def item(record):
    """A record of the data as an item. A column that is missing (KeyError) is told with its place in the file."""
    return Item(
        id=record["id"],
        question=record["ask"],
        images=[record["picture"]],
        options=record.get("animals", []),
        answer=record["right"],
        category="which" if record.get("animals") else "how many",
    )


def exact(sample: Sample, text: str):
    """Right if the last word is the gold; None (no answer) if nothing was said."""
    words = text.strip(" .\n").split()
    if not words:
        return None
    return words[-1].lower() == str(sample.metadata["answer"]).lower()


def near(sample: Sample, text: str):
    """Partial credit for counts: a miss by one is worth a half."""
    gold, said = sample.metadata["answer"], text.strip(" .\n")
    if isinstance(gold, str) or not said.isdigit():
        return exact(sample, text)
    return {0: 1.0, 1: 0.5}.get(abs(int(said) - gold), 0.0)


PETS = own_benchmark(
    name="pets",
    title="Pets: which and how many",
    item=item,
    template="<image>{question}\n{options}\nAnswer with one word or number.",
    scorers={"exact": exact, "near": near},
    gold=lambda sample: str(sample.metadata["answer"]),
    guess=lambda sample, rng: rng.choice(sample.options or ("1", "2", "3")),
)
