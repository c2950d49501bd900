"""Identifiers and tokens that look like a vendor's."""

import secrets
import string

_TEXT = string.ascii_letters + string.digits


def digits(length: int) -> str:
    """Make a number of so many digits that does not begin with 0, as text."""
    return str(secrets.randbelow(9 * 10 ** (length - 1)) + 10 ** (length - 1))


def text(length: int) -> str:
    """Make a random text of letters and digits."""
    return "".join(secrets.choice(_TEXT) for _ in range(length))


def hexadecimal(length: int) -> str:
    return secrets.token_hex((length + 1) // 2)[:length]
