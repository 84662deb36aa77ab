"""What a league has done: the entries of its journal. It is the only truth: boards, versions, numbers and
draws follow from it. Whatever was decided by a clock or by a cost stands in the entry, rounded, so that it
can be decided again.

base.py     what every entry can do
course.py   those about the league as a whole
bots.py     those about authors and their bots
draws.py    those about what is played

They know the state (state.py) by its operations; the state knows of an entry that it can be applied.
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

Entry = OfCourse | OfBots | OfDraws
ByOrganiser = DrawAnnulled | Paused | Retired | Restored | Closed
