"""How many of the hundred bots get the cure from `arena check` that mends them, found by applying it.

    python -m tests.hundred.survey             # a table of all
    python -m tests.hundred.survey slow-c …    # these
    python -m tests.hundred.survey --json      # with the texts

It takes some minutes on two cores. What check says becomes a cure by reading.py.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from arena.checking.cures import CURES
from tests.hundred.generator import Bot, hundred
from tests.hundred.reading import READ_AS, Reading

ROOT = Path(__file__).parent.parent.parent
ROUNDS = 3
"""How often a bot is mended before its author gives up."""
LONGEST = 900
"""Seconds that one command may take."""
BLAMELESS = frozenset(cure.name for cure in CURES if cure.blameless)
AGAIN = 5
"""How often an author follows the advice to check again when the machine is less busy."""


@dataclass(frozen=True)
class Told:
    """What `arena check` said of a program, and what its author made of it."""

    passed: bool
    step: str = ""
    diagnosis: str = ""
    mend: str = ""
    fault: str = ""
    cure: str = ""
    """The first cure that the words ask for and that is not in the program yet; empty where there is none."""


@dataclass(frozen=True)
class Treated:
    """A bot and what it was told, the last time after the last cure."""

    bot: Bot
    told: tuple[Told, ...]

    @property
    def cured(self) -> bool:
        return self.told[-1].passed and not self.told[0].passed

    @property
    def unjudged(self) -> bool:
        """Whether the machine was too busy, however often its author checked it again."""
        return self.told[-1].diagnosis in BLAMELESS

    def row(self) -> str:
        diagnoses = " > ".join(told.diagnosis or told.step for told in self.told if not told.passed)
        cures = " > ".join(told.cure or "–" for told in self.told if not told.passed)
        cured = "cured" if self.cured else f"NOT CURED, {' > '.join(self.bot.right_cures)} was right"
        told = f"{diagnoses:28}{cures:28}{cured}"
        return f"{self.bot.name:24}{self.bot.language.name:19}{self.bot.words:60}{told}"

    def as_data(self) -> dict[str, object]:
        return {
            "bot": self.bot.name,
            "language": self.bot.language.name,
            "mistake": self.bot.words,
            "right": self.bot.right_cures,
            "told": [asdict(told) for told in self.told],
            "cured": self.cured,
        }


def arena(*words: object) -> subprocess.CompletedProcess[str]:
    """The command as a process of its own, from the folder of the project."""
    return subprocess.run(
        [sys.executable, "-P", "-m", "arena", *map(str, words)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
    )


def limits(bot: Bot) -> Iterator[object]:
    yield from ("--game", bot.game, "--time", bot.time, "--startup", bot.startup, "--memory", bot.memory)


def check(bot: Bot, applied: Iterable[str], folder: Path, read_as: Reading = READ_AS) -> Told:
    """What `arena check` says of the program at the first step that failed, and the cure it is read as."""
    source = bot.after(applied)
    done = arena("check", bot.write(folder, source), *limits(bot), "--json")
    if done.returncode not in (0, 1):
        return Told(False, diagnosis=f"exit status {done.returncode}", mend=done.stderr.strip())
    (checked,) = json.loads(done.stdout)
    if checked["passed"]:
        return Told(True)
    failed = next(step for step in checked["steps"] if step["verdict"] == "failed")
    named = read_as.get(failed["diagnosis"], ())
    cure = next((cure for cure in named if bot.after((*applied, cure)) != source), "")
    return Told(False, failed["step"], failed["diagnosis"], failed["mend"], failed["fault"], cure)


def treat(bot: Bot, read_as: Reading = READ_AS) -> Treated:
    """Checks, applies the cure, and checks again, up to `ROUNDS` times."""
    with tempfile.TemporaryDirectory(prefix="hundred-") as folder:
        told = [_unless_busy(bot, (), Path(folder), read_as)]
        while len(told) <= ROUNDS and told[-1].cure:
            applied = tuple(earlier.cure for earlier in told)
            told.append(_unless_busy(bot, applied, Path(folder), read_as))
    return Treated(bot, tuple(told))


def _unless_busy(bot: Bot, applied: tuple[str, ...], folder: Path, read_as: Reading) -> Told:
    for _ in range(AGAIN):
        told = check(bot, applied, folder, read_as)
        if told.diagnosis not in BLAMELESS:
            break
    return told


def survey(bots: Iterable[Bot]) -> Iterator[Treated]:
    """Treats the bots, two at a time, and returns them in their order."""
    with ThreadPoolExecutor(2) as pool:
        yield from pool.map(treat, bots)


def main(words: list[str]) -> None:
    names = [word for word in words if word != "--json"]
    chosen = [bot for bot in hundred() if not names or bot.name in names]
    here = [bot for bot in chosen if not bot.language.missing]
    treated = []
    for one in survey(here):
        treated.append(one)
        print(one.row(), file=sys.stderr, flush=True)
    if "--json" in words:
        print(json.dumps([one.as_data() for one in treated], indent=2, ensure_ascii=False))
    for bot in chosen:
        if bot.language.missing:
            print(f"{bot.name:24}not tried, no {', no '.join(bot.language.missing)} here", file=sys.stderr)
    print(f"{sum(one.cured for one in treated)} of {len(treated)} cured", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
