"""What YouTube counts: public statistics, and reports read with Google's own client."""

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import httpx
import pytest

from sandbox.google.client import AUTH, YOUTUBE, Google
from sandbox.google.official import HttpError
from socialgate_sandbox.vendors.google.seed import ADA_CHANNEL_ID, BRAM_CHANNEL_ID
from socialgate_sandbox.vendors.google.youtube import insights as youtube_insights
from socialgate_sandbox.vendors.google.youtube.insights import MONETARY_SCOPE
from socialgate_sandbox.vendors.google.youtube.metrics import CHANNEL_METRICS, REVENUE_METRICS

ANALYTICS = f"{AUTH}yt-analytics.readonly"
REPORTS = "youtubeanalytics.googleapis.com/v2/reports"
DAY = 86400
UPLOAD = "www.googleapis.com/upload/youtube/v3/videos"


class Channel:
    """Ada's channel, whose owner signed in for reports."""

    def __init__(self, google: Google, *scopes: str) -> None:
        self.google = google
        self.tokens = google.sign_in("ada", *(scopes or (ANALYTICS, YOUTUBE)))

    @property
    def token(self) -> str:
        """Give a token that lives, however far the clock was moved."""
        answer = self.google.refresh(self.tokens["refresh_token"])
        return str(answer.json()["access_token"])

    def pass_days(self, count: int) -> None:
        self.google.sandbox.control("clock", advance=count * DAY)

    def ask(self, days: int = 30, /, **more: str) -> httpx.Response:
        first, last = self.dates(days)
        params = {"ids": "channel==MINE", "startDate": first, "endDate": last, "metrics": "views"} | more
        return self.google.get(REPORTS, self.token, **{name: value for name, value in params.items() if value})

    def dates(self, days: int) -> tuple[str, str]:
        now = datetime.fromisoformat(self.google.sandbox.look("clock")["now"])
        today = now.astimezone(ZoneInfo("America/Los_Angeles")).date()
        return str(today - timedelta(days=days - 1)), str(today)

    def truth(self, days: int) -> Any:
        first, last = self.dates(days)
        return self.google.sandbox.look("numbers", platform="google", account=ADA_CHANNEL_ID, since=first, until=last)

    def upload(self, title: str) -> str:
        body = {"snippet": {"title": title}, "status": {"privacyStatus": "public"}}
        headers = {"authorization": f"Bearer {self.token}"}
        request = {"uploadType": "resumable", "part": "snippet,status"}
        begun = self.google.http.post(f"{self.google.url}/{UPLOAD}", params=request, json=body, headers=headers)
        return str(self.google.http.put(begun.headers["location"], content=b"film").json()["id"])


@pytest.fixture
def channel(google: Google) -> Channel:
    return Channel(google)


def test_a_report_by_day_is_what_there_is_but_for_the_last_days(channel: Channel) -> None:
    channel.upload("Semlor")
    channel.pass_days(60)
    first, last = channel.dates(50)
    metrics = [name for name in CHANNEL_METRICS.account_metrics if name not in REVENUE_METRICS]
    with channel.google.sdk("youtubeAnalytics", "v2", {"access_token": channel.token}) as service:
        request = {"ids": "channel==MINE", "startDate": first, "endDate": last, "metrics": ",".join(metrics)}
        table = service.reports().query(**request, dimensions="day", sort="day").execute()
        whole = service.reports().query(**request).execute()
    assert table["kind"] == "youtubeAnalytics#resultTable"
    assert table["columnHeaders"][:2] == [
        {"name": "day", "columnType": "DIMENSION", "dataType": "STRING"},
        {"name": "views", "columnType": "METRIC", "dataType": "INTEGER"},
    ]
    response = channel.truth(50)["days"][:-3]
    assert table["rows"] == [[day["date"], *(day["metrics"][name] for name in metrics)] for day in response]
    assert whole["rows"] == [[sum(column) for column in list(zip(*table["rows"], strict=True))[1:]]]
    assert all(day["metrics"]["views"] for day in response)


def test_one_video(channel: Channel) -> None:
    video, other = channel.upload("Semlor"), channel.upload("Rye")
    channel.pass_days(10)
    counts = {item["id"]: item["metrics"] for item in channel.truth(5)["posts"]}
    shown = channel.google.get(
        "youtube.googleapis.com/youtube/v3/videos", channel.token, part="statistics", id=video
    ).json()["items"][0]["statistics"]
    assert (shown["viewCount"], shown["likeCount"]) == (str(counts[video]["views"]), str(counts[video]["likes"]))
    assert int(shown["viewCount"]) > 1000
    rows = channel.ask(12, metrics="views,likes", filters=f"video=={video}", dimensions="day").json()["rows"]
    assert sum(row[1] for row in rows) <= counts[video]["views"]
    assert rows[-1][1] > 0
    best = channel.ask(12, dimensions="video", sort="-views", maxResults="10").json()["rows"]
    assert {row[0] for row in best} == {video, other}
    assert best[0][1] >= best[1][1] > 0
    assert channel.ask(12, filters="video==nothing").json().get("rows") is None


def test_the_channel_grows_in_steps_of_three_digits(channel: Channel) -> None:
    def statistics() -> dict[str, str]:
        request = {"part": "statistics", "mine": "true"}
        answer = channel.google.get("youtube.googleapis.com/youtube/v3/channels", channel.token, **request)
        counts: dict[str, str] = answer.json()["items"][0]["statistics"]
        return counts

    assert (statistics()["subscriberCount"], statistics()["viewCount"]) == ("12800", "481205")
    channel.pass_days(90)
    later, truth = statistics(), channel.truth(1)["days"][-1]
    assert later["subscriberCount"] == f"{truth['followers']}"[:3] + "00"
    assert int(later["subscriberCount"]) > 12800
    assert int(later["viewCount"]) > 481205


def test_months_countries_and_people(channel: Channel) -> None:
    rows = channel.ask(90, dimensions="month").json()["rows"]
    assert len(rows) >= 3
    assert sum(row[1] for row in rows) == channel.ask(90).json()["rows"][0][0]
    countries = channel.ask(dimensions="country", sort="-views").json()["rows"]
    assert [row[0] for row in countries] == ["SE", "NO", "DK", "FI"]
    assert channel.ask(filters="country==SE").json()["rows"] == [countries[0][1:]]
    people = channel.ask(dimensions="ageGroup,gender", metrics="viewerPercentage").json()["rows"]
    assert sum(row[2] for row in people) == pytest.approx(100)
    average = channel.ask(metrics="averageViewDuration,averageViewPercentage").json()
    assert [header["dataType"] for header in average["columnHeaders"]] == ["INTEGER", "FLOAT"]
    assert average["rows"][0][0] > 0


def test_the_newest_days_are_not_counted_yet(channel: Channel) -> None:
    answer = channel.ask(2, dimensions="day").json()
    assert "rows" not in answer
    assert answer["columnHeaders"]


REFUSED: list[tuple[dict[str, str], str]] = [
    ({"ids": ""}, "Required"),
    ({"metrics": ""}, "Required"),
    ({"startDate": "yesterday"}, "startDate"),
    ({"startDate": "2030-01-01", "endDate": "2029-01-01"}, "date range"),
    ({"metrics": "views,fans"}, "Unknown identifier (fans) given in field parameters.metrics."),
    ({"dimensions": "hour"}, "Unknown identifier (hour) given in field parameters.dimensions."),
    ({"filters": "colour==red"}, "Unknown identifier (colour)"),
    ({"sort": "likes"}, "Unknown identifier (likes)"),
    ({"maxResults": "many"}, "maxResults"),
    ({"dimensions": "video,day"}, "The query is not supported."),
    ({"dimensions": "video"}, "The query is not supported."),
    ({"dimensions": "gender"}, "The query is not supported."),
]


def test_what_is_refused(channel: Channel) -> None:
    for params, message in REFUSED:
        answer = channel.ask(**params)
        error = answer.json()["error"]
        assert (answer.status_code, error["status"]) == (400, "INVALID_ARGUMENT"), params
        assert message in error["message"]
        assert error["errors"][0]["domain"] == "global"
    channel.google.sandbox.control("retire", platform="google", metric="views")
    assert "Unknown identifier (views)" in channel.ask().json()["error"]["message"]


def test_who_may_read_reports(google: Google) -> None:
    narrow = Channel(google, YOUTUBE)
    answer = narrow.ask()
    assert answer.status_code == 403
    assert answer.json()["error"]["details"][0]["reason"] == "ACCESS_TOKEN_SCOPE_INSUFFICIENT"
    wide = Channel(google, ANALYTICS)
    assert wide.ask(ids=f"channel=={ADA_CHANNEL_ID}").status_code == 200
    assert wide.ask(ids=f"channel=={BRAM_CHANNEL_ID}").status_code == 403
    assert wide.ask(metrics="estimatedRevenue").json()["error"]["status"] == "PERMISSION_DENIED"
    assert Channel(google, MONETARY_SCOPE).ask(metrics="estimatedRevenue").json()["rows"] == [[0.0]]


def test_a_minute_holds_so_many_reports(channel: Channel, monkeypatch: pytest.MonkeyPatch) -> None:
    # The real limit is 720, which a slow machine does not reach within a minute.
    monkeypatch.setattr(youtube_insights, "_MAX_CALLS_PER_MINUTE", 4)
    token, generation_request = channel.token, {"ids": "channel==MINE"}
    assert [channel.google.get(REPORTS, token, **generation_request).status_code for _ in range(5)] == [
        400,
        400,
        400,
        400,
        429,
    ]
    channel.google.sandbox.control("fail", platform="google", error="quota_exhausted", path="*/v2/reports")
    first, last = channel.dates(30)
    with channel.google.sdk("youtubeAnalytics", "v2", {"access_token": token}) as service:
        request = service.reports().query(ids="channel==MINE", startDate=first, endDate=last, metrics="views")
        with pytest.raises(HttpError) as failed:
            request.execute()
    assert failed.value.status_code == 429
