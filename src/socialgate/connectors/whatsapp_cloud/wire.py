"""The calls of the Cloud API, one method each. What comes back is typed here, nowhere else."""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import msgspec

from socialgate.connectors.client import Call
from socialgate.connectors.dialects.graph import GraphClient, GraphDialect, Rows
from socialgate.connectors.tolerant import Tolerant
from socialgate.connectors.whatsapp_cloud.errors import TABLE
from socialgate.connectors.wire import Wire
from socialgate.contracts.connecting import Secretive
from socialgate.core.egress import Door

VERSION = "v26.0"
_GRAPH = f"https://graph.facebook.com/{VERSION}"
_NOTHING: Mapping[str, Any] = MappingProxyType({})
_NOT_DIGITS = re.compile(r"\D+")
_NUMBER_FIELDS = (
    "id,display_phone_number,verified_name,quality_rating,name_status,code_verification_status,messaging_limit_tier,"
    "account_mode,platform_type,throughput,webhook_configuration,last_onboarded_time"
)
_PROFILE_FIELDS = "about,address,description,email,profile_picture_url,websites,vertical"


class Key(Secretive, frozen=True):
    """What opens an account: the token, and the secret of the app it belongs to."""

    token: str
    app_secret: str


class _Throughput(msgspec.Struct):
    level: str | None = None


class Number(msgspec.Struct, kw_only=True):
    id: str | int
    display_phone_number: str | None = None
    verified_name: str | None = None
    quality_rating: str | None = None
    name_status: str | None = None
    code_verification_status: str | None = None
    messaging_limit_tier: str | None = None
    account_mode: str | None = None
    platform_type: str | None = None
    throughput: _Throughput | None = None
    # Which callback is in force at which level. Sources do not agree on the names of the levels.
    webhook_configuration: dict[str, Any] | None = None

    @property
    def phone(self) -> str | None:
        """The number in E.164: they send it with spaces and dashes."""
        digits = _NOT_DIGITS.sub("", self.display_phone_number or "")
        return f"+{digits}" if digits else None

    @property
    def offline(self) -> bool:
        level = self.throughput.level if self.throughput is not None else None
        return "NOT_APPLICABLE" in {self.platform_type, level}

    @property
    def registered(self) -> bool:
        """A verification that has expired is common on numbers that work: registering them again does no harm."""
        return self.code_verification_status in {None, "VERIFIED"} and not self.offline


class Profile(msgspec.Struct, kw_only=True):
    about: str | None = None
    address: str | None = None
    description: str | None = None
    email: str | None = None
    profile_picture_url: str | None = None
    websites: list[str] = []
    vertical: str | None = None


class _ProfileRow(Profile, kw_only=True):
    """Meta's own description puts the profile one level deeper than its servers do."""

    business_profile: Profile | None = None


class Inspected(msgspec.Struct, kw_only=True):
    scopes: list[str] = []
    expires_at: int | None = None


class _Debug(msgspec.Struct):
    data: Inspected


class _Listed(msgspec.Struct):
    id: str | int = ""


class _Message(Tolerant, frozen=True):
    id: str


class Reached(Tolerant, frozen=True):
    """Whom a message goes to, as WhatsApp calls them: that can be another number than the one it was given."""

    wa_id: str = ""
    user_id: str = ""


class Accepted(Tolerant, frozen=True):
    messages: list[_Message]
    contacts: list[Reached] = msgspec.field(default_factory=list)


class _File(Tolerant, frozen=True):
    url: str


class WhatsApp:
    """`budget` is the id of the number, whose calls wait when WhatsApp has had too many.

    There is no budget for the app: every customer brings one of their own.
    """

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    async def number(self, number: str, key: Key, *, proven: bool = True) -> Number:
        """`proven=False` leaves the app's secret out, to find out which of the two is wrong."""
        query = {"fields": _NUMBER_FIELDS}
        return await self._client(key, proven=proven).call(_get(number, key, number, query), Number)

    async def numbers_of(self, waba: str, key: Key, budget: str) -> Sequence[str]:
        call = _get(f"{waba}/phone_numbers", key, budget, {"fields": "id"})
        return [str(row.id) for row in await self._client(key).all(call, Rows[_Listed])]

    async def inspect(self, key: Key, budget: str) -> Inspected:
        call = _get("debug_token", key, budget, {"input_token": key.token})
        return (await self._client(key).call(call, _Debug)).data

    async def profile(self, number: str, key: Key) -> Profile:
        call = _get(f"{number}/whatsapp_business_profile", key, number, {"fields": _PROFILE_FIELDS})
        rows = await self._client(key).call(call, Rows[_ProfileRow])
        row = rows.data[0] if rows.data else _ProfileRow()
        return row.business_profile or row

    async def register(self, number: str, key: Key, pin: str) -> None:
        """Take a number into use. This is not to be repeated: after a few tries WhatsApp refuses for days."""
        body = {"messaging_product": "whatsapp", "pin": pin}
        path = f"{number}/register"
        await self._client(key).do(_call("POST", path, key, number, body=body, repeatable=False, hidden=(pin,)))

    async def subscribe(self, waba: str, key: Key, budget: str) -> None:
        await self._client(key).do(_call("POST", f"{waba}/subscribed_apps", key, budget, repeatable=True))

    async def redirect_webhooks(self, waba: str, key: Key, budget: str, url: str, verify_token: str) -> None:
        """Send the webhooks of the WABA to an address of its own. WhatsApp calls that address before it answers."""
        body = {"override_callback_uri": url, "verify_token": verify_token}
        path, hidden = f"{waba}/subscribed_apps", (url, verify_token)
        await self._client(key).do(_call("POST", path, key, budget, body=body, repeatable=True, hidden=hidden))

    async def unsubscribe(self, waba: str, key: Key, budget: str) -> None:
        await self._client(key).do(_call("DELETE", f"{waba}/subscribed_apps", key, budget, repeatable=True))

    async def send(self, number: str, key: Key, body: Mapping[str, Any]) -> Accepted:
        """Send a message. Accepted is not delivered: what becomes of it, its statuses say."""
        client = self._client(key)
        call = _call("POST", f"{number}/messages", key, number, body=body, repeatable=False, spends=(("messages", 1),))
        answer = await client.answer(call)
        accepted = client.read(call, answer, Accepted)
        if not accepted.messages:
            raise client.unreadable(call, answer)
        return accepted

    async def mark_read(self, number: str, key: Key, message: str) -> None:
        body = {"messaging_product": "whatsapp", "status": "read", "message_id": message}
        await self._client(key).do(_call("POST", f"{number}/messages", key, number, body=body, repeatable=True))

    async def file(self, number: str, key: Key, media: str) -> str:
        """Give the address of a file. It holds for five minutes, and only with the token."""
        call = _get(media, key, number, {"phone_number_id": number})
        return self._wire.address((await self._client(key).call(call, _File)).url)

    @property
    def door(self) -> Door:
        return self._wire.door

    def _client(self, key: Key, *, proven: bool = True) -> GraphClient:
        """Speak as the app of one customer. Meta refuses a token with the proof of another app's secret."""
        return GraphClient(self._wire, GraphDialect(key.app_secret if proven else ""), TABLE)


def _get(path: str, key: Key, budget: str, query: Mapping[str, Any]) -> Call:
    return _call("GET", path, key, budget, query=query, repeatable=True)


def _call(
    method: str,
    path: str,
    key: Key,
    budget: str,
    *,
    repeatable: bool,
    query: Mapping[str, Any] = _NOTHING,
    body: Mapping[str, Any] | None = None,
    hidden: tuple[str, ...] = (),
    spends: tuple[tuple[str, int], ...] = (),
) -> Call:
    return Call(
        method=method,
        url=f"{_GRAPH}/{path}",
        repeatable=repeatable,
        token=key.token,
        budgets=(budget,),
        query=query,
        json=body,
        hidden=(key.app_secret, *hidden),
        spends=spends,
    )
