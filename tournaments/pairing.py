"""Who meets whom: pods of entrants with similar scores, in which few pairs meet again.

The cost of a pairing is (repeats, pairs of one author, house, Σ squared score gaps) over the pairs in its
pods, compared in that order. A pair that has met m times costs m² repeats, so three meetings of one pair cost
more than two of two pairs. An entrant that has met m house bots costs m² for each house bot in its pod, so
that entrants take turns with them.

For a small field all pairings are tried. A larger field is searched, with the cost as one integer, by
*one-out reassignment*: take one entrant out of every pod, put all back in the cheapest way (a linear
assignment), and repeat until that has not helped for a while. Then the best exchange of two entrants is made
until none helps.

A field of more than BLOCK entrants is searched in blocks of neighbours by score, then in blocks shifted by
half a block. Pods that still contain a repeat or two bots of one author are searched together with pods from
all over the field. So memory and time grow linearly with the field.

Before a change: `arena verify` pairs the rounds of old journals again. Whatever changes which of two pairings
is taken, or how many numbers are read from the stream, needs a new version (`PAIRING` in formats.py), with
the old rules kept. Inside, an entrant is its *place*, the index in a list by rank; `pods` has a row for each.

Knows no format: the caller passes in who takes part, the scores and the meetings.
"""

import functools
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations, permutations
from math import comb, prod
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from protocol.streams import Stream
from tournaments.assignment import cheapest_assignment, scipys_assignment
from tournaments.formats import PAIRING
from tournaments.results import Pod, Round, is_house

Meetings: TypeAlias = Mapping[tuple[str, str], int]
"""How often each pair of names, in alphabetical order, has met; a missing pair has not."""

Authors: TypeAlias = Mapping[str, str]
"""The author of each name; a missing entrant shares an author with nobody."""

Numbers: TypeAlias = Mapping[str, int]
"""A number for each name: its score, or the house bots that it has met."""

NOBODY: Final[Authors] = MappingProxyType({})
NONE: Final[Numbers] = MappingProxyType({})

Indices: TypeAlias = NDArray[np.intp]
Weights: TypeAlias = NDArray[np.int64]

BY_LOT: Final = 1
"""From this version of the pairing rules on, lots decide among equally cheap assignments."""

ALL_TRIED: Final = 2
"""From this version of the pairing rules on, all pairings of a small field are tried."""

RUNS: Final = 8
QUICK_RUNS: Final = 2
"""Numbers of searches. They start from the field sorted by score and cut into pods, which is near the optimum
in a large field, and differ in the entrants that they take out."""

SMALL_FIELD_RUNS: Final = 128
"""A small field gets this many searches ÷ its number of pods. Those beyond RUNS start from shuffles. Two pods
are searched 64 times, which is quick and finds the optimum."""

ENUMERATED: Final = 16_000
"""If a field has at most this many pairings, all are tried, in a few milliseconds: twelve entrants in pods of
three or four, for example."""

PATIENCE: Final = 10
"""A search ends after this many reassignments in a row that did not help."""

BLOCK: Final = 1024
"""The most entrants that are searched at once: a matrix of 8 MB."""

DEAREST: Final = 2**62
"""The limit of costs, for int64. If they could be larger (pods of eight after some forty rounds), scores are
halved, which loses small differences."""

REPAIRS: Final = 8
"""How often, at most, the pods of a large field with a repeat or two bots of one author are searched again.
Each time their entrants can get into twice as many pods."""


class Cost(NamedTuple):
    """The cost of a pairing, summed over all pairs in a pod; compares as the search does, repeats first."""

    repeats: int
    """For each pair: the square of the number of earlier rounds in which they met."""
    same_author: int
    """The number of pairs of one author."""
    house: int
    """For each pair with a house bot: the square of the number of house bots that the entrant had met."""
    gaps: int
    """For each pair: the squared difference of their scores, in half points."""


def meetings(rounds: Iterable[Round], entrants: Collection[str]) -> Meetings:
    """In how many rounds each pair of `entrants` was in one pod; of house bots only if in `entrants`."""
    known = frozenset(entrants)
    met = Counter(chain.from_iterable(map(_pairs, rounds)))
    return Counter({pair: times for pair, times in met.items() if known.issuperset(pair)})


@functools.lru_cache(maxsize=4096)
def _pairs(pods: Round) -> tuple[tuple[str, str], ...]:
    """Cached, since every later round asks for the pairs of this one."""
    return tuple(pair for pod in pods for pair in combinations(sorted(pod), 2))


def cost(
    pods: Iterable[Pod], scores: Numbers, met: Meetings, authors: Authors = NOBODY, house: Numbers = NONE
) -> Cost:
    """The cost of a pairing, or of some of its pods. An entrant without a score, such as a house bot, has a
    gap of 0 to all others. `house`: how many house bots each entrant has met."""
    pairs = [pair for pod in pods for pair in combinations(sorted(pod), 2)]
    return Cost(
        repeats=sum(met.get(pair, 0) ** 2 for pair in pairs),
        same_author=sum(one in authors and authors[one] == authors.get(other) for one, other in pairs),
        house=sum(_house_cost(one, other, house) for one, other in pairs),
        gaps=sum(
            (scores[one] - scores[other]) ** 2 for one, other in pairs if one in scores and other in scores
        ),
    )


def _house_cost(one: str, other: str, house: Numbers) -> int:
    if is_house(one) == is_house(other):
        return 0
    return house.get(other if is_house(one) else one, 0) ** 2


def first_pods(
    names: Sequence[str],
    pod_size: int,
    stream: Stream,
    authors: Authors = NOBODY,
    *,
    version: int = PAIRING,
) -> Round:
    """The first round: a shuffle, cut into pods, and changed where bots of one author meet. `names`: in order
    of pairing number, a multiple of `pod_size`. `version`: of the pairing rules. Members are in the order of
    `names`, pods in that of their first members."""
    if len(names) == pod_size:
        return (tuple(names),)
    order = np.array(stream.shuffled(range(len(names))))
    field = _field(names, pod_size, NONE, {}, authors, NONE, version)
    pods = order.reshape(-1, pod_size)
    large = len(names) > BLOCK
    if large:
        pods = _repaired(pods, field, stream)
    elif (weights := field.weights()).any():
        pods = _search(pods, field, weights, stream, light=True)
    return _named(_canonical(pods), names)


def next_pods(
    names: Sequence[str],
    pod_size: int,
    stream: Stream,
    scores: Numbers,
    met: Meetings,
    authors: Authors = NOBODY,
    house: Numbers = NONE,
    *,
    quick: bool = False,
    version: int = PAIRING,
) -> Round:
    """The cheapest pairing that several searches find; of a small field, the cheapest of all. `names` and
    `version` as for `first_pods`. `quick`: search only QUICK_RUNS times, for simulations of hundreds of
    rounds; a large field is never searched more often.

    Members are in order of score, equal scores by pairing number, those without a score last; pods are in
    the order of their first members. Among equally cheap pairings the first in that order is taken.
    """
    ranked = sorted(names, key=lambda name: -scores.get(name, -1))
    if len(ranked) == pod_size:
        return (tuple(ranked),)
    field = _field(ranked, pod_size, scores, met, authors, house, version)
    by_score = np.arange(len(ranked)).reshape(-1, pod_size)
    if len(ranked) > BLOCK:
        return _named(_canonical(_in_blocks(by_score, field, stream)), ranked)
    if version >= ALL_TRIED and number_of_pairings(len(ranked), pod_size) <= ENUMERATED:
        return _named(_cheapest_of_all(field.weights(), pod_size), ranked)
    runs = QUICK_RUNS if quick else max(RUNS, SMALL_FIELD_RUNS // len(by_score))
    return _named(_cheapest(by_score, field, stream, runs), ranked)


def cheapest_exchanges(
    pods: Round, scores: Numbers, met: Meetings, authors: Authors = NOBODY, house: Numbers = NONE
) -> tuple[tuple[str, str], ...]:
    """For every pod, its member and the member of another pod whose exchange would cost least, which may be
    negative; the first of equals. Empty if there is only one pod."""
    if len(pods) == 1:
        return ()
    names = [name for pod in pods for name in pod]
    size = len(pods[0])
    field = _field(names, size, scores, met, authors, house, PAIRING)
    places = np.arange(len(names)).reshape(-1, size)
    at_once = max(1, BLOCK**2 // (size * len(names)))
    stays = field.costs_in(places)
    exchanges = []
    for begin in range(0, len(pods), at_once):
        some = places[begin : begin + at_once]
        change = _exchange_costs(some, places, field.weights(some.ravel()), stays)
        best = change.reshape(len(some), -1).argmin(axis=1).tolist()
        for pod, cell in zip(some.tolist(), best, strict=True):
            exchanges.append((names[pod[cell // len(names)]], names[cell % len(names)]))
    return tuple(exchanges)


class _Met(NamedTuple):
    """Who has met whom: a sparse symmetric matrix by place, in rows (`one`, from `first[p]` to `first[p + 1]`
    for the place p) and columns (`other`)."""

    one: Indices
    other: Indices
    squares: Weights
    """The square of how often the two have met."""
    first: Indices

    def of(self, some: Indices) -> "_Met":
        """The rows of some places, which are renumbered; columns are not."""
        begins, counts = self.first[some], self.first[some + 1] - self.first[some]
        ends = counts.cumsum()
        cells = np.arange(int(counts.sum())) + (begins - ends + counts).repeat(counts)
        one = np.arange(len(some)).repeat(counts)
        return _Met(one, self.other[cells], self.squares[cells], np.concatenate([[0], ends]))

    def among(self, some: Indices) -> "_Met":
        """The rows and columns of some places, both renumbered."""
        near = self.of(some)
        place = np.full(len(self.first) - 1, -1)
        place[some] = np.arange(len(some))
        return _met(near.one, place[near.other], near.squares, len(some))


def _met(one: Indices, other: Indices, squares: Weights, entrants: int) -> _Met:
    """From pairs in both orders; pairs whose `other` is −1, at no place, are left out."""
    known = np.flatnonzero(other >= 0)
    known = known[np.lexsort((other[known], one[known]))]
    first = np.searchsorted(one[known], np.arange(entrants + 1))
    return _Met(one[known], other[known], squares[known], first)


class _Field(msgspec.Struct, frozen=True, dict=True):
    """What is known of the entrants to be paired, by place."""

    pod_size: int
    score: Weights
    scored: NDArray[np.bool_]
    """Whether it has a score; `score` is 0 otherwise."""
    met: _Met
    author: Indices
    """A number for each author; a negative one of its own for an entrant without."""
    is_house: NDArray[np.bool_]
    house_met: Weights
    """The square of how many house bots it has met; 0 for house bots."""
    version: int
    """Of the pairing rules."""

    def part(self, places: Indices) -> "_Field":
        """The field of the entrants at these places only."""
        return _Field(
            self.pod_size,
            self.score[places],
            self.scored[places],
            self.met.among(places),
            self.author[places],
            self.is_house[places],
            self.house_met[places],
            self.version,
        )

    def weights(self, some: Indices | None = None) -> Weights:
        """The cost of having one of `some` (default: all) in a pod with each of all; 0 with itself."""
        everybody = np.arange(len(self.score))
        met = self.met if some is None else self.met.of(some)
        some = everybody if some is None else some
        weights: Weights = self._before_repeats(some[:, None], everybody)
        _, _, repeat = self._prices
        weights[met.one, met.other] += repeat * met.squares
        weights[np.arange(len(some)), some] = 0
        return weights

    def dearest(self) -> int:
        """An upper bound for the cost of a pairing."""
        _, _, repeat = self._prices
        pairs = len(self.score) * (self.pod_size - 1) // 2
        return repeat * (1 + pairs * int(self.met.squares.max(initial=0)))

    def costs_in(self, pods: Indices) -> Weights:
        """The cost that each entrant causes in its pod."""
        costs = np.zeros(len(self.score), dtype=np.int64)
        for one, other in permutations(pods.T, 2):
            costs[one] += self._before_repeats(one, other)
        pod = np.empty_like(costs)
        pod[pods] = np.arange(len(pods))[:, None]
        _, _, repeat = self._prices
        again = pod[self.met.one] == pod[self.met.other]
        np.add.at(costs, self.met.one[again], repeat * self.met.squares[again])
        return costs

    def flaws(self, pods: Indices) -> Weights:
        """The cost of each pod's repeats and pairs of one author, in units of a pair of one author. Each pair
        counts for both members; the division drops cheaper terms."""
        _, same_author, _ = self._prices
        flaws: Weights = (self.costs_in(pods)[pods] // same_author).sum(axis=1)
        return flaws

    def _before_repeats(self, one: Indices, other: Indices) -> Weights:
        """The costs of pairs, from two arrays of places, without repeats."""
        house, same_author, _ = self._prices
        costs: Weights = (self.score[one] - self.score[other]) ** 2 * (self.scored[one] & self.scored[other])
        of_house = self.is_house[one] * self.house_met[other] + self.is_house[other] * self.house_met[one]
        costs += house * of_house + same_author * (self.author[one] == self.author[other])
        return costs

    @functools.cached_property
    def _prices(self) -> tuple[int, int, int]:
        """The prices of a house bot that was met once before, of a pair of one author, and of a repeat. Each
        is greater than the sum of all cheaper terms in any pairing, so that one integer compares like a Cost.

        The squared gaps of a pod sum to at most pod_size · Σ (s − mean)² over its members, for any mean. A
        house bot has pod_size − 1 others in its pod. How many of its author's bots a bot can meet is limited
        by the pod's room and the author's bots. Without house bots and authors, any pairing of 1,024 entrants
        in pods of 8 costs less than 2⁵³ after 16 rounds, so the assignment, which computes in float64, is
        exact. With greater costs it would propose slightly worse pairings; pairings are compared as integers.
        """
        score = self.score[self.scored]
        spread = len(score) * int((score**2).sum()) - int(score.sum()) ** 2
        house = 1 + self.pod_size * spread // max(1, len(score))
        beside = int(self.is_house.sum()) * (self.pod_size - 1)
        same_author = house * (1 + beside * int(self.house_met.max()))
        shares = np.unique(self.author, return_counts=True)[1].tolist()
        together = sum(share * (min(share, self.pod_size) - 1) // 2 for share in shares)
        return house, same_author, same_author * (1 + together)


def _field(
    ranked: Sequence[str],
    pod_size: int,
    scores: Numbers,
    met: Meetings,
    authors: Authors,
    house: Numbers,
    version: int,
) -> _Field:
    place = {name: i for i, name in enumerate(ranked)}
    number = {author: i for i, author in enumerate(authors.values())}
    pairs = [
        (place[one], place[other], times**2)
        for (one, other), times in met.items()
        if one in place and other in place
    ]
    one, other, squares = np.array(pairs, dtype=np.int64).reshape(-1, 3).T
    both = np.concatenate([one, other]), np.concatenate([other, one])
    field = _Field(
        pod_size,
        np.array([scores.get(name, 0) for name in ranked], dtype=np.int64),
        np.array([name in scores for name in ranked]),
        _met(*both, np.tile(squares, 2), len(ranked)),
        np.array([number[authors[name]] if name in authors else -1 - i for i, name in enumerate(ranked)]),
        np.array([is_house(name) for name in ranked]),
        np.array([0 if is_house(name) else house.get(name, 0) ** 2 for name in ranked], dtype=np.int64),
        version,
    )
    while field.dearest() > DEAREST:
        field = msgspec.structs.replace(field, score=field.score // 2)
    return field


def _cheapest(pods: Indices, field: _Field, stream: Stream, runs: int) -> Indices:
    """The cheapest pairing of `runs` searches: RUNS start from `pods`, the others from shuffles."""
    weights = field.weights()
    candidates = []
    for run in range(runs):
        start = pods if run < RUNS else np.array(stream.shuffled(range(pods.size))).reshape(pods.shape)
        pairing = _canonical(_search(start, field, weights, stream))
        candidates.append((_total(pairing, weights), pairing.tolist(), pairing))
    best = min(candidates, key=lambda candidate: candidate[:2])[2]
    return _canonical(_exchanged(best, weights))


def number_of_pairings(entrants: int, pod_size: int) -> int:
    """In how many ways entrants can be divided into pods."""
    return prod(comb(left - 1, pod_size - 1) for left in range(entrants, 0, -pod_size))


def _cheapest_of_all(weights: Weights, pod_size: int) -> Indices:
    """The cheapest of all pairings; the first of equals."""
    pods, pairings = _all_pairings(len(weights), pod_size)
    of_pod = np.zeros(len(pods), dtype=np.int64)
    for one, other in combinations(pods.T, 2):
        of_pod += weights[one, other]
    costs = np.sum([of_pod.take(numbers) for numbers in pairings], axis=0)
    cheapest: Indices = pods[pairings[:, costs.argmin()]]
    return cheapest


@functools.lru_cache(maxsize=16)
def _all_pairings(entrants: int, pod_size: int) -> tuple[Indices, Indices]:
    """All possible pods, in rows; all pairings as columns of their numbers, in the order of `_canonical`."""

    def divided(free: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if not free:
            yield ()
        first, rest = free[:1], free[1:]
        for mates in combinations(rest, pod_size - 1) if free else ():
            for others in divided(tuple(sorted(set(rest).difference(mates)))):
                yield (*first, *mates, *others)

    pods = list(combinations(range(entrants), pod_size))
    number = {pod: i for i, pod in enumerate(pods)}
    pairings = [
        [number[order[i : i + pod_size]] for i in range(0, entrants, pod_size)]
        for order in divided(tuple(range(entrants)))
    ]
    return np.array(pods), np.ascontiguousarray(np.array(pairings).T)


def _in_blocks(pods: Indices, field: _Field, stream: Stream) -> Indices:
    """`pods` after searches in blocks of neighbours by score, in shifted blocks, and repairs."""
    size = BLOCK // field.pod_size
    for first in (size, size // 2):
        pods = pods[np.argsort(pods.sum(axis=1), kind="stable")]
        for block in np.split(pods, range(first, len(pods), size)):
            block[:] = _block_searched(block, field, stream)
    return _repaired(pods, field, stream)


def _repaired(pods: Indices, field: _Field, stream: Stream) -> Indices:
    """`pods` after searching those with a repeat or two bots of one author again, until there are none or it
    no longer helps. Each search takes half a block of them, and half a block from all over the field."""
    half = BLOCK // field.pod_size // 2
    pods = pods.copy()
    flaws = field.flaws(pods)
    for _ in range(REPAIRS):
        flawed = np.flatnonzero(flaws)
        others = np.array(stream.shuffled(np.flatnonzero(flaws == 0).tolist()), dtype=np.intp)
        parts = -(-len(flawed) // half)
        for part in range(parts):
            block = np.concatenate([flawed[part::parts], others[part :: 1 + len(others) // half]])
            pods[block] = _block_searched(pods[block], field, stream)
        before, flaws = flaws, field.flaws(pods)
        if flaws.sum() >= before.sum():
            break
    return pods


def _block_searched(pods: Indices, field: _Field, stream: Stream) -> Indices:
    places = np.sort(pods, axis=None)
    return places[_cheapest(np.searchsorted(places, pods), field.part(places), stream, QUICK_RUNS)]


def _search(
    pods: Indices, field: _Field, weights: Weights, stream: Stream, *, light: bool = False
) -> Indices:
    """`pods` after the last reassignment that helped. Reassignments that change nothing are made too, since
    they lead out of local optima. `light`: as for `cheapest_assignment`; for a single search."""
    by_lot = functools.partial(cheapest_assignment, light=light)
    assignment = by_lot if field.version >= BY_LOT else scipys_assignment
    count, size = pods.shape
    rows = np.arange(count)
    best, now, least, idle = pods, 0, 0, 0  # Costs are relative to that of the start.
    while idle < PATIENCE:
        column = np.array([stream.below(size) for _ in range(count)])
        taken = pods[rows, column]
        left = pods[column[:, None] != np.arange(size)].reshape(count, size - 1)
        near = weights[taken]
        costs = np.sum([near.take(mates, axis=1) for mates in left.T], axis=0)
        # Costs relative to that of the pod's own entrant are solved in less than half the time.
        change = costs - costs.diagonal()
        home = assignment(change)
        pods = np.empty_like(pods)
        pods[:, :-1] = left
        pods[home, -1] = taken
        now += int(change[rows, home].sum())
        idle += 1
        if now < least:
            best, least, idle = pods, now, 0
    return best


def _exchanged(pods: Indices, weights: Weights) -> Indices:
    """`pods` after the best exchange of two members, again and again until none helps."""
    pods = pods.copy()
    flat = pods.reshape(-1)
    while True:
        stays = np.empty(len(flat), dtype=np.int64)
        stays[pods] = weights[pods[:, :, None], pods[:, None]].sum(axis=2)
        change = _exchange_costs(pods, pods, weights[flat], stays)
        one, other = np.unravel_index(change.argmin(), change.shape)
        if change[one, other] >= 0:
            return pods
        flat[[one, other]] = flat[[other, one]]


def _exchange_costs(some: Indices, pods: Indices, weights: Weights, stays: Weights) -> Weights:
    """How much the cost would grow if a member of `some` pods (row) and a member of all `pods` (column) were
    exchanged; the greatest integer within a pod. `weights` has a row for each member of `some`; `stays` is
    what each entrant costs where it is."""
    size = pods.shape[1]
    out, back = some.reshape(-1), pods.reshape(-1)
    goes = weights[:, pods].sum(axis=2).repeat(size, axis=1)
    comes = weights.reshape(len(some), size, -1).sum(axis=1).repeat(size, axis=0)[:, back]
    change: Weights = goes + comes - 2 * weights[:, back] - stays[out, None] - stays[back]
    own = some[:, 0].repeat(size)[:, None] == pods[:, 0].repeat(size)
    change[own] = np.iinfo(np.int64).max
    return change


def _total(pods: Indices, weights: Weights) -> int:
    return sum(int(weights[pods[:, i], pods[:, j]].sum()) for i, j in combinations(range(pods.shape[1]), 2))


def _canonical(pods: Indices) -> Indices:
    """The pods with their members in ascending order, sorted by first member."""
    pods = np.sort(pods, axis=1)
    ordered: Indices = pods[np.argsort(pods[:, 0])]
    return ordered


def _named(pods: Indices, names: Sequence[str]) -> Round:
    return tuple(tuple(names[i] for i in pod) for pod in pods.tolist())
