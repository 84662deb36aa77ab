"""The calls that start no programs: they read, write a file, or list what the arena brings. They run in the
caller's process.
"""

import pathlib
from typing import Any

from arena.commands.bots import BotFacts, CopyBots, shipped_bots
from arena.commands.config import arguments_of
from arena.commands.docs import ReadDocument
from arena.commands.games import (
    GameFacts,
    GameWithDeck,
    ListedGame,
    described,
    listed_games,
    own_games,
    rules_of,
    schema_of,
)
from arena.commands.new import NewGame
from arena.commands.replay import LogVerdict, VerifyLogs
from arena.commands.seed import FILE, CommitSeed
from arena.library.derived import takes
from arena.library.display import LOGGER
from arena.playing.spellings import AnyPath, path_of, paths_of


def all_games() -> tuple[GameFacts | ListedGame, ...]:
    """The available games: the arena's own with their facts, then those that installed packages declare."""
    return (*own_games(), *listed_games())


def game(id: str) -> GameWithDeck:
    """The facts about one game, including its decks."""
    return described(id)


def rules(game: str) -> str:
    """The rules of a game, as text."""
    return rules_of(game)


def schema(game: str) -> dict[str, Any]:
    """What a bot reads and writes in a game, as a JSON Schema."""
    return schema_of(game)


def new_game(id: str) -> str:
    """Create a folder of this name with a package: a simple game to turn into your own. Returns its path."""
    return NewGame(id=id).carry_out()


def bots(copy: AnyPath | None = None) -> tuple[BotFacts, ...]:
    """The bots that come with the arena, and what each does. `copy`: copy the sample bots into this
    folder, which must be missing or empty, and return the copies."""
    return shipped_bots() if copy is None else CopyBots(folder=path_of(copy)).carry_out()


@takes(ReadDocument)
def docs(call: ReadDocument) -> str | dict[str, str]:
    """A document of the arena by its name; without a name, all names with what each document is about."""
    return call.carry_out()


def seed(path: AnyPath = FILE, *, commit: bool = False) -> str:
    """The SHA-256 of the secret seed in a file, to publish with an invitation. `commit`: generate the seed
    and write the file, which must not exist yet."""
    return CommitSeed(path=path_of(path), commit=commit).carry_out(LOGGER.warning)


def arguments(config: AnyPath) -> dict[str, Any]:
    """The settings in a TOML file as written by `arena config`, as arguments for `tournament`."""
    return arguments_of(pathlib.Path(path_of(config)))


def verify(*logs: AnyPath) -> tuple[LogVerdict, ...]:
    """Deal each log again from its keys, play it by the rules, and compare every line; its verdict has the
    first contradiction. Raises UserError for a file that is not a log."""
    return VerifyLogs(logs=paths_of("logs", logs)).carry_out(LOGGER.info)
