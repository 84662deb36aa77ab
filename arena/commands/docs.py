"""The documents of the arena, which are installed with it: `arena docs`.

Knows the headings of SPEC.md by which the short form for programs is cut out of it, and nothing of its text.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Annotated, Final

import msgspec

from arena.games import GAMES, registry
from arena.games.schema import wire_schema
from arena.playing.arguments import Argument
from arena.system.errors import UserError, did_you_mean
from arena.system.shipped import shipped
from arena.system.wording import flag


def _schema() -> str:
    return json.dumps(wire_schema(GAMES.values()), indent=2) + "\n"


def _lines() -> str:
    return "".join(re.findall(r"^```line\n(.*?\n)```$", shipped("SPEC.md").read_text("utf-8"), re.MULTILINE))


def _llms() -> str:
    return f"{document('spec')}\n## The wire as a JSON Schema\n\n```json\n{_schema()}```\n"


FIRST_HALF_HOUR_ENDS: Final = "\n## Reference\n"
SHORT: Final = ("## Games", "## Input and output by language", "## Searching instead of parsing")
"""What the short form has of the reference; of a section with sections below it, the text before these."""


SHORT_NOTE: Final = """\
> The short form for one game, {title} (`{id}`): use `--game {id}` with `arena check`, `match` and `compare`.
> Its rules and its JSON Schema are at the end. A link without a target here points into the whole
> specification, which `arena docs spec` prints.

"""


def _short(id: str) -> str:
    """What a program reads to write a bot for one game. Raises UserError."""
    game, spec = registry.game(id), document("spec")
    head = spec.partition(FIRST_HALF_HOUR_ENDS)[0]
    parts = [head, *(_before_subsections(spec, heading) for heading in SHORT), *_rules(id)]
    schema = msgspec.json.encode(wire_schema([game])).decode()
    note = SHORT_NOTE.format(title=game.title, id=id)
    return note + "\n\n".join(map(str.strip, parts)) + f"\n\n# The JSON Schema\n\n```json\n{schema}\n```\n"


def _before_subsections(spec: str, heading: str) -> str:
    return heading + re.split(r"^##", spec.partition(f"\n{heading}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]


def _rules(id: str) -> list[str]:
    """The rules of a game, and of the arena's other games to which they refer."""
    text = registry.rules_of(id) or f"# {registry.title(id)}\n\nIts package provides no text of the rules."
    others = dict.fromkeys(re.findall(r"\]\(#([a-z0-9-]+)\)", text))
    return [text, *(registry.rules_of(other) for other in others if other in GAMES and other != id)]


def _reference() -> str:
    # Imported here because it loads all that `import arena` has.
    from arena.commands.reference import reference

    return reference()


DOCUMENTS: Final[Mapping[str, tuple[str | Callable[[], str], str]]] = {
    "install": ("docs/install.md", "how to install the arena, and what it runs on"),
    "tour": ("docs/tour.md", "what you can do with it, command by command"),
    "tutorial": ("docs/tutorial.md", "from nothing to a bot that beats greedy, in half an hour"),
    "spec": ("SPEC.md", "what a bot has to know: messages, faults, rules of the games"),
    "schema": (_schema, "the wire as a JSON Schema: messages, views, events, actions"),
    "lines": (_lines, "lines to feed to a bot, with rare situations"),
    "llms": (_llms, "spec and schema in one file, for programs; --short: for one game"),
    "your-game": ("docs/your-game.md", "a game of your own, from nothing to a tournament"),
    "organiser": ("docs/organiser.md", "how to run a contest between strangers' bots"),
    "league": ("docs/league.md", "how to run a league that lasts for weeks"),
    "researcher": ("docs/researcher.md", "how to compare bots, repeat results, and train bots"),
    "reference": (_reference, "the arena as a Python library: every call, and what it returns"),
    "library": ("docs/library.md", "the arena in your own program or notebook"),
    "cluster": ("docs/cluster.md", "playing on many machines"),
    "contributor": ("docs/contributor.md", "how the source is organised, and how to add to it"),
    "release": ("docs/release.md", "how a version is released"),
    "changes": ("CHANGELOG.md", "what each version changes for you"),
}
"""Each document's name with its path, or what makes it, and its subject."""


class ReadDocument(msgspec.Struct, frozen=True):
    """A document that is asked for by its name; without one, the list of them."""

    name: Annotated[str | None, Argument("The document.", otherwise="a list", positional=True)] = None
    short: Annotated[
        bool,
        Argument(
            "With llms: include only what a bot for one game needs (at most 20,000 tokens; for Sticheln)."
        ),
    ] = False
    game: Annotated[
        str | None,
        Argument("With llms: print the short form for this game, which may be a packaged one.", kind="game"),
    ] = None

    def carry_out(self) -> str | dict[str, str]:
        """The text, or each document's name with its subject. Raises UserError."""
        if not self.short and self.game is None:
            return documents() if self.name is None else document(self.name)
        if _plain(self.name or "") != "llms":
            option = flag.short if self.short else flag.game
            raise UserError(
                f"{option}: only llms has a short form; run arena docs llms --game {self.game or 'ole'}"
            )
        return _short(self.game or "sticheln")


def _plain(name: str) -> str:
    return name.lower().removesuffix(".md")


def documents() -> dict[str, str]:
    """Each document's name with its subject."""
    return {name: about for name, (_, about) in DOCUMENTS.items()}


def document(name: str) -> str:
    """The text of a document, by its name in any case, with or without `.md`. Raises UserError."""
    wanted = _plain(name)
    if wanted not in DOCUMENTS:
        raise UserError(f"unknown document {name!r}{did_you_mean(wanted, DOCUMENTS)}")
    source, _ = DOCUMENTS[wanted]
    return shipped(source).read_text("utf-8") if isinstance(source, str) else source()
