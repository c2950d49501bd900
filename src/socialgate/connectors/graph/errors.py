"""What the failures of Meta's products mean where they mean the same; each adds the codes of its own.

Numbers from five digits on come as code or as subcode: sources have both, and they are unique.
"""

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from socialgate.connectors.dialects.graph import NO_ADDRESS
from socialgate.connectors.errors import ErrorTable, Rule
from socialgate.contracts import failures
from socialgate.contracts.platforms import Platform

HOUR = 60 * 60
# Tokens, secrets and proofs are all longer than any word or id that a message needs.
_TOKENS = re.compile(r"[A-Za-z0-9_|\-]{32,}")

Code = int | str


def rules(word: type[failures.PlatformFailure], why: str, *codes: Code, **about: Any) -> dict[str, Rule]:
    """Say what some codes mean, in a row of a table."""
    return dict.fromkeys(map(str, codes), Rule(word, why, **about))


def content(why: str, field: str, *codes: Code) -> dict[str, Rule]:
    return rules(failures.Rejected, why, *codes, category="user_content", field=field)


dead = partial(rules, failures.NeedsReconnection)
forbidden = partial(rules, failures.PermissionMissing)
missing = partial(rules, failures.PlatformNotFound)
blocked = partial(rules, failures.Rejected, category="account_issue")
passing = partial(rules, failures.TemporarilyUnavailable, wait=30)
full = partial(rules, failures.PlatformRateLimited, wait=HOUR)


def table(
    platform: Platform, vendor: str, account: str, invalid: str, own: Mapping[str, Rule], harmless: frozenset[str]
) -> ErrorTable:
    """Make a table of the rules that all share and of one's own. `account` is what limits are counted for."""
    limits = full(f"{vendor} has had too many calls for this {account}.", 17, 32, 613, pauses="account")
    refused = Rule(failures.Rejected, invalid)
    shared = {
        **limits,
        **full(f"{vendor} has had too many calls from this app.", 4, pauses="app"),
        **passing(f"{vendor} has a problem at the moment. Try again.", 1, 2),
        "100": refused,
        **missing(f"{vendor} does not know this address.", NO_ADDRESS),
    }
    return ErrorTable(
        platform=platform,
        vendor=vendor,
        rules={**shared, **own},
        statuses={404: refused},
        harmless=harmless,
        limited=limits["17"],
        refused=refused,
        tokens=_TOKENS,
    )
