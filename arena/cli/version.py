"""`arena --version`: the versions that decide what a run means."""

import platform
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed

from arena import __version__
from arena.director.journal import FORMAT as JOURNAL_FORMAT
from arena.games import GAMES, registry
from arena.log.entries import FORMAT as LOG_FORMAT
from arena.system.errors import UserError
from protocol.messages import PROTOCOL


def version() -> str:
    """The versions of the arena, its formats, the games' rules and the libraries, and a line for each
    packaged game."""
    rules = ", ".join(f"{game.id} {game.rules}" for game in GAMES.values())
    packages = "".join(f"{_in_words(one)}\n" for one in registry.from_packages())
    libraries = ", ".join(f"{name} {_version_of(name)}" for name in ("trio", "msgspec", "numpy", "scipy"))
    return (
        f"arena {__version__}\n"
        f"protocol {PROTOCOL}, match log {LOG_FORMAT}, journal {JOURNAL_FORMAT}\n"
        f"rules: {rules}\n"
        f"{packages}"
        f"Python {platform.python_version()}, {libraries}"
    )


def _in_words(listed: registry.PackagedGame) -> str:
    """The line of a packaged game, which is loaded for the version of its rules; or why it cannot be
    loaded."""
    try:
        game, package = registry.game(listed.id), registry.package_of(listed.id)
    except UserError as error:
        return f"rules: {error}"
    return f"rules: {game.id} {game.rules}, of {package}"


def _version_of(library: str) -> str:
    try:
        return installed(library)
    except PackageNotFoundError:
        return "not installed"
