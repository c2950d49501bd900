"""Automations: a trigger fires, conditions are true, and actions run one after the other, each once."""

from collections.abc import Sequence

from socialgate.areas.automations.actions import ACTIONS, SCHEDULE
from socialgate.areas.automations.conditions import CONDITIONS
from socialgate.areas.automations.matching import Matcher
from socialgate.areas.automations.routes import routes
from socialgate.areas.automations.runs import running
from socialgate.areas.automations.schedules import ticking
from socialgate.areas.automations.service import profile_deleted
from socialgate.areas.automations.store import forget_conversation, forget_subject, purge_deleted, purge_runs
from socialgate.contracts.automations import SubjectErased
from socialgate.contracts.messages import ConversationErased
from socialgate.contracts.profiles import ProfileDeleted
from socialgate.core.facts import FactListener
from socialgate.web.area import Area


def _listens(matcher: Matcher) -> Sequence[FactListener]:
    return [
        *matcher.listeners(),
        ProfileDeleted.heard_by(profile_deleted),
        SubjectErased.heard_by(forget_subject),
        ConversationErased.heard_by(forget_conversation),
    ]


AREA = Area(
    routes=routes,
    jobs=[running, ticking],
    listens=_listens,
    automates=[SCHEDULE, *CONDITIONS, *ACTIONS],
    purges={"automation_runs": purge_runs, "automations": purge_deleted},
)
