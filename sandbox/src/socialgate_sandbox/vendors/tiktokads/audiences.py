"""Custom audiences: people from files of hashed contacts, people like them, and people who did something.

It has more than 400 lines: the three kinds of audiences are one object with one set of endpoints.
"""

from datetime import timedelta
from hashlib import md5
from typing import Any

import msgspec
from starlette.responses import Response

from socialgate_sandbox.kit import Call, VendorContext, generate_alphanumeric, generate_digits
from socialgate_sandbox.society.conversion_events import is_hash
from socialgate_sandbox.society.people_lists import PeopleFile, PeopleList, parse_hashes
from socialgate_sandbox.vendors.tiktokads.access import AUDIENCES_SCOPE, authenticate, require_advertiser
from socialgate_sandbox.vendors.tiktokads.accounts import PageQuery, select_page
from socialgate_sandbox.vendors.tiktokads.ad_objects import AdAccountContents, authorize_ad_call, format_time
from socialgate_sandbox.vendors.tiktokads.api_routes import build_api_routes
from socialgate_sandbox.vendors.tiktokads.errors import (
    BAD_FILE_CONTENT_CODE,
    BAD_SIGNATURE_CODE,
    INVALID_PARAMETER_CODE,
    NO_FILE_CODE,
    NOT_FOUND_CODE,
    build_error,
    build_error_response,
    build_success_response,
    require,
)
from socialgate_sandbox.vendors.tiktokads.pixels import Pixel

# How many characters the hashes of each type have.
HASH_LENGTHS_BY_TYPE = {
    **dict.fromkeys(("EMAIL_SHA256", "PHONE_SHA256", "IDFA_SHA256", "GAID_SHA256", "MAID_SHA256", "FIRST_SHA256",
                     "MULTIPLE_TYPES"), 64),
    **dict.fromkeys(("IDFA_MD5", "GAID_MD5", "MAID_MD5", "FIRST_MD5"), 32),
}  # fmt: skip
# The same for people who are added one by one.
_HASH_LENGTHS_BY_SCHEMA = {**dict.fromkeys(("EMAIL_SHA256", "PHONE_SHA256", "IDFA_SHA256", "AAID_SHA256"), 64),
           **dict.fromkeys(("IDFA_MD5", "AAID_MD5"), 32)}  # fmt: skip
# What visitors of a website do, in the words of audiences.
_VISIT_EVENTS = {
    "PAGE BROWSE", "CLICK BUTTON", "PIXEL SUBMIT FORM", "CONTACT", "DOWNLOAD", "PIXEL ADD PAYMENT INFO",
    "COMPLETE PAYMENT", "INITIATE CHECKOUT", "COMPLETE REGISTRATION", "PRODUCT DETAIL PAGE BROWSE", "PIXEL SEARCH",
    "PIXEL ADD TO CART", "PLACE AN ORDER", "PIXEL ADD TO WISHLIST", "PIXEL SUBSCRIBE",
}  # fmt: skip
_RETENTION_DAYS = {7, 14, 30, 60, 90, 180}
_FILTER_PARAMETERS = {"URL", "CONTENT_TYPE", "PRICE", "VALUE", "CONTENT_ID", "CONTENT_CATEGORY"}
_PLACEMENTS = {"TikTok", "TopBuzz_BuzzVideo", "Pangle"}
_RULE_AUDIENCE_TYPES = ("APP", "BUSINESS_ACCOUNT", "ENGAGEMENT", "ENGAGEMENT_LIVE_VIDEO", "ENGAGEMENT_ORGANIC_VIDEO",
          "LEAD_GENERATION", "OFFLINE", "PIXEL", "TIKTOK_SHOP")  # fmt: skip
_PEOPLE_BY_SIZE = {"NARROW": 10_000, "BALANCED": 50_000, "BROAD": 200_000}
_MAX_NAME_LENGTH, _MAX_FILES, _MAX_IDS, _MIN_PEOPLE, _MAX_ROWS = 128, 500, 100, 1000, 10_000
_MAX_SEGMENT_LENGTH, _MAX_VALUES, _MAX_VALUE_LENGTH = 70, 10, 100
_CHANGES_BY_ACTION = {"APPEND": "add", "REMOVE": "remove", "REPLACE": "replace"}


class AudienceParams(msgspec.Struct):
    custom_audience_id: str = ""
    custom_audience_ids: list[str] = []
    custom_audience_name: str = ""
    calculate_type: str = ""
    file_paths: list[str] = []
    file_signature: str = ""
    audience_sub_type: str = "NORMAL"
    retention_in_days: int = 365
    action: str = "REPLACE"
    adgroup_ids: list[str] = []
    action_mode: str = ""
    usage_mode: str = ""
    audience_type: str = ""
    lookalike_spec: dict[str, Any] = {}
    rule_spec: dict[str, Any] = {}
    delete_audience_id: str = ""


class ParameterFilter(msgspec.Struct):
    field: str
    operator: str
    values: list[str]


class VisitFilter(msgspec.Struct):
    field: str
    operator: str
    value: str
    parameter_filters: list[ParameterFilter] = []


class VisitFilterSet(msgspec.Struct):
    operator: str
    filters: list[VisitFilter]


class VisitRule(msgspec.Struct):
    retention_days: int
    filter_set: VisitFilterSet
    event_source_ids: list[str] = []


class MappingCell(msgspec.Struct):
    """An id of a person, and the segments that it is about. An empty cell means that the id is unknown."""

    id: str = ""
    audience_ids: list[str] = []


class SegmentMappingParams(msgspec.Struct):
    advertiser_ids: list[str] = []
    action: str = ""
    id_schema: list[str] = []
    batch_data: list[list[MappingCell]] = []


def upload_file(call: Call) -> Response:
    books, audience_params = _authorize_audience_call(call)
    file = call.files.get("file")
    require(
        audience_params.calculate_type in HASH_LENGTHS_BY_TYPE,
        f"calculate_type: Must be one of: {', '.join(HASH_LENGTHS_BY_TYPE)}.",
    )
    if file is None:
        return build_error_response(call, NO_FILE_CODE, "file: the file does not exist.")
    content = file.path.read_bytes()
    if md5(content, usedforsecurity=False).hexdigest() != audience_params.file_signature:
        return build_error_response(call, BAD_SIGNATURE_CODE, "file_signature: the signature does not match the file.")
    hashes = parse_hashes(content, HASH_LENGTHS_BY_TYPE[audience_params.calculate_type])
    if not hashes:
        return build_error_response(
            call, BAD_FILE_CONTENT_CODE, f"The content of the file is not of the type {audience_params.calculate_type}."
        )
    people_file = PeopleFile(
        id=generate_alphanumeric(16), parent=books.advertiser.id, kind=audience_params.calculate_type, hashes=hashes
    )
    return build_success_response(call, {"file_path": call.context.store.put(people_file).id})


def create_file_audience(call: Call) -> Response:
    books, audience_params = _authorize_audience_call(call)
    require(
        audience_params.calculate_type in HASH_LENGTHS_BY_TYPE,
        f"calculate_type: Must be one of: {', '.join(HASH_LENGTHS_BY_TYPE)}.",
    )
    hashes = _read_hashes(call, books, audience_params.file_paths)
    return _create_audience(call, books, audience_params, "Customer File Audience", hashes=hashes)


def create_lookalike(call: Call) -> Response:
    books, audience_params = _authorize_audience_call(call)
    spec = audience_params.lookalike_spec
    source = _require_audience(call, books, str(spec.get("source_audience_id", "")))
    require(
        source.count_people(call.context, _MIN_PEOPLE) > 0,
        "lookalike_spec: the source audience has fewer than 1000 people.",
    )
    require(
        str(spec.get("audience_size")) in _PEOPLE_BY_SIZE,
        f"audience_size: Must be one of: {', '.join(_PEOPLE_BY_SIZE)}.",
    )
    require(spec.get("mobile_os") in {"ALL", "ANDROID", "IOS"}, "mobile_os: Must be one of: ALL, ANDROID, IOS.")
    placed = spec.get("placements")
    fits = isinstance(placed, list) and placed and set(placed) <= _PLACEMENTS
    require(fits, f"placements: Must be one of: {', '.join(sorted(_PLACEMENTS))}.")
    return _create_audience(
        call, books, audience_params, "Lookalike Audience", size=_PEOPLE_BY_SIZE[spec["audience_size"]], spec=spec
    )


def create_rule_audience(call: Call) -> Response:
    books, audience_params = _authorize_audience_call(call)
    require(
        audience_params.audience_type in _RULE_AUDIENCE_TYPES,
        f"audience_type: Must be one of: {', '.join(_RULE_AUDIENCE_TYPES)}.",
    )
    rules: dict[str, Any] = audience_params.rule_spec.get("inclusion_rule_set") or {}
    require(rules, "rule_spec.inclusion_rule_set: Missing data for required field.")
    if audience_params.audience_type == "PIXEL":
        _validate_visit_rules(call, books, rules)
    kind = "Website Audience" if audience_params.audience_type == "PIXEL" else "Engagement Audience"
    return _create_audience(call, books, audience_params, kind, size=2 * _MIN_PEOPLE, spec=audience_params.rule_spec)


def create_or_delete_segment(call: Call) -> Response:
    """Create an empty audience, which people are added to one by one, or delete it."""
    books, audience_params = _authorize_audience_call(call)
    require(audience_params.action in {"create", "delete"}, "action: Must be one of: create, delete.")
    if audience_params.action == "create":
        if len(audience_params.custom_audience_name) > _MAX_SEGMENT_LENGTH:
            audience_params.custom_audience_name = (
                f"{audience_params.custom_audience_name[: _MAX_SEGMENT_LENGTH - 3]}..."
            )
        return _create_audience(call, books, audience_params, "Partner Audience", name="audience_id")
    call.context.store.delete(PeopleList, _require_audience(call, books, audience_params.delete_audience_id).id)
    return build_success_response(call, {"audience_id": audience_params.delete_audience_id})


def update_segment_people(call: Call) -> Response:
    """Add people to segments, or remove them: a row for each person, with one cell for each type of id."""
    mapping = call.parse_params(SegmentMappingParams)
    require(mapping.action in {"add", "delete"}, "action: Must be one of: add, delete.")
    require(
        mapping.id_schema and set(mapping.id_schema) <= set(_HASH_LENGTHS_BY_SCHEMA), "id_schema: Not a valid choice."
    )
    require(1 <= len(mapping.batch_data) <= _MAX_ROWS, f"batch_data: between 1 and {_MAX_ROWS} are allowed.")
    token, people_lists = authenticate(call, AUDIENCES_SCOPE), dict[str, PeopleList]()
    mine = {require_advertiser(call, token, key)[0].id for key in mapping.advertiser_ids}
    for row in mapping.batch_data:
        require(len(row) == len(mapping.id_schema), "batch_data: a row does not match id_schema.")
        for kind, cell in zip(mapping.id_schema, row, strict=True):
            for key in cell.audience_ids if cell.id else ():
                people_list = people_lists.get(key) or call.context.store.get(PeopleList, key)
                require(people_list is not None and people_list.parent in mine, f"audience_ids: {key} does not exist.")
                require(is_hash(cell.id, _HASH_LENGTHS_BY_SCHEMA[kind]), f"batch_data: {kind} must be a hash.")
                assert people_list is not None
                kept = {*people_list.hashes, cell.id} if mapping.action == "add" else {*people_list.hashes} - {cell.id}
                people_lists[key] = people_list
                people_list.hashes, people_list.changed = sorted(kept), call.context.clock.now()
    for people_list in people_lists.values():
        call.context.store.put(people_list)
    return build_success_response(call, {})


def update_audience(call: Call) -> Response:
    books, audience_params = _authorize_audience_call(call)
    people_list = _require_audience(call, books, audience_params.custom_audience_id)
    if audience_params.custom_audience_name:
        people_list.name = _require_name(audience_params)
    if audience_params.file_paths:
        require(
            audience_params.action in _CHANGES_BY_ACTION, f"action: Must be one of: {', '.join(_CHANGES_BY_ACTION)}."
        )
        people_list.change_people(
            call.context,
            _CHANGES_BY_ACTION,
            audience_params.action,
            _read_hashes(call, books, audience_params.file_paths),
        )
    call.context.store.put(people_list)
    return build_success_response(call, {})


def delete_audiences(call: Call) -> Response:
    books, audience_params = _authorize_audience_call(call)
    people_lists = [_require_audience(call, books, key) for key in audience_params.custom_audience_ids]
    used = {key for group in books.adgroups.values() for key in group.fields.get("audience_ids") or []}
    for people_list in people_lists:
        require(people_list.id not in used, f"custom_audience_ids: {people_list.id} is used by an ad group.")
        call.context.store.delete(PeopleList, people_list.id)
    return build_success_response(call, {})


def apply_to_adgroups(call: Call) -> Response:
    """Target or exclude an audience in ad groups, or stop that."""
    books, audience_params = _authorize_audience_call(call)
    people_list = _require_audience(call, books, audience_params.custom_audience_id)
    modes = {"Include": "audience_ids", "Exclude": "excluded_audience_ids"}
    require(audience_params.action_mode in {"Apply", "Disconnect"}, "action_mode: Must be one of: Apply, Disconnect.")
    require(
        audience_params.action_mode == "Disconnect" or audience_params.usage_mode in modes,
        "usage_mode: Must be Include or Exclude.",
    )
    for key in audience_params.adgroup_ids:
        group = books.adgroups.get(key)
        if group is None:
            return build_error_response(call, NOT_FOUND_CODE, f"The adgroup {key} does not exist.")
        for mode, name in modes.items():
            kept = [other for other in group.fields.get(name) or [] if other != people_list.id]
            applied = audience_params.action_mode == "Apply" and mode == audience_params.usage_mode
            group.fields = {**group.fields, name: [*kept, people_list.id] if applied else kept}
        call.context.store.put(group)
    return build_success_response(call, {})


def list_audiences(call: Call) -> Response:
    books, audience_params = _authorize_audience_call(call, requires_write=False)
    every = call.context.store.find(PeopleList, parent=books.advertiser.id, newest_first=True)
    people_lists = [
        people_list
        for people_list in every
        if not audience_params.custom_audience_ids or people_list.id in audience_params.custom_audience_ids
    ]
    rows, info = select_page(call, call.parse_params(PageQuery), people_lists, max_page_size=_MAX_IDS)
    return build_success_response(
        call, {"list": [_build_audience_json(call.context, row) for row in rows], "page_info": info}
    )


def get_audiences(call: Call) -> Response:
    books, audience_params = _authorize_audience_call(call, requires_write=False)
    require(
        1 <= len(audience_params.custom_audience_ids) <= _MAX_IDS, f"custom_audience_ids: between 1 and {_MAX_IDS}."
    )
    people_lists = [_require_audience(call, books, key) for key in audience_params.custom_audience_ids]
    return build_success_response(
        call,
        {
            "list": [
                {"audience_details": _build_details_json(call.context, people_list), "audience_history": []}
                for people_list in people_lists
            ]
        },
    )


def _validate_visit_rules(call: Call, contents: AdAccountContents, rules: dict[str, Any]) -> None:
    """Check which visitors of a website are meant. A rule has one filter, with one about URLs at most."""
    try:
        read = msgspec.convert(rules.get("rules"), list[VisitRule])
    except msgspec.ValidationError as error:
        raise build_error(call, INVALID_PARAMETER_CODE, f"rule_spec.inclusion_rule_set.rules: {error}") from None
    require(rules.get("operator") == "OR" and read, "rule_spec.inclusion_rule_set: needs OR and a rule.")
    for rule in read:
        pixels = call.context.store.get_all(Pixel, rule.event_source_ids)
        own = [pixel for pixel in pixels if pixel.parent == contents.advertiser.id]
        require(own and len(own) == len(rule.event_source_ids), "event_source_ids: a pixel does not exist.")
        require(rule.retention_days in _RETENTION_DAYS, f"retention_days: Must be one of: {sorted(_RETENTION_DAYS)}.")
        require(len(rule.filter_set.filters) == 1, "filter_set.filters: exactly one is allowed.")
        (visit_filter,) = rule.filter_set.filters
        require(
            (visit_filter.field, visit_filter.operator) == ("EVENT", "EQ"), "filters: only EVENT and EQ are allowed."
        )
        require(visit_filter.value in _VISIT_EVENTS, f"filters.value: {visit_filter.value} is not a valid choice.")
        for parameter_filter in visit_filter.parameter_filters:
            require(
                parameter_filter.field in _FILTER_PARAMETERS,
                f"parameter_filters.field: {parameter_filter.field} is not a valid choice.",
            )
            fits = 1 <= len(parameter_filter.values) <= _MAX_VALUES and all(
                len(value) <= _MAX_VALUE_LENGTH for value in parameter_filter.values
            )
            require(fits, "parameter_filters.values: too many, or too long.")


def _authorize_audience_call(call: Call, *, requires_write: bool = True) -> tuple[AdAccountContents, AudienceParams]:
    books, _given = authorize_ad_call(call, AUDIENCES_SCOPE, requires_write=requires_write)
    return books, call.parse_params(AudienceParams)


def _require_name(params: AudienceParams) -> str:
    name = params.custom_audience_name
    require(
        1 <= len(name) <= _MAX_NAME_LENGTH, f"custom_audience_name: Length must be between 1 and {_MAX_NAME_LENGTH}."
    )
    return name


def _read_hashes(call: Call, contents: AdAccountContents, paths: list[str]) -> list[str]:
    require(1 <= len(paths) <= _MAX_FILES, f"file_paths: between 1 and {_MAX_FILES} files are allowed.")
    files = call.context.store.get_all(PeopleFile, paths)
    require(len({file.id for file in files if file.parent == contents.advertiser.id}) == len(set(paths)),
            "file_paths: a file does not exist.")  # fmt: skip
    return sorted({value for file in files for value in file.hashes})


def _create_audience(
    call: Call,
    contents: AdAccountContents,
    params: AudienceParams,
    kind: str,
    *,
    name: str = "custom_audience_id",
    **extra_fields: Any,
) -> Response:
    require(params.audience_sub_type in {"NORMAL", "REACH_FREQUENCY"}, "audience_sub_type: not a valid choice.")
    require(1 <= params.retention_in_days <= 365, "retention_in_days: must be between 1 and 365.")  # noqa: PLR2004 - days
    now = call.context.clock.now()
    people_list = PeopleList(
        id=generate_digits(18),
        parent=contents.advertiser.id,
        name=_require_name(params),
        kind=kind,
        created_at=now,
        changed=now,
        days=params.retention_in_days,
        fields={"sub": params.audience_sub_type, "hash": params.calculate_type},
        **extra_fields,
    )
    return build_success_response(call, {name: call.context.store.put(people_list).id})


def _require_audience(call: Call, contents: AdAccountContents, key: str) -> PeopleList:
    people_list = call.context.store.get(PeopleList, key)
    if people_list is None or people_list.parent != contents.advertiser.id:
        raise build_error(call, NOT_FOUND_CODE, f"The audience {key} does not exist.")
    return people_list


def _build_audience_json(context: VendorContext, audience: PeopleList) -> dict[str, Any]:
    size = audience.count_people(context, _MIN_PEOPLE)
    return {
        "audience_id": audience.id,
        "name": audience.name,
        "audience_type": audience.kind,
        "audience_sub_type": audience.fields["sub"],
        "calculate_type": audience.fields["hash"] or None,
        "cover_num": size,
        "is_valid": size > 0,
        "is_expiring": context.clock.now() > audience.expires_at - timedelta(days=60),
        "is_creator": True,
        "is_auto_refresh": False,
        "shared": False,
        "owner_id": audience.parent,
        "create_time": format_time(audience.created_at),
        "expired_time": format_time(audience.expires_at),
        "msg": "Calculating" if audience.is_calculating(context) else "Available" if size else "Audience is too small",
        "error_msg": "",
        "lookalike_spec": audience.spec if audience.kind == "Lookalike Audience" else None,
    }


def _build_details_json(context: VendorContext, audience: PeopleList) -> dict[str, Any]:
    """Details have another name for the type."""
    shown = _build_audience_json(context, audience)
    return {**shown, "type": shown.pop("audience_type")}


_AUDIENCE_PATH = "dmp/custom_audience"
ROUTES = [
    *build_api_routes("POST", f"{_AUDIENCE_PATH}/file/upload", upload_file),
    *build_api_routes("POST", f"{_AUDIENCE_PATH}/create", create_file_audience),
    *build_api_routes("POST", f"{_AUDIENCE_PATH}/lookalike/create", create_lookalike),
    *build_api_routes("POST", f"{_AUDIENCE_PATH}/rule/create", create_rule_audience),
    *build_api_routes("POST", f"{_AUDIENCE_PATH}/update", update_audience),
    *build_api_routes("POST", f"{_AUDIENCE_PATH}/delete", delete_audiences),
    *build_api_routes("POST", f"{_AUDIENCE_PATH}/apply", apply_to_adgroups),
    *build_api_routes("GET", f"{_AUDIENCE_PATH}/list", list_audiences),
    *build_api_routes("GET", f"{_AUDIENCE_PATH}/get", get_audiences),
    *build_api_routes("POST", "segment/audience", create_or_delete_segment),
    *build_api_routes("POST", "segment/mapping", update_segment_people),
]
