"""A real browser: Debian's Chromium, without a window. Its tests are left out where it is missing."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")


@contextmanager
def chromium() -> Iterator["playwright.Browser"]:
    with playwright.sync_playwright() as started:
        # As root Chromium's own sandbox cannot be had.
        launched = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()
