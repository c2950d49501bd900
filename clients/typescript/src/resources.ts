// Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.

/** The resources of the API, each with its methods. */

import { type Http, Resource, divide, expand, path, readBytes } from "./core.js";
import type { Call, CallOptions, ChangeOptions, Pages, WriteOptions } from "./core.js";
import { EventStream } from "./streams.js";
import { TaskWaiting } from "./tasks.js";
import { MediaUploads } from "./uploads.js";
import type {
  Account,
  AccountChanges,
  AccountHealth,
  AccountInsights,
  AccountPage,
  AccountSelectionBody,
  AccountsQueryKind,
  AccountsQueryStatus,
  Ad,
  AdAccount,
  AdAccountChoice,
  AdAccountPage,
  AdAccountsQueryKind,
  AdAccountsQueryStatus,
  AdCreative,
  AdInsight,
  AdInsightsLevelInput,
  AdInsightsQueryPreset,
  AdObject,
  AdObjectChangesBody,
  AdObjectDeleted,
  AdPage,
  AdReport,
  AdSet,
  AdSetPage,
  AdTypeInput,
  AiModels,
  AnalyticsSummary,
  ApiKey,
  ApiKeyChanges,
  ApiKeyCreated,
  ApiKeyPage,
  ApiKeyRevoked,
  Audience,
  AudiencePage,
  AudioGenerationBody,
  Automation,
  AutomationChanges,
  AutomationPage,
  AutomationRun,
  AutomationRunPage,
  BatchRow,
  BatchRowPage,
  BoostBody,
  CalendarEvent,
  CalendarEvents,
  Campaign,
  CampaignPage,
  Catalog,
  CatalogPage,
  CheckoutPage,
  Comment,
  CommentDeleted,
  CommentHidden,
  CommentPage,
  CommentVisibility,
  ConnectLink,
  ConnectLinkCreated,
  ConnectLinkPage,
  ConnectStarted,
  ConnectableAccounts,
  ConnectedAccounts,
  ConnectedAdAccounts,
  Conversation,
  ConversationDetail,
  ConversationPage,
  ConversationRead,
  CopyGenerationBody,
  CustomConversion,
  CustomConversionPage,
  DarkPostBody,
  DeletionConfirmation,
  DeliveriesQueryEvent,
  Delivery,
  DeliveryDetail,
  DeliveryPage,
  DeliveryQueued,
  DeliveryStatusInput,
  DryRunBody,
  DryRunResult,
  Event,
  EventChanges,
  EventDeleted,
  EventDeletionQueryNotify,
  EventDeletionQueryScope,
  EventPage,
  EventsQueryEvent,
  FollowersQueryGranularity,
  FollowersSeries,
  Generation,
  GenerationPage,
  GenerationTypeInput,
  Granularity,
  Health,
  HealthReport,
  HistoryEntry,
  HistoryEntryPage,
  Hook,
  HookChanges,
  HookCreated,
  HookPage,
  HookRecovery,
  ImageGenerationBody,
  InsightsQueryGranularity,
  JobStatusInput,
  KindInput,
  Lead,
  LeadForm,
  LeadFormPage,
  LeadPage,
  LeadState,
  LeadStateChanges,
  LeadStateNameInput,
  LeadStatePage,
  Login,
  Me,
  MediaItem,
  MediaItemPage,
  MediaQueryType,
  Message,
  MessageTemplateView,
  MessageTemplateViewPage,
  NewAdBody,
  NewAdSetBody,
  NewApiKey,
  NewAudienceBody,
  NewAutomation,
  NewCalendarEvent,
  NewCampaignBody,
  NewCatalogBody,
  NewCheckout,
  NewCommentBody,
  NewConnectLink,
  NewConversionBody,
  NewCreativeBody,
  NewHook,
  NewLeadForm,
  NewMessageBody,
  NewPost,
  NewProductBody,
  NewProductSetBody,
  NewProfile,
  NewSlot,
  NewUploadLink,
  NextSlot,
  Operation,
  OperationPage,
  OperationStatusInput,
  PairingQrCode,
  PasswordChange,
  Pixel,
  PixelEventsBody,
  PixelEventsResult,
  PixelPage,
  PlacesQueryKind,
  PlanForSalePage,
  PlatformAccountProfile,
  PlatformInput,
  PlatformKind,
  PlatformKinds,
  PlatformObjectDeleted,
  PortalPage,
  Post,
  PostChanges,
  PostDeleted,
  PostInsights,
  PostInsightsPage,
  PostPage,
  PostStatusInput,
  PostValidationResult,
  Product,
  ProductAvailability,
  ProductBatch,
  ProductBatchBody,
  ProductBatchItemStatusInput,
  ProductCondition,
  ProductDeleted,
  ProductPage,
  ProductSet,
  ProductSetPage,
  Profile,
  ProfileChanges,
  ProfilePage,
  PromotedPost,
  QueueEntry,
  QueueView,
  QueuedPost,
  Reconciliation,
  RecoveredDeliveries,
  Registration,
  RunStatusInput,
  SecretRotated,
  SecretRotation,
  SessionOpened,
  Shop,
  ShopPage,
  Slot,
  SlotChanges,
  SlotDeleted,
  SlotPage,
  SlotPostsQueryPosts,
  SummaryQueryPeriod,
  TargetingOptionPage,
  Task,
  TaskCancelled,
  TaskPage,
  TelegramConnection,
  UploadLink,
  Usage,
  VideoGenerationBody,
  WasenderConnection,
  WhatsappCloudConnection,
  WhatsappMessage,
} from "./types.js";

/** What `accounts.list` takes. */
export interface AccountsListParams {
  /** Maximum number of rows per page. */
  limit?: number;
  /** Only accounts of this profile. */
  profileId?: string;
  /** Only accounts on this platform. */
  platform?: PlatformInput;
  /** Only accounts with this status. */
  status?: AccountsQueryStatus;
  /** Only accounts of this kind. */
  kind?: AccountsQueryKind;
}

/** What `accounts.health` takes. */
export interface AccountsHealthParams {
  /** Maximum number of rows per page. */
  limit?: number;
  /** Only the accounts of this profile. */
  profileId?: string;
  /** Check the accounts of this page now, all at once, instead of returning the last check. */
  refresh?: boolean;
}

/** What `accounts.history` takes. */
export interface AccountsHistoryParams {
  /** Rows per page; platforms may return fewer. */
  limit?: number;
}

/** Connected accounts and ad accounts: their status, their health, and how to disconnect them. */
export class AccountsResource extends Resource {
  /** List the connected accounts, newest first. Ad accounts have a separate list. */
  list(params: AccountsListParams = {}, options?: CallOptions): Pages<Account, AccountPage> {
    return this.http.list({ method: "GET", path: "/accounts", query: params }, "cursor", options);
  }

  /**
   * Return one connected account.
   *
   * @param accountId The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
   */
  get(accountId: string, options?: CallOptions): Call<Account> {
    return this.http.call({ method: "GET", path: path`/accounts/${accountId}` }, options);
  }

  /**
   * Move an account to another profile.
   *
   * Its conversations move with it, and its events have the new profile from now on. Posts that are already scheduled
   * for it stay in the profile in which they were created, and are published as planned.
   *
   * @param accountId The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
   * @throws Error codes beside the common ones: `body_too_large`, `malformed_json`, `unsupported_media_type`.
   */
  update(accountId: string, params: AccountChanges, options?: CallOptions): Call<Account> {
    return this.http.call({ method: "PATCH", path: path`/accounts/${accountId}`, body: params }, options);
  }

  /**
   * Read the current profile of an account or ad account from its platform.
   *
   * @param accountId The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
   * @throws Error codes beside the common ones: `needs_reconnection`, `permission_missing`, `platform_not_configured`,
   * `platform_not_found`, `platform_rate_limited`, `platform_rejected`, `platform_unavailable`.
   */
  about(accountId: string, options?: CallOptions): Call<PlatformAccountProfile> {
    return this.http.call({ method: "GET", path: path`/accounts/${accountId}/about` }, options);
  }

  /**
   * Delete a post on the platform by the platform's own id, whether or not it was posted here.
   *
   * @param accountId The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
   * @param objectId The platform's own id of a post, from the history of the account.
   * @throws Error codes beside the common ones: `needs_reconnection`, `not_supported`, `outcome_unknown`,
   * `permission_missing`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
   * `platform_rejected`, `platform_unavailable`.
   */
  deletePost(accountId: string, objectId: string, options?: CallOptions): Call<PlatformObjectDeleted> {
    return this.http.call({ method: "DELETE", path: path`/accounts/${accountId}/posts/${objectId}` }, options);
  }

  /**
   * Disconnect an account. Its tokens are deleted, its history stays, and `account.disconnected` is sent.
   *
   * If possible, the permission is also revoked on the platform, unless other accounts need it. The event is sent for
   * every account that leaves the list, including a number whose code was never scanned.
   *
   * @param accountId The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
   */
  disconnect(accountId: string, options?: CallOptions): Call<DeletionConfirmation> {
    return this.http.call({ method: "DELETE", path: path`/accounts/${accountId}` }, options);
  }

  /**
   * Return the health of accounts and ad accounts: tokens, permissions, limits, and how to fix problems.
   *
   * Every account is checked once an hour, and immediately when its platform reports a problem. `refresh=true` checks
   * now. If a platform does not respond, the account is `unknown`, never disconnected.
   */
  health(params: AccountsHealthParams = {}, options?: CallOptions): Pages<AccountHealth, HealthReport> {
    return this.http.list({ method: "GET", path: "/accounts/health", query: params }, "cursor", options);
  }

  /**
   * List the live posts of the account, read from the platform, whether or not they were posted here.
   *
   * @param accountId The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
   * @throws Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
   * `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
   * `platform_unavailable`.
   */
  history(
    accountId: string,
    params: AccountsHistoryParams = {},
    options?: CallOptions,
  ): Pages<HistoryEntry, HistoryEntryPage> {
    return this.http.list(
      { method: "GET", path: path`/accounts/${accountId}/history`, query: params },
      "cursor",
      options,
    );
  }
}

/** What `adAccounts.list` takes. */
export interface AdAccountsListParams {
  /** Maximum number of rows per page. */
  limit?: number;
  /** Only accounts of this profile. */
  profileId?: string;
  /** Only accounts on this platform. */
  platform?: PlatformInput;
  /** Only accounts with this status. */
  status?: AdAccountsQueryStatus;
  /** Only ad accounts of this kind. */
  kind?: AdAccountsQueryKind;
}

/** Connected accounts and ad accounts: their status, their health, and how to disconnect them. */
export class AdAccountsResource extends Resource {
  /** List the connected ad accounts, newest first. */
  list(params: AdAccountsListParams = {}, options?: CallOptions): Pages<AdAccount, AdAccountPage> {
    return this.http.list({ method: "GET", path: "/adaccounts", query: params }, "cursor", options);
  }

  /**
   * Disconnect an ad account, like `DELETE /accounts/{accountId}`.
   *
   * @param adAccountId The id of an ad account, `adacc_…`, from `GET /adaccounts`.
   */
  disconnect(adAccountId: string, options?: CallOptions): Call<DeletionConfirmation> {
    return this.http.call({ method: "DELETE", path: path`/adaccounts/${adAccountId}` }, options);
  }
}

/** What `ads.adSets.list` takes. */
export interface AdsAdSetsListParams {
  /** Rows per page; platforms may return fewer. */
  limit?: number;
  /** The id of an ad account, from `GET /adaccounts`. */
  adAccountId: string;
  /** Only objects with these statuses, separated by commas. By default all except `deleted`. */
  status?: string;
  /** Only those whose name contains this text. */
  q?: string;
  /** Only those of this campaign, by the platform's id. */
  campaignId?: string;
}

/** Campaigns, ad sets, ads, audiences, pixels and insights of ad accounts. */
export class AdsAdSetsResource extends Resource {
  /**
   * List the ad sets of an ad account or a campaign, live from the platform.
   *
   * @throws Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
   * `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
   * `platform_unavailable`.
   */
  list(params: AdsAdSetsListParams, options?: CallOptions): Pages<AdSet, AdSetPage> {
    return this.http.list({ method: "GET", path: "/ads/adsets", query: params }, "cursor", options);
  }

  /**
   * Create an ad set in a campaign. It is paused unless you send `status: active`.
   *
   * @throws Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
   * `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
   * `platform_duplicate`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
   * `platform_rejected`, `platform_unavailable`, `unsupported_media_type`.
   */
  create(params: NewAdSetBody, options?: WriteOptions): Call<AdSet> {
    return this.http.call({ method: "POST", path: "/ads/adsets", body: params, once: true }, options);
  }
}

/** What `ads.ads.list` takes. */
export interface AdsAdsListParams {
  /** Rows per page; platforms may return fewer. */
  limit?: number;
  /** The id of an ad account, from `GET /adaccounts`. */
  adAccountId: string;
  /** Only objects with these statuses, separated by commas. By default all except `deleted`. */
  status?: string;
  /** Only those whose name contains this text. */
  q?: string;
  /** Only those of this campaign, by the platform's id. */
  campaignId?: string;
  /** Only ads of this ad set, by the platform's id. */
  adsetId?: string;
}

/** Campaigns, ad sets, ads, audiences, pixels and insights of ad accounts. */
export class AdsAdsResource extends Resource {
  /**
   * List the ads of an ad account, a campaign or an ad set, live from the platform.
   *
   * @throws Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
   * `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
   * `platform_unavailable`.
   */
  list(params: AdsAdsListParams, options?: CallOptions): Pages<Ad, AdPage> {
    return this.http.list({ method: "GET", path: "/ads/ads", query: params }, "cursor", options);
  }

  /**
   * Create an ad from a creative. It is paused unless you send `status: active`.
   *
   * @throws Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
   * `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
   * `platform_duplicate`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
   * `platform_rejected`, `platform_unavailable`, `unsupported_media_type`.
   */
  create(params: NewAdBody, options?: WriteOptions): Call<Ad> {
    return this.http.call({ method: "POST", path: "/ads/ads", body: params, once: true }, options);
  }
}

/** What `ads.audiences.list` takes. */
export interface AdsAudiencesListParams {
  /** Rows per page; platforms may return fewer. */
  limit?: number;
  /** The id of an ad account, from `GET /adaccounts`. */
  adAccountId: string;
  /** Only those whose name contains this text. */
  q?: string;
}

/** Campaigns, ad sets, ads, audiences, pixels and insights of ad accounts. */
export class AdsAudiencesResource extends Resource {
  /**
   * List the audiences of an ad account, live from the platform.
   *
   * @throws Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
   * `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
   * `platform_unavailable`.
   */
  list(params: AdsAudiencesListParams, options?: CallOptions): Pages<Audience, AudiencePage> {
    return this.http.list({ method: "GET", path: "/ads/audiences", query: params }, "cursor", options);
  }

  /**
   * Create an audience, or add people to a list of customers and remove them, up to 10,000 at once.
   *
   * Email addresses and phone numbers are normalized and hashed with SHA-256 before anything is stored. A task uploads
   * the hashes: see `upload` in the response.
   *
   * @throws Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
   * `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
   * `platform_duplicate`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
   * `platform_rejected`, `platform_unavailable`, `too_many_tasks`, `unsupported_media_type`.
   */
  create(params: NewAudienceBody, options?: WriteOptions): Call<Audience> {
    return this.http.call({ method: "POST", path: "/ads/audiences", body: params, once: true }, options);
  }
}

/** What `ads.campaigns.list` takes. */
export interface AdsCampaignsListParams {
  /** Rows per page; platforms may return fewer. */
  limit?: number;
  /** The id of an ad account, from `GET /adaccounts`. */
  adAccountId: string;
  /** Only objects with these statuses, separated by commas. By default all except `deleted`. */
  status?: string;
  /** Only those whose name contains this text. */
  q?: string;
}

/** Campaigns, ad sets, ads, audiences, pixels and insights of ad accounts. */
export class AdsCampaignsResource extends Resource {
  /**
   * List the campaigns of an ad account, live from the platform.
   *
   * @throws Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
   * `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
   * `platform_unavailable`.
   */
  list(params: AdsCampaignsListParams, options?: CallOptions): Pages<Campaign, CampaignPage> {
    return this.http.list({ method: "GET", path: "/ads/campaigns", query: params }, "cursor", options);
  }

  /**
   * Create a campaign. It is paused unless you send `status: active`.
   *
   * Send an `Idempotency-Key`: repeating the request with it never creates a second campaign. The budget is checked
   * against the currency of the ad account, and the minimum if the platform publishes it, before the platform is
   * called.
   *
   * @throws Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
   * `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
   * `platform_duplicate`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
   * `platform_rejected`, `platform_unavailable`, `unsupported_media_type`.
   */
  create(params: NewCampaignBody, options?: WriteOptions): Call<Campaign> {
    return this.http.call({ method: "POST", path: "/ads/campaigns", body: params, once: true }, options);
  }
}

/** What `ads.conversions.list` takes. */
export interface AdsConversionsListParams {
  /** Rows per page; platforms may return fewer. */
  limit?: number;
  /** The id of an ad account, from `GET /adaccounts`. */
  adAccountId: string;
  /** Only those whose name contains this text. */
  q?: string;
  /** Only those of this pixel. */
  pixelId?: string;
}

/** Campaigns, ad sets, ads, audiences, pixels and insights of ad accounts. */
export class AdsConversionsResource extends Resource {
  /**
   * List the custom conversions of an ad account. Some platforms require `pixelId`.
   *
   * @throws Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
   * `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
   * `platform_unavailable`.
   */
  list(params: AdsConversionsListParams, options?: CallOptions): Pages<CustomConversion, CustomConversionPage> {
    return this.http.list({ method: "GET", path: "/ads/custom-conversions", query: params }, "cursor", options);
  }

  /**
   * Create a custom conversion: events of a pixel that match all rules are counted as a conversion.
   *
   * @throws Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
   * `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
   * `platform_duplicate`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
   * `platform_rejected`, `platform_unavailable`, `unsupported_media_type`.
   */
  create(params: NewConversionBody, options?: WriteOptions): Call<CustomConversion> {
    return this.http.call({ method: "POST", path: "/ads/custom-conversions", body: params, once: true }, options);
  }
}

/** Campaigns, ad sets, ads, audiences, pixels and insights of ad accounts. */
export class AdsCreativesResource extends Resource {
  /**
   * Create a creative, with its images or video.
   *
   * Files are uploaded to the ad account first. If the platform takes longer than 20 seconds to process a video, the
   * response is 503 with `Retry-After`; a repeated request continues to wait and does not upload it again.
   *
   * @throws Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
   * `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
   * `plan_limit_reached`, `platform_duplicate`, `platform_not_configured`, `platform_not_found`,
   * `platform_rate_limited`, `platform_rejected`, `platform_unavailable`, `storage_unavailable`, `too_many_fetches`,
   * `unsupported_media_type`.
   */
  create(params: NewCreativeBody, options?: WriteOptions): Call<AdCreative> {
    return this.http.call({ method: "POST", path: "/ads/adcreatives", body: params, once: true }, options);
  }
}

/** What `ads.delete` takes. */
export interface AdsDeleteParams {
  /** The id of an ad account, from `GET /adaccounts`. */
  adAccountId: string;
  /** What the object is. */
  type: AdTypeInput;
  /** The id of the object, as in the lists. */
  id: string;
}

/** What `ads.insights` takes. */
export interface AdsInsightsParams {
  /** Rows per page; platforms may return fewer. */
  limit?: number;
  /** The id of an ad account, from `GET /adaccounts`. */
  adAccountId: string;
  /** What each row is about: the ad account, or each campaign, ad set or ad. */
  level?: AdInsightsLevelInput;
  /** The first day. By default, the period is the 30 days up to `until`. */
  since?: string;
  /** Inclusive, not in the future; today by default. */
  until?: string;
  /** Instead of `since` and `until`. Default: `last30d`. Presets that start with `last` do not include today. */
  preset?: AdInsightsQueryPreset;
  /** The period of each row. With `total` one row covers all days. */
  granularity?: Granularity;
  /** Separated by commas: age, gender, country, region, platform, placement, device, hour. */
  breakdowns?: string;
  /** Only these objects of the level, separated by commas. */
  ids?: string;
  /** Always prepare a report in the background, even if the rows could be returned directly. */
  report?: boolean;
  /** The task of a finished report, to read its rows. Other filters are ignored. */
  taskId?: string;
}

/** What `ads.locations` takes. */
export interface AdsLocationsParams {
  /** The id of an ad account, from `GET /adaccounts`. */
  adAccountId: string;
  /** The beginning of a name. */
  q: string;
  /** Whether to search for places or for interests. */
  kind?: PlacesQueryKind;
  /** Of places, separated by commas: country, region, city, zip. */
  types?: string;
  /** Only places in this country. */
  country?: string;
  /** The maximum number of results. */
  limit?: number;
}

/** What `ads.pixels` takes. */
export interface AdsPixelsParams {
  /** Rows per page; platforms may return fewer. */
  limit?: number;
  /** The id of an ad account, from `GET /adaccounts`. */
  adAccountId: string;
  /** Only those whose name contains this text. */
  q?: string;
}

/** Campaigns, ad sets, ads, audiences, pixels and insights of ad accounts. */
export class AdsResource extends Resource {
  readonly adSets = new AdsAdSetsResource(this.http);
  readonly ads = new AdsAdsResource(this.http);
  readonly audiences = new AdsAudiencesResource(this.http);
  readonly campaigns = new AdsCampaignsResource(this.http);
  readonly conversions = new AdsConversionsResource(this.http);
  readonly creatives = new AdsCreativesResource(this.http);

  /**
   * Change an object of any type: its name, budget, schedule or targeting; start or pause it with `status`.
   *
   * A new `targeting` replaces the previous one as a whole, so include what you want to keep. Send `If-Match` with the
   * `etag` from the last response or from the list: if the object has been changed since, the response is 412.
   *
   * @throws Error codes beside the common ones: `body_too_large`, `malformed_json`, `needs_reconnection`,
   * `not_supported`, `outcome_unknown`, `permission_missing`, `platform_duplicate`, `platform_not_configured`,
   * `platform_not_found`, `platform_rate_limited`, `platform_rejected`, `platform_unavailable`, `precondition_failed`,
   * `unsupported_media_type`.
   */
  update(params: AdObjectChangesBody, options?: ChangeOptions): Call<AdObject> {
    return this.http.call({ method: "PATCH", path: "/ads/object", body: params }, options);
  }

  /**
   * Delete an object of any type, with everything in it.
   *
   * A deleted campaign stops at once and cannot be restored. To stop it for a while, pause it.
   *
   * @throws Error codes beside the common ones: `needs_reconnection`, `not_supported`, `outcome_unknown`,
   * `permission_missing`, `platform_duplicate`, `platform_not_configured`, `platform_not_found`,
   * `platform_rate_limited`, `platform_rejected`, `platform_unavailable`.
   */
  delete(params: AdsDeleteParams, options?: CallOptions): Call<AdObjectDeleted> {
    return this.http.call({ method: "DELETE", path: "/ads/object", query: params }, options);
  }

  /**
   * Advertise a published post: creates a campaign, an ad set and an ad that shows it.
   *
   * They are created together: if one step fails, the objects that the others created are deleted. Those that could not
   * be deleted are listed in the error and in the `steps` of the operation. Everything is paused unless you send
   * `status: active`.
   *
   * @throws Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
   * `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
   * `platform_duplicate`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
   * `platform_rejected`, `platform_unavailable`, `unsupported_media_type`.
   */
  boost(params: BoostBody, options?: WriteOptions): Call<PromotedPost> {
    return this.http.call({ method: "POST", path: "/ads/boost", body: params, once: true }, options);
  }

  /**
   * Create an ad that never appears as a post on the profile, with its campaign and ad set.
   *
   * They are created together, as for a boost.
   *
   * @throws Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
   * `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
   * `plan_limit_reached`, `platform_duplicate`, `platform_not_configured`, `platform_not_found`,
   * `platform_rate_limited`, `platform_rejected`, `platform_unavailable`, `storage_unavailable`, `too_many_fetches`,
   * `unsupported_media_type`.
   */
  darkPost(params: DarkPostBody, options?: WriteOptions): Call<PromotedPost> {
    return this.http.call({ method: "POST", path: "/ads/darkpost", body: params, once: true }, options);
  }

  /**
   * Read how ads perform, by account, campaign, ad set or ad.
   *
   * If a query takes too long to answer directly, a report is prepared: the response is 202 with a `task`, and you read
   * the rows with `taskId` once it has succeeded. Amounts are in the currency of the ad account. Numbers may be up to
   * 60 seconds old.
   *
   * @throws Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
   * `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
   * `platform_unavailable`, `report_not_ready`, `too_many_tasks`.
   */
  insights(params: AdsInsightsParams, options?: CallOptions): Pages<AdInsight, AdReport> {
    return this.http.list({ method: "GET", path: "/ads/insights", query: params }, "cursor", options);
  }

  /**
   * Find places to show ads in, or interests with `kind=interest`, by the beginning of their name.
   *
   * @throws Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
   * `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
   * `platform_unavailable`.
   */
  locations(params: AdsLocationsParams, options?: CallOptions): Call<TargetingOptionPage> {
    return this.http.call({ method: "GET", path: "/ads/locations", query: params }, options);
  }

  /**
   * List the pixels of an ad account, live from the platform.
   *
   * @throws Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
   * `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
   * `platform_unavailable`.
   */
  pixels(params: AdsPixelsParams, options?: CallOptions): Pages<Pixel, PixelPage> {
    return this.http.list({ method: "GET", path: "/ads/pixels", query: params }, "cursor", options);
  }

  /**
   * Send events from your server to a pixel, up to 1,000 at once, with a result for each.
   *
   * Personal data is normalized and hashed with SHA-256 before anything is stored. An invalid event does not affect the
   * others. Platforms count an event with the same name and id only once.
   *
   * @throws Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
   * `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
   * `platform_duplicate`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
   * `platform_rejected`, `platform_unavailable`, `unsupported_media_type`.
   */
  sendEvents(params: PixelEventsBody, options?: WriteOptions): Call<PixelEventsResult> {
    return this.http.call({ method: "POST", path: "/ads/pixel-events", body: params, once: true }, options);
  }
}

/** What `ai.list` takes. */
export interface AiListParams {
  /** Maximum number of rows per page. */
  limit?: number;
  /** Only generations of this type. */
  type?: GenerationTypeInput;
  /** Only generations with this status. */
  status?: JobStatusInput;
  /** Only generations of this profile. */
  profileId?: string;
}

/** What `ai.get` takes. */
export interface AiGetParams {
  /** Respond when it has finished, or after this many seconds. */
  wait?: number;
}

/** Generate texts, images, videos and audio with AI models. */
export class AiResource extends Resource {
  /** List generations, newest first. */
  list(params: AiListParams = {}, options?: CallOptions): Pages<Generation, GenerationPage> {
    return this.http.list({ method: "GET", path: "/ai/generations", query: params }, "cursor", options);
  }

  /**
   * Return a generation: its status, its request, and its results so far.
   *
   * With `wait`, the response is sent as soon as the generation has finished. Generations are kept for 30 days after
   * that.
   *
   * @param taskId The id of a task, `task_…`, or of a generation, `gen_…`, from the response that started it.
   */
  get(taskId: string, params: AiGetParams = {}, options?: CallOptions): Call<Generation> {
    return this.http.call({ method: "GET", path: path`/ai/generate/${taskId}`, query: params }, options);
  }

  /**
   * Convert a text to speech. The response is a task; its result is an audio file.
   *
   * @throws Error codes beside the common ones: `ai_not_configured`, `body_too_large`, `idempotency_key_in_use`,
   * `idempotency_key_reused`, `malformed_json`, `plan_limit_reached`, `too_many_tasks`, `unsupported_media_type`.
   */
  audio(params: AudioGenerationBody, options?: WriteOptions): Call<Generation> {
    return this.http.call({ method: "POST", path: "/ai/generate-audio", body: params, once: true }, options);
  }

  /**
   * Generate images. The response is a task; its result lists files, which posts can use by their `mediaId`.
   *
   * @throws Error codes beside the common ones: `ai_not_configured`, `body_too_large`, `idempotency_key_in_use`,
   * `idempotency_key_reused`, `malformed_json`, `plan_limit_reached`, `too_many_tasks`, `unsupported_media_type`.
   */
  image(params: ImageGenerationBody, options?: WriteOptions): Call<Generation> {
    return this.http.call({ method: "POST", path: "/ai/generate-image", body: params, once: true }, options);
  }

  /**
   * List the models of this deployment's provider that can generate texts, images, videos or audio.
   *
   * The list is cached for a minute. Providers do not report what a model generates, so `type` is derived from its
   * name. `unavailable` lists the types for which there is no model.
   *
   * @throws Error codes beside the common ones: `ai_account_rejected`, `ai_not_configured`, `platform_rate_limited`,
   * `platform_unavailable`.
   */
  models(options?: CallOptions): Call<AiModels> {
    return this.http.call({ method: "GET", path: "/ai/models" }, options);
  }

  /**
   * Write texts for posts. The response is a task; its result has a text for each variant.
   *
   * `kinds` and `accountIds` say where you want to publish the texts: the length limits of these accounts apply. If a
   * text is too long, the model is asked once for a shorter one, and a warning says so. Texts are never cut off.
   *
   * @throws Error codes beside the common ones: `ai_not_configured`, `body_too_large`, `idempotency_key_in_use`,
   * `idempotency_key_reused`, `malformed_json`, `plan_limit_reached`, `too_many_tasks`, `unsupported_media_type`.
   */
  text(params: CopyGenerationBody, options?: WriteOptions): Call<Generation> {
    return this.http.call({ method: "POST", path: "/ai/generate-copy", body: params, once: true }, options);
  }

  /**
   * Generate a video, which takes several minutes. The response is a task; its result is a file that posts can use.
   *
   * The video is requested at most once. If the provider's response is lost, the task fails with `outcome_unknown`.
   *
   * @throws Error codes beside the common ones: `ai_not_configured`, `body_too_large`, `idempotency_key_in_use`,
   * `idempotency_key_reused`, `malformed_json`, `plan_limit_reached`, `too_many_tasks`, `unsupported_media_type`.
   */
  video(params: VideoGenerationBody, options?: WriteOptions): Call<Generation> {
    return this.http.call({ method: "POST", path: "/ai/generate-video", body: params, once: true }, options);
  }
}

/** What `apiKeys.list` takes. */
export interface ApiKeysListParams {
  /** Maximum number of rows per page. */
  limit?: number;
}

/** Keys for programs, limited to profiles and permissions. */
export class ApiKeysResource extends Resource {
  /**
   * List the API keys of the owner, newest first, without their values.
   *
   * @throws Error codes beside the common ones: `session_required`.
   */
  list(params: ApiKeysListParams = {}, options?: CallOptions): Pages<ApiKey, ApiKeyPage> {
    return this.http.list({ method: "GET", path: "/api-keys", query: params }, "cursor", options);
  }

  /**
   * Create an API key. Its value is only in this response; we store a hash.
   *
   * @throws Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
   * `malformed_json`, `session_required`, `unsupported_media_type`.
   */
  create(params: NewApiKey, options?: WriteOptions): Call<ApiKeyCreated> {
    return this.http.call({ method: "POST", path: "/api-keys", body: params, once: true }, options);
  }

  /**
   * Update an API key. The change applies immediately here, and within a second on all other nodes.
   *
   * Hooks created with the key lose the profiles that it no longer covers. They do not gain newly covered profiles.
   *
   * @param keyId The id of an API key, `key_…`; not the key itself.
   * @throws Error codes beside the common ones: `body_too_large`, `malformed_json`, `precondition_failed`,
   * `session_required`, `unsupported_media_type`.
   */
  update(keyId: string, params: ApiKeyChanges = {}, options?: ChangeOptions): Call<ApiKey> {
    return this.http.call({ method: "PATCH", path: path`/api-keys/${keyId}`, body: params }, options);
  }

  /**
   * Revoke an API key. It stops working immediately here, and within a second on all other nodes.
   *
   * Hooks created with it keep running, and the response lists them.
   *
   * @param keyId The id of an API key, `key_…`; not the key itself.
   * @throws Error codes beside the common ones: `session_required`.
   */
  revoke(keyId: string, options?: CallOptions): Call<ApiKeyRevoked> {
    return this.http.call({ method: "DELETE", path: path`/api-keys/${keyId}` }, options);
  }
}

/** Sign up, sign in and sign out. */
export class AuthResource extends Resource {
  /**
   * Change the password. All other sessions of the user end.
   *
   * @throws Error codes beside the common ones: `body_too_large`, `malformed_json`, `session_required`,
   * `unsupported_media_type`.
   */
  changePassword(params: PasswordChange, options?: CallOptions): Call<void> {
    return this.http.call({ method: "POST", path: "/auth/password", body: params }, options);
  }

  /**
   * Sign in. The session expires after 14 days without use, and after 90 days in any case.
   *
   * @throws Error codes beside the common ones: `body_too_large`, `login_failed`, `malformed_json`,
   * `unsupported_media_type`.
   */
  login(params: Login, options?: CallOptions): Call<SessionOpened> {
    return this.http.call({ method: "POST", path: "/auth/login", body: params }, options);
  }

  /**
   * End the session used for this call.
   *
   * @throws Error codes beside the common ones: `session_required`.
   */
  logout(options?: CallOptions): Call<void> {
    return this.http.call({ method: "POST", path: "/auth/logout" }, options);
  }

  /** Return who is calling: the owner, and the user or the API key. */
  me(options?: CallOptions): Call<Me> {
    return this.http.call({ method: "GET", path: "/auth/me" }, options);
  }

  /**
   * Register an owner with its first user and a first profile, and sign in.
   *
   * Open while the service listens on loopback; a deployment can override this with `SOCIALGATE_SIGNUP`.
   *
   * @throws Error codes beside the common ones: `body_too_large`, `email_taken`, `malformed_json`, `signup_closed`,
   * `unsupported_media_type`.
   */
  register(params: Registration, options?: CallOptions): Call<SessionOpened> {
    return this.http.call({ method: "POST", path: "/auth/register", body: params }, options);
  }
}

/** What `automations.runs.list` takes. */
export interface AutomationsRunsListParams {
  /** Maximum number of rows per page. */
  limit?: number;
  /** Only runs with this status. */
  status?: RunStatusInput;
}

/** Automatic reactions: replies, messages, and steps that wait. */
export class AutomationsRunsResource extends Resource {
  /**
   * List the runs of the last 30 days, newest first, with their steps.
   *
   * @param automationId The id of an automation, `auto_…`.
   */
  list(
    automationId: string,
    params: AutomationsRunsListParams = {},
    options?: CallOptions,
  ): Pages<AutomationRun, AutomationRunPage> {
    return this.http.list(
      { method: "GET", path: path`/automations/${automationId}/runs`, query: params },
      "cursor",
      options,
    );
  }

  /**
   * Return one run with its steps.
   *
   * @param automationId The id of an automation, `auto_…`.
   * @param runId The id of a run of the automation, `run_…`.
   */
  get(automationId: string, runId: string, options?: CallOptions): Call<AutomationRun> {
    return this.http.call({ method: "GET", path: path`/automations/${automationId}/runs/${runId}` }, options);
  }
}

/** What `automations.list` takes. */
export interface AutomationsListParams {
  /** Maximum number of rows per page. */
  limit?: number;
  /** Only automations of this profile. */
  profileId?: string;
  /** Only active ones (true) or only disabled ones (false). */
  active?: boolean;
}

/** Automatic reactions: replies, messages, and steps that wait. */
export class AutomationsResource extends Resource {
  readonly runs = new AutomationsRunsResource(this.http);

  /** List automations, newest first. */
  list(params: AutomationsListParams = {}, options?: CallOptions): Pages<Automation, AutomationPage> {
    return this.http.list({ method: "GET", path: "/automations", query: params }, "cursor", options);
  }

  /**
   * Return an automation, with how often it has run.
   *
   * @param automationId The id of an automation, `auto_…`.
   */
  get(automationId: string, options?: CallOptions): Call<Automation> {
    return this.http.call({ method: "GET", path: path`/automations/${automationId}` }, options);
  }

  /**
   * Create an automation: its trigger, its conditions, and the actions to run in order.
   *
   * Texts can contain placeholders such as `{{contact.name}}`; the trigger decides which ones are available.
   *
   * @throws Error codes beside the common ones: `automation_limit`, `body_too_large`, `idempotency_key_in_use`,
   * `idempotency_key_reused`, `malformed_json`, `unsupported_media_type`.
   */
  create(params: NewAutomation, options?: WriteOptions): Call<Automation> {
    return this.http.call({ method: "POST", path: "/automations", body: params, once: true }, options);
  }

  /**
   * Update, disable or enable an automation.
   *
   * Runs in progress continue with the new version from their next step. Disabling it ends them. Send `If-Match` with
   * the ETag of the version you read to prevent lost updates.
   *
   * @param automationId The id of an automation, `auto_…`.
   * @throws Error codes beside the common ones: `body_too_large`, `malformed_json`, `precondition_failed`,
   * `unsupported_media_type`.
   */
  update(automationId: string, params: AutomationChanges = {}, options?: ChangeOptions): Call<Automation> {
    return this.http.call({ method: "PATCH", path: path`/automations/${automationId}`, body: params }, options);
  }

  /**
   * Delete an automation and end its runs. Their records can be read for 30 days.
   *
   * @param automationId The id of an automation, `auto_…`.
   */
  delete(automationId: string, options?: CallOptions): Call<DeletionConfirmation> {
    return this.http.call({ method: "DELETE", path: path`/automations/${automationId}` }, options);
  }

  /**
   * Try an automation with a sample: see which conditions are true, and what its actions would do.
   *
   * Nothing is sent, and nothing is counted.
   *
   * @param automationId The id of an automation, `auto_…`.
   * @throws Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
   * `malformed_json`, `unsupported_media_type`.
   */
  dryRun(automationId: string, params: DryRunBody, options?: WriteOptions): Call<DryRunResult> {
    return this.http.call(
      { method: "POST", path: path`/automations/${automationId}/dry-run`, body: params, once: true },
      options,
    );
  }
}

/** Buying a plan and managing the subscription, through Stripe. */
export class BillingResource extends Resource {
  /**
   * Create a checkout page for a plan.
   *
   * An owner has one open page. Requests for the same plan and interval get the same page for an hour; any other
   * request closes it and creates a new one. Of several requests at the same moment one creates the page; those for
   * another plan or interval fail with `checkout_in_progress`. The plan changes when the payment provider reports the
   * payment, usually within seconds. `GET /usage` shows it.
   *
   * @throws Error codes beside the common ones: `already_subscribed`, `billing_not_configured`, `body_too_large`,
   * `checkout_in_progress`, `idempotency_key_in_use`, `idempotency_key_reused`, `malformed_json`, `plan_assigned`,
   * `platform_not_found`, `platform_rate_limited`, `platform_rejected`, `platform_unavailable`, `session_required`,
   * `unsupported_media_type`.
   */
  checkout(params: NewCheckout, options?: WriteOptions): Call<CheckoutPage> {
    return this.http.call({ method: "POST", path: "/billing/checkout", body: params, once: true }, options);
  }

  /**
   * List the plans, what each of them allows, and what it costs.
   *
   * A plan without `prices` cannot be bought here. The list is complete: `nextCursor` is always null.
   */
  plans(options?: CallOptions): Call<PlanForSalePage> {
    return this.http.call({ method: "GET", path: "/billing/plans" }, options);
  }

  /**
   * Create a link to the customer portal, where the subscription can be changed or cancelled and invoices viewed.
   *
   * @throws Error codes beside the common ones: `billing_not_configured`, `body_too_large`, `idempotency_key_in_use`,
   * `idempotency_key_reused`, `not_subscribed`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
   * `platform_unavailable`, `session_required`.
   */
  portal(options?: WriteOptions): Call<PortalPage> {
    return this.http.call({ method: "POST", path: "/billing/portal", once: true }, options);
  }
}

/** What `calendar.list` takes. */
export interface CalendarListParams {
  /** Rows per page; platforms may return fewer. */
  limit?: number;
  /** Default: the account's primary calendar. */
  calendarId?: string;
  /** Only events that end after this time. With an offset, such as `2026-11-16T00:00:00Z`. */
  since?: string | Date;
  /** Only events that start before this time. With an offset. */
  until?: string | Date;
  /** Words to find in the event or its guests. */
  q?: string;
  /** List every occurrence of a series instead of the series, in chronological order. */
  expand?: boolean;
  /** `syncToken` of an earlier list: lists only what has changed since then, including deletions. */
  syncToken?: string;
}

/** What `calendar.delete` takes. */
export interface CalendarDeleteParams {
  /** Default: the account's primary calendar. */
  calendarId?: string;
  /**
   * For a series: `this` occurrence, this and the `following`, or `all`. By default, the id of an occurrence means that
   * occurrence, and the id of a series the whole series.
   */
  scope?: EventDeletionQueryScope;
  /** Which guests the platform notifies: all, those without a calendar on this platform, or none. */
  notify?: EventDeletionQueryNotify;
}

/** Calendar events of an account. */
export class CalendarResource extends Resource {
  /**
   * List the events of a calendar, or the changes since an earlier list.
   *
   * A recurring event is listed once, with its `recurrence`; `expand=true` lists its occurrences instead. A list of the
   * whole calendar ends with a `syncToken`: send it later to list only what has changed since then. Responses are
   * cached for up to a minute, as `Age` says, unless you send `Cache-Control: no-cache`.
   *
   * @param accountId The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
   * @throws Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
   * `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
   * `platform_unavailable`, `sync_token_expired`.
   */
  list(
    accountId: string,
    params: CalendarListParams = {},
    options?: CallOptions,
  ): Pages<CalendarEvent, CalendarEvents> {
    return this.http.list(
      { method: "GET", path: path`/accounts/${accountId}/calendar/events`, query: params },
      "cursor",
      options,
    );
  }

  /**
   * Create an event, optionally recurring, with guests, reminders and a video meeting.
   *
   * Send an `Idempotency-Key`: repeating the request with it never creates a second event.
   *
   * @param accountId The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
   * @throws Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
   * `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
   * `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
   * `platform_unavailable`, `unsupported_media_type`.
   */
  create(accountId: string, params: NewCalendarEvent, options?: WriteOptions): Call<CalendarEvent> {
    return this.http.call(
      { method: "POST", path: path`/accounts/${accountId}/calendar/events`, body: params, once: true },
      options,
    );
  }

  /**
   * Update an event, one occurrence of a series, or a whole series.
   *
   * Send `If-Match` with the `etag` of the version that you read: if somebody has changed it since, the response is 412
   * and nothing is changed.
   *
   * @param accountId The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
   * @param eventId The platform's own id of a calendar event, or of one occurrence of a series.
   * @throws Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
   * `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
   * `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
   * `platform_unavailable`, `precondition_failed`, `unsupported_media_type`.
   */
  update(accountId: string, eventId: string, params: EventChanges = {}, options?: ChangeOptions): Call<CalendarEvent> {
    return this.http.call(
      { method: "PATCH", path: path`/accounts/${accountId}/calendar/events/${eventId}`, body: params, once: true },
      options,
    );
  }

  /**
   * Delete an event, one occurrence of a series, or a whole series.
   *
   * @param accountId The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
   * @param eventId The platform's own id of a calendar event, or of one occurrence of a series.
   * @throws Error codes beside the common ones: `needs_reconnection`, `not_supported`, `outcome_unknown`,
   * `permission_missing`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
   * `platform_rejected`, `platform_unavailable`, `precondition_failed`.
   */
  delete(
    accountId: string,
    eventId: string,
    params: CalendarDeleteParams = {},
    options?: ChangeOptions,
  ): Call<EventDeleted> {
    return this.http.call(
      { method: "DELETE", path: path`/accounts/${accountId}/calendar/events/${eventId}`, query: params },
      options,
    );
  }
}

/** What `catalogs.list` takes. */
export interface CatalogsListParams {
  /** Rows per page; platforms may return fewer. */
  limit?: number;
  /**
   * The ad account of the business that has the catalog. You can omit it if only one connected ad account belongs to
   * that business.
   */
  adAccountId?: string;
}

/** Catalogs, products, product sets and shops of the businesses behind ad accounts. */
export class CatalogsResource extends Resource {
  /**
   * List the catalogs of the business that an ad account belongs to, live from the platform.
   *
   * @throws Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
   * `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
   * `platform_unavailable`.
   */
  list(params: CatalogsListParams = {}, options?: CallOptions): Pages<Catalog, CatalogPage> {
    return this.http.list({ method: "GET", path: "/commerce/catalogs", query: params }, "cursor", options);
  }

  /**
   * Create a catalog.
   *
   * Send an `Idempotency-Key`: repeating the request with it never creates a second catalog.
   *
   * @throws Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
   * `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
   * `platform_duplicate`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
   * `platform_rejected`, `platform_unavailable`, `unsupported_media_type`.
   */
  create(params: NewCatalogBody, options?: WriteOptions): Call<Catalog> {
    return this.http.call({ method: "POST", path: "/commerce/catalogs", body: params, once: true }, options);
  }
}

/** What `comments.list` takes. */
export interface CommentsListParams {
  /** Rows per page; platforms may return fewer. */
  limit?: number;
  /** Our id of a post, or the platform's own id. */
  postId?: string;
}

/** Comments and reviews on the posts of an account: read, reply, hide and delete them. */
export class CommentsResource extends Resource {
  /**
   * List the comments on a post, newest first, live from the platform.
   *
   * For a Business Profile, omit `postId` to list its reviews. For a YouTube channel, omit it to list the comments on
   * all its videos.
   *
   * @param accountId The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
   * @throws Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
   * `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
   * `platform_unavailable`.
   */
  list(accountId: string, params: CommentsListParams = {}, options?: CallOptions): Pages<Comment, CommentPage> {
    return this.http.list(
      { method: "GET", path: path`/accounts/${accountId}/comments`, query: params },
      "cursor",
      options,
    );
  }

  /**
   * Comment on a post, or reply to a comment or review, as the account.
   *
   * Send an `Idempotency-Key`: repeating the request with it never writes a second comment. If the platform's response
   * was lost and the platform does not show the result, the response is 502 with the id of the operation.
   *
   * @param accountId The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
   * @throws Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
   * `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
   * `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
   * `platform_unavailable`, `unsupported_media_type`.
   */
  create(accountId: string, params: NewCommentBody, options?: WriteOptions): Call<Comment> {
    return this.http.call(
      { method: "POST", path: path`/accounts/${accountId}/comments`, body: params, once: true },
      options,
    );
  }

  /**
   * Delete a comment on the platform. `canDelete` says which comments can be deleted.
   *
   * @param accountId The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
   * @param commentId The platform's own id of a comment.
   * @throws Error codes beside the common ones: `needs_reconnection`, `not_supported`, `outcome_unknown`,
   * `permission_missing`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
   * `platform_rejected`, `platform_unavailable`.
   */
  delete(accountId: string, commentId: string, options?: CallOptions): Call<CommentDeleted> {
    return this.http.call({ method: "DELETE", path: path`/accounts/${accountId}/comments/${commentId}` }, options);
  }

  /**
   * Hide a comment from everybody except its author, or show it again with `hidden: false`.
   *
   * @param accountId The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
   * @throws Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
   * `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
   * `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
   * `platform_unavailable`, `unsupported_media_type`.
   */
  hide(accountId: string, params: CommentVisibility, options?: WriteOptions): Call<CommentHidden> {
    return this.http.call(
      { method: "POST", path: path`/accounts/${accountId}/comments/hide`, body: params, once: true },
      options,
    );
  }
}

/** What `connect.links.list` takes. */
export interface ConnectLinksListParams {
  /** Maximum number of rows per page. */
  limit?: number;
  /** Only links of this profile. */
  profileId?: string;
}

/** Connect accounts: by consent in a browser, by a credential, or by scanning a code. */
export class ConnectLinksResource extends Resource {
  /** List the connect links, newest first, without their URLs. Expired links are listed for 30 more days. */
  list(params: ConnectLinksListParams = {}, options?: CallOptions): Pages<ConnectLink, ConnectLinkPage> {
    return this.http.list({ method: "GET", path: "/connect/links", query: params }, "cursor", options);
  }

  /**
   * Return one connect link, with the accounts that were connected with it.
   *
   * @param linkId The id of a connect link, `lnk_…`; not the token in its URL.
   */
  get(linkId: string, options?: CallOptions): Call<ConnectLink> {
    return this.http.call({ method: "GET", path: path`/connect/links/${linkId}` }, options);
  }

  /**
   * Create a link to a page on which somebody without a login connects accounts to a profile.
   *
   * Send the person `url`: it is in this response only. The page offers the platforms, leads through the consent, the
   * choice of accounts, the form or the code of each, and then to `redirectUrl` with `status=connected`, `denied` or
   * `failed`, with `platform`, and with `accountIds`, separated by commas. Each account that is connected is reported
   * with `account.connected`.
   *
   * @throws Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
   * `link_limit`, `malformed_json`, `platform_not_configured`, `unsupported_media_type`.
   */
  create(params: NewConnectLink, options?: WriteOptions): Call<ConnectLinkCreated> {
    return this.http.call({ method: "POST", path: "/connect/links", body: params, once: true }, options);
  }

  /**
   * Delete a connect link. Its page stops working immediately; what was connected with it stays.
   *
   * @param linkId The id of a connect link, `lnk_…`; not the token in its URL.
   */
  delete(linkId: string, options?: CallOptions): Call<DeletionConfirmation> {
    return this.http.call({ method: "DELETE", path: path`/connect/links/${linkId}` }, options);
  }
}

/** What `connect.start` takes. */
export interface ConnectStartParams {
  /** The profile that the account will belong to. */
  profileId: string;
  /**
   * Where the browser is redirected at the end: a URL of this service, or one that the deployment allows with
   * SOCIALGATE_CONNECT_REDIRECTS; on a service that only this machine can reach, also any URL on localhost. Without it,
   * a page shows the result, and the person chooses there what to connect if there is a choice.
   */
  redirectUrl?: string;
  /** Only these kinds of accounts. Can be repeated. */
  kind?: KindInput[];
  /**
   * Whether only the browser that opened `authUrl` may finish. `authUrl` is then a URL of this service, which sets a
   * cookie and redirects the browser to the platform.
   */
  sameBrowser?: boolean;
}

/** Connect accounts: by consent in a browser, by a credential, or by scanning a code. */
export class ConnectResource extends Resource {
  readonly links = new ConnectLinksResource(this.http);

  /**
   * Connect some of the available Pages and Instagram accounts: all of them, or none if one fails.
   *
   * @param profileId The id of a profile, `prf_…`.
   * @throws Error codes beside the common ones: `body_too_large`, `connect_first`, `connected_elsewhere`,
   * `idempotency_key_in_use`, `idempotency_key_reused`, `malformed_json`, `needs_reconnection`, `permission_missing`,
   * `plan_limit_reached`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
   * `platform_rejected`, `platform_unavailable`, `unsupported_media_type`.
   */
  attach(profileId: string, params: AccountSelectionBody, options?: WriteOptions): Call<ConnectedAccounts> {
    return this.http.call(
      { method: "POST", path: path`/profiles/${profileId}/connect/meta`, body: params, once: true },
      options,
    );
  }

  /**
   * Connect some of the available ad accounts: all of them, or none if one fails.
   *
   * @param profileId The id of a profile, `prf_…`.
   * @throws Error codes beside the common ones: `body_too_large`, `connect_first`, `connected_elsewhere`,
   * `idempotency_key_in_use`, `idempotency_key_reused`, `malformed_json`, `needs_reconnection`, `permission_missing`,
   * `plan_limit_reached`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
   * `platform_rejected`, `platform_unavailable`, `unsupported_media_type`.
   */
  attachAdAccounts(profileId: string, params: AdAccountChoice, options?: WriteOptions): Call<ConnectedAdAccounts> {
    return this.http.call(
      { method: "POST", path: path`/profiles/${profileId}/connect/meta/adaccounts`, body: params, once: true },
      options,
    );
  }

  /**
   * List the Pages and Instagram accounts that the person who signed in last can connect.
   *
   * @param profileId The id of a profile, `prf_…`.
   * @throws Error codes beside the common ones: `connect_first`, `needs_reconnection`, `permission_missing`,
   * `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
   * `platform_unavailable`.
   */
  available(profileId: string, options?: CallOptions): Call<ConnectableAccounts> {
    return this.http.call({ method: "GET", path: path`/profiles/${profileId}/connect/meta/available` }, options);
  }

  /**
   * List the ad accounts that the person who signed in last can connect.
   *
   * @param profileId The id of a profile, `prf_…`.
   * @throws Error codes beside the common ones: `connect_first`, `needs_reconnection`, `permission_missing`,
   * `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
   * `platform_unavailable`.
   */
  availableAdAccounts(profileId: string, options?: CallOptions): Call<ConnectableAccounts> {
    return this.http.call(
      { method: "GET", path: path`/profiles/${profileId}/connect/meta/adaccounts/available` },
      options,
    );
  }

  /**
   * Start connecting accounts of `meta`, `threads`, `tiktok`, `tiktokads` or `google`.
   *
   * Send the person's browser to `authUrl`. Afterwards it is redirected to `redirectUrl` with `connected=1`,
   * `profileId` and `accountId`, or with `error`. If several accounts were connected, `accountIds` lists all of them.
   * On `meta`, then choose the person's accounts with `POST /profiles/{profileId}/connect/meta`, and ad accounts with
   * `POST /profiles/{profileId}/connect/meta/adaccounts`. Without a `redirectUrl` the person sees what was connected.
   * On `meta`, and on `google` if there are several accounts, they first choose what to connect on that page.
   *
   * @param platform The name of a platform, from `GET /platforms`.
   * @throws Error codes beside the common ones: `platform_not_configured`.
   */
  start(platform: string, params: ConnectStartParams, options?: CallOptions): Call<ConnectStarted> {
    return this.http.call({ method: "GET", path: path`/connect/${platform}`, query: params }, options);
  }

  /**
   * Connect a Telegram bot. Its token is verified, and its webhook is set up.
   *
   * @throws Error codes beside the common ones: `body_too_large`, `connected_elsewhere`, `credential_rejected`,
   * `idempotency_key_in_use`, `idempotency_key_reused`, `malformed_json`, `needs_reconnection`, `outcome_unknown`,
   * `permission_missing`, `plan_limit_reached`, `platform_not_configured`, `platform_not_found`,
   * `platform_rate_limited`, `platform_rejected`, `platform_unavailable`, `unsupported_media_type`.
   */
  telegram(params: TelegramConnection, options?: WriteOptions): Call<Account> {
    return this.http.call({ method: "POST", path: "/connect/telegram", body: params, once: true }, options);
  }

  /**
   * Start pairing a WhatsApp number. Show the person the code from `GET /accounts/{accountId}/wasender/qr`.
   *
   * With an `Idempotency-Key` it is safe to retry, even if the first response was lost: no second session is created at
   * WaSender. If it is unknown whether a session exists, the response is 502 and names the operation.
   *
   * @throws Error codes beside the common ones: `already_paired`, `body_too_large`, `connected_elsewhere`,
   * `credential_rejected`, `idempotency_key_in_use`, `idempotency_key_reused`, `malformed_json`, `needs_reconnection`,
   * `outcome_unknown`, `permission_missing`, `plan_limit_reached`, `platform_not_configured`, `platform_not_found`,
   * `platform_rate_limited`, `platform_rejected`, `platform_unavailable`, `unsupported_media_type`.
   */
  wasender(params: WasenderConnection, options?: WriteOptions): Call<Account> {
    return this.http.call({ method: "POST", path: "/connect/wasender", body: params, once: true }, options);
  }

  /**
   * Return a new code to scan, as text, PNG and SVG, or report that the phone is paired.
   *
   * @param accountId The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
   * @throws Error codes beside the common ones: `needs_reconnection`, `pairing_ended`, `permission_missing`,
   * `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
   * `platform_unavailable`.
   */
  wasenderQr(accountId: string, options?: CallOptions): Call<PairingQrCode> {
    return this.http.call({ method: "GET", path: path`/accounts/${accountId}/wasender/qr` }, options);
  }

  /**
   * Connect a WhatsApp Cloud API number. It is verified with Meta, and its webhooks are set up.
   *
   * @throws Error codes beside the common ones: `body_too_large`, `connected_elsewhere`, `credential_rejected`,
   * `idempotency_key_in_use`, `idempotency_key_reused`, `malformed_json`, `needs_reconnection`, `outcome_unknown`,
   * `permission_missing`, `plan_limit_reached`, `platform_not_configured`, `platform_not_found`,
   * `platform_rate_limited`, `platform_rejected`, `platform_unavailable`, `unsupported_media_type`.
   */
  whatsappCloud(params: WhatsappCloudConnection, options?: WriteOptions): Call<Account> {
    return this.http.call({ method: "POST", path: "/connect/whatsapp-cloud", body: params, once: true }, options);
  }
}

/** What `conversations.list` takes. */
export interface ConversationsListParams {
  /** Maximum number of rows per page. */
  limit?: number;
  /** Only conversations with unread messages, or only those without. */
  unread?: boolean;
  /** Only conversations with a message since then. */
  since?: string | Date;
  /** Searches messages and names. */
  q?: string;
}

/** What `conversations.get` takes. */
export interface ConversationsGetParams {
  /** Maximum number of rows per page. */
  limit?: number;
  /** `nextCursor` of the previous page. Opaque. */
  cursor?: string;
}

/** Conversations with people, and the messages in them. */
export class ConversationsResource extends Resource {
  /**
   * List the conversations of an account, the one with the newest message first.
   *
   * @param accountId The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
   * @throws Error codes beside the common ones: `not_supported`.
   */
  list(
    accountId: string,
    params: ConversationsListParams = {},
    options?: CallOptions,
  ): Pages<Conversation, ConversationPage> {
    return this.http.list(
      { method: "GET", path: path`/accounts/${accountId}/conversations`, query: params },
      "cursor",
      options,
    );
  }

  /**
   * Return a conversation, newest message first. Older messages are fetched from platforms that keep a history.
   *
   * @param accountId The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
   * @param conversationId The id of a conversation, `conv_…`.
   * @throws Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
   * `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
   * `platform_unavailable`.
   */
  get(
    accountId: string,
    conversationId: string,
    params: ConversationsGetParams = {},
    options?: CallOptions,
  ): Call<ConversationDetail> {
    return this.http.call(
      { method: "GET", path: path`/accounts/${accountId}/conversations/${conversationId}`, query: params },
      options,
    );
  }

  /**
   * Delete a conversation here: its messages, the person's name and number, and their files.
   *
   * They are also erased from stored events, from the runs of automations and from operations. What hooks already
   * received, and what the platform keeps, is not affected: the person still sees the conversation. If the person
   * writes again, that starts a new conversation. This works for disconnected accounts too.
   *
   * @param accountId The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
   * @param conversationId The id of a conversation, `conv_…`.
   * @throws Error codes beside the common ones: `conversation_busy`.
   */
  delete(accountId: string, conversationId: string, options?: CallOptions): Call<DeletionConfirmation> {
    return this.http.call(
      { method: "DELETE", path: path`/accounts/${accountId}/conversations/${conversationId}` },
      options,
    );
  }

  /**
   * Mark a conversation as read here. The person is not notified.
   *
   * To send a read receipt on WhatsApp, use `POST /accounts/{accountId}/whatsapp/send` with the type `read`.
   *
   * @param accountId The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
   * @param conversationId The id of a conversation, `conv_…`.
   * @throws Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`.
   */
  markRead(accountId: string, conversationId: string, options?: WriteOptions): Call<ConversationRead> {
    return this.http.call(
      { method: "POST", path: path`/accounts/${accountId}/conversations/${conversationId}/read`, once: true },
      options,
    );
  }
}

/** What `deliveries.list` takes. */
export interface DeliveriesListParams {
  /** Maximum number of rows per page. */
  limit?: number;
  /** Only deliveries with this status. */
  status?: DeliveryStatusInput;
  /** Only deliveries of this event. */
  event?: DeliveriesQueryEvent;
  /** The start, inclusive. */
  since?: string | Date;
  /** The end, exclusive. */
  until?: string | Date;
}

/** Where events are sent, signed and retried, with a record of every attempt. */
export class DeliveriesResource extends Resource {
  /**
   * List the deliveries of a hook with their attempts, newest first.
   *
   * @param hookId The id of a hook, `hook_…`.
   */
  list(hookId: string, params: DeliveriesListParams = {}, options?: CallOptions): Pages<Delivery, DeliveryPage> {
    return this.http.list({ method: "GET", path: path`/hooks/${hookId}/deliveries`, query: params }, "cursor", options);
  }

  /**
   * Return one delivery with its request exactly as it was sent.
   *
   * @param hookId The id of a hook, `hook_…`.
   * @param deliveryId The id of a delivery, `dlv_…`.
   */
  get(hookId: string, deliveryId: string, options?: CallOptions): Call<DeliveryDetail> {
    return this.http.call({ method: "GET", path: path`/hooks/${hookId}/deliveries/${deliveryId}` }, options);
  }

  /**
   * Resend the event of a delivery, as a new delivery.
   *
   * The body and `webhook-id` stay the same, so that a receiver can recognize the event.
   *
   * @param hookId The id of a hook, `hook_…`.
   * @param deliveryId The id of a delivery, `dlv_…`.
   * @throws Error codes beside the common ones: `body_too_large`, `delivery_pending`, `event_expired`,
   * `event_not_covered`, `hook_disabled`, `idempotency_key_in_use`, `idempotency_key_reused`.
   */
  retry(hookId: string, deliveryId: string, options?: WriteOptions): Call<DeliveryQueued> {
    return this.http.call(
      { method: "POST", path: path`/hooks/${hookId}/deliveries/${deliveryId}/retry`, once: true },
      options,
    );
  }
}

/** What `events.list` takes. */
export interface EventsListParams {
  /** Maximum number of events per page. */
  limit?: number;
  /** Only events with this name. */
  event?: EventsQueryEvent;
}

/** Everything that happened, as a list and as a stream. */
export class EventsResource extends EventStream {
  /**
   * List events, oldest first: the same events that hooks receive, for polling.
   *
   * Pass `nextCursor` as `after` in the next call. There is always one, so you can keep polling: no event is skipped or
   * returned twice, however transactions overlap. A key that is limited to some profiles only gets their events.
   */
  list(params: EventsListParams = {}, options?: CallOptions): Pages<Event, EventPage> {
    return this.http.list({ method: "GET", path: "/events", query: params }, "after", options);
  }
}

/** Whether the service is running, and what it offers. */
export class HealthResource extends Resource {
  /**
   * Return the health of the service.
   *
   * 200 while this process can serve requests, even if something is degraded: a stale worker, a full disk, a media
   * storage that does not respond. The check says what is wrong: `database` is where everything except files is stored,
   * `storage` is where media files are stored, `worker` is what publishes and delivers, and `restore` is degraded while
   * items of a restored backup wait for the operator's decision. 503 with the name of the check if the process cannot
   * serve requests.
   */
  get(options?: CallOptions): Call<Health> {
    return this.http.call({ method: "GET", path: "/health" }, options);
  }
}

/** What `hooks.list` takes. */
export interface HooksListParams {
  /** Maximum number of rows per page. */
  limit?: number;
}

/** Where events are sent, signed and retried, with a record of every attempt. */
export class HooksResource extends Resource {
  /**
   * List the hooks that the credential can access, newest first.
   *
   * A key that is limited to some profiles can access a hook if it covers all profiles of the hook.
   */
  list(params: HooksListParams = {}, options?: CallOptions): Pages<Hook, HookPage> {
    return this.http.list({ method: "GET", path: "/hooks", query: params }, "cursor", options);
  }

  /**
   * Return one hook.
   *
   * @param hookId The id of a hook, `hook_…`.
   */
  get(hookId: string, options?: CallOptions): Call<Hook> {
    return this.http.call({ method: "GET", path: path`/hooks/${hookId}` }, options);
  }

  /**
   * Create a hook. Its secret is only in this response.
   *
   * It receives the events of all profiles, or of those that the API key is limited to. An owner can have at most 20
   * hooks. Verify each delivery: `X-Service-Signature` is `sha256=` followed by the HMAC-SHA-256 of the raw body in
   * hexadecimal, with the secret as key.
   *
   * @throws Error codes beside the common ones: `body_too_large`, `hook_limit`, `idempotency_key_in_use`,
   * `idempotency_key_reused`, `malformed_json`, `unsupported_media_type`.
   */
  create(params: NewHook, options?: WriteOptions): Call<HookCreated> {
    return this.http.call({ method: "POST", path: "/hooks", body: params, once: true }, options);
  }

  /**
   * Update a hook. Future attempts use the new URL and settings.
   *
   * Deliveries that are pending while a hook is disabled are sent if it is enabled again within 72 hours. Events that
   * happen in the meantime are not queued: `POST /hooks/{hookId}/recover` sends them.
   *
   * @param hookId The id of a hook, `hook_…`.
   * @throws Error codes beside the common ones: `body_too_large`, `malformed_json`, `precondition_failed`,
   * `unsupported_media_type`.
   */
  update(hookId: string, params: HookChanges = {}, options?: ChangeOptions): Call<Hook> {
    return this.http.call({ method: "PATCH", path: path`/hooks/${hookId}`, body: params }, options);
  }

  /**
   * Delete a hook. Its pending deliveries are cancelled.
   *
   * @param hookId The id of a hook, `hook_…`.
   */
  delete(hookId: string, options?: CallOptions): Call<DeletionConfirmation> {
    return this.http.call({ method: "DELETE", path: path`/hooks/${hookId}` }, options);
  }

  /**
   * Send the events that a hook missed: their deliveries failed or were cancelled, or they were never queued.
   *
   * Only events since the hook was created, that it covers, and without a succeeded or pending delivery. One call
   * queues at most 10,000, oldest first; if it queued that many, send the same request again.
   *
   * @param hookId The id of a hook, `hook_…`.
   * @throws Error codes beside the common ones: `body_too_large`, `hook_disabled`, `idempotency_key_in_use`,
   * `idempotency_key_reused`, `malformed_json`, `unsupported_media_type`.
   */
  recover(hookId: string, params: HookRecovery, options?: WriteOptions): Call<RecoveredDeliveries> {
    return this.http.call({ method: "POST", path: path`/hooks/${hookId}/recover`, body: params, once: true }, options);
  }

  /**
   * Rotate the secret of a hook. The new one is only in this response.
   *
   * For `overlapSeconds` the `webhook-signature` header contains signatures with both secrets, so that a receiver can
   * switch without losing a delivery. Rotating again within that time retires the oldest secret immediately.
   *
   * @param hookId The id of a hook, `hook_…`.
   * @throws Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
   * `malformed_json`, `unsupported_media_type`.
   */
  rotateSecret(hookId: string, params: SecretRotation = {}, options?: WriteOptions): Call<SecretRotated> {
    return this.http.call(
      { method: "POST", path: path`/hooks/${hookId}/rotate-secret`, body: params, once: true },
      options,
    );
  }

  /**
   * Queue one `webhook.test` delivery to this hook, at most once every 30 seconds.
   *
   * It is sent even if the hook does not list the event or is disabled.
   *
   * @param hookId The id of a hook, `hook_…`.
   * @throws Error codes beside the common ones: `body_too_large`, `hook_without_profiles`, `idempotency_key_in_use`,
   * `idempotency_key_reused`, `test_too_soon`.
   */
  test(hookId: string, options?: WriteOptions): Call<DeliveryQueued> {
    return this.http.call({ method: "POST", path: path`/hooks/${hookId}/test`, once: true }, options);
  }
}

/** What `insights.account` takes. */
export interface InsightsAccountParams {
  /** Names of metrics, separated by commas. Default: all metrics of the kind. */
  metrics?: string;
  /**
   * The first day. Default: 28 days up to `until`. By week, these start with the first Monday among them; by month,
   * with the first day of the month.
   */
  since?: string;
  /** The last day. Default: today. */
  until?: string;
  /** The length of the periods in `series`. With `total` there is no series. */
  granularity?: InsightsQueryGranularity;
}

/** What `insights.followers` takes. */
export interface InsightsFollowersParams {
  /**
   * The first day. Default: 30 days up to `until`. By week, these start with the first Monday among them; by month,
   * with the first day of the month.
   */
  since?: string;
  /** The last day. Default: today. */
  until?: string;
  /** The length of the periods. */
  granularity?: FollowersQueryGranularity;
}

/** What `insights.post` takes. */
export interface InsightsPostParams {
  /** Rows per page; platforms may return fewer. */
  limit?: number;
  /** Our id of the post. */
  postId?: string;
  /** The platform's own id of the post. */
  objectId?: string;
  /** Names of metrics, separated by commas. Default: all metrics of the kind. */
  metrics?: string;
}

/** What `insights.summary` takes. */
export interface InsightsSummaryParams {
  /** The last 7, 30 or 90 complete days. Cannot be combined with `since` and `until`. */
  period?: SummaryQueryPeriod;
  /** The first day. */
  since?: string;
  /** The last day, inclusive. Defaults to yesterday, the last complete day. */
  until?: string;
}

/** Metrics of accounts and posts, live and over time: followers, reach, engagement. */
export class InsightsResource extends Resource {
  /**
   * Return the insights of an account by day, week, month or as a total.
   *
   * By default all metrics of the kind are returned; `GET /platforms` lists them. A metric without a value says why in
   * `unavailable` and does not affect the others. Responses are cached for up to a minute, as `Age` says, unless you
   * send `Cache-Control: no-cache`.
   *
   * @param accountId The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
   * @throws Error codes beside the common ones: `needs_reconnection`, `not_acceptable`, `not_supported`,
   * `permission_missing`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
   * `platform_rejected`, `platform_unavailable`.
   */
  account(accountId: string, params: InsightsAccountParams = {}, options?: CallOptions): Call<AccountInsights> {
    return this.http.call({ method: "GET", path: path`/accounts/${accountId}/insights`, query: params }, options);
  }

  /**
   * Return the number of followers over time, in the time zone of the profile.
   *
   * It is read once a day. Days on which it could not be read are gaps, unless the platform itself has a history.
   *
   * @param accountId The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
   * @throws Error codes beside the common ones: `not_acceptable`, `not_supported`, `platform_not_configured`.
   */
  followers(accountId: string, params: InsightsFollowersParams = {}, options?: CallOptions): Call<FollowersSeries> {
    return this.http.call({ method: "GET", path: path`/analytics/${accountId}/followers`, query: params }, options);
  }

  /**
   * Return the insights of one post, or of the newest posts of an account.
   *
   * As `image/svg+xml`, it is a chart of the engagement of each post.
   *
   * @param accountId The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
   * @throws Error codes beside the common ones: `needs_reconnection`, `not_acceptable`, `not_supported`,
   * `permission_missing`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
   * `platform_rejected`, `platform_unavailable`.
   */
  post(
    accountId: string,
    params: InsightsPostParams = {},
    options?: CallOptions,
  ): Pages<PostInsights, PostInsightsPage> {
    return this.http.list(
      { method: "GET", path: path`/accounts/${accountId}/post-insights`, query: params },
      "cursor",
      options,
    );
  }

  /**
   * Summarize a period and compare it with the one before: totals, best posts, best times and posting frequency.
   *
   * As `image/svg+xml`, it is a chart of the engagement of posts by weekday and hour.
   *
   * @param accountId The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
   * @throws Error codes beside the common ones: `not_acceptable`, `not_supported`, `platform_not_configured`.
   */
  summary(accountId: string, params: InsightsSummaryParams = {}, options?: CallOptions): Call<AnalyticsSummary> {
    return this.http.call({ method: "GET", path: path`/analytics/${accountId}/summary`, query: params }, options);
  }
}

/** What `leads.forms.list` takes. */
export interface LeadsFormsListParams {
  /** Rows per page; platforms may return fewer. */
  limit?: number;
}

/** What `leads.forms.simulate` takes. */
export interface LeadsFormsSimulateParams {
  /** US, GB, DE, FR or SE. Default: the country of the account, otherwise that of the form's language, otherwise US. */
  country?: string;
}

/** Lead forms, the leads submitted through them, and your team's progress with each lead. */
export class LeadsFormsResource extends Resource {
  /**
   * List the lead forms of an account or an ad account, live from the platform.
   *
   * @param accountId The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
   * @throws Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
   * `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
   * `platform_unavailable`.
   */
  list(accountId: string, params: LeadsFormsListParams = {}, options?: CallOptions): Pages<LeadForm, LeadFormPage> {
    return this.http.list(
      { method: "GET", path: path`/accounts/${accountId}/lead-forms`, query: params },
      "cursor",
      options,
    );
  }

  /**
   * Return a lead form with its questions.
   *
   * @param accountId The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
   * @param formId The platform's own id of a lead form.
   * @throws Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
   * `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
   * `platform_unavailable`.
   */
  get(accountId: string, formId: string, options?: CallOptions): Call<LeadForm> {
    return this.http.call({ method: "GET", path: path`/accounts/${accountId}/lead-forms/${formId}` }, options);
  }

  /**
   * Create a lead form on the platform.
   *
   * This works for Facebook Pages; TikTok has no API for it and returns 422 `not_supported`. Send an `Idempotency-Key`:
   * repeating the request with it never creates a second form.
   *
   * @param accountId The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
   * @throws Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
   * `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
   * `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
   * `platform_unavailable`, `unsupported_media_type`.
   */
  create(accountId: string, params: NewLeadForm, options?: WriteOptions): Call<LeadForm> {
    return this.http.call(
      { method: "POST", path: path`/accounts/${accountId}/lead-forms`, body: params, once: true },
      options,
    );
  }

  /**
   * Simulate a lead: `lead.received` is sent with realistic answers to the questions of the form.
   *
   * It is processed like a real lead and stored with `test: true`. The person is invented, the phone number is from a
   * range reserved for fiction, and the email address ends in `@example.com`. Automations ignore it. The request has no
   * body.
   *
   * @param accountId The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
   * @param formId The platform's own id of a lead form.
   * @throws Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
   * `needs_reconnection`, `not_supported`, `permission_missing`, `platform_not_configured`, `platform_not_found`,
   * `platform_rate_limited`, `platform_rejected`, `platform_unavailable`.
   */
  simulate(
    accountId: string,
    formId: string,
    params: LeadsFormsSimulateParams = {},
    options?: WriteOptions,
  ): Call<Lead> {
    return this.http.call(
      { method: "POST", path: path`/accounts/${accountId}/lead-forms/${formId}/test-webhook`, query: params, once: true },
      options,
    );
  }
}

/** What `leads.list` takes. */
export interface LeadsListParams {
  /** Maximum number of rows per page. */
  limit?: number;
  /** Only leads of this form. */
  form?: string;
  /** Only leads submitted since then. */
  since?: string | Date;
  /** Only leads in this state. */
  state?: LeadStateNameInput;
}

/** What `leads.states` takes. */
export interface LeadsStatesParams {
  /** Maximum number of rows per page. */
  limit?: number;
  /** Only leads of this form. */
  form?: string;
  /** Only leads submitted since then. */
  since?: string | Date;
  /** Only leads in this state. */
  state?: LeadStateNameInput;
}

/** Lead forms, the leads submitted through them, and your team's progress with each lead. */
export class LeadsResource extends Resource {
  readonly forms = new LeadsFormsResource(this.http);

  /**
   * List the leads of an account, newest first, no matter how they arrived.
   *
   * Leads that the platform's webhooks have not reported are read first and sent as `lead.received`; each lead is
   * reported once. With `Accept: text/csv`, a page is a table with a column for each answer, and the `Link` header has
   * the URL of the next page.
   *
   * @param accountId The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
   * @throws Error codes beside the common ones: `needs_reconnection`, `not_acceptable`, `not_supported`,
   * `permission_missing`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
   * `platform_rejected`, `platform_unavailable`.
   */
  list(accountId: string, params: LeadsListParams = {}, options?: CallOptions): Pages<Lead, LeadPage> {
    return this.http.list(
      { method: "GET", path: path`/accounts/${accountId}/leads`, query: params },
      "cursor",
      options,
    );
  }

  /**
   * Return a stored lead. Send its `etag` as `If-Match` when you change its state.
   *
   * @param accountId The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
   * @param leadId The id of a lead, `lead_…`.
   * @throws Error codes beside the common ones: `not_supported`.
   */
  get(accountId: string, leadId: string, options?: CallOptions): Call<Lead> {
    return this.http.call({ method: "GET", path: path`/accounts/${accountId}/leads/${leadId}` }, options);
  }

  /**
   * Erase the personal data of a lead: its answers, notes and assignee, including in the event that reported it.
   *
   * Conversations that automations opened with the person because of this lead are deleted, and what automations sent
   * to others because of it is emptied. The platform keeps its own copy. Sweeps do not bring the lead back. This works
   * for disconnected accounts too.
   *
   * @param accountId The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
   * @param leadId The id of a lead, `lead_…`.
   * @throws Error codes beside the common ones: `conversation_busy`.
   */
  delete(accountId: string, leadId: string, options?: CallOptions): Call<DeletionConfirmation> {
    return this.http.call({ method: "DELETE", path: path`/accounts/${accountId}/leads/${leadId}` }, options);
  }

  /**
   * Update the state, assignee or note of a lead.
   *
   * Any state may follow any other. Each change is recorded in `history`. Nothing is sent to the platform.
   *
   * @param accountId The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
   * @param leadId The id of a lead, `lead_…`.
   * @throws Error codes beside the common ones: `body_too_large`, `malformed_json`, `precondition_failed`,
   * `unsupported_media_type`.
   */
  setState(accountId: string, leadId: string, params: LeadStateChanges = {}, options?: ChangeOptions): Call<LeadState> {
    return this.http.call(
      { method: "PATCH", path: path`/accounts/${accountId}/lead-states/${leadId}`, body: params },
      options,
    );
  }

  /**
   * List the states of the leads of an account, in the order of the leads.
   *
   * @param accountId The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
   */
  states(accountId: string, params: LeadsStatesParams = {}, options?: CallOptions): Pages<LeadState, LeadStatePage> {
    return this.http.list(
      { method: "GET", path: path`/accounts/${accountId}/lead-states`, query: params },
      "cursor",
      options,
    );
  }
}

/** Files for posts and messages: upload them in one request or in chunks. */
export class MediaLinksResource extends Resource {
  /**
   * Create a signed address to which one file can be sent without a credential, within 15 minutes.
   *
   * For programs that must not see the key, such as a browser or a person's own machine: `curl -T bread.jpg "$url"`.
   * The file has the id that is returned here. Sending it again after that changes nothing, and returns the same file.
   *
   * @throws Error codes beside the common ones: `body_too_large`, `malformed_json`, `unsupported_media_type`.
   */
  create(params: NewUploadLink = {}, options?: CallOptions): Call<UploadLink> {
    return this.http.call({ method: "POST", path: "/media/links", body: params }, options);
  }
}

/** What `media.list` takes. */
export interface MediaListParams {
  /** Maximum number of rows per page. */
  limit?: number;
  /** Only files of this profile. */
  profileId?: string;
  /** Only files of this type. */
  type?: MediaQueryType;
}

/** What `media.download` takes. */
export interface MediaDownloadParams {
  /** When the URL expires, in Unix seconds. */
  until: number;
  /** Proves that this service issued the URL. */
  signature: string;
}

/** Files for posts and messages: upload them in one request or in chunks. */
export class MediaResource extends MediaUploads {
  readonly links = new MediaLinksResource(this.http);

  /** List the files that the credential covers, newest first. */
  list(params: MediaListParams = {}, options?: CallOptions): Pages<MediaItem, MediaItemPage> {
    return this.http.list({ method: "GET", path: "/media", query: params }, "cursor", options);
  }

  /**
   * Delete a file that no post uses. Its URL stops working immediately.
   *
   * @param mediaId The id of a file, `med_…`.
   * @throws Error codes beside the common ones: `media_in_use`.
   */
  delete(mediaId: string, options?: CallOptions): Call<DeletionConfirmation> {
    return this.http.call({ method: "DELETE", path: path`/media/${mediaId}` }, options);
  }

  /**
   * Download a file by its signed URL, completely or by `Range`. Platforms use this.
   *
   * @param mediaId The id of a file, `med_…`.
   */
  download(mediaId: string, params: MediaDownloadParams, options?: CallOptions): Call<ArrayBuffer> {
    return this.http.call({ method: "GET", path: path`/media/${mediaId}`, query: params }, options, readBytes);
  }
}

/** What `messages.templates` takes. */
export interface MessagesTemplatesParams {
  /** Rows per page; platforms may return fewer. */
  limit?: number;
  /** Only the template with this name. */
  name?: string;
}

/** Conversations with people, and the messages in them. */
export class MessagesResource extends Resource {
  /**
   * Send a message: text or a file, with quick replies or buttons if the kind supports them.
   *
   * Send an `Idempotency-Key`: repeating the request with it never sends a second message. The response means that the
   * platform accepted the message; its status then becomes `delivered` and `read` as the platform reports.
   *
   * @param accountId The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
   * @throws Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
   * `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
   * `plan_limit_reached`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
   * `platform_rejected`, `platform_unavailable`, `storage_unavailable`, `too_many_fetches`, `unsupported_media_type`,
   * `window_closed`.
   */
  send(accountId: string, params: NewMessageBody = {}, options?: WriteOptions): Call<Message> {
    return this.http.call(
      { method: "POST", path: path`/accounts/${accountId}/messages`, body: params, once: true },
      options,
    );
  }

  /**
   * Send any WhatsApp message type, from a number connected by QR code or by Cloud API.
   *
   * More than 24 hours after the person's last message, the Cloud API only accepts templates. They are compared with
   * the templates of the account first: `GET /accounts/{accountId}/whatsapp/templates` lists those.
   *
   * @param accountId The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
   * @throws Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
   * `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
   * `plan_limit_reached`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
   * `platform_rejected`, `platform_unavailable`, `storage_unavailable`, `too_many_fetches`, `unsupported_media_type`,
   * `window_closed`.
   */
  sendWhatsapp(accountId: string, params: WhatsappMessage, options?: WriteOptions): Call<Message> {
    return this.http.call(
      { method: "POST", path: path`/accounts/${accountId}/whatsapp/send`, body: params, once: true },
      options,
    );
  }

  /**
   * List the templates of a WhatsApp number, live from WhatsApp. Those with the status `APPROVED` can be sent.
   *
   * @param accountId The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
   * @throws Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
   * `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
   * `platform_unavailable`.
   */
  templates(
    accountId: string,
    params: MessagesTemplatesParams = {},
    options?: CallOptions,
  ): Pages<MessageTemplateView, MessageTemplateViewPage> {
    return this.http.list(
      { method: "GET", path: path`/accounts/${accountId}/whatsapp/templates`, query: params },
      "cursor",
      options,
    );
  }
}

/** What `operations.list` takes. */
export interface OperationsListParams {
  /** Maximum number of rows per page. */
  limit?: number;
  /** Only operations on this account or ad account. */
  accountId?: string;
  /** Only operations with this status. */
  status?: OperationStatusInput;
}

/** Calls that changed something on a platform, and their results. */
export class OperationsResource extends Resource {
  /**
   * List the calls that changed something on a platform in the last 30 days, newest first.
   *
   * `status=unconfirmed` lists those whose outcome is unknown: check them on the platform.
   */
  list(params: OperationsListParams = {}, options?: CallOptions): Pages<Operation, OperationPage> {
    return this.http.list({ method: "GET", path: "/operations", query: params }, "cursor", options);
  }

  /**
   * Return one operation: what was requested from the platform, and the result.
   *
   * @param operationId The id of an operation, `op_…`.
   */
  get(operationId: string, options?: CallOptions): Call<Operation> {
    return this.http.call({ method: "GET", path: path`/operations/${operationId}` }, options);
  }
}

/** What `platforms.list` takes. */
export interface PlatformsListParams {
  /** Only these kinds of accounts. Can be repeated. */
  kinds?: KindInput[];
}

/** Connected accounts and ad accounts: their status, their health, and how to disconnect them. */
export class PlatformsResource extends Resource {
  /** List every kind of account: how to connect it, what it can do, and the limits that our validation uses. */
  list(params: PlatformsListParams = {}, options?: CallOptions): Call<PlatformKinds> {
    return this.http.call({ method: "GET", path: "/platforms", query: params }, options);
  }

  /**
   * Return one kind of account, such as `instagram`: what it can do, and the options of its posts and messages.
   *
   * @param kind The kind of account, such as `instagram`.
   */
  get(kind: string, options?: CallOptions): Call<PlatformKind> {
    return this.http.call({ method: "GET", path: path`/platforms/${kind}` }, options);
  }
}

/** What `posts.list` takes. */
export interface PostsListParams {
  /** Maximum number of rows per page. */
  limit?: number;
  /** Only posts with this status. By default all except `cancelled`. */
  status?: PostStatusInput;
  /** Only posts of this profile. */
  profileId?: string;
  /** Only posts with this account among their targets. */
  accountId?: string;
  /** Only posts with an account on this platform among their targets. */
  platform?: PlatformInput;
  /** Scheduled, or created, at this time or later. */
  from?: string | Date;
  /** Scheduled, or created, before this time. */
  to?: string | Date;
  /** The content contains this text. */
  text?: string;
}

/** What `posts.delete` takes. */
export interface PostsDeleteParams {
  /** true: also on the platforms that allow it; false: only our record. */
  platforms?: boolean;
}

/** Publish now, at a time or through the queue, and see every step. */
export class PostsResource extends Resource {
  /** List posts, newest first. Cancelled posts are only included with `status=cancelled`. */
  list(params: PostsListParams = {}, options?: CallOptions): Pages<Post, PostPage> {
    return this.http.list({ method: "GET", path: "/posts", query: params }, "cursor", options);
  }

  /**
   * Return a post with every step that was taken to publish it.
   *
   * @param postId The id of a post, `post_…`.
   */
  get(postId: string, options?: CallOptions): Call<Post> {
    return this.http.call({ method: "GET", path: path`/posts/${postId}` }, options);
  }

  /**
   * Create a post: publish it now, at a time, through the queue, or keep it as a draft.
   *
   * It is validated for every account first, and rejected with all errors at once. The response is 202 if a worker
   * publishes it now, 201 if it is stored for later. Choose when with one of `draft`, `publishNow`, `queue` and
   * `scheduledFor`: two that contradict each other are rejected, and with none of them it is published immediately. A
   * draft can have the `scheduledFor` that it is intended for. Files given by `url` are fetched immediately: what is
   * validated is what will be published.
   *
   * @throws Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
   * `malformed_json`, `no_free_slot`, `plan_limit_reached`, `storage_unavailable`, `too_many_fetches`,
   * `unsupported_media_type`.
   */
  create(params: NewPost, options?: WriteOptions): Call<Post> {
    return this.http.call(
      { method: "POST", path: "/posts", body: expand(params, { media: "mediaId", targets: "accountId" }), once: true },
      options,
    );
  }

  /**
   * Update a draft or a scheduled post. `publishNow` or `scheduledFor` publishes or schedules a draft.
   *
   * @param postId The id of a post, `post_…`.
   * @throws Error codes beside the common ones: `body_too_large`, `malformed_json`, `plan_limit_reached`,
   * `post_not_editable`, `precondition_failed`, `storage_unavailable`, `too_many_fetches`, `unsupported_media_type`.
   */
  update(postId: string, params: PostChanges = {}, options?: ChangeOptions): Call<Post> {
    return this.http.call(
      { method: "PATCH", path: path`/posts/${postId}`, body: expand(params, { media: "mediaId", targets: "accountId" }) },
      options,
    );
  }

  /**
   * Cancel a draft or a scheduled post, or delete a published one if the platform allows it.
   *
   * @param postId The id of a post, `post_…`.
   * @throws Error codes beside the common ones: `post_is_published`, `post_publishing`.
   */
  delete(postId: string, params: PostsDeleteParams = {}, options?: CallOptions): Call<PostDeleted> {
    return this.http.call({ method: "DELETE", path: path`/posts/${postId}`, query: params }, options);
  }

  /**
   * Decide targets with an unknown outcome: report what you found, or have the platforms asked again.
   *
   * @param postId The id of a post, `post_…`.
   * @throws Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
   * `malformed_json`, `nothing_unconfirmed`, `unsupported_media_type`.
   */
  reconcile(postId: string, params: Reconciliation = {}, options?: WriteOptions): Call<Post> {
    return this.http.call(
      { method: "POST", path: path`/posts/${postId}/reconcile`, body: params, once: true },
      options,
    );
  }

  /**
   * Publish the failed targets again, as a new round with its own event.
   *
   * @param postId The id of a post, `post_…`.
   * @throws Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
   * `nothing_to_retry`.
   */
  retry(postId: string, options?: WriteOptions): Call<Post> {
    return this.http.call({ method: "POST", path: path`/posts/${postId}/retry`, once: true }, options);
  }

  /**
   * Validate a post without creating it, and return everything that is wrong.
   *
   * A draft may be incomplete: with `draft: true`, only the existence of its accounts and files is checked. Omit
   * `draft` to find out whether the post could be published.
   *
   * @throws Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
   * `malformed_json`, `storage_unavailable`, `too_many_fetches`, `unsupported_media_type`.
   */
  validate(params: NewPost, options?: WriteOptions): Call<PostValidationResult> {
    return this.http.call(
      { method: "POST", path: "/posts/validate", body: expand(params, { media: "mediaId", targets: "accountId" }), once: true },
      options,
    );
  }
}

/** What `productSets.list` takes. */
export interface ProductSetsListParams {
  /** Rows per page; platforms may return fewer. */
  limit?: number;
  /**
   * The ad account of the business that has the catalog. You can omit it if only one connected ad account belongs to
   * that business.
   */
  adAccountId?: string;
  /** The platform's id of the catalog. */
  catalogId: string;
}

/** Catalogs, products, product sets and shops of the businesses behind ad accounts. */
export class ProductSetsResource extends Resource {
  /**
   * List the product sets of a catalog.
   *
   * @throws Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
   * `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
   * `platform_unavailable`.
   */
  list(params: ProductSetsListParams, options?: CallOptions): Pages<ProductSet, ProductSetPage> {
    return this.http.list({ method: "GET", path: "/commerce/product-sets", query: params }, "cursor", options);
  }

  /**
   * Create a set of products selected by a filter. A filter that the platform does not support returns 422.
   *
   * @throws Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
   * `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
   * `platform_duplicate`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
   * `platform_rejected`, `platform_unavailable`, `unsupported_media_type`.
   */
  create(params: NewProductSetBody, options?: WriteOptions): Call<ProductSet> {
    return this.http.call({ method: "POST", path: "/commerce/product-sets", body: params, once: true }, options);
  }
}

/** What `products.list` takes. */
export interface ProductsListParams {
  /** Rows per page; platforms may return fewer. */
  limit?: number;
  /**
   * The ad account of the business that has the catalog. You can omit it if only one connected ad account belongs to
   * that business.
   */
  adAccountId?: string;
  /** The platform's id of the catalog. */
  catalogId: string;
  /** Your own product id, such as a SKU. */
  retailerId?: string;
  /** Only products of this product set, by the platform's id. */
  productSetId?: string;
  /** Text to find in the title. */
  q?: string;
  /** Only products of this brand. */
  brand?: string;
  /** Only variants with this `group`. */
  group?: string;
  /** Only products with this availability. Not on TikTok. */
  availability?: ProductAvailability;
  /** Only products in this condition. */
  condition?: ProductCondition;
}

/** What `products.delete` takes. */
export interface ProductsDeleteParams {
  /**
   * The ad account of the business that has the catalog. You can omit it if only one connected ad account belongs to
   * that business.
   */
  adAccountId?: string;
  /** The platform's id of the catalog. */
  catalogId: string;
  /** The platform's own id of the product. */
  id?: string;
  /** Your own product id, such as a SKU. */
  retailerId?: string;
  /** Always `product`. */
  type?: "product";
}

/** What `products.batch` takes. */
export interface ProductsBatchParams extends Omit<ProductBatchBody, "items">, Partial<Pick<ProductBatchBody, "items">> {
  /** The rows as CSV, instead of JSON. */
  csv?: string | Blob;
}

/** What `products.batchRows` takes. */
export interface ProductsBatchRowsParams {
  /** Maximum number of rows per page. */
  limit?: number;
  /** Only rows with this status. */
  status?: ProductBatchItemStatusInput;
}

/** Catalogs, products, product sets and shops of the businesses behind ad accounts. */
export class ProductsResource extends Resource {
  /**
   * List the products of a catalog or of one of its product sets, live from the platform.
   *
   * @throws Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
   * `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
   * `platform_unavailable`.
   */
  list(params: ProductsListParams, options?: CallOptions): Pages<Product, ProductPage> {
    return this.http.list({ method: "GET", path: "/commerce/products", query: params }, "cursor", options);
  }

  /**
   * Create a product, or replace the one with the same `retailerId`.
   *
   * Platforms process products in the background. The request waits up to 20 seconds for that; if it takes longer, `id`
   * is null and `status` is `processing`.
   *
   * @throws Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
   * `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
   * `platform_duplicate`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
   * `platform_rejected`, `platform_unavailable`, `unsupported_media_type`.
   */
  create(params: NewProductBody, options?: WriteOptions): Call<Product> {
    return this.http.call({ method: "POST", path: "/commerce/products", body: params, once: true }, options);
  }

  /**
   * Delete a product from its catalog.
   *
   * @throws Error codes beside the common ones: `needs_reconnection`, `not_supported`, `outcome_unknown`,
   * `permission_missing`, `platform_duplicate`, `platform_not_configured`, `platform_not_found`,
   * `platform_rate_limited`, `platform_rejected`, `platform_unavailable`.
   */
  delete(params: ProductsDeleteParams, options?: CallOptions): Call<ProductDeleted> {
    return this.http.call({ method: "DELETE", path: "/commerce/products", query: params }, options);
  }

  /**
   * Create, update and delete thousands of products: as JSON of up to 4 MiB, or as CSV of up to 64 MiB.
   *
   * The response is a task. An invalid row does not affect the others: the result of the task lists failed rows by
   * number with the reason, and `GET /commerce/products/batch/{taskId}/rows` lists the result of every row. If the
   * first 1,000 rows are all invalid, the batch is rejected. A CSV has a header row with the names of the fields, or
   * with those of product feeds (`id`, `link`, `image_link`). Write prices as `9.99 USD` in `price`, or as an integer
   * in `priceAmount` plus a `currency` column. For a CSV, send `catalogId` in the query. A batch can have 100,000 rows.
   * Send one batch at a time: while another one of the same owner is being received, the response is 429
   * `too_many_uploads`.
   *
   * @throws Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
   * `malformed_json`, `needs_reconnection`, `not_supported`, `permission_missing`, `platform_not_configured`,
   * `platform_not_found`, `platform_rate_limited`, `platform_rejected`, `platform_unavailable`, `too_many_connections`,
   * `too_many_rows`, `too_many_tasks`, `too_many_uploads`, `unsupported_media_type`.
   */
  batch(params: ProductsBatchParams, options?: WriteOptions): Call<ProductBatch> {
    if (params.csv !== undefined) {
      const { query } = divide(params, ["adAccountId", "catalogId"]);
      const headers = { "content-type": "text/csv" };
      return this.http.call<ProductBatch>(
        { method: "POST", path: "/commerce/products/batch", query, content: params.csv, headers, once: true },
        options,
      );
    }
    return this.http.call({ method: "POST", path: "/commerce/products/batch", body: params, once: true }, options);
  }

  /**
   * List the result of each row of a batch, in order.
   *
   * @param taskId The id of a task, `task_…`, or of a generation, `gen_…`, from the response that started it.
   */
  batchRows(
    taskId: string,
    params: ProductsBatchRowsParams = {},
    options?: CallOptions,
  ): Pages<BatchRow, BatchRowPage> {
    return this.http.list(
      { method: "GET", path: path`/commerce/products/batch/${taskId}/rows`, query: params },
      "cursor",
      options,
    );
  }
}

/** What `profiles.list` takes. */
export interface ProfilesListParams {
  /** Maximum number of rows per page. */
  limit?: number;
}

/** What `profiles.delete` takes. */
export interface ProfilesDeleteParams {
  /** Disconnect the accounts and ad accounts of the profile first. */
  force?: boolean;
}

/** Groups of accounts, such as one per customer. */
export class ProfilesResource extends Resource {
  /** List the profiles that the credential covers, newest first. */
  list(params: ProfilesListParams = {}, options?: CallOptions): Pages<Profile, ProfilePage> {
    return this.http.list({ method: "GET", path: "/profiles", query: params }, "cursor", options);
  }

  /**
   * Return a profile, with its ETag for a later update.
   *
   * @param profileId The id of a profile, `prf_…`.
   */
  get(profileId: string, options?: CallOptions): Call<Profile> {
    return this.http.call({ method: "GET", path: path`/profiles/${profileId}` }, options);
  }

  /**
   * Create a profile.
   *
   * Accounts are connected to a profile, and every event has a profile id. A key that is limited to some profiles
   * cannot create another.
   *
   * @throws Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
   * `malformed_json`, `unsupported_media_type`.
   */
  create(params: NewProfile, options?: WriteOptions): Call<Profile> {
    return this.http.call({ method: "POST", path: "/profiles", body: params, once: true }, options);
  }

  /**
   * Update a profile. Send `If-Match` with the ETag of the version you read to prevent lost updates.
   *
   * @param profileId The id of a profile, `prf_…`.
   * @throws Error codes beside the common ones: `body_too_large`, `malformed_json`, `precondition_failed`,
   * `unsupported_media_type`.
   */
  update(profileId: string, params: ProfileChanges = {}, options?: ChangeOptions): Call<Profile> {
    return this.http.call({ method: "PATCH", path: path`/profiles/${profileId}`, body: params }, options);
  }

  /**
   * Delete a profile that has no accounts. With `force=true` its accounts are disconnected first.
   *
   * Its drafts and scheduled posts are cancelled and its queue slots deleted. The record of published posts stays.
   *
   * @param profileId The id of a profile, `prf_…`.
   * @throws Error codes beside the common ones: `last_profile`, `profile_not_empty`.
   */
  delete(profileId: string, params: ProfilesDeleteParams = {}, options?: CallOptions): Call<DeletionConfirmation> {
    return this.http.call({ method: "DELETE", path: path`/profiles/${profileId}`, query: params }, options);
  }
}

/** What `queue.slots.list` takes. */
export interface QueueSlotsListParams {
  /** Maximum number of rows per page. */
  limit?: number;
  /** The profile of the queue. */
  profileId?: string;
}

/** What `queue.slots.update` takes. */
export interface QueueSlotsUpdateParams extends SlotChanges {
  /** `free`: they keep their time; `reslot`: they move to the next free slots. */
  posts?: SlotPostsQueryPosts;
}

/** What `queue.slots.delete` takes. */
export interface QueueSlotsDeleteParams {
  /** `free`: they keep their time; `reslot`: they move to the next free slots. */
  posts?: SlotPostsQueryPosts;
}

/** Weekly times at which the posts of a profile are published. */
export class QueueSlotsResource extends Resource {
  /** List the slots, newest first. */
  list(params: QueueSlotsListParams = {}, options?: CallOptions): Pages<Slot, SlotPage> {
    return this.http.list({ method: "GET", path: "/queue/slots", query: params }, "cursor", options);
  }

  /**
   * Create a slot: a weekly time at which the queue of a profile publishes one post.
   *
   * @throws Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
   * `malformed_json`, `slot_exists`, `slot_limit`, `unsupported_media_type`.
   */
  create(params: NewSlot, options?: WriteOptions): Call<Slot> {
    return this.http.call({ method: "POST", path: "/queue/slots", body: params, once: true }, options);
  }

  /**
   * Change the time or the accounts of a slot. Its posts keep their time, or move to the next free slots.
   *
   * @param slotId The id of a slot of the queue, `slot_…`.
   * @throws Error codes beside the common ones: `body_too_large`, `malformed_json`, `no_free_slot`, `slot_exists`,
   * `unsupported_media_type`.
   */
  update(slotId: string, params: QueueSlotsUpdateParams = {}, options?: CallOptions): Call<Slot> {
    const { query, body } = divide(params, ["posts"]);
    return this.http.call({ method: "PATCH", path: path`/queue/slots/${slotId}`, query, body }, options);
  }

  /**
   * Delete a slot. Its posts keep their time, or move to the next free slots.
   *
   * @param slotId The id of a slot of the queue, `slot_…`.
   * @throws Error codes beside the common ones: `no_free_slot`.
   */
  delete(slotId: string, params: QueueSlotsDeleteParams = {}, options?: CallOptions): Call<SlotDeleted> {
    return this.http.call({ method: "DELETE", path: path`/queue/slots/${slotId}`, query: params }, options);
  }
}

/** What `queue.get` takes. */
export interface QueueGetParams {
  /** The profile of the queue. */
  profileId: string;
  /** How far to look ahead. */
  days?: number;
}

/** What `queue.nextSlot` takes. */
export interface QueueNextSlotParams {
  /** The profile of the queue. */
  profileId: string;
  /** For a post to these accounts. Can be repeated. */
  accountId?: string[];
}

/** Weekly times at which the posts of a profile are published. */
export class QueueResource extends Resource {
  readonly slots = new QueueSlotsResource(this.http);

  /** List the upcoming slots of a profile in order, with their posts, including free ones. */
  get(params: QueueGetParams, options?: CallOptions): Pages<QueueEntry, QueueView> {
    return this.http.list({ method: "GET", path: "/queue", query: params }, "cursor", options);
  }

  /**
   * Put a post into the next free slot of its profile. Two posts never get the same one.
   *
   * @throws Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
   * `malformed_json`, `no_free_slot`, `plan_limit_reached`, `unsupported_media_type`.
   */
  add(params: QueuedPost, options?: WriteOptions): Call<Post> {
    return this.http.call(
      { method: "POST", path: "/queue", body: expand(params, { media: "mediaId", targets: "accountId" }), once: true },
      options,
    );
  }

  /**
   * Return the next free slot. It is not reserved.
   *
   * @throws Error codes beside the common ones: `no_free_slot`.
   */
  nextSlot(params: QueueNextSlotParams, options?: CallOptions): Call<NextSlot> {
    return this.http.call({ method: "GET", path: "/queue/next-slot", query: params }, options);
  }
}

/** What `shops.list` takes. */
export interface ShopsListParams {
  /** Rows per page; platforms may return fewer. */
  limit?: number;
  /**
   * The ad account of the business that has the catalog. You can omit it if only one connected ad account belongs to
   * that business.
   */
  adAccountId?: string;
}

/** Catalogs, products, product sets and shops of the businesses behind ad accounts. */
export class ShopsResource extends Resource {
  /**
   * List the shops of the business that an ad account belongs to.
   *
   * @throws Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
   * `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
   * `platform_unavailable`.
   */
  list(params: ShopsListParams = {}, options?: CallOptions): Pages<Shop, ShopPage> {
    return this.http.list({ method: "GET", path: "/commerce/shops", query: params }, "cursor", options);
  }
}

/** What `tasks.list` takes. */
export interface TasksListParams {
  /** Maximum number of rows per page. */
  limit?: number;
  /** Only tasks with this status. */
  status?: JobStatusInput;
  /** Only tasks of this type. */
  type?: string;
}

/** What `tasks.get` takes. */
export interface TasksGetParams {
  /** Respond when the task has finished, or after this many seconds. */
  wait?: number;
}

/** Background work: its progress, its result, and how to cancel it. */
export class TasksResource extends TaskWaiting {
  /**
   * List tasks, newest first.
   *
   * Everything that takes longer than a request is a task: the route that starts it returns 202 with its id.
   */
  list(params: TasksListParams = {}, options?: CallOptions): Pages<Task, TaskPage> {
    return this.http.list({ method: "GET", path: "/tasks", query: params }, "cursor", options);
  }

  /**
   * Return a task: its status, its progress, and its result when it has finished.
   *
   * With `wait`, the response is sent as soon as the task has finished. The record of a finished task is kept until
   * `expiresAt`.
   *
   * @param taskId The id of a task, `task_…`, or of a generation, `gen_…`, from the response that started it.
   */
  get(taskId: string, params: TasksGetParams = {}, options?: CallOptions): Call<Task> {
    return this.http.call({ method: "GET", path: path`/tasks/${taskId}`, query: params }, options);
  }

  /**
   * Cancel a task. A running task ends after its current step; what it has done so far is not undone.
   *
   * @param taskId The id of a task, `task_…`, or of a generation, `gen_…`, from the response that started it.
   * @throws Error codes beside the common ones: `task_finished`.
   */
  cancel(taskId: string, options?: CallOptions): Call<TaskCancelled> {
    return this.http.call({ method: "DELETE", path: path`/tasks/${taskId}` }, options);
  }
}

/** What `usage.get` takes. */
export interface UsageGetParams {
  /** A calendar month in UTC, such as `2026-11`. Default: the current one. */
  period?: string;
}

/** What was used in a month, and the limits of the plan. */
export class UsageResource extends Resource {
  /**
   * Show what was used in a month, by metric and by day, with the limits of the plan.
   *
   * With a key that is limited to some profiles, you see what these profiles used; `apiCalls` are then the requests
   * made with this key, and `connectedAccounts` is the sum of the highest number of each profile. Limits apply to the
   * whole owner. Days and months are in UTC. A month in the future is empty.
   */
  get(params: UsageGetParams = {}, options?: CallOptions): Call<Usage> {
    return this.http.call({ method: "GET", path: "/usage", query: params }, options);
  }
}

/** The resources of a client. */
export class Resources {
  /** Connected accounts and ad accounts: their status, their health, and how to disconnect them. */
  readonly accounts: AccountsResource;
  /** Connected accounts and ad accounts: their status, their health, and how to disconnect them. */
  readonly adAccounts: AdAccountsResource;
  /** Campaigns, ad sets, ads, audiences, pixels and insights of ad accounts. */
  readonly ads: AdsResource;
  /** Generate texts, images, videos and audio with AI models. */
  readonly ai: AiResource;
  /** Keys for programs, limited to profiles and permissions. */
  readonly apiKeys: ApiKeysResource;
  /** Sign up, sign in and sign out. */
  readonly auth: AuthResource;
  /** Automatic reactions: replies, messages, and steps that wait. */
  readonly automations: AutomationsResource;
  /** Buying a plan and managing the subscription, through Stripe. */
  readonly billing: BillingResource;
  /** Calendar events of an account. */
  readonly calendar: CalendarResource;
  /** Catalogs, products, product sets and shops of the businesses behind ad accounts. */
  readonly catalogs: CatalogsResource;
  /** Comments and reviews on the posts of an account: read, reply, hide and delete them. */
  readonly comments: CommentsResource;
  /** Connect accounts: by consent in a browser, by a credential, or by scanning a code. */
  readonly connect: ConnectResource;
  /** Conversations with people, and the messages in them. */
  readonly conversations: ConversationsResource;
  /** Where events are sent, signed and retried, with a record of every attempt. */
  readonly deliveries: DeliveriesResource;
  /** Everything that happened, as a list and as a stream. */
  readonly events: EventsResource;
  /** Whether the service is running, and what it offers. */
  readonly health: HealthResource;
  /** Where events are sent, signed and retried, with a record of every attempt. */
  readonly hooks: HooksResource;
  /** Metrics of accounts and posts, live and over time: followers, reach, engagement. */
  readonly insights: InsightsResource;
  /** Lead forms, the leads submitted through them, and your team's progress with each lead. */
  readonly leads: LeadsResource;
  /** Files for posts and messages: upload them in one request or in chunks. */
  readonly media: MediaResource;
  /** Conversations with people, and the messages in them. */
  readonly messages: MessagesResource;
  /** Calls that changed something on a platform, and their results. */
  readonly operations: OperationsResource;
  /** Connected accounts and ad accounts: their status, their health, and how to disconnect them. */
  readonly platforms: PlatformsResource;
  /** Publish now, at a time or through the queue, and see every step. */
  readonly posts: PostsResource;
  /** Catalogs, products, product sets and shops of the businesses behind ad accounts. */
  readonly productSets: ProductSetsResource;
  /** Catalogs, products, product sets and shops of the businesses behind ad accounts. */
  readonly products: ProductsResource;
  /** Groups of accounts, such as one per customer. */
  readonly profiles: ProfilesResource;
  /** Weekly times at which the posts of a profile are published. */
  readonly queue: QueueResource;
  /** Catalogs, products, product sets and shops of the businesses behind ad accounts. */
  readonly shops: ShopsResource;
  /** Background work: its progress, its result, and how to cancel it. */
  readonly tasks: TasksResource;
  /** What was used in a month, and the limits of the plan. */
  readonly usage: UsageResource;

  constructor(http: Http) {
    this.accounts = new AccountsResource(http);
    this.adAccounts = new AdAccountsResource(http);
    this.ads = new AdsResource(http);
    this.ai = new AiResource(http);
    this.apiKeys = new ApiKeysResource(http);
    this.auth = new AuthResource(http);
    this.automations = new AutomationsResource(http);
    this.billing = new BillingResource(http);
    this.calendar = new CalendarResource(http);
    this.catalogs = new CatalogsResource(http);
    this.comments = new CommentsResource(http);
    this.connect = new ConnectResource(http);
    this.conversations = new ConversationsResource(http);
    this.deliveries = new DeliveriesResource(http);
    this.events = new EventsResource(http);
    this.health = new HealthResource(http);
    this.hooks = new HooksResource(http);
    this.insights = new InsightsResource(http);
    this.leads = new LeadsResource(http);
    this.media = new MediaResource(http);
    this.messages = new MessagesResource(http);
    this.operations = new OperationsResource(http);
    this.platforms = new PlatformsResource(http);
    this.posts = new PostsResource(http);
    this.productSets = new ProductSetsResource(http);
    this.products = new ProductsResource(http);
    this.profiles = new ProfilesResource(http);
    this.queue = new QueueResource(http);
    this.shops = new ShopsResource(http);
    this.tasks = new TasksResource(http);
    this.usage = new UsageResource(http);
  }
}
