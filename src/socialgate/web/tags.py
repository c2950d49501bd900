"""Groups of routes that several areas add to."""

from socialgate.web.route import Tag

PROFILES_TAG = Tag("Profiles", "Groups of accounts, such as one per customer.")
