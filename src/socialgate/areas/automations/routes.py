from socialgate.areas.automations.schemas import (
    Automation,
    AutomationChanges,
    AutomationRun,
    AutomationsQuery,
    DryRunBody,
    DryRunResult,
    NewAutomation,
    RunsQuery,
)
from socialgate.areas.automations.service import AutomationLimitError, AutomationService
from socialgate.core.errors import NotFound
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.etags import ExpectedVersion
from socialgate.web.route import RouteTag, route
from socialgate.web.schemas import DeletionConfirmation, Page

TAG = RouteTag("Automations", "Automatic reactions: replies, messages, and steps that wait.")


@route("POST", "/automations", sdk="automations.create", tag=TAG, raises=(NotFound, AutomationLimitError))
async def create_automation(data: NewAutomation, work: UnitOfWork, automations: AutomationService) -> Automation:
    """Create an automation: its trigger, its conditions, and the actions to run in order.

    Texts can contain placeholders such as `{{contact.name}}`; the trigger decides which ones are available.
    """
    return await work.write(automations.create, work.caller, data)


@route("GET", "/automations", sdk="automations.list", tag=TAG, query=AutomationsQuery)
async def list_automations(
    params: AutomationsQuery, work: UnitOfWork, automations: AutomationService
) -> Page[Automation]:
    """List automations, newest first."""
    return await work.read(automations.list, work.caller, params)


@route("GET", "/automations/{automation_id:str}", sdk="automations.get", tag=TAG)
async def read_automation(automation_id: str, work: UnitOfWork, automations: AutomationService) -> Automation:
    """Return an automation, with how often it has run."""
    return await work.read(automations.get, work.caller, automation_id)


@route("PATCH", "/automations/{automation_id:str}", sdk="automations.update", tag=TAG)
async def change_automation(
    automation_id: str,
    data: AutomationChanges,
    expected: ExpectedVersion,
    work: UnitOfWork,
    automations: AutomationService,
) -> Automation:
    """Update, disable or enable an automation.

    Runs in progress continue with the new version from their next step. Disabling it ends them. Send `If-Match` with
    the ETag of the version you read to prevent lost updates.
    """
    return await work.write(automations.change, work.caller, automation_id, data, expected)


@route(
    "DELETE",
    "/automations/{automation_id:str}",
    sdk="automations.delete",
    tag=TAG,
    example=DeletionConfirmation.example_of("auto"),
)
async def delete_automation(
    automation_id: str, work: UnitOfWork, automations: AutomationService
) -> DeletionConfirmation:
    """Delete an automation and end its runs. Their records can be read for 30 days."""
    return await work.write(automations.delete, work.caller, automation_id)


@route("POST", "/automations/{automation_id:str}/dry-run", sdk="automations.dry_run", tag=TAG, status=200, writes=False)
async def dry_run_automation(
    automation_id: str, data: DryRunBody, work: UnitOfWork, automations: AutomationService
) -> DryRunResult:
    """Try an automation with a sample: see which conditions are true, and what its actions would do.

    Nothing is sent, and nothing is counted.
    """
    return await work.write(automations.dry_run, work.caller, automation_id, data.sample)


@route("GET", "/automations/{automation_id:str}/runs", sdk="automations.runs.list", tag=TAG, query=RunsQuery)
async def list_automation_runs(
    automation_id: str, params: RunsQuery, work: UnitOfWork, automations: AutomationService
) -> Page[AutomationRun]:
    """List the runs of the last 30 days, newest first, with their steps."""
    return await work.read(automations.list_runs, work.caller, automation_id, params)


@route("GET", "/automations/{automation_id:str}/runs/{run_id:str}", sdk="automations.runs.get", tag=TAG)
async def read_automation_run(
    automation_id: str, run_id: str, work: UnitOfWork, automations: AutomationService
) -> AutomationRun:
    """Return one run with its steps."""
    return await work.read(automations.get_run, work.caller, automation_id, run_id)


routes = [
    create_automation,
    list_automations,
    read_automation,
    change_automation,
    delete_automation,
    dry_run_automation,
    list_automation_runs,
    read_automation_run,
]
