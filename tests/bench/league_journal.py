"""A league of many rows: how long its journal takes to write and to open, and a draw to be drawn.

    python -m tests.bench.league_journal [ROWS] [CURRENT] [VERSIONS]

Rows are draws of one board, made up: no match is played. Prints seconds and MB.
"""

import random
import sys
import tempfile
import time
from pathlib import Path

from arena.league.days import SECONDS_A_DAY, commitment
from arena.league.drawing import Drawer
from arena.league.entries import (
    Board,
    Checkpoint,
    Committed,
    Continued,
    Current,
    DrawMatch,
    DrawPlayed,
    DrawScheduled,
    Entry,
    Founded,
    PanelSet,
    Received,
    Registered,
    Started,
)
from arena.league.journal import LeagueJournal
from arena.league.state import LeagueState
from protocol.messages import Limits

NOTHING = "0" * 64
DAY = 20_000
ANCHORS = [f"house/anchor-{number}@1" for number in range(12)]


def league(rows: int, current: int, versions: int) -> list[Entry]:
    """The entries of a league in which every bot has as many versions as the others."""
    lots = random.Random(7)
    at = DAY * SECONDS_A_DAY
    board = Board(
        id="sticheln:4",
        game="sticheln",
        options={},
        deals=4,
        limits=Limits(),
        faults=1,
        seats=4,
        rules=1,
        margin=1.0,
        cap=13.2,
    )
    entries: list[Entry] = [Founded("0", (board,), quota=10**6)]
    names = list(ANCHORS)
    authors = [f"author-{number}" for number in range(current // 5 + 1)]
    entries += [Registered(author, "", NOTHING) for author in authors]
    each = max(1, versions // current)
    bots = [f"{authors[number // 5]}/bot-{number}" for number in range(current)]
    names += [f"{bot}@{number}" for number in range(1, each + 1) for bot in bots]
    for name in names:
        entries += [Received(name, NOTHING, "bot.py", at), Current(name, (board.id,))]
    entries.append(PanelSet(board.id, tuple(ANCHORS), ANCHORS[0]))
    entries += [Committed(DAY, commitment(NOTHING)), Started("0", "3", "x", 2, at)]
    strength = {name: lots.gauss(0, 3) for name in names}
    for no in range(1, rows + 1):
        if no % 2:
            asked: tuple[str, ...] = (lots.choice(names),)
        else:
            asked = tuple(sorted(lots.sample(names[-current:], 2), key=names.index))
        others = tuple(lots.sample([one for one in ANCHORS if one not in asked], 3))
        entries.append(
            DrawScheduled(
                no, board.id, asked, others, "question" if len(asked) == 2 else "placement", DAY, at
            )
        )
        matches = tuple(tuple(_match(strength[one], lots) for _ in range(4)) for one in asked)
        entries.append(DrawPlayed(no, matches, 2.0, NOTHING, NOTHING))
        if no % (rows // 10) == 0:
            entries.append(Checkpoint(board.id, strength))
    return entries


def _match(strength: float, lots: random.Random) -> DrawMatch:
    gains = []
    for _ in range(4):
        own = round(lots.gauss(strength, 9))
        others = [round(lots.gauss(0, 9)) for _ in range(3)]
        gains.append((own, *others))
    return DrawMatch(tuple(gains))


def main() -> None:
    """Print the figures."""
    given = [int(word) for word in sys.argv[1:]]
    rows, current, versions = (*given, *(100_000, 500, 5_000)[len(given) :])
    first, *entries = league(rows, current, versions)
    assert isinstance(first, Founded)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "league"
        with LeagueJournal.create(path, first) as journal:
            state = LeagueState([first])
            begun = time.perf_counter()
            for at in range(0, len(entries), 100):
                journal.add(*entries[at : at + 100])
                for entry in entries[at : at + 100]:
                    state.add(entry)
                if len(state.draws) >= first.segment and not state.in_flight:
                    begins = Continued.after(state, journal.number + 1, journal.digest)
                    journal.next_segment(begins)
                    state.add(begins)
            written = time.perf_counter()
        sizes = [file.stat().st_size >> 20 for file in sorted(path.glob("*.db"))]
        del journal, state, entries
        opening = time.perf_counter()
        with LeagueJournal(path) as last:
            state = LeagueState(last.entries)
        opened = time.perf_counter()
        drawer = Drawer()
        drawer.chosen(state)
        drawn = time.perf_counter()
        drawer.chosen(state)
        again = time.perf_counter()
    print(f"{rows} draws, {current} current of {versions} versions, files of {sizes} MB")
    print(f"written in {written - begun:.1f} s; the last file opened in {opened - opening:.2f} s")
    print(f"first draw {drawn - opened:.2f} s, second {again - drawn:.2f} s")


if __name__ == "__main__":
    main()
