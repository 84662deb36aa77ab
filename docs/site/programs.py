"""What programs that write bots read: `llms.txt`, by the convention of llmstxt.org, with links to Markdown;
all that they need in one file; and the JSON Schema by itself.
"""

from typing import Final

from arena.commands.docs import document
from arena.commands.games import own_games

ABOUT: Final = """\
# card-arena

> A tournament arena for card-playing bots written in any language.

A bot is a program that reads lines of JSON from standard input and writes lines of JSON to standard output.
`llms-full.txt` is one file with all that is needed to write one: the protocol, the rules of every game,
lines to test against, and a JSON Schema of every message. `arena check BOT` says what is wrong with a bot.
"""
WRITE_A_BOT: Final = {
    "llms-full.txt": "the specification and the schema in one file",
    "SPEC.md": "the specification: the wire, faults, the rules of the games, randomness",
    "schema.json": "the wire as a JSON Schema",
    "docs/tutorial.md": "from nothing to a bot that beats greedy",
    "bots.md": "the sample bots, with their source",
}
OPTIONAL: Final = {
    "commands/index.md": "every command of the command line",
    "reference/arena.md": "the Python library",
    "docs/your-game.md": "a game of your own",
    "docs/organiser.md": "how to hold a contest",
}


def for_programs() -> dict[str, str]:
    """The files by their paths on the site."""
    games = {f"games/{facts.game}.md": f"the rules of {facts.title}" for facts in own_games()}
    lists = {"Write a bot": WRITE_A_BOT, "Games": games, "Optional": OPTIONAL}
    return {
        "llms.txt": "\n".join([ABOUT, *(_list(title, links) for title, links in lists.items())]),
        "llms-full.txt": document("llms"),
        "schema.json": document("schema"),
    }


def _list(title: str, links: dict[str, str]) -> str:
    lines = (f"- [{path}]({path}): {about}" for path, about in links.items())
    return "\n".join([f"## {title}\n", *lines, ""])
