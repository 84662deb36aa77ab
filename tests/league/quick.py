"""Plays a league without any other process: its matches are true ones, of bots that choose by their digest.
Hundreds of times as quick as `arena league run`, for tests of what follows from results."""

import platform
from pathlib import Path

import trio

from arena import __version__
from arena.entrants.entrant import FUNCTION, Entrant
from arena.league import logs
from arena.league.alike import choices_alike
from arena.league.days import pod_key
from arena.league.drawing import Drawer, NextDraw
from arena.league.entries import Current, DrawPlayed, DrawScheduled, Passed, Received, Started
from arena.league.hand import Add
from arena.league.office import Office, clock
from arena.league.pods import draw, jobs, row_of
from arena.league.statements import RULE
from arena.league.store import keep
from arena.playing.conversation import Conversation
from arena.playing.functions import UNTIMED, FunctionBot, FunctionLine, Functions
from arena.playing.referee import play_match
from arena.process.launch import Launch
from protocol.codec import decode_from_referee, encode
from protocol.messages import Hello, Ready, Reply, Request
from tournaments.agenda import Wish


class Line(FunctionLine):
    """A bot that answers at once, and plays a legal action by a number of its own."""

    def __init__(self, number: int) -> None:
        self.stderr_kept = None
        self._number = number
        self._answer = b""

    def write(self, data: bytes) -> None:
        match decode_from_referee(data):
            case Hello():
                self._answer = encode(Ready("a bot"))
            case Request(id=at, legal=legal):
                self._answer = encode(Reply(at, legal[self._number // at % len(legal)]))

    def read_now(self) -> bytes | None:
        answer, self._answer = self._answer, b""
        return answer or None

    async def read(self, deadline: float) -> bytes | None:
        return self.read_now()

    async def acknowledged(self) -> None:
        """It never does more than it is asked for."""

    def kill(self) -> None:
        """There is nothing to end."""


class Lines(Functions):
    """The bots of all versions."""

    def __init__(self) -> None:
        """There is no other program."""

    def start(self, entrant: Entrant, *, ponder: bool) -> FunctionBot:
        line = Line(int(entrant.digest, 16))
        return FunctionBot(line, Conversation(line, UNTIMED, ponder=ponder))


def enter(league: Path, author: str, path: Path) -> None:
    """A bot of an author comes in, and nobody checks it."""
    program = keep(league, path)
    with Office(league) as office:
        (received,) = office.asked(Add(author, "mybot", program.digest, program.file))
        assert isinstance(received, Received)
        version = received.version
        office.write(Passed(version, "checked", 0.0), Current(version, tuple(office.state.boards)))


def play(league: Path, draws: int = 10_000) -> None:
    """Plays so many draws, or until nothing is to be drawn."""
    trio.run(_play, league, draws)


def ask(league: Path, versions: tuple[str, str], times: int) -> None:
    """Compares these two, whatever is open."""
    trio.run(_ask, league, versions, times)


async def _ask(league: Path, versions: tuple[str, str], times: int) -> None:
    with Office(league) as office:
        office.start(Started(__version__, platform.python_version(), "Linux", 1, clock(), rule=RULE))
        (board,) = office.state.boards
        wish = NextDraw(board, Wish(*versions, 0.0, 1))
        for _ in range(times):
            drawn = draw(office.state, wish, office.settle(), office.seeds)
            office.write(drawn)
            office.write(await _played(office, drawn))


async def _play(league: Path, draws: int) -> None:
    drawer = Drawer()
    with Office(league) as office:
        office.start(Started(__version__, platform.python_version(), "Linux", 1, clock(), rule=RULE))
        for _ in range(draws):
            at = office.settle()
            if office.state.sealed or (found := drawer.chosen(office.state)) is None:
                break
            drawn = draw(office.state, found, at, office.seeds)
            office.write(drawn)
            office.write(await _played(office, drawn))


async def _played(office: Office, drawn: DrawScheduled) -> DrawPlayed:
    board = office.state.boards[drawn.board]
    key = pod_key(office.seeds[drawn.day], drawn.board, drawn.no)
    nobody = Launch((FUNCTION, "1"), "/")
    entrants = {
        version: Entrant(version, nobody, office.state.versions[version].digest)
        for version in (*drawn.versions, *drawn.companions)
    }
    rows, texts = [], []
    for job in jobs(board, drawn, key, entrants):
        report = await play_match(job, functions=Lines())
        rows.append(row_of(drawn, report, job.seating_no, key))
        texts.append(report.log)
    parts = logs.parted(texts)
    logs.save(office.folder, drawn.day, drawn.no, parts)
    size = len(rows) // len(drawn.versions)
    matches = tuple(tuple(rows[at : at + size]) for at in range(0, len(rows), size))
    alike = choices_alike(parts.public, drawn.versions)
    return DrawPlayed(drawn.no, matches, 1.0, *parts.digests, alike)
