"""Every field of a standing reaches people, or says here why not: the table of a terminal and the report."""

from pathlib import Path

import pytest

from tests.cli.calls import ROOT
from tournaments.standings import Standing

FOR_MACHINES = {
    "pods": "people read the number of matches",
    "deals": "people read the number of matches",
}
"""Fields without a column of their own."""
SHOWN_BY = (Path("arena/director/wording.py"), Path("arena/report/templates/report.html"))


@pytest.mark.parametrize("path", SHOWN_BY, ids=str)
@pytest.mark.parametrize("field", Standing.__struct_fields__)
def test_a_column_is_shown_in_the_terminal_and_on_the_page(field: str, path: Path) -> None:
    text = (ROOT / path).read_text()
    assert f"row.{field}" in text or field in FOR_MACHINES, f"{path} shows no row.{field}"
