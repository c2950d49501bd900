"""Instant forms and their leads: read one by one, or exported as one file per region."""

import csv
import io
import zipfile
from datetime import datetime
from typing import Any

import msgspec
from starlette.responses import Response

from socialgate_sandbox.kit import Call, StoredObject, generate_digits
from socialgate_sandbox.society.leads import Lead, LeadService, fill_answers, list_leads
from socialgate_sandbox.vendors.tiktokads.access import LEADS_SCOPE, authenticate, require_advertiser
from socialgate_sandbox.vendors.tiktokads.accounts import PageQuery, select_page
from socialgate_sandbox.vendors.tiktokads.api_routes import build_api_routes
from socialgate_sandbox.vendors.tiktokads.errors import (
    NO_PERMISSION_CODE,
    NOT_FOUND_CODE,
    build_error,
    build_error_response,
    build_success_response,
    require,
)
from socialgate_sandbox.vendors.tiktokads.state import LeadForm
from socialgate_sandbox.vendors.tiktokads.webhooks import SANDBOX_AD, notify_lead

TASK_FAILED_CODE, TASK_NOT_READY_CODE = 40200, 40201
_PAGE_TYPES = {"LEAD_GEN", "STORE_FRONT", "APP_PROFILE_PAGE", "TIKTOK_INSTANT_PAGE", "SHOP_ADS_PLP", "SHOP_ADS_PDP",
          "POP_UP_FORM"}  # fmt: skip
# Leads of people who live there are stored separately, and are only found by callers that ask for the region.
_EU_REGION_COUNTRIES = {
    "AT", "BE", "BG", "CH", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GB", "GR", "HR", "HU", "IE", "IS", "IT",
    "LI", "LT", "LU", "LV", "MT", "NL", "NO", "PL", "PT", "RO", "SE", "SI", "SK",
}  # fmt: skip
_RUNNING_AFTER_SECONDS, _READY_AFTER_SECONDS, _TASK_LIFETIME_SECONDS = 0.5, 1.5, 600.0
_MAX_CSV_BYTES = 10_000_000

LEAD_SERVICE = LeadService(kind=LeadForm, notify_product=notify_lead, id_length=19)


class LeadTask(StoredObject):
    """An export of the leads of a form, which is its parent, in one region ("" is the rest of the world)."""

    region: str
    created_at: datetime = msgspec.field(name="made")


class LeadParams(msgspec.Struct):
    advertiser_id: str = ""
    page_id: str = ""
    task_id: str = ""
    lead_id: str = ""
    lead_source: str = "INSTANT_FORM"
    business_type: str = ""


def list_forms(call: Call) -> Response:
    lead_params = _authorize_lead_call(call, requires_admin=False)
    require(
        lead_params.business_type in _PAGE_TYPES,
        "business_type: Missing data for required field, or not a valid choice.",
    )
    lead_forms = (
        call.context.store.find(LeadForm, parent=lead_params.advertiser_id)
        if lead_params.business_type == "LEAD_GEN"
        else []
    )
    shown, info = select_page(call, call.parse_params(PageQuery), lead_forms, max_page_size=100)
    return build_success_response(
        call, {"list": [_build_form_json(lead_form) for lead_form in shown], "page_info": info}
    )


def get_form_fields(call: Call) -> Response:
    form = _require_form(call, _authorize_lead_call(call, requires_admin=False))
    created = f"{form.created_at:%Y-%m-%d %H:%M:%S}"
    meta = {
        "page_id": form.id,
        "page_name": form.name,
        "page_url": _build_form_json(form)["preview_url"],
        "create_time": created,
    }
    return build_success_response(call, {"fields": [question.key for question in form.questions], "meta": meta})


def get_newest_lead(call: Call) -> Response:
    """Return the latest lead of a form: there is no way to ask for a specific one."""
    form = _require_form(call, _authorize_lead_call(call))
    leads = _filter_by_region(call, list_leads(call.context, form))
    return (
        build_success_response(call, _build_lead_json(form, leads[0]))
        if leads
        else build_error_response(call, NOT_FOUND_CODE, "The lead does not exist.")
    )


def start_or_check_export(call: Call) -> Response:
    """Start an export, or report its progress."""
    lead_params = _authorize_lead_call(call)
    if not lead_params.task_id:
        form = _require_form(call, lead_params)
        task = LeadTask(
            id=generate_digits(19), parent=form.id, region=_get_region(call), created_at=call.context.clock.now()
        )
        call.context.store.put(task)
        return build_success_response(call, {"task_id": task.id, "status": "CREATED"})
    task = _require_task(call, lead_params)
    status = _get_status(call, task)
    file = (
        {"file_name": f"leads_{task.id}", "file_type": _build_export_file(call, task)[1]} if status == "SUCCEED" else {}
    )
    return build_success_response(call, {"task_id": task.id, "status": status, **file})


def download_export(call: Call) -> Response:
    task = _require_task(call, _authorize_lead_call(call))
    status = _get_status(call, task)
    if status != "SUCCEED":
        code = TASK_FAILED_CODE if status == "FAILED" else TASK_NOT_READY_CODE
        return build_error_response(
            call, code, "The task has expired." if status == "FAILED" else "The task is not ready."
        )
    content, kind = _build_export_file(call, task)
    head = {"Content-Disposition": f'attachment; filename="leads_{task.id}.{kind}"'}
    return Response(content, 200, head, "text/csv" if kind == "csv" else "application/zip")


def create_test_lead(call: Call) -> Response:
    form = _require_form(call, _authorize_lead_call(call))
    require(not list_leads(call.context, form, test=True), "page_id: the page already has a test lead.")
    lead, _told = LEAD_SERVICE.add_lead(call.context, form, fill_answers(call.context, form), test=True)
    return build_success_response(call, _build_lead_json(form, lead))


def get_test_lead(call: Call) -> Response:
    form = _require_form(call, _authorize_lead_call(call))
    leads = list_leads(call.context, form, test=True)
    return build_success_response(call, _build_lead_json(form, leads[0]) if leads else {})


def delete_test_lead(call: Call) -> Response:
    lead_params = _authorize_lead_call(call)
    lead = call.context.store.get(Lead, lead_params.lead_id)
    form = call.context.store.get(LeadForm, lead.parent) if lead is not None and lead.test else None
    if form is None or form.parent != lead_params.advertiser_id:
        return build_error_response(call, NOT_FOUND_CODE, "The lead does not exist.")
    call.context.store.delete(Lead, lead_params.lead_id)
    return build_success_response(call, {})


def _authorize_lead_call(call: Call, *, requires_admin: bool = True) -> LeadParams:
    """Read the request of somebody who may see the forms of the ad account, or (an admin) its leads."""
    token, lead_params = authenticate(call, LEADS_SCOPE), call.parse_params(LeadParams)
    require(lead_params.advertiser_id, "advertiser_id: Missing data for required field.")
    _advertiser, role = require_advertiser(call, token, lead_params.advertiser_id)
    if requires_admin and role != "ADMIN":
        raise build_error(call, NO_PERMISSION_CODE, "Only an admin of the ad account can read its leads.")
    return lead_params


def _require_form(call: Call, params: LeadParams) -> LeadForm:
    form = call.context.store.get(LeadForm, params.page_id)
    if form is None or form.parent != params.advertiser_id:
        raise build_error(call, NOT_FOUND_CODE, f"The page {params.page_id} does not exist.")
    return form


def _require_task(call: Call, params: LeadParams) -> LeadTask:
    task = call.context.store.get(LeadTask, params.task_id)
    form = call.context.store.get(LeadForm, task.parent) if task is not None else None
    if task is None or form is None or form.parent != params.advertiser_id or task.region != _get_region(call):
        raise build_error(call, NOT_FOUND_CODE, "The task does not exist.")
    return task


def _get_status(call: Call, task: LeadTask) -> str:
    age = call.context.clock.get_seconds_since(task.created_at)
    if age >= _READY_AFTER_SECONDS + _TASK_LIFETIME_SECONDS:
        return "FAILED"
    return "SUCCEED" if age >= _READY_AFTER_SECONDS else "RUNNING" if age >= _RUNNING_AFTER_SECONDS else "CREATED"


def _get_region(call: Call) -> str:
    value = call.headers.get("x-lead-region", "").lower()
    return value if value in {"eu", "us"} else ""


def _filter_by_region(call: Call, leads: list[Lead], region: str | None = None) -> list[Lead]:
    expected = _get_region(call) if region is None else region
    return [
        lead
        for lead in leads
        if ("eu" if lead.country in _EU_REGION_COUNTRIES else "us" if lead.country == "US" else "") == expected
    ]


def _build_export_file(call: Call, task: LeadTask) -> tuple[bytes, str]:
    """Build the file as of the time when the export was requested. A large one is zipped."""
    form = call.context.store.get(LeadForm, task.parent)
    assert form is not None
    out = io.StringIO(newline="")
    names = ["ad_id", "ad_name", "adgroup_id", "adgroup_name", "campaign_id", "campaign_name"]
    keys = [question.key for question in form.questions]
    rows = csv.writer(out)
    rows.writerow(["lead id", "created_time", *names, "form_id", "form_name", *keys])
    for lead in _filter_by_region(call, list_leads(call.context, form), task.region):
        if lead.created_at <= task.created_at:
            head = [
                lead.id,
                f"{lead.created_at:%Y-%m-%d %H:%M:%S}",
                *(SANDBOX_AD[name] for name in names),
                form.id,
                form.name,
            ]
            rows.writerow([*head, *(lead.answers.get(key, "") for key in keys)])
    content = out.getvalue().encode("utf-8-sig")
    if len(content) <= _MAX_CSV_BYTES:
        return content, "csv"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"leads_{task.id}.csv", content)
    return packed.getvalue(), "zip"


def _build_form_json(form: LeadForm) -> dict[str, Any]:
    created = f"{form.created_at:%Y-%m-%d %H:%M:%S}"
    return {
        "page_id": form.id,
        "title": form.name,
        "status": "PUBLISHED" if form.open else "EDITED",
        "business_type": "LEAD_GEN",
        "create_time": created,
        "update_time": created,
        "publish_time": created,
        "preview_url": f"https://ads.tiktok.com/instant_page/preview/{form.id}",
        "thumbnail": f"https://p16-sign.tiktokcdn.com/{form.id}.jpeg",
    }


def _build_lead_json(form: LeadForm, lead: Lead) -> dict[str, Any]:
    ad = {name: str(value) for name, value in SANDBOX_AD.items()}
    created = f"{lead.created_at:%Y-%m-%d %H:%M:%S}"
    about = {"lead_id": lead.id, "lead_source": "INSTANT_FORM", "page_id": form.id, **ad, "create_time": created}
    return {"lead_data": lead.answers, "meta_data": about}


ROUTES = [
    *build_api_routes("GET", "page/get", list_forms),
    *build_api_routes("GET", "page/field/get", get_form_fields),
    *build_api_routes("GET", "lead/field/get", get_form_fields),
    *build_api_routes("GET", "lead/get", get_newest_lead),
    *build_api_routes("POST", "page/lead/task", start_or_check_export),
    *build_api_routes("GET", "page/lead/task/download", download_export),
    *build_api_routes("POST", "page/lead/mock/create", create_test_lead),
    *build_api_routes("GET", "page/lead/mock/get", get_test_lead),
    *build_api_routes("POST", "page/lead/mock/delete", delete_test_lead),
]
