"""One simulated board in simulated time, played by tournaments/ itself: what is open, what is chosen, who is
ahead, until it sleeps."""

import heapq
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from tournaments.agenda import Account, Wish, chosen, longest_wait
from tournaments.evidence import ALPHA, Evidence, log_weight, standing
from tournaments.questions import Ranked, forecast, open_wishes
from tournaments.strength import Pair, PairSums, StrengthFit, Sums, added, fitted, pair_added

CHECKPOINT = 50
COPY = 9
"""Two versions that never differed in so many comparisons are not compared any more."""
DRAW_SD = 1.6
OWN_SD = 2.05
"""Together 2.6 gains a pod: of what both versions of a comparison share, and of what they do not."""


class Bot(NamedTuple):
    """name: `author/bot`. cost: of a pod, in core milliseconds. comes: when, in milliseconds. before: the
    version before it. Bots of one `program` play alike, with the same luck."""

    name: str
    strength: float = 0.0
    cost: int = 1000
    comes: int = 0
    before: str | None = None
    program: str | None = None


class Playing(NamedTuple):
    """What is being played, and its rows."""

    ends: int
    number: int
    wish: Wish
    rows: tuple[float, ...]


class Waiting(NamedTuple):
    """Since when a version has waited, and the longest bound that it was told since."""

    since: int
    bound: int

    def promised(self, bound: int) -> "Waiting":
        return Waiting(self.since, max(bound, self.bound))


class League:
    """A board, from the first pod on."""

    def __init__(self, bots: Sequence[Bot], jobs: int = 2, seed: int = 0, margin: float = 1.0) -> None:
        self.bots = {bot.name: bot for bot in bots}
        self.jobs, self.margin, self.now, self.drawn = jobs, margin, 0, 0
        self.rng = np.random.default_rng(seed)
        self.singles: dict[str, Sums] = {}
        self.pairs: dict[Pair, PairSums] = {}
        self.evidence = Evidence(2.6)
        self.said: frozenset[Pair] = frozenset()
        self.fit: StrengthFit | None = None
        self.account = Account()
        self.playing: list[Playing] = []
        self.contested: Counter[str] = Counter()
        """By asker, the milliseconds of pods that were begun while several authors had something to ask."""
        self.asked: Counter[str] = Counter()
        self.waits: dict[str, int] = {}
        self.over_bound: dict[str, int] = {}
        self.forecasts: list[tuple[int, tuple[float, float]]] = []
        """When, and the least and the greatest number of seconds that were said to be left."""
        self._waiting: dict[str, Waiting] = {}

    def author_of(self) -> Mapping[str, str]:
        return {name: name.partition("/")[0] for name in self.bots}

    def wishes(self) -> list[Wish]:
        here = [bot for bot in self.bots.values() if bot.comes <= self.now]
        alike = {pair for pair, sums in self.pairs.items() if sums.never_differs and sums.count >= COPY}
        return open_wishes(
            Ranked(
                versions=[bot.name for bot in here],
                fit=self.fit,
                singles=self.singles,
                comparisons={pair: sums.count for pair, sums in self.pairs.items()},
                settled=self.said | alike,
                predecessors={bot.name: bot.before for bot in here if bot.before},
                anchors={bot.name for bot in here if bot.name.startswith("h/")},
                costs={bot.name: bot.cost for bot in self.bots.values()},
                margin=self.margin,
            )
        )

    def run(self, until: int) -> bool:
        """Plays until all is settled, or so long in milliseconds; whether it is settled."""
        while self.now < until:
            wishes = self.wishes()
            self._watch(wishes)
            if wishes and len(self.playing) < self.jobs:
                self._begin(wishes)
            elif self.playing:
                self._end()
            elif later := [bot.comes for bot in self.bots.values() if bot.comes > self.now]:
                self.now = min(later)
            else:
                return True
        return False

    def _watch(self, wishes: Sequence[Wish]) -> None:
        """How long those who ask have been waiting for a pod, and whether that is longer than was promised at
        any time since, for who asks beside them changes."""
        bounds = longest_wait(wishes, self.author_of(), self.jobs)
        self._waiting = {
            name: self._waiting.get(name, Waiting(self.now, 0)).promised(bound)
            for name, bound in bounds.items()
        }
        for name, (since, bound) in self._waiting.items():
            wait = self.now - since
            self.waits[name] = max(wait, self.waits.get(name, 0))
            if wait > bound:
                self.over_bound[name] = wait
        seconds = forecast(wishes, self.jobs)
        self.forecasts.append((self.now, (seconds.asleep_in, seconds.asleep_by)))

    def _begin(self, wishes: Sequence[Wish]) -> None:
        choice = chosen(wishes, self.author_of(), self.account)
        assert choice.wish is not None
        self.account, wish = choice.account, choice.wish
        names = [name for name in (wish.asker, wish.other) if name]
        luck = self.rng.normal(0, DRAW_SD)
        own: dict[str, float] = defaultdict(lambda: self.rng.normal(0, OWN_SD))
        rows = tuple(self.bots[name].strength + luck + own[self.bots[name].program or name] for name in names)
        for name in names:
            self._waiting[name] = Waiting(self.now, 0)
        if len({each.asker.partition("/")[0] for each in wishes}) > 1:
            self.contested[wish.asker] += wish.cost
        self.asked[wish.asker] += 1
        self.drawn += 1
        heapq.heappush(self.playing, Playing(self.now + wish.cost, self.drawn, wish, rows))

    def _end(self) -> None:
        ended = heapq.heappop(self.playing)
        self.now = ended.ends
        if ended.wish.other is None:
            name = ended.wish.asker
            self.singles[name] = added(self.singles.get(name, Sums()), *ended.rows)
            self.evidence.placed(name, *ended.rows)
            self._say()
            return
        pair, (first, second) = (ended.wish.asker, ended.wish.other), ended.rows
        if list(self.bots).index(pair[0]) > list(self.bots).index(pair[1]):
            pair, first, second = pair[::-1], second, first
        self.pairs[pair] = pair_added(self.pairs.get(pair, PairSums()), first, second)
        self.evidence.compared(pair, first, second)
        number = sum(sums.count for sums in self.pairs.values())
        self.fit = self.fit.after(pair, first, second) if self.fit and number % CHECKPOINT else None
        self.fit = self.fit or fitted(self.singles, self.pairs)
        self._say()

    def _say(self) -> None:
        """The rows are those of finished pods, in the order of their ends, which depends on costs alone."""
        fit, number = self.fit, {name: at for at, name in enumerate(self.bots, 1)}
        strength = dict(zip(fit.names, fit.strength, strict=True)) if fit else {}
        strength |= {n: sums.total / sums.count for n, sums in self.singles.items() if n not in strength}
        order = sorted(strength, key=lambda name: -strength[name])
        self.said = standing(
            {
                (one, other): self.evidence.log_of(one, other) + log_weight(number[one], number[other])
                for one, other in combinations(order, 2)
            },
            ALPHA,
        )

    def ahead(self, one: str, other: str) -> bool:
        return (one, other) in self.said

    def forecast_at(self, at: int) -> tuple[float, float]:
        """What the last forecast by then said, as seconds from the beginning."""
        now, (least, most) = max(each for each in self.forecasts if each[0] <= at)
        return now / 1000 + least, now / 1000 + most
