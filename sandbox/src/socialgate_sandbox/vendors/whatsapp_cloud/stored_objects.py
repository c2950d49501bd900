"""The state of the WhatsApp Business Platform: businesses, their accounts and numbers, and who may use them."""

from datetime import datetime

from socialgate_sandbox.dialects.graph.tokens import GraphToken
from socialgate_sandbox.kit import StoredObject

SCOPES = ("whatsapp_business_management", "whatsapp_business_messaging")


class Business(StoredObject):
    """A business portfolio; its parent is the person who runs it."""

    name: str


class Waba(StoredObject):
    """A WhatsApp Business Account of a business. `ban` is "" or the kind of the ban."""

    name: str
    currency: str
    timezone_id: str
    template_namespace: str
    status: str = "ACTIVE"
    ban: str = ""


class Number(StoredObject):
    """A phone number of an account. It can send and receive once it is registered."""

    display_phone_number: str
    verified_name: str
    country_code: str
    onboarded: datetime
    quality_rating: str = "GREEN"
    name_status: str = "APPROVED"
    code_verification_status: str = "VERIFIED"
    account_mode: str = "LIVE"
    registered: bool = True
    # Of a registered number: CONNECTED, or what Meta did to it.
    status: str = "CONNECTED"
    pin: str = ""
    messaging_limit_tier: str = "TIER_1K"
    about: str = ""
    address: str = ""
    description: str = ""
    email: str = ""
    websites: list[str] = []
    vertical: str = "UNDEFINED"
    override_url: str = ""

    @property
    def digits(self) -> str:
        return "".join(letter for letter in self.display_phone_number if letter.isdigit())


class Token(GraphToken, kw_only=True):
    """An access token of a system user of a business (the parent), for some of its accounts."""

    user: str
    wabas: list[str]


class Subscription(StoredObject):
    """The app's webhook for all accounts; the id is the kind of object."""

    callback_url: str
    verify_token: str
    fields: list[str]


class Subscribed(StoredObject):
    """An account whose events the app subscribed to, with an address of its own if there is one."""

    override_url: str = ""
