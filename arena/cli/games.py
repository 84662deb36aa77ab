"""`arena games`: the games that can be played, and the facts about each."""

import re
from typing import Any, Final

import click
import msgspec

from arena import registry
from arena.cli.options import GameType, json_option
from arena.cli.output import Column, print_document, print_json, print_table, stdout
from arena.games import GAMES
from arena.games.game import Game
from arena.games.schema import wire_schema
from arena.system.errors import UserError
from arena.system.shipped import shipped
from arena.system.text import visible

RULES_LENGTH: Final = 256 * 1024


@click.command("games")
@click.argument("game", type=GameType(), required=False)
@click.option("--rules", is_flag=True, help="The rules of GAME, as text.")
@click.option("--schema", is_flag=True, help="What a bot reads and writes in GAME, as a JSON Schema.")
@json_option
def command(game: Game | None, rules: bool, schema: bool, as_json: bool) -> None:
    """List the games, or describe one. Games that installed packages bring are listed by what the packages
    say of themselves; only a game that is asked for is loaded.

    \b
    arena games
    arena games sticheln --rules
    """
    if game is None and (rules or schema):
        flag = "--rules" if rules else "--schema"
        raise UserError(f"{flag}: of which game? Say arena games GAME {flag}")
    if game is not None and rules:
        print_document(_rules_of(game))
    elif game is not None and schema:
        print_json(wire_schema([game]))
    elif game is not None:
        _describe(game, as_json)
    elif as_json:
        print_json([*(_facts(game) for game in GAMES.values()), *map(_listed, registry.from_packages())])
    else:
        columns = [Column("game"), Column("title", spare=2), Column("seats"), Column("deals", spare=1)]
        columns += [Column("decisions"), Column("options")]
        rows = []
        for game in GAMES.values():
            facts = _facts(game)
            options = ", ".join(f"{key}={_shown(value)}" for key, value in facts["options"].items())
            rows.append(
                (
                    game.id,
                    game.title,
                    f"{game.seats[0]}–{game.seats[-1]}",
                    "as many as seats",
                    ", ".join(game.decisions),
                    options or "–",
                )
            )
        print_table("Games", columns, rows, stdout())
        if found := registry.from_packages():
            columns = [Column("game"), Column("package"), Column("about", folds=True)]
            listed = [(one.id, one.package, one.obstacle or one.about) for one in found]
            print_table("From packages", columns, listed, stdout())


def _listed(one: registry.PackagedGame) -> dict[str, Any]:
    return {"game": one.id, "package": one.package, "about": one.about, "obstacle": one.obstacle}


def _rules_of(game: Game) -> str:
    """The section of SPEC.md about one of the arena's own games, or the text that a package brings, made
    harmless. Raises UserError if it brings none."""
    if game.id in GAMES:
        sections = re.split(r"^#{2,3} ", shipped("SPEC.md").read_text("utf-8"), flags=re.MULTILINE)
        begins = f"\n\n`{game.id}`"
        return next(f"# {section}" for section in sections if begins in section[:100])
    if text := registry.extras(game).rules:
        return visible(text.encode(), RULES_LENGTH) + "\n"
    raise UserError(f"{game.id}: its package, {registry.package_of(game.id)}, brings no text of its rules")


def _facts(game: Game) -> dict[str, Any]:
    return {
        "game": game.id,
        "title": game.title,
        "rules": game.rules,
        "seats": list(game.seats),
        "deals": {str(seats): game.deals(seats) for seats in game.seats},
        "decisions": list(game.decisions),
        "options": msgspec.to_builtins(game.options()),
        "package": msgspec.to_builtins(registry.package_of(game.id)),
    }


def _describe(game: Game, as_json: bool) -> None:
    if as_json:
        decks = {str(seats): game.deck(seats) for seats in game.seats}
        print_json(_facts(game) | {"deck": decks})
        return
    facts = _facts(game)
    columns = [Column("seats", right=True), Column("deals", right=True), Column("cards", right=True)]
    columns += [Column("suits", folds=True), Column("deck", folds=True)]
    rows = []
    for seats in game.seats:
        suits, deck = game.suits(seats), game.deck(seats)
        runs = []
        for letter in suits:
            own = [card for card in deck if card[0] == letter]
            runs.append(f"{own[0]}–{own[-1]}")
        rows.append(
            (
                str(seats),
                str(game.deals(seats)),
                str(len(deck)),
                " ".join(f"{letter}={name}" for letter, name in suits.items()),
                " ".join(runs),
            )
        )
    print_table(f"{game.title} · {game.id} · rules version {game.rules}", columns, rows, stdout())
    click.echo(f"decisions: {', '.join(game.decisions)}")
    click.echo(f"rules: arena games {game.id} --rules; for bots: --schema")
    if package := registry.package_of(game.id):
        click.echo(f"package: {package}")
    for key, value in facts["options"].items():
        click.echo(f"--option {key}={_shown(value)}  (the default)")


def _shown(value: Any) -> str:
    """A value as `--option` takes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
