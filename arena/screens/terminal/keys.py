"""The names of keys, and the bytes that a terminal sends for them. Knows no terminal."""

from typing import Final

GONE: Final = "gone"
"""No key: the terminal was closed."""
INTERRUPT: Final = "ctrl-c"
RESIZED: Final = "resized"
"""No key: the size of the screen changed."""
ESCAPE: Final = "escape"
UNKNOWN: Final = "unknown"
"""Any other key, such as F1 or alt-x."""

SEQUENCES: Final = {
    b"\x1b[A": "up",
    b"\x1b[B": "down",
    b"\x1b[C": "right",
    b"\x1b[D": "left",
    b"\x1bOA": "up",
    b"\x1bOB": "down",
    b"\x1bOC": "right",
    b"\x1bOD": "left",
    b"\x1b[H": "home",
    b"\x1b[F": "end",
    b"\x1bOH": "home",
    b"\x1bOF": "end",
    b"\x1b[1~": "home",
    b"\x1b[4~": "end",
    b"\x1b[5~": "page up",
    b"\x1b[6~": "page down",
    b"\r": "enter",
    b"\n": "enter",
    b"\t": "tab",
    b"\x7f": "backspace",
    b"\x08": "backspace",
    b"\x03": INTERRUPT,
    b" ": "space",
}
"""The bytes that a terminal sends for keys that are not characters, with their names."""


def keys(data: bytes, *, whole: bool = False) -> tuple[list[str], bytes]:
    """The names of the keys in `data`, and the bytes of an incomplete key at its end. `whole`: nothing more
    will come, so an incomplete key is the escape key."""
    found = []
    while data:
        size = _length(data) or int(whole)
        if not size:
            break
        key, data = data[:size], data[size:]
        text = key.decode("utf-8", "ignore")
        if key in SEQUENCES:
            found.append(SEQUENCES[key])
        elif key == b"\x1b":
            found.append(ESCAPE)
        else:
            found.append(text if len(text) == 1 and text.isprintable() else UNKNOWN)
    return found, data


def _length(data: bytes) -> int:
    """Bytes of the first key; 0 if it is incomplete."""
    if data[0] == 0x1B:
        match data[1:2]:
            case b"":
                return 0
            case b"\x1b":
                return 1
            case b"O":
                return 3 if len(data) > 2 else 0
            case b"[":
                ends = (at for at, byte in enumerate(data[2:], 3) if 0x40 <= byte <= 0x7E)
                return next(ends, 0)
        # Alt and a key: escape, then the bytes of that key.
        size = _length(data[1:])
        return 1 + size if size else 0
    size = 1 + (data[0] >= 0xC0) + (data[0] >= 0xE0) + (data[0] >= 0xF0)
    return size if len(data) >= size else 0
