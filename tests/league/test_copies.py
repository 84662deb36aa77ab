"""Copies of a league that is used meanwhile."""

from pathlib import Path

import pytest

from arena.league import copies
from tests.league.leagues import copied


def test_a_program_is_taken_from_the_inbox_while_a_backup_is_made(
    league: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the names in its folder were read, and before it is copied."""
    league, left_out = copied(league, tmp_path), copies._unfinished
    program, other = (league / "inbox" / "red" / name for name in ("first.py", "second.py"))
    program.write_text("")
    other.write_text("")

    def taken(folder: str, names: list[str]) -> set[str]:
        if program.name in names:
            program.unlink()
        return left_out(folder, names)

    monkeypatch.setattr(copies, "_unfinished", taken)
    copies.copy(league, tmp_path / "backup", everything=True)
    assert not program.exists()
    assert (tmp_path / "backup" / "inbox" / "red" / other.name).exists()
