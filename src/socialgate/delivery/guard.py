"""Where a hook may point: rules for its URL, and for the addresses behind it.

The rules for the text apply on save and on every attempt. The rule for addresses applies on save as far as the name
resolves, and on every attempt by the policy of the client, for the very address that is connected to.
"""

import asyncio
from collections.abc import Sequence
from functools import lru_cache
from typing import TypeAlias

import msgspec

from socialgate.core.addresses import Address
from socialgate.core.egress import Policy, Resolver, SendFailed, Target, parse_target
from socialgate.core.fault_codes import FaultCode

LONGEST_URL = 2048
LONGEST_HOST = 253
LONGEST_LABEL = 63
RESOLVE_SECONDS = 2.0
_SCHEME = "https://"
_HOST_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_")


class Refusal(msgspec.Struct, frozen=True):
    """Why a URL cannot be a hook's. `code` never changes; `detail` says how to fix it."""

    code: FaultCode
    detail: str


Verdict: TypeAlias = Target | Refusal


@lru_cache(maxsize=4096)
def read_hook_url(url: str) -> Verdict:
    """Apply the rules for the text. What is accepted means the same to a person and to the client."""
    return _refuse_text(url) or _refuse_authority(url) or _read(url)


async def vet_hook_url(url: str, *, resolver: Resolver, policy: Policy, within: float = RESOLVE_SECONDS) -> Verdict:
    """Apply all rules, as on save. A name that does not resolve in time passes: it may not be set up yet."""
    target = read_hook_url(url)
    if isinstance(target, Refusal):
        return target
    for address in await _addresses(target, resolver, within):
        if why := policy(address):
            return _refused_address(why)
    return target


def _refuse_text(url: str) -> Refusal | None:
    if len(url) > LONGEST_URL:
        return Refusal("too_long", f"Use a URL of at most {LONGEST_URL} characters.")
    if " " in url or not url.isprintable():
        # The client's parser silently drops tabs, line ends and outer spaces: "ht\ntps" would pass as https.
        return Refusal("url_has_blanks", "Remove spaces, control characters and invisible characters.")
    if "\\" in url:
        return Refusal("url_has_backslash", "Write / instead of \\: programs disagree about what \\ means.")
    if not url.lower().startswith(_SCHEME):
        return Refusal(
            "url_not_https",
            "Use an absolute URL that starts with https://. To reach your own machine use `socialgate listen`.",
        )
    if "#" in url:
        return Refusal("url_has_fragment", "Remove the # and everything after it: it is never sent.")
    return None


def _refuse_authority(url: str) -> Refusal | None:
    authority = _authority(url)
    if "@" in authority:
        return Refusal(
            "url_has_credentials", ("Remove the user name and password; verify the signature of deliveries instead.")
        )
    if not authority or authority.startswith(":"):
        return Refusal("url_host_missing", "Add a host after https://, such as https://example.com/hook.")
    return None


def _read(url: str) -> Verdict:
    try:
        target = parse_target(url)
    except SendFailed as failure:
        return Refusal("url_malformed", failure.detail)
    if target.url.port == 0:
        return Refusal("url_port_invalid", "Use a port from 1 to 65535, or omit it for 443.")
    return _refuse_host(_written_host(url), target) or target


def _refuse_host(written: str, target: Target) -> Refusal | None:
    if target.host.startswith("["):
        return None
    if not _same_host(written, target.host):
        return Refusal(
            "url_host_ambiguous",
            f"Write the host plainly, as {target.host}: programs disagree about what this spelling means.",
        )
    if target.address is None and not _is_host_name(target.host):
        return Refusal("url_host_invalid", "Use a host name of letters, digits and hyphens between dots.")
    return None


def _same_host(written: str, read: str) -> bool:
    """Compare label by label: the same letters, or an international label and its ASCII form.

    Anything else that the parser turned into the host is a disguise: 0x7f.1, 127%2e0.0.1, or digits and dots from
    another alphabet.
    """
    written_labels, read_labels = written.lower().split("."), read.split(".")
    return len(written_labels) == len(read_labels) and all(
        label == found if label.isascii() else found.startswith("xn--")
        for label, found in zip(written_labels, read_labels, strict=True)
    )


def _is_host_name(host: str) -> bool:
    return len(host) <= LONGEST_HOST and all(
        0 < len(label) <= LONGEST_LABEL and _HOST_CHARACTERS.issuperset(label) for label in host.split(".")
    )


def _authority(url: str) -> str:
    return url[len(_SCHEME) :].split("/", 1)[0].split("?", 1)[0]


def _written_host(url: str) -> str:
    return _authority(url).partition(":")[0]


async def _addresses(target: Target, resolver: Resolver, within: float) -> Sequence[Address]:
    if target.address is not None:
        return [target.address]
    try:
        async with asyncio.timeout(within):
            return await resolver(target.host)
    except (TimeoutError, OSError):
        return []


def _refused_address(why: str) -> Refusal:
    return Refusal(
        "url_address_refused",
        f"Use a host on the public internet: this one is, or resolves to, an address outside of it ({why}). The "
        "operator can allow a private network with SOCIALGATE_HOOK_ALLOW_NETS.",
    )
