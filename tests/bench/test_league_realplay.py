"""The bench of leagues on real play runs, on a bank that is made up."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from tests.bench.league_realplay import main
from tests.realplay import league_trial
from tests.realplay.bank import WORDS, file_of
from tests.realplay.versions import VERSIONS


@pytest.mark.thorough  # 5 s of processor.
def test_lines_are_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of programs far apart, none of which sends another version."""
    monkeypatch.setattr(league_trial, "LATE", {})
    gains = np.random.default_rng(3).normal(20 * np.array(WORDS), 5, (2, 20, 1, len(WORDS), 4))
    first, again = gains.astype(np.int16)
    np.savez_compressed(
        file_of(tmp_path, "sticheln"), gains=first, again=again, versions=np.array(list(VERSIONS))
    )
    words = [str(tmp_path), "--world", "panels, hunter", "--boards", "1", "--processes", "1"]
    done = CliRunner().invoke(main, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    first_line, *lines = done.stdout.splitlines()
    assert first_line == "sticheln, panels, hunter: 1 boards"
    for what in ("placed, from the beginning", "asleep, authors", "said on 1 boards", "pods until asleep"):
        assert sum(line.strip().startswith(what) for line in lines) == 1
