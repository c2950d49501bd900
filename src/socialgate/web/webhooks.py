"""What hooks receive: the section `webhooks` of the OpenAPI document."""

from inspect import cleandoc
from typing import Any

from socialgate.core.events import EventData
from socialgate.web.components import build_reference, format_type_name
from socialgate.web.route import RouteTag

WEBHOOKS_TAG = RouteTag("Webhooks", "What hooks receive: one request for each event.")

_SERVICE_SIGNATURE_DESCRIPTION = """\
`sha256=` followed by the HMAC-SHA-256 of the raw body in hexadecimal, with the hook's secret as key. Verify it against
the raw bytes, before you parse them."""

_STANDARD_SIGNATURE_DESCRIPTION = """\
The Standard Webhooks signature of id, timestamp and body: `v1,` followed by base64. During a secret rotation there are
two, separated by a space."""

# What each header of a delivery means, with an example.
_DELIVERY_HEADER_DESCRIPTIONS = {
    "X-Service-Signature": (
        _SERVICE_SIGNATURE_DESCRIPTION,
        "sha256=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd",
    ),
    "X-Service-Event": ("The name of the event.", "message.received"),
    "X-Service-Delivery": ("The id of the delivery, the same on every attempt.", "dlv_01h455vb4pex5vsknk084sn02q"),
    "webhook-id": (
        "The id of the event, the same on every attempt and when it is resent. Use it to ignore duplicates.",
        "evt_01h455vb4pex5vsknk084sn02q",
    ),
    "webhook-timestamp": ("When this attempt was made, in Unix seconds. Reject old deliveries.", "1794735000"),
    "webhook-signature": (_STANDARD_SIGNATURE_DESCRIPTION, "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="),
}


# As components: generators write one parameter for all webhooks, and one of them reads no others.
DELIVERY_HEADER_PARAMETERS = {
    format_type_name(name): {
        "name": name,
        "in": "header",
        "required": True,
        "description": text,
        "schema": {"type": "string"},
        "example": example,
    }
    for name, (text, example) in _DELIVERY_HEADER_DESCRIPTIONS.items()
}


def describe_webhook(kind: type[EventData]) -> dict[str, Any]:
    """Describe what a hook receives when an event happens."""
    return {
        "operationId": "on" + "".join(part.title() for part in kind.event.replace("_", ".").split(".")),
        "tags": [str(WEBHOOKS_TAG)],
        "summary": " ".join(cleandoc(kind.__doc__ or "").split()),
        "description": (
            "If `data` would exceed 256 KiB, its long texts and lists are shortened, and it contains `truncated: true`."
        ),
        "security": [],
        "parameters": [{"$ref": f"#/components/parameters/{name}"} for name in DELIVERY_HEADER_PARAMETERS],
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": build_reference(format_type_name(kind.event) + "Envelope"),
                    "example": {
                        "event": kind.event,
                        "ownerId": "own_01h455vb4pex5vsknk084sn02q",
                        "profileId": "prf_01h455vb4pex5vsknk084sn02q",
                        "data": kind.example(),
                    },
                }
            },
        },
        "responses": {
            "2XX": {"description": "Received. Respond within 15 seconds and process the event afterwards."},
            "410": {"description": "Do not send again: the hook is disabled and its pending deliveries are cancelled."},
            "default": {"description": "Not received: the delivery is retried later. Redirects are not followed."},
        },
    }
