"""`arena verify`: whether a run's journal and logs are true."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from arena.director.entries import Created, SeedSources
from arena.director.journal import Journal
from arena.director.state import Record
from arena.director.verify import EntryCheck, findings
from arena.journal.chained import DamageError
from arena.log.code import difference_of_code
from arena.system.errors import UserError


class Remark(msgspec.Struct, frozen=True):
    """One thing that is wrong, or that could not be checked."""

    entry: int
    """The number of its entry in the journal, from 1; 0 for the journal as a whole."""
    match: str
    """The id of the entry's match; "" if it has none."""
    text: str

    @property
    def place(self) -> str:
        """The entry, and its match if it has one; "" for the journal as a whole."""
        return f"entry {self.entry}" * bool(self.entry) + f", {self.match}" * bool(self.match)


class VerifyResult(msgspec.Struct, frozen=True):
    """The result of verifying a run."""

    matches: int
    """The number of results that count."""
    wrong: tuple[Remark, ...]
    unchecked: tuple[Remark, ...] = ()
    over: bool = False
    """Whether nothing is wrong and the last match was played."""
    digest: str = ""
    """The digest of the journal's last entry; "" if the journal is too damaged to be read."""
    commitment: str | None = None
    """The SHA-256 of the secret from which an announced seed was mixed; None if it was not announced."""
    public: str | None = None
    """The public value from which an announced seed was mixed; None if it was not announced."""
    code: str | None = None
    """A warning if the game was played with code other than that installed here; otherwise None."""

    @property
    def true(self) -> bool:
        """Whether nothing is wrong and everything could be checked."""
        return not self.wrong and not self.unchecked

    def as_data(self) -> dict[str, Any]:
        """The result as printed with `--json`."""
        wrong = [{"entry": one.entry, "match": one.match, "wrong": one.text} for one in self.wrong]
        if not self.digest:
            return {"matches": self.matches, "wrong": wrong}
        return {
            "matches": self.matches,
            "over": self.over,
            "wrong": wrong,
            "unchecked": [
                {"entry": one.entry, "match": one.match, "unchecked": one.text} for one in self.unchecked
            ],
            "public": self.public,
            "digest": self.digest,
        }


def verify(
    folder: Path,
    digest: str | None = None,
    commitment: str | None = None,
    progress: Callable[[int, int], object] = lambda done, total: None,
) -> VerifyResult:
    """Draws each round of a run again from the entries before it, deals again from the seed, plays by the
    rules, and compares. digest: that of the journal, which was printed or published. commitment: the SHA-256
    of the secret seed, which came with the invitation. progress: called with the number of entries that are
    checked, and of all. Raises UserError where there is no run, or one of a game that is not known here."""
    if commitment is not None and not re.fullmatch("[0-9a-f]{64}", commitment):
        raise UserError(
            f"commitment {commitment}: expected 64 hex digits, as printed by `arena seed --commit`"
        )
    if digest is not None and not re.fullmatch("[0-9a-f]{64}", digest := digest.strip().lower()):
        raise UserError(f"digest {digest}: expected 64 hex digits, as printed after “journal digest”")
    try:
        journal = Journal(folder)
    except DamageError as error:
        return VerifyResult(0, (Remark(0, "", str(error)),))
    with journal:
        found, entries = list[EntryCheck](), len(journal.entries)
        for one in findings(journal):
            found.append(one)
            progress(len(found), entries)
        created = journal.entries[0]
        assert isinstance(created, Created)
        announced = created.announced
        wrong = [Remark(one.entry_no, one.match_id, one.wrong) for one in found if one.wrong is not None]
        wrong += _not_as_published(journal, announced, digest, commitment)
        return VerifyResult(
            matches=sum(one.counts for one in found),
            wrong=tuple(wrong),
            unchecked=tuple(
                Remark(one.entry_no, one.match_id, one.unchecked)
                for one in found
                if one.unchecked is not None
            ),
            # A journal that is wrong may not even have a state to compute.
            over=not wrong and Record(journal.entries).over,
            digest=journal.digest,
            commitment=announced.commitment if announced else None,
            public=announced.public if announced else None,
            code=difference_of_code(created),
        )


def _not_as_published(
    journal: Journal, announced: SeedSources | None, digest: str | None, commitment: str | None
) -> Iterator[Remark]:
    """How the run differs from the digest and the commitment, if they are given."""
    if commitment is not None and (why := _not_announced(announced, commitment)):
        yield Remark(1, "", why)
    if digest is not None and digest != journal.digest:
        went_on = "it continued after that" if digest in journal.digests else "it is a different journal"
        yield Remark(0, "", f"the digest is not {digest}: {went_on}")


def _not_announced(announced: SeedSources | None, commitment: str) -> str | None:
    """Why the run is not the one with this commitment; None if it is."""
    if announced is None:
        return "this run has no commitment: its seed was not announced"
    if announced.commitment != commitment:
        return f"its secret seed is not the one announced: its SHA-256 is {announced.commitment}"
    return None
