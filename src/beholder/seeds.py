"""Named randomness: every random choice derives from (run seed, sample key, vote, purpose).

So concurrency, order and restarts never change a result, and any single choice can be made again alone.
"""

from __future__ import annotations

import random

from beholder.sample import content_digest


def seed_for(run_seed: int, *names: str | int) -> int:
    """A 64-bit seed for one named choice.

    >>> seed_for(7, "sample", 0, "order") == seed_for(7, "sample", 0, "order")
    True
    >>> seed_for(7, "sample", 0, "order") == seed_for(7, "sample", 1, "order")
    False
    """
    return int.from_bytes(content_digest((run_seed, *names))[:8], "big")


def rng_for(run_seed: int, *names: str | int) -> random.Random:
    """A private random generator for one named choice."""
    return random.Random(seed_for(run_seed, *names))
