"""Tables of metrics by dimension: each row covers certain days, a post, or a share of the people."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import product
from math import prod
from operator import itemgetter
from typing import Annotated, Any, NamedTuple

import msgspec

from socialgate_sandbox.kit import World
from socialgate_sandbox.society.growth import Audience
from socialgate_sandbox.society.metrics import Metrics, days, living

_FIRST = Annotated[int, msgspec.Meta(ge=1)]


class Query(msgspec.Struct, rename="camel"):
    """What a caller wants to know, about which accounts. `filters` are like `video==a,b;country==SE`."""

    ids: list[str]
    metrics: list[str]
    start_date: date
    end_date: date
    dimensions: list[str] = []
    filters: str = ""
    sort: list[str] = []
    start_index: _FIRST = 1
    max_results: _FIRST | None = None

    @property
    def restrictions(self) -> list[tuple[str, str]]:
        """The names and values of the filters."""
        parts = [part.partition("==") for part in self.filters.split(";") if part]
        return [(name, value) for name, _, value in parts]


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
    """What a platform reports, by `day`, by `month`, by its name for a `post`, or by a share of the people.

    Some of the `shares` describe `people`: they are combined with each other, and only the metric `share` is reported
    for them. A report can be restricted by post and by the other shares. A report by post is a ranking of at most
    `most` posts.
    """

    metrics: Metrics
    post: str
    shares: Mapping[str, Mapping[str, int]]
    people: Collection[str]
    share: str
    most: int

    def unknown(self, world: World, asked: Query) -> Iterator[tuple[str, str]]:
        """List the words that the platform does not know, each with the name of its parameter."""
        counted = {*self.metrics.account, *self.metrics.derived, self.share}
        for field, words, known in (
            ("metrics", asked.metrics, living(world, counted)),
            ("dimensions", asked.dimensions, {"day", "month", self.post, *self.shares}),
            ("filters", [name for name, _value in asked.restrictions], {self.post, *self.shares} - set(self.people)),
            ("sort", [word.removeprefix("-") for word in asked.sort], {*asked.dimensions, *asked.metrics}),
        ):
            yield from ((field, word) for word in words if word not in known)

    def supports(self, asked: Query) -> bool:
        """Whether there is such a report: people by share only, posts only as a ranking, one dimension otherwise."""
        dimensions, people = asked.dimensions, set(self.people)
        ranked = bool(asked.sort) and asked.max_results is not None and asked.max_results <= self.most
        fits = people.isdisjoint(dimensions) != (asked.metrics == [self.share])
        single = len(dimensions) <= 1 or people.issuperset(dimensions)
        return fits and single and (dimensions != [self.post] or ranked)

    def whole(self, world: World, audience: Audience, asked: Query) -> Group:
        """Return what a report is about: the days that are reported, of some posts or of a share of the people."""
        whole = Group([], audience, asked.start_date, min(asked.end_date, self.metrics.newest(world)))
        for name, value in asked.restrictions:
            whole = self._narrowed(whole, name, value)
        return whole

    def rows(self, whole: Group, asked: Query) -> list[list[Any]]:
        """Return sorted rows. Without a dimension there is one, and none if there is nothing to report."""
        if whole.is_empty:
            return []
        groups = self._groups(whole, asked.dimensions)
        rows = [[*one.named, *(one.value(self.metrics, name) for name in asked.metrics)] for one in groups]
        names = [*asked.dimensions, *asked.metrics]
        # The first name is the most significant. A leading minus sorts in descending order.
        for word in reversed(asked.sort):
            rows.sort(key=itemgetter(names.index(word.removeprefix("-"))), reverse=word.startswith("-"))
        begin = asked.start_index - 1
        return rows[begin : begin + (asked.max_results or len(rows))]

    def _narrowed(self, whole: Group, name: str, value: str) -> Group:
        if name != self.post:
            return whole._replace(share=self.shares[name].get(value, 0))
        wanted = value.split(",")
        return whole._replace(audience=whole.audience.only(*(one for one in whole.audience.pieces if one.id in wanted)))

    def _groups(self, whole: Group, dimensions: Sequence[str]) -> Iterator[Group]:
        ways = {"day": by_day, "month": by_month, self.post: by_post}
        if dimensions and set(dimensions) <= set(self.shares):
            return by_share(whole, *(self.shares[name] for name in dimensions))
        return ways[dimensions[0]](whole) if dimensions else iter([whole])
