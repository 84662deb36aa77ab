"""Real play kept as data: every way to seat four of the versions, on the same cards.

    python -m tests.realplay.bank DIR [--game ole]… [--deals 128] [--seed realplay] [--again] [--processes 2]

makes one file a game, in some 13 minutes on two cores for all four, 10 MB in all.

A *word* says which version sits in seat 0, 1, 2 and 3. A pod of four entrants plays its deals in the seatings
of its square, that is, in four words on the same cards; a substitute is the random version in the word. So a
bank of all words on the same cards holds every composition of four in every order, and every forfeit. With
`--again` every word is played a second time on its cards, in which those who play at random have other luck:
so a program and its copy need not play alike.

Cards come in *blocks*, played as one match: one deal where deals are independent of each other, BLOCK deals
where they are not (`Game.independent_deals`). A match of more deals is put together from blocks: what reaches
from one deal to the next (in Olé!, who puts which colour on top) is kept within a block and lost between
two, whose first deal is played as the first of a match. The bots look at nothing that lies further back.

Two banks of one seed and size are the same bytes, whatever the number of processes.
"""

import itertools
import multiprocessing
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

import click
import numpy as np
from numpy.typing import NDArray

from arena.games import GAMES
from arena.games.game import State
from arena.system.processors import allowed
from protocol.outcome import Deals
from protocol.streams import DealSource
from tests.realplay.versions import VERSIONS, Policy

SEATS: Final = 4
BLOCK: Final = 4

Word: TypeAlias = tuple[int, ...]
"""By seat, the number of the version that sits there."""

WORDS: Final[tuple[Word, ...]] = tuple(itertools.product(range(len(VERSIONS)), repeat=SEATS))
"""In the bank's order: `WORDS[word_number(w)] == w`."""

Gains: TypeAlias = NDArray[np.int16]


def word_number(word: Sequence[int]) -> int:
    number = 0
    for version in word:
        number = number * len(VERSIONS) + version
    return number


DEALS: Final = {"sticheln": 128, "sticheln-1993": 128, "david-and-goliath": 72, "ole": 192}
"""By game, how many of every word. The means over them are the truth of all that is resampled: what differs
by chance between two orders in so few deals is there taken for a difference between the orders, and adds
1 / DEALS to the correlation between a pod's deals. Real play has .01 to .1 of it."""


class Bank(NamedTuple):
    """gains: by block, deal of the block, word and seat. again: the same, with other luck of those who play
    at random; None where it was not played."""

    game: str
    gains: Gains
    again: Gains | None = None


class Task(NamedTuple):
    """One block in all words. luck: on the same cards, another number gives those who play at random other
    luck."""

    game: str
    seed: str
    number: int
    luck: int = 0


def block_size(game: str) -> int:
    return 1 if GAMES[game].independent_deals else BLOCK


def played(task: Task) -> Gains:
    """By deal, word and seat."""
    game = GAMES[task.game]
    key = f"{task.seed}/{task.game}/{task.number}"
    start = game.start(SEATS, game.options(), block_size(task.game), DealSource(key)).state
    luck = f"{key}/{task.luck}" if task.luck else key
    return np.stack([match(task.game, start, word, luck) for word in WORDS], axis=1)


def match(game: str, start: State, word: Word, key: str) -> Gains:
    """One match: by deal and seat. The cards are the same in every word; who plays at random has chance of
    its own in every one."""
    makers = tuple(VERSIONS.values())
    policies = [
        makers[version](game, f"{key}/{word_number(word)}/{seat}") for seat, version in enumerate(word)
    ]
    return np.array(play_out(start, policies), dtype=np.int16)


def play_out(state: State, policies: Sequence[Policy]) -> Deals:
    """The gains of a match that `policies` play to its end, one a seat."""
    while pending := state.pending:
        actions = {}
        for seat, decision in pending.items():
            legal = state.legal(seat)
            # Where there is no choice, nobody is asked: that saves a view.
            actions[seat] = policies[seat](decision, state.view(seat), legal) if legal[1:] else legal[0]
        state, _ = state.apply(actions)
    return state.tally().gains


def file_of(folder: Path, game: str) -> Path:
    return folder / f"{game}.npz"


def load(folder: Path, game: str) -> Bank:
    """Raises FileNotFoundError, and ValueError for a bank of other versions than there are now."""
    with np.load(file_of(folder, game)) as stored:
        if stored["versions"].tolist() != list(VERSIONS):
            raise ValueError(f"{file_of(folder, game)}: of other versions; make it again")
        return Bank(game, stored["gains"], stored.get("again"))


def blocks(tasks: Sequence[Task], processes: int) -> Iterator[Gains]:
    """In order, as they are played, with a line to standard error every twentieth: how many, and how long
    it still takes."""
    begun = time.monotonic()
    with multiprocessing.Pool(processes) as pool:
        for number, gains in enumerate(pool.imap(played, tasks), start=1):
            yield gains
            if number % max(1, len(tasks) // 20) == 0:
                left = (time.monotonic() - begun) * (len(tasks) - number) / number
                click.echo(f"  {tasks[0].game}: {number} of {len(tasks)} blocks, {left:.0f} s left", err=True)


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--game", "games", multiple=True, type=click.Choice(list(GAMES)), default=tuple(GAMES))
@click.option("--deals", type=click.IntRange(min=BLOCK), help="Of every word.  [default: by game]")
@click.option("--seed", default="realplay", show_default=True)
@click.option("--again", is_flag=True, help="Play every word twice, with other luck of those who have any.")
@click.option("--processes", default=len(allowed()), show_default=True)
def main(
    folder: Path, games: tuple[str, ...], deals: int | None, seed: str, again: bool, processes: int
) -> None:
    """Play every way to seat four of the versions, and keep the gains in FOLDER."""
    folder.mkdir(parents=True, exist_ok=True)
    for game in games:
        numbers = range((deals or DEALS[game]) // block_size(game))
        stored = {
            name: np.stack([*blocks([Task(game, seed, number, luck) for number in numbers], processes)])
            for luck, name in enumerate(("gains", "again")[: 1 + again])
        }
        np.savez_compressed(file_of(folder, game), **stored, versions=np.array(list(VERSIONS)))
        gains = stored["gains"]
        click.echo(f"{file_of(folder, game)}: {gains.shape[0] * gains.shape[1]} deals of {len(WORDS)} words")


if __name__ == "__main__":
    main()
