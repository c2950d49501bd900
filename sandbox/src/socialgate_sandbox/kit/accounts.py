"""The account that a control verb names."""

from typing import TypeVar

from socialgate_sandbox.kit import ActionRequest, ControlError, StoredObject, VendorContext

T = TypeVar("T", bound=StoredObject)


class AccountRequest(ActionRequest, frozen=True, kw_only=True):
    """The input of a verb that needs nothing else. An account is whatever the controls list, or has tokens."""

    account: str


def find_or_raise(context: VendorContext, key: str, noun: str, *types: type[T]) -> T:
    """Find something of one of these kinds by its id. `noun` is how the error calls it."""
    for kind in types:
        item = context.store.get(kind, key)
        if item is not None:
            return item
    raise ControlError(f"There is no {noun} {key!r}. GET /_control/accounts lists them.")
