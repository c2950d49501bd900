"""Every field and edge that Meta's SDK declares on a node can be asked for."""

import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec
import pytest
from facebook_business.adobjects.abstractobject import AbstractObject
from facebook_business.adobjects.adaccount import AdAccount
from facebook_business.adobjects.adcreative import AdCreative
from facebook_business.adobjects.adset import AdSet
from facebook_business.adobjects.adsinsights import AdsInsights
from facebook_business.adobjects.advideo import AdVideo
from facebook_business.adobjects.application import Application
from facebook_business.adobjects.business import Business
from facebook_business.adobjects.campaign import Campaign
from facebook_business.adobjects.comment import Comment
from facebook_business.adobjects.customaudience import CustomAudience
from facebook_business.adobjects.customconversion import CustomConversion
from facebook_business.adobjects.igcomment import IGComment
from facebook_business.adobjects.igmedia import IGMedia
from facebook_business.adobjects.iguser import IGUser
from facebook_business.adobjects.page import Page
from facebook_business.adobjects.pagepost import PagePost
from facebook_business.adobjects.photo import Photo
from facebook_business.adobjects.user import User

from sandbox.graph_media import MediaHost, jpeg, movie
from sandbox.meta.sdk import Sdk, ids
from sandbox.meta.signing_in import Meta
from socialgate_sandbox.dialects import graph
from socialgate_sandbox.vendors.meta.seed import ADA, ADA_ADS, BAKERY, BAKERY_IG, BRAM, BRAM_BUSINESS

# The class of the SDK for each kind of node that the sandbox has.
DECLARED_BY = {
    "Page": ["page.Page"],
    "PagePost": ["pagepost.PagePost", "post.Post"],
    "Video": ["advideo.AdVideo"],
    "Photo": ["photo.Photo"],
    "Story": ["stories.Stories"],
    "Comment": ["comment.Comment"],
    "ShadowIGUser": ["iguser.IGUser"],
    "ShadowIGMedia": ["igmedia.IGMedia"],
    "ShadowIGComment": ["igcomment.IGComment"],
    "ContentPublishingLimit": ["contentpublishinglimitresponse.ContentPublishingLimitResponse"],
    "User": ["user.User"],
    "Business": ["business.Business"],
    "Application": ["application.Application"],
    "AdAccount": ["adaccount.AdAccount"],
    "AdCampaignGroup": ["campaign.Campaign"],
    "AdCampaign": ["adset.AdSet"],
    "Adgroup": ["ad.Ad"],
    "AdCreative": ["adcreative.AdCreative"],
    "AdImage": ["adimage.AdImage"],
    "AdsInsights": ["adsinsights.AdsInsights"],
    "AdReportRun": ["adreportrun.AdReportRun"],
    "CustomAudience": ["customaudience.CustomAudience"],
    "AdsPixel": ["adspixel.AdsPixel"],
    "CustomConversion": ["customconversion.CustomConversion"],
    "UnifiedThread": ["unifiedthread.UnifiedThread"],
    "LeadGenForm": ["leadgenform.LeadgenForm"],
    "UserLeadGenInfo": ["lead.Lead"],
    "ProductCatalog": ["productcatalog.ProductCatalog"],
    "ProductItem": ["productitem.ProductItem"],
    "ProductSet": ["productset.ProductSet"],
    "CommerceMerchantSettings": ["commercemerchantsettings.CommerceMerchantSettings"],
    "Shop": ["shop.Shop"],
    "WhatsAppBusinessAccount": ["whatsappbusinessaccount.WhatsAppBusinessAccount"],
}
VALUES = {
    ("AdCampaignGroup", "objective"): Campaign.Objective,
    ("AdCampaignGroup", "special_ad_categories"): Campaign.SpecialAdCategories,
    ("AdCampaign", "billing_event"): AdSet.BillingEvent,
    ("AdCampaign", "optimization_goal"): AdSet.OptimizationGoal,
    ("AdCreative", "call_to_action_type"): AdCreative.CallToActionType,
    ("AdsInsights", "breakdowns"): AdsInsights.Breakdowns,
    ("AdsInsights", "date_preset"): AdsInsights.DatePreset,
    ("CustomAudience", "subtype"): CustomAudience.Subtype,
    ("CustomConversion", "custom_event_type"): CustomConversion.CustomEventType,
}
_EDGE = re.compile(r"method='GET',\s*endpoint='/([a-z_0-9]+)'")


def fields_of(kind: type[AbstractObject]) -> set[str]:
    return {name for key, name in vars(kind.Field).items() if not key.startswith("_")}


def known_by_the_sandbox() -> dict[tuple[str, str], set[str]]:
    lines = Path(graph.__file__).with_name("declared.txt").read_text().splitlines()
    rows = [line.split() for line in lines if not line.startswith("#")]
    return {(name, label): set(words) for name, label, *words in rows}


@pytest.mark.parametrize("node", DECLARED_BY)
def test_the_sandbox_knows_what_the_sdk_declares(node: str) -> None:
    kinds = [
        getattr(import_module(f"facebook_business.adobjects.{module}"), name)
        for module, name in (path.split(".") for path in DECLARED_BY[node])
    ]
    known = known_by_the_sandbox()
    assert set().union(*map(fields_of, kinds)) <= known[node, "fields"]
    edges = {edge for kind in kinds for edge in _EDGE.findall(inspect.getsource(kind))}
    assert edges <= known.get((node, "edges"), set())


def test_the_sandbox_knows_the_values_of_the_sdk() -> None:
    known = known_by_the_sandbox()
    for (node, label), kind in VALUES.items():
        assert {value for word, value in vars(kind).items() if not word.startswith("_")} == known[node, label]


def all_of(thing: AbstractObject) -> Any:
    """Ask for every field at once, as callers do who copy the list of the reference."""
    return thing.api_get(fields=sorted(fields_of(type(thing))))


def test_all_fields_of_people_pages_and_what_they_own(meta: Meta, sdk: Sdk) -> None:
    person = sdk.api(meta.long(ADA))
    assert all_of(User("me", api=person))["name"] == "Ada Lindqvist"
    page = all_of(Page(BAKERY, api=person))
    assert (page["name"], page["instagram_business_account"]["id"]) == ("Lindqvist Bakery", BAKERY_IG)
    assert "founded" not in page
    assert all_of(IGUser(BAKERY_IG, api=person))["username"] == "lindqvist.bakery"
    assert all_of(AdAccount(ADA_ADS, api=person))["currency"] == "SEK"
    assert all_of(Business(BRAM_BUSINESS, api=sdk.api(meta.long(BRAM))))["id"] == BRAM_BUSINESS
    app = Application(meta.platform.client_id, api=sdk.api(meta.app_token))
    assert all_of(app)["id"] == meta.platform.client_id


def test_all_fields_of_what_is_published(meta: Meta, sdk: Sdk, host: MediaHost) -> None:
    api = sdk.api(meta.page(ADA, BAKERY))
    page, account = Page(BAKERY, api=api), IGUser(BAKERY_IG, api=api)
    photo = page.create_photo(params={"url": host.add("a.jpg", jpeg()), "caption": "Buns"})
    video = page.create_video(params={"file_url": host.add("a.mp4", movie(12.5, 720, 1280)), "description": "Film"})
    container = account.create_media(params={"image_url": host.add("b.jpg", jpeg()), "caption": "Grid"})["id"]
    meta.platform.pass_time(6)
    media = account.create_media_publish(params={"creation_id": int(container)})["id"]
    post = PagePost(photo["post_id"], api=api)
    written = post.create_comment(params={"message": "Thanks"})["id"]
    answered = IGMedia(media, api=api).create_comment(params={"message": "Thanks"})["id"]
    assert all_of(post)["message"] == "Buns"
    assert all_of(Photo(photo["id"], api=api))["width"] == 1080
    seen = all_of(AdVideo(video["id"], api=api))
    assert (seen["length"], seen["published"], seen["from"]["id"]) == (12.5, True, BAKERY)
    assert all_of(IGMedia(media, api=api))["caption"] == "Grid"
    assert all_of(Comment(written, api=api))["message"] == "Thanks"
    assert all_of(IGComment(answered, api=api))["text"] == "Thanks"
    assert ids(page.get_albums()) == ids(page.get_ratings()) == ids(account.get_tags()) == []


def test_edges_stand_among_fields_with_ways_to_the_rest(meta: Meta, sdk: Sdk) -> None:
    token = meta.page(ADA, BAKERY)
    page = Page(BAKERY, api=sdk.api(token))
    keys = [page.create_feed(params={"message": f"Post {number}"})["id"] for number in range(3)]
    # The SDK itself takes plain names of fields only.
    seen = meta.get(BAKERY, token, fields="name,posts.limit(2){message,likes.summary(true)},albums").json()
    assert [row["message"] for row in seen["posts"]["data"]] == ["Post 2", "Post 1"]
    assert seen["posts"]["data"][0]["likes"]["summary"]["can_like"] is True
    assert "albums" not in seen
    following = meta.platform.running.client.get(seen["posts"]["paging"]["next"]).json()
    assert [(row["id"], row["message"]) for row in following["data"]] == [(keys[0], "Post 0")]


def test_what_nobody_declares_is_refused(meta: Meta) -> None:
    token = meta.page(ADA, BAKERY)
    for path, fields in ((BAKERY, "shoe_size"), (f"{BAKERY}/shoes", "")):
        error = meta.get(path, token, **({"fields": fields} if fields else {})).json()["error"]
        assert "nonexisting field" in error["message"]


def test_steps_of_a_batch_build_upon_each_other(meta: Meta, sdk: Sdk) -> None:
    api = sdk.api(meta.page(ADA, BAKERY))
    for number in range(2):
        Page(BAKERY, api=api).create_feed(params={"message": f"Post {number}"})
    steps = [
        {"method": "GET", "name": "posts", "relative_url": f"{BAKERY}/posts?limit=2"},
        {"method": "GET", "relative_url": "?ids={result=posts:$.data.*.id}&fields=message"},
        {"method": "POST", "name": "made", "relative_url": f"{BAKERY}/feed", "body": "message=From+a+batch"},
        {"method": "GET", "relative_url": "{result=made:$.id}?fields=message"},
        {"method": "GET", "name": "lost", "relative_url": "12345"},
        {"method": "GET", "relative_url": "{result=lost:$.id}"},
        {"method": "GET", "relative_url": BAKERY, "depends_on": "made"},
    ]
    answers = api.call("POST", (), params={"batch": steps, "include_headers": True}).json()
    bodies = [answer and msgspec.json.decode(answer["body"]) for answer in answers]
    assert bodies[0] is None
    assert sorted(row["message"] for row in bodies[1].values()) == ["Post 0", "Post 1"]
    assert bodies[2] is None
    assert bodies[3]["message"] == "From a batch"
    assert bodies[4]["error"]["code"] == 100
    assert bodies[5] is None
    assert bodies[6]["id"] == BAKERY


def test_the_batch_of_the_sdk_names_its_steps(meta: Meta, sdk: Sdk) -> None:
    api = sdk.api(meta.page(ADA, BAKERY))
    batch, seen = api.new_batch(), []
    batch.add("POST", (BAKERY, "feed"), params={"message": "Made"})["name"] = "made"
    batch.add(
        "GET",
        (),
        params={"ids": "{result=made:$.id}", "fields": "message"},
        success=lambda answer: seen.extend(answer.json().values()),
    )
    batch.execute()
    assert [row["message"] for row in seen] == ["Made"]


def test_a_page_is_described_by_its_owner(meta: Meta, sdk: Sdk) -> None:
    scopes = ("public_profile", "pages_show_list", "pages_read_engagement")
    refused = meta.post(BAKERY, meta.page(ADA, BAKERY, scopes), about="Mine")
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, 200)
    page = Page(BAKERY, api=sdk.api(meta.page(ADA, BAKERY)))
    page.api_update(params={"about": "Buns", "phone": "+46 8 123", "emails": ["a@example.com"]})
    seen = page.api_get(fields=["about", "phone", "emails", "mission"])
    assert (seen["about"], seen["phone"], seen["emails"]) == ("Buns", "+46 8 123", ["a@example.com"])
    assert "mission" not in seen


def test_other_accounts_of_instagram_are_found_by_name(meta: Meta) -> None:
    token = meta.page(ADA, BAKERY)
    fields = "business_discovery.username({}){{username,followers_count,media.limit(1){{id}}}}"
    result = meta.get(BAKERY_IG, token, fields=fields.format("lindqvist.bakery")).json()["business_discovery"]
    assert (result["username"], "followers_count" in result) == ("lindqvist.bakery", True)
    error = meta.get(BAKERY_IG, token, fields=fields.format("nobody")).json()["error"]
    assert (error["code"], error["error_subcode"]) == (110, 2207013)


def test_likes_are_counted_where_a_post_is_seen(meta: Meta, sdk: Sdk, host: MediaHost) -> None:
    api = sdk.api(meta.page(ADA, BAKERY))
    created = Page(BAKERY, api=api).create_photo(params={"url": host.add("a.jpg", jpeg())})
    meta.platform.pass_time(30 * 86400)
    counts = [
        thing.get_likes(params={"summary": True}).total()
        for thing in (PagePost(created["post_id"], api=api), Photo(created["id"], api=api))
    ]
    assert counts[0] == counts[1] > 0
