"""A page: a template with its style, script and data in one file, which loads nothing.

The template engine escapes text, and `embedded` escapes data. A Content-Security-Policy allows only this
style and this script, by their digests, so injected markup could not run. Knows no tournament and no match.
"""

import base64
import hashlib
import re
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any, Final

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from arena.system.wording import gain_text, interval, minus, moment

_STATIC: Final = files("arena.report") / "static"

_ESCAPED: Final = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}
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
    style, script = ("\n".join(_source(name) for name in names) for names in (styles, scripts))
    policy = (
        f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(script)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    if served:
        policy += "; connect-src 'self'"
    if framing:
        policy += "; frame-src 'self'"
    return _templates.get_template(template).render(
        policy=policy, style=Markup(style), script=Markup(script), module=module, **values
    )


def embedded(data: Any) -> Markup:
    """`data` as JSON, escaped for a script element."""
    return Markup(msgspec.json.encode(data).decode().translate(_ESCAPED))


def _source(name: str) -> str:
    return (_STATIC / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
