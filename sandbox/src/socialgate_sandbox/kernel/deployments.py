"""Where the product is. It may run as several processes, as several deployments, and it may move to another address.

A deployment that runs the sandbox inside one of its processes is known from the settings; others announce the address
of each process. Webhooks of an app go to every deployment, because each may have connected the account. A webhook to an
address of a deployment reaches any of its processes, also if it was registered by one that has moved since.
"""

from socialgate_sandbox.kernel.store import Store, StoredObject

# The address in the settings of a sandbox that runs on its own. It counts until a deployment announces itself.
_SETTINGS_ID = "settings"
_MAX_ADDRESSES = 20


class Gateway(StoredObject):
    """A deployment of the product, with the addresses of its processes, newest first, and those it had before."""

    urls: list[str]
    former: list[str] = []


class DeploymentRegistry:
    def __init__(self, store: Store) -> None:
        self._store = store

    def start(self, deployment: str, url: str) -> None:
        """Record the address of this start, which replaces those of earlier starts."""
        key = deployment or _SETTINGS_ID
        earlier = [gateway for gateway in self.list_deployments() if gateway.id in {key, _SETTINGS_ID}]
        former = [address for gateway in earlier for address in (*gateway.urls, *gateway.former)]
        for gateway in earlier:
            self._store.delete(Gateway, gateway.id)
        self._remove_everywhere(url)
        known = [address for address in dict.fromkeys(former) if address != url]
        self._store.put(Gateway(id=key, urls=[url], former=known[:_MAX_ADDRESSES]))

    def register_process(self, deployment: str, url: str) -> None:
        """Add the address of a process of a deployment."""
        self._remove_everywhere(url)
        known = self._store.get(Gateway, deployment) or Gateway(id=deployment, urls=[])
        known.urls = [url, *known.urls][:_MAX_ADDRESSES]
        self._store.put(known)

    def list_deployments(self) -> list[Gateway]:
        return self._store.find(Gateway)

    def store_all(self, gateways: list[Gateway]) -> None:
        """Store them again, after everything was deleted."""
        for gateway in gateways:
            self._store.put(gateway)

    def list_webhook_urls(self, vendor: str, url: str) -> list[str]:
        """List where a webhook goes: that of an app to every deployment, any other to its own address."""
        owner, path = self._find_owner(url)
        if owner is None or path != f"/webhooks/{vendor}":
            return [url]
        announced = [gateway for gateway in self.list_deployments() if gateway.id != _SETTINGS_ID]
        return [f"{gateway.urls[0]}{path}" for gateway in announced or [owner]]

    def list_delivery_urls(self, url: str) -> list[str]:
        """List the addresses at which a webhook can be delivered, in the order in which to try them."""
        owner, path = self._find_owner(url)
        if owner is None:
            return [url]
        announced = [gateway for gateway in self.list_deployments() if gateway.id != _SETTINGS_ID]
        if owner.id == _SETTINGS_ID and len(announced) == 1:
            owner = announced[0]
        return sorted((f"{address}{path}" for address in owner.urls), key=lambda address: address != url)

    def remove_address(self, url: str) -> None:
        """Remove the address of a process that no longer answers, while another process of its deployment does."""
        owner, path = self._find_owner(url)
        address = url.removesuffix(path)
        if owner is not None and address in owner.urls and len(owner.urls) > 1:
            owner.urls.remove(address)
            owner.former = [address, *owner.former][:_MAX_ADDRESSES]
            self._store.put(owner)

    def _find_owner(self, url: str) -> tuple[Gateway | None, str]:
        """Return the deployment that an address belongs to, and the rest of the address."""
        gateways = self.list_deployments()
        for names in (
            [(gateway, gateway.urls) for gateway in gateways],
            [(gateway, gateway.former) for gateway in gateways],
        ):
            for gateway, addresses in names:
                for address in addresses:
                    if url.startswith(f"{address}/"):
                        return gateway, url.removeprefix(address)
        return None, ""

    def _remove_everywhere(self, url: str) -> None:
        """Remove an address wherever it is known: it now belongs to another deployment, or comes first."""
        for gateway in self.list_deployments():
            gateway.urls = [address for address in gateway.urls if address != url]
            gateway.former = [address for address in gateway.former if address != url]
            if gateway.urls:
                self._store.put(gateway)
            else:
                self._store.delete(Gateway, gateway.id)
