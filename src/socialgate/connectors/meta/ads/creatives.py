"""Creatives at Meta: existing posts that are promoted, and posts that only exist as ads."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from socialgate.connectors.advertising import inverse, word_faults
from socialgate.connectors.forms import given
from socialgate.connectors.json_paths import member, rows_at, text_at
from socialgate.connectors.meta.ads import options
from socialgate.connectors.meta.ads.objects import MetaObjects
from socialgate.connectors.meta.ads.words import BUTTONS
from socialgate.contracts.ad_objects import CreativeItem
from socialgate.contracts.ad_values import Asset, Publisher
from socialgate.contracts.ads import Change, NewCreative
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import Rejected
from socialgate.contracts.platforms import Kind, Platform
from socialgate.core.errors import Fault

CREATIVE_FIELDS = (
    "id,name,status,body,title,object_story_id,effective_object_story_id,source_instagram_media_id,"
    "effective_instagram_media_id,object_story_spec,link_url,call_to_action_type,image_url,thumbnail_url,video_id,"
    "actor_id,object_id,instagram_user_id"
)
# What a form opens from: Meta requires a link, and shows the form instead.
_FORM_LINK = "https://fb.me/"
_BUTTONS_READ = inverse(BUTTONS)
_MOST_CARDS = 10


class Creatives(MetaObjects[CreativeItem, NewCreative]):
    """They have no time of creation, and cannot be changed, except for their name."""

    edge = "adcreatives"
    fields = CREATIVE_FIELDS
    able = frozenset({"name"})
    reserved = options.CREATIVES

    def _faults(self, new: NewCreative) -> Iterator[Fault]:
        yield from creative_faults(new)

    async def _body(self, held: AccountCredentials, new: NewCreative) -> Mapping[str, Any]:
        del held
        return sent_creative(new)

    async def _changes(self, held: AccountCredentials, change: Change, before: Mapping[str, Any]) -> Mapping[str, Any]:
        del held, before
        return {"name": change.name}

    def _item(self, held: AccountCredentials, row: Mapping[str, Any]) -> CreativeItem:
        del held
        return read_creative(row, self._common(row))


def creative_faults(new: NewCreative) -> Iterator[Fault]:
    yield from word_faults("Meta", "/callToAction", new.call_to_action, BUTTONS)
    if new.post_id is not None:
        return
    if len(new.assets) > _MOST_CARDS:
        yield Fault("/media", "too_many", f"A carousel has at most {_MOST_CARDS} images.")
    if len(new.assets) > 1 and new.url is None:
        yield Fault("/url", "required", "A carousel requires a URL.")
    if len(new.assets) > 1 and any(one.type == "video" for one in new.assets):
        yield Fault("/media", "media_mixed", "Use one video, or only images.")
    if not (new.assets or new.url or new.text or new.form_id):
        yield Fault("/text", "required", "An ad requires a text, media or a URL.")
    if new.call_to_action is not None and new.url is None and new.form_id is None:
        yield Fault("/url", "required", "A button requires a URL or a lead form.")


def sent_creative(new: NewCreative) -> dict[str, Any]:
    """Write a creative: also as a part of an ad."""
    who, post = new.publisher, new.post_id
    if post is None:
        return {"name": new.name, "object_story_spec": _story(new)}
    if who is not None and who.kind is Kind.INSTAGRAM:
        written = {
            "name": new.name,
            "object_id": who.page_id,
            "instagram_user_id": who.id,
            "source_instagram_media_id": post,
            "call_to_action": _button(new),
        }
        return given(written)
    whole = post if "_" in post or who is None else f"{who.page_id or who.id}_{post}"
    return given({"name": new.name, "object_story_id": whole, "call_to_action": _button(new)})


def read_creative(row: Mapping[str, Any], common: Mapping[str, Any]) -> CreativeItem:
    """Read a creative, from the post that Meta created for it or from what was sent."""
    spec = row.get("object_story_spec")
    parts = ("link_data", "video_data", "photo_data", "text_data", "template_data")
    data: Any = next((found for part in parts if (found := member(spec, part))), None)
    stories = ("effective_object_story_id", "object_story_id", "effective_instagram_media_id")
    # An Instagram post also gets a story of the Page.
    posts = ("source_instagram_media_id", *stories)
    button = text_at(row, "call_to_action_type") or text_at(data, "call_to_action", "type")
    return CreativeItem(
        **common,
        post_id=_first(row, posts),
        publisher_ids=_publishers(row, spec),
        text=_first(row, ("body",)) or _first(data, ("message", "caption")),
        headline=_first(row, ("title",)) or _first(data, ("name", "title")),
        description=_first(data, ("description", "link_description")),
        url=_first(row, ("link_url",)) or _first(data, ("link",)) or _link(data),
        call_to_action=_BUTTONS_READ.get(button),
        image_url=_first(row, ("image_url", "thumbnail_url")) or _first(data, ("picture", "image_url")),
        video_id=_first(row, ("video_id",)) or _first(data, ("video_id",)),
    )


def _publishers(row: Mapping[str, Any], spec: Any) -> tuple[str, ...]:
    """List in whose name a creative appears. The id of a Facebook post begins with its Page."""
    stories = (text_at(row, name) for name in ("object_story_id", "effective_object_story_id"))
    pages = (story.partition("_")[0] for story in stories if "_" in story)
    named = (text_at(row, name) for name in ("actor_id", "object_id", "instagram_user_id"))
    spoken = (text_at(spec, name) for name in ("page_id", "instagram_user_id", "instagram_actor_id"))
    return tuple(dict.fromkeys(filter(None, (*pages, *named, *spoken))))


def _story(new: NewCreative) -> dict[str, Any]:
    who = new.publisher
    if who is None:
        text = "Send `accountId` or `publisherId`: the Page that the ad comes from."
        raise Rejected(text, platform=Platform.META, field="/accountId")
    return {**_speaker(who), **_content(new)}


def _speaker(who: Publisher) -> dict[str, Any]:
    if who.kind is Kind.INSTAGRAM:
        return given({"page_id": who.page_id, "instagram_user_id": who.id})
    return {"page_id": who.id}


def _content(new: NewCreative) -> dict[str, Any]:
    first = new.assets[0] if new.assets else None
    button, url = _button(new), new.url or (_FORM_LINK if new.form_id else None)
    if first is not None and first.type == "video":
        cover = _cover(first)
        told = {"title": new.headline, "message": new.text, "link_description": new.description}
        return {"video_data": given({"video_id": first.id, **cover, **told, "call_to_action": button})}
    if url is not None:
        told = {"link": url, "message": new.text, "name": new.headline, "description": new.description}
        image = {"image_hash": first.id} if first is not None and len(new.assets) == 1 else {}
        cards = [
            given({"link": url, "name": new.headline, "image_hash": one.id}) for one in new.assets[1:] and new.assets
        ]
        return {"link_data": given({**told, **image, "child_attachments": cards or None, "call_to_action": button})}
    if first is not None:
        return {"photo_data": given({"image_hash": first.id, "caption": new.text})}
    return {"text_data": {"message": new.text or ""}}


def _cover(video: Asset) -> dict[str, str]:
    if video.cover is None:
        return {}
    return {"image_url" if video.cover.startswith("http") else "image_hash": video.cover}


def _button(new: NewCreative) -> dict[str, Any] | None:
    """Write the button. Without one, an ad with a form or a video still needs what it leads to."""
    is_video = bool(new.assets) and new.assets[0].type == "video"
    if new.call_to_action is None and not new.form_id and not (is_video and new.url):
        return None
    value = given({"link": new.url, "lead_gen_form_id": new.form_id})
    kind = BUTTONS[new.call_to_action] if new.call_to_action else ("SIGN_UP" if new.form_id else "LEARN_MORE")
    return {"type": kind, "value": value}


def _first(row: Any, names: Sequence[str]) -> str | None:
    return next((text for name in names if (text := text_at(row, name))), None)


def _link(data: Any) -> str | None:
    cards = rows_at(data, "child_attachments")
    return text_at(data, "call_to_action", "value", "link") or (text_at(cards[0], "link") if cards else "") or None
