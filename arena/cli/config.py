"""`arena config`: prints the settings of a run as TOML. Also the option `--config`, which reads such a file.

A setting is named after its flag. A flag overrides the file.
"""

import json
from pathlib import Path
from typing import Any, Final

import click

from arena.cli.options import folder_argument
from arena.cli.output import say
from arena.commands.config import as_toml, expanded, read_toml, settings
from arena.director.journal import Journal
from arena.director.state import Record
from arena.system.errors import UserError, did_you_mean


@click.command("config")
@folder_argument
def command(folder: Path) -> None:
    """Print the settings of the tournament in DIR as TOML, for `arena tournament --config`. The seed is
    included only after the last match, since it reveals the hands.

    Example: arena config spring > spring.toml
    """
    with Journal(folder) as journal:
        record = Record(journal.entries)
        if not journal.made_here:
            say(f"{folder}: {journal.stranger}; look at `bots` and `sandbox` before you use these settings")
        # Written as bytes: TOML is UTF-8 whatever the locale is.
        click.echo(as_toml(settings(record, with_seed=record.over)).encode(), nl=False)


TYPES: Final = {bool: click.types.BoolParamType, float: click.types.FloatParamType}
"""By type of a TOML value: the type of option that takes it."""


def _load(context: click.Context, _: click.Parameter, path: Path | None) -> Path | None:
    """Make the settings of a file the defaults of the command. Raises UserError, which names file and key."""
    if path is None:
        return None
    values = read_toml(path)
    parameters = {
        _key(parameter): parameter for parameter in context.command.params if parameter.expose_value
    }
    defaults = {}
    for key, value in values.items():
        if key not in parameters:
            raise UserError(f"{path}: unknown key {key!r}{did_you_mean(key, sorted(parameters))}")
        parameter = parameters[key]
        assert parameter.name is not None
        defaults[parameter.name] = _value(context, parameter, f"{path}: {key}", value)
    context.default_map = defaults
    return path


def _key(parameter: click.Parameter) -> str:
    long = [name for name in parameter.opts if name.startswith("--")]
    return long[0][2:] if long else parameter.opts[0]


def _value(context: click.Context, parameter: click.Parameter, place: str, value: Any) -> Any:
    """The value as the flag would take it, checked in the same way. Raises UserError."""
    if isinstance(value, dict) and parameter.multiple:
        value = [f"{name}={_flag_text(setting)}" for name, setting in value.items()]
    elif isinstance(parameter, click.Argument) or parameter.multiple:
        if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
            raise UserError(f"{place}: must be a list of strings")
        if isinstance(parameter, click.Argument):
            value = [path for word in value for path in expanded(word)]
    elif isinstance(value, dict | list) or (
        isinstance(value, bool | float) and not isinstance(parameter.type, TYPES[type(value)])
    ):
        raise UserError(f"{place}: --{_key(parameter)} does not accept {json.dumps(value)}")
    elif not isinstance(value, bool):
        value = str(value)
    try:
        parameter.type_cast_value(context, value)
    except click.BadParameter as error:
        raise UserError(f"{place}: {error.message}") from None
    return value


def _flag_text(value: Any) -> str:
    return json.dumps(value) if isinstance(value, bool) else str(value)


config_option = click.option(
    "--config",
    type=click.Path(dir_okay=False, path_type=Path),
    is_eager=True,
    expose_value=False,
    callback=_load,
    help="Take settings from a TOML file; flags override it.",
)
