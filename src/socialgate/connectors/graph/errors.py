"""What errors of Meta's products mean if they mean the same; each product adds its own codes.

Numbers with five or more digits come as code or as subcode: both are documented, and they are unique.
"""

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from socialgate.connectors.errors import ErrorTable, Rule
from socialgate.connectors.graph.dialect import NO_ADDRESS
from socialgate.contracts import failures
from socialgate.contracts.platforms import Platform

HOUR = 60 * 60
# Tokens, secrets and proofs are all longer than any word or id in a message.
_TOKENS = re.compile(r"[A-Za-z0-9_|\-]{32,}")

Code = int | str


def rules(word: type[failures.PlatformFailure], why: str, *codes: Code, **about: Any) -> dict[str, Rule]:
    """Define what some codes mean, in a row of a table."""
    return dict.fromkeys(map(str, codes), Rule(word, why, **about))


def content(why: str, field: str, *codes: Code, **about: Any) -> dict[str, Rule]:
    return rules(failures.Rejected, why, *codes, category="user_content", field=f"/{field}", **about)


dead = partial(rules, failures.NeedsReconnection)
forbidden = partial(rules, failures.PermissionMissing)
missing = partial(rules, failures.PlatformNotFound)
blocked = partial(rules, failures.Rejected, category="account_issue")
passing = partial(rules, failures.TemporarilyUnavailable, wait=30)
full = partial(rules, failures.PlatformRateLimited, wait=HOUR)


def table(
    platform: Platform, vendor: str, account: str, invalid: str, own: Mapping[str, Rule], harmless: frozenset[str]
) -> ErrorTable:
    """Create a table from the shared rules and a product's own. `account` is what limits are counted for."""
    limits = full(f"{vendor} has received too many calls for this {account}.", 17, 32, 613, pauses="account")
    refused = Rule(failures.Rejected, invalid, quotes=True)
    shared = {
        **limits,
        **full(f"{vendor} has received too many calls from this app.", 4, pauses="app"),
        **passing(f"{vendor} has a problem right now. Try again.", 1, 2),
        "100": refused,
        **missing(f"{vendor} does not know this path.", NO_ADDRESS),
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
