"""Tables of metrics by dimension: each row covers certain days, a post, or a share of the people."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import product
from math import prod
from operator import itemgetter
from typing import Any, NamedTuple

from socialgate.sandbox.society.growth import Audience
from socialgate.sandbox.society.metrics import Metrics, days


class Group(NamedTuple):
    """What one row covers. `share` is its part of the total, in percent."""

    named: list[str]
    audience: Audience
    first: date
    last: date
    share: float = 100

    def value(self, metrics: Metrics, name: str) -> Any:
        """Count a metric in the row. A metric that the platform does not count is the share of the people itself."""
        if name not in {*metrics.account, *metrics.derived}:
            return self.share
        found = metrics.over(self.audience, name, self.first, self.last)
        return found if name in metrics.derived else int(found * self.share // 100)

    @property
    def is_empty(self) -> bool:
        return not (self.audience.older or self.audience.pieces) or not self.share or self.first > self.last


def by_day(whole: Group) -> Iterator[Group]:
    for day in days(whole.first, whole.last):
        yield whole._replace(named=[str(day)], first=day, last=day)


def by_month(whole: Group) -> Iterator[Group]:
    every = list(days(whole.first, whole.last))
    for month in dict.fromkeys(str(day)[:7] for day in every):
        inside = [day for day in every if str(day).startswith(month)]
        yield whole._replace(named=[month], first=inside[0], last=inside[-1])


def by_post(whole: Group) -> Iterator[Group]:
    for piece in whole.audience.pieces:
        yield whole._replace(named=[piece.id], audience=whole.audience.only(piece))


def by_share(whole: Group, *shares: Mapping[str, int]) -> Iterator[Group]:
    """Return a row for each share, or for each combination of two kinds of shares."""
    for chosen in product(*(of.items() for of in shares)):
        share = 100 * prod(part / 100 for _name, part in chosen)
        yield whole._replace(named=[name for name, _part in chosen], share=round(share, 2))


@dataclass(frozen=True)
class Table:
    """What a platform reports, by `day`, by `month`, by its name for a `post`, or by a share of the people."""

    metrics: Metrics
    post: str
    shares: Mapping[str, Mapping[str, int]]

    def rows(
        self, whole: Group, dimensions: Sequence[str], metrics: Sequence[str], order: Sequence[str]
    ) -> list[list[Any]]:
        """Return sorted rows. Without a dimension there is one, and none if there is nothing to report."""
        if whole.is_empty:
            return []
        groups = self._groups(whole, dimensions)
        rows = [[*one.named, *(one.value(self.metrics, name) for name in metrics)] for one in groups]
        sort_rows(rows, [*dimensions, *metrics], order)
        return rows

    def narrowed(self, whole: Group, name: str, value: str) -> Group:
        """Restrict a report to some posts, or to a share of the people."""
        if name != self.post:
            return whole._replace(share=self.shares[name].get(value, 0))
        wanted = value.split(",")
        return whole._replace(audience=whole.audience.only(*(one for one in whole.audience.pieces if one.id in wanted)))

    def _groups(self, whole: Group, dimensions: Sequence[str]) -> Iterator[Group]:
        ways = {"day": by_day, "month": by_month, self.post: by_post}
        if dimensions and set(dimensions) <= set(self.shares):
            return by_share(whole, *(self.shares[name] for name in dimensions))
        return ways[dimensions[0]](whole) if dimensions else iter([whole])


def sort_rows(rows: list[list[Any]], names: Sequence[str], order: Sequence[str]) -> None:
    """Sort by columns, the first being the most significant. A name with a leading minus sorts in descending order."""
    for word in reversed(order):
        rows.sort(key=itemgetter(names.index(word.removeprefix("-"))), reverse=word.startswith("-"))
