"""Events, and the webhook endpoints that they are sent to."""

from typing import Any

from msgspec import UNSET, UnsetType

from socialgate_sandbox.kit.urls import is_product_or_local_url, parse_web_url
from socialgate_sandbox.vendors.stripe.endpoints import (
    ApiRequest,
    ListParams,
    Metadata,
    Params,
    build_endpoint,
    build_list_endpoint,
    build_retrieve_endpoint,
    merge_metadata,
)
from socialgate_sandbox.vendors.stripe.errors import build_invalid_error
from socialgate_sandbox.vendors.stripe.operations import generate_id
from socialgate_sandbox.vendors.stripe.state import Endpoint, Event, Resource

_MAX_ENDPOINTS = 16


class EventListParams(ListParams, kw_only=True):
    type: str | None = None
    types: list[str] | None = None

    def matches_fields(self, resource: Resource) -> bool:
        assert isinstance(resource, Event)
        expected = self.type or resource.type
        family = expected.endswith(".*") and resource.type.startswith(expected[:-1])
        return (family or resource.type == expected) and (self.types is None or resource.type in self.types)


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


def create_endpoint(request: ApiRequest, params: EndpointParams) -> dict[str, Any]:
    _validate_url(request, params.url)
    if request.store.count(Endpoint) >= _MAX_ENDPOINTS:
        raise build_invalid_error(f"You have reached the maximum of {_MAX_ENDPOINTS} test webhook endpoints.")
    endpoint = Endpoint(
        id=generate_id("we"),
        created=request.now,
        metadata=merge_metadata({}, params.metadata),
        api_version=params.api_version,
        description=params.description,
        enabled_events=params.enabled_events,
        secret=generate_id("whsec", 32),
        url=params.url,
    )
    return request.store_resource(endpoint).build_json(request.store) | {"secret": endpoint.secret}


def update_endpoint(request: ApiRequest, params: EndpointUpdate) -> Endpoint:
    endpoint = request.require_path_object(Endpoint)
    if params.url is not None:
        _validate_url(request, params.url)
        endpoint.url = params.url
    if params.disabled is not None:
        endpoint.status = "disabled" if params.disabled else "enabled"
    if params.description is not UNSET:
        endpoint.description = params.description
    endpoint.enabled_events = params.enabled_events or endpoint.enabled_events
    endpoint.metadata = merge_metadata(endpoint.metadata, params.metadata)
    return request.store_resource(endpoint)


def delete_endpoint(request: ApiRequest, _params: Params) -> dict[str, Any]:
    endpoint = request.require_path_object(Endpoint)
    request.store.delete(Endpoint, endpoint.id)
    return {"id": endpoint.id, "object": endpoint.object, "deleted": True}


def _validate_url(request: ApiRequest, url: str) -> None:
    # Test endpoints need no https, but must be public. The sandbox reaches nothing else than this machine.
    if parse_web_url(url) is None:
        raise build_invalid_error(
            "Invalid URL: An explicit scheme (such as https) must be provided.", "url", "url_invalid"
        )
    if not is_product_or_local_url(request.world, url):
        raise build_invalid_error(
            "Invalid URL: The sandbox can only send webhooks to this machine and the service.", "url", "url_invalid"
        )


ROUTES = [
    build_list_endpoint("events", Event, EventListParams),
    build_retrieve_endpoint("events", Event),
    build_endpoint("POST", "webhook_endpoints", EndpointParams, create_endpoint),
    build_list_endpoint("webhook_endpoints", Endpoint, ListParams),
    build_retrieve_endpoint("webhook_endpoints", Endpoint),
    build_endpoint("POST", "webhook_endpoints/{id}", EndpointUpdate, update_endpoint),
    build_endpoint("DELETE", "webhook_endpoints/{id}", Params, delete_endpoint),
]
