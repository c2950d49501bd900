"""WaSender: WhatsApp numbers that are linked like a second device, with a QR code."""

from socialgate_sandbox.kit import App, Vendor
from socialgate_sandbox.vendors.wasender import accounts, chats, contacts, limits, media, messages
from socialgate_sandbox.vendors.wasender.access import accounts_of
from socialgate_sandbox.vendors.wasender.actions import ACTIONS
from socialgate_sandbox.vendors.wasender.coverage import COVERAGE
from socialgate_sandbox.vendors.wasender.errors import ERRORS, unknown_path, unreadable
from socialgate_sandbox.vendors.wasender.seed import seed

VENDOR = Vendor(
    name="wasender",
    title="WaSender",
    # A customer's own token is all there is: WaSender registers no apps.
    app=App(id="sandbox-wasender", secret="sandbox-wasender-token"),
    routes=[*accounts.ROUTES, *messages.ROUTES, *media.ROUTES, *contacts.ROUTES],
    errors=ERRORS,
    not_found=unknown_path,
    invalid=unreadable,
    seed=seed,
    accounts=accounts.list_accounts,
    actions=ACTIONS,
    chats={"session": chats.CHATS.shown},
    accounts_of=accounts_of,
    headers=limits.headers,
    # No retries are documented: a webhook that is not accepted is lost.
    webhook_retries=(),
    coverage=COVERAGE,
)
