# Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.
"""The resources of a client. Each is loaded when it is first used."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from ._async.client import AsyncSocialgate
    from ._sync.client import Socialgate
    from .resources.accounts import AccountsResource, AsyncAccountsResource
    from .resources.ad_accounts import AdAccountsResource, AsyncAdAccountsResource
    from .resources.ads import AdsResource, AsyncAdsResource
    from .resources.ai import AiResource, AsyncAiResource
    from .resources.api_keys import ApiKeysResource, AsyncApiKeysResource
    from .resources.auth import AsyncAuthResource, AuthResource
    from .resources.automations import AsyncAutomationsResource, AutomationsResource
    from .resources.billing import AsyncBillingResource, BillingResource
    from .resources.calendar import AsyncCalendarResource, CalendarResource
    from .resources.catalogs import AsyncCatalogsResource, CatalogsResource
    from .resources.comments import AsyncCommentsResource, CommentsResource
    from .resources.connect import AsyncConnectResource, ConnectResource
    from .resources.conversations import AsyncConversationsResource, ConversationsResource
    from .resources.deliveries import AsyncDeliveriesResource, DeliveriesResource
    from .resources.events import AsyncEventsResource, EventsResource
    from .resources.health import AsyncHealthResource, HealthResource
    from .resources.hooks import AsyncHooksResource, HooksResource
    from .resources.insights import AsyncInsightsResource, InsightsResource
    from .resources.leads import AsyncLeadsResource, LeadsResource
    from .resources.media import AsyncMediaResource, MediaResource
    from .resources.messages import AsyncMessagesResource, MessagesResource
    from .resources.operations import AsyncOperationsResource, OperationsResource
    from .resources.platforms import AsyncPlatformsResource, PlatformsResource
    from .resources.posts import AsyncPostsResource, PostsResource
    from .resources.product_sets import AsyncProductSetsResource, ProductSetsResource
    from .resources.products import AsyncProductsResource, ProductsResource
    from .resources.profiles import AsyncProfilesResource, ProfilesResource
    from .resources.queue import AsyncQueueResource, QueueResource
    from .resources.shops import AsyncShopsResource, ShopsResource
    from .resources.tasks import AsyncTasksResource, TasksResource
    from .resources.usage import AsyncUsageResource, UsageResource


class Resources:
    """The resources of a client."""

    @cached_property
    def accounts(self) -> AccountsResource:
        """Connected accounts and ad accounts: their status, their health, and how to disconnect them."""
        from .resources.accounts import AccountsResource

        client = cast("Socialgate", self)
        return AccountsResource(client, client)

    @cached_property
    def ad_accounts(self) -> AdAccountsResource:
        """Connected accounts and ad accounts: their status, their health, and how to disconnect them."""
        from .resources.ad_accounts import AdAccountsResource

        client = cast("Socialgate", self)
        return AdAccountsResource(client, client)

    @cached_property
    def ads(self) -> AdsResource:
        """Campaigns, ad sets, ads, audiences, pixels and insights of ad accounts."""
        from .resources.ads import AdsResource

        client = cast("Socialgate", self)
        return AdsResource(client, client)

    @cached_property
    def ai(self) -> AiResource:
        """Generate texts, images, videos and audio with AI models."""
        from .resources.ai import AiResource

        client = cast("Socialgate", self)
        return AiResource(client, client)

    @cached_property
    def api_keys(self) -> ApiKeysResource:
        """Keys for programs, limited to profiles and permissions."""
        from .resources.api_keys import ApiKeysResource

        client = cast("Socialgate", self)
        return ApiKeysResource(client, client)

    @cached_property
    def auth(self) -> AuthResource:
        """Sign up, sign in and sign out."""
        from .resources.auth import AuthResource

        client = cast("Socialgate", self)
        return AuthResource(client, client)

    @cached_property
    def automations(self) -> AutomationsResource:
        """Automatic reactions: replies, messages, and steps that wait."""
        from .resources.automations import AutomationsResource

        client = cast("Socialgate", self)
        return AutomationsResource(client, client)

    @cached_property
    def billing(self) -> BillingResource:
        """Buying a plan and managing the subscription, through Stripe."""
        from .resources.billing import BillingResource

        client = cast("Socialgate", self)
        return BillingResource(client, client)

    @cached_property
    def calendar(self) -> CalendarResource:
        """Calendar events of an account."""
        from .resources.calendar import CalendarResource

        client = cast("Socialgate", self)
        return CalendarResource(client, client)

    @cached_property
    def catalogs(self) -> CatalogsResource:
        """Catalogs, products, product sets and shops of the businesses behind ad accounts."""
        from .resources.catalogs import CatalogsResource

        client = cast("Socialgate", self)
        return CatalogsResource(client, client)

    @cached_property
    def comments(self) -> CommentsResource:
        """Comments and reviews on the posts of an account: read, reply, hide and delete them."""
        from .resources.comments import CommentsResource

        client = cast("Socialgate", self)
        return CommentsResource(client, client)

    @cached_property
    def connect(self) -> ConnectResource:
        """Connect accounts: by consent in a browser, by a credential, or by scanning a code."""
        from .resources.connect import ConnectResource

        client = cast("Socialgate", self)
        return ConnectResource(client, client)

    @cached_property
    def conversations(self) -> ConversationsResource:
        """Conversations with people, and the messages in them."""
        from .resources.conversations import ConversationsResource

        client = cast("Socialgate", self)
        return ConversationsResource(client, client)

    @cached_property
    def deliveries(self) -> DeliveriesResource:
        """Where events are sent, signed and retried, with a record of every attempt."""
        from .resources.deliveries import DeliveriesResource

        client = cast("Socialgate", self)
        return DeliveriesResource(client, client)

    @cached_property
    def events(self) -> EventsResource:
        """Everything that happened, as a list and as a stream."""
        from .resources.events import EventsResource

        client = cast("Socialgate", self)
        return EventsResource(client, client)

    @cached_property
    def health(self) -> HealthResource:
        """Whether the service is running, and what it offers."""
        from .resources.health import HealthResource

        client = cast("Socialgate", self)
        return HealthResource(client, client)

    @cached_property
    def hooks(self) -> HooksResource:
        """Where events are sent, signed and retried, with a record of every attempt."""
        from .resources.hooks import HooksResource

        client = cast("Socialgate", self)
        return HooksResource(client, client)

    @cached_property
    def insights(self) -> InsightsResource:
        """Metrics of accounts and posts, live and over time: followers, reach, engagement."""
        from .resources.insights import InsightsResource

        client = cast("Socialgate", self)
        return InsightsResource(client, client)

    @cached_property
    def leads(self) -> LeadsResource:
        """Lead forms, the leads submitted through them, and your team's progress with each lead."""
        from .resources.leads import LeadsResource

        client = cast("Socialgate", self)
        return LeadsResource(client, client)

    @cached_property
    def media(self) -> MediaResource:
        """Files for posts and messages: upload them in one request or in chunks."""
        from .resources.media import MediaResource

        client = cast("Socialgate", self)
        return MediaResource(client, client)

    @cached_property
    def messages(self) -> MessagesResource:
        """Conversations with people, and the messages in them."""
        from .resources.messages import MessagesResource

        client = cast("Socialgate", self)
        return MessagesResource(client, client)

    @cached_property
    def operations(self) -> OperationsResource:
        """Calls that changed something on a platform, and their results."""
        from .resources.operations import OperationsResource

        client = cast("Socialgate", self)
        return OperationsResource(client, client)

    @cached_property
    def platforms(self) -> PlatformsResource:
        """Connected accounts and ad accounts: their status, their health, and how to disconnect them."""
        from .resources.platforms import PlatformsResource

        client = cast("Socialgate", self)
        return PlatformsResource(client, client)

    @cached_property
    def posts(self) -> PostsResource:
        """Publish now, at a time or through the queue, and see every step."""
        from .resources.posts import PostsResource

        client = cast("Socialgate", self)
        return PostsResource(client, client)

    @cached_property
    def product_sets(self) -> ProductSetsResource:
        """Catalogs, products, product sets and shops of the businesses behind ad accounts."""
        from .resources.product_sets import ProductSetsResource

        client = cast("Socialgate", self)
        return ProductSetsResource(client, client)

    @cached_property
    def products(self) -> ProductsResource:
        """Catalogs, products, product sets and shops of the businesses behind ad accounts."""
        from .resources.products import ProductsResource

        client = cast("Socialgate", self)
        return ProductsResource(client, client)

    @cached_property
    def profiles(self) -> ProfilesResource:
        """Groups of accounts, such as one per customer."""
        from .resources.profiles import ProfilesResource

        client = cast("Socialgate", self)
        return ProfilesResource(client, client)

    @cached_property
    def queue(self) -> QueueResource:
        """Weekly times at which the posts of a profile are published."""
        from .resources.queue import QueueResource

        client = cast("Socialgate", self)
        return QueueResource(client, client)

    @cached_property
    def shops(self) -> ShopsResource:
        """Catalogs, products, product sets and shops of the businesses behind ad accounts."""
        from .resources.shops import ShopsResource

        client = cast("Socialgate", self)
        return ShopsResource(client, client)

    @cached_property
    def tasks(self) -> TasksResource:
        """Background work: its progress, its result, and how to cancel it."""
        from .resources.tasks import TasksResource

        client = cast("Socialgate", self)
        return TasksResource(client, client)

    @cached_property
    def usage(self) -> UsageResource:
        """What was used in a month, and the limits of the plan."""
        from .resources.usage import UsageResource

        client = cast("Socialgate", self)
        return UsageResource(client, client)


class AsyncResources:
    """The resources of a client."""

    @cached_property
    def accounts(self) -> AsyncAccountsResource:
        """Connected accounts and ad accounts: their status, their health, and how to disconnect them."""
        from .resources.accounts import AsyncAccountsResource

        client = cast("AsyncSocialgate", self)
        return AsyncAccountsResource(client, client)

    @cached_property
    def ad_accounts(self) -> AsyncAdAccountsResource:
        """Connected accounts and ad accounts: their status, their health, and how to disconnect them."""
        from .resources.ad_accounts import AsyncAdAccountsResource

        client = cast("AsyncSocialgate", self)
        return AsyncAdAccountsResource(client, client)

    @cached_property
    def ads(self) -> AsyncAdsResource:
        """Campaigns, ad sets, ads, audiences, pixels and insights of ad accounts."""
        from .resources.ads import AsyncAdsResource

        client = cast("AsyncSocialgate", self)
        return AsyncAdsResource(client, client)

    @cached_property
    def ai(self) -> AsyncAiResource:
        """Generate texts, images, videos and audio with AI models."""
        from .resources.ai import AsyncAiResource

        client = cast("AsyncSocialgate", self)
        return AsyncAiResource(client, client)

    @cached_property
    def api_keys(self) -> AsyncApiKeysResource:
        """Keys for programs, limited to profiles and permissions."""
        from .resources.api_keys import AsyncApiKeysResource

        client = cast("AsyncSocialgate", self)
        return AsyncApiKeysResource(client, client)

    @cached_property
    def auth(self) -> AsyncAuthResource:
        """Sign up, sign in and sign out."""
        from .resources.auth import AsyncAuthResource

        client = cast("AsyncSocialgate", self)
        return AsyncAuthResource(client, client)

    @cached_property
    def automations(self) -> AsyncAutomationsResource:
        """Automatic reactions: replies, messages, and steps that wait."""
        from .resources.automations import AsyncAutomationsResource

        client = cast("AsyncSocialgate", self)
        return AsyncAutomationsResource(client, client)

    @cached_property
    def billing(self) -> AsyncBillingResource:
        """Buying a plan and managing the subscription, through Stripe."""
        from .resources.billing import AsyncBillingResource

        client = cast("AsyncSocialgate", self)
        return AsyncBillingResource(client, client)

    @cached_property
    def calendar(self) -> AsyncCalendarResource:
        """Calendar events of an account."""
        from .resources.calendar import AsyncCalendarResource

        client = cast("AsyncSocialgate", self)
        return AsyncCalendarResource(client, client)

    @cached_property
    def catalogs(self) -> AsyncCatalogsResource:
        """Catalogs, products, product sets and shops of the businesses behind ad accounts."""
        from .resources.catalogs import AsyncCatalogsResource

        client = cast("AsyncSocialgate", self)
        return AsyncCatalogsResource(client, client)

    @cached_property
    def comments(self) -> AsyncCommentsResource:
        """Comments and reviews on the posts of an account: read, reply, hide and delete them."""
        from .resources.comments import AsyncCommentsResource

        client = cast("AsyncSocialgate", self)
        return AsyncCommentsResource(client, client)

    @cached_property
    def connect(self) -> AsyncConnectResource:
        """Connect accounts: by consent in a browser, by a credential, or by scanning a code."""
        from .resources.connect import AsyncConnectResource

        client = cast("AsyncSocialgate", self)
        return AsyncConnectResource(client, client)

    @cached_property
    def conversations(self) -> AsyncConversationsResource:
        """Conversations with people, and the messages in them."""
        from .resources.conversations import AsyncConversationsResource

        client = cast("AsyncSocialgate", self)
        return AsyncConversationsResource(client, client)

    @cached_property
    def deliveries(self) -> AsyncDeliveriesResource:
        """Where events are sent, signed and retried, with a record of every attempt."""
        from .resources.deliveries import AsyncDeliveriesResource

        client = cast("AsyncSocialgate", self)
        return AsyncDeliveriesResource(client, client)

    @cached_property
    def events(self) -> AsyncEventsResource:
        """Everything that happened, as a list and as a stream."""
        from .resources.events import AsyncEventsResource

        client = cast("AsyncSocialgate", self)
        return AsyncEventsResource(client, client)

    @cached_property
    def health(self) -> AsyncHealthResource:
        """Whether the service is running, and what it offers."""
        from .resources.health import AsyncHealthResource

        client = cast("AsyncSocialgate", self)
        return AsyncHealthResource(client, client)

    @cached_property
    def hooks(self) -> AsyncHooksResource:
        """Where events are sent, signed and retried, with a record of every attempt."""
        from .resources.hooks import AsyncHooksResource

        client = cast("AsyncSocialgate", self)
        return AsyncHooksResource(client, client)

    @cached_property
    def insights(self) -> AsyncInsightsResource:
        """Metrics of accounts and posts, live and over time: followers, reach, engagement."""
        from .resources.insights import AsyncInsightsResource

        client = cast("AsyncSocialgate", self)
        return AsyncInsightsResource(client, client)

    @cached_property
    def leads(self) -> AsyncLeadsResource:
        """Lead forms, the leads submitted through them, and your team's progress with each lead."""
        from .resources.leads import AsyncLeadsResource

        client = cast("AsyncSocialgate", self)
        return AsyncLeadsResource(client, client)

    @cached_property
    def media(self) -> AsyncMediaResource:
        """Files for posts and messages: upload them in one request or in chunks."""
        from .resources.media import AsyncMediaResource

        client = cast("AsyncSocialgate", self)
        return AsyncMediaResource(client, client)

    @cached_property
    def messages(self) -> AsyncMessagesResource:
        """Conversations with people, and the messages in them."""
        from .resources.messages import AsyncMessagesResource

        client = cast("AsyncSocialgate", self)
        return AsyncMessagesResource(client, client)

    @cached_property
    def operations(self) -> AsyncOperationsResource:
        """Calls that changed something on a platform, and their results."""
        from .resources.operations import AsyncOperationsResource

        client = cast("AsyncSocialgate", self)
        return AsyncOperationsResource(client, client)

    @cached_property
    def platforms(self) -> AsyncPlatformsResource:
        """Connected accounts and ad accounts: their status, their health, and how to disconnect them."""
        from .resources.platforms import AsyncPlatformsResource

        client = cast("AsyncSocialgate", self)
        return AsyncPlatformsResource(client, client)

    @cached_property
    def posts(self) -> AsyncPostsResource:
        """Publish now, at a time or through the queue, and see every step."""
        from .resources.posts import AsyncPostsResource

        client = cast("AsyncSocialgate", self)
        return AsyncPostsResource(client, client)

    @cached_property
    def product_sets(self) -> AsyncProductSetsResource:
        """Catalogs, products, product sets and shops of the businesses behind ad accounts."""
        from .resources.product_sets import AsyncProductSetsResource

        client = cast("AsyncSocialgate", self)
        return AsyncProductSetsResource(client, client)

    @cached_property
    def products(self) -> AsyncProductsResource:
        """Catalogs, products, product sets and shops of the businesses behind ad accounts."""
        from .resources.products import AsyncProductsResource

        client = cast("AsyncSocialgate", self)
        return AsyncProductsResource(client, client)

    @cached_property
    def profiles(self) -> AsyncProfilesResource:
        """Groups of accounts, such as one per customer."""
        from .resources.profiles import AsyncProfilesResource

        client = cast("AsyncSocialgate", self)
        return AsyncProfilesResource(client, client)

    @cached_property
    def queue(self) -> AsyncQueueResource:
        """Weekly times at which the posts of a profile are published."""
        from .resources.queue import AsyncQueueResource

        client = cast("AsyncSocialgate", self)
        return AsyncQueueResource(client, client)

    @cached_property
    def shops(self) -> AsyncShopsResource:
        """Catalogs, products, product sets and shops of the businesses behind ad accounts."""
        from .resources.shops import AsyncShopsResource

        client = cast("AsyncSocialgate", self)
        return AsyncShopsResource(client, client)

    @cached_property
    def tasks(self) -> AsyncTasksResource:
        """Background work: its progress, its result, and how to cancel it."""
        from .resources.tasks import AsyncTasksResource

        client = cast("AsyncSocialgate", self)
        return AsyncTasksResource(client, client)

    @cached_property
    def usage(self) -> AsyncUsageResource:
        """What was used in a month, and the limits of the plan."""
        from .resources.usage import AsyncUsageResource

        client = cast("AsyncSocialgate", self)
        return AsyncUsageResource(client, client)
