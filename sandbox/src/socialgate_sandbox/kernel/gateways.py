"""Where the product is. It may run as several processes, as several deployments, and it may move to another address.

A deployment that runs the sandbox inside one of its processes is known from the settings; others announce the address
of each process. Webhooks of an app go to every deployment, because each may have connected the account. A webhook to an
address of a deployment reaches any of its processes, also if it was registered by one that has moved since.
"""

from socialgate_sandbox.kernel.store import Store, Thing

# The address in the settings of a sandbox that runs on its own. It counts until a deployment announces itself.
_SETTINGS = "settings"
_KEPT_ADDRESSES = 20


class Gateway(Thing):
    """A deployment of the product, with the addresses of its processes, newest first, and those it had before."""

    urls: list[str]
    former: list[str] = []


class Gateways:
    def __init__(self, store: Store) -> None:
        self._store = store

    def start(self, deployment: str, url: str) -> None:
        """Record the address of this start, which replaces those of earlier starts."""
        key = deployment or _SETTINGS
        earlier = [one for one in self.all() if one.id in {key, _SETTINGS}]
        former = [address for one in earlier for address in (*one.urls, *one.former)]
        for one in earlier:
            self._store.delete(Gateway, one.id)
        self._take(url)
        known = [address for address in dict.fromkeys(former) if address != url]
        self._store.put(Gateway(id=key, urls=[url], former=known[:_KEPT_ADDRESSES]))

    def announce(self, deployment: str, url: str) -> None:
        """Add the address of a process of a deployment."""
        self._take(url)
        known = self._store.get(Gateway, deployment) or Gateway(id=deployment, urls=[])
        known.urls = [url, *known.urls][:_KEPT_ADDRESSES]
        self._store.put(known)

    def all(self) -> list[Gateway]:
        return self._store.find(Gateway)

    def restore(self, gateways: list[Gateway]) -> None:
        """Store them again, after everything was deleted."""
        for one in gateways:
            self._store.put(one)

    def targets(self, vendor: str, url: str) -> list[str]:
        """List where a webhook goes: that of an app to every deployment, any other to its own address."""
        owner, path = self._find(url)
        if owner is None or path != f"/webhooks/{vendor}":
            return [url]
        announced = [one for one in self.all() if one.id != _SETTINGS]
        return [f"{one.urls[0]}{path}" for one in announced or [owner]]

    def candidates(self, url: str) -> list[str]:
        """List the addresses at which a webhook can be delivered, in the order in which to try them."""
        owner, path = self._find(url)
        if owner is None:
            return [url]
        announced = [one for one in self.all() if one.id != _SETTINGS]
        if owner.id == _SETTINGS and len(announced) == 1:
            owner = announced[0]
        return sorted((f"{address}{path}" for address in owner.urls), key=lambda address: address != url)

    def forget(self, url: str) -> None:
        """Remove the address of a process that no longer answers, while another process of its deployment does."""
        owner, path = self._find(url)
        address = url.removesuffix(path)
        if owner is not None and address in owner.urls and len(owner.urls) > 1:
            owner.urls.remove(address)
            owner.former = [address, *owner.former][:_KEPT_ADDRESSES]
            self._store.put(owner)

    def _find(self, url: str) -> tuple[Gateway | None, str]:
        """Return the deployment that an address belongs to, and the rest of the address."""
        gateways = self.all()
        for names in ([(one, one.urls) for one in gateways], [(one, one.former) for one in gateways]):
            for one, addresses in names:
                for address in addresses:
                    if url.startswith(f"{address}/"):
                        return one, url.removeprefix(address)
        return None, ""

    def _take(self, url: str) -> None:
        """Remove an address wherever it is known: it now belongs to another deployment, or comes first."""
        for one in self.all():
            one.urls = [address for address in one.urls if address != url]
            one.former = [address for address in one.former if address != url]
            if one.urls:
                self._store.put(one)
            else:
                self._store.delete(Gateway, one.id)
