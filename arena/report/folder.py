"""Splits the data of a report of thousands of matches into files, which its page loads when they are about to
become visible.

The page itself has the data of its first screen and of the tables of bots. The rows of matches and pairings,
and most of each bot's page, are files of at most ROWS rows. Returns names and contents; writes no file and
knows no HTML.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from arena.report.bots import BotPage, Bots, MatchOfBots
from arena.report.tournament import PodShown, Report

ROWS: Final = 500
"""Rows of one file: some 60 kB with four seats, 200 kB with eight seats and the longest names."""


class PodOfRound(msgspec.Struct, frozen=True, array_like=True):
    """A pod as the page shows it. `members`: names, and scores before the round, None for house bots;
    `games`: seating, match, and whether it has a replay. The remaining fields are text."""

    pod_no: int
    members: tuple[tuple[str, str | None], ...]
    games: tuple[tuple[int, str, bool], ...]
    had_met: str
    widest_gap: str
    way_out: str


class BotFile(msgspec.Struct, frozen=True):
    """All data of one bot, and the matches that its page shows: the last ones, and all that the page names.
    `best` and `worst` are indices among these."""

    bot: BotPage
    matches: tuple[MatchOfBots, ...]


def outlined(bots: Bots) -> Bots:
    """The bots without the data in their files."""
    return msgspec.structs.replace(
        bots,
        bots=tuple(
            msgspec.structs.replace(
                bot, against=(), seats=(), best=None, worst=None, ranks=(), gains=(), faults=(), time=None
            )
            for bot in bots.bots
        ),
        matches=(),
    )


def files_of(report: Report, bots: Bots, rows: int) -> Iterator[tuple[str, bytes]]:
    """Names and contents of all files: `matches` and each `round` in parts of at most `rows` rows, and each
    `bot`. All are numbered from 1."""
    yield from _parts("matches", bots.matches, rows)
    for round_no, pods in enumerate(report.drawings, 1):
        yield from _parts(f"round-{round_no}", [_pod(pod) for pod in pods], rows)
    number = {match.match_id: at for at, match in enumerate(bots.matches)}
    played = defaultdict[int, list[int]](list)
    for at, match in enumerate(bots.matches):
        for seat in match.seats:
            played[seat.bot].append(at)
    for which, bot in enumerate(bots.bots):
        named = {number[match] for fault in bot.faults for match, _ in fault.places if match in number}
        named |= {at for at in (bot.best, bot.worst) if at is not None}
        shown = sorted({*played[which][-rows:], *named})
        yield (
            f"bot-{which + 1}",
            msgspec.json.encode(
                BotFile(
                    msgspec.structs.replace(
                        bot,
                        best=None if bot.best is None else shown.index(bot.best),
                        worst=None if bot.worst is None else shown.index(bot.worst),
                    ),
                    tuple(bots.matches[at] for at in shown),
                )
            ),
        )


def _parts(name: str, found: Sequence[Any], rows: int) -> Iterator[tuple[str, bytes]]:
    for part, first in enumerate(range(0, len(found), rows), 1):
        yield f"{name}-{part}", msgspec.json.encode(found[first : first + rows])


def _pod(pod: PodShown) -> PodOfRound:
    explained = pod.explained
    scores = (None if score is None else f"{score:g}" for score in explained.scores.values())
    return PodOfRound(
        explained.pod_no,
        tuple(zip(pod.names, scores, strict=True)),
        tuple((match.seating_no, match.match_id, match.replay) for match in pod.matches),
        explained.had_met,
        f"{explained.widest_gap:g}",
        explained.way_out("table"),
    )
