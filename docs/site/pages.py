"""Every page of the site as Markdown, by its path. Links between pages are those of the repository, whose
documents keep their places.
"""

import re
from pathlib import Path
from typing import Final

from arena.commands.bots import shipped_bots
from arena.commands.docs import document
from arena.commands.games import GameFacts, own_games, rules_of
from docs.site.commands import command_pages
from docs.site.modules import MODULES, module_pages

ROOT: Final = Path(__file__).parent.parent.parent
FILES: Final = ("docs/report.png", "docs/replay.png", "docs/library.ipynb")
"""What pages show, or offer."""
CONTENTS: Final = {
    "Begin": ("Install <docs/install>", "Tour <docs/tour>"),
    "Bots": ("Tutorial <docs/tutorial>", "Specification <SPEC>", "games/index", "bots"),
    "Contests": ("Organisers <docs/organiser>", "Leagues <docs/league>", "docs/cluster", "commands/index"),
    "Programs": (
        "Library <docs/library>",
        "Researchers <docs/researcher>",
        "docs/your-game",
        "reference/index",
    ),
    "Project": ("Contributors <docs/contributor>", "Releases <docs/release>", "CHANGELOG"),
}
"""The navigation: its captions, and the pages below each. Sphinx warns of a document that is missing here."""
BOTS_FOLDER: Final = re.compile(r"\]\(((?:\.\./)?bots)\)")
GAMES_HEAD: Final = ("| game | id | seats | decisions | options |", "|---|---|---|---|---|")
CODE_OF: Final = {".py": "python", ".js": "javascript", ".pl": "perl", ".sh": "sh"}


def pages() -> dict[str, str]:
    """Every page by its path."""
    documents = ["SPEC.md", "CHANGELOG.md", *(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))]
    return {
        "index.md": _front_page(),
        **{name: _document(name) for name in documents},
        **_game_pages(),
        "bots.md": _bots(),
        **command_pages(),
        "reference/index.md": _reference_index(),
        "reference/arena.md": document("reference"),
        **module_pages(),
    }


def _document(name: str) -> str:
    """A document of the repository. The folder that it links to is a page here."""
    return BOTS_FOLDER.sub(r"](\1.md)", (ROOT / name).read_text("utf-8"))


def _front_page() -> str:
    """README.md with the navigation."""
    navigation = (_navigation(paths, caption) for caption, paths in CONTENTS.items())
    return "\n".join([_document("README.md"), *navigation])


def _navigation(paths: tuple[str, ...], caption: str = "") -> str:
    options = ":hidden:\n" + (f":caption: {caption}\n" if caption else "")
    return f"```{{toctree}}\n{options}\n" + "\n".join(paths) + "\n```\n"


def _game_pages() -> dict[str, str]:
    """The rules of each game, and a page that lists them."""
    games = own_games()
    listed = [
        "# Games",
        "The arena's own games. What they have in common stands in [the specification](../SPEC.md#games); "
        "`arena games NAME --rules` prints one of the pages below. Others are "
        "[packages](../docs/your-game.md).",
        "\n".join([*GAMES_HEAD, *map(_row, games)]),
        _navigation(tuple(facts.game for facts in games)),
    ]
    rules = {f"games/{facts.game}.md": _rules(facts.game) for facts in games}
    return {"games/index.md": "\n\n".join(listed), **rules}


def _rules(id: str) -> str:
    """A section of the specification. Its links within the specification lead there."""
    return rules_of(id).replace("](#", "](../SPEC.md#")


def _row(facts: GameFacts) -> str:
    decisions = ", ".join(f"`{kind}`" for kind in facts.decisions)
    options = ", ".join(f"`{key}={value}`" for key, value in facts.options.items())
    link, seats = f"[{facts.title}]({facts.game}.md)", f"{facts.seats[0]} to {facts.seats[-1]}"
    return f"| {link} | `{facts.game}` | {seats} | {decisions} | {options or '–'} |"


def _bots() -> str:
    """The sample bots, with their source."""
    parts = [
        "# Sample bots",
        "They are written from [the specification](SPEC.md) alone, and import nothing of the arena. "
        "`arena bots --copy bots` copies them.",
    ]
    for facts in shipped_bots():
        if facts.path is not None:
            path = Path(facts.path)
            code = f"````{CODE_OF.get(path.suffix, 'text')}\n{path.read_text('utf-8')}````"
            parts += [f"## {path.name}", f"{facts.language}: {facts.does}", code]
    return "\n\n".join(parts) + "\n"


def _reference_index() -> str:
    rows = ["| [`arena`](arena.md) | every call, and what it returns |"]
    rows += [f"| [`{name}`]({name}.md) | {module.about} |" for name, module in MODULES.items()]
    parts = [
        "# Reference",
        "What Python programs import. `arena.games.api` and `arena.laws.strategies` stay as they are while "
        "`API` does.",
        "\n".join(["| module | what it is |", "|---|---|", *rows]),
        _navigation(("arena <arena>", *MODULES)),
    ]
    return "\n\n".join(parts)
