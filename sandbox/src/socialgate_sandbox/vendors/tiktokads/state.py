"""The state of the simulated TikTok for Business."""

from typing import Any

import msgspec

from socialgate_sandbox.kit import StoredObject
from socialgate_sandbox.kit.tokens import Token
from socialgate_sandbox.society.leads import Form


class AdsUser(StoredObject):
    """Somebody with a TikTok for Business login; `id` is the core_user_id."""

    name: str
    email: str
    about: str
    created_at: int = msgspec.field(name="made")


class BusinessCenter(StoredObject):
    name: str
    company: str
    currency: str
    area: str
    timezone: str


class CenterMember(StoredObject):
    """The role of a user, who is its parent, in a Business Center."""

    center: str
    role: str


class Advertiser(StoredObject):
    """An ad account. Its parent is the Business Center that owns it, if any."""

    name: str
    company: str
    currency: str
    country: str
    timezone: str
    created_at: int = msgspec.field(name="made")
    balance: float = 0.0
    status: str = "STATUS_ENABLE"
    rejection: str = ""


class AdvertiserMember(StoredObject):
    """The role of a user, who is its parent, in an ad account: ADMIN, OPERATOR or ANALYST."""

    advertiser: str
    role: str


class AccessToken(Token):
    """A token never expires. `withdrawn` are the ad accounts that have since been revoked from it."""

    withdrawn: list[str] = []


class Subscription(StoredObject):
    """A webhook, created with the token that is its parent: it ends with that token."""

    entity: str
    callback: str
    detail: dict[str, Any]


class LeadForm(Form, kw_only=True):
    """An instant form of an ad account, which is its parent. The keys of its questions are their names in the API."""


class Store(StoredObject):
    """A TikTok Shop that an ad account, its parent, may advertise."""

    name: str
    code: str
    catalog: str
