"""Automations: what reacts by itself, how often it ran, what each run did, and what a sample would do."""

from datetime import datetime
from typing import Annotated

from msgspec import Meta

from socialgate.areas.accounts.service import AccountService
from socialgate.areas.automations.schemas import (
    AutomationChanges,
    AutomationsQuery,
    RunsQuery,
    SampleContact,
    SampleEvent,
)
from socialgate.areas.automations.service import AutomationService
from socialgate.areas.automations.tables import RunStatus
from socialgate.areas.posts.timetable import TimetableService
from socialgate.console.automating.editor import AutomationEditor
from socialgate.console.automating.parts import name_type
from socialgate.console.automating.sentences import say_cooldown
from socialgate.console.forms import read_form
from socialgate.console.navigation import Entry, Group
from socialgate.console.page import Done, Outcome, Shown, Values, console_page
from socialgate.console.rendering import AnyRequest
from socialgate.console.visit import ListPageQuery, PageQuery, Visit
from socialgate.core.errors import InvalidRequest
from socialgate.web.etags import ExpectedVersion
from socialgate.web.schemas import RequestBody

AUTOMATIONS_PATH = "/console/automations"
_TRY_TEMPLATE = "automation_try.html"
_PER_PAGE = 30
_RUNS_PER_PAGE = 20
_FIELD_PREFIX = "field."
RUN_TONES = {
    RunStatus.TRIGGERED: "run",
    RunStatus.RUNNING: "run",
    RunStatus.DONE: "good",
    RunStatus.FAILED: "bad",
    RunStatus.SKIPPED: "",
}
STEP_TONES = {"done": "good", "waiting": "run", "skipped": "", "failed": "bad", "unconfirmed": "warn"}


class AutomationsPageQuery(ListPageQuery, frozen=True, kw_only=True):
    """Which automations to show."""

    active: bool | None = None


class AutomationPageQuery(ListPageQuery, frozen=True, kw_only=True):
    """Which runs to show."""

    status: RunStatus | None = None


class Switch(RequestBody, frozen=True, kw_only=True):
    """Whether an automation runs from now on."""

    active: bool


class SampleForm(RequestBody, frozen=True, kw_only=True):
    """What a person tries an automation with. Other fields of the trigger are read by their names."""

    account: Annotated[str, Meta(max_length=40)] | None = None
    text: Annotated[str, Meta(max_length=10_000)] = ""
    name: Annotated[str, Meta(max_length=300)] | None = None
    at: Annotated[str, Meta(max_length=30)] | None = None


@console_page(
    AUTOMATIONS_PATH,
    "automations.html",
    query=AutomationsPageQuery,
    entry=Entry(label="Automations", icon="bolt", group=Group.WORK, key="x"),
)
async def automations_page(
    visit: Visit, params: AutomationsPageQuery, automations: AutomationService, editor: AutomationEditor
) -> Values:
    query = AutomationsQuery(
        limit=_PER_PAGE, cursor=params.cursor, profile_id=visit.query.profile, active=params.active
    )
    listed = await visit.work.read(automations.list, visit.caller, query)
    return {
        "automations": listed,
        "narrator": await editor.build_narrator(visit, listed.data),
        "automations_path": AUTOMATIONS_PATH,
    }


@automations_page.form("switch", Switch, path="/{automation_id:str}/switch")
async def switch_automation(visit: Visit, automation_id: str, data: Switch, automations: AutomationService) -> Outcome:
    return await _switch(visit, automation_id, data, automations)


@console_page(AUTOMATIONS_PATH + "/{automation_id:str}", "automation.html", query=AutomationPageQuery)
async def automation_page(
    visit: Visit,
    automation_id: str,
    params: AutomationPageQuery,
    automations: AutomationService,
    editor: AutomationEditor,
    accounts: AccountService,
) -> Values:
    automation = await visit.work.read(automations.get, visit.caller, automation_id)
    query = RunsQuery(limit=_RUNS_PER_PAGE, cursor=params.cursor, status=params.status)
    runs = await visit.work.read(automations.list_runs, visit.caller, automation_id, query)
    ids = sorted({run.account_id for run in runs.data})
    return {
        "automation": automation,
        "runs": runs,
        "labels": await visit.work.read(accounts.list_labels, visit.caller, ids),
        "narrator": await editor.build_narrator(visit, [automation]),
        "cooldown": say_cooldown(automation.cooldown),
        "statuses": list(RunStatus),
        "run_tones": RUN_TONES,
        "step_tones": STEP_TONES,
        "name_type": name_type,
        "automations_path": AUTOMATIONS_PATH,
    }


@automation_page.form("turn", Switch)
async def turn_automation(visit: Visit, automation_id: str, data: Switch, automations: AutomationService) -> Outcome:
    return await _switch(visit, automation_id, data, automations)


@automation_page.form("delete")
async def delete_automation(visit: Visit, automation_id: str, automations: AutomationService) -> Outcome:
    await visit.work.write(automations.delete, visit.caller, automation_id)
    return Done("The automation was deleted.", to=visit.link(AUTOMATIONS_PATH))


@console_page(AUTOMATIONS_PATH + "/{automation_id:str}/runs/{run_id:str}", "automation_run.html")
async def automation_run_page(
    visit: Visit,
    automation_id: str,
    run_id: str,
    params: PageQuery,
    automations: AutomationService,
    accounts: AccountService,
    timetable: TimetableService,
) -> Values:
    del params  # it only has the profile
    automation = await visit.work.read(automations.get, visit.caller, automation_id)
    run = await visit.work.read(automations.get_run, visit.caller, automation_id, run_id)
    labels = await visit.work.read(accounts.list_labels, visit.caller, [run.account_id])
    post_id = run.trigger.get("postId", "")
    posts = await visit.work.read(timetable.load_posts, visit.caller, [post_id] if post_id else [])
    return {
        "automation": automation,
        "run": run,
        "label": labels.get(run.account_id),
        "post": posts.get(post_id),
        "run_tones": RUN_TONES,
        "step_tones": STEP_TONES,
        "name_type": name_type,
        "path": f"{AUTOMATIONS_PATH}/{automation_id}",
    }


@console_page(AUTOMATIONS_PATH + "/{automation_id:str}/try", _TRY_TEMPLATE)
async def automation_try_page(
    visit: Visit, automation_id: str, params: PageQuery, automations: AutomationService, editor: AutomationEditor
) -> Values:
    del params  # it only has the profile
    return await _show_trial(visit, automation_id, automations, editor)


@automation_try_page.form("try", None, path="")
async def try_automation(
    visit: Visit, automation_id: str, request: AnyRequest, automations: AutomationService, editor: AutomationEditor
) -> Outcome:
    form = await read_form(request)
    visit.keep_form("try", form)
    fields = {name: value for name, value in form.find_values(_FIELD_PREFIX).items() if value}
    own = form.without(_FIELD_PREFIX).decode_as(SampleForm)
    sample = SampleEvent(
        account_id=own.account,
        text=own.text,
        contact=SampleContact(name=own.name),
        at=_read_time(visit, own.at),
        fields=dict(fields),
    )
    result = await visit.work.read(automations.dry_run, visit.caller, automation_id, sample)
    shown = await _show_trial(visit, automation_id, automations, editor)
    return Shown(_TRY_TEMPLATE, {**shown, "result": result})


async def _switch(visit: Visit, automation_id: str, data: Switch, automations: AutomationService) -> Outcome:
    changes = AutomationChanges(active=data.active)
    changed = await visit.work.write(automations.change, visit.caller, automation_id, changes, ExpectedVersion(None))
    if changed.active:
        return Done(f"{changed.name} is active from now on.")
    return Done(f"{changed.name} is paused. Runs in progress ended.")


async def _show_trial(
    visit: Visit, automation_id: str, automations: AutomationService, editor: AutomationEditor
) -> Values:
    automation = await visit.work.read(automations.get, visit.caller, automation_id)
    workshop = await editor.open_workshop(visit, automation.profile_id)
    trigger = editor.types.registry.triggers[automation.trigger["type"]]
    # These have fields of their own in the form.
    known = {"account.id", "contact.name", f"{trigger.subject_type}.text"}
    return {
        "automation": automation,
        "accounts": editor.build_references(workshop, automation.trigger["type"]).trigger_accounts,
        "has_contact": trigger.has_contact,
        "fields": {name: doc for name, doc in trigger.fields.items() if name not in known},
        "narrator": await editor.build_narrator(visit, [automation]),
        "result": None,
        "path": f"{AUTOMATIONS_PATH}/{automation_id}",
    }


def _read_time(visit: Visit, text: str | None) -> datetime | None:
    """Read when it happens, in the time zone of the page."""
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise InvalidRequest.for_field("/at", "invalid", "Choose a day and a time.") from error
    return moment.replace(tzinfo=visit.zone) if moment.tzinfo is None else moment
