"""The calls of the Calendar API."""

from socialgate.sandbox.vendors.google.calendar import calendars, events, watch

ROUTES = [*watch.ROUTES, *calendars.ROUTES, *events.ROUTES]
