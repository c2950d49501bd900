"""Pairs as on the command lines of HTTP clients: `name=text` and `name:=json`."""

import json
from typing import Any

import click


def read_pair(text: str) -> tuple[str, Any]:
    """Read `name=text`, or `name:=json` for anything that is not a text."""
    name, equals, value = text.partition("=")
    if not equals or not name.rstrip(":"):
        raise click.UsageError(f"{text!r} has no value. Write NAME=TEXT, or NAME:=JSON for numbers, lists and objects.")
    if not name.endswith(":"):
        return name, value
    try:
        return name.removesuffix(":"), json.loads(value)
    except ValueError as error:
        raise click.UsageError(f"{text!r}: what follows := is not JSON ({error}).") from None
