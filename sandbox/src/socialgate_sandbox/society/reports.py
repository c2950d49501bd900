"""Tables of metrics by dimension: each row covers certain days, a post, or a share of the people."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import product
from math import prod
from operator import itemgetter
from typing import Annotated, Any, NamedTuple

import msgspec

from socialgate_sandbox.kit import VendorContext
from socialgate_sandbox.society.audience_growth import Audience
from socialgate_sandbox.society.platform_metrics import PlatformMetrics, iterate_days, list_active_metrics

_PositiveInt = Annotated[int, msgspec.Meta(ge=1)]


class ReportQuery(msgspec.Struct, rename="camel"):
    """What a caller wants to know, about which accounts. `filters` are like `video==a,b;country==SE`."""

    ids: list[str]
    metrics: list[str]
    start_date: date
    end_date: date
    dimensions: list[str] = []
    filters: str = ""
    sort: list[str] = []
    start_index: _PositiveInt = 1
    max_results: _PositiveInt | None = None

    @property
    def parsed_filters(self) -> list[tuple[str, str]]:
        """The names and values of the filters."""
        parts = [part.partition("==") for part in self.filters.split(";") if part]
        return [(name, value) for name, _, value in parts]


class ReportGroup(NamedTuple):
    """What one row covers. `share` is its part of the total, in percent."""

    dimension_values: list[str]
    audience: Audience
    first: date
    last: date
    share: float = 100

    def value(self, metrics: PlatformMetrics, name: str) -> Any:
        """Count a metric in the row. A metric that the platform does not count is the share of the people itself."""
        if name not in {*metrics.account_metrics, *metrics.derived_metrics}:
            return self.share
        result = metrics.count_over_days(self.audience, name, self.first, self.last)
        return result if name in metrics.derived_metrics else int(result * self.share // 100)

    @property
    def is_empty(self) -> bool:
        return not (self.audience.counts_older_posts or self.audience.posts) or not self.share or self.first > self.last


def group_by_day(whole_group: ReportGroup) -> Iterator[ReportGroup]:
    for day in iterate_days(whole_group.first, whole_group.last):
        yield whole_group._replace(dimension_values=[str(day)], first=day, last=day)


def group_by_month(whole_group: ReportGroup) -> Iterator[ReportGroup]:
    every = list(iterate_days(whole_group.first, whole_group.last))
    for month in dict.fromkeys(str(day)[:7] for day in every):
        inside = [day for day in every if str(day).startswith(month)]
        yield whole_group._replace(dimension_values=[month], first=inside[0], last=inside[-1])


def group_by_post(whole_group: ReportGroup) -> Iterator[ReportGroup]:
    for piece in whole_group.audience.posts:
        yield whole_group._replace(dimension_values=[piece.id], audience=whole_group.audience.with_posts(piece))


def group_by_share(whole_group: ReportGroup, *shares: Mapping[str, int]) -> Iterator[ReportGroup]:
    """Return a row for each share, or for each combination of two kinds of shares."""
    for chosen in product(*(share.items() for share in shares)):
        share = 100 * prod(part / 100 for _name, part in chosen)
        yield whole_group._replace(dimension_values=[name for name, _part in chosen], share=round(share, 2))


@dataclass(frozen=True)
class ReportTable:
    """What a platform reports, by `day`, by `month`, by its name for a `post`, or by a share of the people.

    Some of the `shares` describe `people_dimensions`: they are combined with each other, and only the metric
    `share_metric` is reported for them. A report can be restricted by post and by the other shares. A report by post is
    a ranking of at most `most` posts.
    """

    metrics: PlatformMetrics
    post: str
    shares: Mapping[str, Mapping[str, int]]
    people_dimensions: Collection[str]
    share_metric: str
    most: int

    def list_unknown_words(self, context: VendorContext, query: ReportQuery) -> Iterator[tuple[str, str]]:
        """List the words that the platform does not know, each with the name of its parameter."""
        counted = {*self.metrics.account_metrics, *self.metrics.derived_metrics, self.share_metric}
        for field, words, known in (
            ("metrics", query.metrics, list_active_metrics(context, counted)),
            ("dimensions", query.dimensions, {"day", "month", self.post, *self.shares}),
            (
                "filters",
                [name for name, _value in query.parsed_filters],
                {self.post, *self.shares} - set(self.people_dimensions),
            ),
            ("sort", [word.removeprefix("-") for word in query.sort], {*query.dimensions, *query.metrics}),
        ):
            yield from ((field, word) for word in words if word not in known)

    def supports(self, query: ReportQuery) -> bool:
        """Whether there is such a report: people by share only, posts only as a ranking, one dimension otherwise."""
        dimensions, people = query.dimensions, set(self.people_dimensions)
        ranked = bool(query.sort) and query.max_results is not None and query.max_results <= self.most
        fits = people.isdisjoint(dimensions) != (query.metrics == [self.share_metric])
        single = len(dimensions) <= 1 or people.issuperset(dimensions)
        return fits and single and (dimensions != [self.post] or ranked)

    def build_whole_group(self, context: VendorContext, audience: Audience, query: ReportQuery) -> ReportGroup:
        """Return what a report is about: the days that are reported, of some posts or of a share of the people."""
        whole = ReportGroup(
            [], audience, query.start_date, min(query.end_date, self.metrics.get_last_reported_day(context))
        )
        for name, value in query.parsed_filters:
            whole = self._restrict_group(whole, name, value)
        return whole

    def build_rows(self, whole_group: ReportGroup, query: ReportQuery) -> list[list[Any]]:
        """Return sorted rows. Without a dimension there is one, and none if there is nothing to report."""
        if whole_group.is_empty:
            return []
        groups = self._build_groups(whole_group, query.dimensions)
        rows = [
            [*group.dimension_values, *(group.value(self.metrics, name) for name in query.metrics)] for group in groups
        ]
        names = [*query.dimensions, *query.metrics]
        # The first name is the most significant. A leading minus sorts in descending order.
        for word in reversed(query.sort):
            rows.sort(key=itemgetter(names.index(word.removeprefix("-"))), reverse=word.startswith("-"))
        begin = query.start_index - 1
        return rows[begin : begin + (query.max_results or len(rows))]

    def _restrict_group(self, whole_group: ReportGroup, name: str, value: str) -> ReportGroup:
        if name != self.post:
            return whole_group._replace(share=self.shares[name].get(value, 0))
        values = value.split(",")
        return whole_group._replace(
            audience=whole_group.audience.with_posts(
                *(piece for piece in whole_group.audience.posts if piece.id in values)
            )
        )

    def _build_groups(self, whole_group: ReportGroup, dimensions: Sequence[str]) -> Iterator[ReportGroup]:
        ways = {"day": group_by_day, "month": group_by_month, self.post: group_by_post}
        if dimensions and set(dimensions) <= set(self.shares):
            return group_by_share(whole_group, *(self.shares[name] for name in dimensions))
        return ways[dimensions[0]](whole_group) if dimensions else iter([whole_group])
