"""Student's t ("Student", Biometrika 6, 1908): how wide a 95 % interval is, and how likely a deviation is by
chance.

scipy is loaded at the first call: it takes as long as the rest of a short command, which seldom gets as far
as an interval.
"""

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

CONFIDENCE: Final = 0.95


def quantile(degrees: "ArrayLike") -> Any:
    """Half the width of a 95 % interval in standard errors, for `degrees` of freedom; arrays for arrays."""
    from scipy.special import stdtrit  # noqa: PLC0415

    return stdtrit(degrees, (1 + CONFIDENCE) / 2)


def two_sided(degrees: "ArrayLike", deviation: "ArrayLike") -> Any:
    """The probability of at least such a deviation in either direction by chance. `deviation`: in standard
    errors, 0 or more. Arrays for arrays."""
    from scipy.special import stdtr  # noqa: PLC0415

    return 2 * stdtr(degrees, -deviation)  # type: ignore[operator]
