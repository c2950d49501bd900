"""How the service describes itself: its health, its metrics, and its API documentation."""

from socialgate.areas.description.documents import Documents
from socialgate.areas.description.routes import routes
from socialgate.contracts.automations import AutomationTypes
from socialgate.contracts.catalogue import Catalogue
from socialgate.core.jobs.jobs import JobTypes
from socialgate.core.settings import Settings
from socialgate.web.area import Area


def _documents(settings: Settings, catalogue: Catalogue, automation: AutomationTypes, job_types: JobTypes) -> Documents:
    results = {name: job.result for name, job in sorted(job_types.public.items())}
    return Documents(settings.public_url, catalogue, automation.unions, results)


AREA = Area(routes=routes, services={Documents: _documents})
