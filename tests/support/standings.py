"""The standings as the command prints them."""

from pathlib import Path

from tests.cli.calls import arena


def table(folder: Path) -> str:
    call = arena("standings", folder, "--json")
    assert call.status == 0, call.err
    return call.out
