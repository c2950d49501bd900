"""Automations: a trigger fires, conditions are true, and actions run one after the other, each once."""

from collections.abc import Sequence

from socialgate.areas.automations.builtin_types import BUILTIN_ACTION_TYPES, SCHEDULE_TRIGGER
from socialgate.areas.automations.conditions import CONDITION_TYPES
from socialgate.areas.automations.matching import AutomationMatcher
from socialgate.areas.automations.routes import routes
from socialgate.areas.automations.runs import build_automation_run_job_type
from socialgate.areas.automations.schedules import build_schedule_job_type
from socialgate.areas.automations.service import handle_profile_deleted
from socialgate.areas.automations.store import erase_conversation, erase_subject, purge_deleted_automations, purge_runs
from socialgate.contracts.automations import SubjectErased
from socialgate.contracts.messages import ConversationErased
from socialgate.contracts.profiles import ProfileDeleted
from socialgate.core.facts import FactListener
from socialgate.web.area import Area


def _build_listeners(matcher: AutomationMatcher) -> Sequence[FactListener]:
    return [
        *matcher.build_listeners(),
        ProfileDeleted.build_listener(handle_profile_deleted),
        SubjectErased.build_listener(erase_subject),
        ConversationErased.build_listener(erase_conversation),
    ]


AREA = Area(
    routes=routes,
    jobs=[build_automation_run_job_type, build_schedule_job_type],
    fact_listeners=_build_listeners,
    automation_types=[SCHEDULE_TRIGGER, *CONDITION_TYPES, *BUILTIN_ACTION_TYPES],
    purges={"automation_runs": purge_runs, "automations": purge_deleted_automations},
)
