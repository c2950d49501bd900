"""Calendar events: read from the platform, changed there, and watched for changes by others."""

from collections.abc import Sequence

from socialgate.areas.calendar.routes import routes
from socialgate.areas.calendar.service import CHANGE_EVENT_OPERATION, CREATE_EVENT_OPERATION, DELETE_EVENT_OPERATION
from socialgate.areas.calendar.sync import CalendarSync
from socialgate.contracts.accounts import AccountActivated
from socialgate.contracts.calendar import CalendarEventChanged, CalendarNoticed
from socialgate.core.facts import FactListener
from socialgate.web.area import Area


def _build_listeners(sync: CalendarSync) -> Sequence[FactListener]:
    return [
        AccountActivated.build_listener(sync.handle_connected),
        CalendarNoticed.build_listener(sync.handle_notification),
        CalendarEventChanged.build_listener(sync.handle_event_changed),
    ]


AREA = Area(
    routes=routes,
    workers=[CalendarSync],
    operations=[CREATE_EVENT_OPERATION, CHANGE_EVENT_OPERATION, DELETE_EVENT_OPERATION],
    fact_listeners=_build_listeners,
)
