"""A new lead form, as platforms get it."""

import re
from datetime import datetime

import msgspec

from socialgate.areas.leads.schemas import NewLeadForm, NewLeadQuestion
from socialgate.contracts.leads import LeadOption, LeadQuestion, LeadThankYou, NewForm


def build_new_form(new: NewLeadForm, now: datetime) -> NewForm:
    thanks = new.thank_you
    return NewForm(
        name=new.name,
        questions=tuple(_build_question(question) for question in new.questions),
        privacy_policy_url=new.privacy_policy_url,
        privacy_policy_text=new.privacy_policy_text,
        locale=new.locale,
        follow_up_url=new.follow_up_url,
        thank_you=None if thanks is None else LeadThankYou(**msgspec.structs.asdict(thanks)),
        asked_at=now,
    )


def _build_question(new_lead_question: NewLeadQuestion) -> LeadQuestion:
    """A missing key is derived from the label; without a label the platform has its own key."""
    options = tuple(
        LeadOption(key=option.key or _slugify(option.label), label=option.label) for option in new_lead_question.options
    )
    key = new_lead_question.key or _slugify(new_lead_question.label or "")
    return LeadQuestion(key=key, label=new_lead_question.label or "", type=new_lead_question.type, options=options)


def _slugify(label: str) -> str:
    return re.sub(r"\W+", "_", label.lower()).strip("_")[:100]
