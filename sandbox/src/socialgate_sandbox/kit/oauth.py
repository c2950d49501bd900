"""An OAuth provider: the page on which people grant access, codes that work once, and the checks around both.

A vendor declares a `Login`. Its three tables say what it checks, in which order, and in which words it refuses: a row
names a check and has the arguments from which `build_page_refusal` or `refuse` builds the response. They may contain
any parameter of the request, such as `{redirect_uri}`, and the scopes that are `{asked}` for or `{unknown}`; `{names}`
are the unknown ones separated by commas.
"""

import re
from base64 import urlsafe_b64encode
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, TypeAlias

import msgspec
from starlette.responses import Response

from socialgate_sandbox.kit import (
    Call,
    CallRefusedError,
    ConsentDenied,
    LoginCandidate,
    Scope,
    StoredObject,
    VendorContext,
    redirect_with_parameters,
    show_or_read_consent,
)
from socialgate_sandbox.kit.urls import is_product_or_local_url


class Code(StoredObject):
    """What the page issues to the app for a person (the parent). `params` are the parameters of the app's request."""

    scopes: list[str]
    created_at: datetime = msgspec.field(name="made")
    params: dict[str, str] = msgspec.field(name="asked")
    used: bool = False


RequestParams: TypeAlias = Mapping[str, Any]
"""The parameters of a request, wherever the vendor reads them."""


@dataclass(frozen=True)
class LoginCheck:
    """A request that is being checked. Its code has no id if there is none."""

    login: "OAuthLogin"
    context: VendorContext
    params: RequestParams
    code: Code

    def get(self, name: str) -> str:
        return str(self.params.get(name) or "")


Check: TypeAlias = Callable[[LoginCheck], bool]
"""Whether something is wrong with a request."""
RefusalBuilder: TypeAlias = Callable[..., Response]
"""Builds a refusal from the call and the arguments in a table."""
RefusalTable: TypeAlias = Mapping[str, tuple[str | int, ...]]
RedirectParams: TypeAlias = Mapping[str, str | None]


def encode_base64url(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def _fails_code_verifier(it: LoginCheck) -> bool:
    verifier, challenge = it.get("code_verifier"), it.code.params.get("code_challenge")
    if it.code.params.get("code_challenge_method") == "S256":
        verifier = it.login.encode_challenge(sha256(verifier.encode()).digest())
    return bool(challenge) and challenge != verifier


_CHECKS: Mapping[str, Check] = {
    "no client": lambda it: not it.get(it.login.client_param),
    "client": lambda it: it.get(it.login.client_param) != it.context.app.id,
    "no secret": lambda it: not it.get(it.login.secret_param),
    "secret": lambda it: it.get(it.login.secret_param) != it.context.app.secret,
    "redirect_uri": lambda it: not is_product_or_local_url(it.context, it.get("redirect_uri")),
    "response_type": lambda it: it.get("response_type") != "code",
    "no scope": lambda it: not it.login.get_requested_scopes(it.params),
    "scope": lambda it: bool(it.login.find_unknown_scopes(it.params)),
    "code": lambda it: not it.code.id,
    "used": lambda it: it.code.used,
    "expired": lambda it: (
        it.context.clock.get_seconds_since(it.code.created_at) > it.login.code_lifetime.total_seconds()
    ),
    "other redirect_uri": lambda it: it.get("redirect_uri") != it.code.params["redirect_uri"],
    "no verifier": lambda it: bool(it.code.params.get("code_challenge")) and not it.get("code_verifier"),
    "verifier": _fails_code_verifier,
}
_NO_CODE = Code(id="", scopes=[], created_at=datetime.min.replace(tzinfo=UTC), params={})


def keep_code(_call: Call, _code: Code) -> None:
    """Issue the code as it is."""


def build_code_and_state(code: Code) -> RedirectParams:
    return {"code": code.id, "state": code.params.get("state")}


@dataclass(frozen=True, kw_only=True)
class OAuthLogin:
    platform: str
    # Every scope with what the page says about it. Those that are required cannot be unticked.
    scopes: Mapping[str, str]
    required: Collection[str] = ()
    # Reads the scopes that a request asks for. By default the app has no choice: all are offered.
    read_scopes: Callable[[RequestParams], list[str]] | None = None
    list_candidates: Callable[[Call], Sequence[LoginCandidate]]
    client_param: str = "client_id"
    secret_param: str = "client_secret"
    # Checks of the vendor's own, by the names that its tables use.
    extra_checks: Mapping[str, Check] = field(default_factory=dict)
    build_page_refusal: RefusalBuilder
    page_refusals: RefusalTable
    # Parameters returned to the app when access is denied, in addition to the error and the state.
    denied_params: RedirectParams = field(default_factory=dict)
    # Records what a person granted. It may change the code before it is stored.
    on_allowed: Callable[[Call, Code], None] = keep_code
    new_code: Callable[[], str]
    code_lifetime: timedelta = timedelta(minutes=10)
    # The parameters with which the browser returns; `fragment` becomes the fragment of the address.
    build_redirect_params: Callable[[Code], RedirectParams] = build_code_and_state
    # How the hash of a verifier is written in the challenge (RFC 7636).
    encode_challenge: Callable[[bytes], str] = encode_base64url
    build_refusal: RefusalBuilder
    client_refusals: RefusalTable = field(default_factory=dict)
    code_refusals: RefusalTable

    def serve_page(self, call: Call) -> Response:
        """Show the page or obey the decision. A wrong request is shown to the person: nobody is redirected."""
        self._run_checks(call, call.query, self.page_refusals, self.build_page_refusal)
        shown = [
            Scope(name, self.scopes[name], required=name in self.required)
            for name in self.get_requested_scopes(call.query)
        ]
        decided = show_or_read_consent(call, platform=self.platform, people=self.list_candidates(call), scopes=shown)
        if isinstance(decided, Response):
            return decided
        if isinstance(decided, ConsentDenied):
            return self.redirect_denied(call)
        now, query = call.context.clock.now(), dict(call.query)
        code = Code(id=self.new_code(), parent=decided.person, scopes=decided.scopes, created_at=now, params=query)
        self.on_allowed(call, code)
        call.context.store.put(code)
        return _redirect_to_app(call, self.build_redirect_params(code))

    def redirect_denied(self, call: Call) -> Response:
        return _redirect_to_app(
            call, {"error": "access_denied", **self.denied_params, "state": call.query.get("state")}
        )

    def check_client(self, call: Call, params: RequestParams) -> None:
        """Refuse a request that does not come from the app."""
        self._run_checks(call, params, self.client_refusals, self.build_refusal)

    def redeem_code(self, call: Call, key: str, params: RequestParams) -> Code:
        """Use up a code, or refuse as the vendor does."""
        code = call.context.store.get(Code, key) or _NO_CODE
        self._run_checks(call, params, self.code_refusals, self.build_refusal, code)
        assert code.id, "the table must refuse a code that does not exist"
        code.used = True
        return call.context.store.put(code)

    def get_requested_scopes(self, params: RequestParams) -> list[str]:
        return list(self.scopes) if self.read_scopes is None else self.read_scopes(params)

    def find_unknown_scopes(self, params: RequestParams) -> list[str]:
        return [name for name in self.get_requested_scopes(params) if name not in self.scopes]

    def _run_checks(
        self, call: Call, params: RequestParams, refusals: RefusalTable, refuse: RefusalBuilder, code: Code = _NO_CODE
    ) -> None:
        attempt, checks = LoginCheck(self, call.context, params, code), {**_CHECKS, **self.extra_checks}
        for name, arguments in refusals.items():
            if checks[name](attempt):
                unknown = self.find_unknown_scopes(params)
                known = defaultdict(
                    str, params, asked=self.get_requested_scopes(params), unknown=unknown, names=", ".join(unknown)
                )
                filled = (word.format_map(known) if isinstance(word, str) else word for word in arguments)
                raise CallRefusedError(refuse(call, *filled))


def build_scope_reader(separators: str) -> Callable[[RequestParams], list[str]]:
    """Read scopes, each once."""

    def read(params: RequestParams) -> list[str]:
        names = re.split(f"[{separators}]", str(params.get("scope", "")))
        return list(dict.fromkeys(name.strip() for name in names if name.strip()))

    return read


def _redirect_to_app(call: Call, redirect_params: RedirectParams) -> Response:
    parameters = dict(redirect_params)
    fragment = parameters.pop("fragment", None) or ""
    return redirect_with_parameters(call.query["redirect_uri"], 302, fragment, **parameters)
