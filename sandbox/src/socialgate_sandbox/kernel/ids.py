"""Identifiers and tokens that look like a vendor's."""

import secrets
import string

_TEXT = string.ascii_letters + string.digits


def digits(length: int) -> str:
    """Generate a number with this many digits that does not start with 0, as a string."""
    return str(secrets.randbelow(9 * 10 ** (length - 1)) + 10 ** (length - 1))


def text(length: int) -> str:
    """Generate a random string of letters and digits."""
    return "".join(secrets.choice(_TEXT) for _ in range(length))


def hexadecimal(length: int) -> str:
    return secrets.token_hex((length + 1) // 2)[:length]
