"""WhatsApp Business Platform, Cloud API."""

import json
from collections.abc import Mapping

from socialgate_sandbox.dialects.graph.api import GraphApi
from socialgate_sandbox.dialects.graph.errors import (
    build_not_found_response,
    build_unknown_object_error,
    generate_trace_id,
)
from socialgate_sandbox.dialects.graph.nodes import Node, NodeType, resolve_attributes
from socialgate_sandbox.kit import AppRegistration, Call, Route, Vendor, build_page_routes
from socialgate_sandbox.kit.profile_pictures import build_picture_route
from socialgate_sandbox.vendors.whatsapp_cloud import (
    account_nodes,
    blocked_users,
    chats,
    control_actions,
    errors,
    media_nodes,
    oauth,
    send_api,
    templates,
    webhook_subscriptions,
)
from socialgate_sandbox.vendors.whatsapp_cloud.coverage import COVERAGE
from socialgate_sandbox.vendors.whatsapp_cloud.seed import seed
from socialgate_sandbox.vendors.whatsapp_cloud.token_access import get_account_ids

_LOGIN_DIALOG_PATHS = ("/www.facebook.com/{version}/dialog/oauth", "/www.facebook.com/dialog/oauth")
_APPLICATION_NODE_TYPE = NodeType("Application", resolve_attributes("id", "name"), ("name", "id"))


def find_node(call: Call, node_id: str) -> Node:
    if node_id == call.context.app.id:
        return Node(_APPLICATION_NODE_TYPE, call.context.app)
    node = (
        account_nodes.find_account_node(call, node_id)
        or media_nodes.find_media_node(call, node_id)
        or templates.find_template_node(call, node_id)
    )
    if node is None:
        raise build_unknown_object_error(call.method, node_id)
    return node


def _build_usage_headers(call: Call) -> Mapping[str, str]:
    """Return the usage of the accounts that the token can access; it never comes near a limit."""
    row = {"type": "whatsapp", "call_count": 0, "total_cputime": 0, "total_time": 0}
    usage = {key: [{**row, "estimated_time_to_regain_access": 0}] for key in get_account_ids(call)[:1]}
    result = {
        "facebook-api-version": "v26.0",
        "x-fb-trace-id": generate_trace_id(),
        "x-fb-request-id": generate_trace_id(),
    }
    return result | ({"x-business-use-case-usage": json.dumps(usage)} if usage else {})


GRAPH_API = GraphApi(
    host="graph.facebook.com",
    versions=tuple(f"v{number}.0" for number in range(17, 27)),
    find_node=find_node,
    root_handlers={
        "GET oauth/access_token": oauth.issue_access_token,
        "POST oauth/access_token": oauth.issue_access_token,
        "GET debug_token": oauth.show_token_info,
    },
    edge_handlers={
        "GET WhatsAppBusinessPhoneNumber": account_nodes.get_number,
        "POST WhatsAppBusinessPhoneNumber": webhook_subscriptions.update_number,
        "POST WhatsAppBusinessPhoneNumber/register": account_nodes.register_number,
        "POST WhatsAppBusinessPhoneNumber/deregister": account_nodes.deregister_number,
        "GET WhatsAppBusinessPhoneNumber/whatsapp_business_profile": account_nodes.get_profile,
        "POST WhatsAppBusinessPhoneNumber/whatsapp_business_profile": account_nodes.update_profile,
        "POST WhatsAppBusinessPhoneNumber/messages": send_api.send_message,
        "GET WhatsAppBusinessPhoneNumber/block_users": blocked_users.list_blocked_users,
        "POST WhatsAppBusinessPhoneNumber/block_users": blocked_users.block_users,
        "DELETE WhatsAppBusinessPhoneNumber/block_users": blocked_users.unblock_users,
        "POST WhatsAppBusinessPhoneNumber/media": media_nodes.receive_upload,
        "GET WhatsAppMedia": media_nodes.create_download_url,
        "DELETE WhatsAppMedia": media_nodes.delete_media,
        "GET WhatsAppBusinessAccount/message_templates": templates.list_templates,
        "POST WhatsAppBusinessAccount/message_templates": templates.create_template,
        "DELETE WhatsAppBusinessAccount/message_templates": templates.delete_templates,
        "POST WhatsAppMessageTemplate": templates.update_template,
        "GET WhatsAppBusinessAccount": account_nodes.get_waba,
        "GET WhatsAppBusinessAccount/phone_numbers": account_nodes.list_phone_numbers,
        "GET WhatsAppBusinessAccount/subscribed_apps": webhook_subscriptions.list_subscribed_apps,
        "POST WhatsAppBusinessAccount/subscribed_apps": webhook_subscriptions.subscribe_waba,
        "DELETE WhatsAppBusinessAccount/subscribed_apps": webhook_subscriptions.unsubscribe_waba,
        "GET Business/owned_whatsapp_business_accounts": account_nodes.list_owned_wabas,
        "GET Business/client_whatsapp_business_accounts": account_nodes.list_client_wabas,
        "GET Application/subscriptions": webhook_subscriptions.list_subscriptions,
        "POST Application/subscriptions": webhook_subscriptions.subscribe_app,
        "DELETE Application/subscriptions": webhook_subscriptions.unsubscribe_app,
    },
    headers=_build_usage_headers,
)


VENDOR = Vendor(
    name="whatsapp-cloud",
    title="WhatsApp Cloud API",
    app=AppRegistration(id="sandbox-whatsapp-cloud", secret="sandbox-whatsapp-cloud-secret"),
    routes=[
        *build_page_routes(oauth.LOGIN.serve_page, *_LOGIN_DIALOG_PATHS),
        build_picture_route(account_nodes.CDN_HOST),
        Route("GET", f"/{media_nodes.MEDIA_HOST}/whatsapp_business/attachments/", media_nodes.serve_media),
        *GRAPH_API.build_routes(),
    ],
    errors=errors.ERRORS,
    build_not_found_response=build_not_found_response,
    build_invalid_response=lambda _call, why: errors.build_parameter_response(why),
    seed=seed,
    accounts=control_actions.list_accounts,
    actions=control_actions.ACTIONS,
    chat_readers={"phone number": chats.CHAT_SERVICE.iterate_message_views},
    get_account_ids=get_account_ids,
    coverage=COVERAGE,
)
