"""The first plans, the first customer, and the endpoint of the product."""

from collections.abc import Iterator

from socialgate_sandbox.kit import OWNERS, Thing, World
from socialgate_sandbox.kit.seeding import seeded
from socialgate_sandbox.vendors.stripe.state import LIVE, Customer, Endpoint, Price, Product, Recurring

ENDPOINT = "we_sandboxProduct"
ADA = "cus_sandboxAda"
# The cents per month and per year. The ids of the prices are registered with the app.
_PLANS = {"pro": ("Pro", 2900, 29000), "scale": ("Scale", 9900, 99000)}


@seeded
def _first(world: World) -> Iterator[Thing]:
    now = int(world.clock.time())
    for plan, (name, month, year) in _PLANS.items():
        product, monthly = f"prod_sandbox{name}", world.app.more[f"{plan}_month"]
        yield Product(id=product, created=now, updated=now, name=name, default_price=monthly, metadata={"plan": plan})
        yield _price(world, plan, "month", month, product)
        yield _price(world, plan, "year", year, product)
    ada = OWNERS[0]
    yield Customer(id=ADA, parent=LIVE, created=now, email=ada.email, name=ada.name, invoice_prefix="SANDBOX1")


def seed(world: World) -> None:
    _first(world)
    # Its address and secret are those of this start: the product may have moved since the last one.
    now, secret = int(world.clock.time()), world.app.more["webhook_secret"]
    known = world.store.get(Endpoint, ENDPOINT)
    made = known or Endpoint(id=ENDPOINT, created=now, enabled_events=["*"], secret=secret, url=world.app.webhook_url)
    made.secret, made.url = secret, world.app.webhook_url
    world.store.put(made)


def _price(world: World, plan: str, interval: str, amount: int, product: str) -> Price:
    return Price(
        id=world.app.more[f"{plan}_{interval}"],
        created=int(world.clock.time()),
        currency="usd",
        lookup_key=f"{plan}_{interval}",
        nickname=f"{plan} per {interval}",
        product=product,
        recurring=Recurring(interval="month" if interval == "month" else "year"),
        type="recurring",
        unit_amount=amount,
    )
