"""What is live on an account is deleted by the id that its history shows, in the path of a request as it stands."""

from typing import Any

from support.connections import connect_accounts
from support.sandbox import Sandbox
from support.service import OwnerFixture
from support.waiting import eventually

# Of the places of this person one is not verified yet, and Google lets nobody post there.
VERIFIED = "15283746510293847001"


def test_a_local_post_is_deleted_by_the_id_of_its_history(owner: OwnerFixture, sandbox: Sandbox) -> None:
    connect_accounts(sandbox, owner, "google")
    rows = owner.session.get("/accounts").json()["data"]
    place = next(row["id"] for row in rows if row["platformAccountId"].endswith(VERIFIED))
    text = f"Fresh bread for {owner.id}"
    body = {"profileId": owner.profile_id, "content": text, "targets": [{"accountId": place}]}
    assert owner.session.post("/posts", json=body).status_code == 202

    def ours() -> list[dict[str, Any]]:
        answer = owner.session.get(f"/accounts/{place}/history")
        assert answer.status_code == 200, answer.text
        listed = answer.json()["data"]
        return [item for item in listed if item["text"] == text]

    (result,) = eventually(ours)
    deleted = owner.session.delete(f"/accounts/{place}/posts/{result['id']}")
    assert deleted.status_code == 200, deleted.text
    assert ours() == []
