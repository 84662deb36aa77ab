"""Which open wish a board plays next, so that no author keeps the others waiting.

Authors share core seconds, not pods, by start-time fair queueing (P. Goyal, H. Vin & H. Cheng, IEEE/ACM
Transactions on Networking 5, 1997). Placements and questions share in the ratio of WEIGHTS while there are
both. Within each, authors share equally, however many bots they have and however slow those are. The asker's
author pays for the whole pod. An author who had nothing to ask saves nothing up.

If an author has n waiting versions, a version is overdue once the author was served 2n times without it.
Overdue versions come first, the one that was passed over most often before the others; then the largest wish.

Knows no strengths (questions.py) and no clock.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias

import msgspec

Kind: TypeAlias = Literal["placement", "question"]

WEIGHTS: Final[Mapping[Kind, int]] = {"placement": 3, "question": 1}


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
    by_kind = defaultdict[Kind, list[Wish]](list)
    for wish in wishes:
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

    def urgency(wish: Wish) -> tuple[int, float, str]:
        passed = queue.passed.get(wish.asker, 0)
        return -passed if passed >= 2 * len(own) else 0, -wish.size, wish.asker

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
    while no more authors ask, no more of its author's versions wait, and no pod costs more than c, the
    dearest of these wishes.

    If n of an author's versions wait, each is overdue after 2n services of the author, and served after n
    more at the latest. Between two services, each of the a authors is served for at most 2c, and the other
    kind takes its part by weight, and another c. What is already being played takes c.
    """
    bounds: dict[str, int] = {}
    dearest = max((wish.cost for wish in wishes), default=0)
    kinds = {wish.kind for wish in wishes}
    for kind in sorted(kinds):
        of_kind = [wish for wish in wishes if wish.kind == kind]
        authors = {author_of[wish.asker] for wish in of_kind}
        part = WEIGHTS[kind] / sum(WEIGHTS[each] for each in kinds)
        for wish in of_kind:
            waiting = sum(author_of[each.asker] == author_of[wish.asker] for each in of_kind)
            own = 3 * waiting * len(authors) * 2 * dearest
            bounds[wish.asker] = round((own / part + dearest) / jobs) + dearest
    return bounds
