"""A gain is the same text in every table, of the terminal and of the pages."""

import pytest

from arena.report.pages import _templates
from arena.system.wording import gain_text, interval


@pytest.mark.parametrize(
    ("gain", "text"),
    [(10.5, "+10.50"), (-6.053, "-6.05"), (0.0, "+0.00"), (-0.004, "+0.00"), (-0.006, "-0.01"), (None, "–")],
)
def test_terminal_and_page_agree_and_nothing_is_less_than_zero(gain: float | None, text: str) -> None:
    assert gain_text(gain) == text
    assert _templates.from_string("{{ signed(gain) }}").render(gain=gain) == text.replace("-", "−")
    if gain is not None:
        assert interval(gain, 1) == f"{text} … +1.00"
