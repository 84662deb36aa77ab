"""Pages on phones: widths, and what is cut off on them."""

import shutil
from pathlib import Path

import pytest

from arena.director.journal import Journal
from arena.report.files import write_report

PHONES = (360, 390)


RENDERED = """() => {
  document.querySelectorAll("main > section").forEach((one) => { one.style.contentVisibility = "visible"; });
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}"""
"""Has everything drawn, as if somebody had scrolled to it."""


MEASURED = """() => {
  const cut = [], scrolled = [];
  const told = (one) => `${one.tagName} ${one.getAttribute("class") ?? ""}: ${one.textContent.slice(0, 40)}`;
  const hides = (one) => {
    const { overflowX, textOverflow } = getComputedStyle(one);
    return overflowX !== "visible" && textOverflow !== "ellipsis" && !one.matches("nav, input, svg");
  };
  const signed = (one) => one.tabIndex === 0 && getComputedStyle(one).maskImage.includes("gradient");
  const scrolls = (one) => one.scrollWidth > one.clientWidth + 1;
  const parts = "header.top, main > :is(header, section, .beside), #stage > *";
  for (const part of document.querySelectorAll(parts)) {
    // Nothing of a section is painted outside of it.
    if (!part.checkVisibility()) continue;
    const { left, right } = part.getBoundingClientRect();
    for (const one of part.querySelectorAll("*")) {
      if (!one.checkVisibility() || one.closest(".unseen, nav > a")) continue;
      const table = one.parentElement.closest(".wide");
      if (one.matches(".wide")) {
        if (scrolls(one)) scrolled.push(one.querySelector("caption").textContent);
        if (scrolls(one) && !signed(one)) cut.push(told(one));
      } else if (hides(one) && scrolls(one)) cut.push(told(one));
      if (table && scrolls(table)) continue;
      const box = one.getBoundingClientRect();
      const [from, to] = one.matches("nav") ? [0, innerWidth] : [left, right];
      if (box.width && (box.left < from - 1 || box.right > to + 1)) cut.push(told(one));
    }
  }
  return { cut, scrolled, page: document.documentElement.scrollWidth };
}"""
"""What is cut off without a sign, the captions of the tables that scroll, and the width of the page."""


@pytest.fixture(scope="module")
def folder(twelve: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run directory of a report that reads files of five rows."""
    run = Path(shutil.copytree(twelve, tmp_path_factory.mktemp("files") / "run"))
    with Journal(run) as journal:
        assert write_report(journal, one_file=10, rows=5).served
    return run
