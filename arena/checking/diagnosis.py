"""Finds the cause of a fault from its symptoms: the first cure of the table that fits."""

from typing import NamedTuple

from arena.checking.cures import CURES
from arena.checking.symptoms import Symptoms


class Diagnosis(NamedTuple):
    """`name` is for machines. `mend` is for people: what the bot did, and what to do instead."""

    name: str
    mend: str


def diagnose(symptoms: Symptoms) -> Diagnosis:
    """The first cure that fits. There always is one: the last of every kind of fault fits any symptoms."""
    cure = next(cure for cure in CURES if symptoms.kind in cure.kinds and cure.fits(symptoms))
    return Diagnosis(cure.name, cure.mend.format(s=symptoms) + symptoms.elsewhere)
