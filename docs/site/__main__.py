"""Builds the documentation site: `python -m docs.site FOLDER`. It needs the extra `docs`.

Sphinx makes HTML of the pages, and takes a link that leads nowhere for an error. Beside each HTML page stands
its Markdown, for the programs that llms.txt speaks to.
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from sphinx.cmd.build import build_main

from docs.site.pages import FILES, ROOT, pages
from docs.site.programs import for_programs

HERE: Final = Path(__file__).parent
STRICT: Final = ("--fail-on-warning", "--nitpicky", "--quiet")


def main(words: list[str]) -> int:
    """Build the site in the folder that is named. The exit code: 1 if a page is wrong, 2 for a wrong call."""
    if len(words) != 1 or words[0].startswith("-"):
        return _refused("name the folder for the site: python -m docs.site FOLDER")
    folder = Path(words[0])
    if os.path.lexists(folder) and not folder.is_dir():
        return _refused(f"{folder}: not a folder; name another one")
    if folder.is_dir() and any(folder.iterdir()):
        return _refused(f"{folder}: not empty; remove it first, or name another folder")
    with tempfile.TemporaryDirectory() as stage:  # So that no half of a site is left where a page is wrong.
        source, cache, site = (Path(stage, name) for name in ("source", "cache", "site"))
        made = pages()
        _write(made, source)
        status = build_main([*STRICT, "-c", str(HERE), "-d", str(cache), str(source), str(site)])
        if status == 0:
            _write(made | for_programs(), site)
            shutil.copytree(site, folder, dirs_exist_ok=True)
    return status


def _write(texts: Mapping[str, str], folder: Path) -> None:
    """The pages, and the files that they show."""
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    for name in FILES:
        shutil.copy(ROOT / name, folder / name)


def _refused(reason: str) -> int:
    print(f"docs.site: {reason}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
