"""Decides which texts are valid names, derives a name from any other text, and finds texts that look alike.

A name is a plain word for commands and files, and seeds randomness; a title is what people read instead, in
any script. Knows texts only, neither bots nor files.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from typing import Final, NamedTuple

from tournaments.results import HOUSE_PREFIX

NAME_LENGTH: Final = 32
NAME: Final = re.compile(rf"[A-Za-z0-9._-]{{1,{NAME_LENGTH}}}")

DIGEST_LENGTH: Final = 8
"""The hex digits in a derived name, of the SHA-256 of its original text."""

_MOODLE: Final = re.compile(r"(.+?)_(\d+)_assignsubmission_\w+")
"""Moodle's name for a participant's folder or file, which begins with the participant and a number."""

_SPELT: Final = str.maketrans(
    {"ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D"}
    | {"ł": "l", "Ł": "L", "þ": "th", "Þ": "Th", "ð": "d", "Ð": "D", "ı": "i", "ħ": "h", "Ħ": "H"}
)
"""Latin letters that Unicode does not decompose into a plain letter and a mark."""

_ALIKE: Final = {
    "a": "аαɑ⍺ꭺ", "A": "АΑᎪᗅꓮ", "b": "ЬᏏᑲьвƄ", "B": "ВΒᏴᗷꓐ", "c": "сϲςⲥ", "C": "СϹᏟⲤꓚ", "d": "ԁᏧᑯꓒ",
    "D": "Ꭰᗞᗪꓓ", "e": "еҽ℮", "E": "ЕΕᎬꓰ⋿", "f": "ք", "F": "Ϝᖴꓝ", "g": "ց", "G": "ԌᏀᏳꓖ", "h": "һհᏂн",
    "H": "НΗᎻᕼⲎꓧ", "i": "іιᎥ", "I": "ІӀΙⲒꓲ", "j": "јϳ", "J": "ЈͿᎫᒍꓙ", "k": "кκ", "K": "КΚᏦⲔꓗ",
    "l": "ӏ∣וןاƖǀ", "L": "ᏞᒪⳐꓡ", "m": "м", "M": "МΜϺᎷᗰⲘꓟ", "n": "ոռη", "N": "ΝⲚꓠ",
    "o": "оοσօⲟס०๐໐০੦૦௦౦೦൦ഠဝ၀〇○◯", "O": "ОΟՕⲞꓳ", "p": "рρϱⲣ", "P": "РΡᏢᑭⲢꓑ", "q": "ԛգ", "r": "гᴦⲅ",
    "R": "ᎡᏒᖇꓣ", "s": "ѕƽ", "S": "ЅՏᏕᏚꓢ", "t": "тτ", "T": "ТΤᎢⲦꓔ⊤", "u": "υսʋ∪", "U": "Սᑌꓴ", "v": "νѵ∨",
    "V": "ѴᏙᐯꓦ", "w": "ѡԝաω", "W": "ԜᎳᏔꓪ", "x": "хχ×", "X": "ХΧ᙭Ⲭꓫ╳", "y": "уүγɣ", "Y": "УҮΥᎩᎽⲨꓬ",
    "Z": "ΖᏃꓜ", "3": "ЗӠз", "4": "Ꮞ", "6": "бᏮ", "8": "Ȣȣ", "ロ": "口囗", "カ": "力", "ニ": "二",
    "エ": "工", "タ": "夕", "ト": "卜", "ハ": "八", "へ": "ヘ", "ー": "一",
}  # fmt: skip
_AS_SEEN: Final = str.maketrans({other: one for one, others in _ALIKE.items() for other in others})
"""Maps characters of living scripts to a character that looks the same in most typefaces."""

_SAME_STROKES: Final = str.maketrans({"0": "o", "1": "l", "i": "l", "|": "l", "m": "rn", "_": "-", "−": "-"})
_LATIN: Final = re.compile(r"(?:LATIN|REGIONAL INDICATOR SYMBOL|NEGATIVE \w+ LATIN)\b.*\bLETTER (?:SMALL )?")
_LETTER: Final = re.compile(r"(?:CAPITAL |DOTLESS |SCRIPT )*([A-Z])(?: WITH .*)?")
_HOUSE: Final = re.compile(r"house(?:-|[ .]*[0-9lo]+$)")


class Submitter(NamedTuple):
    """Who submitted something on a learning platform, and under which number; "" if unknown."""

    by: str = ""
    number: str = ""


def handed_in(parts: Iterable[str]) -> Submitter:
    """The submitter, according to the parts of a path."""
    found = [match for part in parts if (match := _MOODLE.match(part))]
    return Submitter(*found[-1].groups()) if found else Submitter()


def plain(text: str) -> str:
    """The nearest text to `text` with valid characters for a name; "" if none of its characters have one."""
    spelt = unicodedata.normalize("NFKD", text.translate(_SPELT)).encode("ascii", "ignore").decode()
    return re.sub("[^A-Za-z0-9._-]+", "-", spelt)[:NAME_LENGTH].strip("-._")


def name_of(text: str) -> str:
    """The text itself if it is a valid name; otherwise its Latin letters and the beginning of its digest.
    This depends on no other names. Two texts have different names unless their NFC forms are equal: machines
    differ in the Unicode form of the same file name."""
    if NAME.fullmatch(text):
        return text
    text = unicodedata.normalize("NFC", text)
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST_LENGTH]
    near = plain(text)
    if near.startswith(HOUSE_PREFIX):
        near = f"bot-{near}"
    near = near[: NAME_LENGTH - DIGEST_LENGTH - 1].strip("-._") or "bot"
    return f"{near}-{digest}"


def is_pasteable(text: str) -> bool:
    """Whether a file name is valid UTF-8 and displays as it is: without line breaks, escapes, and characters
    that change the direction of writing."""
    return not any(
        unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")
        or unicodedata.bidirectional(char) in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
        for char in text
    )


def looks(text: str) -> frozenset[str]:
    """Keys for the appearance of a text: two texts that share a key look alike.

    Ignores case; marks on Latin, Greek, Cyrillic, Hebrew and Arabic letters; Unicode's variants of a letter
    (full-width, mathematical, circled) and the Latin letters of phonetic alphabets. Treats as equal the
    letters in _ALIKE; 0 and O; 1, I, i, l and |; m and rn; all dashes. There are two keys, since a letter and
    its capital may look like different letters (η, Η). This is not UTS 39: it misses letters of dead scripts,
    most pairs within a script other than Latin, and similar pictures."""
    return frozenset(map(_strokes, (text, text.casefold())))


def is_house_like(text: str) -> bool:
    """Whether a text looks like the name of a house bot."""
    return any(map(_HOUSE.match, looks(text)))


def _strokes(text: str) -> str:
    """A canonical spelling, the same for all texts that look alike."""
    apart = unicodedata.normalize("NFKD", text.translate(_AS_SEEN)).translate(_AS_SEEN)
    plain = "".join(_letter(char) for char in apart if not _is_free_mark(char)).casefold()
    dashed = "".join("-" if unicodedata.category(char) == "Pd" else char for char in plain)
    return " ".join(dashed.translate(_SAME_STROKES).split())


def _letter(char: str) -> str:
    """The plain letter for a Latin letter with a stroke, a tail or a special form, according to its Unicode
    name; any other character unchanged."""
    name = "" if char.isascii() else unicodedata.name(char, "")
    if (latin := _LATIN.match(name)) and (letter := _LETTER.fullmatch(name, latin.end())):
        return letter[1]
    return char


def _is_free_mark(char: str) -> bool:
    """Whether a character is a mark that does not turn its letter into another: an accent, a stroke, a Hebrew
    or Arabic vowel sign. Marks that do (kana, Indic and Thai scripts) have other combining classes."""
    attached = unicodedata.combining(char)
    return attached == 1 or 10 <= attached <= 36 or attached >= 200
