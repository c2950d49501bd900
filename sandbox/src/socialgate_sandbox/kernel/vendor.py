"""What a vendor's package provides to the kernel: one `Vendor`. See `kit` for how to write one."""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from inspect import iscoroutinefunction
from typing import Any, Generic, Literal, TypeAlias, TypeVar

import msgspec
from starlette.responses import Response
from starlette.routing import compile_path

from socialgate_sandbox.kernel.account_views import (
    AdReader,
    CalendarReader,
    CatalogReader,
    ChatReader,
    FeedReader,
    FormReader,
    MetricsReader,
    ReviewReader,
)
from socialgate_sandbox.kernel.call import Call, CallRefusedError, UnreadableInputError, build_json_response
from socialgate_sandbox.kernel.settings import AppRegistration
from socialgate_sandbox.kernel.vendor_context import VendorContext
from socialgate_sandbox.kernel.webhook_sender import Signer

Method: TypeAlias = Literal["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"]
_PAGE_METHODS: tuple[Method, Method] = ("GET", "POST")
Handler: TypeAlias = Callable[[Call], Any]
"""Returns a Response, or anything that msgspec can encode as JSON, which is sent with status 200.

A plain function runs in one transaction. A coroutine function does not (others run while it waits): it wraps its
writes in `with call.context.store.transaction():`, without an `await` inside.
"""
InvalidInputBuilder: TypeAlias = Callable[[Call, str], Response]
ErrorBuilder: TypeAlias = Callable[[Call], Response]
FieldChoices: TypeAlias = Mapping[str, str] | Callable[[VendorContext, str], Mapping[str, str]]
"""The possible values of a verb's field, with their labels. They may depend on the account."""
R = TypeVar("R", bound=msgspec.Struct)


async def handle_call(call: Call, handler: Handler, invalid: InvalidInputBuilder) -> Response:
    """Handle a call, or one call of a batch: a refusal rolls back only what this call wrote."""
    try:
        if iscoroutinefunction(handler):
            answer = await handler(call)
        else:
            with call.context.store.transaction():
                answer = handler(call)
    except CallRefusedError as refused:
        return refused.response(call)
    except UnreadableInputError as error:
        return invalid(call, str(error))
    return answer if isinstance(answer, Response) else build_json_response(answer)


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """One row of `GET /_control/accounts`: something at the vendor that the product can connect."""

    kind: str
    id: str
    name: str
    state: str = "active"
    connected: list[str] = []


class ActionRequest(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Base class for the input of a control verb; derive with `frozen=True, kw_only=True`.

    A verb with a field `account` has its form on the pages of accounts, any other on the page of the platform.
    """


class RevokeRequest(ActionRequest, frozen=True, kw_only=True):
    """A person revokes a permission on the platform's side. `how` is defined by the vendor; "" is the usual way."""

    account: str
    how: str = ""


class ControlError(Exception):
    """Raised in an action: the request is impossible. The message says what to do instead."""

    def __init__(self, detail: str, status: int = 404) -> None:
        super().__init__(detail)
        self.status = status


@dataclass(frozen=True)
class Action(Generic[R]):
    """A control verb: `POST /_control/<verb>` with the platform and the fields of `request_type`.

    `run` returns the JSON response, or None if there is nothing to report. Transactions work as in a `Handler`.

    The rest is for the form that people use. `kinds` are the kinds of accounts that have it; empty means all.
    `field_choices` lists the values of fields whose type does not. A verb without `has_own_form` has no form of its
    own: another page does the same (a chat, a feed), or it only reads.
    """

    title: str
    request_type: type[R]
    run: Callable[[VendorContext, R], Any]
    kinds: Sequence[str] = ()
    field_choices: Mapping[str, FieldChoices] = field(default_factory=dict)
    has_own_form: bool = True


@dataclass(frozen=True)
class Route:
    """A path below the vendor's mount, with placeholders: `/bot{token}/{method}`, `/v1/{name}:cancel`, `/f/{rest:path}`

    The first matching route in the list wins, so list specific routes before general ones.
    """

    method: Method
    path: str
    handler: Handler
    # The paths that this one stands for, if the handler tells them apart by itself. Only for the list of endpoints.
    listed_paths: Sequence[str] = ()

    @cached_property
    def _path_pattern(self) -> re.Pattern[str]:
        return compile_path(self.path)[0]

    def match(self, method: str, path: str) -> dict[str, str] | None:
        match = self._path_pattern.match(path) if method == self.method else None
        return None if match is None else dict(match.groupdict())


def build_page_routes(handler: Handler, *paths: str) -> list[Route]:
    """Serve a page with a form that is posted to the page's own address."""
    return [Route(method, path, handler) for path in paths for method in _PAGE_METHODS]


def get_own_id(_: VendorContext, account: Account) -> str:
    return account.id


def get_no_accounts(_call: Call) -> Sequence[str]:
    return ()


def build_no_headers(_call: Call) -> Mapping[str, str]:
    return {}


def skip_claim(_call: Call) -> AbstractContextManager[Response | None]:
    return nullcontext()


def do_nothing(_world: VendorContext) -> None:
    """Nothing happens by itself."""


@dataclass(frozen=True, kw_only=True)
class EndpointCoverage:
    """What a group of endpoints checks as the vendor does, and what it leaves unchecked, in words for users.

    `paths` are patterns in which `*` matches anything. The first group that matches an endpoint is the one it is in.
    `actions` lists what the endpoints tell apart by a parameter, such as the types of messages.
    """

    title: str
    paths: Sequence[str]
    checked: str
    not_checked: str
    actions: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class Vendor:
    """A simulated platform, mounted at `/<name>`."""

    name: str
    title: str
    # The product as registered with this vendor, unless the settings override it.
    app: AppRegistration
    routes: Sequence[Route]
    # The failures that `POST /_control/fail` can cause, exactly as the vendor returns them. `rate_limited` is required.
    errors: Mapping[str, ErrorBuilder]
    # The responses to an unknown path or method, and to unreadable input (the text says why).
    build_not_found_response: ErrorBuilder
    build_invalid_response: InvalidInputBuilder
    # Creates the first people and accounts. Runs at every start and after a reset, so it must be idempotent.
    seed: Callable[[VendorContext], None]
    accounts: Callable[[VendorContext], Sequence[Account]]
    actions: Mapping[str, Action[Any]] = field(default_factory=dict)
    # Reads the posts of an account, by the kind of the account. Such accounts have a feed page.
    feed_readers: Mapping[str, FeedReader] = field(default_factory=dict)
    # Reads the conversations of an account, by its kind. Such accounts have a chat page, whose forms use those verbs of
    # `society.conversations` that are in `actions`.
    chat_readers: Mapping[str, ChatReader] = field(default_factory=dict)
    # What the platform counts for an account, by its kind. Such accounts have a page of numbers.
    metrics_readers: Mapping[str, MetricsReader] = field(default_factory=dict)
    # The lead forms of an account, by its kind. Such accounts have a page on which people fill them in, with the verb
    # `lead` of `society.leads`.
    form_readers: Mapping[str, FormReader] = field(default_factory=dict)
    # The reviews of an account, by its kind. People add a review with the verb `review`.
    review_readers: Mapping[str, ReviewReader] = field(default_factory=dict)
    # The events of an account, by its kind. Guests respond to invitations with the verb `respond`.
    calendar_readers: Mapping[str, CalendarReader] = field(default_factory=dict)
    # The catalogs of an account, by its kind, with their products.
    catalog_readers: Mapping[str, CatalogReader] = field(default_factory=dict)
    # The campaigns of an ad account, by its kind, with their ad sets and ads.
    ad_readers: Mapping[str, AdReader] = field(default_factory=dict)
    # The ids of the accounts that the credential of a call belongs to; `fail` can target one of them.
    get_account_ids: Callable[[Call], Sequence[str]] = get_no_accounts
    # The id by which programs know an account if it is another, such as the number of a phone. Pages accept both.
    get_public_id: Callable[[VendorContext, Account], str] = get_own_id
    # Headers on every response, such as those that report how much of a limit is used.
    headers: Callable[[Call], Mapping[str, str]] = build_no_headers
    # Held from the arrival of a call until it has taken effect, however long a failure delays that. Yields the response
    # that replaces it, such as the conflict with another call that is still running.
    claim: Callable[[Call], AbstractContextManager[Response | None]] = skip_claim
    # Does what is due by the clock: after the clock was moved, and every minute. For what happens without a call, such
    # as renewals; what somebody only sees when they ask is computed then.
    run_due_work: Callable[[VendorContext], None] = do_nothing
    # Signs each attempt to send a webhook, with the secret that it was sent with. For signatures that contain the time.
    sign_webhook: Signer | None = None
    # What its endpoints check: `GET /_control/surface` and the README list them in these groups.
    coverage: Sequence[EndpointCoverage] = ()
    # Seconds to wait after each failed attempt to send a webhook.
    webhook_retry_delays: tuple[float, ...] = (1, 5, 30, 300)

    def __post_init__(self) -> None:
        assert "rate_limited" in self.errors, f"{self.name} does not define how it limits its callers"
