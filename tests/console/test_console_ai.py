"""AI: what is generated here, in Compose and with the API, with its files; and how it is set up where it is not."""

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest

from console.browser import Browser, location, signed_in
from support.generations import PROVIDER, generate, generate_failing, wait_for_generation
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService, StartService

PATH = "/console/ai"
SCRIPT = "<script>alert('x')</script>\"'"


@pytest.fixture(scope="module")
def sandbox(service: RunningService) -> Iterator[Sandbox]:
    with Sandbox(service) as sandbox:
        yield sandbox


def shown(text: str) -> str:
    return unescape(" ".join(re.sub(r"<[^>]+>", " ", text).split()))


def finished(owner: OwnerFixture, address: str) -> dict[str, Any]:
    return wait_for_generation(owner.session, {"id": re.findall(r"gen_\w+", address)[0]})


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("copy", {"prompt": f"Rye {SCRIPT}", "tone": SCRIPT, "language": "English", "variants": "2"}),
        ("image", {"prompt": f"A loaf {SCRIPT}", "aspectRatio": "1:1", "count": "2"}),
        ("audio", {"text": f"Rye {SCRIPT}", "voice": "alloy", "speed": "1.25"}),
    ],
)
def test_something_is_generated_and_shown(owner: OwnerFixture, kind: str, fields: dict[str, str]) -> None:
    browser = signed_in(owner)
    assert f'action="{PATH}/{kind}"' in browser.get(f"{PATH}?new={kind}").text
    address = location(browser.press(f"{PATH}/{kind}", profileId=owner.profile_id, **fields))
    generation = finished(owner, address)
    assert (generation["status"], generation["profileId"]) == ("succeeded", owner.profile_id)
    detail, listed = browser.get(address).text, browser.get(PATH).text
    for text in (detail, listed):
        assert ("<script>alert" in text, "&lt;script&gt;" in text) == (False, True)
    assert address in listed
    for variant in generation["result"]["variants"]:
        assert " ".join(variant["text"].split()) in shown(detail)
    for media_id in generation["result"]["mediaIds"]:
        assert media_id in detail
    assert generation["id"] in browser.get(f"{PATH}?type={kind}&status=succeeded").text
    assert "Nothing matches." in browser.get(f"{PATH}?type={kind}&status=failed").text


def test_what_is_wrong_is_beside_its_field(owner: OwnerFixture) -> None:
    browser = signed_in(owner)
    assert "Nothing generated yet" in browser.get(PATH).text
    empty = browser.press(f"{PATH}/image", prompt="", aspectRatio="1:1")
    assert (empty.status_code, "This cannot be left empty." in empty.text) == (422, True)
    # The form of images is shown again, with what was chosen.
    assert '<option value="1:1" selected>' in empty.text
    model = browser.press(f"{PATH}/video", prompt="Steam", model="gpt-image-2")
    assert (model.status_code, "not videos" in model.text) == (422, True)
    many = browser.press(f"{PATH}/copy", prompt="Rye", variants="9")
    assert many.status_code == 422
    assert owner.session.get("/ai/generations").json()["data"] == []


def test_a_failure_says_why(owner: OwnerFixture, sandbox: Sandbox) -> None:
    sandbox.control("refuse", **PROVIDER)
    error = generate_failing(owner.session, "image", prompt="Rye")
    generation = owner.session.get("/ai/generations").json()["data"][0]
    browser = signed_in(owner)
    for path in (PATH, f"{PATH}/{generation['id']}"):
        assert error["detail"] in shown(browser.get(path).text)


def test_it_can_be_cancelled(owner: OwnerFixture, sandbox: Sandbox) -> None:
    fault = sandbox.control("fail", platform="openai", path="*/audio/speech", hang=True)["id"]
    browser = signed_in(owner)
    address = location(browser.press(f"{PATH}/audio", text="Hello"))
    while fault not in {item["fault"] for item in sandbox.http.get("/_control/fail").json()["hanging"]}:
        waiting = browser.get(address)
        assert (waiting.headers["refresh"], "It continues if you leave this page." in waiting.text) == ("3", True)
    assert location(browser.press(f"{address}/cancel")) == address
    sandbox.http.delete("/_control/fail")
    assert finished(owner, address)["status"] == "cancelled"
    done = browser.get(address)
    assert ("refresh" in done.headers, "Cancelled" in done.text) == (False, True)


def test_without_a_provider_the_page_says_how_to_get_one(start_service: StartService) -> None:
    with start_service(sandbox=False) as running:
        browser = signed_in(running.new_owner())
        text = shown(browser.get(PATH).text)
        assert "No AI provider is set up" in text
        assert "SOCIALGATE_AI_API_KEY" in text
        refused = browser.press(f"{PATH}/copy", prompt="Rye")
        assert (refused.status_code, "No AI provider is set up" in refused.text) == (409, True)


def test_others_see_nothing_of_it(owner: OwnerFixture, other_owner: OwnerFixture) -> None:
    generation = generate(owner.session, "copy", prompt="Secret rye")
    browser: Browser = signed_in(other_owner)
    assert generation["id"] not in browser.get(PATH).text
    assert browser.get(f"{PATH}/{generation['id']}").status_code == 404
    assert browser.press(f"{PATH}/{generation['id']}/cancel").status_code == 404
    refused = browser.press(f"{PATH}/copy", prompt="x", profileId=owner.profile_id)
    assert refused.status_code == 404
    assert other_owner.session.get("/ai/generations").json()["data"] == []
