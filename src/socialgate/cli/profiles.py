"""Profiles as people name them: by id or name, or not at all if there is only one."""

import click

from socialgate.cli.output import clean
from socialgate_client import Socialgate
from socialgate_client.types import Profile


def find_profile(client: Socialgate, name: str | None) -> Profile:
    profiles = list(client.profiles.list())
    matches = [
        profile for profile in profiles if name is None or name.casefold() in {profile.id, profile.name.casefold()}
    ]
    if len(matches) == 1:
        return matches[0]
    if not matches:
        raise click.UsageError("There is no profile yet." if name is None else f"There is no profile {name!r}.")
    choices = "".join(f"\n  {profile.id}  {clean(profile.name)}" for profile in matches)
    raise click.UsageError(f"There are {len(matches)} profiles. Choose one with --profile:{choices}")
