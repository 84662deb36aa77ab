from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise, permutations

import pytest

from tournaments.agenda import Account, Wish, chosen, longest_wait


def authors(wishes: Sequence[Wish]) -> dict[str, str]:
    return {wish.asker: wish.asker.partition("/")[0] for wish in wishes}


def served(wishes: Sequence[Wish], count: int, account: Account | None = None) -> list[Wish]:
    """What is played one after the other if everything stays open."""
    account, found = account or Account(), []
    for _ in range(count):
        choice = chosen(wishes, authors(wishes), account)
        assert choice.wish is not None
        found.append(choice.wish)
        account = choice.account
    return found


def seconds(played: Sequence[Wish]) -> Mapping[str, int]:
    spent = Counter[str]()
    for wish in played:
        spent[wish.asker.partition("/")[0]] += wish.cost
    return spent


def test_nothing_open_nothing_played() -> None:
    assert chosen([], {}, Account()).wish is None


def test_an_author_with_forty_bots_has_the_same_time_as_one_with_one() -> None:
    many = [Wish(f"many/{number}", f"many/{number + 1}", 5.0, 1000) for number in range(40)]
    spent = seconds(served([*many, Wish("one/0", "many/3", 0.1, 1000)], 200))
    assert spent["one"] == spent["many"]


def test_a_slow_bot_has_the_same_time_as_fast_ones_not_as_many_pods() -> None:
    wishes = [Wish("slow/0", None, 1.0, 48_000), *(Wish(f"{fast}/0", None, 1.0, 500) for fast in "abc")]
    played = served(wishes, 3000)
    spent = seconds(played)
    assert max(spent.values()) - min(spent.values()) <= 2 * 48_000
    assert sum(wish.asker == "slow/0" for wish in played) == pytest.approx(3000 / (3 * 96), abs=2)


def test_placements_take_three_quarters_while_there_are_questions() -> None:
    played = served([Wish("a/0", None, 1.0, 700), Wish("b/0", "c/0", 1.0, 1400)], 400)
    spent = seconds(played)
    assert spent["a"] / spent["b"] == pytest.approx(3, rel=0.02)


def test_who_had_nothing_to_ask_has_saved_nothing_up() -> None:
    old = [Wish("old/0", None, 1.0, 1000)]
    account = Account()
    for _ in range(500):
        account = chosen(old, authors(old), account).account
    both = [*old, Wish("new/0", None, 1.0, 1000)]
    spent = seconds(served(both, 20, account))
    assert abs(spent["old"] - spent["new"]) <= 2000


def test_a_new_placement_is_not_behind_the_questions_of_weeks() -> None:
    question = [Wish("a/0", "b/0", 1.0, 1000)]
    account = Account()
    for _ in range(500):
        account = chosen(question, authors(question), account).account
    played = served([*question, Wish("new/0", None, 1.0, 1000)], 8, account)
    assert sum(wish.other is None for wish in played) in (6, 7)


def test_of_an_author_the_largest_is_first_but_none_is_forgotten() -> None:
    wishes = [Wish(f"a/{number}", "b/0", 10.0 - number, 1000) for number in range(5)]
    played = [wish.asker for wish in served(wishes, 200)]
    assert played[0] == "a/0"
    assert Counter(played).most_common(1)[0][0] == "a/0"
    for wish in wishes:
        at = [-1, *(number for number, asker in enumerate(played) if asker == wish.asker), 200]
        assert max(later - before for before, later in pairwise(at)) <= 3 * 5


def test_who_was_played_as_the_second_has_not_been_passed_over() -> None:
    wishes = [Wish("a/0", "a/1", 9.0, 1000), Wish("a/1", "a/0", 9.0, 1000), Wish("a/2", "b/0", 1.0, 1000)]
    played = served(wishes, 7)
    assert [wish.asker for wish in played] == ["a/0"] * 6 + ["a/2"]


def test_the_order_of_wishes_does_not_matter() -> None:
    wishes = [
        Wish("a/0", None, 1.0, 1000),
        Wish("a/1", None, 1.0, 1000),
        Wish("b/0", "a/0", 1.0, 300),
        Wish("c/0", "a/0", 1.0, 300),
    ]
    found = {tuple(wish.asker for wish in served(order, 30)) for order in permutations(wishes)}
    assert len(found) == 1


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("slow", [1000, 30_000])
def test_nobody_waits_longer_than_the_bound(slow: int, jobs: int) -> None:
    """In simulated time, all cores always busy."""
    wishes = [Wish(f"many/{number}", "one/0", 20.0 - number, 2000) for number in range(20)]
    wishes += [Wish("one/0", "many/0", 1.0, 1500), Wish("slow/0", "one/0", 3.0, slow)]
    wishes += [Wish(f"new/{number}", None, float(-number), 800) for number in range(4)]
    bounds = longest_wait(wishes, authors(wishes), jobs)
    assert bounds.keys() == {wish.asker for wish in wishes}
    account, cores, begun = Account(), [0] * jobs, defaultdict[str, list[int]](lambda: [0])
    while min(cores) < 3_000_000:
        core = cores.index(min(cores))
        choice = chosen(wishes, authors(wishes), account)
        assert choice.wish is not None
        account = choice.account
        begun[choice.wish.asker].append(cores[core])
        cores[core] += choice.wish.cost
    for asker, bound in bounds.items():
        at = [*begun[asker], min(cores)]
        assert max(later - before for before, later in pairwise(at)) <= bound, asker
