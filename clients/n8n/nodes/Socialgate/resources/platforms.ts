// Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.

import type { INodeProperties } from "n8n-workflow";

export const platformsProperties: INodeProperties[] = [
  {
    displayName: "Operation",
    name: "operation",
    type: "options",
    noDataExpression: true,
    displayOptions: { show: { resource: ["platforms"] } },
    options: [
      {
        name: "Get",
        value: "get",
        description: "Return one kind of account, such as instagram: what it can do, and the options of its posts and messages",
        action: "Get platform",
      },
      {
        name: "Get Many",
        value: "list",
        description: "Retrieve a list of platforms",
        action: "Get many platforms",
      },
    ],
    default: "get",
  },
  {
    displayName: "Additional Fields",
    name: "fields",
    type: "collection",
    placeholder: "Add Field",
    default: {},
    displayOptions: { show: { resource: ["platforms"], operation: ["list"] } },
    options: [
      {
        displayName: "Kinds",
        name: "kinds",
        type: "multiOptions",
        options: [
          { name: "Facebook Page", value: "facebook_page" },
          { name: "Google Business", value: "google_business" },
          { name: "Google Calendar", value: "google_calendar" },
          { name: "Instagram", value: "instagram" },
          { name: "Meta Ads", value: "meta_ads" },
          { name: "Telegram Bot", value: "telegram_bot" },
          { name: "Threads", value: "threads" },
          { name: "Tiktok", value: "tiktok" },
          { name: "Tiktok Ads", value: "tiktok_ads" },
          { name: "Whatsapp Cloud", value: "whatsapp_cloud" },
          { name: "Whatsapp Qr", value: "whatsapp_qr" },
          { name: "Youtube", value: "youtube" },
        ],
        default: [],
        description: "Only these kinds of accounts. Can be repeated.",
      },
    ],
  },
  {
    displayName: "Kind",
    name: "kind",
    type: "options",
    options: [
      { name: "Facebook Page", value: "facebook_page" },
      { name: "Google Business", value: "google_business" },
      { name: "Google Calendar", value: "google_calendar" },
      { name: "Instagram", value: "instagram" },
      { name: "Meta Ads", value: "meta_ads" },
      { name: "Telegram Bot", value: "telegram_bot" },
      { name: "Threads", value: "threads" },
      { name: "Tiktok", value: "tiktok" },
      { name: "Tiktok Ads", value: "tiktok_ads" },
      { name: "Whatsapp Cloud", value: "whatsapp_cloud" },
      { name: "Whatsapp Qr", value: "whatsapp_qr" },
      { name: "Youtube", value: "youtube" },
    ],
    default: "facebook_page",
    description: "The kind of account, such as instagram",
    required: true,
    displayOptions: { show: { resource: ["platforms"], operation: ["get"] } },
  },
];
