"""Creating lead forms of Pages. Afterwards a form can only be opened or closed, not changed."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from socialgate.connectors.graph.dialect import GraphCaller, GraphNode, GraphPage
from socialgate.connectors.json_paths import get_text_or_number
from socialgate.connectors.message_validation import MAX_CLOCK_SKEW
from socialgate.connectors.meta.api import MetaApi
from socialgate.connectors.meta.leads import FORM_FIELDS, parse_form
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.failures import PlatformFailure
from socialgate.contracts.leads import CHOICE, TEXT, LeadForm, LeadQuestion, LeadThankYou, LookupResult, NewForm
from socialgate.contracts.operations import NotFoundYet
from socialgate.core.errors import Fault

_QUESTION_TYPES = (
    "full_name", "first_name", "last_name", "email", "phone", "city", "state", "zip", "post_code", "country",
    "street_address", "province", "dob", "date_of_birth", "gender", "marital_status", "relationship_status",
    "military_status", "company_name", "job_title", "work_email", "work_phone_number", "date_time", "store_lookup",
    "id_cpf", "id_ar_dni", "id_cl_rut", "id_co_cc", "id_ec_ci", "id_pe_dni",
)  # fmt: skip
# The keys of the other standard questions are their types.
_IRREGULAR_QUESTION_KEYS = {"phone": "phone_number", "zip": "zip_code", "dob": "date_of_birth"}


class PageLeadForms:
    def __init__(self, graph: MetaApi) -> None:
        self._graph = graph

    def validate_new_object(self, new: NewForm) -> Sequence[Fault]:
        return [*_validate_form(new)]

    async def create(self, credentials: AccountCredentials, new: NewForm) -> LeadForm:
        api = self._graph.for_account(credentials)
        policy = {"url": new.privacy_policy_url, "link_text": new.privacy_policy_text or "Privacy policy"}
        params = {
            "name": new.name,
            "locale": None if new.locale is None else new.locale.upper(),
            "questions": [_encode_question(question) for question in new.questions],
            "privacy_policy": policy,
            "follow_up_action_url": new.follow_up_url,
            "thank_you_page": None if new.thank_you is None else _encode_thank_you_page(new.thank_you),
        }
        input_value = {name: value for name, value in params.items() if value is not None}
        node = await api.post(
            f"{credentials.platform_account_id}/leadgen_forms", GraphNode, input_value, repeatable=False
        )
        return await _fetch_created_form(api, str(node.id)) or LeadForm(
            id=str(node.id),
            name=new.name,
            status="active",
            locale=new.locale,
            questions=tuple(_add_question_label(_add_question_key(question)) for question in new.questions),
            privacy_policy_url=new.privacy_policy_url,
            thank_you=new.thank_you,
            lead_count=0,
            created_at=new.asked_at,
        )

    async def look_up_result(self, credentials: AccountCredentials, new: NewForm) -> LookupResult:
        """Names are unique for a Page: a recent form with this name is the new one."""
        rows = await self._graph.for_account(credentials).list_all(
            f"{credentials.platform_account_id}/leadgen_forms", GraphPage[Any], FORM_FIELDS
        )
        same = (parse_form(row) for row in rows if get_text_or_number(row, "name") == new.name)
        recent = [
            lead_form
            for lead_form in same
            if lead_form.created_at and lead_form.created_at >= new.asked_at - MAX_CLOCK_SKEW
        ]
        return recent[0] if recent else NotFoundYet()


async def _fetch_created_form(api: GraphCaller, form_id: str) -> LeadForm | None:
    """Read a new form, with Meta's wording of the questions. None if that fails: the form exists all the same."""
    try:
        return parse_form(await api.get(form_id, dict[str, Any], fields=FORM_FIELDS))
    except PlatformFailure:
        return None


def _validate_form(new: NewForm) -> Iterator[Fault]:
    keys: set[str] = set()
    for place, lead_question in enumerate(map(_add_question_key, new.questions)):
        at = f"/questions/{place}"
        own = lead_question.type in {TEXT, CHOICE}
        if not own and lead_question.type not in _QUESTION_TYPES:
            known_types = ", ".join([TEXT, CHOICE, *_QUESTION_TYPES])
            yield Fault(f"{at}/type", "unknown_type", f"Meta supports these types: {known_types}.")
        if own and not lead_question.label:
            yield Fault(f"{at}/label", "required", "Send the text of the question.")
        if lead_question.type == CHOICE and not lead_question.options:
            yield Fault(f"{at}/options", "required", "Send the answers to choose from.")
        if lead_question.type == TEXT and lead_question.options:
            yield Fault(f"{at}/options", "contradiction", "A `text` question has no options. Use `choice` instead.")
        if lead_question.key in keys:
            yield Fault(f"{at}/key", "duplicate", "Another question has this key. Keys must be unique.")
        keys.add(lead_question.key)
        yield from _validate_option_keys(lead_question, at)


def _validate_option_keys(question: LeadQuestion, pointer: str) -> Iterator[Fault]:
    """A lead contains the keys of options: two with the same key could not be distinguished."""
    known: set[str] = set()
    for place, option in enumerate(question.options):
        if not option.key:
            yield Fault(f"{pointer}/options/{place}/key", "required", "Send a key: none can be derived from the label.")
        elif option.key in known:
            yield Fault(
                f"{pointer}/options/{place}/key", "duplicate", "Another option has this key. Keys must be unique."
            )
        known.add(option.key)


def _add_question_key(question: LeadQuestion) -> LeadQuestion:
    """Return the question with the key that Meta uses for it."""
    return LeadQuestion(
        key=question.key or _IRREGULAR_QUESTION_KEYS.get(question.type, question.type),
        label=question.label,
        type=question.type,
        options=question.options,
    )


def _add_question_label(question: LeadQuestion) -> LeadQuestion:
    """Return the question with a label: if Meta words it and does not say how, then with what it asks for."""
    return msgspec.structs.replace(question, label=question.label or question.type.replace("_", " ").capitalize())


def _encode_question(question: LeadQuestion) -> dict[str, Any]:
    own = question.type in {TEXT, CHOICE}
    options = [{"key": option.key, "value": option.label} for option in question.options]
    input_value = {
        "type": "CUSTOM" if own else question.type.upper(),
        "key": _add_question_key(question).key,
        "label": question.label or None,
    }
    return {name: value for name, value in {**input_value, "options": options}.items() if value}


def _encode_thank_you_page(page: LeadThankYou) -> dict[str, Any]:
    button = {"button_type": "VIEW_WEBSITE", "website_url": page.url} if page.url else {"button_type": "NONE"}
    input_value = {"title": page.title, "body": page.body, "button_text": page.button_text, **button}
    return {name: value for name, value in input_value.items() if value is not None}
