"""AI: what is generated here, in Compose and with the API, with its files; and how it is set up where it is not."""

import re
from html import unescape
from typing import Any

import pytest

from console.browser import Browser, location, signed_in
from support.generations import begin, generate, generate_failing, wait_for_generation
from support.service import OwnerFixture, StartService

PATH = "/console/ai"
SCRIPT = "<script>alert('x')</script>\"'"


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
    assert location(browser.get(f"{PATH}/{kind}")) == PATH if kind == "copy" else True
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


def test_a_failure_says_why(owner: OwnerFixture) -> None:
    browser = signed_in(owner)
    error = generate_failing(owner.session, "image", prompt="moderation_blocked please", model="gpt-image-2")
    assert error["detail"] in shown(browser.get(PATH).text)


def test_it_can_be_cancelled(owner: OwnerFixture) -> None:
    browser = signed_in(owner)
    begun = begin(owner.session, "copy", prompt="Rye")
    wait_for_generation(owner.session, begun)
    late = browser.press(f"{PATH}/{begun['id']}/cancel")
    assert late.status_code in (303, 409)


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
    assert browser.press(f"{PATH}/copy", prompt="x", profileId=owner.profile_id).status_code in (403, 404, 422)
