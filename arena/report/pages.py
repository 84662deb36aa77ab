"""A page: a template with its style, script and data in one file, which loads nothing.

The template engine escapes text, and `embedded` escapes data. A Content-Security-Policy allows only this
style and this script, by their digests, so injected markup could not run. Knows no tournament and no match.
"""

import base64
import functools
import hashlib
import re
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any, Final, NamedTuple

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from arena.system.wording import gain_text, interval, minus, moment

_STATIC: Final = files("arena.report") / "static"

_ESCAPED: Final = {char: f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}
"""Characters that could end a script element, begin a comment in it, or end a line of the script."""

_CODE: Final = re.compile(r"`([^`\n]+)`")

_templates: Final = Environment(
    loader=PackageLoader("arena.report"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
_templates.filters["g"] = "{:g}".format
_templates.globals["signed"] = lambda *value: minus(gain_text(*value))
_templates.globals["interval"] = lambda low, high: minus(interval(low, high))


def _codes(text: str) -> Markup:
    """The text, with everything in `backticks` as code. A single backtick stays as it is."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))


def _time(at: float) -> Markup:
    """A clock reading, in seconds since 1970, as UTC; times.js shows it in the reader's zone."""
    read = f"{datetime.fromtimestamp(at, UTC):%Y-%m-%dT%H:%MZ}"
    return Markup('<time datetime="{}">{}</time>').format(read, moment(at))


_templates.filters["codes"] = _codes
_templates.globals["moment"] = _time


def page(
    template: str,
    *,
    styles: tuple[str, ...],
    scripts: tuple[str, ...] = (),
    served: bool = False,
    framing: bool = False,
    module: bool = False,
    **values: Any,
) -> str:
    """The HTML of the template with `values`. `styles` and `scripts` are names of files in static/, joined in
    this order. `served` allows the script to send requests to the page's own server only; `framing` allows
    the page to show other pages beside it in frames. As a `module` the script may wait for what it loads."""
    style, script = _joined(styles), _joined(scripts)
    policy = (
        f"default-src 'none'; style-src {style.digest}; script-src {script.digest}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    if served:
        policy += "; connect-src 'self'"
    if framing:
        policy += "; frame-src 'self'"
    return _templates.get_template(template).render(
        policy=policy, style=style.text, script=script.text, module=module, **values
    )


def embedded(data: Any) -> Markup:
    """`data` as JSON, escaped for a script element."""
    text = msgspec.json.encode(data).decode()
    for char, harmless in _ESCAPED.items():  # Ten times as fast as str.translate.
        text = text.replace(char, harmless)
    return Markup(text)


class _Source(NamedTuple):
    """A style or script, and its digest as a policy names it."""

    text: Markup
    digest: str


@functools.cache
def _joined(names: tuple[str, ...]) -> _Source:
    """The files of static/ with these names."""
    text = "\n".join((_STATIC / name).read_text(encoding="utf-8") for name in names)
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return _Source(Markup(text), f"'sha256-{digest}'")
