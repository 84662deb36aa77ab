"""`arena --version`: the versions that decide what a run means."""

import platform
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed

from arena import __version__
from arena.games import GAMES
from arena.log.entries import FORMAT as LOG_FORMAT
from arena.running.journal import FORMAT as JOURNAL_FORMAT
from protocol.messages import PROTOCOL


def version() -> str:
    """The versions of the arena, its formats, the games' rules and the libraries, in four lines."""
    rules = ", ".join(f"{game.id} {game.rules}" for game in GAMES.values())
    libraries = ", ".join(f"{name} {_version_of(name)}" for name in ("trio", "msgspec", "numpy", "scipy"))
    return (
        f"arena {__version__}\n"
        f"protocol {PROTOCOL}, match log {LOG_FORMAT}, journal {JOURNAL_FORMAT}\n"
        f"rules: {rules}\n"
        f"Python {platform.python_version()}, {libraries}"
    )


def _version_of(library: str) -> str:
    try:
        return installed(library)
    except PackageNotFoundError:
        return "not installed"
