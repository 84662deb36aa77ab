"""What a board plays next: a placement, a comparison, or nothing, because everything is settled.

**Placement.** A newcomer plays against the panel until its interval is as narrow as wanted: the median
width of the settled versions, or twice the margin if that is wider.

**Open questions.** d and s are the difference of two strengths and its standard error by the model, z =
1.96.

* Between any two current versions: open while z s − |d| > margin, that is while the order shown may be
  wrong by more than the margin.
* Between neighbours on the board, and between a version and the one before it: open until the one is said
  to be ahead of the other (eprocess.py), or |d| + z s ≤ margin, so that they count as equal.

The board sleeps when no question is open and nobody waits to be placed. The model decides what is asked,
never what is said. `size` is by how much the left side exceeds the margin; the largest is asked first.

**Guards.** Core seconds, not pods, are shared, by start-time fair queueing (P. Goyal, H. Vin & H. Cheng,
IEEE/ACM Transactions on Networking 5, 1997): first between placements and questions (3 : 1 while there are
both), then between authors, equally, however many bots they have and however slow they are. Who has had
nothing to ask saves nothing up. Within an author the version that has been passed over more than twice as
often as the author has unsettled versions comes first, longest wait first; else the newest placement, or
the largest question.

Everything is computed from the arguments, which are quantised (`quantised`), so that `verify` repeats it.
"""

from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias

import msgspec

Kind: TypeAlias = Literal["placement", "question"]

PLACEMENT_WEIGHT: Final = 3
"""The share of time of placements to that of questions, while there are both."""


class Wish(msgspec.Struct, frozen=True):
    """Something that could be played. asker: the version for which it is played. other: the second version of
    a comparison, None in a placement. size: see above; in a placement by how much the interval is too wide.
    cost: what it is expected to take, in core milliseconds."""

    asker: str
    other: str | None
    size: float
    cost: int

    @property
    def kind(self) -> Kind:
        return "placement" if self.other is None else "question"


class Account(msgspec.Struct, frozen=True):
    """The state of the guards, to be kept and passed on. Times are virtual: core milliseconds per weight."""

    kinds: Mapping[str, int] = {}
    authors: Mapping[str, int] = {}
    passed: Mapping[str, int] = {}


class Choice(msgspec.Struct, frozen=True):
    """wish: None when the board sleeps. account: for the next call."""

    wish: Wish | None
    account: Account


def chosen(wishes: Sequence[Wish], author_of: Mapping[str, str], account: Account) -> Choice:
    """What is played next of all that is open; charges its cost. The order of `wishes` does not matter."""
    raise NotImplementedError


def longest_wait(wishes: Sequence[Wish], author_of: Mapping[str, str], jobs: int) -> Mapping[str, int]:
    """By version that waits, a bound on the milliseconds until its next pod begins, as long as no more
    authors and versions come. `jobs`: how many cores play."""
    raise NotImplementedError
