"""The state of the simulated Meta: people, what they own, and what they granted the app."""

from datetime import datetime
from typing import Any

import msgspec

from socialgate_sandbox.dialects.graph.tokens import GraphToken
from socialgate_sandbox.kit import StoredObject

ALL_TASKS = ["ADVERTISE", "ANALYZE", "CREATE_CONTENT", "MESSAGING", "MODERATE", "MANAGE"]


class Human(StoredObject):
    """A person. The id is the app-scoped one, which is also in the callbacks about the person."""

    name: str
    email: str
    about: str = ""


class Business(StoredObject):
    """A business portfolio. `members` are people."""

    name: str
    members: list[str]
    client_pages: list[str] = []
    client_ad_accounts: list[str] = []


class Page(StoredObject):
    """A Facebook Page; its parent is the business that owns it, if any."""

    name: str
    username: str
    category: str
    category_id: str
    created_at: datetime = msgspec.field(name="made")
    about: str = ""
    website: str = ""
    followers_count: int = 0
    fan_count: int = 0
    verification_status: str = "not_verified"
    # The owner's description, under the API's names.
    details: dict[str, Any] = {}


class Role(StoredObject):
    """What a person (the parent) may do with a Page or an ad account.

    One that is not `ticked` was left out in the dialog: the app can find it only through the business.
    """

    asset: str
    tasks: list[str]
    ticked: bool = True


class Instagram(StoredObject):
    """A professional Instagram account; its parent is the linked Page, "" if it was unlinked."""

    username: str
    name: str
    biography: str = ""
    website: str = ""
    followers_count: int = 0
    follows_count: int = 0
    media_count: int = 0


class AdAccount(StoredObject):
    """An ad account (`act_…`) of a business. Money is in minor units."""

    name: str
    currency: str
    timezone_name: str
    timezone_offset_hours_utc: int
    created_at: datetime = msgspec.field(name="made")
    account_status: int = 1
    disable_reason: int = 0
    amount_spent: int = 0
    balance: int = 0
    spend_cap: int = 0
    min_daily_budget: int = 100
    default_dsa_beneficiary: str | None = None
    default_dsa_payor: str | None = None

    @property
    def account_id(self) -> str:
        return self.id.removeprefix("act_")


class Token(GraphToken):
    """An access token of a person (the parent), or of a Page through that person.

    Its permissions are those of the person's grant at the time of the call.
    """

    page: str = ""


class Subscription(StoredObject):
    """The app's webhook of one kind of object, whose name is the id."""

    callback_url: str
    verify_token: str
    fields: list[str]
    include_values: bool = True


class PageSubscription(StoredObject):
    """The fields of one Page (or Instagram account), whose id it has, that the app subscribed to."""

    fields: list[str]
