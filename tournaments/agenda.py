"""Which of all open wishes a board plays next, so that no author's bots keep those of the others waiting.

Core seconds are shared, not pods, by start-time fair queueing (P. Goyal, H. Vin & H. Cheng, IEEE/ACM
Transactions on Networking 5, 1997): between placements and questions in the ratio of WEIGHTS while there are
both, and in each of the two between authors equally, however many bots they have and however slow these are.
The asker's author pays for the whole pod. An author who had nothing to ask has saved nothing up.

Of an author with n versions that wait, a version is overdue when the author was served 2n times without it.
An overdue version comes first, of several the one passed over most often; else the largest wish.

Knows no strengths (questions.py) and no clock.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias

import msgspec

Kind: TypeAlias = Literal["placement", "question"]

WEIGHTS: Final[Mapping[Kind, int]] = {"placement": 3, "question": 1}


class Wish(msgspec.Struct, frozen=True):
    """Something to be played. asker: the version for which it is played. other: the second version of a
    comparison, None in a placement. size: of an author's wishes the larger one is played first. cost: the
    core milliseconds that it is expected to take. left: how many such pods or comparisons the asker is
    expected to need, for the forecast."""

    asker: str
    other: str | None
    size: float
    cost: int
    left: int = 1

    @property
    def kind(self) -> Kind:
        return "placement" if self.other is None else "question"


class Queue(msgspec.Struct, frozen=True):
    """The state of placements, or of questions. start: the virtual time at which the last wish began. free:
    by author, the virtual time from which it may be served again. passed: by version that waits, how often
    its author was served without it."""

    start: int = 0
    free: Mapping[str, int] = {}
    passed: Mapping[str, int] = {}


class Account(msgspec.Struct, frozen=True):
    """The state of the guards, to be passed to the next call. start: the virtual time at which the last wish
    began. free: by kind, the virtual time from which it may be served again."""

    start: int = 0
    free: Mapping[Kind, int] = {}
    queues: Mapping[Kind, Queue] = {}


class Selection(msgspec.Struct, frozen=True):
    """wish: what is played next, None where nothing is open. account: for the next call."""

    wish: Wish | None
    account: Account


def chosen(wishes: Sequence[Wish], author_of: Mapping[str, str], account: Account) -> Selection:
    """What is played next; its cost is charged. Each version is the asker of one wish of a kind at most. The
    order of `wishes` does not matter."""
    by_kind = defaultdict[Kind, list[Wish]](list)
    for wish in wishes:
        by_kind[wish.kind].append(wish)
    if not by_kind:
        return Selection(None, account)
    # A common unit, in which a cost per weight is a whole number.
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
    """The wish of one kind that is next, and the queue after it."""
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
    free = {author: i for author, i in queue.free.items() if i > begins[author_of[wish.asker]]}
    free[author] = begins[author] + max(1, wish.cost)
    return wish, Queue(begins[author], free, passed)


def longest_wait(wishes: Sequence[Wish], author_of: Mapping[str, str], jobs: int) -> dict[str, int]:
    """By asker, a bound in milliseconds for the time until a pod is begun for it, on `jobs` cores, as long as
    no more authors ask, no more of its author's versions wait, and no pod costs more than the dearest of
    these wishes, c.

    With n versions of its author waiting, one is overdue after 2n services of its author, and served after n
    more at the latest. Between two of these, each of the a authors is served for 2c at most, and the other
    kind takes its part by weight, and another c. What is being played when the first of them is due takes c.
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
