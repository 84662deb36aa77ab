"""The bench of coverage runs, on a bank that is made up."""

from pathlib import Path

import numpy as np
from click.testing import CliRunner

from tests.bench.coverage import CELLS, COMPARISONS, main
from tests.realplay.bank import WORDS, file_of
from tests.realplay.versions import VERSIONS


def test_cells_are_fixed_beforehand() -> None:
    assert len(set(CELLS)) == len(CELLS) == 45
    assert len(set(COMPARISONS)) == len(COMPARISONS) == 32


def test_cells_are_printed(tmp_path: Path) -> None:
    """Every word has a mean of its own, so comparisons end early."""
    chance = np.random.default_rng(3)
    mean = chance.normal(0, 300, (1, 1, len(WORDS), 4))
    gains = (mean + chance.normal(0, 100, (20, *mean.shape[1:]))).astype(np.int16)
    np.savez_compressed(file_of(tmp_path, "sticheln"), gains=gains, versions=np.array(list(VERSIONS)))
    cells = "sticheln 8x3x4 random", "sticheln careful 60"
    words = [str(tmp_path), "--processes", "1", "--trials", "2"]
    done = CliRunner().invoke(main, [*words, "--cell", cells[0], "--cell", cells[1]], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    for cell in cells:
        assert sum(line.split()[:3] == cell.split() for line in done.stdout.splitlines()) == 1
