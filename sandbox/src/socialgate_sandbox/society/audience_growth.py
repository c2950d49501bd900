"""How many people follow, see and like: a pure function of the account, the metric and the hour.

None of it is stored. A number comes from a hash of its subject, so it is the same every time it is read, and a total
over a range is the sum over its days, in whatever time zone a platform counts them. Each post adds its own numbers to
those of its account: most within a day, the rest over several weeks.

An account has its initial number of followers when the world begins, after growing towards it for two years.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property, lru_cache, partial
from hashlib import blake2b

HOUR = timedelta(hours=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY_HOURS = 24
# How long an account had existed when the world began, in days.
_HISTORY_DAYS = 730
# For this many hours after the world begins nobody does anything, so that initial numbers are predictable.
_QUIET_HOURS = 3
# An account with fewer followers neither gains nor loses any by itself.
_MIN_FOLLOWERS = 30

# What one follower does in a day with everything that was posted before the world began.
_DAILY_RATES = {
    "views": 0.3,
    "likes": 0.02,
    "comments": 0.002,
    "shares": 0.003,
    "saves": 0.002,
    "reposts": 0.0015,
    "quotes": 0.0005,
    "replies": 0.0015,
    "clicks": 0.006,
    "profile_views": 0.025,
    "follows": 0.001,
    "unfollows": 0.0005,
    "calls": 0.01,
    "directions": 0.02,
    "bookings": 0.002,
    "chats": 0.001,
    "desktop_maps": 0.04,
    "desktop_search": 0.1,
    "mobile_maps": 0.15,
    "mobile_search": 0.3,
}
# What one follower does with a post over its whole life. Its comments are those that people really wrote.
_POST_RATES = {
    "views": 0.5,
    "likes": 0.03,
    "shares": 0.004,
    "saves": 0.004,
    "reposts": 0.003,
    "quotes": 0.001,
    "replies": 0.002,
    "clicks": 0.01,
    "profile_views": 0.008,
    "follows": 0.0006,
}
# Metrics that are part of another one: in percent from, to.
_PARTIAL_METRICS = {
    "reach": ("views", 55, 85),
    "viral_views": ("views", 10, 30),
    "watch_seconds": ("views", 600, 2500),
    "watch_minutes": ("views", 10, 40),
}
# Who follows, in percent.
DEMOGRAPHICS = {
    "age": {"18-24": 22, "25-34": 38, "35-44": 21, "45-54": 12, "55-64": 7},
    "gender": {"F": 56, "M": 40, "U": 4},
    "country": {"SE": 71, "NO": 12, "DK": 9, "FI": 8},
    "city": {"Stockholm, Stockholm County": 62, "Uppsala, Uppsala County": 23, "Oslo, Oslo": 15},
}
# Even accounts without followers are seen by some people.
_NON_FOLLOWER_COUNT = 40
# Monday to Sunday, and midnight to midnight (UTC), relative to each other.
_WEEKDAY_FACTORS = (0.95, 0.9, 0.95, 1.0, 1.15, 1.2, 0.85)
_HOUR_WEIGHTS = (1, 1, 1, 1, 1, 2, 4, 6, 7, 7, 7, 8, 9, 8, 7, 7, 8, 9, 10, 11, 10, 7, 4, 2)
_HOUR_PREFIX_SUMS = [sum(_HOUR_WEIGHTS[:hour]) / sum(_HOUR_WEIGHTS) for hour in range(_DAY_HOURS + 1)]
# The share of its activity that a post has had after this many hours: half of most of it within ten.
_ACTIVITY_SHARES = [0.8 * (1 - 2 ** (-hour / 10)) + 0.2 * (1 - 2 ** (-hour / 240)) for hour in range(2400)]


@dataclass(frozen=True)
class PostActivity:
    """A post as far as its numbers go: its id, since when it is visible, and when each comment was written."""

    id: str
    at: datetime
    comments: Sequence[datetime] = ()

    def count_total(self, metric: str, size: int, time: datetime) -> int:
        """Count since the beginning. Counters change once an hour and never decrease."""
        if metric == "comments":
            return sum(1 for written in self.comments if written <= time)
        age = (time - self.at) // HOUR
        if age <= 0:
            return 0
        if metric in _PARTIAL_METRICS:
            whole, least, most = _PARTIAL_METRICS[metric]
            return self.count_total(whole, size, time) * _choose_percent(self.id, metric, least, most) // 100
        return int(
            _compute_final_count(self.id, metric, size) * (_ACTIVITY_SHARES[age] if age < len(_ACTIVITY_SHARES) else 1)
        )

    def can_change(self, start: datetime, end: datetime) -> bool:
        """Whether its numbers can change between the two times."""
        return self.at < end and (start - self.at < HOUR * (len(_ACTIVITY_SHARES) + 1) or bool(self.comments))


@dataclass(frozen=True)
class Audience:
    """Everybody who sees an account. `size` is the number of followers at `start_time`, when the world began.

    `counts_older_posts` says whether posts from before the world began count as well.
    """

    key: str
    size: int
    start_time: datetime
    now: datetime
    posts: Sequence[PostActivity] = ()
    counts_older_posts: bool = True

    @cached_property
    def _start_hour(self) -> int:
        return _to_hour(self.start_time)

    @property
    def earliest(self) -> datetime:
        """The time before which there is nothing to count."""
        begun = (
            [_EPOCH + (self._start_hour - _HISTORY_DAYS * _DAY_HOURS - _DAY_HOURS) * HOUR]
            if self.counts_older_posts
            else []
        )
        return min((*begun, *(piece.at for piece in self.posts)), default=self.now)

    def count_between(self, start: datetime, end: datetime, *metrics: str) -> int:
        """Count what happened from one hour up to, but excluding, another, as far as that is over."""
        end = min(end, _EPOCH + _to_hour(self.now) * HOUR)
        if start >= end:
            return 0
        moving = [piece for piece in self.posts if piece.can_change(start, end)]
        return sum(
            self._count_base(metric, start, end) + self._count_posts(moving, metric, start, end) for metric in metrics
        )

    def count_followers(self, time: datetime | None = None) -> int:
        begin, time = _EPOCH + self._start_hour * HOUR, self.now if time is None else time
        if time >= begin:
            return self.size + self._count_gained_followers(begin, time)
        return self.size - self._count_gained_followers(time, begin)

    @property
    def known_followers(self) -> int:
        """How many of the followers a platform knows the age and the place of."""
        return self.count_followers() * 19 // 20

    def count_since_start(self, *metrics: str) -> int:
        """Count what has happened since the world began."""
        return self.count_between(_EPOCH + self._start_hour * HOUR, self.now, *metrics)

    def with_posts(self, *posts: PostActivity) -> "Audience":
        """Return the audience of these posts only, without the rest of the account."""
        return replace(self, posts=posts, counts_older_posts=False)

    def count_online(self, hour: datetime) -> int:
        """Count the followers who are online during an hour."""
        of_day = _HOUR_WEIGHTS[_to_hour(hour) % _DAY_HOURS] / (max(_HOUR_WEIGHTS) * 2)
        return int(
            self.count_followers(hour) * of_day * (0.8 + 0.2 * _hash_to_fraction(self.key, "online", _to_hour(hour)))
        )

    def find_post(self, key: str) -> PostActivity | None:
        return next((piece for piece in self.posts if piece.id == key), None)

    def count_post_total(self, key: str, metric: str) -> int:
        """Count what people have done with a post; nothing for one that nobody sees."""
        piece = self.find_post(key)
        return 0 if piece is None else self.count_post_metrics(piece, metric)

    def count_post_metrics(self, post: PostActivity, *metrics: str, at: datetime | None = None) -> int:
        """Count what people have done with one post."""
        return sum(post.count_total(metric, self.size, at or self.now) for metric in metrics)

    def _count_gained_followers(self, start: datetime, end: datetime) -> int:
        return self.count_between(start, end, "follows") - self.count_between(start, end, "unfollows")

    def _count_posts(self, active_posts: Iterable[PostActivity], metric: str, start: datetime, end: datetime) -> int:
        return sum(
            piece.count_total(metric, self.size, end) - piece.count_total(metric, self.size, start)
            for piece in active_posts
        )

    def _count_base(self, metric: str, start: datetime, end: datetime) -> int:
        if not self.counts_older_posts:
            return 0
        totals = _get_running_totals(self.key, self.size, self._start_hour, metric)
        return totals.count_until(_to_hour(end)) - totals.count_until(_to_hour(start))


class _RunningTotals:
    """What happened with everything that was posted before the world began, added up from the day on which it did.

    Sums over weeks are read again and again, such as the number of followers on each of ninety days.
    """

    def __init__(self, key: str, size: int, begin: int, metric: str) -> None:
        self._count_hours_of = partial(_count_hours, key, size, begin, metric)
        self._first_day = begin // _DAY_HOURS
        # The sums of so many days from the first day on, and of so many days before it.
        self._after, self._before = [0], [0]

    def count_until(self, hour: int) -> int:
        """Count from the first day up to an hour; the negative number if the hour is before that day."""
        day, hours = divmod(hour, _DAY_HOURS)
        number = self._count_days(day - self._first_day)
        return number + sum(self._count_hours_of(day)[:hours]) if hours else number

    def _count_days(self, days: int) -> int:
        while days >= len(self._after):
            self._after.append(self._after[-1] + sum(self._count_hours_of(self._first_day + len(self._after) - 1)))
        while -days >= len(self._before):
            self._before.append(self._before[-1] + sum(self._count_hours_of(self._first_day - len(self._before))))
        return self._after[days] if days >= 0 else -self._before[-days]


@lru_cache(maxsize=1 << 12)
def _get_running_totals(key: str, size: int, begin: int, metric: str) -> _RunningTotals:
    return _RunningTotals(key, size, begin, metric)


@lru_cache(maxsize=1 << 14)
def _count_hours(key: str, size: int, begin: int, metric: str, day: int) -> tuple[int, ...]:
    """Return what happened in each hour of a day (UTC) with everything that was posted before the world began."""
    if metric in _PARTIAL_METRICS:
        whole, least, most = _PARTIAL_METRICS[metric]
        percent = _choose_percent(f"{key} {day}", metric, least, most)
        return tuple(count * percent // 100 for count in _count_hours(key, size, begin, whole, day))
    age = day - begin // _DAY_HOURS
    if age < -_HISTORY_DAYS or (metric in {"follows", "unfollows"} and size < _MIN_FOLLOWERS):
        return (0,) * _DAY_HOURS
    trend = max(0.4, min(3.0, 1 + age / 1500))
    # January 1, 1970 was a Thursday.
    mean = (
        size
        * _DAILY_RATES.get(metric, 0.0)
        * trend
        * _WEEKDAY_FACTORS[(day + 3) % 7]
        * (0.6 + 0.8 * _hash_to_fraction(key, metric, day))
    )
    total, shift = (
        int(mean + _hash_to_fraction(key, metric, day, "rounding")),
        _hash_to_fraction(key, metric, day, "hours"),
    )
    counted = [int(total * share + shift) for share in _HOUR_PREFIX_SUMS]
    quiet = range(begin - day * _DAY_HOURS, begin + _QUIET_HOURS - day * _DAY_HOURS)
    return tuple(0 if hour in quiet else counted[hour + 1] - counted[hour] for hour in range(_DAY_HOURS))


@lru_cache(maxsize=1 << 14)
def _compute_final_count(key: str, metric: str, size: int) -> float:
    return (size + _NON_FOLLOWER_COUNT) * _POST_RATES.get(metric, 0.0) * (
        0.4 + 1.2 * _hash_to_fraction(key, metric)
    ) + _hash_to_fraction(key, metric, "+")


@lru_cache(maxsize=1 << 14)
def _choose_percent(key: str, metric: str, least: int, most: int) -> int:
    return least + int((most - least) * _hash_to_fraction(key, metric, "percent"))


def _hash_to_fraction(*about: object) -> float:
    """Return a number from 0 to 1 that is always the same for the same words."""
    digest = blake2b(" ".join(map(str, about)).encode(), digest_size=8).digest()
    return int.from_bytes(digest) / 2**64


def _to_hour(time: datetime) -> int:
    return (time - _EPOCH) // HOUR
