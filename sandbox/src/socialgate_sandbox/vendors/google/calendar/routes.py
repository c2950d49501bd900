"""The calls of the Calendar API."""

from socialgate_sandbox.vendors.google.calendar import calendars, events, notification_channels

ROUTES = [*notification_channels.ROUTES, *calendars.ROUTES, *events.ROUTES]
