"""How requests to customers' URLs leave this deployment: what its settings allow, and the clients."""

from collections.abc import Awaitable
from datetime import timedelta
from typing import Unpack

import msgspec

from socialgate import __version__
from socialgate.areas.media.door import MediaDoor
from socialgate.core.addresses import Nets
from socialgate.core.egress import Answer, Door, SystemResolver, parse_target, public_only, trusted
from socialgate.core.settings import Settings, SettingsError
from socialgate.delivery.plan import Schedule
from socialgate.delivery.rules import Rules
from socialgate.delivery.send import Sent
from socialgate.entry.platforms import Simulated

USER_AGENT = f"Socialgate-Hooks/{__version__}"
MEDIA_AGENT = f"Socialgate-Media/{__version__}"


class HookDoor:
    """The guarded client, and a second one that can only reach the sandbox's receiver."""

    def __init__(self, guarded: Door, receiver: Door | None, exempt: frozenset[str]) -> None:
        self._guarded = guarded
        self._receiver = receiver
        self._exempt = exempt

    def send(self, method: str, url: str, **request: Unpack[Sent]) -> Awaitable[Answer]:
        """Choose a client. The caller awaits what it sends: a step in between would slow down all of them."""
        if self._receiver is not None and parse_target(url).origin in self._exempt:
            return self._receiver.send(method, url, **request)
        return self._guarded.send(method, url, **request)

    def close(self) -> None:
        self._guarded.close()
        if self._receiver is not None:
            self._receiver.close()


class Outgoing(msgspec.Struct, frozen=True, kw_only=True):
    """The resolver and the policy are shared by the check on save and by the client that sends."""

    resolver: SystemResolver
    rules: Rules
    door: HookDoor
    schedule: Schedule
    # Used to fetch the files of posts.
    fetching: MediaDoor

    def close(self) -> None:
        self.door.close()
        self.fetching.close()
        self.resolver.close()


def open_outgoing(settings: Settings, simulated: Simulated | None = None) -> Outgoing:
    policy = public_only(nets_of("HOOK_ALLOW_NETS", settings.hook_allow_nets))
    fetchable = public_only(nets_of("MEDIA_ALLOW_NETS", settings.media_allow_nets))
    resolver = SystemResolver()
    try:
        door = Door(policy=policy, resolver=resolver, user_agent=USER_AGENT, extra_roots=settings.hook_ca_file)
    except (OSError, ValueError) as error:
        raise SettingsError(f"SOCIALGATE_HOOK_CA_FILE: {error}. Use a PEM file with certificates.") from error
    receiver, exempt = None, frozenset[str]()
    if simulated is not None and simulated.ca_file.exists():
        receiver = Door(policy=trusted, resolver=resolver, user_agent=USER_AGENT, extra_roots=simulated.ca_file)
        exempt = frozenset(f"{host}:{simulated.receiver_port}" for host in ("127.0.0.1", "localhost"))
    rules = Rules(resolver, policy, exempt)
    return Outgoing(
        resolver=resolver,
        rules=rules,
        door=HookDoor(door, receiver, exempt),
        schedule=_schedule(settings.hook_schedule),
        fetching=MediaDoor(policy=fetchable, resolver=resolver, user_agent=MEDIA_AGENT),
    )


def nets_of(name: str, text: str) -> Nets:
    """Read the networks in a setting."""
    try:
        return Nets.parse(part.strip() for part in text.split(",") if part.strip())
    except ValueError as error:
        raise SettingsError(f"SOCIALGATE_{name}: {error}. Use CIDRs such as 10.0.0.0/8.") from error


def _schedule(text: str) -> Schedule:
    try:
        waits = tuple(timedelta(seconds=float(part)) for part in text.split(","))
    except (ValueError, OverflowError):
        waits = ()
    if not waits or min(waits) < timedelta(0):
        raise SettingsError("SOCIALGATE_HOOK_SCHEDULE: must be seconds separated by commas, such as 5,30,120.")
    return waits
