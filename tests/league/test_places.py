"""A place of a worker is held by as many checks as share it, whatever order they begin and end in."""

import random

import pytest
import trio
from trio.testing import MockClock

from arena.league.places import SharedPlaces

SHARERS = 3


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("workers", [1, 2, 4])
def test_no_place_is_held_by_more_checks_than_share_it_nor_by_none(workers: int, seed: int) -> None:
    """Matches take and leave the same places meanwhile; some checks are stopped while they wait."""
    chance, free, seen = random.Random(seed), trio.CapacityLimiter(workers), [0, 0]
    places, matches = SharedPlaces(free, SHARERS), 0

    async def check() -> None:
        await trio.sleep(chance.uniform(0, 5))
        with trio.move_on_after(chance.uniform(0, 20)):
            async with places.share():
                seen[0] += 1
                held = free.borrowed_tokens - matches
                assert -(-seen[0] // SHARERS) <= held <= workers
                try:
                    await trio.sleep(chance.uniform(0, 3))
                finally:
                    seen[0] -= 1
                seen[1] += 1

    async def match() -> None:
        nonlocal matches
        for _ in range(5):
            async with free:
                matches += 1
                await trio.sleep(chance.uniform(0, 3))
                matches -= 1

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            for task in [*[check] * 30, *[match] * workers]:
                nursery.start_soon(task)
        assert seen[0] == free.borrowed_tokens == 0
        assert seen[1] > 0

    trio.run(main, clock=MockClock(autojump_threshold=0))


def test_three_checks_leave_the_second_place_to_matches() -> None:
    async def main() -> None:
        free = trio.CapacityLimiter(2)
        places = SharedPlaces(free, SHARERS)
        async with places.share(), places.share(), places.share():
            assert free.borrowed_tokens == 1
            async with places.share():
                assert free.borrowed_tokens == 2
            assert free.borrowed_tokens == 1

    trio.run(main)
