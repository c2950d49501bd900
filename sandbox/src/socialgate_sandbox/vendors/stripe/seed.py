"""The first plans, the first customer, and the endpoint of the product."""

from collections.abc import Iterator

from socialgate_sandbox.kit import OWNERS, StoredObject, VendorContext
from socialgate_sandbox.kit.seed import build_seed
from socialgate_sandbox.vendors.stripe.state import LIVE_PHASE, Customer, Endpoint, Price, Product, Recurring

PRODUCT_ENDPOINT_ID = "we_sandboxProduct"
ADA_CUSTOMER_ID = "cus_sandboxAda"
# The cents per month and per year. The ids of the prices are registered with the app.
_PRICES_BY_PLAN = {"pro": ("Pro", 2900, 29000), "scale": ("Scale", 9900, 99000)}


@build_seed
def _seed_first_objects(context: VendorContext) -> Iterator[StoredObject]:
    now = int(context.clock.get_unix_time())
    for plan, (name, month, year) in _PRICES_BY_PLAN.items():
        product, monthly = f"prod_sandbox{name}", context.app.more[f"{plan}_month"]
        yield Product(id=product, created=now, updated=now, name=name, default_price=monthly, metadata={"plan": plan})
        yield _build_price(context, plan, "month", month, product)
        yield _build_price(context, plan, "year", year, product)
    ada = OWNERS[0]
    yield Customer(
        id=ADA_CUSTOMER_ID, parent=LIVE_PHASE, created=now, email=ada.email, name=ada.name, invoice_prefix="SANDBOX1"
    )


def seed(context: VendorContext) -> None:
    _seed_first_objects(context)
    # Its address and secret are those of this start: the product may have moved since the last one.
    now, secret = int(context.clock.get_unix_time()), context.app.more["webhook_secret"]
    known = context.store.get(Endpoint, PRODUCT_ENDPOINT_ID)
    endpoint = known or Endpoint(
        id=PRODUCT_ENDPOINT_ID, created=now, enabled_events=["*"], secret=secret, url=context.app.webhook_url
    )
    endpoint.secret, endpoint.url = secret, context.app.webhook_url
    context.store.put(endpoint)


def _build_price(context: VendorContext, plan: str, interval: str, amount: int, product: str) -> Price:
    return Price(
        id=context.app.more[f"{plan}_{interval}"],
        created=int(context.clock.get_unix_time()),
        currency="usd",
        lookup_key=f"{plan}_{interval}",
        nickname=f"{plan} per {interval}",
        product=product,
        recurring=Recurring(interval="month" if interval == "month" else "year"),
        type="recurring",
        unit_amount=amount,
    )
