"""What SPEC.md says of the messages and their limits, against the code."""

from typing import Any

import pytest

from arena.process.sandbox import Sandbox, bounds
from arena.process.watchdog import MOST_PROCESSES
from arena.system.machine import MIB
from protocol.inbox import FLOOD_LIMIT
from protocol.messages import NAME_LIMIT, NOTE_LIMIT, PROTOCOL, End, Hello, Limits, Ready, Reply, Request
from tests.spec.text import TEXT, fields, first_cells, rows, section


@pytest.mark.parametrize("message", [Hello, Request, End, Ready, Reply])
def test_every_field_of_a_message_is_documented_in_order(message: Any) -> None:
    tag = message.__struct_config__.tag
    assert first_cells(section(f"### `{tag}`")) == ["type", *fields(message)]


def test_limits_are_those_of_the_code() -> None:
    limits = section("## Limits and defaults")
    for name in fields(Limits):
        assert f"`{name}` {getattr(Limits(), name)}" in limits
    assert f"| {FLOOD_LIMIT // 1024} KiB of output without an answer in it |" in section("## Faults")
    named = {row[0]: row[2] for row in rows(section("### `ready`") + section("### `reply`"))}
    assert named["`name`"] == f"cut to {NAME_LIMIT} characters"
    assert named["`version`, `author`, `language`"] == f"cut to {NAME_LIMIT} characters each"
    assert named["`note`"] == f"cut to {NOTE_LIMIT} characters"
    sandbox = Sandbox()
    bound = bounds(sandbox)
    assert f"| {sandbox.memory_mb} MB | `--memory {sandbox.memory_mb}` |" in limits
    assert f"| {bound.folder_bytes // MIB} MiB each, {bound.file_mb} MiB a file |" in limits
    assert f"| {MOST_PROCESSES}; {bound.processes}; {bound.open_files} |" in limits
    assert f"Protocol {PROTOCOL}." in TEXT
