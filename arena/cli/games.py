"""`arena games`: lists the games, and the facts about each."""

from typing import Any

import click

from arena.cli.options import GameType, json_option
from arena.cli.output import Column, print_document, print_json, print_table, stdout
from arena.commands.games import described, listed_games, own_games, rules_of, schema_of
from arena.games import registry
from arena.games.game import Game
from arena.system.errors import UserError


@click.command("games")
@click.argument("game", type=GameType(), required=False)
@click.option("--rules", is_flag=True, help="Print the rules of GAME.")
@click.option("--schema", is_flag=True, help="Print the JSON Schema of what a bot reads and writes in GAME.")
@json_option
def command(game: str | None, rules: bool, schema: bool, as_json: bool) -> None:
    """List the games, including those of installed packages, or describe one. A game is loaded only if you
    name it.

    \b
    arena games
    arena games sticheln --rules
    """
    if game is None and (rules or schema):
        flag = "--rules" if rules else "--schema"
        raise UserError(f"{flag} needs a game: arena games GAME {flag}")
    if game is not None and rules:
        print_document(rules_of(game))
    elif game is not None and schema:
        print_json(schema_of(game))
    elif game is not None:
        _describe(registry.game(game), as_json)
    elif as_json:
        print_json([*own_games(), *listed_games()])
    else:
        columns = [Column("game"), Column("title", spare=2), Column("seats"), Column("deals", spare=1)]
        columns += [Column("decisions"), Column("options")]
        rows = []
        for facts in own_games():
            options = ", ".join(f"{key}={_shown(value)}" for key, value in facts.options.items())
            rows.append(
                (
                    facts.game,
                    facts.title,
                    f"{facts.seats[0]}–{facts.seats[-1]}",
                    "as many as seats",
                    ", ".join(facts.decisions),
                    options or "–",
                )
            )
        print_table("Games", columns, rows, stdout())
        if found := listed_games():
            columns = [Column("game"), Column("package"), Column("about", folds=True)]
            listed = [(one.game, one.package, one.obstacle or one.about) for one in found]
            print_table("From packages", columns, listed, stdout())


def _describe(game: Game, as_json: bool) -> None:
    facts = described(game.id)
    if as_json:
        print_json(facts)
        return
    columns = [Column("seats", right=True), Column("deals", right=True), Column("cards", right=True)]
    columns += [Column("suits", folds=True), Column("deck", folds=True)]
    rows = []
    for seats in game.seats:
        suits, deck = game.suits(seats), facts.deck[seats]
        runs = []
        for letter in suits:
            own = [card for card in deck if card[0] == letter]
            runs.append(f"{own[0]}–{own[-1]}")
        rows.append(
            (
                str(seats),
                str(facts.deals[seats]),
                str(len(deck)),
                " ".join(f"{letter}={name}" for letter, name in suits.items()),
                " ".join(runs),
            )
        )
    print_table(f"{game.title} · {game.id} · rules version {game.rules}", columns, rows, stdout())
    click.echo(f"decisions: {', '.join(game.decisions)}")
    click.echo(f"rules: arena games {game.id} --rules; for bots: --schema")
    if facts.package:
        click.echo(f"package: {facts.package}")
    for key, value in facts.options.items():
        click.echo(f"--option {key}={_shown(value)}  (the default)")


def _shown(value: Any) -> str:
    """A value as `--option` takes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
