"""Files of posts: kept for as long as a post that is not out yet needs them, wherever in the post they stand."""

from datetime import datetime
from io import BytesIO
from typing import Any

from PIL import Image

from socialgate.areas.media import store
from support.connections import connect_accounts
from support.sandbox import Sandbox
from support.service import OwnerFixture


def picture(owner: OwnerFixture, color: str) -> str:
    bytes_io = BytesIO()
    Image.new("RGB", (640, 640), color).save(bytes_io, "JPEG")
    answer = owner.session.post("/upload", content=bytes_io.getvalue())
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def draft(owner: OwnerFixture, **fields: Any) -> str:
    body = {"profileId": owner.profile_id, "content": "Fresh bread", "draft": True, **fields}
    answer = owner.session.post("/posts", json=body)
    assert answer.is_success, answer.text
    return str(answer.json()["id"])


def expiry(owner: OwnerFixture, media_id: str) -> datetime | None:
    moment: datetime | None = owner.running.read(store.find_media, owner.id, media_id).expires_at
    return moment


def test_a_file_stays_until_the_last_post_that_needs_it_is_gone(owner: OwnerFixture, sandbox: Sandbox) -> None:
    (account,) = connect_accounts(sandbox, owner, "threads")
    shared, other = picture(owner, "teal"), picture(owner, "navy")
    uses: list[dict[str, Any]] = [
        {"media": [{"mediaId": other}, {"mediaId": shared}]},
        {"targets": [{"accountId": account, "media": [{"mediaId": shared}]}]},
        {"media": [{"mediaId": other, "thumbnailMediaId": shared}]},
        {"targets": [{"accountId": account, "media": [{"mediaId": other, "thumbnailMediaId": shared}]}]},
    ]
    drafts = [draft(owner, **use) for use in uses]
    for post_id in drafts:
        assert expiry(owner, shared) is None
        assert expiry(owner, other) is None
        assert owner.session.delete(f"/posts/{post_id}").is_success
    assert expiry(owner, shared) is not None
    assert expiry(owner, other) is not None
