"""Generating texts, images, videos and audio: as tasks, with results that posts can use at once."""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from journeys.commands import run
from socialgate.core.jobs.service import JobService
from support.ads_api import connect_agency
from support.connections import connect_accounts
from support.generations import begin, generate, get_generation, picture, wait_for_generation
from support.operation_area import count_to
from support.problems import problem_of
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService, StartService

PROMPT = "Announce our new rye bread"


def test_models_say_what_they_are_for(owner: OwnerFixture) -> None:
    listed = owner.session.get("/ai/models").json()
    models = {item.pop("id"): item for item in listed["data"]}
    assert models["gpt-5.4-mini"] == {"type": ["copy"], "default": True, "provider": "openai", "endsOn": None}
    assert models["gpt-image-1.5"] == {"type": ["image"], "default": False, "provider": "openai", "endsOn": None}
    assert models["sandbox-video"]["type"] == ["video"]
    assert models["sandbox-tts"]["type"] == ["audio"]
    assert not [name for name in models if "embedding" in name or "moderation" in name]
    assert (listed["nextCursor"], listed["unavailable"]) == (None, [])
    # OpenAI has shut it down.
    assert "sora-2" not in models


def test_defaults_are_models_that_the_provider_lists(start_service: StartService) -> None:
    """The clocks of the service and of the sandbox move to a day on which the usual model for audio is gone."""
    usual = {"copy": "gpt-5.4-mini", "image": "gpt-image-2", "video": "sandbox-video"}
    for day, audio in (("2026-11-17", "gpt-4o-mini-tts"), ("2027-01-06", "sandbox-tts")):
        with start_service() as running, Sandbox(running) as sandbox:
            moment = datetime.fromisoformat(f"{day}T12:00:00+00:00")
            running.clock.offset = moment - datetime.now(UTC)
            sandbox.control("clock", to=moment.isoformat())
            owner = OwnerFixture(running)
            models = owner.session.get("/ai/models").json()["data"]
            assert {kind: model["id"] for model in models if model["default"] for kind in model["type"]} == {
                **usual,
                "audio": audio,
            }
            assert generate(owner.session, "audio", text="Good morning")["model"] == audio


def test_without_a_model_for_videos_the_list_and_the_error_say_so(start_service: StartService) -> None:
    with start_service(ai_models="gpt-5.4-mini, gpt-image-2") as running:
        owner = OwnerFixture(running)
        listed = owner.session.get("/ai/models").json()
        missing = {item["type"]: item["detail"] for item in listed["unavailable"]}
        assert set(missing) == {"video", "audio"}
        assert "SOCIALGATE_AI_VIDEO_MODEL" in missing["video"]
        answer = owner.session.post("/ai/generate-video", json={"prompt": "Steam rises"})
        (fault,) = problem_of(answer, 422)["errors"]
        assert (fault["pointer"], fault["code"], fault["detail"]) == ("/model", "not_available", missing["video"])
        assert owner.session.get("/ai/generations").json()["data"] == []


def test_a_text_is_written_for_the_places_where_it_is_published(owner: OwnerFixture, sandbox: Sandbox) -> None:
    (account_id,) = connect_accounts(sandbox, owner, "threads")
    values = {"kinds": ["tiktok", "youtube"], "accountIds": [account_id], "variants": 2, "maxLength": 300}
    created = begin(owner.session, "copy", prompt=PROMPT, **values)
    assert (created["type"], created["status"], created["model"]) == ("copy", "queued", "gpt-5.4-mini")
    assert (created["result"], created["error"], created["source"]) == (None, None, "api")
    result = wait_for_generation(owner.session, created)
    assert result["request"].items() >= {"prompt": PROMPT, **values}.items()
    assert result["progress"] == {"done": 2, "total": 2, "unit": "variants"}
    first, second = result["result"]["variants"]
    assert first["text"] != second["text"]
    for variant in (first, second):
        limits = [(check["kind"], check["limit"], check["unit"]) for check in variant["checks"]]
        assert limits == [
            ("tiktok", 2200, "utf16"),
            ("youtube", 5000, "bytes"),
            ("threads", 500, "characters"),
            (None, 300, "characters"),
        ]
        assert all(check["fits"] and 0 < check["length"] <= check["limit"] for check in variant["checks"])
    assert result["usage"]["inputTokens"] > 0 < result["usage"]["outputTokens"]
    assert result["expiresAt"] > result["finishedAt"]


def test_style_and_images_reach_the_model(owner: OwnerFixture, sandbox: Sandbox) -> None:
    style = {"language": "German", "hashtags": True, "tone": "formal", "mediaIds": [picture(owner.session, "GIF")]}
    result = generate(owner.session, "copy", prompt="Roggenbrot", **style)
    assert "#" in result["result"]["variants"][0]["text"]
    call = sandbox.listed("received", platform="openai", path="*/chat/completions", limit=1)[0]
    system, user = call["body"]["messages"]
    assert "German" in system["content"]
    assert "formal" in system["content"]
    assert "Roggenbrot" not in system["content"]
    assert user["content"][1]["image_url"]["url"].startswith("data:image/gif;base64,")


def test_images_are_files_that_posts_can_use(owner: OwnerFixture, sandbox: Sandbox) -> None:
    values = {"prompt": "A loaf of bread", "count": 2, "aspectRatio": "4:5", "profileId": owner.profile_id}
    result = generate(owner.session, "image", **values)
    media = result["result"]["media"]
    assert [item["id"] for item in media] == result["result"]["mediaIds"]
    assert {(item["type"], item["mimeType"], item["width"], item["height"]) for item in media} == {
        ("image", "image/jpeg", 1024, 1280)
    }
    assert {item["profileId"] for item in media} == {owner.profile_id}
    assert httpx.get(media[0]["url"]).headers["content-type"] == "image/jpeg"
    assert len({httpx.get(item["url"]).content for item in media}) == 2
    connect_accounts(sandbox, owner, "meta")
    accounts = owner.session.get("/accounts").json()["data"]
    target = next(account["id"] for account in accounts if account["kind"] == "instagram")
    body = {"profileId": owner.profile_id, "content": "Bread", "media": [{"mediaId": media[0]["id"]}], "draft": True}
    post = owner.session.post("/posts", json={**body, "targets": [{"accountId": target}]})
    assert post.status_code == 201, post.text
    assert result["usage"]["outputTokens"] > 0


def test_an_image_is_based_on_others(owner: OwnerFixture, sandbox: Sandbox) -> None:
    references = [picture(owner.session), picture(owner.session, "JPEG")]
    values = {"model": "gpt-image-1.5", "aspectRatio": "16:9", "format": "png", "quality": "low"}
    result = generate(owner.session, "image", prompt="The same at night", mediaIds=references, **values)
    assert [item["mimeType"] for item in result["result"]["media"]] == ["image/png"]
    assert "16:9" in result["result"]["warnings"][0]
    assert sandbox.listed("received", platform="openai", path="*/images/edits", limit=1)[0]["status"] == 200


@pytest.mark.parametrize(
    ("form", "mime_type"),
    [("mp3", "audio/mpeg"), ("opus", "audio/ogg"), ("aac", "audio/aac"), ("flac", "audio/flac"), ("wav", "audio/wav")],
)
def test_a_text_is_read_out(owner: OwnerFixture, form: str, mime_type: str) -> None:
    result = generate(owner.session, "audio", text="Fresh bread at seven", voice="nova", format=form, speed=1.5)
    (media,) = result["result"]["media"]
    assert (media["type"], media["mimeType"]) == ("audio", mime_type)
    assert form == "flac" or media["duration"] > 0
    assert media["fileName"].endswith(f".{form}")


def test_a_video_is_made(owner: OwnerFixture, sandbox: Sandbox) -> None:
    sandbox.control("outcome", platform="openai", account="org-AdasBakerySandbox", seconds=0)
    first = picture(owner.session, size=(1280, 720))
    values = {"seconds": 8, "aspectRatio": "16:9", "imageMediaId": first}
    result = generate(owner.session, "video", prompt="Steam rises", **values)
    (media,) = result["result"]["media"]
    assert (media["mimeType"], media["width"], media["height"]) == ("video/mp4", 1280, 720)
    assert round(media["duration"]) == 8
    assert result["progress"] == {"done": 100, "total": 100, "unit": "percent"}


@pytest.mark.parametrize(
    ("media_type", "body", "pointer", "code"),
    [
        ("copy", {"prompt": "x", "prompts": 1}, "/prompts", "unknown_field"),
        ("copy", {"prompt": "x", "variants": 6}, "/variants", "invalid"),
        ("copy", {"prompt": "x", "kinds": ["myspace"]}, "/kinds/0", "invalid"),
        ("copy", {"prompt": "x", "kinds": ["threads", "meta_ads"]}, "/kinds/1", "invalid"),
        ("copy", {"prompt": " \n\t"}, "/prompt", "invalid"),
        ("copy", {"prompt": "x", "accountIds": ["acc_x"]}, "/accountIds/0", "not_found"),
        ("copy", {"prompt": "x", "mediaIds": ["med_x"]}, "/mediaIds/0", "not_found"),
        ("image", {"prompt": "x", "count": 5}, "/count", "invalid"),
        ("image", {"prompt": "x", "size": "large"}, "/size", "invalid"),
        ("image", {"prompt": "x", "size": "1024x1024", "aspectRatio": "1:1"}, "/aspectRatio", "contradiction"),
        ("video", {"prompt": "x", "imageMediaId": "med_x"}, "/imageMediaId", "not_found"),
        ("audio", {"text": "x", "speed": 9}, "/speed", "invalid"),
        ("audio", {}, "/text", "required"),
        ("audio", {"text": " "}, "/text", "invalid"),
    ],
)
def test_what_cannot_be_generated_is_rejected_at_once(
    owner: OwnerFixture, media_type: str, body: dict[str, Any], pointer: str, code: str
) -> None:
    problem = problem_of(owner.session.post(f"/ai/generate-{media_type}", json=body), 422)
    assert [(item["pointer"], item["code"]) for item in problem["errors"]] == [(pointer, code)]


@pytest.mark.parametrize(
    ("media_type", "model", "able"),
    [
        ("image", "gpt-5.4-mini", "gpt-image-2"),
        ("video", "gpt-image-2", "sandbox-video"),
        ("audio", "gpt-5.4-mini", "sandbox-tts"),
        ("copy", "sandbox-video", "gpt-5.4-mini"),
    ],
)
def test_a_model_for_something_else_is_rejected_with_those_that_can(
    owner: OwnerFixture, media_type: str, model: str, able: str
) -> None:
    body = {"text" if media_type == "audio" else "prompt": PROMPT, "model": model}
    (fault,) = problem_of(owner.session.post(f"/ai/generate-{media_type}", json=body), 422)["errors"]
    assert (fault["pointer"], fault["code"]) == ("/model", "not_supported")
    offered = fault["detail"].split("Models that do: ")[1].rstrip(".").split(", ")
    assert able in offered
    assert model not in offered
    assert owner.session.get("/ai/generations").json()["data"] == []


def test_texts_are_for_the_kinds_that_accept_them(owner: OwnerFixture) -> None:
    answer = owner.session.post("/ai/generate-copy", json={"prompt": PROMPT, "kinds": ["myspace"]})
    (fault,) = problem_of(answer, 422)["errors"]
    offered = set(re.findall(r"[a-z_]+", fault["detail"].split(", not ")[0]))
    for kind in owner.session.get("/platforms").json()["data"]:
        accepts = kind["limits"].get("textMax") is not None
        assert (kind["kind"] in offered) is accepts, kind["kind"]


def test_no_text_is_written_for_an_ad_account(owner: OwnerFixture, sandbox: Sandbox) -> None:
    ads = connect_agency(sandbox, owner)[0]["id"]
    answer = owner.session.post("/ai/generate-copy", json={"prompt": PROMPT, "accountIds": [ads]})
    (fault,) = problem_of(answer, 422)["errors"]
    assert (fault["pointer"], fault["code"]) == ("/accountIds/0", "not_supported")
    assert "instagram, " in fault["detail"]
    assert "meta_ads" not in fault["detail"]


def test_models_look_at_images_alone(owner: OwnerFixture) -> None:
    text = owner.session.post("/upload", content=b"Not an image").json()["id"]
    problem = problem_of(owner.session.post("/ai/generate-copy", json={"prompt": "x", "mediaIds": [text]}), 422)
    assert problem["errors"][0]["code"] == "media_type"
    body = {"prompt": "x", "mediaIds": [picture(owner.session, "GIF")]}
    problem = problem_of(owner.session.post("/ai/generate-image", json=body), 422)
    assert problem["errors"][0] == {
        "pointer": "/mediaIds/0",
        "code": "media_type",
        "detail": "The type of the file is image/gif. Convert it to one of: image/jpeg, image/png, image/webp.",
    }


@pytest.mark.both_engines
def test_a_key_sees_the_generations_of_its_profiles(owner: OwnerFixture, other_owner: OwnerFixture) -> None:
    other = owner.new_profile()
    ours, both = owner.limited_key(owner.profile_id), owner.limited_key(owner.profile_id, other)
    of_owner = begin(owner.session, "copy", prompt=PROMPT)
    of_other = begin(owner.session, "copy", prompt=PROMPT, profileId=other)
    created = begin(ours, "copy", prompt=PROMPT)
    assert (of_owner["profileId"], created["profileId"]) == (None, owner.profile_id)
    problem = problem_of(both.post("/ai/generate-copy", json={"prompt": "x"}), 422)
    assert problem["errors"][0]["pointer"] == "/profileId"
    problem_of(ours.post("/ai/generate-copy", json={"prompt": "x", "profileId": other}), 403, "out_of_scope")
    assert [item["id"] for item in ours.get("/ai/generations").json()["data"]] == [created["id"]]
    assert len(both.get("/ai/generations").json()["data"]) == 2
    problem_of(ours.get(f"/ai/generate/{of_other['id']}"), 403, "out_of_scope")
    problem_of(ours.get(f"/ai/generate/{of_owner['id']}"), 403)
    problem_of(other_owner.session.get(f"/ai/generate/{created['id']}"), 404, "not_found")
    assert other_owner.session.get("/ai/generations").json()["data"] == []
    foreign = picture(other_owner.session)
    problem_of(owner.session.post("/ai/generate-copy", json={"prompt": "x", "mediaIds": [foreign]}), 422)


@pytest.mark.both_engines
def test_generations_are_listed_by_what_they_are(owner: OwnerFixture, service: RunningService) -> None:
    texts = [begin(owner.session, "copy", prompt=PROMPT, profileId=owner.profile_id)["id"] for _ in range(3)]
    audio = begin(owner.session, "audio", text="Hello")["id"]
    for item in (*texts, audio):
        wait_for_generation(owner.session, {"id": item})

    def listed(**query: Any) -> list[str]:
        return [item["id"] for item in owner.session.get("/ai/generations", params=query).json()["data"]]

    assert listed() == [audio, *reversed(texts)]
    assert listed(type="copy", status="succeeded", profileId=owner.profile_id) == texts[::-1]
    assert (listed(type="video"), listed(status="failed")) == ([], [])
    page = owner.session.get("/ai/generations", params={"limit": 2}).json()
    assert listed(limit=2, cursor=page["nextCursor"]) == [texts[1], texts[0]]
    # Tasks have ids with several prefixes, and are listed in the order of their creation nevertheless.
    task = str(service.write(count_to, service.service.container.get(JobService), owner.id, owner.profile_id, 1))
    last = begin(owner.session, "copy", prompt=PROMPT)["id"]
    result: list[str] = []
    cursor: str | None = None
    while cursor is not None or not result:
        page = owner.session.get("/tasks", params={"limit": 2, **({"cursor": cursor} if cursor else {})}).json()
        result += [item["id"] for item in page["data"]]
        cursor = page["nextCursor"]
    assert result == [last, task, audio, *reversed(texts)]


def test_a_generation_can_be_cancelled(owner: OwnerFixture, sandbox: Sandbox) -> None:
    fault = sandbox.control("fail", platform="openai", path="*/audio/speech", hang=True)["id"]
    created = begin(owner.session, "audio", text="Hello")
    while fault not in {item["fault"] for item in sandbox.http.get("/_control/fail").json()["hanging"]}:
        assert get_generation(owner.session, created["id"])["finishedAt"] is None
    assert owner.session.delete(f"/tasks/{created['id']}").json()["status"] == "running"
    sandbox.http.delete("/_control/fail")
    result = wait_for_generation(owner.session, created)
    assert (result["status"], result["result"], result["error"]) == ("cancelled", None, None)
    assert owner.session.get("/media").json()["data"] == []


def test_without_a_provider_nothing_is_generated(start_service: StartService) -> None:
    with start_service(sandbox=False) as running:
        owner = OwnerFixture(running)
        for answer in (
            owner.session.get("/ai/models"),
            owner.session.post("/ai/generate-copy", json={"prompt": "x"}),
        ):
            assert "SOCIALGATE_AI_API_KEY" in problem_of(answer, 409, "ai_not_configured")["detail"]


def test_a_server_of_the_operators_own_is_used_and_checked(
    start_service: StartService, service: RunningService, tmp_path: Path
) -> None:
    """The sandbox stands in for it: it is on loopback, as a server on the same machine would be."""
    url = f"{service.sandbox.url}/openai/api.openai.com/v1"
    key = service.sandbox.keys.services["openai"].secret
    with start_service(sandbox=False, ai_url=url, ai_api_key=key, ai_copy_model="gpt-5.4") as running:
        owner = OwnerFixture(running)
        models = {item["id"]: item for item in owner.session.get("/ai/models").json()["data"]}
        assert [name for name, model in models.items() if model["default"]] == ["gpt-5.4"]
        assert {model["provider"] for model in models.values()} == {urlsplit(url).netloc}
        assert generate(owner.session, "copy", prompt=PROMPT)["model"] == "gpt-5.4"
        problem = problem_of(owner.session.post("/ai/generate-image", json={"prompt": "x"}), 422)
        assert "SOCIALGATE_AI_IMAGE_MODEL" in problem["errors"][0]["detail"]
    for value, code, words in ((key, 0, "✓ ai: "), ("sk-wrong-key", 1, "✗ ai: ")):
        checked = run(tmp_path, "doctor", port=0, ai_url=url, ai_api_key=value)
        assert checked.returncode == code, checked.stdout
        (line,) = [line for line in checked.stdout.splitlines() if words in line]
        assert value not in checked.stdout
    assert "SOCIALGATE_AI_API_KEY" in line


def test_a_plan_limits_how_much_is_generated(start_service: StartService, tmp_path: Path) -> None:
    plans = tmp_path / "plans.toml"
    plans.write_text("[tiny]\naiGenerations = 1\nuploadBytes = 10\n")
    with start_service(plans_file=plans, default_plan="tiny") as running:
        owner = OwnerFixture(running)
        # What was generated is no upload.
        assert len(generate(owner.session, "image", prompt="Bread")["result"]["media"]) == 1
        problem_of(owner.session.post("/ai/generate-copy", json={"prompt": PROMPT}), 402, "plan_limit_reached")
        assert len(owner.session.get("/ai/generations").json()["data"]) == 1
        used = {item["name"]: item["used"] for item in owner.session.get("/usage").json()["metrics"]}
        assert (used["aiGenerations"], used["uploadBytes"]) == (1, 0)
