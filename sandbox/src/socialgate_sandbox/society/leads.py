"""Lead forms and the people who fill them in, shared by all platforms. A vendor adds its part in a `LeadService`.

People fill in a form with `POST /_control/lead` and on the page `GET /_control/leads?platform=&account=`. Omitted
answers are filled in as somebody from the form's country would.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

import msgspec

from socialgate_sandbox.kit import (
    Action,
    ActionRequest,
    ControlError,
    FormView,
    LeadView,
    QuestionView,
    StoredObject,
    VendorContext,
    generate_digits,
)
from socialgate_sandbox.society.applicants import COUNTRIES, Applicant, build_answer, build_applicant, with_name


class Choice(msgspec.Struct, frozen=True):
    key: str
    value: str


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """`kind` is a kind of `applicants.build_answer`; if there are options, the answer is the key of one of them."""

    key: str
    kind: str
    label: str
    options: Sequence[Choice] = ()


class Form(StoredObject, kw_only=True):
    """A form of an account, which is its parent."""

    name: str
    questions: list[Question]
    created_at: datetime = msgspec.field(name="made")
    country: str
    open: bool = True


class Lead(StoredObject, kw_only=True):
    """The answers to a form, which is its parent. An organic lead did not come through an ad."""

    answers: dict[str, str]
    created_at: datetime = msgspec.field(name="made")
    country: str
    organic: bool = False
    test: bool = False


F = TypeVar("F", bound=Form)


class LeadRequest(ActionRequest, frozen=True, kw_only=True):
    """Fill in a form of the account, by default the first open one, as somebody who lives in `country`.

    `answers` are by the keys of the questions. Missing answers are made up.
    """

    account: str
    form: str = ""
    country: str = ""
    name: str = ""
    email: str = ""
    phone: str = ""
    answers: dict[str, str] = {}
    organic: bool = False


def fill_answers(
    context: VendorContext, form: Form, country: str = "", params: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Answer every question of a form: with the given answer, or else as the next person of the country would."""
    acting_applicant = build_applicant(country or form.country, context.store.get_next_number("applicant"))
    answers = params or {}
    names = [
        answers[question.key]
        for question in form.questions
        if question.kind == "FULL_NAME" and answers.get(question.key)
    ]
    acting_applicant = with_name(acting_applicant, names[0]) if names else acting_applicant
    return {
        question.key: answers.get(question.key) or _invent_answer(question, acting_applicant)
        for question in form.questions
    }


def list_leads(context: VendorContext, form: Form, *, test: bool = False) -> list[Lead]:
    """List the leads of a form, newest first."""
    return [lead for lead in context.store.find(Lead, parent=form.id, newest_first=True) if lead.test is test]


@dataclass(frozen=True, kw_only=True)
class LeadService(Generic[F]):
    """How a platform handles leads. `notify_product` notifies the product and returns the number of webhooks.

    `id_length` is the length of lead ids. With `has_organic_leads`, a form can be found without an ad.
    """

    kind: type[F]
    notify_product: Callable[[VendorContext, F, Lead], int]
    id_length: int
    has_organic_leads: bool = False

    def add_lead(self, context: VendorContext, form: F, answers: dict[str, str], **fields: Any) -> tuple[Lead, int]:
        """Store a lead and notify the product."""
        fields.setdefault("country", form.country)
        lead = Lead(
            id=generate_digits(self.id_length),
            parent=form.id,
            answers=answers,
            created_at=context.clock.now(),
            **fields,
        )
        context.store.put(lead)
        return lead, self.notify_product(context, form, lead)

    @property
    def lead_action(self) -> Action[LeadRequest]:
        """The control verb `lead`."""
        return Action("Fill in a lead form", LeadRequest, self._handle_request, has_own_form=False)

    def build_form_views(self, context: VendorContext, account: str) -> list[FormView]:
        """Return the forms of an account with their leads, as shown on the page of forms."""
        return [
            FormView(
                id=form.id,
                name=form.name,
                country=form.country,
                open=form.open,
                questions=[
                    QuestionView(
                        key=question.key,
                        label=question.label,
                        options={option.key: option.value for option in question.options},
                    )
                    for question in form.questions
                ],
                leads=[
                    LeadView(id=lead.id, at=lead.created_at, country=lead.country, test=lead.test, answers=lead.answers)
                    for lead in context.store.find(Lead, parent=form.id, newest_first=True)
                ],
            )
            for form in context.store.find(self.kind, parent=account)
        ]

    def _handle_request(self, context: VendorContext, request: LeadRequest) -> Any:
        if request.organic and not self.has_organic_leads:
            raise ControlError('On this platform, every lead comes from an ad. Omit "organic".', 422)
        if request.country and request.country not in COUNTRIES:
            raise ControlError(f"country cannot be {request.country!r}. Choose one of: {', '.join(COUNTRIES)}.", 422)
        forms = [form for form in context.store.find(self.kind, parent=request.account) if form.open]
        form = next((form for form in forms if request.form in {"", form.id}), None)
        if form is None:
            known = ", ".join(form.id for form in forms) or "none"
            raise ControlError(f"{request.account!r} has no open form {request.form!r}. Choose one of: {known}.")
        country = request.country or form.country
        lead, number = self.add_lead(
            context,
            form,
            fill_answers(context, form, country, _validate_answers(form, request)),
            country=country,
            organic=request.organic,
        )
        return {"id": lead.id, "form": form.id, "notified": number, "answers": lead.answers}


def _validate_answers(form: Form, request: LeadRequest) -> dict[str, str]:
    """Check the given answers and return them by the keys of the questions."""
    known = {question.key: question for question in form.questions}
    payload = {"FULL_NAME": request.name, "EMAIL": request.email, "PHONE": request.phone}
    params = {key: payload[question.kind] for key, question in known.items() if payload.get(question.kind)}
    for key, answer in request.answers.items():
        if key not in known:
            raise ControlError(f"The form does not ask for {key!r}. It asks for: {', '.join(known)}.", 422)
        options = known[key].options
        result = next((option.key for option in options if answer in {option.key, option.value}), None)
        if options and answer and result is None:
            choices = ", ".join(option.key for option in options)
            raise ControlError(f"{answer!r} is not a valid answer to {key!r}. Choose one of: {choices}.", 422)
        params[key] = result or answer
    return params


def _invent_answer(question: Question, applicant: Applicant) -> str:
    if question.options:
        return question.options[applicant.number % len(question.options)].key
    return build_answer(applicant, question.kind)
