"""What Google counts of a place, read with its own client."""

from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from sandbox.google.client import BUSINESS, YOUTUBE, Google
from sandbox.google.official import HttpError
from socialgate_sandbox.vendors.google.places import insights as place_insights
from socialgate_sandbox.vendors.google.places.metrics import LOCATION_METRICS
from socialgate_sandbox.vendors.google.state import Location

MANY = "businessprofileperformance.googleapis.com/v1/locations/{}:fetchMultiDailyMetricsTimeSeries"


def _places(google: Google) -> dict[str, str]:
    rows = google.sandbox.look("accounts", platform="google")["data"]
    return {row["name"]: row["id"] for row in rows if row["kind"] == Location.__name__.lower()}


def _today(google: Google) -> date:
    now = datetime.fromisoformat(google.sandbox.look("clock")["now"])
    return now.astimezone(ZoneInfo("America/Los_Angeles")).date()


def _range(first: date, last: date, style: str = "{}Date") -> dict[str, int]:
    return {
        f"dailyRange.{style.format(edge)}.{part}": getattr(day, part)
        for edge, day in (("start", first), ("end", last))
        for part in ("year", "month", "day")
    }


def _told(series: dict[str, Any]) -> dict[str, int]:
    return {
        str(date(**row["date"])): int(row.get("value", "0"))
        for row in series["timeSeries"].get("datedValues", [])
    }  # fmt: skip


def test_every_metric_of_a_place(google: Google) -> None:
    tokens = google.sign_in("ada", BUSINESS)
    place = _places(google)["Ada's Bakery Södermalm"]
    names, today = list(LOCATION_METRICS.account_metrics), _today(google)
    first = today - timedelta(days=89)
    generation_request = {name.replace(".", "_"): value for name, value in _range(first, today).items()}
    with google.sdk("businessprofileperformance", "v1", tokens) as service:
        request = service.locations().fetchMultiDailyMetricsTimeSeries(
            location=f"locations/{place}", dailyMetrics=names, **generation_request
        )
        rows = request.execute()["multiDailyMetricTimeSeries"][0]["dailyMetricTimeSeries"]
        single = service.locations().getDailyMetricsTimeSeries(
            name=f"locations/{place}", dailyMetric="CALL_CLICKS", **generation_request
        )
        calls = single.execute()
    truth = google.sandbox.look("numbers", platform="google", account=place, since=str(first), until=str(today))
    payload = {row["dailyMetric"]: _told(row) for row in rows}
    assert list(payload) == names
    for name in names:
        # The newest four days are not there yet.
        assert payload[name] == {day["date"]: day["metrics"][name] for day in truth["days"][:-4]}
    assert _told(calls) == payload["CALL_CLICKS"]
    assert sum(payload["BUSINESS_IMPRESSIONS_MOBILE_SEARCH"].values()) > 0
    gone = next(row for row in rows if row["dailyMetric"] == "BUSINESS_CONVERSATIONS")
    assert all("value" not in row for row in gone["timeSeries"]["datedValues"])
    assert truth["days"][0]["followers"] is None


def test_what_a_place_refuses_and_leaves_out(google: Google, monkeypatch: pytest.MonkeyPatch) -> None:
    token = google.sign_in("ada", BUSINESS)["access_token"]
    places, today = _places(google), _today(google)
    path = MANY.format(places["Ada's Bakery Södermalm"])
    days = _range(today - timedelta(days=9), today)
    for params in (
        {**days, "dailyMetrics": "QUERIES_DIRECT"},
        days,
        {"dailyMetrics": "CALL_CLICKS"},
        {**_range(today, today - timedelta(days=3)), "dailyMetrics": "CALL_CLICKS"},
        {**days, "dailyMetrics": "CALL_CLICKS", "dailyRange.startDate.month": 13},
    ):
        answer = google.get(path, token, **params)
        assert (answer.status_code, answer.json()["error"]["status"]) == (400, "INVALID_ARGUMENT"), params
    request = {"dailyMetrics": "CALL_CLICKS"}
    snake = google.get(path, token, **request, **_range(today - timedelta(days=9), today, "{}_date")).json()
    assert snake == google.get(path, token, **request, **days).json()
    fresh = google.get(path, token, **request, **_range(today - timedelta(days=2), today)).json()
    assert fresh["multiDailyMetricTimeSeries"][0]["dailyMetricTimeSeries"][0]["timeSeries"] == {}
    unverified = google.get(MANY.format(places["Ada's Bakery Kista (opening soon)"]), token, **request, **days).json()
    assert unverified["multiDailyMetricTimeSeries"][0]["dailyMetricTimeSeries"][0]["timeSeries"] == {}
    assert google.get(MANY.format(places["Client shop 1"]), token, **request, **days).status_code == 403
    google.sandbox.control("retire", platform="google", metric="CALL_CLICKS")
    assert google.get(path, token, **request, **days).status_code == 400
    google.sandbox.control("retire", platform="google", metric="CALL_CLICKS", back=True)
    monkeypatch.setattr(place_insights, "_MAX_CALLS_PER_MINUTE", 1)
    limited = google.get(path, token, **request, **days)
    assert (limited.status_code, limited.json()["error"]["status"]) == (429, "RESOURCE_EXHAUSTED")
    other = google.sign_in("ada", YOUTUBE)
    with google.sdk("businessprofileperformance", "v1", other) as service, pytest.raises(HttpError) as failed:
        service.locations().fetchMultiDailyMetricsTimeSeries(location=f"locations/{places['Client shop 1']}").execute()
    assert failed.value.status_code == 403


def test_what_people_searched_for(google: Google) -> None:
    tokens = google.sign_in("ada", BUSINESS)
    place = _places(google)["Ada's Bakery Södermalm"]
    month = _today(google).replace(day=1) - timedelta(days=1)
    generation_request = {
        f"monthlyRange_{edge}Month_{part}": getattr(month, part)
        for edge in ("start", "end")
        for part in ("year", "month")
    }  # fmt: skip
    with google.sdk("businessprofileperformance", "v1", tokens) as service:
        request = service.locations().searchkeywords().impressions().monthly()
        rows = request.list(parent=f"locations/{place}", **generation_request).execute()["searchKeywordsCounts"]
    values = {row["searchKeyword"]: row["insightsValue"] for row in rows}
    assert int(values["bakery"]["value"]) > int(values["sourdough"]["value"]) >= 15
    assert values["semla"] == {"threshold": "15"}
