"""Generation of texts, images, videos and audio with AI models, each as a task."""

from socialgate.areas.generation.automations import AUTOMATION_TYPES
from socialgate.areas.generation.jobs import JOB_TYPES, build_fact_listeners
from socialgate.areas.generation.routes import routes
from socialgate.areas.generation.store import purge_generations
from socialgate.web.area import Area

AREA = Area(
    routes=routes,
    jobs=JOB_TYPES,
    fact_listeners=build_fact_listeners,
    automation_types=AUTOMATION_TYPES,
    purges={"generations": purge_generations},
)
