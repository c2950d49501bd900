"""Images and videos of an ad account, uploaded as files or fetched from a URL."""

from datetime import UTC, datetime
from hashlib import md5
from typing import Any

import msgspec
from starlette.responses import FileResponse, Response

from socialgate_sandbox.kit import Call, Route, Thing, World, digits, draw, hexadecimal, probe
from socialgate_sandbox.kit.media import Media, download, keep
from socialgate_sandbox.vendors.tiktokads.access import CREATIVE
from socialgate_sandbox.vendors.tiktokads.accounts import PageQuery, paged
from socialgate_sandbox.vendors.tiktokads.errors import (
    BAD_FILE,
    BAD_SIGNATURE,
    NO_FILE,
    NOT_FETCHED,
    SAME_NAME,
    answered,
    refusal,
    refused,
    require,
)
from socialgate_sandbox.vendors.tiktokads.hosts import api
from socialgate_sandbox.vendors.tiktokads.objects import asking

CDN = "p16-ad-sg.tiktokcdn.com"
_LARGEST, _TRANSCODING, _SIDE = 1 << 30, 1.0, 720
_MOST_IMAGES, _MOST_VIDEOS = 100, 60
_BELIEVED = {"image": "image/jpeg", "video": "video/mp4"}


class Asset(Thing):
    """An image or a video of the ad account that is its parent."""

    kind: str
    name: str
    media: Media
    signature: str
    made: datetime


class Asked(msgspec.Struct):
    upload_type: str = "UPLOAD_BY_FILE"
    file_name: str = ""
    image_signature: str = ""
    video_signature: str = ""
    image_url: str = ""
    video_url: str = ""
    image_ids: list[str] = []
    video_ids: list[str] = []


async def upload_image(call: Call) -> Response:
    return answered(call, _shown(call.world, await _upload(call, "image", call.read(Asked).image_signature)))


async def upload_video(call: Call) -> Response:
    return answered(call, [_shown(call.world, await _upload(call, "video", call.read(Asked).video_signature))])


def image_info(call: Call) -> Response:
    return answered(call, {"list": _found(call, call.read(Asked).image_ids, _MOST_IMAGES)})


def video_info(call: Call) -> Response:
    return answered(call, {"list": _found(call, call.read(Asked).video_ids, _MOST_VIDEOS)})


def search_videos(call: Call) -> Response:
    books, _asked = asking(call, CREATIVE)
    every = call.world.store.find(Asset, parent=books.advertiser.id, newest_first=True)
    rows, info = paged(call, call.read(PageQuery), [one for one in every if one.kind == "video"], most=100)
    return answered(call, {"list": [_shown(call.world, one) for one in rows], "page_info": info})


def check_images(world: World, advertiser: str, keys: list[str], place: str) -> None:
    for key in keys:
        _asset(world, advertiser, key, "image", f"{place}image_ids")


def check_video(world: World, advertiser: str, key: str, place: str) -> None:
    found = _asset(world, advertiser, key, "video", f"{place}video_id")
    if not _is_ready(world, found):
        raise refusal("transcoding")


def serve(call: Call) -> Response:
    path = call.world.files.path(call.args["name"])
    return FileResponse(path, media_type=probe(path).content_type) if path.is_file() else Response("", 404)


def serve_cover(call: Call) -> Response:
    return Response(draw(call.args["name"], _SIDE, _SIDE * 16 // 9), media_type="image/png")


async def _upload(call: Call, kind: str, signature: str) -> Asset:
    books, _asked = asking(call, CREATIVE, write=True)
    world, given = call.world, call.read(Asked)
    words = ("UPLOAD_BY_FILE", "UPLOAD_BY_URL")
    require(given.upload_type in words, f"upload_type: Must be one of: {', '.join(words)}.")
    file, url = call.files.get(f"{kind}_file"), given.image_url if kind == "image" else given.video_url
    if given.upload_type == "UPLOAD_BY_URL":
        require(url, f"{kind}_url: Missing data for required field.")
        media = await download(world, url, _BELIEVED[kind], _LARGEST)
        if media is None:
            raise refused(call, NOT_FETCHED, f"{kind}_url: the URL cannot be fetched.")
        sum_of = hexadecimal(32) if not media.file else _md5(world, media.file)
    else:
        if file is None:
            raise refused(call, NO_FILE, f"{kind}_file: the file does not exist.")
        media = keep(world, file, file.content_type)
        sum_of = _md5(world, media.file)
        if signature != sum_of:
            raise refused(call, BAD_SIGNATURE, f"{kind}_signature: the signature does not match the file.")
    if media.is_seen and not media.content_type.startswith(f"{kind}/"):
        raise refused(call, BAD_FILE, f"The file is not a supported {kind}.")
    name = given.file_name or f"{sum_of}_{digits(8)}"
    if any(one.name == name for one in world.store.find(Asset, parent=books.advertiser.id)):
        raise refused(call, SAME_NAME, f"file_name: the material name {name} already exists.")
    key = f"ad-site-i18n-sg/{hexadecimal(32)}" if kind == "image" else f"v10033g50000{hexadecimal(20)}"
    made = Asset(id=key, parent=books.advertiser.id, kind=kind, name=name, media=media, signature=sum_of,
                 made=world.clock.now())  # fmt: skip
    with world.store.transaction():
        return world.store.put(made)


def _md5(world: World, name: str) -> str:
    return md5(world.files.path(name).read_bytes(), usedforsecurity=False).hexdigest()


def _found(call: Call, keys: list[str], most: int) -> list[dict[str, Any]]:
    books, _asked = asking(call, CREATIVE)
    require(1 <= len(keys) <= most, f"ids: between 1 and {most} are allowed.")
    every = call.world.store.get_all(Asset, keys)
    return [_shown(call.world, one) for one in every if one.parent == books.advertiser.id]


def _asset(world: World, advertiser: str, key: str, kind: str, name: str) -> Asset:
    found = world.store.get(Asset, key)
    require(found is not None and (found.parent, found.kind) == (advertiser, kind), f"{name}: {key} does not exist.")
    assert found is not None
    return found


def _is_ready(world: World, one: Asset) -> bool:
    return one.kind == "image" or world.clock.since(one.made) >= _TRANSCODING


def _stamp(at: datetime) -> str:
    """Files have another format of time than everything else."""
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def _shown(world: World, one: Asset) -> dict[str, Any]:
    media = one.media
    shown = {
        f"{one.kind}_id": one.id,
        "material_id": str(int(md5(one.id.encode(), usedforsecurity=False).hexdigest()[:15], 16)),
        "file_name": one.name,
        "signature": one.signature,
        "width": media.width or _SIDE,
        "height": media.height or _SIDE,
        "format": media.content_type.partition("/")[2],
        "size": media.size,
        "displayable": _is_ready(world, one),
        "create_time": _stamp(one.made),
        "modify_time": _stamp(one.made),
    }
    if one.kind == "image":
        return shown | {"image_url": media.url(world, CDN), "is_carousel_usable": True}
    cover = f"{world.url}/{CDN}/cover/{one.id}.png"
    return shown | {"video_cover_url": cover, "preview_url": media.url(world, CDN), "duration": media.seconds or 15.0}


ROUTES = [
    *api("POST", "file/image/ad/upload", upload_image),
    *api("POST", "file/video/ad/upload", upload_video),
    *api("GET", "file/image/ad/info", image_info),
    *api("GET", "file/video/ad/info", video_info),
    *api("GET", "file/video/ad/search", search_videos),
    Route("GET", f"/{CDN}/media/{{name}}", serve),
    Route("GET", f"/{CDN}/cover/{{name}}", serve_cover),
]
