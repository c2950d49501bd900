"""Small requests that would cost much: in time, in memory, or in the size of the answer."""

import csv
import os
import subprocess
import sys
from io import BytesIO, StringIO
from typing import Any

import pytest
from PIL import Image

from socialgate.areas.automations.keywords import Keywords, MessageText
from socialgate.areas.automations.placeholders import fill_placeholders, find_unknown_placeholders
from socialgate.web.content_negotiation import encode_csv
from support.automations import AutomationFixture, create
from support.factories import account_on
from support.memory import monitor_memory
from support.problems import fault_of, problem_of
from support.raw import RawConnection
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService

MESSAGE = {"type": "message.received"}
MIB = 1024 * 1024
JSON = {"Content-Type": "application/json"}


def picture() -> bytes:
    bytes_io = BytesIO()
    Image.new("RGB", (64, 48), "teal").save(bytes_io, "JPEG")
    return bytes_io.getvalue()


def say(text: str) -> dict[str, Any]:
    return {"type": "sendMessage", "to": "1", "text": text}


# Each took a time that grew with the square or the third power of its length: minutes, or hours.
COSTLY = {
    "half a placeholder": """
from socialgate.areas.automations.placeholders import fill_placeholders, find_unknown_placeholders
for text in ("{{" + " " * 60_000, "{{" * 30_000, "{{ a" * 15_000, "{{" + "\\n" * 60_000 + "}"):
    assert list(find_unknown_placeholders(text, [])) == []
    assert fill_placeholders(text, {}) == text
""",
    "keywords": """
from socialgate.areas.automations.keywords import Keywords, MessageText
keywords = Keywords([" ".join(str(11**number)[:100]) for number in range(100, 200)])
for number in range(100):
    assert not keywords.match_fuzzy(MessageText(" ".join(str(7 ** (3000 + number))[:2500])))
""",
    "markup": """
from socialgate.connectors.telegram.post_formats import get_rendered_length
assert get_rendered_length("<" * 3_000_000, "HTML") == 3_000_000
assert get_rendered_length("](" * 1_000_000, "MarkdownV2") == 1_000_000
""",
    "a line of the log": """
from socialgate.core.logs import scrub_secrets
assert scrub_secrets("a" * 1_000_000) == "a" * 1_000_000
""",
    "lines in a quotation mark": """
import asyncio
from socialgate.areas.commerce.batch_parsing import CsvRowParser
from socialgate.core.errors import InvalidRequest
async def read(count):
    async def chunks():
        yield b'id\\n'
        for _ in range(count):
            yield b'"' + b"\\n" * 200_000 + b'"\\n'
    return [row async for row in CsvRowParser(None).parse_rows(chunks())]
assert len(asyncio.run(read(4))) == 4
try:
    asyncio.run(read(300))
except InvalidRequest as error:
    assert error.errors[0].code == "too_many"
else:
    raise AssertionError("so many lines are too many")
""",
    "many choices": """
import msgspec
from socialgate.areas.leads.answers import build_answers
from socialgate.contracts.leads import LeadQuestion
options = [{"key": "small", "label": "Small"}, {"key": "large, cut", "label": "Large"}]
question = msgspec.convert({"key": "size", "label": "Size", "type": "choice", "options": options}, LeadQuestion)
text = "small, large, cut, " * 20_000
assert build_answers({"size": text + "x"}, {"size": question})[0].value == text + "x"
assert len(build_answers({"size": text + "small"}, {"size": question})[0].value) == 40_001
""",
}


@pytest.mark.parametrize("case", COSTLY)
def test_it_takes_no_time(case: str) -> None:
    """In a process of its own: what takes for ever must not keep the other tests waiting."""
    subprocess.run([sys.executable, "-c", COSTLY[case]], timeout=60, check=True)


def test_names_of_placeholders_may_have_spaces_around_them() -> None:
    text = "{{contact.name}}{{ contact.name }}{{\tcontact.name\n}}{{none}}"
    assert fill_placeholders(text, {"contact.name": "Ana"}) == "AnaAnaAna"
    assert list(find_unknown_placeholders(text, ["contact.name"])) == [("", "none")]


def test_placeholders_do_not_multiply_what_people_write(owner: OwnerFixture) -> None:
    robot = AutomationFixture(owner, MESSAGE, say("{{message.text}}" * 400), say("After {{message.text}}"))
    tried = owner.session.post(f"{robot.path}/dry-run", json={"sample": {"text": "x" * 60_000}})
    assert len(tried.content) < MIB
    first, second = (step["action"]["text"] for step in tried.json()["steps"])
    assert first == "x" * 65_536
    assert second == "After " + "x" * 60_000


def test_thousands_of_unknown_placeholders_are_some_errors(owner: OwnerFixture) -> None:
    text = "".join(f"{{{{{number:x}}}}}" for number in range(1_200))
    refused = create(owner, MESSAGE, say(text), say(text))
    assert len(problem_of(refused, 422, "invalid")["errors"]) == 50


def test_an_automation_is_only_so_large(owner: OwnerFixture) -> None:
    assert fault_of(create(owner, MESSAGE, *[say("x" * 10_000)] * 14)) == ("", "too_large")
    conditions = [{"type": "keyword", "any": ["price"] * 100, "exclude": ["x"]}] * 2
    assert fault_of(create(owner, MESSAGE, say("x"), conditions=conditions)) == ("/conditions", "too_many")
    robot = AutomationFixture(owner, MESSAGE, say("x"))
    grown = owner.session.patch(robot.path, json={"conditions": conditions})
    assert fault_of(grown) == ("/conditions", "too_many")


def test_long_phrases_and_long_texts_are_compared_without_typos() -> None:
    """Comparing a hundred phrases of a hundred words with one message took two seconds."""
    phrase = " ".join(["spelling"] * 10)
    assert Keywords([phrase]).match_fuzzy(MessageText(f"my {phrase} it is"))
    assert not Keywords([phrase]).match_fuzzy(MessageText(f"my {phrase.replace('spelling', 'speling', 1)} it is"))
    behind = "word " * 400
    assert Keywords(["reservation"]).match_fuzzy(MessageText(f"{behind} reservation"))
    assert not Keywords(["reservation"]).match_fuzzy(MessageText(f"{behind} resevation"))
    assert Keywords(["reservation"]).match_fuzzy(MessageText(f"resevation {behind}"))
    # One character can become eighteen.
    assert len(MessageText("\N{ARABIC LIGATURE SALLALLAHOU ALAYHE WASALLAM}" * 5_000).normalized_text) == 5_000


@pytest.mark.parametrize("depth", [100, 600, 900, 940, 960, 970, 980, 990, 100_000])
def test_a_body_that_is_nested_deeply_is_refused(owner: OwnerFixture, depth: int) -> None:
    """Just below the parser's own limit it was stored, and could not be read again."""
    nested = '{"a":' * depth + "1" + "}" * depth
    body = f'{{"profileId": "{owner.profile_id}", "draft": true, "metadata": {nested}}}'
    problem_of(owner.session.post("/posts", content=body, headers=JSON), 400, "malformed_json")


@pytest.mark.parametrize("words", ["[" * 100, '\\"[{' * 50, "\\\\"])
def test_brackets_in_a_text_nest_nothing(owner: OwnerFixture, words: str) -> None:
    body = f'{{"profileId": "{owner.profile_id}", "draft": true, "content": "{words}", "metadata": {{"a": [{{}}]}}}}'
    assert owner.session.post("/posts", content=body, headers=JSON).status_code == 201


def test_an_unfinished_text_full_of_quotation_marks_takes_no_time(owner: OwnerFixture) -> None:
    body = '{"a":' + "[" * 100 + '"' + '\\"' * 500_000
    for end in ("", "\\"):
        problem_of(owner.session.post("/posts", content=body + end, headers=JSON), 400, "malformed_json")


def test_markup_and_options_of_any_length_are_judged(owner: OwnerFixture) -> None:
    account_id = account_on(owner, "telegram")
    media = owner.session.post("/upload", content=picture()).json()["id"]
    target = {"accountId": account_id, "options": {"chatId": "@bakery", "parseMode": "HTML"}}
    body = {"profileId": owner.profile_id, "content": "<" * 3_000, "media": [{"mediaId": media}], "targets": [target]}
    result = owner.session.post("/posts/validate", json=body).json()
    assert "too_long" in {error["code"] for error in result["errors"]}
    many = {"accountId": account_on(owner, "meta"), "options": {"collaborators": ["a"] * 1_001}}
    result = owner.session.post("/posts/validate", json={**body, "content": "x", "targets": [many]}).json()
    assert ("/targets/0/options", "too_many") in {(error["pointer"], error["code"]) for error in result["errors"]}


@pytest.mark.parametrize("first", ["=", "+", "-", "@", "\t", "\r", "\n"])
def test_no_cell_of_a_table_is_a_formula(first: str) -> None:
    (head, row) = csv.reader(StringIO(encode_csv([f"{first}a"], [[f"{first}1+1"]]), newline=""))
    assert (head, row) == ([f"'{first}a"], [f"'{first}1+1"])


DAYS = ["0001-01-01", "0001-01-08", "9999-12-31"]
TIMES = ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"]


@pytest.mark.parametrize("name", ["since", "until"])
def test_days_at_the_ends_of_the_calendar_are_refused(owner: OwnerFixture, name: str) -> None:
    account_id = account_on(owner, "meta")
    for path in (f"/accounts/{account_id}/insights", f"/analytics/{account_id}/followers"):
        for day in DAYS:
            for granularity in ("day", "week", "month"):
                query = {name: day, "granularity": granularity}
                assert fault_of(owner.session.get(path, params=query)) == (f"?{name}", "out_of_range")
    for day in DAYS:
        refused = owner.session.get(f"/analytics/{account_id}/summary", params={name: day})
        assert fault_of(refused) == (f"?{name}", "out_of_range")


def test_times_that_do_not_exist_in_utc_are_refused(owner: OwnerFixture) -> None:
    account_id = account_on(owner, "meta")
    for path in ("leads", "lead-states", "conversations"):
        for time in TIMES:
            refused = owner.session.get(f"/accounts/{account_id}/{path}", params={"since": time})
            assert fault_of(refused) == ("?since", "out_of_range")
    window = {"type": "timeWindow", "begin": "09:00", "end": "17:00"}
    robot = AutomationFixture(
        owner, MESSAGE, {"type": "wait", "amount": 30, "unit": "days"}, say("x"), conditions=[window]
    )
    for time in (*TIMES, "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z"):
        refused = owner.session.post(f"{robot.path}/dry-run", json={"sample": {"at": time}})
        assert fault_of(refused) == ("/sample/at", "out_of_range")


def test_strangers_cannot_fill_the_memory(guarded: RunningService) -> None:
    """Nobody knows whether a webhook is signed before its last byte has come."""
    size = 8 * MIB
    head = f"POST /webhooks/meta HTTP/1.1\r\nHost: x\r\nContent-Length: {size}\r\n\r\n".encode()
    raws = [RawConnection(guarded.settings.port) for _ in range(60)]
    try:
        with monitor_memory(os.getpid()) as [process]:
            before = process.peak
            for raw in raws:
                raw.send(head)
                raw.flood(bytes(64 * 1024), size - 64 * 1024)
        refused = [raw for raw in raws if raw.is_closed() or raw._read]
        assert refused
        assert process.peak - before < 200
    finally:
        for raw in raws:
            raw.socket.close()


def test_a_large_body_is_not_taken_from_strangers(guarded: RunningService) -> None:
    refused = guarded.client().post("/auth/login", json={"email": "a@example.com", "password": "x" * 20_000})
    problem_of(refused, 413, "body_too_large")


def test_one_owner_does_not_use_up_the_cache(owner: OwnerFixture, sandbox: Sandbox) -> None:
    path = f"/accounts/{account_on(owner, 'threads')}/insights"

    def calls_for(day: int) -> int:
        """Read a day, and count how often the platform was asked for that."""
        before = len(sandbox.listed("received", platform="threads", path="*/threads_insights*", limit=2000))
        date = f"2026-{9 + day // 28:02}-{day % 28 + 1:02}"
        response = owner.session.get(path, params={"metrics": "views", "since": date, "until": date})
        assert response.status_code == 200, response.text
        return len(sandbox.listed("received", platform="threads", path="*/threads_insights*", limit=2000)) - before

    assert [calls_for(0), calls_for(0)] == [1, 0]
    assert [calls_for(day) for day in range(1, 51)] == [1] * 50
    assert calls_for(50) == 0
    assert calls_for(0) == 1
