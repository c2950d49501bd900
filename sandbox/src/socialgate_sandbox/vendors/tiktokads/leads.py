"""Instant forms and their leads: read one by one, or exported as one file per region."""

import csv
import io
import zipfile
from datetime import datetime
from typing import Any

import msgspec
from starlette.responses import Response

from socialgate_sandbox.kit import Call, Thing, digits
from socialgate_sandbox.society.leads import Desk, Lead, filled, leads_of
from socialgate_sandbox.vendors.tiktokads.access import LEADS, advertiser_of, signed_in
from socialgate_sandbox.vendors.tiktokads.accounts import PageQuery, paged
from socialgate_sandbox.vendors.tiktokads.errors import NO_PERMISSION, NOT_FOUND, answered, failed, refused, require
from socialgate_sandbox.vendors.tiktokads.hosts import api
from socialgate_sandbox.vendors.tiktokads.state import LeadForm
from socialgate_sandbox.vendors.tiktokads.webhooks import AD, send_lead

TASK_FAILED, TASK_NOT_READY = 40200, 40201
_KINDS = {"LEAD_GEN", "STORE_FRONT", "APP_PROFILE_PAGE", "TIKTOK_INSTANT_PAGE", "SHOP_ADS_PLP", "SHOP_ADS_PDP",
          "POP_UP_FORM"}  # fmt: skip
# Leads of people who live there are stored separately, and are only found by callers that ask for the region.
_EUROPE = {
    "AT", "BE", "BG", "CH", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GB", "GR", "HR", "HU", "IE", "IS", "IT",
    "LI", "LT", "LU", "LV", "MT", "NL", "NO", "PL", "PT", "RO", "SE", "SI", "SK",
}  # fmt: skip
_RUNNING_AFTER, _READY_AFTER, _LIVES = 0.5, 1.5, 600.0
_LARGEST_CSV = 10_000_000

DESK = Desk(kind=LeadForm, tell=send_lead, id_length=19)


class LeadTask(Thing):
    """An export of the leads of a form, which is its parent, in one region ("" is the rest of the world)."""

    region: str
    made: datetime


class Asked(msgspec.Struct):
    advertiser_id: str = ""
    page_id: str = ""
    task_id: str = ""
    lead_id: str = ""
    lead_source: str = "INSTANT_FORM"
    business_type: str = ""


def list_forms(call: Call) -> Response:
    given = _asked(call, admin=False)
    require(given.business_type in _KINDS, "business_type: Missing data for required field, or not a valid choice.")
    found = call.world.store.find(LeadForm, parent=given.advertiser_id) if given.business_type == "LEAD_GEN" else []
    shown, info = paged(call, call.read(PageQuery), found, most=100)
    return answered(call, {"list": [_form(one) for one in shown], "page_info": info})


def form_fields(call: Call) -> Response:
    form = _form_of(call, _asked(call, admin=False))
    made = f"{form.made:%Y-%m-%d %H:%M:%S}"
    meta = {"page_id": form.id, "page_name": form.name, "page_url": _form(form)["preview_url"], "create_time": made}
    return answered(call, {"fields": [one.key for one in form.questions], "meta": meta})


def newest_lead(call: Call) -> Response:
    """Return the latest lead of a form: there is no way to ask for a specific one."""
    form = _form_of(call, _asked(call))
    found = _in_region(call, leads_of(call.world, form))
    return answered(call, _lead(form, found[0])) if found else failed(call, NOT_FOUND, "The lead does not exist.")


def export(call: Call) -> Response:
    """Start an export, or report its progress."""
    given = _asked(call)
    if not given.task_id:
        form = _form_of(call, given)
        task = LeadTask(id=digits(19), parent=form.id, region=_region(call), made=call.world.clock.now())
        call.world.store.put(task)
        return answered(call, {"task_id": task.id, "status": "CREATED"})
    task = _task_of(call, given)
    status = _status(call, task)
    file = {"file_name": f"leads_{task.id}", "file_type": _written(call, task)[1]} if status == "SUCCEED" else {}
    return answered(call, {"task_id": task.id, "status": status, **file})


def download(call: Call) -> Response:
    task = _task_of(call, _asked(call))
    status = _status(call, task)
    if status != "SUCCEED":
        code = TASK_FAILED if status == "FAILED" else TASK_NOT_READY
        return failed(call, code, "The task has expired." if status == "FAILED" else "The task is not ready.")
    content, kind = _written(call, task)
    head = {"Content-Disposition": f'attachment; filename="leads_{task.id}.{kind}"'}
    return Response(content, 200, head, "text/csv" if kind == "csv" else "application/zip")


def make_test_lead(call: Call) -> Response:
    form = _form_of(call, _asked(call))
    require(not leads_of(call.world, form, test=True), "page_id: the page already has a test lead.")
    lead, _told = DESK.take(call.world, form, filled(call.world, form), test=True)
    return answered(call, _lead(form, lead))


def read_test_lead(call: Call) -> Response:
    form = _form_of(call, _asked(call))
    found = leads_of(call.world, form, test=True)
    return answered(call, _lead(form, found[0]) if found else {})


def delete_test_lead(call: Call) -> Response:
    given = _asked(call)
    lead = call.world.store.get(Lead, given.lead_id)
    form = call.world.store.get(LeadForm, lead.parent) if lead is not None and lead.test else None
    if form is None or form.parent != given.advertiser_id:
        return failed(call, NOT_FOUND, "The lead does not exist.")
    call.world.store.delete(Lead, given.lead_id)
    return answered(call, {})


def _asked(call: Call, *, admin: bool = True) -> Asked:
    """Read the request of somebody who may see the forms of the ad account, or (an admin) its leads."""
    token, given = signed_in(call, LEADS), call.read(Asked)
    require(given.advertiser_id, "advertiser_id: Missing data for required field.")
    _advertiser, role = advertiser_of(call, token, given.advertiser_id)
    if admin and role != "ADMIN":
        raise refused(call, NO_PERMISSION, "Only an admin of the ad account can read its leads.")
    return given


def _form_of(call: Call, given: Asked) -> LeadForm:
    form = call.world.store.get(LeadForm, given.page_id)
    if form is None or form.parent != given.advertiser_id:
        raise refused(call, NOT_FOUND, f"The page {given.page_id} does not exist.")
    return form


def _task_of(call: Call, given: Asked) -> LeadTask:
    task = call.world.store.get(LeadTask, given.task_id)
    form = call.world.store.get(LeadForm, task.parent) if task is not None else None
    if task is None or form is None or form.parent != given.advertiser_id or task.region != _region(call):
        raise refused(call, NOT_FOUND, "The task does not exist.")
    return task


def _status(call: Call, task: LeadTask) -> str:
    age = call.world.clock.since(task.made)
    if age >= _READY_AFTER + _LIVES:
        return "FAILED"
    return "SUCCEED" if age >= _READY_AFTER else "RUNNING" if age >= _RUNNING_AFTER else "CREATED"


def _region(call: Call) -> str:
    given = call.headers.get("x-lead-region", "").lower()
    return given if given in {"eu", "us"} else ""


def _in_region(call: Call, leads: list[Lead], region: str | None = None) -> list[Lead]:
    wanted = _region(call) if region is None else region
    return [
        lead for lead in leads if ("eu" if lead.country in _EUROPE else "us" if lead.country == "US" else "") == wanted
    ]


def _written(call: Call, task: LeadTask) -> tuple[bytes, str]:
    """Build the file as of the time when the export was requested. A large one is zipped."""
    form = call.world.store.get(LeadForm, task.parent)
    assert form is not None
    out = io.StringIO(newline="")
    names = ["ad_id", "ad_name", "adgroup_id", "adgroup_name", "campaign_id", "campaign_name"]
    keys = [one.key for one in form.questions]
    rows = csv.writer(out)
    rows.writerow(["lead id", "created_time", *names, "form_id", "form_name", *keys])
    for lead in _in_region(call, leads_of(call.world, form), task.region):
        if lead.made <= task.made:
            head = [lead.id, f"{lead.made:%Y-%m-%d %H:%M:%S}", *(AD[name] for name in names), form.id, form.name]
            rows.writerow([*head, *(lead.answers.get(key, "") for key in keys)])
    content = out.getvalue().encode("utf-8-sig")
    if len(content) <= _LARGEST_CSV:
        return content, "csv"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"leads_{task.id}.csv", content)
    return packed.getvalue(), "zip"


def _form(form: LeadForm) -> dict[str, Any]:
    made = f"{form.made:%Y-%m-%d %H:%M:%S}"
    return {
        "page_id": form.id,
        "title": form.name,
        "status": "PUBLISHED" if form.open else "EDITED",
        "business_type": "LEAD_GEN",
        "create_time": made,
        "update_time": made,
        "publish_time": made,
        "preview_url": f"https://ads.tiktok.com/instant_page/preview/{form.id}",
        "thumbnail": f"https://p16-sign.tiktokcdn.com/{form.id}.jpeg",
    }


def _lead(form: LeadForm, lead: Lead) -> dict[str, Any]:
    ad = {name: str(value) for name, value in AD.items()}
    made = f"{lead.made:%Y-%m-%d %H:%M:%S}"
    about = {"lead_id": lead.id, "lead_source": "INSTANT_FORM", "page_id": form.id, **ad, "create_time": made}
    return {"lead_data": lead.answers, "meta_data": about}


ROUTES = [
    *api("GET", "page/get", list_forms),
    *api("GET", "page/field/get", form_fields),
    *api("GET", "lead/field/get", form_fields),
    *api("GET", "lead/get", newest_lead),
    *api("POST", "page/lead/task", export),
    *api("GET", "page/lead/task/download", download),
    *api("POST", "page/lead/mock/create", make_test_lead),
    *api("GET", "page/lead/mock/get", read_test_lead),
    *api("POST", "page/lead/mock/delete", delete_test_lead),
]
