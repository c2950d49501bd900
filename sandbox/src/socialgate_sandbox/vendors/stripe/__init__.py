"""Stripe: customers, prices, checkout, the customer portal, subscriptions, invoices and signed events."""

from socialgate_sandbox.kit import AppRegistration, Vendor
from socialgate_sandbox.vendors.stripe import catalog, customer_pages, customers, events, sessions, subscriptions
from socialgate_sandbox.vendors.stripe.actions import ACTIONS
from socialgate_sandbox.vendors.stripe.billing import run_due_work
from socialgate_sandbox.vendors.stripe.coverage import COVERAGE
from socialgate_sandbox.vendors.stripe.endpoints import IDEMPOTENCY_KEYS, build_headers
from socialgate_sandbox.vendors.stripe.errors import ERRORS, build_unknown_path_response, build_unreadable_response
from socialgate_sandbox.vendors.stripe.operations import sign_webhook
from socialgate_sandbox.vendors.stripe.seed import seed

VENDOR = Vendor(
    name="stripe",
    title="Stripe",
    # The secret is the API key. `more` has the secret of the product's webhooks, and the ids of the prices.
    app=AppRegistration(
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
        *customer_pages.ROUTES,
    ],
    errors=ERRORS,
    build_not_found_response=build_unknown_path_response,
    build_invalid_response=build_unreadable_response,
    seed=seed,
    accounts=customers.list_accounts,
    actions=ACTIONS,
    get_account_ids=customers.get_account_ids,
    headers=build_headers,
    claim=IDEMPOTENCY_KEYS.claim,
    run_due_work=run_due_work,
    sign_webhook=sign_webhook,
    webhook_retry_delays=(10, 60, 600, 3600, 10_800),
    coverage=COVERAGE,
)
