"""What holds for all tests: none depends on how busy the machine is, so hypothesis gives no deadlines; runs
are known as one's own by a key that is not that of who runs the tests, whose cache is left alone too. What a
test needs is looked for before it, and what was missing is told after the last (tests/support/needs.py).
"""

import gc
import os
import signal
from collections import Counter
from collections.abc import Generator, Iterator

import pytest
from hypothesis import settings

from tests.support.needs import Lack, Lacking, not_proved, require
from tests.support.shared import shared

# Whoever starts the tests behind a shell's `&`, or by nohup, lets them and all that they start ignore these.
for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)

settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")


@pytest.fixture(scope="session", autouse=True)
def state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        # What one process of pytest-xdist has made is another's own too (tests/support/shared.py).
        patch.setenv("XDG_STATE_HOME", str(shared(tmp_path_factory, "state", lambda _: None)))
        # What others keep in the user's cache stays where it is: packages need not be fetched again.
        cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        for tool in ("pip", "uv"):
            name = f"{tool.upper()}_CACHE_DIR"
            patch.setenv(name, os.environ.get(name) or f"{cache}/{tool}")
        patch.setenv("XDG_CACHE_HOME", str(shared(tmp_path_factory, "cache", lambda _: None)))
        yield


def pytest_configure(config: pytest.Config) -> None:
    """What is marked exhaustive runs only where `-m` names that, however its module is marked."""
    chosen = config.option.markexpr
    if "exhaustive" not in chosen:
        config.option.markexpr = f"({chosen}) and not exhaustive" if chosen else "not exhaustive"


def pytest_collection_finish() -> None:
    """What was loaded and found stays; to look through it again and again is a twentieth of a run."""
    gc.freeze()


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker in item.iter_markers("needs"):
        require(*marker.args)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """What a test lacked travels with its report, from the processes of xdist too."""
    report = yield
    if report.skipped and call.excinfo and (lacking := within(call.excinfo.value)):
        report.user_properties.append(("lack", tuple(lacking.lack)))
        path, line, _ = item.location
        report.longrepr = (path, (line or 0) + 1, str(lacking))
    return report


def within(error: BaseException | None) -> Lacking | None:
    """What has skipped a test: of an asynchronous one, pytest-trio raises another in its place."""
    if error is None or isinstance(error, Lacking):
        return error
    inner = map(within, (*getattr(error, "exceptions", ()), error.__context__))
    return next(filter(None, inner), None)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = terminalreporter.stats.get("skipped", [])
    lacks = [Lack(*value) for report in skipped for name, value in report.user_properties if name == "lack"]
    for line in not_proved(Counter(lacks), others=len(skipped) - len(lacks)):
        terminalreporter.write_line(line)
