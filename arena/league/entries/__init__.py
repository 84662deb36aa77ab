"""The entries of a league's journal, the only source of truth: boards, versions, numbers and draws follow
from it. An entry holds every clock reading and cost on which a decision rests, rounded, so that the decision
can be repeated.

base.py         what every entry can do
course.py       entries about the league as a whole
bots.py         entries about authors and their bots
draws.py        entries about what is played
statements.py   the entry about what a board says

They know the operations of the state (state.py); the state only knows that an entry can be applied.
"""

from arena.league.entries.bots import (
    Current,
    OfBots,
    PanelSet,
    Passed,
    Paused,
    Received,
    Refused,
    Registered,
    Restored,
    Retired,
)
from arena.league.entries.course import (
    Board,
    Closed,
    Closes,
    Continued,
    Finals,
    Founded,
    Frozen,
    OfCourse,
    Pruned,
    Sealed,
    Started,
    Unfrozen,
)
from arena.league.entries.draws import (
    Checkpoint,
    Committed,
    DrawAnnulled,
    DrawMatch,
    DrawPlayed,
    DrawScheduled,
    DrawVoided,
    OfDraws,
    Revealed,
)
from arena.league.entries.statements import Stated

Entry = OfCourse | OfBots | OfDraws | Stated
ByOrganiser = DrawAnnulled | Paused | Retired | Restored | Closes | Closed
