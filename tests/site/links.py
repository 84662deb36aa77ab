"""The links of a site of HTML files, and those that lead nowhere. External ones are not followed."""

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

LOADED: Final = {"script": "src", "img": "src", "source": "src", "iframe": "src", "link": "href"}
"""What a browser loads without being asked; `link` only names a page where it says so."""
NAMED: Final = {"next", "prev", "index", "search", "canonical", "author", "help"}
IN_STYLES: Final = re.compile(r"(?:url\(|@import)\s*['\"]?([^'\")\s;]+)")
IN_MARKDOWN: Final = re.compile(r"\]\(([^)\s]+)\)")


class Page(HTMLParser):
    """One page: where it links to, what it loads, the targets of links in it, and its text."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.targets: set[str] = set()
        self.words: list[str] = []
        self.feed(path.read_text("utf-8"))
        self.text = " ".join("".join(self.words).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        having = {name: value or "" for name, value in attrs}
        self.targets.add(having.get("id", ""))
        if tag in LOADED and LOADED[tag] in having and having.get("rel") not in NAMED:
            self.loads.append(having[LOADED[tag]])
        elif tag in ("a", "link"):
            self.links.append(having.get("href", ""))
        elif tag == "form":
            self.links.append(having.get("action", ""))

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def is_external(link: str) -> bool:
    """Whether it leads out of the site."""
    return bool(urlsplit(link).scheme or urlsplit(link).netloc) and not link.startswith("data:")


def pages(site: Path) -> dict[Path, Page]:
    """Every page by its path."""
    return {path.resolve(): Page(path) for path in sorted(site.rglob("*.html"))}


def broken(site: Path) -> list[str]:
    """Each link that leads nowhere, with its place: in pages, in the Markdown beside them, in styles."""
    parsed, found = pages(site), []
    for path, page in parsed.items():
        for link in (*page.links, *page.loads):
            if not is_external(link) and not _leads_somewhere(link, path, parsed):
                found.append(f"{path.relative_to(site.resolve())}: {link}")
    for pattern, expression in (("*.css", IN_STYLES), ("*.md", IN_MARKDOWN), ("*.txt", IN_MARKDOWN)):
        for path in site.rglob(pattern):
            for link in expression.findall(path.read_text("utf-8")):
                if not is_external(link) and not link.startswith("data:") and not _file(link, path).is_file():
                    found.append(f"{path.relative_to(site)}: {link}")
    return found


def _file(link: str, path: Path) -> Path:
    name = unquote(urlsplit(link).path)
    return (path.parent / name).resolve() if name else path


def _leads_somewhere(link: str, path: Path, parsed: dict[Path, Page]) -> bool:
    target, fragment = _file(link, path), unquote(urlsplit(link).fragment)
    if link.startswith("data:"):
        return True
    if not fragment:
        return target.is_file()
    return target in parsed and fragment in parsed[target].targets
