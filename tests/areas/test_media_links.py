"""Signed addresses for uploads: one file, for one owner, without a key, and not for long."""

from base64 import urlsafe_b64encode
from datetime import timedelta

import httpx
import pytest

from support.post_files import file_of
from support.problems import problem_of
from support.service import OwnerFixture, RunningService, StartService

PHOTO = file_of("image/jpeg")


def new_link(client: httpx.Client, **body: str) -> dict[str, str]:
    answer = client.post("/media/links", json=body)
    assert answer.status_code == 201, answer.text
    result: dict[str, str] = answer.json()
    return result


def path_of(link: dict[str, str]) -> str:
    return httpx.URL(link["url"]).raw_path.decode()


def test_a_file_is_sent_without_a_key_and_stored_once(service: RunningService, owner: OwnerFixture) -> None:
    link = new_link(owner.key(), profileId=owner.profile_id, fileName="oven.jpg")
    sent = [service.client().put(path_of(link), content=PHOTO) for _ in range(2)]
    assert [answer.status_code for answer in sent] == [201, 201]
    (row,) = owner.session.get("/media").json()["data"]
    assert (row["id"], row["fileName"], row["profileId"]) == (link["mediaId"], "oven.jpg", owner.profile_id)
    assert [answer.json()["id"] for answer in sent] == [row["id"]] * 2


@pytest.mark.both_engines
def test_what_the_address_says_cannot_be_changed(
    service: RunningService, owner: OwnerFixture, other_owner: OwnerFixture
) -> None:
    path = path_of(new_link(owner.key()))
    ticket = path.rpartition("/")[2]
    content, _, signature = ticket.partition(".")
    theirs = path_of(new_link(other_owner.key())).rpartition("/")[2].partition(".")[0]
    empty = urlsafe_b64encode(b"[]").decode()
    for forged in (f"{theirs}.{signature}", f"{content}.{signature[:-2]}aa", f"{empty}.{signature}", content, "x.y"):
        problem_of(service.client().put(f"/media/links/{forged}", content=PHOTO), 404, "not_found")
    assert service.client().put(path, content=PHOTO).status_code == 201


def test_a_key_gives_addresses_only_for_what_it_covers(owner: OwnerFixture) -> None:
    other = owner.new_profile()
    limited = owner.limited_key(other)
    problem_of(limited.post("/media/links", json={"profileId": owner.profile_id}), 403, "out_of_scope")
    problem_of(owner.key(permission="read").post("/media/links", json={}), 403, "read_only_key")
    sent = owner.session.put(path_of(new_link(limited)), content=PHOTO)
    assert sent.json()["profileId"] == other


def test_what_is_no_file_can_be_sent_again(service: RunningService, owner: OwnerFixture) -> None:
    link = new_link(owner.key())
    problem_of(service.client().put(path_of(link), content=PHOTO[:200]), 422, "unreadable_media")
    assert service.client().put(path_of(link), content=PHOTO).json()["id"] == link["mediaId"]


def test_an_address_expires(start_service: StartService) -> None:
    with start_service() as service:
        link = new_link(service.new_owner().key())
        service.clock.offset += timedelta(minutes=15)
        problem_of(service.client().put(path_of(link), content=PHOTO), 404, "not_found")
