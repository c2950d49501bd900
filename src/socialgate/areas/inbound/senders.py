"""Who sends webhooks here: the platforms, and the services that the deployment itself uses."""

from socialgate.contracts.connector_registry import ConnectorRegistry
from socialgate.contracts.platforms import Platform
from socialgate.contracts.webhooks import ServiceWebhookReceivers, WebhookReceiver

PLATFORMS = frozenset(Platform)


class WebhookSenderRegistry:
    def __init__(self, catalogue: ConnectorRegistry, services: ServiceWebhookReceivers) -> None:
        self._catalogue = catalogue
        self._services = services

    def find(self, name: str) -> WebhookReceiver | None:
        """Find how the webhooks of a sender are verified and parsed; None if it is unknown or not configured."""
        if name not in PLATFORMS:
            service = self._services.factories_by_service.get(name)
            return None if service is None else service()
        connector = self._catalogue.find_connector(Platform(name))
        return None if connector is None else connector.webhook_receiver
