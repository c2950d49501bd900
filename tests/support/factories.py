"""Real things for the places where routes name one: each public name has a factory here.

A route with a path parameter that is not listed fails the tests that walk all routes, and they say so.
"""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import pytest

from socialgate.connectors.registry import MANIFESTS
from socialgate.contracts.platforms import AccountChoice, ConnectMethod, Platform
from socialgate.core.ids import is_id
from socialgate.core.jobs.service import JobService
from support.connections import available, begin_qr_pairing, connect_accounts, get_connect_fields, sign_in
from support.operation_area import count_to
from support.sandbox import Sandbox, connect
from support.service import PASSWORD, OwnerFixture
from support.waiting import eventually

Factory = Callable[[OwnerFixture], str]
# A platform where signing in connects an account, and one where it connects an ad account.
ANY_PLATFORM, ANY_AD_PLATFORM = "threads", "tiktokads"


def _first_profile(owner: OwnerFixture) -> str:
    return owner.profile_id


def _new_key(owner: OwnerFixture) -> str:
    return str(_made(owner, "/api-keys", {"name": "a thing", "scope": "all"})["id"])


def _new_hook(owner: OwnerFixture) -> str:
    return str(_made(owner, "/hooks", {"url": "https://hooks.example.com/in", "events": ["post.published"]})["id"])


def _new_link(owner: OwnerFixture) -> str:
    return str(_made(owner, "/connect/links", {"profileId": owner.profile_id})["id"])


def _new_delivery(owner: OwnerFixture) -> str:
    if owner.session.get(f"/hooks/{get_or_create_id(owner, 'hookId')}").status_code == HTTPStatus.NOT_FOUND:
        # A test that calls every route has deleted the hook before it came here.
        owner.things["hookId"] = _new_hook(owner)
    return str(_made(owner, f"/hooks/{owner.things['hookId']}/test")["deliveryId"])


def _new_account(owner: OwnerFixture, platform: str = ANY_PLATFORM) -> str:
    with Sandbox(owner.running) as sandbox:
        if MANIFESTS[Platform(platform)].method is ConnectMethod.QR:
            return begin_qr_pairing(sandbox, owner)[0]
        return connect_accounts(sandbox, owner, platform)[0]


def _new_ad_account(owner: OwnerFixture) -> str:
    return _new_account(owner, ANY_AD_PLATFORM)


def _new_post(owner: OwnerFixture) -> str:
    return str(_made(owner, "/posts", {"profileId": owner.profile_id, "content": "a thing", "draft": True})["id"])


def _new_media(owner: OwnerFixture) -> str:
    uploaded = owner.session.post("/upload", params={"profileId": owner.profile_id}, content=b"a thing")
    assert uploaded.is_success, uploaded.text
    return str(uploaded.json()["id"])


def _new_upload(owner: OwnerFixture) -> str:
    begun = owner.session.post("/uploads", params={"profileId": owner.profile_id}, headers={"Upload-Length": "7"})
    assert begun.is_success, begun.text
    return str(begun.headers["location"]).rpartition("/")[2]


def _new_slot(owner: OwnerFixture) -> str:
    return str(
        _made(owner, "/queue/slots", {"profileId": owner.profile_id, "weekday": "monday", "time": "09:00"})["id"]
    )


def _new_task(owner: OwnerFixture) -> str:
    jobs = owner.running.service.container.get(JobService)
    return str(owner.running.write(count_to, jobs, owner.id, owner.profile_id, 3))


def _new_conversation(owner: OwnerFixture) -> str:
    """Have somebody write to the Page that stands for an account where messages are the matter."""
    account_id = account_on(owner, "meta")
    rows = owner.session.get("/accounts").json()["data"]
    (page,) = [row["platformAccountId"] for row in rows if row["id"] == account_id]
    with Sandbox(owner.running) as sandbox:
        sandbox.control("message", platform="meta", account=page, text="Hello")
    path = f"/accounts/{account_id}/conversations"
    return str(eventually(lambda: owner.session.get(path).json()["data"])[0]["id"])


def _new_operation(owner: OwnerFixture) -> str:
    """Ask a platform for something: whatever it answers, what was asked is on record."""
    account_id = get_or_create_id(owner, "accountId")
    if owner.session.get(f"/accounts/{account_id}/about").status_code == HTTPStatus.NOT_FOUND:
        # A test that calls every route has disconnected it before it came here.
        account_id = owner.things["accountId"] = _new_account(owner)
    owner.session.delete(f"/accounts/{account_id}/posts/{FIXED_PARAMETERS['objectId']}")
    return str(owner.session.get("/operations").json()["data"][0]["id"])


def _new_automation(owner: OwnerFixture) -> str:
    body = {"profileId": owner.profile_id, "name": "a thing"}
    rules = {"trigger": {"type": "message.received"}, "actions": [{"type": "stop"}]}
    return str(_made(owner, "/automations", {**body, **rules})["id"])


def _new_run(owner: OwnerFixture) -> str:
    """Have somebody write, so that the automation runs."""
    if owner.session.get(f"/automations/{get_or_create_id(owner, 'automationId')}").status_code == HTTPStatus.NOT_FOUND:
        # A test that calls every route has deleted it before it came here.
        owner.things["automationId"] = _new_automation(owner)
    _new_conversation(owner)
    path = f"/automations/{owner.things['automationId']}/runs"
    return str(eventually(lambda: owner.session.get(path).json()["data"])[0]["id"])


def _new_lead(owner: OwnerFixture) -> str:
    path = f"/accounts/{account_on(owner, 'meta')}/lead-forms/{FIXED_PARAMETERS['formId']}/test-webhook"
    return str(_made(owner, path)["id"])


def batch_of(owner: OwnerFixture) -> str:
    """Give a task that changes products: other tasks have no rows."""
    if "a batch" not in owner.things:
        place = {"adAccountId": get_or_create_id(owner, "adAccountId"), "catalogId": FIXED_PARAMETERS["catalogId"]}
        items = [{"method": "delete", "retailerId": "a thing"}]
        owner.things["a batch"] = str(_made(owner, "/commerce/products/batch", {**place, "items": items})["id"])
    return owner.things["a batch"]


def generation_of(owner: OwnerFixture) -> str:
    """Give a task that generates something."""
    if "a generation" not in owner.things:
        body = {"prompt": "a thing", "profileId": owner.profile_id}
        owner.things["a generation"] = str(_made(owner, "/ai/generate-copy", body)["id"])
    return owner.things["a generation"]


# What belongs to an owner, by the name of its id in paths, queries and bodies.
FACTORIES: dict[str, Factory] = {
    "profileId": _first_profile,
    "keyId": _new_key,
    "hookId": _new_hook,
    "deliveryId": _new_delivery,
    "accountId": _new_account,
    "adAccountId": _new_ad_account,
    "postId": _new_post,
    "mediaId": _new_media,
    "uploadId": _new_upload,
    "slotId": _new_slot,
    "taskId": _new_task,
    "operationId": _new_operation,
    "conversationId": _new_conversation,
    "automationId": _new_automation,
    "runId": _new_run,
    "leadId": _new_lead,
    "linkId": _new_link,
}

# Path parameters that are words of the interface, or ids of a platform, and belong to nobody.
FIXED_PARAMETERS = {
    "ticket": "bm90aGluZw.c2lnbmF0dXJl",
    "code": "not_found",
    "fileName": "posts.txt",
    "platform": "meta",
    "kind": "instagram",
    "objectId": "17900000000000001",
    "commentId": "17900000000000001",
    "formId": "1060000000000101",
    "catalogId": "7390000000000000001",
    "pixelId": "7590000000000000001",
    "eventId": "0f8fad5bd9cb469fa16570867728950e",
}

# Fields of bodies whose right value depends on who calls.
_VALUES = {"currentPassword": PASSWORD}


def get_or_create_id(owner: OwnerFixture, name: str) -> str:
    """Give the id that stands for this name with this owner, and make the thing if it is not there yet."""
    if name in FIXED_PARAMETERS:
        return FIXED_PARAMETERS[name]
    if name not in FACTORIES:
        pytest.fail(
            f"No test knows how to make a {name!r}. Add a factory for it to FACTORIES in tests/support/factories.py, "
            "or to WORDS if it is a word of the interface and not an id."
        )
    if name not in owner.things:
        owner.things[name] = FACTORIES[name](owner)
    return owner.things[name]


def account_on(owner: OwnerFixture, platform: str) -> str:
    """Give an account of one platform, for a route that is for that platform alone."""
    name = f"accountId on {platform}"
    if name not in owner.things:
        owner.things[name] = _new_account(owner, platform)
    return owner.things[name]


def calendar_of(owner: OwnerFixture) -> str:
    """Give a calendar, which is one of several kinds of accounts of its platform."""
    name = "accountId of a calendar"
    if name not in owner.things:
        with Sandbox(owner.running) as sandbox:
            owner.things[name] = connect(sandbox, owner, "google", kind=["google_calendar"])[0]
    return owner.things[name]


def signed_in(owner: OwnerFixture, platform: str) -> None:
    """Make sure that there is something to choose from on a platform."""
    name = f"signed in to {platform}"
    if name not in owner.things:
        with Sandbox(owner.running) as sandbox:
            sign_in(sandbox, owner, platform)
        owner.things[name] = platform


def known_to_platform(owner: OwnerFixture, platform: str, path: str) -> dict[str, Any]:
    """Give what a body must say for a platform to take it, by the names of its fields. It is asked for once."""
    if path not in owner.known:
        owner.known[path] = _asked_of_platform(owner, platform, path)
    return owner.known[path]


def _asked_of_platform(owner: OwnerFixture, platform: str, path: str) -> dict[str, Any]:
    if MANIFESTS[Platform(platform)].choice is AccountChoice.ALWAYS:
        return {"ids": available(owner, path)}
    with Sandbox(owner.running) as sandbox:
        return get_connect_fields(sandbox, platform)


def fill_example(example: Any, owner: OwnerFixture, name: str = "") -> Any:
    """Put the owner's own things into an example where it names some."""
    if name in _VALUES:
        return _VALUES[name]
    if isinstance(example, dict):
        return {field: fill_example(value, owner, field) for field, value in example.items()}
    if name == "accountIds":
        # Automations only accept accounts that can do what they are to do.
        return [account_on(owner, "meta")]
    if isinstance(example, list):
        singular = f"{name.removesuffix('Ids')}Id" if name.endswith("Ids") else name
        return [fill_example(value, owner, singular) for value in example]
    if isinstance(example, str) and is_id(example.partition("_")[0], example):
        return get_or_create_id(owner, name)
    return example


def _made(owner: OwnerFixture, path: str, body: dict[str, Any] | None = None) -> Any:
    answer = owner.session.post(path, json=body)
    assert answer.is_success, answer.text
    return answer.json()
