"""A league that is resampled from a bank is what the bank holds, its truth is what many pods find, and it
keeps its promises. The bank is of made-up gains where a real one would take minutes."""

from collections.abc import Sequence
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev

import numpy as np
import pytest
from click.testing import CliRunner

from arena.entrants.entrant import Entrant
from arena.league.drawing import companions
from arena.league.entries import DrawScheduled
from arena.league.numbers import lead_of
from arena.league.pods import jobs
from arena.process.launch import Launch
from protocol.outcome import Deals
from tests.bench.league_realplay import share, trials
from tests.realplay import bank as real
from tests.realplay.bank import SEATS, WORDS, Bank, word_number
from tests.realplay.league import ANCHORS, DAY, NOON, League
from tests.realplay.league_trial import EQUAL, HUNTER, Trial, hunted
from tests.realplay.league_truth import Truth, leads
from tests.realplay.versions import VERSIONS

BOARDS = 60

Place = tuple[int, int, int]
"""In a bank: the playing, the block, and the deal of it."""


@pytest.fixture(scope="module", params=["sticheln", "ole"], ids=["single deals", "blocks of four"])
def bank(request: pytest.FixtureRequest) -> Bank:
    """Programs of different strength that interact, and no deal that is like another one."""
    chance = np.random.default_rng(7)
    size, words = real.block_size(request.param), np.array(WORDS)
    mean = 20 * words + chance.normal(0, 20, words.shape)
    gains, again = chance.normal(mean, 200, (2, 12, size, *words.shape)).astype(np.int16)
    return Bank(request.param, gains, again)


def test_a_draw_gains_what_the_bank_holds(bank: Bank) -> None:
    """In the seatings that the product would play, on the same cards for all of them; and of each match the
    second version of a comparison has another playing than the first."""
    league = League(bank, 3)
    league.enter("red/bot@1", "careful")
    kinds = set()
    for _ in range(60):
        drawn = league.next_draw()
        assert drawn is not None
        found = league.result(drawn)
        league.add(found)
        at = where(league, drawn, bank, [match.gains for version in found.matches for match in version])
        assert len({tuple(place[1:] for place in deals) for deals in at}) == 1
        if len(drawn.versions) == 2:
            for first, second in zip(at[:SEATS], at[SEATS:], strict=True):
                assert all(one[0] != other[0] for one, other in zip(first, second, strict=True))
        kinds.add(drawn.why)
    assert kinds == {"placement", "question"}


def where(league: League, drawn: DrawScheduled, bank: Bank, matches: Sequence[Deals]) -> list[list[Place]]:
    """By match and deal, where the bank has it."""
    assert bank.again is not None
    held = np.stack((bank.gains, bank.again))
    nobody = {
        name: Entrant(name, Launch(("true",), "/"), name) for name in (*drawn.versions, *drawn.companions)
    }
    found = []
    for job, gains in zip(jobs(league.board, drawn, league.key(drawn), nobody), matches, strict=True):
        pod = (drawn.versions[len(found) // SEATS], *drawn.companions)
        seats = [entrant.name for entrant in job.entrants]
        of_word = held[..., word_number([league.programs[name] for name in seats]), :]
        by_seat = [[deal[pod.index(name)] for name in seats] for deal in gains]
        places = [np.argwhere((of_word == deal).all(axis=-1)).tolist() for deal in by_seat]
        assert [len(each) for each in places] == [1] * league.board.deals
        found.append([tuple(each[0]) for each in places])
    return found


@pytest.mark.thorough  # 2 s of processor.
def test_the_truth_is_what_many_pods_find(bank: Bank) -> None:
    """Of a newcomer with all sets of companions, and of two members of the panel, who are compared with those
    that both may have."""
    league = League(bank, 4)
    league.enter("red/bot@1", "rash")
    truth = Truth(bank, league.board.deals, ANCHORS, league.programs)
    panel = fmean(truth.strength(member) for member in ANCHORS)
    assert panel == pytest.approx(0)
    for versions in (("red/bot@1",), ANCHORS[:2]):
        leads = []
        for no in range(1, 1201):
            lots = companions(league.state, league.board.id, no, versions, "of this test")
            drawn = DrawScheduled(no, league.board.id, versions, lots, "question", DAY, NOON)
            leads.append([lead_of(matches) for matches in league.result(drawn).matches])
        found = [one[0] - sum(one[1:]) for one in leads]
        true = truth.apart(*versions) if versions[1:] else truth.strength(*versions)
        assert abs(fmean(found) - true) < 3 * stdev(found) / sqrt(len(found))


def test_a_program_and_its_copy_play_alike_without_luck(bank: Bank) -> None:
    league = League(bank._replace(again=None), 5)
    for version in ("red/bot@1", "blue/bot@1"):
        league.enter(version, "rash")
    drawn = DrawScheduled(1, league.board.id, ("red/bot@1", "blue/bot@1"), ANCHORS[:3], "question", DAY, NOON)
    one, other = league.result(drawn).matches
    assert one == other


def test_a_hunter_is_strong_against_weak_companions_only(bank: Bank) -> None:
    """By as much as they differ; nobody else gains otherwise."""
    hunter, deals = [*VERSIONS].index(HUNTER), bank.gains.shape[1]
    before, now = leads(bank, deals), leads(hunted(bank), deals)
    strengths = before.mean(axis=(1, 2, 3))
    weak, strong = int(strengths.argmin()), int(strengths.argmax())
    more = (now - before)[hunter]
    assert more[weak, weak, weak] - more[strong, strong, strong] == pytest.approx(np.ptp(strengths), abs=1)
    others = [at for at in range(len(VERSIONS)) if at != hunter]
    assert (now == before)[np.ix_(others, others, others, others)].all()


@pytest.fixture(
    scope="module", params=[pytest.param(game, marks=pytest.mark.exhaustive) for game in ("sticheln", "ole")]
)
def boards(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Trial]:
    """Boards of real play, which takes some minutes."""
    folder: Path = tmp_path_factory.mktemp("bank")
    words = [str(folder), "--game", request.param, "--deals", "32", "--again"]
    assert CliRunner().invoke(real.main, words, catch_exceptions=False).exit_code == 0
    return trials(folder, request.param, BOARDS, 86_400, 2)


@pytest.mark.thorough
def test_boards_of_real_play_sleep_and_hardly_anything_wrong_is_said(boards: list[Trial]) -> None:
    assert all(one.pods for one in boards)
    assert fmean(len(one.said) for one in boards) > 50
    for by in ("strength", "compared"):
        wrong = [fmean([getattr(said, by) <= EQUAL for said in one.said] or [False]) for one in boards]
        assert fmean(wrong) <= 0.05


@pytest.mark.thorough
def test_placements_change_nobody_elses_number(boards: list[Trial]) -> None:
    placements, changes = map(sum, zip(*(one.placements for one in boards), strict=True))
    assert placements > 100 * BOARDS
    assert changes == 0


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["first", "later", "anchor"])
def test_the_intervals_of_newcomers_hold_the_truth(boards: list[Trial], kind: str) -> None:
    found, error = share([[held.right for held in one.placed if held.kind == kind] for one in boards])
    assert found >= 0.95 - 2 * error


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["anchor", "author"])
def test_the_intervals_of_a_board_that_sleeps_hold_the_truth(boards: list[Trial], kind: str) -> None:
    found, error = share([[held.right for held in one.asleep if held.kind == kind] for one in boards])
    assert found >= 0.95 - 2 * error
