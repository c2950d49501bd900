"""Posts: validated before they are stored, published step by step and never twice, and the queue that spaces them."""

from collections.abc import Sequence

from socialgate.areas.media.links import MediaLinks
from socialgate.areas.posts.automations import AUTOMATES
from socialgate.areas.posts.engine import Publisher
from socialgate.areas.posts.facts import profile_deleted, publishing_moved
from socialgate.areas.posts.holding import PostHolder
from socialgate.areas.posts.index import PublishedIndex
from socialgate.areas.posts.published import DELETE
from socialgate.areas.posts.routes import routes
from socialgate.areas.posts.validation import Validation
from socialgate.contracts.catalogue import Catalogue
from socialgate.contracts.inbound import PublishingMoved
from socialgate.contracts.profiles import ProfileDeleted
from socialgate.contracts.publishing import PostIndex
from socialgate.core.facts import FactListener
from socialgate.web.area import Area


def _validation(catalogue: Catalogue, links: MediaLinks) -> Validation:
    return Validation(catalogue, links)


def _listens() -> Sequence[FactListener]:
    return [PublishingMoved.heard_by(publishing_moved), ProfileDeleted.heard_by(profile_deleted)]


AREA = Area(
    routes=routes,
    services={Validation: _validation, PostIndex: PublishedIndex},
    workers=[Publisher],
    operations=[DELETE],
    listens=_listens,
    automates=AUTOMATES,
    holds=[PostHolder],
)
