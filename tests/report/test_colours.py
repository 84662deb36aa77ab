"""The suits of every game look different to everybody: by letters, by shapes, and by colour alone for the
usual kinds of colour vision too.

Dichromats' vision is simulated after Machado, Oliveira & Fernandes, IEEE TVCG 15, 2009, severity 1;
differences are ΔE*ab (CIE 1976).
"""

import itertools
import re
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import arena.report
from arena.games import GAMES

STATIC = Path(arena.report.__file__).parent / "static"
CARDS = STATIC / "cards.css"
LEAST = 20.0
READABLE = 4.5
"""Contrast ratio of text, WCAG 2.2 AA."""

VISION = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = TO_XYZ @ np.ones(3)

Vector = NDArray[np.float64]


def colours() -> dict[str, Vector]:
    """Of the style sheet, as linear RGB: by their names, and by the suits whose faces they are."""
    found = re.findall(r"--([a-z]+): #([0-9a-f]{6})", CARDS.read_text())
    coded = {name: np.array([int(text[at : at + 2], 16) / 255 for at in (0, 2, 4)]) for name, text in found}
    faces = re.findall(r"^(\.card\[.*\]) \{ --face: var\(--([a-z]+)\)", CARDS.read_text(), re.MULTILINE)
    for selectors, face in faces:
        coded |= dict.fromkeys(re.findall(r'data-suit="([a-z]+)"', selectors), coded[face])
    return {
        name: np.where(code <= 0.04045, code / 12.92, ((code + 0.055) / 1.055) ** 2.4)
        for name, code in coded.items()
    }


def lab(linear: Vector) -> Vector:
    ratio = TO_XYZ @ np.clip(linear, 0, 1) / WHITE
    x, y, z = np.where(ratio > 0.008856, np.cbrt(ratio), 7.787 * ratio + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("game", GAMES)
def test_no_two_suits_of_a_game_look_alike(game: str, vision: str) -> None:
    known = colours()
    suits = GAMES[game].suits(GAMES[game].seats[-1]).values()
    assert known.keys() >= set(suits), f"{CARDS.name} has no colour for a suit"
    for one, other in itertools.combinations(suits, 2):
        apart = np.linalg.norm(lab(VISION[vision] @ known[one]) - lab(VISION[vision] @ known[other]))
        assert apart >= LEAST, f"{one} and {other}: {apart:.0f}"


@pytest.mark.parametrize("game", GAMES)
def test_no_two_suits_of_a_game_have_the_same_shape(game: str) -> None:
    shapes = dict(re.findall(r'\["([a-z]+)", "(M[^"]+)"\]', (STATIC / "drawing.js").read_text()))
    suits = GAMES[game].suits(GAMES[game].seats[-1]).values()
    assert shapes.keys() >= set(suits), "drawing.js has no shape for a suit"
    assert len({shapes[suit] for suit in suits}) == len(suits)


@pytest.mark.parametrize("suit", ["red", "orange", "yellow", "green", "blue", "purple", "violet", "grey"])
def test_letters_can_be_read(suit: str) -> None:
    known = colours()
    dark_on = re.search(rf'\[data-suit="{suit}"\][^}}]*--on: var\(--dark\)', CARDS.read_text())
    ink = known["dark" if dark_on else "light"]
    high, low = sorted((float(TO_XYZ[1] @ colour) + 0.05 for colour in (known[suit], ink)), reverse=True)
    assert high / low >= READABLE
