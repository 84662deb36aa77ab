"""A gain is the same text in every table, of the terminal and of the pages."""

import pytest
from jinja2 import Environment, PackageLoader

from arena.director.wording import gain_text, interval


@pytest.mark.parametrize(
    ("gain", "text"),
    [(10.5, "+10.50"), (-6.053, "-6.05"), (0.0, "+0.00"), (-0.004, "+0.00"), (-0.006, "-0.01"), (None, "–")],
)
def test_terminal_and_page_agree_and_nothing_is_less_than_zero(gain: float | None, text: str) -> None:
    parts = (
        Environment(loader=PackageLoader("arena.report"), autoescape=True).get_template("parts.html").module
    )
    assert gain_text(gain) == text
    assert str(parts.signed(gain)) == text.replace("-", "−")  # type: ignore[attr-defined]
    if gain is not None:
        assert interval(gain, 1) == f"{text} … +1.00"
