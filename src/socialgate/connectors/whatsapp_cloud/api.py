"""Calling the Cloud API as a customer's app, and what it returns about numbers and messages."""

import re
from collections.abc import Iterator
from typing import Annotated, Any

import msgspec

from socialgate.connectors.graph.dialect import GraphCaller, GraphClient, GraphDialect, GraphNode, GraphPage
from socialgate.connectors.json_paths import get_path, get_text_or_number
from socialgate.connectors.lenient_decoding import LenientStruct
from socialgate.connectors.transport import VendorTransport
from socialgate.connectors.whatsapp_cloud.errors import ERROR_TABLE
from socialgate.contracts.account_connection import AccountCredentials, RedactedStruct
from socialgate.contracts.messages import Contact

_GRAPH_API_URL = "https://graph.facebook.com/v26.0"
PHONE_PATTERN = re.compile(r"[1-9][0-9]{6,14}")
# An id of a person for one business, or for several of one owner: US.1349..., US.ENT.1349...
USER_ID_PATTERN = re.compile(r"[A-Z]{2}\.(?:[A-Z]{1,10}\.)?[A-Za-z0-9]{1,128}")
_BRAZIL_NUMBER_PATTERN = re.compile(r"(55[0-9]{2})(9?)([6-9][0-9]{7})")
_ARGENTINA_NUMBER_PATTERN = re.compile(r"(54)(9?)([1-9][0-9]{9})")
MAX_ID_LENGTH = 300
_NON_DIGITS_PATTERN = re.compile(r"\D+")
_NUMBER_FIELDS = (
    "id,display_phone_number,verified_name,quality_rating,name_status,code_verification_status,messaging_limit_tier,"
    "account_mode,platform_type,status,throughput,webhook_configuration,last_onboarded_time,health_status"
)
_PROFILE_FIELDS = "about,address,description,email,profile_picture_url,websites,vertical"


class AppCredentials(RedactedStruct, frozen=True):
    """What gives access to an account: the token, and the secret of the app it belongs to."""

    token: str
    app_secret: str


class HealthError(LenientStruct, frozen=True):
    error_description: str = ""
    possible_solution: str = ""


class HealthEntity(LenientStruct, frozen=True):
    """The number, its account, its business or the app, and whether messages can be sent as far as this one goes."""

    entity_type: str = ""
    can_send_message: str = ""
    errors: list[HealthError] = msgspec.field(default_factory=list)


class HealthStatus(LenientStruct, frozen=True):
    can_send_message: str = ""
    entities: list[HealthEntity] = msgspec.field(default_factory=list)


class PhoneNumber(msgspec.Struct, kw_only=True):
    id: str | int
    display_phone_number: str | None = None
    verified_name: str | None = None
    quality_rating: str | None = None
    name_status: str | None = None
    code_verification_status: str | None = None
    messaging_limit_tier: str | None = None
    account_mode: str | None = None
    platform_type: str | None = None
    # CONNECTED, or what keeps the number from working: BANNED, RESTRICTED, FLAGGED, ...
    status: str | None = None
    throughput: Any = None
    # Which callback applies at which level. The documentation is inconsistent about the names of the levels.
    webhook_configuration: dict[str, Any] | None = None
    health_status: HealthStatus = msgspec.field(default_factory=HealthStatus)

    @property
    def is_banned(self) -> bool:
        """Whether WhatsApp has banned the number or the account that it belongs to. Its token still works then."""
        entities = self.health_status.entities
        return self.status == "BANNED" or any(
            entity.entity_type == "WABA" and entity.can_send_message == "BLOCKED" for entity in entities
        )

    @property
    def e164_number(self) -> str | None:
        """The number in E.164 format: they send it with spaces and dashes."""
        digits = _NON_DIGITS_PATTERN.sub("", self.display_phone_number or "")
        return f"+{digits}" if digits else None

    @property
    def is_offline(self) -> bool:
        return "NOT_APPLICABLE" in {self.platform_type, get_text_or_number(self.throughput, "level")}

    @property
    def is_registered(self) -> bool:
        """An expired verification is common on numbers that work: registering them again does no harm."""
        return self.code_verification_status in {None, "VERIFIED"} and not self.is_offline


class _SentMessage(LenientStruct, frozen=True):
    id: str


class MessageRecipient(LenientStruct, frozen=True):
    """The recipient as WhatsApp calls them: that can be a different number than the one given."""

    wa_id: str = ""
    user_id: str = ""


class SendResponse(LenientStruct, frozen=True):
    """Accepted is not delivered: the statuses report what happens to a message."""

    messages: Annotated[list[_SentMessage], msgspec.Meta(min_length=1)]
    contacts: list[MessageRecipient] = msgspec.field(default_factory=list)


class MediaUrlResponse(LenientStruct, frozen=True):
    """The URL is valid for five minutes, and only with the token."""

    url: str


class WhatsAppApi:
    """The id of the number is the budget: its calls wait when WhatsApp has received too many.

    There is no budget for the app: every customer has their own.
    """

    def __init__(self, wire: VendorTransport) -> None:
        self.wire = wire

    def for_account(self, credentials: AccountCredentials) -> GraphCaller:
        return self.for_number(
            AppCredentials(credentials.grant.access_token, credentials.secret["app_secret"]),
            credentials.platform_account_id,
        )

    def for_number(self, key: AppCredentials, number: str, *, with_proof: bool = True) -> GraphCaller:
        """Call as one customer's app. Meta rejects a token with the proof of another app's secret: `proven=False` omits
        it, to find out which of the two is wrong.
        """
        client = GraphClient(self.wire, GraphDialect(key.app_secret if with_proof else ""), ERROR_TABLE)
        return GraphCaller(client, _GRAPH_API_URL, key.token, number, hidden=(key.app_secret,), as_json=True)


async def fetch_number(api: GraphCaller) -> PhoneNumber:
    return await api.get(api.budget, PhoneNumber, fields=_NUMBER_FIELDS)


async def is_number_in_waba(api: GraphCaller, waba: str) -> bool:
    rows = await api.list_all(f"{waba}/phone_numbers", GraphPage[GraphNode], "id")
    return api.budget in {str(row.id) for row in rows}


async def fetch_business_profile(api: GraphCaller) -> dict[str, Any]:
    """Meta's own description puts the profile one level deeper than its servers do."""
    rows = await api.get(f"{api.budget}/whatsapp_business_profile", GraphPage[dict[str, Any]], fields=_PROFILE_FIELDS)
    row = rows.data[0] if rows.data else {}
    return get_path(row, "business_profile") or row


def get_waba_id(credentials: AccountCredentials) -> str:
    return credentials.grant.extra["waba_id"]


def build_contact(wa_id: str = "", user: str = "", parent: str = "", **known: Any) -> Contact | None:
    """Identify a person: by the id that stays when they hide their number, with the number as an alias."""
    names = [
        name for name in (user, wa_id, parent, *_list_equivalent_numbers(wa_id)) if name and len(name) <= MAX_ID_LENGTH
    ]
    phone = f"+{wa_id}" if PHONE_PATTERN.fullmatch(wa_id) else None
    return Contact(id=names[0], phone=phone, aliases=tuple(names[1:]), **known) if names else None


def _list_equivalent_numbers(number: str) -> Iterator[str]:
    """Return the other form of a mobile number: WhatsApp drops a 9 in Brazil and adds one in Argentina."""
    for country in (_BRAZIL_NUMBER_PATTERN, _ARGENTINA_NUMBER_PATTERN):
        if match := country.fullmatch(number):
            before, nine, rest = match.groups()
            yield f"{before}{'' if nine else '9'}{rest}"
