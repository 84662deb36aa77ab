"""My Game: a game for card-arena. The arena finds GAME by the entry point in pyproject.toml."""

from importlib.resources import files

from arena.games.api import Extras
from arena_mygame.advice import advise
from arena_mygame.game import MyGameRules
from arena_mygame.picture import picture

RULES = files("arena_mygame").joinpath("rules.md").read_text("utf-8")

GAME = MyGameRules(Extras(rules=RULES, picture=picture, advise=advise))
