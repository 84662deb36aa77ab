"""The documents of the arena, which are installed with it: `arena docs`."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Final

from arena.system.errors import UserError, did_you_mean
from arena.system.shipped import shipped


def _schema() -> str:
    from arena.games import GAMES
    from arena.games.schema import wire_schema

    return json.dumps(wire_schema(GAMES.values()), indent=2) + "\n"


def _lines() -> str:
    return "".join(re.findall(r"^```line\n(.*?\n)```$", shipped("SPEC.md").read_text("utf-8"), re.MULTILINE))


def _llms() -> str:
    return f"{document('spec')}\n## The wire as a JSON Schema\n\n```json\n{_schema()}```\n"


def _reference() -> str:
    # Imported here because it loads all that `import arena` has.
    from arena.commands.reference import reference

    return reference()


DOCUMENTS: Final[Mapping[str, tuple[str | Callable[[], str], str]]] = {
    "install": ("docs/install.md", "how to install the arena, and what it runs on"),
    "tour": ("docs/tour.md", "what you can do with it, command by command"),
    "tutorial": ("docs/tutorial.md", "from nothing to a bot that beats greedy, in half an hour"),
    "spec": ("SPEC.md", "all a bot has to know: the wire, faults, the rules of the games"),
    "schema": (_schema, "the wire as a JSON Schema: messages, views, events, actions"),
    "lines": (_lines, "lines to feed to a bot, in which what is rare happens"),
    "llms": (_llms, "spec and schema in one file, for programs that write bots"),
    "your-game": ("docs/your-game.md", "a game of your own, from nothing to a tournament"),
    "organiser": ("docs/organiser.md", "how to hold a contest of strangers' bots"),
    "league": ("docs/league.md", "how to hold a league, which does not end with the evening"),
    "researcher": ("docs/researcher.md", "what can be known, repeated and learnt"),
    "reference": (_reference, "the arena as a Python library: every call, and what it returns"),
    "library": ("docs/library.md", "the arena in your own program or notebook"),
    "cluster": ("docs/cluster.md", "playing on many machines"),
    "contributor": ("docs/contributor.md", "where things are in the source, and how to add one"),
    "release": ("docs/release.md", "how a version is released"),
    "changes": ("CHANGELOG.md", "what a new version means for you"),
}
"""Each document's name with its path, or what makes it, and its subject."""


def documents() -> dict[str, str]:
    """Each document's name with its subject."""
    return {name: about for name, (_, about) in DOCUMENTS.items()}


def document(name: str) -> str:
    """The text of a document, by its name in any case, with or without `.md`. Raises UserError."""
    wanted = name.lower().removesuffix(".md")
    if wanted not in DOCUMENTS:
        raise UserError(f"unknown document {name!r}{did_you_mean(wanted, DOCUMENTS)}")
    source, _ = DOCUMENTS[wanted]
    return shipped(source).read_text("utf-8") if isinstance(source, str) else source()
