"""The calls of the YouTube Data API and of YouTube Analytics."""

from socialgate_sandbox.vendors.google.youtube import channels, comments, insights, publish, search, videos

ROUTES = [
    *channels.ROUTES,
    *publish.ROUTES,
    *videos.ROUTES,
    *search.ROUTES,
    *comments.ROUTES,
    *insights.ROUTES,
]
