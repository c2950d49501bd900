"""Who sees a location on the map: the people who live around it."""

from zlib import crc32

from socialgate_sandbox.society.audiences import AudienceReader
from socialgate_sandbox.vendors.google.state import Location

LOCATION_AUDIENCES = AudienceReader(
    Location, lambda place: 400 + crc32(place.id.encode()) % 1600 if place.verified else None
)
