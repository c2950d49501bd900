"""How requests to customers' URLs leave this deployment: what its settings allow, and the clients."""

from collections.abc import Awaitable
from datetime import timedelta
from typing import Unpack

import msgspec

from socialgate import __version__
from socialgate.areas.media.http_client import MediaHttpClient
from socialgate.core.addresses import NetworkSet
from socialgate.core.egress import (
    EgressClient,
    HttpResponse,
    SystemResolver,
    allow_any_address,
    build_public_address_policy,
    parse_request_url,
)
from socialgate.core.settings import Settings, SettingsError
from socialgate.delivery.hook_rules import DeliveryHookRules
from socialgate.delivery.retry_policy import RetrySchedule
from socialgate.delivery.sender import SendOptions
from socialgate.entry.platforms import SandboxConnection

HOOKS_USER_AGENT = f"Socialgate-Hooks/{__version__}"
MEDIA_USER_AGENT = f"Socialgate-Media/{__version__}"


class HookEgressClient:
    """The guarded client, and a second one that can only reach the sandbox's receiver."""

    def __init__(self, guarded: EgressClient, receiver: EgressClient | None, exempt: frozenset[str]) -> None:
        self._guarded = guarded
        self._receiver = receiver
        self._exempt = exempt

    def send(self, method: str, url: str, **request: Unpack[SendOptions]) -> Awaitable[HttpResponse]:
        """Choose a client. The caller awaits what it sends: a step in between would slow down all of them."""
        if self._receiver is not None and parse_request_url(url).origin in self._exempt:
            return self._receiver.send(method, url, **request)
        return self._guarded.send(method, url, **request)

    def close(self) -> None:
        self._guarded.close()
        if self._receiver is not None:
            self._receiver.close()


class CustomerEgress(msgspec.Struct, frozen=True, kw_only=True):
    """The resolver and the policy are shared by the check on save and by the client that sends."""

    resolver: SystemResolver
    hook_rules: DeliveryHookRules
    hook_client: HookEgressClient
    schedule: RetrySchedule
    # Used to fetch the files of posts.
    media_client: MediaHttpClient

    def close(self) -> None:
        self.hook_client.close()
        self.media_client.close()
        self.resolver.close()


def build_customer_egress(settings: Settings, simulated: SandboxConnection | None = None) -> CustomerEgress:
    policy = build_public_address_policy(parse_networks("HOOK_ALLOW_NETS", settings.hook_allow_nets))
    fetchable = build_public_address_policy(parse_networks("MEDIA_ALLOW_NETS", settings.media_allow_nets))
    resolver = SystemResolver()
    try:
        door = EgressClient(
            policy=policy, resolver=resolver, user_agent=HOOKS_USER_AGENT, extra_ca_file=settings.hook_ca_file
        )
    except (OSError, ValueError) as error:
        raise SettingsError(f"SOCIALGATE_HOOK_CA_FILE: {error}. Use a PEM file with certificates.") from error
    receiver, exempt = None, frozenset[str]()
    if simulated is not None and simulated.ca_file.exists():
        receiver = EgressClient(
            policy=allow_any_address, resolver=resolver, user_agent=HOOKS_USER_AGENT, extra_ca_file=simulated.ca_file
        )
        exempt = frozenset(f"{host}:{simulated.receiver_port}" for host in ("127.0.0.1", "localhost"))
    rules = DeliveryHookRules(resolver, policy, exempt)
    return CustomerEgress(
        resolver=resolver,
        hook_rules=rules,
        hook_client=HookEgressClient(door, receiver, exempt),
        schedule=_parse_retry_schedule(settings.hook_schedule),
        media_client=MediaHttpClient(policy=fetchable, resolver=resolver, user_agent=MEDIA_USER_AGENT),
    )


def parse_networks(name: str, text: str) -> NetworkSet:
    """Read the networks in a setting."""
    try:
        return NetworkSet.parse(part.strip() for part in text.split(",") if part.strip())
    except ValueError as error:
        raise SettingsError(f"SOCIALGATE_{name}: {error}. Use CIDRs such as 10.0.0.0/8.") from error


def _parse_retry_schedule(text: str) -> RetrySchedule:
    try:
        waits = tuple(timedelta(seconds=float(part)) for part in text.split(","))
    except (ValueError, OverflowError):
        waits = ()
    if not waits or min(waits) < timedelta(0):
        raise SettingsError("SOCIALGATE_HOOK_SCHEDULE: must be seconds separated by commas, such as 5,30,120.")
    return waits
