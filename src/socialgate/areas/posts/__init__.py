"""Posts: validated before they are stored, published step by step and never twice, and the queue that spaces them."""

from collections.abc import Sequence

from socialgate.areas.media.links import MediaLinks
from socialgate.areas.posts.automations import AUTOMATION_TYPES
from socialgate.areas.posts.holding import PostHolder
from socialgate.areas.posts.index import PublishedPostIndex
from socialgate.areas.posts.listeners import (
    on_profile_deleted,
    on_publishing_moved,
    on_rendition_failed,
    on_rendition_ready,
)
from socialgate.areas.posts.published_posts import DELETE_POST_OPERATION
from socialgate.areas.posts.publisher import PublishingWorker
from socialgate.areas.posts.routes import routes
from socialgate.areas.posts.validation import PostValidator
from socialgate.contracts.connector_registry import ConnectorRegistry
from socialgate.contracts.profiles import ProfileDeleted
from socialgate.contracts.publishing import PublishedPostLookup
from socialgate.contracts.renditions import RenditionFailed, RenditionReady
from socialgate.contracts.webhooks import PublishingMoved
from socialgate.core.facts import FactListener
from socialgate.web.area import Area


def _build_validator(catalogue: ConnectorRegistry, links: MediaLinks) -> PostValidator:
    return PostValidator(catalogue, links)


def _build_listeners() -> Sequence[FactListener]:
    return [
        RenditionReady.build_listener(on_rendition_ready),
        RenditionFailed.build_listener(on_rendition_failed),
        PublishingMoved.build_listener(on_publishing_moved),
        ProfileDeleted.build_listener(on_profile_deleted),
    ]


AREA = Area(
    routes=routes,
    services={PostValidator: _build_validator, PublishedPostLookup: PublishedPostIndex},
    workers=[PublishingWorker],
    operations=[DELETE_POST_OPERATION],
    fact_listeners=_build_listeners,
    automation_types=AUTOMATION_TYPES,
    holds=[PostHolder],
)
