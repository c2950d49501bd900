"""Fields of TikTok's API that `platformOptions` must not contain, with what to use instead, by type of object.

They would change whom a call is for, in whose name an ad appears or what it costs, or they have a field of their own,
which is checked.
"""

_PUBLISHER_REPLACEMENT_HINT = "`accountId` or `publisherId`"
_TARGETING_REPLACEMENT_HINT = "`targeting` of the ad set"
# Of all types: what an object does not have today cannot become a way around the checks of another one.
COMMON_RESERVED_OPTIONS: dict[str, str] = {
    **dict.fromkeys(("advertiser_id", "access_token", "request_id", "ad_id", "ad_ids", "patch_update"), ""),
    **dict.fromkeys(("status", "operation_status"), "`status`"),
    "campaign_id": "`campaignId`",
    "adgroup_id": "`adsetId`",
    "creatives": "`creativeId`",
    **dict.fromkeys(("budget", "budget_mode", "budget_optimize_on"), "`budget`"),
    **dict.fromkeys(("bid", "bid_price", "bid_type", "conversion_bid_price"), "`bid`"),
    **dict.fromkeys(("schedule_type", "schedule_start_time", "schedule_end_time"), "`schedule`"),
    **dict.fromkeys(("identity_id", "identity_type", "identity_authorized_bc_id"), _PUBLISHER_REPLACEMENT_HINT),
    **dict.fromkeys(("display_name", "avatar_icon_web_uri"), _PUBLISHER_REPLACEMENT_HINT),
    "tiktok_item_id": "`postId` or `platformPostId`",
    "page_id": "`formId`",
}
RESERVED_CAMPAIGN_OPTIONS = COMMON_RESERVED_OPTIONS | {
    "campaign_name": "`name`",
    "objective_type": "`goal`",
    "special_industries": "`specialCategories`",
}
RESERVED_ADGROUP_OPTIONS = COMMON_RESERVED_OPTIONS | {
    "adgroup_name": "`name`",
    **dict.fromkeys(("optimization_goal", "billing_event"), "`optimization`"),
    **dict.fromkeys(("location_ids", "zipcode_ids", "age_groups", "gender", "languages"), _TARGETING_REPLACEMENT_HINT),
    **dict.fromkeys(("interest_category_ids", "audience_ids", "excluded_audience_ids"), _TARGETING_REPLACEMENT_HINT),
    "saved_audience_id": _TARGETING_REPLACEMENT_HINT,
    "pixel_id": "`pixelId` of `promotes`",
    "optimization_event": "`event` of `promotes`",
    "custom_conversion_id": "`customConversionId` of `promotes`",
    "app_id": "`appId` of `promotes`",
    "catalog_id": "`catalogId` of `promotes`",
}
# A creative is a part of its ad.
RESERVED_AD_OPTIONS = COMMON_RESERVED_OPTIONS | {
    "ad_name": "`name`",
    "ad_text": "`text` of the creative",
    **dict.fromkeys(("ad_format", "video_id", "image_ids"), "`media` of the creative"),
    "call_to_action": "`callToAction` of the creative",
    "landing_page_url": "`url` of the creative",
    "tracking_pixel_id": "`pixelId`",
    "dark_post_status": "",
}
RESERVED_AUDIENCE_OPTIONS = COMMON_RESERVED_OPTIONS | {
    "custom_audience_name": "`name`",
    "action": "",
    "audience_type": "`kind`",
    "rule_spec": "`pixelId`, `urlContains` and `event`",
    "retention_in_days": "`retentionDays`",
    "lookalike_spec": "`sourceId`, `countries` and `ratio`",
}
RESERVED_CONVERSION_OPTIONS = COMMON_RESERVED_OPTIONS | {
    "name": "`name`",
    "description": "`description`",
    **dict.fromkeys(("event_source_id", "event_source_type"), "`pixelId`"),
    "optimization_event": "`event`",
    "rules": "`rules`",
}
