"""What the catalogue of the machine's faults says at its end: `pytest -m '' -n 2 tests/machine`."""

from collections import Counter

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    cases = [
        case
        for reports in terminalreporter.stats.values()
        for report in reports
        for name, case in getattr(report, "user_properties", [])
        if name == "machine" and getattr(report, "when", "") == "call"
    ]
    if not cases:
        return
    counts = {part: len({case[part] for case in cases}) for part in ("fault", "level", "user", "command")}
    kinds = Counter(kind for case in cases for kind in case["broken"])
    terminalreporter.write_line(
        f"{len(cases)} cases: {counts['fault']} faults of the machine × {counts['level']} levels × "
        f"{counts['user']} users × {counts['command']} commands; {kinds['blames']} blamed a bot, "
        f"{kinds['leaves']} left something behind, "
        f"{sum(bool(case['broken']) for case in cases)} broke the law"
    )
