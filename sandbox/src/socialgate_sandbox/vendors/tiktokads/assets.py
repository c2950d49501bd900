"""Images and videos of an ad account, uploaded as files or fetched from a URL."""

from datetime import UTC, datetime
from hashlib import md5
from typing import Any

import msgspec
from starlette.responses import FileResponse, Response

from socialgate_sandbox.kit import (
    Call,
    Route,
    StoredObject,
    VendorContext,
    draw_plain_png,
    generate_digits,
    generate_hex,
    probe_media,
)
from socialgate_sandbox.kit.media import Media, download_media, store_media
from socialgate_sandbox.vendors.tiktokads.access import CREATIVE_SCOPE
from socialgate_sandbox.vendors.tiktokads.accounts import PageQuery, select_page
from socialgate_sandbox.vendors.tiktokads.ad_objects import authorize_ad_call
from socialgate_sandbox.vendors.tiktokads.api_routes import build_api_routes
from socialgate_sandbox.vendors.tiktokads.errors import (
    BAD_FILE_CODE,
    BAD_SIGNATURE_CODE,
    DUPLICATE_NAME_CODE,
    FETCH_FAILED_CODE,
    NO_FILE_CODE,
    build_error,
    build_refusal,
    build_success_response,
    require,
)

CDN_HOST = "p16-ad-sg.tiktokcdn.com"
_MAX_FILE_BYTES, _TRANSCODING_SECONDS, _DEFAULT_SIDE = 1 << 30, 1.0, 720
_MAX_IMAGES, _MAX_VIDEOS = 100, 60
_DEFAULT_TYPES = {"image": "image/jpeg", "video": "video/mp4"}


class Asset(StoredObject):
    """An image or a video of the ad account that is its parent."""

    kind: str
    name: str
    media: Media
    signature: str
    created_at: datetime = msgspec.field(name="made")


class AssetParams(msgspec.Struct):
    upload_type: str = "UPLOAD_BY_FILE"
    file_name: str = ""
    image_signature: str = ""
    video_signature: str = ""
    image_url: str = ""
    video_url: str = ""
    image_ids: list[str] = []
    video_ids: list[str] = []


async def upload_image(call: Call) -> Response:
    return build_success_response(
        call,
        _build_asset_json(
            call.context, await _store_upload(call, "image", call.parse_params(AssetParams).image_signature)
        ),
    )


async def upload_video(call: Call) -> Response:
    return build_success_response(
        call,
        [
            _build_asset_json(
                call.context, await _store_upload(call, "video", call.parse_params(AssetParams).video_signature)
            )
        ],
    )


def get_image_info(call: Call) -> Response:
    return build_success_response(
        call, {"list": _list_assets(call, call.parse_params(AssetParams).image_ids, _MAX_IMAGES)}
    )


def get_video_info(call: Call) -> Response:
    return build_success_response(
        call, {"list": _list_assets(call, call.parse_params(AssetParams).video_ids, _MAX_VIDEOS)}
    )


def search_videos(call: Call) -> Response:
    books, _asked = authorize_ad_call(call, CREATIVE_SCOPE)
    every = call.context.store.find(Asset, parent=books.advertiser.id, newest_first=True)
    rows, info = select_page(
        call, call.parse_params(PageQuery), [asset for asset in every if asset.kind == "video"], max_page_size=100
    )
    return build_success_response(
        call, {"list": [_build_asset_json(call.context, row) for row in rows], "page_info": info}
    )


def require_images(context: VendorContext, advertiser: str, keys: list[str], field_prefix: str) -> None:
    for key in keys:
        _require_asset(context, advertiser, key, "image", f"{field_prefix}image_ids")


def require_video(context: VendorContext, advertiser: str, key: str, field_prefix: str) -> None:
    asset = _require_asset(context, advertiser, key, "video", f"{field_prefix}video_id")
    if not _is_ready(context, asset):
        raise build_refusal("transcoding")


def serve_file(call: Call) -> Response:
    path = call.context.files.path(call.path_params["name"])
    return FileResponse(path, media_type=probe_media(path).content_type) if path.is_file() else Response("", 404)


def serve_cover(call: Call) -> Response:
    return Response(
        draw_plain_png(call.path_params["name"], _DEFAULT_SIDE, _DEFAULT_SIDE * 16 // 9), media_type="image/png"
    )


async def _store_upload(call: Call, kind: str, signature: str) -> Asset:
    books, _asked = authorize_ad_call(call, CREATIVE_SCOPE, requires_write=True)
    world, asset_params = call.context, call.parse_params(AssetParams)
    words = ("UPLOAD_BY_FILE", "UPLOAD_BY_URL")
    require(asset_params.upload_type in words, f"upload_type: Must be one of: {', '.join(words)}.")
    file, url = call.files.get(f"{kind}_file"), asset_params.image_url if kind == "image" else asset_params.video_url
    if asset_params.upload_type == "UPLOAD_BY_URL":
        require(url, f"{kind}_url: Missing data for required field.")
        media = await download_media(world, url, _DEFAULT_TYPES[kind], _MAX_FILE_BYTES)
        if media is None:
            raise build_error(call, FETCH_FAILED_CODE, f"{kind}_url: the URL cannot be fetched.")
        sum_of = generate_hex(32) if not media.file else _compute_md5(world, media.file)
    else:
        if file is None:
            raise build_error(call, NO_FILE_CODE, f"{kind}_file: the file does not exist.")
        media = store_media(world, file, file.content_type)
        sum_of = _compute_md5(world, media.file)
        if signature != sum_of:
            raise build_error(call, BAD_SIGNATURE_CODE, f"{kind}_signature: the signature does not match the file.")
    if media.has_content and not media.content_type.startswith(f"{kind}/"):
        raise build_error(call, BAD_FILE_CODE, f"The file is not a supported {kind}.")
    name = asset_params.file_name or f"{sum_of}_{generate_digits(8)}"
    if any(asset.name == name for asset in world.store.find(Asset, parent=books.advertiser.id)):
        raise build_error(call, DUPLICATE_NAME_CODE, f"file_name: the material name {name} already exists.")
    key = f"ad-site-i18n-sg/{generate_hex(32)}" if kind == "image" else f"v10033g50000{generate_hex(20)}"
    asset = Asset(id=key, parent=books.advertiser.id, kind=kind, name=name, media=media, signature=sum_of,
                 created_at=world.clock.now())  # fmt: skip
    with world.store.transaction():
        return world.store.put(asset)


def _compute_md5(context: VendorContext, name: str) -> str:
    return md5(context.files.path(name).read_bytes(), usedforsecurity=False).hexdigest()


def _list_assets(call: Call, keys: list[str], max_ids: int) -> list[dict[str, Any]]:
    books, _asked = authorize_ad_call(call, CREATIVE_SCOPE)
    require(1 <= len(keys) <= max_ids, f"ids: between 1 and {max_ids} are allowed.")
    every = call.context.store.get_all(Asset, keys)
    return [_build_asset_json(call.context, asset) for asset in every if asset.parent == books.advertiser.id]


def _require_asset(context: VendorContext, advertiser: str, key: str, kind: str, name: str) -> Asset:
    asset = context.store.get(Asset, key)
    require(asset is not None and (asset.parent, asset.kind) == (advertiser, kind), f"{name}: {key} does not exist.")
    assert asset is not None
    return asset


def _is_ready(context: VendorContext, asset: Asset) -> bool:
    return asset.kind == "image" or context.clock.get_seconds_since(asset.created_at) >= _TRANSCODING_SECONDS


def _format_time(time: datetime) -> str:
    """Files have another format of time than everything else."""
    return f"{time.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def _build_asset_json(context: VendorContext, asset: Asset) -> dict[str, Any]:
    media = asset.media
    shown = {
        f"{asset.kind}_id": asset.id,
        "material_id": str(int(md5(asset.id.encode(), usedforsecurity=False).hexdigest()[:15], 16)),
        "file_name": asset.name,
        "signature": asset.signature,
        "width": media.width or _DEFAULT_SIDE,
        "height": media.height or _DEFAULT_SIDE,
        "format": media.content_type.partition("/")[2],
        "size": media.size,
        "displayable": _is_ready(context, asset),
        "create_time": _format_time(asset.created_at),
        "modify_time": _format_time(asset.created_at),
    }
    if asset.kind == "image":
        return shown | {"image_url": media.url(context, CDN_HOST), "is_carousel_usable": True}
    cover = f"{context.url}/{CDN_HOST}/cover/{asset.id}.png"
    return shown | {
        "video_cover_url": cover,
        "preview_url": media.url(context, CDN_HOST),
        "duration": media.seconds or 15.0,
    }


ROUTES = [
    *build_api_routes("POST", "file/image/ad/upload", upload_image),
    *build_api_routes("POST", "file/video/ad/upload", upload_video),
    *build_api_routes("GET", "file/image/ad/info", get_image_info),
    *build_api_routes("GET", "file/video/ad/info", get_video_info),
    *build_api_routes("GET", "file/video/ad/search", search_videos),
    Route("GET", f"/{CDN_HOST}/media/{{name}}", serve_file),
    Route("GET", f"/{CDN_HOST}/cover/{{name}}", serve_cover),
]
