"""What bots of different matches tell each other in matches that are really played, as root and as an
ordinary user: by no channel but those that docs/organiser.md names."""

from pathlib import Path

import pytest

from tests.bench.colluders import FUTEX
from tests.bench.crossing import MATCHES, P, evaluated, is_named, played, show_channels
from tests.support.boxed import pass_as_an_ordinary_user

pytestmark = [pytest.mark.needs("bwrap", "call numbers"), pytest.mark.exhaustive]


def test_nothing_crosses_but_by_what_the_guide_names(tmp_path: Path) -> None:
    matches = played(tmp_path, MATCHES)
    found = evaluated(matches)
    show_channels(matches, found)
    crossed = {one.channel for one in found if one.p < P}
    assert FUTEX in crossed  # So the experiment sees what is there.
    assert [name for name in crossed if not is_named(name)] == []


@pytest.mark.needs("root")
def test_as_an_ordinary_user() -> None:
    pass_as_an_ordinary_user(__file__, "not ordinary", marked="exhaustive")
