"""How late the machine is."""

from pathlib import Path

from arena.process.lag import PATIENCE_SECONDS, lag_ms, safe_ms, warning
from tests.cli.calls import BOTS, arena


def test_it_is_late_but_not_for_ever() -> None:
    assert 0 < lag_ms(1) < PATIENCE_SECONDS * 1000


def test_more_matches_than_cores_make_it_later() -> None:
    """Thirty at a time are late by several time slices of the scheduler."""
    assert lag_ms(30) > 2


def test_a_limit_is_safe_from_five_times_the_lag() -> None:
    assert (safe_ms(0.3), safe_ms(12.0)) == (2, 60)


def test_limits_that_the_machine_cannot_keep_are_warned_of() -> None:
    told = warning(50, 12.34, 16)
    assert told is not None
    assert "12.3 ms late with 16 matches at a time: decision limits below 62 ms are not safe" in told
    assert warning(62, 12.34, 16) is None


def test_limits_of_half_a_minute_need_no_warning(tmp_path: Path) -> None:
    words = ("--rounds", 1, "--deals", 1, "--no-duplicates", "--time", "30s", "--out", tmp_path / "calm")
    assert "late with" not in arena("tournament", *BOTS[:3], *words).err
