"""What holds for all tests: none depends on how busy the machine is, so hypothesis gives no deadlines; runs
are known as one's own by a key that is not that of who runs the tests, whose cache is left alone too.
"""

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")


@pytest.fixture(scope="session", autouse=True)
def state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        # What others keep in the user's cache stays where it is: packages need not be fetched again.
        cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        for tool in ("pip", "uv"):
            name = f"{tool.upper()}_CACHE_DIR"
            patch.setenv(name, os.environ.get(name) or f"{cache}/{tool}")
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield
