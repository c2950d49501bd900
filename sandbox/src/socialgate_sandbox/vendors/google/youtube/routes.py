"""The calls of the YouTube Data API and of YouTube Analytics."""

from socialgate_sandbox.vendors.google.youtube import channels, comments, insights, search, video_uploads, videos

ROUTES = [
    *channels.ROUTES,
    *video_uploads.ROUTES,
    *videos.ROUTES,
    *search.ROUTES,
    *comments.ROUTES,
    *insights.ROUTES,
]
