"""Keys, limits, errors and the small endpoints, as OpenAI's SDK sees them."""

from typing import Any

import openai
import pytest
from openai import OpenAI

from sandbox.openai.client import ORGANIZATION_ID, Service

MESSAGES: Any = [{"role": "user", "content": "Write a post about buns."}]


def ask(sdk: OpenAI, **more: Any) -> Any:
    return sdk.chat.completions.create(**{"model": "sandbox-chat", "messages": MESSAGES} | more)


def test_models(service: Service) -> None:
    names = {model.id for model in service.sdk.models.list()}
    assert {"sandbox-chat", "gpt-image-2", "sandbox-tts", "sandbox-video", "text-embedding-3-small"} <= names
    assert service.sdk.models.retrieve("sandbox-chat").object == "model"
    with pytest.raises(openai.NotFoundError) as missing:
        service.sdk.models.retrieve("gpt-0")
    assert missing.value.code == "model_not_found"
    with pytest.raises(openai.NotFoundError) as missing:
        ask(service.sdk, model="gpt-0")
    assert missing.value.code == "model_not_found"
    with pytest.raises(openai.NotFoundError) as missing:
        ask(service.sdk, model="sandbox-tts")
    assert missing.value.param == "model"


def test_a_key_is_needed_until_it_is_revoked(service: Service) -> None:
    with (
        OpenAI(api_key="sk-proj-wrong-key-123", base_url=service.url, max_retries=0) as other,
        pytest.raises(openai.AuthenticationError, match=r"sk-proj-\*+-123") as refused,
    ):
        ask(other)
    assert refused.value.code == "invalid_api_key"
    assert service.sandbox.client.get(f"{service.url}/models").status_code == 401
    assert service.control("credentials")["apiKey"] == service.key
    service.control("revoke")
    with pytest.raises(openai.AuthenticationError):
        service.sdk.models.list()
    service.control("restore")
    assert ask(service.sdk).choices


def test_a_used_up_quota_is_not_a_rate_limit(service: Service) -> None:
    service.control("quota")
    for call in (
        lambda: ask(service.sdk),
        lambda: service.sdk.images.generate(model="gpt-image-2", prompt="x"),
        lambda: service.sdk.audio.speech.create(model="sandbox-tts", voice="nova", input="x"),
    ):
        with pytest.raises(openai.RateLimitError) as refused:
            call()
        assert (refused.value.code, refused.value.type) == ("insufficient_quota", "insufficient_quota")
        assert "retry-after" not in refused.value.response.headers
    assert service.sandbox.look("accounts")["data"][0]["state"] == "quota exhausted"
    service.control("quota", exhausted=False)
    assert ask(service.sdk).choices


@pytest.mark.parametrize(
    ("error", "kind", "code"),
    [
        ("rate_limited", openai.RateLimitError, "rate_limit_exceeded"),
        ("insufficient_quota", openai.RateLimitError, "insufficient_quota"),
        ("invalid_api_key", openai.AuthenticationError, "invalid_api_key"),
        ("content_policy_violation", openai.BadRequestError, "content_policy_violation"),
        ("moderation_blocked", openai.BadRequestError, "moderation_blocked"),
        ("model_not_found", openai.NotFoundError, "model_not_found"),
        ("country_not_supported", openai.PermissionDeniedError, "unsupported_country_region_territory"),
        ("server_error", openai.InternalServerError, None),
        ("overloaded", openai.InternalServerError, None),
    ],
)
def test_every_error_can_be_caused(
    service: Service, error: str, kind: type[openai.APIStatusError], code: str | None
) -> None:
    service.sandbox.control("fail", platform="openai", error=error, account=ORGANIZATION_ID)
    with pytest.raises(kind) as refused:
        ask(service.sdk)
    assert refused.value.code == code
    assert (refused.value.request_id or "").startswith("req_")
    assert ask(service.sdk).choices


def test_a_rate_limit_says_when_to_come_back(service: Service) -> None:
    service.sandbox.control("throttle", platform="openai", perMinute=1)
    assert ask(service.sdk).choices
    with pytest.raises(openai.RateLimitError) as refused:
        ask(service.sdk)
    headers = refused.value.response.headers
    assert (headers["retry-after"], headers["x-ratelimit-remaining-requests"]) == ("1", "0")
    assert refused.value.type == "requests"


def test_headers_say_who_called_and_what_is_left(service: Service) -> None:
    first, second = (
        service.sdk.chat.completions.with_raw_response.create(model="sandbox-chat", messages=MESSAGES) for _ in "ab"
    )
    assert first.headers["openai-organization"] == "adas-bakery"
    assert first.headers["x-request-id"] != second.headers["x-request-id"]
    assert int(first.headers["openai-processing-ms"]) >= 0
    left = [int(api_response.headers["x-ratelimit-remaining-requests"]) for api_response in (first, second)]
    assert left[0] - left[1] == 1
    assert int(first.headers["x-ratelimit-remaining-tokens"]) < int(first.headers["x-ratelimit-limit-tokens"])


@pytest.mark.parametrize(
    ("body", "param", "code"),
    [
        ({"messages": MESSAGES}, "model", "missing_required_parameter"),
        ({"model": "sandbox-chat", "messages": []}, "messages", "empty_string"),
        (
            {"model": "sandbox-chat", "messages": [{"role": "boss", "content": "x"}]},
            "messages[0].role",
            "invalid_value",
        ),
        ({"model": "sandbox-chat", "messages": MESSAGES, "n": 0}, "n", "integer_below_min_value"),
        ({"model": "sandbox-chat", "messages": MESSAGES, "temperature": 3}, "temperature", "decimal_above_max_value"),
        ({"model": "sandbox-chat", "messages": MESSAGES, "stream": "yes"}, "stream", "invalid_type"),
        ({"model": "sandbox-chat", "messages": MESSAGES, "colour": 1}, "colour", "unknown_parameter"),
    ],
)
def test_a_wrong_parameter_is_named(service: Service, body: dict[str, Any], param: str, code: str) -> None:
    answer = service.sandbox.client.post(f"{service.url}/chat/completions", json=body, headers=service.headers)
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert (error["type"], error["param"], error["code"]) == ("invalid_request_error", param, code)


def test_what_is_no_json_and_what_is_no_path(service: Service) -> None:
    post, headers = service.sandbox.client.post, service.headers | {"content-type": "application/json"}
    broken = post(f"{service.url}/chat/completions", content=b"{", headers=headers)
    assert (broken.status_code, "could not parse" in broken.json()["error"]["message"]) == (400, True)
    assert post(f"{service.url}/chat/completions", content=b"[]", headers=headers).status_code == 400
    missing = post(f"{service.url}/nothing", json={}, headers=headers)
    assert (missing.status_code, missing.json()["error"]["message"]) == (404, "Invalid URL (POST /v1/nothing)")


def test_moderations(service: Service) -> None:
    parts: Any = [{"type": "text", "text": "I will kill you"}]
    fine, bad = service.sdk.moderations.create(input=["Fresh buns", "murder"]).results
    assert (fine.flagged, bad.flagged, bad.categories.violence) == (False, True, True)
    assert bad.category_scores.violence > 0.5 > fine.category_scores.violence
    assert service.sdk.moderations.create(input=parts).results[0].flagged


def test_embeddings(service: Service) -> None:
    create = service.sdk.embeddings.create
    texts = ["fresh cinnamon buns", "cinnamon buns", "tax law"]
    embedding_response = create(model="text-embedding-3-small", input=texts)
    vectors = [embedding.embedding for embedding in embedding_response.data]
    assert [len(vector) for vector in vectors] == [1536] * 3

    def nearness(left: list[float], right: list[float]) -> float:
        return sum(number * other for number, other in zip(left, right, strict=True))

    assert nearness(vectors[0], vectors[1]) > nearness(vectors[0], vectors[2])
    assert nearness(vectors[0], vectors[0]) == pytest.approx(1, abs=1e-5)
    plain = create(model="text-embedding-3-large", input=texts[0], dimensions=8, encoding_format="float")
    assert len(plain.data[0].embedding) == 8
    with pytest.raises(openai.BadRequestError):
        create(model="text-embedding-3-small", input=texts[0], dimensions=4000)
