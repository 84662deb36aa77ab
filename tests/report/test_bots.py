"""What the page of each bot says: it adds up, it agrees with the standings, and versions are told apart."""

from pathlib import Path
from statistics import fmean

import msgspec
import pytest

from arena.director.entries import Created, MatchPlayed, Replaced, RoundPaired
from arena.director.journal import Journal
from arena.director.state import Record
from arena.report.bots import Bots, bots_of
from arena.report.tournament import report_data
from tests.support.large import swiss


def bots(run: Path) -> Bots:
    with Journal(run) as journal:
        return bots_of(Record(journal.entries), report_data(journal), "replays")


@pytest.fixture(scope="module")
def field(tmp_path_factory: pytest.TempPathFactory) -> Bots:
    """Six bots and two house bots, in rounds of two pods."""
    return bots(swiss(tmp_path_factory.mktemp("bots") / "run", bots=6, rounds=4))


@pytest.mark.thorough  # 2 s of processor.
def test_results_by_opponent_and_by_seat_add_up(field: Bots) -> None:
    assert len(field.bots) == 8
    assert len(field.matches) == 4 * 2 * 4
    for at, bot in enumerate(field.bots):
        mine = [one for match in field.matches for one in match.seats if one.bot == at]
        assert len(mine) == sum(seat.matches for seat in bot.seats) == bot.row.matches
        met = sum(one.ahead + one.level + one.behind for one in bot.against)
        assert met == 3 * len(mine)
        gain = fmean(one.gain for one in mine if one.gain is not None)
        by_seat = sum(seat.matches * (seat.gain or 0) for seat in bot.seats) / len(mine)
        assert gain == pytest.approx(by_seat, abs=0.002)
        # In every match its gain above the table is a quarter of what it gained on each of the others.
        on_others = sum((one.gain or 0) * (one.ahead + one.level + one.behind) for one in bot.against) / len(
            mine
        )
        assert gain == pytest.approx(on_others / 4, abs=0.002)


def test_two_bots_agree_on_each_other(field: Bots) -> None:
    for at, bot in enumerate(field.bots):
        for one in bot.against:
            other = next(back for back in field.bots[one.bot].against if back.bot == at)
            assert (one.ahead, one.level, one.behind) == (other.behind, other.level, other.ahead)
            assert one.gain == -(other.gain or 0)


def test_the_score_is_that_of_the_standings(field: Bots) -> None:
    """Against entrants: two half-points for each placed below, one for each other level."""
    for bot in field.bots[:6]:
        score = sum(
            one.ahead + one.behind + one.level
            if field.bots[one.bot].state == "house bot"
            else 2 * one.ahead + one.level
            for one in bot.against
        )
        assert bot.row.score == score / 2


def test_best_and_worst_are_the_ends(field: Bots) -> None:
    for at, bot in enumerate(field.bots):
        gains = {
            number: one.gain
            for number, match in enumerate(field.matches)
            for one in match.seats
            if one.bot == at and one.gain is not None
        }
        assert bot.best is not None
        assert bot.worst is not None
        assert gains[bot.best] == max(gains.values())
        assert gains[bot.worst] == min(gains.values())


def test_a_forfeit_counts_as_the_lowest_gain_and_comes_with_its_cure(twelve: Path) -> None:
    found = bots(twelve)
    dies = next(bot for bot in found.bots if bot.name == "dies")
    at = found.bots.index(dies)
    for match in found.matches:
        own = [one for one in match.seats if one.bot == at]
        assert all(one.forfeit == "exited" and one.placing >= 3 for one in own)
        assert all((one.gain or 0) <= min(other.gain or 0 for other in match.seats) for one in own)
    (fault,) = dies.faults
    assert (fault.kind, fault.times, fault.forfeits, len(fault.places)) == ("exited", 8, 8, 8)
    assert "exited with status 1" in fault.cure
    assert dies.time is not None
    noted = next(bot for bot in found.bots if bot.name == "noted")
    assert noted.faults == ()
    assert noted.row.forfeits == {}


def test_every_version_has_a_page(tmp_path: Path) -> None:
    """A bot is replaced after the second of four rounds."""
    name = "entrant-number-03"
    run = swiss(tmp_path / "before", bots=8, rounds=4)
    with Journal(run) as before:
        first, *others = before.entries
        assert isinstance(first, Created)
        entrant = next(one for one in first.entrants if one.name == name)
        with Journal.create(tmp_path / "run", first) as journal:
            for entry in others:
                if isinstance(entry, RoundPaired) and entry.round_no == 3:
                    journal.add(Replaced(msgspec.structs.replace(entrant, digest="e" * 64), "mended"))
                if isinstance(entry, MatchPlayed):
                    journal.save_logs({entry.match_id: before.read_log(entry.match_id)})
                journal.add(entry)
    found = bots(tmp_path / "run")
    now = next(bot for bot in found.bots if bot.name == name)
    early, late = (found.bots[at] for at in now.versions)
    assert (early.name, late) == (f"{name} (rounds 1–2)", now)
    assert (early.versions, early.state) == (now.versions, "replaced")
    assert early.profile.digest == ""
    assert now.profile.digest == "e" * 64
    for bot, rounds in ((early, {1, 2}), (late, {3, 4})):
        at = found.bots.index(bot)
        of_bot = [match for match in found.matches if at in [one.bot for one in match.seats]]
        assert {int(match.match_id[1:3]) for match in of_bot} == rounds
        assert bot.time is not None
        assert bot.time.decisions == 8 * 15
    others_of = [bot for bot in found.bots if bot not in (early, late)]
    assert all(bot.versions == () for bot in others_of)
