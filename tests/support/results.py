"""Results of matches, by gains."""

from tournaments.results import Forfeit, MatchResult


def match(place: tuple[int, int, int], gains: dict[str, tuple[int, ...]], *forfeits: Forfeit) -> MatchResult:
    """By name the gains of each deal; placings by their sum, the forfeited last."""
    fallen = {forfeit.seat for forfeit in forfeits}
    sums = [(seat not in fallen, sum(row)) for seat, row in enumerate(gains.values())]
    sums = [(stands, total if stands else 0) for stands, total in sums]
    placings = tuple(1 + sum(other > own for other in sums) for own in sums)
    deals = tuple(zip(*gains.values(), strict=True))
    return MatchResult(*place, tuple(gains), deals, placings, forfeits)
