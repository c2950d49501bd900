"""Reviews, events, products and ads of one account: JSON for programs, pages for people."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from starlette.responses import Response

from socialgate_sandbox.control import orders
from socialgate_sandbox.control.shell import Note, shell
from socialgate_sandbox.control.subjects import Subject, SubjectQuery, reader_of
from socialgate_sandbox.kernel.kernel import Kernel
from socialgate_sandbox.kernel.people import FOLLOWERS
from socialgate_sandbox.kernel.vendor import Vendor


class Things(NamedTuple):
    """`what` is the word for them in a sentence."""

    path: str
    template: str
    what: str
    readers: Callable[[Vendor], Mapping[str, Any]]

    def data(self, kernel: Kernel, fields: Mapping[str, str]) -> dict[str, Any]:
        return {"data": self._read(kernel, fields)[1]}

    def show(self, kernel: Kernel, fields: Mapping[str, str], note: Note) -> Response:
        subject, rows = self._read(kernel, orders.known_fields(SubjectQuery, fields))
        query = {"platform": subject.vendor.name, "account": subject.account.id}
        return shell(
            kernel, self.template, note, path=self.path, query=query, subject=subject, rows=rows, people=FOLLOWERS
        )

    def _read(self, kernel: Kernel, fields: Mapping[str, str]) -> tuple[Subject, Any]:
        query = orders.to_order(SubjectQuery, fields, strict=False)
        subject, read = reader_of(kernel, query, self.what, self.readers)
        return subject, read(subject.world, subject.account.id)


REVIEWS = Things("/_control/reviews", "reviews.html", "reviews", lambda vendor: vendor.reviews)
CALENDAR = Things("/_control/calendar", "calendar.html", "calendar", lambda vendor: vendor.calendars)
ADVERTS = Things("/_control/ads", "ads.html", "ads", lambda vendor: vendor.adverts)
CATALOG = Things("/_control/catalog", "catalog.html", "catalog", lambda vendor: vendor.catalogs)
