"""Where a hook may point: rules for its URL, and for the addresses behind it.

The rules for the text apply on save and on every attempt. The rule for addresses applies on save as far as the name
resolves, and on every attempt by the policy of the client, for the very address that is connected to.
"""

import asyncio
from collections.abc import Sequence
from functools import lru_cache
from typing import TypeAlias

import msgspec

from socialgate.core.addresses import IpAddress
from socialgate.core.egress import AddressPolicy, ParsedUrl, Resolver, SendError, parse_request_url
from socialgate.core.field_error_codes import FieldErrorCode

MAX_URL_LENGTH = 2048
MAX_HOST_LENGTH = 253
MAX_DNS_LABEL_LENGTH = 63
RESOLVE_TIMEOUT_SECONDS = 2.0
_REQUIRED_SCHEME = "https://"
_HOST_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_")


class UrlRefusal(msgspec.Struct, frozen=True):
    """Why a URL cannot be a hook's. `code` never changes; `detail` says how to fix it."""

    code: FieldErrorCode
    detail: str


UrlCheck: TypeAlias = ParsedUrl | UrlRefusal


@lru_cache(maxsize=4096)
def check_url_text(url: str) -> UrlCheck:
    """Apply the rules for the text. What is accepted means the same to a person and to the client."""
    return _check_text(url) or _check_authority(url) or _parse_and_check(url)


async def validate_hook_url(
    url: str, *, resolver: Resolver, policy: AddressPolicy, within: float = RESOLVE_TIMEOUT_SECONDS
) -> UrlCheck:
    """Apply all rules, as on save. A name that does not resolve in time passes: it may not be set up yet."""
    target = check_url_text(url)
    if isinstance(target, UrlRefusal):
        return target
    for address in await _resolve_addresses(target, resolver, within):
        if why := policy(address):
            return _build_address_refusal(why)
    return target


def _check_text(url: str) -> UrlRefusal | None:
    if len(url) > MAX_URL_LENGTH:
        return UrlRefusal("too_long", f"Use a URL of at most {MAX_URL_LENGTH} characters.")
    if " " in url or not url.isprintable():
        # The client's parser silently drops tabs, line ends and outer spaces: "ht\ntps" would pass as https.
        return UrlRefusal("url_has_blanks", "Remove spaces, control characters and invisible characters.")
    if "\\" in url:
        return UrlRefusal("url_has_backslash", "Write / instead of \\: programs disagree about what \\ means.")
    if not url.lower().startswith(_REQUIRED_SCHEME):
        return UrlRefusal(
            "url_not_https",
            "Use an absolute URL that starts with https://. To reach your own machine use `socialgate listen`.",
        )
    if "#" in url:
        return UrlRefusal("url_has_fragment", "Remove the # and everything after it: it is never sent.")
    return None


def _check_authority(url: str) -> UrlRefusal | None:
    authority = _get_authority(url)
    if "@" in authority:
        return UrlRefusal(
            "url_has_credentials", ("Remove the user name and password; verify the signature of deliveries instead.")
        )
    if not authority or authority.startswith(":"):
        return UrlRefusal("url_host_missing", "Add a host after https://, such as https://example.com/hook.")
    return None


def _parse_and_check(url: str) -> UrlCheck:
    try:
        target = parse_request_url(url)
    except SendError as failure:
        return UrlRefusal("url_malformed", failure.detail)
    if target.url.port == 0:
        return UrlRefusal("url_port_invalid", "Use a port from 1 to 65535, or omit it for 443.")
    return _check_host(_written_host(url), target) or target


def _check_host(written: str, target: ParsedUrl) -> UrlRefusal | None:
    if target.host.startswith("["):
        return None
    if not _is_same_host(written, target.host):
        return UrlRefusal(
            "url_host_ambiguous",
            f"Write the host plainly, as {target.host}: programs disagree about what this spelling means.",
        )
    if target.address is None and not _is_host_name(target.host):
        return UrlRefusal("url_host_invalid", "Use a host name of letters, digits and hyphens between dots.")
    return None


def _is_same_host(written: str, read: str) -> bool:
    """Compare label by label: the same letters, or an international label and its ASCII form.

    Anything else that the parser turned into the host is a disguise: 0x7f.1, 127%2e0.0.1, or digits and dots from
    another alphabet.
    """
    written_labels, read_labels = written.lower().split("."), read.split(".")
    return len(written_labels) == len(read_labels) and all(
        label == result if label.isascii() else result.startswith("xn--")
        for label, result in zip(written_labels, read_labels, strict=True)
    )


def _is_host_name(host: str) -> bool:
    return len(host) <= MAX_HOST_LENGTH and all(
        0 < len(label) <= MAX_DNS_LABEL_LENGTH and _HOST_CHARACTERS.issuperset(label) for label in host.split(".")
    )


def _get_authority(url: str) -> str:
    return url[len(_REQUIRED_SCHEME) :].split("/", 1)[0].split("?", 1)[0]


def _written_host(url: str) -> str:
    return _get_authority(url).partition(":")[0]


async def _resolve_addresses(target: ParsedUrl, resolver: Resolver, within: float) -> Sequence[IpAddress]:
    if target.address is not None:
        return [target.address]
    try:
        async with asyncio.timeout(within):
            return await resolver(target.host)
    except (TimeoutError, OSError):
        return []


def _build_address_refusal(why: str) -> UrlRefusal:
    return UrlRefusal(
        "url_address_refused",
        f"Use a host on the public internet: this one is, or resolves to, an address outside of it ({why}). The "
        "operator can allow a private network with SOCIALGATE_HOOK_ALLOW_NETS.",
    )
