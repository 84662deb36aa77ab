"""What a house bot loads, as a program that prints it."""

LOADED = """
import sys
from arena.games import GAMES
from arena.players.house import {name}
if hasattr({name}, "races"):
    {name}.races(GAMES["ole"], "seed")
for module in list(sys.modules.values()):
    if getattr(module, "__file__", None):
        print(module.__file__)
"""
