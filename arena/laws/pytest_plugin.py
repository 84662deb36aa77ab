"""A pytest plug-in: one test for each law and number of seats of an installed game.

    pytest --arena-game mygame                       these tests, besides those that pytest runs anyway
    [tool.pytest.ini_options]
    arena_games = ["mygame"]                         the same whenever pytest is called without paths

`-k "conserved and mygame"` selects some. There is no time limit: a game that hangs makes pytest hang, and
`arena check --game mygame` says where.

pytest imports this whenever it starts, so other modules are imported only when a game is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from arena.laws.judge import Law
    from arena.laws.trial import Trial

OPTION = "--arena-game"
INI = "arena_games"
MATCHES = "--arena-matches"
JUDGE = "--arena-judge"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the plug-in."""
    group = parser.getgroup("arena", "laws of card games")
    group.addoption(
        OPTION, action="append", default=[], metavar="ID", help="Check this installed game against the laws."
    )
    group.addoption(
        MATCHES, type=int, default=2, metavar="N", help="Random matches for each variant.  [default: 2]"
    )
    group.addoption(
        JUDGE, metavar="MODULE:FUNCTION", help="A second implementation of the rules (arena/laws/second.py)."
    )
    parser.addini(
        INI, "Games that are checked against the laws when pytest is called without paths.", "args", []
    )


@pytest.hookimpl(tryfirst=True)  # Before -k and -m select.
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Add the tests of all games that are asked for, before the others."""
    asked = list(config.getoption(OPTION))
    if config.args_source is not pytest.Config.ArgsSource.ARGS:
        asked += config.getini(INI)
    items[:0] = [item for id in dict.fromkeys(asked) for item in _of_game(session, id)]


def _of_game(session: pytest.Session, id: str) -> Iterator[pytest.Item]:
    from arena.games import registry  # noqa: PLC0415 -- see above
    from arena.laws.judge import LAWS, name_of  # noqa: PLC0415
    from arena.laws.second import agreement, named  # noqa: PLC0415
    from arena.laws.trial import trials, variants  # noqa: PLC0415
    from arena.system.errors import UserError  # noqa: PLC0415

    try:
        game = registry.game(id)
    except UserError as error:
        raise pytest.UsageError(f"{OPTION} {id}: {error}") from None
    laws = LAWS
    if judge := session.config.getoption(JUDGE):
        try:
            laws = (*LAWS, agreement(named(judge)))
        except Exception as error:
            raise pytest.UsageError(f"{JUDGE} {judge}: {type(error).__name__}: {error}") from None
    of_game = variants(game)
    for seats in game.seats:
        table = GameAtSeats.from_parent(session, name=f"{id}[{seats}]", nodeid=f"{id}[{seats}]")
        number = session.config.getoption(MATCHES)
        matches = [list(trials(variant, number)) for variant in of_game if variant.seats == seats]
        for law in laws:
            yield LawItem.from_parent(table, name=name_of(law), law=law, matches=matches)


class GameAtSeats(pytest.Collector):
    """A game with one number of seats."""

    def collect(self) -> list[pytest.Item]:
        """Nothing: the hook above has added its tests."""
        return []


class LawBroken(Exception):
    """The game breaks the law; the text says how."""


class LawItem(pytest.Item):
    """A law for a game with one number of seats and all its options."""

    obj = None
    """There is no test function, but pytest-trio, in its mode, looks for one in every item."""

    def __init__(self, *, law: Law, matches: list[list[Trial]], **others: object) -> None:
        super().__init__(**others)  # type: ignore[arg-type]
        self._law = law
        self._matches = matches

    def runtest(self) -> None:
        """Raises LawBroken."""
        from arena.laws.judge import judge, lines  # noqa: PLC0415 -- see above

        judged = judge(self._law, self._matches)
        if judged.broken:
            raise LawBroken("\n".join(lines(judged)))
        if judged.untried:
            pytest.skip(judged.untried)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:
        """What `arena check --game` says."""
        if isinstance(excinfo.value, LawBroken):
            return str(excinfo.value)
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[str, int | None, str]:
        """The heading of a failure."""
        return self.config.rootpath, None, self.nodeid  # type: ignore[return-value]
