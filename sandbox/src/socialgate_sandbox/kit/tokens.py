"""Tokens: on whose behalf a call is made, until when, and what people do to end that."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Literal, TypeVar

from socialgate_sandbox.kit import Action, ActionRequest, Choices, ControlError, Revoke, Thing, World

PERMISSION = "permission:"


class Token(Thing, kw_only=True):
    """A token of somebody, its parent. It is valid until it expires, or until it is deleted if it never does."""

    scopes: list[str] = []
    expires: datetime | None = None

    @property
    def end(self) -> datetime:
        """When it expires, for tokens that always do."""
        assert self.expires is not None
        return self.expires


T = TypeVar("T", bound=Token)


def issue(world: World, token: T, life: timedelta | None = None) -> T:
    """Store a token that is valid for this long from now on."""
    token.expires = None if life is None else world.clock.now() + life
    return world.store.put(token)


def live(world: World, kind: type[T], key: str | None) -> T | None:
    """Find a valid token."""
    found = world.store.get(kind, key or "")
    return None if found is None or has_expired(world, found) else found


def has_expired(world: World, token: Token) -> bool:
    return token.expires is not None and token.expires <= world.clock.now()


def expire(world: World, tokens: Sequence[Token]) -> int:
    """Let tokens expire now, unless they already have. Returns how many there are."""
    now = world.clock.now()
    for token in tokens:
        token.expires = now if token.expires is None else min(token.expires, now)
        world.store.put(token)
    return len(tokens)


def forget(world: World, owner: str, *kinds: type[Thing]) -> None:
    """Delete everything of these kinds that was issued on behalf of somebody."""
    for kind in kinds:
        world.store.clear(kind, parent=owner)


class Expire(ActionRequest, frozen=True, kw_only=True):
    account: str
    what: Literal["access", "refresh"] = "access"


def expire_action(owner: Callable[[World, str], Thing], access: type[Token], refresh: type[Token]) -> Action[Expire]:
    """Create the verb `expire` of a platform with refresh tokens: access tokens expire, refresh tokens are deleted."""

    def run(world: World, order: Expire) -> dict[str, int]:
        person = owner(world, order.account).id
        count = expire(world, world.store.find(access, parent=person))
        return {"access": count, "refresh": world.store.clear(refresh, parent=person) if order.what == "refresh" else 0}

    return Action("Expire tokens now", Expire, run)


def revoke_action(
    run: Callable[[World, str, str], Any],
    ways: Choices,
    *,
    usual: str | Callable[[World, str], str] = "",
    permissions: bool = False,
    title: str = "Revoke the app's access",
) -> Action[Revoke]:
    """Create the verb `revoke`; `run` gets the account and one of the `ways`, which are the values of `how`.

    `usual` is another name of the usual way, "". With `permissions`, `permission:<scope>` removes a single one.
    """

    def obey(world: World, order: Revoke) -> Any:
        known = ways(world, order.account) if callable(ways) else ways
        name = usual(world, order.account) if callable(usual) else usual
        how = "" if order.how == name else order.how
        if how not in known and not (permissions and how.startswith(PERMISSION)):
            names = [name, *(way for way in known if not way.startswith(PERMISSION))]
            names += [f"{PERMISSION}<scope>"] if permissions else []
            raise ControlError(f"Unknown value for how. Choose one of: {', '.join(filter(None, names))}.", 422)
        return run(world, order.account, how)

    return Action(title, Revoke, obey, choices={"how": ways})


def with_permissions(ways: Mapping[str, str], scopes: Iterable[str]) -> dict[str, str]:
    """Add the removal of each granted permission to the ways in which access can be lost."""
    return {**ways, **{f"{PERMISSION}{scope}": f"Remove the permission {scope}" for scope in scopes}}
