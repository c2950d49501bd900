"""Generation of texts, images, videos and audio with AI models, each as a task."""

from socialgate.areas.generation.automations import AUTOMATES
from socialgate.areas.generation.jobs import JOBS, listens
from socialgate.areas.generation.routes import routes
from socialgate.areas.generation.store import purge_generations
from socialgate.web.area import Area

AREA = Area(
    routes=routes,
    jobs=JOBS,
    listens=listens,
    automates=AUTOMATES,
    purges={"generations": purge_generations},
)
