"""Student's t ("Student", Biometrika 6, 1908): how wide a 95 % interval is, and how likely a deviation is by
chance.

scipy is loaded at the first call: that takes as long as a short command, which seldom needs an interval.
"""

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

CONFIDENCE: Final = 0.95


def quantile(degrees: "ArrayLike") -> Any:
    """Half the width of a 95 % interval in standard errors, for `degrees` of freedom; takes arrays too."""
    from scipy.special import stdtrit  # noqa: PLC0415

    return stdtrit(degrees, (1 + CONFIDENCE) / 2)


def two_sided(degrees: "ArrayLike", deviation: "ArrayLike") -> Any:
    """The probability of such a deviation, or a greater one, in either direction by chance. `deviation`: in
    standard errors, 0 or more. An array for arrays."""
    from scipy.special import stdtr  # noqa: PLC0415

    return 2 * stdtr(degrees, -deviation)  # type: ignore[operator]
