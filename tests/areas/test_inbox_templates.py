"""Templates: compared with those of the account before they are sent, and listed for who wants to send one."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import httpx
import pytest

from support.automations import AutomationFixture, create, statuses
from support.connections import connect_accounts
from support.problems import fault_of, problem_of
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService, StartService
from support.waiting import eventually

PERSON = "+15550200001"
PARTS = "/template/components"
LINK = {"link": "https://bakery.example/bread.jpg"}
IMAGE = {"type": "image", "image": LINK}
PICTURE = {"type": "header", "parameters": [IMAGE]}
HEADER = {"type": "HEADER", "format": "IMAGE"}
TAPPED = {
    "quick_reply": {"type": "QUICK_REPLY", "text": "More"},
    "url": {"type": "URL", "text": "Shop", "url": "https://bakery.example/{{1}}"},
    "copy_code": {"type": "COPY_CODE", "text": "Copy"},
    "flow": {"type": "FLOW", "text": "Order"},
    "call": {"type": "PHONE_NUMBER", "text": "Call"},
}
BUTTONS = {"type": "BUTTONS", "buttons": list(TAPPED.values())}


@pytest.fixture(scope="module")
def running(start_service: StartService) -> Iterator[RunningService]:
    """Give a service of one's own, because templates belong to accounts that others use too."""
    with start_service() as own:
        yield own


class Number:
    """A WhatsApp number, and the templates of its account."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox, self.owner = sandbox, OwnerFixture(sandbox.running)
        (self.account_id,) = connect_accounts(sandbox, self.owner, "whatsapp-cloud")
        account = self.owner.session.get(f"/accounts/{self.account_id}").json()
        self.platform_id = account["platformAccountId"]
        self.credentials = sandbox.control("credentials", platform="whatsapp-cloud", account=self.platform_id)
        self.path = f"/accounts/{self.account_id}/whatsapp"

    def writes(self, *parts: dict[str, Any], named: bool = False, name: str = "") -> str:
        """Have a template approved, and give its name."""
        name = name or f"t_{uuid4().hex}"
        body = {"name": name, "language": "en_US", "category": "MARKETING", "components": list(parts)}
        waba = self.credentials["wabaId"]
        response = self.sandbox.http.post(
            f"/whatsapp-cloud/graph.facebook.com/v26.0/{waba}/message_templates",
            json=body | ({"parameter_format": "NAMED"} if named else {}),
            headers={"Authorization": f"Bearer {self.credentials['accessToken']}"},
        )
        assert response.is_success, response.text
        self.sandbox.control("template", platform="whatsapp-cloud", account=waba, name=name, status="APPROVED")
        return name

    def sends(self, name: str, *components: Any, language: str = "en_US") -> httpx.Response:
        template = {"name": name, "language": language, "components": list(components)}

        def answered() -> httpx.Response | None:
            body = {"to": PERSON, "type": "template", "template": template}
            answer = self.owner.session.post(f"{self.path}/send", json=body)
            return None if answer.status_code == httpx.codes.TOO_MANY_REQUESTS else answer

        return eventually(answered)

    def refuses(self, name: str, *components: Any) -> list[tuple[str, str]]:
        """Give the faults of what is refused, with pointers below the components."""
        before = self.sent()
        faults = problem_of(self.sends(name, *components), 422, "invalid")["errors"]
        assert self.sent() == before, "what is refused must not reach WhatsApp"
        return [(fault["pointer"].removeprefix(PARTS), fault["code"]) for fault in faults]

    def sent(self) -> int:
        path = f"*/{self.platform_id}/messages"
        return len(self.sandbox.listed("received", platform="whatsapp-cloud", path=path, limit=2000))


@pytest.fixture(scope="module")
def number(running: RunningService) -> Iterator[Number]:
    with Sandbox(running) as sandbox:
        yield Number(sandbox)
        sandbox.http.delete("/_control/fail")


def text(value: str, name: str | None = None) -> dict[str, str]:
    return {"type": "text", "text": value, **({"parameter_name": name} if name else {})}


def body(*parameters: dict[str, Any]) -> dict[str, Any]:
    return {"type": "body", "parameters": list(parameters)}


def button(kind: str, index: Any, *parameters: dict[str, Any]) -> dict[str, Any]:
    return {"type": "button", "sub_type": kind, "index": index, "parameters": list(parameters)}


SHOP, CODE = button("url", 1, text("bread")), button("copy_code", "2", {"type": "coupon_code", "coupon_code": "BREAD"})


def test_placeholders_are_counted(number: Number) -> None:
    assert number.refuses("order_ready") == [("", "required")]
    assert number.refuses("order_ready", body(text("Ana"))) == [("/0/parameters", "required")]
    assert number.refuses("order_ready", body(*[text("Ana")] * 3)) == [("/0/parameters", "too_many")]
    assert number.refuses("hello_world", body(text("Ana"))) == [("/0/parameters", "too_many")]
    named = body(text("Ana", "first"), text("77", "second"))
    assert number.refuses("order_ready", named) == [
        ("/0/parameters/0/parameter_name", "not_supported"),
        ("/0/parameters/1/parameter_name", "not_supported"),
    ]
    sent = number.sends("order_ready", body(text("Ana"), text("77")))
    assert sent.status_code == 201, sent.text
    assert sent.json()["data"]["components"] == [body(text("Ana"), text("77"))]


def test_named_placeholders_are_named_once_each(number: Number) -> None:
    example = {"body_text_named_params": [{"param_name": "first", "example": "Ana"}]}
    name = number.writes({"type": "BODY", "text": "Hi {{first}} {{last}}!", "example": example}, named=True)
    at = "/0/parameters"
    wrong = body(text("Ana", "frist"), text("Souza", "lsat"))
    assert number.refuses(name, wrong) == [
        (f"{at}/0/parameter_name", "unknown_placeholder"),
        (f"{at}/1/parameter_name", "unknown_placeholder"),
    ]
    assert number.refuses(name, body(text("Ana", "first"))) == [(at, "required")]
    assert number.refuses(name, body(*[text("Ana", "first")] * 2)) == [(f"{at}/1/parameter_name", "duplicate")]
    mixed = body(text("Ana", "first"), text("Souza"))
    assert (f"{at}/1/parameter_name", "required") in number.refuses(name, mixed)
    assert number.sends(name, body(text("Souza", "last"), text("Ana", "first"))).status_code == 201


def test_headers_and_buttons_fit_the_template(number: Number) -> None:
    name = number.writes(HEADER, {"type": "BODY", "text": "Bread"}, BUTTONS)
    assert number.refuses(name) == [("", "required")] * 3
    assert number.refuses(name, PICTURE, SHOP) == [("", "required")]
    wrong = {"type": "header", "parameters": [text("Bread")]}
    assert number.refuses(name, wrong, SHOP, CODE) == [("/0/parameters", "wrong_type")]
    video = {"type": "header", "parameters": [{"type": "video", "video": {"id": "1"}}]}
    assert number.refuses(name, video, SHOP, CODE) == [("/0/parameters", "wrong_type")]
    assert number.refuses(name, PICTURE, PICTURE, SHOP, CODE) == [("/1", "duplicate")]
    assert number.refuses(name, PICTURE, SHOP, CODE, button("url", "1", text("cake"))) == [("/3/index", "duplicate")]
    assert number.refuses(name, PICTURE, SHOP, CODE, button("url", 7, text("cake"))) == [("/3/index", "out_of_range")]
    assert number.refuses(name, PICTURE, SHOP, CODE, button("url", 0, text("cake"))) == [("/3/sub_type", "wrong_type")]
    call = button("quick_reply", 4, {"type": "payload", "payload": "x"})
    assert number.refuses(name, PICTURE, SHOP, CODE, call) == [("/3/sub_type", "wrong_type")]
    more = button("quick_reply", 0, {"type": "payload", "payload": "more"})
    order = button("flow", 3, {"type": "action", "action": {"flow_token": "77", "flow_action_data": {"size": 2}}})
    sent = number.sends(name, PICTURE, SHOP, CODE, more, order)
    assert sent.status_code == 201, sent.text


@pytest.mark.parametrize(
    ("kind", "parameter"),
    [
        ("url", {"type": "payload", "payload": "x"}),
        ("copy_code", text("x")),
        ("flow", text("x")),
        ("quick_reply", {"type": "action", "action": {}}),
    ],
)
def test_each_kind_of_button_takes_its_own_parameter(number: Number, kind: str, parameter: dict[str, Any]) -> None:
    name = number.writes({"type": "BODY", "text": "Bread"}, {"type": "BUTTONS", "buttons": [TAPPED[kind]]})
    faults = number.refuses(name, button(kind, 0, parameter))
    assert faults == [("/0/parameters/0/type", "wrong_type")]


def test_the_cards_of_a_carousel_fit_those_of_the_template(number: Number) -> None:
    card = {"components": [HEADER, {"type": "BODY", "text": "{{1}} for you", "example": {"body_text": [["Bread"]]}}]}
    name = number.writes({"type": "BODY", "text": "Look"}, {"type": "CAROUSEL", "cards": [card, card]})

    def value(index: int | None, *components: dict[str, Any]) -> dict[str, Any]:
        return {**({} if index is None else {"card_index": index}), "components": list(components)}

    def cards(*some: dict[str, Any]) -> dict[str, Any]:
        return {"type": "carousel", "cards": list(some)}

    bread = body(text("Bread"))
    assert number.refuses(name) == [("", "required")]
    assert number.refuses(name, cards(value(0, PICTURE, bread))) == [("/0/cards", "invalid")]
    at = "/0/cards/1"
    first = value(0, PICTURE, bread)
    assert number.refuses(name, cards(first, value(None, PICTURE, bread))) == [(f"{at}/card_index", "required")]
    assert number.refuses(name, cards(first, first)) == [(f"{at}/card_index", "duplicate")]
    assert number.refuses(name, cards(first, value(5))) == [(f"{at}/card_index", "out_of_range")]
    assert number.refuses(name, cards(first, value(1, bread))) == [(f"{at}/components", "required")]
    extra = value(1, PICTURE, bread, button("url", 0, text("x")))
    assert number.refuses(name, cards(first, extra)) == [(f"{at}/components/2/index", "out_of_range")]
    assert number.sends(name, cards(value(1, PICTURE, bread), first)).status_code == 201


def test_an_offer_needs_its_end(number: Number) -> None:
    offer = {"type": "LIMITED_TIME_OFFER", "limited_time_offer": {"text": "Today", "has_expiration": True}}
    name = number.writes({"type": "BODY", "text": "Bread"}, offer)
    end = {"type": "limited_time_offer", "limited_time_offer": {"expiration_time_ms": 1_794_735_000_000}}
    part = {"type": "limited_time_offer", "parameters": [end]}
    assert number.refuses(name) == [("", "required")]
    assert number.sends(name, part).status_code == 201
    assert number.refuses("hello_world", part) == [("/0", "not_supported")]


def test_a_location_is_on_the_map(number: Number) -> None:
    name = number.writes({"type": "HEADER", "format": "LOCATION"}, {"type": "BODY", "text": "Here"})

    def place(latitude: float, longitude: float) -> dict[str, Any]:
        where = {"latitude": latitude, "longitude": longitude}
        return {"type": "header", "parameters": [{"type": "location", "location": where}]}

    at = "/0/parameters/0/location"
    assert number.refuses(name, place(-91, 181)) == [(f"{at}/latitude", "invalid"), (f"{at}/longitude", "invalid")]
    assert number.sends(name, place(-12.05, -77.03)).status_code == 201


def test_wrong_input_is_named_completely(number: Number) -> None:
    wrong = [{"type": "BODY"}, {"type": None}, {"type": "button", "index": 11, "parameters": [{"type": "image"}]}]
    faults = problem_of(number.sends("hello_world", *wrong), 422, "invalid")["errors"]
    assert [(fault["pointer"].removeprefix(PARTS), fault["code"]) for fault in faults] == [
        ("/0/type", "unknown_type"),
        ("/1/type", "wrong_type"),
        ("/2/index", "invalid"),
        ("/2/parameters/0/type", "unknown_type"),
        ("/2/sub_type", "required"),
    ]
    assert "header, body, button" in faults[0]["detail"]
    assert faults[1]["detail"].startswith("type must be header, body, button, ")
    endless = b"""{"to": "+15550200001", "type": "template", "template": {"name": "a", "language": "en", "components": [
        {"type": "button", "sub_type": "flow", "index": 0, "parameters": [
            {"type": "action", "action": {"flow_action_data": {"sizes": [1, 1e999]}}}]}]}}"""
    headers = {"Content-Type": "application/json"}
    answer = number.owner.session.post(f"{number.path}/send", content=endless, headers=headers)
    at = "/0/parameters/0/action/flow_action_data/sizes/1"
    assert fault_of(answer) == (f"{PARTS}{at}", "out_of_range")


def test_texts_are_as_long_as_whatsapp_allows(number: Number) -> None:
    example = {"body_text": [["Bread"]]}
    alone = number.writes({"type": "BODY", "text": "News: {{1}}.", "example": example})
    assert number.sends(alone, body(text("x" * 1025))).status_code == 201
    name = number.writes(HEADER, {"type": "BODY", "text": "News: {{1}}.", "example": example})
    assert number.refuses(name, PICTURE, body(text("x" * 1025))) == [("/1/parameters/0/text", "too_long")]
    both = {"type": "header", "parameters": [{"type": "image", "image": {"id": "1", **LINK}}]}
    assert number.refuses(name, both, body(text("x"))) == [("/0/parameters/0/image", "contradiction")]
    headed = number.writes({"type": "HEADER", "format": "TEXT", "text": "{{1}}", "example": {"header_text": ["x"]}})
    long = {"type": "header", "parameters": [text("x" * 61)]}
    assert number.refuses(headed, long) == [("/0/parameters/0/text", "too_long")]


def test_a_template_can_be_sent_as_soon_as_it_is_approved(number: Number) -> None:
    name = f"t_{uuid4().hex}"
    assert fault_of(number.sends(name)) == ("/template/name", "not_found")
    number.writes({"type": "BODY", "text": "Bread"}, name=name)
    assert number.sends(name).status_code == 201
    refused = number.sends(name, language="pt_BR")
    assert fault_of(refused) == ("/template/language", "not_found")
    assert "It exists in: en_US." in refused.text


def test_what_cannot_be_compared_is_left_to_whatsapp(number: Number) -> None:
    name = number.writes({"type": "BODY", "text": "News: {{1}}.", "example": {"body_text": [["Bread"]]}})
    number.sandbox.control("fail", platform="whatsapp-cloud", path="*/message_templates", status=500, times=20)
    problem_of(number.sends(name), 422, "platform_rejected")
    number.sandbox.http.delete("/_control/fail")


def test_templates_are_listed(number: Number) -> None:
    written = {"type": "BODY", "text": "Hi {{who}}!", "example": {"body_text_named_params": []} | {"x": 1}}
    name = number.writes(written, named=True)
    (result,) = number.owner.session.get(f"{number.path}/templates", params={"name": name}).json()["data"]
    assert (result["name"], result["language"], result["category"]) == (name, "en_US", "MARKETING")
    assert (result["status"], result["parameterFormat"], result["components"]) == ("APPROVED", "NAMED", [written])
    names: list[str] = []
    query: dict[str, Any] = {"limit": 2}
    while query:
        page = number.owner.session.get(f"{number.path}/templates", params=query).json()
        names += [item["name"] for item in page["data"]]
        query = {"limit": 2, "cursor": page["nextCursor"]} if page["nextCursor"] else {}
    assert {"hello_world", "order_ready", name} <= set(names)
    assert len(names) == len(set(names))
    (bot, *_) = connect_accounts(number.sandbox, number.owner, "telegram")
    problem_of(number.owner.session.get(f"/accounts/{bot}/whatsapp/templates"), 422, "not_supported")


def test_an_automation_is_told_when_it_is_created_and_when_it_runs(number: Number) -> None:
    wrong = button("url", 0, {"type": "payload", "payload": "x"})
    message, template = {"type": "message.received"}, {"name": "order_ready", "language": "en_US"}
    refused = create(number.owner, message, {"type": "sendTemplate", "template": {**template, "components": [wrong]}})
    assert fault_of(refused) == ("/actions/0/template/components/0/parameters/0/type", "wrong_type")
    empty = {"type": "sendTemplate", "template": {**template, "components": [body(text("{{contact.name}}"))]}}
    robot = AutomationFixture(number.owner, message, empty)
    number.sandbox.control("message", platform="whatsapp-cloud", account=number.platform_id, text="Hello")
    (run,) = robot.wait_for_runs()
    assert statuses(run) == [("sendTemplate", "failed")]
    assert "has 2 placeholders, but there is 1 parameter" in run["error"]["detail"]


@pytest.mark.parametrize("value", ["a\nb", "a\tb", "a     b"], ids=["line break", "tab", "spaces"])
def test_a_value_is_one_line_of_single_spaces(number: Number, value: str) -> None:
    assert number.refuses("order_ready", body(text("Ana"), text(value))) == [("/0/parameters/1/text", "invalid")]


@pytest.mark.parametrize("link", ["not a url", "javascript:alert(1)"])
def test_a_link_is_a_url(number: Number, link: str) -> None:
    name = number.writes(HEADER, {"type": "BODY", "text": "Bread"})
    picture = {"type": "header", "parameters": [{"type": "image", "image": {"link": link}}]}
    assert number.refuses(name, picture) == [("/0/parameters/0/image/link", "invalid")]
