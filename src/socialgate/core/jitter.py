"""Randomness that spreads load. It guards nothing: secrets and ids are made of what the operating system gives."""

import random

# Our own generator: whoever seeds the one that all Python code shares does not make our nodes act in step.
_random = random.Random()  # noqa: S311 - spreads load, guards nothing


def jitter() -> float:
    """Give a number between -1 and 1: how much earlier or later something happens than planned."""
    return between(-1, 1)


def between(low: float, high: float) -> float:
    return _random.uniform(low, high)
