"""Stripe: customers, prices, checkout, the customer portal, subscriptions, invoices and signed events."""

from socialgate_sandbox.kit import App, Vendor
from socialgate_sandbox.vendors.stripe import catalog, customers, events, pages, sessions, subscriptions
from socialgate_sandbox.vendors.stripe.actions import ACTIONS
from socialgate_sandbox.vendors.stripe.api import KEYS, headers
from socialgate_sandbox.vendors.stripe.billing import catch_up
from socialgate_sandbox.vendors.stripe.coverage import COVERAGE
from socialgate_sandbox.vendors.stripe.errors import ERRORS, unknown_path, unreadable
from socialgate_sandbox.vendors.stripe.happening import sign
from socialgate_sandbox.vendors.stripe.seed import seed

VENDOR = Vendor(
    name="stripe",
    title="Stripe",
    # The secret is the API key. `more` has the secret of the product's webhooks, and the ids of the prices.
    app=App(
        id="acct_sandbox",
        secret="sk_test_sandbox",
        more={
            "webhook_secret": "whsec_sandbox",
            "pro_month": "price_sandboxProMonth",
            "pro_year": "price_sandboxProYear",
            "scale_month": "price_sandboxScaleMonth",
            "scale_year": "price_sandboxScaleYear",
        },
    ),
    routes=[
        *(customers.ROUTES + catalog.ROUTES + sessions.ROUTES + subscriptions.ROUTES + events.ROUTES),
        *pages.ROUTES,
    ],
    errors=ERRORS,
    not_found=unknown_path,
    invalid=unreadable,
    seed=seed,
    accounts=customers.list_accounts,
    actions=ACTIONS,
    accounts_of=customers.accounts_of,
    headers=headers,
    claim=KEYS.claim,
    catch_up=catch_up,
    sign=sign,
    webhook_retries=(10, 60, 600, 3600, 10_800),
    coverage=COVERAGE,
)
