"""A season with its first evening."""

from arena.director.state import Record
from arena.entrants.entrant import Entrant
from arena.process.launch import Launch
from tests.support.ahead import created

EIGHT = "abcdefgh"


def program(name: str, digest: str = "", title: str = "") -> Entrant:
    return Entrant(name, Launch(("true",), "/"), digest or f"digest of {name}", title=title)


def begun(names: str = EIGHT, rounds: int = 3, seed: str = "1", **changed: object) -> Record:
    entrants = tuple(map(program, names))
    return Record([created(names, rounds, seed=seed, **{"entrants": entrants, **changed})])
