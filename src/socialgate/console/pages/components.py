"""All components in one place, for contributors. Only on a developer's machine."""

from datetime import timedelta

from socialgate.console.page import Done, Outcome, Values, console_page
from socialgate.console.visit import PageQuery, Visit
from socialgate.contracts.platforms import Kind
from socialgate.core.shapes import NonBlankText, RequestBody


class Sample(RequestBody, frozen=True, kw_only=True):
    """What the form of the page sends: a name that cannot be left empty."""

    name: NonBlankText


@console_page("/console/components", "components.html", development_only=True)
async def components_page(visit: Visit, params: PageQuery) -> Values:
    del params  # it only has the profile
    values = [float(12 + (number * 7) % 11 + number) for number in range(28)]
    days = [visit.today - timedelta(days=27 - number) for number in range(28)]
    return {
        "kinds": list(Kind),
        "values": values,
        "before": [value * 0.8 for value in values],
        "labels": [f"{day.day} {day:%b}" for day in days],
    }


@components_page.form("try", Sample)
async def try_component(visit: Visit, data: Sample) -> Outcome:
    del visit  # nothing is changed
    return Done(f"{data.name} was saved.")
