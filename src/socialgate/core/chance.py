"""Chance that spreads load. It guards nothing: secrets and ids are made of what the operating system gives."""

import random

# Our own generator: whoever seeds the one that all Python code shares does not make our nodes act in step.
chance = random.Random()  # noqa: S311 - spreads load, guards nothing
