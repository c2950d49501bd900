"""The calls of the Cloud API that connecting needs, one method each. What comes back is typed here, nowhere else."""

import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar

import msgspec

from socialgate.connectors.whatsapp_cloud.errors import translate, unreadable
from socialgate.connectors.wire import Wire, read
from socialgate.contracts.failures import TemporarilyUnavailable
from socialgate.contracts.platforms import Platform
from socialgate.core.egress import Answer

T = TypeVar("T")

VERSION = "v26.0"
_GRAPH = f"https://graph.facebook.com/{VERSION}"
_ROWS = 100
_MOST_PAGES = 50
_LAST_YEAR = 9000
_NOT_DIGITS = re.compile(r"\D+")
_NUMBER_FIELDS = (
    "id,display_phone_number,verified_name,quality_rating,name_status,code_verification_status,messaging_limit_tier,"
    "account_mode,platform_type,throughput,webhook_configuration,last_onboarded_time"
)
_PROFILE_FIELDS = "about,address,description,email,profile_picture_url,websites,vertical"


class Key(msgspec.Struct, frozen=True):
    """What opens an account: the token, and the secret of the app it belongs to. Neither shows in a traceback."""

    token: str
    app_secret: str

    def __repr__(self) -> str:
        return "Key(…)"

    @property
    def proof(self) -> str:
        """Show that the token is used by its own app. Meta refuses it where the secret is another app's."""
        return hmac.new(self.app_secret.encode(), self.token.encode(), hashlib.sha256).hexdigest()


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


class _Cursors(msgspec.Struct):
    after: str | None = None


class _Paging(msgspec.Struct):
    cursors: _Cursors | None = None
    next: str | None = None


class _Rows(msgspec.Struct, Generic[T]):
    data: list[T] = []
    paging: _Paging | None = None


class _Listed(msgspec.Struct):
    id: str | int = ""


class _Done(msgspec.Struct):
    success: bool = True


class WhatsApp:
    """`budget` is the id of the number, whose calls wait when WhatsApp has had too many.

    There is no budget for the app: every customer brings one of their own.
    """

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    async def number(self, number: str, key: Key, *, proven: bool = True) -> Number:
        """`proven=False` leaves the app's secret out, to find out which of the two is wrong."""
        return await self._get(number, Number, key, number, {"fields": _NUMBER_FIELDS}, proven=proven)

    async def numbers_of(self, waba: str, key: Key, budget: str) -> Sequence[str]:
        found: list[str] = []
        after: str | None = None
        for _ in range(_MOST_PAGES):
            query = {"fields": "id", "limit": _ROWS, "after": after}
            rows = await self._get(f"{waba}/phone_numbers", _Rows[_Listed], key, budget, query)
            found += [str(row.id) for row in rows.data]
            paging = rows.paging or _Paging()
            before, after = after, paging.cursors.after if paging.next and paging.cursors is not None else None
            if after is None or after == before:
                break
        return found

    async def inspect(self, key: Key, budget: str) -> Inspected:
        return (await self._get("debug_token", _Debug, key, budget, {"input_token": key.token})).data

    async def profile(self, number: str, key: Key) -> Profile:
        query = {"fields": _PROFILE_FIELDS}
        rows = await self._get(f"{number}/whatsapp_business_profile", _Rows[_ProfileRow], key, number, query)
        row = rows.data[0] if rows.data else _ProfileRow()
        return row.business_profile or row

    async def register(self, number: str, key: Key, pin: str) -> None:
        """Take a number into use. This is not to be repeated: after a few tries WhatsApp refuses for days."""
        body = {"messaging_product": "whatsapp", "pin": pin}
        await self._change("POST", f"{number}/register", key, number, body, mutates=True, hidden=(pin,))

    async def subscribe(self, waba: str, key: Key, budget: str) -> None:
        await self._change("POST", f"{waba}/subscribed_apps", key, budget, None)

    async def redirect_webhooks(self, waba: str, key: Key, budget: str, url: str, verify_token: str) -> None:
        """Send the webhooks of the WABA to an address of its own. WhatsApp calls that address before it answers."""
        body = {"override_callback_uri": url, "verify_token": verify_token}
        await self._change("POST", f"{waba}/subscribed_apps", key, budget, body, hidden=(url, verify_token))

    async def unsubscribe(self, waba: str, key: Key, budget: str) -> None:
        await self._change("DELETE", f"{waba}/subscribed_apps", key, budget, None)

    async def _get(
        self, path: str, shape: type[T], key: Key, budget: str, query: Mapping[str, Any], *, proven: bool = True
    ) -> T:
        await self._wire.require_not_paused(budget)
        sent = {**query, "appsecret_proof": key.proof if proven else None}
        answer = await self._wire.send("GET", f"{_GRAPH}/{path}", query=sent, headers=_bearer(key))
        return await self._read(answer, shape, key, budget)

    async def _change(
        self,
        method: str,
        path: str,
        key: Key,
        budget: str,
        body: Mapping[str, Any] | None,
        *,
        mutates: bool = False,
        hidden: Sequence[str] = (),
    ) -> None:
        await self._wire.require_not_paused(budget)
        query = {"appsecret_proof": key.proof}
        url = f"{_GRAPH}/{path}"
        answer = await self._wire.send(method, url, query=query, headers=_bearer(key), json=body, mutates=mutates)
        done = await self._read(answer, _Done, key, budget, mutates=mutates, hidden=hidden)
        if not done.success:
            raise TemporarilyUnavailable(
                "WhatsApp did not do it and does not say why. Try again.", platform=Platform.WHATSAPP_CLOUD
            )

    async def _read(
        self,
        answer: Answer,
        shape: type[T],
        key: Key,
        budget: str,
        *,
        mutates: bool = False,
        hidden: Sequence[str] = (),
    ) -> T:
        verdict = translate(answer, mutates=mutates, hidden=(key.token, key.app_secret, key.proof, *hidden))
        if verdict is not None:
            if verdict.pauses and verdict.failure.retry_after is not None:
                await self._wire.pause(budget, verdict.failure.retry_after)
            raise verdict.failure
        result = read(answer, shape)
        if result is None:
            raise unreadable(answer, mutates=mutates)
        return result


def moment(seconds: int | None) -> datetime | None:
    """Read a time of theirs. Nothing, 0 and what no calendar holds mean that there is none."""
    try:
        read_time = datetime.fromtimestamp(seconds or 0, UTC)
    except (OverflowError, ValueError, OSError):
        return None
    return read_time if seconds and read_time.year < _LAST_YEAR else None


def _bearer(key: Key) -> Mapping[str, str]:
    return {"Authorization": f"Bearer {key.token}"}
