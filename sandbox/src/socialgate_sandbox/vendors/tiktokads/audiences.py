"""Custom audiences: people from files of hashed contacts, people like them, and people who did something."""

from datetime import timedelta
from hashlib import md5
from typing import Any

import msgspec
from starlette.responses import Response

from socialgate_sandbox.kit import Call, World, digits, text
from socialgate_sandbox.society.people_lists import PeopleFile, PeopleList, read_hashes
from socialgate_sandbox.society.tracking import is_hash
from socialgate_sandbox.vendors.tiktokads.access import AUDIENCES, advertiser_of, signed_in
from socialgate_sandbox.vendors.tiktokads.accounts import PageQuery, paged
from socialgate_sandbox.vendors.tiktokads.errors import (
    BAD_LINES,
    BAD_SIGNATURE,
    NO_FILE,
    NOT_FOUND,
    WRONG_PARAMETER,
    answered,
    failed,
    refused,
    require,
)
from socialgate_sandbox.vendors.tiktokads.hosts import api
from socialgate_sandbox.vendors.tiktokads.objects import Books, asking, moment
from socialgate_sandbox.vendors.tiktokads.pixels import Pixel

# How many characters the hashes of each type have.
TYPES = {
    **dict.fromkeys(("EMAIL_SHA256", "PHONE_SHA256", "IDFA_SHA256", "GAID_SHA256", "MAID_SHA256", "FIRST_SHA256",
                     "MULTIPLE_TYPES"), 64),
    **dict.fromkeys(("IDFA_MD5", "GAID_MD5", "MAID_MD5", "FIRST_MD5"), 32),
}  # fmt: skip
# The same for people who are added one by one.
_SCHEMA = {**dict.fromkeys(("EMAIL_SHA256", "PHONE_SHA256", "IDFA_SHA256", "AAID_SHA256"), 64),
           **dict.fromkeys(("IDFA_MD5", "AAID_MD5"), 32)}  # fmt: skip
# What visitors of a website do, in the words of audiences.
_VISITS = {
    "PAGE BROWSE", "CLICK BUTTON", "PIXEL SUBMIT FORM", "CONTACT", "DOWNLOAD", "PIXEL ADD PAYMENT INFO",
    "COMPLETE PAYMENT", "INITIATE CHECKOUT", "COMPLETE REGISTRATION", "PRODUCT DETAIL PAGE BROWSE", "PIXEL SEARCH",
    "PIXEL ADD TO CART", "PLACE AN ORDER", "PIXEL ADD TO WISHLIST", "PIXEL SUBSCRIBE",
}  # fmt: skip
_LOOKBACKS = {7, 14, 30, 60, 90, 180}
_PARAMETERS = {"URL", "CONTENT_TYPE", "PRICE", "VALUE", "CONTENT_ID", "CONTENT_CATEGORY"}
_PLACEMENTS = {"TikTok", "TopBuzz_BuzzVideo", "Pangle"}
_RULES = ("APP", "BUSINESS_ACCOUNT", "ENGAGEMENT", "ENGAGEMENT_LIVE_VIDEO", "ENGAGEMENT_ORGANIC_VIDEO",
          "LEAD_GENERATION", "OFFLINE", "PIXEL", "TIKTOK_SHOP")  # fmt: skip
_SIZES = {"NARROW": 10_000, "BALANCED": 50_000, "BROAD": 200_000}
_LONGEST_NAME, _MOST_FILES, _MOST_IDS, _FEWEST, _MOST_ROWS = 128, 500, 100, 1000, 10_000
_LONGEST_SEGMENT, _MOST_VALUES, _LONGEST_VALUE = 70, 10, 100
_WAYS = {"APPEND": "add", "REMOVE": "remove", "REPLACE": "replace"}


class Asked(msgspec.Struct):
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


class Filter(msgspec.Struct):
    field: str
    operator: str
    value: str
    parameter_filters: list[ParameterFilter] = []


class FilterSet(msgspec.Struct):
    operator: str
    filters: list[Filter]


class VisitRule(msgspec.Struct):
    retention_days: int
    filter_set: FilterSet
    event_source_ids: list[str] = []


class Cell(msgspec.Struct):
    """An id of a person, and the segments that it is about. An empty cell means that the id is unknown."""

    id: str = ""
    audience_ids: list[str] = []


class Mapping(msgspec.Struct):
    advertiser_ids: list[str] = []
    action: str = ""
    id_schema: list[str] = []
    batch_data: list[list[Cell]] = []


def upload_file(call: Call) -> Response:
    books, given = _asked(call)
    file = call.files.get("file")
    require(given.calculate_type in TYPES, f"calculate_type: Must be one of: {', '.join(TYPES)}.")
    if file is None:
        return failed(call, NO_FILE, "file: the file does not exist.")
    content = file.path.read_bytes()
    if md5(content, usedforsecurity=False).hexdigest() != given.file_signature:
        return failed(call, BAD_SIGNATURE, "file_signature: the signature does not match the file.")
    hashes = read_hashes(content, TYPES[given.calculate_type])
    if not hashes:
        return failed(call, BAD_LINES, f"The content of the file is not of the type {given.calculate_type}.")
    made = PeopleFile(id=text(16), parent=books.advertiser.id, kind=given.calculate_type, hashes=hashes)
    return answered(call, {"file_path": call.world.store.put(made).id})


def create(call: Call) -> Response:
    books, given = _asked(call)
    require(given.calculate_type in TYPES, f"calculate_type: Must be one of: {', '.join(TYPES)}.")
    hashes = _hashes(call, books, given.file_paths)
    return _made(call, books, given, "Customer File Audience", hashes=hashes)


def create_lookalike(call: Call) -> Response:
    books, given = _asked(call)
    spec = given.lookalike_spec
    source = _audience(call, books, str(spec.get("source_audience_id", "")))
    require(source.reach(call.world, _FEWEST) > 0, "lookalike_spec: the source audience has fewer than 1000 people.")
    require(str(spec.get("audience_size")) in _SIZES, f"audience_size: Must be one of: {', '.join(_SIZES)}.")
    require(spec.get("mobile_os") in {"ALL", "ANDROID", "IOS"}, "mobile_os: Must be one of: ALL, ANDROID, IOS.")
    placed = spec.get("placements")
    fits = isinstance(placed, list) and placed and set(placed) <= _PLACEMENTS
    require(fits, f"placements: Must be one of: {', '.join(sorted(_PLACEMENTS))}.")
    return _made(call, books, given, "Lookalike Audience", size=_SIZES[spec["audience_size"]], spec=spec)


def create_by_rule(call: Call) -> Response:
    books, given = _asked(call)
    require(given.audience_type in _RULES, f"audience_type: Must be one of: {', '.join(_RULES)}.")
    rules: dict[str, Any] = given.rule_spec.get("inclusion_rule_set") or {}
    require(rules, "rule_spec.inclusion_rule_set: Missing data for required field.")
    if given.audience_type == "PIXEL":
        _check_visits(call, books, rules)
    kind = "Website Audience" if given.audience_type == "PIXEL" else "Engagement Audience"
    return _made(call, books, given, kind, size=2 * _FEWEST, spec=given.rule_spec)


def create_segment(call: Call) -> Response:
    """Create an empty audience, which people are added to one by one, or delete it."""
    books, given = _asked(call)
    require(given.action in {"create", "delete"}, "action: Must be one of: create, delete.")
    if given.action == "create":
        if len(given.custom_audience_name) > _LONGEST_SEGMENT:
            given.custom_audience_name = f"{given.custom_audience_name[: _LONGEST_SEGMENT - 3]}..."
        return _made(call, books, given, "Partner Audience", name="audience_id")
    call.world.store.delete(PeopleList, _audience(call, books, given.delete_audience_id).id)
    return answered(call, {"audience_id": given.delete_audience_id})


def map_people(call: Call) -> Response:
    """Add people to segments, or remove them: a row for each person, with one cell for each type of id."""
    mapping = call.read(Mapping)
    require(mapping.action in {"add", "delete"}, "action: Must be one of: add, delete.")
    require(mapping.id_schema and set(mapping.id_schema) <= set(_SCHEMA), "id_schema: Not a valid choice.")
    require(1 <= len(mapping.batch_data) <= _MOST_ROWS, f"batch_data: between 1 and {_MOST_ROWS} are allowed.")
    token, found = signed_in(call, AUDIENCES), dict[str, PeopleList]()
    mine = {advertiser_of(call, token, key)[0].id for key in mapping.advertiser_ids}
    for row in mapping.batch_data:
        require(len(row) == len(mapping.id_schema), "batch_data: a row does not match id_schema.")
        for kind, cell in zip(mapping.id_schema, row, strict=True):
            for key in cell.audience_ids if cell.id else ():
                one = found.get(key) or call.world.store.get(PeopleList, key)
                require(one is not None and one.parent in mine, f"audience_ids: {key} does not exist.")
                require(is_hash(cell.id, _SCHEMA[kind]), f"batch_data: {kind} must be a hash.")
                assert one is not None
                kept = {*one.hashes, cell.id} if mapping.action == "add" else {*one.hashes} - {cell.id}
                found[key] = one
                one.hashes, one.changed = sorted(kept), call.world.clock.now()
    for one in found.values():
        call.world.store.put(one)
    return answered(call, {})


def update(call: Call) -> Response:
    books, given = _asked(call)
    one = _audience(call, books, given.custom_audience_id)
    if given.custom_audience_name:
        one.name = _name(given)
    if given.file_paths:
        require(given.action in _WAYS, f"action: Must be one of: {', '.join(_WAYS)}.")
        one.change(call.world, _WAYS, given.action, _hashes(call, books, given.file_paths))
    call.world.store.put(one)
    return answered(call, {})


def delete(call: Call) -> Response:
    books, given = _asked(call)
    found = [_audience(call, books, key) for key in given.custom_audience_ids]
    used = {key for group in books.groups.values() for key in group.fields.get("audience_ids") or []}
    for one in found:
        require(one.id not in used, f"custom_audience_ids: {one.id} is used by an ad group.")
        call.world.store.delete(PeopleList, one.id)
    return answered(call, {})


def apply(call: Call) -> Response:
    """Target or exclude an audience in ad groups, or stop that."""
    books, given = _asked(call)
    one = _audience(call, books, given.custom_audience_id)
    modes = {"Include": "audience_ids", "Exclude": "excluded_audience_ids"}
    require(given.action_mode in {"Apply", "Disconnect"}, "action_mode: Must be one of: Apply, Disconnect.")
    require(given.action_mode == "Disconnect" or given.usage_mode in modes, "usage_mode: Must be Include or Exclude.")
    for key in given.adgroup_ids:
        group = books.groups.get(key)
        if group is None:
            return failed(call, NOT_FOUND, f"The adgroup {key} does not exist.")
        for mode, name in modes.items():
            kept = [other for other in group.fields.get(name) or [] if other != one.id]
            applied = given.action_mode == "Apply" and mode == given.usage_mode
            group.fields = {**group.fields, name: [*kept, one.id] if applied else kept}
        call.world.store.put(group)
    return answered(call, {})


def list_audiences(call: Call) -> Response:
    books, given = _asked(call, write=False)
    every = call.world.store.find(PeopleList, parent=books.advertiser.id, newest_first=True)
    found = [one for one in every if not given.custom_audience_ids or one.id in given.custom_audience_ids]
    rows, info = paged(call, call.read(PageQuery), found, most=_MOST_IDS)
    return answered(call, {"list": [_shown(call.world, one) for one in rows], "page_info": info})


def read(call: Call) -> Response:
    books, given = _asked(call, write=False)
    require(1 <= len(given.custom_audience_ids) <= _MOST_IDS, f"custom_audience_ids: between 1 and {_MOST_IDS}.")
    found = [_audience(call, books, key) for key in given.custom_audience_ids]
    return answered(
        call, {"list": [{"audience_details": _details(call.world, one), "audience_history": []} for one in found]}
    )


def _check_visits(call: Call, books: Books, rules: dict[str, Any]) -> None:
    """Check which visitors of a website are meant. A rule has one filter, with one about URLs at most."""
    try:
        read = msgspec.convert(rules.get("rules"), list[VisitRule])
    except msgspec.ValidationError as error:
        raise refused(call, WRONG_PARAMETER, f"rule_spec.inclusion_rule_set.rules: {error}") from None
    require(rules.get("operator") == "OR" and read, "rule_spec.inclusion_rule_set: needs OR and a rule.")
    for rule in read:
        pixels = call.world.store.get_all(Pixel, rule.event_source_ids)
        own = [one for one in pixels if one.parent == books.advertiser.id]
        require(own and len(own) == len(rule.event_source_ids), "event_source_ids: a pixel does not exist.")
        require(rule.retention_days in _LOOKBACKS, f"retention_days: Must be one of: {sorted(_LOOKBACKS)}.")
        require(len(rule.filter_set.filters) == 1, "filter_set.filters: exactly one is allowed.")
        (wanted,) = rule.filter_set.filters
        require((wanted.field, wanted.operator) == ("EVENT", "EQ"), "filters: only EVENT and EQ are allowed.")
        require(wanted.value in _VISITS, f"filters.value: {wanted.value} is not a valid choice.")
        for one in wanted.parameter_filters:
            require(one.field in _PARAMETERS, f"parameter_filters.field: {one.field} is not a valid choice.")
            fits = 1 <= len(one.values) <= _MOST_VALUES and all(len(value) <= _LONGEST_VALUE for value in one.values)
            require(fits, "parameter_filters.values: too many, or too long.")


def _asked(call: Call, *, write: bool = True) -> tuple[Books, Asked]:
    books, _given = asking(call, AUDIENCES, write=write)
    return books, call.read(Asked)


def _name(given: Asked) -> str:
    name = given.custom_audience_name
    require(1 <= len(name) <= _LONGEST_NAME, f"custom_audience_name: Length must be between 1 and {_LONGEST_NAME}.")
    return name


def _hashes(call: Call, books: Books, paths: list[str]) -> list[str]:
    require(1 <= len(paths) <= _MOST_FILES, f"file_paths: between 1 and {_MOST_FILES} files are allowed.")
    files = call.world.store.get_all(PeopleFile, paths)
    require(len({one.id for one in files if one.parent == books.advertiser.id}) == len(set(paths)),
            "file_paths: a file does not exist.")  # fmt: skip
    return sorted({one for file in files for one in file.hashes})


def _made(
    call: Call, books: Books, given: Asked, kind: str, *, name: str = "custom_audience_id", **more: Any
) -> Response:
    require(given.audience_sub_type in {"NORMAL", "REACH_FREQUENCY"}, "audience_sub_type: not a valid choice.")
    require(1 <= given.retention_in_days <= 365, "retention_in_days: must be between 1 and 365.")  # noqa: PLR2004 - days
    now = call.world.clock.now()
    made = PeopleList(
        id=digits(18), parent=books.advertiser.id, name=_name(given), kind=kind, made=now, changed=now,
        days=given.retention_in_days, fields={"sub": given.audience_sub_type, "hash": given.calculate_type}, **more,
    )  # fmt: skip
    return answered(call, {name: call.world.store.put(made).id})


def _audience(call: Call, books: Books, key: str) -> PeopleList:
    found = call.world.store.get(PeopleList, key)
    if found is None or found.parent != books.advertiser.id:
        raise refused(call, NOT_FOUND, f"The audience {key} does not exist.")
    return found


def _shown(world: World, one: PeopleList) -> dict[str, Any]:
    size = one.reach(world, _FEWEST)
    return {
        "audience_id": one.id,
        "name": one.name,
        "audience_type": one.kind,
        "audience_sub_type": one.fields["sub"],
        "calculate_type": one.fields["hash"] or None,
        "cover_num": size,
        "is_valid": size > 0,
        "is_expiring": world.clock.now() > one.ends - timedelta(days=60),
        "is_creator": True,
        "is_auto_refresh": False,
        "shared": False,
        "owner_id": one.parent,
        "create_time": moment(one.made),
        "expired_time": moment(one.ends),
        "msg": "Calculating" if one.is_calculating(world) else "Available" if size else "Audience is too small",
        "error_msg": "",
        "lookalike_spec": one.spec if one.kind == "Lookalike Audience" else None,
    }


def _details(world: World, one: PeopleList) -> dict[str, Any]:
    """Details have another name for the type."""
    shown = _shown(world, one)
    return {**shown, "type": shown.pop("audience_type")}


_PATH = "dmp/custom_audience"
ROUTES = [
    *api("POST", f"{_PATH}/file/upload", upload_file),
    *api("POST", f"{_PATH}/create", create),
    *api("POST", f"{_PATH}/lookalike/create", create_lookalike),
    *api("POST", f"{_PATH}/rule/create", create_by_rule),
    *api("POST", f"{_PATH}/update", update),
    *api("POST", f"{_PATH}/delete", delete),
    *api("POST", f"{_PATH}/apply", apply),
    *api("GET", f"{_PATH}/list", list_audiences),
    *api("GET", f"{_PATH}/get", read),
    *api("POST", "segment/audience", create_segment),
    *api("POST", "segment/mapping", map_people),
]
