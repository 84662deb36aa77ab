"""How a game works, on a page: all that players need, and nothing that could load or run."""

import re

import pytest

from arena.games import GAMES, registry
from arena.report.rules import rules_html

HOSTILE = """# <script>alert(1)</script>

[here](javascript:alert(1)) <img src=x onerror=alert(1)> ![picture](https://example.org/x.png) [there](https://example.org)

| a | b |
|--:|:-:|
| 1 | </dialog><style>*{}</style> |

## On the wire

`secret`
"""


@pytest.mark.parametrize("game", GAMES)
def test_the_rules_are_told_up_to_what_only_bots_need(game: str) -> None:
    html = rules_html(game)
    assert html.startswith(f"<h3>{GAMES[game].title.partition(' (')[0].replace('&', '&amp;')}")
    assert "<table>" in html
    rulings = re.findall(r"^\| ([A-Z]-\w+)", registry.rules_of(game), re.MULTILINE)
    assert rulings
    assert all(f"<td>{ruling}</td>" in html for ruling in rulings)
    assert "<code>legal</code>" not in html
    assert "deal_no" not in html
    assert not re.search(r" … |<pre>", html)
    assert "Python" not in html
    assert "listing" not in html


def test_a_game_that_refers_to_another_brings_its_rules() -> None:
    assert rules_html("sticheln") in rules_html("sticheln-1993")


def test_a_package_s_text_stays_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "rules_of", lambda id: HOSTILE)
    html = rules_html("hostile")
    assert set(re.findall(r"<(\w+)", html)) == {"h3", "p", "table", "thead", "tbody", "tr", "th", "td"}
    assert not re.search(r"<[^>]*(style|href|src)", html)
    assert "secret" not in html


def test_a_game_without_a_text_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "rules_of", lambda id: "")
    assert rules_html("silent") == ""
