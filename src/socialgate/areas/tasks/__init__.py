"""Tasks: an owner's long-running work, which can be watched and cancelled. `core/jobs` runs it."""

from socialgate.areas.tasks.routes import routes
from socialgate.core.jobs.job_store import purge_jobs
from socialgate.web.area import Area

AREA = Area(routes=routes, purges={"jobs": purge_jobs})
