"""A service whose sandbox grows with time: accounts, posts of their own, and the truth about their numbers."""

from datetime import UTC, date, datetime, timedelta
from io import BytesIO
from typing import Any, Self
from uuid import uuid4
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from PIL import Image

from socialgate.areas.accounts.tables import grants
from socialgate.areas.analytics.snapshots import ACCOUNT_SNAPSHOT_JOB
from socialgate.areas.posts.tables import targets
from socialgate.core.jobs.job_store import jobs
from support.connections import connect_accounts
from support.database import rows
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService
from support.waiting import eventually

# The platform of each kind that has insights, and the account of it that is looked at.
PLATFORMS = {
    "facebook_page": "meta",
    "instagram": "meta",
    "threads": "threads",
    "tiktok": "tiktok",
    "youtube": "google",
    "google_business": "google",
    "telegram_bot": "telegram",
}
DAY = timedelta(days=1)


class AnalyticsFixture:
    def __init__(self, running: RunningService) -> None:
        self.running = running
        self.sandbox = Sandbox(running)
        self.owner: OwnerFixture = running.new_owner()
        # Sessions end when the clock is moved; keys do not.
        self.owner.session = self.owner.key()
        self.accounts: dict[str, dict[str, Any]] = {}
        self.posts: dict[str, dict[str, Any]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.sandbox.http.close()

    def connect(self, kind: str, name: str = "") -> dict[str, Any]:
        """Connect what the first person has on a platform, and keep one account of the kind."""
        platform = PLATFORMS[kind]
        if not any(PLATFORMS[account] == platform for account in self.accounts):
            connect_accounts(self.sandbox, self.owner, platform)
        rows = self.owner.session.get("/accounts", params={"limit": 200}).json()["data"]
        result: list[dict[str, Any]] = [row for row in rows if row["kind"] == kind and name in row["name"]]
        self.accounts[kind] = result[-1]
        return result[-1]

    def connect_only(self, kind: str, name: str = "") -> dict[str, Any]:
        """Connect one account, and disconnect everything that came with it."""
        account = self.connect(kind, name)
        for row in self.owner.session.get("/accounts", params={"limit": 200}).json()["data"]:
            if row["id"] != account["id"]:
                assert self.owner.session.delete(f"/accounts/{row['id']}").status_code == 200
        return account

    def set_timezone(self, zone: str) -> None:
        """Say where the profile is."""
        changed = self.owner.session.patch(f"/profiles/{self.owner.profile_id}", json={"timezone": zone})
        assert changed.status_code == 200, changed.text

    def followers(self, account: dict[str, Any], **query: Any) -> list[dict[str, Any]]:
        result: list[dict[str, Any]] = self.get(f"/analytics/{account['id']}/followers", **query)["data"]
        return result

    def summary(self, account: dict[str, Any], **query: Any) -> dict[str, Any]:
        result: dict[str, Any] = self.get(f"/analytics/{account['id']}/summary", **query)
        return result

    def await_snapshots(self) -> None:
        """Wait until every account has been read that is to be read by now."""
        late = sa.select(sa.func.count().label("number")).where(
            jobs.c.type == ACCOUNT_SNAPSHOT_JOB, jobs.c.finished_at.is_(None)
        )
        eventually(lambda: rows(self.running, late.where(jobs.c.due_at <= self.now))[0].number == 0)

    def await_snapshot(self, account: dict[str, Any]) -> None:
        """Wait until the followers of today are known."""
        eventually(lambda: self._is_read(account))

    def _is_read(self, account: dict[str, Any]) -> bool:
        """Look whether they are known. If reading has failed for a moment, let the time pass until it is repeated."""
        if self.followers(account)[-1]["followers"] is not None:
            return True
        failed = sa.select(jobs.c.due_at).where(
            jobs.c.type == ACCOUNT_SNAPSHOT_JOB,
            jobs.c.job_key == account["id"],
            jobs.c.tries > 0,
            jobs.c.claim_id.is_(None),
        )
        waits = [row.due_at - self.now for row in rows(self.running, failed) if row.due_at is not None]
        if waits and max(waits) > timedelta():
            self.let_pass(max(waits) + timedelta(seconds=0.1))
        return False

    def publish(self, account: dict[str, Any], file: bytes = b"", **target: Any) -> dict[str, Any]:
        """Publish a text, or a file with a text. Videos are worked on for a while, which passes here."""
        body: dict[str, Any] = {"profileId": self.owner.profile_id, "content": f"Bread {uuid4().hex}"}
        file = file or (picture() if account["kind"] == "instagram" else b"")
        if file:
            body["media"] = [{"mediaId": self.owner.session.post("/upload", content=file).json()["id"]}]
        response = self.owner.session.post("/posts", json={**body, "targets": [{"accountId": account["id"], **target}]})
        assert response.status_code == 202, response.text
        path = f"/posts/{response.json()['id']}"
        eventually(lambda: self._is_published(path))
        result: dict[str, Any] = self.owner.session.get(path).json()
        assert result["status"] == "published", result
        return result

    def _is_published(self, path: str) -> bool:
        """Look whether it is there, or failed. Where the platform is waited for, let time pass until it is asked."""
        open_targets = sa.select(targets.c.due_at, targets.c.claim_id).where(
            targets.c.owner_id == self.owner.id, targets.c.due_at.is_not(None)
        )
        waiting = rows(self.running, open_targets)
        if not waiting:
            return self.owner.session.get(path).json()["status"] in {"published", "failed", "partial", "unconfirmed"}
        wait = min(row.due_at for row in waiting) - self.now
        if wait > timedelta() and all(row.claim_id is None for row in waiting):
            self.let_pass(wait + timedelta(seconds=0.1))
        return False

    def let_pass(self, time: timedelta) -> None:
        """Let time pass for the platforms first: what is then due is read at the new time.

        A renewal that is in progress would lose its claim to the jump, and the token would be sent twice.
        """
        eventually(self._is_renewed)
        self.sandbox.control("clock", advance=time.total_seconds())
        self.running.advance_time(time)

    def _is_renewed(self) -> bool:
        late = sa.or_(grants.c.claim_id.is_not(None), grants.c.refresh_at <= self.now)
        return not rows(self.running, sa.select(grants.c.id).where(grants.c.owner_id == self.owner.id, late))

    def advance_to_evening(self, zone: str = "UTC") -> None:
        """Let it be late on this day, after the time of any snapshot: with each day that passes then one is due."""
        local = self.now.astimezone(ZoneInfo(zone))
        self.let_pass(max(local.replace(hour=23, minute=10) - local, timedelta()))

    @property
    def now(self) -> datetime:
        return self.running.clock.now().astimezone(UTC)

    def read_sandbox_numbers(self, account: dict[str, Any], first: date, last: date, value: str = "") -> dict[str, Any]:
        """Ask the sandbox what it counts, of the account or of something else that the platform counts."""
        number = value or account["platformAccountId"].rpartition("/")[2]
        query = {"platform": PLATFORMS[account["kind"]], "account": number}
        answer = self.sandbox.http.get("/_control/numbers", params={**query, "since": str(first), "until": str(last)})
        assert answer.status_code == 200, answer.text
        result: dict[str, Any] = answer.json()
        return result

    def get(self, path: str, **query: Any) -> Any:
        answer = self.owner.session.get(path, params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def insights(self, account: dict[str, Any], **query: Any) -> dict[str, dict[str, Any]]:
        """Read the metrics of an account, by name."""
        response = self.get(f"/accounts/{account['id']}/insights", **query)
        return {metric["name"]: metric for metric in response["metrics"]}


def picture() -> bytes:
    bytes_io = BytesIO()
    Image.new("RGB", (640, 640), "teal").save(bytes_io, "JPEG")
    return bytes_io.getvalue()
