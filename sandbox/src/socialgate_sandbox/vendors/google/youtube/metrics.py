"""What YouTube counts, under its own names."""

from socialgate_sandbox.society.growth import DEMOGRAPHICS
from socialgate_sandbox.society.metrics import Count, Metrics, Ratio, counts
from socialgate_sandbox.society.reports import Table
from socialgate_sandbox.vendors.google.youtube.audiences import CHANNELS, channel_counts

MONEY = ("estimatedRevenue", "estimatedAdRevenue", "grossRevenue", "cpm", "adImpressions", "monetizedPlaybacks")
_COUNTED = {
    **counts(views="views", engagedViews="reach", redViews="", likes="likes", comments="comments", shares="shares"),
    **counts(subscribersGained="follows", subscribersLost="unfollows", estimatedMinutesWatched="watch_minutes"),
    **counts(videosAddedToPlaylists="saves", videosRemovedFromPlaylists=""),
    **dict.fromkeys(MONEY, Count(())),
    "dislikes": Count(("likes",), (96, 100)),
}
CHANNEL_METRICS = Metrics(
    CHANNELS,
    _COUNTED,
    _COUNTED,
    derived={
        "averageViewDuration": Ratio("estimatedMinutesWatched", "views", 60),
        # Videos are half a minute long.
        "averageViewPercentage": Ratio("estimatedMinutesWatched", "views", 200, 2),
    },
    levels=channel_counts,
    late=3,
)
PEOPLE = {
    "ageGroup": {f"age{age}": share for age, share in DEMOGRAPHICS["age"].items()},
    "gender": {"female": 58, "male": 42},
}
SHARE = "viewerPercentage"
REPORT = Table(CHANNEL_METRICS, "video", {"country": DEMOGRAPHICS["country"], **PEOPLE}, PEOPLE, SHARE, most=200)
FLOATS = {*MONEY, "averageViewPercentage", SHARE}
