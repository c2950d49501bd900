"""Calendar events: read from the platform, changed there, and watched for changes by others."""

from collections.abc import Sequence

from socialgate.areas.calendar.routes import routes
from socialgate.areas.calendar.service import CREATE, DELETE, PATCH
from socialgate.areas.calendar.sync import CalendarSync
from socialgate.contracts.accounts import NowConnected
from socialgate.contracts.calendar import CalendarNoticed, EventChanged
from socialgate.core.facts import FactListener
from socialgate.web.area import Area


def _listens(sync: CalendarSync) -> Sequence[FactListener]:
    return [
        NowConnected.heard_by(sync.connected),
        CalendarNoticed.heard_by(sync.noticed),
        EventChanged.heard_by(sync.changed),
    ]


AREA = Area(routes=routes, workers=[CalendarSync], operations=[CREATE, PATCH, DELETE], listens=_listens)
