"""What errors of Meta's products mean if they mean the same; each product adds its own codes.

Numbers with five or more digits come as code or as subcode: both are documented, and they are unique.
"""

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from socialgate.connectors.errors import ErrorRule, ErrorTable
from socialgate.connectors.graph.dialect import UNKNOWN_PATH_CODE
from socialgate.contracts import failures
from socialgate.contracts.platforms import Platform

HOUR_SECONDS = 60 * 60
# Tokens, secrets and proofs are all longer than any word or id in a message.
_SECRET_PATTERN = re.compile(r"[A-Za-z0-9_|\-]{32,}")

GraphErrorCode = int | str


def build_rules(
    word: type[failures.PlatformFailure], detail: str, *codes: GraphErrorCode, **about: Any
) -> dict[str, ErrorRule]:
    """Define what some codes mean, in a row of a table."""
    return dict.fromkeys(map(str, codes), ErrorRule(word, detail, **about))


def build_content_rules(detail: str, field: str, *codes: GraphErrorCode, **about: Any) -> dict[str, ErrorRule]:
    return build_rules(
        failures.PlatformRejectedError, detail, *codes, category="user_content", field=f"/{field}", **about
    )


build_reconnection_rules = partial(build_rules, failures.NeedsReconnectionError)
build_permission_rules = partial(build_rules, failures.PermissionMissingError)
build_not_found_rules = partial(build_rules, failures.PlatformNotFoundError)
build_account_issue_rules = partial(build_rules, failures.PlatformRejectedError, category="account_issue")
build_temporary_rules = partial(build_rules, failures.PlatformUnavailableError, wait=30)
build_rate_limit_rules = partial(build_rules, failures.PlatformRateLimitError, wait=HOUR_SECONDS)


def build_error_table(
    platform: Platform,
    vendor: str,
    account: str,
    invalid: str,
    product_rules: Mapping[str, ErrorRule],
    harmless: frozenset[str],
) -> ErrorTable:
    """Create a table from the shared rules and a product's own. `account` is what limits are counted for."""
    limits = build_rate_limit_rules(
        f"{vendor} has received too many calls for this {account}.", 17, 32, 613, pause_scope="account"
    )
    refused = ErrorRule(failures.PlatformRejectedError, invalid, appends_vendor_message=True)
    shared = {
        **limits,
        **build_rate_limit_rules(f"{vendor} has received too many calls from this app.", 4, pause_scope="app"),
        **build_temporary_rules(f"{vendor} has a problem right now. Try again.", 1, 2),
        "100": refused,
        **build_not_found_rules(f"{vendor} does not know this path.", UNKNOWN_PATH_CODE),
    }
    return ErrorTable(
        platform=platform,
        vendor=vendor,
        rules={**shared, **product_rules},
        status_rules={404: refused},
        no_effect_codes=harmless,
        rate_limited=limits["17"],
        default_rule=refused,
        secret_pattern=_SECRET_PATTERN,
    )
