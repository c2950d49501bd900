"""Groups of routes that more than one area adds to."""

from socialgate.web.route import Tag

PROFILES = Tag("Profiles", "Groups of accounts, such as one per customer.")
