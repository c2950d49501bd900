"""An OAuth provider: the page on which people grant access, codes that work once, and the checks around both.

A vendor declares a `Login`. Its three tables say what it checks, in which order, and in which words it refuses: a row
names a check and has the arguments from which `refuse_page` or `refuse` builds the response. They may contain any
parameter of the request, such as `{redirect_uri}`, and the scopes that are `{asked}` for or `{unknown}`; `{names}` are
the unknown ones separated by commas.
"""

import re
from base64 import urlsafe_b64encode
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, TypeAlias

from starlette.responses import Response

from socialgate_sandbox.kit import Call, Candidate, Denied, Refused, Scope, Thing, World, consent, send_back
from socialgate_sandbox.kit.addresses import is_own


class Code(Thing):
    """What the page issues to the app for a person (the parent). `asked` are the parameters of the app's request."""

    scopes: list[str]
    made: datetime
    asked: dict[str, str]
    used: bool = False


Given: TypeAlias = Mapping[str, Any]
"""The parameters of a request, wherever the vendor reads them."""


@dataclass(frozen=True)
class Attempt:
    """A request that is being checked. Its code has no id if there is none."""

    login: "Login"
    world: World
    given: Given
    code: Code

    def of(self, name: str) -> str:
        return str(self.given.get(name) or "")


Check: TypeAlias = Callable[[Attempt], bool]
"""Whether something is wrong with a request."""
Refuse: TypeAlias = Callable[..., Response]
"""Builds a refusal from the call and the arguments in a table."""
Refusals: TypeAlias = Mapping[str, tuple[str | int, ...]]
Returned: TypeAlias = Mapping[str, str | None]


def base64url(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def _unproven(it: Attempt) -> bool:
    verifier, challenge = it.of("code_verifier"), it.code.asked.get("code_challenge")
    if it.code.asked.get("code_challenge_method") == "S256":
        verifier = it.login.encode(sha256(verifier.encode()).digest())
    return bool(challenge) and challenge != verifier


_CHECKS: Mapping[str, Check] = {
    "no client": lambda it: not it.of(it.login.client),
    "client": lambda it: it.of(it.login.client) != it.world.app.id,
    "no secret": lambda it: not it.of(it.login.secret),
    "secret": lambda it: it.of(it.login.secret) != it.world.app.secret,
    "redirect_uri": lambda it: not is_own(it.world, it.of("redirect_uri")),
    "response_type": lambda it: it.of("response_type") != "code",
    "no scope": lambda it: not it.login.asked(it.given),
    "scope": lambda it: bool(it.login.unknown(it.given)),
    "code": lambda it: not it.code.id,
    "used": lambda it: it.code.used,
    "expired": lambda it: it.world.clock.since(it.code.made) > it.login.code_life.total_seconds(),
    "other redirect_uri": lambda it: it.of("redirect_uri") != it.code.asked["redirect_uri"],
    "no verifier": lambda it: bool(it.code.asked.get("code_challenge")) and not it.of("code_verifier"),
    "verifier": _unproven,
}
_NO_CODE = Code(id="", scopes=[], made=datetime.min.replace(tzinfo=UTC), asked={})


def keep(_call: Call, _code: Code) -> None:
    """Issue the code as it is."""


def code_and_state(code: Code) -> Returned:
    return {"code": code.id, "state": code.asked.get("state")}


@dataclass(frozen=True, kw_only=True)
class Login:
    platform: str
    # Every scope with what the page says about it. Those that are required cannot be unticked.
    scopes: Mapping[str, str]
    required: Collection[str] = ()
    # Reads the scopes that a request asks for. By default the app has no choice: all are offered.
    read_scopes: Callable[[Given], list[str]] | None = None
    people: Callable[[Call], Sequence[Candidate]]
    client: str = "client_id"
    secret: str = "client_secret"
    # Checks of the vendor's own, by the names that its tables use.
    checks: Mapping[str, Check] = field(default_factory=dict)
    refuse_page: Refuse
    page_refusals: Refusals
    # Parameters returned to the app when access is denied, in addition to the error and the state.
    denied: Returned = field(default_factory=dict)
    # Records what a person granted. It may change the code before it is stored.
    allow: Callable[[Call, Code], None] = keep
    new_code: Callable[[], str]
    code_life: timedelta = timedelta(minutes=10)
    # The parameters with which the browser returns; `fragment` becomes the fragment of the address.
    returned: Callable[[Code], Returned] = code_and_state
    # How the hash of a verifier is written in the challenge (RFC 7636).
    encode: Callable[[bytes], str] = base64url
    refuse: Refuse
    client_refusals: Refusals = field(default_factory=dict)
    code_refusals: Refusals

    def page(self, call: Call) -> Response:
        """Show the page or obey the decision. A wrong request is shown to the person: nobody is redirected."""
        self._check(call, call.query, self.page_refusals, self.refuse_page)
        shown = [Scope(name, self.scopes[name], required=name in self.required) for name in self.asked(call.query)]
        decided = consent(call, platform=self.platform, people=self.people(call), scopes=shown)
        if isinstance(decided, Response):
            return decided
        if isinstance(decided, Denied):
            return self.deny(call)
        now, query = call.world.clock.now(), dict(call.query)
        code = Code(id=self.new_code(), parent=decided.person, scopes=decided.scopes, made=now, asked=query)
        self.allow(call, code)
        call.world.store.put(code)
        return _send_back(call, self.returned(code))

    def deny(self, call: Call) -> Response:
        return _send_back(call, {"error": "access_denied", **self.denied, "state": call.query.get("state")})

    def check_client(self, call: Call, given: Given) -> None:
        """Refuse a request that does not come from the app."""
        self._check(call, given, self.client_refusals, self.refuse)

    def redeem(self, call: Call, key: str, given: Given) -> Code:
        """Use up a code, or refuse as the vendor does."""
        code = call.world.store.get(Code, key) or _NO_CODE
        self._check(call, given, self.code_refusals, self.refuse, code)
        assert code.id, "the table must refuse a code that does not exist"
        code.used = True
        return call.world.store.put(code)

    def asked(self, given: Given) -> list[str]:
        return list(self.scopes) if self.read_scopes is None else self.read_scopes(given)

    def unknown(self, given: Given) -> list[str]:
        return [name for name in self.asked(given) if name not in self.scopes]

    def _check(self, call: Call, given: Given, refusals: Refusals, refuse: Refuse, code: Code = _NO_CODE) -> None:
        attempt, checks = Attempt(self, call.world, given, code), {**_CHECKS, **self.checks}
        for name, arguments in refusals.items():
            if checks[name](attempt):
                unknown = self.unknown(given)
                known = defaultdict(str, given, asked=self.asked(given), unknown=unknown, names=", ".join(unknown))
                filled = (word.format_map(known) if isinstance(word, str) else word for word in arguments)
                raise Refused(refuse(call, *filled))


def scopes_separated_by(separators: str) -> Callable[[Given], list[str]]:
    """Read scopes, each once."""

    def read(given: Given) -> list[str]:
        names = re.split(f"[{separators}]", str(given.get("scope", "")))
        return list(dict.fromkeys(name.strip() for name in names if name.strip()))

    return read


def _send_back(call: Call, returned: Returned) -> Response:
    parameters = dict(returned)
    fragment = parameters.pop("fragment", None) or ""
    return send_back(call.query["redirect_uri"], 302, fragment, **parameters)
