"""`arena games`: the games that can be played, and the facts about each."""

from typing import Any

import click
import msgspec

from arena.cli.options import GameType, json_option
from arena.cli.output import Column, print_json, print_table, stdout
from arena.games import GAMES
from arena.games.game import Game


@click.command("games")
@click.argument("game", type=GameType(), required=False)
@json_option
def command(game: Game | None, as_json: bool) -> None:
    """List the games, or describe one.

    Example: arena games sticheln
    """
    if game is not None:
        _describe(game, as_json)
    elif as_json:
        print_json([_facts(game) for game in GAMES.values()])
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


def _facts(game: Game) -> dict[str, Any]:
    return {
        "game": game.id,
        "title": game.title,
        "rules": game.rules,
        "seats": list(game.seats),
        "deals": {str(seats): game.deals(seats) for seats in game.seats},
        "decisions": list(game.decisions),
        "options": msgspec.to_builtins(game.options()),
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
    click.echo("rules: arena docs spec, under Games")
    for key, value in facts["options"].items():
        click.echo(f"--option {key}={_shown(value)}  (the default)")


def _shown(value: Any) -> str:
    """A value as `--option` takes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
