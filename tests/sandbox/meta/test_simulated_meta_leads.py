"""Lead forms and leads of Pages, with Meta's own SDK and in plain HTTP."""

from datetime import datetime
from typing import Any

import pytest
from facebook_business.adobjects.lead import Lead
from facebook_business.adobjects.leadgenform import LeadgenForm
from facebook_business.adobjects.page import Page

from sandbox.graph_support import codes_of, signed_by
from sandbox.meta.sdk import Sdk, ids
from sandbox.meta.signing_in import Meta
from socialgate_sandbox.vendors.meta.oauth import SCOPES
from socialgate_sandbox.vendors.meta.seed import ADA, AGENCY, AGENCY_FORM, BAKERY, BAKERY_FORM, BRAM, CLIENT

DAY = 86400
SIZES = [{"key": "s", "value": "Small"}, {"key": "l", "value": "Large"}]
QUESTIONS = [
    {"type": "FULL_NAME"},
    {"type": "PHONE"},
    {
        "type": "CUSTOM",
        "label": "How big?",
        "options": [{"key": "s", "value": "Small"}, {"key": "l", "value": "Large"}],
    },
    {"type": "CUSTOM", "label": "Why?", "key": "why"},
]
POLICY = {"url": "https://bakery.example.com/privacy", "link_text": "Privacy"}


@pytest.fixture
def token(meta: Meta) -> str:
    return meta.page(ADA, BAKERY)


@pytest.fixture
def page(sdk: Sdk, token: str) -> Page:
    return Page(BAKERY, api=sdk.api(token))


def fill_in(meta: Meta, **value: Any) -> dict[str, Any]:
    created: dict[str, Any] = meta.platform.act("lead", **{"account": BAKERY, **value})
    return created


def answers(lead: Any) -> dict[str, list[str]]:
    return {row["name"]: row["values"] for row in lead["field_data"]}


def test_a_form_is_created_read_and_archived(page: Page, sdk: Sdk, token: str) -> None:
    after = {
        "title": "Thanks",
        "body": "We call you.",
        "button_type": "VIEW_WEBSITE",
        "website_url": "https://x.example",
    }
    params = {"name": "Wedding", "questions": QUESTIONS, "privacy_policy": POLICY, "locale": "DE_DE"}
    created = page.create_lead_gen_form(
        params={**params, "thank_you_page": after, "follow_up_action_url": "https://x.example"}
    )
    form = LeadgenForm(created["id"], api=sdk.api(token))
    fields = [
        "name",
        "status",
        "locale",
        "questions",
        "legal_content",
        "privacy_policy_url",
        "thank_you_page",
        "page_id",
    ]
    read = form.api_get(fields=[*fields, "leads_count", "thank_you_page", "follow_up_action_url"])
    assert (read["name"], read["status"], read["locale"], read["page_id"]) == ("Wedding", "ACTIVE", "de_DE", BAKERY)
    assert [(item["key"], item["type"]) for item in read["questions"]] == [
        ("full_name", "FULL_NAME"),
        ("phone_number", "PHONE"),
        ("how_big", "CUSTOM"),
        ("why", "CUSTOM"),
    ]
    assert [item["value"] for item in read["questions"][2]["options"]] == ["Small", "Large"]
    assert (read["thank_you_page"]["title"], read["privacy_policy_url"]) == ("Thanks", POLICY["url"])
    assert read["legal_content"]["privacy_policy"]["link_text"] == "Privacy"
    assert ids(page.get_lead_gen_forms(params={"limit": 1})) == [created["id"], BAKERY_FORM]
    form.api_update(params={"status": "ARCHIVED"})
    assert form.api_get(fields=["status"])["status"] == "ARCHIVED"


@pytest.mark.parametrize(
    "change",
    [
        {"name": ""},
        {"name": "Order a cake"},
        {"questions": "[]"},
        {"questions": '[{"type":"SHOE_SIZE"}]'},
        {"questions": '[{"type":"CUSTOM"}]'},
        {"questions": '[{"type":"EMAIL"},{"type":"EMAIL"}]'},
        {"questions": '[{"type":"CUSTOM","label":"x","options":["y"]}]'},
        {"privacy_policy": "{}"},
        {"thank_you_page": "[1]"},
        {"questions": "[{"},
    ],
)
def test_a_form_that_makes_no_sense_is_refused(meta: Meta, token: str, change: dict[str, str]) -> None:
    params = {"name": "New", "questions": '[{"type":"EMAIL"}]', "privacy_policy": '{"url":"https://x.example"}'}
    assert codes_of(meta.post(f"{BAKERY}/leadgen_forms", token, **params | change))[0] == 100
    assert len(meta.get(f"{BAKERY}/leadgen_forms", token).json()["data"]) == 1


def test_a_filled_in_form_is_notified_and_read(meta: Meta, sdk: Sdk, page: Page, token: str) -> None:
    page.create_subscribed_app(params={"subscribed_fields": ["leadgen"]})
    created = fill_in(meta, name="Zoë Åkesson 🍰", answers={"how_many": "More than 10 people"})
    assert created["notified"] == 1
    (arrived,) = meta.platform.arrived()
    assert signed_by(meta.platform.secret, arrived)
    (entry,) = arrived.json["entry"]
    (change,) = entry["changes"]
    value = change["value"]
    assert (arrived.json["object"], entry["id"], change["field"]) == ("page", BAKERY, "leadgen")
    assert (value["leadgen_id"], value["form_id"], value["page_id"]) == (created["id"], BAKERY_FORM, BAKERY)
    assert value["ad_id"] == value["adgroup_id"]
    assert "field_data" not in value
    fields = ["created_time", "field_data", "form_id", "ad_id", "campaign_id", "is_organic", "platform"]
    lead = Lead(created["id"], api=sdk.api(token)).api_get(fields=fields)
    payload = answers(lead)
    assert list(payload) == ["full_name", "email", "phone_number", "how_many", "anything_else"]
    assert (payload["full_name"], payload["how_many"]) == (["Zoë Åkesson 🍰"], ["large"])
    assert payload["phone_number"][0].startswith("+4670174")
    assert payload["email"][0].endswith("@example.com")
    assert (lead["form_id"], lead["ad_id"], lead["is_organic"]) == (BAKERY_FORM, value["ad_id"], False)
    assert datetime.strptime(lead["created_time"], "%Y-%m-%dT%H:%M:%S%z").timestamp() == value["created_time"]
    organic = Lead(fill_in(meta, organic=True)["id"], api=sdk.api(token)).api_get(fields=fields)
    assert (organic["is_organic"], "ad_id" in organic) == (True, False)
    form = LeadgenForm(BAKERY_FORM, api=sdk.api(token))
    counted = form.api_get(fields=["leads_count", "organic_leads_count", "expired_leads_count"])
    assert (counted["leads_count"], counted["organic_leads_count"], counted["expired_leads_count"]) == (2, 1, 0)


def test_leads_are_listed_filtered_and_expire(meta: Meta, sdk: Sdk, token: str) -> None:
    items = []
    for _ in range(3):
        items.append(fill_in(meta)["id"])
        meta.platform.pass_time(DAY)
    form = LeadgenForm(BAKERY_FORM, api=sdk.api(token))
    rows = list(form.get_leads(fields=["created_time", "field_data"], params={"limit": 1}))
    assert ids(rows) == list(reversed(items))
    middle = int(datetime.strptime(rows[1]["created_time"], "%Y-%m-%dT%H:%M:%S%z").timestamp())

    def kept(operator: str) -> list[str]:
        filtering = [{"field": "time_created", "operator": operator, "value": middle}]
        return ids(form.get_leads(params={"filtering": filtering}))

    assert (kept("GREATER_THAN"), kept("LESS_THAN")) == ([items[2]], [items[0]])
    assert kept("GREATER_THAN_OR_EQUAL") == [items[2], items[1]]
    for wrong in ('[{"field":"id","operator":"GREATER_THAN","value":1}]', '[{"field":"time_created"}]', "[1]"):
        assert codes_of(meta.get(f"{BAKERY_FORM}/leads", token, filtering=wrong)) == (100, None)
    meta.platform.pass_time(90 * DAY - 2 * DAY)
    assert ids(form.get_leads()) == [items[2]]
    assert codes_of(meta.get(items[0], token)) == (100, 33)
    assert form.api_get(fields=["expired_leads_count"])["expired_leads_count"] == 2


def test_a_test_lead_is_the_only_one_and_says_what_it_is(meta: Meta, sdk: Sdk, page: Page, token: str) -> None:
    page.create_subscribed_app(params={"subscribed_fields": ["leadgen"]})
    form = LeadgenForm(BAKERY_FORM, api=sdk.api(token))
    params = [{"name": "full_name", "values": ["Test Person"]}]
    created = form.create_test_lead(params={"field_data": params})
    assert meta.platform.arrived()[0].json["entry"][0]["changes"][0]["value"]["leadgen_id"] == created["id"]
    payload = answers(Lead(created["id"], api=sdk.api(token)).api_get())
    assert (payload["full_name"], payload["email"]) == (["Test Person"], ["test@meta.com"])
    assert payload["phone_number"] == ["<test lead: dummy data for phone_number>"]
    assert (ids(form.get_test_leads()), ids(form.get_leads())) == ([created["id"]], [])
    assert codes_of(meta.post(f"{BAKERY_FORM}/test_leads", token)) == (100, None)
    real = fill_in(meta)["id"]
    assert codes_of(meta.delete(real, token), 403) == (200, None)
    Lead(created["id"], api=sdk.api(token)).api_delete()
    assert ids(form.get_test_leads()) == []
    assert meta.post(f"{BAKERY_FORM}/test_leads", token).json()["id"]


def test_who_may_not_read_leads(meta: Meta) -> None:
    lead = fill_in(meta)["id"]
    places = (f"{BAKERY_FORM}/leads", lead, f"{BAKERY_FORM}/test_leads")
    for place in (*places, f"{BAKERY}/leadgen_forms", BAKERY_FORM):
        assert codes_of(meta.get(place, meta.long(ADA))) == (190, 2069032)
    stranger = meta.page(BRAM, AGENCY)
    assert codes_of(meta.get(lead, stranger)) == (100, 33)
    assert codes_of(meta.get(BAKERY_FORM, stranger)) == (100, 33)
    assert meta.get(f"{AGENCY_FORM}/leads", stranger).json() == {"data": []}
    # On the client's Page Bram only looks on.
    meta.platform.act("tasks", account=CLIENT, person=BRAM, tasks=["ANALYZE"])
    assert codes_of(meta.get(f"{CLIENT}/leadgen_forms", meta.page(BRAM, CLIENT)), 403) == (200, None)


def test_leads_have_a_scope_of_their_own(meta: Meta) -> None:
    places = (f"{BAKERY_FORM}/leads", fill_in(meta)["id"], f"{BAKERY_FORM}/test_leads")
    few = meta.page(ADA, BAKERY, [scope for scope in SCOPES if scope != "leads_retrieval"])
    assert {codes_of(meta.get(place, few), 403) for place in places} == {(200, None)}
    assert meta.get(f"{BAKERY}/leadgen_forms", few).json()["data"][0]["name"] == "Order a cake"


def test_the_leads_access_manager_shuts_the_app_out(meta: Meta, page: Page, token: str) -> None:
    page.create_subscribed_app(params={"subscribed_fields": ["leadgen"]})
    assert page.api_get(fields=["has_lead_access"])["has_lead_access"]["can_access_lead"] is True
    meta.platform.act("leadAccess", account=BAKERY)
    created = fill_in(meta)
    # The notification comes all the same.
    assert created["notified"] == 1
    assert codes_of(meta.get(created["id"], token)) == (103, None)
    assert codes_of(meta.get(f"{BAKERY_FORM}/leads", token)) == (103, None)
    access = page.api_get(fields=["has_lead_access"])["has_lead_access"]
    assert (access["can_access_lead"], access["enabled_lead_access_manager"]) == (False, True)
    meta.platform.act("leadAccess", account=BAKERY, allowed=True)
    assert meta.get(created["id"], token).json()["id"] == created["id"]


def test_nothing_is_sent_without_a_subscription(meta: Meta, page: Page) -> None:
    assert fill_in(meta)["notified"] == 0
    page.create_subscribed_app(params={"subscribed_fields": ["feed"]})
    assert fill_in(meta)["notified"] == 0
