"""WhatsApp Business Platform, Cloud API."""

import json
from collections.abc import Mapping

from socialgate_sandbox.dialects.graph.api import Api
from socialgate_sandbox.dialects.graph.errors import not_found, trace_id, unknown_object
from socialgate_sandbox.dialects.graph.nodes import Node, NodeType, own
from socialgate_sandbox.kit import App, Call, Route, Vendor, page_routes
from socialgate_sandbox.kit.pictures import picture_route
from socialgate_sandbox.vendors.whatsapp_cloud import (
    accounts,
    actions,
    attachments,
    blocking,
    chats,
    errors,
    messages,
    oauth,
    templates,
    webhooks,
)
from socialgate_sandbox.vendors.whatsapp_cloud.coverage import COVERAGE
from socialgate_sandbox.vendors.whatsapp_cloud.seed import seed
from socialgate_sandbox.vendors.whatsapp_cloud.viewer import accounts_of

_DIALOGS = ("/www.facebook.com/{version}/dialog/oauth", "/www.facebook.com/dialog/oauth")
_APPLICATION = NodeType("Application", own("id", "name"), ("name", "id"))


def find(call: Call, key: str) -> Node:
    if key == call.world.app.id:
        return Node(_APPLICATION, call.world.app)
    node = accounts.find_account(call, key) or attachments.media_node(call, key) or templates.template_node(call, key)
    if node is None:
        raise unknown_object(call.method, key)
    return node


def _headers(call: Call) -> Mapping[str, str]:
    """Return the usage of the accounts that the token can access; it never comes near a limit."""
    row = {"type": "whatsapp", "call_count": 0, "total_cputime": 0, "total_time": 0}
    usage = {key: [{**row, "estimated_time_to_regain_access": 0}] for key in accounts_of(call)[:1]}
    found = {"facebook-api-version": "v26.0", "x-fb-trace-id": trace_id(), "x-fb-request-id": trace_id()}
    return found | ({"x-business-use-case-usage": json.dumps(usage)} if usage else {})


API = Api(
    host="graph.facebook.com",
    versions=tuple(f"v{number}.0" for number in range(17, 27)),
    find=find,
    roots={
        "GET oauth/access_token": oauth.access_token,
        "POST oauth/access_token": oauth.access_token,
        "GET debug_token": oauth.debug_token,
    },
    edges={
        "GET WhatsAppBusinessPhoneNumber": accounts.get_number,
        "POST WhatsAppBusinessPhoneNumber": webhooks.update_number,
        "POST WhatsAppBusinessPhoneNumber/register": accounts.register,
        "POST WhatsAppBusinessPhoneNumber/deregister": accounts.deregister,
        "GET WhatsAppBusinessPhoneNumber/whatsapp_business_profile": accounts.get_profile,
        "POST WhatsAppBusinessPhoneNumber/whatsapp_business_profile": accounts.update_profile,
        "POST WhatsAppBusinessPhoneNumber/messages": messages.send,
        "GET WhatsAppBusinessPhoneNumber/block_users": blocking.blocked,
        "POST WhatsAppBusinessPhoneNumber/block_users": blocking.block,
        "DELETE WhatsAppBusinessPhoneNumber/block_users": blocking.unblock,
        "POST WhatsAppBusinessPhoneNumber/media": attachments.upload,
        "GET WhatsAppMedia": attachments.resolve,
        "DELETE WhatsAppMedia": attachments.delete,
        "GET WhatsAppBusinessAccount/message_templates": templates.templates,
        "POST WhatsAppBusinessAccount/message_templates": templates.create,
        "DELETE WhatsAppBusinessAccount/message_templates": templates.delete,
        "POST WhatsAppMessageTemplate": templates.update,
        "GET WhatsAppBusinessAccount": accounts.get_waba,
        "GET WhatsAppBusinessAccount/phone_numbers": accounts.phone_numbers,
        "GET WhatsAppBusinessAccount/subscribed_apps": webhooks.subscribed_apps,
        "POST WhatsAppBusinessAccount/subscribed_apps": webhooks.subscribe_waba,
        "DELETE WhatsAppBusinessAccount/subscribed_apps": webhooks.unsubscribe_waba,
        "GET Business/owned_whatsapp_business_accounts": accounts.owned_wabas,
        "GET Business/client_whatsapp_business_accounts": accounts.client_wabas,
        "GET Application/subscriptions": webhooks.subscriptions,
        "POST Application/subscriptions": webhooks.subscribe,
        "DELETE Application/subscriptions": webhooks.unsubscribe,
    },
    headers=_headers,
)


VENDOR = Vendor(
    name="whatsapp-cloud",
    title="WhatsApp Cloud API",
    app=App(id="sandbox-whatsapp-cloud", secret="sandbox-whatsapp-cloud-secret"),
    routes=[
        *page_routes(oauth.LOGIN.page, *_DIALOGS),
        picture_route(accounts.CDN),
        Route("GET", f"/{attachments.HOST}/whatsapp_business/attachments/", attachments.download),
        *API.routes(),
    ],
    errors=errors.ERRORS,
    not_found=not_found,
    invalid=lambda _call, why: errors.bad_parameter(why),
    seed=seed,
    accounts=actions.accounts,
    actions=actions.ACTIONS,
    chats={"phone number": chats.CHATS.shown},
    accounts_of=accounts_of,
    coverage=COVERAGE,
)
