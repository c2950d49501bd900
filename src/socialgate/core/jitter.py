"""Randomness that spreads load. It protects nothing: secrets and ids use the operating system's generator."""

import random

# A separate generator: code that seeds Python's shared one must not make our nodes act in lockstep.
_random = random.Random()  # noqa: S311 - spreads load, guards nothing


def get_random_jitter() -> float:
    """Return a number between -1 and 1: how much earlier or later than planned something happens."""
    return random_between(-1, 1)


def random_between(low: float, high: float) -> float:
    return _random.uniform(low, high)
