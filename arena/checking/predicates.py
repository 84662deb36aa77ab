"""Predicates: yes/no questions about symptoms that need more than one field. cures.py calls them in the order
of its table, so a predicate may rely on what the cures above it have ruled out.

Pure: knows bytes and texts, no process. A predicate may guess, since only advice depends on it.
"""

import ast
import json
import re
from typing import Any, Final

from arena.checking.symptoms import NO_JSON, Symptoms, parsed
from arena.log.last_error import EXCEPTION
from arena.process.obstacle import ObstacleKind

MODULE_MISSING: Final = (
    r"^ModuleNotFoundError|Cannot find (module|package)|cannot load such file|^Can't locate \S+ in @INC|"
    r"module '\S+' not found|ClassNotFoundException|NoClassDefFoundError"
)
PROGRAM_MISSING: Final = (
    r"can't open (file '|perl script )|^\S+: (0: )?cannot open |cannot find module '/|"
    r"could not open input file|no such file or directory -- |unable to access jarfile"
)
OUT_OF_MEMORY: Final = (
    r"MemoryError|bad_alloc|out of memory|^memory allocation of|cannot allocate memory|not enough memory"
)


NOT_PERMITTED: Final = (
    r"read-only file system|permission denied|\b(EROFS|EACCES|PermissionError|AccessDeniedException)\b"
)


def always(_: Symptoms) -> bool:
    """True, for the last cure of a kind of fault."""
    return True


def met(kind: ObstacleKind, s: Symptoms) -> bool:
    """Whether this kind of obstacle kept it from starting."""
    return s.obstacle is kind


# ── how it ended ──────────────────────────────────────────────────────────────────────────────────────────


def exception(s: Symptoms) -> bool:
    """Whether its last error is an exception, in most languages."""
    return bool(re.search(EXCEPTION, s.last_error))


def undecodable(s: Symptoms) -> bool:
    """Whether it decoded our lines as UTF-16 or UTF-32. Our lines are ASCII, so no other encoding can fail
    for them; other decoding errors concern the bot's own files."""
    return bool(re.match(r"Unicode(Decode)?Error.*utf.?(16|32)", s.last_error, re.IGNORECASE))


def program_missing(s: Symptoms) -> bool:
    """Whether its interpreter did not find the program that it was told to run, in most languages."""
    return s.greeting and bool(re.search(PROGRAM_MISSING, s.last_error, re.IGNORECASE))


def module_missing(s: Symptoms) -> bool:
    """Whether its last error names a module that was not found, in most languages."""
    return bool(re.search(MODULE_MISSING, s.last_error))


def out_of_memory(s: Symptoms) -> bool:
    """Whether its last error is a lack of memory, in most languages."""
    return bool(re.search(OUT_OF_MEMORY, s.last_error, re.IGNORECASE))


def file_missing(s: Symptoms) -> bool:
    """Whether its last error is a missing file."""
    return bool(re.search(r"ENOENT|no such file or directory", s.last_error, re.IGNORECASE))


def not_permitted(s: Symptoms) -> bool:
    """Whether its last error is a lack of permission, or writing to a read-only file system."""
    return bool(re.search(NOT_PERMITTED, s.last_error, re.IGNORECASE))


# ── what it wrote while the check waited
# ─────────────────────────────────────────────────────────────────────


def speaks(data: bytes) -> bool:
    """Whether one of these lines is a JSON object, also in UTF-16."""
    return bool(_messages(data))


def speaks_shortly(data: bytes) -> bool:
    """Whether there is a message in less than an output buffer: buffers have 1 KiB or more in all languages,
    and are flushed when they are full."""
    return len(data) < 1024 and speaks(data)


def speaks_once(data: bytes) -> bool:
    """Whether exactly one of these lines is a JSON object."""
    return len(_messages(data)) == 1


def only_replies(data: bytes) -> bool:
    """Whether the first JSON object among these lines is a reply."""
    return bool(messages := _messages(data)) and messages[0].get("type") == "reply"


def _messages(data: bytes) -> list[dict[str, Any]]:
    """The JSON objects among the lines. Ignores zero bytes and byte order marks, so it parses UTF-16."""
    lines = re.sub(rb"\0|^\xff\xfe|^\xfe\xff", b"", data).splitlines()
    return [message for message in map(parsed, lines) if isinstance(message, dict)]


def stale(s: Symptoms) -> bool:
    """Whether it sent replies to requests that were already closed."""
    messages = [parsed(line) for line in s.said.splitlines()]
    return any(isinstance(m, dict) and integer(m.get("id")) and m["id"] < s.request_id for m in messages)


# ── what the line is, if it is not a message ──────────────────────────────────────────────────────────────


def no_json(s: Symptoms) -> bool:
    """Whether the offending line is not JSON."""
    return s.message is NO_JSON


def plain_text(s: Symptoms) -> bool:
    """Whether the line is not JSON, and does not begin like an object either."""
    return no_json(s) and s.line[:1] != b"{"


def utf_16(s: Symptoms) -> bool:
    """Whether the line is UTF-16 or UTF-32, of either byte order, with or without a byte order mark. A
    newline has several bytes there, so the line may begin or end inside a character."""
    return s.line.startswith((b"\xff\xfe", b"\xfe\xff")) or s.line.count(0) * 5 > len(s.line) * 2


def not_utf_8(s: Symptoms) -> bool:
    """Whether the offending line is invalid UTF-8."""
    try:
        s.line.decode()
    except UnicodeDecodeError:
        return True
    return False


def begins_several_lines(s: Symptoms) -> bool:
    """Whether the line begins a value that later lines complete."""
    begun, _ = _first_value(s.line)
    whole, _ = _first_value(s.everything)
    return s.line[:1] in (b"{", b"[") and begun is NO_JSON and whole is not NO_JSON


def several_on_a_line(s: Symptoms) -> bool:
    """Whether a complete JSON object is followed by more text on the same line."""
    value, rest = _first_value(s.line)
    return isinstance(value, dict) and bool(rest)


def _first_value(data: bytes) -> tuple[Any, str]:
    """The JSON value at the beginning of `data`, or NO_JSON, and the text after it."""
    text = data.decode("utf-8", "replace").strip()
    try:
        value, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return NO_JSON, ""
    return value, text[end:].strip()


def python_repr(s: Symptoms) -> bool:
    """Whether the line is a Python literal of a dict, but not JSON."""
    return bool(re.search(rb"'|\b(True|False|None)\b", s.line)) and isinstance(_literal(s), dict)


def bytes_repr(s: Symptoms) -> bool:
    """Whether the line is a Python bytes literal of a JSON object, as print() shows bytes."""
    held = _literal(s) if s.line[:1] == b"b" else None
    return isinstance(held, bytes) and isinstance(parsed(held), dict)


def _literal(s: Symptoms) -> object:
    """The value of the line as a Python literal; None if it is none, or is JSON."""
    try:
        return ast.literal_eval(s.line.decode()) if no_json(s) else None
    except (ValueError, SyntaxError, TypeError, OverflowError, RecursionError, MemoryError):
        return None


def unquoted_keys(s: Symptoms) -> bool:
    """Whether the line is an object whose first key is bare or in single quotes."""
    return bool(re.match(rb"\{\s*'?[A-Za-z_]\w*'?\s*:", s.line))


def encoded_twice(s: Symptoms) -> bool:
    """Whether the line is a JSON string that contains a JSON object."""
    return isinstance(s.message, str) and isinstance(parsed(s.message.encode("utf-8", "replace")), dict)


def behind_a_prompt(s: Symptoms) -> bool:
    """Whether other text precedes a message on the same line."""
    start = s.line.find(b"{")
    return start > 0 and isinstance(parsed(s.line[start:]), dict)


def integer(value: Any) -> bool:
    """Whether a decoded JSON value is an integer, which true and false are not."""
    return isinstance(value, int) and not isinstance(value, bool)


# ── what the action is, if it is not legal ────────────────────────────────────────────────────────────────


def other_case(s: Symptoms) -> bool:
    """Whether the action differs from a legal one only in case."""
    return s.text.upper() in map(str.upper, s.legal)


def index(s: Symptoms) -> bool:
    """Whether the action is a number that is a valid index of `legal`."""
    return s.text.isdecimal() and len(s.text) < 4 and int(s.text) < len(s.legal)


def other_order(s: Symptoms) -> bool:
    """Whether the action is a legal card with its value first (7G for G7), or with spaces."""
    card = s.text.replace(" ", "")
    return card[-1:] + card[:-1] in s.legal or card in s.legal


def in_hand(s: Symptoms) -> bool:
    """Whether the action is a card in the hand that the request shows."""
    request = parsed(s.sent)
    view = request.get("view") if isinstance(request, dict) else None
    hand = view.get("hand") if isinstance(view, dict) else None
    return isinstance(hand, list) and s.text in hand
