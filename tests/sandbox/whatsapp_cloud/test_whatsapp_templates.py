"""Templates with pywa: with examples, with named parameters, and what is refused."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from pywa.client import WhatsApp
from pywa.errors import WhatsAppError
from pywa.types.templates import BodyText, HeaderText, ParamFormat, Template, TemplateCategory, TemplateLanguage

from sandbox.graph_support import codes_of
from sandbox.whatsapp_cloud.calling import GRAPH, Whatsapp
from socialgate_sandbox.vendors.whatsapp_cloud.seed import ADA_TOKEN, ADA_WABA, BAKERY
from support.waiting import eventually

DARIO = "4915550100101"
TEMPLATES = f"{ADA_WABA}/message_templates"


@pytest.fixture
def wa(whatsapp: Whatsapp) -> Iterator[WhatsApp]:
    with httpx.Client(timeout=30) as session:
        client = WhatsApp(phone_id=BAKERY, token=ADA_TOKEN, waba_id=ADA_WABA, session=session)
        # The constructor points the session at the real host.
        session.base_url = f"{whatsapp.platform.url}/{GRAPH}"
        yield client


def written(*components: Any, form: ParamFormat | None = None) -> Template:
    return Template(
        name="bread_time",
        category=TemplateCategory.UTILITY,
        language=TemplateLanguage.ENGLISH_US,
        components=list(components),
        parameter_format=form,
    )


def test_a_seeded_template_has_examples_that_pywa_fills_in(wa: WhatsApp) -> None:
    ready = next(template for template in wa.get_templates() if template.name == "order_ready")
    [body] = ready.components
    assert isinstance(body, BodyText)
    filled: Any = body.params
    assert body.preview() == "Hi Dario, your order 1042 is ready."
    sent = wa.send_template(
        to=DARIO, name="order_ready", language=TemplateLanguage.ENGLISH_US, params=[filled("Elif", "7")]
    )
    assert sent.id.startswith("wamid.")


def test_named_parameters_are_kept_and_asked_for(whatsapp: Whatsapp, wa: WhatsApp) -> None:
    body = BodyText("Dear {{name}}, bread at {{time}}.", name="Dario", time="seven")
    header = HeaderText("News for {{name}}", name="Dario")
    created_template = wa.create_template(written(header, body, form=ParamFormat.NAMED))
    whatsapp.platform.pass_time(6)
    seen = wa.get_template(created_template.id)
    assert seen.parameter_format == ParamFormat.NAMED
    components: Any = seen.components
    assert [component.preview() for component in components] == ["News for Dario", "Dear Dario, bread at seven."]
    params = [header.params(name="Elif"), body.params(name="Elif", time="six")]
    send: dict[str, Any] = {"to": DARIO, "name": "bread_time", "language": TemplateLanguage.ENGLISH_US}
    assert wa.send_template(**send, params=params).id.startswith("wamid.")
    with pytest.raises(WhatsAppError) as failed:
        wa.send_template(**send, params=[params[1]])
    assert failed.value.code == 132000
    nameless = [{"type": "text", "text": "Elif"}, {"type": "text", "text": "six"}]
    parts = [params[0].to_dict(), {"type": "body", "parameters": nameless}]
    template = {"name": "bread_time", "language": {"code": "en_US"}, "components": parts}
    input_params = {"messaging_product": "whatsapp", "to": DARIO, "type": "template", "template": template}
    assert codes_of(whatsapp.post(f"{BAKERY}/messages", input_params)) == (132012, None)


@pytest.mark.parametrize(
    ("part", "form", "codes"),
    [
        ({"type": "BODY", "text": "Bread at {{1}}."}, "POSITIONAL", (100, 2388043)),
        ({"type": "BODY", "text": "At {{time}}", "example": {"body_text": [["7"]]}}, "POSITIONAL", (100, 2388373)),
        ({"type": "BODY", "text": "At {{1}}", "example": {"body_text": [["7"]]}}, "NAMED", (100, 2388373)),
        ({"type": "BODY", "text": "Bread"}, "LOOSE", (100, None)),
        ({"type": "BODY", "text": "Bread at {{1}} ", "example": {"body_text": [["7"]]}}, "POSITIONAL", (100, 2388299)),
        ({"type": "BODY", "text": "{{1}}: bread", "example": {"body_text": [["7"]]}}, "POSITIONAL", (100, 2388299)),
    ],
)
def test_templates_that_cannot_be(whatsapp: Whatsapp, part: Any, form: str, codes: tuple[int, int | None]) -> None:
    params = {"name": "x", "language": "en_US", "category": "UTILITY", "components": [part], "parameter_format": form}
    assert codes_of(whatsapp.post(TEMPLATES, params)) == codes


def test_a_quick_reply_comes_back_with_the_payload_of_its_message(whatsapp: Whatsapp) -> None:
    whatsapp.subscribe()
    rows = [{"type": "URL", "text": "Shop", "url": "https://bakery.example.com/"}]
    rows += [{"type": "QUICK_REPLY", "text": "Yes"}, {"type": "QUICK_REPLY", "text": "No"}]
    parts = [{"type": "BODY", "text": "Bread?"}, {"type": "BUTTONS", "buttons": rows}]
    written = {"name": "bread", "language": "en_US", "category": "UTILITY", "components": parts}
    assert whatsapp.post(TEMPLATES, written).status_code == 200
    act = whatsapp.platform.act
    act("template", account=BAKERY, name="bread", status="APPROVED")
    payload = {"type": "payload", "payload": "order-7-yes"}
    button = {"type": "button", "sub_type": "quick_reply", "index": "1", "parameters": [payload]}
    template = {"name": "bread", "language": {"code": "en_US"}, "components": [button]}
    params = {"messaging_product": "whatsapp", "to": DARIO, "type": "template", "template": template}
    key = whatsapp.post(f"{BAKERY}/messages", params).json()["messages"][0]["id"]
    for label in ("Yes", "No"):
        act("press", account=BAKERY, messageId=key, button=label)

    def pressed() -> list[Any]:
        bodies = [arrived.json["entry"][0]["changes"][0]["value"] for arrived in whatsapp.platform.gateway.arrived]
        return [row["button"] for body in bodies for row in body.get("messages", ())]

    eventually(lambda: len(pressed()) == 2)
    assert pressed() == [{"payload": "order-7-yes", "text": "Yes"}, {"payload": "No", "text": "No"}]


@pytest.mark.parametrize("text", ["", "  "])
def test_a_text_says_something(whatsapp: Whatsapp, text: str) -> None:
    params = {"messaging_product": "whatsapp", "to": DARIO, "type": "text", "text": {"body": text}}
    answer = whatsapp.post(f"{BAKERY}/messages", params)
    assert codes_of(answer) == (100, None)
    assert answer.json()["error"]["message"] == "(#100) The parameter text['body'] is required."


def test_numbers_tell_their_status(whatsapp: Whatsapp, wa: WhatsApp) -> None:
    assert wa.get_business_phone_number().status == "CONNECTED"
    assert {row["status"] for row in whatsapp.get(f"{ADA_WABA}/phone_numbers").json()["data"]} == {"CONNECTED"}


def test_templates_are_chosen_by_their_words(whatsapp: Whatsapp) -> None:
    def names(**query: str) -> list[str]:
        return [row["name"] for row in whatsapp.get(TEMPLATES, **query).json()["data"]]

    assert names(content="your order") == ["order_ready"]
    assert names(language="sv") == names(category="MARKETING") == names(status="REJECTED") == []
    assert names(name="hello_world", category="UTILITY") == ["hello_world"]
