"""The calls of the Calendar API."""

from socialgate_sandbox.vendors.google.calendar import calendars, events, watch

ROUTES = [*watch.ROUTES, *calendars.ROUTES, *events.ROUTES]
