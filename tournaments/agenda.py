"""Which open wish a board plays next, so that no author keeps the others waiting.

A version without a pod comes first, then one without an interval, of whatever author (`Turn`).
Authors share core seconds, not pods, by start-time fair queueing (P. Goyal, H. Vin & H. Cheng, IEEE/ACM
Transactions on Networking 5, 1997). Placements and questions share in the ratio of WEIGHTS while there are
both. Within each, authors share equally, however many bots they have and however slow those are. The asker's
author pays for the whole pod. An author who had nothing to ask saves nothing up.

If an author has n waiting versions, a version is overdue once the author was served 2n times without it.
Overdue versions come first, the one that was passed over most often before the others; then those whose turn
is earlier, of these the largest wish.

Knows no strengths (questions.py) and no clock.
"""

import enum
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias

import msgspec

from tournaments.statistics import FEWEST_PODS

Kind: TypeAlias = Literal["placement", "question"]

WEIGHTS: Final[Mapping[Kind, int]] = {"placement": 3, "question": 1}


class Turn(enum.IntEnum):
    """What comes first among the placements, and among the questions."""

    WITHOUT_PODS = 0
    """A placement of a version that has no pod yet."""
    WITHOUT_INTERVAL = 1
    """A placement of a version that has too few pods for an interval."""
    STATEMENT = 2
    """A question about the leader or neighbours."""
    PREDECESSOR = 3
    """A question about a version and its predecessor."""
    REST = 4


class Wish(msgspec.Struct, frozen=True):
    """A pod or a comparison that should be played."""

    asker: str
    """The version for which it is played."""
    other: str | None
    """The second version of a comparison; None in a placement."""
    size: float
    """An author's larger wish is played first. Compared within one kind only: for a placement minus the pods
    that are missing, for a question gain per deal."""
    cost: int
    """Expected core milliseconds."""
    left: int = 1
    """How many such pods or comparisons the asker is expected to need, for the forecast."""
    turn: Turn = Turn.REST
    left_at_most: int = 1
    """The same of a question, if the strengths are as unlucky as their errors allow."""

    @property
    def kind(self) -> Kind:
        return "placement" if self.other is None else "question"


class Queue(msgspec.Struct, frozen=True):
    """The state of placements, or of questions."""

    start: int = 0
    """The virtual time at which the last wish began."""
    free: Mapping[str, int] = {}
    """For each author, the virtual time from which it may be served again."""
    passed: Mapping[str, int] = {}
    """For each waiting version, how often its author was served without it."""


class Account(msgspec.Struct, frozen=True):
    """The state of both queues, for the next call. `start` and `free` are as in a Queue, but by kind."""

    start: int = 0
    free: Mapping[Kind, int] = {}
    queues: Mapping[Kind, Queue] = {}


class Selection(msgspec.Struct, frozen=True):
    """What is played next, None if nothing is open; and the account for the next call."""

    wish: Wish | None
    account: Account


def chosen(wishes: Sequence[Wish], author_of: Mapping[str, str], account: Account) -> Selection:
    """Select the next wish and charge its cost. A version asks for one wish of each kind at most."""
    first = min((wish.turn for wish in wishes), default=Turn.REST)
    by_kind = defaultdict[Kind, list[Wish]](list)
    for wish in wishes if first > Turn.WITHOUT_INTERVAL else [one for one in wishes if one.turn == first]:
        by_kind[wish.kind].append(wish)
    if not by_kind:
        return Selection(None, account)
    # In this unit a cost divided by a weight is a whole number.
    unit = WEIGHTS["placement"] * WEIGHTS["question"]
    begins = {kind: max(account.start, account.free.get(kind, 0)) for kind in by_kind}
    kind = min(begins, key=lambda kind: (begins[kind], kind))
    wish, queue = _served(by_kind[kind], author_of, account.queues.get(kind, Queue()))
    free = begins[kind] + max(1, wish.cost) * unit // WEIGHTS[kind]
    return Selection(
        wish,
        Account(begins[kind], {**account.free, kind: free}, {**account.queues, kind: queue}),
    )


def _served(wishes: Sequence[Wish], author_of: Mapping[str, str], queue: Queue) -> tuple[Wish, Queue]:
    """The next wish of one kind, and the queue after it."""
    by_author = defaultdict[str, list[Wish]](list)
    for wish in wishes:
        by_author[author_of[wish.asker]].append(wish)
    begins = {author: max(queue.start, queue.free.get(author, 0)) for author in by_author}
    author = min(begins, key=lambda author: (begins[author], author))
    own = by_author[author]

    def urgency(wish: Wish) -> tuple[int, int, float, str]:
        passed = queue.passed.get(wish.asker, 0)
        return -passed if passed >= 2 * len(own) else 0, wish.turn, -wish.size, wish.asker

    wish = min(own, key=urgency)
    passed = {each.asker: queue.passed.get(each.asker, 0) for each in wishes}
    for each in own:
        passed[each.asker] += 1
    for played in (wish.asker, wish.other):
        if played in passed:
            passed[played] = 0
    free = {author: time for author, time in queue.free.items() if time > begins[author_of[wish.asker]]}
    free[author] = begins[author] + max(1, wish.cost)
    return wish, Queue(begins[author], free, passed)


def longest_wait(wishes: Sequence[Wish], author_of: Mapping[str, str], jobs: int) -> dict[str, int]:
    """For each asker, a bound in milliseconds of the time until a pod begins for it on `jobs` cores. It holds
    while no more versions ask, and no pod costs more than c, the dearest of these wishes.

    First come those without a pod and without an interval, as far as the wish is not one of them; these take
    FEWEST_PODS pods each at most. If then n of an author's versions wait, each is overdue after 2n services
    of the author, and served after n more at the latest. Between two services, each of the a authors is
    served for at most 2c, and the other kind takes its part by weight, and another c. What is already being
    played takes c.
    """
    bounds: dict[str, int] = {}
    dearest = max((wish.cost for wish in wishes), default=0)
    for turn in sorted({min(wish.turn, Turn.STATEMENT) for wish in wishes}):
        before = FEWEST_PODS * dearest * sum(wish.turn < turn for wish in wishes)
        equal = [wish for wish in wishes if min(wish.turn, Turn.STATEMENT) == turn]
        kinds = {wish.kind for wish in equal}
        for kind in kinds:
            of_kind = [wish for wish in equal if wish.kind == kind]
            authors = Counter(author_of[wish.asker] for wish in of_kind)
            part = WEIGHTS[kind] / sum(WEIGHTS[each] for each in kinds)
            for wish in of_kind:
                own = 3 * authors[author_of[wish.asker]] * len(authors) * 2 * dearest
                bound = round((before + own / part + dearest) / jobs) + dearest
                bounds[wish.asker] = max(bound, bounds.get(wish.asker, 0))
    return bounds
