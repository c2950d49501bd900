"""Who sends webhooks here: the platforms, and the services that the deployment itself uses."""

from socialgate.contracts.catalogue import Catalogue
from socialgate.contracts.inbound import Inbound, ServiceInbounds
from socialgate.contracts.platforms import Platform

PLATFORMS = frozenset(Platform)


class Senders:
    def __init__(self, catalogue: Catalogue, services: ServiceInbounds) -> None:
        self._catalogue = catalogue
        self._services = services

    def find(self, name: str) -> Inbound | None:
        """Find how the webhooks of a sender are verified and parsed; None if it is unknown or not configured."""
        if name not in PLATFORMS:
            service = self._services.of.get(name)
            return None if service is None else service()
        connector = self._catalogue.connector(Platform(name))
        return None if connector is None else connector.inbound
