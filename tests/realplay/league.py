"""Whole leagues resampled from a bank of real play. What is drawn, counted and said follows from the
product's own state; what a pod gains is what its programs gained in that order on cards drawn with
replacement.

Both versions of a comparison play the same cards in the same places. Of a word that was played twice each
takes another playing, so that the copy of a program that plays at random has luck of its own.

Knows neither what is true (league_truth.py) nor what is to be shown (league_trial.py).
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.commands.league import CAP, MARGIN
from arena.games import EXTRAS, GAMES
from arena.league.days import SECONDS_A_DAY, pod_key
from arena.league.drawing import Drawer
from arena.league.due import due
from arena.league.entries import (
    Board,
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
from arena.league.ids import HOUSE, VersionId, author_of
from arena.league.numbers import Numbers
from arena.league.pods import draw
from arena.league.state import LeagueState
from arena.league.statements import RULE
from protocol.messages import Limits
from protocol.streams import derive, seating_labels
from tests.realplay.bank import SEATS, Bank, word_number
from tests.realplay.versions import VERSIONS
from tournaments.seatings import seatings

DAY: Final = 20_000
NOON: Final = DAY * SECONDS_A_DAY + SECONDS_A_DAY // 2
NOTHING: Final = "0" * 64
ANCHORS: Final = tuple(f"{HOUSE}/{program}@1" for program in VERSIONS)
"""The panel: every program. The first, random, is the zero, as it is in the product."""


class League:
    """A league with one board, and no versions but its anchors. The same number gives the same league."""

    def __init__(self, bank: Bank, number: int) -> None:
        game, self.bank = GAMES[bank.game], bank
        self.board = Board(
            id=f"{game.id}:{SEATS}",
            game=game.id,
            options={},
            deals=game.deals(SEATS, game.options()),
            limits=Limits(),
            faults=1,
            seats=SEATS,
            rules=game.rules,
            margin=MARGIN,
            cap=CAP * EXTRAS[game.id].luck.with_duplicates,
        )
        self.programs: dict[VersionId, int] = {}
        self._number = number
        self._played = bank.gains[None] if bank.again is None else np.stack((bank.gains, bank.again))
        self._seeds = {day: derive(f"{number}", f"{day}") for day in (DAY, DAY + 1)}
        self._drawer = Drawer()
        self.state = LeagueState([Founded("0", (self.board,))])
        for anchor, program in zip(ANCHORS, VERSIONS, strict=True):
            self.enter(anchor, program)
        self.add(PanelSet(self.board.id, ANCHORS, ANCHORS[0]), Started("0", "3", "x", 1, NOON, rule=RULE))

    @property
    def numbers(self) -> Numbers:
        """Those of its board."""
        return self.state.numbers[self.board.id]

    def enter(self, version: VersionId, program: str) -> None:
        """A version becomes the current one of its bot."""
        self.programs[version] = number = list(VERSIONS).index(program)
        if author_of(version) not in (HOUSE, *self.state.authors):
            self.state.add(Registered(author_of(version), "", NOTHING))
        self.state.add(Received(version, f"{number:064x}", "bot.py", NOON))
        self.state.add(Current(version, (self.board.id,)))

    def add(self, *entries: Entry) -> list[Entry]:
        """Adds entries, and all that is due after them; what that was."""
        for entry in entries:
            self.state.add(entry)
        added: list[Entry] = []
        while found := list(due(self.state, NOON, self._seeds)):
            for entry in found:
                self.state.add(entry)
            added += found
        return added

    def next_draw(self) -> DrawScheduled | None:
        """What is played from now on; None where nothing is open."""
        found = self._drawer.chosen(self.state)
        if found is None:
            return None
        drawn = draw(self.state, found, NOON, self._seeds)
        self.state.add(drawn)
        return drawn

    def key(self, drawn: DrawScheduled) -> str:
        """From which the seatings of a draw follow."""
        return pod_key(self._seeds[drawn.day], drawn.board, drawn.no)

    def result(self, drawn: DrawScheduled) -> DrawPlayed:
        """As the bank has it."""
        chance = np.random.default_rng((self._number, drawn.no))
        lucks, count, size = self._played.shape[:3]
        deals = self.board.deals
        drawn_blocks = chance.integers(count, size=-(-deals // size))
        blocks, within = drawn_blocks.repeat(size)[:deals], np.arange(deals) % size
        labels = seating_labels(self.key(drawn), SEATS)
        places = [list(map(int, row)) for row in seatings([str(place) for place in range(SEATS)], labels)]
        luck = chance.integers(lucks, size=(len(places), len(drawn_blocks))).repeat(size, axis=1)[:, :deals]
        matches = []
        for number, version in enumerate(drawn.versions):
            pod = [self.programs[one] for one in (version, *drawn.companions)]
            rows = []
            for by_seat, lucky in zip(places, luck, strict=True):
                word = word_number([pod[place] for place in by_seat])
                gains = self._played[(lucky + number) % lucks, blocks, within, word]
                rows.append(DrawMatch(_as_tuples(gains[:, np.argsort(by_seat)])))
            matches.append(tuple(rows))
        return DrawPlayed(drawn.no, tuple(matches), float(len(matches)), NOTHING, NOTHING)


def _as_tuples(gains: NDArray[np.int16]) -> tuple[tuple[int, ...], ...]:
    return tuple(map(tuple, gains.tolist()))
