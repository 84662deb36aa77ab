"""Whether both versions of a comparison played alike, decision by decision. Knows logs, not who is told."""

from collections.abc import Sequence

from arena.league.ids import VersionId
from arena.league.logs import matches
from arena.log.decisions import decisions
from arena.log.entries import parse
from arena.log.retrace import of_entries


def choices_alike(public: bytes, versions: Sequence[VersionId]) -> int:
    """How many decisions with at least two legal actions both versions took, if they took all of them alike;
    else 0, as for a placement. `public`: the public part of the logs of the draw. Raises LogError,
    Mismatch."""
    texts = list(matches(public))
    of_first, of_second = texts[: len(texts) // 2], texts[len(texts) // 2 :]
    if len(versions) < 2 or [_played(text) for text in of_first] != [_played(text) for text in of_second]:
        return 0
    return sum(
        decision.bot == versions[0] and len(decision.legal) > 1
        for text in of_first
        for decision in decisions(of_entries(parse(text)))
    )


def _played(text: bytes) -> list[bytes]:
    """All that happened in a match: the first line names the bots, and the last one has the time it took."""
    return text.splitlines()[1:-1]
