"""Bars of intervals, as a table in the terminal shows them."""

from arena.cli.plot import WIDTH, Span, plot


def test_bars_share_an_axis_that_holds_zero() -> None:
    found = plot([Span(-1, 0, 1), Span(1, 2, 2.5), None, Span(None, 3, None)])
    assert (found.low, found.high) == (-1, 3)
    assert found.bars == [
        "├───────◆──────┤",
        "        ┊      ├──────◆───┤",
        "",
        "        ┊                     ◆",
    ]
    assert "from -1.00 to +3.00" in found.legend
    assert all(len(bar) <= WIDTH for bar in found.bars)


def test_the_strength_is_seen_where_the_interval_is_narrow() -> None:
    assert plot([Span(0, 0, 0)]).bars == ["◆"]
    assert plot([Span(4.99, 5, 5.01)]).bars == ["┊" + " " * (WIDTH - 2) + "◆"]
    assert plot([]) == ([], 0, 0)
