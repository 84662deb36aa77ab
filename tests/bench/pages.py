"""What `arena report` writes for runs of 100 to 10,000 matches and 6 to 100 bots, and how soon it is seen.

    python -m tests.bench.pages [--matches 2000] [--bots 30] [--code FOLDER] [--keep FOLDER]

Seconds of CPU without a cache; megabytes of the report and of all that is written, in how many files; in
Chromium, from a server on this machine, seconds to the first view and to the load event, and the megabytes
that were sent by then; and how many rows of the standings stand on the first screen when all but the first
300 kB are still to come. Runs are those of tests/bench/tables.py. `--code` measures another version.
"""

import shutil
import tempfile
from pathlib import Path
from typing import Final

import click

from tests.bench.tables import PAGES, Size, chance_run, measured
from tests.support.chromium import chromium
from tests.support.served import served

MATCHES: Final = (100, 2_000, 10_000)
BOTS: Final = (6, 30, 100)
FIRST_BYTES: Final = 300_000
SEEN: Final = """() => new Promise((done) => {
  const told = () => {
    const [first] = performance.getEntriesByName("first-contentful-paint");
    const load = performance.getEntriesByType("navigation")[0].loadEventEnd;
    if (first && load) done([first.startTime / 1000, load / 1000]);
    else setTimeout(told, 50);
  };
  told();
})"""
ROWS: Final = """() => [...document.querySelectorAll("#standings tbody tr")]
  .filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length"""


def size(bots: int, matches: int) -> Size:
    """So many bots, and as many rounds as come nearest to so many matches."""
    return Size(bots, max(1, round(matches / (4 * -(-bots // 4)))))


@click.command()
@click.option("--matches", "counts", type=int, multiple=True, default=MATCHES, show_default=True)
@click.option("--bots", "fields", type=int, multiple=True, default=BOTS, show_default=True)
@click.option("--code", type=click.Path(path_type=Path, exists=True), default=Path.cwd, help="Of the arena.")
@click.option("--keep", type=click.Path(path_type=Path), help="Where runs are kept for the next time.")
def main(counts: tuple[int, ...], fields: tuple[int, ...], code: Path, keep: Path | None) -> None:
    """Print what reports weigh."""
    print("matches  bots   CPU s  report MB   all MB   files  first s  load s  sent MB  rows")
    for matches in counts:
        for bots in fields:
            with tempfile.TemporaryDirectory() as temporary:
                made = (keep or Path(temporary)) / f"{matches}-{bots}"
                if not made.exists():
                    chance_run(made, size(bots, matches))
                run = Path(shutil.copytree(made, Path(temporary, "measured", "run")))
                cpu = measured("report", run, code).cpu
                written = [path.stat().st_size for name in PAGES for path in run.glob(name)]
                with chromium() as browser, served(run) as (address, asked):
                    page = browser.new_page(viewport={"width": 1440, "height": 900})
                    page.goto(address)
                    first, load = page.evaluate(SEEN)
                    sent = sum(count for _, count in asked)
                    whole = (run / "report.html").read_bytes()
                    (run / "first.html").write_bytes(whole[:FIRST_BYTES])
                    page.goto(address.replace("report.html", "first.html"))
                    rows = page.evaluate(ROWS)
                report = len(whole) / 1e6
                weights = f"{cpu:>6.1f}  {report:>9.2f}  {sum(written) / 1e6:>7.1f}  {len(written):>6}"
                times = f"{first:>7.2f}  {load:>6.2f}  {sent / 1e6:>7.2f}  {rows:>4}"
                print(f"{matches:>7}  {bots:>4}  {weights}  {times}", flush=True)


if __name__ == "__main__":
    main()
