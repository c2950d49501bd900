"""Tokens: on whose behalf a call is made, until when, and what people do to end that."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Literal, TypeVar

import msgspec

from socialgate_sandbox.kit import (
    Action,
    ActionRequest,
    ControlError,
    FieldChoices,
    RevokeRequest,
    StoredObject,
    VendorContext,
)

PERMISSION_PREFIX = "permission:"


class Token(StoredObject, kw_only=True):
    """A token of somebody, its parent. It is valid until it expires, or until it is deleted if it never does."""

    scopes: list[str] = []
    expires: datetime | None = None

    @property
    def end(self) -> datetime:
        """When it expires, for tokens that always do."""
        assert self.expires is not None
        return self.expires


T = TypeVar("T", bound=Token)


def store_token(context: VendorContext, token: T, lifetime: timedelta | None = None) -> T:
    """Store a token that is valid for this long from now on."""
    token.expires = None if lifetime is None else context.clock.now() + lifetime
    return context.store.put(token)


def find_valid_token(context: VendorContext, kind: type[T], key: str | None) -> T | None:
    """Find a valid token."""
    item = context.store.get(kind, key or "")
    return None if item is None or has_expired(context, item) else item


def has_expired(context: VendorContext, token: Token) -> bool:
    return token.expires is not None and token.expires <= context.clock.now()


def expire_tokens(context: VendorContext, tokens: Sequence[Token]) -> int:
    """Let tokens expire now, unless they already have. Returns how many there are."""
    now = context.clock.now()
    for token in tokens:
        token.expires = now if token.expires is None else min(token.expires, now)
        context.store.put(token)
    return len(tokens)


def delete_issued(context: VendorContext, find_owner: str, *kinds: type[StoredObject]) -> None:
    """Delete everything of these kinds that was issued on behalf of somebody."""
    for kind in kinds:
        context.store.delete_all(kind, parent=find_owner)


class ExpireRequest(ActionRequest, frozen=True, kw_only=True):
    account: str
    token_type: Literal["access", "refresh"] = msgspec.field(default="access", name="what")


def build_expire_action(
    find_owner: Callable[[VendorContext, str], StoredObject], access: type[Token], refresh: type[Token]
) -> Action[ExpireRequest]:
    """Create the verb `expire` of a platform with refresh tokens: access tokens expire, refresh tokens are
    deleted.
    """

    def run(context: VendorContext, order: ExpireRequest) -> dict[str, int]:
        person = find_owner(context, order.account).id
        count = expire_tokens(context, context.store.find(access, parent=person))
        return {
            "access": count,
            "refresh": context.store.delete_all(refresh, parent=person) if order.token_type == "refresh" else 0,
        }

    return Action("Expire tokens now", ExpireRequest, run)


def build_revoke_action(
    run: Callable[[VendorContext, str, str], Any],
    revocation_choices: FieldChoices,
    *,
    default_choice: str | Callable[[VendorContext, str], str] = "",
    permissions: bool = False,
    title: str = "Revoke the app's access",
) -> Action[RevokeRequest]:
    """Create the verb `revoke`; `run` gets the account and one of the `revocation_choices`, which are the values of
    `how`.

    `default_choice` is another name of the usual way, "". With `permissions`, `permission:<scope>` removes a single
    one.
    """

    def obey(context: VendorContext, order: RevokeRequest) -> Any:
        known = revocation_choices(context, order.account) if callable(revocation_choices) else revocation_choices
        name = default_choice(context, order.account) if callable(default_choice) else default_choice
        value = "" if order.how == name else order.how
        if value not in known and not (permissions and value.startswith(PERMISSION_PREFIX)):
            names = [name, *(way for way in known if not way.startswith(PERMISSION_PREFIX))]
            names += [f"{PERMISSION_PREFIX}<scope>"] if permissions else []
            raise ControlError(f"Unknown value for how. Choose one of: {', '.join(filter(None, names))}.", 422)
        return run(context, order.account, value)

    return Action(title, RevokeRequest, obey, field_choices={"how": revocation_choices})


def add_permission_removals(revocation_choices: Mapping[str, str], scopes: Iterable[str]) -> dict[str, str]:
    """Add the removal of each granted permission to the ways in which access can be lost."""
    return {
        **revocation_choices,
        **{f"{PERMISSION_PREFIX}{scope}": f"Remove the permission {scope}" for scope in scopes},
    }
