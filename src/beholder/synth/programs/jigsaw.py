"""Jigsaw: a program cuts out the pieces, a second one puts them in order. Visual tools alone cannot compare borders."""

from __future__ import annotations

import re
from collections.abc import Sequence

from beholder.synth.programs.plan import Brought, Case, Step, printed, program

_SIZE = re.compile(r"\b([2-8]) ?[×x] ?\1\b")
CUT = """
n = {n}
pieces = cut(np.asarray(image_1), n)
print(f"{{len(pieces)}} pieces of {{pieces.shape[2]}} x {{pieces.shape[1]}} pixels")
"""
ARRANGE = """
order = arrange(np.asarray(image_1), n)
print("result:", list(order))
# The photograph as it comes out, to see whether it is whole.
rows = [np.hstack([pieces[piece - 1] for piece in order[row * n : row * n + n]]) for row in range(n)]
Image.fromarray(np.vstack(rows)).show()
"""


def next_step(case: Case, brought: Sequence[Brought]) -> Step | None:
    size = _SIZE.search(case.question)
    if not case.python or size is None:
        return None
    if not brought:
        return program("I will cut the picture into its pieces.", CUT.format(n=size[1]), "jigsaw.cut")
    if len(brought) == 1:
        said = "I will put together the pieces whose borders fit best, and look at the result."
        return program(said, ARRANGE, "jigsaw.arrange")
    return None


def answer(case: Case, brought: Sequence[Brought]) -> str | None:
    return printed(brought)
