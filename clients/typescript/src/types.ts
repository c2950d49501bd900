// Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.

/** What is given to methods, and what they return. */

/** An account on a platform. */
export interface Account {
  /** The id, `acc_…`. */
  id: string;
  /** The id of the profile that it belongs to, `prf_…`. */
  profileId: string;
  /** The platform that the account is on. */
  platform: Platform;
  /** What kind of account it is. `GET /platforms` says what each kind can do. */
  kind: Kind;
  /** The platform's own id of the account. */
  platformAccountId: string;
  /** The name of the account on its platform, when it was last read. */
  name: string;
  /** The handle, such as `bakerylima`, or the phone number of a WhatsApp account. Null if the kind has none. */
  username: string | null;
  /** The URL of its picture on the platform, which may expire. Null if there is none. */
  avatarUrl: string | null;
  /** The URL of its public page. Null if it has none. */
  profileUrl: string | null;
  /**
   * `connecting` while a QR code waits to be scanned; `needs_reconnection` and `expired` once the permission is lost.
   */
  status: AccountStatus;
  /** What this service can do with this kind of account. The health says whether the granted permissions suffice. */
  capabilities: string[];
  /** When it was last connected. Null until it is connected for the first time. */
  connectedAt: string | null;
  /** When its health was last checked with the platform. Null before the first check. */
  lastCheckedAt: string | null;
  /** How the permission is kept alive. */
  token: TokenRenewalStatus;
  /** Since when and why it must be reconnected. Null if it need not be. */
  needsReconnection: ReconnectionReason | null;
}

/** What to change. */
export interface AccountChanges {
  /** The profile to move the account to. */
  profileId: string;
}

/** It happened on one of these accounts. */
export interface AccountCondition {
  /** Always `account`. */
  type: "account";
  /** The accounts, `acc_…`. */
  accountIds: string[];
}

/** An account was connected, or connected again. `reconnected` says which. */
export interface AccountConnected {
  /** The account, `acc_…`. Omitted for ad accounts. */
  accountId?: string | null;
  /** The ad account, `adacc_…`. Omitted for other accounts. */
  adAccountId?: string | null;
  /** The platform of the account, such as `meta`; see `GET /platforms`. */
  platform: string;
  /** The kind of account, such as `instagram`; see `GET /platforms`. */
  kind: string;
  /** The name of the account on its platform. */
  name: string;
  /** The handle. Null if the kind has none. */
  username: string | null;
  /** True if it had been connected before; otherwise omitted. */
  reconnected?: boolean;
}

/** What is sent: exactly these four top-level fields. */
export interface AccountConnectedEnvelope {
  /** The name of the event. */
  event: "account.connected";
  /** The owner, `own_…`. */
  ownerId: string;
  /** The profile that it happened in, `prf_…`. */
  profileId: string;
  /** The details of the event. */
  data: AccountConnected;
  /** The id of the event, `evt_…`. Only `webhooks.unwrap` knows it. */
  id?: string;
  /** The position of the event in the stream: `events.stream({ after })` continues there. */
  cursor?: string;
}

/** An event as a hook receives it, with its id and time. */
export interface AccountConnectedEvent {
  /** The id, `evt_…`. The same as the header `webhook-id` of its deliveries. */
  id: string;
  /** The name of the event. */
  event: "account.connected";
  /** The owner, `own_…`. */
  ownerId: string;
  /** The profile that it happened in, `prf_…`. */
  profileId: string;
  /** The details; their form depends on `event`. */
  data: AccountConnected;
  /** When it happened. */
  createdAt: string;
}

/** The account was disconnected through this service. Also sent for a number whose code was never scanned. */
export interface AccountDisconnected {
  /** The account, `acc_…`. Omitted for ad accounts. */
  accountId?: string | null;
  /** The ad account, `adacc_…`. Omitted for other accounts. */
  adAccountId?: string | null;
  /** The platform of the account, such as `meta`; see `GET /platforms`. */
  platform: string;
  /** The kind of account, such as `instagram`; see `GET /platforms`. */
  kind: string;
}

/** What is sent: exactly these four top-level fields. */
export interface AccountDisconnectedEnvelope {
  /** The name of the event. */
  event: "account.disconnected";
  /** The owner, `own_…`. */
  ownerId: string;
  /** The profile that it happened in, `prf_…`. */
  profileId: string;
  /** The details of the event. */
  data: AccountDisconnected;
  /** The id of the event, `evt_…`. Only `webhooks.unwrap` knows it. */
  id?: string;
  /** The position of the event in the stream: `events.stream({ after })` continues there. */
  cursor?: string;
}

/** An event as a hook receives it, with its id and time. */
export interface AccountDisconnectedEvent {
  /** The id, `evt_…`. The same as the header `webhook-id` of its deliveries. */
  id: string;
  /** The name of the event. */
  event: "account.disconnected";
  /** The owner, `own_…`. */
  ownerId: string;
  /** The profile that it happened in, `prf_…`. */
  profileId: string;
  /** The details; their form depends on `event`. */
  data: AccountDisconnected;
  /** When it happened. */
  createdAt: string;
}

/**
 * The result of the last health check, and how to fix problems.
 *
 * `unknown` means that the platform did not respond, which says nothing about the account. `can` lists what this
 * service does with this kind of account, and whether the granted permissions suffice for it. `limits` shows how much
 * of each quota is used in a window of `windowSeconds`: as reported by the platform, otherwise as counted by this
 * service. `resetsAt` is when capacity becomes available again; `used` is null if the platform counts per chat or
 * endpoint.
 */
export interface AccountHealth {
  /** The id of the account (`acc_…`) or the ad account (`adacc_…`). */
  accountId: string;
  /** `error` if it does not work, `warning` if something is limited, `unknown` if the platform could not be reached. */
  status: AccountHealthStatus;
  /** Whether the token works. */
  token: TokenHealth;
  /** What was granted, and what is missing. */
  permissions: AccountPermissions;
  /** Whether the granted permissions suffice, for each use such as `post` or `readInsights`. */
  can: Record<string, boolean>;
  /** How much of each quota is used. */
  limits: LimitUse[];
  /** The problems that were found, with how to fix each. */
  issues: AccountIssue[];
  /** When it was last checked. Null before the first check. */
  checkedAt: string | null;
}

/**
 * A check of an account found a problem that was not there before, or a problem is gone.
 *
 * It is sent once for each change, not for each check. An account that lost its permission is reported with
 * `account.needs_reconnection` instead. `GET /accounts/health` shows the whole state.
 */
export interface AccountHealthChanged {
  /** The account, `acc_…`. Omitted for ad accounts. */
  accountId?: string | null;
  /** The ad account, `adacc_…`. Omitted for other accounts. */
  adAccountId?: string | null;
  /** The platform of the account, such as `meta`; see `GET /platforms`. */
  platform: string;
  /** The kind of account, such as `instagram`; see `GET /platforms`. */
  kind: string;
  /** `warning`: the account works, but something needs attention. `error`: it does not work. */
  status: AccountHealthChangedStatus;
  /** Problems that were not there at the check before. */
  appeared: HealthIssue[];
  /** Problems that are gone, as they were last reported. */
  disappeared: HealthIssue[];
  /** When the account was checked. */
  checkedAt: string;
}

export type AccountHealthChangedStatus = "error" | "healthy" | "warning" | (string & {});

/** What is sent: exactly these four top-level fields. */
export interface AccountHealthEnvelope {
  /** The name of the event. */
  event: "account.health";
  /** The owner, `own_…`. */
  ownerId: string;
  /** The profile that it happened in, `prf_…`. */
  profileId: string;
  /** The details of the event. */
  data: AccountHealthChanged;
  /** The id of the event, `evt_…`. Only `webhooks.unwrap` knows it. */
  id?: string;
  /** The position of the event in the stream: `events.stream({ after })` continues there. */
  cursor?: string;
}

/** An event as a hook receives it, with its id and time. */
export interface AccountHealthEvent {
  /** The id, `evt_…`. The same as the header `webhook-id` of its deliveries. */
  id: string;
  /** The name of the event. */
  event: "account.health";
  /** The owner, `own_…`. */
  ownerId: string;
  /** The profile that it happened in, `prf_…`. */
  profileId: string;
  /** The details; their form depends on `event`. */
  data: AccountHealthChanged;
  /** When it happened. */
  createdAt: string;
}

export type AccountHealthStatus = "error" | "healthy" | "unknown" | "warning" | (string & {});

/** The current insights of an account. */
export interface AccountInsights {
  /** The id of the account, `acc_…`. */
  accountId: string;
  /** The first day. */
  since: string;
  /** The last day. */
  until: string;
  /** The length of the periods in `series`. */
  granularity: AccountInsightsGranularity;
  /** The IANA time zone that the platform counts days in. */
  timezone: string;
  /** The metrics that you asked for, also those without a value. */
  metrics: MetricValue[];
}

export type AccountInsightsGranularity = "day" | "month" | "week" | "total" | (string & {});

/** A problem of an account. With `warning` it is still usable. */
export interface AccountIssue {
  /** What the problem is, for programs, such as `permission_missing`. */
  code: string;
  /** What is wrong, for people to read. */
  detail: string;
  /** How to fix it. */
  fix: string;
  /** True if the account can be used anyway, false if it cannot. */
  warning?: boolean;
}

/** The permission was revoked on the platform. The account must be reconnected. */
export interface AccountNeedsReconnection {
  /** The account, `acc_…`. Omitted for ad accounts. */
  accountId?: string | null;
  /** The ad account, `adacc_…`. Omitted for other accounts. */
  adAccountId?: string | null;
  /** The platform of the account, such as `meta`; see `GET /platforms`. */
  platform: string;
  /** The kind of account, such as `instagram`; see `GET /platforms`. */
  kind: string;
  /** Why, for people to read. */
  reason: string;
  /** When the permission was found to be lost. */
  since: string;
}

/** What is sent: exactly these four top-level fields. */
export interface AccountNeedsReconnectionEnvelope {
  /** The name of the event. */
  event: "account.needs_reconnection";
  /** The owner, `own_…`. */
  ownerId: string;
  /** The profile that it happened in, `prf_…`. */
  profileId: string;
  /** The details of the event. */
  data: AccountNeedsReconnection;
  /** The id of the event, `evt_…`. Only `webhooks.unwrap` knows it. */
  id?: string;
  /** The position of the event in the stream: `events.stream({ after })` continues there. */
  cursor?: string;
}

/** An event as a hook receives it, with its id and time. */
export interface AccountNeedsReconnectionEvent {
  /** The id, `evt_…`. The same as the header `webhook-id` of its deliveries. */
  id: string;
  /** The name of the event. */
  event: "account.needs_reconnection";
  /** The owner, `own_…`. */
  ownerId: string;
  /** The profile that it happened in, `prf_…`. */
  profileId: string;
  /** The details; their form depends on `event`. */
  data: AccountNeedsReconnection;
  /** When it happened. */
  createdAt: string;
}

/** One page of a list. `nextCursor` is null on the last page. */
export interface AccountPage {
  /** The rows of this page, at most `limit`. */
  data: Account[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
}

export interface AccountPermissions {
  /** The permissions (scopes) that the person granted, by the platform's names. */
  granted: string[];
  /** The permissions that this service uses and were not granted. */
  missing: string[];
}

/** Which of the available accounts to connect. */
export interface AccountSelectionBody {
  /** `id`s from the list of available accounts. */
  ids: string[];
}

export type AccountStatus = "connected" | "connecting" | "expired" | "needs_reconnection" | (string & {});

export type AccountsQueryKind =
  | "facebook_page" | "google_business" | "google_calendar" | "instagram" | "telegram_bot" | "threads" | "tiktok" |
  "whatsapp_cloud" | "whatsapp_qr" | "youtube";

export type AccountsQueryStatus = "connected" | "connecting" | "expired" | "needs_reconnection";

/** An ad: a creative in an ad set. `creativeId` is null on platforms whose ads contain their creative. */
export interface Ad {
  /** The platform's own id. Creatives of TikTok start with `crea_`. */
  id: string;
  /** The id of the ad account, `adacc_…`. */
  adAccountId: string;
  /** The type of the object. `PATCH` and `DELETE /ads/object` require it. */
  type: AdType;
  /** The name. Null if it has none. */
  name: string | null;
  /** Whether it is shown to people now. Null if the platform does not report it. */
  status: AdStatus | null;
  /** What it was set to, whatever else stops it. Null if it cannot be started and paused. */
  configuredStatus: AdConfiguredStatus | null;
  /** Why it is not shown although it is active, for people to read. Null otherwise. */
  statusReason: string | null;
  /** Values of the platform that have no field here, by its own names, such as `buying_type` on Meta. */
  platformOptions: Record<string, unknown>;
  /** When it was created. Null if the platform does not report it. */
  createdAt: string | null;
  /** When it was last changed. Null if the platform does not report it. */
  updatedAt: string | null;
  /** The version. Send it as `If-Match` to change only this version. Null in responses stored by older versions. */
  etag: string | null;
  /** The platform's id of its ad set. */
  adsetId: string;
  /** The platform's id of its campaign. Null if the platform does not report it. */
  campaignId: string | null;
  /** The id of its creative. Null on platforms whose ads contain their creative. */
  creativeId: string | null;
  /** The platform's id of the post that it shows. Null if it shows none, or the creative has it. */
  postId: string | null;
  /** The text that it shows. Null if the creative has it. */
  text: string | null;
  /** The page that opens when people click. Null if the creative has it. */
  url: string | null;
  /** A page of the platform that shows the ad. Null if there is none. */
  previewUrl: string | null;
}

/** An advertising account. `accountStatus` is the platform's own status; `active` means that it works. */
export interface AdAccount {
  /** The id, `adacc_…`. */
  id: string;
  /** The id of the profile that it belongs to, `prf_…`. */
  profileId: string;
  /** The platform that the account is on. */
  platform: Platform;
  /** What kind of account it is. `GET /platforms` says what each kind can do. */
  kind: Kind;
  /** The platform's own id of the account. */
  platformAccountId: string;
  /** The name of the ad account on its platform, when it was last read. */
  name: string;
  /** The currency of all its amounts, as an ISO 4217 code. Null until the platform has reported it. */
  currency: string | null;
  /** The IANA time zone that its days are counted in. Null until the platform has reported it. */
  timezone: string | null;
  /** The platform's own status; `active` means that it can advertise. */
  accountStatus: string | null;
  /**
   * `connecting` while a QR code waits to be scanned; `needs_reconnection` and `expired` once the permission is lost.
   */
  status: AdAccountStatus;
  /** What this service can do with this kind of account. The health says whether the granted permissions suffice. */
  capabilities: string[];
  /** When it was last connected. Null until it is connected for the first time. */
  connectedAt: string | null;
  /** When its health was last checked with the platform. Null before the first check. */
  lastCheckedAt: string | null;
  /** How the permission is kept alive. */
  token: TokenRenewalStatus;
  /** Since when and why it must be reconnected. Null if it need not be. */
  needsReconnection: ReconnectionReason | null;
}

/** Which of the available ad accounts to connect. */
export interface AdAccountChoice {
  /** `id`s from the list of available accounts. */
  ids: string[];
}

/** One page of a list. `nextCursor` is null on the last page. */
export interface AdAccountPage {
  /** The rows of this page, at most `limit`. */
  data: AdAccount[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
}

export type AdAccountStatus = "connected" | "connecting" | "expired" | "needs_reconnection" | (string & {});

export type AdAccountsQueryKind = "meta_ads" | "tiktok_ads";

export type AdAccountsQueryStatus = "connected" | "connecting" | "expired" | "needs_reconnection";

/** How to bid. `costCap` and `bidCap` need an `amount`, `minRoas` needs `roas`. */
export interface AdBid {
  /** `lowestCost` needs no value, `costCap` and `bidCap` an `amount`, `minRoas` a `roas`. */
  strategy: BidStrategy;
  /** For `costCap` and `bidCap`: the average or the highest cost per result. */
  amount?: Money | null;
  /** For `minRoas`: the least value to earn for each unit of money spent. 2.5 is 250 %. */
  roas?: number | null;
}

/** How much to spend: per day, or in total until the end of the schedule, in the currency of the ad account. */
export interface AdBudget {
  /** An integer in the currency's smallest unit: 9.99 USD is 999. It must be in the currency of the ad account. */
  amount: number;
  /** ISO 4217 code, such as `USD`. */
  currency: string;
  /** Per day, or in total. `lifetime` needs the end of the schedule. */
  type?: AdBudgetType;
}

export type AdBudgetType = "daily" | "lifetime";

export type AdConfiguredStatus = "active" | "archived" | "paused" | (string & {});

/**
 * A creative. TikTok does not have creatives as separate objects: Socialgate stores them, and their ids start with
 * `crea_`.
 */
export interface AdCreative {
  /** The platform's own id. Creatives of TikTok start with `crea_`. */
  id: string;
  /** The id of the ad account, `adacc_…`. */
  adAccountId: string;
  /** The type of the object. `PATCH` and `DELETE /ads/object` require it. */
  type: AdType;
  /** The name. Null if it has none. */
  name: string | null;
  /** Whether it is shown to people now. Null if the platform does not report it. */
  status: AdStatus | null;
  /** What it was set to, whatever else stops it. Null if it cannot be started and paused. */
  configuredStatus: AdCreativeConfiguredStatus | null;
  /** Why it is not shown although it is active, for people to read. Null otherwise. */
  statusReason: string | null;
  /** Values of the platform that have no field here, by its own names, such as `buying_type` on Meta. */
  platformOptions: Record<string, unknown>;
  /** When it was created. Null if the platform does not report it. */
  createdAt: string | null;
  /** When it was last changed. Null if the platform does not report it. */
  updatedAt: string | null;
  /** The version. Send it as `If-Match` to change only this version. Null in responses stored by older versions. */
  etag: string | null;
  /** The platform's id of the post that it shows, or that was created for it. Null if there is none. */
  postId: string | null;
  /** The text. Null if it has none. */
  text: string | null;
  /** The headline. Null if it has none. */
  headline: string | null;
  /** The line below the headline. Null if it has none. */
  description: string | null;
  /** The page that opens when people click. Null if none does. */
  url: string | null;
  /** The label of the button. Null if it has none. */
  callToAction: CallToAction | null;
  /** The URL of its image on the platform, which may expire. Null if it has none. */
  imageUrl: string | null;
  /** The platform's id of its video. Null if it has none. */
  videoId: string | null;
}

export type AdCreativeConfiguredStatus = "active" | "archived" | "paused" | (string & {});

/**
 * Numbers of one object in one part of the period. Values that the platform does not report are null, never zero.
 *
 * `ctr` is in percent. `cpc`, `cpm` and `costPerConversion` are computed from the counts and rounded to the smallest
 * unit of the currency; compute them from `spend` if you need them exactly. `vendor` holds what else the platform
 * reports, by its names.
 */
export interface AdInsight {
  /** The first day of the row. */
  since: string;
  /** The last day of the row, inclusive. */
  until: string;
  /** What the row is about. */
  level: AdInsightsLevel;
  /** The platform's id of the campaign. Null for the level `account`. */
  campaignId: string | null;
  /** The platform's id of the ad set. Null for the levels above it. */
  adsetId: string | null;
  /** The platform's id of the ad. Null for the levels above it. */
  adId: string | null;
  /** The name of the object. Null if the platform does not report it. */
  name: string | null;
  /** The values that the row is about, by the names of `breakdowns`, such as `{"age": "25-34"}`. */
  breakdowns: Record<string, string>;
  /** What was spent. */
  spend: Money | null;
  /** How often ads were shown. */
  impressions: number | null;
  /** How many different people saw them. */
  reach: number | null;
  /** How often each person saw them on average: `impressions` divided by `reach`. */
  frequency: number | null;
  /** Clicks on any part of the ads. */
  clicks: number | null;
  /** Clicks that opened the page, the form or the app. */
  linkClicks: number | null;
  /** `clicks` per hundred `impressions`, in percent. */
  ctr: number | null;
  /** `spend` per click. */
  cpc: Money | null;
  /** `spend` per thousand impressions. */
  cpm: Money | null;
  /** Reactions, comments, shares and other interactions. */
  engagements: number | null;
  /** How often videos were watched, as the platform counts it. */
  videoViews: number | null;
  /** Forms that were submitted. */
  leads: number | null;
  /** Events that count as conversions, as the platform attributes them to ads. */
  conversions: number | null;
  /** `spend` per conversion. */
  costPerConversion: Money | null;
  /** What the conversions were worth. */
  conversionValue: Money | null;
  /** `conversionValue` divided by `spend`. */
  roas: number | null;
  /** What else the platform reports, by its own names. */
  vendor: Record<string, unknown>;
}

export type AdInsightsLevel = "account" | "ad" | "adset" | "campaign" | (string & {});

export type AdInsightsLevelInput = "account" | "ad" | "adset" | "campaign";

export type AdInsightsQueryPreset =
  | "last14d" | "last28d" | "last30d" | "last7d" | "last90d" | "lastMonth" | "lastQuarter" | "lastWeek" | "lastYear" |
  "thisMonth" | "thisQuarter" | "thisWeek" | "thisYear" | "today" | "yesterday";

/** An image or a video: an uploaded file, or a URL from which it is fetched. */
export interface AdMedia {
  /** The id of an uploaded file, `med_…`. */
  mediaId?: string | null;
  /** Instead of `mediaId`: a public URL from which the file is fetched. */
  url?: string | null;
}

/** An object of any type after a change. Fields that its type does not have are null. */
export interface AdObject {
  /** The platform's own id. Creatives of TikTok start with `crea_`. */
  id: string;
  /** The id of the ad account, `adacc_…`. */
  adAccountId: string;
  /** The type of the object. `PATCH` and `DELETE /ads/object` require it. */
  type: AdType;
  /** The name. Null if it has none. */
  name: string | null;
  /** Whether it is shown to people now. Null if the platform does not report it. */
  status: AdStatus | null;
  /** What it was set to, whatever else stops it. Null if it cannot be started and paused. */
  configuredStatus: AdObjectConfiguredStatus | null;
  /** Why it is not shown although it is active, for people to read. Null otherwise. */
  statusReason: string | null;
  /** Values of the platform that have no field here, by its own names, such as `buying_type` on Meta. */
  platformOptions: Record<string, unknown>;
  /** When it was created. Null if the platform does not report it. */
  createdAt: string | null;
  /** When it was last changed. Null if the platform does not report it. */
  updatedAt: string | null;
  /** The version. Send it as `If-Match` to change only this version. Null in responses stored by older versions. */
  etag: string | null;
  /** What a campaign or an ad set spends. */
  budget: AdBudget | null;
  /** The campaign stops once it has spent this much. */
  spendCap: Money | null;
  /** How a campaign or an ad set bids. */
  bid: AdBid | null;
  /** When a campaign or an ad set runs. */
  schedule: AdSchedule | null;
  /** Whom the ads of an ad set are shown to. */
  targeting: AdTargeting | null;
  /** What the delivery of an ad set is optimized for. */
  optimization: Optimization | null;
  /** The creative of an ad. */
  creativeId: string | null;
  /** For an audience or a custom conversion: the new note. */
  description: string | null;
  /** What one conversion is worth, for a custom conversion. */
  value: Money | null;
}

/**
 * New values for an object of any type. Fields that you leave out stay as they are.
 *
 * What can be changed depends on the type and on the platform; anything else is rejected with 422. `targeting` replaces
 * the previous one as a whole. Start and pause objects with `status`.
 */
export interface AdObjectChangesBody {
  /** The id of an ad account, from `GET /adaccounts`. */
  adAccountId: string;
  /** What the object is. */
  type: AdTypeInput;
  /** The id of the object, as in the lists. */
  id: string;
  /** The new name. */
  name?: string | null;
  /** Starts, pauses or archives it. */
  status?: AdObjectChangesBodyStatus | null;
  /** For a campaign or an ad set. TikTok cannot change the `type` of a budget. */
  budget?: AdBudget | null;
  /** For a campaign: it stops once it has spent this much. */
  spendCap?: Money | null;
  /** For a campaign or an ad set. */
  bid?: AdBid | null;
  /** For a campaign or an ad set. Only what you send is changed. */
  schedule?: AdSchedule | null;
  /** For an ad set. Replaces the previous targeting as a whole. */
  targeting?: AdTargeting | null;
  /** For an ad set: what delivery is optimized for. */
  optimization?: OptimizationInput | null;
  /** For an ad: the creative that it shows from now on. */
  creativeId?: string | null;
  /** For an audience or a custom conversion: the new note. */
  description?: string | null;
  /** For a custom conversion: what one conversion is worth. */
  value?: Money | null;
  /** Fields of the platform's own API that have no equivalent here, under its own names. Sent unchanged. */
  platformOptions?: Record<string, unknown>;
}

export type AdObjectChangesBodyStatus = "active" | "archived" | "paused";

export type AdObjectConfiguredStatus = "active" | "archived" | "paused" | (string & {});

/** The object that was deleted on the platform, with everything in it. */
export interface AdObjectDeleted {
  /** The id of the deleted object. */
  id: string;
  /** The id of the ad account, `adacc_…`. */
  adAccountId: string;
  /** The type of the deleted object. */
  type: AdType;
  /** Always true: a failure is returned as an error. */
  deleted: boolean;
}

/** One page of a list. `nextCursor` is null on the last page. */
export interface AdPage {
  /** The rows of this page, at most `limit`. */
  data: Ad[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
}

/** What an ad set promotes or counts: a Page, events of a pixel, an app, or a catalog. */
export interface AdPromotion {
  /** The platform's id of the Facebook Page that is promoted. */
  pageId?: string | null;
  /** The platform's id of the pixel that counts conversions. */
  pixelId?: string | null;
  /** A standard event: `Purchase`. */
  event?: string | null;
  /** The platform's id of the custom conversion that is counted. */
  customConversionId?: string | null;
  /** The platform's id of the app that is promoted. */
  appId?: string | null;
  /** The page of the app in its store. */
  appStoreUrl?: string | null;
  /** The platform's id of the catalog whose products are shown. */
  catalogId?: string | null;
  /** The platform's id of the product set whose products are shown. */
  productSetId?: string | null;
}

/**
 * A page of numbers; or, with the status 202, the task that prepares them.
 *
 * In that case `data` is empty. `GET /tasks/{taskId}` shows its progress, and `GET
 * /ads/insights?adAccountId=…&taskId=…` lists its rows once it has succeeded. They are kept for seven days.
 */
export interface AdReport {
  /** The rows of this page. Empty while a report is being prepared. */
  data: AdInsight[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
  /** The first day of the period. */
  since: string;
  /** The last day of the period, inclusive. */
  until: string;
  /** The IANA time zone of the ad account, in which days are counted. Null if it is unknown. */
  timezone: string | null;
  /** The task that prepares the rows, with the status 202. Null if they are in `data`. */
  task: AdReportTask | null;
}

/** The result of the task that prepares a report. */
export interface AdReportResult {
  /** How many rows the report has. */
  rows: number;
}

/** The task that prepares a report. */
export interface AdReportTask {
  /** The id, `task_…`. Send it as `taskId` once the task has succeeded. */
  id: string;
  /** Always `ads.report`. */
  type: string;
  /** `queued` until a worker starts it; `cancelled` after `DELETE /tasks/{taskId}`. */
  status: JobStatus;
  /** When it was created. */
  createdAt: string;
}

/** When it runs. Without a start it starts at once, without an end it runs until it is paused. */
export interface AdSchedule {
  /** When it starts. Null: at once. */
  start?: string | null;
  /** When it ends. Null: it runs until it is paused. */
  end?: string | null;
}

/** An ad set (an ad group on TikTok): whom ads are shown to, when, and for how much. */
export interface AdSet {
  /** The platform's own id. Creatives of TikTok start with `crea_`. */
  id: string;
  /** The id of the ad account, `adacc_…`. */
  adAccountId: string;
  /** The type of the object. `PATCH` and `DELETE /ads/object` require it. */
  type: AdType;
  /** The name. Null if it has none. */
  name: string | null;
  /** Whether it is shown to people now. Null if the platform does not report it. */
  status: AdStatus | null;
  /** What it was set to, whatever else stops it. Null if it cannot be started and paused. */
  configuredStatus: AdSetConfiguredStatus | null;
  /** Why it is not shown although it is active, for people to read. Null otherwise. */
  statusReason: string | null;
  /** Values of the platform that have no field here, by its own names, such as `buying_type` on Meta. */
  platformOptions: Record<string, unknown>;
  /** When it was created. Null if the platform does not report it. */
  createdAt: string | null;
  /** When it was last changed. Null if the platform does not report it. */
  updatedAt: string | null;
  /** The version. Send it as `If-Match` to change only this version. Null in responses stored by older versions. */
  etag: string | null;
  /** The platform's id of its campaign. */
  campaignId: string;
  /** What delivery is optimized for. Null if the platform's own value has no equivalent here. */
  optimization: Optimization | null;
  /** The platform's own word for it. Null if it does not report one. */
  platformOptimization: string | null;
  /** What it spends. Null if the campaign has the budget. */
  budget: AdBudget | null;
  /** How it bids. Null if the campaign decides, or the platform does not report it. */
  bid: AdBid | null;
  /** When it runs. Null if the platform does not report it. */
  schedule: AdSchedule | null;
  /** Whom its ads are shown to. Null if the platform does not report it. */
  targeting: AdTargeting | null;
  /** What it promotes or counts. Null if nothing. */
  promotes: AdPromotion | null;
}

export type AdSetConfiguredStatus = "active" | "archived" | "paused" | (string & {});

/** One page of a list. `nextCursor` is null on the last page. */
export interface AdSetPage {
  /** The rows of this page, at most `limit`. */
  data: AdSet[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
}

export type AdStatus =
  | "active" | "archived" | "blocked" | "completed" | "deleted" | "inReview" | "paused" | "processing" | "rejected" |
  "scheduled" | (string & {});

/**
 * Whom to show ads to. `GET /ads/locations` finds the ids of places and interests, `GET /ads/audiences` lists
 * audiences.
 */
export interface AdTargeting {
  /** ISO 3166 codes, such as `NO`. TikTok stores them as places: they are listed in `locations` afterwards. */
  countries?: string[];
  /** The platform's ids of regions. */
  regions?: string[];
  /** The platform's ids of cities. */
  cities?: string[];
  /** Places of any type, by the ids of GET /ads/locations. */
  locations?: string[];
  /** Places where ads are not shown, by the ids of GET /ads/locations. */
  excludedLocations?: string[];
  /** The youngest age. Null: the platform's own minimum. */
  ageMin?: number | null;
  /** The highest value of a platform also includes all older people. */
  ageMax?: number | null;
  /** Only people of these genders. Empty: everybody. */
  genders?: AdTargetingGenders[];
  /** ISO 639-1 codes, such as `nb`. Empty: all languages. */
  languages?: string[];
  /** The ids of GET /ads/locations?kind=interest. Empty: people with any interests. */
  interests?: string[];
  /** Only people in one of these audiences, by their ids. */
  audiences?: string[];
  /** Nobody in these audiences, by their ids. */
  excludedAudiences?: string[];
  /** Fields of the platform's own API that have no equivalent here, under its own names. Sent unchanged. */
  platformOptions?: Record<string, unknown>;
}

export type AdTargetingGenders = "female" | "male";

export type AdType =
  | "ad" | "adcreative" | "adset" | "audience" | "campaign" | "customConversion" | "pixel" | (string & {});

export type AdTypeInput = "ad" | "adcreative" | "adset" | "audience" | "campaign" | "customConversion" | "pixel";

/** Long-running work: its status, progress and result. `result` depends on the type. */
export interface AdsAudienceUploadTask {
  /** The id, `task_…`; `gen_` for a generation. */
  id: string;
  /** What kind of work it is, such as `products.batch`. */
  type: "ads.audienceUpload";
  /** `queued` until a worker starts it; `cancelled` after `DELETE /tasks/{taskId}`. */
  status: JobStatus;
  /** How far it is. Null before it starts, and for work without steps. */
  progress: TaskProgress | null;
  /** What the work produced; its form depends on `type`. Null until there is something. */
  result: AudienceUploadResult | null;
  /** Why it failed. Null otherwise. */
  error: TaskError | null;
  /** Why it is being retried, or waits. Null if it does not. */
  lastError: TaskError | null;
  /** When it was created. */
  createdAt: string;
  /** When it was first started. Null while it is queued. */
  startedAt: string | null;
  /** When it ended. Null until then. */
  finishedAt: string | null;
  /** Until when it is kept. Null until it has finished. */
  expiresAt: string | null;
}

/** Long-running work: its status, progress and result. `result` depends on the type. */
export interface AdsReportTask {
  /** The id, `task_…`; `gen_` for a generation. */
  id: string;
  /** What kind of work it is, such as `products.batch`. */
  type: "ads.report";
  /** `queued` until a worker starts it; `cancelled` after `DELETE /tasks/{taskId}`. */
  status: JobStatus;
  /** How far it is. Null before it starts, and for work without steps. */
  progress: TaskProgress | null;
  /** What the work produced; its form depends on `type`. Null until there is something. */
  result: AdReportResult | null;
  /** Why it failed. Null otherwise. */
  error: TaskError | null;
  /** Why it is being retried, or waits. Null if it does not. */
  lastError: TaskError | null;
  /** When it was created. */
  createdAt: string;
  /** When it was first started. Null while it is queued. */
  startedAt: string | null;
  /** When it ended. Null until then. */
  finishedAt: string | null;
  /** Until when it is kept. Null until it has finished. */
  expiresAt: string | null;
}

/** Long-running work: its status, progress and result. `result` depends on the type. */
export interface AiAudioTask {
  /** The id, `task_…`; `gen_` for a generation. */
  id: string;
  /** What kind of work it is, such as `products.batch`. */
  type: "ai.audio";
  /** `queued` until a worker starts it; `cancelled` after `DELETE /tasks/{taskId}`. */
  status: JobStatus;
  /** How far it is. Null before it starts, and for work without steps. */
  progress: TaskProgress | null;
  /** What the work produced; its form depends on `type`. Null until there is something. */
  result: GeneratedContent | null;
  /** Why it failed. Null otherwise. */
  error: TaskError | null;
  /** Why it is being retried, or waits. Null if it does not. */
  lastError: TaskError | null;
  /** When it was created. */
  createdAt: string;
  /** When it was first started. Null while it is queued. */
  startedAt: string | null;
  /** When it ended. Null until then. */
  finishedAt: string | null;
  /** Until when it is kept. Null until it has finished. */
  expiresAt: string | null;
}

/** Long-running work: its status, progress and result. `result` depends on the type. */
export interface AiCopyTask {
  /** The id, `task_…`; `gen_` for a generation. */
  id: string;
  /** What kind of work it is, such as `products.batch`. */
  type: "ai.copy";
  /** `queued` until a worker starts it; `cancelled` after `DELETE /tasks/{taskId}`. */
  status: JobStatus;
  /** How far it is. Null before it starts, and for work without steps. */
  progress: TaskProgress | null;
  /** What the work produced; its form depends on `type`. Null until there is something. */
  result: GeneratedContent | null;
  /** Why it failed. Null otherwise. */
  error: TaskError | null;
  /** Why it is being retried, or waits. Null if it does not. */
  lastError: TaskError | null;
  /** When it was created. */
  createdAt: string;
  /** When it was first started. Null while it is queued. */
  startedAt: string | null;
  /** When it ended. Null until then. */
  finishedAt: string | null;
  /** Until when it is kept. Null until it has finished. */
  expiresAt: string | null;
}

/** Long-running work: its status, progress and result. `result` depends on the type. */
export interface AiImageTask {
  /** The id, `task_…`; `gen_` for a generation. */
  id: string;
  /** What kind of work it is, such as `products.batch`. */
  type: "ai.image";
  /** `queued` until a worker starts it; `cancelled` after `DELETE /tasks/{taskId}`. */
  status: JobStatus;
  /** How far it is. Null before it starts, and for work without steps. */
  progress: TaskProgress | null;
  /** What the work produced; its form depends on `type`. Null until there is something. */
  result: GeneratedContent | null;
  /** Why it failed. Null otherwise. */
  error: TaskError | null;
  /** Why it is being retried, or waits. Null if it does not. */
  lastError: TaskError | null;
  /** When it was created. */
  createdAt: string;
  /** When it was first started. Null while it is queued. */
  startedAt: string | null;
  /** When it ended. Null until then. */
  finishedAt: string | null;
  /** Until when it is kept. Null until it has finished. */
  expiresAt: string | null;
}

/** A model, and what it generates. A `default` model is used if a request of its type has no `model`. */
export interface AiModel {
  /** The name of the model. Send it as `model`. */
  id: string;
  /** What it can generate. */
  type: GenerationType[];
  /** Whether it is used for requests of its type that name no `model`. */
  default: boolean;
  /** The name of the server that offers it, such as `openai`. */
  provider: string;
  /** The day on which the provider shuts it down, if known. */
  endsOn: string | null;
}

/** The models of this deployment. The list is complete: `nextCursor` is always null. */
export interface AiModels {
  /** The models, sorted by name. */
  data: AiModel[];
  /** Always null. */
  nextCursor: string | null;
  /** The types for which there is no model. */
  unavailable: UnavailableGenerationType[];
}

/**
 * Reply in the same place with a text that an AI model writes according to your instructions.
 *
 * What the person wrote is sent to the model separately from the instructions, so these cannot have placeholders. If no
 * text can be generated, or it is still longer than `maxLength`, `fallback` is sent; without a fallback the run fails.
 */
export interface AiReplyAction {
  /** Always `aiReply`. */
  type: "aiReply";
  /** What the model should do, and what it needs to know, such as opening hours. */
  instructions: string;
  /** A model from `GET /ai/models`. Unset: the operator's default for this type. */
  model?: string | null;
  /** Such as `friendly` or `formal, without irony`. */
  tone?: string | null;
  /** Maximum number of characters. */
  maxLength?: number;
  /** With placeholders such as `{{contact.name}}`, or `{{contact.name|there}}` with a fallback. */
  fallback?: string | null;
}

/** Long-running work: its status, progress and result. `result` depends on the type. */
export interface AiReplyTask {
  /** The id, `task_…`; `gen_` for a generation. */
  id: string;
  /** What kind of work it is, such as `products.batch`. */
  type: "ai.reply";
  /** `queued` until a worker starts it; `cancelled` after `DELETE /tasks/{taskId}`. */
  status: JobStatus;
  /** How far it is. Null before it starts, and for work without steps. */
  progress: TaskProgress | null;
  /** What the work produced; its form depends on `type`. Null until there is something. */
  result: Record<string, unknown> | null;
  /** Why it failed. Null otherwise. */
  error: TaskError | null;
  /** Why it is being retried, or waits. Null if it does not. */
  lastError: TaskError | null;
  /** When it was created. */
  createdAt: string;
  /** When it was first started. Null while it is queued. */
  startedAt: string | null;
  /** When it ended. Null until then. */
  finishedAt: string | null;
  /** Until when it is kept. Null until it has finished. */
  expiresAt: string | null;
}

/** Long-running work: its status, progress and result. `result` depends on the type. */
export interface AiVideoTask {
  /** The id, `task_…`; `gen_` for a generation. */
  id: string;
  /** What kind of work it is, such as `products.batch`. */
  type: "ai.video";
  /** `queued` until a worker starts it; `cancelled` after `DELETE /tasks/{taskId}`. */
  status: JobStatus;
  /** How far it is. Null before it starts, and for work without steps. */
  progress: TaskProgress | null;
  /** What the work produced; its form depends on `type`. Null until there is something. */
  result: GeneratedContent | null;
  /** Why it failed. Null otherwise. */
  error: TaskError | null;
  /** Why it is being retried, or waits. Null if it does not. */
  lastError: TaskError | null;
  /** When it was created. */
  createdAt: string;
  /** When it was first started. Null while it is queued. */
  startedAt: string | null;
  /** When it ended. Null until then. */
  finishedAt: string | null;
  /** Until when it is kept. Null until it has finished. */
  expiresAt: string | null;
}

/**
 * How an account performed in a period, compared with the period of the same length before it.
 *
 * Values were stored day by day. `gaps` lists the days of the period without data, which are missing from the totals.
 * `bestPosts`, `bestTimes` and `postsPublished` only cover posts made with Socialgate.
 */
export interface AnalyticsSummary {
  /** The id of the account, `acc_…`. */
  accountId: string;
  /** The IANA time zone of the profile, in which days are counted. */
  timezone: string;
  /** The days that are summarized. */
  period: Period;
  /** The days that they are compared with. */
  previous: Period;
  /** The metrics that can be added up. */
  totals: MetricTotal[];
  /** The posts with the most engagement, best first. */
  bestPosts: BestPost[];
  /** The hours of the week with posts, best first. */
  bestTimes: BestTime[];
  /** How many posts were published in the period. */
  postsPublished: number;
  /** The same, per seven days. */
  postsPerWeek: number;
  /** The days of the period without data. */
  gaps: Period[];
}

/** An API key without its value. */
export interface ApiKey {
  /** The id, `key_…`. It is not the key itself. */
  id: string;
  /** Shown in the console and in lists. */
  name: string;
  /** The first and last characters of the key, to recognize it. */
  preview: string;
  /** `all` profiles of the owner, including later ones, or only the `profiles` in `profileIds`. */
  scope: ApiKeyScope;
  /** The profiles that the key is limited to. Empty if its scope is `all`. */
  profileIds: string[];
  /** `read` allows only GET; `read-write` allows everything that keys can do. */
  permission: ApiKeyPermission;
  /** When the key stops working. Null if it does not expire. */
  expiresAt: string | null;
  /** When it was last used, accurate to about a minute. Null if it was never used. */
  lastUsedAt: string | null;
  /** When it was created. */
  createdAt: string;
  /** When it was last changed. */
  updatedAt: string;
}

/** What to change. Omitted fields stay as they are. The scope cannot be changed. */
export interface ApiKeyChanges {
  /** Shown in the console and in lists, to tell keys apart. */
  name?: string;
  /** The profiles that the key is limited to. */
  profileIds?: string[];
  /** `read` allows only GET; `read-write` allows everything that keys can do. */
  permission?: ApiKeyChangesPermission;
  /** When the key stops working. */
  expiresAt?: string | null;
}

export type ApiKeyChangesPermission = "read" | "read-write";

/** A new API key. `key` is only in this response; a replay has `secretWithheld` instead. */
export interface ApiKeyCreated {
  /** The id, `key_…`. It is not the key itself. */
  id: string;
  /** Shown in the console and in lists. */
  name: string;
  /** The first and last characters of the key, to recognize it. */
  preview: string;
  /** `all` profiles of the owner, including later ones, or only the `profiles` in `profileIds`. */
  scope: ApiKeyCreatedScope;
  /** The profiles that the key is limited to. Empty if its scope is `all`. */
  profileIds: string[];
  /** `read` allows only GET; `read-write` allows everything that keys can do. */
  permission: ApiKeyCreatedPermission;
  /** When the key stops working. Null if it does not expire. */
  expiresAt: string | null;
  /** When it was last used, accurate to about a minute. Null if it was never used. */
  lastUsedAt: string | null;
  /** When it was created. */
  createdAt: string;
  /** When it was last changed. */
  updatedAt: string;
  /** The key itself, `sg_live_…` or `sg_test_…`. Only in the first response. */
  key?: string;
  /** True in a replayed response, instead of `key`. */
  secretWithheld?: boolean;
}

export type ApiKeyCreatedPermission = "read" | "read-write" | (string & {});

export type ApiKeyCreatedScope = "all" | "profiles" | (string & {});

/** One page of a list. `nextCursor` is null on the last page. */
export interface ApiKeyPage {
  /** The rows of this page, at most `limit`. */
  data: ApiKey[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
}

export type ApiKeyPermission = "read" | "read-write" | (string & {});

/** A revoked key. The hooks created with it keep running; delete those you do not need. */
export interface ApiKeyRevoked {
  /** The id of what was deleted. */
  id: string;
  /** Always true: a failure is returned as an error. */
  deleted: boolean;
  /** The hooks that were created with the key, `hook_…`. They keep running. */
  hooks: string[];
}

export type ApiKeyScope = "all" | "profiles" | (string & {});

/** A file attached to a message. */
export interface Attachment {
  /** `image`, `video`, `audio`, `document` or another type of file. */
  type: string;
  /** A URL of this service for the file. Null if it could not be downloaded. */
  url: string | null;
  /** The MIME type. Null if it is unknown. */
  mimeType: string | null;
}

/** An audience. Platforms show its size only if it has some hundreds of people, and take up to a day to count. */
export interface Audience {
  /** The platform's own id. Creatives of TikTok start with `crea_`. */
  id: string;
  /** The id of the ad account, `adacc_…`. */
  adAccountId: string;
  /** The type of the object. `PATCH` and `DELETE /ads/object` require it. */
  type: AdType;
  /** The name. Null if it has none. */
  name: string | null;
  /** Whether it is shown to people now. Null if the platform does not report it. */
  status: AdStatus | null;
  /** What it was set to, whatever else stops it. Null if it cannot be started and paused. */
  configuredStatus: AudienceConfiguredStatus | null;
  /** Why it is not shown although it is active, for people to read. Null otherwise. */
  statusReason: string | null;
  /** Values of the platform that have no field here, by its own names, such as `buying_type` on Meta. */
  platformOptions: Record<string, unknown>;
  /** When it was created. Null if the platform does not report it. */
  createdAt: string | null;
  /** When it was last changed. Null if the platform does not report it. */
  updatedAt: string | null;
  /** The version. Send it as `If-Match` to change only this version. Null in responses stored by older versions. */
  etag: string | null;
  /** What it consists of. */
  kind: AudienceKind;
  /** A note. Null if there is none. */
  description: string | null;
  /** The least number of people that the platform estimates. Null while it is unknown or too small to show. */
  sizeMin: number | null;
  /** The largest number of people that the platform estimates. Null while it is unknown or too small to show. */
  sizeMax: number | null;
  /** How many days people stay in it. Null if they stay. */
  retentionDays: number | null;
  /** The task that uploads people. Only in the response that started it. */
  upload: AudienceUploadTask | null;
}

export type AudienceConfiguredStatus = "active" | "archived" | "paused" | (string & {});

export type AudienceKind = "customers" | "engagement" | "lookalike" | "other" | "website" | (string & {});

/** One page of a list. `nextCursor` is null on the last page. */
export interface AudiencePage {
  /** The rows of this page, at most `limit`. */
  data: Audience[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
}

/** A person in a list. Send everything that you know: platforms match people by any of these values. */
export interface AudiencePerson {
  /**
   * The plain value or its SHA-256 hash. A plain value is normalized and hashed before it is stored; only the hash is
   * sent.
   */
  email?: string | null;
  /**
   * With its country code. The plain value or its SHA-256 hash. A plain value is normalized and hashed before it is
   * stored; only the hash is sent.
   */
  phone?: string | null;
  /** The advertising id of a phone (IDFA or GAID). */
  mobileAdId?: string | null;
  /** Your own id of the person. */
  externalId?: string | null;
}

/** The result of the task that uploads people. */
export interface AudienceUploadResult {
  /** How many people the platform received. */
  received: number;
  /** How many of them it could not use. */
  invalid: number;
}

/** The task that uploads people. `GET /tasks/{id}` shows its progress; its result counts the received people. */
export interface AudienceUploadTask {
  /** The id, `task_…`. */
  id: string;
  /** Always `ads.audienceUpload`. */
  type: string;
  /** `queued` until a worker starts it; `cancelled` after `DELETE /tasks/{taskId}`. */
  status: JobStatus;
  /** How many people are uploaded. */
  people: number;
  /** When it was created. */
  createdAt: string;
}

/** A text to read aloud. */
export interface AudioGenerationBody {
  /** A model from `GET /ai/models`. Unset: the operator's default for this type. */
  model?: string | null;
  /** The profile that the generation and its files belong to. Required for a key limited to several profiles. */
  profileId?: string | null;
  /** The text to read aloud. */
  text: string;
  /** One of the provider's voices, such as `alloy`. */
  voice?: string;
  /** The format of the file. */
  format?: AudioGenerationBodyFormat;
  /** How fast to speak: 1 is normal, 2 twice as fast. */
  speed?: number | null;
}

export type AudioGenerationBodyFormat = "aac" | "flac" | "mp3" | "opus" | "wav";

/** An automatic reaction to a trigger. `nextAt` is when a schedule runs next. */
export interface Automation {
  /** The id, `auto_…`. */
  id: string;
  /** The id of the profile that it belongs to, `prf_…`. */
  profileId: string;
  /** Shown in lists, and in the `automation.triggered` event. */
  name: string;
  /** Whether it runs. */
  active: boolean;
  /** The trigger: a `type` with its options. */
  trigger: AutomationTrigger;
  /** All of them must be true for it to run. */
  conditions: AutomationCondition[];
  /** The actions, in the order in which they run. */
  actions: AutomationAction[];
  /** For this many seconds after a run, the same contact does not trigger another. */
  cooldown: number;
  /** How often it ran. */
  stats: AutomationStats;
  /** When a schedule runs next. Null for other triggers, and while it is not active. */
  nextAt: string | null;
  /** When it was created. */
  createdAt: string;
  /** When it was last changed. */
  updatedAt: string;
}

export type AutomationAction =
  | Reply
  | HideCommentAction
  | SendMessageAction
  | SendTemplateAction
  | SetLeadStateAction
  | AiReplyAction
  | CallHookAction
  | WaitAction
  | StopAction;

/** What to change. Omitted fields stay as they are; lists are replaced as a whole. */
export interface AutomationChanges {
  /** Shown in lists, and in the `automation.triggered` event. */
  name?: string;
  /** The trigger: a `type` with its options. */
  trigger?: AutomationTrigger;
  /** All of them must be true. */
  conditions?: AutomationCondition[];
  /** The actions, in order. */
  actions?: AutomationAction[];
  /** For this many seconds after a run, the same contact does not trigger another. */
  cooldown?: number;
  /** Whether it runs. False keeps it without running it; runs in progress end. */
  active?: boolean;
}

export type AutomationCondition =
  | KeywordCondition
  | AccountCondition
  | PlatformCondition
  | TimeWindowCondition
  | FirstTimeCondition
  | FieldCondition;

/** One page of a list. `nextCursor` is null on the last page. */
export interface AutomationPage {
  /** The rows of this page, at most `limit`. */
  data: Automation[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
}

/** One run: what triggered it, and its steps so far. `reason` says why it was skipped. */
export interface AutomationRun {
  /** The id, `run_…`. */
  id: string;
  /** The automation, `auto_…`. */
  automationId: string;
  /** The account on which it was triggered. */
  accountId: string;
  /** The platform's id of the person who triggered it. Null if nobody did, as for a schedule. */
  contactId: string | null;
  /** `running` also while it waits; `skipped` if it was held back, or its automation was disabled or deleted. */
  status: RunStatus;
  /** What happened: the `type` of the trigger, and what it is about, such as the contact, the text and ids. */
  trigger: Record<string, unknown>;
  /** The actions that were run, in order. */
  steps: RunStep[];
  /** Why it was skipped, for people to read. Null otherwise. */
  reason: string | null;
  /** Why it failed. Null otherwise. */
  error: RunError | null;
  /** When it was triggered. */
  createdAt: string;
  /** When it ended. Null while it is running or waiting. */
  finishedAt: string | null;
}

/** One page of a list. `nextCursor` is null on the last page. */
export interface AutomationRunPage {
  /** The rows of this page, at most `limit`. */
  data: AutomationRun[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
}

/** How often it ran. Runs that were held back are not counted. */
export interface AutomationStats {
  /** How many runs there were. Those that were held back are not counted. */
  runs: number;
  /** How many of them failed. */
  failures: number;
  /** When the last one started. Null if there was none. */
  lastRunAt: string | null;
}

export type AutomationTrigger =
  | PostTrigger
  | CommentTrigger
  | MessageTrigger
  | ConversationTrigger
  | LeadTrigger
  | ScheduleTrigger;

/** An automation started to run. `trigger` says why. */
export interface AutomationTriggered {
  /** The automation, `auto_…`. */
  automationId: string;
  /** The run, `run_…`. `GET /automations/{automationId}/runs/{runId}` shows its steps. */
  runId: string;
  /** The name of the automation. */
  name: string;
  /** The id of the account, `acc_…`. */
  accountId: string;
  /** What happened: the `type` of the trigger, and what it is about, such as the contact, the text and ids. */
  trigger: Record<string, unknown>;
}

/** What is sent: exactly these four top-level fields. */
export interface AutomationTriggeredEnvelope {
  /** The name of the event. */
  event: "automation.triggered";
  /** The owner, `own_…`. */
  ownerId: string;
  /** The profile that it happened in, `prf_…`. */
  profileId: string;
  /** The details of the event. */
  data: AutomationTriggered;
  /** The id of the event, `evt_…`. Only `webhooks.unwrap` knows it. */
  id?: string;
  /** The position of the event in the stream: `events.stream({ after })` continues there. */
  cursor?: string;
}

/** An event as a hook receives it, with its id and time. */
export interface AutomationTriggeredEvent {
  /** The id, `evt_…`. The same as the header `webhook-id` of its deliveries. */
  id: string;
  /** The name of the event. */
  event: "automation.triggered";
  /** The owner, `own_…`. */
  ownerId: string;
  /** The profile that it happened in, `prf_…`. */
  profileId: string;
  /** The details; their form depends on `event`. */
  data: AutomationTriggered;
  /** When it happened. */
  createdAt: string;
}

/** The result of the task that processes a batch of products. */
export interface BatchResult {
  /** The catalog that was changed. */
  catalogId: string;
  /** How many rows the batch has. */
  rows: number;
  /** How many rows succeeded. */
  succeeded: number;
  /** How many rows failed. */
  failed: number;
  /** How many rows the platform reported no result for. */
  unconfirmed: number;
  /** The first rows that did not succeed. */
  errors: FailedBatchRow[];
  /** Whether there are more errors than are shown here. */
  truncated: boolean;
}

/** The result of one row. The first item, or the first line after the header, is row 1. */
export interface BatchRow {
  /** The number of the row, from 1. The header of a CSV does not count. */
  row: number;
  /** What to do with the product. */
  method: string;
  /** Your own product id. Empty if the row has none. */
  retailerId: string;
  /** `sent` while the platform processes it; `unconfirmed` if the platform never reported a result. */
  status: ProductBatchItemStatus;
  /** Why it failed. Empty otherwise. */
  errors: RowError[];
}

/** One page of a list. `nextCursor` is null on the last page. */
export interface BatchRowPage {
  /** The rows of this page, at most `limit`. */
  data: BatchRow[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
}

/** A post with its latest metrics, read `ageHours` after it was published. */
export interface BestPost {
  /** The platform's own id of the post. */
  objectId: string;
  /** Our id, `post_…`. */
  postId: string;
  /** Its public URL. Null if the platform does not report it. */
  url: string | null;
  /** When it was published. */
  publishedAt: string;
  /** Likes, comments, shares and other reactions, added up. */
  engagement: number;
  /** How many hours after publishing the metrics were read. */
  ageHours: number;
  /** The latest values by the name of the metric. */
  metrics: Record<string, number>;
}

/** An hour of the week, in the time zone of the profile, with the average engagement of `posts` posts. */
export interface BestTime {
  /** The day of the week. */
  weekday: BestTimeWeekday;
  /** The hour of the day, from 0 to 23. */
  hour: number;
  /** How many posts were published in this hour. An average of few says little. */
  posts: number;
  /** The average engagement of these posts. */
  engagement: number;
}

export type BestTimeWeekday =
  | "friday" | "monday" | "saturday" | "sunday" | "thursday" | "tuesday" | "wednesday" | (string & {});

export type BidStrategy = "bidCap" | "costCap" | "lowestCost" | "minRoas";

/** The subscription that the plan is based on. */
export interface BillingState {
  /** Stripe's status, such as `active`, `trialing`, `past_due`, `unpaid` or `canceled`. */
  status: BillingStateStatus;
  /** How often it is billed. */
  interval: BillingStateInterval | null;
  /** When the next payment is due; null if it will not renew. */
  renewsAt: string | null;
  /** When it ends or ended; null if no end is set. */
  endsAt: string | null;
  /** Only if a payment is overdue: until when the plan stays in effect. */
  graceUntil: string | null;
}

export type BillingStateInterval = "month" | "year" | (string & {});

export type BillingStateStatus =
  | "active" | "canceled" | "incomplete" | "incomplete_expired" | "past_due" | "paused" | "trialing" | "unpaid" |
  (string & {});

/** A published post to advertise: `postId` with the `accountId` where it is published, or `platformPostId`. */
export interface BoostBody {
  /** The id of an ad account, from `GET /adaccounts`. */
  adAccountId: string;
  /** The name of everything that is created. */
  name?: string | null;
  /** What the campaign is for. */
  goal?: GoalInput;
  /** What delivery is optimized for. The default depends on the goal. */
  optimization?: OptimizationInput | null;
  /** Ads are shown and money is spent only if it and everything above it are `active`. */
  status?: BoostBodyStatus;
  /** What is spent. `lifetime` needs the end of the schedule. */
  budget: AdBudget;
  /** How to bid. By default for the lowest cost. */
  bid?: AdBid | null;
  /** When it runs. By default from now on, until it is paused. */
  schedule?: AdSchedule | null;
  /** Whom to show the ad to. At least one place or audience is required. */
  targeting: AdTargeting;
  /** What is promoted or counted. Some goals require it. */
  promotes?: AdPromotion | null;
  /** Required by law for ads about credit, jobs, housing, politics or gambling. */
  specialCategories?: SpecialCategoryInput[];
  /** `platformOptions` of the ad set, such as `dsa_beneficiary` on Meta. */
  adsetOptions?: Record<string, unknown>;
  /**
   * The account in whose name the ad appears: a connected Facebook Page, Instagram or TikTok account. Required with
   * `postId`. Otherwise you can omit it if the ad account has only one, or send `publisherId`.
   */
  accountId?: string | null;
  /** The platform's own id of a Page or an identity. */
  publisherId?: string | null;
  /** The id of a post made with Socialgate, `post_…`. */
  postId?: string | null;
  /** The platform's own id of a post. */
  platformPostId?: string | null;
  /** The page that the button opens. */
  url?: string | null;
  /** The label of the button. */
  callToAction?: CallToActionInput | null;
}

export type BoostBodyStatus = "active" | "paused";

/** What a button opens: a flow, a catalog, products, or an order to pay. */
export interface ButtonAction {
  /** For a flow: identifies this use of it, and comes back with the answers. */
  flow_token?: string | null;
  /** For a flow: the data of its first screen. */
  flow_action_data?: Record<string, unknown> | null;
  /** For a catalog: the product whose image is shown, by your own id. */
  thumbnail_product_retailer_id?: string | null;
  /** For products: which ones, in sections. */
  sections?: ProductSection[] | null;
  /** For an order to pay: the order, in WhatsApp's own format. */
  order_details?: Record<string, unknown> | null;
}

/**
 * An event. The end is exclusive: a one-day event ends on the next date.
 *
 * An occurrence names its series in `recurringEventId`; the series itself has `recurrence`. Send `etag` as `If-Match`.
 */
export interface CalendarEvent {
  /** The platform's own id. An occurrence of a series has its own. */
  id: string;
  /** The calendar that it is in. */
  calendarId: string;
  /** The title. Empty if there is none. */
  title: string;
  /** The description. It may contain HTML. Null if there is none. */
  description: string | null;
  /** Where it takes place. Null if that is not set. */
  location: string | null;
  /** When it starts. */
  start: EventTime;
  /** When it ends, exclusive: a one-day event ends on the next date. */
  end: EventTime;
  /** Whether it lasts whole days: `start` and `end` have a `date`. */
  allDay: boolean;
  /** RFC 5545 lines such as `RRULE`. Empty for single events and occurrences. */
  recurrence: string[];
  /** For an occurrence: the id of its series. Null otherwise. */
  recurringEventId: string | null;
  /** The invited people, with their answers. */
  attendees: EventGuest[];
  /** The video meeting. Null if there is none. */
  conference: EventConference | null;
  /** How the owner of the calendar is reminded. */
  reminders: EventReminders;
  /** `confirmed`, `tentative` or `cancelled`, which is deleted. */
  status: string;
  /** The version. Send it as `If-Match` to change only this version. */
  etag: string;
  /** A page of the platform that shows it. Null if the platform does not report it. */
  htmlUrl: string | null;
  /** When it was last changed. Null if the platform does not report it. */
  updatedAt: string | null;
}

/**
 * A page of a list. The last page has no `nextCursor`, and has a `syncToken` if the whole calendar was listed.
 *
 * Events deleted since the token was issued have the status `cancelled`, and may contain nothing but their id.
 */
export interface CalendarEvents {
  /** The events of this page. */
  data: CalendarEvent[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
  /** Send it later to list only what has changed since. Null on all pages but the last, and if a filter was used. */
  syncToken: string | null;
}

/** Send the `automation.triggered` event of this run to one of your hooks, even if the hook does not list it. */
export interface CallHookAction {
  /** Always `callHook`. */
  type: "callHook";
  /** The hook to send it to, `hook_…`. */
  hookId: string;
}

export type CallToAction =
  | "applyNow" | "bookNow" | "callNow" | "contactUs" | "download" | "getQuote" | "install" | "learnMore" | "orderNow" |
  "sendMessage" | "shopNow" | "signUp" | "subscribe" | "watchMore" | (string & {});

export type CallToActionInput =
  | "applyNow" | "bookNow" | "callNow" | "contactUs" | "download" | "getQuote" | "install" | "learnMore" | "orderNow" |
  "sendMessage" | "shopNow" | "signUp" | "subscribe" | "watchMore";

/** A campaign. `goal` is null if the platform's own goal, `platformGoal`, has no equivalent here. */
export interface Campaign {
  /** The platform's own id. Creatives of TikTok start with `crea_`. */
  id: string;
  /** The id of the ad account, `adacc_…`. */
  adAccountId: string;
  /** The type of the object. `PATCH` and `DELETE /ads/object` require it. */
  type: AdType;
  /** The name. Null if it has none. */
  name: string | null;
  /** Whether it is shown to people now. Null if the platform does not report it. */
  status: AdStatus | null;
  /** What it was set to, whatever else stops it. Null if it cannot be started and paused. */
  configuredStatus: CampaignConfiguredStatus | null;
  /** Why it is not shown although it is active, for people to read. Null otherwise. */
  statusReason: string | null;
  /** Values of the platform that have no field here, by its own names, such as `buying_type` on Meta. */
  platformOptions: Record<string, unknown>;
  /** When it was created. Null if the platform does not report it. */
  createdAt: string | null;
  /** When it was last changed. Null if the platform does not report it. */
  updatedAt: string | null;
  /** The version. Send it as `If-Match` to change only this version. Null in responses stored by older versions. */
  etag: string | null;
  /** What it is for. Null if the platform's own goal has no equivalent here. */
  goal: Goal | null;
  /** The platform's own word for it. Null if it does not report one. */
  platformGoal: string | null;
  /** Divided among its ad sets. Null if each ad set has its own. */
  budget: AdBudget | null;
  /** The campaign stops once it has spent this much. Null: no cap. */
  spendCap: Money | null;
  /** How it bids. Null if each ad set decides, or the platform does not report it. */
  bid: AdBid | null;
  /** When it runs. Null if each ad set decides. */
  schedule: AdSchedule | null;
  /** What the law restricts about its ads. Empty if nothing. */
  specialCategories: SpecialCategory[];
}

export type CampaignConfiguredStatus = "active" | "archived" | "paused" | (string & {});

/** One page of a list. `nextCursor` is null on the last page. */
export interface CampaignPage {
  /** The rows of this page, at most `limit`. */
  data: Campaign[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
}

/** A catalog of products. Fields that the platform does not provide are null. */
export interface Catalog {
  /** The platform's own id. */
  id: string;
  /** The ad account of the business that has the catalog, `adacc_…`. */
  adAccountId: string;
  /** The name of the catalog. */
  name: string;
  /** What it contains, in the platform's words, such as `commerce`. */
  vertical: string | null;
  /** The currency of its prices, as an ISO 4217 code. Null on Meta. */
  currency: string | null;
  /** The country that it is for, as an ISO 3166 code. Null on Meta. */
  country: string | null;
  /** How many products it has. Null if the platform does not report it. */
  productCount: number | null;
}

/** One page of a list. `nextCursor` is null on the last page. */
export interface CatalogPage {
  /** The rows of this page, at most `limit`. */
  data: Catalog[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
}

/** A product of a catalog. `product_retailer_id` is your own id of it. */
export interface CatalogProduct {
  /** Your own id of the product. */
  product_retailer_id: string;
  /** WhatsApp's id of the catalog. */
  catalog_id: string;
}

/** One thing about a file that is changed for a platform. */
export interface Change {
  /** What is changed, such as `format`, `codec`, `pixelFormat`, `dimensions`, `aspectRatio` or `size`. */
  what: string;
  /** What it is in the file, for people to read. */
  from: string;
  /** What it becomes, for people to read. */
  to: string;
  /** Which limit it does not meet, or what else is the reason, for people to read. */
  why: string;
}

/** Whether one condition is true for the sample. */
export interface CheckedCondition {
  /** The `type` of the condition. */
  type: string;
  /** Whether it is true. */
  holds: boolean;
}

/** The checkout page. Open it in a browser before it expires. */
export interface CheckoutPage {
  /** The URL of Stripe's checkout page. */
  url: string;
  /** When the page expires. */
  expiresAt: string;
  /** The plan that the page is for: another than requested if another request came first. */
  plan: string;
  /** How often that plan is billed. */
  interval: CheckoutPageInterval;
}

export type CheckoutPageInterval = "month" | "year" | (string & {});

/**
 * A comment, reply or review. Values that the platform does not report are null.
 *
 * `objectId` is the post on the platform. `own` says that the account itself wrote it; `rating` is the rating of a
 * review, from 1 to 5. `replies` contains the replies that the platform includes, `replyCount` how many there are.
 */
export interface Comment {
  /** The platform's own id. */
  id: string;
  /** The platform's id of the post; for reviews, of the location. Null if the platform does not report it. */
  objectId: string | null;
  /** The comment that it replies to, by the platform's id. Null if it is no reply. */
  parentId: string | null;
  /** Who wrote it. Null if the platform does not report it. */
  author: CommentAuthor | null;
  /** The text. Empty for a review without words. */
  text: string;
  /** Whether other people cannot see it. */
  hidden: boolean;
  /** Whether the account itself wrote it. */
  own: boolean;
  /** When it was written. Null if the platform does not report it. */
  createdAt: string | null;
  /** Its public URL. Null if the platform does not report it. */
  url: string | null;
  /** How many likes it has. Null if the platform does not report it. */
  likes: number | null;
  /** How many replies it has. Null if the platform does not report it. */
  replyCount: number | null;
  /** Whether you can reply to it. */
  canReply: boolean;
  /** Whether you can hide it, or show it again. */
  canHide: boolean;
  /** Whether you can delete it. */
  canDelete: boolean;
  /** Of a review, from 1 to 5. Null for comments. */
  rating: number | null;
  /** The replies that the platform includes. There may be more; see `replyCount`. */
  replies: Comment[];
}

/** The author. Platforms omit what a person has not agreed to show. */
export interface CommentAuthor {
  /** The platform's id of the person. Null if the platform does not report it. */
  id: string | null;
  /** The display name. Null if the platform does not report it. */
  name: string | null;
  /** The handle. Null if the platform does not report it. */
  username: string | null;
  /** The URL of the picture on the platform, which may expire. Null if it is unknown. */
  avatarUrl: string | null;
}

/** The comment that was deleted on the platform. */
export interface CommentDeleted {
  /** The platform's own id of the comment. */
  id: string;
  /** The id of the account, `acc_…`. */
  accountId: string;
  /** Always true: a failure is returned as an error. */
  deleted: boolean;
}

/** Whether the comment is now hidden. */
export interface CommentHidden {
  /** The platform's own id of the comment. */
  id: string;
  /** The id of the account, `acc_…`. */
  accountId: string;
  /** Whether other people cannot see it now. */
  hidden: boolean;
}

/** One page of a list. `nextCursor` is null on the last page. */
export interface CommentPage {
  /** The rows of this page, at most `limit`. */
  data: Comment[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
}

/**
 * Somebody commented on a post of a connected account, or replied to a comment there.
 *
 * Comments of the account itself are not reported. Facebook, Instagram and Threads report comments within seconds;
 * YouTube does not, so channels are checked once an hour.
 */
export interface CommentReceived {
  /** The account whose post it is. */
  accountId: string;
  /** The platform of the account. */
  platform: string;
  /** The kind of the account. */
  kind: string;
  /** The comment, as it was when it was received. */
  comment: ReceivedComment;
}

/** What is sent: exactly these four top-level fields. */
export interface CommentReceivedEnvelope {
  /** The name of the event. */
  event: "comment.received";
  /** The owner, `own_…`. */
  ownerId: string;
  /** The profile that it happened in, `prf_…`. */
  profileId: string;
  /** The details of the event. */
  data: CommentReceived;
  /** The id of the event, `evt_…`. Only `webhooks.unwrap` knows it. */
  id?: string;
  /** The position of the event in the stream: `events.stream({ after })` continues there. */
  cursor?: string;
}

/** An event as a hook receives it, with its id and time. */
export interface CommentReceivedEvent {
  /** The id, `evt_…`. The same as the header `webhook-id` of its deliveries. */
  id: string;
  /** The name of the event. */
  event: "comment.received";
  /** The owner, `own_…`. */
  ownerId: string;
  /** The profile that it happened in, `prf_…`. */
  profileId: string;
  /** The details; their form depends on `event`. */
  data: CommentReceived;
  /** When it happened. */
  createdAt: string;
}

/** Somebody comments on an account's post, or reviews a business. The account's own comments do not trigger it. */
export interface CommentTrigger {
  /** Always `comment.received`. */
  type: "comment.received";
  /** Only events on these accounts. Empty: all accounts of the profile. */
  accountIds?: string[];
  /** Only comments on these posts, by the platform's own ids. Empty: all posts. */
  objectIds?: string[];
}

/** Which comment to hide, or to show again. */
export interface CommentVisibility {
  /** The platform's own id of the comment. */
  commentId: string;
  /** False shows it again. */
  hidden?: boolean;
}

/** A link to the page on which somebody connects accounts. Its URL is only in the response that created it. */
export interface ConnectLink {
  /** The id of the link, `lnk_…`. It is not part of the URL. */
  id: string;
  /** The id of the profile that it belongs to, `prf_…`. */
  profileId: string;
  /** What the page offers. Null offers every configured platform. */
  platforms: Platform[] | null;
  /** Where the person goes at the end. Null if the person stays on the page. */
  redirectUrl: string | null;
  /** How often each kind of account can be connected with it. */
  uses: number;
  /** How the page looks. */
  brand: LinkBrand | null;
  /** The origins that may show the page in an iframe. */
  embedOrigins: string[];
  /** The accounts that were connected with it, `acc_…` or `adacc_…`, oldest first. */
  accountIds: string[];
  /** When the link stops working. */
  expiresAt: string;
  /** When it was created. */
  createdAt: string;
}

/** A new link. `url` is only in this response; a replay has `secretWithheld` instead. */
export interface ConnectLinkCreated {
  /** The id of the link, `lnk_…`. It is not part of the URL. */
  id: string;
  /** The id of the profile that it belongs to, `prf_…`. */
  profileId: string;
  /** What the page offers. Null offers every configured platform. */
  platforms: Platform[] | null;
  /** Where the person goes at the end. Null if the person stays on the page. */
  redirectUrl: string | null;
  /** How often each kind of account can be connected with it. */
  uses: number;
  /** How the page looks. */
  brand: LinkBrand | null;
  /** The origins that may show the page in an iframe. */
  embedOrigins: string[];
  /** The accounts that were connected with it, `acc_…` or `adacc_…`, oldest first. */
  accountIds: string[];
  /** When the link stops working. */
  expiresAt: string;
  /** When it was created. */
  createdAt: string;
  /** Where to send the person. Anyone who knows it can use the link, so treat it like a password. */
  url?: string;
  /** True in a replayed response, instead of `url`. */
  secretWithheld?: boolean;
}

/** One page of a list. `nextCursor` is null on the last page. */
export interface ConnectLinkPage {
  /** The rows of this page, at most `limit`. */
  data: ConnectLink[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
}

export type ConnectMethod = "credential" | "qr" | "redirect" | (string & {});

/** Send the person's browser to `authUrl`. It is valid for one attempt, for ten minutes. */
export interface ConnectStarted {
  /** Where to send the person's browser. */
  authUrl: string;
  /** Identifies the attempt: the platform sends it back to this service. You do not need it. */
  state: string;
  /** Until when the person can finish. */
  expiresAt: string;
}

/** An account that the person who signed in can connect. `connectedAccountId` is set if it is already connected. */
export interface ConnectableAccount {
  /** The platform's own id. Send it in `ids` to connect the account. */
  id: string;
  /** What kind of account it is. */
  kind: Kind;
  /** Its name on the platform. */
  name: string;
  /** Its handle. Null if the kind has none. */
  username: string | null;
  /** The URL of its picture on the platform. Null if there is none. */
  avatarUrl: string | null;
  /** Our id, if the account is already connected to one of your profiles; otherwise null. */
  connectedAccountId: string | null;
}

/** Everything that can be connected with the granted permissions. */
export interface ConnectableAccounts {
  /** The accounts, in the order in which the platform lists them. */
  data: ConnectableAccount[];
}

/** The accounts that are now connected. */
export interface ConnectedAccounts {
  /** The chosen accounts. Those that were connected before are reconnected. */
  data: Account[];
}

/** The ad accounts that are now connected. */
export interface ConnectedAdAccounts {
  /** The chosen ad accounts. Those that were connected before are reconnected. */
  data: AdAccount[];
}

/** A contact card with names and numbers. */
export interface ContactCard {
  /** The full name. */
  name: string;
  /** Phone numbers, as they should be shown. */
  phones?: string[];
  /** Email addresses. */
  emails?: string[];
  /** The company that the contact works for. */
  organization?: string | null;
}

/** The messages between an account and one person. `window` is null if free-form messages can always be sent. */
export interface Conversation {
  /** The id, `conv_…`. */
  id: string;
  /** The id of the account, `acc_…`. */
  accountId: string;
  /** The platform of the account, such as `meta`; see `GET /platforms`. */
  platform: string;
  /** The kind of account, such as `instagram`; see `GET /platforms`. */
  kind: string;
  /** The person, or the group, on the other side. */
  contact: ConversationContact;
  /** How many messages of the person arrived since the conversation was last marked as read. */
  unread: number;
  /** A summary of the newest message. Null if there is none yet. */
  lastMessage: LastMessage | null;
  /** When free-form messages can be sent. Null if they always can. */
  window: MessagingWindow | null;
  /** When it was created. */
  createdAt: string;
  /** When something in it last changed, such as a new message or status. */
  updatedAt: string;
}

/** The person in the conversation. `id` is the platform's. */
export interface ConversationContact {
  /** The platform's id of the person, or of the group. */
  id: string;
  /** The display name. Null if the platform does not report it. */
  name: string | null;
  /** The handle. Null if the platform has none, or does not report it. */
  username: string | null;
  /** The phone number in E.164 format. Null if it is unknown. */
  phone: string | null;
  /** The URL of the picture on the platform, which may expire. Null if there is none. */
  avatarUrl: string | null;
}

/** A conversation with its messages, newest first. */
export interface ConversationDetail {
  /** The id, `conv_…`. */
  id: string;
  /** The id of the account, `acc_…`. */
  accountId: string;
  /** The platform of the account, such as `meta`; see `GET /platforms`. */
  platform: string;
  /** The kind of account, such as `instagram`; see `GET /platforms`. */
  kind: string;
  /** The person, or the group, on the other side. */
  contact: ConversationContact;
  /** How many messages of the person arrived since the conversation was last marked as read. */
  unread: number;
  /** A summary of the newest message. Null if there is none yet. */
  lastMessage: LastMessage | null;
  /** When free-form messages can be sent. Null if they always can. */
  window: MessagingWindow | null;
  /** When it was created. */
  createdAt: string;
  /** When something in it last changed, such as a new message or status. */
  updatedAt: string;
  /** A page of its messages, newest first. */
  messages: MessagePage;
}

/** One page of a list. `nextCursor` is null on the last page. */
export interface ConversationPage {
  /** The rows of this page, at most `limit`. */
  data: Conversation[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
}

/** The conversation that was marked as read. */
export interface ConversationRead {
  /** The conversation, `conv_…`. */
  id: string;
  /** Always 0. */
  unread: 0;
}

/** Somebody writes to an account for the first time. */
export interface ConversationTrigger {
  /** Always `conversation.started`. */
  type: "conversation.started";
  /** Only events on these accounts. Empty: all accounts of the profile. */
  accountIds?: string[];
}

/**
 * A condition on an event: one of `values` must match. Platforms support different fields and operators. A `value` is
 * in whole units of the currency, such as 349.00, not in its smallest unit.
 */
export interface ConversionRule {
  /** What of the event is compared. */
  field: ConversionRuleField;
  /** How it is compared. */
  operator: ConversionRuleOperator;
  /** What it is compared with. One of them must match. */
  values: string[];
}

export type ConversionRuleField =
  | "brand" | "contentCategory" | "contentId" | "contentName" | "currency" | "url" | "value";

export type ConversionRuleOperator =
  | "atLeast" | "atMost" | "contains" | "greaterThan" | "is" | "isNot" | "lessThan" | "notContains" | "startsWith";

/** Texts to generate. */
export interface CopyGenerationBody {
  /** A model from `GET /ai/models`. Unset: the operator's default for this type. */
  model?: string | null;
  /** The profile that the generation and its files belong to. Required for a key limited to several profiles. */
  profileId?: string | null;
  /** What to generate, in your own words. */
  prompt: string;
  /**
   * Kinds of accounts that the text is for: their length limits apply. See `kind` in `GET /platforms`. Ad accounts and
   * calendars accept no texts.
   */
  kinds?: TextKind[];
  /** Accounts that the text is for: the limits of their kinds apply. */
  accountIds?: string[];
  /** Such as `friendly` or `formal, without irony`. */
  tone?: string | null;
  /** Such as `pt-BR` or `Portuguese`. */
  language?: string | null;
  /** How many texts to generate. */
  variants?: number;
  /** Maximum number of characters. */
  maxLength?: number | null;
  /** Whether to add hashtags. Unset: the model decides. */
  hashtags?: boolean | null;
  /** Whether to use emoji. Unset: the model decides. */
  emoji?: boolean | null;
  /** Images for the model to look at: JPEG, PNG, WebP or GIF of up to 10 MiB. Not every model accepts images. */
  mediaIds?: string[];
}

/** A generated text. `shortened` is true if it was too long and the model was asked to shorten it. */
export interface CopyVariant {
  /** The generated text. */
  text: string;
  /** Whether it was too long and the model was asked to shorten it. */
  shortened: boolean;
  /** How its length compares with each limit. */
  checks: LengthCheck[];
}

/** An amount. `fallback_value` is shown if it cannot be localized; `amount_1000` is the amount times 1,000. */
export interface CurrencyAmount {
  /** What is shown if the amount cannot be localized, such as `$100.99`. */
  fallback_value: string;
  /** The currency, as an ISO 4217 code. */
  code: string;
  /** The amount times 1,000: 100990 is 100.99. */
  amount_1000: number;
}

/**
 * Events of a pixel that are counted as conversions. `rules` is null if the platform's own rule, `platformRule`, cannot
 * be expressed here.
 */
export interface CustomConversion {
  /** The platform's own id. Creatives of TikTok start with `crea_`. */
  id: string;
  /** The id of the ad account, `adacc_…`. */
  adAccountId: string;
  /** The type of the object. `PATCH` and `DELETE /ads/object` require it. */
  type: AdType;
  /** The name. Null if it has none. */
  name: string | null;
  /** Whether it is shown to people now. Null if the platform does not report it. */
  status: AdStatus | null;
  /** What it was set to, whatever else stops it. Null if it cannot be started and paused. */
  configuredStatus: CustomConversionConfiguredStatus | null;
  /** Why it is not shown although it is active, for people to read. Null otherwise. */
  statusReason: string | null;
  /** Values of the platform that have no field here, by its own names, such as `buying_type` on Meta. */
  platformOptions: Record<string, unknown>;
  /** When it was created. Null if the platform does not report it. */
  createdAt: string | null;
  /** When it was last changed. Null if the platform does not report it. */
  updatedAt: string | null;
  /** The version. Send it as `If-Match` to change only this version. Null in responses stored by older versions. */
  etag: string | null;
  /** The platform's id of the pixel. Null if it does not report it. */
  pixelId: string | null;
  /** The event that is counted. Null if any event is. */
  event: string | null;
  /** A note. Null if there is none. */
  description: string | null;
  /** All of them must match. Null if they cannot express the platform's own rule. */
  rules: ConversionRule[] | null;
  /** The platform's own rule, in its own format. */
  platformRule: unknown;
  /** What one conversion is worth. Null if no value is set. */
  value: Money | null;
  /** When it last counted something. Null if it never has, or the platform does not report it. */
  lastFiredAt: string | null;
}

export type CustomConversionConfiguredStatus = "active" | "archived" | "paused" | (string & {});

/** One page of a list. `nextCursor` is null on the last page. */
export interface CustomConversionPage {
  /** The rows of this page, at most `limit`. */
  data: CustomConversion[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
}

/** A post that only appears as an ad, never on the profile. */
export interface DarkPostBody {
  /** The id of an ad account, from `GET /adaccounts`. */
  adAccountId: string;
  /** The name of everything that is created. */
  name?: string | null;
  /** What the campaign is for. */
  goal?: GoalInput;
  /** What delivery is optimized for. The default depends on the goal. */
  optimization?: OptimizationInput | null;
  /** Ads are shown and money is spent only if it and everything above it are `active`. */
  status?: DarkPostBodyStatus;
  /** What is spent. `lifetime` needs the end of the schedule. */
  budget: AdBudget;
  /** How to bid. By default for the lowest cost. */
  bid?: AdBid | null;
  /** When it runs. By default from now on, until it is paused. */
  schedule?: AdSchedule | null;
  /** Whom to show the ad to. At least one place or audience is required. */
  targeting: AdTargeting;
  /** What is promoted or counted. Some goals require it. */
  promotes?: AdPromotion | null;
  /** Required by law for ads about credit, jobs, housing, politics or gambling. */
  specialCategories?: SpecialCategoryInput[];
  /** `platformOptions` of the ad set, such as `dsa_beneficiary` on Meta. */
  adsetOptions?: Record<string, unknown>;
  /** What the ad shows. */
  creative: DarkPostCreative;
}

export type DarkPostBodyStatus = "active" | "paused";

/** What a dark post shows. */
export interface DarkPostCreative {
  /**
   * The account in whose name the ad appears: a connected Facebook Page, Instagram or TikTok account. Required with
   * `postId`. Otherwise you can omit it if the ad account has only one, or send `publisherId`.
   */
  accountId?: string | null;
  /** The platform's own id of a Page or an identity. */
  publisherId?: string | null;
  /** Shown above or below the image or video. */
  text?: string | null;
  /** The headline below the image or video. Meta only. */
  headline?: string | null;
  /** The line below the headline. Meta only. */
  description?: string | null;
  /** The page that opens when people click. */
  url?: string | null;
  /** The label of the button. */
  callToAction?: CallToActionInput | null;
  /** One image or video, or the images of a carousel. */
  media?: AdMedia[];
  /** A lead form that opens when people click. */
  formId?: string | null;
}

/** What was used on one day in UTC. */
export interface DayUse {
  /** The day, in UTC. */
  date: string;
  /** Posts that were accepted for publishing. */
  posts: number;
  /** Deliveries that hooks accepted. */
  deliveries: number;
  /** Messages to people, sent by requests and automations. Rejected ones do not count. */
  messagesSent: number;
  /** Messages that people sent to connected accounts. */
  messagesReceived: number;
  /** Generations that were created, including those that failed or were cancelled later. */
  aiGenerations: number;
  /** The size of the files that you uploaded or passed by URL, in bytes. */
  uploadBytes: number;
  /** The highest number of accounts that were connected at the same time. */
  connectedAccounts: number;
  /** Requests with a valid credential, except those rejected with 429. Pages of the console do not count. */
  apiCalls: number;
}

/** Confirms a deletion. */
export interface DeletionConfirmation {
  /** The id of what was deleted. */
  id: string;
  /** Always true: a failure is returned as an error. */
  deleted: boolean;
}

export type DeliveriesQueryEvent =
  | "post.scheduled" | "post.published" | "post.partial" | "post.failed" | "post.platform.failed" | "post.file.failed" |
  "account.connected" | "account.needs_reconnection" | "account.disconnected" | "account.health" | "lead.received" |
  "message.received" | "message.status" | "comment.received" | "review.received" | "automation.triggered" |
  "webhook.test";

/** The delivery of one event to one hook: its status, and every attempt. */
export interface Delivery {
  /** The id, `dlv_…`. The same as the header `X-Service-Delivery`. */
  id: string;
  /** The hook, `hook_…`. */
  hookId: string;
  /** The event, `evt_…`. The same as the header `webhook-id`. */
  eventId: string;
  /** The name of the event. */
  event: string;
  /** `failed` after the last attempt; `cancelled` if the hook was deleted, returned 410 or stayed disabled. */
  status: DeliveryStatus;
  /** The attempts, oldest first. */
  attempts: DeliveryAttempt[];
  /** How many attempts were made. */
  attemptCount: number;
  /** When it was queued. */
  createdAt: string;
  /** When it succeeded, failed for the last time, or was cancelled. Null until then. */
  completedAt: string | null;
  /** When the next attempt is due. Null if it has ended, or the hook is disabled. */
  nextAttemptAt: string | null;
}

/** One attempt. `statusCode` is null if there was no response, and `error` says why. */
export interface DeliveryAttempt {
  /** 1 for the first attempt. */
  number: number;
  /** When it was made. */
  at: string;
  /** How long it took, in milliseconds. */
  durationMs: number;
  /** The HTTP status of your receiver. Null if there was no response. */
  statusCode: number | null;
  /** Why it failed. Null if it succeeded. */
  error: string | null;
  /** The first 4 KiB of the response. */
  responseBody: string | null;
  /** When the next attempt was planned after this one. Null if there was none. */
  nextAttemptAt: string | null;
}

/** A delivery with its request. `request` is null if the event is older than the retention period. */
export interface DeliveryDetail {
  /** The id, `dlv_…`. The same as the header `X-Service-Delivery`. */
  id: string;
  /** The hook, `hook_…`. */
  hookId: string;
  /** The event, `evt_…`. The same as the header `webhook-id`. */
  eventId: string;
  /** The name of the event. */
  event: string;
  /** `failed` after the last attempt; `cancelled` if the hook was deleted, returned 410 or stayed disabled. */
  status: DeliveryStatus;
  /** The attempts, oldest first. */
  attempts: DeliveryAttempt[];
  /** How many attempts were made. */
  attemptCount: number;
  /** When it was queued. */
  createdAt: string;
  /** When it succeeded, failed for the last time, or was cancelled. Null until then. */
  completedAt: string | null;
  /** When the next attempt is due. Null if it has ended, or the hook is disabled. */
  nextAttemptAt: string | null;
  /** What was sent. Null if the event is older than the retention period. */
  request: DeliveryRequest | null;
}

/** One page of a list. `nextCursor` is null on the last page. */
export interface DeliveryPage {
  /** The rows of this page, at most `limit`. */
  data: Delivery[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
}

/** A delivery that is queued. Its history is at `GET /hooks/{hookId}/deliveries/{deliveryId}`. */
export interface DeliveryQueued {
  /** The delivery, `dlv_…`. */
  deliveryId: string;
  /** The name of the event. */
  event: string;
}

/** What was sent. The signatures are of exactly this body. */
export interface DeliveryRequest {
  /** Those of the last attempt; empty before the first. */
  headers: Record<string, string>;
  /** The body exactly as it was sent. */
  body: string;
}

export type DeliveryStatus = "cancelled" | "delivering" | "failed" | "held" | "pending" | "succeeded" | (string & {});

export type DeliveryStatusInput = "cancelled" | "delivering" | "failed" | "held" | "pending" | "succeeded";

/** A time as it is shown. WhatsApp does not localize it. */
export interface DisplayDateTime {
  /** The time as it is shown, such as `February 25, 2027`. */
  fallback_value: string;
}

/** The sample to try an automation with. */
export interface DryRunBody {
  /** What would happen on the platform. */
  sample: SampleEvent;
}

/**
 * What would happen. `heldBack` says why nothing would, although the conditions are true, such as a cooldown.
 * `triggerReason` says why the trigger does not accept the sample.
 */
export interface DryRunResult {
  /** Whether the automation would run. */
  wouldRun: boolean;
  /** Whether the trigger accepts the sample. */
  triggerAccepts: boolean;
  /** Why it does not. Null if it does. */
  triggerReason: string | null;
  /** Each condition, in order. */
  conditions: CheckedCondition[];
  /** Why nothing would happen although the conditions are true, such as a cooldown. Null otherwise. */
  heldBack: string | null;
  /** Each action, in order. */
  steps: PlannedStep[];
}

/** An event as a hook receives it, with its id and time. */
export type Event =
  | PostScheduledEvent
  | PostPublishedEvent
  | PostPartialEvent
  | PostFailedEvent
  | PostPlatformFailedEvent
  | PostFileFailedEvent
  | AccountConnectedEvent
  | AccountNeedsReconnectionEvent
  | AccountDisconnectedEvent
  | AccountHealthEvent
  | LeadReceivedEvent
  | MessageReceivedEvent
  | MessageStatusEvent
  | CommentReceivedEvent
  | ReviewReceivedEvent
  | AutomationTriggeredEvent
  | WebhookTestEvent
  | OtherEvent;

/** The changes. Omitted fields keep their values; lists are replaced as a whole, and guests keep their answers. */
export interface EventChanges {
  /** When it starts. */
  start?: NewEventTime;
  /** When it ends, exclusive: a one-day event ends on the next date. */
  end?: NewEventTime;
  /** Shown in the calendar and in invitations. */
  title?: string;
  /** The description. It may contain HTML. Null removes it. */
  description?: string | null;
  /** Where it takes place, as free text. */
  location?: string | null;
  /** RFC 5545 lines: `RRULE`, `RDATE` and `EXDATE`. The start is the first occurrence. Empty: not recurring. */
  recurrence?: string[];
  /** Replaces all guests. Those who stay keep their answers. */
  attendees?: NewGuest[];
  /** How the owner of the calendar is reminded. By default with the reminders of the calendar. */
  reminders?: EventReminders;
  /** True adds one of the platform's video meetings, false removes it. */
  meet?: boolean;
  /** Default: the account's primary calendar. */
  calendarId?: string | null;
  /**
   * For a series: `this` occurrence, this and the `following`, or `all`. By default, the id of an occurrence means that
   * occurrence, and the id of a series the whole series.
   */
  scope?: EventChangesScope | null;
  /** Which guests the platform notifies: all, those without a calendar on this platform, or none. */
  notify?: EventChangesNotify;
}

export type EventChangesNotify = "all" | "externalOnly" | "none";

export type EventChangesScope = "all" | "following" | "this";

/** A video meeting. */
export interface EventConference {
  /** The link to join. */
  url: string;
}

/** The event that was deleted on the platform. */
export interface EventDeleted {
  /** The platform's own id of the event. */
  id: string;
  /** The id of the account, `acc_…`. */
  accountId: string;
  /** Always true: a failure is returned as an error. */
  deleted: boolean;
}

export type EventDeletionQueryNotify = "all" | "externalOnly" | "none";

export type EventDeletionQueryScope = "all" | "following" | "this";

/** What is sent: exactly these four top-level fields. */
export type EventEnvelope =
  | PostScheduledEnvelope
  | PostPublishedEnvelope
  | PostPartialEnvelope
  | PostFailedEnvelope
  | PostPlatformFailedEnvelope
  | PostFileFailedEnvelope
  | AccountConnectedEnvelope
  | AccountNeedsReconnectionEnvelope
  | AccountDisconnectedEnvelope
  | AccountHealthEnvelope
  | LeadReceivedEnvelope
  | MessageReceivedEnvelope
  | MessageStatusEnvelope
  | CommentReceivedEnvelope
  | ReviewReceivedEnvelope
  | AutomationTriggeredEnvelope
  | WebhookTestEnvelope
  | OtherEnvelope;

/** An invited person and their answer. */
export interface EventGuest {
  /** The email address that was invited. */
  email: string;
  /** The display name. Null if it is unknown. */
  name: string | null;
  /** Whether the person need not come. */
  optional: boolean;
  /** Their answer; `needsAction` until there is one. */
  response: EventGuestResponse;
}

export type EventGuestResponse = "accepted" | "declined" | "needsAction" | "tentative" | (string & {});

/** Events, oldest first. `nextCursor` is where to continue, even if there were no events. */
export interface EventPage {
  /** The events, oldest first. */
  data: Event[];
  /** Send it as `after` to continue, now or when more events have happened. */
  nextCursor: string;
}

/**
 * Who did it. The more you send, the better platforms can attribute the event to an ad.
 *
 * `ip`, `userAgent`, `clickId`, `browserId` and `leadId` are sent unhashed, because platforms require that.
 */
export interface EventPerson {
  /**
   * The plain value or its SHA-256 hash. A plain value is normalized and hashed before it is stored; only the hash is
   * sent.
   */
  email?: string | null;
  /**
   * With its country code. The plain value or its SHA-256 hash. A plain value is normalized and hashed before it is
   * stored; only the hash is sent.
   */
  phone?: string | null;
  /**
   * The plain value or its SHA-256 hash. A plain value is normalized and hashed before it is stored; only the hash is
   * sent.
   */
  externalId?: string | null;
  /**
   * The plain value or its SHA-256 hash. A plain value is normalized and hashed before it is stored; only the hash is
   * sent.
   */
  firstName?: string | null;
  /**
   * The plain value or its SHA-256 hash. A plain value is normalized and hashed before it is stored; only the hash is
   * sent.
   */
  lastName?: string | null;
  /** Hashed before anything is stored; only the hash is sent. */
  gender?: EventPersonGender | null;
  /** As `YYYYMMDD`. Hashed before it is stored; only the hash is sent. */
  birthday?: string | null;
  /**
   * The plain value or its SHA-256 hash. A plain value is normalized and hashed before it is stored; only the hash is
   * sent.
   */
  city?: string | null;
  /**
   * The plain value or its SHA-256 hash. A plain value is normalized and hashed before it is stored; only the hash is
   * sent.
   */
  state?: string | null;
  /**
   * The plain value or its SHA-256 hash. A plain value is normalized and hashed before it is stored; only the hash is
   * sent.
   */
  zip?: string | null;
  /** ISO 3166 code, such as `PE`, or its SHA-256 hash. */
  country?: string | null;
  /** The IP address of the browser. Sent as it is. */
  ip?: string | null;
  /** The `User-Agent` of the browser. Sent as it is. */
  userAgent?: string | null;
  /** The id of the click on an ad: `fbc` or `ttclid`. Sent unhashed. */
  clickId?: string | null;
  /** `fbp` or `ttp`: a cookie of the pixel. */
  browserId?: string | null;
  /** The advertising id of a phone (IDFA or GAID). */
  mobileAdId?: string | null;
  /** The platform's id of a lead. */
  leadId?: string | null;
}

export type EventPersonGender = "female" | "male";

/** A product that an event is about, by its id in the catalog. */
export interface EventProduct {
  /** The id of the product in the catalog. */
  id: string;
  /** How many units of it. */
  quantity?: number | null;
  /** The price of one. */
  price?: Money | null;
  /** The name of the product. */
  name?: string | null;
  /** The brand of the product. */
  brand?: string | null;
  /** The category of the product. */
  category?: string | null;
}

/** A reminder before the event: an email or a pop-up. */
export interface EventReminder {
  /** Whether to send an email or show a pop-up. */
  method: EventReminderMethod;
  /** Minutes before the start; at most four weeks. */
  minutes: number;
}

export type EventReminderMethod = "email" | "popup";

/** How the owner of the calendar is reminded: with the calendar's defaults, or only with `overrides`. */
export interface EventReminders {
  /** Whether the defaults of the calendar apply. With false, only `overrides` do. */
  useDefault?: boolean;
  /** The reminders of this event. */
  overrides?: EventReminder[];
}

/** A time, or a whole day. `timezone` is the time zone in which the event was planned. */
export interface EventTime {
  /** The time, with its offset. Null for a whole day. */
  dateTime: string | null;
  /** The day, such as `2026-11-20`. Null if there is a time. */
  date: string | null;
  /** The IANA time zone in which the event was planned. Null if the platform does not report it. */
  timezone: string | null;
}

export type EventsQueryEvent =
  | "post.scheduled" | "post.published" | "post.partial" | "post.failed" | "post.platform.failed" | "post.file.failed" |
  "account.connected" | "account.needs_reconnection" | "account.disconnected" | "account.health" | "lead.received" |
  "message.received" | "message.status" | "comment.received" | "review.received" | "automation.triggered" |
  "webhook.test";

export interface FacebookPageMessageOptions {
  /** The kind of the account. The service accepts none. */
  kind?: "facebook_page";
  /**
   * The type of the message: a reply (RESPONSE), another message within the 24 hours (UPDATE), or one with a `tag`
   * (MESSAGE_TAG). Default: MESSAGE_TAG with a `tag`, otherwise RESPONSE.
   */
  messagingType?: FacebookPageMessageOptionsMessagingType;
  /**
   * Marks a reply that a person wrote. It can be sent up to seven days after the other person's last message, if Meta
   * has approved this for your app.
   */
  tag?: "HUMAN_AGENT";
  /** How the person is notified: with sound (the default), silently, or not at all. */
  notificationType?: FacebookPageMessageOptionsNotificationType;
}

export type FacebookPageMessageOptionsMessagingType = "RESPONSE" | "UPDATE" | "MESSAGE_TAG";

export type FacebookPageMessageOptionsNotificationType = "REGULAR" | "SILENT_PUSH" | "NO_PUSH";

export interface FacebookPageOptions {
  /** The kind of the account. The service accepts none. */
  kind?: "facebook_page";
  /** What to create. By default it depends on the media; set `reel` or `story` for these. */
  form?: FacebookPageOptionsForm;
  /** Shown as a card; for a post without media. */
  link?: string;
  /** The title of a video or a reel. */
  title?: string;
  /** For a reel: the id of a place's Page. */
  placeId?: string;
}

export type FacebookPageOptionsForm = "post" | "reel" | "story";

/** A row that did not succeed, and why. */
export interface FailedBatchRow {
  /** The number of the row; the first is 1. */
  row: number;
  /** Your id of the product. */
  retailerId: string;
  /** `failed`, or `unconfirmed` if the result is not known. */
  status: ProductBatchItemStatus;
  /** The kind of error. */
  code: string;
  /** The field to change, if known. */
  field: string | null;
  /** What is wrong, and how to fix it. */
  detail: string;
}

/**
 * One thing that is wrong with the input. `pointer` is a JSON pointer into the body, `?name` for a query parameter, or
 * the name of a header.
 */
export interface Fault {
  /**
   * Where it is: a JSON pointer into the body such as `/targets/0/content`, `?name` for a query parameter, or the name
   * of a header.
   */
  pointer: string;
  /** What is wrong, for programs; `docs/reference/errors.md` explains each code. */
  code: FaultCode;
  /** What is wrong and how to fix it, for people to read. */
  detail: string;
}

export type FaultCode =
  | "contradiction" | "credential_rejected" | "duplicate" | "in_the_past" | "invalid" | "invalid_cursor" |
  "invalid_option" | "invalid_time" | "left_out" | "media_count" | "media_dimensions" | "media_encoding" | "media_mixed"
  | "media_ratio" | "media_type" | "needs_reconnection" | "not_available" | "not_found" | "not_supported" |
  "not_unconfirmed" | "option_not_applicable" | "out_of_range" | "permission_missing" | "platform_rejected" |
  "quota_exhausted" | "redirect_not_allowed" | "repeated_parameter" | "required" | "too_large" | "too_late" | "too_long"
  | "too_many" | "too_short" | "too_small" | "unfetchable_media" | "unknown_event" | "unknown_field" |
  "unknown_parameter" | "unknown_placeholder" | "unknown_timezone" | "unknown_type" | "url_address_refused" |
  "url_has_backslash" | "url_has_blanks" | "url_has_credentials" | "url_has_fragment" | "url_host_ambiguous" |
  "url_host_invalid" | "url_host_missing" | "url_malformed" | "url_not_https" | "url_port_invalid" | "wrong_password" |
  "wrong_type" | (string & {});

/**
 * Compare a field of the trigger with a value. Case is ignored; `exists` and `missing` have no value.
 *
 * The trigger decides which fields there are.
 */
export interface FieldCondition {
  /** Always `field`. */
  type: "field";
  /** The dotted name of a field of the trigger, such as `contact.name`. */
  field: string;
  /** How to compare. Numbers are compared as numbers, texts by the alphabet. */
  operator?: FieldConditionOperator;
  /** What to compare with. Omit it for `exists` and `missing`. */
  value?: FieldConditionValue | null;
}

export type FieldConditionOperator =
  | "contains" | "equals" | "exists" | "greaterThan" | "lessThan" | "missing" | "notEquals";

export type FieldConditionValue =
  | string
  | number
  | boolean;

/** One thing about a file that would be changed for an account. */
export interface FileChange {
  /** What is changed, such as `format`, `codec`, `pixelFormat`, `dimensions`, `aspectRatio` or `size`. */
  what: string;
  /** What it is in the file, for people to read. */
  from: string;
  /** What it becomes, for people to read. */
  to: string;
  /** Which limit it does not meet, or what else is the reason, for people to read. */
  why: string;
  /** The file, `med_…`. */
  mediaId: string;
}

/**
 * A condition on a product. `price` and `salePrice` are compared with `price`, everything else with `values`: `isAny`
 * and `isNotAny` with several, the others with one. Only `is` and `isNot` are case-sensitive.
 */
export interface FilterRule {
  /** What of the product is compared. */
  field: FilterRuleField;
  /** How it is compared. Platforms support different ones for each field. */
  operator: FilterRuleOperator;
  /** What it is compared with; several only for `isAny` and `isNotAny`. */
  values?: string[];
  /** For `price` and `salePrice`: what it is compared with, instead of `values`. */
  price?: Price | null;
}

export type FilterRuleField =
  | "availability" | "brand" | "category" | "condition" | "description" | "group" | "price" | "salePrice" | "title";

export type FilterRuleOperator =
  | "atLeast" | "atMost" | "contains" | "greaterThan" | "is" | "isAny" | "isNot" | "isNotAny" | "lessThan" |
  "notContains" | "startsWith";

/** The automation has not run for this contact before. */
export interface FirstTimeCondition {
  /** Always `firstTime`. */
  type: "firstTime";
}

/** How files are made to fit what the platform accepts. What it accepts is never changed. */
export interface Fit {
  /**
   * `auto` and `pad` add margins where the aspect ratio is wrong; `crop` cuts off what is too much; `none` changes
   * nothing, so that a file that does not fit is rejected.
   */
  mode?: FitMode;
  /**
   * What margins and transparent parts show: a color such as `#ffffff`, or `blur` for the blurred picture itself. By
   * default white for images and black for videos.
   */
  background?: string | null;
  /** For `crop`: what must stay in the picture. By default its center. */
  focus?: FocusPoint | null;
}

export type FitMode = "auto" | "crop" | "none" | "pad";

/** What must stay in the picture: from 0 to 1 from its upper left corner. */
export interface FocusPoint {
  /** The horizontal position, from 0 (left) to 1 (right). */
  x?: number;
  /** The vertical position, from 0 (top) to 1 (bottom). */
  y?: number;
}

/**
 * The number of followers at the end of the day, week or month that begins on `date`.
 *
 * If `gap` is true, the period has no data and `followers` is null. `change` is relative to the previous period, and
 * null if that is a gap.
 */
export interface FollowersPoint {
  /** The first day of the period. */
  date: string;
  /** The number at the end of the period. Null if it is a gap. */
  followers: number | null;
  /** The difference to the previous period. Null if one of the two is a gap. */
  change: number | null;
  /** Whether there is no data for the period. */
  gap: boolean;
}

export type FollowersQueryGranularity = "day" | "month" | "week";

/** Followers by day, week (from Monday) or month, in the time zone of the profile. */
export interface FollowersSeries {
  /** The id of the account, `acc_…`. */
  accountId: string;
  /** The IANA time zone of the profile, in which days are counted. */
  timezone: string;
  /** The length of the periods. */
  granularity: FollowersSeriesGranularity;
  /** The periods in chronological order, including gaps. */
  data: FollowersPoint[];
}

export type FollowersSeriesGranularity = "day" | "month" | "week" | (string & {});

/** The result of the task of a generation. `GET /ai/generate/{taskId}` also shows the files. */
export interface GeneratedContent {
  /** The generated texts. */
  variants: CopyVariant[];
  /** The ids of the generated files. */
  mediaIds: string[];
  /** What is different from the request, and why. */
  warnings: string[];
}

/**
 * A generation: a task with its request and its result. While it is retried, `lastError` says why.
 *
 * It is kept until `expiresAt`. Cancel it with `DELETE /tasks/{taskId}`.
 */
export interface Generation {
  /** The id, `gen_…`. It is also the id of its task. */
  id: string;
  /** What is generated. */
  type: GenerationType;
  /** `queued` until a worker starts it; `cancelled` after `DELETE /tasks/{taskId}`. */
  status: JobStatus;
  /** How far it is. Null before it starts. */
  progress: GenerationProgress | null;
  /** The profile that it belongs to, `prf_…`. Null if it belongs to none. */
  profileId: string | null;
  /** The model that is used. */
  model: string;
  /** Whether a request or an automation created it. */
  source: GenerationSource;
  /** The body of the request, without `model` and `profileId`. */
  request: Record<string, unknown>;
  /** What was generated so far, also after a failure. Null if nothing was. */
  result: GenerationResult | null;
  /** The tokens that were used. Null if the provider does not report them. */
  usage: GenerationUsage | null;
  /** Why it failed. Null otherwise. */
  error: GenerationError | null;
  /** Why it is being retried. Null if it is not. */
  lastError: GenerationError | null;
  /** When it was created. */
  createdAt: string;
  /** When it was first started. Null while it is queued. */
  startedAt: string | null;
  /** When it ended. Null until then. */
  finishedAt: string | null;
  /** Until when it is kept. Null until it has finished. */
  expiresAt: string | null;
}

/** Why a generation failed, and how to fix it. `type` is the URL of a page that explains the error. */
export interface GenerationError {
  /** The URL of a page that explains the `code`. */
  type: string;
  /** What the `code` means, in a few words. */
  title: string;
  /** The code of the error, as in a problem. */
  code: string;
  /** What went wrong and how to fix it, for people to read. */
  detail: string;
  /** If the provider failed: what kind of failure it is. Null otherwise. */
  category: GenerationErrorCategory | null;
  /** If the provider failed: its name. Null otherwise. */
  platform: string | null;
  /** If the provider reported an error: its own error, without secrets. Null otherwise. */
  platformError: Record<string, unknown> | null;
}

export type GenerationErrorCategory =
  | "account_issue" | "auth_expired" | "not_supported" | "outcome_unknown" | "permission_missing" | "platform_error" |
  "platform_rate_limit" | "platform_rejected" | "quota_exhausted" | "system_error" | "user_content" | (string & {});

/** One page of a list. `nextCursor` is null on the last page. */
export interface GenerationPage {
  /** The rows of this page, at most `limit`. */
  data: Generation[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
}

/** The progress of a generation. `unit` is `variants`, `images`, `percent` of a video, or `files`. */
export interface GenerationProgress {
  /** How much is done, in `unit`. */
  done: number;
  /** How much there is to do, in `unit`. Null while it is unknown. */
  total: number | null;
  /** What is counted: `variants`, `images`, `percent` of a video, or `files`. */
  unit: string | null;
}

/**
 * The results so far: texts, or files that posts can use by their id. `mediaIds` also lists files that have expired
 * since.
 */
export interface GenerationResult {
  /** The texts. Empty for other types. */
  variants: CopyVariant[];
  /** The ids of the files, including those that have expired since. Empty for texts. */
  mediaIds: string[];
  /** The files that still exist. */
  media: MediaItem[];
  /** What differs from the request, such as the size or format of an image. */
  warnings: string[];
}

export type GenerationSource = "api" | "automation" | (string & {});

export type GenerationType = "audio" | "copy" | "image" | "video" | (string & {});

export type GenerationTypeInput = "audio" | "copy" | "image" | "video";

/** The tokens that the provider reported. */
export interface GenerationUsage {
  /** Tokens of the prompt and its images. */
  inputTokens: number;
  /** Tokens of the result. */
  outputTokens: number;
}

export type Goal =
  | "appPromotion" | "awareness" | "conversions" | "engagement" | "leads" | "traffic" | "videoViews" | (string & {});

export type GoalInput =
  | "appPromotion" | "awareness" | "conversions" | "engagement" | "leads" | "traffic" | "videoViews";

export interface GoogleBusinessOptions {
  /** The kind of the account. The service accepts none. */
  kind?: "google_business";
  /** The kind of post. Events and offers need `event`. */
  form?: GoogleBusinessOptionsForm;
  /** The language of the text, such as `en`. */
  languageCode?: string;
  /** The button below the post. An offer has its own, and a call has no url. */
  callToAction?: GoogleBusinessOptionsCallToAction;
  /** The event and its period, in the location's local time; for an offer, how long it is valid. */
  event?: GoogleBusinessOptionsEvent;
  /** Offers only: how to redeem it. */
  offer?: GoogleBusinessOptionsOffer;
}

/** The button below the post. An offer has its own, and a call has no url. */
export interface GoogleBusinessOptionsCallToAction {
  /** The label of the button. */
  actionType: GoogleBusinessOptionsCallToActionActionType;
  /** The link of the button. */
  url?: string;
}

export type GoogleBusinessOptionsCallToActionActionType = "BOOK" | "ORDER" | "SHOP" | "LEARN_MORE" | "SIGN_UP" | "CALL";

/** The event and its period, in the location's local time; for an offer, how long it is valid. */
export interface GoogleBusinessOptionsEvent {
  /** The name of the event or offer. */
  title: string;
  /** The period. Without times it is whole days. */
  schedule: GoogleBusinessOptionsEventSchedule;
}

/** The period. Without times it is whole days. */
export interface GoogleBusinessOptionsEventSchedule {
  /** The first day. */
  startDate: GoogleBusinessOptionsEventScheduleStartDate;
  /** When it starts on that day. */
  startTime?: GoogleBusinessOptionsEventScheduleStartTime;
  /** The last day. */
  endDate: GoogleBusinessOptionsEventScheduleEndDate;
  /** When it ends on that day. */
  endTime?: GoogleBusinessOptionsEventScheduleEndTime;
}

/** The last day. */
export interface GoogleBusinessOptionsEventScheduleEndDate {
  /** The year. */
  year: number;
  /** The month; January is 1. */
  month: number;
  /** The day of the month. */
  day: number;
}

/** When it ends on that day. */
export interface GoogleBusinessOptionsEventScheduleEndTime {
  /** The hour, from 0; 24 is the end of the day. */
  hours?: number;
  /** The minute. */
  minutes?: number;
  /** The second. */
  seconds?: number;
  /** The part of a second, in nanoseconds. */
  nanos?: number;
}

/** The first day. */
export interface GoogleBusinessOptionsEventScheduleStartDate {
  /** The year. */
  year: number;
  /** The month; January is 1. */
  month: number;
  /** The day of the month. */
  day: number;
}

/** When it starts on that day. */
export interface GoogleBusinessOptionsEventScheduleStartTime {
  /** The hour, from 0; 24 is the end of the day. */
  hours?: number;
  /** The minute. */
  minutes?: number;
  /** The second. */
  seconds?: number;
  /** The part of a second, in nanoseconds. */
  nanos?: number;
}

export type GoogleBusinessOptionsForm = "standard" | "event" | "offer";

/** Offers only: how to redeem it. */
export interface GoogleBusinessOptionsOffer {
  /** The coupon code to use in the shop. */
  couponCode?: string;
  /** The URL where it can be redeemed online. */
  redeemOnlineUrl?: string;
  /** The terms and conditions. */
  termsConditions?: string;
}

export type Granularity = "day" | "month" | "total" | "week";

/** The health of the service. `degraded` still serves requests; the checks say what is wrong. */
export interface Health {
  /** `degraded` if any of the checks is. */
  status: HealthStatus;
  /** The version of Socialgate. */
  version: string;
  /** The result of each check. */
  checks: HealthCheckResults;
}

/** The result of one check. `detail` says what is wrong. */
export interface HealthCheckResult {
  /** `degraded` if something is wrong with it. */
  status: HealthCheckResultStatus;
  /** What is wrong and how to fix it. Null if nothing is. */
  detail: string | null;
}

export type HealthCheckResultStatus = "degraded" | "ok" | (string & {});

/** What the service needs to work. */
export interface HealthCheckResults {
  /** Whether the database answers. */
  database: HealthCheckResult;
  /** Whether files can be stored. */
  storage: HealthCheckResult;
  /** Whether a worker has reported lately. */
  worker: HealthCheckResult;
  /** Whether something waits for a decision of the operator after a backup was restored. */
  restore: HealthCheckResult;
}

/** A problem of an account, as `GET /accounts/health` shows it. */
export interface HealthIssue {
  /** What is wrong, as a stable name. */
  code: string;
  /** What is wrong, in a sentence. */
  detail: string;
  /** What to do about it. */
  fix: string;
}

/** The health of all accounts in `summary`, and of each in pages. */
export interface HealthReport {
  /** Counts over all accounts, not only those of this page. */
  summary: HealthSummary;
  /** The health of each account of this page. */
  data: AccountHealth[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
}

export type HealthStatus = "degraded" | "ok" | (string & {});

export interface HealthSummary {
  /** How many accounts and ad accounts there are. */
  total: number;
  /** How many have the status `healthy`. */
  healthy: number;
  /** How many have the status `warning`. */
  warning: number;
  /** How many have the status `error`, including those that must be reconnected. */
  error: number;
  /** How many have the status `unknown`. */
  unknown: number;
  /** How many must be reconnected. */
  needsReconnection: number;
  /** How many are waiting for somebody to scan their code. They are among those that are `unknown`. */
  connecting: number;
  /**
   * How many were not connected, because nobody scanned their code in time. They are among those that are `unknown`.
   */
  expired: number;
}

/** Hide the comment from everybody except its author. */
export interface HideCommentAction {
  /** Always `hideComment`. */
  type: "hideComment";
}

/** A post that is live on the account, whether or not it was posted here. */
export interface HistoryEntry {
  /** The platform's own id of the post. */
  id: string;
  /** What it is, such as `image`, `video`, `carousel`, `reel` or `text`. */
  type: string;
  /** The text or caption. Empty if there is none. */
  text: string;
  /** Its public URL. Null if the platform does not report it. */
  url: string | null;
  /** When it was published. Null if the platform does not report it. */
  createdAt: string | null;
  /** Its files, as far as the platform reports them. URLs of the platform may expire. */
  media: Record<string, unknown>[];
  /** What the platform counts, such as `likes` and `comments`. What it does not report is missing. */
  counts: Record<string, number>;
}

/** One page of a list. `nextCursor` is null on the last page. */
export interface HistoryEntryPage {
  /** The rows of this page, at most `limit`. */
  data: HistoryEntry[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
}

/** A hook. Its secret is shown when it is created or rotated, and never again. */
export interface Hook {
  /** The id, `hook_…`. */
  id: string;
  /** Where deliveries are sent. */
  url: string;
  /** The events that it receives. */
  events: string[];
  /** Whether events are delivered. */
  active: boolean;
  /** Whose events it receives: "all" profiles of the owner, or those listed. */
  profileScope: HookProfileScope;
  /** A note for your own use. Null if there is none. */
  description: string | null;
  /** Whether events are delivered strictly in order. */
  ordered: boolean;
  /** The maximum number of attempts per second. Null: no limit. */
  maxPerSecond: number | null;
  /** Why it is disabled: by its owner, because its URL returned 410, or because it failed for days. */
  disabledReason: HookDisabledReason | null;
  /** How its deliveries went. */
  stats: HookStats;
  /** When it was created. */
  createdAt: string;
  /** When it was last changed. */
  updatedAt: string;
}

/** What to change. Omitted fields stay as they are. */
export interface HookChanges {
  /** Where to send deliveries: an https URL of at most 2048 characters, without credentials, on the public internet. */
  url?: string;
  /** The events to receive, each once. `webhook.test` is only sent by the test route, listed or not. */
  events?: HookChangesEvents[];
  /** Whether events are delivered. `true` also ends a pause after failures; pending deliveries are sent immediately. */
  active?: boolean;
  /** A note for your own use. */
  description?: string | null;
  /** Deliver events strictly in order: a failing delivery holds back the newer ones. */
  ordered?: boolean;
  /** Maximum number of attempts per second. Null: no limit. */
  maxPerSecond?: number | null;
}

export type HookChangesEvents =
  | "post.scheduled" | "post.published" | "post.partial" | "post.failed" | "post.platform.failed" | "post.file.failed" |
  "account.connected" | "account.needs_reconnection" | "account.disconnected" | "account.health" | "lead.received" |
  "message.received" | "message.status" | "comment.received" | "review.received" | "automation.triggered" |
  "webhook.test";

/** A new hook. `secret` is only in this response; a replay has `secretWithheld` instead. */
export interface HookCreated {
  /** The id, `hook_…`. */
  id: string;
  /** Where deliveries are sent. */
  url: string;
  /** The events that it receives. */
  events: string[];
  /** Whether events are delivered. */
  active: boolean;
  /** Whose events it receives: "all" profiles of the owner, or those listed. */
  profileScope: HookCreatedProfileScope;
  /** A note for your own use. Null if there is none. */
  description: string | null;
  /** Whether events are delivered strictly in order. */
  ordered: boolean;
  /** The maximum number of attempts per second. Null: no limit. */
  maxPerSecond: number | null;
  /** Why it is disabled: by its owner, because its URL returned 410, or because it failed for days. */
  disabledReason: HookCreatedDisabledReason | null;
  /** How its deliveries went. */
  stats: HookStats;
  /** When it was created. */
  createdAt: string;
  /** When it was last changed. */
  updatedAt: string;
  /** The key of the signatures. Only in the first response. */
  secret?: string;
  /** True in a replayed response, instead of `secret`. */
  secretWithheld?: boolean;
}

export type HookCreatedDisabledReason = "failing" | "gone" | "owner" | (string & {});

export type HookCreatedProfileScope =
  | "all"
  | string[];

export type HookDisabledReason = "failing" | "gone" | "owner" | (string & {});

/** One page of a list. `nextCursor` is null on the last page. */
export interface HookPage {
  /** The rows of this page, at most `limit`. */
  data: Hook[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
}

export type HookProfileScope =
  | "all"
  | string[];

/** The period to recover. */
export interface HookRecovery {
  /** The start, inclusive. */
  since: string;
  /** The end, exclusive. */
  until?: string | null;
}

/** Delivery statistics of a hook. Test events are not counted. */
export interface HookStats {
  /** How many deliveries were accepted. */
  succeeded: number;
  /** How many deliveries were given up after their last attempt. */
  failed: number;
  /** When a delivery was last accepted. Null if none was. */
  lastSuccessAt: string | null;
  /** When an attempt last failed. Null if none did. */
  lastFailureAt: string | null;
}

/** Images to generate. Set `size` or `aspectRatio`, not both. */
export interface ImageGenerationBody {
  /** A model from `GET /ai/models`. Unset: the operator's default for this type. */
  model?: string | null;
  /** The profile that the generation and its files belong to. Required for a key limited to several profiles. */
  profileId?: string | null;
  /** What to generate, in your own words. */
  prompt: string;
  /** Width and height in pixels, such as `1024x1024`, or `auto`. The model must support it. */
  size?: string | null;
  /** The shape of the image; the model chooses the size. */
  aspectRatio?: ImageGenerationBodyAspectRatio | null;
  /** How many images to generate. */
  count?: number;
  /** Such as `low`, `medium` or `high`. */
  quality?: string | null;
  /** Unset: JPEG, which every platform accepts. */
  format?: ImageGenerationBodyFormat | null;
  /** Images to base the new one on: JPEG, PNG or WebP of up to 10 MiB. Not every model accepts images. */
  mediaIds?: string[];
}

export type ImageGenerationBodyAspectRatio = "16:9" | "1:1" | "2:3" | "3:2" | "4:5" | "5:4" | "9:16";

export type ImageGenerationBodyFormat = "jpeg" | "png" | "webp";

export type InsightsQueryGranularity = "day" | "month" | "week" | "total";

export interface InstagramMessageOptions {
  /** The kind of the account. The service accepts none. */
  kind?: "instagram";
  /**
   * Marks a reply that a person wrote. It can be sent up to seven days after the other person's last message, if Meta
   * has approved this for your app.
   */
  tag?: "HUMAN_AGENT";
}

export interface InstagramOptions {
  /** The kind of the account. The service accepts none. */
  kind?: "instagram";
  /** What to create. By default it depends on the media; set `reel` or `story` for these. */
  form?: InstagramOptionsForm;
  /** Whether a reel is also shown in the feed. */
  shareToFeed?: boolean;
  /** The position of the cover in a reel, in milliseconds. A thumbnail of the media takes precedence. */
  thumbOffset?: number;
  /** The name of a reel's audio. */
  audioName?: string;
  /** How a trial reel becomes a regular one. */
  trialReel?: InstagramOptionsTrialReel;
  /** The id of a place's Facebook Page. */
  locationId?: string;
  /** User names of up to three people to invite as collaborators. */
  collaborators?: string[];
  /** People to tag. On an image with a position, from 0 to 1 from its upper left corner. */
  userTags?: InstagramOptionsUserTagsItem[];
  /** Labels it as made by AI. */
  isAiGenerated?: boolean;
}

export type InstagramOptionsForm = "post" | "reel" | "story";

export type InstagramOptionsTrialReel = "MANUAL" | "SS_PERFORMANCE";

export interface InstagramOptionsUserTagsItem {
  /** The user name of the person, without the @. */
  username: string;
  /** The horizontal position, from 0 (left) to 1. */
  x?: number;
  /** The vertical position, from 0 (top) to 1. */
  y?: number;
  /** Which item of a carousel; the first one (0) by default. */
  mediaIndex?: number;
}

/** One choice of a list. */
export interface InteractiveListRow {
  /** What comes back in the `data` of the reply when the person chooses it. */
  id: string;
  /** What the row says. */
  title: string;
  /** A second line, in smaller letters. */
  description?: string | null;
}

/** Choices with a common title. */
export interface InteractiveListSection {
  /** The choices. All sections together can have ten. */
  rows: InteractiveListRow[];
  /** A heading above the rows. Required if there are several sections. */
  title?: string | null;
}

/** A text with up to three buttons, or with a list of up to ten rows that opens with `button`. */
export interface InteractiveMessage {
  /** The text of the message. */
  body: string;
  /** A line above the text. */
  header?: string | null;
  /** A line below the text, in smaller letters. */
  footer?: string | null;
  /** Replies to tap, instead of a list. */
  buttons?: ReplyButton[];
  /** What the button that opens the list says. Required with `sections`. */
  button?: string | null;
  /** The choices of the list, instead of `buttons`. */
  sections?: InteractiveListSection[];
}

export type JobStatus = "cancelled" | "failed" | "queued" | "running" | "succeeded" | (string & {});

export type JobStatusInput = "cancelled" | "failed" | "queued" | "running" | "succeeded";

/**
 * One of these keywords is in the text, and none of the excluded ones. Case and accents are ignored.
 *
 * `match`: `exact` is the whole text, `word` a word or phrase in it, `contains` any part of it, and `fuzzy` a word or
 * phrase of up to 64 characters, allowing one typo in words of at least 4 letters, and two from 8. Excluded words are
 * compared as words. The conditions of an automation can have up to 200 keywords in total.
 */
export interface KeywordCondition {
  /** Always `keyword`. */
  type: "keyword";
  /** The keywords. One of them must be in the text. */
  any: string[];
  /** How keywords are compared with the text. */
  match?: KeywordConditionMatch;
  /** Words that must not be in the text. */
  exclude?: string[];
}

export type KeywordConditionMatch = "contains" | "exact" | "fuzzy" | "word";

export type Kind =
  | "facebook_page" | "google_business" | "google_calendar" | "instagram" | "meta_ads" | "telegram_bot" | "threads" |
  "tiktok" | "tiktok_ads" | "whatsapp_cloud" | "whatsapp_qr" | "youtube" | (string & {});

export type KindInput =
  | "facebook_page" | "google_business" | "google_calendar" | "instagram" | "meta_ads" | "telegram_bot" | "threads" |
  "tiktok" | "tiktok_ads" | "whatsapp_cloud" | "whatsapp_qr" | "youtube";

/** What the platform counts for an account of this kind, and for each of its posts. */
export interface KindMetrics {
  /** The metrics of an account. */
  account: MetricInfo[];
  /** The metrics of a post. */
  post: MetricInfo[];
}

/** A summary of the newest message. */
export interface LastMessage {
  /** Our id, `msg_…`. */
  id: string;
  /** `inbound` from the person, `outbound` from the account. */
  direction: LastMessageDirection;
  /** What kind of message it is. */
  type: MessageType;
  /** The beginning of its text. Empty if it has none. */
  text: string;
  /** When it was sent, according to the platform. */
  at: string;
}

export type LastMessageDirection = "inbound" | "outbound" | (string & {});

/**
 * The answers of one person. `test` marks a lead from the simulator or from the platform's own testing tool.
 *
 * `fields` maps the keys of the questions to the answers as the platform sent them. `answers` are the same answers,
 * named and typed with the questions of the form.
 *
 * `createdAt` is when the person submitted it, `receivedAt` when Socialgate received it. `state`, `assignee` and `note`
 * are your own: the platform does not know them. Send `etag` as `If-Match` when you change them.
 */
export interface Lead {
  /** Our id, `lead_…`. */
  id: string;
  /** The platform's own id. */
  platformLeadId: string;
  /** The account or ad account whose form was submitted. */
  accountId: string;
  /** The platform's id of the form. */
  formId: string;
  /** The name of the form. Null if it is unknown. */
  formName: string | null;
  /** The platform's id of the ad that led to the form. Null if there is none. */
  adId: string | null;
  /** The platform's id of the campaign of that ad. Null if there is none. */
  campaignId: string | null;
  /** The answers as the platform sent them, by the keys of the questions. */
  fields: Record<string, string>;
  /** The same answers, with their questions and typed values. */
  answers: LeadAnswer[];
  /** How far your team has come with it. */
  state: LeadStateName;
  /** Who is responsible for it. Null if nobody is. */
  assignee: string | null;
  /** A note of your team. Null if there is none. */
  note: string | null;
  /** Whether it comes from the simulator or from the platform's testing tool. */
  test: boolean;
  /** When the person submitted the form. */
  createdAt: string;
  /** When this service received it. */
  receivedAt: string;
  /** The version of its state. Send it as `If-Match` with a change. */
  etag: string;
}

/**
 * An answer with its question. `label` is the question as people saw it, null if the form cannot be read.
 *
 * `value` has the type of the question: a number, a boolean, a date in ISO 8601, a list if several options were chosen,
 * otherwise a string. `valueLabel` is what people saw of the chosen options, null if there are none.
 */
export interface LeadAnswer {
  /** The key of the question. */
  key: string;
  /** The question as people saw it. Null if the form cannot be read. */
  label: string | null;
  /** The type of the question, such as `text`, `choice` or `email`. */
  type: string;
  /** The answer, typed by the question: a number, a boolean, an ISO 8601 date, a list of keys, or a string. */
  value: LeadAnswerValue;
  /** What people saw of the chosen options, separated by commas. Null if there are no options. */
  valueLabel: string | null;
}

export type LeadAnswerValue =
  | string
  | number
  | boolean
  | string[];

/** A lead form. Fields that the platform does not provide are null; lists may omit the questions. */
export interface LeadForm {
  /** The platform's own id. */
  id: string;
  /** The account or ad account that it belongs to. */
  accountId: string;
  /** The name, which only you see. Null if the platform does not report it. */
  name: string | null;
  /** The platform's own status, such as `ACTIVE`. Null if it does not report one. */
  status: string | null;
  /** The language, such as `pt_BR`. Null if the platform does not report it. */
  locale: string | null;
  /** The questions, in order. Lists may omit them. */
  questions: LeadQuestion[];
  /** The URL of your privacy policy. Null if the platform does not report it. */
  privacyPolicyUrl: string | null;
  /** What people see after submitting it. Null if the platform does not report it. */
  thankYou: LeadThankYou | null;
  /** How many leads the platform has counted. Null if it does not report it. */
  leadCount: number | null;
  /** When it was created. Null if the platform does not report it. */
  createdAt: string | null;
}

/** One page of a list. `nextCursor` is null on the last page. */
export interface LeadFormPage {
  /** The rows of this page, at most `limit`. */
  data: LeadForm[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
}

/** An answer to choose from. People see the `label`; the lead contains the `key`. */
export interface LeadOption {
  /** What a lead contains if it was chosen. */
  key: string;
  /** What people see. */
  label: string;
}

/** One page of a list. `nextCursor` is null on the last page. */
export interface LeadPage {
  /** The rows of this page, at most `limit`. */
  data: Lead[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
}

/** A question of a form. `key` is the key of the answer in the `fields` of a lead. */
export interface LeadQuestion {
  /** The key of the answer in the `fields` of a lead. */
  key: string;
  /** The question as people see it. */
  label: string;
  /**
   * `text`, `choice` (one of `options`), or what is asked for: `full_name`, `first_name`, `last_name`, `email`,
   * `phone`, `city`, `state`, `zip`, `country`, `street_address`, `date_of_birth`, `gender`, `company_name`,
   * `job_title`, `work_email`, `work_phone_number` and other types of the platform, in lower case.
   */
  type: string;
  /** The answers to choose from. Empty for other types. */
  options: LeadOption[];
}

/**
 * Somebody submitted a lead form. `test` is true for leads of the simulator.
 *
 * `answers` are the same answers as in `fields`, with their questions.
 */
export interface LeadReceived {
  /** Our id, `lead_…`. */
  leadId: string;
  /** The account (`acc_…`) or the ad account (`adacc_…`) whose form was submitted. */
  accountId: string;
  /** The platform of the account, such as `meta`; see `GET /platforms`. */
  platform: string;
  /** The platform's id of the form. */
  formId: string;
  /** The name of the form. Null if it is unknown. */
  formName: string | null;
  /** The platform's id of the ad that led to the form. Null if there is none. */
  adId: string | null;
  /** The platform's id of the campaign of that ad. Null if there is none. */
  campaignId: string | null;
  /** When the person submitted the form. */
  createdAt: string;
  /** The answers as the platform sent them, by the keys of the questions. */
  fields: Record<string, string>;
  /** The same answers, with their questions and typed values. */
  answers: LeadAnswer[];
  /** Whether it comes from the simulator or from the platform's testing tool. */
  test: boolean;
}

/** What is sent: exactly these four top-level fields. */
export interface LeadReceivedEnvelope {
  /** The name of the event. */
  event: "lead.received";
  /** The owner, `own_…`. */
  ownerId: string;
  /** The profile that it happened in, `prf_…`. */
  profileId: string;
  /** The details of the event. */
  data: LeadReceived;
  /** The id of the event, `evt_…`. Only `webhooks.unwrap` knows it. */
  id?: string;
  /** The position of the event in the stream: `events.stream({ after })` continues there. */
  cursor?: string;
}

/** An event as a hook receives it, with its id and time. */
export interface LeadReceivedEvent {
  /** The id, `evt_…`. The same as the header `webhook-id` of its deliveries. */
  id: string;
  /** The name of the event. */
  event: "lead.received";
  /** The owner, `own_…`. */
  ownerId: string;
  /** The profile that it happened in, `prf_…`. */
  profileId: string;
  /** The details; their form depends on `event`. */
  data: LeadReceived;
  /** When it happened. */
  createdAt: string;
}

/**
 * Your team's progress with a lead. `history` contains the last 100 changes, oldest first.
 *
 * Send `etag` as `If-Match` with the next change.
 */
export interface LeadState {
  /** The lead, `lead_…`. */
  leadId: string;
  /** How far your team has come with it. */
  state: LeadStateName;
  /** Who is responsible for it. Null if nobody is. */
  assignee: string | null;
  /** A note of your team. Null if there is none. */
  note: string | null;
  /** The last 100 changes, oldest first. */
  history: LeadStateHistoryEntry[];
  /** When it was last changed. */
  updatedAt: string;
  /** The version. Send it as `If-Match` with the next change. */
  etag: string;
}

/** The changes. Omitted fields keep their values. */
export interface LeadStateChanges {
  /** The new state. A lead can go from any state to any other. */
  state?: LeadStateNameInput;
  /** Who is responsible for it; any text. */
  assignee?: string | null;
  /** A note for your team. */
  note?: string | null;
}

/** A change: when, by which credential, and between which states. */
export interface LeadStateHistoryEntry {
  /** When it was changed. */
  at: string;
  /** The credential that changed it: an API key, a session or an automation. */
  by: string;
  /** The state before. */
  from: LeadStateName;
  /** The state after. */
  to: LeadStateName;
  /** The note after the change. Null if there was none. */
  note: string | null;
}

export type LeadStateName = "contacted" | "lost" | "new" | "qualified" | "won" | (string & {});

export type LeadStateNameInput = "contacted" | "lost" | "new" | "qualified" | "won";

/** One page of a list. `nextCursor` is null on the last page. */
export interface LeadStatePage {
  /** The rows of this page, at most `limit`. */
  data: LeadState[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
}

/** What people see after submitting the form. */
export interface LeadThankYou {
  /** The heading. Null if there is none. */
  title: string | null;
  /** The text. Null if there is none. */
  body: string | null;
  /** What the button says. Null if there is none. */
  buttonText: string | null;
  /** What the button opens. Null if there is none. */
  url: string | null;
}

/** Somebody submits a lead form of an account. Test leads trigger nothing. */
export interface LeadTrigger {
  /** Always `lead.received`. */
  type: "lead.received";
  /** Only events on these accounts. Empty: all accounts of the profile. */
  accountIds?: string[];
  /** Only leads of these forms, by the platform's own ids. Empty: all forms. */
  formIds?: string[];
}

/** Whether a text fits, with its length as the platform of `kind` counts it. `kind` is null for your `maxLength`. */
export interface LengthCheck {
  /** The kind of account whose limit it is. Null for your `maxLength`. */
  kind: Kind | null;
  /** The length of the text, in `unit`. */
  length: number;
  /** The maximum length, in `unit`. */
  limit: number;
  /** What is counted: `characters`, `utf16` units, or `bytes`. */
  unit: string;
  /** Whether the text is short enough. */
  fits: boolean;
}

export interface LimitUse {
  /** The name of the quota, such as `posts`; `limits.quotas` of the kind in `GET /platforms` describes it. */
  name: string;
  /** How much of it is used in the current window. Null if the platform counts per chat or endpoint. */
  used: number | null;
  /** How much the platform allows in a window. Null if it does not say. */
  limit: number | null;
  /** When capacity becomes available again. Null while nothing is used, or if it is unknown. */
  resetsAt?: string | null;
  /** The length of the window in seconds: a day has 86,400. Null if the platform does not say. */
  windowSeconds?: number | null;
}

/** How the page of a link looks: like yours. */
export interface LinkBrand {
  /** The name of your product or company, as people know it. */
  name?: string | null;
  /** An image from `POST /upload`. It is kept as long as the link. */
  logoMediaId?: string | null;
  /** The color of the main buttons, such as `#0f766e`. */
  color?: string | null;
}

/** A location on the map. */
export interface Location {
  /** In degrees; north is positive. */
  latitude: number;
  /** In degrees; east is positive. */
  longitude: number;
  /** The name of the place. */
  name?: string | null;
  /** The address of the place. */
  address?: string | null;
}

/** A user's email and password. */
export interface Login {
  /** The email address to sign in with. Case is ignored. */
  email: string;
  /** The password of the user. */
  password: string;
}

/** Who is calling: `user` for a session, `key` for an API key. */
export interface Me {
  /** The owner that everything belongs to. */
  owner: Owner;
  /** The user, if the request was made in a session; otherwise null. */
  user: User | null;
  /** The API key, if the request was made with one; otherwise null. */
  key: ApiKey | null;
}

/**
 * A file that posts and messages can use. `url` is public for as long as the file exists.
 *
 * An unused file is deleted at `expiresAt`; null means that it is in use.
 */
export interface MediaItem {
  /** The id, `med_…`. */
  id: string;
  /** The profile that it belongs to, `prf_…`. Null if it belongs to none. */
  profileId: string | null;
  /** What the bytes of the file are: an image, a video, audio, or a document. */
  type: MediaItemType;
  /** The MIME type, detected from the bytes of the file. */
  mimeType: string;
  /** The name of the file when it was uploaded. */
  fileName: string;
  /** The size in bytes. */
  size: number;
  /** The width in pixels. Null for audio and documents. */
  width: number | null;
  /** The height in pixels. Null for audio and documents. */
  height: number | null;
  /** The duration in seconds. Null for images and documents. */
  duration: number | null;
  /** The codec of the video or audio, such as `h264`. Null for images and documents. */
  codec: string | null;
  /** The SHA-256 checksum of the file, in hexadecimal. */
  sha256: string;
  /** A public URL of the file, valid as long as the file exists. */
  url: string;
  /** When the file is deleted if it is not used. Null while it is in use. */
  expiresAt: string | null;
  /** Files that were made of it, so that platforms accept them. They are deleted with it. */
  renditions: Rendition[];
  /** When it was created. */
  createdAt: string;
}

/** One page of a list. `nextCursor` is null on the last page. */
export interface MediaItemPage {
  /** The rows of this page, at most `limit`. */
  data: MediaItem[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
}

export type MediaItemType = "audio" | "document" | "image" | "video" | (string & {});

/** Long-running work: its status, progress and result. `result` depends on the type. */
export interface MediaPrepareTask {
  /** The id, `task_…`; `gen_` for a generation. */
  id: string;
  /** What kind of work it is, such as `products.batch`. */
  type: "media.prepare";
  /** `queued` until a worker starts it; `cancelled` after `DELETE /tasks/{taskId}`. */
  status: JobStatus;
  /** How far it is. Null before it starts, and for work without steps. */
  progress: TaskProgress | null;
  /** What the work produced; its form depends on `type`. Null until there is something. */
  result: Rendition | null;
  /** Why it failed. Null otherwise. */
  error: TaskError | null;
  /** Why it is being retried, or waits. Null if it does not. */
  lastError: TaskError | null;
  /** When it was created. */
  createdAt: string;
  /** When it was first started. Null while it is queued. */
  startedAt: string | null;
  /** When it ended. Null until then. */
  finishedAt: string | null;
  /** Until when it is kept. Null until it has finished. */
  expiresAt: string | null;
}

export type MediaQueryType = "audio" | "document" | "image" | "video";

/** A file of a post: uploaded with `POST /upload`, or fetched immediately from a public URL. */
export interface MediaRef {
  /** The id of an uploaded file, `med_…`. */
  mediaId?: string | null;
  /** Instead of `mediaId`: the URL of the file. */
  url?: string | null;
  /** Alternative text for people who cannot see it. */
  alt?: string | null;
  /** For a video: an uploaded image to show as its cover, on platforms that support it. */
  thumbnailMediaId?: string | null;
  /** For a video or audio: the part of it to publish. Null: all of it. */
  trim?: Trim | null;
  /**
   * For a video: the second of the frame to show as its cover, counted from the start of the uploaded file, also with
   * `trim`.
   */
  coverAt?: number | null;
}

/** What the platform accepts for one type of media. A missing value means no known limit. */
export interface MediaRule {
  /** The accepted formats, as MIME types. */
  mimeTypes: string[];
  /** How many files of this type one post can have. */
  maxCount?: number;
  /** The maximum size of a file, in bytes. */
  maxBytes?: number | null;
  /** The minimum size of a file, in bytes. */
  minBytes?: number | null;
  /** The minimum width, in pixels. */
  minWidth?: number | null;
  /** The minimum height, in pixels. */
  minHeight?: number | null;
  /** The maximum width, in pixels. */
  maxWidth?: number | null;
  /** The maximum height, in pixels. */
  maxHeight?: number | null;
  /** The minimum aspect ratio: width divided by height. */
  minRatio?: number | null;
  /** The maximum aspect ratio: width divided by height. */
  maxRatio?: number | null;
  /** The minimum duration, in seconds. */
  minSeconds?: number | null;
  /** The maximum duration, in seconds. */
  maxSeconds?: number | null;
  /** The maximum of the width and the height together, in pixels. */
  maxWidthPlusHeight?: number | null;
  /** The accepted codecs of the picture, such as `h264`. Omitted if no restriction is known. */
  videoCodecs?: string[];
  /** The accepted codecs of the sound, such as `aac`. Omitted if no restriction is known. */
  audioCodecs?: string[];
  /** The accepted pixel formats of a video, such as `yuv420p`. Omitted if no restriction is known. */
  pixelFormats?: string[];
  /** The minimum frame rate, in frames per second. */
  minFps?: number | null;
  /** The maximum frame rate, in frames per second. */
  maxFps?: number | null;
  /** The maximum bit rate of a video, in bits per second. */
  maxBitRate?: number | null;
  /** The maximum number of audio channels. */
  maxChannels?: number | null;
  /** The maximum sample rate of the sound, in Hz. */
  maxSampleRate?: number | null;
  /** Whether an interlaced video is rejected. */
  progressive?: boolean;
  /** Whether the index of an MP4 or QuickTime file (`moov`) must be in front of its data. */
  indexFirst?: boolean;
  /**
   * For a rule that is named after a form: which files it restricts further. Omitted for a rule that is named after a
   * type of media.
   */
  appliesTo?: MediaRuleAppliesTo | null;
  /** The `form` in the options of a post that the rule is for. Omitted if it applies to all. */
  form?: string | null;
  /** Whether the rule replaces that of its type, for files of its formats, instead of restricting it further. */
  replaces?: boolean;
}

export type MediaRuleAppliesTo = "audio" | "cover" | "image" | "video" | (string & {});

/**
 * One message. `msgId` is the platform's id; `replyTo` is the platform's id of the message it replies to; `options` are
 * those that it was sent with.
 *
 * The status of a sent message goes from `sending` to `sent`, `delivered` and `read`, as far as the platform reports;
 * `unconfirmed` means that it may have been sent, and is never resent automatically.
 */
export interface Message {
  /** Our id, `msg_…`. */
  id: string;
  /** The conversation, `conv_…`. */
  conversationId: string;
  /** The id of the account, `acc_…`. */
  accountId: string;
  /** The platform's own id. Null until the platform has accepted the message. */
  msgId: string | null;
  /** `inbound` from the person, `outbound` from the account. */
  direction: MessageDirection;
  /** What kind of message it is. `unsupported` is one that the platform does not pass on to apps. */
  type: MessageType;
  /** The text, or the caption of a file; for a template its name. Empty if it has none. */
  text: string;
  /** The files of the message. Empty if it has none. */
  attachments: MessageAttachment[];
  /** The platform's id of the message that it replies to. Null if it is no reply. */
  replyTo: string | null;
  /** The current reactions to it. */
  reactions: Reaction[];
  /** What belongs to its type, such as the coordinates of a location or the button that was pressed. */
  data: Record<string, unknown>;
  /** The options that it was sent with. Null for messages that were not sent through this service, or without any. */
  options: Record<string, unknown> | null;
  /** `received` if the person sent it; otherwise how far it got, as far as the platform reports. */
  status: MessageStatus;
  /** Why it failed, or why its outcome is unknown. Null otherwise. */
  error: MessageError | null;
  /** Where an outbound message came from: this API, the console, an automation, or the platform's own app. */
  source: MessageSource;
  /** When it was sent, according to the platform. */
  at: string;
  /** When it was delivered. Null until the platform reports it. */
  deliveredAt: string | null;
  /** When it was read. Null until the platform reports it. */
  readAt: string | null;
  /** When it was last edited. Null if it was not. */
  editedAt: string | null;
  /** When it was deleted. Null if it was not. */
  deletedAt: string | null;
}

/** A file of a message. `mediaId` and `url` are null while it is being downloaded, or if that failed. */
export interface MessageAttachment {
  /** `image`, `video`, `audio`, `document` or another type of file. */
  type: string;
  /** Our id of the file, `med_…`. Null while it is being downloaded, or if that failed. */
  mediaId: string | null;
  /** A URL of this service for the file. Null while it is being downloaded, or if that failed. */
  url: string | null;
  /** The MIME type. Null if it is unknown. */
  mimeType: string | null;
  /** The size in bytes. Null if it is unknown. */
  size: number | null;
  /** The name of the file. Null if it has none. */
  fileName: string | null;
}

export type MessageDirection = "inbound" | "outbound" | (string & {});

/** Why a message failed, or why its outcome is unknown. */
export interface MessageError {
  /** The code of the error, as in a problem. */
  code: string;
  /** What went wrong, for people to read. */
  detail: string;
}

/** Why a message failed. */
export interface MessageFailure {
  /** The reason, as a stable name. */
  code: string;
  /** The reason in a sentence, in the words of the platform where it gives any. */
  detail: string;
}

/** A file to send: an uploaded one, or a URL from which it is fetched immediately. */
export interface MessageFile {
  /** The id of an uploaded file, `med_…`. */
  mediaId?: string | null;
  /** Instead of `mediaId`: a public URL, from which the file is fetched immediately. */
  url?: string | null;
}

/** One page of a list. `nextCursor` is null on the last page. */
export interface MessagePage {
  /** The rows of this page, at most `limit`. */
  data: Message[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
}

/**
 * Somebody sent a message to a connected account. `name` is theirs, if it is known; `msgId` is the platform's id of the
 * message, `messageId` ours.
 */
export interface MessageReceived {
  /** The id of the account, `acc_…`. */
  accountId: string;
  /** The phone number of the person on WhatsApp, otherwise the platform's id of the person. */
  from: string;
  /** The display name of the person. Null if it is unknown. */
  name: string | null;
  /** The text, or the caption of a file. Empty if there is none. */
  text: string;
  /** The platform's own id of the message. */
  msgId: string;
  /** Our id, `msg_…`. */
  messageId: string;
  /** The platform of the account, such as `meta`; see `GET /platforms`. */
  platform: string;
  /** The kind of account, such as `instagram`; see `GET /platforms`. */
  kind: string;
  /** The conversation, `conv_…`. */
  conversationId: string;
  /** What kind of message it is, such as `text`, `image` or `interactive`. */
  type: string;
  /** The files of the message. Empty if it has none. */
  attachments: Attachment[];
  /** When it was sent, according to the platform. */
  receivedAt: string;
}

/** What is sent: exactly these four top-level fields. */
export interface MessageReceivedEnvelope {
  /** The name of the event. */
  event: "message.received";
  /** The owner, `own_…`. */
  ownerId: string;
  /** The profile that it happened in, `prf_…`. */
  profileId: string;
  /** The details of the event. */
  data: MessageReceived;
  /** The id of the event, `evt_…`. Only `webhooks.unwrap` knows it. */
  id?: string;
  /** The position of the event in the stream: `events.stream({ after })` continues there. */
  cursor?: string;
}

/** An event as a hook receives it, with its id and time. */
export interface MessageReceivedEvent {
  /** The id, `evt_…`. The same as the header `webhook-id` of its deliveries. */
  id: string;
  /** The name of the event. */
  event: "message.received";
  /** The owner, `own_…`. */
  ownerId: string;
  /** The profile that it happened in, `prf_…`. */
  profileId: string;
  /** The details; their form depends on `event`. */
  data: MessageReceived;
  /** When it happened. */
  createdAt: string;
}

export type MessageSource = "api" | "automation" | "console" | "platform" | (string & {});

export type MessageStatus =
  | "delivered" | "failed" | "read" | "received" | "sending" | "sent" | "unconfirmed" | (string & {});

/**
 * A message that was sent through this service was accepted by the platform, delivered, read, or failed.
 *
 * It is sent once for each new status of a message, and never for an earlier status than the last one: if a platform
 * reports `read` before `delivered`, only `read` is sent. Not every platform reports `delivered` and `read`.
 */
export interface MessageStatusChanged {
  /** The account that sent the message. */
  accountId: string;
  /** The conversation that the message belongs to. */
  conversationId: string;
  /** Our id of the message, as `POST /accounts/{accountId}/messages` returned it. */
  messageId: string;
  /** The platform's id of the message, if it is known. */
  msgId: string | null;
  /** The new status of the message. */
  status: MessageStatusChangedStatus;
  /** Why it failed; null for every other status. */
  error: MessageFailure | null;
  /** When the status changed, by the platform's clock where it reports that. */
  at: string;
}

export type MessageStatusChangedStatus = "delivered" | "failed" | "read" | "sent" | (string & {});

/** What is sent: exactly these four top-level fields. */
export interface MessageStatusEnvelope {
  /** The name of the event. */
  event: "message.status";
  /** The owner, `own_…`. */
  ownerId: string;
  /** The profile that it happened in, `prf_…`. */
  profileId: string;
  /** The details of the event. */
  data: MessageStatusChanged;
  /** The id of the event, `evt_…`. Only `webhooks.unwrap` knows it. */
  id?: string;
  /** The position of the event in the stream: `events.stream({ after })` continues there. */
  cursor?: string;
}

/** An event as a hook receives it, with its id and time. */
export interface MessageStatusEvent {
  /** The id, `evt_…`. The same as the header `webhook-id` of its deliveries. */
  id: string;
  /** The name of the event. */
  event: "message.status";
  /** The owner, `own_…`. */
  ownerId: string;
  /** The profile that it happened in, `prf_…`. */
  profileId: string;
  /** The details; their form depends on `event`. */
  data: MessageStatusChanged;
  /** When it happened. */
  createdAt: string;
}

/** A template of the account. Those with the status `APPROVED` can be sent. `components` is WhatsApp's own. */
export interface MessageTemplateView {
  /** WhatsApp's id of the template. */
  id: string;
  /** The name to send it with. */
  name: string;
  /** The language code to send it with, such as `en_US`. */
  language: string;
  /** WhatsApp's category: `MARKETING`, `UTILITY` or `AUTHENTICATION`. */
  category: string;
  /** WhatsApp's status of its review, such as `APPROVED`, `PENDING` or `REJECTED`. */
  status: string;
  /** Whether its placeholders are numbered or named. */
  parameterFormat: MessageTemplateViewParameterFormat;
  /** Its parts, in WhatsApp's own format. */
  components: Record<string, unknown>[];
}

/** One page of a list. `nextCursor` is null on the last page. */
export interface MessageTemplateViewPage {
  /** The rows of this page, at most `limit`. */
  data: MessageTemplateView[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
}

export type MessageTemplateViewParameterFormat = "NAMED" | "POSITIONAL" | (string & {});

/** Somebody sends a message to an account. The account's own messages do not trigger it. */
export interface MessageTrigger {
  /** Always `message.received`. */
  type: "message.received";
  /** Only events on these accounts. Empty: all accounts of the profile. */
  accountIds?: string[];
}

export type MessageType =
  | "audio" | "contacts" | "document" | "image" | "interactive" | "location" | "reaction" | "sticker" | "template" |
  "text" | "unsupported" | "video" | (string & {});

/** Until when free-form messages can be sent. `remedy` says what to do after it has closed. */
export interface MessagingWindow {
  /** Whether free-form messages can be sent now. */
  open: boolean;
  /** When it closes or closed. Null if the person has never written. */
  closesAt: string | null;
  /** What you can do while it is closed. Null while it is open. */
  remedy: string | null;
}

/**
 * A metric: our name, and the platform's own name in `vendor`. `daily` says whether the platform reports it per day.
 */
export interface MetricInfo {
  /** Our name, the same on every platform. */
  name: string;
  /** What the values are: a `count`, `percent`, `seconds`, or `currency`. */
  unit: MetricInfoUnit;
  /** The platform's own name. */
  vendor: string;
  /** Whether the platform reports it for each day. */
  daily: boolean;
}

export type MetricInfoUnit = "count" | "currency" | "percent" | "seconds" | (string & {});

/** The value of a day, week or month. `at` is when that begins, in the platform's time zone. */
export interface MetricPoint {
  /** When the period begins, with the offset of the platform's time zone. */
  at: string;
  /** The value of the period, in the unit of the metric. */
  value: number;
}

/** A metric over the period and over the one before. `days` is the number of days included in `value`. */
export interface MetricTotal {
  /** Our name of the metric, the same on every platform. */
  name: string;
  /** What the value is: a `count`, `percent`, `seconds`, or `currency`. */
  unit: MetricTotalUnit;
  /** The value over the period. Null if no day is known. */
  value: number | null;
  /** The value over the period before. Null if no day of it is known. */
  previous: number | null;
  /** The change from `previous` to `value`, in percent. Null if one is unknown, or `previous` is 0. */
  changePercent: number | null;
  /** How many days of the period are included in `value`. */
  days: number;
}

export type MetricTotalUnit = "count" | "currency" | "percent" | "seconds" | (string & {});

/** How much of one metric was used in the month, and how much the plan allows. */
export interface MetricUse {
  /**
   * `posts` accepted for publishing, `deliveries` that hooks accepted, `messagesSent`, `messagesReceived`,
   * `aiGenerations`, `uploadBytes`, `connectedAccounts` (the highest number), `apiCalls`.
   */
  name: UsageMetric;
  /** How much was used in the month so far. */
  used: number;
  /** The limit for the whole owner; null if there is none. */
  limit: number | null;
}

/**
 * A metric. A day that is missing from `series` is unknown, not zero.
 *
 * `total` is null if days cannot be added up, such as the people reached. `vendor` is null for metrics calculated by
 * Socialgate: `engagementRate`, and `engagement` if the platform does not provide it.
 */
export interface MetricValue {
  /** Our name, the same on every platform. */
  name: string;
  /** What the values are: a `count`, `percent`, `seconds`, or `currency`. */
  unit: MetricValueUnit;
  /** The value over all days. Null if it is unknown, or days cannot be added up. */
  total: number | null;
  /**
   * The values by day, week or month, in chronological order. Empty with `granularity=total`, and if there are none.
   */
  series: MetricPoint[];
  /** What the platform calls and reports. Null if this service calculated the metric. */
  vendor: VendorMetric | null;
  /** Why there is no value. Null if there is one. */
  unavailable: MissingMetricReason | null;
}

export type MetricValueUnit = "count" | "currency" | "percent" | "seconds" | (string & {});

/**
 * Why there is no value.
 *
 * `too_few_viewers`, `permission_missing`, `retired`, `not_counted_yet`, `not_offered`, or the error code of the failed
 * platform call.
 */
export interface MissingMetricReason {
  /** Why, for programs. */
  code: string;
  /** Why, for people to read. */
  detail: string;
}

/** An integer in the currency's smallest unit: 9.99 USD is 999, 500 JPY is 500, 1.250 KWD is 1250. */
export interface Money {
  /** An integer in the currency's smallest unit: 9.99 USD is 999. */
  amount: number;
  /** ISO 4217 code, such as `USD`. */
  currency: string;
}

/** An ad to create. `POST /ads/adcreatives` creates its creative. */
export interface NewAdBody {
  /** The id of an ad account, from `GET /adaccounts`. */
  adAccountId: string;
  /** The platform's id of the ad set to create it in. */
  adsetId: string;
  /** The id of the creative that it shows. */
  creativeId: string;
  /** The name, which only you see. */
  name: string;
  /** Ads are shown and money is spent only if it and everything above it are `active`. */
  status?: NewAdBodyStatus;
  /** A pixel that counts what people do after the ad. */
  pixelId?: string | null;
  /** Fields of the platform's own API that have no equivalent here, under its own names. Sent unchanged. */
  platformOptions?: Record<string, unknown>;
}

export type NewAdBodyStatus = "active" | "paused";

/**
 * An ad set to create. It needs a budget, unless its campaign has one.
 *
 * Without `optimization`, the default for the goal of the campaign is used.
 */
export interface NewAdSetBody {
  /** The id of an ad account, from `GET /adaccounts`. */
  adAccountId: string;
  /** The platform's id of the campaign to create it in. */
  campaignId: string;
  /** The name, which only you see. */
  name: string;
  /** Ads are shown and money is spent only if it and everything above it are `active`. */
  status?: NewAdSetBodyStatus;
  /** What delivery is optimized for. The default depends on the goal of the campaign. */
  optimization?: OptimizationInput | null;
  /** What it spends. Required unless the campaign has a budget. */
  budget?: AdBudget | null;
  /** How to bid. By default for the lowest cost. */
  bid?: AdBid | null;
  /** When it runs. By default from now on, until it is paused. */
  schedule?: AdSchedule | null;
  /** Whom to show its ads to. At least one place or audience is required. */
  targeting: AdTargeting;
  /** What it promotes or counts. Some goals require it. */
  promotes?: AdPromotion | null;
  /** Fields of the platform's own API that have no equivalent here, under its own names. Sent unchanged. */
  platformOptions?: Record<string, unknown>;
}

export type NewAdSetBodyStatus = "active" | "paused";

/** An API key to create. `profileIds` is required for the scope `profiles` and not allowed for `all`. */
export interface NewApiKey {
  /** Shown in the console and in lists, to tell keys apart. */
  name: string;
  /** `all` profiles of the owner, including later ones, or only the `profiles` in `profileIds`. */
  scope: NewApiKeyScope;
  /** The profiles that the key is limited to. */
  profileIds?: string[];
  /** `read` allows only GET; `read-write` allows everything that keys can do. */
  permission?: NewApiKeyPermission;
  /** When the key stops working. */
  expiresAt?: string | null;
}

export type NewApiKeyPermission = "read" | "read-write";

export type NewApiKeyScope = "all" | "profiles";

/**
 * An audience to create, or people to add to or remove from a list of customers (`audienceId`).
 *
 * `customers` is a list of people, who are uploaded in the background. `website` consists of the visitors that a pixel
 * saw: on pages whose URL contains one of `urlContains`, or with `event`. `lookalike` consists of people in `countries`
 * who resemble those in `sourceId`; `ratio` is their share of the population.
 */
export interface NewAudienceBody {
  /** The id of an ad account, from `GET /adaccounts`. */
  adAccountId: string;
  /** An existing list of customers, to change it. */
  audienceId?: string | null;
  /** With `audienceId`: whether to add or to remove `people`. */
  action?: NewAudienceBodyAction;
  /** The name. Required unless `audienceId` is given. */
  name?: string | null;
  /** What it consists of. */
  kind?: NewAudienceBodyKind;
  /** A note, for platforms that have one. */
  description?: string | null;
  /** For `customers`: the people. More can be added later. */
  people?: AudiencePerson[];
  /** For `website`: how many days people stay in it. 1 to 180 on Meta; 7, 14, 30, 60, 90 or 180 on TikTok. */
  retentionDays?: number | null;
  /** For `website`: the platform's id of the pixel that saw the visitors. */
  pixelId?: string | null;
  /** For `website`: only visitors of pages whose URL contains one of these texts. */
  urlContains?: string[];
  /** A standard event, such as `Purchase`. */
  event?: string | null;
  /** For `lookalike`: the id of the audience that it resembles. */
  sourceId?: string | null;
  /** For `lookalike`: where the people are, as ISO 3166 codes. */
  countries?: string[];
  /** For `lookalike`: the part of the country's people, from 0.01 (most similar) to 0.2. */
  ratio?: number | null;
  /** Fields of the platform's own API that have no equivalent here, under its own names. Sent unchanged. */
  platformOptions?: Record<string, unknown>;
}

export type NewAudienceBodyAction = "add" | "remove";

export type NewAudienceBodyKind = "customers" | "lookalike" | "website";

/** An automation to create. */
export interface NewAutomation {
  /** The profile whose accounts it applies to. */
  profileId: string;
  /** Shown in lists, and in the `automation.triggered` event. */
  name: string;
  /** The trigger: a `type` with its options. */
  trigger: AutomationTrigger;
  /** The actions, in order. */
  actions: AutomationAction[];
  /** All of them must be true. */
  conditions?: AutomationCondition[];
  /** For this many seconds after a run, the same contact does not trigger another. */
  cooldown?: number;
  /** Whether it runs. False keeps it without running it; runs in progress end. */
  active?: boolean;
}

/** An event to create. `meet` adds one of the platform's video meetings. */
export interface NewCalendarEvent {
  /** When it starts. */
  start: NewEventTime;
  /** When it ends, exclusive: a one-day event ends on the next date. */
  end: NewEventTime;
  /** Shown in the calendar and in invitations. */
  title?: string;
  /** The description. It may contain HTML. */
  description?: string;
  /** Where it takes place, as free text. */
  location?: string;
  /** RFC 5545 lines: `RRULE`, `RDATE` and `EXDATE`. The start is the first occurrence. Empty: not recurring. */
  recurrence?: string[];
  /** The people to invite. `notify` says who gets an email. */
  attendees?: NewGuest[];
  /** How the owner of the calendar is reminded. By default with the reminders of the calendar. */
  reminders?: EventReminders;
  /** True adds one of the platform's video meetings. */
  meet?: boolean;
  /** Default: the account's primary calendar. */
  calendarId?: string | null;
  /** Which guests the platform notifies: all, those without a calendar on this platform, or none. */
  notify?: NewCalendarEventNotify;
}

export type NewCalendarEventNotify = "all" | "externalOnly" | "none";

/** A campaign to create. It divides its budget among its ad sets; without one, each ad set has its own. */
export interface NewCampaignBody {
  /** The id of an ad account, from `GET /adaccounts`. */
  adAccountId: string;
  /** The name, which only you see. */
  name: string;
  /** What it is for. It cannot be changed afterwards. */
  goal: GoalInput;
  /** Ads are shown and money is spent only if it and everything above it are `active`. */
  status?: NewCampaignBodyStatus;
  /** Divided among its ad sets. Omit it to give each ad set its own. */
  budget?: AdBudget | null;
  /** The campaign stops once it has spent this much. */
  spendCap?: Money | null;
  /** How to bid. By default for the lowest cost. */
  bid?: AdBid | null;
  /** When it runs. Omit it to let each ad set decide. */
  schedule?: AdSchedule | null;
  /** Required by law for ads about credit, jobs, housing, politics or gambling. */
  specialCategories?: SpecialCategoryInput[];
  /** Where ads of a special category are shown. */
  countries?: string[];
  /** Fields of the platform's own API that have no equivalent here, under its own names. Sent unchanged. */
  platformOptions?: Record<string, unknown>;
}

export type NewCampaignBodyStatus = "active" | "paused";

/** A catalog to create. TikTok catalogs have a currency and a country, Meta catalogs have neither. */
export interface NewCatalogBody {
  /**
   * The ad account of the business that has the catalog. You can omit it if only one connected ad account belongs to
   * that business.
   */
  adAccountId?: string | null;
  /** The name of the catalog. */
  name: string;
  /** What it contains; `commerce` by default. */
  vertical?: string | null;
  /** ISO 4217 code, such as `USD`. */
  currency?: string | null;
  /** ISO 3166 code, such as `SE`. */
  country?: string | null;
}

/** The plan to buy. */
export interface NewCheckout {
  /** The name of a plan that is for sale. */
  plan: string;
  /** Whether it is billed monthly or yearly. */
  interval?: NewCheckoutInterval;
}

export type NewCheckoutInterval = "month" | "year";

/** A comment to write: on a post, or in reply to the comment or review `parentId`. */
export interface NewCommentBody {
  /** The text. The platform's own limit is checked too. */
  text: string;
  /** Our id of a post, or the platform's own id. */
  postId?: string | null;
  /** The comment to reply to. */
  parentId?: string | null;
  /** An image, if the kind supports it. */
  mediaId?: string | null;
}

/** A link for one profile. Anyone who has it can connect accounts to the profile, and nothing else. */
export interface NewConnectLink {
  /** The profile that the account will belong to. */
  profileId: string;
  /** What the page offers. Unset: every configured platform. */
  platforms?: PlatformInput[] | null;
  /**
   * Where the person goes at the end, with `status`, `platform` and `accountIds` added. The rules are those of `GET
   * /connect/{platform}`. Unset: the person stays on the page.
   */
  redirectUrl?: string | null;
  /** For how many hours the link works. */
  expiresInHours?: number;
  /**
   * How often each kind of account can be connected with the link. One sign-in with several chosen accounts is one use,
   * and for Meta it covers Pages, Instagram and ad accounts.
   */
  uses?: number;
  /** How the page looks. Unset: neutral. */
  brand?: LinkBrand | null;
  /** The origins of your pages that may show the page in an iframe, such as `https://app.example.com`. Unset: none. */
  embedOrigins?: string[] | null;
}

/** A custom conversion to create. Events of the pixel that match all rules are counted as `event`. */
export interface NewConversionBody {
  /** The id of an ad account, from `GET /adaccounts`. */
  adAccountId: string;
  /** The platform's id of the pixel whose events are counted. */
  pixelId: string;
  /** The name, which only you see. */
  name: string;
  /** A standard event, such as `Purchase`. */
  event: string;
  /** A note, for platforms that have one. */
  description?: string | null;
  /** All of them must match. */
  rules: ConversionRule[];
  /** What one conversion is worth. */
  value?: Money | null;
  /** Fields of the platform's own API that have no equivalent here, under its own names. Sent unchanged. */
  platformOptions?: Record<string, unknown>;
}

/** A creative: an existing post (`postId` or `platformPostId`), or a text with images or a video. */
export interface NewCreativeBody {
  /**
   * The account in whose name the ad appears: a connected Facebook Page, Instagram or TikTok account. Required with
   * `postId`. Otherwise you can omit it if the ad account has only one, or send `publisherId`.
   */
  accountId?: string | null;
  /** The platform's own id of a Page or an identity. */
  publisherId?: string | null;
  /** Shown above or below the image or video. */
  text?: string | null;
  /** The headline below the image or video. Meta only. */
  headline?: string | null;
  /** The line below the headline. Meta only. */
  description?: string | null;
  /** The page that opens when people click. */
  url?: string | null;
  /** The label of the button. */
  callToAction?: CallToActionInput | null;
  /** One image or video, or the images of a carousel. */
  media?: AdMedia[];
  /** A lead form that opens when people click. */
  formId?: string | null;
  /** The id of an ad account, from `GET /adaccounts`. */
  adAccountId: string;
  /** The name, which only you see. */
  name: string;
  /** The id of a post made with Socialgate, `post_…`. */
  postId?: string | null;
  /** The platform's own id of a post. */
  platformPostId?: string | null;
  /** Fields of the platform's own API that have no equivalent here, under its own names. Sent unchanged. */
  platformOptions?: Record<string, unknown>;
}

/** Either `dateTime`, with an offset or a `timezone`, or a whole `date`. */
export interface NewEventTime {
  /** RFC 3339, or a local time without an offset. */
  dateTime?: string | null;
  /** A whole day such as `2026-11-20`, instead of `dateTime`. */
  date?: string | null;
  /** IANA name. Required for recurring events. */
  timezone?: string | null;
}

/** A person to invite. */
export interface NewGuest {
  /** The email address to invite. */
  email: string;
  /** The display name. */
  name?: string | null;
  /** Whether the person need not come. */
  optional?: boolean;
}

/** A hook to create. */
export interface NewHook {
  /** Where to send deliveries: an https URL of at most 2048 characters, without credentials, on the public internet. */
  url: string;
  /** The events to receive, each once. `webhook.test` is only sent by the test route, listed or not. */
  events: NewHookEvents[];
  /** The key of the signatures: 16 to 256 printable ASCII characters. By default one is generated. */
  secret?: string | null;
  /** A note for your own use. */
  description?: string | null;
  /** Deliver events strictly in order: a failing delivery holds back the newer ones. */
  ordered?: boolean;
  /** Maximum number of attempts per second. Null: no limit. */
  maxPerSecond?: number | null;
}

export type NewHookEvents =
  | "post.scheduled" | "post.published" | "post.partial" | "post.failed" | "post.platform.failed" | "post.file.failed" |
  "account.connected" | "account.needs_reconnection" | "account.disconnected" | "account.health" | "lead.received" |
  "message.received" | "message.status" | "comment.received" | "review.received" | "automation.triggered" |
  "webhook.test";

/** A form to create. It cannot be changed afterwards. */
export interface NewLeadForm {
  /** The name, which only you see. It must be unique on the Page. */
  name: string;
  /** The questions, in order. */
  questions: NewLeadQuestion[];
  /** The URL of your privacy policy. Platforms require one. */
  privacyPolicyUrl: string;
  /** The text of the link to your privacy policy. */
  privacyPolicyText?: string | null;
  /** The language of the form, such as `pt_BR`. */
  locale?: string | null;
  /** The page that opens after submitting, if there is no `thankYou` with a `url`. */
  followUpUrl?: string | null;
  /** What people see after submitting it. By default the platform's own page. */
  thankYou?: NewLeadThankYouPage | null;
}

/** An answer to choose from. */
export interface NewLeadOption {
  /** What people see. */
  label: string;
  /** The key of the answer in a lead. Default: derived from the type or the label. */
  key?: string | null;
}

/** A question. `text` and `choice` need a `label`; for other types the platform has its own wording. */
export interface NewLeadQuestion {
  /**
   * `text`, `choice` (one of `options`), or what is asked for: `full_name`, `first_name`, `last_name`, `email`,
   * `phone`, `city`, `state`, `zip`, `country`, `street_address`, `date_of_birth`, `gender`, `company_name`,
   * `job_title`, `work_email`, `work_phone_number` and other types of the platform, in lower case.
   */
  type: string;
  /** The key of the answer in a lead. Default: derived from the type or the label. */
  key?: string | null;
  /** The question as people see it. Required for `text` and `choice`. */
  label?: string | null;
  /** The answers to choose from. Required for `choice`. */
  options?: NewLeadOption[];
}

/** What people see after submitting the form. The button opens `url`. */
export interface NewLeadThankYouPage {
  /** The heading. */
  title: string;
  /** The text below it. */
  body?: string | null;
  /** What the button says. */
  buttonText?: string | null;
  /** The page that the button opens. */
  url?: string | null;
}

/** A message to send: to a conversation, or to a person with `to`. */
export interface NewMessageBody {
  /** The conversation to write to, `conv_…`. Omit it if you send `to`. */
  conversationId?: string | null;
  /** The recipient: a phone number in E.164 format on WhatsApp, otherwise the platform's id of the person. */
  to?: string | null;
  /** The text, or the caption of the file. */
  text?: string | null;
  /** The file to send, at most one. */
  media?: MessageFile[];
  /** The message to reply to: our id, or the platform's. */
  replyTo?: string | null;
  /** Replies to tap, shown until the person writes. Not every kind of account supports them. */
  quickReplies?: ReplyButton[];
  /** Buttons below the text, on kinds of accounts that support them. */
  buttons?: ReplyButton[];
  /** See `messageOptions` of the kind in GET /platforms. */
  options?: NewMessageBodyOptions;
}

export type NewMessageBodyOptions =
  | FacebookPageMessageOptions
  | InstagramMessageOptions
  | TelegramBotMessageOptions
  | WhatsappCloudMessageOptions
  | WhatsappQrMessageOptions;

/** A post. Without `draft`, `publishNow`, `queue` or `scheduledFor` it is published immediately. */
export interface NewPost {
  /** The profile whose accounts it is published to, `prf_…`. */
  profileId: string;
  /** The text. Each platform's own limit is checked. */
  content?: string;
  /** The files, in the order in which they are shown. A target can have others instead. */
  media?: (MediaRef | string | MediaItem)[];
  /** The accounts to publish to, each once. Only a draft can be without. */
  targets?: (NewTarget | string | Account)[];
  /** The time zone of a `scheduledFor` without an offset. */
  timezone?: string | null;
  /** A comment to add below the post once it is published, on platforms that allow it. */
  firstComment?: string | null;
  /** Your own data, at most 16 KiB of JSON; returned unchanged. */
  metadata?: Record<string, unknown> | null;
  /** RFC 3339, such as `2026-11-20T14:00:00Z`; without an offset it is in `timezone`. */
  scheduledFor?: string | null;
  /** Publish it immediately. This is the default without `draft`, `queue` and `scheduledFor`. */
  publishNow?: boolean;
  /** Store it without publishing or validating it. Publish it later with `PATCH /posts/{postId}`. */
  draft?: boolean;
  /** Schedule it in the next free slot of the profile's queue. */
  queue?: boolean;
}

/** A product to create. It replaces the product with the same `retailerId`. */
export interface NewProductBody {
  /** The title that people see. */
  title: string;
  /** The description that people see. */
  description: string;
  /** The regular price. */
  price: Price;
  /** The reduced price, in the same currency and not higher than `price`. Null: none. */
  salePrice?: Price | null;
  /** Whether it can be bought. */
  availability?: ProductAvailability;
  /** Whether it is new, refurbished or used. */
  condition?: ProductCondition;
  /** The brand. TikTok requires it. */
  brand?: string | null;
  /** The page where people can see and buy it. */
  url: string;
  /** The URL of the main image, which the platform fetches. */
  imageUrl: string;
  /** The URLs of more images. */
  additionalImageUrls?: string[];
  /** An id that the variants of one product share. */
  group?: string | null;
  /** A category of Google's product taxonomy. */
  category?: string | null;
  /**
   * The ad account of the business that has the catalog. You can omit it if only one connected ad account belongs to
   * that business.
   */
  adAccountId?: string | null;
  /** The platform's id of the catalog to create it in. */
  catalogId: string;
  /** Your own product id, such as a SKU. */
  retailerId: string;
}

/** A set to create. Without a filter it contains every product, on platforms that allow that. */
export interface NewProductSetBody {
  /**
   * The ad account of the business that has the catalog. You can omit it if only one connected ad account belongs to
   * that business.
   */
  adAccountId?: string | null;
  /** The platform's id of the catalog. */
  catalogId: string;
  /** The name of the set. At most 28 characters on TikTok. */
  name: string;
  /** Which products it contains. By default all; TikTok requires at least one rule. */
  filter?: ProductFilter | null;
}

/** A profile to create. */
export interface NewProfile {
  /** Shown in the console and in lists. Need not be unique. */
  name: string;
  /** A note for your own use. */
  description?: string | null;
  /** IANA name such as `America/Sao_Paulo`. It applies to times without an offset. */
  timezone?: string;
  /** How files of its posts are made to fit a platform, for targets that do not say. Null: automatically. */
  fit?: Fit | null;
}

/** A reaction to a message; an empty emoji removes it. */
export interface NewReaction {
  /** The message to react to: our id, or the platform's. */
  msgId: string;
  /** A single emoji. Empty removes the reaction. */
  emoji: string;
}

/** A time of the week at which the queue publishes. */
export interface NewSlot {
  /** The profile of the queue. */
  profileId: string;
  /** The day of the week, in the time zone of the slot. */
  weekday: NewSlotWeekday;
  /** Local time of day in the time zone. */
  time: string;
  /** IANA name. Unset: the profile's. */
  timezone?: string | null;
  /** Only for posts to these accounts. Empty: all accounts. */
  accountIds?: string[];
}

export type NewSlotWeekday = "friday" | "monday" | "saturday" | "sunday" | "thursday" | "tuesday" | "wednesday";

/** An account to publish to, and the overrides for it. */
export interface NewTarget {
  /** The account to publish to, `acc_…`. It must belong to the profile of the post. */
  accountId: string;
  /** The text. Each platform's own limit is checked. */
  content?: string | null;
  /** Files for this account, instead of those of the post. Null: those of the post; empty: none. */
  media?: (MediaRef | string | MediaItem)[] | null;
  /** See `options` of the kind in GET /platforms. */
  options?: NewTargetOptions;
  /** How files are made to fit what the platform accepts. Null: as the profile says, otherwise automatically. */
  fit?: Fit | null;
}

export type NewTargetOptions =
  | FacebookPageOptions
  | GoogleBusinessOptions
  | InstagramOptions
  | TelegramBotOptions
  | ThreadsOptions
  | TiktokOptions
  | WhatsappQrOptions
  | YoutubeOptions;

/** What the file will be. */
export interface NewUploadLink {
  /** The profile that the file belongs to. Required for a key limited to several profiles. */
  profileId?: string | null;
  /** The name that the file gets. */
  fileName?: string | null;
}

/** The next free slot time. It is not reserved. */
export interface NextSlot {
  /** The slot, `slot_…`. */
  slotId: string;
  /** When it publishes, in UTC. */
  at: string;
}

/** When an offer ends, in milliseconds since 1970. */
export interface OfferEnd {
  /** In milliseconds since 1970, UTC. */
  expiration_time_ms: number;
}

/**
 * A call that changes something on a platform, and its result.
 *
 * `unconfirmed` means that the platform may have executed it: it is never repeated automatically. If several calls were
 * made as one, `steps` shows each of them.
 */
export interface Operation {
  /** The id, `op_…`. */
  id: string;
  /** The account, `acc_…`. Null for an ad account, and before an account exists. */
  accountId: string | null;
  /** The ad account, `adacc_…`. Null for other accounts. */
  adAccountId: string | null;
  /** What was done, such as `comments.create`. */
  operation: string;
  /** `unconfirmed` means that the platform may have executed it. */
  status: OperationStatus;
  /** When the call was about to be made. */
  startedAt: string;
  /** When the outcome was known. Null while it is running. */
  finishedAt: string | null;
  /** The platform's own id of what was created or changed. Null if there is none. */
  platformObjectId: string | null;
  /** Why it failed, or why its outcome is unknown. Null otherwise. */
  error: OperationError | null;
  /** What was requested, without secrets and personal data. */
  request: Record<string, unknown>;
  /** The calls that were made as one. Null if it was a single call. */
  steps: OperationStep[] | null;
}

/** Why an operation failed, or why its outcome is unknown. */
export interface OperationError {
  /** The code of the error, as in a problem. */
  code: string;
  /** What kind of failure it is, as in a problem. */
  category: string;
  /** What went wrong and how to fix it, for people to read. */
  detail: string;
}

/** One page of a list. `nextCursor` is null on the last page. */
export interface OperationPage {
  /** The rows of this page, at most `limit`. */
  data: Operation[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
}

export type OperationStatus = "failed" | "running" | "succeeded" | "unconfirmed" | (string & {});

export type OperationStatusInput = "failed" | "running" | "succeeded" | "unconfirmed";

/**
 * One of several calls. `left` means that the series failed, and that what this step had created could not be removed.
 */
export interface OperationStep {
  /** What the step creates or changes, such as `campaign`. */
  name: string;
  /** `removed` and `left` are steps that had succeeded before the series failed. */
  status: StepStatus;
  /** The platform's own id of what it created. Null if there is none yet. */
  platformObjectId: string | null;
}

export type Optimization =
  | "clicks" | "conversations" | "conversions" | "engagement" | "followers" | "impressions" | "installs" |
  "landingPageViews" | "leads" | "reach" | "value" | "videoViews" | (string & {});

export type OptimizationInput =
  | "clicks" | "conversations" | "conversions" | "engagement" | "followers" | "impressions" | "installs" |
  "landingPageViews" | "leads" | "reach" | "value" | "videoViews";

/** The new status of an order that was sent with `order_details`. */
export interface OrderState {
  /** The `reference_id` of the order when it was sent. */
  reference_id: string;
  /** The new status, in WhatsApp's own format. */
  order: Record<string, unknown>;
}

/** One with a `event` that this version of the document does not know. */
export interface OtherEnvelope {
  /** The name of the event. */
  event: "unknown";
  /** The owner, `own_…`. */
  ownerId: string;
  /** The profile that it happened in, `prf_…`. */
  profileId: string;
  /** The details of the event. */
  data: unknown;
  /** The id of the event, `evt_…`. Only `webhooks.unwrap` knows it. */
  id?: string;
  /** The position of the event in the stream: `events.stream({ after })` continues there. */
  cursor?: string;
}

/** One with a `event` that this version of the document does not know. */
export interface OtherEvent {
  /** The id, `evt_…`. The same as the header `webhook-id` of its deliveries. */
  id: string;
  /** The name of the event. */
  event: "unknown";
  /** The owner, `own_…`. */
  ownerId: string;
  /** The profile that it happened in, `prf_…`. */
  profileId: string;
  /** The details; their form depends on `event`. */
  data: Record<string, unknown>;
  /** When it happened. */
  createdAt: string;
}

/** One with a `type` that this version of the document does not know. */
export interface OtherTask {
  /** The id, `task_…`; `gen_` for a generation. */
  id: string;
  /** What kind of work it is, such as `products.batch`. */
  type: "unknown";
  /** `queued` until a worker starts it; `cancelled` after `DELETE /tasks/{taskId}`. */
  status: JobStatus;
  /** How far it is. Null before it starts, and for work without steps. */
  progress: TaskProgress | null;
  /** What the work produced; its form depends on `type`. Null until there is something. */
  result: unknown;
  /** Why it failed. Null otherwise. */
  error: TaskError | null;
  /** Why it is being retried, or waits. Null if it does not. */
  lastError: TaskError | null;
  /** When it was created. */
  createdAt: string;
  /** When it was first started. Null while it is queued. */
  startedAt: string | null;
  /** When it ended. Null until then. */
  finishedAt: string | null;
  /** Until when it is kept. Null until it has finished. */
  expiresAt: string | null;
}

/** The tenant that everything belongs to. */
export interface Owner {
  /** The id, `own_…`. */
  id: string;
  /** The name given at registration, otherwise the email address. */
  name: string;
  /** When it was created. */
  createdAt: string;
}

/** The status of pairing a phone. While it is waiting there is a code: request a new one when it has expired. */
export interface PairingQrCode {
  /** `connecting` until the code is scanned, then `connected`. */
  status: PairingQrCodeStatus;
  /** The content of the code, to draw it yourself. Null if there is no code to scan. */
  qr: string | null;
  /** The code as a PNG image, as a `data:` URL. Null if there is no code to scan. */
  image: string | null;
  /** The code as an SVG image. Null if there is no code to scan. */
  svg: string | null;
  /** When the code expires. Null if there is no code to scan. */
  expiresAt: string | null;
}

export type PairingQrCodeStatus = "connected" | "connecting" | "expired" | "needs_reconnection" | (string & {});

/** The current password and the new one. */
export interface PasswordChange {
  /** The current password, to prove who you are. */
  currentPassword: string;
  /** The password to sign in with, 10 to 200 characters. */
  newPassword: string;
}

/** A range of days, including the first and the last. */
export interface Period {
  /** The first day. */
  since: string;
  /** The last day, inclusive. */
  until: string;
}

/** A pixel. `code` is the id in its script, if that differs from `id`. */
export interface Pixel {
  /** The platform's own id. Creatives of TikTok start with `crea_`. */
  id: string;
  /** The id of the ad account, `adacc_…`. */
  adAccountId: string;
  /** The type of the object. `PATCH` and `DELETE /ads/object` require it. */
  type: AdType;
  /** The name. Null if it has none. */
  name: string | null;
  /** Whether it is shown to people now. Null if the platform does not report it. */
  status: AdStatus | null;
  /** What it was set to, whatever else stops it. Null if it cannot be started and paused. */
  configuredStatus: PixelConfiguredStatus | null;
  /** Why it is not shown although it is active, for people to read. Null otherwise. */
  statusReason: string | null;
  /** Values of the platform that have no field here, by its own names, such as `buying_type` on Meta. */
  platformOptions: Record<string, unknown>;
  /** When it was created. Null if the platform does not report it. */
  createdAt: string | null;
  /** When it was last changed. Null if the platform does not report it. */
  updatedAt: string | null;
  /** The version. Send it as `If-Match` to change only this version. Null in responses stored by older versions. */
  etag: string | null;
  /** The id in its script, if that differs from `id`; otherwise null. */
  code: string | null;
  /** When it last received an event. Null if it never has, or the platform does not report it. */
  lastFiredAt: string | null;
}

export type PixelConfiguredStatus = "active" | "archived" | "paused" | (string & {});

/**
 * Something that a person did. Platforms count an event with the same `name` and `id` only once, even if the pixel in
 * the browser sent it too. Without an `id`, one is created; it stays the same when you repeat the request with its
 * `Idempotency-Key`.
 */
export interface PixelEventBody {
  /** A standard event, or one of your own. */
  name: string;
  /** When it happened. Platforms do not accept events that are too old. */
  at: string;
  /** Your own id of the event, such as the id of an order. By default one is created. */
  id?: string | null;
  /** Where it happened. */
  source?: PixelEventBodySource;
  /** The page where it happened; required for `website`. */
  url?: string | null;
  /** The page that the person came from. */
  referrer?: string | null;
  /** Who did it. At least one value is required. */
  user: EventPerson;
  /** What it was worth. */
  value?: Money | null;
  /** The products that it is about. */
  products?: EventProduct[];
  /** Your own id of the order. */
  orderId?: string | null;
  /** What the person searched for. */
  search?: string | null;
  /** Fields of the platform's own API that have no equivalent here, under its own names. Sent unchanged. */
  platformOptions?: Record<string, unknown>;
}

export type PixelEventBodySource = "app" | "chat" | "crm" | "email" | "other" | "phone" | "store" | "website";

/** The result of one event. */
export interface PixelEventResult {
  /** The `id` of the event, also if it was created. */
  id: string;
  /** Whether the platform accepted it. */
  status: PixelEventResultStatus;
  /** Why it was rejected, for people to read. Null if it was accepted. */
  detail: string | null;
}

export type PixelEventResultStatus = "accepted" | "rejected" | (string & {});

/** Events for one pixel. */
export interface PixelEventsBody {
  /** The id of an ad account, from `GET /adaccounts`. */
  adAccountId: string;
  /** The platform's id of the pixel. */
  pixelId: string;
  /** The events, at most 1,000. */
  events: PixelEventBody[];
  /** Shows them among the platform's test events. */
  testEventCode?: string | null;
}

/** The result of each event, in order. A rejected event does not affect the others. */
export interface PixelEventsResult {
  /** The id of the ad account, `adacc_…`. */
  adAccountId: string;
  /** The platform's id of the pixel. */
  pixelId: string;
  /** How many events were accepted. */
  accepted: number;
  /** How many events were rejected. */
  rejected: number;
  /** The result of each event, in the order in which you sent them. */
  events: PixelEventResult[];
  /** When they were sent to the platform. */
  sentAt: string;
}

/** One page of a list. `nextCursor` is null on the last page. */
export interface PixelPage {
  /** The rows of this page, at most `limit`. */
  data: Pixel[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
}

export type PlacesQueryKind = "interest" | "location";

/** A plan of this deployment. */
export interface PlanForSale {
  /** What `POST /billing/checkout` takes as `plan`. */
  name: string;
  /** Whether it is the plan that counts for the owner now. */
  isCurrent: boolean;
  /** What the plan limits. */
  limits: PlanLimit[];
  /** What the plan costs; empty if it cannot be bought here. */
  prices: PlanPrice[];
}

/** One page of a list. `nextCursor` is null on the last page. */
export interface PlanForSalePage {
  /** The rows of this page, at most `limit`. */
  data: PlanForSale[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
}

/** How much of one metric a plan allows. */
export interface PlanLimit {
  /** The metric, as in `GET /usage`. */
  name: UsageMetric;
  /** Per calendar month, for `connectedAccounts` at any moment; null if it is not limited. */
  limit: number | null;
}

/** What a plan costs. */
export interface PlanPrice {
  /** Whether it is billed monthly or yearly. */
  interval: PlanPriceInterval;
  /** In the smallest unit of the currency, before taxes; null while Stripe cannot be reached. */
  amount: number | null;
  /** The ISO 4217 code, such as `EUR`; null together with `amount`. */
  currency: string | null;
}

export type PlanPriceInterval = "month" | "year" | (string & {});

/**
 * What one action would do, with its texts filled in. `at` is when, counted from the sample. `detail` is what the
 * action adds, such as what a model would be asked.
 */
export interface PlannedStep {
  /** The action, with its placeholders filled in. */
  action: AutomationAction;
  /** Whether it would run; false for actions after a `stop`. */
  wouldRun: boolean;
  /** When it would run. Null if it would not. */
  at: string | null;
  /** What the action adds, such as the messages that an AI model would get. */
  detail: Record<string, unknown>;
}

export type Platform =
  | "google" | "meta" | "telegram" | "threads" | "tiktok" | "tiktokads" | "wasender" | "whatsapp-cloud" | (string & {});

/** The current profile of an account on its platform. `facts` contains what is specific to its kind. */
export interface PlatformAccountProfile {
  /** The id of the account, `acc_…`. */
  accountId: string;
  /** The platform that the account is on. */
  platform: Platform;
  /** What kind of account it is. */
  kind: Kind;
  /** The name of the account, as the platform shows it now. */
  name: string;
  /** The handle. Null if the kind has none. */
  username: string | null;
  /** The URL of its picture on the platform, which may expire. Null if there is none. */
  avatarUrl: string | null;
  /** The URL of its public page. Null if it has none. */
  profileUrl: string | null;
  /** What the account says about itself, such as a biography. Null if it is empty, or the kind has none. */
  description: string | null;
  /** How many followers, subscribers or members it has. Null if the platform does not report it. */
  followers: number | null;
  /** What else the platform reports about this kind, such as `mediaCount`. */
  facts: Record<string, unknown>;
}

/** It happened on one of these platforms. */
export interface PlatformCondition {
  /** Always `platform`. */
  type: "platform";
  /** The platforms, such as `meta`. */
  platforms: PlatformInput[];
}

export interface PlatformDeletion {
  /** The id of the account, `acc_…`. */
  accountId: string;
  /** Whether the post no longer exists on the platform. */
  deleted: boolean;
  /** Why it was not deleted there. Null if it was. */
  detail: string | null;
}

/** The platform's own error, without any secret, for people who look it up in its documentation. */
export interface PlatformError {
  /** The HTTP status of the platform's response. Omitted if there was no response. */
  status?: number | null;
  /** The platform's own error code. */
  code?: string | null;
  /** The platform's own subcode, on platforms that have them, such as Meta. */
  subcode?: string | null;
  /** The platform's own message, in its own words. */
  message?: string | null;
  /** The platform's id of the request, which its support asks for. */
  trace?: string | null;
}

export type PlatformInput =
  | "google" | "meta" | "telegram" | "threads" | "tiktok" | "tiktokads" | "wasender" | "whatsapp-cloud";

/**
 * What one kind of account can do. Our own validation uses `limits`, `media`, `options` (of posts) and
 * `messageOptions`, which are JSON Schemas. `advertising` lists the values that ads support: goals, bid strategies,
 * breakdowns and others.
 */
export interface PlatformKind {
  /** The kind of account. */
  kind: Kind;
  /** The platform that it is on. */
  platform: Platform;
  /** The name of the kind, for people to read. */
  name: string;
  /**
   * Whether accounts of this kind can be connected: the deployment has credentials for the platform, or simulates it.
   */
  configured: boolean;
  /** How it is connected: by a `redirect` to the platform, with a `credential`, or by scanning a `qr` code. */
  connect: ConnectMethod;
  /** What this service can do with it, such as `post`, `comment` or `message`. */
  capabilities: string[];
  /** The permissions (scopes of the platform) that each use needs. */
  permissions: Record<string, string[]>;
  /** The limits of texts, and the quotas of the platform. */
  limits: PlatformLimits;
  /** What is accepted for each type of file: `image`, `video` and others. */
  media: Record<string, MediaRule>;
  /** The JSON Schema of the `options` of a post's target. Empty if there are none. */
  options: Record<string, unknown>;
  /** The JSON Schema of the `options` of a message. Empty if there are none. */
  messageOptions: Record<string, unknown>;
  /** The metrics that insights return. */
  metrics: KindMetrics;
  /** The values that ads support, such as `goals`, `bidStrategies` and `breakdowns`. Empty for other kinds. */
  advertising: Record<string, string[]>;
}

/** Every kind of account. */
export interface PlatformKinds {
  /** Every kind, whether or not it is configured. */
  data: PlatformKind[];
}

/** The limits of texts, and how often the platform allows something. */
export interface PlatformLimits {
  /** The maximum length of a text, in `textUnit`. Omitted if there is no known limit. */
  textMax?: number | null;
  /** What the platform counts: `characters` (the default, then omitted), `utf16` units, or `bytes`. */
  textUnit?: string;
  /** How many hashtags a text can have. Omitted if there is no known limit. */
  hashtagsMax?: number | null;
  /** How many mentions a text can have. Omitted if there is no known limit. */
  mentionsMax?: number | null;
  /** How often the platform allows something. Omitted if no quota is known. */
  quotas?: Quota[];
}

/** What was deleted on a platform. */
export interface PlatformObjectDeleted {
  /** The platform's own id of the post that was deleted. */
  id: string;
  /** The id of the account, `acc_…`. */
  accountId: string;
  /** Always true: a failure is returned as an error. */
  deleted: boolean;
}

/** The customer portal, where a subscription can be changed or cancelled. Open it immediately: it expires soon. */
export interface PortalPage {
  /** The URL of Stripe's customer portal. */
  url: string;
}

/** A post and its status on each account. */
export interface Post {
  /** The id, `post_…`. */
  id: string;
  /** The id of the profile that it belongs to, `prf_…`. */
  profileId: string;
  /**
   * `preparing` while files are made to fit, then `publishing` until every target has ended. `partial`: some failed.
   */
  status: PostStatus;
  /** The text, for all targets that have none of their own. */
  content: string;
  /** The files, for all targets that have none of their own. */
  media: PostMedia[];
  /** The comment to add below the post. Null if there is none. */
  firstComment: string | null;
  /** The post on each account. */
  targets: PostTarget[];
  /** When it is or was due, in UTC. Null for a draft without a time. */
  scheduledFor: string | null;
  /** The IANA time zone in which it was scheduled. */
  timezone: string;
  /** The slot of the queue that it was scheduled in, `slot_…`. Null if it was not queued. */
  queueSlotId: string | null;
  /** 1, and one more for each `POST /posts/{postId}/retry` after the post had ended. Each round ends with one event. */
  round: number;
  /** Your own data, as you sent it. Null if there is none. */
  metadata: Record<string, unknown> | null;
  /** When it was created. */
  createdAt: string;
  /** When it was last changed. */
  updatedAt: string;
}

/** What to change in a draft or a scheduled post. Omitted fields stay as they are. */
export interface PostChanges {
  /** The text. Each platform's own limit is checked. */
  content?: string;
  /** Replaces all files of the post. */
  media?: (MediaRef | string | MediaItem)[];
  /** Replaces all targets of the post. */
  targets?: (NewTarget | string | Account)[];
  /** RFC 3339, such as `2026-11-20T14:00:00Z`; without an offset it is in `timezone`. */
  scheduledFor?: string | null;
  /** The time zone of a `scheduledFor` without an offset. */
  timezone?: string;
  /** Publish it immediately, whatever it was scheduled for. */
  publishNow?: boolean;
  /** A comment to add below the post. Null removes it. */
  firstComment?: string | null;
  /** Your own data, at most 16 KiB of JSON; returned unchanged. */
  metadata?: Record<string, unknown> | null;
}

/** What was deleted, and the result on each platform. */
export interface PostDeleted {
  /** The id of the post, `post_…`. */
  id: string;
  /** Always true: a failure is returned as an error. */
  deleted: boolean;
  /** `cancelled` if it was not published yet, `deleted` if it was. */
  status: PostDeletedStatus;
  /** The result on each platform, if it was to be deleted there too. */
  platforms: PlatformDeletion[];
}

export type PostDeletedStatus = "cancelled" | "deleted" | (string & {});

/** No target of a post was published. */
export interface PostFailed {
  /** The post, `post_…`. */
  postId: string;
  /** The new status of the post. */
  status: PostFailedStatus;
  /** 1, and one more each time the post was published again after a failure. */
  round: number;
  /** The result on each account. */
  targets: TargetResult[];
  /** Your own data, as you sent it with the post. Null if there is none. */
  metadata: Record<string, unknown> | null;
}

/** What is sent: exactly these four top-level fields. */
export interface PostFailedEnvelope {
  /** The name of the event. */
  event: "post.failed";
  /** The owner, `own_…`. */
  ownerId: string;
  /** The profile that it happened in, `prf_…`. */
  profileId: string;
  /** The details of the event. */
  data: PostFailed;
  /** The id of the event, `evt_…`. Only `webhooks.unwrap` knows it. */
  id?: string;
  /** The position of the event in the stream: `events.stream({ after })` continues there. */
  cursor?: string;
}

/** An event as a hook receives it, with its id and time. */
export interface PostFailedEvent {
  /** The id, `evt_…`. The same as the header `webhook-id` of its deliveries. */
  id: string;
  /** The name of the event. */
  event: "post.failed";
  /** The owner, `own_…`. */
  ownerId: string;
  /** The profile that it happened in, `prf_…`. */
  profileId: string;
  /** The details; their form depends on `event`. */
  data: PostFailed;
  /** When it happened. */
  createdAt: string;
}

export type PostFailedStatus = "failed" | "partial" | "published" | (string & {});

/**
 * A file of a scheduled post cannot be made to fit what one of its accounts accepts, so the post will fail there.
 *
 * It is sent before the post is due, once for each target: replace the file in the post.
 */
export interface PostFileFailed {
  /** The post, `post_…`. */
  postId: string;
  /** When it is due, in UTC. */
  scheduledFor: string;
  /** The id of the account, `acc_…`. */
  accountId: string;
  /** The platform of the account, such as `meta`; see `GET /platforms`. */
  platform: string;
  /** The kind of account, such as `instagram`; see `GET /platforms`. */
  kind: string;
  /** Why the file cannot be made to fit. */
  error: TargetError;
  /** Your own data, as you sent it with the post. Null if there is none. */
  metadata: Record<string, unknown> | null;
}

/** What is sent: exactly these four top-level fields. */
export interface PostFileFailedEnvelope {
  /** The name of the event. */
  event: "post.file.failed";
  /** The owner, `own_…`. */
  ownerId: string;
  /** The profile that it happened in, `prf_…`. */
  profileId: string;
  /** The details of the event. */
  data: PostFileFailed;
  /** The id of the event, `evt_…`. Only `webhooks.unwrap` knows it. */
  id?: string;
  /** The position of the event in the stream: `events.stream({ after })` continues there. */
  cursor?: string;
}

/** An event as a hook receives it, with its id and time. */
export interface PostFileFailedEvent {
  /** The id, `evt_…`. The same as the header `webhook-id` of its deliveries. */
  id: string;
  /** The name of the event. */
  event: "post.file.failed";
  /** The owner, `own_…`. */
  ownerId: string;
  /** The profile that it happened in, `prf_…`. */
  profileId: string;
  /** The details; their form depends on `event`. */
  data: PostFileFailed;
  /** When it happened. */
  createdAt: string;
}

/** The insights of a post since it was published. `postId` is our id, null for posts not made with Socialgate. */
export interface PostInsights {
  /** The platform's own id of the post. */
  objectId: string;
  /** Our id, `post_…`. Null for posts that were not made with Socialgate. */
  postId: string | null;
  /** Its public URL. Null if the platform does not report it. */
  url: string | null;
  /** When it was published. Null if the platform does not report it. */
  publishedAt: string | null;
  /** The metrics that you asked for, also those without a value. */
  metrics: MetricValue[];
}

/** One page of a list. `nextCursor` is null on the last page. */
export interface PostInsightsPage {
  /** The rows of this page, at most `limit`. */
  data: PostInsights[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
}

export interface PostMedia {
  /** The id of the file, `med_…`. */
  mediaId: string;
  /** The alternative text, for people who cannot see it. Null if there is none. */
  alt: string | null;
  /** The cover of a video. Null: the platform chooses one. */
  thumbnailMediaId: string | null;
  /** The part of a video or audio that is published. Null: all of it. */
  trim: Trim | null;
  /** The second of the frame that is shown as the cover of a video. Null if none was chosen. */
  coverAt: number | null;
}

/** One page of a list. `nextCursor` is null on the last page. */
export interface PostPage {
  /** The rows of this page, at most `limit`. */
  data: Post[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
}

/** What is sent: exactly these four top-level fields. */
export interface PostPartialEnvelope {
  /** The name of the event. */
  event: "post.partial";
  /** The owner, `own_…`. */
  ownerId: string;
  /** The profile that it happened in, `prf_…`. */
  profileId: string;
  /** The details of the event. */
  data: PostPartiallyPublished;
  /** The id of the event, `evt_…`. Only `webhooks.unwrap` knows it. */
  id?: string;
  /** The position of the event in the stream: `events.stream({ after })` continues there. */
  cursor?: string;
}

/** An event as a hook receives it, with its id and time. */
export interface PostPartialEvent {
  /** The id, `evt_…`. The same as the header `webhook-id` of its deliveries. */
  id: string;
  /** The name of the event. */
  event: "post.partial";
  /** The owner, `own_…`. */
  ownerId: string;
  /** The profile that it happened in, `prf_…`. */
  profileId: string;
  /** The details; their form depends on `event`. */
  data: PostPartiallyPublished;
  /** When it happened. */
  createdAt: string;
}

/** Some targets of a post were published and some failed. */
export interface PostPartiallyPublished {
  /** The post, `post_…`. */
  postId: string;
  /** The new status of the post. */
  status: PostPartiallyPublishedStatus;
  /** 1, and one more each time the post was published again after a failure. */
  round: number;
  /** The result on each account. */
  targets: TargetResult[];
  /** Your own data, as you sent it with the post. Null if there is none. */
  metadata: Record<string, unknown> | null;
}

export type PostPartiallyPublishedStatus = "failed" | "partial" | "published" | (string & {});

/** One target of a post failed. This event is sent before the event for the whole post. */
export interface PostPlatformFailed {
  /** The post, `post_…`. */
  postId: string;
  /** The id of the account, `acc_…`. */
  accountId: string;
  /** The platform of the account, such as `meta`; see `GET /platforms`. */
  platform: string;
  /** The kind of account, such as `instagram`; see `GET /platforms`. */
  kind: string;
  /** Why it failed. */
  error: TargetError;
  /** Your own data, as you sent it with the post. Null if there is none. */
  metadata: Record<string, unknown> | null;
}

/** What is sent: exactly these four top-level fields. */
export interface PostPlatformFailedEnvelope {
  /** The name of the event. */
  event: "post.platform.failed";
  /** The owner, `own_…`. */
  ownerId: string;
  /** The profile that it happened in, `prf_…`. */
  profileId: string;
  /** The details of the event. */
  data: PostPlatformFailed;
  /** The id of the event, `evt_…`. Only `webhooks.unwrap` knows it. */
  id?: string;
  /** The position of the event in the stream: `events.stream({ after })` continues there. */
  cursor?: string;
}

/** An event as a hook receives it, with its id and time. */
export interface PostPlatformFailedEvent {
  /** The id, `evt_…`. The same as the header `webhook-id` of its deliveries. */
  id: string;
  /** The name of the event. */
  event: "post.platform.failed";
  /** The owner, `own_…`. */
  ownerId: string;
  /** The profile that it happened in, `prf_…`. */
  profileId: string;
  /** The details; their form depends on `event`. */
  data: PostPlatformFailed;
  /** When it happened. */
  createdAt: string;
}

/** Every target of a post was published. */
export interface PostPublished {
  /** The post, `post_…`. */
  postId: string;
  /** The new status of the post. */
  status: PostPublishedStatus;
  /** 1, and one more each time the post was published again after a failure. */
  round: number;
  /** The result on each account. */
  targets: TargetResult[];
  /** Your own data, as you sent it with the post. Null if there is none. */
  metadata: Record<string, unknown> | null;
}

/** What is sent: exactly these four top-level fields. */
export interface PostPublishedEnvelope {
  /** The name of the event. */
  event: "post.published";
  /** The owner, `own_…`. */
  ownerId: string;
  /** The profile that it happened in, `prf_…`. */
  profileId: string;
  /** The details of the event. */
  data: PostPublished;
  /** The id of the event, `evt_…`. Only `webhooks.unwrap` knows it. */
  id?: string;
  /** The position of the event in the stream: `events.stream({ after })` continues there. */
  cursor?: string;
}

/** An event as a hook receives it, with its id and time. */
export interface PostPublishedEvent {
  /** The id, `evt_…`. The same as the header `webhook-id` of its deliveries. */
  id: string;
  /** The name of the event. */
  event: "post.published";
  /** The owner, `own_…`. */
  ownerId: string;
  /** The profile that it happened in, `prf_…`. */
  profileId: string;
  /** The details; their form depends on `event`. */
  data: PostPublished;
  /** When it happened. */
  createdAt: string;
}

export type PostPublishedStatus = "failed" | "partial" | "published" | (string & {});

/** A post was scheduled or rescheduled. `metadata` is the post's metadata, as you sent it. */
export interface PostScheduled {
  /** The post, `post_…`. */
  postId: string;
  /** When it is due, in UTC. */
  scheduledFor: string;
  /** The IANA time zone in which it was scheduled. */
  timezone: string;
  /** The accounts that it will be published to. */
  targets: TargetRef[];
  /** Your own data, as you sent it with the post. Null if there is none. */
  metadata: Record<string, unknown> | null;
}

/** What is sent: exactly these four top-level fields. */
export interface PostScheduledEnvelope {
  /** The name of the event. */
  event: "post.scheduled";
  /** The owner, `own_…`. */
  ownerId: string;
  /** The profile that it happened in, `prf_…`. */
  profileId: string;
  /** The details of the event. */
  data: PostScheduled;
  /** The id of the event, `evt_…`. Only `webhooks.unwrap` knows it. */
  id?: string;
  /** The position of the event in the stream: `events.stream({ after })` continues there. */
  cursor?: string;
}

/** An event as a hook receives it, with its id and time. */
export interface PostScheduledEvent {
  /** The id, `evt_…`. The same as the header `webhook-id` of its deliveries. */
  id: string;
  /** The name of the event. */
  event: "post.scheduled";
  /** The owner, `own_…`. */
  ownerId: string;
  /** The profile that it happened in, `prf_…`. */
  profileId: string;
  /** The details; their form depends on `event`. */
  data: PostScheduled;
  /** When it happened. */
  createdAt: string;
}

export type PostStatus =
  | "cancelled" | "draft" | "failed" | "partial" | "preparing" | "published" | "publishing" | "scheduled" | (string &
  {});

export type PostStatusInput =
  | "cancelled" | "draft" | "failed" | "partial" | "preparing" | "published" | "publishing" | "scheduled";

/** The post on one account. `unconfirmed`: it may be published; see `POST /posts/{postId}/reconcile`. */
export interface PostTarget {
  /** The id of the account, `acc_…`. */
  accountId: string;
  /** The platform that the account is on. */
  platform: Platform;
  /** What kind of account it is. */
  kind: Kind;
  /** `unconfirmed` means that it may be published: decide with `POST /posts/{postId}/reconcile`. */
  status: TargetStatus;
  /** The text for this account. Null: the text of the post. */
  content: string | null;
  /** The files for this account. Null: those of the post. */
  media: PostMedia[] | null;
  /** The options of this kind of account, as you sent them. */
  options: Record<string, unknown>;
  /** How files are made to fit what the platform accepts. Null: as the profile says, otherwise automatically. */
  fit: Fit | null;
  /** The platform's own id of the post. Null until it is published. */
  platformPostId: string | null;
  /** The public URL of the post. Null until it is published, and on platforms that report none. */
  url: string | null;
  /** When it was published. Null until then. */
  publishedAt: string | null;
  /** What did not work although the post was published, such as the first comment. */
  warnings: string[];
  /** Why it failed, or why its outcome is unknown. Null otherwise. */
  error: TargetError | null;
  /** The latest steps of publishing, oldest first. */
  attempts: PublishingAttempt[];
}

/** A post was published on an account: one run for each account, when all targets of the post are finished. */
export interface PostTrigger {
  /** Always `post.published`. */
  type: "post.published";
  /** Only events on these accounts. Empty: all accounts of the profile. */
  accountIds?: string[];
}

/** Everything that would be rejected, and warnings. */
export interface PostValidationResult {
  /** Whether the post would be accepted: there are no `errors`. */
  valid: boolean;
  /** Everything that would be rejected. */
  errors: Fault[];
  /** What would be accepted, but may not be what you want. */
  warnings: Fault[];
  /** What would be done for each account, in the order of the request. */
  targets: TargetVerdict[];
}

/** Money: an integer in the currency's smallest unit. 9.99 USD is 999, 500 JPY is 500, 1.250 KWD is 1250. */
export interface Price {
  /** An integer in the currency's smallest unit: 9.99 USD is 999. */
  amount: number;
  /** ISO 4217 code, such as `USD`. */
  currency: string;
}

/** An error. `code` is stable and meant for programs, `detail` says how to fix it. */
export interface Problem {
  /** The URL of a page that explains this `code`. */
  type: string;
  /** What the `code` means, in a few words. The same for every error with this code. */
  title: string;
  /** The HTTP status of the response. */
  status: number;
  /** What is wrong with this request and how to fix it, for people to read. */
  detail: string;
  /** The path of the request. */
  instance: string;
  /** Stable, for programs. `GET /docs/errors/{code}` explains each. */
  code: ProblemCode;
  /** Identifies the request in the logs; also in the header `X-Request-Id`. */
  requestId: string;
  /** Everything that is wrong with the input. Omitted if there is nothing to point to. */
  errors?: Fault[];
  /** After how many seconds to try again; also in the header `Retry-After`. Omitted if waiting does not help. */
  retryAfter?: number | null;
  /** Only if a platform failed: which one. */
  platform?: string | null;
  /** Only if a platform failed: what kind of failure it is, and so who can fix it. */
  category?: ProblemCategory | null;
  /** Only if a platform failed and reported an error: its own error, without secrets. */
  platformError?: PlatformError | null;
}

export type ProblemCategory =
  | "account_issue" | "auth_expired" | "not_supported" | "outcome_unknown" | "permission_missing" | "platform_error" |
  "platform_rate_limit" | "platform_rejected" | "quota_exhausted" | "system_error" | "user_content" | (string & {});

export type ProblemCode =
  | "malformed_json" | "malformed_request" | "login_failed" | "unauthenticated" | "webhook_not_verified" |
  "plan_limit_reached" | "another_browser" | "cookie_refused" | "cross_site_request" | "forbidden" | "foreign_origin" |
  "out_of_scope" | "read_only_key" | "session_required" | "signup_closed" | "verification_failed" | "mcp_not_installed"
  | "not_found" | "platform_not_found" | "method_not_allowed" | "not_acceptable" | "request_timeout" |
  "action_not_applicable" | "ai_not_configured" | "already_paired" | "already_subscribed" | "automation_limit" |
  "billing_not_configured" | "checkout_in_progress" | "conflict" | "connect_first" | "connected_elsewhere" |
  "conversation_busy" | "delivery_pending" | "email_taken" | "event_expired" | "event_not_covered" | "hook_disabled" |
  "hook_limit" | "hook_without_profiles" | "idempotency_key_in_use" | "last_profile" | "link_limit" | "link_used" |
  "media_in_use" | "needs_reconnection" | "no_free_slot" | "not_subscribed" | "nothing_to_retry" | "nothing_unconfirmed"
  | "permission_missing" | "plan_assigned" | "platform_duplicate" | "platform_not_configured" | "post_is_published" |
  "post_not_editable" | "post_publishing" | "profile_not_empty" | "reply_not_generated" | "report_not_ready" |
  "slot_exists" | "slot_limit" | "storage_quota_reached" | "task_finished" | "upload_in_progress" | "window_closed" |
  "wrong_offset" | "connect_state_invalid" | "link_ended" | "pairing_ended" | "sync_token_expired" |
  "precondition_failed" | "body_too_large" | "unsupported_media_type" | "credential_rejected" | "idempotency_key_reused"
  | "invalid" | "media_not_convertible" | "not_supported" | "platform_rejected" | "unreadable_media" |
  "platform_rate_limited" | "rate_limited" | "test_too_soon" | "too_many_fetches" | "too_many_rows" | "too_many_streams"
  | "too_many_tasks" | "too_many_uploads" | "head_too_large" | "internal_error" | "outcome_unknown" |
  "ai_account_rejected" | "media_unavailable" | "platform_unavailable" | "storage_full" | "storage_unavailable" |
  "too_many_connections" | "unavailable" | (string & {});

/**
 * A product on the platform. `id` is null until the platform has created it.
 *
 * `status` is the result of the platform's review, `issues` lists the problems it found.
 */
export interface Product {
  /** The platform's own id. Null until the platform has created the product. */
  id: string | null;
  /** The platform's id of the catalog. */
  catalogId: string;
  /** Your own product id. */
  retailerId: string;
  /** The title that people see. */
  title: string | null;
  /** The description that people see. */
  description: string | null;
  /** The regular price. */
  price: Price | null;
  /** The reduced price, in the same currency and not higher than `price`. Null: none. */
  salePrice: Price | null;
  /** Whether it can be bought. Null if the platform does not report it. */
  availability: string | null;
  /** Whether it is new. Null if the platform does not report it. */
  condition: string | null;
  /** The brand. TikTok requires it. */
  brand: string | null;
  /** The page where people can see and buy it. */
  url: string | null;
  /** The URL of the main image, which the platform fetches. */
  imageUrl: string | null;
  /** The URLs of more images. */
  additionalImageUrls: string[];
  /** An id that the variants of one product share. Null if there are none. */
  group: string | null;
  /** A category of Google's product taxonomy. Null if there is none. */
  category: string | null;
  /** The result of the platform's review, or `processing`. Null before a review. */
  status: string | null;
  /** The problems that the review found. */
  issues: string[];
}

export type ProductAvailability = "availableForOrder" | "discontinued" | "inStock" | "outOfStock" | "preorder";

/** A task that processes a batch. `rejected` rows were invalid; the task lists them with all other failed rows. */
export interface ProductBatch {
  /** The id, `task_…`. `GET /tasks/{taskId}` shows its progress and its result. */
  id: string;
  /** Always `products.batch`. */
  type: string;
  /** The status of the task. */
  status: string;
  /** The id of the ad account, `adacc_…`. */
  adAccountId: string;
  /** The platform's id of the catalog. */
  catalogId: string;
  /** How many rows the batch has, including the rejected ones. */
  rows: number;
  /** How many rows are invalid, and are not sent. */
  rejected: number;
  /** When it was created. */
  createdAt: string;
}

/** Changes to a catalog, each to a different product. */
export interface ProductBatchBody {
  /**
   * The ad account of the business that has the catalog. You can omit it if only one connected ad account belongs to
   * that business.
   */
  adAccountId?: string | null;
  /** The platform's id of the catalog. */
  catalogId: string;
  /** The changes, at most 100,000. */
  items: ProductChange[];
}

export type ProductBatchItemStatus = "failed" | "pending" | "sent" | "succeeded" | "unconfirmed" | (string & {});

export type ProductBatchItemStatusInput = "failed" | "pending" | "sent" | "succeeded" | "unconfirmed";

/**
 * One change in a batch. `upsert` creates or replaces the product and needs all fields that a new one needs; `update`
 * changes the given fields of an existing product; `delete` needs only the `retailerId`.
 */
export interface ProductChange {
  /** The title that people see. */
  title?: string | null;
  /** The description that people see. */
  description?: string | null;
  /** The regular price. */
  price?: Price | null;
  /** The reduced price, in the same currency and not higher than `price`. Null: none. */
  salePrice?: Price | null;
  /** Whether it can be bought. */
  availability?: ProductAvailability | null;
  /** Whether it is new, refurbished or used. */
  condition?: ProductCondition | null;
  /** The brand. TikTok requires it. */
  brand?: string | null;
  /** The page where people can see and buy it. */
  url?: string | null;
  /** The URL of the main image, which the platform fetches. */
  imageUrl?: string | null;
  /** The URLs of more images. */
  additionalImageUrls?: string[];
  /** An id that the variants of one product share. */
  group?: string | null;
  /** A category of Google's product taxonomy. */
  category?: string | null;
  /** What to do with the product. */
  method?: ProductChangeMethod;
  /** Your own product id, such as a SKU. */
  retailerId: string;
}

export type ProductChangeMethod = "delete" | "update" | "upsert";

export type ProductCondition = "new" | "refurbished" | "used";

/** The product that was deleted on the platform. `id` is the id that the request used. */
export interface ProductDeleted {
  /** The id that the request used. */
  id: string;
  /** The platform's id of the catalog. */
  catalogId: string;
  /** Always true: a failure is returned as an error. */
  deleted: boolean;
}

/** Rules: either `all` of them must match, or `any`. */
export interface ProductFilter {
  /** Whether `all` rules must match, or `any` of them. */
  join?: ProductFilterJoin;
  /** The conditions that select products. */
  rules: FilterRule[];
}

export type ProductFilterJoin = "all" | "any";

/** One page of a list. `nextCursor` is null on the last page. */
export interface ProductPage {
  /** The rows of this page, at most `limit`. */
  data: Product[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
}

/** Products with a common title. */
export interface ProductSection {
  /** The products, in order. */
  product_items: SectionProduct[];
  /** A heading above the products. */
  title?: string | null;
}

/**
 * Products of a catalog, selected by a filter.
 *
 * `filter` is null if the platform's own filter, `platformFilter`, cannot be expressed here. `productCount` is null if
 * the platform has not counted yet.
 */
export interface ProductSet {
  /** The platform's own id. */
  id: string;
  /** The platform's id of the catalog. */
  catalogId: string;
  /** The name of the set. */
  name: string;
  /** Which products it contains. Null if this cannot express the platform's own filter. */
  filter: ProductFilter | null;
  /** The platform's own filter, in its own format. */
  platformFilter: unknown;
  /** How many products it has. Null if the platform has not counted yet. */
  productCount: number | null;
}

/** One page of a list. `nextCursor` is null on the last page. */
export interface ProductSetPage {
  /** The rows of this page, at most `limit`. */
  data: ProductSet[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
}

/** Long-running work: its status, progress and result. `result` depends on the type. */
export interface ProductsBatchTask {
  /** The id, `task_…`; `gen_` for a generation. */
  id: string;
  /** What kind of work it is, such as `products.batch`. */
  type: "products.batch";
  /** `queued` until a worker starts it; `cancelled` after `DELETE /tasks/{taskId}`. */
  status: JobStatus;
  /** How far it is. Null before it starts, and for work without steps. */
  progress: TaskProgress | null;
  /** What the work produced; its form depends on `type`. Null until there is something. */
  result: BatchResult | null;
  /** Why it failed. Null otherwise. */
  error: TaskError | null;
  /** Why it is being retried, or waits. Null if it does not. */
  lastError: TaskError | null;
  /** When it was created. */
  createdAt: string;
  /** When it was first started. Null while it is queued. */
  startedAt: string | null;
  /** When it ended. Null until then. */
  finishedAt: string | null;
  /** Until when it is kept. Null until it has finished. */
  expiresAt: string | null;
}

/** A group of connected accounts. */
export interface Profile {
  /** The id, `prf_…`. */
  id: string;
  /** Shown in the console and in lists. Need not be unique. */
  name: string;
  /** A note for your own use. Null if there is none. */
  description: string | null;
  /**
   * IANA name such as `America/Lima`. It applies to times without an offset, to queue slots and to stored analytics.
   */
  timezone: string;
  /** How files of its posts are made to fit a platform, for targets that do not say. Null: automatically. */
  fit: Fit | null;
  /** How many accounts and ad accounts are connected to the profile. */
  accountCount: number;
  /** When it was created. */
  createdAt: string;
  /** When it was last changed. */
  updatedAt: string;
}

/** What to change. Omitted fields stay as they are. */
export interface ProfileChanges {
  /** Shown in the console and in lists. Need not be unique. */
  name?: string;
  /** A note for your own use. */
  description?: string | null;
  /** IANA name such as `America/Sao_Paulo`. It applies to times without an offset. */
  timezone?: string;
  /** How files of its posts are made to fit a platform, for targets that do not say. Null: automatically. */
  fit?: Fit | null;
}

/** One page of a list. `nextCursor` is null on the last page. */
export interface ProfilePage {
  /** The rows of this page, at most `limit`. */
  data: Profile[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
}

/**
 * The campaign, the ad set, the creative and the ad that were created. Platforms review a new ad before they show it.
 */
export interface PromotedPost {
  /** The id of the ad account, `adacc_…`. */
  adAccountId: string;
  /** The name of everything that was created. */
  name: string;
  /** Whether the ad is shown now. Null if the platform did not report it. */
  status: AdStatus | null;
  /** The platform's id of the campaign. */
  campaignId: string;
  /** The platform's id of the ad set. */
  adsetId: string;
  /** The id of the creative. Null on platforms whose ads contain their creative. */
  creativeId: string | null;
  /** The platform's id of the ad. */
  adId: string;
  /** The post of this API, `post_…`, if the request named it; otherwise null. */
  postId: string | null;
  /** The platform's own id of the post. Null if it is unknown. */
  platformPostId: string | null;
  /** What you set it to. Null in responses stored by older versions. */
  configuredStatus: PromotedPostConfiguredStatus | null;
  /** Why the ad is not shown although it is active, for people to read. Null otherwise. */
  statusReason: string | null;
}

export type PromotedPostConfiguredStatus = "active" | "archived" | "paused" | (string & {});

/** One step of publishing, with its result. */
export interface PublishingAttempt {
  /** When the step ended. */
  at: string;
  /** Which step of publishing it was. The steps depend on the platform. */
  stage: string;
  /** `done`, `waiting`, `published`, another word for the result, or the code of the error. */
  outcome: string;
  /** What went wrong, for people to read. Null if nothing did. */
  detail: string | null;
  /** When the next step is due. Null if it follows immediately, or none does. */
  nextAt: string | null;
}

/** One slot time of the queue. `post` is null if it is free. */
export interface QueueEntry {
  /** The slot, `slot_…`. */
  slotId: string;
  /** When it publishes, in UTC. */
  at: string;
  /** The post that takes it. Null if it is free. */
  post: Post | null;
}

/**
 * The slot times of the queue in order, taken and free.
 *
 * All of them, unless their posts exceed 4 MiB: then `nextCursor` leads to the rest.
 */
export interface QueueView {
  /** The slot times, in chronological order. */
  data: QueueEntry[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
}

/** A post for the queue, which chooses the time itself. */
export interface QueuedPost {
  /** The profile whose accounts it is published to, `prf_…`. */
  profileId: string;
  /** The text. Each platform's own limit is checked. */
  content?: string;
  /** The files, in the order in which they are shown. A target can have others instead. */
  media?: (MediaRef | string | MediaItem)[];
  /** The accounts to publish to, each once. Only a draft can be without. */
  targets?: (NewTarget | string | Account)[];
  /** The time zone of a `scheduledFor` without an offset. */
  timezone?: string | null;
  /** A comment to add below the post once it is published, on platforms that allow it. */
  firstComment?: string | null;
  /** Your own data, at most 16 KiB of JSON; returned unchanged. */
  metadata?: Record<string, unknown> | null;
  /** RFC 3339, such as `2026-11-20T14:00:00Z`; without an offset it is in `timezone`. */
  scheduledFor?: string | null;
  /** Publish it immediately. This is the default without `draft`, `queue` and `scheduledFor`. */
  publishNow?: boolean;
  /** Store it without publishing or validating it. Publish it later with `PATCH /posts/{postId}`. */
  draft?: boolean;
  /** Schedule it in the next free slot of the profile's queue. */
  queue?: boolean;
}

/**
 * How often something may be done within a number of seconds.
 *
 * `per` says what the platform counts per: each account, the app that all accounts of a deployment share, each chat of
 * an account, or each endpoint that the app calls. The window slides, unless `resets` names the time zone at whose
 * midnight it resets.
 */
export interface Quota {
  /** What is counted, such as `posts`. The health of an account shows how much is used. */
  name: string;
  /** How many times it may be done in a window. */
  limit: number;
  /** The length of the window, in seconds. */
  seconds: number;
  /**
   * What the platform counts per: each account, the app of the deployment, each chat of an account, or each endpoint.
   */
  per?: QuotaPer;
  /** The IANA time zone at whose midnight the window resets. Null: the window slides. */
  resets?: string | null;
}

export type QuotaPer = "account" | "app" | "chat" | "endpoint" | (string & {});

/** A reaction to a message. */
export interface Reaction {
  /** The emoji of the reaction. */
  emoji: string;
  /** The platform's id of the person who reacted. Null if it is unknown. */
  by: string | null;
}

/** The message that was read; all earlier ones count as read too. */
export interface ReadReceipt {
  /** The newest message that was read: our id, or the platform's. */
  msgId: string;
}

/** The author of a comment or review. Platforms omit what a person has not agreed to show. */
export interface ReceivedAuthor {
  /** The platform's id of the person. */
  id: string | null;
  /** The display name. */
  name: string | null;
  /** The user name on the platform. */
  username: string | null;
  /** The URL of the profile picture. */
  avatarUrl: string | null;
}

/** A comment as it was when the platform reported it, with the names of `GET /accounts/{accountId}/comments`. */
export interface ReceivedComment {
  /** The platform's id of the comment. */
  id: string;
  /** The platform's id of the post. */
  objectId: string | null;
  /** The comment that it replies to; null if it is no reply. */
  parentId: string | null;
  /** Who wrote it; null if the platform does not say. */
  author: ReceivedAuthor | null;
  /** The text; empty if there is only an image. */
  text: string;
  /** When it was written, if the platform reports it. */
  createdAt: string | null;
  /** The URL of the comment, if the platform reports it. */
  url: string | null;
}

/** A review as it was when it was read, with the names of `GET /accounts/{accountId}/comments`. */
export interface ReceivedReview {
  /** The platform's id of the review. Reply with it as `parentId`. */
  id: string;
  /** The platform's id of the location. */
  objectId: string | null;
  /** Who wrote it; null if the person chose to stay anonymous. */
  author: ReceivedAuthor | null;
  /** The text; empty if there is only a rating. */
  text: string;
  /** The rating, from 1 to 5. */
  rating: number | null;
  /** When it was written. */
  createdAt: string | null;
}

/** Decide the outcome of unconfirmed targets. Without `findings` the platforms are asked again. */
export interface Reconciliation {
  /** What you found, for each unconfirmed target that you checked yourself. */
  findings?: ReconciliationFinding[];
}

/** What a person found on the platform. */
export interface ReconciliationFinding {
  /** The target that it is about, `acc_…`. */
  accountId: string;
  /** Whether the post is on the platform. */
  published: boolean;
  /** The platform's own id of the post, if it is there and you know it. */
  platformPostId?: string | null;
  /** The public URL of the post, if it is there and you know it. */
  url?: string | null;
}

/** Since when and why an account must be reconnected. */
export interface ReconnectionReason {
  /** When the permission was found to be lost. */
  since: string;
  /** Why the account must be reconnected, for people to read. */
  reason: string;
}

/** How many deliveries were queued. */
export interface RecoveredDeliveries {
  /** 10000 means that there may be more: send the same request again. */
  queued: number;
}

/** A new owner and its first user. */
export interface Registration {
  /** The email address to sign in with. Case is ignored. */
  email: string;
  /** The password to sign in with, 10 to 200 characters. */
  password: string;
  /** The name of the person. The owner gets the same name, or the email address if you omit it. */
  name?: string | null;
}

/** A file that was made of another one, so that a platform accepts it. */
export interface Rendition {
  /** The id, `med_…`. Posts refer to the original. */
  id: string;
  /** The kind of account that it was made for first. Others with the same needs use it too. */
  for: string;
  /** What it is: an image, a video or audio. */
  type: RenditionType;
  /** The MIME type. */
  mimeType: string;
  /** The width in pixels. Null for audio. */
  width: number | null;
  /** The height in pixels. Null for audio. */
  height: number | null;
  /** The size in bytes. */
  size: number;
  /** The duration in seconds. Null for images. */
  duration: number | null;
  /** A public URL of the result, to look at it. Null in the result of a task. */
  url: string | null;
  /** What was changed, and why. */
  why: Change[];
}

export type RenditionType = "audio" | "document" | "image" | "video" | (string & {});

/** Reply in the same place: in the conversation, publicly below the comment, or as a comment below the post. */
export interface Reply {
  /** Always `reply`. */
  type: "reply";
  /** With placeholders such as `{{contact.name}}`, or `{{contact.name|there}}` with a fallback. */
  text: string;
}

/** A reply that the person can tap, or with `url` a link to open. */
export interface ReplyButton {
  /** What the button says. */
  title: string;
  /** What comes back in the `data` of the reply when the person taps it. By default the title. */
  id?: string | null;
  /** A link to open instead of sending a reply. */
  url?: string | null;
}

/**
 * Somebody reviewed a connected Business Profile.
 *
 * Google reports new reviews if notifications are set up for the profile; besides that, profiles are checked once an
 * hour. A review that is edited later is not reported again.
 */
export interface ReviewReceived {
  /** The account that was reviewed. */
  accountId: string;
  /** The platform of the account. */
  platform: string;
  /** The kind of the account. */
  kind: string;
  /** The review, as it was when it was read. */
  review: ReceivedReview;
}

/** What is sent: exactly these four top-level fields. */
export interface ReviewReceivedEnvelope {
  /** The name of the event. */
  event: "review.received";
  /** The owner, `own_…`. */
  ownerId: string;
  /** The profile that it happened in, `prf_…`. */
  profileId: string;
  /** The details of the event. */
  data: ReviewReceived;
  /** The id of the event, `evt_…`. Only `webhooks.unwrap` knows it. */
  id?: string;
  /** The position of the event in the stream: `events.stream({ after })` continues there. */
  cursor?: string;
}

/** An event as a hook receives it, with its id and time. */
export interface ReviewReceivedEvent {
  /** The id, `evt_…`. The same as the header `webhook-id` of its deliveries. */
  id: string;
  /** The name of the event. */
  event: "review.received";
  /** The owner, `own_…`. */
  ownerId: string;
  /** The profile that it happened in, `prf_…`. */
  profileId: string;
  /** The details; their form depends on `event`. */
  data: ReviewReceived;
  /** When it happened. */
  createdAt: string;
}

/** Why a row failed. `field` is the field to change, if known. */
export interface RowError {
  /** What is wrong, for programs: the code of a fault, or of the error of the platform. */
  code: string;
  /** The field to change. Null if it is unknown. */
  field: string | null;
  /** What is wrong and how to fix it, for people to read. */
  detail: string;
}

/** Why a step, and with it the run, failed. */
export interface RunError {
  /** The code of the error, as in a problem. */
  code: string;
  /** What went wrong and how to fix it, for people to read. */
  detail: string;
}

export type RunStatus = "done" | "failed" | "running" | "skipped" | "triggered" | (string & {});

export type RunStatusInput = "done" | "failed" | "running" | "skipped" | "triggered";

/**
 * The result of one action. `detail` has the ids of what it created, or until when it waits.
 *
 * `unconfirmed` means that it may have taken effect, and is not repeated automatically; `skipped` is a wait that ended
 * early, together with its run.
 */
export interface RunStep {
  /** The `type` of the action. */
  action: string;
  /** The result; `unconfirmed` means that it may have taken effect. */
  status: RunStepStatus;
  /** When it ended, or began to wait. */
  at: string;
  /** The ids of what it created, such as `messageId`, or until when it waits. */
  detail: Record<string, unknown>;
  /** Why it failed. Null otherwise. */
  error: RunError | null;
}

export type RunStepStatus = "done" | "failed" | "skipped" | "unconfirmed" | "waiting" | (string & {});

/** The contact of the sample. */
export interface SampleContact {
  /** The platform's id of the person. */
  id?: string;
  /** The display name, for `{{contact.name}}`. */
  name?: string | null;
  /** The handle, for `{{contact.username}}`. */
  username?: string | null;
  /** The phone number in E.164 format, for `{{contact.phone}}`. */
  phone?: string | null;
}

/** A sample event. Without an account, the first account of the trigger is used. */
export interface SampleEvent {
  /** The account on which it happens, `acc_…`. */
  accountId?: string | null;
  /** The text of the message or comment. */
  text?: string;
  /** The person who triggers it. */
  contact?: SampleContact;
  /** When it happens. Unset: now. */
  at?: string | null;
  /** Other fields of the trigger, by their dotted names. */
  fields?: Record<string, SampleEventFieldsItem | null>;
}

export type SampleEventFieldsItem =
  | string
  | number
  | boolean;

/**
 * At these times of day in the profile's time zone, on these days: one run for each account.
 *
 * If times were missed while the service was down, it runs once when the service is back.
 */
export interface ScheduleTrigger {
  /** Always `schedule`. */
  type: "schedule";
  /** The accounts to run on, `acc_…`: one run for each. */
  accountIds: string[];
  /** Times of day in the profile's time zone, such as `09:30`. */
  times: string[];
  /** The days of the week. Empty: every day. */
  weekdays?: ScheduleTriggerWeekdays[];
}

export type ScheduleTriggerWeekdays =
  | "friday" | "monday" | "saturday" | "sunday" | "thursday" | "tuesday" | "wednesday";

/** The new secret, only in this response; a replay has `secretWithheld` instead. */
export interface SecretRotated {
  /** The hook, `hook_…`. */
  id: string;
  /** The key of the signatures. Only in the first response. */
  secret?: string;
  /** True in a replayed response, instead of `secret`. */
  secretWithheld?: boolean;
  /** When the old secret ends; null if it ended immediately. */
  previousValidUntil: string | null;
  /** When it was last changed. */
  updatedAt: string;
}

/** A new secret, and how long the previous one stays valid. */
export interface SecretRotation {
  /** The key of the signatures: 16 to 256 printable ASCII characters. By default one is generated. */
  secret?: string | null;
  /**
   * How long `webhook-signature` also contains a signature with the old secret. `X-Service-Signature` uses the new one
   * immediately.
   */
  overlapSeconds?: number;
}

/** A product in a section, by your own id. */
export interface SectionProduct {
  /** Your own id of the product. */
  product_retailer_id: string;
}

/**
 * Send a message to the contact, or to another recipient.
 *
 * The author of a comment on Facebook or Instagram gets it as a private reply, once for each comment.
 */
export interface SendMessageAction {
  /** Always `sendMessage`. */
  type: "sendMessage";
  /** With placeholders such as `{{contact.name}}`, or `{{contact.name|there}}` with a fallback. */
  text: string;
  /** The account that sends it. Unset: the account on which the trigger fired. */
  accountId?: string | null;
  /** A phone number in E.164 format on WhatsApp, otherwise the platform's id of the person. Unset: the contact. */
  to?: string | null;
}

/** Send an approved WhatsApp template to the contact, or to another recipient. It needs no open window. */
export interface SendTemplateAction {
  /** Always `sendTemplate`. */
  type: "sendTemplate";
  /** The template to send, and the values of its placeholders. */
  template: Template;
  /** The account that sends it. Unset: the account on which the trigger fired. */
  accountId?: string | null;
  /** The recipient: a phone number in E.164 format on WhatsApp, otherwise the platform's id of the person. */
  to?: string | null;
}

/** A user session. The token is shown once; send it as a Bearer token, or use the cookie. */
export interface SessionOpened {
  /** The session token, `ses_…`. It is not shown again. */
  token: string;
  /** When the session ends, unless it is closed earlier. */
  expiresAt: string;
  /** Who signed in. */
  user: User;
  /** The owner that the user belongs to. */
  owner: Owner;
}

/** Set the state of the lead and who is responsible for it. If omitted, `note` and `assignee` keep their values. */
export interface SetLeadStateAction {
  /** Always `setLeadState`. */
  type: "setLeadState";
  /** The new state. */
  state: LeadStateNameInput;
  /** Who is responsible for it; any text. */
  assignee?: string;
  /** A note for your team. */
  note?: string;
}

/** A shop of the business, and the catalogs that it sells from. */
export interface Shop {
  /** The platform's own id. */
  id: string;
  /** The ad account of the business that has the shop, `adacc_…`. */
  adAccountId: string;
  /** The name of the shop. Null if the platform does not report it. */
  name: string | null;
  /** The platform's own status. Null if it does not report one. */
  status: string | null;
  /** The platform's ids of the catalogs that it sells from. */
  catalogIds: string[];
}

/** One page of a list. `nextCursor` is null on the last page. */
export interface ShopPage {
  /** The rows of this page, at most `limit`. */
  data: Shop[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
}

/** A time of the week at which the queue publishes. */
export interface Slot {
  /** The id, `slot_…`. */
  id: string;
  /** The id of the profile that it belongs to, `prf_…`. */
  profileId: string;
  /** The day of the week, in the time zone of the slot. */
  weekday: SlotWeekday;
  /** The local time of day, such as `09:30`. */
  time: string;
  /** The IANA time zone of the slot. */
  timezone: string;
  /** Only posts to these accounts take the slot. Empty: posts to any account. */
  accountIds: string[];
  /** When it was created. */
  createdAt: string;
}

/** What to change. Omitted fields stay as they are. */
export interface SlotChanges {
  /** The new day of the week. */
  weekday?: SlotChangesWeekday;
  /** Local time of day in the time zone. */
  time?: string;
  /** The new time zone, as an IANA name. */
  timezone?: string;
  /** Only for posts to these accounts. Empty: all accounts. */
  accountIds?: string[];
}

export type SlotChangesWeekday = "friday" | "monday" | "saturday" | "sunday" | "thursday" | "tuesday" | "wednesday";

/** The deleted slot, and what happened to its posts. */
export interface SlotDeleted {
  /** The id of the slot, `slot_…`. */
  id: string;
  /** Always true: a failure is returned as an error. */
  deleted: boolean;
  /** The scheduled posts that were in the slot, `post_…`. */
  postIds: string[];
}

/** One page of a list. `nextCursor` is null on the last page. */
export interface SlotPage {
  /** The rows of this page, at most `limit`. */
  data: Slot[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
}

export type SlotPostsQueryPosts = "free" | "reslot";

export type SlotWeekday =
  | "friday" | "monday" | "saturday" | "sunday" | "thursday" | "tuesday" | "wednesday" | (string & {});

export type SpecialCategory = "credit" | "employment" | "gambling" | "housing" | "politics" | (string & {});

export type SpecialCategoryInput = "credit" | "employment" | "gambling" | "housing" | "politics";

export type StepStatus = "failed" | "left" | "removed" | "running" | "succeeded" | (string & {});

/** End the run here. The actions after it do not run. */
export interface StopAction {
  /** Always `stop`. */
  type: "stop";
}

export type StreamQueryEvent =
  | "post.scheduled" | "post.published" | "post.partial" | "post.failed" | "post.platform.failed" | "post.file.failed" |
  "account.connected" | "account.needs_reconnection" | "account.disconnected" | "account.health" | "lead.received" |
  "message.received" | "message.status" | "comment.received" | "review.received" | "automation.triggered" |
  "webhook.test";

export type SummaryQueryPeriod = "30d" | "7d" | "90d";

/** What opens when somebody taps the message, with the title that is shown for it. */
export interface TapTarget {
  /** The page that opens. */
  url: string;
  /** What is shown for the link. */
  title: string;
}

/** Why a target failed, and whether a retry can help. */
export interface TargetError {
  /** The code of the error, as in a problem. */
  code: string;
  /** What kind of failure it is, such as `user_content` or `auth_expired`. */
  category: string;
  /** Who can fix it: you or your `user`, the `platform`, or the operator of the `system`. */
  source: TargetErrorSource;
  /** What went wrong and how to fix it, for people to read. */
  detail: string;
  /** Whether the same post can succeed if it is published again later. */
  retryable: boolean;
}

export type TargetErrorSource = "platform" | "system" | "user" | (string & {});

/** An account that a post is published to. */
export interface TargetRef {
  /** The id of the account, `acc_…`. */
  accountId: string;
  /** The platform of the account, such as `meta`; see `GET /platforms`. */
  platform: string;
  /** The kind of account, such as `instagram`; see `GET /platforms`. */
  kind: string;
}

/** The result of a post on one account. */
export interface TargetResult {
  /** The id of the account, `acc_…`. */
  accountId: string;
  /** The platform of the account, such as `meta`; see `GET /platforms`. */
  platform: string;
  /** The kind of account, such as `instagram`; see `GET /platforms`. */
  kind: string;
  /** Whether the post was published there. */
  status: TargetResultStatus;
  /** The platform's own id of the post. Null if it failed. */
  platformPostId: string | null;
  /** The public URL of the post. Null if it failed, and on platforms that report none. */
  url: string | null;
  /** Why it failed. Null if it was published. */
  error: TargetError | null;
}

export type TargetResultStatus = "failed" | "published" | (string & {});

export type TargetStatus =
  | "cancelled" | "failed" | "pending" | "preparing" | "published" | "publishing" | "unconfirmed" | (string & {});

/** What would be done for one account. */
export interface TargetVerdict {
  /** The id of the account, `acc_…`. */
  accountId: string;
  /** What would be changed about its files, so that the platform accepts them. Empty if nothing. */
  changes: FileChange[];
}

/** A place or an interest. Use its `id` in `targeting`. `path` names what it is part of. */
export interface TargetingOption {
  /** Send it in `targeting.locations` or `targeting.interests`, exactly as it is. */
  id: string;
  /** The name of the place or the interest. */
  name: string;
  /** What it is, such as `country`, `region`, `city` or `interest`. */
  type: string;
  /** The country of a place, as an ISO 3166 code. Null for interests. */
  country: string | null;
  /** What it is part of, from large to small. */
  path: string[];
  /** The least number of people that the platform estimates. Null if it does not. */
  audienceMin: number | null;
  /** The largest number of people that the platform estimates. Null if it does not. */
  audienceMax: number | null;
}

/** One page of a list. `nextCursor` is null on the last page. */
export interface TargetingOptionPage {
  /** The rows of this page, at most `limit`. */
  data: TargetingOption[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
}

/** Long-running work: its status, progress and result. `result` depends on the type. */
export type Task =
  | AdsAudienceUploadTask
  | AdsReportTask
  | AiAudioTask
  | AiCopyTask
  | AiImageTask
  | AiReplyTask
  | AiVideoTask
  | MediaPrepareTask
  | ProductsBatchTask
  | OtherTask;

/** The cancelled task. A `running` task ends after its current step. */
export interface TaskCancelled {
  /** The id of what was deleted. */
  id: string;
  /** Always true: a failure is returned as an error. */
  deleted: boolean;
  /** `cancelled`, or `running` until the current step has ended. */
  status: JobStatus;
}

/** Why a task failed, and how to fix it. */
export interface TaskError {
  /** The code of the error, as in a problem. */
  code: string;
  /** What went wrong and how to fix it, for people to read. */
  detail: string;
}

/** One page of a list. `nextCursor` is null on the last page. */
export interface TaskPage {
  /** The rows of this page, at most `limit`. */
  data: Task[];
  /** Send it as `cursor` to get the next page. Null on the last page. */
  nextCursor: string | null;
}

/** The progress of a task. `total` is null while it is unknown. */
export interface TaskProgress {
  /** How much is done, in `unit`. */
  done: number;
  /** How much there is to do, in `unit`. Null while it is unknown. */
  total: number | null;
  /** What is counted, such as `products`. Null if there is no word for it. */
  unit: string | null;
}

export interface TelegramBotMessageOptions {
  /** The kind of the account. The service accepts none. */
  kind?: "telegram_bot";
  /** The markup of the text; plain by default. */
  parseMode?: TelegramBotMessageOptionsParseMode;
  /** Send without a notification sound. */
  disableNotification?: boolean;
  /** Forbid forwarding and saving. */
  protectContent?: boolean;
  /** Do not show a link preview. */
  disableLinkPreview?: boolean;
}

export type TelegramBotMessageOptionsParseMode = "HTML" | "MarkdownV2";

export interface TelegramBotOptions {
  /** The kind of the account. The service accepts none. */
  kind?: "telegram_bot";
  /**
   * The channel or group to post to: its @username or its number. The bot must be an administrator there who may post.
   */
  chatId: string;
  /** Send images and videos as files, without compression. */
  form?: "document";
  /** The markup of the text; plain by default. */
  parseMode?: TelegramBotOptionsParseMode;
  /** Post without a notification sound. */
  disableNotification?: boolean;
  /** Forbid forwarding and saving. */
  protectContent?: boolean;
  /** Do not show a link preview. */
  disableLinkPreview?: boolean;
  /** Put the text above photos and videos. */
  captionAboveMedia?: boolean;
  /** The topic of a forum group. */
  messageThreadId?: number;
  /** The message in the chat to reply to. */
  replyToMessageId?: number;
  /** Rows of buttons below the message, each a list of buttons with `text` and either `url` or `callbackData`. */
  buttons?: TelegramBotOptionsButtonsItemItem[][];
}

export interface TelegramBotOptionsButtonsItemItem {
  /** The label of the button. */
  text: string;
  /** The URL that it opens. */
  url?: string;
  /** The data sent to us when it is pressed, at most 64 bytes. */
  callbackData?: string;
}

export type TelegramBotOptionsParseMode = "HTML" | "MarkdownV2";

/** A Telegram bot. */
export interface TelegramConnection {
  /** The profile that the account will belong to. */
  profileId: string;
  /** The token from BotFather. */
  botToken: string;
}

/** An approved template. `components` contains the values of its placeholders, in WhatsApp's own format. */
export interface Template {
  /** The name of the template, from `GET /accounts/{accountId}/whatsapp/templates`. */
  name: string;
  /** The language code of the template, such as `en_US`. */
  language: string;
  /** One object for each part of the template that needs a value. */
  components?: TemplateComponentsItem[];
}

/** The action of a button that opens a flow, a catalog, products, or an order to pay. */
export interface TemplateAction {
  /** Always `action`. */
  type: "action";
  /** What the button opens. */
  action: ButtonAction;
}

/** The placeholders of the text: all in order, or each with its `parameter_name`. */
export interface TemplateBody {
  /** Always `body`. */
  type: "body";
  /** The values of the placeholders. */
  parameters?: TemplateBodyParametersItem[];
}

export type TemplateBodyParametersItem =
  | TemplateText
  | TemplateCurrency
  | TemplateDateTime;

/**
 * A button: `url` takes a text, `quick_reply` a payload, `copy_code` a coupon code, `voice_call` minutes and a payload,
 * and the others an action.
 */
export interface TemplateButton {
  /** Always `button`. */
  type: "button";
  /** What kind of button it is in the template. */
  sub_type: TemplateButtonSubType;
  /** The position of the button in the template, from 0. */
  index: TemplateButtonIndex;
  /** The value of the button. */
  parameters?: TemplateButtonParametersItem[];
}

export type TemplateButtonIndex =
  | number
  | string;

export type TemplateButtonParametersItem =
  | TemplateText
  | TemplatePayload
  | TemplateCouponCode
  | TemplateAction
  | TemplateCallTime;

export type TemplateButtonSubType =
  | "app" | "catalog" | "copy_code" | "flow" | "mpm" | "order_details" | "quick_reply" | "spm" | "url" | "voice_call";

/** For how many minutes a button can be used to call. */
export interface TemplateCallTime {
  /** Always `ttl_minutes`. */
  type: "ttl_minutes";
  /** In minutes; at most 30 days. */
  ttl_minutes: number;
}

/** A card of a carousel. `card_index` is its position in the template, from 0. */
export interface TemplateCard {
  /** The position of the card in the template, from 0. */
  card_index: number;
  /** The values of the card: its header, body and buttons. */
  components?: TemplateCardComponentsItem[];
}

export type TemplateCardComponentsItem =
  | TemplateHeader
  | TemplateBody
  | TemplateButton;

/** The cards of a carousel, all that the template has. */
export interface TemplateCarousel {
  /** Always `carousel`. */
  type: "carousel";
  /** The cards, as many as the template has. */
  cards: TemplateCard[];
}

export type TemplateComponentsItem =
  | TemplateHeader
  | TemplateBody
  | TemplateButton
  | TemplateCarousel
  | TemplateLimitedTimeOffer
  | TemplateOrderStatus
  | TemplateTapTargets;

/** The code that a button copies. */
export interface TemplateCouponCode {
  /** Always `coupon_code`. */
  type: "coupon_code";
  /** The code to copy. */
  coupon_code: string;
}

/** An amount for a placeholder. */
export interface TemplateCurrency {
  /** Always `currency`. */
  type: "currency";
  /** The amount, and how it is shown. */
  currency: CurrencyAmount;
  /** The name of the placeholder, if the template has named ones. */
  parameter_name?: string | null;
}

/** A time for a placeholder. */
export interface TemplateDateTime {
  /** Always `date_time`. */
  type: "date_time";
  /** The time, as the person sees it. */
  date_time: DisplayDateTime;
  /** The name of the placeholder, if the template has named ones. */
  parameter_name?: string | null;
}

/** The document of a header. */
export interface TemplateDocument {
  /** Always `document`. */
  type: "document";
  /** The document to attach, by its URL or id. */
  document: TemplateFile;
}

/** A file: its URL, or WhatsApp's id of it. `filename` is for documents. */
export interface TemplateFile {
  /** Where WhatsApp fetches the file: a public URL. */
  link?: string | null;
  /** WhatsApp's id of an uploaded file, instead of `link`. */
  id?: string | null;
  /** The name that people see, for documents. */
  filename?: string | null;
}

/** The animation of a header. */
export interface TemplateGif {
  /** Always `gif`. */
  type: "gif";
  /** The animation, as an MP4 video. */
  gif: TemplateFile;
}

/** The header: the placeholder of its text, or its file, location or product. */
export interface TemplateHeader {
  /** Always `header`. */
  type: "header";
  /** The value of the header. */
  parameters?: TemplateHeaderParametersItem[];
}

export type TemplateHeaderParametersItem =
  | TemplateText
  | TemplateCurrency
  | TemplateDateTime
  | TemplateImage
  | TemplateVideo
  | TemplateGif
  | TemplateDocument
  | TemplateLocation
  | TemplateProduct;

/** The image of a header. */
export interface TemplateImage {
  /** Always `image`. */
  type: "image";
  /** The image to show, by its URL or id. */
  image: TemplateFile;
}

/** The offer, for a template that has one. */
export interface TemplateLimitedTimeOffer {
  /** Always `limited_time_offer`. */
  type: "limited_time_offer";
  /** When the offer ends, exactly one. */
  parameters: TemplateOfferEnd[];
}

/** The location of a header. */
export interface TemplateLocation {
  /** Always `location`. */
  type: "location";
  /** The location to show on a map. */
  location: TemplatePlace;
}

/** When the offer of a template ends. */
export interface TemplateOfferEnd {
  /** Always `limited_time_offer`. */
  type: "limited_time_offer";
  /** When the offer ends. */
  limited_time_offer: OfferEnd;
}

/** The order that a template is about. */
export interface TemplateOrderState {
  /** Always `order_status`. */
  type: "order_status";
  /** The order and its new status. */
  order_status: OrderState;
}

/** The status of an order, for a template that reports it. */
export interface TemplateOrderStatus {
  /** Always `order_status`. */
  type: "order_status";
  /** The order and its new status, exactly one. */
  parameters: TemplateOrderState[];
}

/** What you receive when somebody presses a quick reply. */
export interface TemplatePayload {
  /** Always `payload`. */
  type: "payload";
  /** Comes back in the `data` of the reply when the person taps the button. */
  payload: string;
}

/** A location on the map. */
export interface TemplatePlace {
  /** In degrees; north is positive. */
  latitude: number;
  /** In degrees; east is positive. */
  longitude: number;
  /** The name of the place. */
  name?: string | null;
  /** The address of the place. */
  address?: string | null;
}

/** The product of a header. */
export interface TemplateProduct {
  /** Always `product`. */
  type: "product";
  /** The product of the catalog to show. */
  product: CatalogProduct;
}

/** What opens when somebody taps the message. */
export interface TemplateTapTarget {
  /** Always `tap_target_configuration`. */
  type: "tap_target_configuration";
  /** The page that opens, exactly one. */
  tap_target_configuration: TapTarget[];
}

/** What opens when somebody taps the message, for a template with an image. */
export interface TemplateTapTargets {
  /** Always `tap_target_configuration`. */
  type: "tap_target_configuration";
  /** What opens, exactly one. */
  parameters: TemplateTapTarget[];
}

/** A text for a placeholder; for a button with a URL, the end of the URL. */
export interface TemplateText {
  /** Always `text`. */
  type: "text";
  /** The value of the placeholder. */
  text: string;
  /** The name of the placeholder, if the template has named ones. */
  parameter_name?: string | null;
}

/** The video of a header. */
export interface TemplateVideo {
  /** Always `video`. */
  type: "video";
  /** The video to show, by its URL or id. */
  video: TemplateFile;
}

export type TextKind =
  | "facebook_page" | "google_business" | "instagram" | "telegram_bot" | "threads" | "tiktok" | "whatsapp_cloud" |
  "whatsapp_qr" | "youtube";

export interface ThreadsOptions {
  /** The kind of the account. The service accepts none. */
  kind?: "threads";
  /** Who may reply. */
  replyControl?: ThreadsOptionsReplyControl;
  /** Texts that follow the post, each as a reply to the previous one. */
  thread?: string[];
  /** The topic of the post, without #, up to 50 characters, without . and &. */
  topicTag?: string;
  /** The id of a place on Threads. Needs the permission threads_location_tagging. */
  locationId?: string;
  /** The post or reply to reply to. */
  replyToId?: string;
  /** The post to quote. */
  quotePostId?: string;
  /** The URL of a link card. Only for text posts; not with a poll. */
  linkAttachment?: string;
  /** The choices, only for text posts; up to 25 characters each. */
  poll?: string[];
  /** A longer text below the post. Only for text posts; not with a poll. */
  textAttachment?: ThreadsOptionsTextAttachment;
  /** An animated GIF from a provider, only for text posts. */
  gif?: ThreadsOptionsGif;
  /** The post disappears after 24 hours. Only for text posts. */
  isGhostPost?: boolean;
  /** Hides the media until it is tapped. */
  isSpoilerMedia?: boolean;
  /** Parts of the text that are hidden until they are tapped. */
  spoilers?: ThreadsOptionsSpoilersItem[];
  /** The countries in which it can be seen, as ISO 3166 codes. Only for profiles with this feature. */
  countries?: string[];
}

/** An animated GIF from a provider, only for text posts. */
export interface ThreadsOptionsGif {
  /** The provider's id of the GIF. */
  gifId: string;
  /** The provider of the GIF, such as TENOR. */
  provider: string;
}

export type ThreadsOptionsReplyControl =
  | "everyone" | "accounts_you_follow" | "mentioned_only" | "parent_post_author_only" | "followers_only";

export interface ThreadsOptionsSpoilersItem {
  /** Index of the first character. */
  offset: number;
  /** How many characters are hidden. */
  length: number;
}

/** A longer text below the post. Only for text posts; not with a poll. */
export interface ThreadsOptionsTextAttachment {
  /** The attached text. */
  plaintext: string;
  /** A URL that is shown below the attached text. */
  linkAttachmentUrl?: string;
}

export interface TiktokOptions {
  /** The kind of the account. The service accepts none. */
  kind?: "tiktok";
  /** Who can see it: one of the levels that the account offers. TikTok does not allow a default. */
  privacyLevel?: TiktokOptionsPrivacyLevel;
  /** A draft goes to the inbox of the TikTok app and is finished there. */
  mode?: TiktokOptionsMode;
  /** Videos only. With `url` TikTok fetches the video itself, from a domain that is verified in the app. */
  source?: TiktokOptionsSource;
  /** The title of photos. */
  title?: string;
  /** The text of photos, in UTF-16 units; the text of the post by default. */
  description?: string;
  /** Disable comments. */
  disableComment?: boolean;
  /** Disable duets. Videos only. */
  disableDuet?: boolean;
  /** Disable stitches. Videos only. */
  disableStitch?: boolean;
  /** The frame of the video that is its cover. Videos only. */
  coverTimestampMs?: number;
  /** Which of the photos is the cover, counted from 0. */
  photoCoverIndex?: number;
  /** Have TikTok add music. Photos only. */
  autoAddMusic?: boolean;
  /** Marks a paid partnership; never private. */
  brandedContent?: boolean;
  /** Promotes the creator's own business. */
  ownBrand?: boolean;
  /** Have TikTok label it as AI-generated. Videos only. */
  aiGenerated?: boolean;
}

export type TiktokOptionsMode = "direct" | "draft";

export type TiktokOptionsPrivacyLevel =
  | "PUBLIC_TO_EVERYONE" | "MUTUAL_FOLLOW_FRIENDS" | "FOLLOWER_OF_CREATOR" | "SELF_ONLY";

export type TiktokOptionsSource = "upload" | "url";

/**
 * The time is between two times of day in the profile's time zone, on one of these days.
 *
 * A window that ends earlier than it starts spans midnight and belongs to the day on which it starts.
 */
export interface TimeWindowCondition {
  /** Always `timeWindow`. */
  type: "timeWindow";
  /** Local time of day in the time zone. */
  begin: string;
  /** Local time of day in the time zone. */
  end: string;
  /** The days of the week. Empty: every day. */
  weekdays?: TimeWindowConditionWeekdays[];
}

export type TimeWindowConditionWeekdays =
  | "friday" | "monday" | "saturday" | "sunday" | "thursday" | "tuesday" | "wednesday";

export interface TokenHealth {
  /** Whether the platform accepted the token at the last check. Null if it has not been checked. */
  valid: boolean | null;
  /** When the token expires. Null if it does not expire, or the platform does not say. */
  expiresAt: string | null;
}

/** How the permission is kept alive. The token itself is never returned. */
export interface TokenRenewalStatus {
  /** When the access token expires. Null if it does not expire, or the platform does not say. */
  expiresAt: string | null;
  /** When the token is renewed next. Null if it needs no renewal. */
  nextRefreshAt: string | null;
  /** Why the last renewal failed. Null if it succeeded, or none was needed yet. */
  lastRefreshError: string | null;
}

/** The part of a video or sound to publish. */
export interface Trim {
  /** Where it starts, in seconds. */
  start?: number;
  /** Where it ends, in seconds. Null: at its end. */
  end?: number | null;
}

/** A type that nothing can be generated of, because there is no model for it. */
export interface UnavailableGenerationType {
  /** What cannot be generated. */
  type: GenerationType;
  /** Why not, and what the operator can do. */
  detail: string;
}

/** A signed address for one file. */
export interface UploadLink {
  /** Where to send the file with PUT, without a credential. Keep it as secret as a key. */
  url: string;
  /** The id that the file will have, for posts and messages. */
  mediaId: string;
  /** Until when the file must have begun to arrive. */
  expiresAt: string;
  /** The largest file that is accepted. */
  maxBytes: number;
}

/** The progress of an upload in chunks. `media` is set when it is complete. */
export interface UploadState {
  /** The id, `upl_…`. */
  id: string;
  /** The size of the whole file in bytes, as announced. */
  size: number;
  /** How many bytes were received so far: where to continue. */
  received: number;
  /** When the unfinished upload is deleted. Each chunk postpones it. */
  expiresAt: string;
  /** The file, once it is complete; null until then. */
  media: MediaItem | null;
}

/** What was used in a month. `plan` is the current plan, and the limits are its limits. */
export interface Usage {
  /** The calendar month in UTC, such as `2026-11`. */
  period: string;
  /** The name of the plan. */
  plan: string;
  /** Null if the owner has never bought a plan, and for keys limited to some profiles. */
  billing: BillingState | null;
  /** When the month ends and the counts restart at zero. */
  resetsAt: string;
  /** Every metric over the whole month. */
  metrics: MetricUse[];
  /** Each day of the month until today, oldest first. */
  daily: DayUse[];
}

export type UsageMetric =
  | "aiGenerations" | "apiCalls" | "connectedAccounts" | "deliveries" | "messagesReceived" | "messagesSent" | "posts" |
  "uploadBytes" | (string & {});

/** A person who signs in. */
export interface User {
  /** The id, `usr_…`. */
  id: string;
  /** The email address that the user signs in with. */
  email: string;
  /** The name of the person. Null if none was given. */
  name: string | null;
  /** When it was created. */
  createdAt: string;
}

/** The platform's own name for a metric, and the total exactly as the platform reported it. */
export interface VendorMetric {
  /** The platform's own name. */
  name: string;
  /** The total exactly as the platform reported it. Null if it reported none. */
  value: unknown;
}

/** A video to generate. This takes several minutes. */
export interface VideoGenerationBody {
  /** A model from `GET /ai/models`. Unset: the operator's default for this type. */
  model?: string | null;
  /** The profile that the generation and its files belong to. Required for a key limited to several profiles. */
  profileId?: string | null;
  /** What to generate, in your own words. */
  prompt: string;
  /** Length of the video. OpenAI's models accept 4, 8 or 12. */
  seconds?: number | null;
  /** Landscape or portrait. By default the model decides. */
  aspectRatio?: VideoGenerationBodyAspectRatio | null;
  /** An image for the first frame, with the size of the video. */
  imageMediaId?: string | null;
}

export type VideoGenerationBodyAspectRatio = "16:9" | "9:16";

/** Continue later: after one minute to 30 days. Waits survive restarts. */
export interface WaitAction {
  /** Always `wait`. */
  type: "wait";
  /** How long to wait, in `unit`. At most 30 days in total. */
  amount: number;
  /** What `amount` counts. */
  unit?: WaitActionUnit;
}

export type WaitActionUnit = "days" | "hours" | "minutes";

/** A WhatsApp number to pair by QR code, through WaSender. */
export interface WasenderConnection {
  /** The profile that the account will belong to. */
  profileId: string;
  /** Display name, also of the session at WaSender. */
  name: string;
  /** The number to pair, such as +51987654321. */
  phoneNumber: string;
  /** A WaSender personal access token. If not set, the service uses its own. */
  accessToken?: string | null;
}

/** A test delivery was requested with `POST /hooks/{hookId}/test`. It is only sent to that hook. */
export interface WebhookTest {
  /** The hook, `hook_…`. */
  hookId: string;
  /** When the test was requested. */
  sentAt: string;
  /** A sentence for people to read. */
  message: string;
}

/** What is sent: exactly these four top-level fields. */
export interface WebhookTestEnvelope {
  /** The name of the event. */
  event: "webhook.test";
  /** The owner, `own_…`. */
  ownerId: string;
  /** The profile that it happened in, `prf_…`. */
  profileId: string;
  /** The details of the event. */
  data: WebhookTest;
  /** The id of the event, `evt_…`. Only `webhooks.unwrap` knows it. */
  id?: string;
  /** The position of the event in the stream: `events.stream({ after })` continues there. */
  cursor?: string;
}

/** An event as a hook receives it, with its id and time. */
export interface WebhookTestEvent {
  /** The id, `evt_…`. The same as the header `webhook-id` of its deliveries. */
  id: string;
  /** The name of the event. */
  event: "webhook.test";
  /** The owner, `own_…`. */
  ownerId: string;
  /** The profile that it happened in, `prf_…`. */
  profileId: string;
  /** The details; their form depends on `event`. */
  data: WebhookTest;
  /** When it happened. */
  createdAt: string;
}

/** A WhatsApp Cloud API number. */
export interface WhatsappCloudConnection {
  /** The profile that the account will belong to. */
  profileId: string;
  /** The ID of the number at Meta, which is not the number itself. */
  phoneNumberId: string;
  /** The ID of the WhatsApp Business Account at Meta. */
  wabaId: string;
  /** A system user's token with both WhatsApp permissions. */
  accessToken: string;
  /** The secret of the Meta app that sends the webhooks. */
  appSecret: string;
  /** Six digits of your choice, if the number is not registered yet. */
  pin?: string | null;
}

export interface WhatsappCloudMessageOptions {
  /** The kind of the account. The service accepts none. */
  kind?: "whatsapp_cloud";
  /** Show a preview of the first URL in the text. Default: true if it has a URL. */
  previewUrl?: boolean;
}

/** A message of one type, with the field of that type. With files, `text` is the caption. */
export interface WhatsappMessage {
  /** The recipient: a phone number in E.164 format on WhatsApp, otherwise the platform's id of the person. */
  to: string;
  /**
   * What to send. The field of that type is required; `image`, `video`, `audio`, `document` and `sticker` need `media`.
   */
  type: WhatsappMessageType;
  /** The text, or the caption of a file. */
  text?: string | null;
  /** For `template`: which one, and the values of its placeholders. */
  template?: Template | null;
  /** For files: which one. */
  media?: MessageFile | null;
  /** For `location`: the place to send. */
  location?: Location | null;
  /** For `contacts`: the cards to send. */
  contacts?: ContactCard[] | null;
  /** For `interactive`: a text with buttons or a list. */
  interactive?: InteractiveMessage | null;
  /** For `reaction`: which message, and the emoji. */
  reaction?: NewReaction | null;
  /** For `read`: marks messages of the person as read, and sends nothing. */
  read?: ReadReceipt | null;
  /** The message to reply to: our id, or the platform's. */
  replyTo?: string | null;
}

export type WhatsappMessageType =
  | "audio" | "contacts" | "document" | "image" | "interactive" | "location" | "reaction" | "read" | "sticker" |
  "template" | "text" | "video";

export interface WhatsappQrMessageOptions {
  /** The kind of the account. The service accepts none. */
  kind?: "whatsapp_qr";
  /** Let the image or video be viewed only once. */
  viewOnce?: boolean;
}

export interface WhatsappQrOptions {
  /** The kind of the account. The service accepts none. */
  kind?: "whatsapp_qr";
}

export interface YoutubeOptions {
  /** The kind of the account. The service accepts none. */
  kind?: "youtube";
  /** The title of the video. The text of the post becomes its description. */
  title: string;
  /** Search keywords, at most 500 characters in total. */
  tags?: string[];
  /** The number of a YouTube category; 22 is People & Blogs. */
  categoryId?: string;
  /** Who can see it. */
  privacyStatus?: YoutubeOptionsPrivacyStatus;
  /** When YouTube makes a private video public. */
  publishAt?: string;
  /** Whether it is made for kids. */
  madeForKids?: boolean;
  /** Whether it contains realistic altered or synthetic content. */
  containsSyntheticMedia?: boolean;
  /** Whether other sites may embed it. */
  embeddable?: boolean;
  /** The license. */
  license?: YoutubeOptionsLicense;
  /** Whether everyone can see its statistics. */
  publicStatsViewable?: boolean;
  /** Whether subscribers are notified. */
  notifySubscribers?: boolean;
  /** The language of the title and description, such as `en`. */
  defaultLanguage?: string;
  /** The spoken language, such as `en`. */
  defaultAudioLanguage?: string;
  /** When it was recorded. */
  recordingDate?: string;
}

export type YoutubeOptionsLicense = "youtube" | "creativeCommon";

export type YoutubeOptionsPrivacyStatus = "public" | "unlisted" | "private";
