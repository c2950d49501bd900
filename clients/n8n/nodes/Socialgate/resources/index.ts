// Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.

import type { INodeProperties } from "n8n-workflow";

import { accountsProperties } from "./accounts";
import { adAccountsProperties } from "./adAccounts";
import { adsProperties } from "./ads";
import { adsAdSetsProperties } from "./adsAdSets";
import { adsAdsProperties } from "./adsAds";
import { adsAudiencesProperties } from "./adsAudiences";
import { adsCampaignsProperties } from "./adsCampaigns";
import { adsConversionsProperties } from "./adsConversions";
import { adsCreativesProperties } from "./adsCreatives";
import { aiProperties } from "./ai";
import { automationsProperties } from "./automations";
import { automationsRunsProperties } from "./automationsRuns";
import { calendarProperties } from "./calendar";
import { catalogsProperties } from "./catalogs";
import { commentsProperties } from "./comments";
import { conversationsProperties } from "./conversations";
import { eventsProperties } from "./events";
import { insightsProperties } from "./insights";
import { leadsProperties } from "./leads";
import { leadsFormsProperties } from "./leadsForms";
import { mediaProperties } from "./media";
import { mediaLinksProperties } from "./mediaLinks";
import { messagesProperties } from "./messages";
import { operationsProperties } from "./operations";
import { platformsProperties } from "./platforms";
import { postsProperties } from "./posts";
import { productSetsProperties } from "./productSets";
import { productsProperties } from "./products";
import { profilesProperties } from "./profiles";
import { queueProperties } from "./queue";
import { queueSlotsProperties } from "./queueSlots";
import { shopsProperties } from "./shops";
import { tasksProperties } from "./tasks";
import { usageProperties } from "./usage";

const resource: INodeProperties = {
  displayName: "Resource",
  name: "resource",
  type: "options",
  noDataExpression: true,
  options: [
    { name: "Account", value: "accounts" },
    { name: "Ad", value: "ads.ads" },
    { name: "Ad Account", value: "ad_accounts" },
    { name: "Ad Audience", value: "ads.audiences" },
    { name: "Ad Campaign", value: "ads.campaigns" },
    { name: "Ad Conversion", value: "ads.conversions" },
    { name: "Ad Creative", value: "ads.creatives" },
    { name: "Ad Set", value: "ads.ad_sets" },
    { name: "Advertising", value: "ads" },
    { name: "AI Generation", value: "ai" },
    { name: "Automation", value: "automations" },
    { name: "Automation Run", value: "automations.runs" },
    { name: "Calendar", value: "calendar" },
    { name: "Catalog", value: "catalogs" },
    { name: "Comment", value: "comments" },
    { name: "Conversation", value: "conversations" },
    { name: "Event", value: "events" },
    { name: "Insight", value: "insights" },
    { name: "Lead", value: "leads" },
    { name: "Lead Form", value: "leads.forms" },
    { name: "Media", value: "media" },
    { name: "Media Link", value: "media.links" },
    { name: "Message", value: "messages" },
    { name: "Operation", value: "operations" },
    { name: "Platform", value: "platforms" },
    { name: "Post", value: "posts" },
    { name: "Product", value: "products" },
    { name: "Product Set", value: "product_sets" },
    { name: "Profile", value: "profiles" },
    { name: "Queue", value: "queue" },
    { name: "Queue Slot", value: "queue.slots" },
    { name: "Shop", value: "shops" },
    { name: "Task", value: "tasks" },
    { name: "Usage", value: "usage" },
  ],
  default: "posts",
};

/** What the forms of all resources show. */
export const properties: INodeProperties[] = [
  resource,
  ...accountsProperties,
  ...adAccountsProperties,
  ...adsProperties,
  ...adsAdSetsProperties,
  ...adsAdsProperties,
  ...adsAudiencesProperties,
  ...adsCampaignsProperties,
  ...adsConversionsProperties,
  ...adsCreativesProperties,
  ...aiProperties,
  ...automationsProperties,
  ...automationsRunsProperties,
  ...calendarProperties,
  ...catalogsProperties,
  ...commentsProperties,
  ...conversationsProperties,
  ...eventsProperties,
  ...insightsProperties,
  ...leadsProperties,
  ...leadsFormsProperties,
  ...mediaProperties,
  ...mediaLinksProperties,
  ...messagesProperties,
  ...operationsProperties,
  ...platformsProperties,
  ...postsProperties,
  ...productSetsProperties,
  ...productsProperties,
  ...profilesProperties,
  ...queueProperties,
  ...queueSlotsProperties,
  ...shopsProperties,
  ...tasksProperties,
  ...usageProperties,
];
