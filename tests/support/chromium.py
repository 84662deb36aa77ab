"""A real browser: Debian's Chromium, without a window."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright import sync_api as playwright

from tests.support.needs import BROWSERS


@contextmanager
def chromium() -> Iterator["playwright.Browser"]:
    found = next(filter(None, map(shutil.which, BROWSERS)))
    with playwright.sync_playwright() as started:
        # As root Chromium's own sandbox cannot be had.
        launched = started.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield launched
        launched.close()
