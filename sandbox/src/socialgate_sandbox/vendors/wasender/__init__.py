"""WaSender: WhatsApp numbers that are linked like a second device, with a QR code."""

from socialgate_sandbox.kit import AppRegistration, Vendor
from socialgate_sandbox.vendors.wasender import chats, contacts, limits, media, messages, sessions
from socialgate_sandbox.vendors.wasender.access import get_account_ids
from socialgate_sandbox.vendors.wasender.actions import ACTIONS
from socialgate_sandbox.vendors.wasender.coverage import COVERAGE
from socialgate_sandbox.vendors.wasender.errors import ERRORS, build_unknown_path_response, build_unreadable_response
from socialgate_sandbox.vendors.wasender.seed import seed

VENDOR = Vendor(
    name="wasender",
    title="WaSender",
    # A customer's own token is all there is: WaSender registers no apps.
    app=AppRegistration(id="sandbox-wasender", secret="sandbox-wasender-token"),
    routes=[*sessions.ROUTES, *messages.ROUTES, *media.ROUTES, *contacts.ROUTES],
    errors=ERRORS,
    build_not_found_response=build_unknown_path_response,
    build_invalid_response=build_unreadable_response,
    seed=seed,
    accounts=sessions.list_accounts,
    actions=ACTIONS,
    chat_readers={"session": chats.CHAT_SERVICE.iterate_message_views},
    get_account_ids=get_account_ids,
    get_public_id=sessions.get_phone_number,
    headers=limits.build_headers,
    # No retries are documented: a webhook that is not accepted is lost.
    webhook_retry_delays=(),
    coverage=COVERAGE,
)
