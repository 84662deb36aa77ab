"""From what was seen of a fault to what it was and how to mend it: the first row of the table that fits."""

from typing import NamedTuple

from arena.check.mendings import ROWS
from arena.check.symptoms import Symptoms


class Diagnosis(NamedTuple):
    """`name` is for machines, `mend` for people: what was done, and what to do instead."""

    name: str
    mend: str


def diagnose(symptoms: Symptoms) -> Diagnosis:
    row = next(row for row in ROWS if symptoms.kind in row.kinds and row.fits(symptoms))
    return Diagnosis(row.name, row.mend.format(s=symptoms) + symptoms.elsewhere)
