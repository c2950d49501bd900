"""Fields of Meta's API that `platformOptions` must not contain, with what to use instead, by type of object.

They would change whom a call is for, in whose name an ad appears or what it costs, or they have a field of their own,
which is checked.
"""

_PUBLISHER_REPLACEMENT_HINT = "`accountId` or `publisherId`"
_POST_REPLACEMENT_HINT = "`postId` or `platformPostId`"
# Of all types: what an object does not have today cannot become a way around the checks of another one.
COMMON_RESERVED_OPTIONS: dict[str, str] = {
    **dict.fromkeys(("id", "account_id", "access_token", "appsecret_proof", "method", "batch", "adbatch"), ""),
    **dict.fromkeys(("execution_options", "fields", "draft_adgroup_id"), ""),
    "name": "`name`",
    **dict.fromkeys(("status", "configured_status"), "`status`"),
    **dict.fromkeys(("campaign_id", "campaign_spec", "campaign", "campaign_group_id"), "`campaignId`"),
    **dict.fromkeys(("adset_id", "adset_spec", "adset"), "`adsetId`"),
    **dict.fromkeys(("creative", "creative_id"), "`creativeId`"),
    **dict.fromkeys(("targeting", "audience_id"), "`targeting` of the ad set"),
    **dict.fromkeys(("daily_budget", "lifetime_budget"), "`budget`"),
    "adset_budgets": "`budget` of each ad set",
    "spend_cap": "`spendCap` of the campaign",
    **dict.fromkeys(("bid_amount", "bid_strategy", "bid_constraints"), "`bid`"),
    "adset_bid_amounts": "`bid` of each ad set",
    **dict.fromkeys(("start_time", "stop_time", "end_time", "time_start", "time_stop"), "`schedule`"),
    **dict.fromkeys(("promoted_object", "page_id"), "`promotes` of the ad set"),
    **dict.fromkeys(
        ("object_story_id", "source_instagram_media_id", "source_facebook_post_id"), _POST_REPLACEMENT_HINT
    ),
    **dict.fromkeys(("instagram_permalink_url", "instagram_story_id"), _POST_REPLACEMENT_HINT),
    **dict.fromkeys(("object_id", "actor_id", "instagram_user_id", "instagram_actor_id"), _PUBLISHER_REPLACEMENT_HINT),
    # Partners in whose name an ad appears as well.
    **dict.fromkeys(("branded_content", "branded_content_sponsor_page_id", "threads_user_id"), ""),
    **dict.fromkeys(("facebook_branded_content", "instagram_branded_content"), ""),
    # They raise what may be spent at certain times.
    **dict.fromkeys(("budget_schedule_specs", "is_budget_schedule_enabled"), "`budget`"),
    "object_story_spec": "the fields of the creative, such as `text`, `media` and `url`",
}
RESERVED_CAMPAIGN_OPTIONS = COMMON_RESERVED_OPTIONS | {
    "objective": "`goal`",
    **dict.fromkeys(("special_ad_categories", "special_ad_category"), "`specialCategories`"),
    "special_ad_category_country": "`countries`",
}
RESERVED_ADSET_OPTIONS = COMMON_RESERVED_OPTIONS | {"optimization_goal": "`optimization`"}
RESERVED_CREATIVE_OPTIONS = COMMON_RESERVED_OPTIONS | {
    "body": "`text`",
    "title": "`headline`",
    **dict.fromkeys(("link_url", "object_url"), "`url`"),
    **dict.fromkeys(("call_to_action", "call_to_action_type"), "`callToAction`"),
    **dict.fromkeys(("image_hash", "image_url", "image_file", "video_id"), "`media`"),
}
RESERVED_AUDIENCE_OPTIONS = COMMON_RESERVED_OPTIONS | {
    "description": "`description`",
    "subtype": "`kind`",
    "pixel_id": "`pixelId`",
    "rule": "`urlContains` and `event`",
    "retention_days": "`retentionDays`",
    "origin_audience_id": "`sourceId`",
    "lookalike_spec": "`countries` and `ratio`",
    "countries": "`countries`",
    # What other accounts have collected, or could read.
    **dict.fromkeys(("facebook_page_id", "list_of_accounts", "dataset_id", "event_sources"), ""),
}
RESERVED_CONVERSION_OPTIONS = COMMON_RESERVED_OPTIONS | {
    "description": "`description`",
    "event_source_id": "`pixelId`",
    "custom_event_type": "`event`",
    **dict.fromkeys(("rule", "advanced_rule"), "`rules`"),
    "default_conversion_value": "`value`",
}
