"""Does it raise a score to have met house bots, and how well do scores follow strength? The rule of the
tournament, in which everybody ties with a house bot, beside others that were tried.

    python -m tests.bench.fillers [--tournaments 1000] [--house -300] [--entrants 5]… [--rounds 3]

Pods of four, drawn by Swiss from the scores of the rule; synthetic bots as in `tests.bench.simulation`, and
house bots of strength `--house`, where the entrants' are 0 ± 300.
"""

import statistics
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction

import click
import numpy as np
from scipy.stats import kendalltau

from protocol.outcome import scores as match_scores
from protocol.streams import pairing_stream
from tests.tournaments.simulated import POD_SIZE, Design, Strengths, play
from tournaments.formats import house_bots
from tournaments.pairing import first_pods, meetings, next_pods
from tournaments.results import MatchResult, Round, Tally, is_house
from tournaments.statistics import adjusted_gains

Scores = dict[str, Fraction]


def every_placing(results: Sequence[MatchResult], names: Sequence[str]) -> Scores:
    """A house bot is as good as anybody."""
    total = Counter[str]()
    for result in results:
        total.update(dict(zip(result.entrants, match_scores(result.placings, ()), strict=True)))
    return {name: Fraction(total[name]) for name in names}


def ties(results: Sequence[MatchResult], names: Sequence[str]) -> Scores:
    """Everybody ties with a house bot."""
    total = Counter[str]()
    for result in results:
        total.update(dict(zip(result.entrants, result.scores, strict=True)))
    return {name: Fraction(total[name]) for name in names}


def shares(results: Sequence[MatchResult], names: Sequence[str]) -> Scores:
    """What is won from entrants, of what could be: half of it before any was met. As of all seats."""
    won, most, seats = Counter[str](), Counter[str](), Counter[str]()
    for result in results:
        house = sum(map(is_house, result.entrants))
        for name, score in zip(result.entrants, result.scores, strict=True):
            won[name] += score - house
            most[name] += 2 * (len(result.entrants) - 1 - house)
            seats[name] += 2 * (len(result.entrants) - 1)
    return {
        name: seats[name] * Fraction(won[name], most[name]) if most[name] else Fraction(seats[name], 2)
        for name in names
    }


def above_the_field(results: Sequence[MatchResult], names: Sequence[str]) -> Scores:
    """What is won from house bots counts for as much as it is more than entrants win from them on average."""
    met = Counter[str]()
    for result in results:
        house = sum(map(is_house, result.entrants))
        met.update(dict.fromkeys(filter(lambda name: not is_house(name), result.entrants), house))
    every, tied = every_placing(results, names), ties(results, names)
    from_house = sum(every[name] - tied[name] for name in names)
    mean = Fraction(from_house, met.total()) if met.total() else Fraction(0)
    return {name: every[name] - mean * met[name] for name in names}


RULES: dict[str, Callable[[Sequence[MatchResult], Sequence[str]], Scores]] = {
    "every placing": every_placing,
    "ties": ties,
    "shares": shares,
    "above the field": above_the_field,
}


def tournament(
    design: Design, rule: str, strength: Strengths, seed: str
) -> tuple[list[MatchResult], list[Round]]:
    names = design.names
    everybody = (*names, *house_bots(len(names), POD_SIZE))
    authors = dict.fromkeys(everybody[len(names) :], "house")
    results: list[MatchResult] = []
    drawn: list[Round] = []
    for round_no in range(1, design.rounds + 1):
        stream = pairing_stream(seed, round_no)
        if drawn:
            scores = {name: round(100 * score) for name, score in RULES[rule](results, names).items()}
            met, house = meetings(drawn, names), Tally.of(drawn).house_met
            pods = next_pods(everybody, POD_SIZE, stream, scores, met, authors, house, quick=True)
        else:
            pods = first_pods(everybody, POD_SIZE, stream, authors)
        for pod_no, pod in enumerate(pods, start=1):
            results += play((round_no, pod_no), pod, strength, seed, deals=design.deals)
        drawn.append(pods)
    return results, drawn


@click.command()
@click.option("--tournaments", "count", default=1000, show_default=True)
@click.option("--house", default=-300.0, show_default=True)
@click.option("--entrants", "counts", multiple=True, default=(5, 6, 7, 9), show_default=True)
@click.option("--rounds", default=3, show_default=True)
def main(count: int, house: float, counts: tuple[int, ...], rounds: int) -> None:
    click.echo("a house bot more: points of the score that it brings, strength being equal; a round gives 12")
    click.echo(
        "best half: the share of the better half by strength that is in the better half by score, ties\n"
        "by the adjusted gain, as in a cut\n"
    )
    click.echo("entrants  rule              a house bot more   τ with strength      best half")
    for entrants in counts:
        for rule in RULES:
            design = Design(entrants, rounds)
            click.echo(f"{entrants:>8}  {rule:<16}  {figures(design, rule, house, count)}")


def figures(design: Design, rule: str, house: float, count: int) -> str:
    taus, cuts = [], []
    rows: list[tuple[float, int, float]] = []
    for number in range(count):
        strength = {name: house if is_house(name) else own for name, own in design.strengths(number).items()}
        results, drawn = tournament(design, rule, strength, str(number))
        scores, met = RULES[rule](results, design.names), Tally.of(drawn).house_met
        score = [float(scores[name]) / 2 for name in design.names]
        true = [strength[name] for name in design.names]
        rows += zip(true, [met.get(name, 0) for name in design.names], score, strict=True)
        taus.append(kendalltau(score, true).statistic)
        half = len(score) // 2
        gains = adjusted_gains(results, design.names)
        gain = [gains[name].gain or 0.0 for name in design.names]
        by_score = sorted(range(len(score)), key=lambda at: (score[at], gain[at]))
        by_strength = sorted(range(len(score)), key=lambda at: true[at])
        cuts.append(len(set(by_score[-half:]) & set(by_strength[-half:])) / half)
    error = statistics.stdev(cuts) / count**0.5
    return (
        f"{_brought(rows):>16}   {statistics.fmean(taus):>15.3f}   {statistics.fmean(cuts):.3f} ± {error:.3f}"
    )


def _brought(rows: list[tuple[float, int, float]]) -> str:
    """By least squares of the score on strength, its cube and the house bots met."""
    true, met, score = np.array(rows).T
    if not met.std():
        return "all meet as many"
    own = true / true.std()
    columns = np.stack([own, own**3, met, np.ones_like(met)], axis=1)
    return f"{np.linalg.lstsq(columns, score, rcond=None)[0][2]:+.2f}"


if __name__ == "__main__":
    main()
