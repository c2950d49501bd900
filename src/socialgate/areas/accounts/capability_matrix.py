"""The capability matrix: what each kind of account can do, as declared by the connectors."""

from collections.abc import Iterator, Sequence

from socialgate.areas.accounts.schemas import KindMetrics, MetricInfo, PlatformKind, PlatformKinds
from socialgate.contracts.connector_registry import ConnectorRegistry
from socialgate.contracts.metrics import PlatformMetric
from socialgate.contracts.platforms import Kind, KindManifest, PlatformManifest
from socialgate.core.errors import NotFound
from socialgate.web.similar import format_allowed_values, suggest_name


class CapabilityMatrix:
    def __init__(self, catalogue: ConnectorRegistry) -> None:
        self._catalogue = catalogue

    def build(self, kinds: Sequence[Kind] | None = None) -> PlatformKinds:
        """Show every kind of account, or only these."""
        return PlatformKinds(data=[shown for shown in self._list_kinds() if kinds is None or shown.kind in kinds])

    def show_kind(self, name: str) -> PlatformKind:
        for shown in self._list_kinds():
            if shown.kind == name:
                return shown
        known = [str(kind) for kind in Kind]
        raise NotFound(f"There is no kind of account {name}.{suggest_name(name, known)}{format_allowed_values(known)}")

    def _list_kinds(self) -> Iterator[PlatformKind]:
        for manifest in self._catalogue.manifests.values():
            yield from (self._build_kind(manifest, kind) for kind in manifest.kinds)

    def _build_kind(self, manifest: PlatformManifest, kind: KindManifest) -> PlatformKind:
        return PlatformKind(
            kind=kind.kind,
            platform=manifest.platform,
            name=kind.name,
            configured=self._catalogue.find_connector(manifest.platform) is not None,
            connect=manifest.method,
            capabilities=[str(capability) for capability in kind.capabilities],
            permissions={use: list(scopes) for use, scopes in kind.permissions.items()},
            limits=kind.limits,
            media=dict(kind.media),
            options=dict(kind.options),
            message_options=dict(kind.message_options),
            metrics=KindMetrics(
                account=_build_metric_infos(kind.metrics.account_metrics),
                post=_build_metric_infos(kind.metrics.post_metrics),
            ),
            advertising={name: list(words) for name, words in kind.advertising.items()},
        )


def _build_metric_infos(metrics: Sequence[PlatformMetric]) -> list[MetricInfo]:
    return [
        MetricInfo(name=metric.name, unit=metric.unit, vendor=metric.vendor, daily=metric.daily) for metric in metrics
    ]
