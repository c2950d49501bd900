"""The people of the sandbox on WhatsApp. Ada has two numbers, Bram one that is not registered yet, Cleo none."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from socialgate_sandbox.kit import OWNERS, StoredObject, VendorContext
from socialgate_sandbox.kit.seed import build_seed
from socialgate_sandbox.vendors.whatsapp_cloud.stored_objects import SCOPES, Business, Number, Subscription, Token, Waba
from socialgate_sandbox.vendors.whatsapp_cloud.templates import build_first_templates
from socialgate_sandbox.vendors.whatsapp_cloud.webhook_subscriptions import WEBHOOK_FIELDS, WEBHOOK_OBJECT

ADA_BUSINESS, BRAM_BUSINESS, CLEO_BUSINESS = "506070800000101", "506070800000201", "506070800000301"
ADA_WABA, BRAM_WABA, CLEO_WABA = "102290129340101", "102290129340201", "102290129340301"
BAKERY, CATERING, AGENCY = "106540352240101", "106540352240102", "106540352240201"
# What a customer copies from the dashboard. Real ones are random; these can be written down.
ADA_TOKEN = "EAAsandboxWhatsappAda0000000000000000000000000000"
BRAM_TOKEN = "EAAsandboxWhatsappBram000000000000000000000000000"
CLEO_TOKEN = "EAAsandboxWhatsappCleo000000000000000000000000000"
# Ada's one-day token, and one that may send but not manage.
TEMPORARY_TOKEN = "EAAsandboxWhatsappTemporary0000000000000000000000"
SEND_ONLY_TOKEN = "EAAsandboxWhatsappSending000000000000000000000000"
_ONBOARDED_AT = datetime(2025, 2, 3, 10, 0, tzinfo=UTC)


_ACCOUNT_DETAILS = {
    (ADA_BUSINESS, ADA_WABA): ("Lindqvist Bakery AB", "SEK", "127"),
    (BRAM_BUSINESS, BRAM_WABA): ("Okafor Media", "EUR", "47"),
    (CLEO_BUSINESS, CLEO_WABA): ("Marchetti", "EUR", "71"),
}


@build_seed
def seed(context: VendorContext) -> Iterator[StoredObject]:
    yield from _build_accounts()
    yield from _build_numbers()
    yield from _build_tokens(context)
    url, verify_token = context.app.webhook_url, context.app.verify_token
    yield Subscription(id=WEBHOOK_OBJECT, callback_url=url, verify_token=verify_token, fields=list(WEBHOOK_FIELDS))


def _build_accounts() -> Iterator[StoredObject]:
    for ((business, waba), (name, currency, zone)), person in zip(_ACCOUNT_DETAILS.items(), OWNERS, strict=True):
        namespace = f"ba30dd89_2ebd_41e4_b805_{waba[-12:]}"
        yield Business(id=business, parent=person.key, name=name)
        yield Waba(
            id=waba, parent=business, name=name, currency=currency, timezone_id=zone, template_namespace=namespace
        )
        yield from build_first_templates(waba)


def _build_numbers() -> Iterator[StoredObject]:
    yield Number(
        id=BAKERY,
        parent=ADA_WABA,
        display_phone_number="+46 70 174 06 01",
        verified_name="Lindqvist Bakery",
        country_code="SE",
        onboarded=_ONBOARDED_AT,
        about="Buns before noon.",
        address="Storgatan 1, Stockholm",
        description="Sourdough, cardamom buns and strong coffee.",
        email="hello@bakery.example.com",
        websites=["https://bakery.example.com/"],
        vertical="RESTAURANT",
    )
    yield Number(
        id=CATERING,
        parent=ADA_WABA,
        display_phone_number="+46 70 174 06 02",
        verified_name="Lindqvist Catering",
        country_code="SE",
        onboarded=_ONBOARDED_AT,
        quality_rating="YELLOW",
    )
    yield Number(
        id=AGENCY,
        parent=BRAM_WABA,
        display_phone_number="+49 155 5501 2301",
        verified_name="Okafor Media",
        country_code="DE",
        onboarded=_ONBOARDED_AT,
        quality_rating="UNKNOWN",
        code_verification_status="NOT_VERIFIED",
        registered=False,
        messaging_limit_tier="TIER_250",
    )


def _build_tokens(context: VendorContext) -> list[StoredObject]:
    now = context.clock.now()

    def token(key: str, business: str, waba: str, user: str, scopes: tuple[str, ...] = SCOPES) -> Token:
        return Token(id=key, parent=business, user=user, wabas=[waba], scopes=list(scopes), issued=now)

    temporary = token(TEMPORARY_TOKEN, ADA_BUSINESS, ADA_WABA, "122100000000000102")
    temporary.expires = now + timedelta(days=1)
    return [
        token(ADA_TOKEN, ADA_BUSINESS, ADA_WABA, "122100000000000101"),
        temporary,
        token(SEND_ONLY_TOKEN, ADA_BUSINESS, ADA_WABA, "122100000000000103", SCOPES[1:]),
        token(BRAM_TOKEN, BRAM_BUSINESS, BRAM_WABA, "122100000000000201"),
        token(CLEO_TOKEN, CLEO_BUSINESS, CLEO_WABA, "122100000000000301"),
    ]
