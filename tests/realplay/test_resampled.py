"""What is resampled from a bank is what the bank holds, and the truth is what long tournaments find. The bank
is of made-up gains here: to play a real one takes minutes."""

import numpy as np
import pytest

from tests.realplay.bank import SEATS, WORDS, Bank, Task, played, word_number
from tests.realplay.product import table
from tests.realplay.promises import judged
from tests.realplay.resampled import Design, tournament, truth
from tests.realplay.versions import VERSIONS
from tournaments.statistics import adjusted_gains


@pytest.fixture(scope="module", params=[1, 4], ids=["single deals", "blocks of four"])
def bank(request: pytest.FixtureRequest) -> Bank:
    """Versions of different strength, the more so the later in a block, that interact a lot: every word has
    a mean of its own."""
    chance = np.random.default_rng(7)
    words = np.array(WORDS)
    later = 1 + np.arange(request.param)[:, None, None]
    mean = 50 * words * later + chance.normal(0, 200, words.shape)
    noise = chance.normal(0, 50, (16, *mean.shape))
    return Bank("made up", (mean + noise).astype(np.int16))


@pytest.mark.thorough
@pytest.mark.parametrize("forfeits", [0.0, 0.3])
@pytest.mark.parametrize("deals", [1, 6])
def test_the_truth_is_what_a_long_tournament_finds(bank: Bank, deals: int, forfeits: float) -> None:
    design = Design("made up", 8, 120, deals, forfeits=forfeits)
    true = truth(bank, design)
    programs = design.programs(1)
    found = adjusted_gains(tournament(bank, design, 1).results, tuple(programs))
    errors = []
    for name, version in programs.items():
        estimate = found[name]
        assert estimate.gain is not None
        assert estimate.high is not None
        errors.append((estimate.gain - true[version]) / (estimate.high - estimate.gain))
    assert max(map(abs, errors)) < 2
    assert sum(true[version] for version in programs.values()) == pytest.approx(0)


@pytest.mark.thorough  # 3 s of processor.
def test_intervals_hold_the_truth_where_orders_matter(bank: Bank) -> None:
    """Of the worst program too: 40 intervals of it at least, with a standard error of .04."""
    design = Design("sticheln", 8, 6, 16)
    true = truth(bank, design)
    trials = []
    for number in range(40):
        field = tournament(bank, design, number)
        trials.append(judged(*table(field, design.pods), design.programs(number), true))
    known, held = (np.array([getattr(one, name) for one in trials]).sum(axis=0) for name in ("known", "held"))
    assert held.sum() / known.sum() > 0.92
    assert (held / known).min() > 0.84


def test_a_tournament_holds_what_the_bank_holds(bank: Bank) -> None:
    design = Design("made up", 8, 2, 6, "swiss")
    programs = design.programs(3)
    field = tournament(bank, design, 3)
    assert field == tournament(bank, design, 3)
    assert len(field.results) == 2 * 2 * SEATS
    for result in field.results:
        word = word_number([programs[name] for name in result.entrants])
        assert {*result.gains} <= {tuple(deal) for deal in bank.gains[:, :, word].reshape(-1, SEATS).tolist()}


def test_who_forfeits_is_replaced_by_the_random_version(bank: Bank) -> None:
    design = Design("made up", 8, 2, 6, forfeits=0.5)
    programs = design.programs(3)
    results = [result for result in tournament(bank, design, 3).results if result.forfeits]
    assert results
    for result in results:
        for deal_no, deal in enumerate(result.gains, start=1):
            replaced = {forfeit.seat for forfeit in result.forfeits if forfeit.deal_no <= deal_no}
            word = [0 if seat in replaced else programs[name] for seat, name in enumerate(result.entrants)]
            assert deal in map(tuple, bank.gains[:, :, word_number(word)].reshape(-1, SEATS).tolist())
        assert all(result.scores[forfeit.seat] == 0 for forfeit in result.forfeits)


@pytest.mark.thorough
@pytest.mark.parametrize("game", ["sticheln", "ole"])
def test_a_block_is_played_alike_by_everybody(game: str) -> None:
    task = Task(game, "test", 0)
    gains = played(task)
    assert (gains == played(task)).all()
    assert gains.shape == (4 if game == "ole" else 1, len(VERSIONS) ** SEATS, SEATS)
