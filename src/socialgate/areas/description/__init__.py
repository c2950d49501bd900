"""How the service describes itself: its health, its metrics, and its API documentation."""

from socialgate.areas.description.api_documents import ApiDocuments
from socialgate.areas.description.routes import routes
from socialgate.contracts.automations import AutomationTypeRegistry
from socialgate.contracts.connector_registry import ConnectorRegistry
from socialgate.core.jobs.service import JobTypes
from socialgate.core.settings import Settings
from socialgate.web.area import Area


def _build_documents(
    settings: Settings, catalogue: ConnectorRegistry, automation: AutomationTypeRegistry, job_types: JobTypes
) -> ApiDocuments:
    results = {name: job.result for name, job in sorted(job_types.public_types.items())}
    return ApiDocuments(settings.public_url, catalogue, automation.types_by_union, results)


AREA = Area(routes=routes, services={ApiDocuments: _build_documents})
