"""A second opinion on drawn rounds, written from the rules of the formats and not from their code: what it
says is a list of complaints, empty for a round that is as it should be."""

from collections import Counter
from itertools import combinations

from tournaments.formats import Field
from tournaments.results import Round


def house(name: str) -> bool:
    return name.startswith("house-")


def complaints(format: str, before: Field, pods: Round) -> list[str]:
    """`before` is what the format was shown when it drew `pods`."""
    found = []
    seated = [name for pod in pods for name in pod]
    entrants = [name for name in seated if not house(name)]
    for name, times in Counter(seated).items():
        if times > 1:
            found.append(f"{name} sits twice")
    found += [f"{name} does not take part" for name in entrants if name not in before.entrants]
    found += [f"pod {pod} is not full" for pod in pods if len(pod) != before.pod_size]
    fill = sorted(int(name.removeprefix("house-")) for name in seated if house(name))
    if fill != list(range(1, len(fill) + 1)):
        found.append(f"house bots {fill}")
    found += [f"house bots alone in {pod}" for pod in pods if all(map(house, pod))]
    if len(before.drawn) >= before.rounds:
        found.append("more rounds than planned")
    found += RULES[format](before, pods)
    return found


def everybody(before: Field, pods: Round) -> list[str]:
    seated = {name for pod in pods for name in pod if not house(name)}
    found = [f"{name} is left out" for name in before.entrants if name not in seated]
    spare = sum(house(name) for pod in pods for name in pod)
    if spare >= before.pod_size:
        found.append(f"{spare} house bots where fewer would do")
    return found


def history(before: Field) -> Counter[frozenset[str]]:
    """How often each two have met."""
    return Counter(frozenset(two) for pods in before.drawn for pod in pods for two in combinations(pod, 2))


def points(before: Field, round_no: int | None = None) -> Counter[str]:
    """Half-points by the definition: two for each placed below, one for each tied and each house bot, none
    after a fault and for house bots."""
    total: Counter[str] = Counter()
    for result in before.results:
        if round_no not in (None, result.round_no):
            continue
        for seat, name in enumerate(result.entrants):
            if house(name) or any(forfeit.seat == seat for forfeit in result.forfeits):
                continue
            for other, placing in enumerate(result.placings):
                if house(result.entrants[other]):
                    total[name] += 1
                elif other != seat:
                    total[name] += 2 * (placing > result.placings[seat]) + (placing == result.placings[seat])
    return total


def no_single_exchange_helps(before: Field, pods: Round, by_score: bool) -> list[str]:
    """Two entrants of different pods change places: what this does to (squared meetings, one author's,
    house bots met again, gaps)."""
    met, score = history(before), points(before)
    of_house: Counter[str] = Counter()
    for pair, times in met.items():
        for name in pair:
            of_house[name] += times * sum(house(other) for other in pair - {name})

    def price(pod: list[str]) -> tuple[int, int, int, int]:
        repeats = authors = again = gaps = 0
        for one, other in combinations(pod, 2):
            if not by_score:
                repeats += met[frozenset((one, other))] ** 2
                continue
            author = [before.authors.get(name, "house" if house(name) else name) for name in (one, other)]
            authors += author[0] == author[1]
            if not house(one) and not house(other):
                repeats += met[frozenset((one, other))] ** 2
                gaps += (score[one] - score[other]) ** 2
            elif not (house(one) and house(other)):
                again += of_house[other if house(one) else one] ** 2
        return repeats, authors, again, gaps

    found = []
    for one, other in combinations(pods, 2):
        was = tuple(map(sum, zip(price(list(one)), price(list(other)), strict=True)))
        for i, mine in enumerate(one):
            for j, theirs in enumerate(other):
                first, second = list(one), list(other)
                first[i], second[j] = theirs, mine
                now = tuple(map(sum, zip(price(first), price(second), strict=True)))
                if now < was:
                    found.append(f"{mine} for {theirs}: {now} instead of {was}")
    return found


def swiss(before: Field, pods: Round) -> list[str]:
    found = everybody(before, pods)
    if before.drawn:
        found += no_single_exchange_helps(before, pods, by_score=True)
    return found


def round_robin(before: Field, pods: Round) -> list[str]:
    return everybody(before, pods) + no_single_exchange_helps(before, pods, by_score=False)


def gauntlet(before: Field, pods: Round) -> list[str]:
    found = []
    for pod in pods:
        if sum(name in before.challengers for name in pod) != 1 or pod[0] not in before.challengers:
            found.append(f"{pod} is not one challenger's")
    spare = [sum(house(name) for name in pod) for pod in pods]
    seated = {name for pod in pods for name in pod}
    idle = [name for name in before.entrants if name not in before.challengers and name not in seated]
    if idle and any(spare):
        found.append(f"house bots sit where {idle} could")
    return found


def knockout(before: Field, pods: Round) -> list[str]:
    alive = [name for pod in pods for name in pod if not house(name)]
    fill = [sum(house(name) for name in pod) for pod in pods]
    found = []
    if max(fill) - min(fill) > 1:
        found.append("house bots are heaped")
    if not before.drawn:
        return found + everybody(before, pods)
    last = before.drawn[-1]
    score = points(before, len(before.drawn))
    seen = {name for earlier in before.drawn for pod in earlier for name in pod}
    for pod in last:
        stay = [name for name in pod if name in before.entrants]
        on = [name for name in stay if name in alive]
        if len(on) != min(len(stay), before.pod_size // 2):
            found.append(f"{on} go on from {pod}")
        out = [name for name in stay if name not in alive]
        found += [
            f"{two[0]} went on before {two[1]}"
            for two in zip(on, out, strict=False)
            if score[two[0]] < score[two[1]]
        ]
    at_the_last = {name for pod in last for name in pod}
    found += [f"{name} was out" for name in alive if name in seen and name not in at_the_last]
    found += [
        f"{name} came late and is left out" for name in before.entrants if name not in seen | set(alive)
    ]
    if len(last) == 1 and all(name in seen for name in alive):
        found.append("the final was played")
    return found


def stages(before: Field, pods: Round) -> list[str]:
    alive = [name for pod in pods for name in pod if not house(name)]
    knockout_rounds = {2: 3, 3: 2, 4: 2, 5: 2, 6: 2, 7: 2, 8: 1}[before.pod_size]
    swiss_rounds = max(1, before.rounds - knockout_rounds)
    if len(before.drawn) < swiss_rounds:
        return swiss(before, pods)
    if len(before.drawn) > swiss_rounds:
        here = tuple(name for name in before.entrants if any(name in pod for pod in before.drawn[-1]))
        return knockout(Field(here, *[getattr(before, f) for f in Field.__struct_fields__[1:]]), pods)
    score = points(before)
    out = [name for name in before.entrants if name not in alive]
    found = [] if len(alive) == min(8, len(before.entrants)) else [f"{len(alive)} go on"]
    if out and min(score[name] for name in alive) < max(score[name] for name in out):
        found.append("a better one is left out")
    return found


RULES = {
    "swiss": swiss,
    "round-robin": round_robin,
    "gauntlet": gauntlet,
    "knockout": knockout,
    "swiss+knockout": stages,
}
