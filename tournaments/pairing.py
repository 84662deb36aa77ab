"""Who meets whom: pods in which few meet again, of entrants with like scores.

A drawing's cost is (repeat meetings, pairs of one author, Σ squared score gaps), in that order, over the
pairs of every pod. The search knows it as one integer and looks for less by *one-out reassignment*: take one
entrant out of every pod, put all back in the cheapest way (a linear assignment), until that has not helped
for a while; at the end no exchange of two entrants helps. Knows no format: who takes part, what they scored
and who has met is passed in.
"""

import functools
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain, combinations
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from protocol.streams import Stream
from tournaments.results import Pod, Round

Meetings: TypeAlias = Mapping[tuple[str, str], int]
"""Two names in order, and how often they have met; 0 for pairs that are not in it."""

Authors: TypeAlias = Mapping[str, str]
"""Name to who wrote it; who is not in it shares an author with nobody."""

NOBODY: Final[Authors] = MappingProxyType({})

Indices: TypeAlias = NDArray[np.intp]
Weights: TypeAlias = NDArray[np.int64]

RUNS: Final = 8
HASTY_RUNS: Final = 2
"""Each from sort and cut, which is near the best in a large field, with other entrants taken out."""

SMALL_FIELD_RUNS: Final = 128
"""Shared out among the pods: what a small field has beyond RUNS starts from shuffles, that lie far apart.
Two pods are tried 64 times, which costs nothing and finds the optimum."""

PATIENCE: Final = 10
"""A run ends after so many reassignments in a row that did not help."""


class Cost(NamedTuple):
    """Compares as the pairing does: repeats first."""

    repeats: int
    same_author: int
    gaps: int


def meetings(rounds: Iterable[Round], entrants: Collection[str]) -> Meetings:
    """In how many rounds two of `entrants` sat in one pod. House bots are no entrants: to meet one is not
    to meet anybody."""
    known = frozenset(entrants)
    met = Counter(chain.from_iterable(map(_pairs, rounds)))
    return Counter({pair: times for pair, times in met.items() if known.issuperset(pair)})


@functools.lru_cache(maxsize=4096)
def _pairs(pods: Round) -> tuple[tuple[str, str], ...]:
    """Who meets in a round, looked up: every later round asks for it."""
    return tuple(pair for pod in pods for pair in combinations(sorted(pod), 2))


def cost(pods: Iterable[Pod], scores: Mapping[str, int], met: Meetings, authors: Authors = NOBODY) -> Cost:
    """What a drawing costs, or one pod of it. Who is missing from `scores` has none."""
    pairs = [pair for pod in pods for pair in combinations(sorted(pod), 2)]
    return Cost(
        repeats=sum(met.get(pair, 0) for pair in pairs),
        same_author=sum(one in authors and authors[one] == authors.get(other) for one, other in pairs),
        gaps=sum((scores.get(one, 0) - scores.get(other, 0)) ** 2 for one, other in pairs),
    )


def first_pods(names: Sequence[str], pod_size: int, stream: Stream, authors: Authors = NOBODY) -> Round:
    """A shuffle, cut into pods, and changed where it brings one author's bots together. `names` in order of
    pairing number; their number is a multiple of `pod_size`. Members stand in that order, pods in that of
    their first members."""
    if len(names) == pod_size:
        return (tuple(names),)
    order = np.array(stream.shuffled(range(len(names))))
    weights = _weights(names, pod_size, {}, {}, authors)
    return _named(_canonical(_search(order.reshape(-1, pod_size), weights, stream)), names)


def next_pods(
    names: Sequence[str],
    pod_size: int,
    stream: Stream,
    scores: Mapping[str, int],
    met: Meetings,
    authors: Authors = NOBODY,
    *,
    hasty: bool = False,
) -> Round:
    """The cheapest drawing that several runs find; `names` as for `first_pods`. `hasty`: that HASTY_RUNS
    find, for whoever draws hundreds of rounds and needs none to be the very best.

    Members stand in order of score, equal ones by pairing number, and pods in that of their first members.
    Of equally cheap drawings the one that comes first in that order is taken.
    """
    ranked = sorted(names, key=lambda name: -scores.get(name, 0))
    if len(ranked) == pod_size:
        return (tuple(ranked),)
    weights = _weights(ranked, pod_size, scores, met, authors)
    by_score = np.arange(len(ranked))
    pods = len(ranked) // pod_size
    found = []
    for run in range(HASTY_RUNS if hasty else max(RUNS, SMALL_FIELD_RUNS // pods)):
        start = by_score if run < RUNS else np.array(stream.shuffled(by_score.tolist()))
        drawing = _canonical(_search(start.reshape(pods, pod_size), weights, stream))
        found.append((_total(drawing, weights), drawing.tolist(), drawing))
    best = min(found, key=lambda candidate: candidate[:2])[2]
    return _named(_canonical(_exchanged(best, weights)), ranked)


def cheapest_exchanges(
    pods: Round, scores: Mapping[str, int], met: Meetings, authors: Authors = NOBODY
) -> tuple[tuple[str, str], ...]:
    """For every pod, which member and who of another pod could change places at the least cost, which may be
    below nothing; the first of equals. Empty where there is one pod."""
    names = [name for pod in pods for name in pod]
    size = len(pods[0])
    places = np.arange(len(names)).reshape(-1, size)
    change = _exchange_costs(places, _weights(names, size, scores, met, authors))
    own_pod = places[:, 0].repeat(size)
    change = np.where(own_pod[:, None] == own_pod, np.iinfo(np.int64).max, change)
    best = change.reshape(len(pods), -1).argmin(axis=1)
    return tuple(
        (names[at * size + int(place) // len(names)], names[int(place) % len(names)])
        for at, place in enumerate(best if len(pods) > 1 else ())
    )


def _weights(
    ranked: Sequence[str], pod_size: int, scores: Mapping[str, int], met: Meetings, authors: Authors
) -> Weights:
    """By pair, what it costs to put the two into one pod.

    A shared author outweighs all gaps of any drawing: those of a pod sum to at most pod_size · Σ (s − mean)²
    over its members, whichever mean is taken. A repeat outweighs these, and all pairs of one author: each
    bot has at most as many of them as a pod and its author have room for. Without such pairs any drawing of
    1,024 entrants in pods of 8 costs less than 2⁵³ after 20 rounds, so that the assignment, which reckons in
    float64, is exact; beyond, it would propose a little worse, and what is compared are integers.
    """
    score = np.array([scores.get(name, 0) for name in ranked], dtype=np.int64)
    spread = len(score) * int((score**2).sum()) - int(score.sum()) ** 2
    same_author = 1 + pod_size * spread // len(score)
    shares = Counter(authors[name] for name in ranked if name in authors).values()
    repeat = same_author * (1 + sum(share * (min(share, pod_size) - 1) // 2 for share in shares))
    weights: Weights = (score[:, None] - score[None, :]) ** 2
    number = {author: at for at, author in enumerate(authors.values())}
    author = np.array(
        [number[authors[name]] if name in authors else -1 - at for at, name in enumerate(ranked)]
    )
    weights += same_author * (author[:, None] == author[None, :])
    place = {name: at for at, name in enumerate(ranked)}
    for (one, other), times in met.items():
        if one in place and other in place:
            weights[place[one], place[other]] += times * repeat
            weights[place[other], place[one]] += times * repeat
    return weights


def _search(pods: Indices, weights: Weights, stream: Stream) -> Indices:
    """`pods` (one row each) as they stand after the last reassignment that helped. Those that change nothing
    are made too: they lead out of dead ends."""
    count, size = pods.shape
    rows = np.arange(count)
    best, now, least, idle = pods, 0, 0, 0  # costs, counted from that of the start
    while idle < PATIENCE:
        column = np.array([stream.below(size) for _ in range(count)])
        taken = pods[rows, column]
        left = pods[column[:, None] != np.arange(size)].reshape(count, size - 1)
        near = weights[taken]
        costs = np.sum([near.take(mates, axis=1) for mates in left.T], axis=0)
        # Against what the pod's own one costs: that is solved in less than half the time.
        change = costs - costs.diagonal()
        _, home = linear_sum_assignment(change)
        pods = np.empty_like(pods)
        pods[:, :-1] = left
        pods[home, -1] = taken
        now += int(change[rows, home].sum())
        idle += 1
        if now < least:
            best, least, idle = pods, now, 0
    return best


def _exchanged(pods: Indices, weights: Weights) -> Indices:
    """`pods` after the best exchanges of two members, until there is none that helps."""
    pods = pods.copy()
    while True:
        change = _exchange_costs(pods, weights)
        one, other = np.unravel_index(change.argmin(), change.shape)
        if change[one, other] >= 0:
            return pods
        flat = pods.reshape(-1)
        flat[[one, other]] = flat[[other, one]]


def _exchange_costs(pods: Indices, weights: Weights) -> Weights:
    """By two places of the drawing, read row by row, what it would cost more if who sits there changed
    places; 0 within a pod."""
    at = pods.reshape(-1)
    to_pod = weights[at][:, pods].sum(axis=2)
    pod = np.repeat(np.arange(len(pods)), pods.shape[1])
    stays = to_pod[np.arange(len(at)), pod] - weights[at, at]
    moves = to_pod[:, pod] - weights[np.ix_(at, at)] - stays[:, None]
    change: Weights = np.where(pod[:, None] == pod, 0, moves + moves.T)
    return change


def _total(pods: Indices, weights: Weights) -> int:
    return sum(int(weights[pods[:, i], pods[:, j]].sum()) for i, j in combinations(range(pods.shape[1]), 2))


def _canonical(pods: Indices) -> Indices:
    """Members ascending, then pods by first member."""
    pods = np.sort(pods, axis=1)
    ordered: Indices = pods[np.argsort(pods[:, 0])]
    return ordered


def _named(pods: Indices, names: Sequence[str]) -> Round:
    return tuple(tuple(names[at] for at in pod) for pod in pods.tolist())
