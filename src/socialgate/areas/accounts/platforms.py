"""The capability matrix: what each kind of account can do, as declared by the connectors."""

from collections.abc import Sequence

from socialgate.areas.accounts.schemas import KindMetrics, MetricInfo, PlatformKind, Platforms
from socialgate.contracts.catalogue import Catalogue
from socialgate.contracts.metrics import Metric
from socialgate.contracts.platforms import KindManifest, Manifest


class Matrix:
    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def show(self) -> Platforms:
        manifests = self._catalogue.manifests.values()
        return Platforms(data=[self._kind(manifest, kind) for manifest in manifests for kind in manifest.kinds])

    def _kind(self, manifest: Manifest, kind: KindManifest) -> PlatformKind:
        return PlatformKind(
            kind=kind.kind,
            platform=manifest.platform,
            name=kind.name,
            configured=self._catalogue.connector(manifest.platform) is not None,
            connect=manifest.method,
            capabilities=[str(capability) for capability in kind.capabilities],
            permissions={use: list(scopes) for use, scopes in kind.permissions.items()},
            limits=kind.limits,
            media=dict(kind.media),
            options=dict(kind.options),
            message_options=dict(kind.message_options),
            metrics=KindMetrics(account=_infos(kind.metrics.account), post=_infos(kind.metrics.post)),
            advertising={name: list(words) for name, words in kind.advertising.items()},
        )


def _infos(metrics: Sequence[Metric]) -> list[MetricInfo]:
    return [MetricInfo(name=one.name, unit=one.unit, vendor=one.vendor, daily=one.daily) for one in metrics]
