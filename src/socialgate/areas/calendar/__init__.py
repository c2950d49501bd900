"""Calendar events: read from the platform, changed there, and watched for changes by others."""

from collections.abc import Mapping

from socialgate.areas.calendar.routes import routes
from socialgate.areas.calendar.service import CREATE, DELETE, PATCH
from socialgate.areas.calendar.sync import CalendarSync
from socialgate.contracts.accounts import NowConnected
from socialgate.contracts.calendar import CalendarNoticed, EventChanged
from socialgate.core.facts import Listener
from socialgate.web.area import Area


def _listens(sync: CalendarSync) -> Mapping[type, Listener]:
    return {NowConnected: sync.connected, CalendarNoticed: sync.noticed, EventChanged: sync.changed}


AREA = Area(routes=routes, workers=[CalendarSync], operations=[CREATE, PATCH, DELETE], listens=_listens)
