"""Classical solvers, one file a family: they see the pictures' pixels and the question, nothing else.

Each has `solve(pictures, prompt)`, which answers an item in the form that its question asks for and raises `GaveUp` if
it finds nothing to go by. They import neither the item makers nor the photographs (a test checks it), so nothing but
the picture can tell them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
"""RGB pixels, (height, width, 3)."""


class GaveUp(ValueError):
    """A solver found nothing in the picture to go by."""
