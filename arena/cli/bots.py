"""`arena bots`: the sample bots, with their place and what each does; and the arena's own bots."""

import re
import shutil
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import click

from arena.cli.options import json_option
from arena.cli.output import Column, print_json, print_table, stdout
from arena.entrants.find import HOUSE, LENT
from arena.entrants.manifest import MANIFEST
from arena.system.errors import UserError
from arena.system.shipped import shipped

LANGUAGES: Final[Mapping[str, str]] = {
    ".js": "JavaScript",
    ".lua": "Lua",
    ".php": "PHP",
    ".pl": "Perl",
    ".py": "Python",
    ".rb": "Ruby",
    ".sh": "POSIX shell",
}


@click.command("bots")
@click.option(
    "--copy",
    "folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Copy the samples into the folder DIR, which must be missing or empty.",
)
@json_option
def command(folder: Path | None, as_json: bool) -> None:
    """List the bots that come with the arena, or copy the samples, to play against and to learn from. Bots
    without a path are named by their name alone, as in `arena match mybot.py search`.

    Example: arena bots --copy bots
    """
    if folder is not None:
        _copy(folder)
    bots = [_facts(path) for path in _samples(folder or shipped("bots"))]
    if folder is None:
        bots += [_facts(HOUSE / f"{name}.py") | {"path": None} for name in LENT]
    if as_json:
        print_json(bots)
        return
    columns = [Column("bot"), Column("what it does", folds=True), Column("language", spare=1)]
    rows = [(_word(bot), bot["does"], bot["language"]) for bot in bots]
    print_table("Bots", columns, rows, stdout())
    click.echo(f"in {folder or shipped('bots')}")
    if folder is None:
        click.echo(f"{' and '.join(LENT)} play by their name alone, from anywhere")


def _word(bot: Mapping[str, Any]) -> str:
    """The bot's file name, or the name of one of the arena's own."""
    return Path(bot["path"] or bot["bot"]).name


def _samples(folder: Path) -> Iterable[Path]:
    return (path for path in sorted(folder.iterdir()) if path.name[0] not in "._")


def _copy(folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"--copy {folder}: it is there already; choose another folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path in _samples(shipped("bots")):
            if path.is_dir():
                shutil.copytree(path, folder / path.name)
            else:
                shutil.copy(path, folder)
    except OSError as error:
        raise UserError(f"--copy {error.filename}: {error.strerror}") from None


def _facts(path: Path) -> dict[str, Any]:
    return {"bot": path.stem, "language": _language(path), "does": _does(path), "path": str(path)}


def _language(path: Path) -> str:
    if path.is_dir():
        return str(tomllib.loads((path / MANIFEST).read_text("utf-8")).get("language", ""))
    return LANGUAGES.get(path.suffix, "")


def _does(path: Path) -> str:
    """The rest of the sentence that begins with the bot's name and a colon, in its program or its folder's
    README; "" if there is none."""
    text = (path / "README.md" if path.is_dir() else path).read_text("utf-8")
    said = re.search(rf"^\W*{re.escape(path.stem)}: (.*?\.)(?=\s|\")", text, re.IGNORECASE | re.DOTALL)
    return re.sub(r"\n\W*", " ", said[1]) if said else ""
