"""What a vendor's package gives to the kernel: one `Vendor`. See `kit.py` for how to write one."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from inspect import iscoroutinefunction
from typing import Any, Generic, Literal, TypeAlias, TypeVar

import msgspec
from starlette.responses import Response
from starlette.routing import compile_path

from socialgate.sandbox.call import Call, Refused, Unreadable, reply
from socialgate.sandbox.settings import App
from socialgate.sandbox.showing import Agenda, Catalogs, Chat, Feed, Forms, Numbers, Reviews
from socialgate.sandbox.world import World

Method: TypeAlias = Literal["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"]
_OF_A_PAGE: tuple[Method, Method] = ("GET", "POST")
Handler: TypeAlias = Callable[[Call], Any]
"""Gives a Response, or anything that msgspec writes as JSON, which is then answered with 200.

A plain function runs in one transaction. A coroutine function does not (others run while it waits): it puts what it
writes into `with call.world.store.transaction():`, without an `await` inside.
"""
Invalid: TypeAlias = Callable[[Call, str], Response]
ErrorMaker: TypeAlias = Callable[[Call], Response]
Choices: TypeAlias = Mapping[str, str] | Callable[[World, str], Mapping[str, str]]
"""The values that a field of a verb can have, with the words for people. They may depend on the account."""
R = TypeVar("R", bound=msgspec.Struct)


async def answered(call: Call, handler: Handler, invalid: Invalid) -> Response:
    """Handle a call, or one of several that came together: a refusal undoes what this one wrote, and no more."""
    try:
        if iscoroutinefunction(handler):
            answer = await handler(call)
        else:
            with call.world.store.transaction():
                answer = handler(call)
    except Refused as refused:
        return refused.response
    except Unreadable as error:
        return invalid(call, str(error))
    return answer if isinstance(answer, Response) else reply(answer)


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `GET /_control/accounts`: something of the vendor's that the product can connect."""

    kind: str
    id: str
    name: str
    state: str = "active"
    connected: list[str] = []


class ActionRequest(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Base of what a control verb takes; derive with `frozen=True, kw_only=True`.

    A verb with a field `account` has its form on the pages of accounts, others on the page of the platform.
    """


class Revoke(ActionRequest, frozen=True, kw_only=True):
    """A person takes a permission back on the platform's side. `how` is a word of the vendor's; "" is the usual way."""

    account: str
    how: str = ""


class ControlError(Exception):
    """Raised in an action: the person at the controls asked for something impossible. The text says what to do."""

    def __init__(self, detail: str, status: int = 404) -> None:
        super().__init__(detail)
        self.status = status


@dataclass(frozen=True)
class Action(Generic[R]):
    """A control verb: `POST /_control/<verb>` with the platform and the fields of `takes`.

    `run` gives what is answered as JSON, None for nothing to say. Transactions are as in a `Handler`.

    The rest is for the form that people use. `kinds` are the kinds of accounts that have it, or all if it is empty.
    `choices` lists the values of fields whose type does not. A verb that is not `listed` has no form of its own:
    another page does the same (a chat, a feed), or it only reads.
    """

    title: str
    takes: type[R]
    run: Callable[[World, R], Any]
    kinds: Sequence[str] = ()
    choices: Mapping[str, Choices] = field(default_factory=dict)
    listed: bool = True


@dataclass(frozen=True)
class Route:
    """A path below the vendor's mount, with placeholders: `/bot{token}/{method}`, `/v1/{name}:cancel`, `/f/{rest:path}`

    The first route in the list that fits wins, so name the particular before the general.
    """

    method: Method
    path: str
    handler: Handler

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return compile_path(self.path)[0]

    def match(self, method: str, path: str) -> dict[str, str] | None:
        found = self._pattern.match(path) if method == self.method else None
        return None if found is None else dict(found.groupdict())


def page_routes(handler: Handler, *paths: str) -> list[Route]:
    """Serve a page that is shown and whose form is sent to its own address."""
    return [Route(method, path, handler) for path in paths for method in _OF_A_PAGE]


def no_accounts(_call: Call) -> Sequence[str]:
    return ()


def no_headers(_call: Call) -> Mapping[str, str]:
    return {}


@dataclass(frozen=True, kw_only=True)
class Vendor:
    """A simulated platform, mounted at `/<name>`."""

    name: str
    title: str
    # The product as this vendor knows it, unless the settings say otherwise.
    app: App
    routes: Sequence[Route]
    # The failures that `POST /_control/fail` can order, in their true shape. `rate_limited` must be among them.
    errors: Mapping[str, ErrorMaker]
    # What is answered to an unknown path or method, and to input that cannot be read (the text says why).
    not_found: ErrorMaker
    invalid: Invalid
    # Makes the first people and accounts. Runs at every start and after a reset: it must not make anything twice.
    seed: Callable[[World], None]
    accounts: Callable[[World], Sequence[Account]]
    actions: Mapping[str, Action[Any]] = field(default_factory=dict)
    # How the posts of an account are read, by the kind of the account. Such accounts have a feed page.
    feeds: Mapping[str, Feed] = field(default_factory=dict)
    # How the conversations of an account are read, by its kind. Such accounts have a chat page, whose forms use the
    # verbs of `society.conversations` that stand in `actions`.
    chats: Mapping[str, Chat] = field(default_factory=dict)
    # What the platform counts of an account, by its kind. Such accounts have a page of numbers.
    numbers: Mapping[str, Numbers] = field(default_factory=dict)
    # The lead forms of an account, by its kind. Such accounts have a page on which people fill them in, with the verb
    # `lead` of `society.leads`.
    forms: Mapping[str, Forms] = field(default_factory=dict)
    # What customers think of an account, by its kind. People add a review with the verb `review`.
    reviews: Mapping[str, Reviews] = field(default_factory=dict)
    # The events of an account, by its kind. Guests answer invitations with the verb `respond`.
    calendars: Mapping[str, Agenda] = field(default_factory=dict)
    # The catalogs of an account, by its kind, with the products in them.
    catalogs: Mapping[str, Catalogs] = field(default_factory=dict)
    # The ids of the accounts that the credential of a call stands for; `fail` can be aimed at one of them.
    accounts_of: Callable[[Call], Sequence[str]] = no_accounts
    # Headers that stand on every answer, such as those that tell how much of a limit is used.
    headers: Callable[[Call], Mapping[str, str]] = no_headers
    # Seconds to wait after each failed attempt of a webhook.
    webhook_retries: tuple[float, ...] = (1, 5, 30, 300)

    def __post_init__(self) -> None:
        assert "rate_limited" in self.errors, f"{self.name} does not say how it limits its callers"
