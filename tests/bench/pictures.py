"""Pictures of a page as people see it: at the widths of phones, laptops and large screens, light and dark,
from top to bottom.

    python -m tests.bench.pictures ADDRESS FOLDER [--name report] [--click SELECTOR] [--press KEY] [--first]

ADDRESS: a file or an address of http. Writes sheets for each width and colour into FOLDER, for example
`report-360-dark-1.png`: on a sheet the page goes on from left to right. `--click` and `--press` are done
beforehand, in this order and each as often as given; `--first` takes the first screen only.
"""

import base64
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Literal

import click

from tests.support.chromium import chromium
from tests.support.phones import RENDERED

HEIGHTS: Final = {360: 740, 390: 844, 1440: 900, 1920: 1080}
"""Of a screen, by its width."""
ON_A_SHEET: Final = {360: 5, 390: 5, 1440: 2, 1920: 1}
"""Screens of twice the height beside each other."""
COLOURS: Final[tuple[Literal["light", "dark"], ...]] = ("light", "dark")


def screens(page: Any, width: int, *, first: bool) -> Iterator[bytes]:
    """Parts of the page from top to bottom, each twice as high as a screen; the first screen alone."""
    if first:
        yield page.screenshot()
        return
    page.evaluate(RENDERED)
    height = page.evaluate("document.documentElement.scrollHeight")
    step = 2 * HEIGHTS[width]
    for top in range(0, height, step):
        clip = {"x": 0, "y": top, "width": width, "height": min(step, height - top)}
        yield page.screenshot(full_page=True, clip=clip)


def sheet(browser: Any, parts: Sequence[bytes]) -> bytes:
    """One picture of several, from left to right."""
    tags = (f'<img src="data:image/png;base64,{base64.b64encode(part).decode()}">' for part in parts)
    page = browser.new_page(viewport={"width": 10, "height": 10})
    style = "margin:0;background:#888;display:inline-flex;align-items:flex-start;gap:8px"
    page.set_content(f'<body style="{style}">{"".join(tags)}')
    taken: bytes = page.locator("body").screenshot()
    page.close()
    return taken


@click.command()
@click.argument("address")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--name", default="page", show_default=True, help="The beginning of the pictures' names.")
@click.option("--click", "clicked", multiple=True, metavar="SELECTOR", help="Click this beforehand.")
@click.option("--press", "pressed", multiple=True, metavar="KEY", help="Press this beforehand.")
@click.option("--first", is_flag=True, help="Only what is seen without scrolling.")
@click.option("--width", "widths", type=int, multiple=True, default=tuple(HEIGHTS), show_default=True)
def main(
    address: str,
    folder: Path,
    name: str,
    clicked: tuple[str, ...],
    pressed: tuple[str, ...],
    widths: tuple[int, ...],
    *,
    first: bool,
) -> None:
    """Write the pictures, and print their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    if "://" not in address:
        path, mark, fragment = address.partition("#")
        address = Path(path).absolute().as_uri() + mark + fragment
    with chromium() as browser:
        for width in widths:
            for colour in COLOURS:
                page = browser.new_page(
                    viewport={"width": width, "height": HEIGHTS[width]}, color_scheme=colour
                )
                page.goto(address)
                for selector in clicked:
                    page.click(selector)
                for key in pressed:
                    page.keyboard.press(key)
                page.wait_for_timeout(500)
                parts = list(screens(page, width, first=first))
                page.close()
                for number, at in enumerate(range(0, len(parts), ON_A_SHEET[width]), 1):
                    path = folder / f"{name}-{width}-{colour}-{number}.png"
                    path.write_bytes(sheet(browser, parts[at : at + ON_A_SHEET[width]]))
                    print(path, flush=True)


if __name__ == "__main__":
    main()
