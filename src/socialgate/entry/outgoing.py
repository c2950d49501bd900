"""How requests of hooks leave this deployment: what its settings allow, and the door itself."""

from datetime import timedelta

import msgspec

from socialgate import __version__
from socialgate.core.addresses import Nets
from socialgate.core.egress import Door, SystemResolver, public_only
from socialgate.core.settings import Settings, SettingsError
from socialgate.delivery.plan import Schedule
from socialgate.delivery.rules import Rules

USER_AGENT = f"Socialgate-Hooks/{__version__}"


class Outgoing(msgspec.Struct, frozen=True):
    """The resolver and the policy are shared by the check on save and by the door that sends."""

    resolver: SystemResolver
    rules: Rules
    door: Door
    schedule: Schedule

    def close(self) -> None:
        self.door.close()
        self.resolver.close()


def open_outgoing(settings: Settings) -> Outgoing:
    policy = public_only(_nets(settings.hook_allow_nets))
    resolver = SystemResolver()
    try:
        door = Door(policy=policy, resolver=resolver, user_agent=USER_AGENT, extra_roots=settings.hook_ca_file)
    except (OSError, ValueError) as error:
        raise SettingsError(f"SOCIALGATE_HOOK_CA_FILE: {error}. Name a PEM file with certificates.") from error
    return Outgoing(resolver, Rules(resolver, policy), door, _schedule(settings.hook_schedule))


def _nets(text: str) -> Nets:
    try:
        return Nets.parse(part.strip() for part in text.split(",") if part.strip())
    except ValueError as error:
        raise SettingsError(f"SOCIALGATE_HOOK_ALLOW_NETS: {error}. Use CIDRs such as 10.0.0.0/8.") from error


def _schedule(text: str) -> Schedule:
    try:
        waits = tuple(timedelta(seconds=float(part)) for part in text.split(","))
    except (ValueError, OverflowError):
        waits = ()
    if not waits or min(waits) < timedelta(0):
        raise SettingsError("SOCIALGATE_HOOK_SCHEDULE: it must be seconds separated by commas, such as 5,30,120.")
    return waits
