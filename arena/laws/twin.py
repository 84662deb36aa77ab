"""The same match in another process, with other hashes, so that sets have another order there."""

import atexit
import base64
import functools
import os
import pickle
import subprocess
import sys
from typing import Any, Final

import msgspec

from arena.games import registry
from arena.games.game import Game
from arena.laws.trial import Trial, Variant, transcript
from arena.system.lines import take_streams, write_line

HASH_SEEDS: Final = ("1", "2")


class NoTwin(Exception):
    """The match cannot be played in another process; the text says why."""


def retold(trial: Trial) -> list[list[str]]:
    """The transcript of the trial's match, played again in another process. Raises NoTwin."""
    variant = trial.variant
    request = {
        "game": _named(variant.game),
        "seats": variant.seats,
        "options": msgspec.to_builtins(variant.options),
        "key": trial.key,
        "deals": trial.deals,
    }
    line = _asked(msgspec.json.encode(request))
    answer: list[list[str]] | str = msgspec.json.decode(line, type=list[list[str]] | str)
    if isinstance(answer, str):
        raise NoTwin(answer)
    return answer


def _asked(request: bytes) -> bytes:
    """The answer of the other process. It is started for the first request and ends with this process."""
    twin = _twin(os.pathsep.join(filter(None, sys.path)))
    assert twin.stdin is not None
    assert twin.stdout is not None
    try:
        twin.stdin.write(request + b"\n")
        twin.stdin.flush()
        answer = twin.stdout.readline()
    except OSError:
        answer = b""
    if not answer:
        _twin.cache_clear()
        raise NoTwin(f"the process ended with {twin.wait()}")
    return answer


@functools.cache
def _twin(path: str) -> "subprocess.Popen[bytes]":
    """The other process, which imports from the same `path`."""
    seed = next(seed for seed in HASH_SEEDS if seed != os.environ.get("PYTHONHASHSEED"))
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "arena.laws.twin"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path},
    )
    assert process.stdin is not None

    def end() -> None:
        with process:  # Closes the pipes and waits: the process ends at the end of its input.
            pass

    atexit.register(end)
    return process


def _named(game: Game) -> str:
    """The game for another process: its id if it is installed, else pickled."""
    if registry.is_known(game.id) and registry.game(game.id) is game:
        return game.id
    try:
        return f"pickle:{base64.b64encode(pickle.dumps(game)).decode()}"
    except Exception as error:
        raise NoTwin(f"the game is not installed, and it cannot be pickled ({error})") from None


def _found(named: str) -> Game:
    kind, _, data = named.partition(":")
    if kind != "pickle":
        return registry.game(named)
    game: Game = pickle.loads(base64.b64decode(data))
    return game


def _answered(line: bytes) -> list[list[str]] | str:
    """The transcript of the requested match, or why there is none."""
    try:
        asked: dict[str, Any] = msgspec.json.decode(line)
        game = _found(asked["game"])
        variant = Variant(game, asked["seats"], msgspec.convert(asked["options"], game.options))
        trial = Trial(variant, asked["key"], asked["deals"])
        return transcript(trial.record, trial.seats)
    # An author's code can raise anything.
    except (Exception, SystemExit) as error:
        return f"{type(error).__name__}: {error}"


def main() -> None:
    """Answer each line of standard input with a line."""
    asked, answers = take_streams()
    for line in os.fdopen(asked, "rb"):
        write_line(answers, msgspec.json.encode(_answered(line)))


if __name__ == "__main__":
    main()
