"""Home: what needs attention, what is due today, and the first steps."""

from typing import Annotated, Literal

from msgspec import Meta

from socialgate.areas.billing.purchases import Purchases
from socialgate.areas.description.service import HealthCheck
from socialgate.console.navigation import HOME_PATH, Entry, Group
from socialgate.console.page import Values, console_page
from socialgate.console.visit import PageQuery, Visit

# For half a minute after a payment: the payment provider usually reports it within seconds.
MAX_RELOADS = 15


class HomeQuery(PageQuery, frozen=True, kw_only=True):
    """How the checkout ended from which the payment provider sends people here, and how often it was reloaded."""

    checkout: Literal["success", "cancelled"] | None = None
    waited: Annotated[int, Meta(ge=0)] = 0


@console_page(
    HOME_PATH, "home.html", query=HomeQuery, entry=Entry(label="Home", icon="home", group=Group.WORK, key="h")
)
async def home_page(visit: Visit, params: HomeQuery, purchases: Purchases, health_check: HealthCheck) -> Values:
    purchase = await purchases.confirm(visit.work) if params.checkout == "success" else None
    if purchase is not None and not purchase.is_confirmed and params.waited < MAX_RELOADS:
        visit.headers["Refresh"] = f"2; url={visit.here(waited=params.waited + 1)}"
    return {
        "purchase": purchase,
        "standing": await visit.work.read(purchases.standing, visit.owner_id),
        "health": await health_check.check(),
    }
