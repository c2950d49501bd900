"""Events, and the webhook endpoints that they are sent to."""

from typing import Any

from msgspec import UNSET, UnsetType

from socialgate_sandbox.kit.addresses import is_own, parts_of
from socialgate_sandbox.vendors.stripe.api import (
    Listing,
    Metadata,
    Params,
    Request,
    endpoint,
    listing,
    merged,
    retrieving,
)
from socialgate_sandbox.vendors.stripe.errors import invalid
from socialgate_sandbox.vendors.stripe.happening import new_id
from socialgate_sandbox.vendors.stripe.state import Endpoint, Event, Resource

_MOST_ENDPOINTS = 16


class EventList(Listing, kw_only=True):
    type: str | None = None
    types: list[str] | None = None

    def fits(self, one: Resource) -> bool:
        assert isinstance(one, Event)
        wanted = self.type or one.type
        family = wanted.endswith(".*") and one.type.startswith(wanted[:-1])
        return (family or one.type == wanted) and (self.types is None or one.type in self.types)


class EndpointParams(Params, kw_only=True):
    enabled_events: list[str]
    url: str
    api_version: str | None = None
    description: str | None = None
    metadata: Metadata | None = None


class EndpointUpdate(Params, kw_only=True):
    description: str | UnsetType | None = UNSET
    disabled: bool | None = None
    enabled_events: list[str] | None = None
    metadata: Metadata | UnsetType | None = UNSET
    url: str | None = None


def create(request: Request, given: EndpointParams) -> dict[str, Any]:
    _check_url(request, given.url)
    if request.store.count(Endpoint) >= _MOST_ENDPOINTS:
        raise invalid(f"You have reached the maximum of {_MOST_ENDPOINTS} test webhook endpoints.")
    made = Endpoint(
        id=new_id("we"),
        created=request.now,
        metadata=merged({}, given.metadata),
        api_version=given.api_version,
        description=given.description,
        enabled_events=given.enabled_events,
        secret=new_id("whsec", 32),
        url=given.url,
    )
    return request.put(made).shown(request.store) | {"secret": made.secret}


def update(request: Request, given: EndpointUpdate) -> Endpoint:
    one = request.own(Endpoint)
    if given.url is not None:
        _check_url(request, given.url)
        one.url = given.url
    if given.disabled is not None:
        one.status = "disabled" if given.disabled else "enabled"
    if given.description is not UNSET:
        one.description = given.description
    one.enabled_events = given.enabled_events or one.enabled_events
    one.metadata = merged(one.metadata, given.metadata)
    return request.put(one)


def delete(request: Request, _given: Params) -> dict[str, Any]:
    one = request.own(Endpoint)
    request.store.delete(Endpoint, one.id)
    return {"id": one.id, "object": one.object, "deleted": True}


def _check_url(request: Request, url: str) -> None:
    # Test endpoints need no https, but must be public. The sandbox reaches nothing else than this machine.
    if parts_of(url) is None:
        raise invalid("Invalid URL: An explicit scheme (such as https) must be provided.", "url", "url_invalid")
    if not is_own(request.world, url):
        raise invalid(
            "Invalid URL: The sandbox can only send webhooks to this machine and the service.", "url", "url_invalid"
        )


ROUTES = [
    listing("events", Event, EventList),
    retrieving("events", Event),
    endpoint("POST", "webhook_endpoints", EndpointParams, create),
    listing("webhook_endpoints", Endpoint, Listing),
    retrieving("webhook_endpoints", Endpoint),
    endpoint("POST", "webhook_endpoints/{id}", EndpointUpdate, update),
    endpoint("DELETE", "webhook_endpoints/{id}", Params, delete),
]
