"""Creating lead forms of Pages. Afterwards a form can only be opened or closed, not changed."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from socialgate.connectors.graph.dialect import Caller, Node, Rows
from socialgate.connectors.json_paths import text_at
from socialgate.connectors.message_checks import SKEW
from socialgate.connectors.meta.leads import FORM, form_of
from socialgate.connectors.meta.wire import Graph
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import PlatformFailure
from socialgate.contracts.leads import CHOICE, TEXT, LeadForm, LeadQuestion, LeadThankYou, Looked, NewForm
from socialgate.contracts.operations import NotSeen
from socialgate.core.errors import Fault

_TYPES = (
    "full_name", "first_name", "last_name", "email", "phone", "city", "state", "zip", "post_code", "country",
    "street_address", "province", "dob", "date_of_birth", "gender", "marital_status", "relationship_status",
    "military_status", "company_name", "job_title", "work_email", "work_phone_number", "date_time", "store_lookup",
    "id_cpf", "id_ar_dni", "id_cl_rut", "id_co_cc", "id_ec_ci", "id_pe_dni",
)  # fmt: skip
# The keys of the other standard questions are their types.
_KEYS = {"phone": "phone_number", "zip": "zip_code", "dob": "date_of_birth"}


class PageForms:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def faults(self, new: NewForm) -> Sequence[Fault]:
        return [*_faults(new)]

    async def create(self, held: AccountCredentials, new: NewForm) -> LeadForm:
        api = self._graph.of(held)
        policy = {"url": new.privacy_policy_url, "link_text": new.privacy_policy_text or "Privacy policy"}
        params = {
            "name": new.name,
            "locale": None if new.locale is None else new.locale.upper(),
            "questions": [_asked(one) for one in new.questions],
            "privacy_policy": policy,
            "follow_up_action_url": new.follow_up_url,
            "thank_you_page": None if new.thank_you is None else _thanks(new.thank_you),
        }
        given = {name: value for name, value in params.items() if value is not None}
        made = await api.post(f"{held.platform_account_id}/leadgen_forms", Node, given, repeatable=False)
        return await _as_shown(api, str(made.id)) or LeadForm(
            id=str(made.id),
            name=new.name,
            status="active",
            locale=new.locale,
            questions=tuple(_with_label(_with_key(one)) for one in new.questions),
            privacy_policy_url=new.privacy_policy_url,
            thank_you=new.thank_you,
            lead_count=0,
            created_at=new.asked_at,
        )

    async def look(self, held: AccountCredentials, new: NewForm) -> Looked:
        """Names are unique for a Page: a recent form with this name is the new one."""
        rows = await self._graph.of(held).all(f"{held.platform_account_id}/leadgen_forms", Rows[Any], FORM)
        same = (form_of(row) for row in rows if text_at(row, "name") == new.name)
        recent = [one for one in same if one.created_at and one.created_at >= new.asked_at - SKEW]
        return recent[0] if recent else NotSeen()


async def _as_shown(api: Caller, form_id: str) -> LeadForm | None:
    """Read a new form, with Meta's wording of the questions. None if that fails: the form exists all the same."""
    try:
        return form_of(await api.get(form_id, dict[str, Any], fields=FORM))
    except PlatformFailure:
        return None


def _faults(new: NewForm) -> Iterator[Fault]:
    keys: set[str] = set()
    for place, one in enumerate(map(_with_key, new.questions)):
        at = f"/questions/{place}"
        own = one.type in {TEXT, CHOICE}
        if not own and one.type not in _TYPES:
            known_types = ", ".join([TEXT, CHOICE, *_TYPES])
            yield Fault(f"{at}/type", "unknown_type", f"Meta supports these types: {known_types}.")
        if own and not one.label:
            yield Fault(f"{at}/label", "required", "Send the text of the question.")
        if one.type == CHOICE and not one.options:
            yield Fault(f"{at}/options", "required", "Send the answers to choose from.")
        if one.type == TEXT and one.options:
            yield Fault(f"{at}/options", "contradiction", "A `text` question has no options. Use `choice` instead.")
        if one.key in keys:
            yield Fault(f"{at}/key", "duplicate", "Another question has this key. Keys must be unique.")
        keys.add(one.key)
        yield from _option_faults(one, at)


def _option_faults(asked: LeadQuestion, at: str) -> Iterator[Fault]:
    """A lead contains the keys of options: two with the same key could not be distinguished."""
    known: set[str] = set()
    for place, one in enumerate(asked.options):
        if not one.key:
            yield Fault(f"{at}/options/{place}/key", "required", "Send a key: none can be derived from the label.")
        elif one.key in known:
            yield Fault(f"{at}/options/{place}/key", "duplicate", "Another option has this key. Keys must be unique.")
        known.add(one.key)


def _with_key(asked: LeadQuestion) -> LeadQuestion:
    """Return the question with the key that Meta uses for it."""
    return LeadQuestion(
        key=asked.key or _KEYS.get(asked.type, asked.type), label=asked.label, type=asked.type, options=asked.options
    )


def _with_label(asked: LeadQuestion) -> LeadQuestion:
    """Return the question with a label: if Meta words it and does not say how, then with what it asks for."""
    return msgspec.structs.replace(asked, label=asked.label or asked.type.replace("_", " ").capitalize())


def _asked(one: LeadQuestion) -> dict[str, Any]:
    own = one.type in {TEXT, CHOICE}
    options = [{"key": option.key, "value": option.label} for option in one.options]
    given = {"type": "CUSTOM" if own else one.type.upper(), "key": _with_key(one).key, "label": one.label or None}
    return {name: value for name, value in {**given, "options": options}.items() if value}


def _thanks(page: LeadThankYou) -> dict[str, Any]:
    button = {"button_type": "VIEW_WEBSITE", "website_url": page.url} if page.url else {"button_type": "NONE"}
    given = {"title": page.title, "body": page.body, "button_text": page.button_text, **button}
    return {name: value for name, value in given.items() if value is not None}
