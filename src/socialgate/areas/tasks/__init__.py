"""Tasks: long work of an owner, to be watched and cancelled. `core/jobs` does it."""

from socialgate.areas.tasks.routes import routes
from socialgate.core.jobs.table import purge_jobs
from socialgate.web.area import Area

AREA = Area(routes=routes, purges={"jobs": purge_jobs})
