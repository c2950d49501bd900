"""The account that a control verb names."""

from typing import TypeVar

from socialgate_sandbox.kit import ActionRequest, ControlError, Thing, World

T = TypeVar("T", bound=Thing)


class OfAccount(ActionRequest, frozen=True, kw_only=True):
    """The input of a verb that needs nothing else. An account is whatever the controls list, or has tokens."""

    account: str


def named(world: World, key: str, what: str, *kinds: type[T]) -> T:
    """Find something of one of these kinds by its id. `what` is how the error calls it."""
    for kind in kinds:
        found = world.store.get(kind, key)
        if found is not None:
            return found
    raise ControlError(f"There is no {what} {key!r}. GET /_control/accounts lists them.")
