"""A model of one's own: it says what the middle of the picture looks like, and counts nothing.

Run it:  beholder run docs/examples/own_benchmark.py --data pets.jsonl --model docs/examples/own_model.py:Glance
"""

from beholder import Question


class Glance:
    """Called as `own_model.py:Glance`, or `own_model.py:Glance/cat` with what follows the slash."""

    def __init__(self, favourite: str = "dog") -> None:
        self.favourite = favourite

    def answer(self, question: Question) -> str:
        picture = question.pictures()[0]  # a PIL image, upright, RGB; question.images has the published bytes
        red, _, blue = picture.getpixel((picture.width // 2, picture.height // 2))
        if "How many" in question.text:
            return "1"
        return "cat" if red > blue else self.favourite
