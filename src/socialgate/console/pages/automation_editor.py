"""The editor of automations: when, if and then, part by part. Every part that the API has is here."""

from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from socialgate.areas.automations.schemas import Automation, AutomationChanges, NewAutomation
from socialgate.areas.automations.service import AutomationService
from socialgate.console.automating.automation_form import (
    SECTIONS,
    Draft,
    PartChange,
    change_parts,
    fill_form,
    place_faults,
    read_draft,
)
from socialgate.console.automating.editor import MAX_OFFERED, AutomationEditor, Workshop
from socialgate.console.automating.parts import SCALARS
from socialgate.console.automating.sentences import say_cooldown
from socialgate.console.forms import FormData, read_form
from socialgate.console.page import Done, Outcome, Shown, Values, console_page
from socialgate.console.pages.automations import AUTOMATIONS_PATH
from socialgate.console.rendering import AnyRequest
from socialgate.console.visit import PageQuery, Visit
from socialgate.core.errors import Fault
from socialgate.web.etags import ExpectedVersion, build_etag
from socialgate.web.field_errors import build_body_error

B = TypeVar("B", NewAutomation, AutomationChanges)

_TEMPLATE = "automation_edit.html"
_FORM = "save"
_COOLDOWNS = (0, 60, 3_600, 86_400, 604_800, 2_592_000)


class NewAutomationQuery(PageQuery, frozen=True, kw_only=True):
    """What triggers the new automation."""

    trigger: Annotated[str, Meta(max_length=100)] | None = None


@console_page(AUTOMATIONS_PATH + "/new", _TEMPLATE, query=NewAutomationQuery)
async def new_automation_page(visit: Visit, params: NewAutomationQuery, editor: AutomationEditor) -> Values:
    form = visit.form(_FORM)
    if form.failure is None:
        form = FormData({"trigger.type": [params.trigger or ""]})
    return await _show(visit, editor, visit.profile_id, form, None)


@new_automation_page.form(_FORM, None, path="")
async def create_automation(
    visit: Visit, request: AnyRequest, automations: AutomationService, editor: AutomationEditor
) -> Outcome:
    form = await read_form(request)
    visit.keep_form(_FORM, form)
    profile_id = visit.profile_id
    if profile_id is None:
        return Done("Choose a profile first.", tone="warn")
    draft, workshop = await _read(visit, editor, profile_id, form)
    act, _, subject = form.value("act").partition(":")
    if act not in ("save", "pause"):
        changed = _change(form, draft, act, subject)
        return Shown(_TEMPLATE, await _show(visit, editor, profile_id, changed, None, workshop))
    body = {**draft.body, "profileId": profile_id, "active": act == "save"}
    created = await visit.work.write(automations.create, visit.caller, _decode(body, NewAutomation))
    done = f"{created.name} is active from now on." if created.active else f"{created.name} was saved and is paused."
    return Done(done, to=visit.link(f"{AUTOMATIONS_PATH}/{created.id}"))


@console_page(AUTOMATIONS_PATH + "/{automation_id:str}/edit", _TEMPLATE)
async def edit_automation_page(
    visit: Visit, automation_id: str, params: PageQuery, automations: AutomationService, editor: AutomationEditor
) -> Values:
    del params  # it only has the profile
    automation = await visit.work.read(automations.get, visit.caller, automation_id)
    workshop = await editor.open_workshop(visit, automation.profile_id)
    form = visit.form(_FORM)
    if form.failure is None:
        references = editor.build_references(workshop, str(automation.trigger["type"]))
        form = fill_form(automation, editor.types, references).replaced(version=[build_etag(automation.updated_at)])
    return await _show(visit, editor, automation.profile_id, form, automation, workshop)


@edit_automation_page.form(_FORM, None, path="")
async def save_automation(
    visit: Visit, automation_id: str, request: AnyRequest, automations: AutomationService, editor: AutomationEditor
) -> Outcome:
    form = await read_form(request)
    visit.keep_form(_FORM, form)
    automation = await visit.work.read(automations.get, visit.caller, automation_id)
    draft, workshop = await _read(visit, editor, automation.profile_id, form)
    act, _, subject = form.value("act").partition(":")
    if act != "save":
        changed = _change(form, draft, act, subject)
        return Shown(_TEMPLATE, await _show(visit, editor, automation.profile_id, changed, automation, workshop))
    changes = _decode(draft.body, AutomationChanges)
    version = ExpectedVersion(form.value("version") or None)
    await visit.work.write(automations.change, visit.caller, automation_id, changes, version)
    return Done("Saved.", to=visit.link(f"{AUTOMATIONS_PATH}/{automation_id}"))


async def _read(visit: Visit, editor: AutomationEditor, profile_id: str, form: FormData) -> tuple[Draft, Workshop]:
    workshop = await editor.open_workshop(visit, profile_id)
    references = editor.build_references(workshop, form.value("trigger.type"))
    return read_draft(form, editor.types, references), workshop


def _change(form: FormData, draft: Draft, act: str, subject: str) -> FormData:
    """Do what a button of the editor says: another trigger, or a part more, less or elsewhere."""
    if act == "trigger":
        return form.replaced(**{"trigger.type": [subject]})
    section, _, which = subject.partition(".")
    if section not in SECTIONS:
        return form
    if act == "add":
        return change_parts(form, draft, PartChange(section=section, added=which))
    place = int(which) if which.isdecimal() else -1
    if act == "remove":
        return change_parts(form, draft, PartChange(section=section, removed=place))
    if act in ("up", "down"):
        return change_parts(form, draft, PartChange(section=section, moved=place, step=-1 if act == "up" else 1))
    return form


def _decode(body: Mapping[str, Any], kind: type[B]) -> B:
    """Decode the request. A form has only texts, so a number may be one."""
    try:
        return msgspec.convert(body, kind, strict=False)
    except msgspec.ValidationError as error:
        raise build_body_error(error, kind, dict(body), strict=False) from error


async def _show(
    visit: Visit,
    editor: AutomationEditor,
    profile_id: str | None,
    form: FormData,
    automation: Automation | None,
    workshop: Workshop | None = None,
) -> Values:
    if profile_id is None:
        return {"draft": None, "automation": automation, "automations_path": AUTOMATIONS_PATH}
    workshop = workshop or await editor.open_workshop(visit, profile_id)
    types = editor.types
    draft = read_draft(form, types, editor.build_references(workshop, form.value("trigger.type"), form))
    trigger = None if draft.trigger is None else types.registry.triggers[draft.trigger.type.name]
    failures: list[Fault] = [] if form.failure is None else [*form.failure.errors]
    return {
        "automation": automation,
        "draft": draft,
        "form": form,
        "faults": place_faults(draft, failures),
        "triggers": list(types.triggers.values()),
        "conditions": list(types.conditions.values()),
        "actions": [] if trigger is None else types.list_actions(trigger),
        "placeholders": {} if trigger is None else trigger.fields,
        "cooldowns": _list_cooldowns(form.value("cooldown", "0")),
        "scalars": SCALARS,
        "searches": len(workshop.accounts) > MAX_OFFERED,
        "automations_path": AUTOMATIONS_PATH,
        "here": visit.here(),
    }


def _list_cooldowns(chosen: str) -> list[tuple[str, str]]:
    lengths = sorted({*_COOLDOWNS, *([int(chosen)] if chosen.isdecimal() else [])})
    return [(str(length), say_cooldown(length).capitalize()) for length in lengths]
