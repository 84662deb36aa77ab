"""Brute force for the pairing: every way to cut names into pods, and what one costs, reckoned from the rounds
themselves. Shares no code with what it judges."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import factorial

from tournaments.results import Pod, Round


def number_of_partitions(items: int, size: int) -> int:
    return factorial(items) // (factorial(size) ** (items // size) * factorial(items // size))


def partitions(items: Pod, size: int) -> Iterator[Round]:
    if not items:
        yield ()
        return
    first, *others = items
    for mates in combinations(others, size - 1):
        left = tuple(item for item in others if item not in mates)
        for pods in partitions(left, size):
            yield ((first, *mates), *pods)


def price(
    pods: Round,
    rounds: Sequence[Round],
    scores: Mapping[str, int],
    authors: Mapping[str, str] | None = None,
) -> list[int]:
    """Squared meetings, pairs of one author (the house is one), the squares of how many house bots have been
    met by each that sits beside another, squared gaps."""
    authors = authors or {}
    total = [0, 0, 0, 0]
    for pod in pods:
        for one, other in combinations(pod, 2):
            both = [earlier for drawn in rounds for earlier in drawn if one in earlier and other in earlier]
            of_house = [name.startswith("house-") for name in (one, other)]
            if not any(of_house):
                total[0] += len(both) ** 2
                total[3] += (scores[one] - scores[other]) ** 2
            elif not all(of_house):
                entrant = other if of_house[0] else one
                own = [
                    name for drawn in rounds for earlier in drawn if entrant in earlier for name in earlier
                ]
                total[2] += sum(name.startswith("house-") for name in own) ** 2
            total[1] += all(of_house) or authors.get(one, one) == authors.get(other, other)
    return total
