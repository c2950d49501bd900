"""The people of the sandbox on WhatsApp. Ada has two numbers, Bram one that is not registered yet, Cleo none."""

from datetime import UTC, datetime, timedelta

from socialgate.sandbox.kit import OWNERS, Thing, World
from socialgate.sandbox.vendors.whatsapp_cloud.state import SCOPES, Business, Number, Subscription, Token, Waba
from socialgate.sandbox.vendors.whatsapp_cloud.templates import seed_templates
from socialgate.sandbox.vendors.whatsapp_cloud.webhooks import FIELDS, OBJECT

ADA_BUSINESS, BRAM_BUSINESS, CLEO_BUSINESS = "506070800000101", "506070800000201", "506070800000301"
ADA_WABA, BRAM_WABA, CLEO_WABA = "102290129340101", "102290129340201", "102290129340301"
BAKERY, CATERING, AGENCY = "106540352240101", "106540352240102", "106540352240201"
# What a customer copies from the dashboard. Real ones are random; these can be written down.
ADA_TOKEN = "EAAsandboxWhatsappAda0000000000000000000000000000"
BRAM_TOKEN = "EAAsandboxWhatsappBram000000000000000000000000000"
CLEO_TOKEN = "EAAsandboxWhatsappCleo000000000000000000000000000"
# Ada's one-day token, and one that may send but not manage.
TEMPORARY_TOKEN = "EAAsandboxWhatsappTemporary0000000000000000000000"
SENDING_TOKEN = "EAAsandboxWhatsappSending000000000000000000000000"
_ONBOARDED = datetime(2025, 2, 3, 10, 0, tzinfo=UTC)


def seed(world: World) -> None:
    if world.store.get(Waba, ADA_WABA) is not None:
        return
    for thing in [*_accounts(), *_numbers(), *_tokens(world)]:
        world.store.put(thing)
        if isinstance(thing, Waba):
            seed_templates(world, thing.id)
    app = world.app
    world.store.put(
        Subscription(id=OBJECT, callback_url=app.webhook_url, verify_token=app.verify_token, fields=list(FIELDS))
    )


def _accounts() -> list[Thing]:
    names = {
        (ADA_BUSINESS, ADA_WABA): ("Lindqvist Bakery AB", "SEK", "127"),
        (BRAM_BUSINESS, BRAM_WABA): ("Okafor Media", "EUR", "47"),
        (CLEO_BUSINESS, CLEO_WABA): ("Marchetti", "EUR", "71"),
    }
    found: list[Thing] = []
    for ((business, waba), (name, currency, zone)), person in zip(names.items(), OWNERS, strict=True):
        namespace = f"ba30dd89_2ebd_41e4_b805_{waba[-12:]}"
        found += [
            Business(id=business, parent=person.key, name=name),
            Waba(
                id=waba, parent=business, name=name, currency=currency, timezone_id=zone, template_namespace=namespace
            ),
        ]
    return found


def _numbers() -> list[Thing]:
    bakery = Number(
        id=BAKERY,
        parent=ADA_WABA,
        display_phone_number="+46 70 174 06 01",
        verified_name="Lindqvist Bakery",
        country_code="SE",
        onboarded=_ONBOARDED,
        about="Buns before noon.",
        address="Storgatan 1, Stockholm",
        description="Sourdough, cardamom buns and strong coffee.",
        email="hello@bakery.example.com",
        websites=["https://bakery.example.com/"],
        vertical="RESTAURANT",
    )
    catering = Number(
        id=CATERING,
        parent=ADA_WABA,
        display_phone_number="+46 70 174 06 02",
        verified_name="Lindqvist Catering",
        country_code="SE",
        onboarded=_ONBOARDED,
        quality_rating="YELLOW",
    )
    agency = Number(
        id=AGENCY,
        parent=BRAM_WABA,
        display_phone_number="+49 155 5501 2301",
        verified_name="Okafor Media",
        country_code="DE",
        onboarded=_ONBOARDED,
        quality_rating="UNKNOWN",
        code_verification_status="NOT_VERIFIED",
        registered=False,
        messaging_limit_tier="TIER_250",
    )
    return [bakery, catering, agency]


def _tokens(world: World) -> list[Thing]:
    now = world.clock.now()

    def token(key: str, business: str, waba: str, user: str, scopes: tuple[str, ...] = SCOPES) -> Token:
        return Token(id=key, parent=business, user=user, wabas=[waba], scopes=list(scopes), issued=now)

    temporary = token(TEMPORARY_TOKEN, ADA_BUSINESS, ADA_WABA, "122100000000000102")
    temporary.expires = now + timedelta(days=1)
    return [
        token(ADA_TOKEN, ADA_BUSINESS, ADA_WABA, "122100000000000101"),
        temporary,
        token(SENDING_TOKEN, ADA_BUSINESS, ADA_WABA, "122100000000000103", SCOPES[1:]),
        token(BRAM_TOKEN, BRAM_BUSINESS, BRAM_WABA, "122100000000000201"),
        token(CLEO_TOKEN, CLEO_BUSINESS, CLEO_WABA, "122100000000000301"),
    ]
