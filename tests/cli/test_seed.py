"""Seeds: those that are given, and those that were announced and cannot be chosen."""

import hashlib
import os
import stat
from pathlib import Path

import msgspec
import pytest

from arena.director.entries import Created, RoundPaired, SeedSources
from arena.director.journal import Journal
from arena.director.state import Record
from protocol.streams import DealSource, derive, mixed_seed, pod_key
from tests.cli.calls import arena

SECRET = "5a" * 32
PUBLIC = "drand round 123: 4f2a"
SHORT = (
    "--seats",
    3,
    "--rounds",
    1,
    "--deals",
    1,
    "--keep-bots",
    "--sandbox",
    "none",
    "--jobs",
    1,
    "--quiet",
)
ONE_MATCH = (*SHORT, "--no-duplicates")
"""Of three bots."""

# Of --seed 7
PODS = (("ada", "cy", "fay"), ("bob", "dee", "eve"))
SEATS = {
    "r01-p001-s01": "acf",
    "r01-p001-s02": "cfa",
    "r01-p001-s03": "fac",
    "r01-p001-s04": "fca",
    "r01-p001-s05": "afc",
    "r01-p001-s06": "caf",
    "r01-p002-s01": "bde",
    "r01-p002-s02": "deb",
    "r01-p002-s03": "ebd",
    "r01-p002-s04": "edb",
    "r01-p002-s05": "bed",
    "r01-p002-s06": "dbe",
}
DECK = (
    34,
    29,
    25,
    39,
    8,
    4,
    28,
    36,
    20,
    18,
    43,
    6,
    15,
    27,
    35,
    7,
    0,
    9,
    42,
    16,
    11,
    10,
    26,
    37,
    13,
    31,
    1,
    40,
    3,
    2,
    44,
    24,
    30,
    32,
    17,
    14,
    5,
    41,
    12,
    22,
    33,
    19,
    23,
    21,
    38,
)


@pytest.fixture(scope="module")
def bots(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("bots")
    source = (Path(__file__).parent.parent / "bench" / "echo.py").read_text()
    paths = [folder / f"{name}.py" for name in ("ada", "bob", "cy", "dee", "eve", "fay")]
    for path in paths:
        path.write_text(source)
    return paths


@pytest.mark.thorough  # 2 s of processor.
def test_a_seed_that_is_given_deals_as_it_always_has(bots: list[Path], tmp_path: Path) -> None:
    """The bytes of version 0.1.0 as it was before seeds could be announced."""
    assert pod_key("7", 1, 1) == "44260f12338c31922bd6e753350bf045989cba4f433d6752b2751a75531bab4f"
    assert pod_key("7", 2, 3) == "e3294472ae570728babd328e5b3c617824564306ff6faf76e54519a858da7102"
    assert DealSource(pod_key("7", 1, 1)).deck(1, range(45)) == DECK
    call = arena("tournament", *bots, *SHORT, "--seed", 7, "--out", tmp_path / "run")
    assert call.status == 0, call.err
    assert "seed: 7" in call.err.splitlines()
    with Journal(tmp_path / "run") as journal:
        record = Record(journal.entries)
    assert (record.created.seed, record.created.announced) == ("7", None)
    assert record.drawn == (PODS,)
    jobs = [*record.jobs_of(1)]
    seats = {job.match_id: "".join(entrant.name[0] for entrant in job.entrants) for job in jobs}
    assert seats == SEATS
    assert {job.pod_key for job in jobs} == {pod_key("7", 1, 1), pod_key("7", 1, 2)}
    assert arena("verify", tmp_path / "run").status == 0
    call = arena("verify", tmp_path / "run", "--commitment", "0" * 64)
    assert call.status == 1
    assert call.err == "entry 1: this run has no commitment: its seed was not announced\n"


def test_how_a_seed_is_mixed() -> None:
    mixed = "97cb0fdd705ef94e280e16b20c9a1068c99bc1c824fa0f3decec94a61da83a23"
    assert mixed_seed(SECRET, PUBLIC) == mixed == SeedSources(SECRET, PUBLIC).seed
    assert mixed == derive(SECRET, f"arena1/public/{PUBLIC}")
    assert SeedSources(SECRET, PUBLIC).commitment == hashlib.sha256(SECRET.encode()).hexdigest()


def test_from_the_invitation_to_the_proof(bots: list[Path], tmp_path: Path) -> None:
    call = arena("seed", "--commit", "spring.seed", folder=tmp_path)
    assert call.status == 0, call.err
    file, commitment = tmp_path / "spring.seed", call.out.strip()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert hashlib.sha256(file.read_bytes()).hexdigest() == commitment
    assert arena("seed", file).out.strip() == commitment
    secret = file.read_text()
    again = arena("seed", "--commit", file)
    assert again.status == 2
    assert "a seed is drawn only once" in again.err
    assert file.read_text() == secret

    run = tmp_path / "run"
    loud = [word for word in ONE_MATCH if word != "--quiet"]
    call = arena("tournament", *bots[:3], *loud, "--seed-file", file, "--public", PUBLIC, "--out", run)
    assert call.status == 0, call.err
    before, _, _ = call.err.partition("public value: ")
    assert f"secret seed SHA-256: {commitment}" in before
    assert secret not in before
    mixed = f"{mixed_seed(secret, PUBLIC)}, mixed from {secret} (secret), {PUBLIC} (public value)"
    assert f"seed: {mixed}" in call.err.splitlines()
    proof = arena("verify", run, "--commitment", commitment)
    assert proof.status == 0, proof.err
    assert f"this is the run that was announced, if the public value was “{PUBLIC}”" in proof.out
    other = arena("verify", run, "--commitment", "0" * 64, "--json")
    assert other.status == 1
    assert other.json["wrong"][0]["entry"] == 1  # type: ignore[index]
    unasked = arena("verify", run)
    assert f"SHA-256 is {commitment}" in unasked.out
    assert "compare both with what was announced" in unasked.out

    data = arena("standings", run, "--json").json
    assert data["announced"] == {  # type: ignore[index]
        "commitment": commitment,
        "public": PUBLIC,
        "secret": secret,
    }
    assert arena("report", run).status == 0
    page = (run / "report.html").read_text()
    assert all(text in page for text in ("SHA-256 of the secret seed", commitment, PUBLIC, secret))
    # The same deals once more, for whoever looks into them.
    config = tmp_path / "spring.toml"
    config.write_text(arena("config", run).out)
    call = arena("tournament", "--config", config, "--out", tmp_path / "again", "--quiet")
    assert call.status == 0, call.err
    assert arena("standings", tmp_path / "again", "--json").json["seed"] == data["seed"]  # type: ignore[index]


def test_while_it_is_played_the_secret_is_told_nowhere(bots: list[Path], tmp_path: Path) -> None:
    """A journal that was made and not played yet."""
    file, run = tmp_path / "s.seed", tmp_path / "run"
    file.write_text(SECRET)
    file.chmod(0o600)
    words = ("--seed-file", file, "--public", PUBLIC, "--out", run)
    assert arena("tournament", *bots[:3], *ONE_MATCH, *words).status == 0
    with Journal(run) as journal:
        created = journal.entries[0]
    assert isinstance(created, Created)
    with Journal.create(tmp_path / "begun", created) as journal:
        journal.add(RoundPaired(1, (("ada", "bob", "cy"),)))
    assert arena("report", tmp_path / "begun").status == 0
    told = [
        arena("standings", tmp_path / "begun", "--json").out,
        arena("standings", tmp_path / "begun").out,
        arena("config", tmp_path / "begun").out,
        arena("verify", tmp_path / "begun").out,
        (tmp_path / "begun" / "report.html").read_text(),
    ]
    assert PUBLIC in told[0]
    assert not any(SECRET in text or created.seed in text for text in told)


def test_a_public_value_can_be_spelt_in_one_way_only(bots: list[Path], tmp_path: Path) -> None:
    """Or somebody could try spellings until a friend wins."""
    file = tmp_path / "s.seed"
    file.write_text(SECRET)
    file.chmod(0o600)
    words = ("--seed-file", file, "--public", " DRAND  round 123:\t4F2A ", "--out", tmp_path / "run")
    call = arena("tournament", *bots[:3], *ONE_MATCH, *words)
    assert call.status == 0, call.err
    assert f"{PUBLIC} (public value)" in call.err
    for spelt in ("Drand round 123: 4f2a", "drand  round 123: 4f2a", "drand round 123: 4f2a "):
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert({"secret": SECRET, "public": spelt}, SeedSources)


def test_a_pipe_in_the_place_of_the_seed_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "s.seed")
    call = arena("seed", tmp_path / "s.seed")
    assert call.status == 2
    assert "contains no secret seed" in call.err


def test_a_secret_that_others_can_read_is_said(tmp_path: Path) -> None:
    file = tmp_path / "s.seed"
    file.write_text(SECRET)
    file.chmod(0o644)
    call = arena("seed", file)
    assert call.out.strip() == hashlib.sha256(SECRET.encode()).hexdigest()
    assert call.err == f"{file} can be read by others on this machine: chmod 600 {file}\n"
