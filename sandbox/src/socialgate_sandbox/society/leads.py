"""Lead forms and the people who fill them in, shared by all platforms. A vendor adds its part in a `Desk`.

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
    ShownForm,
    ShownLead,
    ShownQuestion,
    Thing,
    World,
    digits,
)
from socialgate_sandbox.society.applicants import LANDS, Applicant, answer_of, applicant, named


class Choice(msgspec.Struct, frozen=True):
    key: str
    value: str


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """`kind` is a kind of `applicants.answer_of`; if there are options, the answer is the key of one of them."""

    key: str
    kind: str
    label: str
    options: Sequence[Choice] = ()


class Form(Thing, kw_only=True):
    """A form of an account, which is its parent."""

    name: str
    questions: list[Question]
    made: datetime
    country: str
    open: bool = True


class Lead(Thing, kw_only=True):
    """The answers to a form, which is its parent. An organic lead did not come through an ad."""

    answers: dict[str, str]
    made: datetime
    country: str
    organic: bool = False
    test: bool = False


F = TypeVar("F", bound=Form)


class LeadOrder(ActionRequest, frozen=True, kw_only=True):
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


def filled(world: World, form: Form, country: str = "", given: Mapping[str, str] | None = None) -> dict[str, str]:
    """Answer every question of a form: with the given answer, or else as the next person of the country would."""
    who = applicant(country or form.country, world.store.count_up("applicant"))
    answers = given or {}
    names = [answers[one.key] for one in form.questions if one.kind == "FULL_NAME" and answers.get(one.key)]
    who = named(who, names[0]) if names else who
    return {question.key: answers.get(question.key) or _made_up(question, who) for question in form.questions}


def leads_of(world: World, form: Form, *, test: bool = False) -> list[Lead]:
    """List the leads of a form, newest first."""
    return [lead for lead in world.store.find(Lead, parent=form.id, newest_first=True) if lead.test is test]


@dataclass(frozen=True, kw_only=True)
class Desk(Generic[F]):
    """How a platform handles leads. `tell` notifies the product and returns the number of webhooks.

    `id_length` is the length of lead ids. If there are `organic` leads, a form can be found without an ad.
    """

    kind: type[F]
    tell: Callable[[World, F, Lead], int]
    id_length: int
    organic: bool = False

    def take(self, world: World, form: F, answers: dict[str, str], **about: Any) -> tuple[Lead, int]:
        """Store a lead and notify the product."""
        about.setdefault("country", form.country)
        lead = Lead(id=digits(self.id_length), parent=form.id, answers=answers, made=world.clock.now(), **about)
        world.store.put(lead)
        return lead, self.tell(world, form, lead)

    @property
    def action(self) -> Action[LeadOrder]:
        """The control verb `lead`."""
        return Action("Fill in a lead form", LeadOrder, self._obey, listed=False)

    def shown(self, world: World, account: str) -> list[ShownForm]:
        """Return the forms of an account with their leads, as shown on the page of forms."""
        return [
            ShownForm(
                id=form.id,
                name=form.name,
                country=form.country,
                open=form.open,
                questions=[
                    ShownQuestion(
                        key=one.key,
                        label=one.label,
                        options={option.key: option.value for option in one.options},
                    )
                    for one in form.questions
                ],
                leads=[
                    ShownLead(id=lead.id, at=lead.made, country=lead.country, test=lead.test, answers=lead.answers)
                    for lead in world.store.find(Lead, parent=form.id, newest_first=True)
                ],
            )
            for form in world.store.find(self.kind, parent=account)
        ]

    def _obey(self, world: World, order: LeadOrder) -> Any:
        if order.organic and not self.organic:
            raise ControlError('On this platform, every lead comes from an ad. Omit "organic".', 422)
        if order.country and order.country not in LANDS:
            raise ControlError(f"country cannot be {order.country!r}. Choose one of: {', '.join(LANDS)}.", 422)
        forms = [form for form in world.store.find(self.kind, parent=order.account) if form.open]
        form = next((form for form in forms if order.form in {"", form.id}), None)
        if form is None:
            known = ", ".join(form.id for form in forms) or "none"
            raise ControlError(f"{order.account!r} has no open form {order.form!r}. Choose one of: {known}.")
        country = order.country or form.country
        lead, told = self.take(
            world, form, filled(world, form, country, _given(form, order)), country=country, organic=order.organic
        )
        return {"id": lead.id, "form": form.id, "notified": told, "answers": lead.answers}


def _given(form: Form, order: LeadOrder) -> dict[str, str]:
    """Check the given answers and return them by the keys of the questions."""
    known = {question.key: question for question in form.questions}
    said = {"FULL_NAME": order.name, "EMAIL": order.email, "PHONE": order.phone}
    given = {key: said[one.kind] for key, one in known.items() if said.get(one.kind)}
    for key, answer in order.answers.items():
        if key not in known:
            raise ControlError(f"The form does not ask for {key!r}. It asks for: {', '.join(known)}.", 422)
        options = known[key].options
        found = next((one.key for one in options if answer in {one.key, one.value}), None)
        if options and answer and found is None:
            choices = ", ".join(one.key for one in options)
            raise ControlError(f"{answer!r} is not a valid answer to {key!r}. Choose one of: {choices}.", 422)
        given[key] = found or answer
    return given


def _made_up(question: Question, who: Applicant) -> str:
    if question.options:
        return question.options[who.number % len(question.options)].key
    return answer_of(who, question.kind)
