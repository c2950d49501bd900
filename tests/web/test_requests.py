"""What comes in is read strictly, and what is wrong with it is said with its place."""

import json
from datetime import datetime
from typing import Annotated, Any, Literal

import httpx
import msgspec
import pytest

from socialgate.connectors.registry import MANIFESTS
from socialgate.contracts.platforms import Kind, Platform
from socialgate.core.errors import InvalidRequest, MalformedJson
from socialgate.core.ids import is_id
from socialgate.web.option_validation import validate_options
from socialgate.web.request import MAX_JSON_BYTES, decode_body, parse_query
from socialgate.web.schemas import NonBlankText, QueryParameters, RequestBody
from support.problems import fault_of, problem_of
from support.service import OwnerFixture, RunningService

JSON = {"Content-Type": "application/json"}


class Part(RequestBody, frozen=True, kw_only=True):
    """Stands inside another body."""

    size: Annotated[int, msgspec.Meta(ge=1, le=9)]


class Whole(RequestBody, frozen=True, kw_only=True):
    """A body with faults at every depth."""

    parts: tuple[Part, ...] = ()
    by_name: dict[str, Part] | None = None
    ratio: float = 0.0


class Search(QueryParameters, frozen=True, kw_only=True):
    """A query with every kind of parameter."""

    word: str | None = None
    kinds: list[str] | None = None
    deep: bool = False
    page_size: Annotated[int, msgspec.Meta(ge=1)] = 1


class Named(RequestBody, frozen=True, kw_only=True):
    """A body with a name, and with a choice."""

    name: Annotated[NonBlankText, msgspec.Meta(max_length=5)] = "x"
    size: Literal["small", "large"] | None = None


class Since(QueryParameters, frozen=True, kw_only=True):
    """A query with a time."""

    since: datetime | None = None


def send(owner: OwnerFixture, body: bytes) -> httpx.Response:
    return owner.session.post("/profiles", content=body, headers=JSON)


def refusal(body: str) -> tuple[str, str]:
    """Give the place and the code of the fault in a body."""
    with pytest.raises(InvalidRequest) as caught:
        decode_body(body.encode(), Whole)
    (fault,) = caught.value.errors
    return fault.pointer, fault.code


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b" ",
        b"{",
        b"{'name': 'x'}",
        b'{"name": "x",}',
        b'{"name": "x"} {}',
        b'{"name": undefined}',
        b'{"name": NaN}',
        b'{"name": Infinity}',
        b'{"name": "a", "name": "b"}',
        b'{"name": "a", "n\\u0061me": "b"}',
        b'{"name": {"x": 1, "x": 2}}',
        b'{"name": "\xff"}',
        b'{"name": "\xed\xa0\x80"}',
        b'{"name": "\\ud800"}',
        b'{"name": "\\udc00\\ud800"}',
        b'{"name": "a\x00b"}',
        b'{"name": "line\nbreak"}',
        b'\xef\xbb\xbf{"name": "x"}',
        b"\x00",
        json.dumps({"name": "x"}).encode("utf-16"),
    ],
)
def test_what_is_not_json_is_400(lasting_owner: OwnerFixture, body: bytes) -> None:
    problem_of(send(lasting_owner, body), 400, "malformed_json")


def test_a_number_with_thousands_of_digits_is_out_of_range(lasting_owner: OwnerFixture) -> None:
    answer = send(lasting_owner, b'{"name": ' + b"9" * 5000 + b"}")
    assert [item["code"] for item in problem_of(answer, 422, "invalid")["errors"]] == ["out_of_range"]


@pytest.mark.parametrize("field", ["name", "surprise"])
def test_deep_nesting_is_refused_and_never_a_fault_of_ours(lasting_owner: OwnerFixture, field: str) -> None:
    """Where the readers reach their own limits, one a little before the other, is at some of these depths."""
    for depth in [*range(900, 1001, 5), 100_000]:
        body = f'{{"{field}":'.encode() + b"[" * depth + b"]" * depth + b"}"
        answer = send(lasting_owner, body)
        assert answer.status_code in ({400} if depth == 100_000 else {400, 422}), depth


def test_many_keys_with_a_doubled_one_are_refused_without_ado(lasting_owner: OwnerFixture) -> None:
    """Comparing each key with each other one would take minutes here, and a client waits for half of one."""
    keys = ",".join(f'"{number:x}":0' for number in range(90_000))
    problem_of(send(lasting_owner, f'{{{keys},"twin":0,"twin":0}}'.encode()), 400, "malformed_json")


@pytest.mark.parametrize(
    ("body", "pointer", "code"),
    [
        ("[]", "", "wrong_type"),
        ('"x"', "", "wrong_type"),
        ("null", "", "wrong_type"),
        ("3", "", "wrong_type"),
        ("{}", "/name", "required"),
        ('{"name": 3}', "/name", "wrong_type"),
        ('{"name": null}', "/name", "wrong_type"),
        ('{"name": 1e999}', "/name", "wrong_type"),
        ('{"name": ""}', "/name", "invalid"),
        ('{"name": "x", "nme": 1}', "/nme", "unknown_field"),
        ('{"name": "x", "Name": "y"}', "/Name", "unknown_field"),
        ('{"name": "x", "account_count": 3}', "/account_count", "unknown_field"),
        ('{"name": "x", "timezone": 1}', "/timezone", "wrong_type"),
        ('{"name": "a\\u0000b"}', "", "invalid"),
        ('{"na\\u0000me": "b"}', "", "invalid"),
    ],
)
def test_what_breaks_a_rule_is_422_with_its_place(
    lasting_owner: OwnerFixture, body: str, pointer: str, code: str
) -> None:
    assert fault_of(send(lasting_owner, body.encode())) == (pointer, code)


def test_a_text_is_taken_as_it_is(lasting_owner: OwnerFixture) -> None:
    for name in ("\\u0000", "a\\\\u0000", "𝄞 ñ 中 😀", "<b>&amp;</b>", "'; DROP TABLE profiles; --", "\u202etxt"):
        response = lasting_owner.session.post("/profiles", json={"name": name})
        assert response.status_code == 201
        assert response.json()["name"] == name


@pytest.mark.parametrize(
    ("body", "pointer", "code"),
    [
        ('{"parts": [{"size": 1}, {"size": "3"}]}', "/parts/1/size", "wrong_type"),
        ('{"parts": [{"size": 8.0}]}', "/parts/0/size", "wrong_type"),
        ('{"parts": [{"size": true}]}', "/parts/0/size", "wrong_type"),
        ('{"parts": [{"size": 10}]}', "/parts/0/size", "invalid"),
        ('{"parts": [{"size": 99999999999999999999}]}', "/parts/0/size", "invalid"),
        ('{"parts": [{}]}', "/parts/0/size", "required"),
        ('{"parts": [{"size": 1, "a/b~c": 1}]}', "/parts/0/a~1b~0c", "unknown_field"),
        ('{"parts": {}}', "/parts", "wrong_type"),
        ('{"parts": [[]]}', "/parts/0", "wrong_type"),
        ('{"byName": {"x": {"size": 0}}}', "/byName/x/size", "invalid"),
        ('{"by_name": {}}', "/by_name", "unknown_field"),
        ('{"ratio": "1"}', "/ratio", "wrong_type"),
    ],
)
def test_a_fault_deep_inside_has_its_pointer(body: str, pointer: str, code: str) -> None:
    assert refusal(body) == (pointer, code)


@pytest.mark.parametrize(
    ("body", "faults"),
    [
        (
            '{"parts": [{"size": "3"}, {"size": 10, "sze": 1}, {}], "ratio": "1", "surprise": 1}',
            {
                "/parts/0/size": 'size must be an integer, not "3".',
                "/parts/1/size": "size must be at most 9, not 10.",
                "/parts/1/sze": "There is no field sze. Did you mean size? Use one of: size.",
                "/parts/2/size": "size is required.",
                "/ratio": 'ratio must be a number, not "1".',
                "/surprise": "There is no field surprise. Use one of: parts, byName, ratio.",
            },
        ),
        (
            '{"parts": [3], "byName": []}',
            {
                "/parts/0": "parts[0] must be an object, not an integer.",
                "/byName": "byName must be an object or null, not an array.",
            },
        ),
        ("[]", {"": "The body must be an object, not an array."}),
    ],
)
def test_all_faults_of_a_body_are_named_at_once_in_plain_words(body: str, faults: dict[str, str]) -> None:
    with pytest.raises(InvalidRequest) as refused:
        decode_body(body.encode(), Whole)
    assert {fault.pointer: fault.detail for fault in refused.value.errors} == faults


def test_a_body_with_very_many_faults_names_fifty() -> None:
    with pytest.raises(InvalidRequest) as refused:
        decode_body(b'{"parts": [' + b"1," * 50_000 + b"1]}", Whole)
    assert len(refused.value.errors) == 50


def test_all_faults_of_a_query_are_named_at_once_in_plain_words(lasting_owner: OwnerFixture) -> None:
    problem = problem_of(lasting_owner.session.get("/profiles?limit=900&lmit=5&cursor=" + "x" * 201), 422)
    assert {fault["pointer"]: fault["detail"] for fault in problem["errors"]} == {
        "?lmit": "There is no query parameter lmit. Did you mean limit? Use one of: limit, cursor.",
        "?limit": "limit must be at most 200, not 900.",
        "?cursor": "cursor must have at most 200 characters, not 201.",
    }


@pytest.mark.parametrize("body", ["[" * 5000, '{"parts":' * 2000, '{"a":' + "[" * 5000])
def test_nesting_that_never_ends_is_malformed(body: str) -> None:
    with pytest.raises(MalformedJson):
        decode_body(body.encode(), Whole)


@pytest.mark.parametrize("kind", ["application/json", "Application/JSON", "application/json; charset=utf-8"])
def test_json_may_name_its_charset(lasting_owner: OwnerFixture, kind: str) -> None:
    answer = lasting_owner.session.post("/profiles", content=b'{"name":"x"}', headers={"Content-Type": kind})
    assert answer.status_code == 201


@pytest.mark.parametrize(
    "kind",
    ["", "text/plain", "text/json", "application/xml", "application/jsonp", "json", "*/*", "multipart/form-data"],
)
def test_every_other_type_is_415(lasting_owner: OwnerFixture, kind: str) -> None:
    answer = lasting_owner.session.post("/profiles", content=b'{"name":"x"}', headers={"Content-Type": kind})
    problem_of(answer, 415, "unsupported_media_type")


def test_a_body_that_hides_its_length_is_cut_off(lasting_owner: OwnerFixture) -> None:
    pieces = (b"x" * 65536 for _ in range(MAX_JSON_BYTES // 65536 + 1))
    problem_of(lasting_owner.session.post("/profiles", content=pieces, headers=JSON), 413, "body_too_large")


def test_a_body_that_hides_its_length_is_cut_off_before_its_key_is_taken(lasting_owner: OwnerFixture) -> None:
    pieces = (b"x" * 65536 for _ in range(MAX_JSON_BYTES // 65536 + 1))
    headers = {**JSON, "Idempotency-Key": "too-long-at-first"}
    problem_of(lasting_owner.session.post("/profiles", content=pieces, headers=headers), 413, "body_too_large")
    assert lasting_owner.session.post("/profiles", json={"name": "x"}, headers=headers).status_code == 201


@pytest.mark.parametrize(
    ("query", "pointer", "code"),
    [
        ("limit=0", "?limit", "invalid"),
        ("limit=201", "?limit", "invalid"),
        ("limit=-1", "?limit", "invalid"),
        ("limit=99999999999999999999", "?limit", "invalid"),
        ("limit=abc", "?limit", "wrong_type"),
        ("limit=", "?limit", "wrong_type"),
        ("limit", "?limit", "wrong_type"),
        ("limit=%205", "?limit", "wrong_type"),
        ("limit=+5", "?limit", "wrong_type"),
        ("limit=1_0", "?limit", "wrong_type"),
        ("limit=0x10", "?limit", "wrong_type"),
        ("limit=true", "?limit", "wrong_type"),
        ("limit=null", "?limit", "wrong_type"),
        ("limit=%D9%A3", "?limit", "wrong_type"),
        ("limit=5&limit=5", "?limit", "repeated_parameter"),
        ("Limit=5", "?Limit", "unknown_parameter"),
        ("offset=5", "?offset", "unknown_parameter"),
        ("=5", "?", "unknown_parameter"),
        ("limit%5B%5D=5", "?limit[]", "unknown_parameter"),
        ("cursor=" + "x" * 201, "?cursor", "invalid"),
    ],
)
def test_a_query_that_breaks_a_rule_is_422_with_its_place(
    lasting_owner: OwnerFixture, query: str, pointer: str, code: str
) -> None:
    assert fault_of(lasting_owner.session.get(f"/profiles?{query}")) == (pointer, code)


@pytest.mark.parametrize("query", ["cursor=%ff", "%ff=1", "limit=5&%00=1", "cursor=a%00b", "&".join(["a=1"] * 101)])
def test_a_query_that_cannot_be_read_is_400(lasting_owner: OwnerFixture, query: str) -> None:
    problem_of(lasting_owner.session.get(f"/profiles?{query}"), 400, "malformed_request")


@pytest.mark.parametrize("query", ["", "limit=1", "limit=200", "&", "limit=1&"])
def test_a_query_that_keeps_the_rules_is_taken(lasting_owner: OwnerFixture, query: str) -> None:
    assert lasting_owner.session.get(f"/profiles?{query}").status_code == 200


def test_a_query_is_read_into_its_type() -> None:
    query = parse_query(b"word=a+b%26c&kinds=x&kinds=y&deep=true&pageSize=3", Search)
    assert query == Search(word="a b&c", kinds=["x", "y"], deep=True, page_size=3)
    assert parse_query(b"", Search) == Search()
    assert parse_query(b"", None) is None


@pytest.mark.parametrize("query", [b"page_size=3", b"deep=2", b"deep=yes", b"word=a&word=b", b"pageSize=0"])
def test_a_query_is_not_bent_into_its_type(query: bytes) -> None:
    with pytest.raises(InvalidRequest):
        parse_query(query, Search)


@pytest.mark.parametrize("request_id", ["a", "0b8f.4d-11_X", "r" * 128])
def test_a_sane_request_id_comes_back(service: RunningService, request_id: str) -> None:
    answer = service.client().get("/auth/me", headers={"X-Request-Id": request_id})
    assert answer.headers.get_list("x-request-id") == [request_id]
    assert problem_of(answer, 401)["requestId"] == request_id


@pytest.mark.parametrize(
    "request_id", [b"", b"two words", b"r" * 129, b"line\tbreak", b"<script>", b"\xfcn\xef", b"a,b"]
)
def test_an_insane_request_id_is_replaced(service: RunningService, request_id: bytes) -> None:
    answer = service.client().get("/auth/me", headers={b"X-Request-Id": request_id})
    (created,) = answer.headers.get_list("x-request-id")
    assert is_id("req", created)


def test_a_fault_says_what_is_known_instead(lasting_owner: OwnerFixture) -> None:
    detail: Any = problem_of(lasting_owner.session.get("/profiles?lmit=5"), 422)["errors"][0]["detail"]
    assert "limit" in detail
    assert "cursor" in detail


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ({"name": " "}, "name must not be blank."),
        ({"name": "\u00a0\n"}, "name must not be blank."),
        ({"name": ""}, "name is empty."),
        ({"name": "abcdef"}, "name must have at most 5 characters, not 6."),
        ({"size": True}, "size must be small or large, not true."),
    ],
)
def test_an_error_says_what_is_allowed(body: dict[str, Any], detail: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        decode_body(json.dumps(body).encode(), Named)
    assert [fault.detail for fault in caught.value.errors] == [detail]


def test_an_offset_that_has_lost_its_plus_says_how_to_write_it() -> None:
    with pytest.raises(InvalidRequest) as caught:
        parse_query(b"since=2026-11-16T00:00:00+01:00", Since)
    assert caught.value.errors[0].detail.endswith("Write + as %2B in a URL.")
    assert parse_query(b"since=2026-11-16T00:00:00%2B01:00", Since) is not None


@pytest.mark.parametrize("body", [b"", b"{}", b" { }\n"])
def test_an_empty_object_counts_as_no_body(owner: OwnerFixture, body: bytes) -> None:
    assert owner.session.request("GET", "/profiles", content=body, headers=JSON).status_code == 200


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("/post", "/posts"),
        ("/v1/posts", "/posts"),
        ("/api/posts/post_01h455vb4pex5vsknk084sn02q", "/posts/{postId}"),
        ("/Accounts/acc_1/comment", "/accounts/{accountId}/comments"),
        ("/webhook", None),
        ("/nothing/like/it", None),
        ("/" + "a" * 5000, None),
    ],
)
def test_a_path_that_does_not_exist_suggests_the_closest_one(
    lasting_owner: OwnerFixture, path: str, meant: str | None
) -> None:
    detail = problem_of(lasting_owner.session.get(path), 404, "not_found")["detail"]
    assert ("Did you mean" in detail) is (meant is not None)
    assert meant is None or f"Did you mean {meant}?" in detail


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"privacylevel": "SELF_ONLY"}, "There is no option privacylevel. Did you mean privacyLevel? Use one of: "),
        ({"privacyLevel": "SELFONLY"}, "Did you mean SELF_ONLY?"),
        ({}, 'privacyLevel is required: use "PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS"'),
    ],
)
def test_a_wrong_or_missing_option_says_what_is_allowed(options: dict[str, str], words: str) -> None:
    schema = MANIFESTS[Platform.TIKTOK].get_kind_manifest(Kind.TIKTOK).options
    assert any(words in fault.detail for fault in validate_options(schema, options, "options", "tiktok"))


def test_an_unknown_field_lists_the_known_ones() -> None:
    with pytest.raises(InvalidRequest) as caught:
        decode_body(b'{"nme": "a"}', Named)
    assert caught.value.errors[0].detail == "There is no field nme. Did you mean name? Use one of: name, size."


def test_the_first_error_is_the_detail(lasting_owner: OwnerFixture) -> None:
    body = {
        "profileId": lasting_owner.profile_id,
        "content": "x",
        "targets": [{"accountId": "acc_1"}, {"accountId": ""}],
    }
    problem = problem_of(lasting_owner.session.post("/posts", json=body), 422, "invalid")
    assert problem["detail"].startswith(problem["errors"][0]["detail"])
    body = {"profileId": lasting_owner.profile_id, "content": "x", "targets": [{"accountId": "acc_1"}]}
    problem = problem_of(lasting_owner.session.post("/posts", json=body), 422, "invalid")
    assert problem["detail"] == problem["errors"][0]["detail"]
